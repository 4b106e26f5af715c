"""Tables joined by the person: the rows that SQL says, so many of each person after the join."""

from __future__ import annotations

import itertools
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.errors import BudgetExceeded, DomainError, SudareError, WrongTypeError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, consistent, publish
from sudare.release.column import Column
from sudare.release.joined import paired, persons_of
from sudare.release.sql import Selection
from tests.cases import cases

Row = tuple[Any, ...]


def by_hand(tables: list[list[Row]], lefts: list[bool], most: int) -> list[Row]:
    """Return places of joined rows, by loops: all of each person, and of them the first so many."""
    out = []
    for person in sorted({row[0] for row in tables[0]}):
        own = [[i for i, row in enumerate(table) if row[0] == person] for table in tables]
        rest = [some or ([-1] if left else []) for some, left in zip(own[1:], lefts, strict=True)]
        out += list(itertools.product(own[0], *rest))[:most]
    return sorted(out)


def frame(rows: list[Row], *names: str) -> dict[str, Any]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


@cases("seed", range(40))
def test_rows_are_those_of_a_join_limited_after_it(seed: int) -> None:
    """Random tables of up to three, of which each person has up to four rows."""
    rng = random.Random(seed)
    most, count = rng.choice([1, 2, 3, 7]), rng.choice([2, 3])
    persons = ["ann", "bob", "cho", "dan"] if seed % 2 else [-7, 0, 3, 1 << 62]
    tables = [
        [(rng.choice(persons), number) for number in range(rng.randint(1, 9))] for _ in range(count)
    ]
    lefts = [rng.random() < 0.5 for _ in range(count - 1)]
    names = ["x", "y", "z"][:count]
    frames = [frame(rows, f"p{name}", name) for name, rows in zip(names, tables, strict=True)]
    db = Dataset(
        frames[0], unit=("px", most), name="x", missing="drop",
        tables={name: (one, f"p{name}") for name, one in zip(names[1:], frames[1:], strict=True)},
    )  # fmt: skip
    for name, left in zip(names[1:], lefts, strict=True):
        db = db.join(name, keep_all=left)
    # rows beyond the limit never count, whatever stands beside them
    columns = [db.held.column(name) for name in names]
    found = [
        tuple(-1 if gap else value for value, gap in pairs)
        for pairs in zip(
            *(zip(one.values.tolist(), one.missing.tolist(), strict=True) for one in columns),
            strict=True,
        )
    ]
    assert sorted(found) == by_hand(tables, lefts, most)
    parts = [part.columns["x"].values for part in db.held.parts("x")]
    assert np.concatenate(parts).tolist() == columns[0].values.tolist()


def test_no_more_pairs_are_made_than_come_out() -> None:
    """A person with a million pairs, of whom ten count."""
    many = np.zeros(1000, dtype=np.int64)
    rows, other = paired(many, many, 10)
    assert rows.tolist() == [0] * 10
    assert other.tolist() == list(range(10))


IDS: list[tuple[Any, Any]] = [
    (["a", "b", "c"], ["c", "z", "a"]),
    (pa.array(["a", "b", "c"]), pa.array(["c", "z", "a"], pa.large_string())),
    (pa.array([f"{i:05}" for i in range(5000)]), pa.array(["00002", "no", "00000"])),
    (["a", "b", "c"], pa.array(["c", "z", "a"])),
    ([7, 1 << 70, -1], [-1, 8, 7]),
    (np.array([7, 8, 2**64 - 1], dtype=np.uint64), np.array([-1, 9, 7])),
    (np.array([7, 8, -1]), np.array([2**64 - 1, 9, 7], dtype=np.uint64)),
    (np.array([7, 8, 2**63], dtype=np.uint64), np.array([2**63, 9, 7], dtype=np.uint64)),
    (np.array([7, 8, 9], dtype=np.int16), np.array([9, 70_000, 7])),
]


@cases("mine, theirs", IDS)
def test_ids_are_compared_exactly(mine: Any, theirs: Any) -> None:
    db = Dataset({"p": mine}, unit=("p", 1), tables={"other": {"p": theirs}})
    first, second = (one.column("p") for one in db._tables.held.values())
    own, other = persons_of(first, second)
    exact = [one if isinstance(one, str) else int(one) for one in _listed(mine)]
    place = {one: own[i] for i, one in enumerate(exact)}
    assert len(set(own.tolist())) == len(exact)
    wanted = [one if isinstance(one, str) else int(one) for one in _listed(theirs)]
    assert other.tolist() == [place.get(one, -1) for one in wanted]


