"""Base maps and named areas: read within limits, drawn where the cells are, summed honestly."""

from __future__ import annotations

import gzip
import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import KOTO, NAMED, SURVEY, TOWN, ring, ward, write

import sudare as sd
from sudare.cli import main
from sudare.collection import Place
from sudare.collection.questions.place import address
from sudare.collection.questions.place_metric import read_shares
from sudare.collector import BackgroundCollector
from sudare.collector.exporting import figure_records
from sudare.shapes.areas import Areas
from sudare.shapes.outline import MOST_TEXT, outline
from sudare.shapes.reading import read_shapes
from sudare.shapes.sums import area_sums
from sudare.shapes.window import Window
from tests.cases import cases


def where(path: Path) -> Place:
    (question,) = sd.Collection.load(path).questions
    assert isinstance(question, Place)
    return question


# -- the file ------------------------------------------------------------------------------------


def test_it_travels_with_the_collection_and_changes_no_fingerprint(tmp_path: Path) -> None:
    named = sd.Collection.load(write(tmp_path))
    plain = sd.Collection.from_toml(SURVEY)
    assert named.fingerprint == plain.fingerprint
    assert set(plain.compiled()["texts"]["questions"]["where"]) == {"text", "places"}
    document = json.loads(json.dumps(named.compiled()))
    assert sd.Collection.from_compiled(document) == named
    own = document["texts"]["questions"]["where"]
    assert len(own["base_map"]["digest"]) == 64
    assert [one["name"] for one in own["areas"]["list"]] == [
        {"en": "Kōtō", "ja": "江東区"},
        {"en": "Edogawa"},
    ]


def test_packed_files_are_read(tmp_path: Path) -> None:
    path = write(tmp_path)
    packed = gzip.compress((tmp_path / "town.geojson").read_bytes())
    (tmp_path / "town.geojson").write_bytes(packed)
    assert where(path).atlas.areas is not None


BROKEN = {
    "no JSON": ("{", "must be GeoJSON"),
    "tiles": ("PMTiles\x03", "in.pmtiles LAYER"),
    "no GeoJSON": ({"type": "Town"}, "must be GeoJSON"),
    "a list": ([1], "must be GeoJSON"),
    "TopoJSON": ({"type": "Topology", "objects": {}}, "mapshaper"),
    "metres": (ward([[0, 0], [5e5, 0], [5e5, 4e6], [0, 0]], name="x"), "latitudes of WGS84"),
    "a crs": ({**TOWN, "crs": {"type": "name", "properties": {"name": "EPSG:6677"}}}, "WGS84"),
    "elsewhere": (ward([[0, 0], [1, 0], [1, 1], [0, 0]], name="x"), "on the map"),
    "a crs of a list": ({**TOWN, "crs": {"properties": [1]}}, "WGS84"),
    "text": (ward([["a", "b"]], name="x"), "lists of coordinates"),
}


@cases("named", NAMED.strip().splitlines())
@cases("what", BROKEN)
def test_other_files_are_refused(tmp_path: Path, what: str, named: str) -> None:
    data, told = BROKEN[what]
    path = write(tmp_path, data, named)
    if isinstance(data, str):
        (tmp_path / "town.geojson").write_text(data)
    if (what, named[0]) == ("tiles", "b"):
        told = "PMTiles 3" if find_spec("pmtiles") else "tiles"
    with pytest.raises(sd.CollectionError, match=told):
        sd.Collection.load(path)


def test_what_has_no_names_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sd.CollectionError, match="name = "):
        sd.Collection.load(
            write(
                tmp_path,
                ward(KOTO["geometry"]["coordinates"][0]),
                'areas = { file = "town.geojson" }',
            )
        )
    with pytest.raises(sd.CollectionError, match="survey file"):
        sd.Collection.from_toml(SURVEY + NAMED)
    (tmp_path / "town.geojson").unlink()
    (tmp_path / "town.toml").write_text(SURVEY + NAMED)
    with pytest.raises(sd.CollectionError, match="cannot be read"):
        sd.Collection.load(tmp_path / "town.toml")


