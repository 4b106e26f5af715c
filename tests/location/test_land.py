"""Land from polygons, tables and text: areas by algebra, and everything that is refused."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.location import (
    degrees,
    land_fraction,
    land_mask,
    sum_points,
    sum_squares,
    surroundings,
    text_mask,
)
from sudare.mechanisms.place import mesh
from sudare.shapes.polygons import area, coverage, covered, crosses_itself
from tests.cases import cases

GRID = sd.Grid.from_mesh(533936, "3rd", rows=4, columns=5)
SOUTH, WEST, NORTH, EAST = degrees(GRID).bounds
DOWN, RIGHT = (NORTH - SOUTH) / 4, (EAST - WEST) / 5


def ring(*corners: tuple[float, float]) -> list[list[float]]:
    """Return a closed ring from (x, y) in cells, y from the south."""
    points = [[WEST + x * RIGHT, SOUTH + y * DOWN] for x, y in corners]
    return [*points, points[0]]


def polygon(*rings: list[list[float]]) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def box(left: float, bottom: float, right: float, top: float) -> list[list[float]]:
    return ring((left, bottom), (right, bottom), (right, top), (left, top))


def test_degrees_of_mesh_grids_are_the_meshs_own() -> None:
    for level, rows, columns in (("3rd", 4, 5), ("1/8", 15, 15), ("1st", 2, 2), ("1/2", 40, 30)):
        for code in (5339, 6441, 3927):
            grid = sd.Grid.from_mesh(code, level, rows=rows, columns=columns)
            found = degrees(grid)
            height, width = mesh.size(level)
            south, west = (x / mesh.PER_DEGREE for x in map(int, mesh.corners(code)[:2]))
            assert found.latitudes == pytest.approx(
                south + np.arange(rows, -1, -1) * height / mesh.PER_DEGREE, abs=2e-9
            )
            assert found.longitudes == pytest.approx(
                west + np.arange(columns + 1) * width / mesh.PER_DEGREE, abs=2e-9
            )


def test_shares_by_hand_with_the_north_first() -> None:
    shares = land_fraction(GRID, polygon(box(0.5, 0, 2, 1.25))).reshape(4, 5)
    expected = np.zeros((4, 5))
    expected[3, :2] = 0.5, 1
    expected[2, :2] = 0.125, 0.25
    assert shares == pytest.approx(expected, abs=1e-7)


def test_holes_and_several_polygons_whichever_way_they_run() -> None:
    outer, hole, island = box(0, 0, 3, 3), box(1, 1, 2, 2), box(4, 3, 5, 4)
    expected = np.zeros((4, 5))
    expected[1:, :3] = 1
    expected[2, 1] = 0
    expected[0, 4] = 1
    for turn in range(8):
        rings = [one[::-1] if turn >> i & 1 else one for i, one in enumerate((outer, hole, island))]
        data = {"type": "MultiPolygon", "coordinates": [rings[:2], rings[2:]]}
        assert land_fraction(GRID, data).reshape(4, 5) == pytest.approx(expected, abs=1e-7)


def test_features_collections_and_what_lies_outside() -> None:
    feature = {"type": "Feature", "properties": None, "geometry": polygon(box(-9, -9, 99, 99))}
    empty = {"type": "Feature", "properties": {}, "geometry": None}
    data = {"type": "FeatureCollection", "features": [empty, feature, feature]}
    assert (land_fraction(GRID, data) == 1).all()  # overlapping: no more than all
    far = polygon([[0, 0], [1, 0], [1, 1], [0, 0]])
    assert (land_fraction(GRID, {"type": "GeometryCollection", "geometries": [far]}) == 0).all()


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, math.tau), st.floats(0.05, 4)), min_size=3, max_size=30, unique=True
    ),
    st.floats(-1, 6),
    st.floats(-1, 5),
)
def test_areas_add_up_and_agree_with_points(
    spokes: list[tuple[float, float]], x: float, y: float
) -> None:
    angles, radii = np.array(sorted(spokes)).T  # a star: it never crosses itself
    points = np.stack([x + radii * np.cos(angles), y + radii * np.sin(angles)], axis=1)
    points = np.vstack([points, points[:1]])
    wide = coverage(points + 8, 24, 24)  # the whole star is inside
    assert wide.sum() == pytest.approx(area(points), abs=1e-9)
    part = coverage(points, 4, 5)
    assert part == pytest.approx(wide[8:12, 8:13], abs=1e-9)


def inside(ring: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return by crossings of a ray whether points lie within a ring."""
    odd = np.zeros(x.shape, dtype=bool)
    for (a, b), (c, d) in itertools.pairwise(ring):
        if b != d:
            odd ^= ((b > y) != (d > y)) & (x < a + (y - b) * (c - a) / (d - b))
    return odd


