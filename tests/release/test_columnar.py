"""Tables that are read batch by batch are answered as those in memory are, without a list."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.errors import DomainError, StorageError, SudareError, WrongTypeError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, persons, stored as stored_module
from sudare.release.arrow_columns import from_arrow
from sudare.release.column import Column
from sudare.release.definition import Definition
from sudare.release.grid import BLOCK, Scale
from sudare.release.labels import Labels
from sudare.release.private_data import PrivateData
from sudare.release.stored import Stored
from sudare.release.types import types_of
from tests.cases import cases

ROWS = 1_500
IDS = [10**19 + i // 3 for i in range(ROWS)]
"""Twenty digits, three rows each."""


def table() -> Any:
    """Return a table with a column of each kind, nulls and NaN, and repeated persons."""
    rng = np.random.default_rng(5)
    gaps = rng.random(ROWS) < 0.05
    words = np.array(["north", "south", "Übersee", "東"])[rng.integers(0, 4, ROWS)]
    day = datetime.date(2020, 1, 1)
    return pa.table(
        {
            "score": rng.integers(-5, 106, ROWS),
            "small": pa.array(rng.integers(0, 101, ROWS).astype(np.uint8), mask=gaps),
            "income": pa.array(rng.gamma(2, 2e4, ROWS), mask=gaps),
            "nan": np.where(gaps, np.nan, rng.normal(50, 20, ROWS)),
            "paid": pa.array([Decimal(int(x)) / 100 for x in rng.integers(0, 9999, ROWS)],
                             pa.decimal128(24, 2)),
            "wide": pa.array([Decimal(10) ** 30 if i % 7 == 0 else Decimal(i) for i in range(ROWS)],
                             pa.decimal128(38, 3)),
            "region": pa.array(words, mask=gaps),
            "coded": pa.array(words).dictionary_encode(),
            "truth": pa.array(rng.random(ROWS) < 0.3, mask=gaps),
            "born": pa.array([day + datetime.timedelta(days=i * 7 % 999) for i in range(ROWS)]),
            "seen": pa.array(rng.integers(0, 10**15, ROWS), pa.timestamp("us", "UTC")),
            "said": pa.array([f"2020-01-{1 + i % 28:02}" for i in range(ROWS)]),
            "who": pa.array(IDS, pa.uint64()),
            "name": pa.array([str(one) for one in IDS]),
            "long": pa.array([Decimal(one) for one in IDS], pa.decimal128(30, 0)),
        }
    )  # fmt: skip


BOUNDS = {
    "score": (0, 100), "small": (0, 100), "income": (0, 200_000), "nan": (0, 100), "paid": (0, 90),
    "wide": (0, 1000), "born": ("2020-01-01", "2022-01-01"), "said": ("2020-01-01", "2020-12-31"),
    "seen": ("1970-01-01T00:00+00:00", "2001-01-01T00:00+00:00"),
}  # fmt: skip
OPTIONS: dict[str, Any] = {"bounds": BOUNDS, "missing": "drop"}
NUMBERS = ["score", "small", "income", "nan", "paid", "wide", "born", "seen", "said"]
ASKS = [
    *(f"{kind}:{name}" for name in NUMBERS for kind in ("sum", "median", "missing")),
    *(f"{kind}:{name}" for name in ("score", "income", "paid") for kind in ("variance", "mean")),
    "histogram:region=north,東,nowhere", "histogram:coded=south", "count:truth=true",
    "count:score=7", "count:small=7", "count:born=2020-02-03", "count:paid=12.5", "count:wide=5",
    "count:who=10000000000000000000", "count:name=10000000000000000007", "max:income", "min:nan",
    "count:long=10000000000000000007", "quantile:paid=0.9", "count@region=north,south",
    "missing:region", "mode:coded=north,south", "sum:income@region=north,south",
    "mean:small@coded=north,東", "mean:score@score=1,2",
]  # fmt: skip


def folder(path: Path, data: Any, sizes: tuple[int, ...] = (700, 1, 799)) -> Path:
    """Write a folder of files of several row groups."""
    path.mkdir()
    start = 0
    for i, size in enumerate(sizes):
        pq.write_table(data.slice(start, size), path / f"part-{i}.parquet", row_group_size=300)
        start += size
    return path


def duckdb_relation(path: Path, data: Any) -> Any:
    import duckdb

    return duckdb.connect().sql(f"SELECT * FROM read_parquet('{folder(path, data)}/*.parquet')")


SOURCES: dict[str, Callable[[Path, Any], Any]] = {
    "file": lambda path, data: pq.write_table(data, path, row_group_size=500) or path,
    "folder": folder,
    "data set of Arrow": lambda path, data: pyarrow.dataset.dataset(folder(path, data)),
    "lazy polars": lambda path, data: pl.scan_parquet(folder(path, data) / "*.parquet"),
    "DuckDB": duckdb_relation,
}

MARKS = {"DuckDB": pytest.mark.oracle}  # it comes with the extra


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read and work on few rows at a time."""
    monkeypatch.setattr(stored_module, "BATCH_ROWS", 400)
    monkeypatch.setattr("sudare.release.private_data.BLOCK", 500)
    monkeypatch.setattr("sudare.release.grid.BLOCK", 500)