def _listed(ids: Any) -> Any:
    return ids.to_pylist() if isinstance(ids, pa.Array) else list(ids)


def test_decimal_ids_are_those_of_whole_numbers() -> None:
    decimals = pa.array([7, 8], pa.decimal128(20, 0))
    db = Dataset({"p": decimals}, unit=("p", 1), tables={"other": {"p": [8, 9]}})
    own, other = persons_of(*(one.column("p") for one in db._tables.held.values()))
    assert other.tolist() == [own[1], -1]


# -- held data of two tables -----------------------------------------------------------------------

SIZE = 4000
RNG = np.random.default_rng(18)
VISITS: dict[str, Any] = {
    "person": RNG.integers(0, SIZE, 3 * SIZE),
    "cost": RNG.integers(0, 101, 3 * SIZE),
    "place": np.array(["north", "south"])[RNG.integers(0, 2, 3 * SIZE)],
}
PEOPLE: dict[str, Any] = {
    "id": RNG.permutation(2 * SIZE)[:SIZE],
    "sex": np.array(["f", "m"])[RNG.integers(0, 2, SIZE)],
    "age": RNG.integers(0, 100, SIZE),
}
BOUNDS = {"cost": (0, 100), "age": (0, 120)}


def held(visits: Any = VISITS, people: Any = PEOPLE, **options: Any) -> Dataset:
    known: dict[str, Any] = {"unit": ("person", 2), "name": "visits", "bounds": BOUNDS}
    return Dataset(visits, **{**known, **options}, tables={"people": (people, "id")})


def truth(most: int = 2) -> dict[str, list[int]]:
    """Return the costs of each sex, of the first visits of each person, by loops."""
    sex = dict(zip(PEOPLE["id"].tolist(), PEOPLE["sex"].tolist(), strict=True))
    seen: dict[int, int] = {}
    out: dict[str, list[int]] = {"f": [], "m": []}
    for person, cost in zip(VISITS["person"].tolist(), VISITS["cost"].tolist(), strict=True):
        seen[person] = seen.get(person, 0) + 1
        if person in sex and seen[person] <= most:
            out[sex[person]].append(cost)
    return out


def test_every_question_is_asked_of_joined_rows(tmp_path: Path) -> None:
    """In memory and from files, where only the columns of the question are read."""
    paths = [tmp_path / "visits.parquet", tmp_path / "people.parquet"]
    for path, table in zip(paths, (VISITS, PEOPLE), strict=True):
        pq.write_table(pa.table(table), path, row_group_size=1000)
    true = truth()
    pays: Any = {"budget": Cost.of(epsilon=1_000_000, delta=1e-3)}
    files = [str(path) for path in paths]
    for db in (held(**pays), held(*files, **pays), held(files[0], PEOPLE, **pays)):
        both = db.join("people")
        groups = both.group_by("sex", ["f", "m"])
        counts, sums = groups.count(epsilon=9_000), groups.sum("cost", epsilon=100_000)
        for sex, costs in true.items():
            assert (counts.value[sex], sums.value[sex]) == (len(costs), sum(costs))
        every = true["f"] + true["m"]
        assert both.count(epsilon=9_000).value == len(every)
        assert abs(both.where("age >= 0").mean("cost", epsilon=9_000).value - np.mean(every)) < 0.1
        low = both.where("sex = f and cost < 10").count(epsilon=9_000).value
        assert low == sum(one < 10 for one in true["f"])
        assert abs(both.median("cost", epsilon=1).value - np.median(every)) < 5
        assert db.table("people").count(epsilon=9_000).value == SIZE
        sexes = dict(zip(PEOPLE["id"].tolist(), PEOPLE["sex"].tolist(), strict=True))
        met = [sexes[one] for one in set(VISITS["person"].tolist()) if one in sexes]
        for rows, number in (
            (both, met.count("f")),
            (db.table("people"), list(sexes.values()).count("f")),
        ):
            assert rows.discover("sex", 1e-6, epsilon=9_000).value["f"] == number
        turned = db.table("people").join("visits")
        assert turned.count(epsilon=9_000).value == len(every)


