"""``sudare attack --url`` against a collector on a real socket."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.collection import Client, Collection
from sudare.collector import BackgroundCollector, issue_invites
from sudare.collector.issuing import issuing
from tests.cases import cases

Run = Callable[..., tuple[int, str, str]]

HEAD = """
[collection]
name = "{name}"
epsilon = 8.0
accept_high_epsilon = true
publish_at = 1
{admission}
"""
TEAS = """
[[question]]
id = "teas"
type = "ratings"
text = "Which teas?"
items = ["green", "black", "oolong"]
"""
ALL = """
[[question]]
id = "cups"
type = "number"
text = "How many cups?"
low = 0
high = 9
[[question]]
id = "home"
type = "choices"
most = 2
text = "What is at home?"
choices = ["pot", "cup", "tin"]
[[question]]
id = "who"
type = "crosstab"
text = "Who?"
[[question.attributes]]
id = "age"
text = "Age?"
choices = ["young", "old"]
[[question.attributes]]
id = "town"
text = "Where?"
choices = ["east", "west"]
[[question]]
id = "brand"
type = "choice"
mechanism = "OUE"
text = "Which brand?"
choices = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
[[question]]
id = "place"
type = "choice"
mechanism = "GRR"
text = "Where?"
choices = ["home", "office"]
"""
CROSSED = """
[[question]]
id = "{wanted}"
type = "crosstab"
wanted = "{wanted}"
mechanism = "{mechanism}"
text = "Who?"
"""
PARTS = "".join(
    f"""
