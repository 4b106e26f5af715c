"""Rings of polygons, and the share of each cell that they cover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.shapes.reading import Feature, Shapes

_MOST_PAIRS = 1 << 20


def rings(features: Iterable[Feature]) -> list[tuple[Floats, bool]]:
    """Return every ring of polygons and whether it is a hole. Lines cover nothing."""
    return [
        (ring, i > 0)
        for one in features
        for polygon in one.polygons
        for i, ring in enumerate(polygon)
    ]


def check_polygons(shapes: Shapes) -> None:
    """Refuse shapes that cover no surface, or one that nobody can tell.

    Raises:
        DomainError: no polygon, or a ring that crosses itself.
    """
    found = rings(shapes.features)
    if not found:
        raise DomainError(shapes.argument, "must have at least one polygon", "lines cover nothing")
    for i, (ring, _) in enumerate(found, 1):
        if crosses_itself(ring):
            rule = "must have rings that do not cross themselves"
            raise DomainError(shapes.argument, rule, f"mend ring {i}")


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
