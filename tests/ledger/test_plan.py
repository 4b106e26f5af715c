"""Accounts that keep (ε, δ): by ρ, or by a plan of prices; what they pay, refuse and record."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import payers
import pytest
import sqlalchemy as sa
import version_1

import sudare as sd
from sudare.ledger import (
    Bill,
    Cost,
    Ledger,
    Plan,
    Tokens,
    check_events,
    check_promises,
    epsilon_of,
    tables,
)
from sudare.ledger.plan import covers
from tests.cases import cases

TENTH, CHOICE = Cost.of(epsilon=0.1), Cost.of(epsilon=0.1).by("choice")
NOISE = Cost.of(rho=0.005).by("gaussian")
PLAN = "2 epsilon=0.1, 3 choice=0.1, 1 rho=0.005"


def ask(ledger: Ledger, cost: Cost, what: Any, name: str = "survey") -> Any:
    return ledger.pay([name], cost, {"what": what}, lambda: what)


def left(ledger: Ledger, name: str = "survey") -> dict[str, int]:
    rows = [ledger.account(name), *ledger.parts(name)]
    return {one.name.removeprefix(f"{name}: "): int(one.remaining) for one in rows}


def test_a_plan_pays_each_price_so_often(ledger: Ledger) -> None:
    opened = ledger.open("survey", delta=1e-6, plan=PLAN)
    assert (opened.unit, opened.budget) == ("plan for (0.7013, 0.000001)", 6)
    assert ledger.open("survey", delta=1e-6, plan=PLAN) == opened, "it stays as it is"
    whole = {"survey": 6, "epsilon=0.1": 2, "choice=0.1": 3, "rho=0.005": 1}
    assert left(ledger) == whole
    paid = ask(ledger, CHOICE, 1)
    assert paid.remaining == {
        "survey": 5, "survey: choice=0.1": 2, "survey: epsilon=0.1": 2, "survey: rho=0.005": 1,
    }  # fmt: skip
    ask(ledger, Cost.of(epsilon=0.01), 2)  # a smaller price takes a whole one
    ask(ledger, NOISE, 3)
    with pytest.raises(sd.BudgetExceeded, match=r"budget of survey: rho=0\.005 does not cover"):
        ask(ledger, NOISE, 4)
    for i in range(2):
        ask(ledger, CHOICE, 5 + i)
    ask(ledger, CHOICE, 7)  # pure ε covers a choice
    assert left(ledger) == dict.fromkeys(whole, 0)
    asked = []
    with pytest.raises(sd.BudgetExceeded):
        ledger.pay(["survey"], CHOICE, {"what": 8}, lambda: asked.append(1))
    assert not asked
    assert check_events(ledger.events()) == {
        "survey": 6, "survey: choice=0.1": 3, "survey: epsilon=0.1": 2, "survey: rho=0.005": 1,
    }  # fmt: skip
    body = ledger.events()[-1]["body"]
    assert body["accounts"] == {"survey": "1.0", "survey: epsilon=0.1": "1.0"}
    assert body["law"] == "choice"


def test_what_no_price_covers_is_refused(ledger: Ledger) -> None:
    ledger.open("survey", delta=1e-6, plan=PLAN)
    before = len(ledger.events())
    for cost in (
        Cost.of(epsilon=0.2),
        Cost.of(epsilon=0.11).by("choice"),
        Cost.of(rho=0.006).by("gaussian"),
        Cost.of(rho=0.001),  # noise of another law
    ):
        with pytest.raises(sd.PrivacyError, match="no price in its plan"):
            ask(ledger, cost, 1)
    with pytest.raises(sd.PrivacyError, match="is a part of another one"):
        ask(ledger, TENTH, 1, "survey: epsilon=0.1")
    assert len(ledger.events()) == before
    assert left(ledger)["survey"] == 6


def test_several_questions_all_or_none(ledger: Ledger) -> None:
    ledger.open("survey", delta=1e-6, plan=PLAN)
    ledger.open("ann", rho=1)

    def bills(*costs: Cost) -> list[Bill]:
        return [Bill(cost, {"what": i}, lambda: 1) for i, cost in enumerate(costs)]

    with pytest.raises(sd.BudgetExceeded):
        ledger.pay_all(["survey", "ann"], bills(NOISE, TENTH, NOISE))
    assert (left(ledger)["survey"], ledger.account("ann").spent) == (6, 0)
    with pytest.raises(sd.BudgetExceeded):
        ledger.check_all(["survey"], bills(TENTH, TENTH, TENTH))
    ledger.pay_all(["survey", "ann"], bills(CHOICE, TENTH, NOISE))
    assert left(ledger) == {"survey": 3, "epsilon=0.1": 1, "choice=0.1": 2, "rho=0.005": 0}
    assert ledger.account("ann").spent == Fraction(1, 800) + Fraction(1, 200) * 2
    again = ledger.pay_all(["survey", "ann"], bills(CHOICE, TENTH, NOISE), reuse=True)
    assert [one.reused for one in again] == [True] * 3
    assert left(ledger)["survey"] == 3
    keyed = [ledger.pay(["survey"], TENTH, {"k": 1}, lambda: 7, key="k") for _ in range(2)]
    assert [one.reused for one in keyed] == [False, True]
    assert left(ledger)["epsilon=0.1"] == 0


def test_a_plan_is_fixed_when_it_is_opened(ledger: Ledger) -> None:
    ledger.open("survey", delta=1e-6, plan=PLAN)
    ledger.open("other", epsilon=1)
    others: list[dict[str, Any]] = [
        {"delta": 1e-6, "plan": "2 epsilon=0.1, 3 choice=0.1"},
        {"delta": 1e-6, "plan": PLAN.replace("2 ", "3 ")},
        {"delta": 1e-7, "plan": PLAN},
        {"epsilon": 1},
        {"epsilon": 1, "delta": 1e-6},
    ]
    for budget in others:
        with pytest.raises(sd.DomainError, match="open with another budget"):
            ledger.open("survey", **budget)
    for name, budget in (
        ("survey", {"epsilon": 5}),
        ("survey", {"epsilon": 5, "delta": 1e-6}),
        ("survey: epsilon=0.1", {"epsilon": 5}),
        ("other", {"delta": 1e-6, "plan": PLAN}),
    ):
        with pytest.raises(sd.DomainError, match="is fixed when"):
            ledger.set_budget(name, **budget)


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"plan": "2 rho=0.01", "delta": 1e-6}])
def test_no_account_is_named_like_a_part_of_a_plan(ledger: Ledger, budget: Any) -> None:
    ledger.open("a", plan="3 epsilon=0.1", delta=1e-6)
    with pytest.raises(sd.DomainError, match="as a part of a plan"):
        ledger.open("a: epsilon=0.2", **budget)
    assert ledger.open("a: b", **budget).spent == 0


def test_an_account_keeps_epsilon_and_delta_by_rho(ledger: Ledger) -> None:
    """What it may spend in ρ keeps what it promises; a choice costs a quarter of pure ε."""
    one = ledger.open("ann", epsilon=2.42, delta=1e-6)
    assert one.unit == "rho for (2.42, 0.000001)"
    assert epsilon_of(one.budget, 1e-6) <= 2.42
    for i in range(100):
        ask(ledger, CHOICE, i, "ann")
    with pytest.raises(sd.BudgetExceeded, match="budget of ann"):
        ask(ledger, CHOICE, 100, "ann")
    assert ledger.account("ann").spent == Fraction(1, 8)
    raised = ledger.set_budget("ann", epsilon=3, delta=1e-6)
    assert (raised.unit, raised.spent) == ("rho for (3.0, 0.000001)", Fraction(1, 8))
    assert ledger.open("ann", epsilon=3, delta=1e-6) == raised
    ask(ledger, CHOICE, 100, "ann")
    for budget in ({"rho": 1}, {"epsilon": 3}, {"epsilon": 3, "delta": 1e-5}):
        with pytest.raises(sd.DomainError, match="unit"):
            ledger.set_budget("ann", **budget)
    check_events(ledger.events())


def test_a_sealed_plan_that_was_edited(tmp_path: Path) -> None:
    how: dict[str, Any] = {"key": b"0123456789abcdef", "anchor": tmp_path / "anchor"}
    path = str(tmp_path / "ledger.db")
    with Ledger(path, **how) as ledger:
        ledger.open("survey", delta=1e-6, plan=PLAN)
        ask(ledger, TENTH, 1)
    with Ledger(path, **how) as ledger:
        assert left(ledger)["epsilon=0.1"] == 1
    own = version_1.engine(path)
    with own.begin() as connection:
        connection.execute(
            sa.text("UPDATE sudare_account SET spent = '0' WHERE name = 'survey: epsilon=0.1'")
        )
    own.dispose()
    with pytest.raises(sd.StorageError):
        Ledger(path, **how)


def test_programs_of_the_version_before_refuse_a_ledger(where: str) -> None:
    """They would read a plan's unit as ρ; a ledger of theirs opens here, with all it holds."""
    with Ledger(where) as ledger:
        ledger.open("survey", epsilon=1)
        ask(ledger, TENTH, 1)
    own = version_1.engine(where)
    with own.begin() as connection:
        connection.execute(sa.text("UPDATE sudare_meta SET value = '3' WHERE name = 'version'"))
    own.dispose()
    with Ledger(where) as ledger:
        assert ledger.account("survey").remaining == Fraction(9, 10)
        ledger.open("planned", delta=1e-6, plan=PLAN)
        with ledger.reading() as opened:
            assert opened.meta("version") == str(tables.VERSION) == "4"


