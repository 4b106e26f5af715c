"""Crosstabs of which the cells are wanted: the whole answer as one category."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Crosstab
from sudare.collection.canonical import fingerprint
from sudare.collection.questions.chances import of_choice
from sudare.estimation import as_table
from sudare.mechanisms.table_errors import table_errors
from sudare.planning.survey import plan_collection
from tests.cases import cases

BATH = """
[collection]
name = "bath"
epsilon = 2.0
expected_respondents = 20000
[[question]]
id = "habit"
type = "crosstab"
wanted = "cells"
text = "You and your bath"
[[question.attributes]]
id = "age"
text = "Your age"
choices = ["young", "middle", "old"]
[[question.attributes]]
id = "often"
text = "How often?"
choices = ["daily", "rarely"]
prefer_not_to_say = false
"""
TYPE = 'type = "crosstab"'
TRUE = [[500, 90], [400, 300], [80, 700], [20, 10]]
ORACLES = ("GRR", "OUE", "SUE", "DyadicUnary", "SubsetSelection", "HadamardResponse")


def habit(text: str = BATH) -> Crosstab:
    question = sd.Collection.from_toml(text).questions[0]
    assert isinstance(question, Crosstab)
    return question


def named(mechanism: str) -> str:
    return BATH.replace(TYPE, f'{TYPE}\nmechanism = "{mechanism}"')


def test_the_least_exact_error_is_taken() -> None:
    for epsilon in (0.01, 0.5, 1.0, 2.0, 4.0, 9.0):
        question = habit(BATH.replace("= 2.0", f"= {epsilon}"))
        names = Crosstab.candidates[1]
        errors = []
        for name in names:
            joint = name == "JointRR"
            m = (
                sd.JointRR([4, 2], epsilon=[epsilon / 2] * 2)
                if joint
                else getattr(sd, name)(8, epsilon)
            )
            errors.append(table_errors(m, [4, 2], [(0, 1)], 20_000, "population")[0])
        assert question.mechanism.expected_mse(20_000) == pytest.approx(min(errors), rel=1e-5)
        assert question.epsilon == Fraction(str(epsilon))


def test_what_is_not_asked_for_stays() -> None:
    plain = habit(BATH.replace('wanted = "cells"\n', ""))
    assert plain.mechanism == sd.JointRR([4, 2], epsilon=[1.0, 1.0])
    assert plain.wanted is None
    assert "wanted" not in plain.definition()
    with pytest.raises(sd.CollectionError, match="mechanism is not a field"):
        habit(named("OUE").replace('wanted = "cells"\n', ""))


def test_it_is_read_and_compiled() -> None:
    for text in (BATH, *map(named, (*ORACLES, "JointRR", "auto"))):
        c = sd.Collection.from_toml(text)
        document = json.loads(json.dumps(c.compiled()))
        told = document["definition"]["questions"][0]
        assert told["wanted"] == "cells"
        joint = told["mechanism"]["name"] == "JointRR"
        assert all(("epsilon" in one) is joint for one in told["attributes"])
        again = sd.Collection.from_compiled(document)
        assert again == c
        assert again.compiled() == c.compiled()
    assert habit(named("JointRR")).part_epsilons == pytest.approx({"age": 1, "often": 1}, abs=1e-5)
    assert habit().part_epsilons == {}


@cases(
    "change, argument",
    [
        (('"cells"', '"all"'), "question[0].wanted"),
        (('"cells"', "3"), "question[0].wanted"),
        (('"cells"', '["cells"]'), "question[0].wanted"),
        ((TYPE, f'{TYPE}\nmechanism = "PrivKV"'), "question[0].mechanism"),
        ((TYPE, f'{TYPE}\nmechanism = "NegativeSurvey"'), "question[0].mechanism"),
        ((TYPE, f"{TYPE}\nmechanism = 3"), "question[0].mechanism"),
        (('id = "often"', 'id = "often"\nepsilon = 0.5'), "question[0].attributes[1].epsilon"),
        (('id = "often"', 'id = "often"\nmechanism = "GRR"'),
         "question[0].attributes[1].mechanism"),
    ])  # fmt: skip
def test_broken_definitions_name_the_field(change: tuple[str, str], argument: str) -> None:
    with pytest.raises(sd.SudareError) as caught:
        habit(BATH.replace(*change))
    assert caught.value.argument == argument


@cases(
    "path, value",
    [
        (("wanted",), None),
        (("wanted",), "all"),
        (("wanted",), 3),
        (("attributes", 0, "epsilon"), "1.0"),
        (("attributes", 0, "choices"), ["young", "old", "prefer-not-to-say"]),
        (("mechanism", "k"), 9),
        (("mechanism", "epsilon"), "2.1"),
        (("mechanism", "name"), "OUE"),
        (("program", "k"), 9),
        (("program", "own"), "ffffffff"),
        (("epsilon",), "1.9"),
    ],
)
def test_a_tampered_document_is_refused(path: tuple[Any, ...], value: Any) -> None:
    document = json.loads(json.dumps(sd.Collection.from_toml(BATH).compiled()))
    inner = document["definition"]["questions"][0]
    for step in path[:-1]:
        inner = inner[step]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.SudareError):
        sd.Collection.from_compiled(document)


def test_an_answer_is_one_cell() -> None:
    question = habit()
    every = product(("young", "middle", "old", "prefer-not-to-say"), ("daily", "rarely"))
    values = [question.encode({"age": age, "often": often}) for age, often in every]
    assert values == list(range(8))
    for bad in ({"age": "old"}, {"age": "old", "often": 1}, None, 3, {"age": "old", "often": "x"}):
        with pytest.raises(sd.CollectionError, match=r"answers\.habit"):
            question.encode(bad)
    c = sd.Collection.from_toml(named("GRR").replace("= 2.0", "= 20.0\naccept_high_epsilon = true"))
    client = sd.Client(c, cap=20)
    first = client.answer({"habit": {"age": "old", "often": "rarely"}})
    assert first.payload == bytes([5])  # at ε = 20 next to surely
    assert client.answer({"habit": {"often": "rarely", "age": "old"}}) == first
    (counts,) = c.tally(first.payload)
    assert counts.support.tolist() == [0, 0, 0, 0, 0, 1, 0, 0]


@cases("target", ["population", "respondents"])
@cases("name", ORACLES)
def test_results_are_sums_of_cells(name: str, target: Any) -> None:
    question = habit(named(name))
    counts = question.mechanism.simulate(np.ravel(TRUE), rng=sd.Entropy.seeded(b"cells"))
    told = question.results(counts, target, 0.9)
    json.dumps(told, allow_nan=False)
    table = as_table(question.mechanism.estimate(counts, target=target), [4, 2])
    for part, cells in (
        (table, told["cells"]),
        (table, told["pairs"][0]["cells"]),
        (table.marginal(0), told["attributes"][0]["cells"]),
        (table.marginal(1), told["attributes"][1]["cells"]),
    ):
        figures = (part.shares, part.stderr, *part.interval(0.9))
        for name_, expected in zip(("share", "stderr", "low", "high"), figures, strict=True):
            assert [cell[name_] for cell in cells] == expected.ravel().tolist()
    assert told["cells"][4]["choices"] == ("old", "daily")
    assert told["attributes"][0]["epsilon"] == question.mechanism.epsilon
    found = told["pairs"][0]["dependence"]
    assert found["value"] == table.dependence().value
    assert (found["low"], found["high"]) == table.dependence().interval(0.9)


@cases("n", [0, 1, 2])
def test_hardly_any_reports(n: int) -> None:
    for name in ("GRR", "OUE", "SubsetSelection"):
        question = habit(named(name))
        reports = question.mechanism.perturb([5] * n) if n else None
        counts = (
            question.mechanism.aggregate(reports)
            if reports is not None
            else sd.Collection.from_toml(named(name)).tally(b"")[0]
        )
        told = question.results(counts, "population", 0.95)
        json.dumps(told, allow_nan=False)
        assert (told["cells"][0]["share"] is None) == (n == 0)
        assert (told["attributes"][1]["cells"][0]["share"] is None) == (n == 0)


def test_the_largest_table_has_every_part() -> None:
    head = BATH.split("[[question.attributes]]")[0]
    for i, size in enumerate((22, 22, 20)):
        choices = ", ".join(f'"c{c}"' for c in range(size))
        head += f'[[question.attributes]]\nid = "a{i}"\ntext = "x"\nchoices = [{choices}]\n'
        head += "prefer_not_to_say = false\n"
    question = habit(head)
    assert question.mechanism.name in ("DyadicUnary", "OUE")  # subset selection ends at 4,096
    counts = question.mechanism.simulate(np.full(9680, 5), rng=sd.Entropy.seeded(b"large"))
    told = question.results(counts, "population", 0.95)
    assert [len(pair["cells"]) for pair in told["pairs"]] == [484, 440, 440]
    assert sum(cell["share"] for cell in told["attributes"][0]["cells"]) == pytest.approx(
        sum(cell["share"] for cell in told["cells"])
    )


def test_the_chances_are_those_of_one_of_all_cells() -> None:
    for name in ORACLES:
        question = habit(named(name))
        assert question.chances() == of_choice(question.mechanism.program, 8)


def test_a_plan_shows_it() -> None:
    (plan,) = plan_collection(sd.Collection.from_toml(BATH), 1000)
    assert plan.mechanism == habit().mechanism.name
    assert plan.attribute_epsilons == {}
    assert plan.stderr**2 == pytest.approx(habit().mechanism.expected_mse(1000))
