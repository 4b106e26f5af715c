"""A file of shapes gets one verdict, wherever it is given."""

from __future__ import annotations

import copy
import gzip
import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_up import SURVEY, TOWN, ring, ward

import sudare as sd
from sudare.cli import main
from sudare.location import land_fraction
from sudare.shapes.reading import CONVERT, read_shapes

MAP = ("map", "--mesh", "53394611", "--level", "1/8", "--rows", "4", "--columns", "5")
GRID = sd.Grid.from_mesh(53394611, "1/8", rows=4, columns=5)
WGS84 = "longitudes and latitudes of WGS84"

Verdict = str | None


def of_command(option: str) -> Callable[[Path], Verdict]:
    def verdict(file: Path) -> Verdict:
        said = io.StringIO()
        with redirect_stderr(said), redirect_stdout(io.StringIO()):
            status = main([*MAP, "--epsilon", "0.02", option, str(file)])
        assert status == (2 if said.getvalue() else 0), said.getvalue()
        return said.getvalue() or None

    return verdict


def of_survey(field: str) -> Callable[[Path], Verdict]:
    def verdict(file: Path) -> Verdict:
        survey = file.with_name("town.toml")
        survey.write_text(SURVEY + field % file.name, "utf-8")
        try:
            sd.Collection.load(survey)
        except sd.CollectionError as error:
            return str(error)
        return None

    return verdict


def of_object(wrap: Callable[[Any], Any]) -> Callable[[Path], Verdict]:
    def verdict(file: Path) -> Verdict:
        raw = file.read_bytes()
        plain = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        data = json.loads(plain.decode("utf-8-sig"))
        try:
            land_fraction(GRID, wrap(data))
        except sd.SudareError as error:
            return str(error)
        return None

    return verdict


ENTRIES = {
    "map --land": of_command("--land"),
    "map --areas": of_command("--areas"),
    "map --base-map": of_command("--base-map"),
    "base_map": of_survey('base_map = { file = "%s" }'),
    "areas": of_survey('areas = { file = "%s" }'),
    "roads": of_survey('roads = "%s"'),
    "data": of_object(lambda data: data),
    "__geo_interface__": of_object(lambda data: SimpleNamespace(__geo_interface__=data)),
}


def named(name: Any) -> dict[str, Any]:
    return {"type": "name", "properties": {"name": name}}


def moved(change: Callable[[float, float], Any], crs: Any = None) -> dict[str, Any]:
    """Return the town with other coordinates."""
    data = copy.deepcopy(TOWN)
    for feature in data["features"]:
        own = feature["geometry"]
        line = own["type"] == "LineString"
        for points in [own["coordinates"]] if line else own["coordinates"]:
            points[:] = [change(*point) for point in points]
    return data if crs is None else {**data, "crs": crs}


def within(depth: int, crs: Any) -> dict[str, Any]:
    """Return the town with a system told of a feature or of a geometry."""
    data = copy.deepcopy(TOWN)
    one = data["features"][1]
    (one if depth == 1 else one["geometry"])["crs"] = crs
    return data


TOKYO = named("urn:ogc:def:crs:EPSG::4301")
OPEN, SHORT = ring((0, 0), (9, 0), (9, 9), (0, 9))[:-1], ring((0, 0), (9, 0))
ESRI = {
    "geometryType": "esriGeometryPolygon",
    "spatialReference": {"wkid": 4301},
    "features": [{"attributes": {"name": "x"}, "geometry": {"rings": [ring((0, 0), (9, 9))]}}],
}
ACCEPTED: dict[str, Any] = {
    "plain": TOWN,
    "packed": gzip.compress(json.dumps(TOWN).encode()),
    "with a mark": b"\xef\xbb\xbf" + json.dumps(TOWN).encode(),
    "WGS84": {**TOWN, "crs": named("urn:ogc:def:crs:OGC:1.3:CRS84")},
    "EPSG": {**TOWN, "crs": named("EPSG:4326")},
    "a code": {**TOWN, "crs": {"type": "EPSG", "properties": {"code": 4326}}},
    "JGD2011": within(1, named("http://www.opengis.net/def/crs/EPSG/0/6668")),
    "null": {**TOWN, "crs": None},
    "heights": moved(lambda x, y: [x, y, 3.5]),
    "points": {**TOWN, "features": [*TOWN["features"], {"type": "Point", "coordinates": [1, 2]}]},
    "no place": {**TOWN, "features": [*TOWN["features"], {"type": "Feature", "geometry": None}]},
    "empty": {**TOWN, "features": [*TOWN["features"], {"type": "MultiPolygon", "coordinates": []}]},
}
REFUSED: dict[str, tuple[Any, str]] = {
    "Tokyo datum": ({**TOWN, "crs": TOKYO}, WGS84),
    "of a feature": (within(1, TOKYO), WGS84),
    "of a geometry": (within(2, TOKYO), WGS84),
    "plane": (moved(lambda x, y: [x * 90_000, y * 110_000], named("EPSG:6677")), WGS84),
    "a number": ({**TOWN, "crs": {"type": "EPSG", "properties": {"code": 4301}}}, WGS84),
    "a link": ({**TOWN, "crs": {"type": "link", "properties": {"href": "x.prj"}}}, WGS84),
    "a word": ({**TOWN, "crs": "EPSG:3857"}, WGS84),
    "a list": ({**TOWN, "crs": [4326]}, WGS84),
    "metres": (moved(lambda x, y: [x * 90_000, y * 110_000]), WGS84),
    "swapped": (moved(lambda x, y: [y, x]), "the longitude before the latitude"),
    "no number": (moved(lambda x, y: [x, float("nan")]), WGS84),
    "text": (moved(lambda x, y: [str(x), str(y)]), "lists of coordinates"),
    "truth": (moved(lambda x, y: [x, True]), "lists of coordinates"),
    "alone": (moved(lambda x, y: [x]), "lists of coordinates"),
    "flat": (moved(lambda x, y: x), "lists of coordinates"),
    "open": ({**TOWN, "features": [*TOWN["features"], ward(OPEN)]}, "closed rings"),
    "short": ({**TOWN, "features": [*TOWN["features"], ward(SHORT)]}, "at least 4 points"),
    "TopoJSON": ({"type": "Topology", "objects": {}, "arcs": []}, "not TopoJSON"),
    "Esri": (ESRI, "must be GeoJSON"),
    "a curve": (
        {**TOWN, "features": [*TOWN["features"], {"type": "CircularString", "coordinates": []}]},
        "must be GeoJSON",
    ),
    "lines of JSON": ("\n".join(map(json.dumps, TOWN["features"])).encode(), "must be GeoJSON"),
    "KML": (b'<?xml version="1.0"?><kml/>', "must be GeoJSON"),
    "GeoPackage": (b"SQLite format 3\0" + bytes(range(256)), "must be GeoJSON"),
    "UTF-16": (json.dumps(TOWN).encode("utf-16"), "must be GeoJSON"),
    "cut": (gzip.compress(json.dumps(TOWN).encode())[:-9], "must be GeoJSON"),
}