def farm(what: str, where: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, payers.__file__, what, where, *map(str, arguments)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )


@pytest.mark.slow
def test_two_processes_cannot_overspend_a_plan(where: str) -> None:
    with Ledger(where) as ledger:
        ledger.open("survey", delta=1e-6, plan="12 epsilon=0.001, 1 rho=0.1")
        processes = [farm("many", where, 10, name) for name in "ab"]
        answered = [int(one.communicate(timeout=120)[0]) for one in processes]
        assert sum(answered) == 12
        assert left(ledger) == {"survey": 1, "epsilon=0.001": 0, "rho=0.1": 1}
        assert check_events(ledger.events())["survey: epsilon=0.001"] == 12


@pytest.mark.slow
def test_a_plan_survives_kills_at_every_step(where: str) -> None:
    """Nothing that was answered was free; account and part are charged together, or neither."""
    points = ("locked", "checked", "reserved", "answered", "settled", "committed")
    with Ledger(where) as ledger, farm("killed", where) as process:
        ledger.open("survey", delta=1e-6, plan="500 epsilon=0.001")
        assert process.stdin is not None
        assert process.stdout is not None
        spent = 0
        for i in range(60):
            point, times = points[i % len(points)], 1 + i % 3
            process.stdin.write(f"{point} {times}\n")
            process.stdin.flush()
            answered, died = process.stdout.readline().split()
            assert (int(answered), died) == (times - 1, "True")
            spent += times - 1 + (point == "committed")
            assert left(ledger) == {"survey": 500 - spent, "epsilon=0.001": 500 - spent}
        process.stdin.close()
        assert check_events(ledger.events())["survey"] == spent > 60


