"""Questions that offer levels of ε: read, answered, paid for and published."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from in_node import ask

import sudare as sd
from sudare.collection.canonical import fingerprint
from sudare.collector.results import results_json
from sudare.collector.tallies import Snapshot
from tests.cases import cases

TEA = """
[collection]
name = "tea"
epsilon = 7.0
languages = ["en", "ja"]
[[question]]
id = "kind"
type = "choice"
text = "Which tea?"
choices = ["green", "black"]
prefer_not_to_say = false
levels = [0.5, 1.0, 3.0]
scores = [1, 2]
[[question]]
id = "people"
type = "crosstab"
text = "You"
levels = [1, 4]
[[question.attributes]]
id = "age"
text = "Your age"
choices = ["young", "old"]
[[question.attributes]]
id = "bath"
text = "Your bath"
choices = ["daily", "weekly", "seldom"]
prefer_not_to_say = false
"""
CELLS = {"age": "old", "bath": "weekly"}


def tea(text: str = TEA) -> sd.Collection:
    return sd.Collection.from_toml(text)


def answers(kind: int, people: int = 0) -> dict[str, Any]:
    return {
        "kind": {"level": kind, "answer": "black"},
        "people": {"level": people, "answer": CELLS},
    }


GAMMAS = TEA.replace("levels = [0.5, 1.0, 3.0]", "gammas = [2, 10]").replace(
    "levels = [1, 4]", "gammas = [3, 10.0]"
)


def test_levels_may_be_written_as_gamma_of_each_attribute() -> None:
    kind, people = tea(GAMMAS).questions
    assert [one.epsilon for one in kind.levels] == [Fraction("0.693147"), Fraction("2.302585")]
    assert [one.epsilon for one in people.levels] == [Fraction("2.197224"), Fraction("4.605170")]
    for one, gamma in zip(people.levels, (3, 10), strict=True):
        own = one.mechanism
        assert 0 <= gamma - max(part.gamma for part in own.parts) < 1e-5
    written = GAMMAS.replace("gammas = [3, 10.0]", "levels = [2.197224, 4.60517]")
    assert tea(written).fingerprint == tea(GAMMAS).fingerprint


@cases(
    "wrong", ["[2]", "[10, 2]", "[1, 2]", "[2, 1e9]", "[2, inf]", '["2", 3]', "3", "[2, 2.0000001]"]
)
def test_wrong_gammas_are_refused(wrong: str) -> None:
    with pytest.raises(sd.SudareError, match="gammas"):
        tea(GAMMAS.replace("gammas = [2, 10]", f"gammas = {wrong}"))


def test_gammas_stand_alone() -> None:
    with pytest.raises(sd.CollectionError, match="beside"):
        tea(GAMMAS.replace("gammas = [2, 10]", "gammas = [2, 10]\nlevels = [1, 2]"))
    with pytest.raises(sd.CollectionError, match="beside"):
        tea(GAMMAS.replace("gammas = [2, 10]", "gammas = [2, 10]\nepsilon = 1"))
    with pytest.raises(sd.CollectionError, match="beside an attribute's own"):
        tea(GAMMAS.replace('id = "bath"', 'id = "bath"\nepsilon = 0.5'))


def test_the_device_pays_for_what_was_picked() -> None:
    survey = tea()
    assert survey.submission_epsilon == 7
    client = sd.Client(survey)
    first = client.answer(answers(0))
    assert client.spent == Fraction(3, 2)
    assert client.answer(answers(0)) == first
    assert client.spent == Fraction(3, 2)
    client.answer(answers(1))  # another level is another draw, of that question alone
    assert client.spent == Fraction(5, 2)
    with pytest.raises(sd.BudgetExceeded):
        client.answer(answers(2))
    assert client.spent == Fraction(5, 2)


def test_the_level_goes_in_clear_and_the_answer_does_not() -> None:
    payloads = {sd.Client(tea()).answer(answers(1, 1)).payload for _ in range(40)}
    assert {(one[0], one[2]) for one in payloads} == {(1, 1)}
    assert {one[1] for one in payloads} == {0, 1}


@cases(
    "wrong",
    [
        "black",
        None,
        {"level": 3, "answer": "black"},
        {"level": -1, "answer": "black"},
        {"level": True, "answer": "black"},
        {"level": "0", "answer": "black"},
        {"answer": "black"},
        {"level": 0, "answer": "white"},
        {"level": 0, "answer": "black", "more": 1},
    ],
)
def test_other_answers_are_refused_and_not_shown(wrong: Any) -> None:
    client = sd.Client(tea())
    with pytest.raises(sd.CollectionError) as caught:
        client.answer({**answers(0), "kind": wrong})
    assert "white" not in str(caught.value)
    assert client.spent == 0


@cases(
    "old, new, rule",
    [
        ("levels = [0.5, 1.0, 3.0]", "levels = [0.5]", "2 to 8"),
        ("levels = [0.5, 1.0, 3.0]", "levels = [1.0, 0.5]", "must rise"),
        ("levels = [0.5, 1.0, 3.0]", "levels = [1.0, 1.0]", "must rise"),
        ("levels = [0.5, 1.0, 3.0]", 'levels = ["low", "high"]', "must be a number"),
        ("levels = [0.5, 1.0, 3.0]", "levels = [0.5, 1.0]\nepsilon = 1", "beside epsilon"),
        ("levels = [0.5, 1.0, 3.0]", "levels = [0.5, 4.0]", "at most collection.epsilon"),
        (
            "levels = [1, 4]",
            'levels = [1, 4]\nwanted = "pairs"\nmechanism = "SampledPairs"',
            "one family",
        ),
        (
            "levels = [1, 4]",
            'levels = [1, 4]\nask_if = { question = "kind", is = ["green"] }',
            "beside ask_if",
        ),
        ("levels = [1, 4]", 'ask_if = { question = "kind", is = ["green"] }', "without levels"),
        ('type = "choice"', 'type = "choices"', "are not for type choices"),
    ],
)
def test_what_cannot_be_offered_is_refused(old: str, new: str, rule: str) -> None:
    assert old in TEA
    with pytest.raises(sd.SudareError, match=rule):
        tea(TEA.replace(old, new))


def test_a_definition_without_levels_stays_as_it_was() -> None:
    plain = TEA.replace("levels = [0.5, 1.0, 3.0]", "epsilon = 3.0").replace("[1, 4]", "4")
    definition = tea(plain.replace("levels = 4", "epsilon = 4")).definition()
    assert "levels" not in json.dumps(definition)


def test_levels_of_other_choices_are_refused_by_both_sides() -> None:
    """A table whose attributes differ by level would hide what was asked."""
    document = json.loads(json.dumps(tea().compiled()))
    changed = []
    for change in (
        lambda q: q["levels"][0]["attributes"][0].update(
            choices=["old", "young", "prefer-not-to-say"]
        ),
        lambda q: q.update(epsilon="3.0"),
        lambda q: q["levels"].reverse(),
        lambda q: q["program"]["parts"].reverse(),
        lambda q: q["levels"].pop(),
    ):
        one = json.loads(json.dumps(document))
        change(one["definition"]["questions"][1])
        one["fingerprint"] = fingerprint(one["definition"])
        changed.append(one)
        with pytest.raises(sd.SudareError):
            sd.Collection.from_compiled(one)
    assert not any(one["accepted"] for one in ask("judge.js", changed))
    assert sd.Collection.from_compiled(document) is not None


def test_results_are_of_all_and_of_each_level() -> None:
    survey = tea()
    truth = {
        "kind": {"picked": [0.5, 0.3, 0.2], "truth": [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]},
        "people": {"picked": [0.4, 0.6], "truth": [None, None]},
    }
    made = sd.simulate(survey, 10**6, truth, rng=sd.Entropy.seeded(b"levels"))
    kind, people = (
        question.results(made[question.id].counts, "population", 0.95)
        for question in survey.questions
    )
    assert kind["cells"][0]["share"] == pytest.approx(0.62, abs=0.02)
    assert [one["cells"][0]["share"] for one in kind["levels"]] == pytest.approx(
        [0.9, 0.5, 0.1], abs=0.04
    )
    assert kind["mean"]["value"] == pytest.approx(1.38, abs=0.02)
    assert sum(one["n"] for one in kind["levels"]) == 10**6
    assert [one["epsilon"] for one in kind["levels"]] == pytest.approx([0.5, 1, 3], abs=1e-6)
    assert [cell["share"] for cell in people["cells"]] == pytest.approx([1 / 9] * 9, abs=0.02)
    assert people["attributes"][1]["cells"][0]["share"] == pytest.approx(1 / 3, abs=0.02)
    assert people["pairs"][0]["dependence"]["value"] is None
    assert people["levels"][1]["pairs"][0]["dependence"]["value"] is not None
    nobody = survey.questions[0].results(survey.tally(b"")[0], "population", 0.95)
    assert nobody["cells"][0]["share"] is None


def test_the_plan_tells_what_each_level_gives() -> None:
    kind, _ = sd.planning.plan_collection(tea(), n=4000)
    assert list(kind.half_width_levels) == [0.5, 1.0, 3.0]
    widths = list(kind.half_width_levels.values())
    assert widths == sorted(widths, reverse=True)
    assert widths[2] < kind.half_width < widths[0]
    assert kind.to_json()["half_width_95_levels"]["0.5"] == widths[0]


def test_alarms_are_of_each_level() -> None:
    """A level whose reports are all the same is noticed, though they are few among all."""
    survey = tea()
    honest = b"".join(sd.Client(survey).answer(answers(i % 2)).payload for i in range(60))
    flood = sd.Client(survey).answer(answers(2)).payload * 400
    none = survey.tally(b"")
    for sent, raised in ((honest, False), (honest + flood, True)):
        seen = Snapshot(survey.tally(sent), (None, None), None, False, none)
        kind = results_json(survey, seen, target="population", confidence=0.95)["questions"][0]
        assert [one["alarms"]["raised"] for one in kind["levels"]] == [False, False, raised]
        assert kind["alarms"]["raised"] == raised
