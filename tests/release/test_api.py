"""The query API through a real HTTP client: answers, refusals, budgets, silence about the data."""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.collector import BackgroundCollector, create_app
from sudare.ledger import check_events
from sudare.release.api import Limit, Queries, Refusal, openapi
from sudare.release.definition import Definition

CANARY = "kanarienvogel"
MEAN = {"query": "mean", "column": "score", "epsilon": 0.1}

GOOD: list[dict[str, Any]] = [
    {"query": "count", "column": "sex", "equals": "f"},
    {"query": "count", "column": "score", "equals": 5},
    {"query": "missing", "column": "score"},
    {"query": "present", "column": "sex"},
    {"query": "distinct", "column": "score"},
    {"query": "sum", "column": "score"},
    {"query": "mean", "column": "height"},
    {"query": "variance", "column": "score"},
    {"query": "quantile", "column": "score", "share": 0.9},
    {"query": "median", "column": "score"},
    {"query": "max", "column": "score"},
    {"query": "min", "column": "score"},
    {"query": "histogram", "column": "sex", "categories": ["f", "m"]},
    {"query": "mode", "column": "sex", "categories": ["f", "m"]},
    {"query": "group_count", "by": "sex", "keys": ["f", "m"]},
    {"query": "group_sum", "by": "sex", "keys": ["f", "m"], "column": "score"},
    {"query": "group_mean", "by": "sex", "keys": ["f", "m"], "column": "score"},
    {"query": "group_median", "by": "sex", "keys": ["f", "m"], "column": "score"},
    {
        "query": "group_quantile",
        "by": ["sex", "score"],
        "keys": [["f"], [1, 2]],
        "column": "height",
        "share": 0.9,
    },
    {"query": "bins", "column": "height", "edges": [100, 150, 200]},
    {"query": "covariance", "column": "score", "others": ["height"]},
    {"query": "correlation", "column": "score", "others": ["height"]},
    {"query": "bounds", "column": "score"},
    {"query": "capped", "column": "score", "limit": 50},
    {"query": "over_sum", "column": "score", "limit": 50},
    {"query": "over_rows", "column": "sex", "limit": 2},
    {"query": "over_groups", "column": "sex", "limit": 1},
    {"query": "group_persons", "by": "sex", "keys": ["f", "m"]},
    {"query": "top", "column": "sex", "categories": ["f", "m", "x"], "k": 2},
    {"query": "linear", "column": "score", "others": ["height"]},
]
FOR_DELTA = {"query": "discover", "column": "sex", "delta": 1e-6, "epsilon": 0.1}
"""Answered where accounts carry δ: tests/release/test_unlisted.py."""
OF_TRUTH = {"query": "logistic", "column": "sex", "others": ["height"], "epsilon": 0.1}
"""Of a column of truth values, which these have not: tests/release/test_lines.py."""


@pytest.mark.parametrize("query", GOOD, ids=lambda q: q["query"] + "-" + q.get("column", ""))
def test_every_query_is_answered_and_paid(service: Any, query: dict[str, Any]) -> None:
    reply = service.ask({**query, "epsilon": 0.1})
    assert reply.status == 200, reply.text
    answer = reply.json
    assert (answer["epsilon"], answer["charged"], answer["reused"]) == (0.1, "0.1", False)
    assert (answer["value"] is None) != (answer["groups"] is None)
    if query["query"] == "linear":  # of so few rows the noise may be all
        assert [one["group"] for one in answer["groups"]] == ["(intercept)", "height"]
        assert all(one["interval"] is None for one in answer["groups"]) == (answer["bound"] is None)
        return
    assert answer["bound"] > 0
    if answer["groups"] is not None:  # the widest of their own bounds
        assert answer["bound"] == max(one["bound"] for one in answer["groups"])
        counted = {one["rows"] is not None for one in answer["groups"]}
        assert counted == {query["query"] == "group_mean"}
    assert answer["remaining"] == {"scores": "0.9", "ann": "0.4"}
    assert answer["neighbours"].startswith("replace-one")
    assert service.spent() == {"scores": Fraction(1, 10), "ann": Fraction(1, 10)}
    noisy = ("count", "missing", "present", "sum", "mean", "variance", "histogram", "bins",
             "covariance", "correlation", "linear")  # fmt: skip
    if query["query"] in (*noisy, "group_count", "group_sum", "group_mean"):
        again = service.ask({**query, "rho": 0.001})
        assert again.status == 400, "an account in ε takes no ρ"
        assert service.spent()["ann"] == Fraction(1, 10)


