"""``sudare compare``: one table, one figure, files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import sudare as sd
from sudare.data import trousers

Run = Callable[..., tuple[int, str, str]]
QUICK = ("--mechanisms", "GRR,HadamardResponse", "--repetitions", 2, "--seed", "a")


def test_without_a_file_the_table_that_ships(sudare: Run) -> None:
    status, out, err = sudare("compare", *QUICK, "--epsilon", "1,2.5")
    assert (status, err) == (0, "")
    n = trousers().n
    for text in ("trousers, k = 43, n = 49,742", "2.33 % without one",
                 f"{sd.GRR(43, 2.5).expected_mse(n, target='respondents'):.3e}"):  # fmt: skip
        assert text in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_a_column_and_files(sudare: Run, crowd: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "new" / "compared"
    path = crowd["csv"]
    status, text, _ = sudare(
        "compare", path, "--column", "region", *QUICK, "--epsilon", "1,3", "--out", out, "--json"
    )
    assert status == 0
    data = json.loads(text)
    assert (data["truth"], data["k"], data["n"]) == (f"{path.name}: region", 3, 70_000)
    assert [Path(name).name for name in data["files"]] == [
        "compare.csv", "compare.png", "compare.svg", "manifest.json",
    ]  # fmt: skip
    with (out / "compare.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["expected_mse"]) for row in rows] == [
        row["expected_mse"] for row in data["rows"]
    ]
    assert "HadamardResponse" in (out / "compare.svg").read_text("utf-8")
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["entropy"] == "seeded('a')"
    assert manifest["parameters"]["epsilon"] == [1.0, 3.0]


def test_equal_shares_and_who_is_left_out(sudare: Run) -> None:
    _, out, _ = sudare("compare", "-k", 300, "-n", 1000, *QUICK, "--epsilon", "1,2")
    assert "uniform, k = 300, n = 1,000" in out
    assert "HadamardResponse is left out at ε = 1, 2: k must be at most 255" in out


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (("-k", 3), "-n must be given"),
        (("people.csv", "-k", 3, "-n", 5), "-k must be left out"),
        (("people.csv",), "--column must be given"),
        (("--column", "a"), "--column must come with a file"),
        (("--epsilon", "1,x"), "--epsilon"),
        (("--mechanisms", "GRR,Nobody"), "mechanism must be one of"),
        (("--repetitions", 1), "repetitions"),
    ],
)
def test_bad_input_is_one_line(sudare: Run, wrong: tuple[object, ...], named: str) -> None:
    status, out, err = sudare("compare", *wrong)
    assert (status, out) == (2, "")
    assert named in err
    assert err.count("\n") == 1