def answered(db: Dataset, text: str) -> Any:
    """Return the noisy numbers, and all that the ledger is told."""
    prepared = Ask.parse(text).of(db, Cost.of(epsilon=1))
    return prepared.bill.query, prepared.bill.answer()


CASES = [
    *(pytest.param(source, None, marks=MARKS.get(source, ())) for source in SOURCES),
    ("file", ("who", 2)), ("folder", ("name", 2)), ("folder", ("long", 2)),
    ("lazy polars", ("long", 2)),
]  # fmt: skip


@pytest.mark.parametrize(("source", "unit"), CASES, ids=str)
@pytest.mark.usefixtures("small_batches")
def test_answers_are_those_of_memory(source: str, unit: Any, tmp_path: Path) -> None:
    """With the same seed: the same noise on the same numbers, for every column and question."""
    data = table()
    frame = SOURCES[source](tmp_path / "people.parquet", data)
    options = {**OPTIONS, "unit": unit}
    here, there = (
        Dataset(one, **options, rng=sd.Entropy.seeded(b"columnar")) for one in (data, frame)
    )
    for text in ASKS:
        assert answered(here, text) == answered(there, text), text
    assert here.columns == there.columns
    assert here.held.rows == there.held.rows == (ROWS if unit is None else ROWS * 2 // 3)
    assert (there.held.stored is None) == (source == "lazy polars" and unit is not None)


@cases("name", table().column_names)
def test_columns_are_those_of_python_s_lists(name: str) -> None:
    """What Arrow's buffers say is what its objects say: numbers, kinds and steps."""
    cells = table()[name]
    mine, plain = from_arrow(name, cells), cells.to_pylist()
    theirs = Column.of(name, [None if one != one else one for one in plain])
    assert mine.kind == theirs.kind
    assert mine.missing.tolist() == theirs.missing.tolist()
    both = zip(mine.plain(), theirs.plain(), strict=True)
    scaled = mine.kind in ("number", "date", "datetime")
    for one, other in both:
        if one is None or one != one:
            assert other is None or other != other
        elif scaled:
            assert Fraction(one) * mine.unit == Fraction(other) * theirs.unit
        else:
            assert one == other
    if name in BOUNDS:
        kind = types_of({}, BOUNDS, {}, None)[name]
        mine, theirs = mine.typed(kind), theirs.typed(kind)
        scale = Scale.of(BOUNDS[name], None, None, "bounds", mine.amount)
        assert mine.steps(scale)[0].tolist() == theirs.steps(scale)[0].tolist()
        assert mine.steps(scale)[1] == theirs.steps(scale)[1]


@cases(
    "cells",
    [
        pa.chunked_array([["a", "b"], ["b", None], [], ["c", "a"]]),
        pa.chunked_array([["a", "b", "b", None, "c", "a"]], pa.large_string()),
        pa.chunked_array([["x", "a", "b", "b", None, "c", "a"]], pa.string_view()).slice(1),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 3, None, 2, 0]), ["a", "b", "c", "b"]),
        pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 1, 3, 2, 0], pa.uint8()), ["a", "b", "c", None]
        ),
        pa.chunked_array([
            pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), ["a", "b"]),
            pa.DictionaryArray.from_arrays(pa.array([None, 0, 1]), ["c", "a"]),
        ]),
        pa.chunked_array([
            pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), ["a", "b"]),
            pa.DictionaryArray.from_arrays(pa.array([2, 0, 1]), ["c", "a", None]),
        ]),
    ])  # fmt: skip
