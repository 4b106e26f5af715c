"""Several tables over HTTP, and made-up rows: priced, told beforehand and paid as any question."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from sudare.errors import DomainError, SudareError
from sudare.exact import Entropy
from sudare.ledger import Ledger, Tokens, check_events
from sudare.release import Dataset, Definition
from sudare.release.api import Limit, Queries, Refusal
from sudare.release.api.spending import question_of
from tests.release.test_api_batches import as_described

TOLD = """
name = "visits"
file = "visits.csv"
unit = ["person", 3]
missing = "drop"
[budget]
epsilon = 100
[bounds]
cost = [0, 100]
[categories]
sex = ["f", "m"]
ward = ["a", "b"]
[columns]
ward = "text"
[tables.about]
file = "about.csv"
person = "id"
columns = ["id", "sex"]
"""
JOINED = {"join": [{"table": "about"}]}
SUM = {"query": "sum", "column": "cost", "epsilon": 1}


def write_tables(folder: Path) -> None:
    """Write 600 persons with one or two visits; of each third one nothing else is known."""
    visits = [
        f"p{one},{one % 90},{'ab'[one % 2]}" for one in range(600) for _ in range(1 + one % 2)
    ]
    about = [f"p{one},{'fm'[one % 2]}" for one in range(600) if one % 3]
    (folder / "visits.csv").write_text("\n".join(["person,cost,ward", *visits]) + "\n")
    (folder / "about.csv").write_text("\n".join(["id,sex", *about]) + "\n")
    (folder / "visits.toml").write_text(TOLD)


class Desk:
    """The query API without a server, with the token of ann."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        write_tables(folder)
        self.definition = Definition.load(folder / "visits.toml")
        self.ledger = ledger
        ledger.open("ann", epsilon=50)
        self.queries = Queries([self.definition], ledger, limit=Limit(100_000))
        secret = Tokens(ledger).issue("ann", ["query:visits"])
        self.bearer = f"Bearer {secret}"
        self.token = self.queries.admit(self.bearer, "visits")

    def ask(self, query: dict[str, Any]) -> Any:
        return self.queries.answer(self.token, "visits", json.dumps(query).encode())

    def tell(self, query: dict[str, Any], rows: int | None = None) -> Any:
        body = json.dumps(query).encode()
        return self.queries.dry_run(self.token, "visits", body, rows=rows)

    def refused(self, query: dict[str, Any]) -> str:
        """Return which argument is refused, asked or told."""
        before, arguments = self.ledger.events(), set()
        for way in (self.ask, self.tell):
            with pytest.raises(Refusal) as raised:
                way(query)
            assert raised.value.status == 400
            arguments.add(raised.value.error.argument)
        assert self.ledger.events() == before
        (argument,) = arguments
        return str(argument)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Ledger(str(tmp_path / "ledger.db")) as ledger:
        yield Desk(tmp_path, ledger)


def test_rows_side_by_side_are_asked(desk: Desk) -> None:
    """Each answer at a price that leaves hardly any noise is that of the join, or of a table."""
    people = [(one, one % 90, "fm"[one % 2], bool(one % 3)) for one in range(600)]
    each = [(cost, sex, known) for one, cost, sex, known in people for _ in range(1 + one % 2)]
    known = sum(cost for cost, _, there in each if there)
    women = sum(cost for cost, sex, there in each if there and sex == "f")
    cases: list[tuple[dict[str, Any], float]] = [
        (SUM, sum(cost for cost, _, _ in each)),
        ({**SUM, **JOINED}, known),
        ({**SUM, "join": [{"table": "about", "keep_all": True}]}, sum(one for one, _, _ in each)),
        ({**SUM, **JOINED, "where": [{"column": "sex", "sign": "=", "value": "f"}]}, women),
        ({"query": "count", "column": "sex", "equals": "f", "table": "about"}, 200),
        ({"query": "count", "column": "sex", "equals": "m", **JOINED}, 400),
        (
            {"query": "count", "column": "ward", "equals": "b", "table": "about",
             "join": [{"table": "visits"}]}, 400,
        ),
    ]  # fmt: skip
    for query, true in cases:
        told = desk.tell({**query, "epsilon": 5})
        answer = desk.ask({**query, "epsilon": 5, "confidence": 1 - 1e-9})
        assert abs(answer.value - true) <= answer.bound < 2000, query
        assert told.charged == {"visits": "5.0", "ann": "5.0"}
        assert told.remaining == answer.remaining
        assert told.told[0].query == answer.query
    asked = [one["body"]["query"] for one in desk.ledger.events() if one["kind"] == "query"]
    assert len({json.dumps(one, sort_keys=True) for one in asked}) == len(cases), "apart on record"
    assert desk.ask({**SUM, **JOINED, "epsilon": 5}).reused
    check_events(desk.ledger.events())


