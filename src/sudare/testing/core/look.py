"""Which answers respondents give in the sampled checks, and what is seen of their reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats, Integers
from sudare.exact.entropy import Entropy, Randomness
from sudare.testing.law import Law
from sudare.testing.suite import Comparison, Total, demand

FOCUS = 8
NEAR = range(1, 17)
"""Respondents so many places apart."""

_LAGS = 4
_RARER = 8  # times than the answer that is given most often

Groups = Sequence[Sequence[Integers]]
"""Places of a batch: in each block of it those of each of a few answers."""


def focus(k: int, rng: Entropy) -> Integers:
    """Return a few of k answers, chosen afresh: the first, the last, others."""
    inner = rng.generator().permutation(np.arange(1, k - 1))[: FOCUS - 2]
    return np.concatenate([[0, k - 1], inner]).astype(np.int64)


def mixed(k: int, n: int, rng: Entropy) -> Integers:
    """Return shuffled answers: half of them spread over all k, half over a few."""
    generator = rng.generator()
    spread = generator.permutation(k)[np.arange(n - n // 2) % k]
    few = focus(k, rng)[np.arange(n // 2) % min(k, FOCUS)]
    values: npt.NDArray[Any] = np.concatenate([spread, few]).astype(np.int64)
    generator.shuffle(values)
    return values


def lags(n: int, rng: Entropy) -> list[int]:
    """Return distances of respondents: 1 to 16, powers of two, and a few chosen afresh."""
    far: list[int] = rng.generator().integers(1, max(2, n // 2), _LAGS).tolist()
    return sorted({*NEAR, *powers_of_two(n), *far})


def powers_of_two(stop: int) -> list[int]:
    """Return 1, 2, 4, ... below ``stop``."""
    return [1 << i for i in range(max(stop - 1, 0).bit_length())]


def compare_pairs(
    what: str, events: Booleans, probability: float | Floats, apart: Iterable[int]
) -> Iterator[Comparison]:
    """Compare pairs of independent events, so many places apart: both, or neither.

    Where the probabilities differ, the tails are no heavier than those of the binomial law of
    their average (Hoeffding 1956).

    Args:
        what: the event, as it reads in a failure.
        events: (n,) whether it happened.
        probability: of each event, or of all.
        apart: how many places.
    """
    places, chance = np.arange(events.size), np.broadcast_to(probability, events.shape)
    for lag in apart:
        within = places + lag < events.size
        for parity in (0, 1):  # disjoint pairs, so that their counts are binomial
            first = places[within & (places // lag % 2 == parity)]
            a, b = events[first], events[first + lag]
            x, y = chance[first], chance[first + lag]
            pairs = max(first.size, 1)
            yield Comparison(
                f"{what}, or did not, {lag} apart,",
                np.array([(a & b).sum(), (~a & ~b).sum()]),
                first.size,
                [float(x @ y) / pairs, float((1 - x) @ (1 - y)) / pairs],
            )


@dataclass(frozen=True, eq=False)
class DrawnReports:
    """Reports as rows of a law, and the answers behind them by number."""

    law: Law
    values: Integers
    rows: Integers

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

    def perturb(self, values: Integers, rng: Randomness) -> npt.NDArray[Any]:
        """Randomise the answers of a batch."""
        return self.law.family.perturb(self.m, self.law.batch(values), rng)

    def seen(self, values: Integers, reports: npt.NDArray[Any]) -> Any:
        """Return the reports of a batch as what is seen of them."""
        return DrawnReports(self.law, values, self.law.rows(reports))

    def draw(self, values: Integers, rng: Randomness) -> Any:
        """Randomise the answers of a batch; return what is seen of the reports."""
        reports = self.perturb(values, rng)
        demand(len(reports) == values.size, "must give one report a respondent")
        return self.seen(values, reports)

    def one_by_one(self, values: Integers, entropy: Entropy | None) -> Any:
        """Return what is seen of the reports of ``perturb_one``."""
        m, answers = self.m, self.law.answers
        drawn = [m.perturb_one(answers[value], entropy=entropy) for value in values.tolist()]
        rows = [self.law.row(bytes(m.program.encode_one(one))) for one in drawn]
        return DrawnReports(self.law, values, np.array(rows))

    def in_groups(
        self, reports: npt.NDArray[Any], few: Integers, groups: Groups
    ) -> tuple[Any, Any]:
        """Return what of each group's reports is counted, and its probability."""
        rows, likely = self.law.rows(reports), self.law.likely
        counts = [[[likely[rows[own], v].sum()] for v, own in zip(few, block, strict=True)]
                  for block in groups]  # fmt: skip
        return np.array(counts), self.law.chance[few][:, None]
