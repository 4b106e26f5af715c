"""``sudare map``: grids, land and people in; figures, weights and maps out."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.data import find
from sudare.location import degrees
from sudare.mechanisms.place import mesh
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]
TOY = ("--rows", 15, "--columns", 15, "--cell", "115.6x141.5", "--epsilon", 0.02)
BAY = ("--mesh", 533936, "--level", "3rd", "--rows", 6, "--columns", 6, "--epsilon", 0.002)
COAST = """\
####..
####..
###...
###..#
##....
##....
"""
real = pytest.mark.skipif(
    find("tokyo_mesh500_5339.csv.gz") is None or find("tokyo_bay_land.geojson.gz") is None,
    reason="the files of Tokyo are not in SUDARE_DATA",
)


def told(sudare: Run, *arguments: object) -> dict[str, Any]:
    status, out, _ = sudare("map", *arguments, "--json")
    assert status == 0
    data: dict[str, Any] = json.loads(out)
    return data


@pytest.fixture
def coast(tmp_path: Path) -> Path:
    path = tmp_path / "coast.txt"
    path.write_text(COAST)
    return path


def test_the_toy_grid_of_the_source(sudare: Run) -> None:
    status, out, err = sudare("map", *TOY)
    assert status == 0
    for figure in ("0.5394", "0.2391", "0.3003", "161.12 m", "0.0124161", "cell 0, edge"):
        assert figure in out
    assert "edge of the map are protected less" in err
    assert all(len(line) <= 80 for line in out.splitlines())
    figures = told(sudare, *TOY)["maps"]["even"]
    assert figures["most_exposed"] == [0, 14, 210, 224]
    assert (round(figures["f1"], 4), round(figures["sql"], 2)) == (0.3003, 161.12)
    assert figures["posterior_max_at"] == {
        "cell": 0, "row": 0, "column": 0, "surroundings": "edge",
    }  # fmt: skip


def test_an_island_is_evened_out(sudare: Run, coast: Path) -> None:
    data = told(sudare, *BAY, "--land", coast, "--weights", "equalised")
    even, equal = data["maps"]["even"], data["maps"]["equalised"]
    assert even["posterior_max_at"]["surroundings"] == "coast"  # it reaches the border
    assert equal["f1"] < even["f1"] / 2
    assert equal["posterior_max"] < even["posterior_max"]
    assert data["cells_with_people"] == COAST.count("#")
    bound = 0.5 * even["f1"]
    best = told(sudare, *BAY, "--land", coast, "--weights", "optimised", "--f1", bound)
    assert best["maps"]["optimised"]["f1"] <= bound
    assert best["maps"]["optimised"]["sql"] < equal["sql"] * 1.001
    greedy = told(sudare, *BAY, "--land", coast, "--weights", "greedy", "--step", 0.25)
    assert greedy["maps"]["greedy"]["f1"] <= even["f1"]
    assert "order" in greedy["weights"]["conventions"]
    limit = told(sudare, *BAY, "--land", coast, "--mode", "limit")
    assert limit["maps"]["even"]["f1"] == pytest.approx(even["f1"])


@pytest.mark.slow
def test_everything_is_written(sudare: Run, coast: Path, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("cell,people\n" + "".join(f"{i},{1 + i % 7}\n" for i in range(36)))
    out = tmp_path / "new" / "maps"
    data = told(
        sudare, *BAY, "--land", coast, "--prior", people, "--weights", "equalised", "--out", out,
        "--language", "ja", "--title", "湾",
    )  # fmt: skip
    names = {Path(name).name for name in data["files"]}
    layers = ("posterior", "kept", "distance", "weight", "highest", "people")
    pictures = {f"map-{layer}.{kind}" for layer in layers for kind in ("png", "svg")}
    others = {"index.html", "report.json", "weights.csv", "cells.geojson", "manifest.json"}
    assert names == pictures | others == {path.name for path in out.iterdir()}
    report = json.loads((out / "report.json").read_text("utf-8"))
    assert {**report, "files": data["files"]} == data
    with (out / "weights.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 36
    grid = sd.Grid.from_mesh(533936, "3rd", rows=6, columns=6)
    weights = np.array([float(row["weight"]) for row in rows])
    assert weights[[row["land"] == "0" for row in rows]].max() == 0
    prior = np.array([float(row["people"] or 0) for row in rows])
    again = sd.location.boundary_report(sd.GridExponential(grid, 0.002, weights), prior=prior)
    assert again.sql == pytest.approx(data["maps"]["equalised"]["sql"], rel=1e-6)
    assert again.f1 == pytest.approx(data["maps"]["equalised"]["f1"], abs=1e-6)
    cells = json.loads((out / "cells.geojson").read_text("utf-8"))
    assert len(cells["features"]) == COAST.count("#")
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert set(manifest["sha256"]) == names - {"manifest.json"}
    assert manifest["parameters"]["land"] == "coast.txt"  # not where it lies on this machine
    page = (out / "index.html").read_text("utf-8")
    assert '<html lang="ja">' in page
    assert "<h1>湾</h1>" in page
    flat = tmp_path / "flat"
    told(sudare, *TOY, "--out", flat)
    assert not (flat / "cells.geojson").exists()


def square(west: float, east: float, name: str) -> dict[str, Any]:
    """Return a feature that covers the mesh 533936 between two longitudes."""
    ring = [[west, 35.3], [east, 35.3], [east, 35.7], [west, 35.7], [west, 35.3]]
    shape = {"type": "Polygon", "coordinates": [ring]}
    return {"type": "Feature", "properties": {"ward": name}, "geometry": shape}


def test_a_base_map_and_names_of_areas(sudare: Run, coast: Path, tmp_path: Path) -> None:
    file = tmp_path / "wards.geojson"
    wards = [square(139.6, 139.7875, "<West>"), square(139.7875, 139.9, "East")]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": wards}))
    own = ("--base-map", file, "--areas", file, "--area-name", "ward")
    _, out, _ = sudare("map", *BAY, "--land", coast, *own)
    assert "cell 23, East 12, coast" in out
    found = told(sudare, *BAY, *own)
    assert found["names"]["0"] == "<West> 1"
    assert found["names"]["35"] == "East 18"
    grid = sd.Grid.from_mesh(533936, "3rd", rows=6, columns=6)
    names = {int(cell): name for cell, name in found["names"].items()}
    drawing = sd.location.map_page(
        grid, [sd.location.Layer("x", np.arange(36.0))], title="x", names=names
    )
    assert "&lt;West&gt;" not in drawing  # the highest is in the east
    assert "East 18, " in drawing
    assert '"0":"\\u003cWest> 1"' in drawing
    assert sudare("map", *BAY, "--area-name", "ward")[0] == 2
    status, _, err = sudare("map", *TOY, "--base-map", file)
    assert (status, "origin" in err) == (2, True)
    status, _, err = sudare("map", *BAY, "--areas", file)
    assert (status, "--areas" in err, "must be a property" in err) == (2, True, True)


def test_land_and_people_in_every_form(sudare: Run, tmp_path: Path) -> None:
    grid = sd.Grid.from_mesh(533936, "3rd", rows=6, columns=6)
    lat, lon = degrees(grid).centres()
    land = np.array([sign == "#" for sign in COAST.replace("\n", "")])
    south, west, north, east = degrees(grid).bounds
    boxes = []
    for cell in np.flatnonzero(land):
        row, column = divmod(int(cell), 6)
        top, left = north - row * (north - south) / 6, west + column * (east - west) / 6
        low, right = top - (north - south) / 6, left + (east - west) / 6
        boxes.append([[[left, low], [right, low], [right, top], [left, top], [left, low]]])
    geojson = json.dumps({"type": "MultiPolygon", "coordinates": boxes})
    (tmp_path / "land.geojson").write_text(geojson)
    (tmp_path / "land.json.gz").write_bytes(gzip.compress(geojson.encode()))
    codes = mesh.encode(lat, lon, "3rd")
    by_mesh = "mesh,land_fraction\n" + "".join(
        f"{code}{i},{0.6 if one else 0.1}\n" for code, one in zip(codes, land, strict=True)
        for i in (1, 2, 3, 4)
    )  # fmt: skip
    (tmp_path / "land.csv").write_text("\ufeff" + by_mesh, "utf-8")
    by_cell = "".join(f"{i},{int(one)}\n" for i, one in enumerate(land))
    (tmp_path / "cells.csv.gz").write_bytes(
        gzip.compress(f"cell,land_fraction\n{by_cell}".encode())
    )
    (tmp_path / "land.txt").write_text(COAST)
    found = [
        told(sudare, *BAY, "--land", tmp_path / name)["maps"]
        for name in ("land.txt", "land.geojson", "land.json.gz", "land.csv", "cells.csv.gz")
    ]
    assert all(one == found[0] for one in found)

    people = np.arange(36) % 5
    tables = {
        "cell.csv": "cell,people\n" + "".join(f"{i},{n}\n" for i, n in enumerate(people)),
        "mesh.csv": "people,mesh\n"
        + "".join(f"{n},{code}\n" for code, n in zip(codes, people, strict=True)),
        "point.csv": "latitude,x,longitude,people\n"
        + "".join(f"{a},-,{b},{n}\n" for a, b, n in zip(lat, lon, people, strict=True)),
    }
    for name, text in tables.items():
        (tmp_path / name).write_text(text)
    found = [told(sudare, *BAY, "--prior", tmp_path / name) for name in tables]
    assert all(one == found[0] for one in found)
    assert found[0]["cells_with_people"] == (people > 0).sum()
    assert "8 of 36 cells of land have no people" in found[0]["notes"][0]
    both = told(sudare, *BAY, "--land", tmp_path / "land.txt", "--prior", tmp_path / "cell.csv")
    assert "count as sea" in both["notes"][0]
    assert both["cells_with_people"] == (land & (people > 0)).sum()


@real
def test_the_real_coast(sudare: Run) -> None:
    window = ("--mesh", 53391560, "--level", "1/2", "--rows", 34, "--columns", 40)
    data = told(sudare, *window, "--epsilon", 0.002, "--land", "tokyo", "--weights", "equalised")
    assert data["island_cells"] > 0
    even, equal = data["maps"]["even"], data["maps"]["equalised"]
    assert equal["f1"] < even["f1"] / 5
    census = told(sudare, *window, "--epsilon", 0.002, "--land", "tokyo", "--prior", "tokyo")
    assert census["cells_with_people"] < data["cells_with_people"]
    outside = ("--mesh", 6441, "--level", "3rd", "--rows", 4, "--columns", 4, "--epsilon", 0.002)
    status, _, err = sudare("map", *outside, "--land", "tokyo")
    assert (status, err.count("\n")) == (2, 1)


BAD: list[tuple[tuple[object, ...], str]] = [
    ((*TOY[:6], "--epsilon", 0), "epsilon"),
    ((*TOY[:6], "--epsilon", "nan"), "epsilon"),
    ((*TOY[:6], "--epsilon", "x"), "--epsilon"),
    (TOY[:6], "--epsilon"),
    (("--epsilon", 0.02), "--mesh"),
    ((*TOY, "--mesh", 5339), "--mesh"),
    ((*TOY, "--level", "1/2"), "--level"),
    (("--cell", "5x5", "--epsilon", 0.02, "--rows", 3), "--columns"),
    (("--cell", "5", "--epsilon", 0.02, "--rows", 3, "--columns", 3), "HEIGHTxWIDTH"),
    (("--cell", "0x5", "--epsilon", 0.02, "--rows", 3, "--columns", 3), "cell_height"),
    ((*TOY[2:], "--rows", 0), "rows"),
    ((*TOY, "--origin", "here"), "--origin"),
    ((*TOY, "--origin", "35.6,139.7", "--land", "tokyo", "--least", 2), "least"),
    ((*BAY, "--origin", "1,2"), "--origin"),
    (("--mesh", 53393600, "--level", "2nd", "--epsilon", 0.02), "--level"),
    (("--mesh", "x", "--epsilon", 0.02), "code"),
    (("--mesh", 9999, "--epsilon", 0.02), "codes"),
    ((*TOY, "--step", 0.1), "--step"),
    ((*TOY, "--f1", 0.1), "--f1"),
    ((*TOY, "--weights", "optimised"), "--f1"),
    ((*TOY, "--weights", "greedy", "--step", 0), "step"),
    ((*TOY, "--weights", "best"), "--weights"),
    ((*TOY, "--land", "nowhere.txt"), "nowhere.txt"),
    ((*TOY, "--land", "nowhere.geojson"), "cannot be read"),
    ((*TOY, "--land", "map.pdf"), "cannot be read"),
    ((*TOY, "--prior", "map.txt"), "must end in"),
    ((*TOY, "--prior", "nobody.csv"), "nobody.csv"),
    ((*TOY, "--prior", "tokyo"), "origin"),
    ((*TOY, "--out", "map.csv"), "folder"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=range(len(BAD)))
def test_bad_input(sudare: Run, arguments: tuple[object, ...], words: str) -> None:
    if "tokyo" in arguments and find("tokyo_mesh500_5339.csv.gz") is None:
        pytest.skip("the files of Tokyo are not in SUDARE_DATA")
    status, out, err = sudare("map", *arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


FILES = {
    "a.txt": "###\n", "b.txt": "", "c.txt": "......\n" * 6, "d.geojson": "{", "e.geojson": "[]",
    "f.geojson": '{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}',
    "g.csv": "cell,land_fraction\n99,1\n", "h.csv": "cell,land_fraction\n", "i.csv": "a,b\n1,2\n",
    "j.csv": "cell,land_fraction\n1,x\n", "k.csv": "cell,land_fraction\n1\n",
    "l.csv": "latitude,longitude,land_fraction\n35,139,1\n", "m.csv": "mesh,land_fraction\n7,1\n",
    "n.csv": "cell,land_fraction\n1.5,1\n", "o.csv": "", "p.csv": "cell,land_fraction\n1,-1\n",
    "q.csv": "mesh,land_fraction\n1e300,1\n", "r.csv": "cell,land_fraction\n1,7\n",
    "s.csv": "mesh,land_fraction\n53393600.5,1\n",
}  # fmt: skip


@cases("name", FILES)
def test_bad_files(sudare: Run, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(FILES[name])
    status, out, err = sudare("map", *BAY, "--land", path)
    assert (status, out) == (2, "")
    assert err.startswith("sudare map: --land ")
    assert err.count("\n") == 1
    if name.endswith(".csv"):
        path.write_text(FILES[name].replace("land_fraction", "people"))
        status, out, err = sudare("map", *BAY, "--prior", path)
        assert (status, out) == (2, "") or name == "r.csv"
        assert ">= 0; look at line 2" in err or name != "p.csv"
    path.write_bytes(b"\xff\xfe\x00")
    assert sudare("map", *BAY, "--land", path)[0] == 2
