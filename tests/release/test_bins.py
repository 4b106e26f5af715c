"""Bins of numbers and dates: each row in one bin at most, by exact edges, batch by batch too."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.errors import SudareError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, bound_of, publish
from sudare.release.column import Column
from sudare.release.matching import Match
from sudare.release.queries.bins import Bins, Cuts
from sudare.release.synthetic.cells import Cells
from tests.cases import cases

EXACT = Cost.of(epsilon=1000)
START = date(2020, 1, 29)


def counts(values: list[Any], edges: list[Any], every: str | None = None) -> dict[str, int]:
    column = Column.of("x", values)
    cuts = Cuts.of(column, edges, every)
    names = [cuts.ends[0], *cuts.names, cuts.ends[1]]
    return dict(zip(names, cuts.counts(column).tolist(), strict=True))


@cases("of", [int, float, Decimal])
def test_a_bin_has_its_lower_edge_and_the_last_both(of: Any) -> None:
    values = [*map(of, [-1, 0, 17, 18, 64, 65, 66, 10**15]), None]
    found = counts(values, [0, 18, 65])
    assert found == {"< 0": 1, "[0, 18)": 2, "[18, 65]": 3, "> 65": 2}


def test_edges_are_decimals_exactly() -> None:
    for of in (float, Decimal):
        found = counts([*map(of, ["0.1", "0.2", "0.3", "0.7"])], [0.1, 0.3, "0.7"])
        assert found == {"< 0.1": 0, "[0.1, 0.3)": 2, "[0.3, 0.7]": 2, "> 0.7": 0}
    assert counts([float("inf"), float("-inf"), float("nan")], [0, 1])["> 1"] == 1


@settings(deadline=None, max_examples=20)
@given(st.lists(st.decimals(-99, 99, places=3), min_size=2, max_size=5, unique=True))
def test_names_of_bins_conditions_and_cells_are_read_back_as_their_numbers(
    some: list[Decimal],
) -> None:
    edges, low, high = sorted(some), min(some), max(some)
    exact = [Fraction(one) for one in edges]
    cuts = Cuts.of(Column.of("x", [low]), edges, None)
    assert [Fraction(one) for one in cuts.edges] == exact
    named = [name.strip("[)]").split(", ") for name in cuts.names]
    assert [(Fraction(a), Fraction(b)) for a, b in named] == list(pairwise(exact))
    assert [Fraction(name[2:]) for name in cuts.ends] == [exact[0], exact[-1]]
    asked = [(">=", [low]), ("<", [high]), ("!=", edges[1:-1])]
    told = Match.of(Column.of("x", [low]), asked).told(Column.of("x", [low]))
    assert (Fraction(told["from"]), Fraction(told["below"])) == (exact[0], exact[-1])
    assert [Fraction(one) for one in told.get("not in", [])] == exact[1:-1]
    db = Dataset({"x": [float(low)]}, bounds={"x": (low, high)})
    bounds = db.held.bounded["x"].query("mean")["bounds"]
    assert [Fraction(one) for one in bounds] == [exact[0], exact[-1]]
    cells = Cells.of(db.held, "x", edges, None)
    assert [Fraction(one) for one in cells.told["edges"]] == exact
    named = [name.strip("[)").split(", ") for name in cells.labels if name is not None]
    assert [(Fraction(a), Fraction(b)) for a, b in named] == list(pairwise(exact))


def test_edges_below_0_are_the_same_wherever_they_are_shown(tmp_path: Path) -> None:
    edges, names = ["-1.5", "-0.5", "0.5"], ["[-1.5, -0.5)", "[-0.5, 0.5]"]
    with Ledger(tmp_path / "own.db") as ledger:
        ledger.open("data", epsilon=1)
        db = Dataset({"x": [-1.0, 0.25] * 50}, bounds={"x": (-1.5, 1.5)}, ledger=ledger)
        ask = "bins:x=-1.5,-0.5,0.5 where x >= -1.25"
        done = publish(db, [ask], Cost.of(epsilon=0.5))
        assert [one["group"] for one in done.records()] == names
        (body,) = [one["body"] for one in ledger.events() if one["kind"] == "query"]
    (said,) = done.statement["questions"]
    for query in (body["query"], said["query"]):
        assert query["edges"] == edges
        assert query["where"] == [{"column": "x", "from": "-1.25"}]


def test_an_answer_under_the_text_of_0_2_is_not_taken_for_another_questions(
    tmp_path: Path,
) -> None:
    """0.2 wrote the edges -1.5 and -0.5 as the texts that -2.5 and -1.5 have now."""

    def query(low: float, high: float) -> dict[str, Any]:
        asked = Bins("x", [low, high])
        return dict(asked.prepare(db.held, Cost.of(epsilon=0.1)).bill.query)

    with Ledger(tmp_path / "own.db") as ledger:
        ledger.open("data", epsilon=1)
        db = Dataset({"x": [-1.0, -2.0, -2.0] * 50}, ledger=ledger)
        old = query(-2.5, -1.5)
        assert old.pop("decimals") == "exact"
        ledger.pay(["data"], Cost.of(epsilon=0.1), old, lambda: [50], key="k")
        for low, high in ((-2.5, -1.5), (-1.5, -0.5)):
            assert not db.bins("x", [low, high], epsilon=0.1, reuse=True).reused
            assert db.bins("x", [low, high], epsilon=0.1, reuse=True).reused
        with pytest.raises(sd.DomainError, match="has paid for another query"):
            db.once("k").bins("x", [-2.5, -1.5], epsilon=0.1)
        assert ledger.account("data").spent == Fraction(3, 10)
        for low, high in ((-2, -1), (0.5, 1.5)):  # the texts of these are as they were
            assert "decimals" not in query(low, high)


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
        {"zone": "Asia/Tokyo"},
        {"beyond": 1},
    ):
        assert service.ask({**query, **wrong}).status == 400


@cases(
    "wrong",
    ["bins:x", "bins:x=1", "bins:x=2,1", "bins:x=1,1", "bins:x=a,b", "bins:x=1,2,month",
     "bins:g=1,2", "bins:d=1,2", "bins:d=2020-01-01,2020-02-30", "bins:d=2020-02-01,2020-01-01,day",
     "bins:d=2020-01-01,2020-01-05,2020-01-09,day", "bins:d=2020-01-01T10:00,2020-02-01,day",
     "bins:no=1,2", "bins:x=ends", "bins:d=0001-01-01,9999-12-31,day", "bins=1,2"])  # fmt: skip
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
