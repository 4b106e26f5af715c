"""Row filters: which rows match, in one form for one meaning, at a price that keeps n private."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.errors import DomainError, SudareError, WrongTypeError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, bound_of, consistent, publish
from sudare.release.column import Column
from sudare.release.matching import Match, reached
from sudare.release.publication import question_text
from sudare.release.queries import Filtered, Where
from sudare.release.queries.counts import Count
from tests.cases import cases

EPSILON = Cost.of(epsilon=0.5)
LARGE = Cost.of(epsilon=1000)

SIGNS: dict[str, Any] = {
    "=": lambda x, v: x == v, "!=": lambda x, v: x != v, "<": lambda x, v: x < v,
    "<=": lambda x, v: x <= v, ">": lambda x, v: x > v, ">=": lambda x, v: x >= v,
}  # fmt: skip

DAY = date(2020, 2, 28)
TIMES = [datetime.fromisoformat(one) for one in ("2020-01-01T12:00", "2021-01-01")]
COLUMNS: dict[str, tuple[list[Any], list[Any]]] = {
    "whole": ([3, 5, -2, 7, 2**62, None], [5, Fraction(9, 2), "5.5", -2, 10**19, -(10**19)]),
    "float": ([0.1, 5.0, float("nan"), -2.5, 1e300], ["0.1", 5, "5.00000000000000000001", -2.5]),
    "decimal": ([Decimal("0.10"), None, Decimal(7), Decimal("1e-30")], ["0.1", 7, "1e-30", 1]),
    "long": ([10**30, 10**30 + 1, -(10**25)], [10**30, 10**30 + 1, 0]),
    "date": ([DAY, DAY + timedelta(2), None], ["2020-02-29", DAY, "2020-03-01"]),
    "datetime": (TIMES, ["2020-01-01T12:00", "2021-01-01"]),
}


def plain(column: Column, value: Any) -> Any:
    """Return a value to compare with as Python has it."""
    if isinstance(value, str):
        if column.kind == "date":
            return date.fromisoformat(value)
        if column.kind == "datetime":
            return datetime.fromisoformat(value)
        value = Fraction(value)
    return value


def as_exact(value: Any) -> Any:
    """Return a number as the decimal that it prints as."""
    return Fraction(repr(value)) if isinstance(value, float) else value


@cases("name", list(COLUMNS))
def test_rows_match_as_python_compares(name: str) -> None:
    values, others = COLUMNS[name]
    column = Column.of(name, values)
    for other in others:
        for sign, compare in SIGNS.items():
            found = Match.of(column, [(sign, [other])]).rows(column).tolist()
            wanted = [
                one is not None and one == one and compare(as_exact(one), plain(column, other))
                for one in values
            ]
            assert found == wanted, (sign, other)


@cases("dtype", ["int8", "uint8", "int32", "uint64", "float32"])
def test_rows_of_any_width_match(dtype: str) -> None:
    array = np.array([0, 1, 100, 127], dtype=dtype)
    column = Column.of("x", array)
    for limit in (-1, 0, 1, Fraction(1, 2), 127, 128, 10**20):
        for sign, compare in SIGNS.items():
            wanted = [compare(Fraction(float(one)), limit) for one in array]
            assert Match.of(column, [(sign, [limit])]).rows(column).tolist() == wanted


def test_what_becomes_of_a_row_does_not_depend_on_others() -> None:
    """A fraction in another row makes floats of whole numbers."""
    limits = [(Fraction(one) + Fraction(tiny, 10**30), after) for one in (1, 2**40)
              for tiny in (-1, 0, 1) for after in (0, 1)]  # fmt: skip
    values = [1, 2, 2**40, 2**40 + 1, 0]
    whole, floats = Column.of("x", values), Column.of("x", [*values, 0.5])
    assert whole.values.dtype != floats.values.dtype
    assert (reached(whole, limits) == reached(floats, limits)[:-1]).all()


def test_one_meaning_has_one_form() -> None:
    held = Dataset({"age": [1, 2], "sex": ["f", "m"], "born": [DAY, DAY], "ok": [True, False]}).held
    for said in (
        ["age >= 18 and age <= 65 and sex in f,m", "sex in (m, f) and age between 18 and 65",
         "age<=65 and age>=17 and age ≥ 18.0 and sex in m,f,x and sex ≠ x"],
        ["age = 18", "age in 18", "age between 18 and 18", "age in 18,20 and age < 19"],
        ["born = 2020-02-28", "born between 2020-02-28 and 2020-02-28"],
        ["ok = true", "ok = True", "ok != false and ok in true,false"],
        ["age > 3", "age > 3.0 and age != 2"],
    ):  # fmt: skip
        forms = [
            [one.told(held.columns[name]) for name, one in Where.of(text).matches(held).items()]
            for text in said
        ]
        assert all(one == forms[0] for one in forms), said
        json.dumps(forms)
    (told,) = Where.of("age > 3 and age <= 1e2 and age != 7").matches(held).values()
    assert told.told(held.columns["age"]) == {
        "column": "age", "above": "3", "to": "100", "not in": ["7"],
    }  # fmt: skip


@cases(
    "wrong",
    ["", "age", "age >", "age > 3 and", "age > 3 or age < 2", "age in", "age between 1",
     "age between 1 and 2 and", 'age = "1', "nothing > 1", "age > x", "sex > f",
     "age > 3 and age < 3", "age = 1 and age = 2", "age in (1", "age => 3", "age > 1 2", "ok = 7",
     "born > 5", "= 3"])  # fmt: skip
def test_what_is_no_condition_is_refused(wrong: str) -> None:
    db = Dataset({"age": [1], "sex": ["f"], "born": [DAY], "ok": [True]}, budget=1)
    with pytest.raises(SudareError):
        db.where(wrong)
    with pytest.raises(SudareError):
        Ask.parse(f"count where {wrong}").to(db, EPSILON)
    assert db.spent == 0
    for name, sign, value in (("age", ">", [1]), ("age", "in", 1), ("age", "like", 1), (1, ">", 1),
                              ("age", "in", []), ("age", "between", [1]), ("age", "=", True),
                              ("age", "=", float("nan"))):  # fmt: skip
        with pytest.raises((WrongTypeError, DomainError)):
            db.where((name, sign, value))


def test_a_question_is_read_back_from_its_text() -> None:
    for text in (
        'count:place="a where b"',
        'mean:score@sex=f,m where age >= 18 and place in "far north",York and "a b" = "a ""b"""',
        "count where email = a@b",
    ):
        one = Ask.parse(text)
        assert Ask.parse(question_text(one)) == one
    assert Ask.parse("count where email = a@b").where == Where.of(("email", "=", "a@b"))


