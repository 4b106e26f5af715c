"""One level of a tree of bins a person: consistent shares, their errors, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd

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


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("oracle", ["SubsetSelection", "GRR", "OUE"])
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