@cases("seed", range(4))
def test_random_payments_never_exceed_a_plan(tmp_path: Path, seed: int) -> None:
    """Whatever is asked in whatever order: what was paid is covered by the plan, price by price."""
    rng = random.Random(seed)
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("survey", delta=1e-6, plan="5 epsilon=0.2, 4 epsilon=0.1, 6 choice=0.3")
        paid = []
        for i in range(60):
            cost = Cost.of(epsilon=rng.choice([0.05, 0.1, 0.15, 0.2, 0.3]))
            cost = cost.by("choice") if rng.random() < 0.5 else cost
            try:
                ask(ledger, cost, i)
            except (sd.BudgetExceeded, sd.PrivacyError):
                continue
            row = next(n for n in ledger.events()[-1]["body"]["accounts"] if ": " in n)
            paid.append((cost, row.removeprefix("survey: ")))
        check_events(ledger.events())
    counts = {"epsilon=0.2": 5, "epsilon=0.1": 4, "choice=0.3": 6}
    assert len(paid) >= 12
    for price, n in counts.items():
        assert sum(used == price for _, used in paid) <= n
        (item,) = Plan.parse(f"1 {price}").prices
        assert all(covers(item[1], cost) for cost, used in paid if used == price)


def test_an_auditor_finds_what_promises_too_much(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=1)
        ledger.open("ann", epsilon=1, delta=1e-6)
        ledger.set_budget("ann", epsilon=2, delta=1e-6)
        ledger.open("survey", delta=1e-6, plan=PLAN)
        ask(ledger, TENTH, 1)
        events = ledger.events()
    kept = {"ann": "rho for (2.0, 0.000001)", "survey": "plan for (0.7013, 0.000001)"}
    assert check_promises(events) == kept
    for unit, less in (
        ("rho for (2.0, 0.000001)", "rho for (1.99, 0.000001)"),
        ("rho for (1.0, 0.000001)", "rho for (1.0, 0.0000009)"),
        ("plan for (0.7013, 0.000001)", "plan for (0.7, 0.000001)"),
        ("plan for (0.7013, 0.000001)", "plan for (1/0, 0.000001)"),
        ("plan for (0.7013, 0.000001)", "plan for (0.7013, 2)"),
        ("survey: choice=0.1", "survey: choice=x"),
        ("survey: choice=0.1", "survey: choice=9"),
    ):
        edited = json.loads(json.dumps(events).replace(unit, less))
        with pytest.raises(sd.StorageError, match="look at account"):
            check_promises(edited)


