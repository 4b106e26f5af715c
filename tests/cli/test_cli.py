from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudare import __version__
from sudare.cli import main
from sudare.cli.main import COMMANDS, build_parser
from sudare.data import find
from tests.cases import cases


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = ["north"] * 3000 + ["south"] * 1500 + ["west"] * 500
    path.write_text("id,region\n" + "\n".join(f"{i},{r}" for i, r in enumerate(rows)), "utf-8")
    return path


def run(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    try:
        status = main(arguments)
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@cases("module", ["sudare", "sudare.cli.main"])
def test_it_runs_as_a_module(module: str) -> None:
    command = [sys.executable, "-m", module, "--version"]
    done = subprocess.run(command, capture_output=True, check=False, text=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, f"sudare {__version__}\n")
    bad = subprocess.run([*command[:3], "plann"], capture_output=True, check=False)
    assert bad.returncode == 2


def test_plan(capsys: Any) -> None:
    status, out, _ = run(capsys, "plan", "-k", "43", "-n", "49742", "--epsilon", "2")
    assert status == 0
    assert out.index("DyadicUnary") < out.index("GRR")


def test_plan_json(capsys: Any) -> None:
    status, out, _ = run(capsys, "plan", "-k", "43", "-n", "10", "--epsilon", "2", "--json")
    data = json.loads(out)
    assert status == 0
    errors = {o["mechanism"]: o["expected_mse"] for o in data["options"]}
    assert errors["OUE"] < errors["GRR"]
    assert list(errors.values()) == sorted(errors.values())


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_simulate_reads_files(capsys: Any, people: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"copy.{kind}"
    if kind == "parquet":
        from pyarrow import csv, parquet

        parquet.write_table(csv.read_csv(people), path)
    else:
        data = people.read_bytes()
        path.write_bytes(gzip.compress(data) if kind == "csv.gz" else data)
    status, out, _ = run(
        capsys, "simulate", str(path), "--column", "region", "--epsilon", "2", "--json"
    )
    data = json.loads(out)
    assert status == 0
    assert [cell["category"] for cell in data["cells"]] == ["north", "south", "west"]
    assert [cell["true"] for cell in data["cells"]] == [0.6, 0.3, 0.1]
    for cell in data["cells"]:
        assert abs(cell["share"] - cell["true"]) < 6 * cell["stderr"]


def test_simulate_writes_table_picture_and_manifest(
    capsys: Any, people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = ("simulate", str(people), "--column", "region", "--epsilon", "1.5")
    options = ("--out", str(out), "--seed", "s", "--mechanism", "OUE")
    status, text, _ = run(capsys, *arguments, *options)
    assert status == 0
    assert "intervals hold the true share" in text
    assert (out / "shares.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    first = (out / "shares.csv").read_text("utf-8")
    assert first.startswith("category,true,share,stderr,low,high")
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["entropy"] == "seeded('s')"
    assert manifest["parameters"]["mechanism"] == {"name": "OUE", "k": 3, "epsilon": "1.5"}
    run(capsys, *arguments, *options)
    assert (out / "shares.csv").read_text("utf-8") == first


SURVEY = """
[collection]
name = "tea"
epsilon = 2
[[question]]
id = "kind"
type = "choice"
text = "Which?"
choices = ["green", "black"]
prefer_not_to_say = false
"""


def test_simulate_makes_up_respondents_of_a_survey(capsys: Any, tmp_path: Path) -> None:
    survey, truth, out = (tmp_path / name for name in ("tea.toml", "truth.json", "out"))
    survey.write_text(SURVEY, encoding="utf-8")
    truth.write_text('{"kind": [0.7, 0.3]}', encoding="utf-8")
    arguments = ("simulate", str(survey), "-n", "1000000000", "--truth", str(truth))
    status, told, _ = run(capsys, *arguments, "--out", str(out), "--json")
    assert status == 0
    cells = json.loads(told)["questions"][0]["cells"]
    for cell, share in zip(cells, (0.7, 0.3), strict=True):
        assert abs(cell["share"] - share) < 6 * cell["stderr"] < 1e-3
    assert json.loads((out / "results.json").read_text("utf-8"))["n"] == 10**9
    assert json.loads((out / "manifest.json").read_text("utf-8"))["command"] == "simulate"
    assert "1,000,000,000 made-up" in run(capsys, *arguments)[1]


ROUNDS = 'opens = 2026-12-01\nrepeats = { every = "weekly", rounds = 2 }\n[[question]]'


def test_simulate_makes_up_each_round_of_a_survey(capsys: Any, tmp_path: Path) -> None:
    survey, truth = tmp_path / "tea.toml", tmp_path / "truth.json"
    opened = SURVEY.replace("[[question]]", ROUNDS.replace("12-01", "12-01T00:00:00Z"))
    survey.write_text(opened, encoding="utf-8")
    shares = [[0.7, 0.3], [0.2, 0.8]]
    truth.write_text(json.dumps([{"kind": own} for own in shares]), encoding="utf-8")
    arguments = ("simulate", str(survey), "-n", "1000000", "--truth", str(truth))
    status, told, _ = run(capsys, *arguments, "--json")
    assert status == 0
    rounds = json.loads(told)["rounds"]
    assert [one["round"] for one in rounds] == [1, 2]
    for one, own in zip(rounds, shares, strict=True):
        for cell, share in zip(one["questions"][0]["cells"], own, strict=True):
            assert abs(cell["share"] - share) < 6 * cell["stderr"] < 0.05
    table = run(capsys, *arguments)[1]
    assert "round" in table
    assert table.count("± ") == 2
    truth.write_text("[{}]", encoding="utf-8")
    status, _, error = run(capsys, *arguments)
    assert status == 2
    assert "each of 2 rounds" in error


@cases(
    "arguments, text",
    [
        (("tea.toml",), "-n must be given"),
        (("tea.toml", "-n", "0"), "n must"),
        (("tea.toml", "-n", "9", "--column", "x"), "must be left out"),
        (("tea.toml", "-n", "9", "--truth", "tea.toml"), "must be JSON"),
        (("x.csv",), "--column must be given"),
        (("x.csv", "--column", "x", "--epsilon", "1", "-n", "9"), "must be left out"),
    ],
)
def test_simulate_refuses(
    capsys: Any, tmp_path: Path, monkeypatch: Any, arguments: tuple[str, ...], text: str
) -> None:
    (tmp_path / "tea.toml").write_text(SURVEY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    status, _, error = run(capsys, "simulate", *arguments)
    assert status == 2
    assert text in error
    assert error.count("\n") == 1


def test_simulate_warns_of_few_reports(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("tea\n" + "a\n" * 9 + "b\n" * 5, encoding="utf-8")
    arguments = ("simulate", str(path), "--column", "tea", "--epsilon", "4", "--mechanism", "GRR")
    _, text, _ = run(capsys, *arguments)
    assert "Note: 2 of 2 categories have an expected report count below 30: 0, 1" in text
    _, text, _ = run(capsys, *arguments, "--json")
    assert json.loads(text)["warnings"][0].startswith("2 of 2 categories")


def test_simulate_on_real_rows(capsys: Any) -> None:
    path = find("adult.csv.gz")
    if path is None:
        pytest.skip("adult.csv.gz is not in SUDARE_DATA")
    status, out, _ = run(
        capsys, "simulate", str(path), "--column", "race", "--epsilon", "3", "--json"
    )
    cells = json.loads(out)["cells"]
    assert status == 0
    assert len(cells) == 5
    assert all(abs(c["share"] - c["true"]) < 6 * c["stderr"] for c in cells)


def test_the_shipped_trousers_are_the_real_ones() -> None:
    path = find("eshop_clothing_2008.csv.gz")
    if path is None:
        pytest.skip("eshop_clothing_2008.csv.gz is not in SUDARE_DATA")
    import csv
    from collections import Counter

    from sudare.data import trousers

    with gzip.open(path, "rt") as stream:
        rows = csv.DictReader(stream)
        counts = Counter(
            r["page 2 (clothing model)"] for r in rows if r["page 1 (main category)"] == "1"
        )
    table = trousers()
    assert dict(zip(table.categories, table.counts, strict=True)) == dict(counts)


@cases("name", ["[/b]", "[bold]q", "$\\foo$", ":smile:", "100%"])
def test_people_write_what_they_like(capsys: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(f"x\n{name}\nb\n" * 5, "utf-8")
    arguments = ("--column", "x", "--epsilon", "1", "--out", str(tmp_path / "out"))
    status, out, err = run(capsys, "simulate", str(path), *arguments, "--seed", "\udcff")
    assert (status, err) == (0, "")
    assert name in out


def test_missing_cells_are_refused_or_a_category(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    path.write_text("a,b\n1,x\n2,\n3,y\n", "utf-8")
    arguments = ("simulate", str(path), "--column", "b", "--epsilon", "1", "--json")
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert "empty cells (there are 1)" in err
    status, out, _ = run(capsys, *arguments, "--missing", "category")
    assert status == 0
    assert "(missing)" in out


@pytest.mark.parametrize(
    "epsilon", ["-1", "0", "nan", "inf", "1e4", "much", "", "1/0", "1e400", "1e99999999"]
)
@pytest.mark.parametrize("command", ["plan", "simulate", "perturb"])
def test_bad_epsilon(capsys: Any, people: Path, command: str, epsilon: str) -> None:
    arguments = (
        ["plan", "-k", "5", "-n", "10"]
        if command == "plan"
        else [command, str(people), "--column", "region"]
    )
    if command == "perturb":
        arguments += ["--categories", "a,b", "--out", "r.csv"]
    status, out, err = run(capsys, *arguments, f"--epsilon={epsilon}")
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert "epsilon must" in err


@cases("k", ["0", "1", str(2**40), "2.5", "many", "nan"])
def test_bad_k(capsys: Any, k: str) -> None:
    status, out, err = run(capsys, "plan", f"-k={k}", "-n", "10", "--epsilon", "1")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["simulate", "none.csv", "--column", "a", "--epsilon", "1"], "does not exist"),
        (
            ["simulate", "{people}", "--column", "none", "--epsilon", "1"],
            "column must be a column of the file",
        ),
        (
            ["simulate", "{people}", "--column", "region", "--epsilon", "1", "--mechanism", "X"],
            "GRR",
        ),
        (["simulate", "{text}", "--column", "a", "--epsilon", "1"], ".parquet"),
        (["simulate", "{fake}", "--column", "a", "--epsilon", "1"], "cannot be read"),
        (["simulate", "{empty}", "--column", "a", "--epsilon", "1"], "file"),
        (["simulate", "{one}", "--column", "a", "--epsilon", "1"], "at least 2"),
        (
            [
                "simulate",
                "{people}",
                "--column",
                "region",
                "--epsilon",
                "1",
                "--out",
                "{text}",
                "--force",
            ],
            "folder",
        ),
        (["demo", "--exit", "--port", "0", "--out", "{text}"], "cannot"),
        (["simulate", "{twice}", "--column", "a", "--epsilon", "1"], "called alike"),
        (["serve", "none.toml"], "cannot be read"),
        (["serve", "{broken}"], "not valid"),
        (["serve"], "must be given"),
        (["nonsense"], "unknown "),
        ([], "required"),
    ],
)
def test_one_clear_line_and_status_2(
    capsys: Any, people: Path, tmp_path: Path, arguments: list[str], word: str
) -> None:
    names = {"people": people}
    for name, text in (
        ("text.txt", "a\n1"),
        ("fake.parquet", "not parquet"),
        ("empty.csv", ""),
        ("one.csv", "a\n1\n1\n"),
        ("twice.csv", "a,a\n1,2\n"),
        ("broken.toml", "[collection"),
    ):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        names[path.stem] = path
    status, out, err = run(capsys, *(a.format(**names) for a in arguments))
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert word in err
    assert "Traceback" not in err


def test_every_command_has_help_with_an_example(capsys: Any) -> None:
    build_parser()
    for name, what in COMMANDS.items():
        assert what in " ".join(run(capsys, "--help")[1].split())
        status, out, _ = run(capsys, name, "--help")
        assert status == 0
        assert f"examples: sudare {name}" in " ".join(out.split())


def test_version_and_module_entry(capsys: Any) -> None:
    status, out, _ = run(capsys, "--version")
    assert status == 0
    assert out.startswith("sudare ")


@pytest.mark.slow
def test_demo_answers_collects_and_compares(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from sudare.cli import main; sys.exit(main())",
         "demo", "--exit", "--port", "0", "--json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=240, check=True,
    )  # fmt: skip
    data = json.loads(done.stdout)
    assert data["n"] == 49_742
    cells = data["cells"]
    assert len(cells) == 43
    z = np.array([(c["share"] - c["true"]) / c["stderr"] for c in cells])
    assert np.abs(z).max() < 6
    assert sum(c["low"] <= c["true"] <= c["high"] for c in cells) >= 33
    assert (tmp_path / "sudare-demo" / "demo.png").stat().st_size > 10_000
    assert (tmp_path / "sudare-demo" / "manifest.json").is_file()


@pytest.mark.parametrize(
    "encoding", ["ascii", *(pytest.param(x, marks=pytest.mark.slow) for x in ("cp1252", "cp932"))]
)
def test_a_terminal_without_greek_letters(encoding: str) -> None:
    code = (
        "import sys, sudare.cli\n"
        "status = sudare.cli.main(['plan', '-k', '5', '-n', '100', '--epsilon', '1'])\n"
        "sys.exit(status or sudare.cli.main(['plan', '--help']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"GRR" in done.stdout
    assert b"usage" in done.stdout