def test_what_needs_delta_is_refused_by_accounts_without(service: Any) -> None:
    reply = service.ask(FOR_DELTA)
    assert (reply.status, reply.json["error"]["argument"]) == (400, "account ann")
    assert "has no δ for keys that nobody listed" in reply.json["error"]["rule"]
    assert service.spent() == {"scores": 0, "ann": 0}


def test_an_answer_is_right(service: Any) -> None:
    """At ε = 0.5 of 1000 rows: an error beyond the bound of 1 - 1e-6 once in a million runs."""
    answer = service.ask({**MEAN, "epsilon": 0.5, "confidence": 0.999999}).json
    true = (sum(i % 101 for i in range(999)) + 100) / 1000
    assert abs(answer["value"] - true) <= answer["bound"]
    assert answer["bound"] < 4


def test_the_same_query_is_free_unless_a_fresh_one_is_asked_for(service: Any) -> None:
    first, again = service.ask(MEAN).json, service.ask(MEAN).json
    assert (again["value"], again["reused"], again["charged"]) == (first["value"], True, "0.0")
    assert again["event"] == first["event"]
    fresh = service.ask({**MEAN, "reuse": False}).json
    assert (fresh["reused"], fresh["charged"]) == (False, "0.1")
    assert service.spent()["ann"] == Fraction(1, 5)
    check_events(service.ledger.events())


def test_a_lost_answer_is_fetched_and_not_paid_twice(service: Any) -> None:
    """By the header, and by the field; the same key of another analyst is another key."""
    fresh = {**MEAN, "reuse": False}
    path = "/datasets/scores/queries"

    def ask(query: dict[str, Any], key: str | None = "k", secret: str | None = "") -> Any:
        headers = {} if key is None else {"idempotency_key": key}
        return service.request("POST", path, query, secret, **headers)

    first, again = ask(fresh).json, ask(fresh).json
    assert (first["reused"], again["reused"], again["charged"]) == (False, True, "0.0")
    assert (again["value"], again["event"]) == (first["value"], first["event"])
    by_field = ask({**fresh, "key": "k"}, None).json
    assert (by_field["event"], by_field["reused"]) == (first["event"], True)
    another = service.tokens.issue("ann", ["query:scores"])
    assert ask(fresh, secret=another).json["event"] == first["event"], "her new token is hers"
    assert service.spent() == {"scores": Fraction(1, 10), "ann": Fraction(1, 10)}
    for wrong in (
        {**fresh, "column": "height"},
        {**fresh, "epsilon": 0.2},
        {**MEAN, "query": "sum"},
    ):
        refused = ask(wrong)
        assert (refused.status, refused.json["error"]["argument"]) == (400, "key")
    assert ask({**fresh, "key": "other"}).status == 400
    for bad in ("", "x" * 201):
        assert ask({**fresh, "key": bad}, None).status == 400
    service.ledger.open("bob", epsilon=1)
    bob = service.tokens.issue("bob", ["query:scores"])
    theirs = ask(fresh, secret=bob).json
    assert theirs["reused"] is False
    assert theirs["event"] != first["event"]
    assert service.spent() == {
        "scores": Fraction(1, 5), "ann": Fraction(1, 10), "bob": Fraction(1, 10)
    }  # fmt: skip
    check_events(service.ledger.events())


def test_an_analysts_account_is_of_one_relation(service: Any, tmp_path: Path) -> None:
    text = (tmp_path / "scores.toml").read_text()
    other = text.replace('name = "scores"', 'name = "others"\nneighbours = "add-remove"', 1)
    queries = Queries([Definition.from_toml(other, tmp_path)], service.ledger)
    token = service.tokens.find(service.tokens.issue("ann", ["query:*"]))
    assert service.ask(MEAN).status == 200
    with pytest.raises(Refusal) as refused:
        queries.answer(token, "others", json.dumps(MEAN).encode())
    assert refused.value.status == 400
    assert "account ann pays for answers that protect" in str(refused.value.error)
    assert service.spent()["others"] == 0


