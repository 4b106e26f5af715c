"""A column holds what its source holds: persons stay apart, rows stay, numbers are exact."""

from __future__ import annotations

import datetime
import gzip
import itertools
import json
import math
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import sudare as sd
from sudare.files import read_people
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset
from sudare.release.column import Column
from sudare.release.definition import Definition
from sudare.release.grid import (
    MOST_STEPS,
    Scale,
    nearest,
    nearest_one,
    square_sum,
    sums_of,
    whole_sum as grid_sum,
)
from sudare.release.table import _declared
from tests.cases import cases

CARDS = [10**19 + i for i in range(4)] + [10**19 + i for i in range(4)]
"""Twenty digits: as floats they are one person."""

FRAMES: dict[str, Any] = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(
        columns, schema_overrides={"who": pl.Int128} if isinstance(columns["who"][0], int) else {}
    ),
    "arrow": lambda columns: pa.table(
        {k: pa.array(v, pa.decimal128(30, 0)) if k == "who" and isinstance(v[0], int) else v
         for k, v in columns.items()}
    ),
}  # fmt: skip


def rows_kept(frame: Any, most: int = 1) -> int:
    """Return how many rows a data set keeps: one a person."""
    return Dataset(frame, unit=("who", most), rng=sd.Entropy.seeded(b"r")).held.rows


def written(folder: Path, ending: str, who: list[Any]) -> Path:
    path = folder / f"people{ending}"
    rows = list(zip(who, itertools.cycle([1, 2]), strict=False))
    if ending == ".jsonl":
        path.write_text("".join(json.dumps({"who": w, "x": x}) + "\n" for w, x in rows))
    elif ending == ".parquet":
        pq.write_table(pa.table({"who": [str(w) for w, _ in rows], "x": [1] * len(rows)}), path)
    else:
        text = "who,x\n" + "".join(f"{w},{x}\n" for w, x in rows)
        path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    return path


# -- persons ---------------------------------------------------------------------------------------


@cases("make", FRAMES.values())
def test_long_numbers_are_as_many_persons(make: Any) -> None:
    assert rows_kept(make({"who": CARDS, "x": [1] * 8})) == 4
    assert rows_kept(make({"who": [2**53, 2**53 + 1, 2**53], "x": [1] * 3})) == 2
    assert rows_kept(make({"who": [str(one) for one in CARDS], "x": [1] * 8})) == 4


@cases("ending", [".csv", ".csv.gz", ".jsonl", ".parquet"])
def test_persons_of_files_stay_apart(ending: str, tmp_path: Path) -> None:
    assert rows_kept(read_people(written(tmp_path, ending, CARDS))) == 4
    assert rows_kept(read_people(written(tmp_path, ending, [-1, 2**64, 2**64 + 1]))) == 3
    if ending != ".jsonl":
        texts = ["007", "7", "1e5", "100000", "7.0", "7 8", "78", "true", "TRUE"]
        texts += ["2026-01-01", "20260101"]
        assert rows_kept(read_people(written(tmp_path, ending, texts))) == len(texts)
    times = ["2026-01-01", "2026-01-01 00:00:00", "2026-01-01T00:00:00"]
    assert rows_kept(read_people(written(tmp_path, ending, times))) == 3


def test_the_histogram_of_a_person_among_twenty_digits(tmp_path: Path) -> None:
    """Each person keeps a row of their own: one who is replaced moves counts by one each."""
    path = written(tmp_path, ".csv", CARDS)
    held = Dataset(read_people(path), unit=("who", 1), neighbours="add-remove").held
    without = written(tmp_path, ".csv", [one for one in CARDS if one != CARDS[0]])
    other = Dataset(read_people(without), unit=("who", 1), neighbours="add-remove").held
    pairs = zip(held.counts("x", [1, 2]), other.counts("x", [1, 2]), strict=True)
    assert sum(abs(mine - theirs) for mine, theirs in pairs) == 1