# -- answers ---------------------------------------------------------------------------------------

RNG = np.random.default_rng(3)
SIZE = 40_000
PEOPLE: dict[str, Any] = {
    "age": RNG.integers(0, 100, SIZE),
    "sex": np.array(["f", "m"])[RNG.integers(0, 2, SIZE)],
    "score": RNG.integers(0, 101, SIZE),
}
ASKS = ["count", "sum:score", "mean:score", "variance:score", "median:score", "histogram:sex=f,m",
        "mean:score@sex=f,m", "count:sex=f", "missing:score", "mode:sex=f,m"]  # fmt: skip


def test_answers_are_those_of_the_rows_that_match(tmp_path: Path) -> None:
    """In memory, and read batch by batch, with and without a limit on rows of a person."""
    keep = (PEOPLE["age"] >= 18) & (PEOPLE["sex"] == "f") | False
    keep &= PEOPLE["age"] != 30
    where = "age >= 18 and sex = f and age != 30"
    person = np.arange(SIZE) // 3
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({**PEOPLE, "who": person}), path, row_group_size=5_000)
    options: dict[str, Any] = {"bounds": {"score": (0, 100)}}
    for unit in (None, ("who", 2)):
        counted = keep & (np.ones(SIZE, bool) if unit is None else np.arange(SIZE) % 3 < 2)
        score = PEOPLE["score"][counted]
        for frame in ({**PEOPLE, "who": person}, str(path)):
            db = Dataset(frame, **options, unit=unit)
            rows = db.where(where)
            assert rows.count(epsilon=1000).value == counted.sum()
            assert rows.sum("score", epsilon=10_000).value == score.sum()
            assert abs(rows.mean("score", epsilon=10_000).value - score.mean()) < 1e-3
            assert abs(rows.median("score", epsilon=1000).value - np.median(score)) <= 1
            by = rows.group_by("sex", ["f", "m"]).count(epsilon=1000)
            assert by.value == {"f": counted.sum(), "m": 0}
            for text in ASKS:
                Ask.parse(f"{text} where {where}").to(db, LARGE)


