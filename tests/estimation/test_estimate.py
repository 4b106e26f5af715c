from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import sudare as sd
from tests.cases import cases

Covariance = Callable[[sd.GRR, np.ndarray, str], np.ndarray]


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_errors_and_covariances_follow_from_the_law(
    counting_class: type[sd.GRR], target: str, exact_covariance: Covariance
) -> None:
    m = counting_class(4, 1.3)
    shares = np.array([0.5, 0.3, 0.2, 0.0])
    n = 10**12
    p, q = (float(x) for x in m.support_probabilities)
    support = np.round(n * (q + (p - q) * shares)).astype(np.int64)
    support[0] += n - support.sum() if isinstance(m, sd.GRR) else 0
    est = m.estimate(sd.Counts(support, n), target=target)
    expected = exact_covariance(m, shares, target)
    np.testing.assert_allclose(n * est.stderr**2, np.diag(expected), rtol=1e-5, atol=1e-9)
    for i in range(4):
        for j in range(4):
            variance = expected[i, i] + expected[j, j] - 2 * expected[i, j]
            got = n * est.difference(i, j).stderr ** 2
            assert got == pytest.approx(variance if i != j else 0, rel=1e-4, abs=1e-9)


def test_counts_shares_and_what_they_cost() -> None:
    m = sd.GRR(3, 2.0)
    est = m.estimate(sd.Counts((3, 2, 5), 10))
    np.testing.assert_allclose(est.counts, 10 * est.shares)
    assert est.shares.sum() == pytest.approx(1)
    assert (est.epsilon, est.covers, est.n) == (m.epsilon, "one answer", 10)
    assert (est.method, est.target) == ("unbiased", "population")


def test_intervals_nest() -> None:
    est = sd.OUE(5, 1.0).estimate(sd.Counts((30, 40, 50, 20, 10), 100))
    (l1, h1), (l2, h2), (l3, h3) = (
        est.interval(0.5, kind="normal"),
        est.interval(0.95, kind="normal"),
        est.interval(0.95, simultaneous=True, kind="normal"),
    )
    assert (l3 < l2).all()
    assert (l2 < l1).all()
    assert (h1 < h2).all()
    assert (h2 < h3).all()
    np.testing.assert_allclose(h2 - est.shares, 1.959964 * est.stderr, rtol=1e-6)


def test_simultaneous_intervals_share_the_error_among_the_cells() -> None:
    est = sd.OUE(5, 1.0).estimate(sd.Counts((30, 40, 50, 20, 10), 100))
    low, _ = est.interval(0.95, simultaneous=True, kind="normal")
    np.testing.assert_allclose((est.shares - low) / est.stderr, 2.5758293, rtol=1e-6)  # 0.01 / 2


def test_stderr_is_that_of_a_possible_share() -> None:
    """Raw shares may leave [0, 1]; the variance is then taken at the nearest possible share."""
    m = sd.GRR(3, 2.0)
    for target in ("population", "respondents"):
        est = m.estimate(sd.Counts((0, 0, 50), 50), target=target)
        assert est.shares.min() < 0
        assert est.shares.max() > 1
        expected = m.variance(np.array([0.0, 0.0, 1.0]), 50, target)
        np.testing.assert_allclose(est.stderr**2, expected, rtol=1e-12)


@cases("confidence", [np.float32(0.95), Fraction(19, 20), np.float64(0.95)])
def test_any_real_number_is_a_confidence(confidence: float) -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10))
    np.testing.assert_allclose(est.interval(confidence), est.interval(0.95), rtol=1e-6)


def test_intervals_stay_finite_up_to_the_last_confidence_below_1() -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10))
    low, high = est.interval(0.9999999999999999, simultaneous=True)
    assert np.isfinite([low, high]).all()


@cases(
    "confidence", [0, 1, -0.5, 95, float("nan"), "0.95", None, True, 10**400, Fraction(10**400, 3)]
)
def test_confidence_is_checked(confidence: object) -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10))
    with pytest.raises(sd.SudareError, match="confidence must"):
        est.interval(confidence)


@cases("index", [-1, 3, 1.0, "0", None, True])
def test_difference_takes_categories(index: object) -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10))
    with pytest.raises(sd.SudareError, match="j must be"):
        est.difference(0, index)


@cases("library", ["pandas", "polars", "pyarrow"])
def test_frames(library: str) -> None:
    frame = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10)).to_frame(library)
    names = list(getattr(frame, "column_names", None) or frame.columns)
    assert names == ["category", "share", "count", "stderr", "low", "high"]
    assert len(frame) == 3


TABLE = sd.JointRR([2, 3], epsilon=[3.0, 3.0]).estimate(
    sd.Counts([[40, 10, 5], [60, 100, 20]], 235)
)


@cases("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_a_table_have_a_column_for_each_attribute(library: str) -> None:
    frame = TABLE.to_frame(library)

    def cells(name: str) -> list[float]:
        return np.asarray(frame[name], dtype=np.float64).tolist()

    rows = {name: cells(name) for name in ("category", "share")}
    first, second = (list(map(int, cells(f"attribute_{i}"))) for i in (0, 1))
    assert rows["category"] == list(range(6))
    shares = [TABLE.shares[i, j] for i, j in zip(first, second, strict=True)]
    assert rows["share"] == shares
    assert (first, second) == ([0, 0, 0, 1, 1, 1], [0, 1, 2] * 2)


def test_cells_of_a_table_are_named_by_their_categories() -> None:
    (warning,) = TABLE.warnings
    assert warning.startswith("3 of 6 cells")
    assert warning.endswith(": (0, 1), (0, 2), (1, 2)")
    assert warning.cells == (1, 2, 5)
    found = TABLE.difference((1, 1), [0, 2])
    assert found.stderr == TABLE.difference(4, 2).stderr
    assert found.value == pytest.approx(TABLE.shares[1, 1] - TABLE.shares[0, 2])


@cases("cell", [(0,), (0, 3), (2, 0), (0, 1, 0), (0, -1), (0, True), (), "01",
                                  (0, None), 6, (0, 1.0)])  # fmt: skip
def test_a_cell_of_another_table_is_refused(cell: object) -> None:
    for places, name in ((((0, 0), cell), "j"), ((cell, (0, 0)), "i")):
        with pytest.raises(sd.SudareError) as caught:
            TABLE.difference(*places)
        assert caught.value.argument == name


def test_unknown_frames_are_refused() -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10))
    with pytest.raises(sd.DomainError, match="library"):
        est.to_frame("excel")
    for wrong in (None, 1, [], np.array(["pandas", "polars"])):
        with pytest.raises(sd.DomainError, match="library must"):
            est.to_frame(wrong)
