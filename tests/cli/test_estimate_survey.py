"""Whole submissions in a file are estimated, words too; what is made up is found again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.cli.main import main
from sudare.files.submissions import write_submissions
from tests.cases import cases

FOOD = """
[collection]
name = "food"
epsilon = 8
[[question]]
id = "dish"
type = "text"
text = "What did you eat?"
alphabet = "abcd"
longest = 3
epsilon = 5
[[question]]
id = "warm"
type = "choice"
text = "Was it warm?"
choices = ["yes", "no"]
prefer_not_to_say = false
epsilon = 3
"""


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    food, rng = sd.Collection.from_toml(FOOD), sd.Entropy.seeded(b"food")
    words = ["abc"] * 700 + ["dad"] * 300
    dish, warm = food.questions
    rows = (
        dish.randomise(dish.encode(word), rng) + warm.randomise(i % 2, rng)
        for i, word in enumerate(words)
    )
    path = tmp_path / "submissions.parquet"
    write_submissions(path, food, b"".join(rows))
    return path


def run(*arguments: str) -> int:
    return main([str(one) for one in arguments])


def test_words_are_found_in_exported_submissions(exported: Path, capsys: Any) -> None:
    assert run("estimate", str(exported), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    dish, warm = told["questions"]
    assert (told["name"], told["n"]) == ("food", 1000)
    assert [one["word"] for one in dish["words"]] == ["abc", "dad"]
    for one, share in zip(dish["words"] + warm["cells"], (0.7, 0.3, 0.5, 0.5), strict=True):
        assert abs(one["share"] - share) < 5 * one["stderr"]
    assert run("estimate", str(exported), str(exported)) == 0
    shown = capsys.readouterr().out
    assert "“abc”" in shown
    assert "n = 2,000" in shown


@pytest.mark.parametrize("kind", ["csv", pytest.param("svg", marks=pytest.mark.slow)])
def test_words_are_written_as_table_and_chart(exported: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / f"words.{kind}"
    assert run("estimate", str(exported), "--out", str(out)) == 0
    text = out.read_text("utf-8")
    assert "<svg" in text if kind == "svg" else "“abc”" in text


@pytest.mark.parametrize(
    "more", [("--mechanism", "GRR"), ("--method", "mle"), ("--out", "folder"), ("-k", "3")]
)
def test_what_says_itself_what_was_asked_takes_nothing_else(
    exported: Path, capsys: Any, more: tuple[str, str]
) -> None:
    assert run("estimate", str(exported), *more) == 2
    assert "must" in capsys.readouterr().err


def test_words_are_made_up_and_found() -> None:
    food = sd.Collection.from_toml(FOOD)
    truth = {"dish": {"words": ["abc", "dad"], "shares": [0.6, 0.4]}}
    made = sd.simulate(food, 2000, truth, rng=sd.Entropy.seeded(b"made up"))["dish"]
    assert made.held.sum() == made.counts.n == 2000
    told = food.questions[0].results(made.counts, "population", 0.95)
    assert [one["word"] for one in told["words"]] == ["abc", "dad"]
    nobody = sd.simulate(food, 2000, rng=sd.Entropy.seeded(b"nobody"))["dish"]
    assert food.questions[0].results(nobody.counts, "population", 0.95)["words"] == []


@cases(
    "wrong",
    [[0.5], {"words": "abc", "shares": [1]}, {"words": ["xyz"], "shares": [1]},
     {"words": ["abc"], "shares": [0.5]}])  # fmt: skip
def test_words_that_cannot_be_are_refused(wrong: Any) -> None:
    with pytest.raises(sd.SudareError, match="truth of dish"):
        sd.simulate(sd.Collection.from_toml(FOOD), 10, {"dish": wrong})
    with pytest.raises(sd.DomainError, match="looked for"):
        sd.simulate(sd.Collection.from_toml(FOOD), 10**7)