def test_a_lazy_table_is_filtered_as_it_is_read() -> None:
    import polars as pl

    frame = pl.DataFrame(PEOPLE).lazy()
    found = Dataset(frame).where("age < 50").count(epsilon=1000).value
    assert found == (PEOPLE["age"] < 50).sum()


def test_the_number_of_rows_that_match_is_private() -> None:
    db = Dataset(PEOPLE, bounds={"score": (0, 100)})
    mean = db.where("age >= 18").mean("score", epsilon=0.1)
    assert mean.rows is not None
    assert "the number of rows is private" in mean.notes[-1]
    assert mean.query["rows"] == SIZE  # that of all rows is public
    assert mean.neighbours == db.neighbours
    assert db.where("age >= 18").count(epsilon=0.1).sampling_stderr is None
    n = int((PEOPLE["age"] >= 18).sum())
    planned = bound_of("mean", epsilon=0.1, n=n, bounds=(0, 100), where=True)
    assert mean.bound() <= planned * 1.01 < 3 * mean.bound()
    assert bound_of("mean", epsilon=0.1, n=n, bounds=(0, 100)) < planned


def test_missing_values_match_nothing() -> None:
    db = Dataset({"x": [1, None, 3, None], "g": ["a", "a", None, "b"]}, missing="drop")
    for where, wanted in (("x != 1", 1), ("x >= 0", 2), ("g != a", 1), ("g in a,b and x > 0", 1)):
        assert db.where(where).count(epsilon=1000).value == wanted


def test_an_answer_on_record_is_found_however_it_is_written(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=1)
        db = Dataset(PEOPLE, bounds={"score": (0, 100)}, ledger=ledger)
        first = db.where("age >= 18").where("sex = f").mean("score", epsilon=0.1, reuse=True)
        again = Ask.parse("mean:score where sex in (f) and age ≥ 18.0").to(
            db, Cost.of(epsilon=0.1), reuse=True
        )
        assert (again.reused, again.value) == (True, first.value)
        other = db.where("age > 18 and sex = f").mean("score", epsilon=0.1, reuse=True)
        assert not other.reused
        assert not db.mean("score", epsilon=0.1, reuse=True).reused
        assert first.query["where"] == [
            {"column": "age", "from": "18"}, {"column": "sex", "in": ["f"]},
        ]  # fmt: skip


def test_filtered_counts_agree_among_themselves_alone() -> None:
    db = Dataset(PEOPLE, rng=sd.Entropy.seeded(b"agree"))
    asks = ["histogram:sex=f,m", "histogram:sex=f,m where age < 3", "count:sex=f where age < 3"]
    done = publish(db, asks, Cost.of(epsilon=0.03))
    whole, part, one = done.answers
    assert sum(whole.value.values()) == SIZE
    assert part.value["f"] == one.value < SIZE / 2
    rules = [each["post_processing"]["rule"] for each in done.statement["questions"]]
    assert rules == ["nearest of the sum", "not below 0", "not below 0"]
    assert consistent(db, [part.raw])[0].value["f"] >= 0


def test_filters_over_http(service: Any) -> None:
    where = [
        {"column": "score", "sign": ">=", "value": 50},
        {"column": "sex", "sign": "in", "value": ["f"]},
    ]
    query = {"query": "count", "epsilon": 0.1, "where": where}
    reply = service.ask(query)
    assert reply.status == 200
    assert abs(reply.json["value"] - 245) < 150
    other = [
        {"column": "sex", "sign": "=", "value": "f"},
        {"column": "score", "sign": "between", "value": [50, 1000]},
    ]
    assert service.ask({**query, "where": list(reversed(where))}).json["reused"]
    assert not service.ask({**query, "where": other}).json["reused"]
    odd = ({"sign": "~"}, {"value": "kanarienvogel"}, {"more": 1})
    for wrong in ([], [{"column": "score"}], "score > 1", *([{**where[0], **one}] for one in odd)):
        refused = service.ask({**query, "where": wrong})
        assert refused.status == 400
        assert "kanarienvogel" not in refused.text


