"""SQL: each SELECT asks what methods ask, and what is no question is refused with its reason."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.errors import BudgetExceeded, SudareError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset
from sudare.release.queries import KINDS
from sudare.release.sql import Selection, functions
from tests.cases import cases

SECRET = "Kanarienvogel"
PEOPLE: dict[str, Any] = {
    "score": [70, 60, 80, 50] * 500,
    "Age": [20, 40, 17, 65] * 500,
    "sex": ["f", "m"] * 1000,
    "place": ["Bath, UK", "O'Hara", 'a "b"', "where"] * 500,
    "身長": [150, 160, 170, 180] * 500,
    "passed": [True, False, True, True] * 500,
    "born": ["2000-01-01", "1990-05-05"] * 1000,
    "order": ["x", "y"] * 1000,
}
BOUNDS = {"score": (0, 100), "身長": (100, 220)}


def held(**options: Any) -> Dataset:
    options = {"categories": {"sex": ["f", "m"]}, "neighbours": "add-remove", **options}
    return Dataset(PEOPLE, bounds=BOUNDS, name="people.csv", **options)


SAME = [  # what is selected, and the question as text says it
    ("COUNT(*)", "count"),
    ("count(1)", "count"),
    ("COUNT(score)", "count"),
    ("COUNT(sex)", "present:sex"),
    ("PRESENT(sex)", "present:sex"),
    ("COUNT(DISTINCT sex)", "distinct:sex"),
    ("MISSING(sex)", "missing:sex"),
    ("SUM(score)", "sum:score"),
    ("Avg(Score)", "mean:score"),
    ("MEAN(people.score)", "mean:score"),
    ("AVG(身長)", "mean:身長"),
    ('AVG("身長")', "mean:身長"),
    ("VAR_POP(score)", "variance:score"),
    ("VARIANCE(score)", "variance:score"),
    ("MEDIAN(score)", "median:score"),
    ("QUANTILE(score, 0.9)", "quantile:score=0.9"),
    ("PERCENTILE_CONT(.9) WITHIN GROUP (ORDER BY score)", "quantile:score=0.9"),
]
WHERE = [  # what stands after WHERE, and what methods take
    ("age >= 18", [("Age", ">=", 18)]),
    ("18 <= Age AND (age < 65 AND sex = 'f')",
     [("Age", ">=", 18), ("Age", "<", 65), ("sex", "=", "f")]),
    ("age <> -1.5 and age != 7", [("Age", "!=", "-1.5"), ("Age", "!=", 7)]),
    ("NOT age = 7 AND NOT (age > 60)", [("Age", "!=", 7), ("Age", "<=", 60)]),
    ("NOT age < 18 AND NOT age >= 66", [("Age", ">=", 18), ("Age", "<", 66)]),
    ("NOT age <= 18 AND NOT age <> 40", [("Age", ">", 18), ("Age", "=", 40)]),
    ("18 < age AND 65 >= age AND 7 <> age",
     [("Age", ">", 18), ("Age", "<=", 65), ("Age", "!=", 7)]),
    ("60 > age AND 40 = age", [("Age", "<", 60), ("Age", "=", 40)]),
    ("age BETWEEN 18 AND 65", [("Age", "between", [18, 65])]),
    ("sex IN ('f', 'm')", [("sex", "in", ["f", "m"])]),
    ("sex NOT IN ('f', 'x')", [("sex", "!=", "f"), ("sex", "!=", "x")]),
    ("passed AND age > 1e1", [("passed", "=", True), ("Age", ">", 10)]),
    ("NOT passed AND age > 1", [("passed", "=", False), ("Age", ">", 1)]),
    ("passed IS TRUE and age > 1", [("passed", "=", True), ("Age", ">", 1)]),
    ("place <> 'O''Hara'", [("place", "!=", "O'Hara")]),
    ("place IN ('Bath, UK', 'a \"b\"', 'where')",
     [("place", "in", ["Bath, UK", 'a "b"', "where"])]),
    ("place <> '''; DROP TABLE people; --'", [("place", "!=", "'; DROP TABLE people; --")]),
    ("\"order\" <> 'x'", [("order", "!=", "x")]),
    ("p.age > 3 /* who? */ -- all", [("Age", ">", 3)]),
]  # fmt: skip


@cases("sql, text", SAME)
def test_a_function_is_the_question_of_a_method(sql: str, text: str) -> None:
    db = held()
    (ask,) = Selection.of(f"SELECT {sql} FROM people", db).asks.values()
    assert ask.query(db.held) == Ask.parse(text).query(db.held)
    if ask.kind in functions(grouped=True):
        grouped = f"SELECT {sql} FROM data WHERE sex IN ('m', 'f') GROUP BY sex"
        (ask,) = Selection.of(grouped, db).asks.values()
        assert ask.query(db.held) == Ask.parse(f"{text}@sex=m,f").query(db.held)


@pytest.mark.parametrize(("sql", "conditions"), WHERE)
def test_conditions_are_those_of_a_method(sql: str, conditions: list[Any]) -> None:
    """The ledger, whose text is of one form for one meaning, finds the answer on record."""
    with Ledger(Path("ledger.db")) as ledger:
        ledger.open("people.csv", epsilon=1)
        db = held(ledger=ledger)
        first = db.where(*conditions).mean("score", epsilon=0.5)
        again = db.sql(f"SELECT AVG(score) a FROM people p WHERE {sql}", epsilon=0.5, reuse=True)
        assert again.answers["a"].reused
        assert again.answers["a"].value == first.value


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_one_category_is_counted_as_by_its_method() -> None:
    for db in (held(), held(neighbours="replace-one")):
        for sql, text in (("sex = 'f'", "count:sex=f"), ("passed", "count:passed=true")):
            (ask,) = Selection.of(f"SELECT COUNT(*) FROM data WHERE {sql}", db).asks.values()
            assert ask.query(db.held) == Ask.parse(text).query(db.held)


def test_a_function_may_have_its_own_rows() -> None:
    select = (
        "SELECT COUNT(*) FILTER (WHERE sex = 'f') f, AVG(score) FILTER (WHERE age > 18) FROM data"
    )
    one, other = Selection.of(f"{select} WHERE passed", held()).asks.values()
    assert str(one.where) == "passed = True and sex = f"
    assert str(other.where) == "passed = True and Age > 18"
    one, other = Selection.of(select, held()).asks.values()
    assert (one.column, one.values, one.where, str(other.where)) == (
        "sex",
        ("f",),
        None,
        "Age > 18",
    )


def test_every_kind_of_one_column_is_a_function() -> None:
    """A kind that comes is there at once: none is listed a second time."""
    known = set(functions()) | set(functions(grouped=True))
    assert known >= {"count", "sum", "mean", "variance", "median", "quantile", "missing"}
    left = {kind.kind for kind in KINDS.values()} - known
    assert {"max", "min", "histogram", "mode"} <= left
    db = held()
    for name, kind in functions().items():
        share = {"share": ", 0.5", "limit": ", 2"}.get(str(kind.compares_with()), "")
        call = "COUNT(DISTINCT score)" if name == "distinct" else f"{name}(score{share})"
        (ask,) = Selection.of(f"SELECT {call} FROM data", db).asks.values()
        assert ask.kind == (name if name != "count" else "count")


def test_rows_have_the_names_of_the_select_and_bounds() -> None:
    db = held(rng=sd.Entropy.seeded(b"sql"), budget=3)
    select = 'SELECT AVG(score) AS mean, sex AS "who?", COUNT(*) FROM people GROUP BY sex'
    found = db.sql(select, epsilon=2, split=[3, 1])
    assert [one.epsilon for one in found.answers.values()] == [1.5, 0.5]
    first, second = found.records(0.9)
    assert list(first) == ["mean", "mean_bound", "who?", "COUNT(*)", "COUNT(*)_bound"]
    assert (first["who?"], second["who?"]) == ("f", "m")
    assert abs(first["mean"] - 75) < 1 > abs(second["mean"] - 55)
    mean = found.answers["mean"]
    assert first["mean_bound"] == mean.bounds(0.9)["f"]
    assert db.spent == 2
    (only,) = db.sql("SELECT MEDIAN(score) m, SUM(score) s FROM data;", epsilon=1).records()
    assert list(only) == ["m", "m_bound_in_ranks", "s", "s_bound"]
    assert db.remaining == 0
    with pytest.raises(BudgetExceeded):
        db.sql("SELECT SUM(score) FROM data", epsilon=1)


def test_groups_of_several_columns_are_all_combinations() -> None:
    db = held(budget=1000)
    (_, ask), *rest = Selection.of(
        "SELECT passed, sex, COUNT(*) n FROM data WHERE passed IN (TRUE, FALSE) AND age > 18 "
        "GROUP BY sex, passed", db,
    ).asks.items()  # fmt: skip
    assert (ask.by, ask.keys, rest) == (("sex", "passed"), (("f", "m"), (True, False)), [])
    assert str(ask.where) == "Age > 18"
    found = db.sql(
        "SELECT passed, sex, COUNT(*) n FROM data WHERE passed IN (TRUE, FALSE) "
        "GROUP BY sex, passed",
        epsilon=1000,
    ).records()
    assert [(one["sex"], one["passed"], one["n"]) for one in found] == [
        ("f", True, 1000), ("f", False, 0), ("m", True, 500), ("m", False, 500),
    ]  # fmt: skip


REFUSED = [  # the SELECT, and what the reason names
    ("SELECT score FROM data", "column score"),
    ("SELECT sex, score FROM data GROUP BY sex", "column score"),
    ("SELECT * FROM data", r"\*"),
    ("SELECT data.* FROM data", r"\*"),
    ("SELECT sex FROM data GROUP BY sex", "keys alone"),
    ("SELECT DISTINCT sex FROM data", "DISTINCT"),
    ("SELECT SUM(DISTINCT score) FROM data", "DISTINCT"),
    ("SELECT COUNT(DISTINCT sex, score) FROM data", "DISTINCT"),
    ("SELECT sex, COUNT(DISTINCT score) AS n FROM data GROUP BY sex", "DISTINCT"),
    ("SELECT AVG(DISTINCT score) FROM data", "DISTINCT"),
    ("SELECT COUNT(sex, score) FROM data", "COUNT"),
    ("SELECT AVG(score) FROM data ORDER BY 1", "ORDER BY"),
    ("SELECT AVG(score) FROM data LIMIT 1", "LIMIT"),
    ("SELECT AVG(score) FROM data OFFSET 1", "LIMIT"),
    ("SELECT AVG(score) FROM data FETCH FIRST 3 ROWS ONLY", "LIMIT"),
    ("SELECT COUNT(*) FROM data GROUP BY sex HAVING COUNT(*) > 3", "HAVING"),
    ("SELECT AVG(score) FROM (SELECT * FROM data) t", "subquery"),
    ("SELECT AVG(score) FROM data WHERE age IN (SELECT 1)", "subquery"),
    ("SELECT AVG(score) FROM data WHERE age > (SELECT 1)", "subquery"),
    ("SELECT AVG(score) FROM data WHERE EXISTS (SELECT 1)", "subquery"),
    ("WITH t AS (SELECT 1) SELECT AVG(score) FROM data", "WITH"),
    ("SELECT AVG(score) FROM data UNION SELECT 1", "UNION"),
    ("SELECT AVG(score) FROM data; SELECT 1", "several statements"),
    ("SELECT AVG(score) FROM data; VACUUM geheim", "several statements"),
    ("SELECT AVG(score) OVER (PARTITION BY sex) FROM data", "OVER"),
    ("SELECT RANK() OVER (ORDER BY score) FROM data", "OVER"),
    ("SELECT AVG(score) FROM data JOIN other USING (x)", "JOIN"),
    ("SELECT AVG(score) FROM data, other", "JOIN"),
    ("SELECT AVG(score) FROM other", "FROM"),
    ("SELECT AVG(score) FROM f(1)", "FROM"),
    ("SELECT AVG(score)", "FROM"),
    ("SELECT AVG(score) FROM data TABLESAMPLE (10 PERCENT)", "SAMPLE"),
    ("SELECT AVG(score) FROM data FOR UPDATE", "LOCKS"),
    ("SELECT AVG(score) INTO x FROM data", "INTO"),
    ("SELECT MAX(score) FROM data", "MAX"),
    ("SELECT MIN(score) FROM data", "MIN"),
    ("SELECT my_function(score) FROM data", "(?i)my_function"),
    ("SELECT STDDEV(score) FROM data", "STDDEV"),
    ("SELECT CORR(score, age) FROM data", "CORR"),
    ("SELECT SUM(score) / COUNT(*) FROM data", "SUM"),
    ("SELECT SUM(score * 2) FROM data", r"score \* \?"),
    ("SELECT SUM(score, 2) FROM data", "SELECT"),
    ("SELECT SUM() FROM data", "SELECT"),
    ("SELECT MEAN() FROM data", "MEAN"),
    ("SELECT MEAN(score, 2) FROM data", "MEAN"),
    ("SELECT MISSING(sex, 'f') FROM data", "MISSING"),
    ("SELECT UPPER(sex) FROM data", "UPPER"),
    ("SELECT QUANTILE(score) FROM data", "SELECT"),
    ("SELECT QUANTILE(score, age) FROM data", "(?i)age"),
    ("SELECT PERCENTILE_CONT(.9) WITHIN GROUP (ORDER BY score DESC) FROM data", "DESC"),
    ("SELECT VARIANCE(score) FROM data GROUP BY sex", "GROUP BY"),
    ("SELECT COUNT(place) FROM data GROUP BY sex", "GROUP BY"),
    ("SELECT COUNT(*) FROM data GROUP BY place", "IN"),
    ("SELECT COUNT(*) FROM data GROUP BY ROLLUP (sex)", "(?i)rollup"),
    ("SELECT COUNT(*) FROM data GROUP BY ALL", "ALL"),
    ("SELECT COUNT(*) FROM data GROUP BY 1", "column"),
    ("SELECT SUM(score) a, AVG(score) a FROM data", "column"),
    ("SELECT SUM(score) a, AVG(score) a_bound FROM data", "a_bound"),
    ("SELECT AVG(nothing) FROM data", "column"),
    ('SELECT AVG("SCORE") FROM data', "column"),
    ("SELECT AVG(q.score) FROM data p", "table"),
    (f"SELECT AVG(score) FROM data WHERE sex = 'f' OR place = '{SECRET}'", "OR"),
    (f"SELECT AVG(score) FROM data WHERE place LIKE '{SECRET}%'", "LIKE"),
    (f"SELECT AVG(score) FROM data WHERE UPPER(place) = '{SECRET}'", "UPPER"),
    (f"SELECT AVG(score) FROM data WHERE NOT (sex = 'f' AND place = '{SECRET}')", "AND"),
    (f"SELECT AVG(score) FROM data WHERE place = '{SECRET}' || 'x'", r"\|\|"),
    (f"SELECT AVG(score) FROM data WHERE check('{SECRET}')", "(?i)check"),
    (f"SELECT AVG(score) FROM data WHERE place = '{SECRET}' garbage here", "column"),
    (f"SELECT AVG(score) FROM data WHERE place = '{SECRET}", "SELECT"),
    (f"SELECT SUM('{SECRET}') FROM data", r"\?"),
    ("SELECT AVG(score) FROM data WHERE age = score", "score"),
    ("SELECT AVG(score) FROM data WHERE age + 1 > 3", r"\+"),
    ("SELECT AVG(score) FROM data WHERE age = :x", "public"),
    ("SELECT AVG(score) FROM data WHERE age IN UNNEST(score)", "UNNEST"),
    ("SELECT AVG(score) FROM data WHERE age = NULL", "NULL"),
    ("SELECT AVG(score) FROM data WHERE sex IS NULL", "NULL"),
    ("SELECT AVG(score) FROM data WHERE sex IS NOT NULL", "NULL"),
    ("SELECT AVG(score) FROM data WHERE age NOT BETWEEN 1 AND 2", "BETWEEN"),
    ("SELECT AVG(score) FROM data WHERE age > 1e99999999999", "age|sql"),
    ("DELETE FROM data", "SELECT"),
    ("DROP TABLE data", "SELECT"),
    ("", "SELECT"),
    (";", "SELECT"),
    ("SELECT", "SELECT|FROM"),
    ("SELECT " + "(" * 5000 + "1" + ")" * 5000 + " FROM data", "sql"),
]


@pytest.mark.parametrize(("sql", "part"), REFUSED)
def test_what_has_no_private_meaning_is_refused(
    sql: str, part: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    db = held(budget=1)
    with pytest.raises(SudareError, match=part) as caught:
        db.sql(sql, epsilon=0.1)
    error = caught.value
    assert error.argument == "sql"
    assert error.rule.startswith("must")
    assert error.remedy
    assert SECRET not in f"{error}{error.to_json()}{caplog.text}{capfd.readouterr()}"
    assert error.__cause__ is None
    assert db.spent == 0


def test_what_is_no_text_or_price_is_refused() -> None:
    db = held(budget=1)
    for text in (None, 3, b"SELECT AVG(score) FROM data"):
        with pytest.raises(sd.WrongTypeError, match="sql must be text"):
            db.sql(text, epsilon=0.1)
    for price in ({}, {"epsilon": 1, "rho": 1}, {"epsilon": -1}):
        with pytest.raises(SudareError):
            db.sql("SELECT AVG(score) FROM data", **price)
    with pytest.raises(sd.DomainError, match="split"):
        db.sql("SELECT AVG(score) FROM data", epsilon=0.1, split=[1, 2])
    with pytest.raises(sd.DomainError, match="public"):
        held(neighbours="replace-one").sql("SELECT COUNT(*) FROM data", epsilon=0.1)
    assert db.spent == 0


def test_names_that_differ_by_case_are_told_apart_by_quotes() -> None:
    db = Dataset({"a": [1], "A": [2], "B": [3]}, bounds=dict.fromkeys("aAB", (0, 5)))
    for name, column in (("a", "a"), ("A", "A"), ('"A"', "A"), ("b", "B")):
        (ask,) = Selection.of(f"SELECT SUM({name}) FROM data", db).asks.values()
        assert ask.column == column


def test_the_price_is_exact_and_in_rho_too() -> None:
    db = held(budget=Cost.of(rho=1))
    found = db.sql("SELECT SUM(score) a, AVG(score) b, COUNT(*) c FROM data", rho=Fraction(1, 10))
    assert {one.cost for one in found.answers.values()} == {Cost.of(rho=Fraction(1, 30))}
    assert db.spent == Fraction(1, 10)


def test_without_sqlglot_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    monkeypatch.delitem(sys.modules, "sudare.release.sql")
    with pytest.raises(sd.errors.MissingExtraError, match=r"sudare\[sql\]"):
        held().sql("SELECT AVG(score) FROM data", epsilon=1)


def test_records_are_json() -> None:
    found = held().sql("SELECT sex, AVG(score) FROM data GROUP BY sex", epsilon=1)
    assert len(json.loads(json.dumps(found.records()))) == 2
