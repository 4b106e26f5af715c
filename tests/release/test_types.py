"""What a column holds is said, and no cell of one person changes what is public about the data."""

from __future__ import annotations

import gzip
import json
import math
import warnings
from collections.abc import Callable
from datetime import UTC, date, datetime
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
from sudare.cli import main
from sudare.errors import TypeGuessWarning
from sudare.files import read_people
from sudare.files.people import Cells
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, Definition
from sudare.release.queries import KINDS, Filtered, Where
from sudare.release.table import read_sql
from sudare.release.types import as_number, guess
from tests.cases import cases
from tests.release.test_dry_run import query_of

CELLS = [7, "007", 3.5, "two", "", None, " 7 ", 10**20, "1" * 5000, "1e400", "-1e999999999", "inf",
         "nan", True, "2026-01-01", "2026-01-01T10:00+09:00", "１２", "1,000", "0x7"]  # fmt: skip
"""What one person's cell may be."""

Columns = dict[str, list[Any]]
Reader = Callable[[Path, Columns], Any]


def people(odd: Any) -> Columns:
    """Return rows of which one person's is odd in each column."""
    return {
        "score": [60, 70, 80, 90, 55, 65, 75, odd],
        "height": [150, 160.5, 170, 180, 190, 165, 155, odd],
        "sex": ["f", "m", "f", "m", "f", "m", "f", odd],
        "passed": [True, False, True, True, False, True, True, odd],
        "born": [*(f"19{year}-05-01" for year in range(80, 87)), odd],
        "code": [1, 2, 3, 1, 2, 3, 1, odd],  # of which nothing is said
    }


def text_of(cell: Any) -> str:
    return "" if cell is None else str(cell)


def csv(path: Path, columns: Columns) -> bytes:
    rows = zip(*columns.values(), strict=True)
    quoted = (",".join(f'"{text_of(one)}"' for one in row) for row in rows)
    return "\n".join([",".join(columns), *quoted, ""]).encode()


def of_csv(path: Path, columns: Columns) -> Any:
    (path / "people.csv").write_bytes(csv(path, columns))
    return read_people(path / "people.csv")


def of_gzip(path: Path, columns: Columns) -> Any:
    (path / "people.csv.gz").write_bytes(gzip.compress(csv(path, columns)))
    return read_people(path / "people.csv.gz")


def of_json_lines(path: Path, columns: Columns) -> Any:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    lines = [json.dumps(row) + "\n" for row in rows]
    if isinstance(columns["score"][-1], str) and columns["score"][-1].isdigit():  # as a number
        lines[-1] = lines[-1].replace(f'"{columns["score"][-1]}"', columns["score"][-1].lstrip("0"))
    (path / "people.jsonl").write_text("".join(lines))
    return read_people(path / "people.jsonl")


def of_sqlite(types: str) -> Reader:
    def made(path: Path, columns: Columns) -> Any:
        own = types.split(";")
        base = path / f"people-{len(list(path.iterdir()))}.db"
        engine = sa.create_engine(f"sqlite:///{base}")
        with engine.begin() as connection:
            fields = ", ".join(f"{name} {of}" for name, of in zip(columns, own, strict=True))
            connection.execute(sa.text(f"CREATE TABLE people ({fields})"))
            into = f"INSERT INTO people VALUES ({', '.join(f':{name}' for name in columns)})"
            for row in zip(*columns.values(), strict=True):
                cells = [str(one) if one == 10**20 else one for one in row]
                connection.execute(sa.text(into), dict(zip(columns, cells, strict=True)))
        engine.dispose()
        return read_sql(f"sqlite:///{base}", "people")

    return made


def of_parquet(path: Path, columns: Columns) -> Any:
    """All text: what a schema declares is that."""
    table = pa.table({name: list(map(text_of, cells)) for name, cells in columns.items()})
    pq.write_table(table, path / "people.parquet")
    return path / "people.parquet"


def of_polars(path: Path, columns: Columns) -> Any:
    frame: Any = pl.DataFrame({n: list(map(text_of, cells)) for n, cells in columns.items()})
    return frame