def test_shares_agree_with_a_fine_raster_of_points() -> None:
    rng = np.random.default_rng(3)
    fine = 200
    y, x = (np.mgrid[0 : 4 * fine, 0 : 5 * fine] + 0.5) / fine
    for _ in range(5):
        angles = np.sort(rng.random(12)) * math.tau
        radii = rng.uniform(0.5, 3, 12)
        one = np.stack([2.5 + radii * np.cos(angles), 2 + radii * np.sin(angles)], axis=1)
        one = np.vstack([one, one[:1]])
        raster = inside(one, x, y).reshape(4, fine, 5, fine).mean(axis=(1, 3))
        assert np.abs(covered([(one, False)], 4, 5) - raster).max() < 0.01


BOW = [[139.75, 35.6], [139.8, 35.65], [139.8, 35.6], [139.75, 35.65], [139.75, 35.6]]
OPEN = [[139.75, 35.6], [139.8, 35.6], [139.8, 35.65], [139.75, 35.65]]
METRES = [[0, 0], [500, 0], [500, 500], [0, 0]]
HOLED = [[139.75, 35.6], [139.8, math.nan], [139.8, 35.65], [139.75, 35.6]]


@cases(
    "data, words",
    [
        (polygon(BOW), "cross"), (polygon(OPEN), "closed"), (polygon(METRES), "longitudes"),
        (polygon(HOLED), "longitudes"), (polygon(OPEN[:2]), "4 points"), (polygon(), "polygon"),
        (polygon([["a", "b"]] * 4), "lists"), (polygon([[1]] * 4), "lists"), (polygon(7), "lists"),
        (polygon([None]), "lists"), ({"type": "Polygon"}, "lists"),
        ({"type": "Polygon", "coordinates": 3}, "lists"), ({"type": "MultiPolygon"}, "list"),
        ({"type": "Point", "coordinates": [1, 2]}, "polygon"), ({}, "GeoJSON"),
        ({"type": "FeatureCollection"}, "features"),
        ({"type": "FeatureCollection", "features": []}, "at least one"),
        ({"type": "FeatureCollection", "features": [1]}, "GeoJSON"), (None, "GeoJSON"),
        ("x", "GeoJSON"), ([], "GeoJSON"), ({"type": ["Polygon"]}, "GeoJSON"),
    ])  # fmt: skip
def test_other_polygons_are_refused(data: Any, words: str) -> None:
    with pytest.raises(sd.SudareError, match=words):
        land_fraction(GRID, data)


def test_a_collection_within_itself_ends() -> None:
    data: dict[str, Any] = {"type": "GeometryCollection", "geometries": []}
    data["geometries"].append(data)
    with pytest.raises(sd.WrongTypeError):
        land_fraction(GRID, data)


def test_crossings_are_found_wherever_they_are() -> None:
    rng = np.random.default_rng(5)
    angles = np.sort(rng.random(3000)) * math.tau
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    closed = np.vstack([circle, circle[:1]])
    assert not crosses_itself(closed)
    for i in (0, 1500, 2990):
        swapped = circle.copy()
        swapped[[i, i + 5]] = swapped[[i + 5, i]]
        assert crosses_itself(np.vstack([swapped, swapped[:1]]))
    comb = np.array([[0, 0], [4, 0], [4, 1], [2, 0], [0, 1], [0, 0]], dtype=float)
    assert not crosses_itself(comb)  # a corner touches an edge


@cases(
    "origin",
    [(91, 0), (0, 181), (math.nan, 0), ("a", 0), (True, 0), (1,), 5, (10**400, 0), "ab", [None, 1]],
)
def test_origins_that_are_none(origin: Any) -> None:
    with pytest.raises(sd.SudareError, match="origin"):
        sd.Grid(4, 5, 1000, 1000, origin=origin)


@cases("origin", [None, (84.99, 0), (0, 179.99)])
def test_a_grid_that_lies_nowhere(origin: Any) -> None:
    grid = sd.Grid(4, 5, 1000, 1000, origin=origin)
    for call in (degrees, lambda g: land_fraction(g, polygon(box(0, 0, 1, 1)))):
        with pytest.raises(sd.SudareError, match=r"origin|85°"):
            call(grid)
    with pytest.raises(sd.DomainError, match="cells"):
        degrees(sd.Grid(4, 5, 0.05, 0.05, origin=(35, 139)))
    with pytest.raises(sd.WrongTypeError):
        degrees(5)


