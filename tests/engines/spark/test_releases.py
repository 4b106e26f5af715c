"""Held data by Spark: the sums are those of this process, and so are answers, prices, refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from sudare.cli import main
from sudare.errors import DomainError, SudareError, WrongTypeError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, batch, publish
from sudare.release.queries import KINDS
from sudare.release.spark import table
from tests.engines.spark.people import ASKS, BOUNDS, FILES, REFUSED, ROWS, opened, write

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the rows of people."""
    return write(tmp_path_factory.mktemp("people"))


@pytest.fixture(autouse=True)
def several_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit is two row groups, and a task has some persons of many."""
    monkeypatch.setattr(table, "UNIT_ROWS", 200)
    monkeypatch.setattr(table, "PART_ROWS", 400)


@pytest.mark.parametrize(
    ("unit", "neighbours"),
    [
        (None, "replace-one"),
        (("person", 2), "add-remove"),
        (("name", 1), "replace-one"),
    ],
)
def test_answers_are_those_of_this_process(
    local: Any, folder: Path, unit: Any, neighbours: str
) -> None:
    """The noise repeats itself, so that equal answers have equal sums, to the last digit."""
    how = {"unit": unit, "neighbours": neighbours, "budget": Cost.of(epsilon=99, delta=1e-3)}
    asks = ASKS if unit == ("person", 2) else ASKS[::9]
    here, there = opened(folder, **how), opened(folder, local, **how)
    assert len(there.held.stored.units) == FILES * ROWS // 200
    expected, found = (publish(db, asks, Cost.of(epsilon=31)) for db in (here, there))
    assert found.records() == expected.records()
    assert found.statement == expected.statement
    for mine, theirs in zip(found.answers, expected.answers, strict=True):
        assert (mine.query, mine.cost, mine.noise) == (theirs.query, theirs.cost, theirs.noise)
    assert there.held.rows == here.held.rows
    if here.size_is_public:
        assert there.n == here.n


def test_every_kind_is_answered_or_refused_with_the_remedy(local: Any, folder: Path) -> None:
    there, kinds = opened(folder, local), set()
    for text in REFUSED:
        kind = text.partition(":")[0]
        with pytest.raises(DomainError, match=f"query of kind {kind} needs rows that only") as told:
            batch(there, [text], Cost.of(epsilon=1))
        assert told.value.remedy == "open the data without the engine for it"
        kinds.add(kind)
    asked = [Ask.parse(text) for text in ASKS]
    answered = {one.kind if one.by is None else f"group_{one.kind}" for one in asked}
    assert answered | kinds == set(KINDS)


@pytest.mark.parametrize("unit", [None, ("person", 2)])
def test_refusals_name_the_part_and_no_value(local: Any, tmp_path: Path, unit: Any) -> None:
    for file, gap in enumerate((600.5, None)):
        cells = pa.array([1.0] * 250 + [777.25 if gap is None else gap] + [1.0] * 99)
        cells = cells if file == 0 else pa.array([*cells.to_pylist()[:-1], None])
        rows = pa.table({"person": [f"secret {i}" for i in range(350)], "score": cells})
        parquet.write_table(rows, tmp_path / f"{file}.parquet", row_group_size=100)
    how: dict[str, Any] = {"bounds": {"score": (0, 1)}, "unit": unit}
    cases = [("missing numbers", {}, "1.parquet, row groups 3 to 4: ")]
    outside = {"missing": "drop", "outside": "refuse"}
    cases.append(("lie within the bounds", outside, "0.parquet, row groups 3 to 4: "))
    for rule, more, part in cases:
        with pytest.raises(DomainError, match=rule) as here:
            Dataset(tmp_path, **how, **more)
        with pytest.raises(DomainError, match=rule) as there:
            Dataset(tmp_path, engine=local, **how, **more)
        assert str(there.value) == (part if unit is None else "") + str(here.value)
        assert not any(one in str(there.value) for one in ("secret", "777", "600"))


@pytest.mark.parametrize(
    "ids",
    [
        ["a", " a", "b", "c"],
        ["a", None, "b", "c"],
        [1.0, 2.5, 1.0, 2.0],
        [b"\xff", b"b", b"c", b"d"],  # bytes that are no text
    ],
)
def test_ids_that_are_refused_here_are_refused_there(
    local: Any, tmp_path: Path, ids: list[Any]
) -> None:
    parquet.write_table(pa.table({"who": ids, "x": [1] * 4}), tmp_path / "a.parquet")
    told = []
    for engine in (None, local):
        with pytest.raises(SudareError) as error:
            Dataset(tmp_path, unit=("who", 1), engine=engine)
        told.append((type(error.value), str(error.value)))
    (kind, here), (other, there) = told
    assert kind is other
    assert there.endswith(here)  # with the part of a file before it, where it is a cell's


@pytest.mark.parametrize("unit", [None, ("who", 1)])
def test_a_file_without_rows_is_passed_over(local: Any, tmp_path: Path, unit: Any) -> None:
    for name, ids in (("a", ["a", "b", "a"]), ("b", []), ("c", ["a", "c"])):
        own = pa.table({"who": pa.array(ids, pa.string())})
        parquet.write_table(own, tmp_path / f"{name}.parquet")
    sizes = [Dataset(tmp_path, unit=unit, engine=one).held.rows for one in (None, local)]
    assert sizes == [5 if unit is None else 3] * 2


def test_it_is_paid_once_and_for_answers_alone(local: Any, tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    write(folder)
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.open("people", epsilon=1)
        how: dict[str, Any] = {"ledger": ledger, "accounts": ["people"], "bounds": BOUNDS}
        db = Dataset(folder, engine=local, missing="drop", name="people", **how)
        first = db.sum("paid", epsilon=0.25)
        assert first.remaining == {"people": Fraction(3, 4)}
        again = db.sum("paid", epsilon=0.25, reuse=True)
        assert (again.value, again.reused, again.remaining) == (first.value, True, first.remaining)
        here = Dataset(folder, missing="drop", name="people", **how)
        assert here.sum("paid", epsilon=0.25, reuse=True).value == first.value  # one record
        with pytest.raises(DomainError, match="query of kind distinct"):
            db.distinct("region", epsilon=0.25)
        parquet.write_table(parquet.read_table(folder / "0.parquet"), folder / "0.parquet")
        with pytest.raises(SudareError, match="must not change"):
            db.mean("age", epsilon=0.25)
        assert ledger.account("people").remaining == Fraction(3, 4)


def test_parts_must_come_back_once_each(
    local: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = table.Spread._added
    for unit, change, rule in (
        (None, lambda rows: [*rows, rows[0]], "must come back once each"),
        (None, lambda rows: rows[1:], "must be of all rows, each once"),
        (("person", 2), lambda rows: rows[1:], "must be of all rows, each once"),
    ):
        db = opened(folder, local, unit=unit)
        with monkeypatch.context() as patch:
            patch.setattr(
                table.Spread, "_added", lambda self, rows, change=change: kept(self, change(rows))
            )
            with pytest.raises(SudareError, match=rule):
                db.sum("paid", epsilon=1)


def test_what_spark_cannot_open(local: Any, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(WrongTypeError, match="frame must be the path of Parquet files"):
        Dataset({"x": [1]}, engine=local)
    with pytest.raises(WrongTypeError, match="engine must be a session of Spark"):
        Dataset(folder, engine="spark")
    with pytest.raises(DomainError, match="tables cannot be joined by Spark"):
        opened(folder, local, unit=("person", 1), tables={"more": {"person": [1]}})
    parquet.write_table(pa.table({"day": ["2020-01-01"]}), tmp_path / "a.parquet")
    with pytest.raises(WrongTypeError, match="column day must not hold dates as text"):
        Dataset(tmp_path, engine=local, bounds={"day": ("2000-01-01", "2030-01-01")})


SPARK = ("--engine", "spark", "--master", "local[2]", "--conf", "spark.ui.enabled=false")


def test_the_command(
    local: Any, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["release", str(folder), "--bounds", "paid=0,500", "--unit", "name=2", "--seed", "one"]
    words += ["--ask", "mean:paid", "--ask", "histogram:region=north", "--epsilon", "1", "--json"]

    def told(more: tuple[str, ...]) -> Any:
        assert main([*words, *more]) == 0
        return json.loads(capsys.readouterr().out)

    assert told(SPARK) == told(())
    assert told((*SPARK, "--dry-run")) == told(("--dry-run",))


def test_the_command_refuses(local: Any, tmp_path: Path, capsys: Any) -> None:
    data: dict[str, Callable[[], str]] = {"people.toml": lambda: "--engine is for files of rows"}
    data["people.csv"] = lambda: "frame must be a Parquet file that can be read"
    for name, rule in data.items():
        (tmp_path / name).write_text("x\n1\n")
        words = ["release", str(tmp_path / name), "--ask", "count:x=1", "--epsilon", "1"]
        assert main([*words, *SPARK]) == 2
        assert rule() in capsys.readouterr().err


def test_ids_of_bytes_that_are_text_are_those_of_the_text(local: Any, tmp_path: Path) -> None:
    ids = [b"a", b"b", b"c", b"a"]
    parquet.write_table(pa.table({"who": ids, "x": [1] * 4}), tmp_path / "a.parquet")
    sizes = [Dataset(tmp_path, unit=("who", 1), engine=one).held.rows for one in (None, local)]
    assert sizes == [3, 3]