def test_another_analysts_answer_on_record_is_free_too(service: Any) -> None:
    service.ledger.open("bob", epsilon=0.01)
    bob = service.tokens.issue("bob", ["query:scores"])
    assert service.ask(MEAN, secret=bob).status == 402
    value = service.ask(MEAN).json["value"]
    assert service.ask(MEAN, secret=bob).json["value"] == value
    assert service.spent()["bob"] == 0


def test_budgets_are_kept(service: Any) -> None:
    for _ in range(5):
        assert service.ask({**MEAN, "reuse": False}).status == 200
    refused = service.ask({**MEAN, "reuse": False})
    assert refused.status == 402
    error = refused.json["error"]
    assert error["type"] == "BudgetExceeded"
    assert "budget of ann" in error["message"]
    assert "requested 0.1, remaining 0" in error["message"]
    assert service.spent() == {"scores": Fraction(1, 2), "ann": Fraction(1, 2)}
    assert service.ask(MEAN).status == 200, "what is on record stays free"


def test_clients_side_by_side_do_not_overspend(anywhere: Any) -> None:
    """Eight clients ask 80 fresh queries on a budget for five; a ninth sends reports meanwhile."""
    fresh = {**MEAN, "reuse": False}

    def report(_: int) -> int:
        client = sd.Client(anywhere.collection)
        client.send(client.answer({"brand": "green"}), anywhere.url)
        return 1

    with ThreadPoolExecutor(9) as clients:
        sent = clients.map(report, range(20))
        replies = list(clients.map(lambda _: anywhere.ask(fresh).status, range(80)))
        assert sum(sent) == 20
    assert sorted(replies) == [200] * 5 + [402] * 75
    assert anywhere.spent() == {"scores": Fraction(1, 2), "ann": Fraction(1, 2)}
    check_events(anywhere.ledger.events())


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        (b"", "body"),
        (b"{", "body"),
        (b"\xff", "body"),
        (b"[" * 100_000, "body"),
        ([], "body"),
        ({}, "query"),
        ({"query": "drop"}, "query"),
        ({"query": "mean"}, "column"),
        ({"query": "Object missing required field `secret`"}, "query"),
        ({**MEAN, "Object missing required field `secret`": 1}, "body"),
        ({**MEAN, "column": "nothing"}, "column"),
        ({**MEAN, "column": 5}, "column"),
        ({**MEAN, "column": "sex"}, "bounds"),
        ({**MEAN, "column": ""}, "column"),
        ({**MEAN, "epsilon": 0}, "epsilon"),
        ({**MEAN, "epsilon": -1}, "epsilon"),
        ({**MEAN, "epsilon": 1e300}, "epsilon"),
        ({**MEAN, "epsilon": "0.1"}, "epsilon"),
        ({**MEAN, "epsilon": True}, "epsilon"),
        ({**MEAN, "epsilon": None}, "epsilon"),
        ({**MEAN, "rho": 0.1}, "epsilon"),
        ({**MEAN, "epsilon": 1e-300}, "epsilon"),
        (b'{"query":"mean","column":"score","epsilon":NaN}', "body"),
        (b'{"query":"mean","column":"score","epsilon":1e999}', "epsilon"),
        ({**MEAN, "confidence": 1}, "confidence"),
        ({**MEAN, "more": 1}, "body"),
        ({"query": "quantile", "column": "score", "share": 2, "epsilon": 0.1}, "share"),
        ({"query": "median", "column": "score", "rho": 0.1}, "body"),
        ({"query": "count", "epsilon": 0.1}, "column"),
        ({"query": "count", "column": "sex", "epsilon": 0.1}, "equals"),
        ({"query": "count", "column": "sex", "equals": 5, "epsilon": 0.1}, "categories"),
        ({"query": "count", "column": "score", "equals": "f", "epsilon": 0.1}, "ask"),
        (b'{"query":"count","column":"score","equals":1%s,"epsilon":1}' % (b"0" * 500), "ask"),
        ({"query": "count", "column": "score", "equals": "1e999999999", "epsilon": 1}, "ask"),
        ({"query": "count", "column": "score", "equals": 1e300, "epsilon": 1}, "ask"),
        ({**MEAN, "epsilon": 5e-324}, "epsilon"),
        ({"query": "mode", "column": "sex", "categories": [], "epsilon": 0.1}, "categories"),
        ({"query": "mode", "column": "sex", "categories": ["f", "f"], "epsilon": 1}, "categories"),
        ({"query": "estimate"}, "query"),
    ],
)
def test_bad_queries_spend_nothing(service: Any, body: Any, argument: str) -> None:
    reply = service.ask(body)
    assert reply.status == 400, reply.text
    assert reply.json["error"]["argument"] == argument
    assert set(service.spent().values()) == {0}