def test_a_batch_and_a_select_are_about_a_join(desk: Desk) -> None:
    batch = {
        "query": "batch", "epsilon": 2, **JOINED,
        "queries": [
            {"query": "group_mean", "by": "sex", "keys": ["f", "m"], "column": "cost"},
            {"query": "count", "column": "ward", "equals": "a"},
        ],
    }  # fmt: skip
    answers = desk.ask(batch).answers
    assert [one.query["join"] for one in answers] == [[{"table": "about", "keep_all": False}]] * 2
    assert desk.tell({**batch, "reuse": False}).charged["ann"] == "2.0"
    sql = "SELECT sex, AVG(cost) AS m FROM visits v JOIN about a ON v.person = a.id GROUP BY sex"
    select = {"query": "sql", "sql": sql, "epsilon": 1}
    assert desk.tell(select).charged == {}, "the batch has asked it: it is on record"
    assert desk.ask(select).answers["m"].groups == answers[0].groups
    fresh = desk.ask({**select, "reuse": False})
    assert fresh.answers["m"].charged == "1.0"
    inner = [{**batch["queries"][0], **JOINED}]
    assert desk.refused({**batch, "queries": inner}) == "join"


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        ({"table": "nowhere"}, "table"),
        ({"table": ""}, "table"),
        ({"join": []}, "join"),
        ({"join": ["about"]}, "join[0]"),
        ({"join": [{"table": "nowhere"}]}, "table"),
        ({"join": [{"table": "visits"}]}, "table"),
        ({"join": [{"table": "about"}, {"table": "about"}]}, "table"),
        ({"join": [{"table": "about", "on": "ward"}]}, "body"),
        ({"table": "about"}, "column"),
        ({"column": "sex", **JOINED}, "bounds"),
    ],
)
def test_no_such_join_is_paid(desk: Desk, wrong: dict[str, Any], argument: str) -> None:
    assert desk.refused({**SUM, **wrong}) == argument


def test_sql_names_its_tables_itself(desk: Desk) -> None:
    sql = {"query": "sql", "sql": "SELECT AVG(cost) FROM visits", "epsilon": 1}
    assert desk.refused({**sql, **JOINED}) == "body"


def test_tables_are_described(desk: Desk) -> None:
    told = desk.queries.describe(desk.bearer, "visits")
    assert [one.name for one in told.columns] == ["person", "cost", "ward"]
    (about,) = told.tables
    assert (about.name, about.person) == ("about", "id")
    assert [(one.name, one.categories) for one in about.columns] == [
        ("id", None), ("sex", ["f", "m"])
    ]  # fmt: skip


def test_dummy_rows_of_all_tables_can_be_joined(desk: Desk) -> None:
    made = desk.queries.dummy(desk.bearer, "visits", 300)
    assert list(made.columns) == ["person", "ward", "cost"]
    assert list(made.tables) == ["about"]
    assert list(made.tables["about"]) == ["id", "sex"]
    told = desk.definition
    tables = {name: (rows, told.tables[name].person) for name, rows in made.tables.items()}
    options = {**told.options, "categories": told.categories, "rng": Entropy.seeded(b"dummy")}
    db = Dataset(made.columns, tables=tables, **options).join("about")
    assert db.group_by("sex", ["f", "m"]).mean("cost", epsilon=1).value.keys() == {"f", "m"}
    assert db.where("ward = a").count(epsilon=5).value > 20


