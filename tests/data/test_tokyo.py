"""Tokyo: known places in the right squares, windows, polygons against the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.data import find, tokyo, tokyo_shapes
from sudare.errors import StorageError
from sudare.location import land_fraction, sum_squares
from sudare.location.globe import degrees
from sudare.mechanisms.place import mesh
from tests.cases import cases

real = pytest.mark.skipif(
    find("tokyo_mesh500_5339.csv.gz") is None or find("tokyo_bay_land.geojson.gz") is None,
    reason="the files of Tokyo are not in SUDARE_DATA",
)
STATION, BAY, FUJI_SIDE = (35.681236, 139.767125), (35.45, 139.85), (35.36, 139.02)


def at(squares: Any, place: tuple[float, float]) -> int:
    south, west = squares.grid.origin
    row = int((place[0] - south) * 240)  # squares of 15" and 22.5"
    column = int((place[1] - west) * 160)
    return int((squares.grid.rows - 1 - row) * squares.grid.columns + column)


@real
def test_known_places() -> None:
    found = tokyo()
    assert found.grid.shape == (160, 160)
    assert int(found.population.sum()) == 29_333_587
    assert (found.land_fraction == 1).sum() == 22_451
    assert (found.land_fraction == 0).sum() == 2_467
    station, bay, west = (at(found, place) for place in (STATION, BAY, FUJI_SIDE))
    assert found.land_fraction[[station, bay, west]].tolist() == [1, 0, 1]
    assert found.codes[station] == mesh.encode(*STATION, "1/2")
    around = [station + i for i in (-161, -160, -159, -1, 0, 1, 159, 160, 161)]
    assert found.population[around].sum() > 100
    assert found.population[bay] == 0
    lat, lon = degrees(found.grid).centres()
    assert (mesh.encode(lat, lon, "1/2") == found.codes).all()
    assert "国勢調査" in found.attribution
    assert "国土数値情報" in found.attribution
    assert "source" in found.licence


@real
def test_windows_are_parts_of_the_whole() -> None:
    whole = tokyo()
    shape = whole.grid.shape
    second = tokyo(533946)
    assert second.grid.shape == (20, 20)
    assert at(second, STATION) >= 0
    rows = slice(160 - (80 + 20), 160 - 80)  # 5339 46: five rows of 20 from the south
    columns = slice(120, 140)
    assert (second.population == whole.population.reshape(shape)[rows, columns].ravel()).all()
    assert tokyo("53394611").grid.shape == (2, 2)
    assert tokyo(533946, rows=3, columns=7).grid.shape == (3, 7)
    box = tokyo(bounds=(35.45, 139.65, 35.66, 139.95))
    south, west, north, east = degrees(box.grid).bounds
    assert south <= 35.45 < 35.66 <= north
    assert (box.grid.rows, box.grid.columns) == (51, 48)
    assert west == pytest.approx(139.65)
    assert east == pytest.approx(139.95)
    corners = mesh.bounds(533946)
    assert (tokyo(bounds=corners).codes == second.codes).all()
    again = sum_squares(second.grid, whole.codes, whole.population)
    assert (again == second.population).all()


@real
@pytest.mark.slow
def test_polygons_agree_with_the_table_everywhere() -> None:
    found = tokyo()
    shares = land_fraction(found.grid, tokyo_shapes())
    gaps = np.abs(shares - found.land_fraction)
    assert gaps.max() < 0.003  # the polygons' corners are rounded to 5 digits
    assert (gaps > 1e-4).mean() < 0.02
    assert ((shares >= 0.5) == (found.land_fraction >= 0.5)).mean() > 0.9999
    upside_down = np.abs(shares.reshape(160, 160)[::-1].ravel() - found.land_fraction)
    assert upside_down.max() > 0.9


@real
def test_municipalities_cover_the_land() -> None:
    grid = tokyo(533946).grid
    one = land_fraction(grid, tokyo_shapes())
    many = land_fraction(grid, tokyo_shapes("municipalities"))
    assert np.abs(one - many).max() < 0.05
    names = {f["properties"]["N03_004"] for f in tokyo_shapes("municipalities")["features"]}
    assert "千代田区" in names


@cases(
    "bad",
    [
        {"code": 5340}, {"code": 53394611323}, {"code": "x"}, {"code": None}, {"code": 1},
        {"rows": 0}, {"rows": 161}, {"code": 533977, "rows": 30}, {"columns": 2.5},
        {"columns": True}, {"bounds": (36, 139, 35, 140)}, {"bounds": "x"}, {"bounds": (1, 2, 3)},
        {"bounds": (float("nan"), 139.1, 35.5, 139.2)}, {"bounds": (35.5, 139.9, 35.6, 140.1)},
        {"bounds": (35.2, 139.5, 35.5, 139.6)}, {"bounds": 7}, {"bounds": (35.5, None, 36, 139.9)},
    ])  # fmt: skip
def test_other_windows_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        tokyo(**bad)


@cases("bad", ["sea", None, 3])
def test_other_shapes_are_refused(bad: Any) -> None:
    with pytest.raises(sd.DomainError):
        tokyo_shapes(bad)


def test_a_missing_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDARE_DATA", str(tmp_path))
    monkeypatch.setenv("SUDARE_CACHE", str(tmp_path))
    with pytest.raises(StorageError, match="SUDARE_DATA"):
        tokyo()
    (tmp_path / "tokyo_bay_land.geojson.gz").write_bytes(b"another file")
    with pytest.raises(StorageError, match="SHA-256"):
        tokyo_shapes()
