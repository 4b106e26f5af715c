"""A base map of PMTiles: the lines of its tiles are those of the shapes that were cut to tiles."""

from __future__ import annotations

import gzip
import io
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.shapes.outline import outline
from sudare.shapes.tiles import lines_of, read_base
from sudare.shapes.window import Window
from tests.cases import cases

ZOOM = 14
WINDOW = Window(35.64, 139.70, 0.01, 0.0125, rows=4, columns=4, shape=1.0)
RING = [(139.708, 35.646), (139.741, 35.652), (139.729, 35.676), (139.708, 35.646)]
ROAD = [(139.69, 35.66), (139.76, 35.667)]
SURVEY = """
[collection]
name = "walk"
[[question]]
id = "where"
type = "place"
text = "Where?"
origin = [35.64, 139.70]
cell_height = 1100
cell_width = 1100
rows = 3
columns = 3
epsilon_per_metre = "0.001"
base_map = { file = "town.pmtiles", layers = ["land"] }
"""


def place(points: Any) -> Any:
    """Return places in tiles of the zoom, as whole numbers count them."""
    lon, lat = np.array(points).T
    y = (1 - np.arcsinh(np.tan(np.radians(lat))) / np.pi) / 2
    return np.stack([(lon + 180) / 360, y], axis=1) * (1 << ZOOM)


def write(path: Path, buffer: float = 1 / 64) -> Path:
    """Write land and a road to tiles that are cut a little beyond their borders."""
    from mapbox_vector_tile import encode
    from pmtiles.tile import Compression, TileType, zxy_to_tileid
    from pmtiles.writer import Writer
    from shapely import LineString, Polygon, box
    from shapely.affinity import affine_transform

    land, road = Polygon(place(RING)), LineString(place(ROAD))
    stream = io.BytesIO()
    writer = Writer(stream)
    left, top, right, low = (int(one) for one in (*road.union(land).bounds,))
    tiles = {}
    for x, y in product(range(left, right + 1), range(top, low + 1)):
        frame = box(x - buffer, y - buffer, x + 1 + buffer, y + 1 + buffer)
        layers = []
        for name, shape in (("land", land), ("road", road)):
            own = affine_transform(
                shape.intersection(frame), [4096, 0, 0, 4096, -4096 * x, -4096 * y]
            )
            if not own.is_empty:
                layers.append({"name": name, "features": [{"geometry": own, "properties": {}}]})
        if layers:
            made = encode(layers, default_options={"y_coord_down": True})
            tiles[zxy_to_tileid(ZOOM, x, y)] = gzip.compress(made)
    for number, tile in sorted(tiles.items()):
        writer.write_tile(number, tile)
    bounds = {
        f"{name}_{axis}_e7": 0 for name in ("min", "max", "center") for axis in ("lon", "lat")
    }
    told = {"tile_type": TileType.MVT, "tile_compression": Compression.GZIP, "center_zoom": ZOOM}
    writer.finalize({**told, "min_zoom": ZOOM, "max_zoom": ZOOM, **bounds}, {})
    path.write_bytes(stream.getvalue())
    return path


def drawn(path: str) -> list[Any]:
    """Return the lines of a path of whole units."""
    out = []
    for part in path.split("M")[1:]:
        numbers = [int(one) for one in re.findall(r"-?\d+", part)]
        out.append(np.cumsum(np.array(numbers).reshape(-1, 2), axis=0))
    return out


def distance(point: Any, line: Any) -> float:
    a, b = line[:-1], line[1:]
    along = ((point - a) * (b - a)).sum(axis=1) / ((b - a) ** 2).sum(axis=1)
    nearest = a + np.clip(along, 0, 1)[:, None] * (b - a)
    return float(np.hypot(*(nearest - point).T).min())


@cases("buffer", [0, 1 / 64])
def test_lines_of_tiles_are_those_that_were_cut(tmp_path: Path, buffer: float) -> None:
    base = read_base(write(tmp_path / "town.pmtiles", buffer))
    found = outline(lines_of(base, WINDOW, ["land"]), WINDOW)
    assert found.shapes == ""
    whole = outline([(np.array(RING), False)], WINDOW)
    (ring,) = drawn(whole.lines)
    parts = drawn(found.lines)
    assert len(parts) > 4  # of several tiles
    assert max(distance(point, ring) for part in parts for point in part) < 3
    length = sum(np.hypot(*np.diff(part, axis=0).T).sum() for part in parts)
    assert length == pytest.approx(np.hypot(*np.diff(ring, axis=0).T).sum(), rel=0.01)
    assert len(outline(lines_of(base, WINDOW), WINDOW).lines) > len(found.lines)


def test_a_survey_names_tiles_and_their_layers(tmp_path: Path) -> None:
    write(tmp_path / "town.pmtiles")
    (tmp_path / "walk.toml").write_text(SURVEY)
    survey = sd.Collection.load(tmp_path / "walk.toml")
    told = survey.questions[0].texts()["base_map"]
    assert told["lines"].startswith("M")
    assert len(told["digest"]) == 64
    assert sd.Collection.from_compiled(survey.compiled()) == survey


@cases(
    "change, rule",
    [
        (lambda raw: raw[:200], "must be PMTiles 3 of vector tiles"),
        (lambda raw: raw[:7] + b"\2" + raw[8:], "must be PMTiles 3 of vector tiles"),
        (lambda raw: raw[:-300] + b"x" * 300, "must be PMTiles 3 of vector tiles"),
        (lambda raw: raw, "layers must be among land, road"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path: Path, change: Any, rule: str) -> None:
    path = write(tmp_path / "town.pmtiles")
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(sd.SudareError, match=rule):
        outline(lines_of(read_base(path), WINDOW, ["sea"]), WINDOW)


def test_layers_are_those_of_tiles_alone(tmp_path: Path) -> None:
    (tmp_path / "town.geojson").write_text('{"type": "Polygon", "coordinates": []}')
    with pytest.raises(sd.DomainError, match="PMTiles alone"):
        list(lines_of(read_base(tmp_path / "town.geojson"), WINDOW, ["land"]))