def of_duckdb(path: Path, columns: Columns) -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.from_arrow(of_polars(path, columns).to_arrow())


READERS: dict[str, Reader] = {
    "csv": of_csv,
    "csv.gz": of_gzip,
    "jsonl": of_json_lines,
    "lists": lambda path, columns: columns,
    "tuples": lambda path, columns: {name: tuple(cells) for name, cells in columns.items()},
    "arrays of objects": lambda path, columns: {
        name: np.array(cells, dtype=object) for name, cells in columns.items()
    },
    "pandas": lambda path, columns: pd.DataFrame(columns, dtype=object),
    "sqlite": of_sqlite(";;;;;"),
    "sqlite with types": of_sqlite("INTEGER;REAL;TEXT;BOOLEAN;DATE;INTEGER"),
    "sqlite with others": of_sqlite("INTEGER;NUMERIC(8,2);VARCHAR(9);BOOLEAN;DATETIME;TEXT"),
    "parquet": of_parquet,
    "polars": of_polars,
    "polars, lazy": lambda path, columns: of_polars(path, columns).lazy(),
    "duckdb": of_duckdb,
}

BORN = ("1980-01-01", "1990-12-31")
SAID: dict[str, dict[str, Any]] = {
    "bounds": {},
    "types": {"types": {"score": "whole", "height": "number", "code": "whole", "sex": "text"}},
    "others": {"types": {"sex": "whole", "code": "text"}},
}
REFUSED = ("sum:sex", "mean:code", "count:code=7", "count:code=x", "bins:code=0,2",
           "count where code >= 2", "count where born >= 1985-01-01", "discover:code=0.01",
           "histogram:passed=1", "bounds:code")  # fmt: skip


def facts(frame: Any, said: dict[str, Any]) -> list[Any]:
    """Return all that is public about a data set, and what is refused, of all kinds of question."""
    categories = {"sex": ["f", "m"]} if "sex" not in said.get("types", {}) else {}
    types = {"passed": "truth", **said.get("types", {})}
    if not isinstance(frame, dict | pd.DataFrame | Cells):
        types = {"score": "number", "height": "number", **types}
    db = Dataset(
        frame,
        bounds={"score": (0, 100), "height": (100, 220), "born": BORN},
        categories=categories,
        types=types,
        missing="drop",
        budget=Cost.of(epsilon=1000, delta=0.1),
    )
    found: list[Any] = [db.columns, db.n, sorted(db.categories), db.neighbours]
    cost = Cost.of(epsilon=0.5)
    dry = db.dry_run(rows=8)
    for place, tag in enumerate(KINDS):
        query = query_of(tag)
        query = Filtered(query, Where.of("score >= 60")) if place % 2 else query
        try:
            told = dry.ask(query, cost)
            paid = query.prepare(db.held, cost).bill
        except sd.SudareError as error:
            found.append((tag, repr(error)))
        else:
            assert paid.query == told.query
            found.append((told.query, told.bound(0.9), told.charged, told.unbounded))
    for text in REFUSED:
        try:
            found.append(Ask.parse(text).query(db.held).prepare(db.held, cost).bill.query)
        except sd.SudareError as error:
            found.append((text, repr(error)))
    return found


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("every", [1, pytest.param(len(SAID), marks=pytest.mark.slow)])
def test_no_cell_changes_what_is_public(reader: str, every: int, tmp_path: Path) -> None:
    """A matrix: readers, kinds of cells, kinds of questions; of what is said of columns one each,
    and all together in the slow run.
    """
    opened = READERS[reader]
    usual = {name: facts(opened(tmp_path, people(1)), said) for name, said in SAID.items()}
    for place, odd in enumerate(CELLS):
        for name in [list(SAID)[(place + more) % len(SAID)] for more in range(every)]:
            assert facts(opened(tmp_path, people(odd)), SAID[name]) == usual[name], (odd, name)