def test_masks_of_shares() -> None:
    grid = sd.Grid(2, 2, 100, 100)
    shares = [[0.5, 0.49], [0.0, 1.0]]
    assert land_mask(grid, shares).tolist() == [True, False, False, True]
    assert land_mask(grid, shares, least=0.01).tolist() == [True, True, False, True]
    assert land_mask(grid, shares, least=1).tolist() == [False, False, False, True]


@cases(
    "shares, least",
    [
        ([0, 0, 0, 0], 0.5), ([0.1] * 4, 0.5), ([2.0] * 4, 0.5), ([-1.0] * 4, 0.5),
        ([1.0] * 3, 0.5), ([math.nan] * 4, 0.5), ("x", 0.5), (None, 0.5), ([True] * 4, 0.5),
        ([1.0] * 4, 0),
        ([1.0] * 4, 1.5), ([1.0] * 4, math.nan), ([1.0] * 4, "x"), ([1.0] * 4, None),
        ([1.0] * 4, True), (np.ma.masked_array([1.0] * 4), 0.5), ([], 0.5),
    ])  # fmt: skip
def test_other_shares_are_refused(shares: Any, least: Any) -> None:
    with pytest.raises(sd.SudareError):
        land_mask(sd.Grid(2, 2, 100, 100), shares, least=least)


def test_masks_of_text() -> None:
    assert text_mask("#..\n.##\n").tolist() == [[True, False, False], [False, True, True]]
    assert text_mask(["#."]).tolist() == [[True, False]]


@cases("rows", ["", "..", "#x", "#.\n#", None, 7, [1], [[]], [""], b"##", []])
def test_other_texts_are_refused(rows: Any) -> None:
    with pytest.raises(sd.SudareError):
        text_mask(rows)


def test_people_are_summed_where_they_are() -> None:
    lat, lon = degrees(GRID).centres()
    people = np.arange(20)
    assert (sum_points(GRID, lat, lon, people) == people).all()
    assert sum_points(GRID, [SOUTH], [WEST]).argmax() == 15  # a corner belongs to its north-east
    assert sum_points(GRID, [NORTH, SOUTH], [WEST, WEST], [5, 1]).sum() == 1
    codes = mesh.encode(lat, lon, "3rd")
    assert (sum_squares(GRID, codes, people) == people).all()
    quarters = np.concatenate([codes * 10 + i for i in (1, 2, 3, 4)])
    assert (sum_squares(GRID, quarters, np.ones(80)) == 4).all()


@cases(
    "lat, lon, people",
    [
        ([35.6], [139.8, 139.9], None), ([95.0], [139.8], None), ([35.6], [math.nan], None),
        ([35.6], [139.8], [-1]), ([35.6], [139.8], ["a"]), ([0.0], [0.0], None), ("x", "y", None),
        ([35.6], [139.8], [0]), ([[35.6]], [[139.8]], None), ([], [], None), (None, None, None),
    ])  # fmt: skip
def test_other_people_are_refused(lat: Any, lon: Any, people: Any) -> None:
    with pytest.raises(sd.SudareError):
        sum_points(GRID, lat, lon, people)


@cases("codes", [[533936], [5339], [1], ["a"], None, [], [533936, 53393600]])
def test_other_squares_are_refused(codes: Any) -> None:
    with pytest.raises(sd.SudareError):
        sum_squares(GRID, codes, np.ones(1))


def test_surroundings() -> None:
    mask = text_mask(
        """
        ####......
        ####..#...
        ####......
        ########.#
        ########.#
        """
    )
    grid = sd.Grid(5, 10, 100, 100)
    found = np.array(surroundings(grid, mask)).reshape(5, 10)
    assert found[1, 1] == "inland"
    assert found[0, 0] == "edge"
    assert found[2, 3] == "coast"
    assert found[1, 6] == "island"
    assert found[4, 9] == "coast"  # it may go on beyond the border
    assert (found == "sea").sum() == (~mask).sum()
    assert set(surroundings(grid)) == {"edge", "inland"}
    with pytest.raises(sd.SudareError):
        surroundings(grid, np.zeros(50, dtype=bool))
    with pytest.raises(sd.WrongTypeError):
        surroundings(7)
