"""What goes out: a table, a statement that a machine can rely on, figures."""

from __future__ import annotations

import csv
import json
import os
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

import sudare as sd
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, Publication, publish
from sudare.release.publication import COLUMNS, question_text
from tests.cases import cases

ROOT = Path(__file__).resolve().parents[2]
FRAME = {
    "who": np.arange(900) // 3,
    "sex": np.array(["f"] * 300 + ["m"] * 590 + ["=1+1"] * 10),
    "score": np.arange(900) % 101,
    "height": np.linspace(1.4, 2.0, 900),
}
ASKS = [
    "histogram:sex=f,m", "count@sex=f,m", "count:sex=f", "sum:score", "mean:score",
    "variance:height", "median:score", "max:score", "mode:sex=f,m", "sum:score@sex=f,m",
    "mean:height@sex=f,m,=1+1",
]  # fmt: skip


def data(**options: Any) -> Dataset:
    bounds = {"score": (0, 100), "height": (1, 2.5)}
    return Dataset(FRAME, bounds=bounds, **options)


def fields(value: Any, path: str = "") -> set[str]:
    """Return the paths of all fields of a statement, without keys that data name."""
    if isinstance(value, list):
        return set().union(*(fields(one, f"{path}[]") for one in value), set())
    if not isinstance(value, dict) or path.endswith(("query", "columns")):
        return {path.removesuffix("[]")}
    return set().union(*(fields(one, f"{path}.{key}".strip(".")) for key, one in value.items()))


def documented() -> set[str]:
    text = (ROOT / "docs" / "release.md").read_text(encoding="utf-8")
    table = text.split("| field of `privacy.json` |", 1)[1].split("\n\n", 1)[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


@given(
    st.sampled_from(["histogram", "mode", "count"]),
    st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3),
)
@example("histogram", ["Bath, UK", 'a"b@c', ""])
@example("count", ["a,b"])
@settings(deadline=None)
def test_words_are_read_back(kind: str, categories: list[str]) -> None:
    values = tuple(categories[:1] if kind == "count" else categories)
    assert Ask.parse(question_text(Ask(kind, "place", values))).values == values
    grouped = Ask("mean", "score", (), "place", tuple(categories))
    assert Ask.parse(question_text(grouped)) == grouped


def test_every_field_is_documented_and_no_other() -> None:
    seen: set[str] = set()
    seen |= fields(publish(data(), ASKS, Cost.of(epsilon=5)).statement)
    gaussian = [one for one in ASKS if one.split(":")[0] not in ("median", "max", "mode")]
    seen |= fields(publish(data(), gaussian, Cost.of(rho=5), delta=1e-6).statement)
    chosen = ["top:sex=1,f,m", "discover:sex=1e-6"]
    budget = Cost.of(epsilon=5, delta=1e-5)
    seen |= fields(publish(data(budget=budget), chosen, Cost.of(epsilon=5)).statement)
    # a table without post-processing has none, one with it has its fields
    seen.discard("questions[].post_processing")
    assert seen == documented()


def test_the_statement_says_what_was_done() -> None:
    db = data(neighbours="add-remove", unit=("who", 2), missing="drop")
    cost = Cost.of(epsilon=Fraction(3, 2))
    told = publish(db, ["count@sex=f,m", "mean:height"], cost, split=[2, 1]).statement
    assert told["protection"] == {
        "relation": "add-remove",
        "words": "add-remove: up to 2 rows of one who may be there or not",
        "unit": "who",
        "rows_of_a_person": 2,
        "rows": None,
    }
    assert told["cost"] == {"unit": "epsilon", "amount": "1.5", "epsilon": 1.5, "delta": 0.0}
    assert told["columns"] == {"height": {"bounds": ["1", "5/2"], "grid": "1/524288"}}
    assert (told["missing"], told["outside"], told["simulated"]) == ("drop", "clamp", False)
    groups, mean = told["questions"]
    assert (groups["cost"], groups["part"], mean["part"]) == ("1.0", "2/3", "1/3")
    (law,) = groups["noise"]
    assert (law["law"], law["scale"], law["step"]) == ("discrete Laplace", "2.0", "1.0")
    assert groups["post_processing"]["rule"] == "not below 0"
    drawn = ["sum above the lower bound", "sum below the upper bound"]
    assert [law["of"] for law in mean["noise"]] == drawn
    assert mean["post_processing"] is None
    assert told == json.loads(json.dumps(told))


def test_prices_add_up_and_scales_give_the_price_back() -> None:
    """The sensitivity over the scale of each noise: what was paid."""
    told = publish(data(), ["histogram:sex=f,m", "sum:score"], Cost.of(epsilon=0.5)).statement
    costs = [Fraction(one["cost"]) for one in told["questions"]]
    assert sum(costs) == Fraction(told["cost"]["amount"]) == Fraction(1, 2)
    for one, sensitivity in zip(told["questions"], (2, 100), strict=True):
        assert Fraction(sensitivity) / Fraction(one["noise"][0]["scale"]) == Fraction(one["cost"])
    (rho,) = publish(data(), ["histogram:sex=f,m"], Cost.of(rho=0.5)).statement["questions"]
    assert Fraction(2) / (2 * Fraction(rho["noise"][0]["variance"])) == Fraction(1, 2)


