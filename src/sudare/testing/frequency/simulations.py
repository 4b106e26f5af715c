"""The laws of simulated supports, at any k."""

from __future__ import annotations

from functools import cache

import numpy as np

from sudare.mechanisms import FrequencyOracle
from sudare.testing.core.draws import Values
from sudare.testing.core.simulations import Tallies, steps
from sudare.testing.sums import Middle, law_of_sum

_CALLS = (1 << 7, 1 << 10)
_CELLS = 1 << 20

Groups = tuple[tuple[tuple[float, float, float], int], ...]


class SupportTallies(Tallies):
    """Laws of supports, and of sums and differences of two, given the true counts."""

    def __init__(self, m: FrequencyOracle) -> None:
        self.m, self.k = m, m.k
        self.spread = m.k
        self.calls = int(np.clip(_CELLS // m.k, *_CALLS))
        self.p, self.q = (float(x) for x in m.support_probabilities)
        self._sums = cache(self._law_of_groups)

    def single(self, truth: Values, cell: int) -> Middle:
        """Return the law of one support: of those with the category, and of the others."""
        own, others = int(truth[cell]), int(truth.sum() - truth[cell])
        return self._sums((((self.p, 0.0, 0.0), own), ((self.q, 0.0, 0.0), others)), 1)

    def pair(self, truth: Values, first: int, second: int, sign: int) -> Middle:
        """Return the law of the sum or the difference of two supports."""
        values = np.flatnonzero(truth)
        groups: dict[tuple[float, float, float], int] = {}
        together = self.m.law.pair_probability(first, second, values).tolist()
        for value, both in zip(values.tolist(), together, strict=True):
            own, other = (self.p if value == one else self.q for one in (first, second))
            groups[own, other, both] = groups.get((own, other, both), 0) + int(truth[value])
        return self._sums(tuple(sorted(groups.items())), sign)

    def _law_of_groups(self, groups: Groups, sign: int) -> Middle:
        return law_of_sum([(people, steps(*each, sign)) for each, people in groups])
