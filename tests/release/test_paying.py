"""Who pays and when: forks, keys, refusals before the data are worked on, bound accounts."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.ledger import Cost, Ledger
from sudare.release import Dataset
from sudare.release.ask import batch
from sudare.release.private_data import PrivateData
from tests.cases import cases

FRAME = {"score": [60, 70] * 500, "sex": ["f", "m"] * 500, "who": [i // 2 for i in range(1000)]}
BOUNDS = {"score": (0, 100)}


def held(**options: Any) -> Dataset:
    return Dataset(FRAME, bounds=BOUNDS, **options)


def in_a_child(work: Callable[[], object]) -> str:
    """Do something after a fork; return what came of it."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            said = f"answered {work()}"
        except sd.SudareError as error:
            said = f"{type(error).__name__}: {error}"
        except BaseException as error:  # noqa: BLE001 - a child must end here
            said = f"failed {error!r}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_budget_in_memory_does_not_multiply_over_forks() -> None:
    """Eight workers would each spend all of it; the lock may be held where the fork happens."""
    for budget in (1, None):
        db = held(budget=budget)
        with db._payer._lock:
            told = {in_a_child(lambda db=db: db.mean("score", epsilon=1)) for _ in range(8)}
        (one,) = told
        assert one.startswith("PrivacyError: budget is counted by the process that opened it")
        assert "use a ledger in a file" in one
        assert db.mean("score", epsilon=1).epsilon == 1
        assert db.spent == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_ledger_in_a_file_does_what_the_error_says(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=3)
        db = held(ledger=ledger)
        told = [in_a_child(lambda: db.mean("score", epsilon=1).epsilon) for _ in range(5)]
        assert told[:3] == ["answered 1.0"] * 3
        assert all(one.startswith("BudgetExceeded") for one in told[3:])


ASKS: dict[str, Callable[[Dataset, Any], Any]] = {
    "count": lambda db, e: db.count("sex", "f", epsilon=e),
    "missing": lambda db, e: db.count_missing("sex", epsilon=e),
    "present": lambda db, e: db.count_present("sex", epsilon=e),
    "sum": lambda db, e: db.sum("score", epsilon=e),
    "mean": lambda db, e: db.mean("score", epsilon=e),
    "variance": lambda db, e: db.variance("score", epsilon=e),
    "quantile": lambda db, e: db.quantile("score", 0.9, epsilon=e),
    "median": lambda db, e: db.median("score", epsilon=e),
    "max": lambda db, e: db.max("score", epsilon=e),
    "min": lambda db, e: db.min("score", epsilon=e),
    "histogram": lambda db, e: db.histogram("sex", ["f", "m"], epsilon=e),
    "mode": lambda db, e: db.mode("sex", ["f", "m"], epsilon=e),
    "group count": lambda db, e: db.group_by("sex", ["f", "m"]).count(epsilon=e),
    "group sum": lambda db, e: db.group_by("sex", ["f", "m"]).sum("score", epsilon=e),
    "group mean": lambda db, e: db.group_by("sex", ["f", "m"]).mean("score", epsilon=e),
    "batch": lambda db, e: batch(db, ["mean:score", "count:sex=f"], Cost.of(epsilon=e)),
}


class Touched(AssertionError):
    """The data were looked at."""


@cases("ask", ASKS.values(), parts=2)
@cases("options", [{}, {"neighbours": "add-remove"}, {"unit": ("who", 2)}])
def test_what_cannot_be_paid_is_refused_before_the_data_are_worked_on(
    ask: Callable[[Dataset, Any], Any],
    options: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=1)
        both = (held(budget=1, **options), held(ledger=ledger, **options))
        asked: list[int] = []
        columns, numbers = PrivateData.column, PrivateData.numbers

        def column(self: PrivateData, name: object) -> Any:
            asked.append(columns(self, name).missing.size)
            return columns(self, name)

        def number(self: PrivateData, name: object) -> Any:
            asked.append(numbers(self, name).steps.size)
            return numbers(self, name)

        monkeypatch.setattr(PrivateData, "column", column)
        monkeypatch.setattr(PrivateData, "numbers", number)
        for db in both:
            asked.clear()
            with pytest.raises(sd.BudgetExceeded):
                ask(db, 2)
            assert set(asked) == {0}, "no row was seen"
            ask(db, 1)
            assert 1000 in asked
        assert ledger.account("data").remaining == 0


def test_a_question_is_the_same_without_the_data() -> None:
    """What is asked and what it costs cannot depend on the rows: the record is found by it."""
    db = held()
    emptied = held()
    emptied.held = db.held.emptied()
    for one in ("mean:score", "count:sex=f", "median:score", "sum:score@sex=f,m", "max:score"):
        bills = [sd.release.Ask.parse(one).of(it, Cost.of(epsilon=1)).bill for it in (db, emptied)]
        assert bills[0].query == bills[1].query
        assert bills[0].cost == bills[1].cost


def test_a_lost_answer_is_fetched(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=0.1)
        db = held(ledger=ledger)
        first = db.once("k").mean("score", epsilon=0.1)
        again = db.once("k").mean("score", epsilon=0.1)
        assert (again.value, again.reused, again.event) == (first.value, True, first.event)
        with pytest.raises(sd.DomainError, match="another query"):
            db.once("k").mean("score", epsilon=0.05)
        with pytest.raises(sd.BudgetExceeded):
            db.once("l").mean("score", epsilon=0.1)
        assert ledger.account("data").spent == Fraction(1, 10)
        ledger.set_budget("data", epsilon=1)
        asks = ["mean:score", "count:sex=f"]
        two = batch(db.once("m"), asks, Cost.of(epsilon=0.2))
        same = batch(db.once("m"), asks, Cost.of(epsilon=0.2))
        assert [one.value for one in same] == [one.value for one in two]
        assert ledger.account("data").spent == Fraction(3, 10)
        with pytest.raises(sd.DomainError, match="another query"):
            batch(db.once("m"), asks[::-1], Cost.of(epsilon=0.2))
    with pytest.raises(sd.DomainError, match="needs a ledger"):
        held(budget=1).once("k")


def test_an_account_is_of_one_relation_and_one_unit(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=9)
        held(ledger=ledger, unit=("who", 2)).mean("score", epsilon=1)
        for options in (
            {},
            {"unit": ("who", 3)},
            {"unit": ("score", 2)},
            {"unit": ("who", 2), "neighbours": "add-remove"},
        ):
            with pytest.raises(sd.PrivacyError, match="open another account") as caught:
                held(ledger=ledger, **options).mean("score", epsilon=1)
            assert "up to 2 rows of one who may be others" in str(caught.value)
        held(ledger=ledger, unit=("who", 2)).sum("score", epsilon=1)
        assert ledger.account("data").spent == 2
