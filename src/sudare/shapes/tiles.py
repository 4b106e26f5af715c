"""A base map from PMTiles: vector tiles of one file, of which the lines on a map are drawn."""

from __future__ import annotations

import gzip
import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, MissingExtraError
from sudare.shapes.outline import pieces
from sudare.shapes.reading import MOST_POINTS, Shapes, drawn, read_file, read_shapes
from sudare.shapes.window import Window

MOST_TILES = 16
"""That a map is drawn from, of the finest zoom with so few."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """A PMTiles file.

    Attributes:
        name: of the file.
        digest: SHA-256 of the file, in hexadecimal.
        raw: the file.
    """

    name: str
    digest: str
    raw: bytes


def read_base(path: str | Path) -> Shapes | Tiles:
    """Return a base map's file: GeoJSON, or PMTiles.

    Raises:
        DomainError, WrongTypeError: as :func:`~sudare.shapes.reading.read_shapes`.
    """
    raw = read_file(Path(path))
    if not raw.startswith(b"PMTiles"):
        return read_shapes(path)
    return Tiles(Path(path).name, hashlib.sha256(raw).hexdigest(), raw)


def lines_of(
    base: Shapes | Tiles, window: Window, layers: Sequence[str] = ()
) -> Iterator[tuple[Floats, bool]]:
    """Yield what :func:`~sudare.shapes.outline.outline` draws of a base map's file.

    Tiles cut polygons where they end. So their borders are lines here, and what lies along the
    border of a tile is left out.

    Args:
        base: the file.
        window: of the map's cells.
        layers: of tiles those to draw; empty for all.

    Raises:
        DomainError, WrongTypeError: it cannot be drawn, or has no such layers.
        MissingExtraError: the extra ``tiles`` is not installed.
    """
    if isinstance(base, Shapes):
        if layers:
            raise DomainError("layers", "are those of PMTiles alone", "leave them out")
        yield from drawn(base)
        return
    seen: set[str] = set()
    count = 0
    for (zoom, column, row), tile in _tiles(base, window):
        for name, layer in tile.items():
            seen.add(name)
            for line in _lines(layer) if not layers or name in layers else ():
                x, y = ((line / layer["extent"] + (column, row)) / (1 << zoom)).T
                latitude = np.degrees(np.arctan(np.sinh(np.pi * (1 - 2 * y))))
                count += x.size
                yield np.stack([x * 360 - 180, latitude], axis=1), False
            if count > MOST_POINTS:
                rule = f"must have at most {MOST_POINTS:,} points on the map"
                raise DomainError("file", rule, "name the layers to draw")
    if seen and not seen & set(layers or seen):
        raise DomainError("layers", f"must be among {', '.join(sorted(seen))}")


def _tiles(base: Tiles, window: Window) -> Iterator[tuple[tuple[int, int, int], Any]]:
    """Yield zoom, column and row, and the layers, of the tiles on a map."""
    try:
        from mapbox_vector_tile import decode
        from pmtiles.reader import MemorySource, Reader
    except ImportError:
        raise MissingExtraError("pmtiles", "tiles", "to read a base map of tiles") from None
    try:
        reader = Reader(MemorySource(base.raw))
        head = reader.header()
        zooms = range(head["min_zoom"], head["max_zoom"] + 1)
        touched = next(
            own for z in reversed(zooms) if (own := _touched(window, z)) or z == zooms[0]
        )
        for place in touched:
            raw = reader.get(*place) or b""
            plain = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
            yield place, decode(plain, default_options={"y_coord_down": True})
    except Exception:  # noqa: BLE001 # whatever the libraries raise of foreign bytes
        rule = "must be PMTiles 3 of vector tiles, plain or packed by gzip"
        raise DomainError("file", rule, "check the file", got=base.name) from None


def _touched(window: Window, zoom: int) -> list[tuple[int, int, int]]:
    """Return the tiles of a zoom that a map touches; none where they are too many."""

    def row(latitude: float) -> float:
        return (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2

    north = window.south + window.rows * window.height
    east = window.west + window.columns * window.width
    ends = [(window.west + 180) / 360, (east + 180) / 360, row(north), row(window.south)]
    left, right, top, low = (min(int(end * (1 << zoom)), (1 << zoom) - 1) for end in ends)
    if (right - left + 1) * (low - top + 1) > MOST_TILES:
        return []
    return list(product([zoom], range(left, right + 1), range(top, low + 1)))


def _lines(layer: Any) -> Iterator[Floats]:
    """Yield the lines of a layer, and the borders of its polygons, within the tile."""
    inside = np.full(2, 0.5), np.full(2, layer["extent"] - 0.5)
    for feature in layer["features"]:
        own = feature["geometry"]["coordinates"]
        kind = feature["geometry"]["type"]
        if kind == "MultiPolygon":
            own = [ring for polygon in own for ring in polygon]
        for line in [own] if kind == "LineString" else own if "Point" not in kind else ():
            if len(line) > 1:
                yield from pieces(np.array(line, dtype=np.float64), *inside)
