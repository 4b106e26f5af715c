"""What the pages say of an answer is true: every question type, ε = 0.5, 4 and 20, both languages.

The chances are exact fractions; Python and the browser have the same ones.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from in_node import MODULES, ask

import sudare
from sudare.collection import Collection, Place
from sudare.collection.cautions import HIGH, VERY_HIGH, cautions
from sudare.collection.definition import MOST_UNASKED
from sudare.collection.questions.chances import even, sharpest, sure
from sudare.exact import exp_bounds
from tests.cases import cases

HEAD = """
[collection]
name = "tea"
epsilon = {epsilon}
accept_high_epsilon = {accept}
languages = ["en", "ja"]
title = {{ en = "Tea", ja = "お茶" }}
"""
CHOICE = """
[[question]]
id = "{id}"
type = "choice"
text = {{ en = "Which tea?", ja = "どのお茶？" }}
choices = ["a", "b", "c"]
mechanism = "{mechanism}"
"""
CHOICES = """
[[question]]
id = "teas"
type = "choices"
text = { en = "Which teas?", ja = "どのお茶？" }
choices = ["a", "b", "c", "d"]
most = 2
"""
CROSSTAB = """
[[question]]
id = "both"
type = "crosstab"
text = { en = "Both?", ja = "両方？" }
[[question.attributes]]
id = "one"
text = { en = "One?", ja = "一つ目？" }
choices = ["a", "b"]
[[question.attributes]]
id = "two"
text = { en = "Two?", ja = "二つ目？" }
choices = ["a", "b", "c"]
"""
CELLS = CROSSTAB.replace('"crosstab"', '"crosstab"\nwanted = "cells"\nmechanism = "{mechanism}"')
DRAWN = (
    CROSSTAB.replace('"crosstab"', '"crosstab"\nwanted = "{wanted}"\nmechanism = "{mechanism}"')
    + """