def test_huge_requests_are_refused(service: Any) -> None:
    reply = service.ask(b'{"query":"' + b"x" * (3 << 19) + b'"}')
    assert reply.status == 413
    many = {"query": "mode", "column": "score", "categories": list(range(100_001)), "epsilon": 0.1}
    assert service.ask(many).status == 400
    assert set(service.spent().values()) == {0}
    path = "/datasets/scores/queries"
    assert service.request("POST", path, b"{}", content_type="text/plain").status == 415


# -- who may ask -----------------------------------------------------------------------------------


def test_who_has_no_token_learns_nothing(service: Any) -> None:
    for secret in (None, "x", "sudare_" + "A" * 43):
        reply = service.ask(MEAN, secret=secret)
        assert reply.status == 401
        assert reply.headers["www-authenticate"] == "Bearer"
        nowhere = service.ask(MEAN, name="nowhere", secret=secret)
        assert (nowhere.status, nowhere.text) == (401, reply.text)
        assert service.request("GET", "/datasets/scores", secret=secret).text == reply.text
    assert service.request("GET", "/datasets", secret="x").status == 401
    anonymous = service.request("GET", "/datasets", secret=None)
    assert [one["name"] for one in anonymous.json["datasets"]] == ["tea"]
    basic = service.request("GET", "/datasets/scores", authorization="Basic eDp5")
    assert basic.status == 401
    lower = service.request("GET", "/datasets/scores", authorization=f"bearer {service.secret}")
    assert lower.status == 200


def test_out_of_scope_looks_like_not_there(service: Any) -> None:
    other = service.tokens.issue("ann", ["query:other", "describe:other"])
    one = service.ask(MEAN, secret=other)
    two = service.ask(MEAN, name="nowhere", secret=other)
    assert (one.status, one.text) == (two.status, two.text)
    assert one.status == 404
    assert service.request("GET", "/datasets/scores", secret=other).status == 404
    listed = service.request("GET", "/datasets", secret=other).json["datasets"]
    assert [one["name"] for one in listed] == ["tea"]
    looking = service.tokens.issue("ann", ["describe:scores"])
    assert service.request("GET", "/datasets/scores", secret=looking).status == 200
    assert service.ask(MEAN, secret=looking).status == 404
    assert set(service.spent().values()) == {0}


def test_tokens_end_and_are_revoked_at_once(service: Any) -> None:
    past = service.tokens.issue("ann", ["query:*"], datetime.now(UTC) - timedelta(seconds=1))
    assert service.ask(MEAN, secret=past).status == 401
    token = service.tokens.find(service.secret)
    assert service.ask(MEAN).status == 200
    service.tokens.revoke(token.id)
    assert service.ask(MEAN).status == 401


@pytest.mark.parametrize("rate", [3])
def test_who_asks_too_often_waits(service: Any) -> None:
    replies = [service.ask(MEAN) for _ in range(4)]
    assert [one.status for one in replies] == [200, 200, 200, 429]
    assert 1 <= int(replies[-1].headers["retry-after"]) <= 20
    other = service.tokens.issue("ann", ["query:scores"])
    assert service.ask(MEAN, secret=other).status == 200


def test_a_limit_refills() -> None:
    now = [0.0]
    limit = Limit(60, clock=lambda: now[0])
    assert [limit.wait("a") for _ in range(61)] == [0] * 60 + [1]
    now[0] = 1.0
    assert [limit.wait("a"), limit.wait("a")] == [0, 1]
    now[0] = 1e6
    assert [limit.wait("a") for _ in range(61)] == [0] * 60 + [1]
    for wrong in (0, -1, 10**7, 1.5, True, "x", None):
        with pytest.raises(sd.SudareError):
            Limit(wrong)


# -- what is public --------------------------------------------------------------------------------


