import math

import pytest

import sudare as sd
from sudare.errors import OutOfReachError
from sudare.mechanisms import FrequencyOracle, registry
from sudare.mechanisms.frequency.choose import rank
from tests.cases import cases

SHIPPED = set(registry.names(FrequencyOracle, plugins=False))


def test_the_best_comes_first_and_all_are_there() -> None:
    plan = sd.plan(k=43, n=49_742, epsilon=2.0)
    errors = [option.expected_mse for option in plan]
    assert errors == sorted(errors)
    assert {option.mechanism.name for option in plan} == SHIPPED
    assert plan[0].mechanism == plan.best
    assert "DyadicUnary" in repr(plan)


@cases("epsilon, grr_wins", [(2.80, False), (2.83, True)])
def test_the_exact_crossing_at_43_lies_at_2_818(epsilon: float, grr_wins: bool) -> None:
    order = [option.mechanism.name for option in sd.plan(43, 1000, epsilon)]
    assert (order.index("GRR") < order.index("OUE")) is grr_wins


def test_grr_wins_at_five_whatever_epsilon() -> None:
    for epsilon in (0.01, 0.1, 1, 3, 10):
        names = [option.mechanism.name for option in sd.plan(5, 14, epsilon)]
        assert names.index("GRR") < names.index("OUE")


def test_half_width_is_that_of_a_95_per_cent_interval() -> None:
    option = sd.plan(10, 1000, 1.0)[0]
    assert option.half_width == pytest.approx(1.959964 * math.sqrt(option.expected_mse))


def test_a_plan_is_a_table() -> None:
    frame = sd.plan(10, 1000, 1.0).to_frame("pyarrow")
    assert frame.num_rows == len(SHIPPED)


def test_a_mechanism_out_of_reach_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def far(*_: object) -> None:
        raise OutOfReachError("epsilon", "is out of reach")

    monkeypatch.setattr(sd.SUE, "_compile", far)
    assert {o.mechanism.name for o in sd.plan(5, 10, 1.0)} == SHIPPED - {"SUE"}


def test_auto_is_the_same_on_every_machine() -> None:
    class Plugged(sd.GRR):
        name = "Plugged"

    Plugged.__module__ = "somebody.elses"
    registry.register(Plugged)
    try:
        assert "Plugged" in registry.names(FrequencyOracle)
        assert "Plugged" not in registry.names(FrequencyOracle, plugins=False)
        ranked = rank(5, 1.0, 10, plugins=False)
        assert {m.name for _, m in ranked} == SHIPPED
    finally:
        del registry._MECHANISMS["Plugged"]


@cases(
    "arguments, name",
    [
        ({"k": 1, "n": 10, "epsilon": 1.0}, "k"),
        ({"k": 2**40, "n": 10, "epsilon": 1.0}, "k"),
        ({"k": 5, "n": 0, "epsilon": 1.0}, "n"),
        ({"k": 5, "n": 10, "epsilon": float("nan")}, "epsilon"),
        ({"k": 5, "n": 10, "epsilon": 1.0, "target": "x"}, "target"),
    ],
)
def test_bad_plans(arguments: dict, name: str) -> None:
    with pytest.raises(sd.SudareError) as caught:
        sd.plan(**arguments)
    assert caught.value.argument == name


@cases("target", ["population", "respondents"])
def test_stated_shares_are_those_of_the_errors(target: str) -> None:
    shares = [0.7, 0.2, 0.06, 0.04]
    plan = sd.plan(4, 500, 1.0, target, shares=shares)
    for option in plan:
        m = option.mechanism
        assert option.expected_mse == m.expected_mse(500, shares, target)
        assert option.shrunk_mse == m.expected_mse(500, shares, target, "shrunk")
        assert option.to_json()["shrunk_mse"] == option.shrunk_mse
    even = sd.plan(4, 500, 1.0, target, shares=[0.25] * 4)
    plain = sd.plan(4, 500, 1.0, target)
    assert [one.mechanism for one in plan] == [one.mechanism for one in plain]
    assert [one.expected_mse for one in even] == pytest.approx([one.expected_mse for one in plain])
    assert "shrunk_mse" not in plain[0].to_json()
    assert "shrunk" in repr(plan)
    with pytest.raises(sd.DomainError, match=r"^shares "):
        sd.plan(4, 500, 1.0, shares=[0.5, 0.5, 0.5, 0.5])


def test_a_plan_says_where_shares_are_mostly_noise() -> None:
    assert sd.plan(2000, 500, 1.0).mostly_noise
    assert not sd.plan(43, 49_742, 1.0).mostly_noise
    assert not sd.plan(5, 14, 1.0).mostly_noise


def test_a_plan_says_where_k_and_n_may_be_exchanged() -> None:
    for k, n, *said in (
        (1000, 5, "more categories (k = 1,000) than people (n = 5)", "no share can be told"),
        (2000, 500, "more categories", "method shrunk"),
        (1000, 100_000_000),
        (5, 1000),
        (5, 5, "no share can be told"),
    ):
        plan = sd.plan(k, n, 1.0)
        assert len(plan.notes) == len(said), (k, n, plan.notes)
        for note, wanted in zip(plan.notes, said, strict=True):
            assert wanted in note
            assert f"note: {note}" in repr(plan)
            assert note in plan._repr_html_()
