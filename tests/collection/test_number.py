"""Numbers in a collection: read, answered, remembered, tallied, published."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Number
from sudare.collection.canonical import fingerprint
from sudare.planning.survey import plan_collection
from tests.cases import cases

SLEEP = """
[collection]
name = "sleep"
epsilon = 2.0
epsilon_cap = 8.0
languages = ["en", "ja"]
[[question]]
id = "hours"
type = "number"
text = { en = "How many hours?", ja = "何時間？" }
low = -0.5
high = 24
"""


def collection(text: str = SLEEP) -> sd.Collection:
    return sd.Collection.from_toml(text)


def hours(text: str = SLEEP) -> Number:
    question = collection(text).questions[0]
    assert isinstance(question, Number)
    return question


def test_it_is_read_and_compiled() -> None:
    c, question = collection(), hours()
    assert question.mechanism == sd.Hybrid(2.0, -0.5, 24)
    assert (question.low, question.high) == (Fraction(-1, 2), 24)
    document = json.loads(json.dumps(c.compiled()))
    told = document["definition"]["questions"][0]
    assert (told["low"], told["high"], told["epsilon"]) == ("-0.5", "24.0", "2.0")
    assert told["program"]["kind"] == "round"
    assert sd.Collection.from_compiled(document) == c
    assert document["texts"]["questions"]["hours"]["text"]["ja"] == "何時間？"
    assert collection(SLEEP.replace("-0.5", "-0.6")).fingerprint != c.fingerprint
    assert collection(SLEEP.replace("How many", "So many")).fingerprint == c.fingerprint


@cases("epsilon, kind", [(0.5, sd.Duchi), (1.0, sd.Hybrid), (4.0, sd.Hybrid), (12.0, sd.Piecewise)])
def test_auto_takes_the_least_worst_noise(epsilon: float, kind: Any) -> None:
    text = SLEEP.replace("2.0", str(epsilon))
    text = text.replace("8.0", "12.0\naccept_high_epsilon = true")
    question = hours(
        SLEEP.replace("2.0", str(epsilon)).replace("8.0", "12.0\naccept_high_epsilon = true")
    )
    assert type(question.mechanism) is kind
    for name in ("Duchi", "Piecewise", "Hybrid"):
        other = hours(text + f'mechanism = "{name}"\n').mechanism
        assert other.name == name
        least = question.mechanism.expected_mse(1, target="respondents")
        assert least <= other.expected_mse(1, target="respondents")


@cases(
    "old, new",
    [
        ("low = -0.5\n", ""),
        ("high = 24\n", ""),
        ("low = -0.5", "low = 24"),
        ("low = -0.5", "low = 25"),
        ("low = -0.5", "low = true"),
        ("low = -0.5", 'low = "0"'),
        ("low = -0.5", "low = nan"),
        ("low = -0.5", "low = -inf"),
        ("high = 24", "high = 1e10"),
        ("high = 24", "high = [1]"),
        ("high = 24", "high = 24\nstep = 1"),
        ("high = 24", 'high = 24\nmechanism = "GRR"'),
        ("high = 24", "high = 24\nmechanism = 3"),
        ("high = 24", 'high = 24\nmechanism = "SquareWave"'),
        ("high = 24", "high = 24\nepsilon = 0"),
    ],
)
def test_broken_tables_are_refused(old: str, new: str) -> None:
    with pytest.raises(sd.SudareError):
        collection(SLEEP.replace(old, new))


def test_a_changed_definition_is_refused() -> None:
    document = json.loads(json.dumps(collection().compiled()))

    def change(**fields: Any) -> dict[str, Any]:
        definition = json.loads(json.dumps(document["definition"]))
        definition["questions"][0].update(fields)
        return {**document, "definition": definition, "fingerprint": fingerprint(definition)}

    own = document["definition"]["questions"][0]
    for fields in (
        {"low": "0.0"},
        {"low": -0.5},
        {"high": None},
        {"mechanism": {}},
        {"mechanism": None},
        {"mechanism": sd.GRR(3, 2.0).to_json()},
        {"mechanism": sd.Hybrid(2.1, -0.5, 24).to_json()},
        {"mechanism": {**own["mechanism"], "low": "0.0"}},
        {"mechanism": {**own["mechanism"], "bins": 3}},
        {"program": {**own["program"], "steps": "1"}},
        {"epsilon": "1.0"},
        {"id": 3},
    ):
        with pytest.raises(sd.SudareError):
            sd.Collection.from_compiled(change(**fields))


def test_answers_become_positions_and_reports() -> None:
    question = hours()
    assert [question.encode(x) for x in (-0.5, 24, 11.75, Fraction(47, 4))] == [
        0, 2**31, 2**30, 2**30,
    ]  # fmt: skip
    wider = hours(SLEEP.replace("-0.5", "-4").replace("high = 24", "high = 24.5"))
    assert [wider.encode(x) for x in (0.1, 7.3, 23.999999999, -3.9999999999, 1 / 3)] == [
        308936244, 851458429, 2109808496, 0, 326517982,  # as in the browser
    ]  # fmt: skip
    one = question.randomise(2**30, sd.Entropy.seeded(b"one"))
    report = question.mechanism.perturb_one(11.75, entropy=sd.Entropy.seeded(b"one"))
    assert one == question.mechanism.program.encode_one(report)
    with pytest.raises(sd.DomainError, match="index"):
        question.randomise(3, index=0)


@cases(
    "answer",
    [None, "7.25", True, float("nan"), float("inf"), -0.75, 24.001, 10**400, [7.25], {}, 7.25j],
)
def test_bad_answers_are_refused_and_not_shown(answer: object) -> None:
    with pytest.raises(sd.CollectionError, match=r"answers.hours must be a number") as caught:
        sd.Client(collection()).answer({"hours": answer})
    assert not any(text in str(caught.value) for text in ("7.25", "24.001", "0.75", "000"))


def test_the_same_answer_is_the_same_report() -> None:
    client = sd.Client(collection())
    first = client.answer({"hours": 7.5})
    assert client.answer({"hours": 7.5}) == first
    assert float(client.spent) == 2.0
    client.answer({"hours": 8})
    assert float(client.spent) == 4.0


def test_results_are_the_mean() -> None:
    question = hours()
    empty = sd.Counts(np.zeros(question.mechanism.shape, dtype=int), 0)
    assert question.results(empty, "population", 0.95) == {
        "method": "unbiased",
        "mean": {"value": None, "stderr": None, "low": None, "high": None},
        "warnings": [],
    }
    counts = question.mechanism.simulate([6, 8], [10, 10], rng=sd.Entropy.seeded(b"results"))
    told = json.loads(json.dumps(question.results(counts, "respondents", 0.9)))
    mean = question.mechanism.estimate(counts, target="respondents").mean
    assert told["mean"]["value"] == mean.value
    assert (told["mean"]["low"], told["mean"]["high"]) == mean.interval(0.9)
    assert told["warnings"] == [{"code": "few-reports"}]


def test_it_is_planned_in_shares_of_the_range() -> None:
    (plan,) = plan_collection(collection(), n=1000)
    assert plan.stderr**2 == pytest.approx(sd.Hybrid(2.0, 0, 1).expected_mse(1000))
    assert plan.report_bytes == 1
    assert plan.epsilon == pytest.approx(2.0)