@cases(
    "make",
    [
        lambda t: {"who": t},
        lambda t: pd.DataFrame({"who": t}),
        lambda t: pd.DataFrame({"who": pd.Series(t).dt.tz_localize("Asia/Tokyo")}),
        lambda t: pl.DataFrame({"who": pl.Series(t)}),
        lambda t: pa.table({"who": pa.array(t)}),
        lambda t: {"who": [pd.Timestamp(one) for one in t]},
    ],
)
def test_a_nanosecond_tells_persons_apart(make: Any) -> None:
    start = np.datetime64("2026-01-01T00:00:00", "ns")
    times = start + np.array([0, 1, 2, 1, 0], dtype="timedelta64[ns]")
    assert rows_kept(make(times)) == 3


def test_decimals_of_a_database_are_persons(tmp_path: Path) -> None:
    """SQLAlchemy makes floats of a SQLite database's NUMERIC on the way to decimals."""
    url = f"sqlite:///{tmp_path / 'people.db'}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE people (who NUMERIC(18), x INTEGER)"))
        for i in range(4):
            connection.execute(sa.text(f"INSERT INTO people VALUES ({2**53 + i}, 1)"))
    engine.dispose()
    db = Dataset.from_sql(url, "people", unit=("who", 1))
    assert db.held.rows == 4
    assert rows_kept({"who": [Decimal(one) for one in CARDS], "x": [1] * 8}) == 4


@cases(
    "who",
    [
        ["a", "", "b"], ["a", "  ", "b"], ["a", "NA", "b"], ["a", "nan", "b"], ["a", "None", "b"],
        ["a", None, "b"], [1, None, 2], [math.nan, 1.0, 2.0], [Decimal("NaN"), Decimal(1)],
        [1.0, 2.0], [1.5, 2], np.array([1, 2], dtype=np.float32), [datetime.time(1), None],
    ])  # fmt: skip
def test_rows_of_nobody_and_floats_are_refused(who: Any) -> None:
    for make in (dict, pd.DataFrame):
        with pytest.raises(sd.SudareError, match="unit"):
            Dataset(make({"who": who}), unit=("who", 1))


@cases("other", [" kanarienvogel", "kanarienvogel ", "\u3000kanarienvogel"])
def test_ids_that_differ_by_the_space_around_them_are_refused(other: str, tmp_path: Path) -> None:
    """As two persons one would keep twice the rows; which of both is written does not matter."""
    who = ["kanarienvogel", "7", other]
    for frame in ({"who": who}, read_people(written(tmp_path, ".csv", who))):
        with pytest.raises(sd.DomainError, match="unit must write each person one way") as caught:
            Dataset(frame, unit=("who", 1))
        assert "vogel" not in str(caught.value)
    assert rows_kept({"who": [other, "7", other]}) == 2
    assert rows_kept({"who": ["vogel", "Vogel", "VOGEL"]}) == 3


@cases("blank", ["", " ", "NA", "null", "\u200b", "\u200bNA"])
def test_blank_cells_are_refused_as_persons(blank: str, tmp_path: Path) -> None:
    path = written(tmp_path, ".csv", ["7", blank, "kanarienvogel"])
    with pytest.raises(sd.DomainError, match="unit must say whose") as caught:
        Dataset(read_people(path), unit=("who", 1))
    assert "kanarienvogel" not in str(caught.value)


def test_a_million_rows_keep_their_persons(tmp_path: Path) -> None:
    """432,091 persons; as text in well under the seconds that it may take here."""
    codes = np.arange(1_000_000) * 7 % 432_091
    path = tmp_path / "many.csv"
    path.write_text("who\n" + "".join(f"{10**19 + one}\n" for one in codes.tolist()))
    before = time.process_time()
    assert rows_kept(read_people(path)) == 432_091
    assert time.process_time() - before < 6


