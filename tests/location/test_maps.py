"""Maps: pixels and polygons where they belong, and everything that is refused."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.location import Layer, degrees, draw_map, map_page, to_geojson
from sudare.location.maps.colours import STOPS, Scale, png, rgba
from sudare.location.maps.layer import number
from sudare.location.maps.shore import runs, shore, stretches
from sudare.shapes.polygons import area
from sudare.words import Text
from tests.cases import cases

GRID = sd.Grid.from_mesh(533936, "1/2", rows=3, columns=5)
FLAT = sd.Grid(3, 5, 100, 200)
VALUES = np.arange(15.0)
LAND = np.array([True] * 10 + [False] * 5)


def test_colours_go_from_end_to_end() -> None:
    ends = rgba(np.array([0.0, 1.0, np.nan]))
    assert [f"#{r:02x}{g:02x}{b:02x}" for r, g, b, _ in ends[:2].tolist()] == [STOPS[0], STOPS[-1]]
    assert ends[:, 3].tolist() == [255, 255, 0]
    light = rgba(np.linspace(0, 1, 200)).astype(float) @ [0.2126, 0.7152, 0.0722, 0]
    assert (np.diff(light) >= 0).all()  # told apart by lightness alone


def test_scales() -> None:
    assert Scale.of(np.array([2.0, 4.0, np.nan])).place(np.array([2.0, 3.0, 4.0])).tolist() == [
        0,
        0.5,
        1,
    ]
    log = Scale.of(np.array([0.0, 1.0, 100.0]), log=True)
    places = log.place(np.array([0.0, 1.0, 10.0, 100.0, np.nan]))
    assert places[:4] == pytest.approx([0, 0, 0.5, 1])
    assert np.isnan(places[4])
    assert log.ticks() == pytest.approx((1, 10, 100))
    for few in ([7.0, 7.0], [np.nan], [0.0]):
        for kind in (False, True):
            found = Scale.of(np.array(few), log=kind).place(np.array([*few, 1e9]))
            assert ((found[:-1] >= 0) | np.isnan(found[:-1])).all()


def test_numbers_are_short() -> None:
    assert [number(x) for x in (0.0, 1 / 3, -0.25, 12345.6)] == ["0", "0.3333", "−0.25", "12,346"]


def test_a_png_is_read_back(tmp_path: Path) -> None:
    from matplotlib import image

    pixels = np.random.default_rng(1).integers(0, 256, (7, 5, 4), dtype=np.uint8)
    path = tmp_path / "one.png"
    path.write_bytes(png(pixels))
    assert (np.rint(image.imread(path) * 255) == pixels).all()


def test_paths_cover_what_they_should() -> None:
    mask = np.random.default_rng(2).random((9, 13)) < 0.4
    again = np.zeros_like(mask)
    for row, start, many in stretches(mask):
        assert not again[row, start : start + many].any()
        again[row, start : start + many] = True
    assert (again == mask).all()
    assert runs(mask, 1, 1).count("M") == len(stretches(mask))
    lengths = [float(x) for x in re.findall(r"[hv]([\d.]+)", shore(mask, 1, 1))]
    sides = (mask[1:] != mask[:-1]).sum() + (mask[:, 1:] != mask[:, :-1]).sum()
    assert sum(lengths) == sides


@pytest.mark.parametrize(("grid", "ending"), [(GRID, "png"), (FLAT, "svg")], ids=["png", "svg"])
def test_pictures(tmp_path: Path, grid: sd.Grid, ending: str) -> None:
    values = np.where(np.arange(15) == 3, np.nan, VALUES).reshape(3, 5)
    drawn = []
    for place in ("first", "again"):
        path = tmp_path / place / f"map.{ending}"
        found = draw_map(
            grid, values, path, mask=LAND, title=Text("People, $1 each", "人口"), unit="m",
            log=True, marks=(0, 7), language="ja",
        )  # fmt: skip
        assert found == path
        drawn.append(path.read_bytes())
    assert drawn[0].startswith(b"\x89PNG" if ending == "png" else b"<?xml")
    assert drawn[0] == drawn[1]  # the same bytes for the same map


@cases("value", [2.0, 0.0, np.nan])
def test_pictures_of_one_value(tmp_path: Path, value: float) -> None:
    assert draw_map(FLAT, np.full(15, value), tmp_path / "map.svg", log=value == 0).exists()


def test_a_metre_is_as_long_northwards_as_eastwards(tmp_path: Path) -> None:
    from matplotlib import image

    for grid in (sd.Grid.from_mesh(533936, "1/2", rows=20, columns=20), sd.Grid(20, 10, 100, 300)):
        path = tmp_path / "map.png"
        draw_map(grid, np.zeros(grid.cells), path)
        pixels = image.imread(path)[..., :3]
        colour = np.array([int(STOPS[8][i : i + 2], 16) / 255 for i in (1, 3, 5)])
        same = np.abs(pixels - colour).max(axis=2) < 0.03  # one value lies amid the scale
        rows, columns = np.flatnonzero(same.mean(axis=1) > 0.3), same[same.mean(axis=1) > 0.3]
        wide = np.flatnonzero(columns.mean(axis=0) > 0.9)
        ratio = (np.ptp(wide) + 1) / (np.ptp(rows) + 1)
        expected = grid.columns * grid.cell_width / (grid.rows * grid.cell_height)
        assert ratio == pytest.approx(expected, rel=0.02)


def test_cells_as_polygons() -> None:
    data = to_geojson(GRID, {"x": VALUES, "y": np.full((3, 5), np.nan)}, mask=LAND)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    south, west, north, east = degrees(GRID).bounds
    assert data["bbox"] == [west, south, east, north]
    assert len(data["features"]) == 10
    first = data["features"][0]
    assert first["properties"] == {"cell": 0, "row": 0, "column": 0, "x": 0.0, "y": None}
    ring = np.array(first["geometry"]["coordinates"][0])
    assert (ring[:, 1].max(), ring[:, 0].min()) == (north, west)  # the north-west corner
    whole = 0.0
    for feature in to_geojson(GRID, {})["features"]:
        ring = np.array(feature["geometry"]["coordinates"][0])
        assert (ring[0] == ring[-1]).all()
        assert area(ring) > 0  # counterclockwise
        whole += area(ring)
    assert whole == pytest.approx((north - south) * (east - west))
    with pytest.raises(sd.DomainError, match="origin"):
        to_geojson(FLAT, {"x": VALUES})


def test_the_page_is_one_file_with_a_strict_policy() -> None:
    evil = '</script><script>alert("x")</script><img src=http://a.b>'
    layers = [Layer(Text(evil, "人口"), VALUES, unit=evil, marks=(3,)), Layer("b", VALUES[::-1])]
    page = map_page(
        GRID, layers, title=evil, mask=LAND, facts={evil: evil}, notes=[evil], credits=[evil]
    )
    assert "<script>alert" not in page
    assert "<img" not in page
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src"
    assert f"{policy} 'sha256-{digest}'" in page
    assert not re.findall(r"(?:src|href|url)=?[\"'(](?!data:|#)", page)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert data["layers"][0]["values"] == [*range(10), *[None] * 5]
    assert data["layers"][0]["title"] == evil
    assert (data["rows"], data["columns"]) == (3, 5)
    assert data["borders"]["north"] == degrees(GRID).bounds[2]
    assert page.count("<figure") == 2


def test_the_pages_picture_has_the_north_on_top() -> None:
    from io import BytesIO

    from matplotlib import image

    page = map_page(FLAT, [Layer("x", VALUES)], title="x", mask=LAND)
    encoded = re.search(r"data:image/png;base64,([^\"]+)", page)[1]
    pixels = image.imread(BytesIO(base64.b64decode(encoded)))
    assert pixels.shape == (3, 5, 4)
    assert (pixels[..., 3] == LAND.reshape(3, 5)).all()
    assert (np.rint(pixels[0, 0, :3] * 255) == [0x44, 0x01, 0x54]).all()
    assert (np.rint(pixels[1, 4, :3] * 255) == [0xFD, 0xE7, 0x25]).all()


def test_both_languages() -> None:
    layers = [Layer(Text("People", "人口"), VALUES)]
    english = map_page(GRID, layers, title="A map")
    japanese = map_page(GRID, layers, title="A map", language="ja")
    assert '<html lang="en">' in english
    assert '<html lang="ja">' in japanese
    assert "人口" in japanese
    assert "人口" not in english


BAD_LAYERS: list[Any] = [
    None, [], "x", [VALUES], [Layer("x", VALUES[:3])], [Layer("x", "abc")], [Layer(7, VALUES)],
    [Layer("x", VALUES, unit=None)], [Layer("x", VALUES, marks=(99,))],
    [Layer("x", VALUES, marks=5)], [Layer("x", np.full(15, np.inf))], [Layer("x", None)],
    [Layer("x", np.ma.masked_array(VALUES))], [Layer("x", VALUES, marks=("a",))], 5,
]  # fmt: skip


@cases("layers", BAD_LAYERS)
def test_other_layers_are_refused(layers: Any) -> None:
    with pytest.raises(sd.SudareError):
        map_page(GRID, layers, title="x")


@cases(
    "more",
    [
        {"mask": [True]}, {"mask": [False] * 15}, {"mask": [1] * 15}, {"language": "fr"},
        {"title": 5}, {"title": None}, {"notes": [1]}, {"facts": {1: "x"}}, {"credits": [None]},
        {"notes": 5}, {"facts": 5}, {"facts": [1]}, {"notes": "text"},
    ])  # fmt: skip
def test_other_pages_are_refused(more: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        map_page(GRID, [Layer("x", VALUES)], **{"title": "x", **more})


@cases(
    "more",
    [
        {"values": VALUES[:2]}, {"values": None}, {"values": np.full(15, np.inf)}, {"path": 5},
        {"path": "map.gif"}, {"path": "map"}, {"path": "a\0.png"}, {"mask": [False] * 15},
        {"language": None}, {"grid": None}, {"marks": (15,)}, {"marks": (-1,)}, {"title": 3},
        {"unit": None}, {"path": "/dev/null/x.png"},
    ])  # fmt: skip
def test_other_pictures_are_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        draw_map(**{"grid": GRID, "values": VALUES, "path": tmp_path / "a.png", **more})


@cases("grid, columns", [(GRID, None), (GRID, {1: VALUES}), (GRID, {"x": [1]}), (None, {})])
def test_other_columns_are_refused(grid: Any, columns: Any) -> None:
    with pytest.raises(sd.SudareError):
        to_geojson(grid, columns)