def test_the_files(tmp_path: Path) -> None:
    done = publish(data(), ASKS, Cost.of(epsilon=5), tmp_path / "new" / "folder")
    names = [path.name for path in done.files]
    assert names[:2] == ["release.csv", "privacy.json"]
    assert set(names[2:]) == {f"table-{i}.{k}" for i in (1, 2, 10, 11) for k in ("png", "svg")}
    with done.files[0].open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == list(COLUMNS)
    assert len(rows) == 3 + 2 + 7 + 2 + 3
    assert [row["group"] for row in rows[:3]] == ["f", "m", "(others)"]
    assert sum(int(row["value"]) for row in rows[:3]) == 900
    assert rows[0]["value"] == rows[3]["value"]  # f in the histogram and in the groups
    assert rows[-1]["group"] == "'=1+1"  # a spreadsheet would run it
    assert {row["bound_in"] for row in rows} == {"value", "ranks", "rows"}
    told = json.loads(done.files[1].read_text(encoding="utf-8"))
    assert told == done.statement
    for row in rows:
        one = told["questions"][int(row["table"]) - 1]
        assert (row["question"], float(row["bound"]) <= one["bound"]) == (one["question"], True)
        if not row["question"].startswith("mean:height@"):  # each of its groups has its own
            assert float(row["bound"]) == one["bound"]
        answer = done.answers[int(row["table"]) - 1]
        drawn = answer.raw or answer
        group = row["group"].removeprefix("'")
        raw = drawn.value[group if group != "(others)" else None] if isinstance(
            drawn.value, dict) else drawn.value  # fmt: skip
        assert row["raw"] == raw or float(row["raw"]) == raw
    assert "published" in (tmp_path / "new" / "folder" / "table-1.svg").read_text(encoding="utf-8")


def test_large_tables_are_not_drawn(tmp_path: Path) -> None:
    many = "histogram:score=" + ",".join(map(str, range(61)))
    done = publish(data(), [many], Cost.of(epsilon=1), tmp_path)
    assert [path.name for path in done.files] == ["release.csv", "privacy.json"]


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = publish(data(), ["histogram:sex=f,m"], Cost.of(epsilon=1), tmp_path)
    assert len(done.files) == 2


def test_letters_without_a_code_are_kept(tmp_path: Path) -> None:
    odd = "a\ud800"
    db = Dataset({"x": ["a", "b"] * 9})
    done = publish(db, [Ask("histogram", "x", (odd,))], Cost.of(epsilon=1))
    assert done.files == ()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("importlib.util.find_spec", lambda name: None)
        done.write(tmp_path)
    assert "\\ud800" in (tmp_path / "release.csv").read_text(encoding="utf-8")


def test_a_ledger_has_what_the_statement_says(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.open("survey", epsilon=1)
        db = data(ledger=ledger, name="survey")
        first = publish(db, ["mean:score", "histogram:sex=f,m"], Cost.of(epsilon=0.5))
        again = publish(db, ["mean:score", "histogram:sex=f,m"], Cost.of(epsilon=0.5), reuse=True)
        assert ledger.account("survey").remaining == Fraction(1, 2)
        events = {one["event"] for one in first.statement["questions"]}
    assert len(events - {0}) == 2
    assert {one["event"] for one in again.statement["questions"]} == events
    assert all(one["reused"] for one in again.statement["questions"])
    values = [[row["value"] for row in one.records()] for one in (first, again)]
    assert values[0] == values[1]


@cases("text", [*ASKS, "count", "histogram:sex=f"])
def test_a_question_in_words(text: str) -> None:
    assert question_text(Ask.parse(text)) == text


def test_a_question_from_python_is_told_in_words() -> None:
    done = publish(data(), [Ask("histogram", "score", (1, 2)), "count:sex=f"], Cost.of(epsilon=1))
    assert done.asks == ("histogram:score=1,2", "count:sex=f")


@cases(
    "change",
    [
        {"db": None},
        {"db": FRAME},
        {"asks": []},
        {"asks": "mean:score"},
        {"asks": [None]},
        {"cost": 1},
        {"folder": 3},
        {"folder": b"bytes"},
        {"folder": "a\0b"},
        {"folder": os.devnull},
        {"folder": os.devnull + "/in"},
        {"confidence": 1},
        {"confidence": None},
        {"delta": 1e-6},
        {"cost": Cost.of(rho=1), "delta": 0},
        {"cost": Cost.of(rho=1), "delta": "x"},
        {"cost": Cost.of(rho=1), "delta": float("nan")},
        {"split": [1, 1]},
        {"asks": ["mean:score", "mean:none"]},
        {"cost": Cost.of(epsilon=3)},
    ],
)
def test_bad_input_spends_nothing(change: dict[str, Any]) -> None:
    db = data(budget=2)
    given: dict[str, Any] = {"db": db, "asks": ["mean:score"], "cost": Cost.of(epsilon=1), **change}
    with pytest.raises(sd.SudareError):
        publish(**given)
    assert db.spent == 0


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    done = publish(data(), ["mean:score"], Cost.of(epsilon=1))
    (tmp_path / "release.csv").mkdir()
    with pytest.raises(sd.StorageError):
        done.write(tmp_path)
    assert isinstance(done, Publication)
