from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import sudare as sd
from sudare.planning import plan_collection
from tests.cases import cases

SURVEY = sd.Collection.from_toml("""
[collection]
name = "two"
epsilon = 2.0
epsilon_cap = 4.0
expected_respondents = 5000

[[question]]
id = "tea"
type = "choice"
text = "Which tea?"
choices = ["oi-ocha", "iyemon", "ayataka"]

[[question]]
id = "model"
type = "choice"
epsilon = 0.5
mechanism = "OUE"
text = "Which model?"
choices = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
""")


def test_each_question_by_its_own_mechanism() -> None:
    plan = plan_collection(SURVEY)
    assert [(q.id, q.mechanism, q.report_bytes) for q in plan] == [
        ("tea", "GRR", 1),
        ("model", "OUE", 2),
    ]
    assert (plan.n, plan.epsilon, plan.epsilon_cap) == (5000, 2, 4)
    assert plan.report_bytes == 3
    for question, row in zip(SURVEY.questions, plan, strict=True):
        mse = question.mechanism.expected_mse(5000)
        assert row.stderr == math.sqrt(mse)
        assert row.half_width == pytest.approx(1.959964 * row.stderr)
        assert row.epsilon == question.mechanism.epsilon


@pytest.mark.slow
def test_the_numbers_needed_make_the_width_typical() -> None:
    stated = plan_collection(SURVEY)
    for i, width in ((0, 0.01), (1, 0.02), (0, 0.05)):
        needed = stated[i].respondents_for[width]
        assert plan_collection(SURVEY, n=needed)[i].half_width <= width * (1 + 1e-9)
        assert plan_collection(SURVEY, n=needed - 1)[i].half_width > width * (1 - 1e-9)


def test_n_and_target_can_be_other_ones() -> None:
    few = plan_collection(SURVEY, n=50, target="respondents")
    assert few.n == 50
    assert few[0].stderr < plan_collection(SURVEY, n=50)[0].stderr
    assert few.to_frame("pyarrow").num_rows == 2


def test_epsilon_is_what_a_submission_spends() -> None:
    plan = plan_collection(
        sd.Collection.from_toml(
            '[collection]\nname = "t"\nepsilon = 3\n[[question]]\nid = "q"\ntype = "choice"\n'
            'text = "?"\nepsilon = 1.25\nchoices = ["a", "b"]\n'
        )
    )
    assert plan.epsilon == Fraction(5, 4)


@cases(
    "arguments, name",
    [
        ((None,), "collection"),
        (("survey.toml",), "collection"),
        ((SURVEY, 0), "n"),
        ((SURVEY, 1.5), "n"),
        ((SURVEY, True), "n"),
        ((SURVEY, 5, "everybody"), "target"),
    ],
)
def test_bad_plans(arguments: tuple[Any, ...], name: str) -> None:
    with pytest.raises(sd.SudareError) as caught:
        plan_collection(*arguments)
    assert caught.value.argument == name


OLD = """
[collection]
name = "old"
epsilon = 1.0
[[question]]
id = "tea"
type = "choice"
text = "Which tea?"
choices = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
[[question]]
id = "named"
type = "choice"
mechanism = "GRR"
text = "Which?"
choices = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
"""


def test_what_a_newer_auto_would_take() -> None:
    old, newer = (sd.Collection.from_toml(OLD, auto=auto) for auto in (None, 2))
    assert (old.auto, newer.auto) == (1, 2)
    found = plan_collection(old, newer=newer)
    (one,) = found.newer  # of the question that names its mechanism nothing is told
    later = plan_collection(newer)[0]
    assert (one.id, one.auto, one.mechanism) == ("tea", 2, later.mechanism)
    assert one.half_width == later.half_width < found[0].half_width
    assert found.to_json()["newer_auto"] == [one.to_json()]
    assert plan_collection(old).newer == plan_collection(newer, newer=newer).newer == ()
