"""Plans on the terminal: one question, a curve over ε, a whole survey."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import sudare as sd
from sudare import planning
from sudare.collection.questions import newest_auto
from sudare.mechanisms import FrequencyOracle, registry
from sudare.planning import plan_collection
from tests.cases import cases

SURVEY = Path(__file__).parents[2] / "examples" / "survey.toml"
Run = Callable[..., tuple[int, str, str]]
ASKED = ("-k", 43, "-n", 49_742)


def test_the_plan_of_a_survey(sudare: Run) -> None:
    status, out, err = sudare("plan", SURVEY)
    assert (status, err) == (0, "")
    row = plan_collection(sd.Collection.load(SURVEY))[0]
    for text in ("brand", row.mechanism, f"{100 * row.half_width:.2f} %", "1.999999", "± 5 %",
                 f"{row.respondents_for[0.01]:,}", "A whole submission: ε = 2.0"):  # fmt: skip
        assert text in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_the_plan_of_a_survey_as_data(sudare: Run) -> None:
    data = json.loads(sudare("plan", SURVEY, "--json", "-n", 77, "--target", "respondents")[1])
    plan = plan_collection(sd.Collection.load(SURVEY), 77, "respondents")
    assert data == plan.to_json()
    assert (data["n"], data["epsilon"]) == (77, "2.0")


def test_the_plan_of_a_crosstab_names_every_epsilon(sudare: Run, tmp_path: Path) -> None:
    survey = tmp_path / "bath.toml"
    ask = '[[question.attributes]]\nid = "{}"\ntext = "?"\nchoices = ["a", "b"]\nepsilon = {}\n'
    survey.write_text(
        '[collection]\nname = "bath"\nepsilon = 4\n[[question]]\nid = "habit"\n'
        'type = "crosstab"\ntext = "?"\n' + ask.format("age", 1.0) + ask.format("often", 2.5)
    )
    _, out, _ = sudare("plan", survey)
    assert (
        "habit: ε = 3.499999 for its attributes together; of each alone: age 0.999999, often "
        "2.499999." in out
    )
    (habit,) = json.loads(sudare("plan", survey, "--json")[1])["questions"]
    assert habit["attribute_epsilons"] == pytest.approx({"age": 1.0, "often": 2.5}, abs=1e-6)
    assert habit["epsilon"] == pytest.approx(3.5, abs=1e-5)


def test_a_curve_on_the_terminal(sudare: Run) -> None:
    status, out, _ = sudare("plan", *ASKED, "--curve")
    assert status == 0
    assert "GRR is better than OUE from ε = 2.818 on." in out
    assert "expected MSE" not in out
    _, out, _ = sudare("plan", "-k", 5, "-n", 100, "--curve", "--epsilon", "1.25")
    assert "GRR is better than OUE at every ε." in out
    assert "1.25" in out
    assert "expected MSE" in out


def test_a_curve_as_files(sudare: Run, tmp_path: Path) -> None:
    out = tmp_path / "new" / "curve"
    status, text, _ = sudare("plan", *ASKED, "--epsilon", "9.5", "--out", out, "--json")
    assert status == 0
    data = json.loads(text)
    assert [Path(name).name for name in data["files"]] == [
        "curve.csv", "curve.png", "curve.svg", "manifest.json",
    ]  # fmt: skip
    with (out / "curve.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["epsilon", *registry.names(FrequencyOracle, plugins=False)]
    asked = next(row for row in rows if row["epsilon"] == "9.5")
    found = {option["mechanism"]: option["half_width_95"] for option in data["options"]}
    for name, width in found.items():
        assert float(asked[name]) == pytest.approx(width)
    assert (out / "curve.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    picture = (out / "curve.svg").read_text("utf-8")
    for words in ("GRR overtakes OUE: ε = 2.818", "asked: ε = 9.5", "k = 43, n = 49,742"):
        assert words in picture
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert round(manifest["parameters"]["crossing"], 3) == 2.818


def test_a_curve_as_data(sudare: Run) -> None:
    data = json.loads(sudare("plan", *ASKED, "--curve", "--json")[1])
    assert round(data["crossing"], 3) == 2.818
    widths = {row["epsilon"]: row["GRR"] for row in data["half_widths_95"]}
    assert widths[2.0] == pytest.approx(1.959964 * sd.GRR(43, 2.0).expected_mse(49_742) ** 0.5)


def test_the_plan_of_several_attributes(sudare: Run) -> None:
    asked = ("plan", "--sizes", "16,5", "-n", 45_222, "--epsilon", "2")
    status, out, err = sudare(*asked)
    assert (status, err) == (0, "")
    assert "16 x 5, 2 tables, n = 45,222, ε = 2, population" in out
    assert out.index("sample") < out.index("joint") < out.index("split")
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "joint: ε = 1.999999 for the whole submission, at most 0.999999 an attribute." in out
    assert "sample: ε = 1.999999 for the whole submission, at most 1.999999 an attribute." in out
    _, out, _ = sudare(*asked, "--order", 2, "--target", "respondents")
    assert "1 table," in out
    assert "sample gives no table of two attributes." in out
    data = json.loads(sudare(*asked, "--json")[1])
    assert data == {**sd.planning.plan_tables([16, 5], 45_222, 2).to_json(), "order": 1}
    assert [option["budget"] for option in data["options"]] == ["sample", "flat", "joint", "split"]


def test_the_plan_of_a_distribution(sudare: Run) -> None:
    asked = ("plan", "--low", "0", "--high", "120", "-n", 10_000, "--epsilon", "1")
    status, out, err = sudare(*asked)
    assert (status, err) == (0, "")
    assert "0 to 120, 64 bins, n = 10,000, ε = 1, population" in out
    assert out.index("HierarchicalHistogram") < out.index("SquareWave")
    assert all(len(line) <= 80 for line in out.splitlines())
    data = json.loads(sudare(*asked, "--bins", 32, "--json")[1])
    assert data == sd.plan_distribution(0, 120, 10_000, 1, 32).to_json()
    edges = [-1.5, 0, 10, 120]
    told = sudare("plan", "--edges=-1.5,0,10,120", "-n", 900, "--epsilon", "1", "--json")[1]
    assert json.loads(told) == sd.plan_distribution(-1.5, 120, 900, 1, edges=edges).to_json()


@cases(
    "arguments, word",
    [
        (["--low", "0", "-n", "9", "--epsilon", "1"], "--high must be given"),
        (["--low", "0", "--high", "1", "--epsilon", "1"], "-n must be given"),
        (["--low", "1", "--high", "0", "-n", "9", "--epsilon", "1"], "high must be above low"),
        (["--low", "0", "--high", "1", "-n", "9", "--epsilon", "1", "--bins", "1"], "bins must be"),
        (["--low", "0", "--high", "1", "-k", "9"], "-k must be left out"),
        (["-k", "3", "-n", "9", "--epsilon", "1", "--bins", "4"], "--bins must come with"),
        (["--edges", "0,x", "-n", "9", "--epsilon", "1"], "--edges must be numbers"),
        (["--edges", "0,2,1", "-n", "9", "--epsilon", "1"], "edges must rise"),
        (
            ["--edges", "0,1,2", "--bins", "2", "-n", "9", "--epsilon", "1"],
            "--bins must be left out",
        ),
        (["--edges", "0,1,nan", "-n", "9", "--epsilon", "1"], "must be finite"),
        (["--edges", "0,1,2", "-n", "9"], "--epsilon must be given"),
        (["{survey}", "--low", "0"], "--low must be left out"),
        (["--sizes", "16,5", "--epsilon", "1"], "-n must be given"),
        (["--sizes", "16,5", "-n", "9"], "--epsilon must be given"),
        (["--sizes", "16,5", "-n", "9", "-k", "3"], "-k must be left out"),
        (["--sizes", "16,5", "-n", "9", "--curve"], "--curve must be left out"),
        (["--sizes", "16,x", "-n", "9", "--epsilon", "1"], "--sizes must be whole numbers"),
        (["--sizes", "1_6,5", "-n", "9", "--epsilon", "1"], "--sizes must be whole numbers"),
        (["--sizes", "", "-n", "9", "--epsilon", "1"], "--sizes must be whole numbers"),
        (["--sizes", "16,1", "-n", "9", "--epsilon", "1"], "--sizes must be >= 2"),
        (["--sizes", "3,2", "-n", "9", "--epsilon", "1", "--order", "3"], "--order must be <= 2"),
        (["-k", "3", "-n", "9", "--epsilon", "1", "--order", "2"], "--order must come with"),
        (["{survey}", "--sizes", "3,2"], "--sizes must be left out"),
        ([], "-k must be given"),
        (["-k", "3"], "-n must be given"),
        (["-n", "3", "--epsilon", "1"], "-k must be given"),
        (["-k", "3", "-n", "3"], "--epsilon must be given"),
        (["-k", "1", "-n", "3", "--curve"], "k must be >= 2"),
        (["-k", "3", "-n", "0", "--curve"], "n must be >= 1"),
        (["-k", "3", "-n", "3", "--out", "{file}", "--force"], "--out must be a folder"),
        (["{survey}", "-k", "3"], "-k must be left out"),
        (["{survey}", "--epsilon", "1", "--curve"], "--epsilon, --curve must be left out"),
        (["{survey}", "--out", "x"], "--out must be left out"),
        (["{survey}", "-n", "0"], "n must be >= 1"),
        (["none.toml"], "cannot be read"),
        (["{file}"], "not valid"),
    ],
)
def test_one_clear_line(sudare: Run, tmp_path: Path, arguments: list[str], word: str) -> None:
    file = tmp_path / "file"
    file.write_text("[", "utf-8")
    status, out, err = sudare("plan", *(a.format(file=file, survey=SURVEY) for a in arguments))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert word in err


def test_a_plan_at_shares_from_a_file(sudare: Run, tmp_path: Path) -> None:
    table = tmp_path / "shares.csv"
    table.write_text("category,share\n" + "".join(f"c{i},{1 + i % 3}\n" for i in range(150)))
    asked = ("plan", "--shares", table, "-n", 300, "--epsilon", 1)
    status, out, err = sudare(*asked)
    assert (status, err) == (0, "")
    assert "k = 150" in out
    assert "shrunk" in out
    assert "estimate by the method shrunk" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    data = json.loads(sudare(*asked, "--json")[1])
    shares = [(1 + i % 3) / 300 for i in range(150)]
    best = sd.plan(150, 300, 1.0, shares=shares)[0]
    assert data["options"][0]["shrunk_mse"] == pytest.approx(best.shrunk_mse)
    assert json.loads(sudare(*asked, "-k", 150, "--json")[1]) == data


@cases(
    "name, text, told",
    [
        ("x.csv", "category,part\na,1\n", "--shares must have one column share, a row a category"),
        ("x.csv", "share,share\n1,1\n", "1 and 2 are called alike"),
        ("x.jsonl", '{"part": 1}\n', "--shares must have one column share, a row a category"),
        ("x.txt", "share\n1\n", "--shares: file must end in .parquet"),
    ],
)
def test_a_file_without_a_column_of_shares_names_the_option(
    sudare: Run, tmp_path: Path, name: str, text: str, told: str
) -> None:
    (tmp_path / name).write_text(text)
    asked = ("plan", "--shares", tmp_path / name, "-n", 300, "--epsilon", 1)
    status, _, error = sudare(*asked)
    assert (status, told in error, "; " in error or name == "x.txt") == (2, True, True), error
    status, _, error = sudare(*asked[:2], tmp_path / "none.csv", *asked[3:])
    assert (status, "--shares: file does not exist" in error) == (2, True)


@cases(
    "cells, more, named",
    [
        ("1\n-1\n", (), "--shares"),
        ("1\nmany\n", (), "--shares"),
        ("0\n0\n", (), "--shares"),
        ("1\n2\n", ("-k", 3), "-k"),
        ("1\n", (), "k "),
    ],
)
def test_a_file_without_shares_is_refused(
    sudare: Run, tmp_path: Path, cells: str, more: tuple[object, ...], named: str
) -> None:
    table = tmp_path / "shares.csv"
    table.write_text("share\n" + cells)
    status, _, err = sudare("plan", "--shares", table, "-n", 300, "--epsilon", 1, *more)
    assert status == 2
    assert named in err
    status, _, err = sudare("plan", "--shares", table, "-n", 300, "--curve", *more)
    assert status == 2


def test_what_a_newer_auto_would_take_is_one_line(sudare: Run, tmp_path: Path) -> None:
    survey = tmp_path / "old.toml"
    choices = ", ".join(f'"{name}"' for name in "abcdefghij")
    text = f"""
        [collection]
        name = "old"
        epsilon = 1.0
        expected_respondents = 5000
        [[question]]
        id = "tea"
        type = "choice"
        text = "Which tea?"
        choices = [{choices}]
        """
    survey.write_text(text)
    _, out, _ = sudare("plan", survey)
    told = " ".join(out.split()).split(f"tea: auto = {newest_auto()} would take ")[1]
    assert " instead of ± " in told
    assert json.loads(sudare("plan", survey, "--json")[1])["newer_auto"][0]["auto"] == newest_auto()
    survey.write_text(text.replace("[[question]]", f"auto = {newest_auto()}\n[[question]]"))
    assert "would take" not in sudare("plan", survey)[1]
    assert json.loads(sudare("plan", survey, "--json")[1])["newer_auto"] == []


def test_a_question_about_a_number_errs_in_its_own_unit(
    sudare: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sleep.toml"
    monkeypatch.setenv("COLUMNS", "100")
    assert sudare("new", path, "--question", "number", "--question", "choice")[0] == 0
    plan = plan_collection(sd.Collection.load(path))
    number, choice = plan
    assert number.within == (0, 14)
    assert number.in_unit(number.half_width) == 14 * number.half_width
    assert choice.within is choice.in_unit(1.0) is None
    _, text, _ = sudare("plan", path)
    assert f"± {14 * number.half_width:.3g} │" in text
    assert f"± {100 * choice.half_width:.2f} % │" in text
    assert "sleep: its mean, in its own unit, 0 to 14; of that 1 % is 0.14," in text
    data = json.loads(sudare("plan", path, "--json")[1])["questions"]
    assert data[0]["half_width_95_in_unit"] == 14 * data[0]["half_width_95"]
    assert "half_width_95_in_unit" not in data[1]
    assert plan.to_frame("polars")["half_width_95_in_unit"].null_count() == 1


def test_what_is_noted_of_a_plan_is_in_its_json_too(sudare: Run) -> None:
    for k, n in ((1000, 5), (5, 100_000)):
        asked = ("plan", "-k", k, "-n", n, "--epsilon", "1")
        notes = json.loads(sudare(*asked, "--json")[1])["notes"]
        assert notes == list(planning.plan(k, n, 1.0).notes)
        assert bool(notes) == (k > n)