UNSEEN = ["\x1b[31m", "a\u202eb", "a\0", "\ud800", "a\u2028b", "a\u2029b"]


@cases("name", UNSEEN)
def test_names_with_unseen_characters_are_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path)
    document = json.loads(json.dumps(sd.Collection.load(path).compiled()))
    document["texts"]["questions"]["where"]["areas"]["list"][1]["name"]["en"] = name
    with pytest.raises(
        sd.CollectionError, match=r"areas\.(name must hold no control|list\[1\]\.name)"
    ):
        sd.Collection.from_compiled(document)
    town = json.dumps(ward(ring((0, 0), (9, 0), (9, 9)), name=name))
    (tmp_path / "town.geojson").write_text(town)
    with pytest.raises(sd.CollectionError, match=r"areas\.name must hold no control.*; correct"):
        sd.Collection.load(path)


@cases("given", ["absolute", "../town.geojson", "link.geojson", "a\\u0000b"])
def test_files_elsewhere_are_refused(tmp_path: Path, given: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    write(tmp_path)
    (home / "link.geojson").symlink_to(tmp_path / "town.geojson")
    name = str(tmp_path / "town.geojson") if given == "absolute" else given
    told = "cannot be read" if "0000" in given else "in the survey file's folder"
    for field in ("base_map", "elastic", "roads"):
        own = f'{{ file = "{name}" }}' if field == "base_map" else f'"{name}"'
        (home / "town.toml").write_text(f"{SURVEY}{field} = {own}", "utf-8")
        with pytest.raises(sd.CollectionError, match=f"{field} .*{told}"):
            sd.Collection.load(home / "town.toml")


def test_files_below_the_survey_are_read(tmp_path: Path) -> None:
    (tmp_path / "maps").mkdir()
    path = write(tmp_path, named='areas = { file = "maps/town.geojson" }')
    (tmp_path / "town.geojson").rename(tmp_path / "maps" / "town.geojson")
    assert where(path).atlas.areas is not None


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a system without devices")
def test_what_is_no_regular_file_is_not_opened() -> None:
    for read in (read_shapes, read_shares):
        with pytest.raises(sd.SudareError, match="cannot be read"):
            read(Path("/dev/null"))


def test_a_system_of_degrees_is_taken(tmp_path: Path) -> None:
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::6668"}}
    assert where(write(tmp_path, {**TOWN, "crs": crs})).atlas.base is not None


# -- the outline ---------------------------------------------------------------------------------

SQUARE = Window(0.0, 0.0, 1.0, 1.0, rows=4, columns=4, shape=1.0)


def points(path: str) -> list[tuple[int, int]]:
    """The points of a path's first part."""
    numbers = [int(one) for one in re.findall(r"-?\d+", path.split("z")[0])]
    return [(int(x), int(y)) for x, y in np.cumsum(np.reshape(numbers, (-1, 2)), axis=0)]


def test_the_outline_lies_where_the_cells_are() -> None:
    found = outline([(np.array([[1, 1], [3, 1], [3, 2], [1, 2], [1, 1.0]]), True)], SQUARE)
    assert (found.width, found.height) == (2048, 2048)
    assert points(found.shapes) == [(512, 1536), (1536, 1536), (1536, 1024), (512, 1024)]
    tall = Window(0.0, 0.0, 1.0, 1.0, rows=4, columns=4, shape=2.0)
    assert outline([(np.array([[1, 1], [3, 3.0]]), False)], tall).lines == "M256 1536l512-1024"


def test_what_lies_outside_is_cut_off() -> None:
    large = np.array([[-50, -50], [50, -50], [50, 50], [-50, 50], [-50, -50.0]])
    found = points(outline([(large, True)], SQUARE).shapes)
    assert {abs(x) for x, _ in found} == {41, 2089}  # a margin of 2 %
    line = np.array([[-9, 2], [2, 2], [2, 9], [3, 9], [3, -9.0]])
    assert outline([(line, False)], SQUARE).lines.count("M") == 2


def test_a_fine_coast_is_simplified_until_it_fits() -> None:
    angle = np.linspace(0, 2 * np.pi, 200_001)
    radius = 1.5 + 0.02 * np.sin(angle * 9_000)
    coast = np.stack([2 + radius * np.cos(angle), 2 + radius * np.sin(angle)], axis=1)
    coast[-1] = coast[0]
    found = outline([(coast, True)], SQUARE)
    assert 200 < len(found.shapes) <= MOST_TEXT
    away = np.hypot(*(np.array(points(found.shapes)) / 512 - 2).T)
    assert ((away > 1.4) & (away < 1.6)).all()


# -- areas ---------------------------------------------------------------------------------------


def test_a_cell_has_the_name_of_what_covers_most_of_it(tmp_path: Path) -> None:
    question = where(write(tmp_path))
    areas = question.atlas.areas
    assert areas is not None
    assert areas.of_cell == (0, 0, 1, 1, 1) * 4
    assert dict(areas.parts[0])[2] == 400
    names = question.named(("ja", "en"))
    assert names[address(question.lattice, 6)] == "“江東区 4”"
    assert names[address(question.lattice, 18)] == "“Edogawa 11”"
    assert address(question.lattice, 19) not in names  # water
    assert names["“Kōtō”"] == "“江東区”"


def test_features_of_one_name_are_one_area_and_properties_can_be_told(tmp_path: Path) -> None:
    parts = [
        ward(ring((0, 0), (1, 0), (1, 4), (0, 4)), city="横浜市", part="鶴見区"),
        ward(ring((2, 0), (3, 0), (3, 4), (2, 4)), city="横浜市", part="鶴見区"),
        ward(ring((3, 0), (5, 0), (5, 4), (3, 4)), city="川崎市", part="川崎区"),
    ]
    named = 'areas = { file = "town.geojson", name = { ja = ["city", "part"] } }'
    areas = where(write(tmp_path, {"type": "FeatureCollection", "features": parts}, named)).atlas
    assert areas.areas is not None
    assert [name["ja"] for name in areas.areas.names] == ["横浜市鶴見区", "川崎市川崎区"]
    assert areas.areas.of_cell[:5] == (0, None, 0, 1, 1)


def test_shared_cells_are_split_by_surface() -> None:
    names = ({"en": "A"}, {"en": "A"})
    areas = Areas(names, (((0, 1000), (1, 300)), ((1, 100), (2, 5))), 4, "split")
    assert areas.weights().tolist() == [[1.0, 0.75, 0, 0], [0, 0.25, 1.0, 0]]
    assert areas.identifiers == ("A", "A (2)")


def counted(question: Place, seed: bytes, n: int = 4000) -> Any:
    shares = question.on_land / question.on_land.sum()
    true = np.random.default_rng(len(seed)).multinomial(n, shares)
    return question.mechanism.simulate(true, rng=sd.Entropy.seeded(seed))


@cases("rule", ["greatest", "split"])
def test_an_area_is_the_sum_of_its_cells_by_their_covariance(tmp_path: Path, rule: str) -> None:
    named = f'areas = {{ file = "town.geojson", rule = "{rule}" }}'
    question = where(write(tmp_path, named=named))
    counts = counted(question, b"town")
    found = question.results(counts, "population", 0.95)
    shares = np.zeros(20)
    shares[question.on_land] = [one["share"] for one in found["cells"]]
    part = np.array([1, 1, 0.4 if rule == "split" else 0, 0, 0] * 4)
    assert found["areas"][0]["share"] == pytest.approx(part @ shares)
    # dense oracle: n Cov = M^-1 diag(y) M^-T - x x^T on the land
    land = question.on_land
    inverse = np.linalg.inv(question.mechanism.channel.dense()[np.ix_(land, land)])
    y = counts.support[land] / counts.n
    covariance = (inverse * y @ inverse.T - np.outer(shares[land], shares[land])) / counts.n
    dense = float(np.sqrt(part[land] @ covariance @ part[land]))
    own = found["areas"][0]["stderr"]
    assert dense * 0.999 <= own <= 1.1 * dense
    naive = np.hypot.reduce([one["stderr"] for one in found["cells"]] * part[land])
    assert own < naive  # neighbours' errors make up for one another
    assert found["areas"][0]["share"] + found["areas"][1]["share"] == pytest.approx(1.0)
    empty = question.results(sd.Counts(np.zeros(20, np.int64), 0), "population", 0.95)
    unknown = dict.fromkeys(("share", "stderr", "low", "high", "map"))
    assert empty["areas"][0] == {"area": "Kōtō", **unknown}


@pytest.mark.slow
def test_intervals_of_areas_cover(tmp_path: Path) -> None:
    question = where(write(tmp_path))
    areas = question.atlas.areas
    assert areas is not None
    true = np.where(question.on_land, np.arange(20) % 5 + 1, 0) / 50
    true /= true.sum()
    weights = areas.weights()[:1]
    draws, hits = np.random.default_rng(19), 0
    for i in range(2000):
        people = draws.multinomial(3000, true)
        counts = question.mechanism.simulate(people, rng=sd.Entropy.seeded(b"%d" % i))
        estimate = question.mechanism.estimate(counts, mask=question.on_land)
        (sum_,) = area_sums(estimate, weights)
        low, high = sum_.interval(0.95)
        hits += low <= weights[0] @ true <= high
    assert 0.935 <= hits / 2000 <= 0.965


def test_files_of_results_say_the_names(tmp_path: Path) -> None:
    collection = sd.Collection.load(write(tmp_path))
    (question,) = collection.questions
    assert isinstance(question, Place)
    counts = counted(question, b"names")
    results = {
        "target": "population",
        "confidence": 0.95,
        "questions": [{"n": 4000, **question.results(counts, "population", 0.95)}],
    }
    rows = figure_records(collection, results, "ja")
    assert [row["label"] for row in rows[:4]] == [
        "“江東区”",
        "“Edogawa”",
        "“江東区 1”",
        "“江東区 2”",
    ]
    assert rows[0]["figure"] == "“Kōtō”"
    assert rows[2]["figure"] == address(question.lattice, 0)
    assert rows[0]["unit"] == "share"


def test_the_command_says_the_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    write(tmp_path)
    survey = next(tmp_path.glob("*.toml"))
    collection, database = sd.Collection.load(survey), tmp_path / "x.sqlite3"
    with BackgroundCollector([collection], database) as running:
        device = sd.Client(collection)
        device.send(device.answer({collection.questions[0].id: 0}), running.url)
    assert main(["results", str(survey), "--database", str(database)]) == 0
    told = capsys.readouterr().out
    assert "Kōtō 1" in told
    assert "35.6" not in told.partition("Kōtō 2")[0]


def test_a_name_is_no_formula(tmp_path: Path) -> None:
    wards = [
        ward(ring((-2, -2), (2.4, -2), (2.4, 9), (-2, 9)), name="=HYPERLINK(1)"),
        ward(ring((2.4, -2), (9, -2), (9, 9), (2.4, 9)), name="@b"),
    ]
    path = write(tmp_path, {"type": "FeatureCollection", "features": wards})
    collection = sd.Collection.load(path)
    (question,) = collection.questions
    assert isinstance(question, Place)
    told = question.results(counted(question, b"names"), "population", 0.95)
    results = {"target": "population", "confidence": 0.95, "questions": [{"n": 4000, **told}]}
    rows = figure_records(collection, results, "en")
    assert rows[0]["figure"] == rows[0]["label"] == "“=HYPERLINK(1)”"
    assert not [row for row in rows if row["figure"][0] in "=+-@" or row["label"][0] in "=+-@"]


def test_a_compiled_document_with_cells_off_the_map_is_refused(tmp_path: Path) -> None:
    document = json.loads(json.dumps(sd.Collection.load(write(tmp_path)).compiled()))
    own = document["texts"]["questions"]["where"]
    own["areas"]["list"][0]["cells"].append([20, 5])
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(document)
    own["areas"]["list"][0]["cells"].pop()
    own["base_map"]["shapes"] = '"/><script>'
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(document)
