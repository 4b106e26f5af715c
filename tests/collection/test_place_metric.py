"""Maps where ε differs by place, and where metres count along roads: read, checked, estimated."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Place
from sudare.collection.canonical import fingerprint
from sudare.collection.questions import place_metric
from tests.cases import cases

HEAD = """
[collection]
name = "town"
[[question]]
id = "where"
type = "place"
text = "Where?"
origin = [35.65, 139.7]
cell_height = 200
cell_width = 180
rows = 3
columns = 4
epsilon_per_metre = "0.01"
"""
SHARES = [[1, 1, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8]]
LINES = [[[35.651, 139.701], [35.651, 139.7075]], [[35.6512, 139.705], [35.655, 139.705]]]
PASSED = ("..#.", "..#.", "####")
ELASTIC, ROADS = f"elastic = {SHARES}\n", f"roads = {LINES}\n"


def where(more: str, **folder: Path) -> Place:
    question = sd.Collection.from_toml(HEAD + more, **folder).questions[0]
    assert isinstance(question, Place)
    return question


def test_epsilon_by_place_is_that_of_the_table() -> None:
    question = where(ELASTIC)
    own = question.mechanism
    assert isinstance(own, sd.ElasticExponential)
    assert own.epsilons.reshape(3, 4).tolist() == (np.array(SHARES) / 8 * 0.01).tolist()
    assert own.epsilon <= 1  # of a unit of its metric, which is never more than ε times metres
    assert (own.distances() <= 0.01 * question.grid.distances() * (1 + 1e-12)).all()
    assert own.distances()[0, 1] < 0.2 * own.distances()[2, 3]
    told = question.guarantee()
    assert (told["epsilon_per_metre"], told["epsilon_per_metre_least"]) == (0.01, 0.00125)
    assert told["epsilon_farthest"] == own.distances().max()
    assert told["covers"].endswith("where ε is largest")


def test_roads_count_metres_over_the_cells_that_they_pass() -> None:
    question = where(ROADS)
    own = question.mechanism
    assert isinstance(own, sd.RoadExponential)
    assert question.land == PASSED
    assert question.cells_of_values.tolist() == [2, 6, 8, 9, 10, 11]
    metres = own.distances()
    assert metres[0].tolist() == pytest.approx([0, 200, 760, 580, 400, 580], abs=1e-3)
    assert own.epsilon <= 0.01
    assert question.guarantee()["epsilon_farthest"] == pytest.approx(7.6, abs=1e-3)
    assert question.encode(11) == 5  # among the cells that roads pass
    assert question.encode((35.651, 139.7075)) == 5
    for cell in (0, 1, 3, 7, 12, -1):
        with pytest.raises(sd.CollectionError, match="must be a cell of the map's land"):
            question.encode(cell)


def test_a_river_without_a_bridge_keeps_its_banks_apart() -> None:
    """Cells that touch are near where a road leads from one into the other, and only there."""
    bank = (
        "roads = [[[35.651, 139.701], [35.651, 139.7075], [35.6526, 139.7075], [35.6526, 139.701]]]"
    )
    metres = where(bank).mechanism.distances()
    assert metres[0, 4] == pytest.approx(6 * 180 + 200, abs=1e-3)  # the way round, not 200 m


@cases("more", [ELASTIC, ROADS])
def test_the_compiled_form_is_whole(more: str) -> None:
    collection = sd.Collection.from_toml(HEAD + more)
    document = json.loads(json.dumps(collection.compiled()))
    again = sd.Collection.from_compiled(document)
    assert again.compiled() == collection.compiled()
    assert again.questions[0].mechanism.program == collection.questions[0].mechanism.program
    assert document["definition"]["questions"][0]["program"]["kind"] == "table"


@cases("more", [ELASTIC, ROADS])
def test_the_table_is_taken_as_written_if_it_spends_no_more(more: str) -> None:
    """Another machine's logarithms differ by a digit: that table stands, a steeper one does not."""
    good = json.loads(json.dumps(sd.Collection.from_toml(HEAD + more).compiled()))

    def moved(by: int) -> dict[str, Any]:
        document = copy.deepcopy(good)
        row = document["definition"]["questions"][0]["program"]["rows"][0]
        row[0] = format(int(row[0], 16) + by, "x")
        document["fingerprint"] = fingerprint(document["definition"])
        return document

    for by in (-1, 1):
        collection = sd.Collection.from_compiled(moved(by))
        (row, *_) = collection.questions[0].mechanism.program.rows
        assert row[0] == int(good["definition"]["questions"][0]["program"]["rows"][0][0], 16) + by
    first, second, *_ = (
        int(one, 16) for one in good["definition"]["questions"][0]["program"]["rows"][0]
    )
    with pytest.raises(sd.SudareError, match="is exceeded"):
        sd.Collection.from_compiled(moved(second - first))  # a report that one cell never makes


@pytest.mark.parametrize("more", [ELASTIC, ROADS])
def test_shares_are_found_again_with_their_errors(more: str) -> None:
    """Squared errors of 60 seeded surveys in units of their variances: near 1 in each cell, and far
    from it where other people were there.
    """
    collection = sd.Collection.from_toml(HEAD.replace("0.01", "0.02") + more)
    question = collection.questions[0]
    people = question.on_land * np.arange(1.0, 13)
    shares = people / people.sum()
    rng = sd.Entropy.seeded(b"metric" + more.encode())
    total, control = np.zeros(int(question.on_land.sum())), 0.0
    for _ in range(60):
        made = sd.simulate(collection, 20_000, {"where": shares.tolist()}, rng=rng)["where"]
        found = question.results(made.counts, "population", 0.95)["cells"]
        total += [((c["share"] - shares[c["cell"]]) / c["stderr"]) ** 2 for c in found]
        control += np.mean([((c["share"] - total.size**-1) / c["stderr"]) ** 2 for c in found])
    assert ((total > 0.4 * 60) & (total < 2.0 * 60)).all(), total
    assert control > 10 * 60