def test_the_first_rows_of_each_are_kept() -> None:
    rng = np.random.default_rng(0)
    who = rng.integers(0, 20, 200)
    seen: dict[int, int] = {}
    expected = []
    for place, one in enumerate(who.tolist()):
        seen[one] = seen.get(one, 0) + 1
        if seen[one] <= 3:
            expected.append(place)
    db = Dataset({"who": who, "row": np.arange(200)}, unit=("who", 3))
    assert db.held.columns["row"].plain() == expected


# -- rows ------------------------------------------------------------------------------------------


def test_blank_lines_of_one_column_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("score\n70\n\n80\n90")
    options: dict[str, Any] = {"bounds": {"score": (0, 100)}, "missing": "drop"}
    db = Dataset(read_people(path), **options)
    assert db.held.columns["score"].plain() == [70, None, 80, 90]
    assert db.n == 4
    for before, after in itertools.pairwise(["score\n70\n80\n", "score\n70\n80", "score\n70\n\n"]):
        sizes = []
        for text in (before, after):
            path.write_text(text)
            sizes.append(Dataset(read_people(path), **options).n)
        assert sizes == [2, 2]
    path.write_text("score,x\n70,1\n\n80,2\n\n")
    assert Dataset(read_people(path), **options).n == 2


def test_cells_say_what_their_text_says(tmp_path: Path) -> None:
    path = tmp_path / "cells.csv"
    path.write_text(
        "plain,lead,real,big,truth,gap,word\n"
        "7,007,0.5,7,true,1,NA\n-10,7,1,99999999999999999999,false,,x\n"
    )
    held = Dataset(read_people(path)).held
    assert {name: (one.kind, one.plain()) for name, one in held.columns.items()} == {
        "plain": ("number", [7, -10]),
        "lead": ("text", ["007", "7"]),
        "real": ("text", ["0.5", "1"]),
        "big": ("text", ["7", "99999999999999999999"]),
        "truth": ("truth", [True, False]),
        "gap": ("number", [1, None]),
        "word": ("text", ["NA", "x"]),
    }
    assert held.counts("lead", ["7"]) == [1, 1]
    numbers = Dataset(
        read_people(path),
        bounds={"lead": (0, 9), "real": (0, 1), "big": (0, 5)},
        types={"big": "whole"},
    ).held
    assert [numbers.columns[one].kind for one in ("lead", "real", "big")] == ["number"] * 3
    assert numbers.columns["real"].plain() == [Decimal("0.5"), Decimal(1)]
    assert numbers.numbers("big").values.tolist()[1] == numbers.numbers("big").scale.last
    assert numbers.numbers("big").scale.step == 1, "one long number makes no fractions"


def test_broken_files_show_nothing(tmp_path: Path) -> None:
    for name, text in (
        ("a.jsonl", b'{"x": 1}\n{"x": kanarienvogel}\n'),
        ("b.jsonl", b"[1]\n"),
        ("c.jsonl", b""),
        ("d.csv", b""),
        ("e.csv", b"a,b\n1\n"),
        ("f.csv", b"a\n\xff\n"),
        ("g.csv", b"a,a\n1,2\n"),
        ("h.jsonl", b'{"x": "\xff"}\n'),
    ):
        (tmp_path / name).write_bytes(text)
        with pytest.raises(sd.SudareError) as caught:
            Dataset(read_people(tmp_path / name))
        assert "kanarienvogel" not in str(caught.value)


# -- exact numbers ---------------------------------------------------------------------------------


def test_sums_take_one_path_and_are_exact() -> None:
    rng = np.random.default_rng(1)
    for most in (1, 1000, MOST_STEPS, MOST_STEPS * 2):
        values = rng.integers(-most, most, 5_000, endpoint=True)
        assert grid_sum(values) == sum(values.tolist())
        assert square_sum(values) == sum(one * one for one in values.tolist())
        places = rng.integers(0, 3, values.size)
        assert sums_of(values, places, 3) == [sum(values[places == i].tolist()) for i in range(3)]
    full = np.full(1 << 16, np.iinfo(np.int64).max)
    assert grid_sum(full) == (2**63 - 1) << 16
    assert grid_sum(-full) == -((2**63 - 1) << 16)


