"""Questions of every type that not everybody is asked, and chains of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from in_node import ask
from test_strict import sealed

import sudare as sd
from sudare.collection.figures import FEW_ASKED, question_json
from sudare.collection.questions import parse, restore
from sudare.collection.questions.tables import AmongAsked
from sudare.estimation.conditional import ConditionalShare, among_asked
from sudare.exact import Entropy
from sudare.mechanisms.number.mean import STEPS
from tests.cases import cases

CHAIN = """
[collection]
name = "chain"
epsilon = 9.0
auto = 3
[[question]]
id = "smokes"
type = "choice"
text = "?"
choices = ["yes", "no"]
mechanism = "GRR"
[[question]]
id = "brand"
type = "choice"
text = "?"
choices = ["a", "b", "c"]
mechanism = "GRR"
ask_if = { question = "smokes", is = ["yes"] }
[[question]]
id = "last"
text = "?"
ask_if = { question = "brand", is = ["a", "c"] }
"""
ATTRIBUTES = "".join(
    f'[[question.attributes]]\nid = "{one}"\ntext = "?"\nchoices = ["1", "2"]\n' for one in "uvw"
)
PLACE = """
type = "place"
origin = [35.65, 139.7]
cell_height = 250
cell_width = 250
rows = 3
columns = 3
land = ["##.", "###", "###"]
epsilon_per_metre = "0.02"
"""
DISTRIBUTION = 'type = "number"\nlow = 0\nhigh = 16\nwanted = "distribution"\nbins = 16\n'
RATINGS = 'type = "ratings"\nitems = ["x", "y"]\nscale = 5\n'
CELLS = 'type = "crosstab"\nwanted = "cells"\n'
KINDS: dict[str, tuple[str, list[Any]]] = {
    "scale": ('type = "choice"\nchoices = ["1", "2", "3"]\nscores = [1, 2, 3]\n', ["3", "2"]),
    "choices": ('type = "choices"\nchoices = ["x", "y", "z"]\n', [["x", "y"], ["y"]]),
    "mean": ('type = "number"\nlow = 0\nhigh = 10\n', [8, 9.5]),
    "distribution": (DISTRIBUTION, [3.5, 4.5]),
    "wave": (DISTRIBUTION + 'mechanism = "SquareWave"\n', [3.5, 4.5]),
    "edges": ('type = "number"\nwanted = "distribution"\nedges = [0, 1, 5, 10]\n', [0.5, 3]),
    "ratings": (RATINGS, [{"x": 5, "y": None}, {"x": 3, "y": None}]),
    "apart": ('type = "crosstab"\n' + ATTRIBUTES, [{"u": "1", "v": "2", "w": "2"}]),
    "cells": (CELLS + ATTRIBUTES, [{"u": "1", "v": "2", "w": "2"}]),
    "pairs": (
        'type = "crosstab"\nwanted = "pairs"\nmechanism = "SampledPairs"\n' + ATTRIBUTES,
        [{"u": "1", "v": "2", "w": "2"}, {"u": "2", "v": "2", "w": "1"}],
    ),
    "place": (PLACE, [4, 5]),
}
"""By name the fields of a question, and what those who are asked it answer in turn."""


def chained(kind: str) -> sd.Collection:
    return sd.Collection.from_toml(CHAIN + KINDS[kind][0])


def collected(collection: sd.Collection, answers: list[dict[str, Any]]) -> Any:
    """Return the counts of answers, what is not asked drawn, from one stream of entropy."""
    entropy, wires = Entropy.seeded(b"asked: " + collection.questions[-1].id.encode()), []
    for given in answers:
        asked = {question.id for question in collection.asked(given)}
        for question in collection.questions:
            own = question.id in asked
            value = question.encode(given[question.id]) if own else question.unasked(entropy)
            wires.append(question.randomise(value, entropy))
    return collection.tally(b"".join(wires))


def figures(data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield all figures with an interval."""
    if isinstance(data, list):
        for i, one in enumerate(data):
            yield from figures(one, (*path, str(i)))
    elif isinstance(data, dict):
        if isinstance(data.get("low"), float):
            yield path, data
        for name, one in data.items():
            yield from figures(one, (*path, name))


# -- one kind of people, of whom all is known ----------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_figures_are_of_those_asked_upon_a_chain(kind: str) -> None:
    """Those of the same question, asked of the same 600 alone, lie in intervals of 99.99 %."""
    collection, answers = chained(kind), KINDS[kind][1]
    assert sd.Collection.from_compiled(collection.compiled()) == collection
    people = [
        {"smokes": "yes", "brand": "ac"[i % 2], "last": answers[i % len(answers)]}
        for i in range(600)
    ]
    others = [{"smokes": "yes", "brand": "b"}, {"smokes": "no"}] * 300
    counts = collected(collection, people + others)
    alone = replace(collection.questions[2], ask_if=None)
    sure = collected(replace(collection, questions=(alone,)), people)
    for target in sd.estimation.estimate.TARGETS:
        found = question_json(collection, 2, counts, target=target, confidence=0.9999)
        assert found["method"] == "among-asked"
        assert found["asked"]["low"] < 0.5 < found["asked"]["high"]
        told = dict(figures({name: one for name, one in found.items() if name != "asked"}))
        truth = dict(figures(alone.results(sure[0], target, 0.9999)))
        few = ("mean", "level", "dependence")  # of what is rare it may be known or not
        missing = {path for path in set(told) ^ set(truth) if path[-1] not in few}
        assert not missing
        for path in set(told) & set(truth):
            one = told[path]
            low, high = truth[path]["low"], truth[path]["high"]
            assert one["low"] <= high, path
            assert one["high"] >= low, path
    json.dumps(found, allow_nan=False)