[[question.attributes]]
id = "three"
text = { en = "Three?", ja = "三つ目？" }
choices = ["a", "b", "c", "d"]
"""
)
NUMBER = """
[[question]]
id = "cups"
type = "number"
text = {{ en = "How many?", ja = "何杯？" }}
low = 0
high = 12
mechanism = "{mechanism}"
"""
BINNED = NUMBER + 'wanted = "distribution"\nbins = {bins}\n'
RATINGS = """
[[question]]
id = "rated"
type = "ratings"
text = {{ en = "How good?", ja = "どのくらい？" }}
items = ["a", "b", "c"]
scale = 4
mechanism = "{mechanism}"
"""
PLACE = """
[[question]]
id = "where"
type = "place"
text = {{ en = "Where?", ja = "どこ？" }}
mesh = 53394611
rows = 3
columns = 4
epsilon_per_metre = {epsilon}
land = ["##..", "####", ".###"]
"""
ORACLES = ("GRR", "OUE", "SubsetSelection", "LinearHashing", "ProjectiveGeometry")
QUESTIONS = {
    **{name.lower(): CHOICE.format(id="brand", mechanism=name) for name in ("GRR", "OUE", "SUE")},
    "hadamard": CHOICE.format(id="brand", mechanism="HadamardResponse"),
    "choices": CHOICES,
    "crosstab": CROSSTAB,
    **{f"cells-{name.lower()}": CELLS.replace("{mechanism}", name) for name in ORACLES},
    "pairs": DRAWN.replace("{wanted}", "pairs").replace("{mechanism}", "SampledPairs"),
    "margins": DRAWN.replace("{wanted}", "margins").replace("{mechanism}", "MarginalRR"),
    "attributes": DRAWN.replace("{wanted}", "margins").replace("{mechanism}", "SampledTables"),
    "triples": DRAWN.replace("{wanted}", "pairs").replace("{mechanism}", "SampledTables"),
    **{name.lower(): NUMBER.format(mechanism=name) for name in ("Duchi", "Piecewise", "Hybrid")},
    **{
        f"{name.lower()}-{bins}": BINNED.format(mechanism=name, bins=bins)
        for name in ("SquareWave", "HierarchicalHistogram")
        for bins in (12, 31)
    },
    **{name.lower(): RATINGS.format(mechanism=name) for name in ("PrivKV", "StateRR")},
    "several": CHOICE.format(id="brand", mechanism="GRR") + CHOICES + CROSSTAB,
}
EPSILONS = ("0.5", "1.0", "2.0", "4.0", "6.0", "10.0", "20.0")
SIDE = 116
"""Metres by which ε per metre is divided for a place: about the side of its cells."""


@cache
def surveys() -> dict[str, Collection]:
    """Return every survey by its name."""
    out = {}
    for epsilon in EPSILONS:
        head = HEAD.format(epsilon=epsilon, accept="true" if float(epsilon) > 10 else "false")
        for name, text in QUESTIONS.items():
            if epsilon in ("0.5", "4.0", "20.0") or name in ("grr", "several"):
                out[f"{name} {epsilon}"] = Collection.from_toml(head + text)
        place = PLACE.format(epsilon=f"{float(epsilon) / SIDE:.6f}")
        out[f"place {epsilon}"] = Collection.from_toml(head + place)
    return out


@cache
def told() -> dict[str, tuple[Collection, Any]]:
    """Return each survey with what the browser makes of it."""
    found = surveys()
    said = ask("teller.js", (one.compiled() for one in found.values()))
    return {name: (found[name], one) for name, one in zip(found, said, strict=True)}


NAMES = sorted(
    f"{name} {epsilon}" for name in (*QUESTIONS, "place") for epsilon in ("0.5", "4.0", "20.0")
)
EVERY = [
    *NAMES,
    *(f"{name} {e}" for name in ("grr", "several", "place") for e in ("1.0", "2.0", "6.0", "10.0")),
]
NUMBERS = re.compile(r"[0-9][0-9,.]*…?")
DENIALS = {
    "en": ("Nobody who wavered", "may be your answer or it may not", "makes nobody sure",
           "nobody who wavered", "need not be your answer"),
    "ja": ("確信を持つことはできません", "そうでないかもしれません", "確信を持てません",
           "限りません"),
}  # fmt: skip
"""What promises deniability: above ε = 2 nobody reads it."""
WARNINGS = {"en": "Please note", "ja": "ご注意"}


@cases("name", EVERY, parts=4)
def test_the_browser_has_the_same_fractions(name: str) -> None:
    survey, said = told()[name]
    for question, one in zip(survey.questions, said["questions"], strict=True):
        own = {key: Fraction(*map(int, ratio)) for key, ratio in one["chances"].items()}
        exact = question.chances()
        assert own.keys() == exact.keys()
        if question.type != "place":
            assert own == exact
            continue
        assert exact["cell"] <= own["cell"]  # of floats, rounded up
        assert float(1 - own["cell"]) == pytest.approx(float(1 - exact["cell"]), rel=1e-6)


@cases("name", EVERY)
def test_no_sentence_is_false_at_its_epsilon(name: str) -> None:
    survey, said = told()[name]
    ratio = math.prod(
        (q.mechanism.program.ratio for q in survey.questions if not q.unit.own_budget),
        start=Fraction(1),
    )
    for language, words in said["says"].items():
        text = " ".join(line for some in words.values() for line in some)
        assert "{" not in text
        assert not re.search(r"(?<![0-9.,])100(\.0+)? %", text), "certainty is never had"
        assert not re.search(r"\b([0-9][0-9,]*) of \1\b", text)
        assert not re.search(r"(probability|確率) [01](?![.0-9])", text)
        denies = [one for one in DENIALS[language] if one in text]
        assert bool(denies) is (1 < ratio <= exp_bounds(Fraction(2))[0]), denies
        high = bool(cautions(survey))
        assert (WARNINGS[language] in text) is high
        assert bool(words["cautions"]) is high
        if ratio > 1:
            for line in words["doubt"]:
                assert f"{sure(even(ratio))} %" in line
        for question in survey.questions:
            for key, value in question.chances().items():
                if key in ("even", "listed", "half", "tenth", "bit", "cell"):
                    assert f"{sure(value)} %" in text, (key, sure(value))


@cases("name", NAMES)
def test_people_are_as_many_as_the_fractions_say(name: str) -> None:
    """Each "about x of y": within half a person of the fraction, and neither none nor all."""
    survey, said = told()[name]
    said_en = " ".join(said["says"]["en"]["each"]).replace(",", "")
    for question in survey.questions:
        for key, value in question.chances().items():
            if key in ("even", "listed", "half", "tenth", "bit", "cell", "low") or value < Fraction(
                1, 10**6
            ):
                continue
            found = [int(n) for n in re.findall(r"[0-9]{3,}", said_en) if int(n) in POWERS]
            near = [f"{round(value * of)}" for of in found if 0 < round(value * of) < of]
            assert any(re.search(rf"\b{one}\b", said_en) for one in near), (key, float(value))


POWERS = {10**n for n in range(2, 13)}


METRES = {
    "en": {
        "twice": "twice as likely from your cell as .*? within ([0-9.]+) (k?m)",
        "near": "two cells that touch, a report may be more than twice as likely",
        "border": "side by side may lie in different cells: .*? up to ([0-9.…]+) % sure",
        "pair": "two cells with their middles up to ([0-9.]+) (k?m) apart .*? than ([0-9.…]+) %",
        "any": "any two cells of this map .*? ([0-9.]+) (k?m) apart at .*? than ([0-9.…]+) %",
        "far": "Cells farther apart may be told",
        "caution": "cells that touch can be told apart: .*? up to ([0-9.…]+) % sure",
    },
    "ja": {
        "twice": "中心どうしの距離が ([0-9.]+) (k?m) 以内のほかのマスとで、2 倍",
        "near": "接している二つのマスでも、.*? 2 倍を超えて違うことがあります",
        "border": "すぐ隣どうしの場所でも、別々のマス.*?最大 ([0-9.…]+) % の確信",
        "pair": "中心どうしの距離が ([0-9.]+) (k?m) 以内の二つのマスの.*?最大 ([0-9.…]+) %",
        "any": "どの二つのマス（中心どうしの距離は最大 ([0-9.]+) (k?m)）.*?最大 ([0-9.…]+) %",
        "far": "それより離れたマスどうしは",
        "caution": "接しているマスどうしも見分けられます。.*?最大 ([0-9.…]+) %",
    },
}


def at_most(percent: str) -> Fraction:
    """Return what a belief in words allows: 1 where its digits go on."""
    return Fraction(1) if percent.endswith("…") else Fraction(percent) / 100


@cases("language", ["en", "ja"])
@cases("epsilon", EPSILONS)
def test_what_is_said_of_two_places_holds_for_positions(epsilon: str, language: str) -> None:
    """Metres are between the middles of cells; places side by side may lie in different ones."""
    survey, told_of = told()[f"place {epsilon}"]
    question = survey.questions[0]
    assert isinstance(question, Place)
    words = told_of["says"][language]
    text = " ".join(line for some in words.values() for line in some)
    said = {
        key: [found.groups() for found in re.finditer(pattern, text)]
        for key, pattern in METRES[language].items()
    }
    cells = [int(cell) for cell in np.flatnonzero(question.on_land)]
    laws = question.mechanism.program.laws(cells)
    grid = question.mechanism.grid
    pairs = []  # rows and columns apart, metres between the middles, the most of 50:50
    for a, one in zip(cells, laws, strict=True):
        for b, other in zip(cells, laws, strict=True):
            if a != b:
                (up, left), (down, right) = divmod(a, grid.columns), divmod(b, grid.columns)
                steps = max(abs(up - down), abs(left - right))
                ratio = max(x / y for x, y in zip(one, other, strict=True) if y)
                pairs.append((steps, grid.distance(a, b), even(ratio)))
    north, west = question.lattice.centre(cells[0])
    border = west + (question.lattice.centre(cells[0] + 1)[1] - west) / 2
    sides = [question.encode((north, border + way * 2e-6)) for way in (-1, 1)]
    assert sides == cells[:2], "positions half a metre apart are in cells that touch"
    nearest = min(metres for _, metres, _ in pairs)
    corner = math.hypot(grid.cell_height, grid.cell_width)
    borders = said["border"] + said["caution"]
    assert len(said["border"]) == 1
    assert len(borders) == (1 if float(epsilon) * nearest / SIDE <= HIGH else 3)
    for (percent,) in borders:
        assert percent == sure(even(exp_bounds(question.epsilon * Fraction(corner))[1]))
        assert max(belief for steps, _, belief in pairs if steps == 1) <= at_most(percent)
    for reach, unit, percent in said["pair"]:
        far = float(reach) * (1000 if unit == "km" else 1)
        inside = [belief for _, metres, belief in pairs if metres <= far]
        assert max(inside, default=Fraction(0)) <= at_most(percent)
    for reach, unit, percent in said["any"]:
        far = float(reach) * (1000 if unit == "km" else 1)
        assert max(metres for _, metres, _ in pairs) <= far
        assert max(belief for _, _, belief in pairs) <= at_most(percent)
    assert bool(said["far"]) is not bool(said["any"])
    twice = math.log(2) / float(question.epsilon)
    assert bool(said["near"]) is (twice < nearest)
    assert bool(said["twice"]) is not bool(said["near"])
    for reach, _ in said["twice"]:
        inside = [belief for _, metres, belief in pairs if metres <= float(reach)]
        assert max(inside) <= Fraction(2, 3)


@cases("epsilon", EPSILONS)
def test_the_circle_of_a_place_holds_ninety_per_cent(epsilon: str) -> None:
    survey, said = told()[f"place {epsilon}"]
    question = survey.questions[0]
    assert isinstance(question, Place)
    cells = [int(cell) for cell in np.flatnonzero(question.on_land)]
    laws = question.mechanism.program.laws(cells)
    least = math.inf
    for to in cells:
        near = sorted(
            (question.mechanism.grid.distance(cell, to), law[to])
            for cell, law in zip(cells, laws, strict=True)
        )
        whole = sum(odd for _, odd in near)
        held = Fraction(0)
        for metres, odd in near:
            held += odd
            if held >= Fraction(9, 10) * whole:
                least = min(least, metres)
                break
    assert said["questions"][0]["within"] == pytest.approx(least)


@cases("epsilon", ["0.5", "4.0", "20.0"])
def test_the_chances_are_those_of_the_whole_law(epsilon: str) -> None:
    for name in ("grr", "oue", "sue"):
        question = surveys()[f"{name} {epsilon}"].questions[0]
        laws = question.mechanism.program.laws([0, 1, 2, 3])
        chances = question.chances()
        assert sharpest(laws) == chances["listed"]
        assert sharpest(laws[:2]) == chances["even"]
        alone = 0 if name == "grr" else 1  # the report that names the first answer alone
        assert laws[0][alone] == chances["kept"]
    question = surveys()[f"hadamard {epsilon}"].questions[0]
    chances = question.chances()
    assert even(question.mechanism.program.ratio) == chances["fitting"]  # of a half of all reports
    assert chances["listed"] < chances["even"]
    question = surveys()[f"choices {epsilon}"].questions[0]
    program = question.mechanism.program
    sets = program.every()
    laws = program.laws(sets)
    chances = question.chances()
    assert (
        max(law[sum(1 << i for i in own)] for own, law in zip(sets, laws, strict=True))
        == chances["kept"]
    )
    ratio = max(max(column) / min(column) for column in zip(*laws, strict=True))
    assert even(ratio) == chances["even"]


@cases("name", ["duchi", "piecewise", "hybrid"])
def test_halves_and_tenths_are_those_of_many_numbers(name: str) -> None:
    """Independent of the integrals: the law of 4,000 numbers of the range."""
    question = surveys()[f"{name} 4.0"].questions[0]
    program = question.mechanism.program
    last = program.cells * program.steps
    middles = [(2 * i + 1) * last // 8000 for i in range(4000)]
    part = np.array(program.part.weights(), dtype=float) / float(1 << program.part.width)
    at = np.array(middles) / program.steps
    low = np.minimum(at.astype(int), program.cells - 1)
    laws = part[low] * (1 - (at - low))[:, None] + part[low + 1] * (at - low)[:, None]
    tenths = laws.reshape(10, 400, -1).sum(axis=1) / laws.sum(axis=0)
    chances = question.chances()
    assert float(chances["tenth"]) == pytest.approx(tenths.max(), rel=2e-3)
    halves = tenths[:5].sum(axis=0)
    assert float(chances["half"]) == pytest.approx(max(halves.max(), 1 - halves.min()), rel=2e-3)
    assert float(chances["low"]) == pytest.approx(laws[0][halves > 0.5].sum(), rel=2e-2)


def test_a_report_that_was_made_is_judged_by_itself() -> None:
    for name in ("grr 0.5", "oue 0.5", "sue 4.0", "oue 4.0", "hadamard 4.0"):
        survey, said = told()[name]
        program = survey.questions[0].mechanism.program
        laws = program.laws([0, 1, 2, 3])
        for report, chances in said["questions"][0]["reports"]:
            at = (
                report if isinstance(report, int) else sum(bit << i for i, bit in enumerate(report))
            )
            column = [law[at] for law in laws]
            assert Fraction(*map(int, chances["listed"])) == max(column) / sum(column)


@cases("epsilon", [2.01, 4.0])
def test_the_third_band_makes_fairly_sure_and_leaves_some_doubt(epsilon: float) -> None:
    """Whatever k is: 50:50 becomes 88 to 98.3 %, in a report that is drawn."""
    for k in range(2, 51):
        for mechanism in (sudare.GRR(k, epsilon), sudare.OUE(k, epsilon), sudare.SUE(k, epsilon)):
            belief = even(mechanism.program.ratio)
            assert Fraction(88, 100) <= belief <= Fraction(983, 1000), (k, mechanism)
            if k <= 8:  # a bound that some report reaches
                assert sharpest(mechanism.program.laws([0, 1])) == belief


def test_the_limits_of_the_bands_are_those_of_the_docs() -> None:
    text = (MODULES / "bands.js").read_text("utf-8")
    limits = [int(n) for n in re.findall(r"([0-9]+)n", text.split("LIMITS = ")[1].split("]")[0])]
    assert limits == [1, 2, HIGH, VERY_HIGH, 20]
    assert VERY_HIGH == MOST_UNASKED
    docs = (Path(__file__).parents[2] / "docs/sharp-edges.md").read_text("utf-8")
    for limit in limits:
        assert f"| ≤ {limit} | {sure(even(exp_bounds(Fraction(limit))[1]))} % |" in docs