def test_one_person_does_not_change_how_a_sum_is_taken() -> None:
    """Nine million times 2⁴⁰ leave 63 bits, and 2³⁰ do not: the work is the same."""
    n, times = 1_000_000, {}
    for value in (1 << 20, 1 << 40):
        values = np.full(n, 1 << 20, dtype=np.int64)
        values[:] = value
        spans = []
        for _ in range(5):
            before = time.process_time()
            grid_sum(values)
            square_sum(values)
            spans.append(time.process_time() - before)
        times[value] = min(spans)
    assert times[1 << 40] < 3 * times[1 << 20]  # Python's own integers took 20 times as long


def reference(value: Fraction, scale: Scale) -> int:
    clamped = min(max(value, scale.low), scale.high)
    return min(max(round(clamped / scale.step), scale.first), scale.last)


def test_rounding_to_the_grid_is_exact() -> None:
    """Against fractions: whole numbers of any unit, and decimals, on grids of all kinds."""
    values = np.array([-(2**62), -7, -3, -1, 0, 1, 2, 3, 5, 11, 2**62])
    for unit, step, low, high in itertools.product(
        (Fraction(1), Fraction(1, 10**6), Fraction(1, 3)),
        (Fraction(1), Fraction(2), Fraction(1, 4), Fraction(1, 10), Fraction(2, 3)),
        (Fraction(-5), Fraction(1, 3)),
        (Fraction(8), Fraction(17, 2)),
    ):
        scale = Scale(low, high, step)
        expected = [reference(one * unit, scale) for one in values.tolist()]
        assert nearest(values, unit, scale)[0].tolist() == expected
        assert [nearest_one(unit, scale)(one)[0] for one in values.tolist()] == expected
    ends, micro = np.array([-(2**63), -(2**63) + 1, 2**63 - 1]), Fraction(1, 10**6)
    wide = Scale(Fraction(-(10**14)), Fraction(10**14), Fraction(1000))
    expected = [reference(one * micro, wide) for one in ends.tolist()]
    assert nearest(ends, micro, wide) == (pytest.approx(expected, abs=0), False)
    tenths = Scale.of((0, 10), Decimal("0.1"), None, "b")
    one = nearest_one(Fraction(1), tenths)
    for text in ("0.15", "0.25", "0.35", "0.05", "9.95", "-1", "1e500", "1e-500", "Infinity"):
        number = Decimal(text)
        exact = (
            Fraction(number) if number.is_finite() and abs(number) < 10**20 else Fraction(10**20)
        )
        assert one(number)[0] == reference(exact, tenths)


MONEY = [Decimal("0.10"), Decimal("0.20"), Decimal("1234567.89"), Decimal("9999999999.99")]


@cases(
    "make",
    [
        dict,
        pd.DataFrame,
        lambda c: pl.DataFrame(c, schema_overrides={"x": pl.Decimal(20, 2)}),
        lambda c: pa.table({"x": pa.array(c["x"], pa.decimal128(20, 2))}),
        lambda c: pd.DataFrame({"x": pd.array(c["x"], pd.ArrowDtype(pa.decimal128(20, 2)))}),
    ],
)
def test_decimals_are_summed_exactly(make: Any) -> None:
    db = Dataset(
        make({"x": MONEY}), bounds={"x": (0, 10_000_000_000)}, grids={"x": Fraction(1, 100)}
    )
    assert db.held.numbers("x").values.tolist() == [10, 20, 123456789, 999999999999]
    assert Fraction(grid_sum(db.held.numbers("x").values), 100) == sum(map(Fraction, MONEY))


