"""The outline of a base map: what a file's shapes look like in a map's window, as SVG paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.shapes.window import Window

LONGEST = 2048
"""Units of the longer side of a drawing: four of them make a pixel of the page."""

MOST_TEXT = 65_536
"""Characters of a path."""

_MARGIN = 0.02  # of the window: a cut along its border is not seen
_COARSEST = 16  # units: four pixels


@dataclass(frozen=True, slots=True)
class Outline:
    """Paths in whole units, x from the west and y from the north.

    Attributes:
        width, height: of the window in these units.
        shapes: the path of all rings.
        lines: that of all lines.
    """

    width: int
    height: int
    shapes: str
    lines: str


def outline(parts: Iterable[tuple[Floats, bool]], window: Window) -> Outline:
    """Return what lies in the window, as fine as a screen shows and as the limit lets it.

    Args:
        parts: (m, 2) longitudes and latitudes, and whether they are a ring; read once.
        window: of the map's cells.

    Raises:
        DomainError: nothing of it lies in the window, or more than a page should hold.

    Examples:
        >>> window = Window(35.0, 139.0, 0.5, 0.5, rows=2, columns=2, shape=1.0)
        >>> ring = np.array([[139.0, 35.0], [140.0, 35.0], [139.0, 36.0], [139.0, 35.0]])
        >>> outline([(ring, True)], window).shapes
        'M0 2048l2048 0-2048-2048z'
    """
    tall, wide = window.rows * window.shape, float(window.columns)
    scale = LONGEST / max(tall, wide)
    height, width = max(1, round(tall * scale)), max(1, round(wide * scale))
    low = -_MARGIN * np.array([window.columns, window.rows])
    high = np.array([window.columns, window.rows]) - low
    rings: list[Floats] = []
    lines: list[Floats] = []
    units = np.array([width / window.columns, -height / window.rows])
    for points, ring in parts:
        cells = window.in_cells(points)
        if len(cells) < 2 or (cells.max(0) < low).any() or (cells.min(0) > high).any():
            continue
        found = [_clipped(cells, low, high)] if ring else pieces(cells, low, high)
        (rings if ring else lines).extend((one * units + (0, height)) for one in found)
    coarse = 1.0
    while True:
        paths = _path(rings, coarse, "z"), _path(lines, coarse, "")
        if not any(paths):
            raise DomainError(
                "file",
                "must have something on the map",
                "compare their places; latitude and longitude may be swapped",
            )
        if max(map(len, paths)) <= MOST_TEXT:
            return Outline(width, height, *paths)
        coarse *= 2
        if coarse > _COARSEST:
            raise DomainError(
                "file",
                f"must be drawn by at most {MOST_TEXT:,} characters",
                "leave features out, or simplify: npx mapshaper in -simplify 5% -o out.geojson",
            )


def _clipped(ring: Floats, low: Floats, high: Floats) -> Floats:
    """Return the part of a ring within a box (Sutherland and Hodgman), the first point once."""
    points = ring[:-1] if (ring[0] == ring[-1]).all() else ring
    for axis in (0, 1):
        for limit, sign in ((low[axis], -1.0), (high[axis], 1.0)):
            inside = sign * (points[:, axis] - limit) <= 0
            if inside.all():
                continue
            before, was = np.roll(points, 1, axis=0), np.roll(inside, 1)
            crossing = inside != was
            step = np.where(crossing, points[:, axis] - before[:, axis], 1.0)
            along = (limit - before[:, axis]) / step
            cuts = before + along[:, None] * (points - before)
            kept = np.stack([crossing, inside], axis=1).ravel()
            points = cast(Floats, np.stack([cuts, points], axis=1).reshape(-1, 2)[kept])
            if not len(points):
                return points
    return points


def pieces(line: Floats, low: Floats, high: Floats) -> list[Floats]:
    """Return the pieces of a line within a box."""
    for axis in (0, 1):
        for limit in (low[axis], high[axis]):
            a, b = line[:-1], line[1:]
            cut = np.flatnonzero((a[:, axis] < limit) != (b[:, axis] < limit))
            along = (limit - a[cut, axis]) / (b[cut, axis] - a[cut, axis])
            line = np.insert(line, cut + 1, a[cut] + along[:, None] * (b[cut] - a[cut]), axis=0)
    middle = (line[:-1] + line[1:]) / 2
    inside = ((middle >= low) & (middle <= high)).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8)))
    return [line[a : b + 1] for a, b in edges.reshape(-1, 2)]


def _path(parts: list[Floats], coarse: float, close: str) -> str:
    """Return a path of whole units; what is smaller than ``coarse`` is left out."""
    out = []
    for points in parts:
        least = 3 if close else 2
        if len(points) < least or np.ptp(points, axis=0).max() < coarse:
            continue
        whole = np.rint(points[_kept(points, coarse)]).astype(np.int64)
        whole = whole[np.concatenate([[True], (whole[1:] != whole[:-1]).any(axis=1)])]
        if len(whole) < least:
            continue
        steps = " ".join(f"{x} {y}" for x, y in np.diff(whole, axis=0).tolist())
        out.append(f"M{whole[0, 0]} {whole[0, 1]}l{steps}{close}".replace(" -", "-"))
    return "".join(out)


def _kept(points: Floats, coarse: float) -> list[int]:
    """Return which points are left by Douglas and Peucker: none is farther off than half of it."""
    last = len(points) - 1
    kept, open_ = {0, last}, [(0, last)]
    while open_:
        first, end = open_.pop()
        if end - first < 2:
            continue
        a, step = points[first], points[end] - points[first]
        away = points[first + 1 : end] - a
        length = float(np.hypot(*step))
        if length > 0:
            far = np.abs(away[:, 0] * step[1] - away[:, 1] * step[0]) / length
        else:
            far = np.hypot(away[:, 0], away[:, 1])
        most = int(far.argmax())
        if far[most] > coarse / 2:
            middle = first + 1 + most
            kept.add(middle)
            open_ += [(first, middle), (middle, end)]
    return sorted(kept)
