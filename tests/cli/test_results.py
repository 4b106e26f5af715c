"""The operator's own view: everything that is stored, beside what is public."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from sudare.cli import console
from sudare.cli.results import standing
from sudare.collection import Collection
from sudare.collector import Store, change_life, own_view
from sudare.collector.figures import ends_of, figures
from sudare.errors import StorageError
from sudare.estimation.confidence import possible
from sudare.exact import Entropy
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]
HEAD = """
[collection]
name = "tea"
epsilon = 6.0
"""
QUESTIONS = """
[[question]]
id = "brand"
type = "choice"
text = "?"
choices = ["green", "black"]
scores = [1, 5]
[[question]]
id = "hours"
type = "number"
text = "?"
low = 0
high = 24
[[question]]
id = "way"
type = "number"
wanted = "distribution"
bins = 8
text = "?"
low = 0
high = 120
[[question]]
id = "teas"
type = "ratings"
text = "?"
items = ["a", "b"]
[[question]]
id = "both"
type = "crosstab"
text = "?"
[[question.attributes]]
id = "one"
text = "?"
choices = ["x", "y"]
[[question.attributes]]
id = "two"
text = "?"
choices = ["u", "v"]
[[question]]
id = "where"
type = "place"
text = "?"
mesh = 53394611
rows = 2
columns = 2
epsilon_per_metre = 0.01
"""
HABIT = """
[[question]]
id = "habit"
type = "crosstab"
text = "?"
{more}
[[question.attributes]]
id = "age"
text = "?"
choices = ["young", "old"]
prefer_not_to_say = false
[[question.attributes]]
id = "often"
text = "?"
choices = ["yes", "no"]
prefer_not_to_say = false
"""
THIRD = """
[[question.attributes]]
id = "tea"
text = "?"
choices = ["green", "black"]
prefer_not_to_say = false
"""
HELD = {"age": "old", "often": "no"}


def crosstab(wanted: str, mechanism: str = "auto") -> str:
    return HABIT.format(more=f'wanted = "{wanted}"\nmechanism = "{mechanism}"')


KINDS = {
    "choice": ('type = "choice"\ntext = "?"\nchoices = ["a", "b"]', "a", ["a", "b"]),
    "choices": ('type = "choices"\ntext = "?"\nchoices = ["a", "b", "c"]\nmost = 2', ["a", "c"],
                ["a", "b", "c"]),
    "ratings": ('type = "ratings"\ntext = "?"\nitems = ["a", "b"]', {"a": 4, "b": None},
                ["a, frequency", "b, level"]),
    "number": ('type = "number"\ntext = "?"\nlow = 0\nhigh = 9', 3, ["mean"]),
    "distribution": ('type = "number"\ntext = "?"\nlow = 0\nhigh = 8\nwanted = "distribution"\n'
                     "bins = 8", 3, ["50% below"]),
    "place": ('type = "place"\ntext = "?"\nmesh = 53394611\nrows = 2\ncolumns = 2\n'
              "epsilon_per_metre = 0.01", 1, ["53394611"]),
    "crosstab": (HABIT.format(more=""), HELD, ["young × no", "age, old", "dependence"]),
    "cells": (crosstab("cells"), HELD, ["young × no", "age, old", "dependence"]),
    "pairs": (crosstab("pairs", "SampledPairs") + THIRD, HELD | {"tea": "green"},
              ["age × often, young × no", "often × tea, dependence", "tea, green"]),
    "one pair": (crosstab("pairs", "SampledPairs"), HELD,
                 ["age × often, young × no", "age × often, dependence", "age, old"]),
    "margins": (crosstab("margins", "MarginalRR") + THIRD, HELD | {"tea": "green"},
                ["age, old", "tea, green"]),
    "margins of pairs": (crosstab("margins", "SampledPairs") + THIRD, HELD | {"tea": "green"},
                         ["age, old", "tea, green", "often × tea, dependence"]),
}  # fmt: skip
"""What a question is, what is answered, and what its table must name."""
CLOSES = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.toml"
    path.write_text(HEAD + QUESTIONS, "utf-8")
    return path


def report(collection: Collection, rng: Entropy) -> bytes:
    answers = {
        "brand": "green",
        "hours": 8,
        "way": 31.5,
        "teas": {"a": 4, "b": None},
        "both": {"one": "x", "two": "u"},
        "where": 1,
    }
    return b"".join(one.randomise(one.encode(answers[one.id]), rng) for one in collection.questions)


def test_the_operator_sees_what_is_not_public(sudare: Run, survey: Path, tmp_path: Path) -> None:
    collection, database = Collection.load(survey), tmp_path / "tea.sqlite3"
    rng = Entropy.seeded(b"own")
    given = ("results", survey, "--database", database)
    with Store(database, [collection]) as store:
        for number in (50, 23):
            reports = b"".join(report(collection, rng) for _ in range(number))
            store.add(collection.fingerprint, os.urandom(16 * number), reports).result()
        exact = store.counts(collection.fingerprint).result()
        view = own_view(collection, database)  # beside the store, which is open
        assert (view.stored.n, view.public.n) == (73, 50)
        for own, one in zip(view.stored.counts, exact, strict=True):
            assert (own.support == one.support).all()
        status, text, error = sudare(*given)
        assert status == 0
        assert "warning: tea: ε = 6.0 is high" in error
        assert "73 reports stored, 50 public" in text
        assert "The next step is public with 100 reports." in text
        for label in (
            "green",
            "mean",
            "a, frequency",
            "one, x",
            "x × u",
            "53394611",
            "8.",
            "50% below",
            "45 to 60",
        ):
            assert label in text, label
    status, text, _ = sudare(*given, "--json", "--target", "respondents")
    told = json.loads(text)
    assert (told["n"], told["public"], told["publication"]["next"]) == (73, 50, 50)
    assert told["target"] == "respondents"


def test_intervals_stop_at_what_is_possible(sudare: Run, survey: Path, tmp_path: Path) -> None:
    """On the terminal as in files; as JSON they are as they were worked out."""
    collection, database = Collection.load(survey), tmp_path / "tea.sqlite3"
    rng, out = Entropy.seeded(b"few"), tmp_path / "few.csv"
    with Store(database, [collection]) as store:
        reports = b"".join(report(collection, rng) for _ in range(9))
        store.add(collection.fingerprint, os.urandom(16 * 9), reports).result()
    given = (survey, "--database", database)
    _, text, _ = sudare("results", *given)
    shown = re.findall(r"(-?[\d.]+)( %)? … (-?[\d.]+)", text)
    shares = [float(end) for low, unit, high in shown if unit for end in (low, high)]
    assert (min(shares), max(shares)) == (0, 100)
    assert sudare("export", *given, "--out", out)[0] == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["low"]]
    ends = {one.id: one.ends for one in collection.questions}
    assert ends["brand"] == (1, 5)
    assert ends["hours"] == (0, 24)
    assert ends["teas"] == (1, 5)
    for row in rows:
        least, most = (0, 1) if row["unit"] == "share" else ends[row["question"]] or (0, 1)
        if row["question"] == "teas" and row["figure"].endswith(", mean"):
            least, most = -1, 1  # the scale that is collected
        assert least <= float(row["low"]) <= float(row["high"]) <= most, row
    told = json.loads(sudare("results", *given, "--json")[1])
    raw = {
        question.id
        for question, one in zip(collection.questions, told["questions"], strict=True)
        for names, data in figures(one)
        for own in [(data["low"], data["high"])]
        if None not in own and own != possible(*own, ends_of(names, data, question))
    }
    assert raw >= {"both", "way"}


def test_an_interval_beyond_what_is_possible_says_on_which_side() -> None:
    assert console.interval(-0.3, -0.1, console.percent) == "below 0.00 %"
    assert console.interval(5.5, 6.0, "{:g}".format, (1, 5)) == "above 5"
    assert console.interval(0.5, 6.0, "{:g}".format, (1, 5)) == "1 … 5"
    assert console.interval(None, None, console.percent) == console.percent(None)


@pytest.mark.parametrize("reports", [0, 1, 30])
@pytest.mark.parametrize("kind", KINDS)
def test_every_type_of_question_is_shown(
    sudare: Run, survey: Path, tmp_path: Path, kind: str, reports: int
) -> None:
    text, answer, labels = KINDS[kind]
    asked = text if text.lstrip().startswith("[[") else f'[[question]]\nid = "habit"\n{text}'
    survey.write_text(HEAD + asked, "utf-8")
    collection, database = Collection.load(survey), tmp_path / "kind.sqlite3"
    (question,), rng = collection.questions, Entropy.seeded(kind.encode())
    told = [question.randomise(question.encode(answer), rng) for _ in range(reports)]
    with Store(database, [collection]) as store:
        if reports:
            store.add(collection.fingerprint, os.urandom(16 * reports), b"".join(told)).result()
    given = ("results", survey, "--database", database)
    status, shown, error = sudare(*given)
    assert status == 0, error
    assert f"n = {reports}" in shown
    for label in labels:
        assert label in shown, label
    assert "Note:" not in shown or reports
    assert "Note: few-reports" in shown or reports != 1
    assert json.loads(sudare(*given, "--json")[1])["n"] == reports


def written(database: Path) -> list[str]:
    """What the file says: its log may be taken into it at any moment while it is served."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reader:
        return list(reader.iterdump())


