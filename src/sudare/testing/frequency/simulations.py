"""Sampled: ``simulate`` against the exact law of its supports, location and spread."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np

from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.frequency.draws import Values, focus
from sudare.testing.frequency.supports import powers_of_two, together
from sudare.testing.suite import Comparison
from sudare.testing.sums import Middle, law_of_sum

_CALLS = (1 << 7, 1 << 10)
_CELLS = 1 << 20


def simulates_concentrated_answers(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison]:
    """A thousand respondents with three different answers."""
    truth = np.zeros(m.k, dtype=np.int64)
    for category, share in zip(focus(m, rng), (600, 300, 100), strict=False):
        truth[category] += share
    yield from _simulates(m, truth, rng)


def simulates_spread_answers(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison]:
    """A million respondents with all answers."""
    n = 1_000_000
    yield from _simulates(m, n // m.k + (np.arange(m.k) < n % m.k).astype(np.int64), rng)


def _simulates(m: FrequencyOracle, truth: Values, rng: Entropy) -> Iterator[Comparison]:
    """Compare single supports, and sums and differences of two, with their middle half.

    Under the law a support falls below, into and above the middle half of its distribution
    with known probabilities. No noise stays inside, too much falls outside; noise that two
    categories share shows in their difference or their sum.
    """
    calls = int(np.clip(_CELLS // m.k, *_CALLS))
    watched = focus(m, rng)
    support = np.empty((calls, watched.size), dtype=np.int64)
    for row in support:
        row[:] = m.simulate(truth, rng=rng).support[watched]

    laws = _Laws(m, truth)
    for column, category in zip(support.T, watched.tolist(), strict=True):
        middle = laws.single(int(truth[category]))
        yield from _compare(f"simulated the support of category {category}", column, middle)
        above = column > middle.high
        lags = powers_of_two(calls)
        yield from together("two simulations went above the middle", above, middle.above, lags)
    for (x, i), (y, j) in pairwise(zip(support.T, watched.tolist(), strict=True)):
        for sign, word in ((1, "sum"), (-1, "difference")):
            what = f"simulated the {word} of the supports of {i} and {j}"
            yield from _compare(what, x + sign * y, laws.pair(i, j, sign))


def _compare(what: str, drawn: Values, middle: Middle) -> Iterator[Comparison]:
    observed = [drawn < middle.low, drawn > middle.high]
    observed.append(~(observed[0] | observed[1]))
    yield Comparison(
        f"{what} below, above or within its middle half",
        np.array([where.sum() for where in observed]),
        drawn.size,
        [middle.below, middle.above, middle.within],
    )


class _Laws:
    """Laws of supports, and of sums and differences of two, given the true counts."""

    def __init__(self, m: FrequencyOracle, truth: Values) -> None:
        self.law, self.truth = m.law, truth
        self.n = int(truth.sum())
        self.p, self.q = (float(x) for x in m.support_probabilities)
        self.single = cache(self._single)
        self._sum = cache(self._of_groups)

    def _single(self, own: int) -> Middle:
        return law_of_sum(
            [(own, {1: self.p, 0: 1 - self.p}), (self.n - own, {1: self.q, 0: 1 - self.q})]
        )

    def pair(self, i: int, j: int, sign: int) -> Middle:
        """Return the law of the support of i plus, or minus, that of j."""
        values = np.flatnonzero(self.truth)
        groups: dict[tuple[float, float, float], int] = {}
        together = self.law.both(i, j, values).tolist()
        for value, both in zip(values.tolist(), together, strict=True):
            own = self.p if value == i else self.q, self.p if value == j else self.q, both
            groups[own] = groups.get(own, 0) + int(self.truth[value])
        return self._sum(tuple(sorted(groups.items())), sign)

    def _of_groups(
        self, groups: tuple[tuple[tuple[float, float, float], int], ...], sign: int
    ) -> Middle:
        def steps(x: float, y: float, both: float) -> dict[int, float]:
            law = {0: 1 - x - y + both, 1: x - both}
            for step, probability in ((sign, y - both), (1 + sign, both)):
                law[step] = law.get(step, 0.0) + probability
            return law

        return law_of_sum([(people, steps(*each)) for each, people in groups])
