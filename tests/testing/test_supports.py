"""The counts that sampled checks compare, against the same counts by plain loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import sudare as sd
from sudare.testing.core.look import compare_pairs
from sudare.testing.frequency.supports import SupportedReports
from sudare.testing.suite import Comparison, Total
from sudare.testing.sums import law_of_sum
from tests.cases import cases


def drawn(k: int, n: int) -> SupportedReports:
    generator = np.random.default_rng(k)
    return SupportedReports(
        sd.OUE(k, 1), generator.integers(0, k, n), generator.random((n, k)) < 0.4
    )


def found(comparisons: Iterable[Comparison | Total]) -> Counter[tuple[str, int, int, float]]:
    """Every single count as (what, observed, trials, probability); events of no trials left out."""
    out: Counter[tuple[str, int, int, float]] = Counter()
    for c in comparisons:
        if isinstance(c, Comparison):
            parts: Any = np.broadcast_arrays(c.observed, c.trials, c.probability)
            for x, n, q in zip(*(part.reshape(-1).tolist() for part in parts), strict=True):
                if n:
                    out[c.what, x, n, round(q, 9)] += 1
    return out


@cases("k", [2, 3, 8])
def test_supports_by_value(k: int) -> None:
    d = drawn(k, 151)
    p, q = (round(float(x), 9) for x in d.m.support_probabilities)
    rows = list(zip(d.values.tolist(), d.supports.tolist(), strict=True))
    expected: Counter[tuple[str, int, int, float]] = Counter()
    expected["supported the true value", sum(s[v] for v, s in rows), 151, p] += 1
    for distance in range(1, k):
        x = sum(s[(v + distance) % k] for v, s in rows)
        expected["supported a category at one distance", x, 151, q] += 1
    for c in range(k):
        others = [s[c] for v, s in rows if v != c]
        expected["supported one category for other values", sum(others), len(others), q] += 1
        for value in range(k):
            same = [s[c] for v, s in rows if v == value]
            if len(same) >= 32:
                what = f"supported one category for value {value}"
                expected[what, sum(same), len(same), p if value == c else q] += 1
    assert found(d.by_value()) == expected
    (total,) = [c for c in d.by_value() if isinstance(c, Total)]
    assert total.observed == sum(sum(s) - s[v] for v, s in rows)
    assert total.mean == pytest.approx(151 * (k - 1) * q, rel=1e-6)
    assert total.variance == pytest.approx(151 * (k - 1) * q * (1 - q), rel=1e-6)
    assert total.range == k - 1


@cases("k, n", [(2, 50), (3, 51), (8, 64)])
def test_supports_of_neighbours(k: int, n: int) -> None:
    d = drawn(k, n)
    p, q = (float(x) for x in d.m.support_probabilities)
    lags = sorted({*range(1, 17), 32, 37})
    expected = found(compare_pairs("two respondents supported their own values", d.own, p, lags))
    for start in (0, 1):
        pairs = [(i, i + 1) for i in range(start, n - 1, 2)]
        for c in range(k):
            free = [(i, j) for i, j in pairs if c not in (d.values[i], d.values[j])]
            both = sum(bool(d.supports[i, c] and d.supports[j, c]) for i, j in free)
            if free:
                what = "two neighbours supported one other category"
                expected[what, both, len(free), round(q * q, 9)] += 1
    assert found(d.between_respondents(lags)) == expected
    other = found(compare_pairs("two respondents supported one other", d.supports[:, 1], q, lags))
    assert found(d.repeats(1, lags)) == other


@cases("k", [2, 3, 8])
def test_supports_of_each_pair_of_categories(k: int) -> None:
    d = drawn(k, 90)
    own, other = (round(float(d.m.law.pair_probability(0, 1, value)), 9) for value in (0, 2))
    rows = list(zip(d.values.tolist(), d.supports.tolist(), strict=True))
    expected: Counter[tuple[str, int, int, float]] = Counter()
    for step in range(1, k):
        x = sum(bool(s[v] and s[(v + step) % k]) for v, s in rows)
        expected["supported the true value and another at one distance", x, 90, own] += 1
    for i in range(k):
        for j in range(i + 1, k):
            free = [s for v, s in rows if v not in (i, j)]
            if free:
                x = sum(bool(s[i] and s[j]) for s in free)
                expected["supported two other categories", x, len(free), other] += 1
    assert found(d.between_categories()) == expected


@cases("k, stride", [(2, 1), (3, 1), (8, 4), (8, 3)])
def test_supports_of_two_categories(k: int, stride: int) -> None:
    d = drawn(k, 90)
    own, other = (round(float(d.m.law.pair_probability(0, 1, value)), 9) for value in (0, 2))
    expected: Counter[tuple[str, int, int, float]] = Counter()
    for step in (stride, -stride):
        x = sum(bool(s[v] and s[(v + step) % k]) for v, s in zip(d.values, d.supports, strict=True))
        expected["supported the true value and another", x, 90, own] += 1
    for c in range(k):
        pair = (c, (c + stride) % k)
        free = [s for v, s in zip(d.values, d.supports, strict=True) if v not in pair]
        if free:
            x = sum(bool(s[pair[0]] and s[pair[1]]) for s in free)
            expected["supported two other categories", x, len(free), other] += 1
    assert found(d.within_reports((stride,))) == expected


def test_pairs_at_a_distance_are_disjoint_and_all_there() -> None:
    events = np.random.default_rng(1).random(13) < 0.5
    expected: Counter[tuple[str, int, int, float]] = Counter()
    for lag in (1, 2, 3, 12, 13):
        for parity in (0, 1):
            pairs = [(i, i + lag) for i in range(13 - lag) if i // lag % 2 == parity]
            assert len({i for pair in pairs for i in pair}) == 2 * len(pairs)
            for what, value in ((0.25, True), (0.25, False)):
                x = sum(bool(events[i] == events[j] == value) for i, j in pairs)
                if pairs:
                    expected[f"x, or did not, {lag} apart,", x, len(pairs), what] += 1
    assert found(compare_pairs("x", events, 0.5, (1, 2, 3, 12, 13))) == expected


@cases("n, q", [(1000, 0.3), (1_000_000, 0.5), (1_000_000, 1e-5), (7, 0.9)])
def test_the_law_of_a_sum_is_the_binomial_one(n: int, q: float) -> None:
    for groups in (
        [(n, {1: q, 0: 1 - q})],
        [(n // 2, {1: q, 0: 1 - q}), (n - n // 2, {1: q, 0: 1 - q})],
    ):
        middle = law_of_sum(groups)
        assert middle.below == pytest.approx(binom.cdf(middle.low - 1, n, q), abs=2e-9)
        assert middle.above == pytest.approx(binom.sf(middle.high, n, q), abs=2e-9)
        assert middle.below + middle.within + middle.above == pytest.approx(1)
        assert middle.below <= 0.25
        assert middle.above <= 0.25


def test_the_law_of_a_difference() -> None:
    a, b = {1: 0.3, 0: 0.7}, {-1: 0.6, 0: 0.4}
    middle = law_of_sum([(5, a), (4, b)])
    law: Counter[int] = Counter()
    for x in range(6):
        for y in range(5):
            law[x - y] += binom.pmf(x, 5, 0.3) * binom.pmf(y, 4, 0.6)
    assert middle.below == pytest.approx(sum(w for s, w in law.items() if s < middle.low))
    assert middle.above == pytest.approx(sum(w for s, w in law.items() if s > middle.high))


def test_what_cannot_happen_is_never_quite_impossible() -> None:
    middle = law_of_sum([(1000, {1: 1.0, 0: 0.0})])
    assert (middle.low, middle.high) == (1000, 1000)
    assert middle.below == middle.above == pytest.approx(1e-9)
