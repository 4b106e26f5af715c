"""Sampled: ``simulate`` against the exact law of its tally, location and spread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism
from sudare.testing.core.draws import Values, compare_pairs, focus, powers_of_two
from sudare.testing.law import Law, law_of
from sudare.testing.suite import Comparison
from sudare.testing.sums import Middle, law_of_sum

_CALLS = 1 << 8
_SPREAD = 16  # answers
MANY = 1_000_000


class Laws(Protocol):
    """The laws of simulated tallies."""

    def single(self, cell: int) -> Middle:
        """Return the law of one cell."""

    def pair(self, first: int, second: int, sign: int) -> Middle:
        """Return the law of the sum or the difference of two cells."""


def simulates_concentrated_answers(m: Mechanism, rng: Entropy) -> Iterator[Comparison]:
    """A thousand respondents with three different answers (one, where people are random)."""
    law = law_of(m)
    if law is None:
        return
    truth = np.zeros(len(law.answers), dtype=np.int64)
    few = focus(truth.size, rng)
    shares = (1000,) if law.family.at_random else (600, 300, 100)
    for answer, share in zip(few[-len(shares) :], shares, strict=False):
        truth[answer] += share
    yield from _simulates(law, truth, rng)


def simulates_spread_answers(m: Mechanism, rng: Entropy) -> Iterator[Comparison]:
    """A million respondents with many answers."""
    law = law_of(m)
    if law is None:
        return
    truth = np.zeros(len(law.answers), dtype=np.int64)
    most = truth.size if law.family.at_random else _SPREAD
    spread = np.unique(np.linspace(0, truth.size - 1, most).astype(np.int64))
    truth[spread] = MANY // spread.size
    yield from _simulates(law, truth, rng)


def _simulates(law: Law, truth: Values, rng: Entropy) -> Iterator[Comparison]:
    groups = law.family.simulated(law.m)
    watched = [cells[focus(cells.size, rng)] for cells in groups]
    if not watched:
        return
    drawn = np.empty((_CALLS, sum(cells.size for cells in watched)), dtype=np.int64)
    columns = np.concatenate(watched)
    for row in drawn:
        row[:] = law.family.simulate(law.m, law.answers, truth, rng).support.reshape(-1)[columns]
    laws, start = Enumerated(law, truth), 0
    for cells in watched:
        own = drawn[:, start : start + cells.size]
        yield from compare(own, cells.tolist(), laws)
        start += cells.size


def compare(drawn: Values, cells: Sequence[int], laws: Laws) -> Iterator[Comparison]:
    """Compare single cells, and sums and differences of two, with their middle half.

    Under the law a tally falls below, into and above the middle half of its distribution with
    known probabilities. No noise stays inside, too much falls outside; noise that two cells share
    shows in their difference or their sum.
    """
    far = powers_of_two(len(drawn))
    for column, cell in zip(drawn.T, cells, strict=True):
        middle = laws.single(cell)
        yield from _parts(f"simulated the support of category {cell}", column, middle)
        above = column > middle.high
        yield from compare_pairs("two simulations went above the middle", above, middle.above, far)
    for (x, i), (y, j) in pairwise(zip(drawn.T, cells, strict=True)):
        for sign, word in ((1, "sum"), (-1, "difference")):
            what = f"simulated the {word} of the supports of {i} and {j}"
            yield from _parts(what, x + sign * y, laws.pair(i, j, sign))


def _parts(what: str, drawn: Values, middle: Middle) -> Iterator[Comparison]:
    observed = [drawn < middle.low, drawn > middle.high]
    observed.append(~(observed[0] | observed[1]))
    yield Comparison(
        f"{what} below, above or within its middle half",
        np.array([where.sum() for where in observed]),
        drawn.size,
        [middle.below, middle.above, middle.within],
    )


def steps(x: float, y: float, both: float, sign: int) -> dict[int, float]:
    """Return the law of ``X + sign Y`` of two events of these probabilities, alone and together."""
    law = {0: 1 - x - y + both, 1: x - both}
    for step, probability in ((sign, y - both), (1 + sign, both)):
        law[step] = law.get(step, 0.0) + probability
    return law


@dataclass(frozen=True, eq=False)
class Enumerated:
    """The laws of the tallies of ``truth[i]`` respondents with answer i, from the whole law."""

    law: Law
    truth: Values

    def single(self, cell: int) -> Middle:
        """Return the law of one cell."""
        return self._sum(self.law.supports[:, cell], lambda own: {1: float(own), 0: 1 - float(own)})

    def pair(self, first: int, second: int, sign: int) -> Middle:
        """Return the law of the sum or the difference of two cells."""
        supports = self.law.supports[:, [first, second]]
        both = supports[:, :1] * supports[:, 1:]
        return self._sum(
            np.concatenate([supports, both], axis=1),
            lambda own: steps(float(own[0]), float(own[1]), float(own[2]), sign),
        )

    def _sum(self, events: npt.NDArray[Any], step: Callable[..., dict[int, float]]) -> Middle:
        chances = events.T @ self.law.table
        if self.law.family.at_random:
            people = int(self.truth.sum())
            return law_of_sum([(people, step(chances @ (self.truth / people)))])
        groups = [(int(n), step(chances[..., i])) for i, n in enumerate(self.truth) if n]
        return law_of_sum(groups)
