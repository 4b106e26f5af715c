"""Budgets of held data for operators: who has what, what was spent and on what; never an answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from within import Told, Within

from sudare.collection import Collection
from sudare.collector import create_app
from sudare.collector.operator_api.endpoints import PREFIX
from sudare.collector.operator_api.opening import open_register
from sudare.ledger import Ledger, Tokens
from sudare.operators import SCOPES, Tokens as OperatorTokens
from sudare.release import Definition
from sudare.release.api import Queries
from sudare.release.api.spending import question_of

CANARY = "kanarienvogel"
SCORES = """
name = "scores"
file = "scores.csv"
[budget]
epsilon = 2
[bounds]
score = [0, 100]
"""


class Operated:
    """A collector with held data, of which ann has asked three things, and bob one."""

    def __init__(self, collector: Within, ledger: Ledger, database: Path) -> None:
        self.collector, self.ledger, self.database = collector, ledger, database
        self.issued = 0

    def token(self, *scopes: str, **more: Any) -> str:
        self.issued += 1
        with open_register(self.database) as register:
            return OperatorTokens(register).issue(f"o{self.issued}", scopes or SCOPES, **more)

    def get(self, path: str, token: str | None = None) -> Told:
        headers = {"authorization": f"Bearer {token or self.token()}"}
        return self.collector.request("GET", PREFIX + path, None, headers)


@pytest.fixture
def operated(tmp_path: Path, tea: Collection) -> Iterator[Operated]:
    rows = [f"{i % 101},{'fm'[i % 2]}" for i in range(200)]
    (tmp_path / "scores.csv").write_text("\n".join(["score,sex", *rows, f"7,{CANARY}"]) + "\n")
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("ann", epsilon=0.5)
        ledger.open("bob", delta=1e-6, plan="40 epsilon=0.1, 10 choice=0.1")
        definition = Definition.from_toml(SCORES, tmp_path)
        queries = Queries([definition], ledger)
        db = definition.open(ledger)
        ann, bob = db.paid_by(["scores", "ann"]), db.paid_by(["scores", "bob"])
        ann.mean("score", epsilon=0.1)
        ann.where("sex = f").histogram("sex", ["f", "m"], epsilon=0.15)
        ann.mean("score", epsilon=0.1, reuse=True)  # on record: nothing is paid
        ann.group_by("sex", ["f", "m"]).mean("score", epsilon=0.05)
        bob.median("score", epsilon=0.1)
        tokens = Tokens(ledger)
        tokens.issue("ann", ["query:scores"])
        tokens.issue("ann", ["query:scores"], datetime.now(UTC) - timedelta(days=1))
        app = create_app([tea], tmp_path / "reports.db", queries=queries)
        with Within(app) as collector:
            yield Operated(collector, ledger, tmp_path / "reports.db")


def test_each_account_with_what_it_spent(operated: Operated) -> None:
    accounts = operated.get("/budgets").json["accounts"]
    assert [(one["kind"], one["account"]) for one in accounts] == [
        ("dataset", "scores"),
        ("analyst", "ann"),
        ("analyst", "bob"),
        ("part", "bob: choice=0.1"),
        ("part", "bob: epsilon=0.1"),
    ]
    found = {one["account"]: one for one in accounts}
    ann = found["ann"]
    assert (ann["unit"], ann["budget"], ann["spent"], ann["remaining"]) == (
        "epsilon", "0.5", "0.3", "0.2"
    )  # fmt: skip
    assert (ann["used"], ann["answers"], ann["tokens"]) == (0.6, 3, 1)
    assert found["scores"]["spent"] == "0.4"
    assert (found["bob"]["spent"], found["bob: choice=0.1"]["used"]) == ("1.0", 0.1)
    assert found["bob: epsilon=0.1"]["last"] is None
    assert all(one["spent"] == str(float(operated.ledger.account(one["account"]).spent))
               for one in accounts)  # fmt: skip


def test_what_it_was_spent_on(operated: Operated) -> None:
    told = operated.get("/budgets/spending?account=ann").json
    assert [(one["question"], one["charged"], one["spent"]) for one in told["spending"]] == [
        ("mean:score@sex", "0.05", "0.3"),
        ("histogram:sex where sex in f", "0.15", "0.25"),
        ("mean:score", "0.1", "0.1"),
    ]
    assert [one["used"] for one in told["spending"]] == [0.6, 0.5, 0.2]
    assert {one["dataset"] for one in told["spending"]} == {"scores"}
    first = operated.get("/budgets/spending?account=ann&limit=1").json["spending"]
    rest = operated.get(f"/budgets/spending?account=ann&before={first[0]['event']}").json
    assert [*first, *rest["spending"]] == told["spending"]
    (median,) = operated.get("/budgets/spending?account=bob").json["spending"]
    assert (median["charged"], median["spent"]) == ("1.0", "1.0")
    whole = operated.get("/budgets/spending?account=scores").json["spending"]
    assert len(whole) == 4
    text = str(operated.get("/budgets").json) + str(told) + str(whole)
    answers = [one["body"]["answer"] for one in operated.ledger.events() if one["kind"] == "query"]
    assert len(answers) == 4
    assert "answer'" not in text
    assert CANARY not in text


def test_who_may_see_them(operated: Operated) -> None:
    for path in ("/budgets", "/budgets/spending?account=ann"):
        assert operated.collector.request("GET", PREFIX + path).status == 401
        assert operated.get(path, operated.token("read", "run", "export")).status == 403
        limited = operated.get(path, operated.token(collections=["tea"]))
        assert (limited.status, limited.json["error"]["argument"]) == (403, "collections")
    assert operated.get("/session").json["budgets"] is True
    assert operated.get("/session", operated.token("read")).json["budgets"] is False
    assert operated.get("/session", operated.token(collections=["tea"])).json["budgets"] is False


def test_bad_input(operated: Operated) -> None:
    for wrong, argument in (
        ("", "account"),
        ("?account=", "account"),
        ("?account=nobody", "account"),
        ("?account=ann&limit=0", "limit"),
        ("?account=ann&limit=1001", "limit"),
        ("?account=ann&limit=x", "limit"),
        ("?account=ann&before=-1", "before"),
        ("?account=ann&before=99999999999999999999999", "before"),
        ("?account=ann&more=1", "query"),
        ("?account=ann&account=bob", "query"),
    ):
        told = operated.get(f"/budgets/spending{wrong}")
        assert (told.status, told.json["error"]["argument"]) == (400, argument), wrong


def test_a_collector_without_held_data(tmp_path: Path, tea: Collection) -> None:
    with Within(create_app([tea], tmp_path / "reports.db")) as collector:
        operated = Operated(collector, None, tmp_path / "reports.db")
        assert operated.get("/session").json["budgets"] is False
        assert operated.get("/budgets").status == 400


def test_a_question_in_short() -> None:
    many = {"query": "count", "where": [{"column": "a", "in": list(range(50))}]}
    assert question_of(many).count(",") == 19
    assert len(question_of({"query": "x" * 500})) == 200
    assert question_of({}) == ""
    both = {
        "query": "mean",
        "column": "a",
        "by": ["b", "c"],
        "where": [{"column": "d", "from": "1", "below": "9"}],
    }
    assert question_of(both) == "mean:a@b@c where d >= 1 and d < 9"
