"""Ranges, quantiles and histograms from shares of bins."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sudare as sd
from sudare.estimation.distribution import Distribution, monotone
from sudare.estimation.tree import BinTree
from tests.cases import cases

TRUTH = np.array([100, 400, 900, 1600, 900, 400, 300, 400])


def found(m: Any, truth: np.ndarray = TRUTH, target: Any = "population") -> Distribution:
    return m.distribution(m.simulate(truth, rng=sd.Entropy.seeded(b"distribution")), target)


MECHANISMS: list[Any] = [
    sd.HierarchicalHistogram(3.0, 0, 80, bins=8, branching=2),
    sd.HierarchicalHistogram(3.0, 0, 80, bins=8, branching=8, oracle="OUE"),
    sd.HierarchicalHistogram(3.0, 0, 80, bins=8, branching=3, oracle="GRR"),
    sd.SquareWave(3.0, 0, 80, bins=8),
]


@cases("m", MECHANISMS)
@cases("target", ["population", "respondents"])
def test_a_range_is_the_sum_of_its_bins(m: Any, target: Any) -> None:
    d = found(m, target=target)
    two = d.range(20, 40)
    assert two.value == pytest.approx(d.shares[2:4].sum())
    assert two.stderr == pytest.approx(d.estimate.linear(np.repeat([0, 1, 0, 0], 2)).stderr)
    part = d.range(25, 32.5)
    assert part.value == pytest.approx(d.shares[2] / 2 + d.shares[3] / 4)
    low, high = two.interval(0.9999)
    assert low < TRUTH[2:4].sum() / TRUTH.sum() < high
    below, above = d.cdf(40), d.range(40, 1000)
    assert below.value + above.value == pytest.approx(1)
    assert below.stderr == pytest.approx(above.stderr)


@cases("m", MECHANISMS)
def test_everything_is_certain_of_all_and_of_nobody(m: Any) -> None:
    d = found(m)
    for x, share in ((0, 0.0), (-5, 0.0), (80, 1.0), (float("inf"), 1.0)):
        q = d.cdf(x)
        assert (q.value, q.stderr) == (pytest.approx(share, abs=1e-9), pytest.approx(0, abs=1e-7))
        assert q.interval() == pytest.approx((share, share), abs=1e-6)
    assert d.range(-9, 90).value == pytest.approx(1)
    assert d.range(30, 30).value == 0
    assert d.cumulated[0] == 0
    assert d.cumulated[-1] == 1


def reached(d: Distribution, p: float) -> tuple[float, float]:
    """The first and the last of many numbers at which the nearest distribution is about p."""
    x = np.linspace(0, 80, 80_001)
    near = np.interp(x, d.edges, np.concatenate([[0], monotone(d.cumulated[1:-1]), [1]]))
    return float(x[near >= p][0]), float(x[near <= p][-1])


def within_edges(d: Distribution, p: float, half: float) -> tuple[float, float]:
    """The edges of the bins in which the nearest distribution is p - half and p + half."""
    low, high = reached(d, p - half)[0], reached(d, p + half)[1]
    return max(e for e in d.edges if e <= low + 2e-3), min(e for e in d.edges if e >= high - 2e-3)


@cases("m", MECHANISMS)
def test_the_interval_of_a_quantile_reaches_by_the_standard_error(m: Any) -> None:
    d = found(m)
    stderr = [d.cdf(edge).stderr for edge in d.edges]
    for p in (0.1, 0.3, 0.5, 0.77):
        for confidence, z in ((0.5, 0.67449), (0.95, 1.95996)):
            at = np.interp(reached(d, p)[0], d.edges, np.square(stderr)) ** 0.5
            first, last = reached(d, p - z * at)[0], reached(d, p + z * at)[1]
            some = [s for s, e in zip(stderr, d.edges, strict=True) if first <= e <= last]
            s = np.mean(np.square(some)) ** 0.5 if some else at
            first, last = within_edges(d, p, z * s)
            places = [d.edges.tolist().index(end) for end in (first, last)]
            near = np.append(0, np.append(monotone(d.cumulated[1:-1]), 1))
            m = (near[places[1]] - near[places[0]]) / (places[1] - places[0])
            some = np.linspace(0, z, 20_001)
            misses = [NormalDist().cdf(-x) + NormalDist().cdf(-x - m / s) for x in some]
            low = np.searchsorted(-np.array(misses), confidence - 1)
            first, last = within_edges(d, p, some[min(low, 20_000)] * s)
            q = d.quantile(p, confidence)
            assert first - 10 <= q.low <= min(first, q.value)  # an edge of a bin
            assert max(last, q.value) <= q.high <= last + 10
            assert {q.low, q.high} <= {*d.edges, q.value}
            assert q.low <= q.value <= q.high


def test_a_heap_is_held_wherever_in_its_bin_it_lies() -> None:
    m = sd.HierarchicalHistogram(6.0, 0, 80, bins=8, branching=2)
    q = m.distribution(m.simulate([100, 100, 100, 5000, 100, 100, 100, 100])).median
    assert (q.low, q.high) == (30, 40)


def test_far_out_an_interval_is_as_wide_as_the_error_there() -> None:
    m = sd.HierarchicalHistogram(1.5, 0, 80, bins=64)
    d = m.distribution(m.simulate([8] * 64, rng=sd.Entropy.seeded(b"tail")))
    for p in (0.001, 0.02, 0.99):
        assert d.quantile(p).high - d.quantile(p).low >= 80 / 64


def test_the_value_of_a_quantile_is_where_the_shown_distribution_reaches_it() -> None:
    d = found(MECHANISMS[0])
    shown = np.concatenate([[0], np.cumsum(d.histogram().shares)])
    for p in np.linspace(0.01, 0.99, 37):
        assert np.interp(d.quantile(float(p)).value, d.edges, shown) == pytest.approx(p)
    assert d.median == d.deciles[4]
    assert [one.p for one in d.deciles] == pytest.approx(np.arange(1, 10) / 10)


@cases("m", MECHANISMS)
@cases("bars", [None, 1, 3, 8])
def test_a_histogram_has_its_intervals_beside_it(m: Any, bars: int | None) -> None:
    d = found(m)
    h = d.histogram(0.9, bars)
    assert h.edges.size - 1 == h.shares.size == (bars or 8)
    assert h.shares.min() >= 0
    assert h.shares.sum() == pytest.approx(1)
    assert h.raw.sum() == pytest.approx(1)
    for low, high, first, last, raw in zip(
        h.low, h.high, h.edges[:-1], h.edges[1:], h.raw, strict=True
    ):
        own = d.range(first, last)
        assert own.value == pytest.approx(raw)
        assert own.interval(0.9) == pytest.approx((low, high), abs=1e-9)


def test_data_for_a_page() -> None:
    d = found(MECHANISMS[0], target="respondents")
    data = d.to_json(0.9, bars=4)
    assert data["n"] == TRUTH.sum()
    assert data["target"] == "respondents"
    assert data["median"] == d.quantile(0.5, 0.9).to_json() == data["deciles"][4]
    assert len(data["histogram"]["low"]) == 4


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=30))
def test_the_nearest_rising_numbers(values: list[float]) -> None:
    raw = np.array(values)
    out = monotone(raw)
    assert (np.diff(out) >= 0).all()
    assert out.min() >= 0
    assert out.max() <= 1
    dice = np.random.default_rng(7)
    for _ in range(20):  # no other is nearer, and each is nearer to it than to the raw ones
        other = np.sort(dice.random(raw.size))
        assert ((raw - out) ** 2).sum() <= ((raw - other) ** 2).sum() + 1e-9
        assert ((other - out) ** 2).sum() <= ((other - raw) ** 2).sum() + 1e-9


@cases("bins, branching", [(8, 2), (10, 3), (9, 2), (7, 7), (5, 20)])
def test_a_tree_is_the_weighted_least_squares_solution(bins: int, branching: int) -> None:
    tree, dice = BinTree(bins, branching), np.random.default_rng(3)
    every = tree.nodes(np.arange(bins))
    ups = [
        (every[:, level] == np.arange(size)[:, None]).astype(float)
        for level, size in enumerate(tree.sizes)
    ]
    precisions, levels = dice.random(len(ups)) + 0.1, [dice.random(size) for size in tree.sizes]
    normal = sum(p * up.T @ up for p, up in zip(precisions, ups, strict=True))
    right = sum(p * up.T @ y for p, up, y in zip(precisions, ups, levels, strict=True))
    ones = np.ones((bins, 1))
    system = np.block([[normal, ones], [ones.T, np.zeros((1, 1))]])
    x = np.linalg.solve(system, np.append(right, 1.0))[:bins]
    assert tree.nearest(levels, precisions.tolist(), 1.0) == pytest.approx(x)
    for up, sums in zip(ups, tree.sums(x), strict=True):
        assert up @ x == pytest.approx(sums)


def test_bad_input_is_refused() -> None:
    d = found(MECHANISMS[0])
    for low, high in ((3, 2), (float("nan"), 2), (0, "2"), (None, 2)):
        with pytest.raises(sd.SudareError):
            d.range(low, high)
    for p in (0, 1, -0.1, 1.1, float("nan"), "0.5", None):
        with pytest.raises(sd.SudareError, match="p "):
            d.quantile(p)
    for confidence in (0, 1, "0.9"):
        with pytest.raises(sd.SudareError, match="confidence"):
            d.quantile(0.5, confidence)
    for edges in ([0, 99], [-1, 3], [], [3], [3, 3], [0, 5, 2]):
        with pytest.raises(sd.DomainError, match="edges"):
            d.between(edges)
    for edges in ([0.5, 3], ["a", 3], [None, 1], "03", 5, None):
        with pytest.raises(sd.WrongTypeError, match="edges"):
            d.between(edges)
    for bars in (0, 9, 1.5):
        with pytest.raises(sd.SudareError, match="bars"):
            d.histogram(bars=bars)
    with pytest.raises(sd.DomainError, match="edges"):
        Distribution(np.arange(8.0), d.estimate)
    with pytest.raises(sd.DomainError, match="edges"):
        Distribution(np.zeros(9), d.estimate)


def test_shares_without_errors_have_no_intervals() -> None:
    m = sd.SquareWave(3.0, 0, 80, bins=8)
    est = m.estimate(m.simulate(TRUTH, rng=sd.Entropy.seeded(b"em")))
    d = Distribution(m.edges, est, est.shares)
    with pytest.raises(sd.EstimationError, match="bootstrap"):
        d.quantile(0.5)
    with pytest.raises(sd.EstimationError, match="bootstrap"):
        d.histogram()