SAID = "[tables.about]\nfile = 'about.csv'\nperson = 'id'\n"
WRONG = [
    ("tables = 1", "tables"),
    ("[tables]\nabout = 1", "tables.about"),
    ("[tables.about]\nperson = 'id'", "tables.about.file"),
    ("[tables.about]\nfile = 'a.csv'\nsql_table = 'a'", "tables.about.file"),
    ("[tables.about]\nfile = 'about.csv'\nunit = 'id'", "tables.about.unit"),
    ("[tables.about]\nfile = 'about.csv'\nperson = 1", "tables.about.person"),
    ("[tables.about]\nfile = 'about.csv'\ncolumns = [1]", "tables.about.columns"),
    ("[tables.about]\nfile = 'about.csv'\nperson = 'no'\ncolumns = ['no']", "unit"),
    (f"{SAID}columns = ['sex', 'ward']", "tables.about.columns"),
    (f"{SAID}columns = ['id']", "tables.about.columns"),
    (SAID, "tables.about.columns"),
    ("[tables.about]\nfile = 'no.csv'\ncolumns = ['id', 'ward']\nperson = 'id'", "file"),
]


@pytest.mark.parametrize(("tables", "argument"), WRONG)
def test_a_definition_without_such_tables_is_refused(
    tables: str, argument: str, desk: Desk, tmp_path: Path
) -> None:
    text = TOLD.partition("[tables")[0].replace('"visits"', '"other"')
    top, bottom = ("", tables) if tables.startswith("[") else (tables, "")
    with pytest.raises(SudareError) as refused:
        Definition.from_toml(f"{top}\n{text}\n{bottom}", tmp_path).open(desk.ledger)
    assert refused.value.argument == argument
    assert "other" not in [one.name for one in desk.ledger.accounts()]


def test_each_column_of_a_table_has_a_type(tmp_path: Path) -> None:
    """It is refused when it is read, not by the dummy rows of an open data set."""
    told = TOLD.replace('"id", "sex"', '"id", "sex", "job"')
    with pytest.raises(DomainError, match=r"job has none.*such as .columns. job") as refused:
        Definition.from_toml(told, tmp_path)
    assert refused.value.argument == "tables.about.columns"
    typed = Definition.from_toml(told.replace("[columns]", '[columns]\njob = "text"'), tmp_path)
    assert list(typed.dummy(3, table="about")) == ["id", "sex", "job"]


def test_columns_of_a_table_are_not_made_up_in_the_first(tmp_path: Path) -> None:
    told = TOLD.replace('columns = ["id", "sex"]', "")
    with pytest.raises(SudareError, match=r"tables.about.columns must be names"):
        Definition.from_toml(told, tmp_path)


def test_tables_need_the_person(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="unit is needed for several tables"):
        Definition.from_toml(TOLD.replace("unit =", "#"), tmp_path)


# -- made-up rows ----------------------------------------------------------------------------------

ROWS = {"query": "synthetic", "columns": {"cost": [0, 30, 60, 100], "ward": None}, "epsilon": 5}


def test_made_up_rows_are_paid_and_told(desk: Desk) -> None:
    told = desk.tell(ROWS)
    made = desk.ask({**ROWS, "rows": 900, "confidence": 0.99})
    as_described(json.loads(_json(made)), "MadeUpRows")
    assert told.charged == {"visits": "5.0", "ann": "5.0"}
    assert (told.remaining, told.told[0].query) == (made.remaining, made.query)
    assert told.told[0].bound is not None
    assert (made.rows, made.charged, made.reused) == (900, "5.0", False)
    assert set(made.columns["ward"]) <= {"a", "b", None}
    assert all(one is None or 0 <= one <= 100 for one in made.columns["cost"])
    share = sum(one == "b" for one in made.columns["ward"]) / 900
    assert abs(share - 2 / 3) < 0.1
    assert [one.columns for one in made.tables][:2] == [["cost"], ["ward"]]
    again = desk.ask({**ROWS, "rows": 900})
    assert (again.columns, again.charged, again.reused) == (made.columns, "0.0", True)
    fewer = desk.ask({**ROWS, "rows": 10})
    assert (len(fewer.columns["cost"]), fewer.charged) == (10, "0.0"), "of what was measured"
    assert len(desk.ask(ROWS).columns["ward"]) == 10_000
    assert desk.ledger.account("ann").spent == Fraction(5)
    check_events(desk.ledger.events())


