"""Cramér's V of two randomised attributes: its bias, its variance, its interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.estimation.dependence import Dependence, cramers_v
from tests.cases import cases

TABLE = np.array([[900, 150, 250], [200, 700, 300], [300, 250, 500], [100, 150, 900]])
RR = sd.JointRR([4, 3], gamma=[6, 9])


def phi_squared(x: np.ndarray) -> float:
    x = x / x.sum()
    expected = np.outer(x.sum(axis=1), x.sum(axis=0))
    return float(((x - expected) ** 2 / expected).sum())


def dense(mechanism: sd.JointRR) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.linalg.inv(part.channel.dense()) for part in mechanism.parts)


def rescaled(mechanism: sd.JointRR, shares: np.ndarray, n: int = 10**9) -> np.ndarray:
    """Counts of n reports at exactly the shares they are expected to have."""
    return np.rint(mechanism.channel.apply(shares / shares.sum()) * n).astype(np.int64)


def test_many_reports_tell_the_textbook_value() -> None:
    found = cramers_v(RR.channel, rescaled(RR, TABLE))
    assert found.value == pytest.approx(math.sqrt(phi_squared(TABLE) / 2), abs=1e-6)
    assert (found.most, found.left_out) == (2, ((), ()))
    low, high = found.interval(0.99)
    assert 0 < found.value - low < 1e-3
    assert 0 < high - found.value < 1e-3


def test_independence_is_zero_and_its_correction_that_of_bergsma() -> None:
    n = 6 * 10**6
    loud = sd.JointRR([3, 4], epsilon=[20, 20])  # as good as no noise
    table = np.outer([1, 2, 3], [1, 3, 3, 3]) * (n // 60)
    found = cramers_v(loud.channel, table)
    assert found.square == pytest.approx(-(3 - 1) * (4 - 1) / n, rel=1e-4)
    assert found.flat == pytest.approx(2 * (3 - 1) * (4 - 1) / n**2, rel=1e-4)
    assert found.value == found.interval()[0] == 0
    one = sd.JointRR([3, 3], epsilon=[20, 20])
    full = cramers_v(one.channel, np.diag([300, 500, 200]))
    assert full.value == pytest.approx(1, abs=2e-3)
    assert full.interval()[1] == 1


def test_the_excess_is_the_variance_of_the_differences() -> None:
    reports = rescaled(RR, TABLE, 4700)
    n = int(reports.sum())
    first, second = dense(RR)
    y = reports / n
    x = first @ y @ second.T
    r, c = x.sum(axis=1), x.sum(axis=0)
    excess = {"population": 0.0, "respondents": 0.0}
    for i in range(4):
        for j in range(3):
            told = np.outer(first[i] - r[i], second[j] - c[j])
            held = np.outer(np.eye(4)[i] - r[i], np.eye(3)[j] - c[j])
            mean = (told * y).sum()
            assert mean == pytest.approx(x[i, j] - r[i] * c[j], abs=1e-12)
            noise = (told**2 * y).sum() / (r[i] * c[j])
            excess["population"] += noise - mean**2 / (r[i] * c[j])
            excess["respondents"] += noise - (held**2 * x).sum() / (r[i] * c[j])
    assert x.min() > 0.01
    for target, bias in excess.items():
        found = cramers_v(RR.channel, reports, target)
        assert found.square == pytest.approx(phi_squared(x) - bias / n, abs=1e-12)


def test_the_variance_is_the_delta_methods() -> None:
    reports = rescaled(RR, TABLE, 4700)
    n = int(reports.sum())
    first, second = dense(RR)
    y = reports / n
    x = first @ y @ second.T

    def slopes(at: np.ndarray, f: Any) -> np.ndarray:
        out = np.empty_like(at)
        for place in np.ndindex(at.shape):
            step = np.zeros_like(at)
            step[place] = 1e-6
            out[place] = (f(at + step) - f(at - step)) / 2e-6
        return out

    by_report = slopes(y, lambda z: phi_squared(first @ z @ second.T))
    by_share = slopes(x, phi_squared)
    noise = (by_report**2 * y).sum()
    expected = {"population": noise, "respondents": noise - (by_share**2 * x).sum()}
    for target, variance in expected.items():
        found = cramers_v(RR.channel, reports, target)
        assert found.steep * phi_squared(x) * n == pytest.approx(variance, rel=1e-6)


def test_what_remains_under_independence() -> None:
    shares = np.outer([0.4, 0.3, 0.2, 0.1], [0.5, 0.3, 0.2])
    n = 10**9
    counts = rescaled(RR, shares, n)
    inverses = dense(RR)
    kinds = []
    for inverse, margin in zip(inverses, (shares.sum(axis=1), shares.sum(axis=0)), strict=True):
        told = (inverse - margin[:, None]) / np.sqrt(margin)[:, None]
        held = (np.eye(len(margin)) - margin[:, None]) / np.sqrt(margin)[:, None]
        kinds.append(
            ((told * (np.linalg.inv(inverse) @ margin)) @ told.T, (held * margin) @ held.T)
        )
    told, held = (np.kron(a, b) for a, b in zip(*kinds, strict=True))
    for target, spread in (("population", told), ("respondents", told - held)):
        found = cramers_v(RR.channel, counts, target)
        assert found.flat * n**2 == pytest.approx(2 * np.trace(spread @ spread), rel=1e-4)


def test_rare_categories_are_left_out() -> None:
    table = np.zeros((5, 4), dtype=np.int64)
    table[:4, :3] = TABLE
    wide = sd.JointRR([5, 4], gamma=[6, 9])
    found = cramers_v(wide.channel, rescaled(wide, table, 4700))
    assert found.left_out == ((4,), (3,))
    assert found.most == 2
    many = cramers_v(wide.channel, rescaled(wide, table, 10**9))
    assert many.value == pytest.approx(math.sqrt(phi_squared(TABLE) / 2), abs=1e-3)
    empty = cramers_v(RR.channel, np.eye(4, 3, dtype=np.int64))
    assert math.isnan(empty.value)
    assert all(math.isnan(end) for end in empty.interval())


def test_the_interval_holds_its_own_ends() -> None:
    found = Dependence(0.3, 0.01, 0.0004, 2, ((), ()))
    z = 1.959963984540054
    for end in found.interval(0.95):
        square = 2 * end**2
        assert abs(0.3 - square) == pytest.approx(z * math.sqrt(0.01 * square + 0.0004), rel=1e-9)
    wider = found.interval(0.999)
    assert wider[0] < found.interval(0.95)[0] < found.value < found.interval(0.95)[1] < wider[1]
    assert found.interval(1 - 1e-16)[1] <= 1


@cases(
    "support, target, error",
    [
        (TABLE[0], "population", sd.EstimationError),
        (TABLE.T, "population", sd.EstimationError),
        (TABLE / 2, "population", sd.EstimationError),
        (TABLE * 0, "population", sd.EstimationError),
        (np.eye(4, 3, dtype=int)[:, ::-1] * [[1], [0], [0], [0]], "population", sd.EstimationError),
        (np.zeros((0, 3), dtype=int), "population", sd.EstimationError),
        (None, "population", sd.EstimationError),
        (TABLE > 200, "population", sd.EstimationError),
        (TABLE, "everybody", sd.DomainError),
        (TABLE, None, sd.SudareError),
    ],
)
def test_bad_input(support: Any, target: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        cramers_v(RR.channel, support, target)


def test_by_the_mechanism() -> None:
    j = sd.JointRR([2, 3, 4], gamma=9)
    counts = j.simulate(np.arange(24).reshape(2, 3, 4) * 100, rng=sd.Entropy.seeded(b"v"))
    found = j.dependence(counts, (0, 2))
    sub = j.subset((0, 2))
    assert found.square == cramers_v(sub.channel, j.marginal(counts, (0, 2)).support).square
    for axes in ((0,), (0, 1, 2), (0, 0), (0, 3), None, "01", (0.0, 1.0)):
        with pytest.raises(sd.SudareError):
            j.dependence(counts, axes)
    for wrong in (None, sd.Counts([[1]], 1)):
        with pytest.raises(sd.SudareError):
            j.dependence(wrong)
    for confidence in (0, 1, math.nan, None, "0.9", True):
        with pytest.raises(sd.SudareError):
            found.interval(confidence)


def test_it_shows_v_and_its_interval() -> None:
    found = RR.dependence(sd.Counts(np.diag([900, 500, 700, 1])[:, :3] + 100, 3300))
    low, high = found.interval()
    assert f"V={found.value:.3g}, 95 % interval {low:.3g} to {high:.3g}" in repr(found)
    assert "square" not in repr(found)
    assert ("left_out" in repr(found)) == any(found.left_out)
    assert "unknown" in repr(RR.dependence(sd.Counts(np.eye(4, 3, dtype=int), 3)))
