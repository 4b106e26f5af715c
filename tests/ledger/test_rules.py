"""What an account may pay for, keys that pay once, sizes, and refusals before anything is done."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import pytest

import sudare as sd
from sudare.ledger import Bill, Cost, Ledger, bills, check_events

TENTH = Cost.of(epsilon=0.1)
ONE = "replace-one: one row may be others"
THREE = "replace-one: up to 3 rows of one person may be others"


def query(what: object, neighbours: str = ONE) -> dict[str, Any]:
    return {"neighbours": neighbours, "query": what}


def test_an_account_is_bound_by_its_first_payment(ledger: Ledger) -> None:
    for name in ("data", "ann", "other"):
        ledger.open(name, epsilon=1)
    ledger.pay(["data"], TENTH, {"query": "says nothing"}, lambda: 1)
    assert ledger.account("data").neighbours is None
    first = ledger.pay(["data", "ann"], TENTH, query(1), lambda: 1)
    assert {one.neighbours for one in ledger.accounts()} == {ONE, None}
    drawn: list[int] = []
    for wrong in (
        THREE,
        "replace-one: up to 4 rows of one person may be others",
        "add-remove: one row may be there or not",
    ):
        for payers in (["data"], ["other", "ann"]):
            with pytest.raises(sd.PrivacyError, match="open another account") as caught:
                ledger.pay(payers, TENTH, query(2, wrong), lambda: drawn.append(1))
            assert ONE in str(caught.value)
            assert wrong in str(caught.value)
    assert not drawn
    assert ledger.account("other").neighbours is None
    ledger.pay(["other"], TENTH, query(2, THREE), lambda: 1)
    assert ledger.pay(["data"], TENTH, query(1), lambda: 2, reuse=True).event == first.event
    assert ledger.pay(["data"], TENTH, query(3), lambda: 2).answer == 2
    assert ledger.account("data").spent == Fraction(3, 10)


def test_one_payment_binds_to_one(ledger: Ledger) -> None:
    ledger.open("data", epsilon=1)
    both = [Bill(TENTH, query(1, which), lambda: 1) for which in (ONE, THREE)]
    with pytest.raises(sd.PrivacyError):
        ledger.pay_all(["data"], both)
    assert (ledger.account("data").neighbours, ledger.account("data").spent) == (None, 0)


def test_a_key_pays_once(ledger: Ledger) -> None:
    ledger.open("data", epsilon=0.3)
    ledger.open("ann", epsilon=1)
    first = ledger.pay(["data", "ann"], TENTH, query(1), lambda: 5, key="k", by="ann")
    again = ledger.pay(["data", "ann"], TENTH, query(1), lambda: 6, key="k", by="ann")
    assert (again.answer, again.event, again.reused) == (5, first.event, True)
    assert ledger.account("ann").spent == Fraction(1, 10)
    for reuse in (False, True):
        with pytest.raises(sd.DomainError, match="key has paid for another query"):
            ledger.pay(["data"], TENTH, query(2), lambda: 7, key="k", by="ann", reuse=reuse)
    other = ledger.pay(["data"], TENTH, query(1), lambda: 8, key="k", by="bob")
    assert (other.answer, other.reused) == (8, False), "bob's key is not ann's"
    assert ledger.pay(["data"], TENTH, query(2), lambda: 9, key="k").answer == 9
    with pytest.raises(sd.BudgetExceeded):
        ledger.pay(["data"], TENTH, query(1), lambda: 6)
    kept = ledger.pay(["data", "ann"], TENTH, query(1), lambda: 6, key="k", by="ann")
    assert kept.answer == 5, "where nothing is left, what was paid for is still fetched"
    check_events(ledger.events())


def test_a_key_for_several(ledger: Ledger) -> None:
    ledger.open("data", epsilon=1)
    ledger.pay(["data"], TENTH, query("a"), lambda: 0)

    def pay(*names: str, reuse: bool = False) -> list[Any]:
        asked = [Bill(TENTH, query(name), lambda name=name: name) for name in names]
        paid = ledger.pay_all(["data"], asked, key="k", reuse=reuse)
        return [(one.answer, one.reused) for one in paid]

    assert pay("a", "b", "b", reuse=True) == [(0, True), ("b", False), ("b", True)]
    assert pay("a", "b", "b", reuse=True) == [(0, True), ("b", True), ("b", True)]
    assert ledger.account("data").spent == Fraction(1, 5)
    for wrong in (("b",), ("a", "b"), ("a", "b", "b", "c"), ("b", "a", "b")):
        with pytest.raises(sd.DomainError, match="another query"):
            pay(*wrong, reuse=True)


def test_a_key_that_many_use_at_once_pays_once(ledger: Ledger) -> None:
    ledger.open("data", epsilon=1)

    def pay(i: int) -> Any:
        return ledger.pay(["data"], TENTH, query(1), lambda: i, key="k").answer

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(pay, range(16)))) == 1
    assert ledger.account("data").spent == Fraction(1, 10)


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb", 5, b"k", "\ud800"])
def test_bad_keys(ledger: Ledger, key: Any) -> None:
    ledger.open("data", epsilon=1)
    with pytest.raises(sd.SudareError, match=r"^key"):
        ledger.pay(["data"], TENTH, query(1), lambda: 1, key=key)
    assert ledger.account("data").spent == 0


def test_sizes_are_bounded(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.open("data", epsilon=1)
    drawn: list[int] = []
    with pytest.raises(sd.DomainError, match=r"query must be at most 1,048,576 bytes"):
        ledger.pay(["data"], TENTH, query("é" * (1 << 19)), lambda: drawn.append(1))
    assert not drawn
    big = "x" * bills.MOST_ANSWER
    with pytest.raises(sd.DomainError, match=r"answer must be at most 16,777,216 bytes"):
        ledger.pay(["data"], TENTH, query(1), lambda: big)
    assert ledger.account("data").spent == 0
    assert len(ledger.events()) == 1
    assert len(ledger.pay(["data"], TENTH, query(1), lambda: big[2:]).answer) == len(big) - 2


def test_what_would_be_refused_is_known_before(ledger: Ledger) -> None:
    ledger.open("data", epsilon=0.1)
    called: list[int] = []

    def one(what: object, neighbours: str = ONE) -> list[Bill]:
        return [Bill(TENTH, query(what, neighbours), lambda: called.append(1))]

    ledger.check_all(["data"], one(1))
    paid = ledger.pay(["data"], TENTH, query(1), lambda: 1, key="k")
    ledger.check_all(["data"], one(1), reuse=True)
    ledger.check_all(["data"], one(1), key="k")
    with pytest.raises(sd.BudgetExceeded):
        ledger.check_all(["data"], one(1))
    with pytest.raises(sd.BudgetExceeded):
        ledger.check_all(["data"], one(2), reuse=True)
    with pytest.raises(sd.DomainError, match="another query"):
        ledger.check_all(["data"], one(2), key="k")
    with pytest.raises(sd.PrivacyError):
        ledger.check_all(["data"], one(2, THREE))
    assert not called
    assert ledger.events()[-1]["number"] == paid.event
