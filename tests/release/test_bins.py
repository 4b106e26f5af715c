"""Bins of numbers and dates: each row in one bin at most, by exact edges, batch by batch too."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.errors import SudareError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, bound_of, publish
from sudare.release.column import Column
from sudare.release.queries.bins import Cuts

EXACT = Cost.of(epsilon=1000)
START = date(2020, 1, 29)


def counts(values: list[Any], edges: list[Any], every: str | None = None) -> dict[str, int]:
    column = Column.of("x", values)
    cuts = Cuts.of(column, edges, every)
    names = [cuts.ends[0], *cuts.names, cuts.ends[1]]
    return dict(zip(names, cuts.counts(column).tolist(), strict=True))


@pytest.mark.parametrize("of", [int, float, Decimal])
def test_a_bin_has_its_lower_edge_and_the_last_both(of: Any) -> None:
    values = [*map(of, [-1, 0, 17, 18, 64, 65, 66, 10**15]), None]
    found = counts(values, [0, 18, 65])
    assert found == {"< 0": 1, "[0, 18)": 2, "[18, 65]": 3, "> 65": 2}


def test_edges_are_decimals_exactly() -> None:
    for of in (float, Decimal):
        found = counts([*map(of, ["0.1", "0.2", "0.3", "0.7"])], [0.1, 0.3, "0.7"])
        assert found == {"< 0.1": 0, "[0.1, 0.3)": 2, "[0.3, 0.7]": 2, "> 0.7": 0}
    assert counts([float("inf"), float("-inf"), float("nan")], [0, 1])["> 1"] == 1


def test_dates_by_day_week_and_month() -> None:
    days = [START + timedelta(days=i) for i in range(-2, 40)]
    edges, inside = ["2020-01-30", "2020-03-02"], days[3:36]
    assert (inside[0], inside[-1]) == (date(2020, 1, 30), date(2020, 3, 2))
    names = {
        "day": str,
        "week": lambda one: "{}-W{:02}".format(*one.isocalendar()),
        "month": lambda one: str(one)[:7],
    }
    for every, name in names.items():
        wanted = Counter(map(name, inside))
        for values in (days, [datetime.combine(one, datetime.max.time()) for one in days]):
            found = counts(values, edges, every)
            assert (found.pop("< 2020-01-30"), found.pop("> 2020-03-02")) == (3, 6)
            assert found == wanted
            assert list(found) == list(wanted)
    given = counts(days, [date(2020, 2, 1), "2020-02-10", "2020-03-01"])
    assert given["[2020-02-01, 2020-02-10)"] == 9
    assert given["[2020-02-10, 2020-03-01]"] == 21


def test_answers_in_memory_and_in_batches(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    ages = rng.integers(-5, 120, 20_000)
    path = tmp_path / "people.parquet"
    table = pa.table({"age": pa.array(ages, mask=ages == 7), "sex": np.array(["f", "m"])[ages % 2]})
    pq.write_table(table, path, row_group_size=3_000)
    for frame in (table, str(path)):
        db = Dataset(frame, missing="drop")
        found = db.bins("age", [0, 18, 65], beyond="ends", epsilon=1000).value
        there = ages != 7
        assert found["< 0"] == (ages < 0).sum()
        assert found["[0, 18)"] == ((ages >= 0) & (ages < 18) & there).sum()
        assert found["> 65"] == (ages > 65).sum()
        some = db.where("sex = f").bins("age", [0, 18], epsilon=1000).value
        assert some == {"[0, 18]": ((ages >= 0) & (ages <= 18) & there & (ages % 2 == 0)).sum()}


def test_noise_is_that_of_groups() -> None:
    db = Dataset({"x": [1, 2, 3] * 100})
    several, one = db.bins("x", [0, 2, 4], epsilon=0.5), db.bins("x", [0, 4], epsilon=0.5)
    assert several.bound() == bound_of("bins", epsilon=0.5) == bound_of("histogram", epsilon=0.5)
    assert one.bound() == bound_of("bins", epsilon=0.5, categories=1) < several.bound()
    assert db.bins("x", [0, 4], beyond="ends", epsilon=0.5).bound() == several.bound()


def test_all_spellings_are_one_question(tmp_path: Path, service: Any) -> None:
    with Ledger(tmp_path / "own.db") as ledger:
        ledger.open("data", epsilon=1)
        born = [START, START + timedelta(days=9)] * 50
        db = Dataset({"born": born, "x": [1, 2] * 50}, ledger=ledger)
        first = db.bins("born", [date(2020, 1, 1), "2020-12-31"], "month", "ends", epsilon=0.1)
        text = "bins:born=2020-01-01,2020-12-31,month,ends"
        again = Ask.parse(text).to(db, Cost.of(epsilon=0.1), reuse=True)
        assert (again.reused, again.value) == (True, first.value)
        assert first.query["edges"] == ["2020-01-01", "2020-12-31"]
        db.bins("x", [1, 2.0, 3], epsilon=0.1)
        assert db.bins("x", ["1", 2, 3], beyond="drop", epsilon=0.1, reuse=True).reused
        assert not db.bins("x", [1, 2, 4], epsilon=0.1, reuse=True).reused
    query = {"query": "bins", "column": "score", "edges": [0, 50.5, 100], "epsilon": 0.1}
    reply = service.ask({**query, "beyond": "ends"})
    assert reply.status == 200
    names = [one["group"] for one in reply.json["groups"]]
    assert names == ["< 0", "[0, 50.5)", "[50.5, 100]", "> 100"]
    for wrong in (
        {"edges": [1]},
        {"edges": [2, 1]},
        {"every": "year"},
        {"every": "day"},
        {"beyond": 1},
    ):
        assert service.ask({**query, **wrong}).status == 400


@pytest.mark.parametrize(
    "wrong",
    ["bins:x", "bins:x=1", "bins:x=2,1", "bins:x=1,1", "bins:x=a,b", "bins:x=1,2,month",
     "bins:g=1,2", "bins:d=1,2", "bins:d=2020-01-01,2020-02-30", "bins:d=2020-02-01,2020-01-01,day",
     "bins:d=2020-01-01,2020-01-05,2020-01-09,day", "bins:d=2020-01-01T10:00,2020-02-01,day",
     "bins:no=1,2", "bins:x=ends", "bins:d=0001-01-01,9999-12-31,day", "bins=1,2"],
)  # fmt: skip
def test_what_are_no_bins_is_refused(wrong: str) -> None:
    db = Dataset({"x": [1], "g": ["a"], "d": [START]}, budget=1)
    with pytest.raises(SudareError):
        Ask.parse(wrong).to(db, EXACT)
    assert db.spent == 0


def test_bins_are_published_and_agree() -> None:
    db = Dataset({"x": [1, 2, 3] * 20}, rng=sd.Entropy.seeded(b"bins"))
    asks = ["bins:x=0,2,9", "bins:x=0,2,9", "bins:x=0,1,9", "histogram:x=1,2"]
    done = publish(db, asks, Cost.of(epsilon=0.4))
    same, again, other, _ = done.answers
    assert same.value == again.value
    assert min(other.value.values()) >= 0
    assert sum(same.value.values()) <= 60
    assert done.records()[0]["group"] == "[0, 2)"