def test_made_up_rows_stand_in_a_batch(desk: Desk) -> None:
    rows = {name: one for name, one in ROWS.items() if name != "epsilon"} | {"rows": 40}
    both = [{"query": "mean", "column": "cost"}, rows]
    asked = {"query": "batch", "queries": both, "split": [1, 4], "epsilon": 5}
    told, done = desk.tell(asked), desk.ask(asked)
    as_described(json.loads(_json(done)), "Answers")
    mean, made = done.answers
    assert (mean.charged, made.charged) == ("1.0", "4.0")
    assert (len(made.columns["cost"]), mean.bound > 0) == (40, True)
    assert [one.query for one in told.told] == [one.query for one in done.answers]
    assert desk.ledger.account("ann").spent == Fraction(5)
    many = {**asked, "queries": [{**rows, "rows": 60_000}] * 2, "split": None}
    assert desk.refused(many) == "rows"
    assert desk.refused({**asked, "queries": [ROWS], "split": None}) == "epsilon"


def test_made_up_rows_of_a_join_and_of_some_rows(desk: Desk) -> None:
    some = {"where": [{"column": "cost", "sign": "<", "value": 30}]}
    made = desk.ask({"query": "synthetic", "rows": 500, "epsilon": 45, **JOINED, **some})
    assert list(made.columns) == ["cost", "ward", "sex"], "all with bounds or categories"
    assert sum(one is None or one > 40 for one in made.columns["cost"]) < 50
    assert question_of(made.query).startswith("synthetic:cost,ward,sex join about where cost <")
    listed = desk.tell({"query": "synthetic", "columns": ["ward"], "epsilon": 1})
    assert [one["column"] for one in listed.told[0].query["columns"]] == ["ward"]


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        ({"columns": []}, "columns"),
        ({"columns": {}}, "columns"),
        ({"columns": 5}, "columns"),
        ({"columns": ["nothing"]}, "column"),
        ({"columns": ["person"]}, "columns"),
        ({"columns": {"cost": [5]}}, "columns"),
        ({"columns": {"cost": ["a", "b"]}}, "columns"),
        ({"columns": {"ward": [1]}}, "categories"),
        ({"rows": 0}, "rows"),
        ({"rows": 100_001}, "rows"),
        ({"epsilon": None}, "epsilon"),
        ({"rho": 1}, "epsilon"),
        ({"by": "ward"}, "body"),
    ],
)
def test_no_such_rows_are_made(desk: Desk, wrong: dict[str, Any], argument: str) -> None:
    assert desk.refused({**ROWS, **wrong}) == argument


def test_dates_are_made_up_as_iso_8601(desk: Desk, tmp_path: Path) -> None:
    days = [f"2024-0{random.Random(i).randint(1, 9)}-1{i % 10}" for i in range(400)]
    (tmp_path / "born.csv").write_text("\n".join(["born", *days]) + "\n")
    text = 'name = "born"\nfile = "born.csv"\n[budget]\nepsilon = 1\n'
    text += '[bounds]\nborn = ["2024-01-01", "2024-12-31"]\n'
    queries = Queries([Definition.from_toml(text, tmp_path)], desk.ledger)
    desk.ledger.open("ben", epsilon=9)
    ben = queries.admit(f"Bearer {Tokens(desk.ledger).issue('ben', ['query:born'])}", "born")
    body = b'{"query": "synthetic", "columns": {"born": ["2024-01-01", "2024-07-01", "2024-12-31"]}'
    made = json.loads(_json(queries.answer(ben, "born", body + b', "epsilon": 1, "rows": 50}')))
    assert all(one.startswith("2024-") and len(one) == 10 for one in made["columns"]["born"])


def _json(answer: Any) -> bytes:
    import msgspec

    return msgspec.json.encode(answer)
