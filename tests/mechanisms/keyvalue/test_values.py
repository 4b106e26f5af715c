"""Key-value mechanisms are values with a border: JSON, merging, wires, and what is refused."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from tests.cases import cases

NAN = float("nan")
KINDS: list[Any] = [
    sd.PrivKV(3, 1.0),
    sd.PrivKV(3, 1.0, "half"),
    sd.PrivKVM(3, 1.0, 3),
    sd.StateRR(3, 1.0),
    sd.PCKVUE(3, 1.0, 2),
    sd.PCKVGRR(3, 1.0, 2),
]
HELD = np.array([[True, False, True], [False, False, False], [True, True, True]] * 20)
VALUES = np.array([[0.5, NAN, -1.0], [NAN, 99.0, NAN], [0.1, 0.2, 1.0]] * 20)


def test_parameters_tell_mechanisms_apart() -> None:
    assert len(set(KINDS)) == len(KINDS)
    assert sd.PrivKVM(3, 1.0, 2) != sd.PrivKVM(3, 1.0, 3)
    assert sd.PCKVGRR(3, 1.0, 2) != sd.PCKVGRR(3, 1.0)
    assert sd.PCKVUE(3, 1.0, 2) != sd.PCKVUE(3, 1.0)
    assert sd.PrivKV(3, 1.0).split == "tight"
    assert (sd.PrivKVM(3, 1.0).rounds, sd.PCKVUE(3, 1.0).padding) == (2, 1)


@cases("m", KINDS)
def test_counts_merge_and_belong_to_their_mechanism(m: Any) -> None:
    reports = m.perturb(HELD, VALUES)
    whole = m.aggregate(reports)
    assert whole.support.shape == m.shape
    assert m.aggregate(reports[:25]) + m.aggregate(reports[25:]) == whole
    assert sd.Counts.from_json(whole.to_json()) == whole
    assert m.aggregate(reports.tolist()) == whole
    assert m.estimate(whole).frequency.shape == (3,)
    other = type(m)(3, 1.5)
    with pytest.raises(sd.EstimationError, match="this mechanism"):
        other.estimate(whole)
    with pytest.raises(sd.EstimationError, match="at least one report"):
        m.estimate(sd.Counts(np.zeros(m.shape, dtype=int), 0))
    with pytest.raises(sd.EstimationError, match="shape"):
        m.estimate(sd.Counts([[1, 2, 3]], 6))
    with pytest.raises(sd.EstimationError, match=r"sudare\.Counts"):
        m.estimate(whole.support)
    one_off = whole.support.copy()
    one_off[(0,) * one_off.ndim] += 1
    with pytest.raises(sd.EstimationError, match="sum to n"):
        m.estimate(sd.Counts(one_off, whole.n))
    with pytest.raises(sd.EstimationError, match="sum to n"):
        m.estimate(sd.Counts(whole.support, whole.n + 1))


def test_counts_that_wrap_around_do_not_add_up() -> None:
    top = 2**62
    support = np.array([[top, top, top], [top, top, 0], [0, 0, 0]])
    assert int(support.sum()) == top  # in 64 bits
    with pytest.raises(sd.EstimationError, match="sum to n"):
        sd.PrivKV(3, 1.0).estimate(sd.Counts(support, top))
    with pytest.raises(sd.EstimationError, match="sum to n"):
        sd.PrivKVM(3, 1.0, 1).estimate(sd.Counts(support[None], top))


@cases("m", KINDS)
def test_seeded_reports_repeat_and_any_layout_will_do(m: Any) -> None:
    expected = m.perturb(HELD, VALUES, rng=sd.Entropy.seeded(b"layout"))
    wide = np.repeat(HELD, 2, axis=1)[:, ::2]
    for held, values in (
        (np.asfortranarray(HELD), np.asfortranarray(VALUES)),
        (wide, VALUES.astype(">f8")),
        (HELD.tolist(), VALUES.tolist()),
    ):
        again = m.perturb(held, values, rng=sd.Entropy.seeded(b"layout"))
        assert np.array_equal(again, expected)


# -- the wire -------------------------------------------------------------------------------------


@cases("m", [m for m in KINDS if m.name != "PrivKVM"])
def test_a_wire_goes_there_and_back(m: Any) -> None:
    for _ in range(50):
        report = m.perturb_one([0.5, None, -1])
        wire = m.program.encode_one(report)
        assert len(wire) == m.report_bytes
        m.program.check_wire(wire)
        found = m.program.decode(wire)
        if m.name in ("PrivKV", "StateRR"):
            index, parts = found
            assert (int(index[0]), int(parts[report[0]][0])) == report
        else:
            assert np.asarray(found[0]).tolist() == report


@cases(
    "m, foreign",
    [
        (KINDS[0], [b"", b"\0", b"\0\0\0", b"\3\0", b"\0\3", b"\xff\xff"]),
        (KINDS[3], [b"", b"\3\0", b"\0\3"]),
        (KINDS[4], [b"", b"\0\0", b"\x03", b"\x40", b"\x30", b"\x0c"]),
        (KINDS[5], [b"", b"\x0a", b"\0\0", b"\xff"]),
    ],
)
def test_foreign_wires_are_refused(m: Any, foreign: list[bytes]) -> None:
    for wire in foreign:
        with pytest.raises(sd.ReportError):
            m.program.check_wire(wire)


@cases("report", [3, -1, [0, 0], [0, 0, 3], [0, 0, -1], (3, 0), (0, 3), (0,)])
def test_reports_of_another_alphabet_are_not_encoded(report: Any) -> None:
    with pytest.raises(sd.ReportError):
        KINDS[4].program.encode_one(report if isinstance(report, list) else [0, 0, 3])
    if isinstance(report, tuple):
        with pytest.raises(sd.ReportError):
            KINDS[0].program.encode_one(report)
    with pytest.raises(sd.ReportError):
        KINDS[5].program.encode_one(10)


def test_programs_that_no_device_runs_have_no_data() -> None:
    for m in KINDS[4:]:
        with pytest.raises(sd.PrivacyError, match="devices run"):
            m.program.to_json()
        with pytest.raises(sd.PrivacyError):
            type(m.program).from_json({})
    with pytest.raises(sd.PrivacyError, match="round by round"):
        KINDS[2].perturb_one([0, 0, 0])


# -- bad input ------------------------------------------------------------------------------------


def refused(call: Any, match: str) -> str:
    with pytest.raises(sd.SudareError, match=match) as caught:
        call()
    text = str(caught.value)
    for secret in ("7.25", "-7", "918273", "nan", "inf", "xyz"):
        assert secret not in text
    return text


@cases("m", KINDS)
@cases(
    "held, values",
    [
        ([[True, False, True]], [[7.25, 0, 0]]),
        ([[True, False, True]], [[0, 0, -7]]),
        ([[True, False, True]], [[0, 0, NAN]]),
        ([[True, False, True]], [[float("inf"), 0, 0]]),
        ([[True, False, True]], [[1 + 2**-50, 0, 0]]),
        ([[True, False, True]], [[0, 0]]),
        ([[True, False, True]], [[0, 0, 0]] * 2),
        ([[True, False, True]], [0, 0, 0]),
        ([[True, False, True]], [["xyz", "0", "0"]]),
        ([[True, False, True]], [[None, 0, 0]]),
        ([[True, False, True]], [[True, False, True]]),
        ([[True, False, True]], [[0, 0], [0]]),
        ([[True, False, True]], [[1j, 0, 0]]),
        ([[True, False, True]], np.ma.array([[0.0, 0, 0]], mask=[[1, 0, 0]])),
        (np.ma.array([[True, False, True]], mask=[[1, 0, 0]]), [[0, 0, 0]]),
        ([[1, 0, 1]], [[0, 0, 0]]),
        ([[1.0, 0.0, NAN]], [[0, 0, 0]]),
        ([["a", "b", "c"]], [[0, 0, 0]]),
        ([[True, None, True]], [[0, 0, 0]]),
        ([True, False, True], [0, 0, 0]),
        ([[True, False]], [[0, 0]]),
        ([[True] * 4], [[0] * 4]),
        ([], []),
        (np.zeros((0, 3), dtype=bool), np.zeros((0, 3))),
        (None, None),
        ("xyz", [[0, 0, 0]]),
        (3, [[0, 0, 0]]),
        ([[True, False, True]], None),
        ([[True, False, True]], "xyz"),
        ([[True, False, True]], np.array([[0, 0, 918273]], dtype=object)),
    ],
)
def test_holdings(m: Any, held: Any, values: Any) -> None:
    refused(lambda: m.perturb(held, values), "(held|values) must")


def test_a_value_out_of_range_is_named_by_its_row() -> None:
    held = np.ones((100_000, 3), dtype=bool)
    values = np.zeros((100_000, 3))
    values[70_001, 2] = values[90_000, 0] = 918273
    text = refused(lambda: sd.PrivKV(3, 1.0).perturb(held, values), "look at row 70001")
    assert "must lie in" in text
    values[70_001, 2], held[90_000] = -1, False
    sd.PrivKV(3, 1.0).perturb(held, values)


@cases(
    "value",
    [
        None,
        3,
        "xyz",
        b"xyz",
        {0: 1},
        [],
        [0, 0],
        [0] * 4,
        [7.25, 0, 0],
        [-7, 0, 0],
        [NAN, 0, 0],
        [float("inf"), 0, 0],
        ["0", 0, 0],
        [True, 0, 0],
        [[0], 0, 0],
        [Decimal("0.5"), 0, 0],
        [1j, 0, 0],
        [10**400, 0, 0],
        [Fraction(10**400), 0, 0],
        [np.ma.masked, 0, 0],
        np.ma.array([0, 0, 0], mask=[1, 0, 0]),
        np.zeros((3, 3)),
        np.array(0.5),
        [918273, None, None],
    ],
)
def test_one_holding(value: Any) -> None:
    for m in (*KINDS[:2], *KINDS[3:]):
        refused(lambda m=m: m.perturb_one(value), "value must")


def test_a_number_beyond_the_floats_is_refused() -> None:
    huge = np.array([np.longdouble("1e4000")] * 3)
    for m in KINDS:
        with pytest.raises(sd.SudareError, match="must lie in"):
            m.simulate(10, huge, [0] * 3)


def test_one_holding_may_be_any_sequence() -> None:
    m = KINDS[0]
    same = [
        m.perturb_one(value, entropy=sd.Entropy.seeded(b"one"))
        for value in ([0.5, None, -1], (np.float32(0.5), None, -1.0), (Fraction(1, 2), None, -1),
                      np.array([0.5, None, -1], dtype=object))
    ]  # fmt: skip
    assert len(set(same)) == 1


@cases("m", KINDS)
@cases(
    "reports",
    [None, "xyz", [["x", "y"]], [[0.0, 0.0]], 3, [[0, 0, 0, 0]], [[[[0]]]], [[NAN, 0]],
     [[True, False]], [[0, 0], [0]], np.ma.array([[0, 0]], mask=[[0, 1]])])  # fmt: skip
def test_reports(m: Any, reports: Any) -> None:
    with pytest.raises(sd.SudareError, match="reports must"):
        m.aggregate(reports)


@cases(
    "m, reports",
    [
        (KINDS[0], [[3, 0]]),
        (KINDS[0], [[0, 3]]),
        (KINDS[0], [[-1, 0]]),
        (KINDS[0], [[0, -1]]),
        (KINDS[2], [[[3, 0]] * 3]),
        (KINDS[2], [[[0, 0], [0, 0], [2, 3]]]),
        (KINDS[2], [[[0, 0]] * 2]),
        (KINDS[4], [[0, 0, 3]]),
        (KINDS[4], [[0, -1, 0]]),
        (KINDS[4], [[0, 0]]),
        (KINDS[5], [10]),
        (KINDS[5], [-1]),
        (KINDS[5], [[0]]),
    ],
)
def test_reports_outside_the_alphabet(m: Any, reports: Any) -> None:
    with pytest.raises(sd.ReportError, match="reports must"):
        m.aggregate(reports)


def test_a_little_epsilon_is_not_for_many_rounds() -> None:
    assert sd.PrivKVM(3, 0.002, 1).epsilon <= 0.002
    with pytest.raises(sd.PrivacyError, match="fewer rounds"):
        sd.PrivKVM(3, 0.1, 51)


@cases("m", KINDS)
@cases(
    "arguments, named",
    [
        ({"method": "mean"}, "method"),
        ({"method": None}, "method"),
        ({"method": ["mle"]}, "method"),
        ({"target": "all"}, "target"),
        ({"target": None}, "target"),
        ({"method": "mle", "tolerance": 1e-4}, "(tolerance|method)"),
        ({"method": "em", "tolerance": 0}, "(tolerance|method)"),
        ({"method": "em", "tolerance": -1.0}, "(tolerance|method)"),
        ({"method": "em", "tolerance": 1}, "(tolerance|method)"),
        ({"method": "em", "tolerance": NAN}, "(tolerance|method)"),
        ({"method": "em", "tolerance": "1"}, "(tolerance|method)"),
        ({"method": "em", "tolerance": True}, "(tolerance|method)"),
        ({"method": "em", "tolerance": [1e-4]}, "(tolerance|method)"),
    ],
)
def test_how_to_estimate(m: Any, arguments: dict[str, Any], named: str) -> None:
    counts = m.aggregate(m.perturb(HELD, VALUES))
    with pytest.raises(sd.SudareError, match=f"{named} "):
        m.estimate(counts, **arguments)


@cases(
    "n, frequency, mean",
    [(0, [1] * 3, [0] * 3), (-1, [1] * 3, [0] * 3), (2.5, [1] * 3, [0] * 3),
     (None, [1] * 3, [0] * 3), (2**61, [1] * 3, [0] * 3), (9, [1.1, 0, 0], [0] * 3),
     (9, [-0.1, 0, 0], [0] * 3), (9, [NAN, 0, 0], [0] * 3), (9, [1, 1], [0] * 3),
     (9, [1] * 3, [0] * 2), (9, [1] * 3, [NAN, 0, 0]), (9, [1] * 3, [1.5, 0, 0]),
     (9, "xyz", [0] * 3), (9, [1] * 3, None), (9, [True] * 3, [0] * 3), (9, 1, 0)])  # fmt: skip
@cases("m", KINDS)
def test_populations(m: Any, n: Any, frequency: Any, mean: Any) -> None:
    with pytest.raises(sd.SudareError, match=r"(n|frequency|mean) must"):
        m.simulate(n, frequency, mean)


@cases(
    "arguments",
    [
        (3, HELD, VALUES, [0] * 3),
        (-1, HELD, VALUES),
        ("0", HELD, VALUES),
        (1, HELD, VALUES),
        (1, HELD, VALUES, [2, 0, 0]),
        (1, HELD, VALUES, [0, 0]),
        (1, HELD, VALUES, "xyz"),
        (1, HELD[:, :2], VALUES[:, :2], [0] * 3),
        (1, HELD, VALUES, [float("inf"), 0, 0]),
    ],
)
def test_a_round(arguments: Any) -> None:
    with pytest.raises(sd.SudareError, match=r"(number|means|held|values) must"):
        KINDS[2].perturb_round(*arguments)


@cases("kind", [sd.PrivKV, sd.PrivKVM, sd.StateRR, sd.PCKVUE, sd.PCKVGRR])
def test_many_people_take_a_fifth_of_their_memory_again(kind: Any) -> None:
    """What is held is looked at where it lies; reports of PCKV-UE are a ninth of it."""
    held, values = np.ones((2_000, 1_000), np.bool_), np.full((2_000, 1_000), 0.5)
    m = kind(1_000, 1.0)
    m.perturb(held[:9], values[:9])  # tables that are made once
    tracemalloc.start()
    m.perturb(held, values)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 0.2 * (held.nbytes + values.nbytes)
