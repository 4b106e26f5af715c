"""All tables of a file of reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import sudare as sd
from sudare.engines import tables
from sudare.files import write_reports

Run = Callable[..., tuple[int, str, str]]
JOINT = sd.JointRR([4, 3, 2], epsilon=[1.0, 2.0, 1.0])
GIVEN = ("--columns", "a,b,c", "--sizes", "4,3,2", "--epsilon", "1,2,1")


@pytest.fixture
def reports() -> np.ndarray[Any, Any]:
    rows = np.random.default_rng(1).integers(0, (4, 3, 2), (2_000, 3))
    return JOINT.perturb(rows, rng=sd.Entropy.seeded(b"tables"))


@pytest.fixture(params=["csv", "parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path, reports: np.ndarray[Any, Any]) -> Path:
    table = pa.table({name: reports[:, i] for i, name in enumerate("abc")})
    out = tmp_path / f"reports.{request.param}"
    (csv.write_csv if request.param == "csv" else parquet.write_table)(table, out)
    return out


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_tables_are_those_of_python(
    sudare: Run, path: Path, tmp_path: Path, reports: np.ndarray[Any, Any], order: int
) -> None:
    out = tmp_path / "results"
    status, text, _ = sudare("tables", path, *GIVEN, "--order", order, "--out", out, "--json")
    assert status == 0
    data = json.loads(text)
    assert data["attribute_epsilons"] == list(JOINT.attribute_epsilons)
    assert data["epsilon"] == JOINT.epsilon
    written = parquet.read_table(out / "tables.parquet").to_pandas()
    expected = list(sd.joint_tables(JOINT, reports, order))
    assert len(data["tables"]) == len(expected)
    for number, table in enumerate(expected):
        mine = written[written["table"] == number]
        assert mine["cell"].tolist() == list(range(table.estimate.shares.size))
        assert mine["reports"].tolist() == table.counts.support.ravel().tolist()
        assert mine["share"].tolist() == table.estimate.shares.ravel().tolist()
        assert mine["stderr"].tolist() == table.estimate.stderr.ravel().tolist()
        told = data["tables"][number]
        assert told["columns"] == ["abc"[i] for i in table.axes]
        assert told["few"] == (table.counts.support.min() < 30)
        places = [tuple(row) for row in mine.filter(like="category_").to_numpy().tolist()]
        assert places == list(np.ndindex(table.estimate.shares.shape))
        low, high = table.estimate.interval(0.95)
        assert mine["low"].tolist() == low.ravel().tolist()
        assert mine["high"].tolist() == high.ravel().tolist()
        largest = tuple(told["largest_cell"])
        assert table.estimate.shares[largest] == table.estimate.shares.max()
    assert len((out / "index.csv").read_text("utf-8").splitlines()) == len(expected) + 1
    assert json.loads((out / "manifest.json").read_text("utf-8"))["parameters"]["n"] == 2_000


def test_on_the_terminal(sudare: Run, path: Path) -> None:
    status, out, err = sudare("tables", path, *GIVEN)
    assert (status, err) == (0, "")
    assert "a × b" in out
    assert "3 tables of 2 columns, n = 2,000" in out
    assert "on each column alone: 0.99" in out


@pytest.mark.parametrize(
    "change",
    [
        {"--columns": "a,b"},
        {"--columns": "a,b,b"},
        {"--columns": "a,b,d"},
        {"--columns": "a,b,"},
        {"--sizes": "4,3"},
        {"--sizes": "4,3,x"},
        {"--sizes": "4,3,1"},
        {"--sizes": "4,3,-2"},
        {"--sizes": "4,2,2"},
        {"--epsilon": "1,2"},
        {"--epsilon": "0"},
        {"--epsilon": "nan,1,1"},
        {"--epsilon": "abc"},
        {"--order": "0"},
        {"--order": "4"},
        {"--order": "two"},
        {"--target": "people"},
    ],
    ids=str,
)
def test_bad_input(sudare: Run, path: Path, tmp_path: Path, change: dict[str, str]) -> None:
    given = dict(zip(GIVEN[::2], GIVEN[1::2], strict=True)) | change
    out = tmp_path / "results"
    options = [word for pair in given.items() for word in pair]
    status, text, err = sudare("tables", path, *options, "--out", out)
    assert (status, text) == (2, "")
    assert err.count("\n") == 1
    assert not out.exists() or not list(out.iterdir())


def test_few_reports_are_said_so(sudare: Run, path: Path, tmp_path: Path) -> None:
    assert "fewer than 30" not in sudare("tables", path, *GIVEN)[1]
    short = tmp_path / "short.csv"
    short.write_text("a,b,c\n" + "0,1,0\n" * 40 + "1,0,1\n" * 29, "utf-8")
    assert "* some cells have fewer than 30 reports" in sudare("tables", short, *GIVEN)[1]
    told = json.loads(sudare("tables", short, *GIVEN, "--json")[1])["tables"]
    assert [one["few"] for one in told] == [True] * 3


def test_a_foreign_cell_far_down_is_named_by_its_row(sudare: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"  # of several blocks
    path.write_text("a,b\n" + "0,1\n" * 800_000 + "7,1\n" + "0,1\n" * 10, "utf-8")
    given = ("--columns", "a,b", "--sizes", "2,2", "--epsilon", "1")
    status, _, err = sudare("tables", path, *given)
    assert (status, "line 800002" in err) == (2, True)


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"--sizes": "4,3,1"}, "--sizes"),
        ({"--order": "4"}, "--order"),
        ({"--order": "0"}, "--order"),
    ],
)
def test_errors_name_the_option(
    sudare: Run, path: Path, change: dict[str, str], argument: str
) -> None:
    given = dict(zip(GIVEN[::2], GIVEN[1::2], strict=True)) | change
    _, _, err = sudare("tables", path, *[word for pair in given.items() for word in pair])
    assert err.startswith(f"sudare tables: {argument} must")


def test_names_of_categories_where_the_manifest_has_them(sudare: Run, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    rows = ["old,daily"] * 400 + ["young,rarely"] * 100 + ["middle,daily"] * 3
    people.write_text("\n".join(["age,often", *rows]) + "\n", "utf-8")
    reports, out = tmp_path / "reports.csv", tmp_path / "results"
    given = ("--columns", "age,often", "--epsilon", "5", "--seed", "s", "--categories-from-data")
    assert sudare("perturb", people, *given, "--out", reports)[0] == 0
    status, text, _ = sudare("tables", reports, "--out", out)
    assert status == 0
    assert "old, daily" in text
    assert "std. error (typical)" in text
    assert "6 *" in text
    assert "* some cells have fewer than 30 reports" in text
    assert all(len(line) <= 80 for line in text.splitlines() if line[:1] in "┃│┏└")
    written = parquet.read_table(out / "tables.parquet").to_pandas()
    named = dict(zip(zip(written["category_1"], written["category_2"], strict=True),
                     written["share"], strict=True))  # fmt: skip
    assert named["old", "daily"] == pytest.approx(400 / 503, abs=0.1)
    assert named["young", "rarely"] == pytest.approx(100 / 503, abs=0.1)
    assert len(named) == 6
    data = json.loads(sudare("tables", reports, "--json")[1])
    assert data["tables"][0]["largest_cell"] == ["old", "daily"]


@pytest.mark.parametrize("name", ["res.csv", "res.parquet", "res.csv.gz"])
def test_a_file_is_no_folder(sudare: Run, path: Path, tmp_path: Path, name: str) -> None:
    status, _, err = sudare("tables", path, *GIVEN, "--out", tmp_path / name)
    assert (status, err.startswith("sudare tables: --out must be a folder")) == (2, True)
    assert not (tmp_path / name).exists()


def test_sizes_may_have_blanks(sudare: Run, path: Path) -> None:
    given = dict(zip(GIVEN[::2], GIVEN[1::2], strict=True)) | {"--sizes": "4, 3, 2"}
    words = [word for pair in given.items() for word in pair]
    assert sudare("tables", path, *words)[:2] == sudare("tables", path, *GIVEN)[:2]


def test_a_foreign_cell_is_named_by_its_row(sudare: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("a,b\n0,1\n1,0\n0,secret\n", "utf-8")
    given = ("--columns", "a,b", "--sizes", "2,2", "--epsilon", "1")
    status, _, err = sudare("tables", path, *given)
    assert status == 2
    assert "line 4" in err
    assert "secret" not in err
    path.write_text("a,b\n", "utf-8")
    assert sudare("tables", path, *given)[0] == 2
    assert sudare("tables", tmp_path / "none.csv", *given)[0] == 2


def test_an_impossible_order_is_refused_before_the_file_is_read(sudare: Run) -> None:
    status, _, err = sudare("tables", "no-such-file.csv", *GIVEN, "--order", "4")
    assert (status, "order" in err, "file" in err) == (2, True, False)


def test_a_folder_whose_rows_are_not_kept(
    sudare: Run, tmp_path: Path, reports: np.ndarray[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, names = tmp_path / "reports", list("abc")
    folder.mkdir()
    categories = [["v", "w", "x", "y"], ["p", "q", "r"], ["no", "yes"]]
    parts = {"all": reports, "reports/1": reports[:900], "reports/2": reports[900:]}
    for name, own in parts.items():
        path = tmp_path / f"{name}.parquet"
        write_reports(path, JOINT, [own], categories=categories, columns=names)
    whole = json.loads(sudare("tables", tmp_path / "all.parquet", "--json")[1])
    monkeypatch.setattr(tables, "KEPT_BYTES", 1_000)
    status, text, _ = sudare("tables", folder, "--json")
    assert (status, json.loads(text)) == (0, whole | {"file": "reports"})
    assert whole["n"] == 2_000
    other = [["w", "v", "x", "y"], *categories[1:]]
    write_reports(folder / "3.parquet", JOINT, [reports], categories=other, columns=names)
    status, _, err = sudare("tables", folder)
    assert (status, "the same categories" in err) == (2, True)
