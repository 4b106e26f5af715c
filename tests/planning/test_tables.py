"""One budget for several attributes: exact errors, the order of the options, bad input."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.table_errors import table_errors
from sudare.planning import plan_tables
from tests.cases import cases


@cases("target", ["population", "respondents"])
def test_errors_are_those_of_the_mechanisms(target: Any) -> None:
    sizes, n = [16, 3, 2], 5_000
    plan = plan_tables(sizes, n, 1.5, target=target)
    assert plan.tables == ((0,), (1,), (2,))
    found = {option.budget: option for option in plan}
    sampled = sd.SampledTables(sizes, 1.5, 1)
    alone = [(axis,) for axis in range(3)]
    each = (
        ("split", split := sd.MarginalRR(sizes, 1.5), split.expected_mse(n, target=target)),
        ("sample", sampled, sampled.expected_errors(alone, n, target)),
    )
    for budget, m, errors in each:
        assert found[budget].mechanism == m
        assert found[budget].errors == pytest.approx(errors)
        assert found[budget].expected_mse == pytest.approx(np.average(errors, weights=sizes))
    assert found["joint"].errors == pytest.approx(found["split"].errors)
    assert plan.best == plan[0].mechanism
    assert [option.budget for option in plan] == ["sample", "pairs", "flat", "joint", "split"]
    assert len(plan) == 5
    assert plan.left_out == {"triples": "is for 4 to 31 attributes"}


def test_tables_of_two_by_the_subset_of_a_joint_mechanism() -> None:
    sizes, n = [4, 3, 2], 9_000
    plan = plan_tables(sizes, n, 3, order=2)
    assert plan.tables == tuple(combinations(range(3), 2))
    assert set(plan.left_out) == {"split", "sample", "triples"}
    option = plan[-1]
    assert [one.budget for one in plan] == ["pairs", "flat", "joint"]
    j = sd.JointRR(sizes, epsilon=[1, 1, 1])
    errors = [j.subset(axes).expected_mse(n) for axes in plan.tables]
    assert option.errors == pytest.approx(errors)
    assert option.expected_mse == pytest.approx(
        (12 * errors[0] + 8 * errors[1] + 6 * errors[2]) / 26
    )
    named = plan_tables(sizes, n, 3, tables=[[1, 0], (2,)])
    assert named.tables == ((1, 0), (2,))
    assert named[-1].errors[0] == pytest.approx(errors[0])
    assert named[-1].mechanism == j


def test_the_errors_of_a_wide_survey_need_no_table() -> None:
    plan = plan_tables([20] * 20, 10**6, 20, order=3)
    assert len(plan.tables) == 1140
    assert plan[0].expected_mse > 0


def test_at_a_large_epsilon_all_attributes_are_asked() -> None:
    assert plan_tables([2, 2], 1_000, 20)[0].budget in ("joint", "flat")
    assert plan_tables([2, 2], 1_000, 0.5)[0].budget == "sample"


def test_a_budget_too_small_to_split_is_sampled() -> None:
    plan = plan_tables([2] * 10, 1_000, 0.005)
    assert [option.budget for option in plan] == ["sample", "pairs", "triples", "flat"]
    assert "10 attributes" in plan.left_out["joint"]
    with pytest.raises(sd.PrivacyError, match="fewer attributes"):
        plan_tables([2] * 32, 1_000, 0.005, order=3)


def test_a_plan_shows_itself() -> None:
    plan = plan_tables([3, 2], 100, 1)
    assert repr(plan).startswith(
        "TablePlan(sizes=[3, 2], n=100, epsilon=1.0, 2 tables, population)"
    )
    assert plan.to_frame("pyarrow").num_rows == 4
    assert "no table of two" in repr(plan_tables([3, 2], 100, 1, order=2))


@cases(
    "change",
    [
        {"sizes": []}, {"sizes": [1]}, {"sizes": "33"}, {"sizes": None}, {"n": 0}, {"n": 1.5},
        {"n": None}, {"epsilon": 0}, {"epsilon": float("nan")}, {"epsilon": "1"}, {"order": 0},
        {"order": 3}, {"order": None}, {"order": True}, {"tables": []}, {"tables": [[]]},
        {"tables": [[0, 0]]}, {"tables": [[2]]}, {"tables": [0]}, {"tables": "01"}, {"tables": 3},
        {"tables": [["0"]]}, {"target": "all"}, {"target": None}, {"sizes": [2] * 60, "order": 6},
    ])  # fmt: skip
def test_bad_input_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        plan_tables(**{"sizes": [3, 2], "n": 100, "epsilon": 1.0, **change})


def test_every_way_names_the_epsilon_of_an_attribute_alone() -> None:
    plan = plan_tables([16, 5], 1_000, 2.0)
    alone = {option.budget: option.to_json()["attribute_epsilon"] for option in plan}
    expected = {"sample": 2.0, "flat": 2.0, "joint": 1.0, "split": 1.0}
    assert alone == pytest.approx(expected, abs=1e-6)
    assert repr(plan).count("an attribute alone") == 4
    assert "ε 2, an attribute alone 1" in repr(plan)
    assert "attribute_epsilon" in plan.to_frame("pandas")


def test_tables_of_unlike_sizes_are_weighted_by_their_cells() -> None:
    option = plan_tables([4, 3, 9], 1_000, 3, order=2)[-1]
    assert option.budget == "joint"
    assert option.expected_mse == pytest.approx(np.average(option.errors, weights=[12, 36, 27]))
    j = sd.JointRR([4, 3, 9], epsilon=[1, 1, 1])
    for axes, error in zip(((0, 1), (0, 2), (1, 2)), option.errors, strict=True):
        assert error == pytest.approx(j.subset(axes).expected_mse(1_000))


def test_errors_beyond_all_numbers() -> None:
    with pytest.raises(sd.PrivacyError, match="epsilon"):
        plan_tables([10] * 400, 1_000, 20, order=400)
    plan = plan_tables([10] * 400, 1_000, 20, tables=[[0], list(range(50))])
    assert plan[0].errors[1] > 1e100


def test_a_flat_table_of_two_is_many_times_better() -> None:
    plan = plan_tables([16, 5], 45_222, 1.0, order=2)
    flat, joint = plan
    assert (flat.budget, flat.half_width < 0.018) == ("flat", True)
    assert joint.half_width == pytest.approx(0.1998, abs=1e-4)
    assert joint.expected_mse > 125 * flat.expected_mse
    assert flat.expected_mse == pytest.approx(min(o.expected_mse for o in sd.plan(80, 45_222, 1.0)))


@cases("name", ["GRR", "OUE", "SubsetSelection", "HadamardResponse"])
def test_the_error_of_a_sum_is_its_variance_at_even_shares(name: str) -> None:
    m, n = getattr(sd, name)(12, 1.0), 12_000
    law = replace(m.estimate(m.simulate([1000] * 12))._law, assumed=np.full(12, 1 / 12))
    for target in ("population", "respondents"):
        own = replace(law, target=target)
        found = table_errors(m, [3, 2, 2], [(1,), (2, 0), (0, 1, 2)], n, target)
        places = np.indices((3, 2, 2)).reshape(3, 12)
        groups = [places[1], places[2] * 3 + places[0], np.arange(12)]
        for error, group in zip(found, groups, strict=True):
            each = [own.variance((group == one).astype(float)) for one in set(group.tolist())]
            assert error == pytest.approx(np.mean(each))


def test_tables_of_too_many_cells_are_not_reported_as_one() -> None:
    plan = plan_tables([5] * 9, 10_000, 2.0)
    assert "cells" in plan.left_out["flat"]


@pytest.mark.parametrize(
    ("d", "epsilon", "times"),
    [(3, 2.0, 12), pytest.param(5, 2.0, 50, marks=pytest.mark.slow), (20, 4.0, 500)],
)
def test_all_pairs_by_one_sampled_pair_a_person(d: int, epsilon: float, times: int) -> None:
    plan = plan_tables([5] * d, 100_000, epsilon, order=2)
    joint = next(option for option in plan if option.budget == "joint")
    assert plan[0].budget == "pairs"
    assert joint.expected_mse > times * plan[0].expected_mse


def test_pairs_are_for_tables_of_two_out_of_many() -> None:
    assert "3 to 100" in plan_tables([3, 2], 1_000, 1.0).left_out["pairs"]
    assert "entropy" in plan_tables([3, 2, 2], 1_000, 1.0, order=3).left_out["pairs"]
    assert "cells" in plan_tables([2, 3000, 3000], 1_000, 1.0).left_out["pairs"]
    turned = plan_tables([3, 2, 4], 1_000, 1.0, tables=[[2, 0], [1]])
    m = next(one.mechanism for one in turned if one.budget == "pairs")
    assert isinstance(m, sd.SampledPairs)
    option = next(one for one in turned if one.budget == "pairs")
    assert option.errors == pytest.approx(m.expected_errors([(0, 2), (1,)], 1_000))


def test_errors_of_another_mechanism_are_refused() -> None:
    with pytest.raises(sd.WrongTypeError, match="frequency oracle"):
        table_errors(sd.Duchi(1.0, 0, 1), [2, 2], [(0, 1)], 100, "population")


def test_one_drawn_attribute_is_answered_by_the_oracle_of_least_error() -> None:
    """At 16 choices and ε = 1 GRR errs 1.9 times as much; where it errs least it is taken."""
    option = next(one for one in plan_tables([16] * 6, 12_000, 1.0) if one.budget == "sample")
    assert isinstance(option.mechanism, sd.SampledTables)
    grr = sd.MarginalRR([16] * 6, 1.0, "sample").expected_mse(12_000)
    assert option.errors == pytest.approx(grr / 1.92, rel=0.005)
    alone = sd.SubsetSelection(16, 1.0).expected_mse(2_000)
    assert option.errors[0] == pytest.approx(alone, rel=1e-3)
    two = next(one for one in plan_tables([2, 2], 10_000, 1.0) if one.budget == "sample")
    assert two.mechanism == sd.MarginalRR([2, 2], 1.0, "sample")


@pytest.mark.slow
def test_triples_are_ranked_for_tables_of_three_and_fewer() -> None:
    plan = plan_tables([5, 4, 3, 4], 10_000, 1.0, order=3)
    assert [one.budget for one in plan] == ["triples", "flat", "joint"]
    assert plan[0].mechanism == sd.SampledTables([5, 4, 3, 4], 1.0, 3)
    for order in (1, 2):
        smaller = plan_tables([2] * 6, 10_000, 2.0, order=order)
        assert "triples" in {one.budget for one in smaller}
    assert smaller[0].budget == "triples"  # yes or no: of eight cells one report tells three pairs
    assert "four" in plan_tables([2] * 5, 1_000, 1.0, order=4).left_out["triples"]
    assert "31" in plan_tables([2] * 40, 1_000, 1.0, order=2).left_out["triples"]
    assert "cells" in plan_tables([2, 200, 200, 200], 1_000, 1.0).left_out["triples"]