@cases("more", [ELASTIC, ROADS])
def test_a_device_pays_the_largest_epsilon_per_metre(more: str) -> None:
    collection = sd.Collection.from_toml(HEAD + more)
    client = sd.Client(collection)
    first = client.answer({"where": 10})
    assert len(first.payload) == 1
    assert client.answer({"where": 10}) == first
    assert client.spent_per_metre == {"where": Fraction(1, 100)}
    with pytest.raises(sd.BudgetExceeded):
        client.answer({"where": 11})
    counts = collection.tally(first.payload)[0]
    told = collection.questions[0].results(counts, "population", 0.95)
    assert [one["cell"] for one in told["cells"]] == np.flatnonzero(
        collection.questions[0].on_land
    ).tolist()
    (few,) = (one for one in told["warnings"] if one["code"] == "few-reports")
    assert set(few["cells"]) <= {one["cell"] for one in told["cells"]}


def test_files_beside_the_survey(tmp_path: Path) -> None:
    (tmp_path / "shares.csv").write_text("1,1,4,8\n1,2,4,8\n1,2,4,8\n", "utf-8")
    lines = [[[x, y] for y, x in line] for line in LINES]
    features = [
        {"type": "Feature", "geometry": {"type": "LineString", "coordinates": lines[0]}},
        {"type": "Feature", "geometry": {"type": "MultiLineString", "coordinates": lines[1:]}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [139.7, 35.65]}},
        {"type": "Feature", "geometry": None},
    ]
    collection = {"type": "FeatureCollection", "features": features}
    (tmp_path / "roads.geojson").write_text(json.dumps(collection), "utf-8")
    for field, own in (("elastic", ELASTIC), ("roads", ROADS)):
        name = {"elastic": "shares.csv", "roads": "roads.geojson"}[field]
        path = tmp_path / "survey.toml"
        path.write_text(f'{HEAD}{field} = "{name}"\n', "utf-8")
        inline = sd.Collection.from_toml(HEAD + own)
        assert sd.Collection.load(path).fingerprint == inline.fingerprint
        with pytest.raises(sd.CollectionError, match="only a survey file on this machine"):
            sd.Collection.from_toml(path.read_text("utf-8"))
        path.write_text(f'{HEAD}{field} = "missing"\n', "utf-8")
        with pytest.raises(sd.CollectionError, match=f"{field} cannot be read"):
            sd.Collection.load(path)
        (tmp_path / "broken").write_text('{"type": "Line', "utf-8")
        path.write_text(f'{HEAD}{field} = "broken"\n', "utf-8")
        with pytest.raises(sd.CollectionError, match=rf"{field} must be (a CSV|GeoJSON)"):
            sd.Collection.load(path)


BAD = {
    "elastic = [[1, 2], [3, 4]]": "elastic must be 3 rows of 4",
    "elastic = 3": "elastic must be 3 rows of 4",
    "elastic = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0]]": "elastic must be shares > 0",
    "elastic = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, -1]]": "elastic must be shares > 0",
    "elastic = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0.009]]": "elastic must be shares > 0",
    'elastic = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, "1"]]': "elastic must be a number",
    'elastic = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, nan]]': "elastic must",
    ELASTIC + ROADS: "roads must be left out beside elastic",
    ELASTIC + 'mechanism = "TightGrid"': "mechanism must be left out beside elastic",
    ROADS + "weights = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]": "weights must be left out",
    "roads = [[[35.651, 139.7011], [35.6511, 139.7012]]]": "roads must lead from one",
    "roads = [[[0, 0], [1, 1]]]": "roads must lead from one",
    "roads = [[[35.651, 139.701, 3], [35.651, 139.7075]]]": "roads must be lines",
    "roads = [[[135.651, 139.701], [35.651, 139.7075]]]": "roads must be lines",
    "roads = [[35.651, 139.701]]": "roads must be lines",
    "roads = 3": "roads must be lines",
    "roads = [[[35.651, 139.701], [35.651, 139.7031]], [[35.6545, 139.701], [35.6545, 139.7031]]]":
        "roads must be connected",
}  # fmt: skip


@cases("more", list(BAD))
def test_what_is_wrong_is_said(more: str) -> None:
    with pytest.raises(sd.CollectionError) as caught:
        where(more)
    assert BAD[more] in str(caught.value)


@cases("field", ["elastic", "roads"])
def test_a_map_too_large_for_a_table_is_refused(field: str) -> None:
    wide = HEAD.replace("rows = 3", "rows = 17").replace("columns = 4", "columns = 16")
    line = [[[round(35.651 + 0.0018 * i, 4), y] for y in (139.701, 139.731)][:: (-1) ** i]
            for i in range(17)]  # fmt: skip
    value = [[1] * 16] * 17 if field == "elastic" else [[point for row in line for point in row]]
    with pytest.raises(sd.CollectionError, match=f"{field} must be on a map of at most 256"):
        sd.Collection.from_toml(f"{wide}{field} = {value}\n")


def test_a_file_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place_metric, "MOST_BYTES", 8)
    (tmp_path / "long").write_text("1,1,1,1,1,1", "utf-8")
    with pytest.raises(sd.CollectionError, match="must be a file of at most"):
        place_metric.read_shares(tmp_path / "long")
    monkeypatch.setattr(place_metric, "MOST_POINTS", 3)
    with pytest.raises(sd.CollectionError, match="must have at most 3 points"):
        where(ROADS)