def test_columns_that_no_question_is_about_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "visits.parquet", tmp_path / "people.parquet"]
    for path, table in zip(paths, (VISITS, PEOPLE), strict=True):
        pq.write_table(pa.table(table), path)
    db = held(str(paths[0]), str(paths[1]))
    read: list[str] = []
    iterated = pq.ParquetFile.iter_batches

    def noted(self: Any, *args: Any, columns: list[str], **named: Any) -> Any:
        read.extend(columns)
        return iterated(self, *args, columns=columns, **named)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", noted)
    both = db.join("people")
    Selection.of("SELECT AVG(cost) FROM visits JOIN people ON person = id", db)
    db.dry_run().join("people").where("sex = f").sum("cost", epsilon=1)
    assert read == []
    both.group_by("sex", ["f", "m"]).count(epsilon=1)
    assert set(read) == {"person", "id", "sex"}
    read.clear()
    both.where("sex = f").sum("cost", epsilon=1)
    assert set(read) == {"sex", "cost"}


def test_one_budget_pays_for_all_tables() -> None:
    db = held(budget=1)
    db.join("people").count(epsilon=0.5)
    db.table("people").count(epsilon=0.25)
    assert float(db.remaining or 0) == 0.25
    with pytest.raises(BudgetExceeded):
        db.table("people").join("visits").mean("cost", epsilon=0.5)
    assert float(db.spent) == 0.75


