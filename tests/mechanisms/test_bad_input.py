"""What does not belong in is refused by a typed error, and no value is shown."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms import FrequencyOracle, from_json
from tests.cases import cases

CANARY = 918273


class Spiteful:
    """Quotes itself in whatever it raises."""

    def __array__(self, *_: object) -> None:
        raise RuntimeError(f"cannot convert {CANARY}")

    def __index__(self) -> int:
        raise RuntimeError(f"cannot convert {CANARY}")

    def __repr__(self) -> str:
        return "Spiteful()"


@cases(
    "values",
    [
        [0, float("nan")],
        [0, None],
        [0, -1],
        [0, 5],
        [0, 1.5],
        ["0", "1"],
        [True, False],
        [],
        [[0, 1]],
        [[0], [1, 2]],
        [0, CANARY],
        [-CANARY],
        [2**70],
        "text",
        None,
        3,
        np.array([1.0, 2.0]),
        np.array([0, 1], dtype=bool),
        np.array([0, 2**63], dtype=np.uint64),
        [True, 2],
        (np.bool_(True), 2),
        np.ma.array([0, 1, 2], mask=[0, 1, 0]),
        np.full(9, 11008, dtype=">i2"),
        np.array([0xCF07], dtype=">u2"),
        np.array([0, -1, 0, -1])[1::2],
        np.array([0, 9, 0, 9], dtype=np.uint8)[1::2],
        Spiteful(),
    ],
)
def test_values(mechanism_class: type[sd.GRR], values: object) -> None:
    with pytest.raises(sd.SudareError, match="values must") as caught:
        mechanism_class(5, 1.0).perturb(values)
    assert str(CANARY) not in "".join(traceback.format_exception(caught.value)[1:-1][-1:])
    assert str(CANARY) not in str(caught.value)
    assert "nan" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@cases(
    "value", [float("nan"), None, -1, 5, 1.5, "1", True, np.bool_(True), [1], CANARY, Spiteful()]
)
def test_one_value(mechanism_class: type[sd.GRR], value: object) -> None:
    with pytest.raises(sd.SudareError, match="value must") as caught:
        mechanism_class(5, 1.0).perturb_one(value)
    assert str(CANARY) not in str(caught.value)


def test_the_position_is_named(mechanism_class: type[sd.GRR]) -> None:
    with pytest.raises(sd.DomainError, match="position 2"):
        mechanism_class(5, 1.0).perturb([0, 4, 5])


@cases("reports", [[0, 5], [-1], [0.5], ["a"], [[0]], [None], [True], [[0], [1, 2]], Spiteful()])
def test_grr_reports(reports: object) -> None:
    with pytest.raises(sd.SudareError, match="reports must"):
        sd.GRR(5, 1.0).aggregate(reports)


@cases(
    "reports",
    [
        np.array([[32]], dtype=np.uint8),
        np.array([[0, 0]], dtype=np.uint8),
        np.array([0], dtype=np.uint8),
        np.array([[0]], dtype=np.int64),
        [["x"]],
        [[0], [1, 2]],
    ],
)
def test_packed_reports(reports: object) -> None:
    with pytest.raises(sd.SudareError, match="reports must"):
        sd.OUE(5, 1.0).aggregate(reports)


@cases(
    "support, n",
    [
        ((1, -1), 3),
        ((4, 0), 3),
        ((0.5, 1), 3),
        (("a",), 3),
        ((1, 2), -1),
        ((1, 2), 2.5),
        ((1,), True),
    ],
)
def test_counts(support: object, n: object) -> None:
    with pytest.raises(sd.SudareError):
        sd.Counts(support, n)


def test_estimates_refuse_what_cannot_be_theirs() -> None:
    m = sd.GRR(3, 1.0)
    with pytest.raises(sd.EstimationError, match="at least one report"):
        m.estimate(sd.Counts((0, 0, 0), 0))
    with pytest.raises(sd.EstimationError, match="sum to n"):
        m.estimate(sd.Counts((1, 1, 1), 4))
    with pytest.raises(sd.EstimationError, match="shape"):
        m.estimate(sd.Counts((1, 1), 2))
    with pytest.raises(sd.EstimationError, match="this mechanism"):
        m.estimate(sd.GRR(3, 1.5).aggregate([0, 1, 2]))
    with pytest.raises(sd.EstimationError, match=r"sudare\.Counts"):
        m.estimate([1, 2, 3])
    with pytest.raises(sd.DomainError, match="method"):
        m.estimate(sd.Counts((1, 1, 1), 3), method="magic")
    with pytest.raises(sd.DomainError, match="target"):
        m.estimate(sd.Counts((1, 1, 1), 3), target="everybody")
    for odd in (np.array(["population"] * 2), None, 3):
        with pytest.raises(sd.DomainError, match="target"):
            m.estimate(sd.Counts((1, 1, 1), 3), target=odd)
        with pytest.raises(sd.DomainError, match="method"):
            m.estimate(sd.Counts((1, 1, 1), 3), method=odd)


@cases("n", [0, -1, 1.5, "10", None])
def test_expected_mse_needs_people(mechanism_class: type[sd.GRR], n: object) -> None:
    with pytest.raises(sd.SudareError, match="n must"):
        mechanism_class(3, 1.0).expected_mse(n)


@cases("shares", [[0.5, 0.5], [0.5, 0.501, 0.009], [1, float("nan"), 0], ["a"] * 3, [2, -1, 0]])
def test_expected_mse_needs_shares(shares: object) -> None:
    with pytest.raises(sd.SudareError, match="shares must"):
        sd.GRR(3, 1.0).expected_mse(10, shares)


@cases(
    "truth",
    [
        [1, 2],
        [0, 0, 0],
        [-1, 2, 3],
        [0.5, 1, 1],
        ["a", "b", "c"],
        [2**62] * 3,
        [2**63, 0, 0],
        [[1], 2, 3],
    ],
)
def test_simulate_needs_counts(truth: object) -> None:
    with pytest.raises(sd.SudareError, match="true_counts must"):
        sd.GRR(3, 1.0).simulate(truth)


@cases("entropy", [5, "x", object()])
def test_only_sources_are_sources(entropy: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="entropy must have a take"):
        sd.GRR(3, 1.0).perturb_one(0, entropy=entropy)


@cases(
    "data",
    [None, [], {}, {"name": []}, {"name": "GRR"}, {"name": "XYZ", "k": 3, "epsilon": "1"}]
    + [{"name": "GRR", "k": 3, "epsilon": e} for e in ("1/0", "inf", "1e9", "", "-1", "21")],
)
def test_broken_mechanism_data(data: object) -> None:
    with pytest.raises(sd.SudareError):
        from_json(data, FrequencyOracle)


@cases("rng", [True, 1.5, b"seed"])
def test_only_entropy_is_entropy(rng: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="rng must be an Entropy"):
        sd.GRR(3, 1.0).perturb([0, 1], rng=rng)


def test_the_channel_of_many_bits_is_refused() -> None:
    with pytest.raises(sd.DomainError, match="k <= 12"):
        _ = sd.OUE(13, 1.0).channel
