"""The words that were discovered with their shares, and the settings of the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sudare.arrays import Floats
from sudare.errors import counted


@dataclass(frozen=True, eq=False)
class DiscoveredWords:
    """Words that nobody listed, the most frequent first.

    The shares are unbiased for words named beforehand. Of those that are only just above the
    threshold they are too large on average: it is why they were published.

    Attributes:
        words: the words.
        shares: (words,) float64, estimated shares of the population.
        stderr: (words,) float64, their standard errors.
        threshold: the least share that is published.
        false: most probability that any of the words is a false one.
        above: what a false one is: a word that at most this share of the population holds.
        tried: number of words that were tried with the last reports.
        n: people who reported, and ``asked``: those of them who did about whole words.
        epsilon: of one report.
        flooded: whether so many words were above the threshold that people cannot have written
            them: with it alone they would add up to more than twice everybody. Reports were made
            up, and no word is told.
    """

    words: tuple[str, ...]
    shares: Floats
    stderr: Floats
    threshold: float
    false: float
    above: float
    tried: int
    n: int
    asked: int
    epsilon: float
    flooded: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return all of it as JSON data."""
        told = {name: getattr(self, name) for name in self.__dataclass_fields__}
        rows = zip(self.words, self.shares.tolist(), self.stderr.tolist(), strict=True)
        names = ("word", "share", "stderr")
        del told["shares"], told["stderr"]
        return told | {"words": [dict(zip(names, row, strict=True)) for row in rows]}

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Found({counted(len(self), 'word')} above {self.threshold:.2%}, n={self.n:,})"