def test_a_decimal_type_has_its_own_grid(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array(MONEY, pa.decimal128(20, 2))})
    assert Dataset(table, bounds={"x": (0, 1000)}).held.numbers("x").scale.step == Fraction(1, 100)
    wide = Dataset(table, bounds={"x": (0, 10**14)}).held.numbers("x").scale
    assert wide.step > 1  # a hundredth would be too fine between such bounds
    path = tmp_path / "money.csv"
    path.write_text("x\n0.10\n0.20\n1234567.89\n")
    held = Dataset(read_people(path), bounds={"x": (0, 10**7)}, grids={"x": Fraction(1, 100)}).held
    assert held.numbers("x").values.tolist() == [10, 20, 123456789]


DAYS = [datetime.date(2026, 1, 31), datetime.date(1969, 12, 31), datetime.date(2099, 1, 1)]
DAY_BOUNDS = (datetime.date(1960, 1, 1), datetime.date(2030, 1, 1))


@cases("bounds", [DAY_BOUNDS, ("1960-01-01", "2030-01-01")])
@cases(
    "make",
    [
        dict,
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        lambda c: {"x": np.array(c["x"], dtype="datetime64[D]")},
        lambda c: {"x": [one.isoformat() for one in c["x"]]},
    ],
)
def test_dates_are_whole_days(make: Any, bounds: Any) -> None:
    db = Dataset(make({"x": DAYS}), bounds={"x": bounds})
    numbers = db.held.numbers("x")
    assert numbers.scale.step == 1
    last = (datetime.date(2030, 1, 1) - datetime.date(1970, 1, 1)).days
    assert numbers.values.tolist() == [20484, -1, last]  # the third is clamped
    mean = db.mean("x", epsilon=10**6)
    assert mean.value == pytest.approx((20484 - 1 + last) / 3, abs=0.1)
    assert "numbers are in days since 1970-01-01" in mean.notes
    assert [kind for _, kind, _ in db.columns] == ["date"]
    assert db.held.counts("x", ["2026-01-31"]) == [1, 2]
    assert db.histogram("x", [DAYS[0]], epsilon=10**6).value == {"2026-01-31": 1.0, None: 2.0}


def test_times_are_summed_in_their_unit(tmp_path: Path) -> None:
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    times = [start + datetime.timedelta(microseconds=one) for one in (0, 1, 2, 10**7)]
    bounds = {"x": (start, start + datetime.timedelta(seconds=5))}
    options: dict[str, Any] = {"bounds": bounds, "grids": {"x": Fraction(1, 500)}}
    for frame in (
        {"x": times}, pd.DataFrame({"x": times}), pl.DataFrame({"x": times}),
        pa.table({"x": times}), {"x": [one.isoformat() for one in times]},
    ):  # fmt: skip
        db = Dataset(frame, **options)
        first = round(start.timestamp() * 500)
        assert db.held.numbers("x").values.tolist() == [first, first, first, first + 2500]
    spans = Dataset(
        {"x": [datetime.timedelta(seconds=90), datetime.timedelta(hours=1)]},
        bounds={"x": (datetime.timedelta(0), datetime.timedelta(hours=2))},
    )
    assert spans.mean("x", epsilon=10**6).value == pytest.approx((90 + 3600) / 2, abs=1)
    clock = Dataset({"x": [datetime.time(8), datetime.time(10)]}, bounds={"x": ("06:00", "12:00")})
    assert clock.mean("x", epsilon=10**6).value == pytest.approx(9 * 3600, abs=1)


