"""Sampled: ``simulate`` against the exact law of its tally, location and spread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Integers
from sudare.exact.entropy import Entropy
from sudare.testing.core.look import compare_pairs, focus, powers_of_two
from sudare.testing.family import Sampled, family_of
from sudare.testing.law import Law
from sudare.testing.suite import Comparison, of
from sudare.testing.sums import Middle, law_of_sum

_MANY = 1_000_000


class Tallies:
    """The laws of the tallies of ``truth[i]`` respondents with answer i: here from the whole law.

    Attributes:
        k: number of answers.
        calls: simulations that are looked at.
        spread: how many answers a million respondents give.
    """

    calls: int = 1 << 8
    spread: int = 16

    def __init__(self, law: Law) -> None:
        self.m, self.law, self.k = law.m, law, len(law.answers)
        if law.family.at_random:
            self.spread = self.k

    def single(self, truth: Integers, cell: int) -> Middle:
        """Return the law of one cell."""
        own = self.law.supports[:, cell]
        return self._sum(truth, own, lambda own: steps(own, 0.0, 0.0, 1))

    def pair(self, truth: Integers, first: int, second: int, sign: int) -> Middle:
        """Return the law of the sum or the difference of two cells."""
        supports = self.law.supports[:, [first, second]]
        events = np.concatenate([supports, supports[:, :1] * supports[:, 1:]], axis=1)
        return self._sum(truth, events, lambda own: steps(own[0], own[1], own[2], sign))

    def _sum(
        self, truth: Integers, events: npt.NDArray[Any], step: Callable[[Any], dict[int, float]]
    ) -> Middle:
        chances = events.T @ self.law.table
        if self.law.family.at_random:
            people = int(truth.sum())
            return law_of_sum([(people, step(chances @ (truth / people)))])
        return law_of_sum([(int(n), step(chances[..., i])) for i, n in enumerate(truth) if n])


def steps(x: float, y: float, both: float, sign: int) -> dict[int, float]:
    """Return the law of ``X + sign Y`` of two events of these probabilities, alone and together."""
    law = {0: 1 - x - y + both, 1: x - both}
    for step, probability in ((sign, y - both), (1 + sign, both)):
        law[step] = law.get(step, 0.0) + probability
    return law


def _tallies(m: object) -> Tallies | None:
    found: Tallies | None = family_of(m).tallies(m)
    return found


@of(_tallies)
def simulates_concentrated_answers(tallies: Tallies, rng: Entropy) -> Iterator[Comparison]:
    """A thousand respondents with three different answers (one, where people are random)."""
    truth, few = np.zeros(tallies.k, dtype=np.int64), focus(tallies.k, rng)
    if family_of(tallies.m).at_random:
        truth[few[-1]] = 1000
    else:
        np.add.at(truth, few[:3], (600, 300, 100)[: few.size])
    yield from _simulates(tallies, truth, rng)


@of(_tallies)
def simulates_spread_answers(tallies: Tallies, rng: Entropy) -> Iterator[Comparison]:
    """A million respondents with many answers."""
    truth = np.zeros(tallies.k, dtype=np.int64)
    spread = np.unique(np.linspace(0, truth.size - 1, tallies.spread).astype(np.int64))
    truth[spread] = _MANY // spread.size
    yield from _simulates(tallies, truth, rng)


SAMPLED: tuple[Sampled, ...] = (simulates_concentrated_answers, simulates_spread_answers)


def _simulates(tallies: Tallies, truth: Integers, rng: Entropy) -> Iterator[Comparison]:
    """Compare single cells, and sums and differences of two, with their middle half.

    Under the law a tally falls below, into and above the middle half of its distribution with
    known probabilities. No noise stays inside, too much falls outside; noise that two cells share
    shows in their difference or their sum.
    """
    m, family = tallies.m, family_of(tallies.m)
    groups = [cells[focus(cells.size, rng)] for cells in family.simulated(m)]
    if not groups:
        return
    answers, watched = family.answers(m), np.concatenate(groups)
    drawn = np.empty((tallies.calls, watched.size), dtype=np.int64)
    for row in drawn:
        row[:] = family.simulate(m, answers, truth, rng).support.reshape(-1)[watched]
    ends = np.cumsum([cells.size for cells in groups])[:-1]
    for cells, own in zip(groups, np.split(drawn, ends, axis=1), strict=True):
        columns = list(zip(own.T, cells.tolist(), strict=True))
        for column, cell in columns:
            middle = tallies.single(truth, cell)
            yield from _parts(f"simulated the support of category {cell}", column, middle)
            what, far = "two simulations went above the middle", powers_of_two(len(drawn))
            yield from compare_pairs(what, column > middle.high, middle.above, far)
        for (x, i), (y, j) in pairwise(columns):
            for sign, word in ((1, "sum"), (-1, "difference")):
                what = f"simulated the {word} of the supports of {i} and {j}"
                yield from _parts(what, x + sign * y, tallies.pair(truth, i, j, sign))


def _parts(what: str, drawn: Integers, middle: Middle) -> Iterator[Comparison]:
    observed = [drawn < middle.low, drawn > middle.high]
    observed.append(~(observed[0] | observed[1]))
    yield Comparison(
        f"{what} below, above or within its middle half",
        np.array([where.sum() for where in observed]),
        drawn.size,
        [middle.below, middle.above, middle.within],
    )