def test_text_is_coded_once_however_arrow_has_it(cells: Any) -> None:
    column = from_arrow("x", cells)
    assert column.plain() == ["a", "b", "b", None, "c", "a"]
    assert column.places(["c", "b"]).tolist() == [2, 1, 1, 2, 0, 2]
    assert column.labels is not None
    assert len(column.labels) == 3


def test_decimals_of_256_bits_are_refused_from_memory_and_from_a_folder(tmp_path: Path) -> None:
    data = pa.table({"x": pa.array([Decimal(1), Decimal(2)], pa.decimal256(40, 0))})
    for frame in (data, folder(tmp_path / "people", data, (1, 1))):
        with pytest.raises(sd.WrongTypeError, match="more than 38 digits"):
            Dataset(frame, bounds={"x": (0, 5)})


def test_a_lazy_frame_whose_kind_of_value_changes_is_refused_unpaid(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"x": [1, 2, 3]}), path)
    db = Dataset(pl.scan_parquet(path), bounds={"x": (0, 5)}, budget=2)
    pq.write_table(pa.table({"x": ["1", "2", "3"]}), path)
    with pytest.raises(sd.StorageError):
        db.sum("x", epsilon=1)
    assert db.spent == 0


@cases("many", [10, 10_000])
def test_labels_find_what_a_dictionary_of_python_finds(many: int) -> None:
    text = [f"no. {i}" for i in range(many)]
    wide = [Decimal(10) ** 25 + i for i in range(many)]
    index: dict[Any, int] = {"no. 3": 0, "no.": 1, "no. 9": 2, "\ud800": 3}
    for values in (text, pa.array(text), pa.array(text, pa.large_string())):
        found = Labels(values).places(index, 4)
        assert [found[3], found[9], found[0], found[-1], (found == 4).sum()] == [
            0,
            2,
            4,
            4,
            many - 1,
        ]
        assert not Labels(values).is_spaced()
    numbers: dict[Any, int] = {Fraction(10**25 + 4): 0, Fraction(1, 2): 1, Fraction(10**99): 2}
    for values in (wide, pa.array(wide, pa.decimal128(38, 0))):
        found = Labels(values).places(numbers, 3)
        assert (found[4], (found == 3).sum()) == (0, many)
    for odd in ("", " ", "NA", "\u200b", "None"):
        assert Labels(pa.array([*text, odd])).is_blank()
    for odd in (" no. 5", "no. 5 ", "\u3000no. 5"):
        assert Labels(pa.array([*text, odd])).is_spaced()
        assert Labels([*text, odd]).is_spaced()


