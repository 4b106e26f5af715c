"""What is said where there is one of something, and of arguments that are wrong."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import sudare as sd
from sudare.errors import ReportError, counted

Run = Callable[..., tuple[int, str, str]]

PLURAL = re.compile(r"(?<![\d.,])1 (?!ranks |is |has |was )[a-z-]+s\b")
"""One of several: of ``auto = 1`` it is said what 1 ranks."""

SURVEY = """[collection]
name = "one"
epsilon = 1.0
expected_respondents = 1
{more}
[[question]]
id = "q"
type = "choice"
text = "?"
mechanism = "{mechanism}"
choices = ["a", "b"]
"""
ROUNDS = 'opens = 2026-12-01T00:00:00Z\nrepeats = { every = "weekly", rounds = 2 }'

ONES = """check one.toml
plan one.toml
plan rounds.toml
plan -k 2 -n 1 --epsilon 1 --rounds 1
plan -k 2 -n 1 --epsilon 1
plan --sizes 2,2 --order 1 -n 1 --epsilon 1
plan --sizes 2 -n 1 --epsilon 1
plan --longest 1 -n 1 --epsilon 1
simulate one.toml -n 1
perturb one.csv --column tea --categories x,y --epsilon 1 --out reports.csv
perturb one.csv --columns tea,sex --categories x,y --categories f,m --epsilon 1 --out rows.csv
estimate reports.csv
tables rows.csv --order 1
tables rows.csv --order 2
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(SURVEY.format(more="", mechanism="GRR"), "utf-8")
    Path("rounds.toml").write_text(SURVEY.format(more=ROUNDS, mechanism="LSUE"), "utf-8")
    Path("one.csv").write_text("tea,sex\nx,m\n", "utf-8")


def test_one_of_something_is_told_in_the_singular(sudare: Run, place: None) -> None:
    for line in ONES.splitlines():
        status, out, err = sudare(*shlex.split(line))
        assert status == 0, err
        assert PLURAL.findall(out + err) == [], line
    assert (counted(1, "entry"), counted(2, "entry")) == ("1 entry", "2 entries")
    assert repr(sd.plan(2, 1, 1.0)).count("1 byte\n") >= 1
    for m, wrong in ((sd.GRR(3, 1.0), b""), (sd.OUE(5, 1.0), b"ab")):
        with pytest.raises(ReportError) as error:
            m.program.check_wire(wrong)
        assert PLURAL.search(str(error.value)) is None


WRONG = {
    "plan -k 1,000 -n 9 --epsilon 1": "argument -k: must be a whole number, got '1,000'; write",
    "plan -k 9 -n 1e5 --epsilon 1": "argument -n: must be a whole number, got '1e5'; write 100000",
    "plan -k 9 -n 1.5 --epsilon 1": "argument -n: must be a whole number, got '1.5' (see",
    "plan -k 9 -n ten --epsilon 1": "argument -n: must be a whole number, got 'ten' (see",
    "plan -k 9 -n 1e99 --epsilon 1": "argument -n: must be a whole number, got '1e99' (see",
    "simulate one.csv --column tea --epsilon 1 -n 5": "-n must be left out; it is for a survey",
    "simulate one.csv --column tea --epsilon 1 --truth t": "--truth must be left out; it is for",
    "simulate one.toml -n 5 --epsilon 1": "--epsilon must be left out; the survey file says",
    "simulate one.toml -n 5 --column tea": "--column must be left out; the survey file says",
    "serve one.toml --port x": "--port must be a whole number from 0 to 65535, got 'x'",
    "serve one.toml --limit -1": "--limit must be a whole number from 0 to 1099511627776, ",
    "serve one.toml --metrics maybe": "--metrics must be true or false, got 'maybe'",
    "estimate one.csv --mechanism GRR -k 2 --epsilon 1": "give the name of the one that",
}


def test_a_wrong_value_is_told_as_it_was_written(sudare: Run, place: None) -> None:
    """The argument that is wrong alone is named, and the remedy works."""
    for line, said in WRONG.items():
        status, _, err = sudare(*shlex.split(line))
        assert (status, said in err) == (2, True), (line, err)
    notes = sd.plan(9, 2, 1.0).notes
    assert "k is the number of categories, n that of people" in notes[0]