[[question.attributes]]
id = "{name}"
text = "?"
prefer_not_to_say = false
choices = ["young", "old"]
"""
    for name in ("mother", "father", "child")
)
CROSSTABS = (
    CROSSED.format(wanted="cells", mechanism="SubsetSelection")
    + PARTS
    + CROSSED.format(wanted="pairs", mechanism="SampledPairs")
    + PARTS
)
BINS = """
[[question]]
id = "minutes"
type = "number"
wanted = "distribution"
mechanism = "HierarchicalHistogram"
text = "How long?"
edges = [0, 5, 10, 30, 60, 120]
"""
TABLES = Collection.from_toml(HEAD.format(name="tables", admission="") + CROSSTABS + BINS)
DRAWN = Collection.from_toml(
    HEAD.format(name="drawn", admission='admission = "invited"') + CROSSTABS
)
OPEN = Collection.from_toml(HEAD.format(name="open", admission="") + ALL + TEAS)
INVITED = Collection.from_toml(
    HEAD.format(name="invited", admission='admission = "invited"') + TEAS + ALL
)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    database = tmp_path / "attacked.sqlite3"
    with BackgroundCollector([OPEN, INVITED, TABLES, DRAWN], database) as collector:
        yield collector.url, database


def told(sudare: Run, *arguments: object) -> Any:
    status, out, err = sudare("attack", *arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_fakes_are_sent_and_seen(sudare: Run, running: tuple[str, Path]) -> None:
    """The first question that is one of categories; the rest of each submission is accepted."""
    url = f"{running[0]}/open"
    found = told(sudare, "mga", "--url", url, "--reports", 1_200)
    assert found["question"] == "brand"
    assert found["n"] == [0, 1_200]
    assert found["alarm"] == [False, True]
    (target,) = found["targets"]
    assert target["target"] == "a"
    assert target["before"] is None
    assert target["after"] > 1.5
    found = told(sudare, "mga", "--url", url, "--reports", 50, "--question", "place")
    assert found["n"] == [1_200, 1_250]
    assert found["targets"][0]["target"] == "home"
    assert told(sudare, "m2ga", "--url", url, "--reports", 9)["question"] == "teas"


def test_crosstabs_are_attacked_in_their_cells_and_pairs(
    sudare: Run, running: tuple[str, Path]
) -> None:
    url = f"{running[0]}/tables"
    found = told(sudare, "mga", "--url", url, "--reports", 300)
    assert found["question"] == "cells"
    assert found["targets"][0]["target"] == "young × young × young"
    assert found["targets"][0]["after"] > 0.9
    found = told(sudare, "mga", "--url", url, "--reports", 300, "--question", "pairs")
    assert found["targets"][0]["target"] == "young × young"
    assert found["targets"][0]["after"] > found["targets"][0]["before"] + 0.2
    assert found["n"] == [300, 600]
    database = running[1]
    codes = database.parent / "codes.txt"
    codes.write_text("\n".join(issue_invites(DRAWN, database, 40)))
    arguments = ("--url", f"{running[0]}/drawn", "--reports", 40, "--invites", codes)
    found = told(sudare, "mga", *arguments, "--question", "pairs")
    assert found["n"] == [0, 40]


def test_distributions_are_attacked_in_their_bins(sudare: Run, running: tuple[str, Path]) -> None:
    arguments = ("--url", f"{running[0]}/tables", "--reports", 300, "--question", "minutes")
    assert told(sudare, "rpa", *arguments)["n"] == [0, 300]
    found = told(sudare, "mga", *arguments, "--targets", 2)
    assert [one["target"] for one in found["targets"]] == ["0 to 5", "5 to 10"]
    before, after = (sum(one[side] for one in found["targets"]) for side in ("before", "after"))
    assert after > before + 0.2


def test_a_table_says_what_came_of_it(sudare: Run, running: tuple[str, Path]) -> None:
    arguments = ("--url", f"{running[0]}/open", "--reports", 20, "--targets", 2)
    status, out, err = sudare("attack", "rpa", *arguments)
    assert (status, err) == (0, "")
    assert "20 fakes sent" in out
    assert "Published figures of 0 reports and 20 reports" in out


def test_invites_are_spent(sudare: Run, running: tuple[str, Path], tmp_path: Path) -> None:
    url, database = running
    with issuing(INVITED, database, 12) as (codes, _):
        kept = list(codes)
    file = tmp_path / "codes.csv"
    with file.open("w", newline="") as lines:
        csv.writer(lines).writerows([["code"], *([code] for code in kept)])
    arguments = ("m2ga", "--url", f"{url}/invited", "--invites", file, "--reports", 10)
    found = told(sudare, *arguments)
    assert found["n"] == [0, 10]
    device = Client(INVITED)
    for i, code in enumerate(kept):
        if i < 10:
            with pytest.raises(sd.CollectionError, match="must not have been used"):
                device.admit(url, code)
        else:
            device.admit(url, code)


@cases(
    "arguments, said",
    [
        (("--url", "http://192.0.2.7:8000/tea", "--reports", 1), "--allow-remote"),
        (("--url", "http://127.0.0.1.example/tea", "--reports", 1), "of this machine"),
        (("--url", "http://127.0.0.1:9", "--reports", 1), "must name a collection"),
        (("--url", "http://127.0.0.1:9/tea", "--reports", 1), "cannot be reached"),
        (("--url", "http://192.0.2.7:bad/tea", "--reports", 1, "--allow-remote"), "address"),
        (("--url", "http://127.0.0.1:9/tea"), "--reports must be given"),
        (("--url", "http://127.0.0.1:9/tea", "--reports", 1, "-k", 5), "with --url"),
        (("--reports", 5, "-k", 5, "--epsilon", 1), "without --url"),
        (("-k", 5), "--epsilon must be given"),
    ],
)
def test_what_is_refused(sudare: Run, arguments: tuple[object, ...], said: str) -> None:
    status, out, err = sudare("attack", "mga", *arguments)
    assert status != 0
    assert out == ""
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mga", "--reports", 1, "--question", "cups"), "must be one of those that MGA is for"),
        (("mga", "--reports", 1, "--question", "none"), "--question must be one"),
        (("mga", "--reports", 0), "--reports"),
        (("mga", "--reports", 1, "--invites", "codes.csv"), "--invites is for invited"),
        (("mga", "--reports", 1, "--targets", 99), "--targets"),
    ],
)
def test_what_does_not_fit(
    sudare: Run, running: tuple[str, Path], arguments: tuple[object, ...], said: str
) -> None:
    status, _, err = sudare("attack", *arguments, "--url", f"{running[0]}/open")
    assert status != 0
    assert said in err
