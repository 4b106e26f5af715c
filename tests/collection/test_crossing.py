"""A collection's questions, crossed from whole submissions."""

from __future__ import annotations

import pytest

import sudare as sd
from sudare.collection.crossing import CrossedError
from tests.cases import cases

SURVEY = sd.Collection.from_toml("""
[collection]
name = "tea"
epsilon = 12
accept_high_epsilon = true
[[question]]
id = "tea"
type = "choice"
mechanism = "GRR"
text = "Green or black?"
choices = ["green", "black"]
prefer_not_to_say = false
[[question]]
id = "age"
type = "choice"
mechanism = "OUE"
text = "How old?"
choices = ["young", "middle", "old"]
prefer_not_to_say = false
[[question]]
id = "why"
type = "choice"
text = "Why green?"
choices = ["taste", "health"]
ask_if = { question = "tea", is = ["green"] }
[[question]]
id = "cups"
type = "number"
text = "How many?"
low = 0
high = 10
""")


def submissions(n: int) -> bytes:
    answers = [
        {"tea": "green", "age": "young", "why": "taste", "cups": 1},
        {"tea": "black", "age": "old", "cups": 2},
    ]
    each = (sd.Client(SURVEY).answer(answers[i % 2]) for i in range(n))
    return b"".join(one.payload for one in each)


def test_a_collection_crosses_its_questions() -> None:
    sent = submissions(40)
    found = SURVEY.cross(["age", "tea"], sent)
    assert found.estimate.shares.shape == (3, 2)
    assert found.estimate.n == 40
    counts = SURVEY.tally(sent)
    assert found.pairs.sum(axis=1).tolist() == counts[1].support.tolist()
    assert abs(found.estimate.shares[0, 0] - 0.5) < 6 * found.estimate.stderr[0, 0]
    reports = SURVEY.program.decode(sent)
    mechanisms = [SURVEY.questions[i].mechanism for i in (1, 0)]
    same = sd.cross(mechanisms, [reports[1], reports[0]])
    assert same.pairs.tolist() == found.pairs.tolist()


@cases("sizes", [(3, 4), (2, 2, 5)])
def test_the_error_of_a_table_is_that_of_the_product(sizes: tuple[int, ...]) -> None:
    joint = sd.JointRR(list(sizes), epsilon=[1.0] * len(sizes))
    crossed = CrossedError(tuple(sd.GRR(k, 1.0) for k in sizes), sizes)
    for target in ("population", "respondents"):
        expected = joint.expected_mse(7, target=target)
        assert crossed.expected_mse(7, target=target) == pytest.approx(expected)
    with pytest.raises(sd.DomainError, match="even ones"):
        crossed.expected_mse(7, [0.5, 0.5])


@cases("questions", [["tea"], ["tea", "tea"], ["tea", "why"], ["tea", "cups"], ["tea", "none"], []])
def test_only_choices_of_everybody_are_crossed(questions: list[str]) -> None:
    with pytest.raises(sd.DomainError, match="of tea, age"):
        SURVEY.cross(questions, submissions(2))
    with pytest.raises(sd.WrongTypeError):
        SURVEY.cross("tea", b"")
    with pytest.raises(sd.ReportError):
        SURVEY.cross(["tea", "age"], b"x")