def settled(database: Path) -> bool:
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reader:
        return reader.execute("SELECT settled FROM fold").fetchone() == (1,)


def test_reports_in_the_inbox_count_once_and_nothing_is_changed(tmp_path: Path) -> None:
    collection = Collection.from_toml(HEAD + QUESTIONS.partition('[[question]]\nid = "hours"')[0])
    database = tmp_path / "tea.sqlite3"
    with Store(database, [collection], idle=60) as store:  # nothing is folded meanwhile
        while not settled(database):  # the one slice that its thread begins with
            time.sleep(0.01)
        ids = os.urandom(16 * 30)
        store.add(collection.fingerprint, ids, bytes(30)).result()
        store.add(collection.fingerprint, ids[:64] + os.urandom(16), bytes(5)).result()
        before = written(database)
        view = own_view(collection, database)
        assert (view.stored.n, view.public.n) == (31, 0)
        assert written(database) == before
        (exact,) = store.counts(collection.fingerprint).result()
        assert (view.stored.counts[0].support == exact.support).all()


def test_wrong_files_are_refused(sudare: Run, survey: Path, tmp_path: Path) -> None:
    collection, database = Collection.load(survey), tmp_path / "tea.sqlite3"
    status, _, error = sudare("results", survey, "--database", database)
    assert (status, "must be a collector's file that is there" in error) == (2, True)
    assert not database.exists()
    database.write_bytes(b"no database at all, but some file" * 99)
    with pytest.raises(StorageError, match="can be read"):
        own_view(collection, database)
    database.unlink()
    Store(database, [Collection.from_toml(HEAD.replace("6.0", "5.0") + QUESTIONS)]).close()
    with pytest.raises(StorageError, match="under this definition"):
        own_view(collection, database)


