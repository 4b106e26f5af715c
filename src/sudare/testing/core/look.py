"""What is seen of reports: here which of the whole law's each one is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.exact.entropy import Entropy
from sudare.testing.core.draws import Values, compare_pairs
from sudare.testing.law import Law
from sudare.testing.suite import Comparison, Total, demand

_RARER = 8  # times than the answer that is given most often

Groups = Sequence[Sequence[Values]]
"""Places of a batch: in each block of it those of each of a few answers."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Reports as rows of a law, and the answers behind them by number."""

    law: Law
    values: Values
    rows: Values

    @property
    def own(self) -> Booleans:
        """Which reports are likelier under their answer than under all."""
        return self.law.likely[self.rows, self.values]

    @property
    def chance(self) -> Floats:
        """How probable that is, for each respondent."""
        return self.law.chance[self.values]

    def by_value(self) -> Iterator[Comparison | Total]:
        """Compare each report of each answer, and how often answers got a likely one."""
        table, values = self.law.table, self.values
        outputs, k = table.shape
        counts = np.bincount(self.rows * k + values, minlength=outputs * k).reshape(outputs, k)
        trials = np.bincount(values, minlength=k)
        often = np.flatnonzero(trials >= trials.max() / _RARER)
        what = "sent one report for one value"
        yield Comparison(what, counts[:, often], trials[often], table[:, often])
        own, chance = (counts * self.law.likely).sum(axis=0), self.law.chance
        yield Comparison("sent a likely report for one value", own, trials, chance)
        mean, variance = float(trials @ chance), float(trials @ (chance * (1 - chance)))
        yield Total("sent likely reports", int(own.sum()), mean, variance, 1)

    def between_respondents(self, lags: Iterable[int]) -> Iterator[Comparison]:
        """Compare how often two respondents, so many places apart, both got a likely report."""
        what = "two respondents sent likely reports"
        yield from compare_pairs(what, self.own, self.chance, lags)

    def of_one_value(self, rng: Entropy) -> Iterable[Comparison]:
        """Compare what else can be said where all answers are the same."""
        return ()


class Look:
    """How a mechanism's reports are drawn, and looked at.

    Attributes:
        k: number of answers.
        size: respondents of a batch.
        singles: calls of ``perturb_one``.
    """

    size: int = 1 << 16
    singles: int = 1 << 9

    def __init__(self, law: Law) -> None:
        self.m, self.law, self.k = law.m, law, len(law.answers)

    def perturb(self, values: Values, rng: Entropy | None) -> npt.NDArray[Any]:
        """Randomise the answers of a batch."""
        return self.law.family.perturb(self.m, self.law.batch(values), rng)

    def seen(self, values: Values, reports: npt.NDArray[Any]) -> Any:
        """Return the reports of a batch as what is seen of them."""
        return Drawn(self.law, values, self.law.rows(reports))

    def draw(self, values: Values, rng: Entropy | None) -> Any:
        """Randomise the answers of a batch; return what is seen of the reports."""
        reports = self.perturb(values, rng)
        demand(len(reports) == values.size, "must give one report a respondent")
        return self.seen(values, reports)

    def one_by_one(self, values: Values, entropy: Entropy | None) -> Any:
        """Return what is seen of the reports of ``perturb_one``."""
        m, answers = self.m, self.law.answers
        drawn = [m.perturb_one(answers[value], entropy=entropy) for value in values.tolist()]
        rows = [self.law.row(bytes(m.program.encode_one(one))) for one in drawn]
        return Drawn(self.law, values, np.array(rows))

    def in_groups(self, reports: npt.NDArray[Any], few: Values, groups: Groups) -> tuple[Any, Any]:
        """Return what of each group's reports is counted, and its probability."""
        rows, likely = self.law.rows(reports), self.law.likely
        counts = [[[likely[rows[own], v].sum()] for v, own in zip(few, block, strict=True)]
                  for block in groups]  # fmt: skip
        return np.array(counts), self.law.chance[few][:, None]