def write(folder: Path, data: Any, name: str = "shapes.geojson") -> Path:
    file = folder / name
    file.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return file


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_file_gets_one_verdict_at_each_entry(tmp_path: Path, entry: str) -> None:
    """Each entry against each file: what one takes all take, what one refuses all refuse."""
    for what, data in ACCEPTED.items():
        assert ENTRIES[entry](write(tmp_path, data)) is None, what
    for what, (data, rule) in REFUSED.items():
        if isinstance(data, bytes) and entry in ("data", "__geo_interface__"):
            continue
        said = ENTRIES[entry](write(tmp_path, data))
        assert said is not None, what
        assert rule in said, (what, said)
        if rule == WGS84:
            assert CONVERT in said, (what, said)


def test_what_has_no_surface_is_neither_land_nor_areas(tmp_path: Path) -> None:
    bow = [*ring((0, 0), (4, 4), (4, 0), (0, 4))]
    for data, rule in (
        (ward(bow, name="x"), "do not cross themselves"),
        ({"type": "LineString", "coordinates": bow}, "at least one polygon"),
        ({"type": "FeatureCollection", "features": []}, "at least one polygon"),
    ):
        file = write(tmp_path, data)
        for entry in ("map --land", "map --areas", "areas", "data", "__geo_interface__"):
            assert rule in str(ENTRIES[entry](file)), entry


def test_the_ending_of_a_file_decides_nothing(tmp_path: Path) -> None:
    for name in ("town.json", "town.GEOJSON", "town", "town.topojson"):
        for entry in ("map --land", "map --areas", "map --base-map"):
            assert ENTRIES[entry](write(tmp_path, TOWN, name)) is None, (entry, name)
            assert WGS84 in str(ENTRIES[entry](write(tmp_path, {**TOWN, "crs": TOKYO}, name)))


def test_a_frame_of_another_system_is_refused() -> None:
    """As those of GeoPandas: they say their system beside the data, or nothing."""

    def frame(crs: Any) -> Any:
        return SimpleNamespace(__geo_interface__=TOWN, crs=crs)

    class System:
        def __init__(self, text: str, number: int | None) -> None:
            self.text, self.number = text, number

        def __str__(self) -> str:
            return self.text

        def to_epsg(self) -> int | None:
            return self.number

    for crs in (None, "EPSG:4326", System("OGC:CRS84", None), System("GEOGCS[...]", 6668)):
        assert land_fraction(GRID, frame(crs)).max() == 1
    for crs in ("EPSG:4301", System("EPSG:6677", 6677), System("GEOGCS[...]", None)):
        with pytest.raises(sd.DomainError, match=r'to_crs\("EPSG:4326"\), or convert it: ogr2ogr'):
            land_fraction(GRID, frame(crs))


def test_the_case_of_the_tokyo_datum(tmp_path: Path) -> None:
    file = write(tmp_path, {**ward(ring((0, 0), (1, 0), (1, 1))), "crs": TOKYO})
    with pytest.raises(sd.DomainError) as caught:
        read_shapes(file)
    assert str(caught.value).endswith(f"convert it: {CONVERT}")
