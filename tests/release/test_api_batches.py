"""Batches, SQL and dry runs over HTTP: one charge, all or nothing, and told beforehand."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import jsonschema
import pytest

from sudare.ledger import check_events
from sudare.release import Dataset
from sudare.release.api import openapi
from tests.release.test_api import GOOD

CANARY = "kanarienvogel"
DATASET = "/datasets/scores"
THREE = [
    {"query": "mean", "column": "score"},
    {"query": "median", "column": "height"},
    {"query": "histogram", "column": "sex", "categories": ["f", "m"]},
]
BATCH = {"query": "batch", "queries": THREE, "epsilon": 0.4, "split": [1, 1, 2]}
SQL = {
    "query": "sql",
    "sql": "SELECT sex, AVG(score) AS mean, COUNT(*) AS n FROM scores GROUP BY sex",
    "epsilon": 0.4,
    "split": [3, 1],
}


def as_described(answer: Any, name: str) -> None:
    told = openapi()
    schema = {"$ref": f"#/components/schemas/{name}", "components": told["components"]}
    jsonschema.Draft202012Validator(schema).validate(answer)


def dry_run(service: Any, query: Any, more: str = "", **headers: str) -> Any:
    return service.request("POST", f"{DATASET}/dry-run{more}", query, **headers)


def test_a_batch_is_paid_at_once(service: Any) -> None:
    reply = service.ask(BATCH)
    assert reply.status == 200, reply.text
    as_described(reply.json, "Answers")
    answers = reply.json["answers"]
    assert [one["charged"] for one in answers] == ["0.1", "0.1", "0.2"]
    assert answers[0]["bound"] > 0
    assert [one["group"] for one in answers[2]["groups"]] == ["f", "m", None]
    assert reply.json["remaining"] == {"scores": "0.6", "ann": "0.1"}
    again = service.ask(BATCH).json
    assert [(one["reused"], one["charged"]) for one in again["answers"]] == [(True, "0.0")] * 3
    assert service.spent() == {"scores": Fraction(2, 5), "ann": Fraction(2, 5)}
    check_events(service.ledger.events())


def test_a_batch_is_all_or_nothing(service: Any) -> None:
    """What one query cannot have, none has: a budget, a column, a key that has paid."""
    fresh = {**BATCH, "reuse": False}
    assert service.ask({**fresh, "epsilon": 0.6}).status == 402
    assert service.ask({**fresh, "queries": [*THREE, {**THREE[0], "column": "no"}]}).status == 400
    assert set(service.spent().values()) == {0}
    events = len(service.ledger.events())
    first = service.ask({**fresh, "key": "monday"}).json
    lost = service.ask({**fresh, "key": "monday"}).json
    assert [one["event"] for one in lost["answers"]] == [one["event"] for one in first["answers"]]
    assert (
        service.ask({**fresh, "key": "monday", "queries": THREE[:2], "split": None}).status == 400
    )
    assert service.spent()["ann"] == Fraction(2, 5)
    assert len(service.ledger.events()) == events + 3


def test_sql(service: Any) -> None:
    reply = service.ask(SQL)
    assert reply.status == 200, reply.text
    as_described(reply.json, "Selected")
    table = reply.json
    assert table["columns"] == ["sex", "mean", "n"]
    assert [list(row) for row in table["rows"]] == [
        ["sex", "mean", "mean_bound", "n", "n_bound"]
    ] * 2
    assert [row["sex"] for row in table["rows"]] == ["f", "m"]
    assert {name: one["charged"] for name, one in table["answers"].items()} == {
        "mean": "0.3", "n": "0.1"
    }  # fmt: skip
    assert table["remaining"]["ann"] == "0.1"
    for refused in (
        "SELECT score FROM scores",
        "SELECT AVG(score) FROM elsewhere",
        "SELECT AVG(height) FROM scores; SELECT 1",
        f"SELECT COUNT(*) FROM scores WHERE sex = '{CANARY}' OR score > 3",
        "SELECT MAX(score) FROM scores",
        "",
        "x" * 100_001,
        5,
    ):
        reply = service.ask({**SQL, "sql": refused, "split": None})
        assert (reply.status, reply.json["error"]["argument"]) == (400, "sql"), refused
        assert CANARY not in reply.text
    assert service.spent()["ann"] == Fraction(2, 5)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"queries": []}, "queries"),
    ({"queries": None}, "queries"),
    ({"queries": THREE[0]}, "queries"),
    ({"queries": [BATCH]}, "queries[0].query"),
    ({"queries": [SQL]}, "queries[0].query"),
    ({"queries": [{"query": "estimate"}]}, "queries[0].query"),
    ({"queries": [{**THREE[0], "epsilon": 0.1}] * 3}, "epsilon"),
    ({"queries": [{**THREE[0], "rho": 0.1}] * 3}, "rho"),
    ({"queries": [{**THREE[0], "key": "k"}] * 3}, "key"),
    ({"queries": [{**THREE[0], "reuse": False}] * 3}, "reuse"),
    ({"queries": [{**THREE[0], "confidence": 0.9}] * 3}, "confidence"),
    ({"queries": THREE * 400, "split": None}, "queries"),
    ({"split": [1, 2]}, "split"),
    ({"split": [1, 0, 1]}, "split[1]"),
    ({"split": []}, "split"),
    ({"epsilon": None}, "epsilon"),
    ({"rho": 0.1}, "epsilon"),
    ({"epsilon": None, "rho": 0.001}, "rho"),
    ({"where": []}, "body"),
]


def test_bad_batches_spend_nothing(service: Any) -> None:
    for wrong, argument in WRONG:
        for reply in (service.ask({**BATCH, **wrong}), dry_run(service, {**BATCH, **wrong})):
            assert reply.status == 400, reply.text
            assert reply.json["error"]["argument"] == argument, reply.text
    assert set(service.spent().values()) == {0}


def test_what_is_told_is_paid(service: Any) -> None:
    """Of a query, a batch and a SELECT: accounts, charges, bounds; and nothing before it."""
    one = {"query": "mean", "column": "score", "epsilon": 0.1}
    for query, price in (
        (one, "0.1"),
        ({**BATCH, "epsilon": 0.2}, "0.2"),
        ({**SQL, "epsilon": 0.2}, "0.2"),
    ):
        before = service.ledger.events()
        told = dry_run(service, query)
        assert told.status == 200, told.text
        as_described(told.json, "DryRun")
        assert service.ledger.events() == before
        assert told.json["charged"] == {"ann": price, "scores": price}
        reply = service.ask(query).json
        answers = reply.get("answers") or [reply]
        answers = list(answers.values()) if isinstance(answers, dict) else answers
        assert reply["remaining"] == told.json["remaining"]
        for said, answer in zip(told.json["told"], answers, strict=True):
            assert (said["query"], said["charged"]["ann"]) == (answer["query"], answer["charged"])
            assert said["bound_in"] == answer["bound_in"]
            if said["unbounded"] is None and not answer["query"]["query"].startswith("quantile"):
                assert said["bound"] == pytest.approx(answer["bound"])
        again = dry_run(service, query).json
        assert again["charged"] == {}
        assert {each["reused"] for each in again["told"]} == {True}


def test_a_dry_run_refuses_what_asking_refuses(service: Any) -> None:
    for query in (
        {**BATCH, "epsilon": 0.6},
        {"query": "mean", "column": "nothing", "epsilon": 0.1},
        {**SQL, "sql": "SELECT score FROM scores", "split": None},
        {"query": "estimate"},
        {},
        b"{",
    ):
        told, asked = dry_run(service, query), service.ask(query)
        assert (told.status, told.json) == (asked.status, asked.json)
        assert told.status in (400, 402)
    assert dry_run(service, BATCH, authorization="Bearer x").status == 401
    looking = service.tokens.issue("ann", ["describe:scores"])
    assert dry_run(service, BATCH, authorization=f"Bearer {looking}").status == 404
    for wrong in ("?rows=0", "?rows=x", "?rows=1&rows=2", "?more=1", "?rows=" + "9" * 30):
        assert dry_run(service, BATCH, wrong).status == 400
    assert service.request("POST", "/datasets/tea/dry-run", {"query": "estimate"}).status == 404


def test_rows_that_are_private(service: Any) -> None:
    some = {
        "query": "mean", "column": "score", "epsilon": 0.1,
        "where": [{"column": "sex", "sign": "=", "value": "f"}],
    }  # fmt: skip
    (unknown,) = dry_run(service, some).json["told"]
    assert unknown["bound"] is None
    assert "number of rows" in unknown["unbounded"]
    (about,) = dry_run(service, some, "?rows=500").json["told"]
    assert (about["unbounded"], about["bound"] < 20) == (None, True)


def test_a_dry_run_looks_at_no_row(service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every kind: what would read rows or draw noise fails, and it tells all the same."""

    def refuse(*_: Any) -> Any:
        raise AssertionError("noise was drawn")

    monkeypatch.setattr("sudare.release.private_data.PrivateData.entropy", property(refuse))
    monkeypatch.setattr(Dataset, "ask_all", refuse)
    for query in GOOD:
        reply = dry_run(service, {"epsilon": 0.1, **query}, "?rows=9")
        assert reply.status == 200, (query, reply.text)
        assert CANARY not in json.dumps(reply.json)
    assert set(service.spent().values()) == {0}


def test_dummy_data_are_the_definitions(service: Any) -> None:
    """The columns that it names, between its bounds; the data's telling row is in none of them."""
    path = f"{DATASET}/dummy"
    reply = service.request("GET", f"{path}?rows=500")
    assert reply.status == 200, reply.text
    as_described(reply.json, "Dummy")
    columns = reply.json["columns"]
    assert {name: len(cells) for name, cells in columns.items()} == {
        "sex": 500, "score": 500, "height": 500
    }  # fmt: skip
    assert set(columns["sex"]) == {"f", "m"}
    assert all(0 <= one <= 100 for one in columns["score"])
    assert CANARY not in reply.text
    assert len(service.request("GET", path).json["columns"]["score"]) == 100
    for wrong in ("?rows=0", "?rows=10001", "?rows=x", "?more=1"):
        assert service.request("GET", path + wrong).status == 400
    assert service.request("GET", path, secret=None).status == 401
    other = service.tokens.issue("ann", ["query:other"])
    assert service.request("GET", path, secret=other).status == 404
    assert service.request("GET", "/datasets/tea/dummy").status == 404
    assert set(service.spent().values()) == {0}
