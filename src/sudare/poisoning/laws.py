"""The exact law of a fake respondent's report: what to draw from it, and what it adds to counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.samplers.base import index_dtype


class FakeLaw(ABC):
    """The law of one fake respondent's report, each drawn on its own."""

    @property
    @abstractmethod
    def rates(self) -> Floats:
        """Expected support counts of one report, in the mechanism's shape."""

    @abstractmethod
    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """Draw m reports, as the mechanism's own look."""

    @abstractmethod
    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """Draw the support counts of m reports, without a loop over them."""


@dataclass(frozen=True, eq=False)
class Categories(FakeLaw):
    """One of k categories: what is reported to GRR.

    Args:
        cells: (k,) probabilities that sum to 1.
    """

    cells: Floats

    @property
    def rates(self) -> Floats:
        """As ``cells``."""
        return self.cells

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m,) indices."""
        return _drawn(self.cells, m, generator).astype(index_dtype(self.cells.size))

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """One multinomial over all cells."""
        drawn = generator.multinomial(m, self.cells.ravel())
        return drawn.reshape(self.cells.shape).astype(np.int64)


class Keyed(Categories):
    """One key and one of its three states, (d, 3) ``cells``: as reported to PrivKV and StateRR."""

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m, 2): key and state."""
        drawn = np.stack(np.divmod(_drawn(self.cells, m, generator), 3), axis=1)
        return drawn.astype(index_dtype(max(len(self.cells), 3)))


@dataclass(frozen=True, eq=False)
class Rounds(FakeLaw):
    """A report in each round, each on its own: what is reported to PrivKVM."""

    parts: tuple[Keyed, ...]

    @property
    def rates(self) -> Floats:
        """(rounds, d, 3)."""
        return np.stack([part.rates for part in self.parts])

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m, rounds, 2)."""
        return np.stack([part.reports(m, generator) for part in self.parts], axis=1)

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """One multinomial a round."""
        return np.stack([part.support(m, generator) for part in self.parts])


@dataclass(frozen=True, eq=False)
class Pairs(Categories):
    """One signed key of ``d``, or a dummy: what is reported to PCKV-GRR.

    Args:
        cells: (2 (d + padding),) probabilities.
        d: number of keys.
    """

    d: int

    @property
    def rates(self) -> Floats:
        """(d, 3)."""
        return self._states(self.cells, 1)

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """One multinomial."""
        return self._states(super().support(m, generator), m)

    def _states(self, pairs: npt.NDArray[Any], people: int) -> npt.NDArray[Any]:
        """Return (d, 3) states of each key, from signed keys of so many people."""
        named = pairs[: 2 * self.d].reshape(self.d, 2)
        return np.concatenate([named, people - named.sum(axis=1, keepdims=True)], axis=1)


def _drawn(cells: Floats, m: int, generator: np.random.Generator) -> Integers:
    """Draw m places of a law; a cell without probability is never drawn."""
    steps = np.cumsum(cells.ravel())
    places = np.searchsorted(steps, generator.random(m) * steps[-1], side="right")
    out: Integers = np.minimum(places, np.flatnonzero(cells)[-1]).astype(np.int64)
    return out
