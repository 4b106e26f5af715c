"""What does not belong in is refused by a typed error, and no value is shown."""

from __future__ import annotations

import numpy as np
import pytest

import sudare as sd

CANARY = 918273


@pytest.mark.parametrize(
    "epsilon", [-1.0, 0, 0.0, float("nan"), float("inf"), 1e4, "1", None, True, [1]]
)
def test_epsilon(mechanism_class: type[sd.GRR], epsilon: object) -> None:
    with pytest.raises(sd.SudareError, match="epsilon must") as caught:
        mechanism_class(5, epsilon)  # type: ignore[arg-type]
    assert caught.value.argument == "epsilon"
    assert isinstance(caught.value, ValueError | TypeError)


@pytest.mark.parametrize("k", [0, 1, 2**40, -3, 2.5, "5", None, True, float("nan")])
def test_k(mechanism_class: type[sd.GRR], k: object) -> None:
    with pytest.raises(sd.SudareError, match="k must") as caught:
        mechanism_class(k, 1.0)  # type: ignore[arg-type]
    assert caught.value.argument == "k"
    assert caught.value.rule
    assert caught.value.remedy


@pytest.mark.parametrize(
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
    ],
    ids=repr,
)
def test_values(mechanism_class: type[sd.GRR], values: object) -> None:
    with pytest.raises(sd.SudareError, match="values must") as caught:
        mechanism_class(5, 1.0).perturb(values)  # type: ignore[arg-type]
    assert str(CANARY) not in str(caught.value)
    assert "nan" not in str(caught.value)


@pytest.mark.parametrize(
    "value", [float("nan"), None, -1, 5, 1.5, "1", True, np.bool_(True), [1], CANARY]
)
def test_one_value(mechanism_class: type[sd.GRR], value: object) -> None:
    with pytest.raises(sd.SudareError, match="value must") as caught:
        mechanism_class(5, 1.0).perturb_one(value)  # type: ignore[arg-type]
    assert str(CANARY) not in str(caught.value)


def test_the_position_is_named(mechanism_class: type[sd.GRR]) -> None:
    with pytest.raises(sd.DomainError, match="position 2"):
        mechanism_class(5, 1.0).perturb([0, 4, 5])


@pytest.mark.parametrize("reports", [[0, 5], [-1], [0.5], ["a"], [[0]], [None], [True]])
def test_grr_reports(reports: object) -> None:
    with pytest.raises(sd.SudareError, match="reports must"):
        sd.GRR(5, 1.0).aggregate(reports)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "reports",
    [
        np.array([[32]], dtype=np.uint8),
        np.array([[0, 0]], dtype=np.uint8),
        np.array([0], dtype=np.uint8),
        np.array([[0]], dtype=np.int64),
        [["x"]],
    ],
)
def test_packed_reports(reports: object) -> None:
    with pytest.raises(sd.SudareError, match="reports must"):
        sd.OUE(5, 1.0).aggregate(reports)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("support", "n"),
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
        sd.Counts(support, n)  # type: ignore[arg-type]


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
        m.estimate([1, 2, 3])  # type: ignore[arg-type]
    with pytest.raises(sd.DomainError, match="method"):
        m.estimate(sd.Counts((1, 1, 1), 3), method="magic")
    with pytest.raises(sd.DomainError, match="target"):
        m.estimate(sd.Counts((1, 1, 1), 3), target="everybody")  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [0, -1, 1.5, "10", None])
def test_expected_mse_needs_people(mechanism_class: type[sd.GRR], n: object) -> None:
    with pytest.raises(sd.SudareError, match="n must"):
        mechanism_class(3, 1.0).expected_mse(n)  # type: ignore[arg-type]


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.5, 0.6, 0.1], [1, float("nan"), 0], ["a"] * 3])
def test_expected_mse_needs_shares(shares: object) -> None:
    with pytest.raises(sd.SudareError, match="shares must"):
        sd.GRR(3, 1.0).expected_mse(10, shares)  # type: ignore[arg-type]


@pytest.mark.parametrize("truth", [[1, 2], [0, 0, 0], [-1, 2, 3], [0.5, 1, 1], ["a", "b", "c"]])
def test_simulate_needs_counts(truth: object) -> None:
    with pytest.raises(sd.SudareError, match="true_counts must"):
        sd.GRR(3, 1.0).simulate(truth)  # type: ignore[arg-type]


@pytest.mark.parametrize("rng", [np.random.default_rng(1), 3, b"seed"])
def test_only_entropy_is_entropy(rng: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="rng must be an Entropy"):
        sd.GRR(3, 1.0).perturb([0, 1], rng=rng)  # type: ignore[arg-type]


def test_the_channel_of_many_bits_is_refused() -> None:
    with pytest.raises(sd.DomainError, match="k <= 12"):
        _ = sd.OUE(13, 1.0).channel