def test_schema_less_columns_have_the_grid_of_their_bounds() -> None:
    """One rule: about a million steps, and 1 where whole numbers are said."""
    for cells in ([1, 2], [1, 2.5], ["1", "x"], [Decimal(1), True], [None, None], [10**30, "007"]):
        for bounds, step in (((0, 100), Fraction(1, 1 << 13)), ((-1, 1), Fraction(1, 1 << 19))):
            options: dict[str, Any] = {"bounds": {"x": bounds}, "missing": "drop"}
            assert Dataset({"x": cells}, **options).columns[0][2].step == step
            said = Dataset({"x": cells}, **options, types={"x": "whole"})
            assert said.columns[0][2].step == 1
            said = Dataset({"x": np.array([1, 2])}, **options, types={"x": "number"})
            assert said.columns[0][2].step == step


def test_a_said_type_settles_what_a_frame_has_guessed() -> None:
    """Pandas makes floats of whole numbers beside one fraction or gap, and objects beside text."""
    for of, step in (("whole", 1), ("number", Fraction(1, 1 << 13))):
        for odd in (7, 3.5, None, "two", 10**20):
            frame = pd.DataFrame({"x": [1, 2, odd]})
            db = Dataset(frame, bounds={"x": (0, 100)}, types={"x": of}, missing="drop")
            assert db.columns[0][1:] == ("number", db.held.numbers("x").scale)
            assert db.held.numbers("x").scale.step == step, (of, odd)
            fits = odd in (7, 10**20) or (of == "number" and odd == 3.5)
            assert db.held.columns["x"].missing.tolist() == [False, False, not fits]


def test_a_cell_is_read_by_itself() -> None:
    """Whatever stands beside it, exactly."""
    cells = {
        7: 7, "007": 7, " -7.50 ": Decimal("-7.5"), 0.1: Decimal("0.1"), "1e3": 1000,
        Fraction(1, 3): Fraction(1, 3), "inf": Decimal("Infinity"), "two": None, "1,0": None,
        "1_0": None, "\uff11": None, "0x7": None, "": None, "1e" + "9" * 30: None,
        date(2020, 1, 1): None, Decimal("NaN"): None, np.float32(0.5): Decimal("0.5"),
        np.int8(3): 3, "9" * 5000: Decimal("9" * 5000),
    }  # fmt: skip
    read = Dataset({"x": list(cells)}, types={"x": "number"}).held.columns["x"].plain()
    assert read == list(cells.values())
    assert as_number(True) is None
    for cell, number in cells.items():
        (one,) = Dataset({"x": [cell]}, types={"x": "number"}).held.columns["x"].plain()
        assert one == number
    kinds: dict[str, list[tuple[Any, Any]]] = {
        "whole": [(7, 7), ("7.0", 7), (3.5, None), (math.inf, None), (Fraction(4, 2), 2)],
        "truth": [(True, True), ("FALSE", False), (1, True), ("0", False), (2, None), ("x", None)],
        "text": [("a", "a"), (7, "7"), (True, "true"), (None, None), (b"x", None)],
        "date": [("2020-01-31", 18292), (date(1970, 1, 2), 1), ("2020-02-31", None), (7, None)],
        "datetime": [("1970-01-01T00:00:01", 10**6), (datetime(1970, 1, 1, tzinfo=UTC), 0),
                     ("1970-01-01T09:00+09:00", 0),
                     (np.datetime64("1970-01-01T00:00:02"), 2 * 10**6), (pd.NaT, None)],
    }  # fmt: skip
    for of, pairs in kinds.items():
        read = Dataset({"x": [one for one, _ in pairs]}, types={"x": of}).held.columns["x"].plain()
        assert read == [one for _, one in pairs], of


