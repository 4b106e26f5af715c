"""Several columns of a file into joint reports, and those into tables."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import sudare as sd
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]
AGES, SEXES = ("young", "middle", "old"), ("f", "m")
N = 70_000
GIVEN = (
    *("--columns", "age,sex", "--epsilon", "1,2"),
    *("--categories", "young,middle,old", "--categories", "f,m"),
)


@pytest.fixture(scope="module")
def rows() -> np.ndarray[Any, Any]:
    return np.random.default_rng(2).integers(0, (3, 2), (N, 2))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory, rows: np.ndarray[Any, Any]) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.csv"
    lines = [f"person{i},{AGES[a]},{SEXES[s]}" for i, (a, s) in enumerate(rows.tolist())]
    path.write_text("\n".join(["name,age,sex", *lines]) + "\n", "utf-8")
    return path


def by_hand(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Perturb as a program would, in the command's blocks of 262,144."""
    joint, rng = sd.JointRR([3, 2], epsilon=[1, 2]), sd.Entropy.seeded(b"s")
    parts = [joint.perturb(rows[i : i + 262_144], rng=rng) for i in range(0, N, 262_144)]
    return np.concatenate(parts)


def read(path: Path, kind: str) -> list[list[int]]:
    if kind == "parquet":
        table = parquet.read_table(path)
        assert table.column_names == ["age", "sex"]
        return np.stack([column.to_numpy() for column in table.columns], axis=1).tolist()
    text = gzip.decompress(path.read_bytes()).decode() if kind == "csv.gz" else path.read_text()
    if kind == "jsonl":
        return [[r["age"], r["sex"]] for r in map(json.loads, text.splitlines())]
    head, *lines = text.splitlines()
    assert head == "age,sex"
    return [[int(cell) for cell in line.split(",")] for line in lines]


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "parquet"])
def test_reports_are_those_of_python_and_tables_reads_them_alone(
    sudare: Run, people: Path, rows: np.ndarray[Any, Any], tmp_path: Path, kind: str
) -> None:
    out = tmp_path / f"reports.{kind}"
    status, text, err = sudare("perturb", people, *GIVEN, "--seed", "s", "--out", out)
    assert status == 0
    assert "ε = 2.999999" in text
    assert "on each column alone: 0.999999, 1.999999" in text
    assert "protect nobody" in err
    expected = by_hand(rows)
    assert read(out, kind) == expected.tolist()
    status, text, _ = sudare("tables", out, "--json")
    assert status == 0
    data = json.loads(text)
    joint = sd.JointRR([3, 2], epsilon=[1, 2])
    estimate = joint.estimate(joint.aggregate(expected))
    assert data["categories"] == [list(AGES), list(SEXES)]
    assert data["mechanism"] == joint.to_json()
    assert data["tables"][0]["largest_share"] == estimate.shares.max()


def test_a_parquet_file_needs_no_manifest_beside_it(
    sudare: Run, people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "reports.parquet"
    assert sudare("perturb", people, *GIVEN, "--out", out, "--json")[0] == 0
    assert sudare("tables", out)[0] == 0


def test_nothing_else_of_the_file_is_written(sudare: Run, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "reports.csv"
    sudare("perturb", people, *GIVEN, "--seed", "canary", "--out", out)
    for file in tmp_path.iterdir():
        text = file.read_text("utf-8")
        assert "person" not in text
        assert "canary" not in text


def test_missing_cells_as_a_category_of_each_column(sudare: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "p.csv", tmp_path / "r.csv"
    path.write_text("a,b\nx,u\n,v\ny,\n", "utf-8")
    given = ("--columns", "a,b", "--epsilon", "5", "--out", out, "--json")
    assert sudare("perturb", path, *given, "--categories-from-data")[0] == 2
    assert not out.exists()
    status, text, _ = sudare(
        "perturb", path, *given, "--categories-from-data", "--missing", "category"
    )
    assert status == 0
    assert [len(one) for one in json.loads(text)["categories"]] == [3, 3]


@cases(
    "change",
    [
        ("--columns", "age"),
        ("--columns", "age,age"),
        ("--columns", "age,"),
        ("--columns", "age,height"),
        ("--epsilon", "1,2,3"),
        ("--epsilon", "1,x"),
        ("--epsilon", "0"),
        ("--mechanism", "OUE"),
        ("--categories", "a,b"),
        ("--column", "age"),
    ],
)
def test_bad_input(sudare: Run, people: Path, tmp_path: Path, change: tuple[str, str]) -> None:
    out = tmp_path / "r.csv"
    status, text, err = sudare("perturb", people, *GIVEN, *change, "--out", out)
    assert (status, text) == (2, "")
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_cell_that_is_no_category_is_named_by_its_row(sudare: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "p.csv", tmp_path / "r.csv"
    path.write_text("age,sex\nyoung,f\nold,secret\n", "utf-8")
    status, _, err = sudare("perturb", path, *GIVEN, "--out", out)
    assert status == 2
    assert "line 3" in err
    assert "secret" not in err
    assert not out.exists()


def test_each_command_sends_the_other_kind_of_reports_on(
    sudare: Run, people: Path, tmp_path: Path
) -> None:
    joint, single = tmp_path / "joint.csv", tmp_path / "single.csv"
    sudare("perturb", people, *GIVEN, "--out", joint)
    sudare("perturb", people, "--column", "sex", "--epsilon", "1", "--categories", "f,m",
           "--out", single)  # fmt: skip
    assert "sudare tables" in sudare("estimate", joint)[2]
    assert "sudare estimate" in sudare("tables", single)[2]
    assert "--sizes" in sudare("tables", people)[2]
    assert "together" in sudare("tables", joint, "--columns", "age,sex")[2]


def test_a_manifest_that_does_not_fit_is_refused(sudare: Run, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.csv"
    sudare("perturb", people, *GIVEN, "--out", out)
    beside = tmp_path / ".r.csv.manifest.json"
    whole = json.loads(beside.read_text("utf-8"))
    for broken in (
        {**whole["parameters"], "categories": [["a", "b"]]},
        {**whole["parameters"], "columns": ["age"]},
        {**whole["parameters"], "mechanism": sd.GRR(3, 1.0).to_json()},
        {},
    ):
        beside.write_text(json.dumps({"parameters": broken}), "utf-8")
        assert sudare("tables", out)[0] == 2
