"""A kind of query is one class: its text, its structure over HTTP and its method follow from it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import pytest

import sudare as sd
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, bound_of, publish
from sudare.release.api import openapi
from sudare.release.api.requests import decode
from sudare.release.noise import Noise
from sudare.release.private_data import PrivateData
from sudare.release.queries import KINDS, Filtered, Query, Where, register
from sudare.release.queries.base import Field, Name, unregister
from sudare.release.released import PreparedQuery
from tests.cases import cases

EPSILON = Cost.of(epsilon=0.5)
PEOPLE = {
    "score": [60, 70, 80, 90] * 250,
    "sex": ["f", "m"] * 500,
    "height": [150, 160, 170, 180, 190] * 200,
    "passed": [True, False, True, True, False] * 200,
}


def data(**options: Any) -> Dataset:
    options.setdefault("rng", sd.Entropy.seeded(b"kinds"))
    return Dataset(PEOPLE, bounds={"score": (0, 100), "height": (100, 220)}, **options)


# -- all kinds, by reflection ----------------------------------------------------------------------

SAMPLES = {"column": "score", "by": "sex", "equals": 70, "share": 0.25, "categories": [70, 80],
           "keys": ["f"], "edges": [60, 75, 80], "every": None, "beyond": None, "zone": None,
           "delta": 1e-6, "groups": None, "others": ["height"], "k": 1, "limit": 2}  # fmt: skip


def sample_of(kind: type[Query]) -> dict[str, Any]:
    """Return fields of a kind that fit each other."""
    given = {name: SAMPLES[name] for name in kind.fields()}
    own = {"discover": "sex", "logistic": "passed"}
    return given | ({"column": own[kind.tag()]} if kind.tag() in own else {})


def text_of(kind: type[Query], given: dict[str, Any]) -> str:
    """Return a query as text: KIND:COLUMN[=VALUES][@GROUP=KEYS]."""

    def said(value: Any) -> str:
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)

    text = kind.kind + (f":{given['column']}" if "column" in given else "")
    if (compared := kind.compares_with()) and given[compared] is not None:
        first = f"{given['k']}," if "k" in given else ""
        text += f"={first}{said(given[compared])}"
    return text + (f"@{given['by']}={said(given['keys'])}" if kind.is_grouped() else "")


@cases("tag", list(KINDS))
def test_all_spellings_are_one_query(tag: str) -> None:
    kind, db = KINDS[tag], data(budget=Cost.of(epsilon=100, delta=1e-3))
    given = sample_of(kind)
    price = {"epsilon": 0.5}
    by_text = Ask.parse(text_of(kind, given)).query(db.held)
    over_http = decode(json.dumps({"query": tag, **given, **price}).encode())
    direct = kind(**given)
    some = Filtered(direct, Where.of(("sex", "=", "f"))).prepare(db.held, EPSILON).bill
    bills = [one.prepare(db.held, EPSILON).bill for one in (by_text, over_http.of(db), direct)]
    asked: Any = db
    whole = given
    if kind.is_grouped():
        asked = db.group_by(given["by"], given["keys"])
        given = {name: one for name, one in given.items() if name not in ("by", "keys")}
    released = getattr(asked, kind.method or kind.kind)(*given.values(), **price)
    assert released.query == bills[0].query == bills[1].query == bills[2].query
    assert [(one.cost.unit, one.cost.amount) for one in bills] == [("epsilon", Fraction(1, 2))] * 3
    with pytest.raises(FrozenInstanceError):
        direct.column = "other"
    for said in ("sex = f", 'sex in ("f")', 'sex in f,m and "sex" != m'):  # and with a filter
        text = Ask.parse(f"{text_of(kind, whole)} where {said}").query(db.held)
        assert text.prepare(db.held, EPSILON).bill.query == some.query
    where = [{"column": "sex", "sign": "in", "value": ["f"]}]
    filtered = decode(json.dumps({"query": tag, **whole, **price, "where": where}).encode())
    assert filtered.of(db).prepare(db.held, EPSILON).bill.query == some.query
    asked = db.where("sex = f")
    if kind.is_grouped():
        asked = asked.group_by(whole["by"], whole["keys"])
    released = getattr(asked, kind.method or kind.kind)(*given.values(), **price)
    assert released.query == some.query != bills[0].query


@cases("tag", list(KINDS))
def test_every_kind_says_what_it_takes(tag: str) -> None:
    kind = KINDS[tag]
    owner: Any = sd.release.Groups if kind.is_grouped() else Dataset
    method = getattr(owner, kind.method or kind.kind)
    named = list(inspect.signature(method).parameters)
    fields = [name for name in kind.fields() if not (kind.is_grouped() and name in ("by", "keys"))]
    assert named == ["self", *fields, "epsilon", *(["rho"] if kind.noisy else []), "reuse"]
    assert "BudgetExceeded: nothing was spent." in method.__doc__
    schema = openapi()["components"]["schemas"][kind.__name__]
    assert set(kind.fields()) < set(schema["properties"])
    assert ("rho" in schema["properties"]) == kind.noisy
    assert f"`{tag}`" in (Path(__file__).parents[2] / "docs" / "release.md").read_text("utf-8")


# -- a further kind --------------------------------------------------------------------------------


@pytest.fixture
def above() -> Iterator[type[Query]]:
    """Tell of a kind that nothing else in the package knows."""

    @register
    class Above(Query):
        """Count the rows whose number is above a limit.

        Values are clamped to the bounds first.
        """

        kind = "above"
        column: Name
        limit: Annotated[Any, Field("number", low=-1e9, high=1e9)]

        def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
            return Noise.of(cost, held.protection.of_count), Fraction(1)

        def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
            numbers = held.numbers(self.column)
            found = int((numbers.values * numbers.scale.step > self.limit).sum())
            query = numbers.query(self.kind, limit=str(self.limit))
            return self.added(held, cost, query, [found], "count")

    yield Above
    unregister(Above)
    assert not hasattr(Dataset, "above")


def test_a_further_kind_works_in_every_spelling(above: type[Query], tmp_path: Path) -> None:
    db = data()
    assert db.above("score", 75, epsilon=100).value == 500
    assert db.above(column="score", limit=75, rho=0.5).bound(0.95) < 10
    assert Ask.parse("above:score=75").to(db, Cost.of(epsilon=100)).value == 500
    assert bound_of("above", epsilon=0.5) == db.above("score", 75, epsilon=0.5).bound(0.95)
    asks = ["above:score=65", "mean:score"]
    done = publish(db, asks, Cost.of(epsilon=200), tmp_path / "out")
    assert done.records()[0]["value"] == 750
    assert done.statement["questions"][0]["noise"][0]["of"] == "count"
    for wrong in (
        "above:score",
        "above",
        "above:score=x",
        "above:score=1,2",
        "above:score=1@sex=f",
    ):
        with pytest.raises(sd.SudareError):
            Ask.parse(wrong).to(db, EPSILON)
    for call in (lambda: db.above("score", epsilon=1), lambda: db.above("score", 1, 2, epsilon=1)):
        with pytest.raises(TypeError):
            call()


def test_a_further_kind_is_answered_over_http(above: type[Query], service: Any) -> None:
    reply = service.ask({"query": "above", "column": "score", "limit": 50, "epsilon": 0.5})
    assert reply.status == 200
    assert reply.json["query"]["limit"] == "50"
    assert abs(reply.json["value"] - 500) < 50
    again = service.ask({"query": "above", "column": "score", "limit": 50, "epsilon": 0.5}).json
    assert (again["reused"], again["value"]) == (True, reply.json["value"])
    described = service.request("GET", "/openapi.json", secret=None).json
    assert service.ask({"query": "above", "column": "score", "epsilon": 0.1}).status == 400
    assert (
        service.ask({"query": "above", "column": "score", "limit": 1e12, "epsilon": 1}).status
        == 400
    )
    schema = described["components"]["schemas"]["Above"]
    assert schema["description"] == "Count the rows whose number is above a limit."
    assert {"query", "column", "limit"} == set(schema["required"])


def test_a_name_is_one_kinds(above: type[Query]) -> None:
    with pytest.raises(sd.DomainError, match="kind must be a new one"):

        @register
        class Again(KINDS["mean"]):
            kind = "above"


def test_a_kind_of_groups(tmp_path: Path) -> None:
    """The same for one about groups, on the ledger's record."""

    @register
    class GroupMissing(KINDS["group_count"]):
        """Count the rows of each key that have no value in a column."""

        kind = "missing"
        column: Name

        def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[Any]:
            query = {"query": self.kind, **self.asked(held), "column": self.column}
            gaps = held.column(self.column).missing.astype("int64")
            found = self.sums(held, query["keys"], gaps)
            return self.added(held, cost, query, found, "count", query["keys"])

    try:
        with Ledger(tmp_path / "ledger.db") as ledger:
            ledger.open("data", epsilon=1000)
            frame = {"x": [1, None] * 50, "g": ["a", "a", "b", "b"] * 25}
            db = Dataset(frame, ledger=ledger, rng=sd.Entropy.seeded(b"g"))
            found = db.group_by("g", ["a", "b"]).missing("x", epsilon=100)
            assert found.value == {"a": 25, "b": 25}
            text = Ask.parse("missing:x@g=a,b")
            assert text.to(db, Cost.of(epsilon=100), reuse=True).reused
    finally:
        unregister(GroupMissing)
