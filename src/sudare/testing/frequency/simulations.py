"""Sampled: ``simulate`` against the exact law of its supports, at any k."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core.draws import Values, focus
from sudare.testing.core.simulations import MANY, compare, steps
from sudare.testing.suite import Comparison
from sudare.testing.sums import Middle, law_of_sum

_CALLS = (1 << 7, 1 << 10)
_CELLS = 1 << 20


def simulates_concentrated_answers(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison]:
    """A thousand respondents with three different answers."""
    truth = np.zeros(m.k, dtype=np.int64)
    for category, share in zip(focus(m.k, rng), (600, 300, 100), strict=False):
        truth[category] += share
    yield from _simulates(m, truth, rng)


def simulates_spread_answers(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison]:
    """A million respondents with all answers."""
    truth = MANY // m.k + (np.arange(m.k) < MANY % m.k).astype(np.int64)
    yield from _simulates(m, truth, rng)


def _simulates(m: FrequencyOracle, truth: Values, rng: Entropy) -> Iterator[Comparison]:
    calls = int(np.clip(_CELLS // m.k, *_CALLS))
    watched = focus(m.k, rng)
    support = np.empty((calls, watched.size), dtype=np.int64)
    for row in support:
        row[:] = m.simulate(truth, rng=rng).support[watched]
    yield from compare(support, watched.tolist(), _Supports(m, truth))


class _Supports:
    """Laws of supports, and of sums and differences of two, given the true counts."""

    def __init__(self, m: FrequencyOracle, truth: Values) -> None:
        self.law, self.truth, self.n = m.law, truth, int(truth.sum())
        self.p, self.q = (float(x) for x in m.support_probabilities)
        self._single, self._sum = cache(self._law_of_one), cache(self._law_of_groups)

    def single(self, cell: int) -> Middle:
        return self._single(int(self.truth[cell]))

    def pair(self, first: int, second: int, sign: int) -> Middle:
        values = np.flatnonzero(self.truth)
        groups: dict[tuple[float, float, float], int] = {}
        together = self.law.pair_probability(first, second, values).tolist()
        for value, both in zip(values.tolist(), together, strict=True):
            own = (
                self.p if value == first else self.q,
                self.p if value == second else self.q,
                both,
            )
            groups[own] = groups.get(own, 0) + int(self.truth[value])
        return self._sum(tuple(sorted(groups.items())), sign)

    def _law_of_one(self, own: int) -> Middle:
        return law_of_sum(
            [(own, {1: self.p, 0: 1 - self.p}), (self.n - own, {1: self.q, 0: 1 - self.q})]
        )

    def _law_of_groups(
        self, groups: tuple[tuple[tuple[float, float, float], int], ...], sign: int
    ) -> Middle:
        return law_of_sum([(people, steps(*each, sign)) for each, people in groups])
