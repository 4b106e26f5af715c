"""Rings of GeoJSON polygons, read and checked, and the share of each cell that they cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.parameters import is_list

_MOST_PAIRS = 1 << 20
_MOST_DEPTH = 32
_KINDS = "a Polygon, MultiPolygon, GeometryCollection, Feature or FeatureCollection"


def rings(geojson: object) -> list[tuple[Floats, bool]]:
    """Return every ring of some GeoJSON polygons and whether it is a hole.

    A ring is an (m + 1, 2) array of longitudes and latitudes, the last point the first.

    Raises:
        WrongTypeError, DomainError: no GeoJSON polygons; a ring that is not closed, has fewer than
            three corners, crosses itself, or has coordinates that are no degrees.
    """
    found: list[tuple[Floats, bool]] = []
    for polygon in _polygons(getattr(geojson, "__geo_interface__", geojson), 0):
        if not is_list(polygon) or len(polygon) == 0:
            raise WrongTypeError("geojson", "must have polygons that are lists of rings")
        for i, points in enumerate(polygon):
            found.append((_ring(points, f"ring {len(found)}"), i > 0))
    if not found:
        raise DomainError("geojson", "must have at least one polygon", f"give {_KINDS}")
    return found


def _polygons(data: object, depth: int) -> Iterator[Any]:
    if not isinstance(data, Mapping) or depth > _MOST_DEPTH:
        raise WrongTypeError("geojson", "must be GeoJSON data", f"give {_KINDS}")
    kind = data.get("type")
    if kind in ("FeatureCollection", "GeometryCollection"):
        name = "features" if kind == "FeatureCollection" else "geometries"
        parts = data.get(name)
        if not is_list(parts):
            raise WrongTypeError("geojson", f"must have a list of {name}")
        for part in parts:
            yield from _polygons(part, depth + 1)
    elif kind == "Feature":
        if data.get("geometry") is not None:  # a feature without a place
            yield from _polygons(data["geometry"], depth + 1)
    elif kind == "Polygon":
        yield data.get("coordinates")
    elif kind == "MultiPolygon":
        parts = data.get("coordinates")
        if not is_list(parts):
            raise WrongTypeError("geojson", "must have a list of polygons")
        yield from parts
    else:
        raise DomainError("geojson", "must hold polygons alone", f"give {_KINDS}", got=kind)


def _ring(points: object, place: str) -> Floats:
    try:
        array = np.array([[float(x), float(y)] for x, y, *_ in points])  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        raise WrongTypeError(
            "geojson", "must have rings of (longitude, latitude)", f"look at {place}"
        ) from None
    if array.shape[0] < 4:
        raise DomainError("geojson", "must have rings of at least 4 points", f"look at {place}")
    if not (np.abs(array) <= (180.0, 90.0)).all():  # NaN fails too
        raise DomainError(
            "geojson",
            "must have longitudes in [-180, 180] and latitudes in [-90, 90]",
            f"look at {place}; turn other coordinates into degrees",
        )
    if (array[0] != array[-1]).any():
        raise DomainError("geojson", "must have closed rings", f"repeat the first point of {place}")
    if crosses_itself(array):
        raise DomainError(
            "geojson", "must have rings that do not cross themselves", f"mend {place}"
        )
    return array


def crosses_itself(ring: Floats) -> bool:
    """Tell whether two edges of a closed ring cross: not where they only touch.

    Examples:
        >>> crosses_itself(np.array([[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]], dtype=float))
        True
    """
    a, b = ring[:-1], ring[1:]
    order = np.argsort(np.minimum(a[:, 0], b[:, 0]), kind="stable")
    a, b = a[order], b[order]
    left, right = np.minimum(a[:, 0], b[:, 0]), np.maximum(a[:, 0], b[:, 0])
    edges = len(a)
    many = np.searchsorted(left, right, side="right") - np.arange(1, edges + 1)
    start = 0
    while start < edges:  # edge i against those that begin within its width
        whole = np.cumsum(many[start:])
        end = start + max(1, int(np.searchsorted(whole, _MOST_PAIRS)))
        counts = many[start:end]
        i = np.repeat(np.arange(start, start + counts.size), counts)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        j = i + 1 + np.arange(i.size) - first
        if _crossing(a[i], b[i], a[j], b[j]).any():
            return True
        start = end
    return False


def _crossing(a: Floats, b: Floats, c: Floats, d: Floats) -> npt.NDArray[np.bool_]:
    """Tell which edges a-b and c-d cross, beyond rounding."""
    one, other = b - a, d - c
    noise = 2e-13 * (np.abs(one).sum(axis=1) + np.abs(other).sum(axis=1))

    def side(along: Floats, point: Floats) -> Floats:
        out: Floats = along[:, 0] * point[:, 1] - along[:, 1] * point[:, 0]
        return np.where(np.abs(out) > noise, np.sign(out), 0.0)

    apart = side(one, c - a) * side(one, d - a) < 0
    out: npt.NDArray[np.bool_] = apart & (side(other, a - c) * side(other, b - c) < 0)
    return out


def coverage(ring: Floats, rows: int, columns: int) -> Floats:
    """Return the signed area of a closed ring within each unit square.

    Every edge is cut where it leaves a square. A piece that rises by dy at the mean distance x from
    the left side of its square has dy (1 - x) of that square to its right, and dy of every square
    further on: a sum along each row then gives the areas, exactly up to rounding.

    Args:
        ring: (m + 1, 2) points x, y in squares, the last the first; counterclockwise rings count
            as positive.
        rows: squares from y = 0 upwards.
        columns: squares from x = 0 to the right.

    Returns:
        (rows, columns) areas, the row of y = 0 first.

    Examples:
        >>> triangle = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 0.0]])
        >>> coverage(triangle, 2, 2).tolist()
        [[0.5, 1.0], [0.0, 0.5]]
    """
    a, b = ring[:-1], ring[1:]
    edges = np.arange(len(a))
    cuts = [_cuts(a[:, 1], b[:, 1], rows), _cuts(a[:, 0], b[:, 0], columns)]
    edge = np.concatenate([edges, edges, *(one for one, _ in cuts)])
    along = np.concatenate([np.zeros(len(a)), np.ones(len(a)), *(t for _, t in cuts)])
    order = np.lexsort((along, edge))
    edge, along = edge[order], along[order]
    same = edge[1:] == edge[:-1]
    edge, t0, t1 = edge[:-1][same], along[:-1][same], along[1:][same]
    step = b - a
    middle = a[edge] + ((t0 + t1) / 2)[:, None] * step[edge]
    rise = (t1 - t0) * step[edge, 1]
    row = np.floor(middle[:, 1]).astype(np.int64)
    seen = (row >= 0) & (row < rows) & (middle[:, 0] < columns) & (rise != 0)
    row, rise, x = row[seen], rise[seen], np.maximum(middle[seen, 0], 0.0)
    column = np.floor(x).astype(np.int64)
    inside = x - column
    size, wide = rows * (columns + 1), columns + 1
    flat = row * wide + column
    out = np.bincount(flat, -rise * (1 - inside), size).astype(np.float64)
    out += np.bincount(flat + 1, -rise * inside, size)
    areas: Floats = np.cumsum(out.reshape(rows, wide), axis=1)[:, :columns]
    return areas


def _cuts(start: Floats, end: Floats, lines: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return which edges cross a line 0, 1, ..., ``lines``, and how far along."""
    low = np.clip(np.floor(np.minimum(start, end)) + 1, 0, lines + 1).astype(np.int64)
    high = np.clip(np.ceil(np.maximum(start, end)) - 1, -1, lines).astype(np.int64)
    many = np.maximum(high - low + 1, 0)
    edge = np.repeat(np.arange(start.size), many)
    line = low[edge] + np.arange(edge.size) - np.repeat(np.cumsum(many) - many, many)
    return edge, (line - start[edge]) / (end - start)[edge]


def area(ring: Floats) -> float:
    """Return the signed area of a closed ring: positive if counterclockwise."""
    x, y = (ring - ring[0]).T
    return float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2)


def covered(rings: Sequence[tuple[Floats, bool]], rows: int, columns: int) -> Floats:
    """Return the share of each unit square that rings cover, holes taken off.

    Whichever way a ring runs, one counts as land and the other as a hole by the flag. Where rings
    overlap, a share stops at 1.
    """
    out = np.zeros((rows, columns))
    for ring, hole in rings:
        sign = 1 if area(ring) > 0 else -1
        out += (-sign if hole else sign) * coverage(ring, rows, columns)
    return np.clip(out, 0.0, 1.0)
