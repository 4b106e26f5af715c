"""One level of a tree of bins a person: consistent shares, their errors, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from tests.cases import cases

LAW = np.array([1.0, 4, 9, 16, 9, 4, 3, 4, 1, 1])
LAW /= LAW.sum()


def drawn(m: sd.HierarchicalHistogram, n: int = 6000, label: bytes = b"tree") -> sd.Counts:
    rng = sd.Entropy.seeded(label)
    return m.simulate(rng.generator().multinomial(n, LAW), rng=rng)


def test_numbers_fall_into_the_nodes_of_each_level() -> None:
    m = sd.HierarchicalHistogram(1.0, 10, 20, bins=10, branching=3)
    assert m.tree.sizes == (2, 4, 10)
    assert [part.k for part in m.parts] == [2, 4, 10]
    assert m._values([10, 13.5, 20]).tolist() == [[0, 0, 0], [0, 1, 3], [1, 3, 9]]
    assert m._value(13.5) == [0, 1, 3]
    assert m.edges.tolist() == list(range(10, 21))
    assert m.centres[0] == 10.5


@cases(
    "low, high, bins",
    [(0, 100, 100), (0, 1, 100), (1, 10, 90), (18, 100, 82), (-0.1, 0.7, 8), (0.1, 0.3, 10)],
)
def test_a_number_on_an_edge_belongs_to_the_upper_bin(low: float, high: float, bins: int) -> None:
    """As it is written: 29 of 100 bins from 0 to 100, of which a floor of parts makes 28."""
    for m in (sd.HierarchicalHistogram(1.0, low, high, bins), sd.SquareWave(1.0, low, high, bins)):
        written = [float(f"{low + i * (high - low) / bins:.12g}") for i in range(bins)]
        each = list(range(bins))
        assert m.bins_of(written).tolist() == each == [m.bin_of(one) for one in written]
        below = np.nextafter(m.edges[1:], -np.inf)
        assert m.bins_of(below).tolist() == each == [m.bin_of(one) for one in below.tolist()]
        assert (m.edges[0], m.edges[-1]) == (low, high)


def test_as_many_branches_as_bins_is_the_oracle_that_adds_up_to_one() -> None:
    for branching in (10, 50):
        m = sd.HierarchicalHistogram(1.0, bins=10, branching=branching, oracle="OUE")
        counts = drawn(m)
        assert counts.support[0] == counts.n
        flat = sd.OUE(10, 1.0).estimate(sd.Counts(counts.support[1:], counts.n)).shares
        shares = m.estimate(counts).shares
        assert shares == pytest.approx(flat + (1 - flat.sum()) / 10)
    ss = sd.HierarchicalHistogram(1.0, bins=10, branching=10)
    assert ss.expected_mse(900) == pytest.approx(sd.SubsetSelection(10, 1.0).expected_mse(900))


@cases("target", ["population", "respondents"])
@cases("oracle", ["SubsetSelection", "GRR", "OUE"])
def test_errors_are_those_of_the_groups(oracle: str, target: Any) -> None:
    """The variance of sums from the whole covariance of each level's shares."""
    m = sd.HierarchicalHistogram(1.5, bins=10, branching=3, oracle=oracle)
    estimate = m.estimate(drawn(m), target=target)
    law: Any = estimate._law
    x = np.clip(estimate.shares, 0, None)
    x /= x.sum()
    covariance = np.zeros((10, 10))
    for level, part in enumerate(m.parts):
        group = law.levels[level]
        y = m.tree.sums(x)[level]
        own = part.law.covariance(y).dense() + np.diag(y) - np.outer(y, y)
        weights = np.stack([u for i, _, u, _ in law.told(np.eye(10)) if i == level])[0]
        covariance += weights @ own @ weights.T / group.n
    if target == "respondents":
        covariance -= (np.diag(x) - np.outer(x, x)) / law.people
    assert estimate.stderr**2 == pytest.approx(np.diag(covariance))
    w = np.arange(10.0) ** 2
    assert estimate.linear(w).stderr ** 2 == pytest.approx(w @ covariance @ w)


def test_expected_errors_are_the_mean_of_those_at_each_size_of_the_groups() -> None:
    m, n = sd.HierarchicalHistogram(1.0, bins=4, branching=2), 5
    ours = m.expected_mse(n)
    per_level = [m.expected_mse(10**9) * 10**9 / 2]
    assert ours > m.expected_mse(n, target="respondents") > 0
    assert ours == pytest.approx(per_level[0] * (1 + 0) * _mean_reciprocal(n), rel=1e-6)


def _mean_reciprocal(n: int) -> float:
    from math import comb

    chances = [comb(n, i) / 2**n for i in range(1, n + 1)]
    return sum(c / i for i, c in enumerate(chances, 1)) / sum(chances)


def test_levels_that_nobody_reported() -> None:
    m = sd.HierarchicalHistogram(2.0, bins=8, branching=2)
    parts = m.split(drawn8(m).support.copy())
    parts[0][:] = 0
    top = np.concatenate(parts)
    n = sum(int(part[0]) for part in parts)
    assert m.estimate(sd.Counts(top, n)).shares.sum() == pytest.approx(1)
    parts[2][:] = 0
    with pytest.raises(sd.EstimationError, match="bins"):
        m.estimate(sd.Counts(np.concatenate(parts), int(parts[1][0])))
    for wrong in (top + 1, -top):
        with pytest.raises(sd.SudareError):
            m.estimate(sd.Counts(wrong, n))