def test_what_is_guessed_is_told() -> None:
    """With the remedy, once, and of nothing else; no single cell tips it."""
    frame = {"sex": ["f", "m"], "age": [1, 2], "id": [1, 2], "tea": ["a", "b"], "n": np.ones(2)}
    options: dict[str, Any] = {"bounds": {"age": (0, 9)}, "categories": {"tea": ["a", "b"]}}
    with pytest.warns(
        TypeGuessWarning, match=r"public knowledge .* \(sex\): name their types"
    ) as told:
        db = Dataset(frame, unit=("id", 1), **options)
    assert (len(told), db.guessed) == (1, ["sex"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", TypeGuessWarning)
        Dataset(frame, unit=("id", 1), types={"sex": "text"}, **options)
        Dataset(pa.table({"sex": ["f", "m"]}))
    assert guess([("number", 199), ("text", 1)]) == guess([("number", 200)]) == "number"
    assert guess([("number", 90), ("text", 10)]) == "text", "which every cell may be"
    many = {"x": [*range(200), "two"]}
    assert Dataset(many).held.columns["x"].plain()[-1] is None


def test_a_definition_says_what_its_cells_do_not(tmp_path: Path) -> None:
    text = (
        'name = "ages"\nfile = "ages.csv"\nmissing = "drop"\n[budget]\nepsilon = 1\n'
        '[bounds]\nage = [0, 110]\n[columns]\nage = "whole"\ngroup = "text"\n'
    )
    told = []
    with Ledger(tmp_path / "ledger.db") as ledger:
        for odd in ("33", "33.5", "two"):
            (tmp_path / "ages.csv").write_text(f"age,group\n20,1\n30,2\n{odd},3\n")
            db = Definition.from_toml(text, tmp_path).open(ledger)
            quote = db.dry_run(rows=3).mean("age", epsilon=0.1)
            told.append((db.columns, quote.query, quote.bound(0.95)))
    assert told[0] == told[1] == told[2]
    assert told[0][1]["grid"] == "1"


@cases("option", ["missing", "outside"])
def test_no_cell_refuses_a_description(option):
    """Not even where the holder promises that none is missing or outside: a dry run is public."""
    said = {"bounds": {"age": (0, 110)}, "types": {"age": "whole"}, option: "refuse", "budget": 1}
    cells = ["33", "two", "", "999", "-1", "1e400"]
    described = [sd.release.Dataset.describe({"age": [cell, "5", "6"]}, **said) for cell in cells]
    quotes = {repr(one.mean("age", epsilon=1)) for one in described}
    assert len(quotes) == 1
    with pytest.raises(sd.DomainError):
        sd.release.Dataset({"age": ["two" if option == "missing" else "999", "5", "6"]}, **said)


def test_a_dry_run_of_the_command_is_the_same_whatever_a_cell_holds(tmp_path, capsys):
    shown = set()
    for cell in ("33", "two", "", "33.5", "9" * 20):
        (tmp_path / "people.csv").write_text(f"age,sex\n{cell},f\n44,m\n55,f\n")
        words = [str(tmp_path / "people.csv"), "--ask", "mean:age", "--bounds", "age=0,110"]
        assert main(["release", *words, "--epsilon", "1", "--dry-run"]) == 0
        shown.add(capsys.readouterr())
    assert len(shown) == 1


def test_a_description_opens_whatever_the_ids_are(tmp_path: Path) -> None:
    """One blank or spaced id decides nothing of what is public, in each reader."""
    how: dict[str, Any] = {"bounds": {"age": (0, 110)}, "unit": ("id", 2), "budget": 1}
    how.update(types={"age": "whole"}, missing="drop")
    path = tmp_path / "t.csv"
    told = set()
    for odd in ("4", "", " 1", "NaN", None, 3.5, 5, True, math.nan):
        ids = ["1", "2", odd]
        frames: list[Any] = [{"id": ids, "age": [20, 30, 40]}]
        frames.append({"id": [1, 2, odd], "age": [20, 30, 40]})
        path.write_text("id,age\n" + "".join(f"{text_of(one)},20\n" for one in ids))
        frames.append(read_people(path))
        if isinstance(odd, str | None):
            frames.append(pa.table({"id": ids, "age": [20, 30, 40]}))
        for frame in frames:
            quote = Dataset.describe(frame, rows=3, **how).mean("age", epsilon=1)
            told.add((str(quote.charged), quote.bound(0.95)))
    assert len(told) == 1
    with pytest.raises(sd.DomainError, match="column id has blank ids"):
        Dataset({"id": ["1", None], "age": [20, 30]}, **how)