def test_each_table_and_join_has_answers_of_its_own(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("visits", epsilon=10)
        db = held(ledger=ledger, missing="drop")
        views = [
            db, db.table("people"), db.join("people"), db.join("people", keep_all=True),
            db.table("people").join("visits"),
        ]  # fmt: skip
        first = [one.count(epsilon=1) for one in views]
        again = [one.count(epsilon=1, reuse=True) for one in views]
        assert [one.value for one in first] == [one.value for one in again]
        assert all(one.reused for one in again)
        assert len({repr(one.query) for one in first}) == len(views)
        with pytest.raises(DomainError, match="of this data set"):
            consistent(db, [first[2]])
        assert consistent(views[2], [first[2]])[0].raw is first[2]


def test_rows_without_another_are_kept_where_asked() -> None:
    db = held(missing="drop")
    inner, outer = db.join("people"), db.join("people", keep_all=True)
    true = truth()
    every = sum(map(len, true.values()))
    assert inner.count(epsilon=9_000).value == every
    assert outer.count(epsilon=9_000).value == db.count(epsilon=9_000).value > every
    assert outer.count_present("sex", epsilon=9_000).value == every
    assert outer.where("sex = f").count(epsilon=9_000).value == len(true["f"])
    assert outer.count_present("age", epsilon=9_000).value == every


def test_an_empty_join_is_a_data_set_with_no_rows() -> None:
    """That it is empty is an answer too: nothing may be refused."""
    nobody = {"id": [-1], "sex": ["f"], "age": [3]}
    budget = Cost.of(epsilon=100, delta=1e-5)
    db = held(people=nobody, rng=sd.Entropy.seeded(b"empty"), budget=budget)
    both = db.join("people")
    assert abs(both.count(epsilon=1).value) < 100
    assert both.group_by("sex", ["f", "m"]).mean("cost", epsilon=1).value.keys() == {"f", "m"}
    assert both.where("age > 3").median("cost", epsilon=1).bound_in == "ranks"
    assert both.histogram("sex", ["f"], epsilon=1).value.keys() == {"f", None}
    assert both.discover("sex", 1e-6, epsilon=1).value == {}
    for text in (
        "sum:cost", "variance:cost", "max:age", "mode:sex=f,m", "missing:sex", "bins:age=0,9",
        "covariance:cost=age", "median:cost@sex=f,m", "sum:cost@sex=f,m",
    ):  # fmt: skip
        Ask.parse(text).to(both, Cost.of(epsilon=1))


REFUSED: list[tuple[dict[str, Any], type[SudareError], str]] = [
    ({"unit": None}, DomainError, "unit is needed"),
    ({"tables": {"people": PEOPLE}}, DomainError, "unit must be a column of"),
    ({"tables": {"people": (PEOPLE, "age", 1)}}, WrongTypeError, "the column of persons"),
    ({"tables": {"people": (PEOPLE, "sex")}}, WrongTypeError, "by number, as the first"),
    ({"tables": {"data": (PEOPLE, "id")}}, DomainError, "names of their own"),
    ({"tables": {"Visits": (PEOPLE, "id")}}, DomainError, "names of their own"),
    ({"tables": [PEOPLE]}, WrongTypeError, "mapping"),
    ({"tables": {"more": {"person": [1], "cost": [1]}}}, DomainError, "columns of one name: cost"),
    (
        {"tables": {"homes": {"person": [1], "id": [1]}, "people": (PEOPLE, "id")}},
        DomainError, "columns of one name: id",
    ),
    ({"bounds": {"none": (0, 1)}}, DomainError, "column"),
    ({"categories": {"sex": [1]}}, WrongTypeError, "kind"),
]  # fmt: skip


@cases("options, error, rule", REFUSED)
def test_tables_that_do_not_fit_are_refused(
    options: dict[str, Any], error: type[SudareError], rule: str
) -> None:
    known: dict[str, Any] = {"unit": ("person", 2), "name": "visits", "bounds": BOUNDS}
    with pytest.raises(error, match=rule):
        Dataset(VISITS, **{**known, "tables": {"people": (PEOPLE, "id")}, **options})


def test_joins_that_have_no_private_meaning_are_refused() -> None:
    with pytest.raises(DomainError, match="any rows"):
        Dataset(VISITS, name="visits").join("people")
    db = held()
    for names in (("visits",), ("people", "people"), ("none",), (7,), ()):
        with pytest.raises((WrongTypeError, DomainError)):
            db.join(*names)
    with pytest.raises(DomainError, match="where a row has none"):
        db.join("people", keep_all=True)
    with pytest.raises((WrongTypeError, DomainError)):
        db.table("none")


# -- in SQL ----------------------------------------------------------------------------------------

ASKED = [
    "FROM visits JOIN people ON person = id",
    "FROM data AS v INNER JOIN people p ON p.id = v.person",
    "FROM visits v JOIN people p ON (v.person = p.ID)",
]


@cases("clause", ASKED)
def test_sql_joins_by_the_person(clause: str) -> None:
    db = held(budget=10_000, categories={"sex": ["f", "m"]})
    true = truth()
    select = f"SELECT sex, COUNT(*) n, AVG(cost) mean {clause} WHERE age >= 0 GROUP BY sex"
    found = db.sql(select, epsilon=10_000).records()
    assert [(one["sex"], one["n"]) for one in found] == [(s, len(c)) for s, c in true.items()]
    assert db.spent == 10_000


def test_sql_asks_other_tables_and_several() -> None:
    other = {"person": PEOPLE["id"], "town": np.array(["a", "b"])[PEOPLE["id"] % 2]}
    db = Dataset(
        VISITS, unit=("person", 2), name="visits.csv", bounds=BOUNDS, missing="drop",
        tables={"people": (PEOPLE, "id"), "homes": other},
    )  # fmt: skip
    three = "FROM visits JOIN homes USING (person) JOIN people ON people.id = homes.person"
    for clause, same in (
        ("FROM people", db.table("people")),
        (three, db.join("homes", "people")),
        ("FROM homes h LEFT JOIN data v USING (person)",
         db.table("homes").join("visits.csv", keep_all=True)),
    ):  # fmt: skip
        selection = Selection.of(f"SELECT COUNT(*) {clause}", db)
        assert selection.db.held is same.held
    select = f"SELECT SUM(cost) s {three} WHERE town = 'a' AND p = 1"
    with pytest.raises(DomainError, match="columns by"):
        db.sql(select, epsilon=1)
    (found,) = db.sql(select.replace(" AND p = 1", ""), epsilon=900_000).records()
    there = db.join("homes", "people").where("town = a").sum("cost", epsilon=900_000)
    assert found["s"] == pytest.approx(there.value, abs=0.1)
    joined = db.join("people")
    assert Selection.of("SELECT AVG(data.age) FROM data", joined).db is joined


SQL_REFUSED = [
    ("FROM visits, people", "beside hers"),
    ("FROM visits CROSS JOIN people", "beside hers"),
    ("FROM visits NATURAL JOIN people", "beside hers"),
    ("FROM visits JOIN people", "beside hers"),
    ("FROM visits JOIN people ON cost = age", "beside hers"),
    ("FROM visits JOIN people ON person <> id", "beside hers"),
    ("FROM visits JOIN people ON person = 3", "beside hers"),
    ("FROM visits JOIN people ON person = person", "beside hers"),
    ("FROM visits JOIN people ON person = id AND age > 3", "beside hers"),
    ("FROM visits JOIN people ON person = id OR TRUE", "beside hers"),
    ("FROM visits JOIN people USING (person)", "beside hers"),
    ("FROM visits JOIN people USING (cost)", "beside hers"),
    ("FROM visits RIGHT JOIN people ON person = id", "no question has its rows"),
    ("FROM visits FULL JOIN people ON person = id", "no question has its rows"),
    ("FROM visits SEMI JOIN people ON person = id", "no question has its rows"),
    ("FROM visits LEFT JOIN people ON person = id", 'give missing="drop"'),
    ("FROM visits a JOIN visits b ON a.person = b.person", "of its table"),
    ("FROM visits a JOIN people a ON person = id", "two tables a"),
    ("FROM visits JOIN other ON person = id", "this data set"),
    ("FROM visits JOIN (SELECT * FROM people) p ON person = id", "subquery"),
    ("FROM visits JOIN people ON person = id AND x.id = 1", "beside hers"),
    ("FROM visits JOIN people ON x.person = id", "tables of FROM and JOIN"),
    ("FROM (visits JOIN people ON person = id)", "(?i)sql"),
    ("FROM visits JOIN people ON person = id WHERE people.cost > 1", "columns by"),
]


@cases("clause, rule", SQL_REFUSED)
def test_sql_that_joins_anything_else_is_refused(clause: str, rule: str) -> None:
    db = held(budget=1)
    with pytest.raises(SudareError, match=rule):
        db.sql(f"SELECT AVG(cost) {clause}", epsilon=1)
    assert db.spent == 0


def test_a_dry_run_tells_the_price_of_a_join() -> None:
    db = held(budget=1)
    select = "SELECT COUNT(*) n, AVG(cost) m FROM visits JOIN people ON person = id"
    told = db.dry_run(rows=3000).sql(select, epsilon=0.5)
    assert {name: float(one.charged["budget"]) for name, one in told.items()} == {
        "n": 0.25, "m": 0.25
    }  # fmt: skip
    paid = db.sql(select, epsilon=0.5).answers
    assert [one.query for one in told.values()] == [one.query for one in paid.values()]
    alone = db.dry_run().table("people").join("visits").count(epsilon=0.5)
    assert alone.bound() == db.table("people").join("visits").count(epsilon=0.5).bound()


def test_a_join_is_published() -> None:
    db = held().join("people")
    done = publish(db, ["count@sex=f,m", "mean:cost"], Cost.of(epsilon=9_000))
    assert [row["value"] for row in done.records()][:2] == [len(one) for one in truth().values()]


def test_what_is_asked_is_the_same_for_every_holder() -> None:
    """What stands in a ledger tells which tables, and which rows are kept."""
    asked = held(missing="drop").join("people", keep_all=True).count(epsilon=1).query
    assert asked["join"] == [{"table": "people", "keep_all": True}]
    assert "from" not in asked
    assert held().table("people").count(epsilon=1).query["from"] == "people"
    assert isinstance(held().held.columns["cost"], Column)


@cases("wrong", ["Infinity", "-Infinity", "1.5"])
def test_ids_that_are_not_whole_are_refused_at_opening(wrong: str) -> None:
    """In any table: a join must not find out later, by the data."""
    one, bad = [Decimal(1), Decimal("2.0")], [Decimal(wrong), Decimal(1)]
    how: dict[str, Any] = {"unit": ("p", 1), "budget": 2}
    for mine, theirs in ((bad, one), (one, bad)):
        with pytest.raises(sd.WrongTypeError, match="whole numbers"):
            Dataset({"p": mine}, **how, tables={"o": ({"id": theirs}, "id")})
    db = Dataset({"p": one}, **how, tables={"o": ({"id": [1, 2]}, "id")})
    assert db.join("o").count(epsilon=1).value is not None


def test_decimals_of_a_type_are_whole_ids_or_none() -> None:
    import pyarrow.dataset as ds

    for size in ("1", "1" + "0" * 25):
        for bad in (False, True):
            ids = [Decimal(size), Decimal("2.50" if bad else "2.00")]
            cells = pa.table({"p": pa.array(ids, pa.decimal128(38, 2))})
            for frame in (cells, ds.dataset(cells)):
                if bad:
                    with pytest.raises(sd.WrongTypeError, match="whole numbers"):
                        Dataset(frame, unit=("p", 1))
                else:
                    Dataset(frame, unit=("p", 1))
