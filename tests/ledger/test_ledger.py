"""Budgets that survive: payments, refusals, restarts, processes side by side, kill -9."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.errors import BudgetExceeded, WrongTypeError
from sudare.ledger import (
    Bill,
    Cost,
    Ledger,
    check_events,
    engine as ledger_engine,
    epsilon_of,
    rho_of,
    tables,
)
from tests.cases import cases

PAYERS = str(Path(__file__).with_name("payers.py"))
POINTS = ("locked", "checked", "reserved", "answered", "settled", "committed")
TENTH = Cost.of(epsilon=0.1)


def payer(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, PAYERS, *map(str, arguments)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )


def test_ten_of_a_tenth_and_then_what_still_fits(ledger: Ledger) -> None:
    ledger.open("survey", epsilon=1)
    for i in range(9):
        assert ledger.pay(["survey"], TENTH, {"q": i}, lambda i=i: i).answer == i
    tenth = ledger.pay(["survey"], Cost.of(epsilon=Fraction(1, 20)), {"q": 9}, lambda: 9)
    assert tenth.remaining == {"survey": Fraction(1, 20)}
    asked = []
    with pytest.raises(sd.BudgetExceeded) as caught:
        ledger.pay(["survey"], TENTH, {"q": 10}, lambda: asked.append(1))
    assert (caught.value.requested, caught.value.remaining, caught.value.short_by) == (
        "0.1", "0.05", "0.05",
    )  # fmt: skip
    assert not asked
    assert len(ledger.events()) == 11
    assert ledger.pay(["survey"], Cost.of(epsilon=0.05), {"q": 10}, lambda: 1).answer == 1
    assert ledger.account("survey").remaining == 0


def test_ten_queries_use_a_budget_of_one_exactly(ledger: Ledger) -> None:
    ledger.open("survey", epsilon=1.0)
    for i in range(10):
        ledger.pay(["survey"], TENTH, {"q": i}, lambda: 0)
    with pytest.raises(sd.BudgetExceeded, match=r"short by 0\.1"):
        ledger.pay(["survey"], TENTH, {"q": 10}, lambda: 0)


def test_a_ledger_survives(where: str) -> None:
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=1)
        ledger.pay(["survey"], Cost.of(epsilon=Fraction(1, 3)), {"q": 1}, lambda: {"value": 7})
    with Ledger(where) as again:
        assert again.account("survey").remaining == Fraction(2, 3)
        assert again.open("survey", epsilon=1).spent == Fraction(1, 3)
        with pytest.raises(sd.DomainError, match="set_budget"):
            again.open("survey", epsilon=2)
        raised = again.set_budget("survey", epsilon=2)
        assert (raised.budget, raised.spent) == (2, Fraction(1, 3))
        assert again.account("survey").remaining == Fraction(5, 3)
        again.set_budget("survey", epsilon=0.1)
        with pytest.raises(sd.BudgetExceeded):
            again.pay(["survey"], TENTH, {"q": 2}, lambda: 0)


def test_the_same_query_costs_nothing_where_that_is_asked(ledger: Ledger) -> None:
    ledger.open("survey", epsilon=1)
    first = ledger.pay(["survey"], TENTH, {"b": 1, "a": [2]}, lambda: 5)
    again = ledger.pay(["survey"], TENTH, {"a": [2], "b": 1}, lambda: 6, reuse=True)
    assert (again.answer, again.reused, again.event) == (5, True, first.event)
    assert ledger.account("survey").spent == Fraction(1, 10)
    fresh = ledger.pay(["survey"], TENTH, {"b": 1, "a": [2]}, lambda: 6)
    assert (fresh.answer, fresh.reused) == (6, False)
    other = ledger.pay(["survey"], TENTH, {"b": 1, "a": [3]}, lambda: 8, reuse=True)
    assert (other.answer, other.reused) == (8, False)


def test_all_payers_or_none(ledger: Ledger) -> None:
    ledger.open("data", epsilon=1)
    ledger.open("ann", rho=Fraction(1, 100))
    paid = ledger.pay(["data", "ann"], TENTH, {"q": 1}, lambda: 1)
    assert paid.remaining == {"data": Fraction(9, 10), "ann": Fraction(1, 200)}
    ledger.pay(["ann", "data", "ann"], TENTH, {"q": 2}, lambda: 1)
    with pytest.raises(sd.BudgetExceeded, match="budget of ann"):
        ledger.pay(["data", "ann"], TENTH, {"q": 3}, lambda: 1)
    assert ledger.account("data").spent == Fraction(1, 5)
    with pytest.raises(sd.PrivacyError, match="no pure"):
        ledger.pay(["data"], Cost.of(rho=0.001), {"q": 4}, lambda: 1)
    assert [one.name for one in ledger.accounts()] == ["ann", "data"]


def bill(what: str, epsilon: Any, answer: Any) -> Bill:
    return Bill(Cost.of(epsilon=epsilon), {"what": what}, lambda: answer)


def test_several_queries_are_all_paid_or_none(ledger: Ledger) -> None:
    ledger.open("survey", epsilon=1)
    paid = ledger.pay_all(["survey"], [bill("a", 0.3, 1), bill("b", 0.2, 2)])
    assert [(one.answer, one.event, one.reused) for one in paid] == [(1, 2, False), (2, 3, False)]
    assert ledger.account("survey").remaining == Fraction(1, 2)
    drawn: list[int] = []
    last = Bill(Cost.of(epsilon=0.3), {"what": "d"}, lambda: drawn.append(1))
    with pytest.raises(BudgetExceeded) as refused:
        ledger.pay_all(["survey"], [bill("c", 0.3, 3), last])
    assert (refused.value.requested, refused.value.short_by) == ("0.6", "0.1")
    assert not drawn
    assert ledger.account("survey").remaining == Fraction(1, 2)
    assert len(ledger.events()) == 3
    check_events(ledger.events())


def test_of_several_those_on_record_cost_nothing(ledger: Ledger) -> None:
    ledger.open("survey", epsilon=1)
    first = ledger.pay(["survey"], Cost.of(epsilon=0.3), {"what": "a"}, lambda: 1)
    again = [bill("a", 0.3, 9), bill("b", 0.2, 2), bill("b", 0.2, 9)]
    paid = ledger.pay_all(["survey"], again, reuse=True)
    assert [(one.answer, one.reused) for one in paid] == [(1, True), (2, False), (2, True)]
    assert [one.event for one in paid] == [first.event, first.event + 1, first.event + 1]
    assert ledger.account("survey").spent == Fraction(1, 2)
    ledger.set_budget("survey", epsilon=0.1)  # below what is spent: what is on record stays free
    (over,) = ledger.pay_all(["survey"], again[:1], reuse=True)
    account = ledger.account("survey")
    assert (over.answer, over.remaining, account.remaining) == (1, {"survey": 0}, 0)
    assert (account.balance, account.spent) == (Fraction(-2, 5), Fraction(1, 2))
    for wrong in ([], None, [1], "ab"):
        with pytest.raises(WrongTypeError):
            ledger.pay_all(["survey"], wrong)


def test_a_smaller_budget_takes_nothing_off_what_is_spent(ledger: Ledger) -> None:
    ledger.open("a", epsilon=2, keys=Fraction(1, 2))
    ledger.open("b", epsilon=9)
    cost = Cost("epsilon", Fraction(1), delta=Fraction(1, 4))
    ledger.pay(["a"], cost, {"what": "a"}, lambda: 1)
    before = {one.name: one.spent for one in ledger.accounts()}
    ledger.set_budget("a", epsilon=Fraction(1, 10))
    with pytest.raises(sd.BudgetExceeded, match="remaining 0"):
        ledger.pay(["a"], cost, {"what": "b"}, lambda: 1)
    ledger.pay(["b"], Cost.of(epsilon=1), {"what": "c"}, lambda: 1)
    assert {one.name: one.spent for one in ledger.accounts()} == before | {"b": 1}
    assert all(one.remaining >= 0 for one in ledger.accounts())


def test_events_that_were_tampered_with(tmp_path: Path) -> None:
    """Whatever stands in an amount: it is named, and nothing else is raised."""
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("survey", epsilon=1)
        ledger.pay(["survey"], TENTH, {"q": 1}, lambda: 1)
        opened, paid = ledger.events()
    for bad in ("1/0", "1e5", "x", "", None, [1], {}, "-1"):
        budget = {**opened, "body": {**opened["body"], "budget": bad}}
        amount = {**paid, "body": {**paid["body"], "accounts": {"survey": bad}}}
        for events, number in (([budget, paid], 1), ([opened, amount], 2), ([paid], 1)):
            with pytest.raises(sd.StorageError, match=f"number {number}$"):
                check_events(events)
    assert check_events([opened]) == {"survey": 0}, "a tail cut off cannot be seen: the docs say so"


@cases("amount", [Fraction(-1), Fraction(0), 0.1, 1, None, "1", math.nan])
def test_a_cost_never_fills_a_budget_up(amount: Any) -> None:
    with pytest.raises(sd.SudareError):
        Cost("epsilon", amount)
    with pytest.raises(sd.SudareError):
        Cost("delta", Fraction(1))


def test_a_ledger_that_was_written_by_others(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("survey", epsilon=1)
        for bad in ("abc", "1/0", ""):
            with ledger.writing() as opened:
                values = tables.ACCOUNT.update().values(spent=bad)
                opened.execute(values)
            with pytest.raises(sd.StorageError):
                ledger.account("survey")
            with pytest.raises(sd.StorageError):
                ledger.pay(["survey"], TENTH, {"q": 1}, lambda: 1)
    with pytest.raises(sd.StorageError):
        Ledger("ledger\0.db")


def test_names_that_look_alike(ledger: Ledger) -> None:
    """One name, one spelling: an accent is not two characters, a space at an end is not there."""
    ledger.open("ren\u00e9e", epsilon=1)
    for name in ("rene\u0301e", "ren\u00e9e ", "\u3000ren\u00e9e"):
        with pytest.raises(sd.DomainError):
            ledger.open(name, epsilon=1)


def test_sums_of_unlike_fractions_end_with_a_refusal(ledger: Ledger) -> None:
    ledger.open("survey", epsilon=1)
    answered = 0
    for i in range(20):
        cost = Cost.of(epsilon=Fraction(10**388, 10**400 + 2 * i + 1))
        try:
            answered += ledger.pay(["survey"], cost, {"q": i}, lambda: 1).answer
        except sd.DomainError as error:
            assert "pay in decimals" in str(error)
    assert 5 < answered < 10
    assert ledger.account("survey").spent == check_events(ledger.events())["survey"]
    assert ledger.pay(["survey"], TENTH, {"q": "plain"}, lambda: 1).answer == 1


def test_a_payment_within_a_payment_does_not_wait_for_ever(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_engine, "BUSY_SECONDS", 1)
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=1)

        def answer() -> int:
            ledger.pay(["survey"], TENTH, {"q": "inner"}, lambda: 1)
            return 1

        with pytest.raises(sd.StorageError, match="nothing was answered"):
            ledger.pay(["survey"], TENTH, {"q": "outer"}, answer)
        assert ledger.account("survey").spent == 0


def test_an_answer_that_fails_is_not_charged(ledger: Ledger) -> None:
    ledger.open("survey", epsilon=1)

    def fail() -> Any:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        ledger.pay(["survey"], TENTH, {"q": 1}, fail)
    with pytest.raises(sd.WrongTypeError) as caught:
        ledger.pay(["survey"], TENTH, {"q": 1}, lambda: {"canary": object()})
    assert "canary" not in str(caught.value)
    assert ledger.account("survey").spent == 0
    assert len(ledger.events()) == 1


def test_the_record_can_be_audited(ledger: Ledger, tmp_path: Path) -> None:
    ledger.open("survey", epsilon=1)
    for i in range(3):
        ledger.pay(["survey"], TENTH, {"q": i}, lambda: 1.5)
    ledger.set_budget("survey", epsilon=Fraction(1, 2))
    path = tmp_path / "events.jsonl"
    assert ledger.export(path) == 5
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert check_events(events) == {"survey": Fraction(3, 10)}
    assert events[1]["body"]["accounts"] == {"survey": "0.1"}
    cheaper = json.loads(json.dumps(events))
    cheaper[2]["body"]["accounts"]["survey"] = "0.01"
    for broken in (cheaper, events[1:], events[:1] + events[2:], [{}], [3], [None]):
        with pytest.raises(sd.StorageError, match="number"):
            check_events(broken)
    with pytest.raises(sd.StorageError):
        ledger.export(tmp_path / "no" / "folder")


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "x", None, True, 1e300])
def test_bad_budgets_and_costs(ledger: Ledger, bad: Any) -> None:
    for make in (
        lambda: ledger.open("survey", epsilon=bad),
        lambda: ledger.open("survey", rho=bad),
        lambda: Cost.of(epsilon=bad),
        lambda: rho_of(bad, 1e-6),
    ):
        with pytest.raises(sd.SudareError):
            make()
    assert ledger.accounts() == []


def test_bad_names_and_queries(ledger: Ledger) -> None:
    ledger.open("survey", epsilon=1)
    for names in ([], None, "survey", [3], ["nobody"], [""], ["a\nb"], ["x" * 201], [" survey"]):
        with pytest.raises(sd.SudareError):
            ledger.pay(names, TENTH, {"q": 1}, lambda: 1)
    for query in ({"q": math.nan}, {"q": object()}, {3.5: {1, 2}}, {"q": "\ud800"}):
        with pytest.raises(sd.SudareError):
            ledger.pay(["survey"], TENTH, query, lambda: 1)
    with pytest.raises(sd.SudareError):
        ledger.pay(["survey"], 0.1, {"q": 1}, lambda: 1)
    with pytest.raises(sd.SudareError):
        ledger.pay(["survey"], TENTH, {"q": 1}, 42)
    with pytest.raises(sd.SudareError):
        ledger.set_budget("survey", rho=1)
    with pytest.raises(sd.SudareError):
        ledger.account("nobody")
    with pytest.raises(sd.PrivacyError):
        Cost.of(epsilon=1, rho=1)
    assert ledger.account("survey").spent == 0


def test_databases_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is no database, it is a text of some length")
    secret = "postgresql://me:canary@127.0.0.1:1/none?connect_timeout=2"
    mysql = "mysql://me:canary@127.0.0.1/none"
    no_folder = tmp_path / "no" / "folder" / "l.db"
    for where in (no_folder, tmp_path / "text.db", secret, mysql, "what://x"):
        with pytest.raises(sd.StorageError) as caught:
            Ledger(where)
        assert "canary" not in str(caught.value)
    with pytest.raises(sd.WrongTypeError):
        Ledger(3)


@cases("delta", [1e-3, 1e-6, 1e-12])
@cases("epsilon", [0.01, 0.5, 1, 10])
def test_epsilon_and_delta(epsilon: float, delta: float) -> None:
    rho = rho_of(epsilon, delta)
    assert epsilon_of(rho, delta) <= epsilon * (1 + 1e-9)
    assert epsilon_of(rho * (1 + Fraction(1, 10**6)), delta) > epsilon
    assert epsilon_of(rho, delta) < float(rho) + 2 * math.sqrt(float(rho) * math.log(1 / delta))


@cases("rho", [1e-6, 0.005, 0.5, 40])
@cases("delta", [1e-3, 1e-6, 1e-12])
def test_the_best_order_is_found(rho: float, delta: float) -> None:
    """Against a fine grid of orders: never below what the best of them gives."""
    beyond = np.exp(np.linspace(-30, 60, 2_000_001))
    orders = (1 + beyond) * rho - np.log1p(1 / beyond)
    least = float((orders + (math.log(1 / delta) - np.log1p(beyond)) / beyond).min())
    least = max(least, 0.0)
    assert least * (1 - 1e-9) <= epsilon_of(rho, delta) <= least * (1 + 1e-9)


def test_bad_rhos() -> None:
    for rho in (0, -1, math.nan, "x", None):
        with pytest.raises(sd.SudareError):
            epsilon_of(rho, 1e-6)


@cases("delta", [0, 1, -1, math.nan, "x", None, True])
def test_bad_deltas(delta: Any) -> None:
    for make in (lambda: rho_of(1, delta), lambda: epsilon_of(Fraction(1), delta)):
        with pytest.raises(sd.SudareError):
            make()


def test_two_processes_cannot_overspend_together(where: str) -> None:
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=Fraction(20, 1000))
        payers = [payer("many", where, 15, name) for name in "ab"]
        answered = [int(one.communicate(timeout=120)[0]) for one in payers]
        assert sum(answered) == 20
        assert ledger.account("survey").remaining == 0
        assert check_events(ledger.events()) == {"survey": Fraction(20, 1000)}


def test_a_ledger_that_was_open_before_a_fork(where: str) -> None:
    """A connection must not be used on both sides: each process opens its own."""
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=Fraction(20, 1000))
        answered = payer("forked", where, 8).communicate(timeout=120)[0].split()
        assert sum(map(int, answered)) == 20
        assert ledger.account("survey").remaining == 0
        assert check_events(ledger.events()) == {"survey": Fraction(20, 1000)}


@pytest.mark.slow
def test_a_thousand_queries_of_eight_processes_on_a_budget_for_five_hundred(where: str) -> None:
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=Fraction(500, 1000))
        payers = [payer("many", where, 125, f"p{i}") for i in range(8)]
        answered = [int(one.communicate(timeout=300)[0]) for one in payers]
        assert sum(answered) == 500
        assert ledger.account("survey").remaining == 0
        assert check_events(ledger.events()) == {"survey": Fraction(500, 1000)}


def kill(where: str, ledger: Ledger, plan: list[tuple[str, int]]) -> None:
    """Kill payers, each at a point of its last query: nothing that was answered was free."""
    with payer("killed", where) as farm:
        assert farm.stdin is not None
        assert farm.stdout is not None
        for point, times in plan:
            before = ledger.account("survey").spent
            farm.stdin.write(f"{point} {times}\n")
            farm.stdin.flush()
            answered, died = farm.stdout.readline().split()
            paid = (ledger.account("survey").spent - before) * 1000
            assert (int(answered), died) == (times - 1, "True")
            assert paid == times - 1 + (1 if point == "committed" else 0)
        farm.stdin.close()
    assert check_events(ledger.events()) == {"survey": ledger.account("survey").spent}


def test_killed_at_every_step(where: str) -> None:
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=1)
        kill(where, ledger, [(point, 2) for point in POINTS])
        assert ledger.pay(["survey"], TENTH, {"q": 1}, lambda: 1).answer == 1


@pytest.mark.slow
def test_killed_two_hundred_times(where: str) -> None:
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=1)
        kill(where, ledger, [(POINTS[i % len(POINTS)], 1 + i % 3) for i in range(204)])
        left = ledger.account("survey").remaining
        ledger.pay(["survey"], Cost.of(epsilon=left), {"q": "rest"}, lambda: 1)