def test_numbers_of_64_bits_without_a_sign_are_compared_as_they_are() -> None:
    values = [2**64 - 1, 2**63, 2**63 - 1, 7]
    column = Column.of("x", np.array(values, dtype=np.uint64))
    for limit in (0, -1, 7, 2**63 - 1, 2**63, 2**64 - 1, 2**64):
        for sign, fits in ((">", int.__gt__), ("<=", int.__le__), (">=", int.__ge__)):
            found = Match.of(column, [(sign, [limit])]).rows(column)
            assert found.tolist() == [fits(one, limit) for one in values], (sign, limit)


def test_a_filter_around_another_is_refused() -> None:
    db = Dataset({"x": [1, 2]})
    inner = Filtered(Count(), Where.of("x = 1"))
    with pytest.raises(WrongTypeError, match="another"):
        db.where("x = 2").ask(inner, Cost.of(epsilon=1))


CONTRADICTIONS = {
    "count:sex=f": ("sex = m", "sex != f", "sex in m,x", "sex in f,m and sex in m,x"),
    "count:age=30": ("age < 30", "age > 30", "age between 31 and 40", "age = 31", "age != 30"),
    "mode:sex=f,m": ("sex = x", "sex != f and sex != m"),
    "histogram:age=20,30": ("age > 30", "age between 21 and 29", "age in 40,50"),
    "mean:age@sex=f,m": ("sex = x",),
    "missing:age": ("age > 0",),
    "bins:age=0,20,40": ("age > 40", "age < 0", "age in 41,50", "age = 90"),
}
CONSISTENT = {
    "count:sex=f": ("sex = f", "sex != m", "sex in f,m", "age > 3"),
    "count:age=30": ("age <= 30", "age >= 30", "age between 20 and 30", "sex = m"),
    "mode:sex=f,m": ("sex = m", "sex != f"),
    "histogram:age=20,30": ("age >= 30", "age between 20 and 29", "age != 20"),
    "mean:age@sex=f,m": ("sex = f", "sex in f,x", "age > 3"),
    "missing:age": ("sex = f",),
    "bins:age=0,20,40": ("age >= 40", "age <= 0", "age in 7,90", "age > 39 and age < 50"),
    "bins:age=0,20,40,ends": ("age > 40",),
}


def test_a_filter_that_contradicts_its_question_is_refused_before_it_is_paid_for() -> None:
    """By enumeration: what is refused has the answer 0 on every row there can be, the rest not."""
    ages = [None, *range(-5, 101, 5), 21, 29, 30, 31, 39, 41, 7]
    rows = [(sex, age) for sex in ("f", "m", "x") for age in ages]
    frame = {"sex": [sex for sex, _ in rows], "age": [age for _, age in rows]}
    how: dict[str, Any] = {"neighbours": "add-remove", "missing": "drop", "budget": 10_000}
    how |= {"types": {"sex": "text", "age": "whole"}, "bounds": {"age": (-5, 100)}}
    for table, refused in ((CONTRADICTIONS, True), (CONSISTENT, False)):
        for question, filters in table.items():
            for text in filters:
                db = Dataset(frame, **how)
                ask = Ask.parse(f"{question} where {text}")
                if refused:
                    with pytest.raises(DomainError, match="must not contradict the question"):
                        ask.of(db, LARGE)
                    with pytest.raises(DomainError, match="change the conditions on"):
                        db.ask(ask.query(db.held), LARGE)
                    assert db.spent == 0, (question, text)
                    continue
                value = db.ask(ask.query(db.held), LARGE).value
                several = value.values() if isinstance(value, dict) else [value]
                assert question.startswith("m") or any(one != 0 for one in several), text


def test_a_malformed_question_with_a_filter_is_still_a_stated_error() -> None:
    db = Dataset({"sex": ["f", "m"], "age": [3, 4]}, bounds={"age": (0, 9)})
    for by, keys in ((["sex", "age"], [["f"]]), ("sex", 3), (3, ["f"]), ("sex", [3.5])):
        with pytest.raises(SudareError):
            db.where("sex = f").group_by(by, keys).mean("age", epsilon=1)  # type: ignore[arg-type]
    for given in (["f"], 3, {"f"}):
        with pytest.raises(SudareError):
            db.where("sex = f").count("sex", given, epsilon=1)
    assert db.spent == 0
