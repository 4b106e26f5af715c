"""The slider's texts: ε and n of a survey are written where they stand, and nothing else is."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sudare.collection import Collection
from sudare.errors import CollectionError, SudareError
from sudare.planning.redrafting import redraft
from sudare.planning.survey import plan_question
from tests.cases import cases

TEXT = """# epsilon = 9
[collection]  # of tea
name = "tea"
  epsilon = 2.0  # of all
languages = ["en"]

[[question]]
id = "brand"
type = "choice"
text = "epsilon = 3?"
choices = ["a", "b", "c"]

[[question]]
id = "own"
type = "choice"
text = "And?"
choices = ["yes", "no"]
epsilon = 0.5
"""


def test_what_is_moved_is_written_in_its_place() -> None:
    told = redraft(TEXT, epsilon="1.25", n=4000)
    head = "[collection]  # of tea\nexpected_respondents = 4000\n"
    expected = TEXT.replace("[collection]  # of tea\n", head)
    expected = expected.replace("  epsilon = 2.0  # of all", "  epsilon = 1.25  # of all")
    assert told["text"] == expected
    survey = Collection.from_toml(told["text"])
    assert (survey.epsilon, survey.expected_respondents) == (Fraction("1.25"), 4000)
    assert [question.epsilon for question in survey.questions] == [
        Fraction("0.75"),
        Fraction("0.5"),
    ]
    rows = [plan_question(one, 4000).to_json() for one in survey.questions]
    assert told["plan"] == {"n": 4000, "epsilon": "1.25", "questions": rows}
    assert told["compiled"] == survey.compiled()


def test_nothing_moved_changes_nothing() -> None:
    assert redraft(TEXT)["text"] == TEXT
    assert redraft(TEXT)["plan"]["n"] == Collection.from_toml(TEXT).expected_respondents


@cases("epsilon", ["0.4", "0", "21", "much", "1\nname = 'x'"])
def test_what_no_survey_may_have_is_refused(epsilon: str) -> None:
    with pytest.raises(SudareError):
        redraft(TEXT, epsilon=epsilon)
    with pytest.raises(SudareError):
        redraft(TEXT, n=0)


@cases("text", ["", "[collection]", "collection = { name = 'tea', epsilon = 2 }"])
def test_texts_without_a_head_of_their_own_are_refused(text: str) -> None:
    with pytest.raises(CollectionError):
        redraft(text, epsilon="1", n=10)


def test_a_head_that_is_written_otherwise_is_said_so() -> None:
    text = TEXT.replace("[collection]  # of tea", "[ collection ]")
    with pytest.raises(CollectionError, match=r"epsilon must stand in a line of its own"):
        redraft(text, epsilon="1")
