"""What n reports support, compared with the law: a matrix (n, k) and the values behind it.

Given the values, a respondent's report supports category c with probability p (c is the value) or
q, and two categories together with the probability that its law states. Why counts are compared
with binomial laws: :mod:`~sudare.testing.core.batches`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from sudare.arrays import Booleans, Floats, Integers
from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core.look import compare_pairs, lags
from sudare.testing.suite import Comparison, Total

MOST_PAIRED = 256
"""Most categories of which each pair is looked at."""

_LEAST_OF_ONE_VALUE = 32
_CELLS = 1 << 20
_SOME = 8


@dataclass(frozen=True, slots=True, eq=False)
class SupportedReports:
    """Reports as what they support.

    Attributes:
        m: the mechanism that has drawn them.
        values: (n,) what the respondents answered.
        supports: (n, k) which categories each report supports.
    """

    m: FrequencyOracle
    values: Integers
    supports: Booleans

    @property
    def own(self) -> Booleans:
        """Which reports support their own value."""
        return self.supports[np.arange(self.values.size), self.values]

    @property
    def chance(self) -> Floats:
        """How probable that is, for each respondent."""
        return np.full(self.values.size, float(self.m.support_probabilities[0]))

    def by_value(self) -> Iterator[Comparison | Total]:
        """Compare the supports of each category, of each distance, and by single values."""
        k, n = self.m.k, self.values.size
        p, q = (float(x) for x in self.m.support_probabilities)
        yield Comparison("supported the true value", self.own.sum(keepdims=True), n, p)
        others, elsewhere = self.supports.sum(axis=0), np.zeros(k, dtype=np.int64)
        np.subtract.at(others, self.values, self.own)
        total, mean = int(others.sum()), n * (k - 1) * q
        spread = max(self._spread_of_others(), 0.0)
        yield Total("supported other categories", total, mean, spread, k - 1)
        order = np.argsort(self.values, kind="stable")
        values, starts = np.unique(self.values[order], return_index=True)
        for value, rows in zip(values.tolist(), np.split(order, starts[1:]), strict=True):
            row = self.supports[rows].sum(axis=0)
            elsewhere += np.roll(row, -value)
            if rows.size >= _LEAST_OF_ONE_VALUE:
                law = np.full(k, q)
                law[value] = p
                yield Comparison(f"supported one category for value {value}", row, rows.size, law)
        yield Comparison("supported a category at one distance", elsewhere[1:], n, q)
        trials = n - np.bincount(self.values, minlength=k)
        yield Comparison("supported one category for other values", others, trials, q)

    def _spread_of_others(self) -> float:
        """Return the variance of the number of supports of categories that are not the value."""
        law, total, n = self.m.law, 0.0, 0
        weights, shares = np.ones(self.m.k), np.zeros(self.m.k)
        values = self._values()
        if self.m.k * len(values) > _CELLS:  # in so large an alphabet a few stand for all
            values = values[:: -(-len(values) // _SOME)]
        for value, people in values:
            weights[value], shares[value] = 0.0, 1.0
            total, n = total + people * law.noise(weights, shares), n + people
            weights[value], shares[value] = 1.0, 0.0
        return total * self.values.size / n * float(law.p - law.q) ** 2

    def _values(self) -> list[tuple[int, int]]:
        """Return the values with the number of those who answered each."""
        values, people = np.unique(self.values, return_counts=True)
        return list(zip(values.tolist(), people.tolist(), strict=True))

    def between_respondents(self, apart: Iterable[int]) -> Iterator[Comparison]:
        """Compare how often two respondents' reports support something together.

        Their own values, so many places apart; one other category, of neighbours.
        """
        p, q = (float(x) for x in self.m.support_probabilities)
        yield from compare_pairs("two respondents supported their own values", self.own, p, apart)
        for start in (0, 1):
            stop = self.values.size - (self.values.size - start) % 2
            left, right = slice(start, stop, 2), slice(start + 1, stop, 2)
            both = self.supports[left] & self.supports[right]
            count = both.sum(axis=0, dtype=np.int64)
            trials = np.full(self.m.k, len(both))
            rows = np.arange(len(both))
            a, b = self.values[left], self.values[right]
            for values, pairs in ((a, rows), (b[b != a], rows[b != a])):
                np.subtract.at(count, values, both[pairs, values])
                np.subtract.at(trials, values, 1)
            yield Comparison("two neighbours supported one other category", count, trials, q * q)

    def repeats(self, category: int, apart: Iterable[int]) -> Iterator[Comparison]:
        """Compare how often two respondents support one category, which is the value of nobody."""
        q, events = float(self.m.support_probabilities[1]), self.supports[:, category]
        yield from compare_pairs("two respondents supported one other", events, q, apart)

    def of_one_value(self, rng: Entropy) -> Iterator[Comparison]:
        """Compare another category than the one value of all."""
        other = int(self.values[0]) + int(rng.generator().integers(1, self.m.k))
        yield from self.repeats(other % self.m.k, lags(self.values.size, rng))

    def between_categories(self) -> Iterator[Comparison]:
        """Compare how often one report supports two categories, for each pair of them."""
        k, n = self.m.k, self.values.size
        supports = self.supports.astype(np.float32)  # exact: n < 2^24
        own = np.zeros_like(supports)
        own[np.arange(n), self.values] = self.own
        both = (supports.T @ supports).astype(np.int64)
        with_own = (own.T @ supports).astype(np.int64)  # [value, other category]
        distance = (np.arange(k) - np.arange(k)[:, None]) % k
        yield Comparison(
            "supported the true value and another at one distance",
            np.bincount(distance.ravel(), with_own.ravel(), k)[1:].astype(np.int64),
            n,
            self._with_own(np.arange(1, k)),
        )
        i, j = np.triu_indices(k, 1)
        observed = both[i, j] - with_own[i, j] - with_own[j, i]
        yield Comparison("supported two other categories", observed, *self._without(i, j))

    def _with_own(self, distance: Integers) -> Floats:
        """Return how probably a report supports its value and the category so far from it."""
        total = np.zeros(distance.shape)
        for value, people in self._values():
            total += people * self.m.law.pair_probability(
                value, (value + distance) % self.m.k, value
            )
        return total / self.values.size

    def _without(self, i: Integers, j: Integers) -> tuple[Integers, Floats]:
        """Return how many answer neither i nor j, and how probably they support both."""
        people, expected = np.zeros(i.shape, dtype=np.int64), np.zeros(i.shape)
        for value, number in self._values():
            others = number * ((i != value) & (j != value))
            people += others
            expected += others * self.m.law.pair_probability(i, j, value)
        return people, expected / np.maximum(people, 1)

    def within_reports(self, strides: Iterable[int]) -> Iterator[Comparison]:
        """Compare how often one report supports two categories, ``stride`` apart."""
        k, n = self.m.k, self.values.size
        rows = np.arange(n)
        first = np.arange(k)
        for stride in sorted({stride % k for stride in strides} - {0}):
            both = self.supports & np.roll(self.supports, -stride, axis=1)
            right = both[rows, self.values]
            left = both[rows, (self.values - stride) % k]
            yield Comparison(
                "supported the true value and another",
                np.array([right.sum(), left.sum()]),
                n,
                self._with_own(np.array([stride, -stride])),
            )
            count = both.sum(axis=0, dtype=np.int64)
            np.subtract.at(count, self.values, right)
            np.subtract.at(count, (self.values - stride) % k, left)
            without = self._without(first, (first + stride) % k)
            yield Comparison("supported two other categories", count, *without)
