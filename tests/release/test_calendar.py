"""Days by a local calendar: of each zone, across changes of its clock, from each form of data."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, publish
from sudare.release.column import Column
from sudare.release.queries.bins import EVERY, Cuts

TOKYO = "Asia/Tokyo"
MOMENTS = ["2024-04-01T00:30", "2024-04-01T08:59", "2024-04-01T23:30"]
"""Three readings of a clock in Japan: two of them are of 31 March by UTC."""

CHANGES = [
    ("Europe/Berlin", date(2024, 3, 31), 23),
    ("Europe/Berlin", date(2024, 10, 27), 25),
    ("America/New_York", date(2024, 11, 3), 25),
    ("Australia/Lord_Howe", date(2024, 4, 7), 24.5),
    ("America/Sao_Paulo", date(2018, 11, 4), 23),  # the clock skips midnight
    ("America/Havana", date(2024, 11, 3), 25),  # midnight comes twice
    ("Pacific/Apia", date(2011, 12, 30), 0),  # there is no such day
    ("America/St_Johns", date(2006, 10, 29), 24 + 1 / 60),  # a minute comes back after 59
    ("Africa/Monrovia", date(1972, 1, 7), 24 - 2670 / 3600),
    (TOKYO, date(2024, 4, 1), 24),
]


def seconds(first: date, days: int, step: int) -> list[datetime]:
    """Return moments in UTC from two days before a day on."""
    start = datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(days=2)
    return [start + timedelta(seconds=i) for i in range(0, days * 86_400, step)]


def period(day: date, every: str) -> str:
    year, week, _ = day.isocalendar()
    return {"day": str(day), "week": f"{year}-W{week:02}", "month": str(day)[:7]}[every]


@pytest.mark.parametrize(("zone", "day", "hours"), CHANGES)
def test_each_moment_counts_on_the_day_that_the_local_clock_shows(
    zone: str, day: date, hours: float
) -> None:
    moments = seconds(day, 6, 30)
    local = [one.astimezone(ZoneInfo(zone)).date() for one in moments]
    column = Column.of("c", moments)
    first, last = day - timedelta(days=1), day + timedelta(days=1)
    for every in EVERY:
        cuts = Cuts.of(column, [first, last], every, zone)
        names = [cuts.ends[0], *cuts.names, cuts.ends[1]]
        found = dict(zip(names, cuts.counts(column).tolist(), strict=True))
        assert (found.pop(f"< {first} {zone}"), found.pop(f"> {last} {zone}")) == (
            sum(one < first for one in local),
            sum(one > last for one in local),
        )
        inside = [period(one, every) for one in local if first <= one <= last]
        assert {name: n for name, n in found.items() if n} == {
            f"{name} {zone}": n for name, n in Counter(inside).items()
        }
        if every == "day":
            assert found[f"{day} {zone}"] == pytest.approx(hours * 120, abs=1)


@pytest.mark.slow  # 600 zones, a moment each four hours of a year
def test_every_zone_of_the_database() -> None:
    from sudare.release import calendar

    for zone in sorted(calendar._names()):
        for year in (1945, 2011):
            first, last = date(year, 1, 1), date(year, 12, 31)
            moments = seconds(first, 369, 14_399)
            column = Column.of("c", moments)
            cuts = Cuts.of(column, [first, last], "day", None if zone == "UTC" else zone)
            local = [one.astimezone(ZoneInfo(zone)).date() for one in moments]
            wanted = Counter(str(one) for one in local if first <= one <= last)
            found = dict(zip(cuts.names, cuts.counts(column)[1:-1].tolist(), strict=True))
            assert {name.split()[0]: n for name, n in found.items() if n} == wanted, zone


def frames(folder: Path) -> dict[str, Any]:
    """Return the moments in each form that data may come in, with their zone."""
    series = pd.Series(pd.to_datetime(MOMENTS * 20).tz_localize(TOKYO))
    table = pa.table({"c": pa.array(series, pa.timestamp("ns", TOKYO))})
    pq.write_table(table, folder / "c.parquet")
    text = [one.isoformat() for one in series]
    pq.write_table(pa.table({"c": text}), folder / "text.parquet")
    return {
        "pandas": series.to_frame("c"),
        "objects": {"c": list(series)},
        "polars": pl.DataFrame({"c": pl.from_arrow(table)["c"]}),
        "lazy": pl.DataFrame({"c": pl.from_arrow(table)["c"]}).lazy(),
        "arrow": table,
        "parquet": str(folder / "c.parquet"),
        "text": {"c": text},
        "stored text": str(folder / "text.parquet"),
    }


def test_a_zone_is_one_rule_for_every_form_of_data(tmp_path: Path) -> None:
    for form, frame in frames(tmp_path).items():
        db = Dataset(frame, bounds={"c": ("2024-01-01T00:00", "2024-12-31T00:00")})
        local = db.bins("c", ["2024-03-31", "2024-04-01"], "day", zone=TOKYO, epsilon=1000)
        assert local.value == {f"2024-03-31 {TOKYO}": 0, f"2024-04-01 {TOKYO}": 60}, form
        assert TOKYO in local.notes[0]
        assert local.query["zone"] == TOKYO
        utc = db.bins("c", ["2024-03-31", "2024-04-01"], "day", epsilon=1000)
        assert list(utc.value.values()) == [40, 20], form
        assert "UTC" in utc.notes[0]
        assert "zone" not in utc.query, "as it stands in ledgers"
        assert (
            db.bins("c", ["2024-03-31", "2024-04-01"], "day", zone="UTC", epsilon=1000).query
            == utc.query
        )
        edges = ["2024-01-01", "2024-04-01", "2024-12-31"]
        before, after = db.bins("c", edges, zone=TOKYO, epsilon=1000).value.items()
        assert (before[1], after[1]) == (0, 60), form
        assert before[0] == "[2024-01-01T00:00:00+09:00, 2024-04-01T00:00:00+09:00)"
        if "text" not in form:
            assert set(utc.value) == {"2024-03-31 UTC", "2024-04-01 UTC"}
            assert "[2024-01-01T00:00:00+00:00" in next(iter(db.bins("c", edges, epsilon=1).value))
        kept = db.where("c >= 2024-04-01").count(epsilon=1000)
        assert kept.value == 20
        assert "UTC" in " ".join(kept.notes)
        assert not db.where("c >= 2024-04-01T00:00+09:00").count(epsilon=1).notes or "text" in form


def test_moments_without_a_zone_are_cut_as_they_are_written(tmp_path: Path) -> None:
    naive = pd.to_datetime(MOMENTS * 20)
    for frame in (
        {"c": np.array(MOMENTS * 20, dtype="datetime64[s]")},
        pd.DataFrame({"c": naive}),
        pa.table({"c": pa.array(naive, pa.timestamp("us"))}),
        {"c": [datetime.fromisoformat(one) for one in MOMENTS * 20]},
    ):
        db = Dataset(frame)
        found = db.bins("c", ["2024-03-31", "2024-04-01"], "day", epsilon=1000)
        assert found.value == {"2024-03-31": 0, "2024-04-01": 60}
        assert "as moments without a zone are written" in found.notes[0]
        assert db.where("c >= 2024-04-01").count(epsilon=1000).notes == ()
        for zone in (TOKYO, "UTC"):
            with pytest.raises(sd.WrongTypeError, match="leave zone out, or say of which clock"):
                db.bins("c", ["2024-03-31", "2024-04-01"], "day", zone=zone, epsilon=1)


def test_what_is_no_zone_is_refused(tmp_path: Path) -> None:
    with Ledger(tmp_path / "own.db") as ledger:
        ledger.open("data", epsilon=1)
        moments = [datetime(2024, 4, 1, tzinfo=UTC), datetime(2024, 4, 2, tzinfo=UTC)]
        frame = {"c": moments, "d": [date(2024, 4, 1)] * 2, "x": [1, 2]}
        db = Dataset(frame, ledger=ledger)
        days, edges = ["2024-04-01", "2024-04-02"], ["2024-03-31T02:30", "2024-12-31"]
        for zone, said in (
            ("Asia/Tokio", "did you mean 'Asia/Tokyo'"),
            ("JST", "such as Asia/Tokyo"),
            ("../../etc/passwd", "such as Asia/Tokyo"),
            ("localtime", "such as Asia/Tokyo"),
            (9, "such as Asia/Tokyo"),
            ("", "such as Asia/Tokyo"),
        ):
            for every in (None, "day"):
                with pytest.raises(sd.DomainError, match=said):
                    db.bins("c", days, every, zone=zone, epsilon=0.1)
        for column, given in (("d", days), ("x", [1, 2])):
            with pytest.raises(sd.WrongTypeError, match="leave zone out"):
                db.bins(column, given, zone=TOKYO, epsilon=0.1)
        with pytest.raises(sd.DomainError, match=r"shows once.*write its offset"):
            db.bins("c", edges, zone="Europe/Berlin", epsilon=0.1)
        with pytest.raises(sd.DomainError, match="further from the years 1 and 9999"):
            db.bins("c", ["0001-01-01", "0001-02-01"], "day", zone=TOKYO, epsilon=0.1)
        with pytest.raises(sd.WrongTypeError, match='zone="Asia/Tokyo"'):
            db.bins("c", days, "day", tz=TOKYO, epsilon=0.1)
        assert ledger.account("data").spent == 0


def test_all_spellings_of_a_zone_are_one_question(tmp_path: Path) -> None:
    moments = list(pd.to_datetime(MOMENTS * 20).tz_localize(TOKYO))
    with Ledger(tmp_path / "own.db") as ledger:
        ledger.open("data", epsilon=9)
        db = Dataset({"c": moments}, ledger=ledger)
        days = ["2024-04-01", "2024-04-02"]
        first = db.bins("c", days, "day", "ends", TOKYO, epsilon=0.5)
        text = f"bins:c=2024-04-01,2024-04-02,day,ends,{TOKYO}"
        again = Ask.parse(text).to(db, Cost.of(epsilon=0.5), reuse=True)
        assert (again.reused, again.value) == (True, first.value)
        for zone in ("Asia/Seoul", None):  # the same offset, another calendar
            assert not db.bins("c", days, "day", "ends", zone, epsilon=0.5, reuse=True).reused
        with_offset = ["2024-04-01T00:00+09:00", "2024-04-02T00:00+09:00"]
        moment = db.bins("c", days, zone=TOKYO, epsilon=0.5)
        same = db.bins("c", with_offset, epsilon=0.5, reuse=True)
        assert (same.reused, list(same.value.values())) == (True, list(moment.value.values()))
        dry = db.dry_run().bins("c", days, "day", zone=TOKYO, epsilon=0.5)
        assert dry.bound() == first.bound()
        done = publish(db, [text], Cost.of(epsilon=1))
    assert [one["group"] for one in done.records()] == list(first.value)
    (answer,) = done.answers
    assert (answer.query["zone"], TOKYO in answer.notes[0]) == (TOKYO, True)
