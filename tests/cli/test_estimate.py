"""Estimating from files of reports: several files, other people's files, what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]
KINDS = ("csv", "csv.gz", "jsonl", "parquet")


@pytest.fixture
def perturbed(sudare: Run, tmp_path: Path) -> Callable[..., Path]:
    """Write reports of 300 people who said a, b, c."""
    people = tmp_path / "people.csv"
    people.write_text("x\n" + "a\nb\nc\n" * 100, "utf-8")

    def perturb(name: str, *options: object, listed: str = "a,b,c") -> Path:
        out = tmp_path / name
        given = ("--column", "x", "--epsilon", "2", "--seed", name, "--categories", listed)
        assert sudare("perturb", people, *given, *options, "--out", out)[0] == 0
        return out

    return perturb


def test_several_files_are_added(sudare: Run, perturbed: Callable[..., Path]) -> None:
    paths = [perturbed(name, "--mechanism", "OUE") for name in ("1.csv", "2.jsonl", "3.parquet")]
    together = json.loads(sudare("estimate", *paths, "--json")[1])
    alone = [json.loads(sudare("estimate", path, "--json")[1]) for path in paths]
    assert together["n"] == 900
    for i, cell in enumerate(together["cells"]):
        mean = np.mean([one["cells"][i]["share"] for one in alone])
        assert cell["share"] == pytest.approx(mean)


def test_a_table_on_the_terminal(sudare: Run, perturbed: Callable[..., Path]) -> None:
    path = perturbed("r.csv")
    status, out, err = sudare("estimate", path, "--confidence", "0.9", "--target", "respondents")
    assert (status, err) == (0, "")
    assert "90 % interval" in out
    assert "n = 300, respondents" in out
    assert "Each respondent spent ε = 1.999999 on one answer." in out


def test_confidence_and_target_are_handed_on(sudare: Run, perturbed: Callable[..., Path]) -> None:
    path = perturbed("r.csv")
    m = sd.GRR(3, 2.0)
    reports = np.array(path.read_text("utf-8").split()[1:], dtype=np.int64)
    expected = m.estimate(m.aggregate(reports), target="respondents")
    options = ("--confidence", "0.8", "--target", "respondents", "--json")
    data = json.loads(sudare("estimate", path, *options)[1])
    assert [cell["high"] for cell in data["cells"]] == expected.interval(0.8)[1].tolist()
    assert (data["confidence"], data["target"]) == (0.8, "respondents")


def test_a_folder_with_table_picture_and_manifest(
    sudare: Run, perturbed: Callable[..., Path], tmp_path: Path
) -> None:
    path, out = perturbed("r.csv"), tmp_path / "results"
    status, text, _ = sudare("estimate", path, "--out", out)
    assert status == 0
    assert f"wrote {out / 'shares.png'}" in text
    assert (out / "shares.csv").read_text("utf-8").startswith("category,share,stderr,low,high\na,")
    assert (out / "shares.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["parameters"]["files"] == ["r.csv"]
    assert manifest["parameters"]["mechanism"] == {"name": "GRR", "k": 3, "epsilon": "2.0"}


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl", "parquet"])
def test_one_table_of_any_kind(
    sudare: Run, perturbed: Callable[..., Path], tmp_path: Path, kind: str
) -> None:
    import csv

    path, out = perturbed("r.csv"), tmp_path / f"shares.{kind}"
    cells = json.loads(sudare("estimate", path, "--out", out, "--json")[1])["cells"]
    if kind == "csv":
        with out.open(encoding="utf-8") as stream:
            found: list[Any] = list(csv.DictReader(stream))
        found = [{k: v if k == "category" else float(v) for k, v in row.items()} for row in found]
    elif kind == "parquet":
        from pyarrow import parquet

        found = parquet.read_table(out).to_pylist()
    elif kind == "json":
        found = json.loads(out.read_text("utf-8"))
    else:
        found = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert found == cells
    assert (tmp_path / f".shares.{kind}.manifest.json").is_file() == (kind != "parquet")
    if kind == "parquet":
        assert b"estimate" in parquet.read_schema(out).metadata[b"sudare"]


def test_a_parquet_file_carries_its_own_manifest(
    sudare: Run, perturbed: Callable[..., Path], tmp_path: Path
) -> None:
    path = perturbed("r.parquet")
    expected = sudare("estimate", path, "--json")[1]
    moved = tmp_path / "elsewhere.parquet"
    shutil.copy(path, moved)
    assert sudare("estimate", moved, "--json")[1] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_reports_of_others_by_naming_the_mechanism(
    sudare: Run, perturbed: Callable[..., Path], tmp_path: Path, kind: str
) -> None:
    path = perturbed(f"r.{kind}", "--mechanism", "DyadicUnary")
    expected = json.loads(sudare("estimate", path, "--json")[1])["cells"]
    bare = tmp_path / f"bare.{kind}"
    shutil.copy(path, bare)
    named = ("--mechanism", "DyadicUnary", "-k", 3, "--epsilon", 2)
    cells = json.loads(sudare("estimate", bare, *named, "--json")[1])["cells"]
    known = kind == "parquet"  # its metadata still name the categories
    assert [cell["category"] for cell in cells] == (list("abc") if known else list("012"))
    assert [cell["share"] for cell in cells] == [cell["share"] for cell in expected]


def test_the_method_is_handed_on_and_unknown_errors_are_left_empty(
    sudare: Run, perturbed: Callable[..., Path], tmp_path: Path
) -> None:
    path = perturbed("r.csv")
    m = sd.GRR(3, 2.0)
    reports = np.array(path.read_text("utf-8").split()[1:], dtype=np.int64)
    for method in ("projected", "mle"):
        options = ("--method", method, "--out", tmp_path / method)
        status, out, _ = sudare("estimate", path, *options)
        assert status == 0
        data = json.loads(sudare("estimate", path, "--method", method, "--json")[1])
        expected = m.estimate(m.aggregate(reports), method=method)
        assert [cell["share"] for cell in data["cells"]] == expected.shares.tolist()
        assert data["method"] == method
        if np.isnan(expected.stderr).all():
            assert "│ – │" in " ".join(out.split())
            assert data["cells"][0]["stderr"] is None
            assert (tmp_path / method / "shares.csv").read_text("utf-8").endswith(",,,\n")
    assert "│ – │" in " ".join(out.split())


def test_few_reports_come_with_a_note(sudare: Run, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("report\n0\n1\n2\n", "utf-8")
    named = ("--mechanism", "GRR", "-k", 3, "--epsilon", 1)
    assert "Note: " in sudare("estimate", path, *named)[1]
    assert json.loads(sudare("estimate", path, *named, "--json")[1])["warnings"]


@cases("kind", KINDS, parts=2)
@cases(
    "mechanism, column, wrong",
    [
        ("GRR", [0, 1, 3], 3),
        ("GRR", [0, -1, 2], 2),
        ("GRR", [0, None, 2], 2),
        ("GRR", [0.5, 1.0, 2.0], 1),
        ("GRR", ["0", "1", "x"], 3),
        ("GRR", [0, 2**70, 1], 2),
        ("OUE", ["01", "08", "04"], 2),  # 3 bits: the fourth is padding
        ("OUE", ["01", "0101", ""], 2),
        ("OUE", ["01", "zz", "04"], 2),
        ("OUE", ["01", "0 ", "04"], 2),
        ("OUE", [1, 2, 4], 1),
    ],
)
def test_a_foreign_report_is_refused_by_its_row(
    sudare: Run, tmp_path: Path, kind: str, mechanism: str, column: list[Any], wrong: int
) -> None:
    path = tmp_path / f"reports.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps({"report": cell}) + "\n" for cell in column), "utf-8")
    elif kind == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        if 2**70 in column:
            column = [float(cell) for cell in column]
            wrong = 1
        parquet.write_table(pa.table({"report": column}), path)
    else:
        import gzip

        raw = "report\n" + "".join(f"{'' if cell is None else cell}\n" for cell in column)
        path.write_bytes(gzip.compress(raw.encode()) if kind == "csv.gz" else raw.encode())
    named = ("--mechanism", mechanism, "-k", 3, "--epsilon", 1)
    status, out, err = sudare("estimate", path, *named)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    where = f"line {wrong + 1}" if kind.startswith("csv") else f"row {wrong}"
    what = f"must hold reports of {mechanism}(k=3, epsilon=1.0)"
    declared = {float: "double", int: "int64"}.get(type(column[0]))
    if kind == "parquet" and (declared == "double" or (mechanism, declared) == ("OUE", "int64")):
        assert f"{what}, and is of the type {declared} in reports.parquet" in err
    else:
        assert f"{what} alone; look at {where}" in err


@cases("kind", ["jsonl", "parquet"])
def test_rows_are_counted_over_blocks(sudare: Run, tmp_path: Path, kind: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / f"reports.{kind}"
    column = [0] * 100_000 + [7]
    if kind == "parquet":
        parquet.write_table(pa.table({"report": column}), path)
    else:
        path.write_text("".join(f'{{"report": {cell}}}\n' for cell in column), "utf-8")
    _, _, err = sudare("estimate", path, "--mechanism", "GRR", "-k", 3, "--epsilon", 1)
    assert "row 100001" in err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["{one}", "{other}"], "one mechanism and the same categories"),
        (["{one}", "{renamed}"], "one mechanism and the same categories"),
        (["{bare}"], "manifest of {bare} is missing"),
        (["{bare}", "--mechanism", "GRR"], "-k, --epsilon must be given too"),
        (["{bare}", "--mechanism", "auto", "-k", "3", "--epsilon", "1"], "mechanism must be one"),
        (["{bare}", "--mechanism", "GRR", "-k", "1", "--epsilon", "1"], "k must be >= 2"),
        (["{one}", "--epsilon", "1"], "--mechanism, -k must be given too"),
        (["{one}", "--method", "magic"], "method must be one of"),
        (["{one}", "--confidence", "nan"], "confidence must"),
        (["{one}", "--confidence", "1"], "confidence must"),
        (["{one}", "--confidence", "much"], "must be a number, got"),
        (["{one}", "--target", "all"], "invalid choice"),
        (["{one}", "--column", "y"], "column must be a column of"),
        (["{one}", "--out", "{text}", "--force"], "cannot use"),
        (["{one}", "--out", "{folder}/dir.json"], "must not be a folder"),
        (["{none}"], "at least one row"),
        (["{folder}/no.csv"], "does not exist"),
        (["{folder}/dir.json"], "folder must hold files that end in"),
        (["{text}"], "must end in"),
        (["{broken}"], "is not one of reports"),
        (["{foreign}"], "is not valid (mechanism must be one of"),
        (["{short}"], "is not one of reports"),
        (["{fake}"], "cannot be read as a table"),
        ([], "required"),
    ],
)
def test_one_clear_line(
    sudare: Run,
    perturbed: Callable[..., Path],
    tmp_path: Path,
    arguments: list[str],
    word: str,
) -> None:
    names: dict[str, Any] = {"folder": tmp_path, "one": perturbed("one.csv")}
    names["other"] = perturbed("other.csv", "--mechanism", "OUE")
    names["renamed"] = perturbed("renamed.csv", listed="a,c,b")
    (tmp_path / "dir.json").mkdir()
    for name in ("bare", "none", "broken", "foreign", "short"):
        text = "report\n" if name == "none" else "report\n1\n"
        names[name] = tmp_path / f"{name}.csv"
        names[name].write_text(text, "utf-8")
    for ending in ("text.txt", "fake.parquet"):
        names[ending.partition(".")[0]] = tmp_path / ending
        (tmp_path / ending).write_text("report\n1\n", "utf-8")
    manifest = json.loads((tmp_path / ".one.csv.manifest.json").read_text("utf-8"))
    good = manifest["parameters"]
    for name, data in (
        ("none", manifest),
        ("text", manifest),
        ("broken", [1, 2]),
        ("foreign", {"parameters": {**good, "mechanism": {"name": "XYZ"}}}),
        ("short", {"parameters": {**good, "categories": ["a"]}}),
    ):
        path = tmp_path / f".{names[name].name}.manifest.json"
        path.write_text(json.dumps(data), "utf-8")
    status, out, err = sudare("estimate", *(a.format(**names) for a in arguments))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert word.format(**names) in err


def test_options_do_not_overrule_a_manifest(sudare: Run, perturbed: Callable[..., Path]) -> None:
    path = perturbed("r.csv", "--mechanism", "GRR")
    same = ("--mechanism", "GRR", "-k", 3, "--epsilon", 2)
    assert sudare("estimate", path, *same, "--json") == sudare("estimate", path, "--json")
    status, out, err = sudare("estimate", path, *same[:-1], 3)
    assert (status, out) == (2, "")
    said = "--mechanism, -k and --epsilon must be the manifest's, GRR(k=3, epsilon=2.0)"
    assert said in err
    assert "leave --mechanism, -k and --epsilon out" in err


def test_a_file_is_not_counted_twice(sudare: Run, perturbed: Callable[..., Path]) -> None:
    path = perturbed("r.csv")
    for again in (path, path.parent / "." / path.name):
        status, out, err = sudare("estimate", path, again)
        assert (status, out) == (2, "")
        assert "must not name a file twice" in err


@cases(
    "command, argument, option",
    [
        (("estimate", "{file}"), "or give mechanism=", "or give --mechanism, -k and --epsilon"),
        (("tables", "{file}"), "mechanism= and columns=", "--columns, --sizes and --epsilon"),
        (
            ("simulate", "{file}", "--column", "report", "--epsilon", 1),
            'give missing="category"',
            "give --missing category",
        ),
    ],
)
def test_a_command_says_arguments_as_its_options(
    sudare: Run, tmp_path: Path, command: tuple[object, ...], argument: str, option: str
) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("report,other\n0,x\n,x\n1,x\n", "utf-8")
    readers: dict[object, Callable[[], object]] = {
        "estimate": lambda: sd.files.read_reports([path]),
        "tables": lambda: sd.files.read_report_rows(path),
        "simulate": lambda: sd.files.Column.found(path, "report"),
    }
    with pytest.raises(sd.SudareError) as refused:
        readers[command[0]]()
    assert argument in str(refused.value)
    assert "--" not in str(refused.value)
    err = sudare(*(str(one).format(file=path) for one in command))[2]
    assert option in err
    assert argument not in err