def test_dates_of_files_and_databases(tmp_path: Path) -> None:
    path = tmp_path / "born.csv"
    path.write_text("born,x\n1990-05-01,1\n2001-01-01,2\n")
    (tmp_path / "born.toml").write_text(
        'name = "born"\nfile = "born.csv"\n[budget]\nepsilon = 9\n'
        "[bounds]\nborn = [1900-01-01, 2030-01-01]\n"
    )
    expected = [7425, 11323]
    with Ledger(tmp_path / "ledger.db") as ledger:
        db = Definition.load(tmp_path / "born.toml").open(ledger)
        assert db.held.numbers("born").values.tolist() == expected
        query = Ask.parse("median:born").to(db, sd.ledger.Cost.of(epsilon=1)).query
        assert query["bounds"] == ["-25567", "21915"]
    url = f"sqlite:///{tmp_path / 'people.db'}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE people (born DATE, paid NUMERIC(8, 2))"))
        connection.execute(sa.text("INSERT INTO people VALUES ('1990-05-01', 12.35)"))
        connection.execute(sa.text("INSERT INTO people VALUES ('2001-01-01', 7)"))
    engine.dispose()
    bounds = {"born": ("1900-01-01", "2030-01-01"), "paid": (0, 100)}
    held = Dataset.from_sql(url, "people", bounds=bounds, grids={"paid": Fraction(1, 100)}).held
    assert held.numbers("born").values.tolist() == expected
    assert held.numbers("paid").values.tolist() == [1235, 700]


@cases(
    "column, bounds",
    [
        (["1990-05-01", "kanarienvogel"], ("1900-01-01", "2030-01-01")),
        (["1990-05-01"], ("1900-01-01", "never")),
        ([1, 2], ("1900-01-01", "2030-01-01")),
        (DAYS, (0, 1)),
        (np.array(DAYS, "datetime64[D]"),
         (datetime.datetime(2026, 1, 1), datetime.datetime(2027, 1, 1))),  # noqa: DTZ001
        ([datetime.datetime(2026, 1, 1), datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)],  # noqa: DTZ001
         DAY_BOUNDS),
    ])  # fmt: skip
def test_bounds_that_are_no_times_of_the_column(column: Any, bounds: Any) -> None:
    with pytest.raises(sd.SudareError) as caught:
        Dataset({"x": column}, bounds={"x": bounds})
    assert "kanarienvogel" not in str(caught.value)


def test_columns_say_what_they_are() -> None:
    assert Column.of("a", [1, None, 3]).plain() == [1, None, 3]
    assert Column.of("a", [2**70, 1]).plain() == [2**70, 1]
    assert Column.of("a", np.array([2**64 - 1], dtype=np.uint64)).plain() == [2**64 - 1]
    assert Column.of("a", [1, 2.5, None]).values.dtype == np.float64
    assert Column.of("a", np.array(["2026-01", "NaT"], dtype="datetime64[M]")).plain() == [
        20454,
        None,
    ]


@cases("frame", [dict, lambda c: pd.DataFrame(c, dtype=object)])
@cases(
    "who",
    [
        [np.int64(7), "7"],
        [np.int64(1), True],
        [np.bool_(True), 1],
        [np.float64(1e5), "100000.0"],
        [np.longdouble(1), "1.0"],
        [np.datetime64("2020-01-01"), "2020-01-01"],
        [np.timedelta64(7, "ns"), 7],
        [np.timedelta64(7, "ns"), np.timedelta64(7, "ns"), None],
    ],
)
def test_scalars_of_numpy_are_no_persons_of_another_kind(frame: Any, who: list[Any]) -> None:
    with pytest.raises(sd.WrongTypeError):
        rows_kept(frame({"who": who}))


@cases("frame", [dict, lambda c: pd.DataFrame(c, dtype=object)])
@cases(
    "who, rows",
    [
        ([np.str_("a\0"), np.str_("a")], 2),
        ([np.str_("a\0"), "a", "a"], 2),
        ([2**63, 2**63 + 1, np.int64(1)], 3),
        ([np.uint64(2**63 + 1), np.uint64(2**63 + 2), np.int64(1)], 3),
        ([np.int64(7), Decimal("7.0")], 1),
    ],
)
def test_scalars_of_numpy_keep_what_they_hold(frame: Any, who: list[Any], rows: int) -> None:
    assert rows_kept(frame({"who": who})) == rows


def test_what_other_libraries_raise_is_typed() -> None:
    with pytest.raises(sd.WrongTypeError):
        Dataset(pd.DataFrame({"who": [Decimal(1), Decimal("sNaN")]}))