def drawn8(m: Any) -> sd.Counts:
    return m.simulate(np.full(8, 500), rng=sd.Entropy.seeded(b"eight"))


def test_reports_are_those_of_the_wire() -> None:
    m = sd.HierarchicalHistogram(2.0, 0, 1, bins=10, branching=3)
    reports = m.perturb(np.linspace(0, 1, 50), rng=sd.Entropy.seeded(b"wire"))
    assert reports.shape == (50, m.report_bytes)
    for report in reports:
        m.program.check_wire(report.tobytes())
    for bad in (reports[:, 1:], reports.astype(np.int64), reports[0]):
        with pytest.raises(sd.SudareError):
            m.aggregate(bad)


def test_the_planned_error_is_that_of_the_laws() -> None:
    for m in (
        sd.HierarchicalHistogram(1.0, bins=9, branching=3),
        sd.SquareWave(2.0, bins=9),
    ):
        for target in ("population", "respondents"):
            even = m.simulate(np.full(9, 10**6), rng=sd.Entropy.seeded(b"even"))
            law: Any = m.estimate(even, "unbiased", target)._law
            law = law.at(np.full(9, 1 / 9))
            own = [law.variance((np.arange(9) < edge).astype(float)) for edge in range(1, 9)]
            assert m.expected_cdf_mse(even.n, target) == pytest.approx(np.mean(own), rel=2e-3)


# -- bins that are not equal ---------------------------------------------------------------------

EDGES = (0.0, 10.0, 20.0, 50.0, 100.0, 1000.0)


def test_numbers_fall_between_stated_edges() -> None:
    m = sd.HierarchicalHistogram.over(EDGES, 1.0, branching=3)
    assert (m.low, m.high, m.bins) == (0.0, 1000.0, 5)
    numbers = [0, 9.999, 10, 19.9, 20, 99, 100, 999, 1000]
    bins = [0, 0, 1, 1, 2, 3, 4, 4, 4]
    assert m.bins_of(numbers).tolist() == bins == [m.bin_of(one) for one in numbers]
    assert m._value(60.0) == [1, 3]
    assert m.edges.tolist() == list(EDGES)
    assert m.centres.tolist() == [5, 15, 35, 75, 550]
    assert m.widest == 900
    for outside in (-0.001, 1000.5, float("nan"), float("inf")):
        with pytest.raises(sd.SudareError):
            m.bins_of([outside])
        with pytest.raises(sd.SudareError):
            m.bin_of(outside)


def test_edges_change_where_bins_lie_and_nothing_else() -> None:
    """Law, counts, shares and planned errors are those of as many equal bins."""
    m = sd.HierarchicalHistogram.over(EDGES, 1.0, branching=3)
    equal = sd.HierarchicalHistogram(1.0, 0, 1000, bins=5, branching=3)
    assert m != equal
    assert m.program == equal.program
    truth, rng = [500, 300, 200, 100, 50], sd.Entropy.seeded
    counts, others = (one.simulate(truth, rng=rng(b"edges")) for one in (m, equal))
    assert counts.support.tolist() == others.support.tolist()
    assert m.estimate(counts).shares.tolist() == equal.estimate(others).shares.tolist()
    assert m.expected_cdf_mse(900) == equal.expected_cdf_mse(900)
    with pytest.raises(sd.EstimationError, match="this mechanism"):
        m.estimate(others)
    drawn = np.repeat([5.0, 15.0, 30.0, 60.0, 500.0], truth)
    found = m.distribution(m.aggregate(m.perturb(drawn, rng=rng(b"drawn"))))
    assert found.edges.tolist() == list(EDGES)
    shown = found.histogram()
    assert (shown.density * np.diff(EDGES)).tolist() == pytest.approx(shown.shares.tolist())


def test_edges_are_part_of_what_is_written() -> None:
    m = sd.HierarchicalHistogram.over(list(EDGES), 1.0)
    data = m.to_json()
    assert data["edges"] == ["0.0", "10.0", "20.0", "50.0", "100.0", "1000.0"]
    assert sd.HierarchicalHistogram.from_json(data) == m
    assert "edges" not in sd.HierarchicalHistogram(1.0).to_json()
    assert "edges" not in repr(sd.HierarchicalHistogram(1.0))
    for wrong in (
        "0.0",
        [],
        ["0.0", "1"],
        [0.0] * 6,
        data["edges"][:-1],
        None,
        data["edges"][::-1],
    ):
        if wrong is not None:
            with pytest.raises(sd.SudareError):
                sd.HierarchicalHistogram.from_json({**data, "edges": wrong})


@cases(
    "edges", [(), (1,), (0, 1), (0, 1, 1), (0, 2, 1), (0, float("nan"), 1), "0123", 7, (0, "1", 2)]
)
def test_what_are_no_edges_is_refused(edges: Any) -> None:
    with pytest.raises(sd.SudareError):
        sd.HierarchicalHistogram.over(edges, 1.0)
