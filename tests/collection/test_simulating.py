"""Respondents of a whole collection, made up by exact laws of counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection.figures import question_json
from sudare.collection.simulating import MOST
from tests.cases import cases

N = 10**9
SURVEY = """
[collection]
name = "all"
epsilon = 9
expected_respondents = 1000000
[[question]]
id = "smokes"
type = "choice"
mechanism = "GRR"
text = "Do you smoke?"
choices = ["yes", "no", "once"]
prefer_not_to_say = false
[[question]]
id = "brand"
type = "choice"
text = "Which?"
choices = ["a", "b", "c", "d"]
prefer_not_to_say = false
ask_if = { question = "smokes", is = ["yes"] }
[[question]]
id = "drinks"
type = "choices"
text = "Which?"
choices = ["coffee", "tea", "water"]
most = 2
prefer_not_to_say = false
[[question]]
id = "apart"
type = "crosstab"
text = "You"
wanted = "cells"
attributes = [
  { id = "age", text = "A", choices = ["young", "old"], prefer_not_to_say = false },
  { id = "bath", text = "B", choices = ["daily", "weekly", "never"], prefer_not_to_say = false },
]
[[question]]
id = "margins"
type = "crosstab"
text = "You"
wanted = "margins"
mechanism = "MarginalRR"
attributes = [
  { id = "age", text = "A", choices = ["young", "old"], prefer_not_to_say = false },
  { id = "bath", text = "B", choices = ["daily", "weekly", "never"], prefer_not_to_say = false },
]
[[question]]
id = "sleep"
type = "number"
text = "Hours?"
low = 0
high = 14
wanted = "mean"
[[question]]
id = "way"
type = "number"
text = "Minutes?"
low = 0
high = 80
bins = 8
wanted = "distribution"
ask_if = { question = "smokes", is = ["no", "once"] }
[[question]]
id = "walk"
type = "place"
text = "Where?"
origin = [35.65, 139.70]
cell_height = 250
cell_width = 250
rows = 3
columns = 3
epsilon_per_metre = "0.01"
[[question]]
id = "shelf"
type = "ratings"
text = "Which?"
items = ["green", "black"]
scale = 5
"""
TABLE = [[0.1, 0.2, 0.15], [0.25, 0.05, 0.25]]
TRUTH: dict[str, Any] = {
    "smokes": [0.2, 0.7, 0.1],
    "brand": [0.4, 0.3, 0.2, 0.1],
    "drinks": [0.7, 0.5, 0.1],
    "apart": TABLE,
    "margins": TABLE,
    "sleep": {"values": [5, 7, 8.5], "shares": [0.2, 0.5, 0.3]},
    "way": [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05],
    "walk": [0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.0],
    "shelf": {"frequency": [0.8, 0.3], "level": [4.0, 2.0]},
}


@pytest.fixture(scope="module")
def survey() -> sd.Collection:
    return sd.Collection.from_toml(SURVEY)


def distances(survey: sd.Collection, truth: dict[str, Any], made: dict[str, Any]) -> list[float]:
    """Return how far figures are from the truth, in their standard errors."""
    counts = tuple(one.counts for one in made.values())
    found = {
        question.id: question_json(survey, i, counts, target="population", confidence=0.95)
        for i, question in enumerate(survey.questions)
    }
    shelf, table = truth["shelf"], np.array(truth["apart"])
    ways = ("smokes", "brand", "drinks", "way", "walk")
    cells = {name: found[name].get("cells") or found[name]["histogram"] for name in ways}
    pairs = [pair for name in ways for pair in zip(cells[name], truth[name], strict=True)]
    pairs += zip(found["apart"]["cells"], table.ravel(), strict=True)
    for attribute, true in zip(found["margins"]["attributes"], (1, 0), strict=True):
        pairs += zip(attribute["cells"], table.sum(axis=true), strict=True)
    for name in ("brand", "way"):
        yes = truth["smokes"][0]
        pairs.append((found[name]["asked"], yes if name == "brand" else 1 - yes))
    pairs.append((found["sleep"]["mean"], float(np.dot(*truth["sleep"].values()))))
    for kind in ("frequency", "level"):
        pairs += zip([one[kind] for one in found["shelf"]["items"]], shelf[kind], strict=True)
    return [
        abs(one.get("share", one.get("value")) - true) / (one["high"] - one["low"]) * 2 * 1.96
        for one, true in pairs
    ]


def test_a_thousand_million_people_answer_every_type(survey: sd.Collection) -> None:
    """Each of 40 figures within 6.2 standard errors: a false alarm in 4 * 10^7 runs."""
    made = sd.simulate(survey, N, TRUTH)
    assert {one.counts.n for one in made.values()} == {N}
    found = distances(survey, TRUTH, made)
    assert len(found) > 35
    assert max(found) < 6.2
    asked = made["brand"].asked
    assert asked == made["smokes"].held[0] == made["brand"].held.sum()
    assert asked + made["way"].asked == N


@pytest.mark.parametrize("name", [name for name in TRUTH if name not in ("margins", "shelf")])
def test_another_truth_would_be_noticed(survey: sd.Collection, name: str) -> None:
    told = TRUTH[name]
    if name == "sleep":
        other: Any = {"values": told["values"], "shares": [0.201, 0.5, 0.299]}
    else:
        flat = np.array(told)
        flat.flat[0], flat.flat[1] = flat.flat[0] + 0.002, flat.flat[1] - 0.002
        other = flat
    assert max(distances(survey, TRUTH, sd.simulate(survey, N, TRUTH | {name: other}))) > 6.2


def test_even_answers_are_those_of_who_is_not_asked(survey: sd.Collection) -> None:
    """Where nothing is told, and of a question that nobody is asked."""
    even = sd.simulate(survey, N, rng=sd.Entropy.seeded(b"even"))
    nobody = sd.simulate(survey, N, {"smokes": [0.0, 1.0, 0.0]}, rng=sd.Entropy.seeded(b"none"))
    assert nobody["brand"].asked == 0
    assert nobody["brand"].counts.n == N
    mechanism: Any = survey.questions[1].mechanism
    for made in (even, nobody):
        estimate = mechanism.estimate(made["brand"].counts)
        assert np.abs(estimate.shares - 0.25).max() < 6.2 * estimate.stderr.max()
    mean: Any = survey.questions[5].mechanism
    found = mean.estimate(even["sleep"].counts).mean
    assert abs(found.value - 7) < 6.2 * found.stderr


def test_one_person_and_a_seed(survey: sd.Collection) -> None:
    one = sd.simulate(survey, 1, TRUTH, rng=sd.Entropy.seeded(b"one"))
    again = sd.simulate(survey, 1, TRUTH, rng=sd.Entropy.seeded(b"one"))
    for name, made in one.items():
        assert made.counts.n == 1
        assert np.array_equal(made.counts.support, again[name].counts.support)


def test_everybody_may_tick_as_many_as_are_allowed(survey: sd.Collection) -> None:
    made = sd.simulate(survey, 1000, TRUTH | {"drinks": [1.0, 0.5, 0.5]})["drinks"]
    assert made.held.sum() <= 2000


@cases(
    "n, truth, error, text",
    [
        (0, None, sd.DomainError, "n"),
        (MOST + 1, None, sd.DomainError, "n"),
        (1.5, None, sd.WrongTypeError, "n"),
        (5, [0.5, 0.5], sd.WrongTypeError, "truth"),
        (5, {"nothing": [1.0]}, sd.DomainError, "questions of the collection"),
        (5, {"smokes": [0.5, 0.5]}, sd.SudareError, "smokes"),
        (5, {"smokes": [0.9, 0.9, 0.9]}, sd.DomainError, "sum to 1"),
        (5, {"smokes": [math.nan, 1, 0]}, sd.DomainError, "smokes"),
        (5, {"drinks": [1.0, 1.0, 1.0]}, sd.DomainError, "at most 2"),
        (5, {"sleep": [0.5, 0.5]}, sd.WrongTypeError, "values and shares"),
        (5, {"sleep": {"values": [1, 2], "shares": [1.0]}}, sd.DomainError, "one number"),
        (5, {"sleep": {"values": [99], "shares": [1.0]}}, sd.DomainError, "sleep"),
        (5, {"shelf": {"frequency": [0.5, 0.5], "level": [9, 1]}}, sd.DomainError, "shelf"),
        (5, {"walk": "here"}, sd.WrongTypeError, "walk"),
    ],
)
def test_what_is_wrong_is_refused(
    survey: sd.Collection, n: Any, truth: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        sd.simulate(survey, n, truth)
