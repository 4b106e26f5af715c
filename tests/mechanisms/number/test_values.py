"""Mechanisms of numbers are values with a border: JSON, merging, wires, and what is refused."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sudare as sd
from tests.cases import cases

NAN, INF = float("nan"), float("inf")
CLASSES: list[Any] = [sd.Duchi, sd.Piecewise, sd.Hybrid, sd.SquareWave]
KINDS: list[Any] = [*(kind(1.5, -2, 2.5) for kind in CLASSES), sd.SquareWave(1.5, -2, 2.5, 7)]
VALUES = np.linspace(-2, 2.5, 50)
CANARY = 1.2345


def test_parameters_tell_mechanisms_apart() -> None:
    assert len(set(KINDS)) == len(KINDS)
    assert sd.Duchi(1.0) == sd.Duchi(Fraction(1), np.int8(-1), 1)


@given(
    st.sampled_from(CLASSES),
    st.floats(0.001, 20),
    st.tuples(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100)),
)
def test_any_range_survives_json(kind: Any, epsilon: float, ends: tuple[float, float]) -> None:
    low, high = sorted(ends)
    if high - low < 1e-100:
        return
    extra = {"bins": 3} if kind is sd.SquareWave else {}
    m = kind(epsilon, low, high, **extra)
    assert kind.from_json(json.loads(json.dumps(m.to_json()))) == m
    assert kind.from_json(m.to_json()).epsilon == m.epsilon
    counts = m.aggregate(m.perturb([low, high, low]))
    mean = m.estimate(counts, "unbiased").mean
    if kind is not sd.SquareWave:
        assert np.isfinite([mean.value, mean.stderr, m.expected_mse(1), *m.numbers]).all()
        assert mean.stderr > 0


@cases("m", KINDS)
def test_counts_merge_and_belong_to_their_mechanism(m: Any) -> None:
    reports = m.perturb(VALUES)
    whole = m.aggregate(reports)
    assert whole.support.shape == m.shape
    assert m.aggregate(reports[:25]) + m.aggregate(reports[25:]) == whole
    assert sd.Counts.from_json(whole.to_json()) == whole
    assert m.aggregate(reports.tolist()) == whole
    m.estimate(whole, "unbiased")
    with pytest.raises(sd.EstimationError, match="this mechanism"):
        type(m)(1.5, -2, 2).estimate(whole)
    with pytest.raises(sd.EstimationError, match="at least one report"):
        m.estimate(sd.Counts(np.zeros(m.shape, dtype=int), 0))
    with pytest.raises(sd.EstimationError, match="shape"):
        m.estimate(sd.Counts([1, 2, 3], 6))
    with pytest.raises(sd.EstimationError, match=r"sudare\.Counts"):
        m.estimate(whole.support)
    with pytest.raises(sd.EstimationError, match="sum to n"):
        m.estimate(sd.Counts(whole.support, whole.n + 1))
    for target in ("all", None, 3):
        with pytest.raises(sd.DomainError, match="target"):
            m.estimate(whole, "unbiased", target)
    for method in ("magic", None, 3, ["unbiased"]):
        with pytest.raises(sd.DomainError, match="method"):
            m.estimate(whole, method)


@cases("m", KINDS)
def test_reports_travel(m: Any) -> None:
    reports = m.perturb(VALUES)
    wire = b"".join(m.program.encode_one(int(one)) for one in reports)
    assert len(wire) == m.report_bytes * VALUES.size
    assert m.program.decode(wire).tolist() == reports.tolist()
    with pytest.raises(sd.ReportError):
        m.program.check_wire(b"\xff" * m.report_bytes)
    one = m.perturb_one(0.5, entropy=sd.Entropy.seeded(b"one"))
    assert one == m.perturb_one(0.5, entropy=sd.Entropy.seeded(b"one"))
    a, b = (m.perturb(VALUES, rng=sd.Entropy.seeded(b"bulk")) for _ in range(2))
    assert a.tolist() == b.tolist()


WRONG: list[Any] = [
    None, "text", "1.2345", b"1", [None], ["1.2345"], [1.0, None], [1.0, "1.2345"], [True, 0.5],
    [True], np.array([True]), [1 + 1j], object(), [object()], {}, {1.2345: 1}, [Decimal("0.5")],
    [10**300], np.ma.masked_array([1.0], [True]), [[1.0], [1.0, 2.0]],
    np.array(["2020-01-01"], "M8[D]"),
]  # fmt: skip
OUTSIDE: list[Any] = [
    [], [[1.2345]], 1.2345, np.zeros((2, 2)), [NAN], [CANARY, NAN], [INF], [-INF], [2.5000001],
    [-2.1], [1e300], [10**18], [-(10**18)], np.array([2**64 - 1], np.uint64),
    np.array([3], np.int8), np.array([1e5], np.float32), np.empty(0), np.array([1.2345, 99.5]),
]  # fmt: skip


@cases("m", KINDS)
def test_what_no_respondent_holds_is_refused_and_not_shown(m: Any) -> None:
    for given_, error in [(w, sd.WrongTypeError) for w in WRONG] + [
        (o, sd.DomainError) for o in OUTSIDE
    ]:
        with pytest.raises(error) as caught:
            m.perturb(given_)
        for shown in ("1.2345", "99.5", "2.5000001", "2.1", "00000"):
            assert shown not in str(caught.value)
    with pytest.raises(sd.DomainError, match="position 1"):
        m.perturb([0.5, NAN])


@cases("m", KINDS)
def test_what_one_respondent_cannot_hold_is_refused(m: Any) -> None:
    for wrong in (None, "1.2345", True, np.True_, [1.0], 1j, object(), Decimal("0.5"), b"1",
                  np.ma.masked, np.array(0.5)):  # fmt: skip
        with pytest.raises(sd.WrongTypeError) as caught:
            m.perturb_one(wrong)
        assert "1.2345" not in str(caught.value)
    for outside in (NAN, INF, -INF, 99.5, 10**400, -(10**400), Fraction(99), np.float32("nan")):
        with pytest.raises(sd.DomainError) as caught:
            m.perturb_one(outside)
        assert "99" not in str(caught.value)
    for right in (-2, 2.5, Fraction(1, 3), np.float32(0.5), np.int8(1), 0):
        assert 0 <= m.perturb_one(right) < m.program.outputs


@cases("m", KINDS)
def test_foreign_reports_are_refused(m: Any) -> None:
    for wrong in (None, "text", [0.5], [True], [None]):
        with pytest.raises((sd.WrongTypeError, sd.ReportError)):
            m.aggregate(wrong)
    for foreign in ([-1], [m.program.outputs], [[0]], [10**9]):
        with pytest.raises(sd.ReportError):
            m.aggregate(foreign)
    assert m.aggregate([]).n == 0


@cases("kind", CLASSES)
def test_ends_that_are_no_range_are_refused(kind: Any) -> None:
    for low, high in ((1, 1), (2, 1), (NAN, 1), (0, NAN), (-INF, 1), (0, INF), (0, 10**400),
                      (0, 1e101), (-1e300, 1e300), (0, 1e-101), (0, 5e-324)):  # fmt: skip
        with pytest.raises(sd.DomainError):
            kind(1.0, low, high)


@cases("kind", [sd.SquareWave, sd.HierarchicalHistogram])
def test_a_range_of_fewer_numbers_than_bins_is_refused(kind: Any) -> None:
    """From 2^52 to 2^53 all floats are whole numbers."""
    for low, high, bins in ((1.0, 1.0000000000000002, 64), (2.0**52, 2.0**52 + 8, 9)):
        with pytest.raises(sd.DomainError, match=rf"^high .* {bins} bins .*fewer bins"):
            kind(1.0, low, high, bins)
    assert np.diff(kind(1.0, 2.0**52, 2.0**52 + 8, 8).edges).tolist() == [1.0] * 8


@cases("kind", CLASSES)
def test_data_that_is_no_mechanism_is_refused(kind: Any) -> None:
    good = kind(1.0).to_json()
    for change in ({"low": "nan"}, {"high": "inf"}, {"high": "1"}, {"low": "1_0.0"}):
        with pytest.raises(sd.CollectionError):
            kind.from_json({**good, **change})
    with pytest.raises(sd.DomainError):
        kind.from_json({**good, "low": "5.0"})
    with pytest.raises(sd.PrivacyError):
        kind.from_json({**good, "epsilon": "50.0"})


@cases("kind", CLASSES[:3])
def test_plans_and_simulations_refuse_too(kind: Any) -> None:
    m = kind(1.0)
    for n in (0, -1, 2**63):
        with pytest.raises(sd.DomainError):
            m.expected_mse(n)
    for n in (None, "1", 1.5, True):
        with pytest.raises(sd.WrongTypeError):
            m.expected_mse(n)
    for values, counts in (([2.0], None), ([NAN], None), ([], None), ([0.5], [-1]), ([0.5], [0]),
                           ([0.5], [1, 2]), ([0.5], [2**62])):  # fmt: skip
        with pytest.raises(sd.DomainError):
            m.simulate(values, counts)
    for values, counts in (("text", None), ([True], None), ([0.5], "1"), ([0.5], [0.5])):
        with pytest.raises(sd.WrongTypeError):
            m.simulate(values, counts)
    with pytest.raises(sd.DomainError):
        m.expected_mse(10, [3.0])
    with pytest.raises(sd.DomainError, match="target"):
        m.expected_mse(10, target="all")
    for counts in ([1, 2], None):
        with pytest.raises(sd.SudareError):
            sd.SquareWave(1.0, bins=4).simulate(counts)


@cases("kind", CLASSES)
def test_a_span_of_time_is_no_number(kind: Any) -> None:
    """NumPy counts it among the whole numbers, and cannot compare it with a float."""
    span: Any = np.timedelta64(1, "s")
    m = kind(1.5, -2, 2.5)
    for call in (
        lambda: m.perturb_one(span),
        lambda: kind(span),
        lambda: kind(1.5, span, 2),
        lambda: kind(1.5, 0, span),
        lambda: sd.Duchi(1.0).estimate(sd.Counts((1, 1), 2)).mean.interval(span),
        lambda: sd.PrivKV(d=2, epsilon=1.0).perturb_one([span, 0]),
    ):
        with pytest.raises(sd.WrongTypeError):
            call()


def test_bins_are_those_of_a_search_among_the_edges() -> None:
    """Numbers on, just below and just above each edge, in ranges where edges are rounded."""
    for low, high, bins in ((0.0, 100.0, 100), (-1.0, 1.0, 64), (1e15, 1e15 + 64, 64),
                            (0.1, 0.7, 37), (-1e100, 1e100, 512), (0.0, 1e-99, 7)):  # fmt: skip
        m = sd.SquareWave(1.0, low, high, bins=bins)
        near = [np.nextafter(m.edges, -np.inf), m.edges, np.nextafter(m.edges, np.inf)]
        some = np.random.default_rng(1).uniform(low, high, 40_000)
        numbers = np.clip(np.concatenate([*near, some]), low, high)
        expected = np.searchsorted(m.edges[1:-1], numbers, "right")
        assert m.bins_of(numbers).tolist() == expected.tolist()
        assert [m.bin_of(x) for x in numbers[:200].tolist()] == expected[:200].tolist()


@cases("wrong", [np.nan, np.inf, -1.5, 1 + 2**-52])
def test_a_wrong_number_is_found_in_any_block(wrong: float) -> None:
    numbers = np.zeros(100_000)
    numbers[70_001] = numbers[90_000] = wrong
    for m in (sd.Duchi(1.0), sd.SquareWave(1.0)):
        with pytest.raises(sd.DomainError, match="position 70001"):
            m.perturb(numbers)