def test_the_first_rows_of_each_person_whatever_the_ids_are() -> None:
    rng = np.random.default_rng(1)
    who = rng.integers(0, 60, 500)
    seen: dict[int, int] = {}
    kept = []
    for place, one in enumerate(who.tolist()):
        seen[one] = seen.get(one, 0) + 1
        if seen[one] <= 3:
            kept.append(place)
    for ids in (
        who, (who - 30).astype(np.int8), pa.array(who.astype(np.uint64) + np.uint64(2**63 + 5)),
        pa.array([Decimal(10**20 + int(one)) for one in who], pa.decimal128(30, 0)),
        pa.array([f"{10**19 + int(one)}" for one in who]), [str(one) for one in who],
        [10**20 + int(one) for one in who],
    ):  # fmt: skip
        frame = {"who": ids, "row": np.arange(500)}
        db = Dataset(pa.table(frame) if isinstance(ids, pa.Array) else frame, unit=("who", 3))
        assert db.held.columns["row"].plain() == kept


# -- what is refused -------------------------------------------------------------------------------

BAD: dict[str, tuple[dict[str, Any], dict[str, Any], type[SudareError], str]] = {
    "null": ({"x": [1, None]}, {}, DomainError, "column x must not have missing numbers"),
    "nan": ({"x": [1.5, np.nan]}, {}, DomainError, "column x must not have missing numbers"),
    "outside": ({"x": [1, 101]}, {"outside": "refuse"}, DomainError, "must lie within the bounds"),
    "text": ({"x": ["kanarienvogel", "1"]}, {}, WrongTypeError, "must be numbers"),
    "no row": ({"x": pa.array([], pa.int64())}, {}, DomainError, "at least one row"),
    "no unit": ({"x": [1, 2]}, {"unit": ("y", 1)}, DomainError, "unit must be a column of data"),
    "floats": ({"x": [1, 2], "y": [0.5, 1]}, {"unit": ("y", 1)}, WrongTypeError, "unit must name"),
    "nobody": ({"x": [1, 2], "y": ["kanarienvogel", None]}, {"unit": ("y", 1)}, DomainError,
               "whose"),
    "space": ({"x": [1, 2], "y": ["kanarienvogel", "kanarienvogel "]}, {"unit": ("y", 1)},
              DomainError, "one way"),
    "dates": ({"x": ["kanarienvogel", "2020-01-01"]},
              {"bounds": {"x": ("2020-01-01", "2021-01-01")}}, DomainError, "missing numbers"),
}  # fmt: skip


@cases("case", BAD)
@pytest.mark.usefixtures("small_batches")
def test_what_is_refused_is_refused_alike(case: str, tmp_path: Path) -> None:
    columns, more, error, text = BAD[case]
    data = pa.table(columns)
    path = tmp_path / "people.parquet"
    pq.write_table(data, path)
    options = {"bounds": {"x": (0, 100)}, **more}
    said = []
    for frame in (data, path, pl.scan_parquet(path)):
        with pytest.raises(error, match=text) as caught:
            Dataset(frame, **options)
        said.append(str(caught.value))
        assert "vogel" not in said[-1]
        assert caught.value.__cause__ is None
    assert said[0] == said[1] == said[2]


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"x": [1, 2, 3]}), path)
    db = Dataset(path, bounds={"x": (0, 9)}, budget=1)
    pq.write_table(pa.table({"x": [1, 2, 4]}), path)
    with pytest.raises(StorageError, match="must not change"):
        db.sum("x", epsilon=1)
    path.unlink()
    with pytest.raises(StorageError, match="must not change"):
        db.sum("x", epsilon=1)
    assert db.spent == 0


def test_a_file_whose_rows_are_put_in_another_order_is_refused(tmp_path: Path) -> None:
    # its size and its footer stay as they are, and all rows of one person would count
    path = tmp_path / "people.parquet"
    people = pa.table({"person": [7] * 100 + list(range(100, 300)), "x": [9] * 100 + [0] * 200})
    plain: Any = {"compression": "none", "use_dictionary": False}
    pq.write_table(people, path, **plain)
    db = Dataset(path, bounds={"x": (0, 9)}, unit=("person", 1), budget=1)
    before = stored_module.stamp_of(str(path), ".parquet")
    pq.write_table(people.take(list(range(300))[::-1]), path, **plain)
    assert stored_module.stamp_of(str(path), ".parquet") == before
    with pytest.raises(StorageError, match="must not change"):
        db.sum("x", epsilon=1)
    assert db.spent == 0


