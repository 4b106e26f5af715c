"""The methods other than the unbiased one: what they solve, and what they do not promise."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.estimation.likelihood import single_support_mle
from tests.cases import cases

COUNTS = st.lists(st.integers(0, 60), min_size=2, max_size=8).filter(any)
EPSILONS = st.sampled_from([0.1, 0.5, 1.0, 2.0, 5.0, 10.0])


def log_likelihood(counts: np.ndarray, shares: np.ndarray, p: float, q: float) -> float:
    y = q + (p - q) * shares
    held = counts > 0
    with np.errstate(divide="ignore"):
        return float((counts[held] * np.log(y[held])).sum())


def long_em(counts: np.ndarray, p: float, q: float, steps: int = 20_000) -> np.ndarray:
    x = np.full(counts.size, 1 / counts.size)
    law = np.where(np.eye(counts.size), p, q)
    for _ in range(steps):
        after = x * (law.T @ (counts / (law @ x))) / counts.sum()
        if np.abs(after - x).max() < 1e-15:
            break
        x = after
    return x


@settings(deadline=None, max_examples=40)
@given(COUNTS, EPSILONS)
def test_the_likelihood_of_grr_is_that_of_a_long_em(line: list[int], epsilon: float) -> None:
    m, counts = sd.GRR(len(line), epsilon), np.array(line)
    n = int(counts.sum())
    p, q = (float(x) for x in m.support_probabilities)
    shares = m.estimate(sd.Counts(counts, n), method="mle").shares
    assert shares.min() >= 0
    assert abs(shares.sum() - 1) < 1e-12
    best = log_likelihood(counts, shares, p, q) / n
    reached = log_likelihood(counts, long_em(counts, p, q), p, q) / n
    assert best >= reached - 1e-12
    assert best - reached <= 1e-9 or reached_slowly(counts, shares, p, q)


def reached_slowly(counts: np.ndarray, shares: np.ndarray, p: float, q: float) -> bool:
    """EM creeps where a share is just 0: whether the point is the maximum is then proved."""
    return gap_to_the_maximum(counts, shares, p, q) < 1e-9


def gap_to_the_maximum(counts: np.ndarray, shares: np.ndarray, p: float, q: float) -> float:
    """An upper bound, by concavity: the steepest ascent towards a corner of the simplex."""
    y = q + (p - q) * shares
    slope = np.divide(counts * (p - q), y, out=np.zeros(len(y)), where=counts > 0)
    return float(slope.max() - slope @ shares) / counts.sum()


@settings(deadline=None)
@given(COUNTS, EPSILONS, st.booleans())
def test_no_direction_improves_the_likelihood(line: list[int], epsilon: float, turn: bool) -> None:
    """p > q as in GRR, and p < q, a report that names what the value is not."""
    counts, k = np.array(line), len(line)
    p, q = (float(x) for x in sd.GRR(k, epsilon).support_probabilities)
    if turn:
        p, q = 0.5 * q, (1 - 0.5 * q) / (k - 1)
    shares = single_support_mle(counts, p, q)
    assert shares.min() >= 0
    assert abs(shares.sum() - 1) < 1e-12
    assert gap_to_the_maximum(counts, shares, p, q) < 1e-9 * max(1, (p - q) / min(p, q))


@cases(
    "counts, expected",
    [
        ([0, 0, 10], [0.5, 0.5, 0]),
        ([5, 0, 5], [0, 1, 0]),
        ([4, 4, 4], [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_a_report_that_never_names_the_value(counts: list[int], expected: list[float]) -> None:
    assert single_support_mle(np.array(counts), 0.0, 0.5) == pytest.approx(expected, abs=1e-12)


def test_inside_the_simplex_all_agree() -> None:
    m, counts = sd.GRR(4, 2.0), sd.Counts((400, 300, 200, 100), 1000)
    raw = m.estimate(counts).shares
    for method in ("mle", "projected"):
        assert m.estimate(counts, method).shares == pytest.approx(raw, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.integers(0, 50), min_size=3, max_size=9), st.sampled_from([0.5, 2.0]))
def test_projection_and_clipping_sum_to_1_in_order(line: list[int], epsilon: float) -> None:
    m, n = sd.OUE(len(line), epsilon), 50
    for method in ("projected", "clipped"):
        est = m.estimate(sd.Counts(line, n), method)
        assert est.method == method
        assert abs(est.shares.sum() - 1) < 1e-12
        assert est.shares.min() >= 0
        assert (np.diff(est.shares[np.argsort(line)]) >= -1e-15).all()


@cases("mechanism", [sd.OUE, sd.SUE, sd.DyadicUnary])
def test_column_sums_are_not_enough_for_a_likelihood(mechanism: type[sd.OUE]) -> None:
    with pytest.raises(sd.EstimationError, match="not sufficient"):
        mechanism(3, 1.0).estimate(sd.Counts((5, 5, 5), 12), method="mle")
    # ε = ln 3: p + 2 q = 1, and yet a report supports any number of categories
    with pytest.raises(sd.EstimationError, match="not sufficient"):
        mechanism(3, 1.0986122886681098).estimate(sd.Counts((5, 5, 5), 15), method="mle")


@cases("method", ["projected", "clipped", "mle"])
def test_unknown_errors_are_unknown(method: str) -> None:
    m, counts = sd.GRR(3, 1.0), sd.Counts((60, 30, 10), 100)
    est = m.estimate(counts, method)
    assert np.isnan(est.stderr).all()
    (caution,) = [one for one in est.warnings if one.code == "no-stderr"]
    assert "sudare.bootstrap" in caution
    assert caution in repr(est)
    for kind in ("auto", "normal", "score"):
        with pytest.raises(sd.EstimationError, match=r"sudare\.bootstrap"):
            est.interval(kind=kind)
    for quantity in (est.difference(0, 1), est.linear([1, 0, 0]), est.mean([1, 2, 3])):
        assert np.isfinite(quantity.value)
        assert np.isnan(quantity.stderr)
        with pytest.raises(sd.EstimationError, match=r"sudare\.bootstrap"):
            quantity.interval()
    with pytest.raises(sd.EstimationError, match=r"sudare\.bootstrap"):
        (est - est).interval(simultaneous=True)
    assert est.to_frame()[["stderr", "low", "high"]].isna().all(axis=None)


def test_rare_categories_are_named() -> None:
    m = sd.GRR(4, 2.0)
    est = m.estimate(sd.Counts((100, 29, 30, 1), 160))
    (caution,) = est.warnings
    assert caution == "2 of 4 categories have an expected report count below 30: 1, 3"
    assert (caution.code, caution.cells) == ("few-reports", (1, 3))
    assert str(caution) in repr(est)
    assert pickle.loads(pickle.dumps(caution)).cells == (1, 3)
    assert m.estimate(sd.Counts((100, 40, 30, 30), 200)).warnings == ()
    # no report at all: expected are those that the noise makes
    assert m.estimate(sd.Counts((500, 0, 500, 0), 1000)).warnings == ()
    (long,) = sd.GRR(50, 2.0).estimate(sd.Counts([1] * 50, 50)).warnings
    assert long.endswith(": 0, 1, 2, 3, 4, 5, 6, 7, ...")


def test_the_list_of_methods_is_told() -> None:
    with pytest.raises(sd.DomainError, match="'unbiased', 'projected', 'clipped', 'mle'"):
        sd.GRR(3, 1.0).estimate(sd.Counts((1, 1, 1), 3), method="em")