def test_a_token_of_a_plan(ledger: Ledger) -> None:
    ledger.open("ann", delta=1e-6, plan="2 epsilon=0.1")
    tokens = Tokens(ledger)
    assert tokens.find(tokens.issue("ann", ["query:*"])) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "epsilon=1", "0 epsilon=1", "-1 epsilon=1", "1 epsilon=0", "1 epsilon=-1"),
        *("1 delta=1", "1 epsilon=x", "1.5 epsilon=1", "1 epsilon=1,", "1 choice=0.1 epsilon=1"),
        *("1 epsilon=0.1, 2 epsilon=0.1", "999999 epsilon=0.1", None, 5),
        ", ".join(f"1 rho={i}" for i in range(1, 22)),
    ],
)
def test_bad_plans(ledger: Ledger, text: Any) -> None:
    with pytest.raises(sd.SudareError):
        Plan.parse(text)
    with pytest.raises(sd.SudareError):
        ledger.open("survey", delta=1e-6, plan=text or "")
    assert ledger.accounts() == []


@pytest.mark.parametrize(
    "budget",
    [
        *({}, {"delta": 1e-6}, {"plan": PLAN}, {"rho": 1, "delta": 1e-6}),
        *({"epsilon": 1, "delta": 0}, {"epsilon": 1, "delta": "x"}, {"epsilon": 1, "rho": 1}),
        {"epsilon": 0.5, "delta": 1e-6, "plan": PLAN},
        {"rho": 1, "delta": 1e-6, "plan": PLAN},
    ],
)
def test_bad_budgets(ledger: Ledger, budget: Any) -> None:
    with pytest.raises(sd.SudareError):
        ledger.open("survey", **budget)
    assert ledger.accounts() == []


def test_bad_prices() -> None:
    for wrong in ((), ((1, Cost.of(rho=1)),), ((True, TENTH),), ((1, 0.1),), [(1, TENTH)]):
        with pytest.raises(sd.SudareError):
            Plan(wrong)
    assert str(Plan(((3, CHOICE), (1, NOISE)))) == "3 choice=0.1, 1 rho=0.005"