def test_a_series_of_polars_alone_is_read_as_in_a_frame() -> None:
    who = pl.Series(CARDS, dtype=pl.Int128)
    assert rows_kept({"who": who, "x": pl.Series([1] * 8)}) == 4


def test_decimals_of_negative_scale_are_read_and_stepped() -> None:
    column = pa.array([Decimal(100), Decimal(300), Decimal(90_000)], pa.decimal128(10, -2))
    numbers = Dataset(pa.table({"x": column}), bounds={"x": (0, 1000)}).held.bounded["x"]
    assert (numbers.scale.step, numbers.steps.tolist()) == (100, [1, 3, 10])
    assert _declared(sa.Numeric(5, -2)) == 100


@cases("odd", ["Infinity", "-Infinity", "NaN", "1e400", "7", "null"])
def test_no_line_of_json_moves_another(tmp_path: Path, odd: str) -> None:
    path = tmp_path / "people.jsonl"
    lines = [f'{{"x": {cell}}}\n' for cell in ("0.15", "0.45", odd)]  # ties, which floats miss
    path.write_text("".join(lines))
    db = Dataset(read_people(path), bounds={"x": (0, 1)}, grids={"x": 0.1}, missing="drop")
    assert db.held.bounded["x"].steps[:2].tolist() == [2, 4]


def test_cells_of_many_lines_are_read_in_every_block(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("who,x\n" + "".join(f'"{i}\n{i}",{i % 7}\n' for i in range(150_000)))
    assert path.stat().st_size > 1 << 20
    db = Dataset(read_people(path), bounds={"x": (0, 6)}, unit=("who", 1))
    assert db.held.rows == 150_000


@cases("cell", ["nan(ind)", "nan(snan)", "1_0", "1,0", "x", "0x1", "１"])
def test_a_cell_that_is_no_number_is_missing(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f'x\n"{cell}"\n2.5\n')
    with pytest.raises(sd.DomainError, match=r"any other cell, such as .* is missing"):
        Dataset(read_people(path), bounds={"x": (0, 6)})
    db = Dataset(read_people(path), bounds={"x": (0, 6)}, missing="drop")
    assert db.held.columns["x"].plain() == [None, Decimal("2.5")]


@cases("kind", ["DATE", "DATETIME", "TIME"])
@cases("cell", ["kanarienvogel", 17])
def test_a_broken_date_of_a_database_is_missing(
    tmp_path: Path, kind: str, cell: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'people.db'}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(f"CREATE TABLE people (x {kind})"))
        connection.execute(sa.text("INSERT INTO people VALUES (:x)"), {"x": cell})
    engine.dispose()
    opened, create = [], sa.create_engine

    def noted(*given: Any) -> Any:
        opened.append(create(*given))
        return opened[-1]

    monkeypatch.setattr(sa, "create_engine", noted)
    held = Dataset.from_sql(url, "people").held
    assert (held.columns["x"].kind, held.columns["x"].plain()) == (kind.lower(), [None])
    assert [one.pool.checkedin() for one in opened] == [0], "no connection is left open"


def test_a_fraction_moves_no_whole_number_of_another_row() -> None:
    for step in (Fraction(22, 5), Fraction(1, 10), Fraction(14, 5)):
        rows = [
            Dataset({"x": [*range(100), odd]}, bounds={"x": (0, 100)}, grids={"x": step})
            .held.bounded["x"]
            .steps.tolist()
            for odd in (1, 1.5, math.inf)
        ]
        assert rows[0][:100] == rows[1][:100] == rows[2][:100]


@cases("odd", [0.2, np.float32(0.5), math.inf])
@cases("exact", [Decimal("0.15"), Fraction(3, 20)])
def test_a_float_among_exact_fractions_moves_none(exact: Any, odd: Any) -> None:
    """Of lists each number is the decimal that it prints as: 0.15 lies between two steps."""
    for first in (exact, 0.15):
        db = Dataset({"x": [first, odd]}, bounds={"x": (0, 1)}, grids={"x": 0.1})
        assert db.held.numbers("x").values[0] == 2
    assert Dataset({"x": [exact, math.nan]}, bounds={"x": (0, 1)}, missing="drop").held.rows == 2