def test_a_description_says_what_may_be_asked(service: Any) -> None:
    told = service.request("GET", "/datasets/scores").json
    assert (told["kind"], told["rows"], told["title"]) == ("held", 1000, "Scores of a school")
    columns = {one["name"]: one for one in told["columns"]}
    assert columns["score"]["bounds"] == ["0.0", "100.0"]
    assert columns["score"]["grid"] == "1.0"
    assert columns["height"]["grid"] != "1.0", "its type is not said"
    assert columns["sex"] == {
        "name": "sex",
        "kind": "text",
        "bounds": None,
        "grid": None,
        "categories": ["f", "m"],
    }
    assert told["budgets"] == [
        {"account": "scores", "unit": "epsilon", "budget": "1.0", "remaining": "1.0"},
        {"account": "ann", "unit": "epsilon", "budget": "0.5", "remaining": "0.5"},
    ]
    assert CANARY not in json.dumps(told)


def test_estimates_of_a_collection_are_free(service: Any) -> None:
    for _ in range(20):
        client = sd.Client(service.collection)
        client.send(client.answer({"brand": "green"}), service.url)
    reply = service.ask({"query": "estimate"}, name="tea", secret=None)
    assert reply.status == 200, reply.text
    answer = reply.json
    assert answer["charged"] == "0.0"
    assert "randomised" in answer["reason"]
    assert answer["results"]["n"] == 20
    direct = service.request("GET", "/api/collections/tea/results", secret=None).json
    assert answer["results"] == direct
    assert service.ask(MEAN, name="tea", secret=None).status == 400
    assert service.request("GET", "/datasets/tea", secret=None).json["kind"] == "collection"


def test_odds_of_a_column_of_text_are_refused(service: Any) -> None:
    reply = service.ask(OF_TRUTH)
    assert (reply.status, reply.json["error"]["argument"]) == (400, "column sex")
    assert service.spent()["ann"] == 0


def test_openapi_is_served(service: Any) -> None:
    reply = service.request("GET", "/openapi.json", secret=None)
    assert openapi()["paths"].items() <= reply.json["paths"].items()
    assert openapi()["components"]["schemas"].items() <= reply.json["components"]["schemas"].items()
    kinds = {one["query"] for one in [*GOOD, FOR_DELTA, OF_TRUTH]} | {
        "estimate",
        "synthetic",
        "batch",
        "sql",
    }
    schema = openapi()["paths"]["/api/v1/datasets/{id}/queries"]["post"]["requestBody"]["content"]
    assert set(schema["application/json"]["schema"]["discriminator"]["mapping"]) == kinds


# -- silence ---------------------------------------------------------------------------------------