@cases("kind", KINDS)
def test_nothing_is_said_where_few_are_asked(kind: str) -> None:
    collection = chained(kind)
    counts = collected(collection, [{"smokes": "no"}] * 40)
    found = question_json(collection, 2, counts, target="population", confidence=0.95)
    assert found["warnings"] == [{"code": FEW_ASKED}]
    assert found["asked"]["share"] < 0.2
    assert not dict(figures({name: one for name, one in found.items() if name != "asked"}))
    nobody = [sd.Counts(np.zeros_like(one.support), 0, one.mechanism) for one in counts]
    none = question_json(collection, 2, tuple(nobody), target="population", confidence=0.95)
    assert (none["warnings"], none["asked"]["share"]) == ([], None)


def test_an_answer_that_was_not_asked_for_says_nothing() -> None:
    collection = chained("mean")
    for given, ids in (
        ({"smokes": "yes", "brand": "a", "last": 1}, "smokes brand last"),
        ({"smokes": "yes", "brand": "b"}, "smokes brand"),
        ({"smokes": "no", "brand": "a"}, "smokes"),
    ):
        assert " ".join(one.id for one in collection.asked(given)) == ids
    with pytest.raises(sd.CollectionError, match="that is asked once"):
        sd.Client(collection).answer({"smokes": "no", "brand": "a", "last": 1})


def test_a_type_that_draws_nothing_asks_everybody() -> None:
    """The browser refuses what Python does; a field that a type does not know stays unknown."""

    class Odd(type(chained("mean").questions[2])):
        type = "odd"
        unasked = sd.collection.questions.Question.unasked

    table = {"id": "x", "type": "odd", "text": "?", "low": 0, "high": 1}
    rule = {"question": "smokes", "is": ["yes"]}
    assert parse(table, "question[0]", Fraction(1), 100, ("en",)).ask_if is None
    with pytest.raises(sd.CollectionError, match=r"question\[0\].ask_if"):
        parse({**table, "ask_if": rule}, "question[0]", Fraction(1), 100, ("en",))
    data = {**parse(table, "", Fraction(1), 100, ("en",)).definition(), "ask_if": rule}
    with pytest.raises(sd.CollectionError, match="does not compile"):
        restore(data, {}, "question[0]")
    good = chained("mean").compiled()
    forged = copy.deepcopy(good)
    forged["definition"]["questions"][1]["ask_if"] = {"question": "last", "is": ["a"]}
    assert [one["accepted"] for one in ask("judge.js", [good, sealed(forged)])] == [True, False]


def test_what_is_not_asked_is_drawn_about_what_the_ticket_says() -> None:
    """Another invite is another draw of the part that it fixes, not asked or asked."""
    told = CHAIN.replace(
        "auto = 3",
        'auto = 3\nadmission = "invited"\nepsilon_cap = 20.0\naccept_high_epsilon = true',
    )
    collection = sd.Collection.from_toml(told + RATINGS)
    client, first = sd.Client(collection, cap=20), collection.questions[0].mechanism.report_bytes
    sent = [
        client.answer({"smokes": "no"}, sd.collection.Tickets("0" * 28, {"last": item}), again=True)
        for item in (0, 1, 0)
    ]
    assert [one.payload[2 * first] for one in sent] == [0, 1, 0]
    assert sent[0] == sent[2]
    assert client.spent == 9 + collection.questions[2].epsilon


# -- exact laws ----------------------------------------------------------------------------------


def test_what_is_drawn_has_the_mean_and_the_variance_that_is_taken_off() -> None:
    """Of a number: uniform on 0..m, exactly. Of ratings: the states of all answers, exactly."""
    m = STEPS
    assert Fraction((m + 1) ** 2 - 1, 12 * m * m) == Fraction(m + 2, 12 * m)
    question: Any = chained("ratings").questions[2]
    part = question.mechanism.program.parts[0]
    laws = part.laws(question._positions)
    mean = [sum(column, Fraction(0)) / 6 for column in zip(*laws, strict=True)]
    less = Fraction(sum(question._positions[1:]), STEPS)
    states = [(5 - less) / 6, less / 6, Fraction(1, 6)]
    channel = question.mechanism.program.parts[0].part.matrix()
    assert mean == [sum(a * b for a, b in zip(row, states, strict=True)) for row in channel]