@cases(
    "rule, number, words",
    [
        ("", 60, "The next step is public with 110 reports"),
        (
            'publish = "end"\n',
            60,
            "stay as they are until 2026-03-02 00:00 UTC, and change",
        ),
        ('publish = "end"\n', 3, "Nothing is public before 2026-03-02 00:00 UTC"),
    ],
)
def test_each_stage_is_told(tmp_path: Path, rule: str, number: int, words: str) -> None:
    head = f"{HEAD}{rule}closes = {CLOSES.isoformat()}\n"
    collection = Collection.from_toml(head + QUESTIONS.partition('[[question]]\nid = "hours"')[0])
    database, early = tmp_path / "tea.sqlite3", CLOSES - timedelta(days=1)

    def clock() -> datetime:
        return early

    with Store(database, [collection], clock=clock) as store:
        own = collection.fingerprint
        store.add(own, os.urandom(16 * number), bytes(number)).result()
        late = standing(collection, own_view(collection, database), CLOSES)
        assert "once a collector runs" in late
        store.settle(own, CLOSES).result()
        view = own_view(collection, database)
        assert "what is not public stays so" in standing(collection, view, early)
        change_life("tea", database, "open", CLOSES + timedelta(days=1), clock=clock)
        store.settle(own, early).result()
        assert words in standing(collection, own_view(collection, database), early)
        change_life("tea", database, "close", clock=clock)
        store.archive(own, CLOSES).result()
        assert "reports are deleted" in standing(collection, own_view(collection, database), CLOSES)
    change_life("tea", database, "delete", clock=clock)
    assert "nobody sees" in standing(collection, own_view(collection, database), CLOSES)


def test_bins_of_large_numbers_keep_names_of_their_own() -> None:
    """Six digits named [1234567, 1234568) and the next one alike."""
    ends = [-1234567.5, 1234567, 1234568, 0.1 + 0.2 + 1e7]
    bins = [{"from": a, "to": b, "low": 0, "high": 1, "share": 0} for a, b in pairwise(ends)]
    data = {"histogram": bins}
    found = [names[-1] for names, _ in figures(data)]
    assert found == ["-1234567.5 to 1234567", "1234567 to 1234568", "1234568 to 10000000.3"]
