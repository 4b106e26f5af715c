"""``sudare compare``: one table, one figure, files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import sudare as sd
from sudare.data import trousers
from tests.cases import cases

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


@cases(
    "wrong, named",
    [
        (("-k", 3), "-n must be given"),
        (("people.csv", "-k", 3, "-n", 5), "-k must be left out"),
        (("people.csv",), "--column must be given"),
        (("--column", "a"), "--column must come with a file"),
        (("--epsilon", "1,x"), "--epsilon"),
        (("--mechanisms", "GRR,Nobody"), "mechanism must be one of"),
        (("--repetitions", 1), "repetitions"),
        (("--order", 2), "--order must come with several attributes"),
        (("--data", "adult", "--order", 3), "--order must be"),
        (("--data", "adult", "-k", 3), "-k must be left out"),
        (("--sizes", "3,2"), "-n must be given"),
        (("--sizes", "3,x", "-n", 5), "--sizes"),
        (("--sizes", "2000,2000", "-n", 5), "--sizes must have at most 1,048,576 cells"),
        (("--columns", "a,b"), "--columns must come with a file"),
        (("people.csv", "--columns", "a,b", "--column", "a"), "must not come with --columns"),
        (("people.csv", "--columns", "a"), "--columns must name at least two"),
    ],
)
def test_bad_input_is_one_line(sudare: Run, wrong: tuple[object, ...], named: str) -> None:
    status, out, err = sudare("compare", *wrong)
    assert (status, out) == (2, "")
    assert named in err
    assert err.count("\n") == 1


def test_several_columns_and_their_tables(sudare: Run, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    lines = ["a,b"] + ["x,1", "x,2", "y,3", "z,1"] * 50
    path.write_text("\n".join(lines) + "\n")
    asked = ("--mechanisms", "JointRR,MarginalRR,GRR", "--repetitions", 2, "--seed", "a")
    status, text, _ = sudare(
        "compare", path, "--columns", "a,b", *asked, "--epsilon", 1, "--order", 1, "--json"
    )
    assert status == 0
    data = json.loads(text)
    assert (data["truth"], data["sizes"], data["n"]) == ("people.csv: a × b", [3, 3], 200)
    assert data["tables"] == [[0], [1]]
    names = {row["mechanism"] for row in data["rows"]}
    assert names == {"JointRR", "MarginalRR split", "MarginalRR sample", "GRR"}
    (auto,) = data["auto"]
    assert auto["more_than_least"] <= auto["expected_mse"] / min(
        row["expected_mse"] for row in data["rows"]
    )


def test_a_column_without_empty_cells_needs_no_category_for_them(
    sudare: Run, crowd: dict[str, Path]
) -> None:
    asked = ("compare", crowd["csv"], "--column", "region", *QUICK, "--epsilon", 1)
    status, out, err = sudare(*asked, "--missing", "category")
    assert (status, err) == (0, "")
    assert "k = 3" in out


def test_a_table_that_ships_and_one_that_is_even(sudare: Run) -> None:
    _, out, err = sudare("compare", "--data", "adult", *QUICK, "--epsilon", 1)
    assert err == ""
    assert "adult, 16 x 5, 1 table, n = 45,222" in out
    assert "sudare plan has first SubsetSelection at ε = 1." in out
    _, out, _ = sudare(
        "compare", "--sizes", "3,2,2", "-n", 900, "--mechanisms", "SampledPairs", "--order", 2,
        "--repetitions", 2, "--epsilon", 1,
    )  # fmt: skip
    assert "uniform, 3 x 2 x 2, 3 tables, n = 900" in out
    assert "SampledPairs SubsetSelection" in " ".join(out.split())
    _, out, _ = sudare(
        "compare", "--sizes", "3,2", "-n", 900, "--mechanisms", "GRR,SampledPairs",
        "--repetitions", 2, "--epsilon", 1,
    )  # fmt: skip
    assert "SampledPairs GRR is left out at ε = 1: it is for 3 to 100 attributes." in out