def test_a_table_with_another_number_of_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = pa.table({"x": [1, 2, 3]}).to_batches()
    source = Stored.of(lambda names, coded: iter(batches), batches[0].schema)
    monkeypatch.setattr("sudare.release.private_data.stored", lambda frame: source)
    db = Dataset(None, bounds={"x": (0, 9)}, budget=1)
    assert db.sum("x", epsilon=0.5).value
    batches += batches
    with pytest.raises(StorageError, match="must not change while it is asked"):
        db.sum("x", epsilon=0.5)
    assert db.spent == Fraction(1, 2)


def test_what_a_source_raises_is_typed_and_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = pa.table({"x": [1, 2, 3]}).to_batches()

    def scan(names: list[str], coded: bool) -> Any:
        yield from batches
        if len(batches) > 1:
            raise RuntimeError("kanarienvogel")

    source = Stored.of(scan, batches[0].schema)
    monkeypatch.setattr("sudare.release.private_data.stored", lambda frame: source)
    db = Dataset(None, bounds={"x": (0, 9)})
    batches += batches
    with pytest.raises(StorageError, match="a table that its package can read") as caught:
        db.sum("x", epsilon=0.5)
    assert "vogel" not in str(caught.value)


def test_numbers_of_64_bits_are_clamped_not_wrapped() -> None:
    values = np.array([2**64 - 1, 2**63, 7, 2**63 - 1], dtype=np.uint64)
    for frame in ({"x": values}, pa.table({"x": values}), {"x": pa.array(values)}):
        held = Dataset(frame, bounds={"x": (0, 100)}).held
        assert held.numbers("x").steps.tolist() == [100, 100, 7, 100]
        assert held.counts("x", [7, 2**64 - 1]) == [1, 1, 2]


def test_folders_that_are_no_table(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DomainError, match="folder must hold files"):
        Dataset(tmp_path / "empty")
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    pq.write_table(pa.table({"x": [1]}), mixed / "a.parquet")
    pq.write_table(pa.table({"x": [0.5]}), mixed / "b.parquet")
    with pytest.raises(DomainError, match="the same columns in all files"):
        Dataset(mixed)
    (mixed / "b.parquet").unlink()
    (mixed / "b.csv").write_text("x\n1\n")
    with pytest.raises(StorageError, match="CSV files alone"):
        Dataset(mixed)
    for bad in (tmp_path / "none.parquet", mixed / "b.csv"):
        with pytest.raises(StorageError, match="Parquet file that can be read"):
            Dataset(bad)


def test_a_definition_may_name_a_folder(tmp_path: Path) -> None:
    folder(tmp_path / "people", table())
    text = 'name = "people"\nfile = "people"\nmissing = "drop"\n[budget]\nepsilon = 9\n'
    (tmp_path / "people.toml").write_text(text + "[bounds]\nscore = [0, 100]\n")
    with Ledger(tmp_path / "ledger.db") as ledger:
        db = Definition.load(tmp_path / "people.toml").open(ledger)
        assert db.held.stored is not None
        assert db.mean("score", epsilon=9).rows is not None


def test_a_stream_of_arrow_is_read_once() -> None:
    reader = table().to_reader()
    there = Dataset(reader, **OPTIONS, rng=sd.Entropy.seeded(b"s"))
    here = Dataset(table(), **OPTIONS, rng=sd.Entropy.seeded(b"s"))
    assert [answered(there, text) for text in ASKS] == [answered(here, text) for text in ASKS]