@cases("target", ["population", "respondents"])
@cases("kind", ["apart", "cells", "pairs"])
def test_covariances_of_a_table_are_those_of_its_sums(kind: str, target: Any) -> None:
    """``w^T C w`` is the variance of the sum with weights w, for all reports and those asked."""
    tables: Any = chained(kind).questions[2].tables
    truth = np.arange(1, 28).reshape(3, 3, 3) * 40
    counts = tables.simulate(truth, Entropy.seeded(b"covariances"))
    mixed, half = tables.figures(counts, target), counts.n // 2
    first = sd.GRR(2, 2.0).estimate(sd.Counts([half, counts.n - half], counts.n), target=target)
    among = AmongAsked(mixed, ConditionalShare.of(first, [0]))
    base = mixed.covariance((0, 1))
    for estimate, known in ((mixed.table((0, 1)), base), (among.table((0, 1)), None)):
        own = known or estimate._law.covariance(base)
        for i in range(4):
            weights = np.random.default_rng(i).normal(size=(3, 3))
            wanted = weights.ravel() @ own.dense() @ weights.ravel()
            assert estimate.linear(weights).stderr ** 2 == pytest.approx(wanted, rel=1e-3)
    assert among.dependence((0, 1)).most >= 1


@cases("target", ["population", "respondents"])
def test_standard_errors_upon_a_chain_are_those_of_one_person(target: Any) -> None:
    """Of the share asked, and of a share among those, from every kind of person and report.

    At the true shares of the reports: ``X3 - u - (p - u) (X2(S) - m / k (1 - X1))`` over a.
    """
    parts = sd.GRR(2, 1.0), sd.GRR(3, 1.3), sd.GRR(2, 0.8)
    laws = [
        np.array([[float(x) for x in law] for law in one.program.laws(list(one.program.every()))])
        for one in parts
    ]
    inverses = [np.linalg.inv(law) for law in laws]
    inside, chance, p = [0, 2], 2 / 3, 0.7
    kinds = [(0.5, None, None), (0.2, 1, None), (0.3 * p, 0, 0), (0.3 * (1 - p), 2, 1)]
    a = 0.3
    weights = {
        "share": [chance * np.array([1, 0]), np.isin(range(3), inside) * 1.0, np.zeros(2)],
        "among": [
            -(p - 0.5) / a * chance * np.array([1, 0]),
            -(p - 0.5) / a * np.isin(range(3), inside),
            np.array([1, 0]) / a,
        ],
    }
    n, support = 10**9, [np.zeros(law.shape[0]) for law in laws]
    wanted = {}
    for name, each in weights.items():
        means, within = np.zeros(len(kinds)), np.zeros(len(kinds))
        for i, (share, second, third) in enumerate(kinds):
            sent = [
                laws[0][int(second is None)],
                laws[1].mean(axis=0) if second is None else laws[1][second],
                laws[2].mean(axis=0) if third is None else laws[2][third],
            ]
            for place, law in enumerate(sent):
                value = inverses[place] @ each[place]
                means[i] += law @ value
                within[i] += law @ value**2 - (law @ value) ** 2
                support[place] += share * law * (name == "share")
        people = np.array([share for share, *_ in kinds])
        between = people @ means**2 - (people @ means) ** 2
        wanted[name] = people @ within + (between if target == "population" else 0)
    estimates = []
    for one, shares in zip(parts, support, strict=True):
        counts = np.round(n * shares).astype(int)
        counts[-1] += n - counts.sum()
        estimates.append(one.estimate(sd.Counts(counts, n), target=target))
    asked = ConditionalShare.of(estimates[1], inside, ConditionalShare.of(estimates[0], [0]))
    assert asked.share.value == pytest.approx(a, abs=1e-6)
    assert asked.share.stderr == pytest.approx(np.sqrt(wanted["share"] / n), rel=1e-6)
    found = among_asked(estimates[2], asked)
    assert found.shares[0] == pytest.approx(p, abs=1e-6)
    assert found.stderr[0] == pytest.approx(np.sqrt(wanted["among"] / n), rel=1e-6)
    sums = found.linear([2, -1])
    assert sums.stderr == pytest.approx(3 * found.stderr[0], rel=1e-6)
    with pytest.raises(sd.DomainError, match="same respondents"):
        ConditionalShare.of(estimates[1], inside, replace(asked, n=10))


def test_an_interval_without_an_end_is_all_that_is_possible() -> None:
    asked = ConditionalShare.of(sd.GRR(2, 1.0).estimate(sd.Counts([30, 70], 100)), [0])
    assert not asked.enough(0.95)
    few = replace(asked, share=replace(asked.share, value=0.05))
    found = among_asked(sd.GRR(2, 1.0).estimate(sd.Counts([50, 50], 100)), few)
    assert [end.tolist() for end in found.interval(0.95)] == [[0, 0], [1, 1]]
    nobody = replace(asked, share=replace(asked.share, value=-0.05))
    with pytest.raises(sd.SudareError, match="above 0"):
        among_asked(sd.GRR(2, 1.0).estimate(sd.Counts([50, 50], 100)), nobody)