@cases("odd", [0.5, np.float64(7), math.inf])
def test_one_float_does_not_round_the_whole_numbers_of_others(odd: Any) -> None:
    long = 2**53 + 1
    for values in ([long, odd], [-long, odd], np.array([long, odd], dtype=object)):
        assert Dataset({"x": values}).held.columns["x"].plain()[0] == values[0]
    assert Dataset({"x": [2**53, odd]}).held.columns["x"].plain() == [2**53, Decimal(str(odd))]
    assert Dataset({"x": [long, math.nan]}).held.columns["x"].values[0] == long


@cases("odd", [7, 0.5])
def test_what_a_category_fits_does_not_hang_on_other_rows(odd: Any) -> None:
    """One fraction makes floats of a list: 2^53 + 1 is no 2^53 then, either."""
    most = 2**53
    db = Dataset({"x": [most] * 1000 + [odd]})
    for value, n in ((most, 1000), (most + 1, 0), (odd, 1)):
        assert db.count("x", value, epsilon=1000).value == n
        for form in (f"count:x={value}", f"count where x = {value}"):
            assert Ask.parse(form).of(db, Cost.of(epsilon=1000)).bill.answer() == n, form


@cases("unit", [None, ("who", 1)])
def test_text_that_is_no_utf8_is_refused_without_a_byte_of_it(tmp_path: Path, unit: Any) -> None:
    ends = pa.py_buffer(np.array([0, 1, 3], dtype=np.int32))
    broken = pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"a\xffb")])
    pq.write_table(pa.table({"who": broken}), tmp_path / "a.parquet")
    with pytest.raises(sd.DomainError, match="must hold text in UTF-8") as told:
        Dataset(tmp_path / "a.parquet", unit=unit, rng=sd.Entropy.seeded(b"u")).histogram(
            "who", ["a"], epsilon=1
        )
    assert "0xff" not in str(told.value)


def test_a_folder_of_csv_files_is_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "people"
    (folder / "more").mkdir(parents=True)
    (folder / "a.csv").write_text("who,sex,age\n007,f,30\n7,m,40\n")
    (folder / "b.tsv").write_text("age\twho\tsex\n\t8\tf\n")
    (folder / "more/c.csv.gz").write_bytes(gzip.compress(b"who;sex;age\n9;m;50\n"))
    whole = tmp_path / "whole.csv"
    whole.write_text("who,sex,age\n007,f,30\n7,m,40\n8,f,\n9,m,50\n")
    one, many = read_people(whole).columns, read_people(folder).columns
    assert {name: cells.to_pylist() for name, cells in many.items()} == {
        name: cells.to_pylist() for name, cells in one.items()
    }
    how: dict[str, Any] = {"types": {"who": "text", "sex": "text", "age": "whole"}, "budget": 999}
    how |= {"bounds": {"age": (0, 100)}, "missing": "drop", "neighbours": "add-remove"}
    for source in (folder, str(folder), read_people(folder)):
        db = Dataset(source, **how)
        assert db.count("sex", "f", epsilon=100).value == 2
        assert db.sum("age", epsilon=500).value == 120


def test_a_folder_of_unlike_files_is_refused_by_their_names_alone(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,age\nAda,30\n")
    for name, text, word in (
        ("b.csv", "Ada,31\nBob,32\n", "same columns in all files, and b.csv has others"),
        ("b.csv", "", "b.csv.*must not be empty"),
        ("b.jsonl", '{"who": "Ada"}', "Parquet or of CSV files alone"),
        ("b.txt", "Ada", "must hold tables alone"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(sd.SudareError, match=word) as caught:
            Dataset(tmp_path)
        assert "Ada" not in str(caught.value)
        assert "Bob" not in str(caught.value)
        (tmp_path / name).unlink()
