"""Places: read, answered by position or cell, remembered, paid for per metre, published."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.collection import Place
from sudare.collection.canonical import fingerprint
from sudare.collection.questions.lattice import Lattice
from sudare.mechanisms.place import mesh
from tests.cases import cases

WALK = """
[collection]
name = "walk"
languages = ["en", "ja"]
[[question]]
id = "where"
type = "place"
text = { en = "Where do you walk?", ja = "どこを歩きますか？" }
mesh = "53394611"
level = "1/8"
rows = 4
columns = 5
epsilon_per_metre = "0.01"
land = ["#####", "#####", "####.", "##..."]
[[question.places]]
at = [35.6765, 139.7633]
name = { en = "The palace", ja = "皇居" }
"""
LAND = 'land = ["#####", "#####", "####.", "##..."]\n'
MESH = 'mesh = "53394611"\nlevel = "1/8"\n'
ORIGIN = "origin = [35.675, 139.7625]\ncell_height = 115.6\ncell_width = 141.5\n"
SEA = [14, 17, 18, 19]


def collection(text: str = WALK) -> sd.Collection:
    return sd.Collection.from_toml(text)


def where(text: str = WALK) -> Place:
    question = collection(text).questions[0]
    assert isinstance(question, Place)
    return question


# -- the file ------------------------------------------------------------------------------------


def test_it_is_read_and_compiled() -> None:
    c, question = collection(), where()
    assert (c.epsilon, c.epsilon_cap, c.submission_epsilon) == (0, 0, 0)
    assert (question.epsilon, question.epsilon_cap) == (Fraction(1, 100), Fraction(1, 100))
    assert question.lattice.code(15) == 53394611111  # the south-west cell is that of the code
    assert question.places == ((10, {"en": "The palace", "ja": "皇居"}),)
    assert np.flatnonzero(~question.on_land).tolist() == SEA
    assert np.flatnonzero(question.mechanism.weights == 0).tolist() == SEA
    assert isinstance(question.mechanism, sd.GridExponential)
    assert question.mechanism.epsilon == pytest.approx(0.01, rel=1e-5)  # calibrated: all of it
    document = json.loads(json.dumps(c.compiled()))
    again = sd.Collection.from_compiled(document)
    assert again == c
    assert again.compiled() == c.compiled()
    assert document["definition"]["questions"][0]["program"]["kind"] == "offset"


def test_a_file_has_one_fingerprint_on_every_machine() -> None:
    told = where().mechanism.to_json()
    assert len(told["inner"].lstrip("0.")) <= 6
    assert all(len(text.partition(".")[2]) <= 6 for text in told["grid"][2:])
    assert (
        collection().fingerprint
        == "b064213c73f07d5f19d51913ff9c6363cf869e05f47d00d6b895a3156c5a22d8"
    )


def test_the_metres_are_those_of_the_degrees() -> None:
    height, width = where().lattice.metres
    assert (height, width) == pytest.approx((115.58, 141.45), abs=0.02)
    other = where(WALK.replace(MESH, ORIGIN))
    assert other.lattice.metres == pytest.approx((115.6, 141.5), rel=1e-5)
    assert other.lattice.level is None
    assert other.lattice.code(0) is None


@cases("level", mesh.LEVELS[2:])
def test_cells_of_a_mesh_have_its_codes(level: str) -> None:
    lattice = Lattice.from_mesh("5339", level, 9, 9)
    assert lattice.level == level
    for cell in range(81):
        at = lattice.centre(cell)
        assert lattice.cell(*at) == cell
        assert lattice.code(cell) == int(mesh.encode(*at, level))
        south, west = (x / lattice.per_degree for x in lattice.corner(cell))
        assert lattice.cell(south, west) == cell  # a corner belongs to its cell


@given(st.floats(-84, 84), st.floats(-179, 178), st.floats(1, 3000), st.floats(1, 3000))
@settings(deadline=None, max_examples=100)
def test_cells_north_and_east_of_any_corner(
    south: float, west: float, height: float, width: float
) -> None:
    grid = sd.Grid(3, 4, height, width)
    lattice = Lattice.from_origin((south, west), grid)
    assert lattice.metres == pytest.approx((height, width), rel=1e-3)
    assert [lattice.cell(*lattice.centre(cell)) for cell in range(12)] == list(range(12))
    far = lattice.centre(3)[1] + 1.01 * lattice.width / lattice.per_degree
    assert lattice.cell(lattice.centre(3)[0], far) is None


def test_names_are_outside_the_fingerprint_and_all_else_is_in() -> None:
    base = collection().fingerprint
    assert collection(WALK.replace("The palace", "Palace")).fingerprint == base
    changes = (
        ('"0.01"', '"0.011"'),
        ('"##..."]', '"###.."]'),
        ("columns = 5", "columns = 5\nweights = [" + "[1, 1, 1, 1, 2]," * 4 + "]"),
        (LAND, LAND + 'epsilon_per_metre_cap = "0.03"\n'),
    )
    for change in changes:
        assert collection(WALK.replace(*change)).fingerprint != base


def test_tight_constraints_on_a_map_without_a_coast() -> None:
    question = where(WALK.replace(LAND, 'mechanism = "TightGrid"\n'))
    assert isinstance(question.mechanism, sd.TightGrid)
    c = collection(WALK.replace(LAND, 'mechanism = "TightGrid"\n'))
    assert sd.Collection.from_compiled(json.loads(json.dumps(c.compiled()))) == c


def test_weights_are_taken_and_none_is_left_on_the_sea() -> None:
    rows = "weights = [[1, 2, 3, 4, 5], [1, 1, 1, 1, 1], [0.5, 1, 1, 1, 9], [1, 1, 9, 9, 9]]\n"
    question = where(WALK.replace(LAND, LAND + rows))
    weights = question.mechanism.weights
    assert weights[4] == 1
    assert weights[10] == pytest.approx(0.1)
    assert not weights[SEA].any()


def wrong(old: str, new: str) -> str:
    assert old in WALK
    return WALK.replace(old, new)


@cases(
    "text, argument",
    [
        (wrong("rows = 4\n", ""), "rows"),
        (wrong("rows = 4", "rows = 0"), "rows"),
        (wrong("rows = 4", "rows = 65"), "rows"),
        (wrong("rows = 4", "rows = 4.0"), "rows"),
        (wrong("rows = 4", "rows = true"), "rows"),
        (wrong("rows = 4\ncolumns = 5", "rows = 33\ncolumns = 32"), "rows"),
        (wrong("rows = 4\ncolumns = 5", "rows = 1\ncolumns = 1"), "rows"),
        (wrong('"53394611"', '"99999999"'), "mesh"),
        (wrong('"53394611"', '"5339461"'), "mesh"),
        (wrong('"53394611"', '"53394611xx"'), "mesh"),
        (wrong('"53394611"', "[53394611, 5339]"), "mesh"),
        (wrong('"53394611"', "5339.4"), "mesh"),
        (wrong('"53394611"', "nan"), "mesh"),
        (wrong('"1/8"', '"2nd"'), "mesh"),
        (wrong('"1/8"', '"1/16"'), "level"),
        (wrong('"1/8"', "8"), "level"),
        (wrong(MESH, MESH + ORIGIN), "origin"),
        (wrong(MESH, ""), "origin"),
        (wrong(MESH, 'level = "1/8"\n'), "level"),
        (wrong(MESH, ORIGIN.replace("35.675", "nan")), "origin[0]"),
        (wrong(MESH, ORIGIN.replace("35.675", "86")), "origin"),
        (wrong(MESH, ORIGIN.replace("[35.675, 139.7625]", "[35.675]")), "origin"),
        (wrong(MESH, ORIGIN.replace("[35.675, 139.7625]", '"Tokyo"')), "origin"),
        (wrong(MESH, ORIGIN.replace("139.7625", "179.9999")), "columns"),
        (wrong(MESH, ORIGIN.replace("115.6", "-1")), "cell_height"),
        (wrong(MESH, ORIGIN.replace("115.6", "0")), "cell_height"),
        (wrong(MESH, ORIGIN.replace("115.6", "2e6")).replace("0.01", "0.0001"), "rows"),
        (wrong(MESH, ORIGIN.replace("115.6", "inf")), "cell_height"),
        (wrong(MESH, ORIGIN.replace("115.6", '"wide"')), "cell_height"),
        (wrong(LAND, 'land = ["#####"]\n'), "land"),
        (wrong('"##..."]', '"##.."]'), "land"),
        (wrong('"##..."]', '"##..x"]'), "land"),
        (wrong(LAND, "land = 3\n"), "land"),
        (wrong(LAND, 'land = [".....", ".....", ".....", "....."]\n'), "land"),
        (wrong(LAND, 'land = [".....", "..#..", ".....", "....."]\n'), "land"),
        (wrong('"0.01"', '"nan"'), "epsilon_per_metre"),
        (wrong('"0.01"', "nan"), "epsilon_per_metre"),
        (wrong('"0.01"', "inf"), "epsilon_per_metre"),
        (wrong('"0.01"', "-0.01"), "epsilon_per_metre"),
        (wrong('"0.01"', '"-0.01"'), "epsilon_per_metre"),
        (wrong('"0.01"', "0"), "epsilon_per_metre"),
        (wrong('"0.01"', "true"), "epsilon_per_metre"),
        (wrong('"0.01"', "[1]"), "epsilon_per_metre"),
        (wrong('"0.01"', "1000"), "epsilon_per_metre"),
        (wrong('"0.01"', "0.000000001"), "epsilon_per_metre"),
        (wrong('"0.01"', "0.0000000000001"), "epsilon_per_metre"),
        (wrong('epsilon_per_metre = "0.01"\n', ""), "epsilon_per_metre"),
        (wrong(LAND, 'epsilon_per_metre_cap = "0.001"\n'), "epsilon_per_metre_cap"),
        (wrong(LAND, "epsilon = 1.0\n"), "epsilon"),
        (wrong(LAND, 'mechanism = "GRR"\n'), "mechanism"),
        (wrong(LAND, 'mechanism = "RoadExponential"\n'), "mechanism"),
        (wrong(LAND, "mechanism = 3\n"), "mechanism"),
        (wrong(LAND, LAND + 'mechanism = "TightGrid"\n'), "mechanism"),
        (wrong(LAND, "weights = [1, 2]\n"), "weights"),
        (wrong(LAND, "weights = [[1, 1, 1, 1, 1]]\n"), "weights"),
        (wrong(LAND, f"weights = {[[0] * 5] * 4}\n"), "weights"),
        (wrong(LAND, f"weights = {[[-1] * 5] * 4}\n"), "weights"),
        (wrong(LAND, f"weights = {[['a'] * 5] * 4}\n"), "weights"),
        (wrong("at = [35.6765, 139.7633]", "at = [36.6765, 139.7633]"), "places[0].at"),
        (wrong("at = [35.6765, 139.7633]", "at = 3"), "places[0].at"),
        (wrong("at = [35.6765, 139.7633]", "at = [nan, 1]"), "places[0].at"),
        (wrong("at = [35.6765, 139.7633]\n", ""), "places[0].at"),
        (wrong("[[question.places]]", "[question.places]"), "places"),
        (wrong('name = { en = "The palace", ja = "皇居" }', ""), "places[0].name"),
        (wrong(LAND, 'choices = ["a", "b"]\n'), "choices"),
    ],
)
def test_what_is_no_map_is_refused(text: str, argument: str) -> None:
    with pytest.raises(sd.CollectionError) as caught:
        collection(text)
    assert caught.value.argument.removeprefix("question[0].").endswith(argument)


CHOICE = """
[[question]]
id = "often"
type = "choice"
text = "How often?"
choices = ["daily", "rarely"]
"""


def test_other_questions_share_the_epsilon_that_places_leave_alone() -> None:
    with pytest.raises(sd.CollectionError, match=r"collection.epsilon is missing"):
        collection(WALK + CHOICE)
    c = collection(WALK.replace('name = "walk"', 'name = "walk"\nepsilon = 1.5') + CHOICE)
    assert c.questions[1].epsilon == c.submission_epsilon == Fraction(3, 2)
    device = sd.Client(c)
    device.answer({"where": 0, "often": "daily"})
    assert (device.spent, device.spent_per_metre) == (Fraction(3, 2), {"where": Fraction(1, 100)})
    with pytest.raises(sd.CollectionError, match="epsilon_cap must stand beside epsilon"):
        collection(WALK.replace('name = "walk"', 'name = "walk"\nepsilon_cap = 2.0'))


@cases(
    "change",
    [
        {"epsilon_per_metre": "0.009"},
        {"epsilon_per_metre": "0.0"},
        {"epsilon_per_metre": None},
        {"epsilon_per_metre_cap": "0.001"},
        {"rows": 5},
        {"rows": "4"},
        {"land": ["#####"] * 3 + ["#...."]},
        {"corner": {}},
        {"corner": None},
        {"corner": {"per_degree": 28800, "south": 0, "west": 0, "height": 30, "width": 45}},
        {"corner": {"per_degree": 3, "south": 0, "west": 0, "height": 30, "width": 45}},
        {"mechanism": {"name": "GRR", "k": 20, "epsilon": "1.0"}},
        {"mechanism": {"name": "GridExponential"}},
        {"mechanism": None},
        {"program": {"kind": "keep"}},
    ],
)
def test_a_document_that_was_changed_is_refused(change: dict[str, object]) -> None:
    document = json.loads(json.dumps(collection().compiled()))
    document["definition"]["questions"][0].update(change)
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.SudareError):
        sd.Collection.from_compiled(document)


# -- the respondent ------------------------------------------------------------------------------


def test_a_position_is_the_cell_that_holds_it() -> None:
    question = where()
    south, west = question.lattice.centre(7)
    assert question.encode((south, west)) == question.encode([south, west]) == 7
    assert question.encode(np.int64(7)) == 7


@cases(
    "answer",
    [14, 19, -1, 20, True, None, "7", 7.0, math.nan, [], (35.68,), (35.68, "139"),
     (math.nan, 139.7), (10**400, 0), (math.inf, 0.0), (35.68, 0.0), (0, 0),
     (True, 139.77), {"cell": 7}, (1e308, 1e308), 10**400])  # fmt: skip
def test_what_is_no_place_is_refused_and_never_shown(answer: object) -> None:
    device = sd.Client(collection())
    with pytest.raises(sd.CollectionError) as caught:
        device.answer({"where": answer})
    assert caught.value.argument == "answers.where"
    assert "139" not in str(caught.value)
    assert device.spent_per_metre == {"where": 0}


def test_the_same_cell_is_the_same_report_and_another_is_refused_at_the_cap() -> None:
    c = collection()
    device = sd.Client(c)
    first = device.answer({"where": 3})
    assert device.answer({"where": c.questions[0].lattice.centre(3)}) == first
    assert (device.spent, device.spent_per_metre) == (0, {"where": Fraction(1, 100)})
    with pytest.raises(sd.BudgetExceeded):
        device.answer({"where": 4})
    assert device.spent_per_metre == {"where": Fraction(1, 100)}
    roomy = sd.Client(collection(WALK.replace(LAND, LAND + 'epsilon_per_metre_cap = "0.02"\n')))
    roomy.answer({"where": 3})
    roomy.answer({"where": 4})
    assert roomy.spent_per_metre == {"where": Fraction(2, 100)}
    with pytest.raises(sd.BudgetExceeded):
        roomy.answer({"where": 5})


def test_the_guarantee_holds_between_all_cells_of_the_land() -> None:
    question = where()
    law = question.mechanism.matrix()
    land = np.flatnonzero(question.on_land)
    distances = question.mechanism.distances()
    worst = max(
        float(np.log(law[land][:, a] / law[land][:, b]).max()) / distances[a, b]
        for a in land
        for b in land
        if a != b
    )
    assert 0.009 < worst <= 0.01
    assert not law[SEA].any()


# -- results -------------------------------------------------------------------------------------


def test_no_reports_no_figures() -> None:
    question = where()
    (counts,) = collection().tally(b"")
    told = question.results(counts, "population", 0.95)
    assert len(told["cells"]) == 16
    assert told["cells"][0]["share"] is told["cells"][0]["map"] is None
    json.dumps(told)


@cases("target", ["population", "respondents"])
def test_results_hold_the_truth_in_their_intervals(target: sd.estimation.Target) -> None:
    question = where()
    true = np.where(question.on_land, 500, 0)
    true[6] += 4000
    counts = question.mechanism.simulate(true, rng=sd.Entropy.seeded(b"walk"))
    told = question.results(counts, target, 0.9999)
    shares = true / true.sum()
    assert [one["cell"] for one in told["cells"]] == np.flatnonzero(question.on_land).tolist()
    for one in told["cells"]:
        assert one["low"] < shares[one["cell"]] < one["high"]
        assert one["code"] == int(mesh.encode(*one["centre"]))
    assert sum(one["map"] for one in told["cells"]) == pytest.approx(1)
    assert max(told["cells"], key=lambda one: one["map"])["cell"] == 6
    assert told["map_method"].split(",")[0] in ("em", "smoothed")
    assert question.guarantee()["epsilon_farthest"] == pytest.approx(
        0.01 * question.mechanism.grid.distance(0, 19)
    )


def test_the_map_does_not_contradict_its_intervals() -> None:
    """Half of 800 people in one cell: few EM maps would flatten the peak below its interval."""
    question = where()
    true = np.where(question.on_land, 25, 0)
    true[6] += 400
    for i in range(5):
        counts = question.mechanism.simulate(true, rng=sd.Entropy.seeded(b"peak %d" % i))
        told = question.results(counts, "population", 0.9999)
        for one in told["cells"]:
            assert one["low"] <= one["map"] + 1e-3
            assert one["map"] <= one["high"] + 1e-3


def test_where_cells_are_never_reported_there_are_no_unbiased_shares() -> None:
    rows = "weights = [[0, 0, 1, 0, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]\n"
    question = where(WALK.replace(LAND, rows))
    counts = question.mechanism.simulate(np.full(20, 40), rng=sd.Entropy.seeded(b"walk"))
    told = question.results(counts, "population", 0.95)
    assert told["cells"][0]["share"] is None
    assert told["cells"][0]["map"] > 0
    assert "no-inverse" in [one["code"] for one in told["warnings"]]


def test_few_reports_are_said_so() -> None:
    question = where()
    (counts,) = collection().tally(question.randomise(3))
    told = question.results(counts, "population", 0.95)
    assert {"code": "few-reports", "cells": np.flatnonzero(question.on_land).tolist()} in told[
        "warnings"
    ]


def test_counts_of_a_place_add_up() -> None:
    c, question = collection(), where()
    one, two = (question.mechanism.simulate(np.where(question.on_land, k, 0)) for k in (3, 5))
    assert (one + two).n == 16 * 8
    with pytest.raises(sd.ReportError):
        c.tally(bytes([14]))  # the sea


# -- maps that would spend more than they say ----------------------------------------------------


def test_a_map_so_tall_that_people_are_nearer_than_it_counts_is_refused() -> None:
    """At 38° north a degree is 0.86 of one at 24°40': ε per metre would not be what it says."""
    tall = WALK.replace(LAND, "").replace('"0.01"', '"0.00001"').split("[[question.places]]")[0]
    tall = tall.replace(MESH, 'mesh = "3723"\nlevel = "1st"\n')
    question = where(tall.replace("rows = 4", "rows = 6"))
    lattice = question.lattice
    widths = [mesh.degree_metres((lattice.south + y) / 28_800)[1] for y in (0, 6 * lattice.height)]
    amid = lattice.metres[1] / lattice.width * 28_800
    assert 0.95 <= min(widths) / amid < 0.99
    with pytest.raises(sd.CollectionError, match="narrower"):
        where(tall.replace("rows = 4", "rows = 20"))


def test_a_mechanism_of_another_map_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid of a million cells would keep a device busy for minutes."""
    document = json.loads(json.dumps(collection().compiled()))
    mechanism = document["definition"]["questions"][0]["mechanism"]
    mechanism["grid"][:2] = [64, 64]
    document["fingerprint"] = fingerprint(document["definition"])
    monkeypatch.setattr("sudare.collection.questions.place.from_json", None)
    with pytest.raises(sd.CollectionError, match="rows and columns"):
        sd.Collection.from_compiled(document)


def test_shares_that_reports_hardly_tell_apart_are_not_shown() -> None:
    """At ε of 1e-7 a metre the inverse exists, with errors of thousands of times everybody."""
    question = where(WALK.replace('"0.01"', '"0.0000001"'))
    people = np.where(question.on_land, 40, 0)
    counts = question.mechanism.simulate(people, rng=sd.Entropy.seeded(b"walk"))
    told = question.results(counts, "population", 0.95)
    assert {one["share"] for one in told["cells"]} == {None}
    assert "no-inverse" in [one["code"] for one in told["warnings"]]