def test_no_answer_error_or_log_shows_the_data(
    service: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """The canaries of the data, and those of the requests."""
    caplog.set_level(logging.DEBUG)
    service.ledger.set_budget("ann", epsilon=1000)
    service.ledger.set_budget("scores", epsilon=1000)
    heard = []
    secret = "sekretaervogel"
    for query in GOOD:
        changes = ({"epsilon": 0.1}, {"rho": 0.1}, {"epsilon": 0}, {secret: secret}, {"by": secret})
        heard += [service.ask({**query, **more}).text for more in changes]
        if "column" in query:
            heard.append(service.ask({**query, "column": secret, "epsilon": 0.1}).text)
    heard.append(service.ask({"query": secret}).text)
    heard.append(service.ask(secret.encode()).text)
    heard.append(service.request("GET", f"/datasets/{secret}").text)
    heard.append(service.ask(MEAN, secret=secret).text)
    heard += [service.request("GET", path).text for path in ("/datasets", "/datasets/scores")]
    logged = caplog.text + "".join(capfd.readouterr())
    for text in [*heard, logged, json.dumps(service.ledger.events())]:
        for canary in (CANARY, "31337", "1234.5", secret, service.secret.removeprefix("sudare_")):
            assert canary not in text


def test_a_fault_inside_stays_inside(
    service: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A bug that quotes a row: the client gets a 500 of constant text, the log the place alone."""

    def broken(*_: object) -> None:
        raise RuntimeError(f"row 1000 holds {CANARY}")

    monkeypatch.setattr("sudare.release.queries.moments.Mean.prepare", broken)
    reply = service.ask(MEAN)
    assert reply.status == 500
    assert CANARY not in reply.text + caplog.text
    assert "RuntimeError" in caplog.text
    assert set(service.spent().values()) == {0}


def test_a_ledger_that_is_gone_answers_nothing(service: Any, tmp_path: Path) -> None:
    service.ledger._engine.dispose()
    for path in tmp_path.glob("ledger.db*"):
        path.unlink()
    reply = service.ask(MEAN)
    assert reply.status == 503
    assert int(reply.headers["retry-after"]) >= 1
    assert "ledger" in reply.text


# -- definitions -----------------------------------------------------------------------------------


def test_data_sets_need_no_collection(tmp_path: Path, service: Any) -> None:
    queries = Queries([Definition.load(tmp_path / "scores.toml")], service.ledger)
    with BackgroundCollector([], tmp_path / "other.db", queries=queries) as running:
        service.url = running.url
        assert service.ask(MEAN).status == 200
        assert service.ask(MEAN, name="tea").status == 404
        assert service.request("GET", "/").status == 200


def test_names_are_unique(tmp_path: Path, service: Any) -> None:
    definition = Definition.load(tmp_path / "scores.toml")
    with pytest.raises(sd.DomainError, match="unique"):
        Queries([definition, definition], service.ledger)
    named = sd.Collection.from_toml(
        '[collection]\nname="scores"\nepsilon=1\n[[question]]\nid="q"\ntype="choice"\n'
        'text="?"\nchoices=["a","b"]\n'
    )
    queries = Queries([definition], service.ledger)
    with pytest.raises(sd.DomainError, match="named as a collection"):
        create_app([named], tmp_path / "x.db", queries=queries)
    for wrong in (None, "x", [None], [5]):
        with pytest.raises(sd.WrongTypeError):
            Queries(wrong, service.ledger)
    with pytest.raises(sd.WrongTypeError):
        create_app([named], tmp_path / "x.db", queries=5)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name = "scores"', 'name = "Scores!"'),
        ('name = "scores"', ""),
        ('file = "scores.csv"', ""),
        ('file = "scores.csv"', 'file = "nothing.csv"'),
        ('file = "scores.csv"', 'file = "scores.txt"'),
        ('file = "scores.csv"', 'file = "scores.csv"\nsql_table = "t"'),
        ('file = "scores.csv"', 'sql_url_env = "SUDARE_NOT_SET"\nsql_table = "t"'),
        ('file = "scores.csv"', "file = 5"),
        ("epsilon = 1", ""),
        ("epsilon = 1", "epsilon = 0"),
        ("epsilon = 1", "epsilon = 1\nrho = 1"),
        ("epsilon = 1", "delta = 1"),
        ("score = [0, 100]", "score = [100, 0]"),
        ("score = [0, 100]", 'score = "x"'),
        ("score = [0, 100]", "nothing = [0, 100]"),
        ('sex = ["f", "m"]', 'sex = "f"'),
        ('sex = ["f", "m"]', 'sex = ["f", 1]'),
        ('sex = ["f", "m"]', 'nothing = ["f"]'),
        ("[budget]", "colour = 1\n[budget]"),
        ("[budget]", "neighbours = 'all'\n[budget]"),
        ("[budget]", "[[budget"),
    ],
)
def test_bad_definitions(tmp_path: Path, service: Any, old: str, new: str) -> None:
    text = (tmp_path / "scores.toml").read_text().replace(old, new)
    with pytest.raises(sd.SudareError) as refused:
        Definition.from_toml(text, tmp_path).open(service.ledger)
    assert CANARY not in str(refused.value)
    assert set(service.spent()) == {"scores", "ann"}
    with pytest.raises(sd.StorageError):
        Definition.load(tmp_path / "none.toml")


def test_another_budget_than_the_open_ones_is_refused(tmp_path: Path, service: Any) -> None:
    text = (tmp_path / "scores.toml").read_text().replace("epsilon = 1", "epsilon = 2")
    with pytest.raises(sd.DomainError, match="another budget"):
        Definition.from_toml(text, tmp_path).open(service.ledger)


def test_a_query_with_a_key_twice_is_refused_and_not_paid(service: Any) -> None:
    where = '[{"column": "score", "sign": ">", "sign": "<", "value": 3}]'
    for query in GOOD:
        plain = {**query, "epsilon": 0.1}
        open_ = json.dumps(plain)[:-1]
        bodies = [open_ + f', "{key}": {json.dumps(plain[key])}}}' for key in plain]
        bodies += [
            f'{{"query": "batch", "queries": [{bodies[-1]}]}}',
            open_ + f', "where": {where}}}',
        ]
        for body in bodies:
            reply = service.ask(body.encode())
            assert (reply.status, reply.json["error"]["argument"]) == (400, "body"), body
    assert service.spent() == {"scores": 0, "ann": 0}