def test_a_question_reads_the_columns_that_it_is_about(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(table(), path)
    db = Dataset(path, **OPTIONS)
    read: list[list[str]] = []
    scan = db.held.stored.scan
    object.__setattr__(db.held.stored, "scan", lambda *asked: read.append(asked[0]) or scan(*asked))
    for text in ("histogram:region=north", "missing:small", "median:score", "sum:paid",
                 "mean:income@region=north"):  # fmt: skip
        Ask.parse(text).to(db, Cost.of(epsilon=1))
    assert {name for names in read for name in names} == {
        "region", "small", "score", "paid", "income"
    }  # fmt: skip
    assert all(len(names) <= 2 for names in read)


def test_parts_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the rows are parted, every sum, tally and group is the same."""
    db = Dataset(table(), **OPTIONS)
    whole = [_all_of(db.held, name) for name in NUMBERS]
    for size in (7, 1024):
        monkeypatch.setattr("sudare.release.private_data.BLOCK", size)
        monkeypatch.setattr("sudare.release.grid.BLOCK", size)
        names = NUMBERS if size > 7 else ["paid"]
        assert [_all_of(db.held, name) for name in names] == [
            found for found, name in zip(whole, NUMBERS, strict=True) if name in names
        ]
    assert BLOCK < 1 << 20  # sums of halves of so many are exact floats


def _all_of(held: PrivateData, name: str) -> Any:
    values = held.numbers(name).values.tolist()
    n, first, second = held.power_sums(name, 2)
    assert (first, second, n) == (sum(values), sum(one * one for one in values), len(values))
    tally = [one.tolist() for one in held.tally(name)]
    assert sum(tally[1]) == n
    return first, second, n, tally, held.group_sums("coded", ["north", "東"], name)


def test_sums_of_large_steps_leave_63_bits() -> None:
    """Whole steps near 2⁴⁰, and many rows: Python's integers where NumPy's end."""
    rows = 1 << 18
    most = 1 << 39
    frame = {"x": np.full(rows, most), "g": np.zeros(rows, dtype=np.int8)}
    held = Dataset(frame, bounds={"x": (-most, most)}).held
    assert held.numbers("x").scale.step == 1
    assert held.power_sums("x", 2) == [rows, rows * most, rows * most**2]
    assert held.group_sums("g", [0], "x") == ([rows * most], [rows])


def test_pandas_is_not_loaded_to_read_parquet(tmp_path: Path) -> None:
    """PyArrow loads it to make a scalar: 45 MB and a third of a second."""
    path = tmp_path / "people.parquet"
    pq.write_table(table(), path)
    code = (
        "import sys; from sudare.release import Dataset\n"
        "db = Dataset(sys.argv[1], bounds={'score': (0, 100)})\n"
        "db.sum('score', epsilon=1); db.histogram('region', ['north'], epsilon=1)\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, os.fspath(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_pandas_frames_of_every_type_are_columns() -> None:
    frame = pd.DataFrame({
        "plain": [1, 2, 3], "gap": pd.array([1, None, 3], "Int64"), "real": [0.5, np.nan, 2],
        "word": ["a", None, "b"], "cat": pd.Categorical(["a", "b", None]),
        "flag": [True, False, True],
        "loose": pd.Series([True, None, False], dtype=object),
        "money": pd.Series([Decimal("1.10"), None, Decimal(2)], dtype=object),
    })  # fmt: skip
    columns = Dataset(frame).held.columns
    assert {name: (one.kind, one.missing.tolist()) for name, one in columns.items()} == {
        "plain": ("number", [False] * 3), "gap": ("number", [False, True, False]),
        "real": ("number", [False, True, False]), "word": ("text", [False, True, False]),
        "cat": ("text", [False, False, True]), "flag": ("truth", [False] * 3),
        "loose": ("truth", [False, True, False]), "money": ("number", [False, True, False]),
    }  # fmt: skip


# -- persons ---------------------------------------------------------------------------------------


@cases("collide", [False, True])
def test_long_ids_are_told_apart_whatever_their_hash(
    collide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts of all lengths, some with one beginning: against Python's own dictionary."""
    rng = np.random.default_rng(2)
    names = ["".join(rng.choice(list("abXY09-~!"), rng.integers(1, 40))) for _ in range(150)]
    names += [one + one for one in names]
    who = [names[i] for i in rng.integers(0, len(names), 2_000)]
    hashed, tried = persons._hashed, []

    def poor(ids: Any, odd: int) -> Any:
        tried.append(odd)
        return hashed(ids, odd) & np.uint64(15 if len(tried) < 3 else 2**64 - 1)

    if collide:
        monkeypatch.setattr(persons, "_hashed", poor)
    chunks = pa.chunked_array([["zz"] * 3 + who[:700], who[700:]])[3:].chunks
    for kind in (pa.string(), pa.large_string()):
        words = persons.long_ids([one.cast(kind) for one in chunks])
        assert words is not None
        assert len(np.unique(words, axis=0)) == len(set(who))
        for most in (1, 3, 5_000):
            assert persons.first_of_each(words, most).tolist() == first_by_python(who, most)
    assert len(tried) == (8 if collide else 0)  # twice another hash, then never again
    long = pa.array([Decimal(10**20 + i % 7) for i in range(50)], pa.decimal128(30, 0))
    words = persons.long_ids([long[:20], long[20:]])
    assert words is not None
    assert persons.first_of_each(words, 2).tolist() == first_by_python(long.to_pylist(), 2)


def first_by_python(ids: list[Any], most: int) -> list[bool]:
    seen: dict[Any, int] = {}
    out = []
    for one in ids:
        seen[one] = seen.get(one, 0) + 1
        out.append(seen[one] <= most)
    return out


@cases("odd", ["", " ", "NA", "n/a", "a b", " a", "é", "東", "a\0", "\x7f", None])
def test_ids_that_must_be_looked_at_one_by_one(odd: Any, tmp_path: Path) -> None:
    """They are read as those in memory are: kept apart, or refused."""
    assert persons.long_ids([pa.array(["plain", odd, "ids"])]) is None
    data = pa.table({"who": ["plain", odd, "ids", odd, "plain"]})
    path = tmp_path / "people.parquet"
    pq.write_table(data, path)
    told = []
    for frame in (data, path):
        try:
            told.append(str(Dataset(frame, unit=("who", 1)).held.rows))
        except SudareError as error:
            told.append(str(error))
    assert told[0] == told[1]
    assert persons.long_ids([pa.array([1, 2])]) is None


def test_text_of_few_words_is_read_by_codes(tmp_path: Path) -> None:
    """And text of many as it is: a dictionary of most of its rows would be in the way."""
    path = tmp_path / "people.parquet"
    who = [f"person {i}" for i in range(20_000)]
    pq.write_table(pa.table({"who": who, "sex": ["f", "m"] * 10_000}), path)
    table = Dataset(path).held.stored
    assert table is not None
    (batch,) = table.scan(["who", "sex"], True)
    assert [pa.types.is_dictionary(one.type) for one in batch.schema] == [False, True]
    (batch,) = table.scan(["who", "sex"], False)
    assert [pa.types.is_dictionary(one.type) for one in batch.schema] == [False, False]


def test_a_column_is_by_one_dictionary_however_it_was_cut() -> None:
    rng = np.random.default_rng(4)
    words = [f"no. {i}" for i in rng.integers(0, 3_000, 9_000)]
    chunks = pa.chunked_array([words[:1], words[1:5_000], words[5_000:]])
    numbers = [Decimal(10) ** 25 + int(word[4:]) for word in words]
    kind = pa.decimal128(38, 0)
    wide = pa.chunked_array([pa.array(one, kind) for one in (numbers[:4_000], numbers[4_000:])])
    for cells, plain in (
        (chunks, words), (chunks.dictionary_encode(), words), (wide, numbers),
    ):  # fmt: skip
        column = from_arrow("x", cells)
        assert column.plain() == plain
        assert column.labels is not None
        assert len(column.labels) == len(set(plain))


def test_intervals_and_periods_count_by_their_text() -> None:
    """As ``pandas.cut`` makes them: as categories or not, beside other columns, with gaps."""
    cut = pd.cut([1, 5, 99] * 50, [0, 3, 6, 10])
    months = pd.PeriodIndex(["2020-01", "2020-02", None] * 50, freq="M")
    for values, names in (
        (cut, ["(0, 3]", "(3, 6]", "(6, 10]"]),
        (pd.Series(cut), ["(0, 3]", "(3, 6]"]),
        (cut.astype("interval"), ["(0.0, 3.0]", "(3.0, 6.0]"]),
        (months, ["2020-01", "2020-02"]),
        (pd.Categorical(months), ["2020-01", "2020-02"]),
    ):
        frame = pd.DataFrame({"c": values, "x": [1, 2, 3] * 50})
        db = sd.release.Dataset(frame, bounds={"x": (0, 4)})
        found = db.histogram("c", names, epsilon=1000).value
        assert found == {**dict.fromkeys(names, 0), names[0]: 50, names[1]: 50, None: 50}, values
        assert db.count_missing("c", epsilon=1000).value == 50
        assert db.mean("x", epsilon=1000).value == 2


def test_categories_without_plain_values_are_refused_by_name() -> None:
    other = pa.DictionaryArray.from_arrays([0, 1], pa.array([[1], [2]]))
    with pytest.raises(sd.SudareError, match="column c"):
        sd.release.Dataset(pa.table({"c": other}))


def test_what_cannot_be_compared_is_named_and_runs_of_pandas_are_read() -> None:
    """Whatever package holds the column: the error is of the column, and not of the categories."""
    pair, binary = pa.struct([("x", pa.int64())]), pa.binary(1)
    others = (
        pa.table({"c": [["a"], ["b"]]}), pl.DataFrame({"c": [["a"], ["b"]]}),
        pa.table({"c": pa.array([{"x": 1}] * 2, pair)}), {"c": np.array([b"a", b"b"])},
        pa.table({"c": pa.array([b"a", b"b"], binary)}),
        pa.table({"c": pa.array([[("a", 1)]] * 2, pa.map_(pa.string(), pa.int64()))}),
    )  # fmt: skip
    for frame in others:
        db = Dataset(frame, unit=None)
        for ask in (
            lambda db=db: db.histogram("c", ["a", "b"], epsilon=1),
            lambda db=db: db.count("c", "a", epsilon=1),
            lambda db=db: db.where("c = a"),
        ):
            with pytest.raises(sd.WrongTypeError, match="column c must hold text, numbers"):
                ask()
    for cells in ([["a"], ["b"]], np.zeros((2, 2))):
        with pytest.raises(sd.WrongTypeError, match="one dimension, and column c has not"):
            Dataset({"c": cells}, unit=None)
    ends, m = pa.array([20, 40], pa.int32()), sd.GRR(2, 1.0)
    runs = pa.RunEndEncodedArray.from_arrays(ends, pa.array([0, 1]))
    series = pd.Series(pd.arrays.ArrowExtensionArray(runs))
    assert m.aggregate(series).n == m.perturb(series).size == 40
    for frame in (pd.DataFrame({"c": series}), {"c": series}):
        db = Dataset(frame, unit=None)
        assert abs(db.histogram("c", [0, 1], epsilon=50).value[1] - 20) < 3
    for empty in ([], pa.array([], pa.string()), np.array([], dtype=str)):
        for one in (m, sd.GRR(["a", "b"], 1.0)):
            with pytest.raises(sd.DomainError, match="values must not be empty"):
                one.perturb(empty)
