"""Who pays for a data set's answers: a budget in memory, or accounts of a ledger."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from sudare.errors import DomainError, PrivacyError, WrongTypeError
from sudare.ledger import Bill, Charge, Cost, Due, Ledger, Paid, admit, spent
from sudare.ledger.costs import Unit


@dataclass
class MemoryAccount:
    """A budget that is counted in memory, by the process that opened it: gone with it.

    Args:
        budget: None for no limit; what is spent is counted all the same.
        delta: what was spent of the budget's δ.
    """

    budget: Cost | None = None
    spent: Fraction = Fraction(0)
    unit: Unit = "epsilon"
    delta: Fraction = Fraction(0)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _process: int = field(default_factory=os.getpid, repr=False)

    def __post_init__(self) -> None:
        if self.budget is not None:
            self.unit = self.budget.unit

    def check(self, bills: Sequence[Bill], *, reuse: bool) -> list[Due]:
        """Refuse what cannot be paid now; return what would be charged."""
        if self._process != os.getpid():  # before the lock, which may have been held at the fork
            raise PrivacyError(
                "budget",
                "is counted by the process that opened it: each copy would spend all of it",
                "use a ledger in a file: ledger=sudare.ledger.Ledger(path)",
            )
        if reuse:
            raise DomainError("reuse", "needs a ledger, which keeps the answers", "give ledger=")
        charges, _, after, delta = self._charged(bills)
        left = self._left(after, delta)
        return [
            Due({"budget": one.epsilon, **_beside(bill.cost.delta)}, False, left)
            for one, bill in zip(charges, bills, strict=True)
        ]

    def pay(self, bills: Sequence[Bill], *, reuse: bool) -> list[Paid]:
        """Charge, answer, and remember nothing but the sum; one payment at a time."""
        self.check(bills, reuse=reuse)
        with self._lock:
            _, unit, after, delta = self._charged(bills)
            given = [one.answer() for one in bills]
            self.unit, self.spent, self.delta = unit, after, delta
        return [Paid(one, 0, False, self._left(after, delta)) for one in given]

    def _left(self, after: Fraction, delta: Fraction) -> dict[str, Fraction]:
        if self.budget is None:
            return {}
        beside = {"budget: delta": self.budget.delta - delta} if self.budget.delta else {}
        return {"budget": self.budget.amount - after, **beside}

    def __reduce__(self) -> NoReturn:
        raise WrongTypeError("budget", "must not be copied: two copies spend twice", "use a ledger")

    def _charged(self, bills: Sequence[Bill]) -> tuple[list[Charge], Unit, Fraction, Fraction]:
        """Return the charges, their unit, and what would be spent after them, of δ too."""
        delta = sum((one.cost.delta for one in bills), start=self.delta)
        if delta > (0 if self.budget is None else self.budget.delta):
            if self.budget is None or not self.budget.delta:
                raise PrivacyError(
                    "budget",
                    "has no δ for keys that nobody listed: such an answer keeps (ε, δ), never ε "
                    "alone",
                    "give budget=Cost.of(epsilon=1, delta=1e-6) or --keys 1e-6, or list the keys",
                )
            beside = [Charge("budget", "query", one.cost.delta) for one in bills]
            admit(beside, self.delta, self.budget.delta)
        unit, already = self.unit, self.spent
        if self.budget is None and any(one.cost.unit == "rho" for one in bills):
            already = already if unit == "rho" else already**2 / 2
            unit = "rho"
        charges = [Charge("budget", "query", one.cost.within(unit).amount) for one in bills]
        if self.budget is not None:
            admit(charges, already, self.budget.amount)
        return charges, unit, already + spent(charges), delta


def _beside(delta: Fraction) -> dict[str, Fraction]:
    return {"budget: delta": delta} if delta else {}


@dataclass(frozen=True)
class LedgerAccounts:
    """Accounts of a ledger that pay together.

    Args:
        ledger: open.
        names: of the accounts.
        key: under which a query is paid once, or None.
        by: the account whose key it is, or None for all that pay.
    """

    ledger: Ledger
    names: tuple[str, ...]
    key: str | None = None
    by: str | None = None

    def check(self, bills: Sequence[Bill], *, reuse: bool) -> list[Due]:
        """Refuse what cannot be paid now; return what would be charged."""
        return self.ledger.check_all(self.names, bills, reuse=reuse, key=self.key, by=self.by)

    def pay(self, bills: Sequence[Bill], *, reuse: bool) -> list[Paid]:
        """Charge all of them and answer, in one transaction of the ledger."""
        return self.ledger.pay_all(self.names, bills, reuse=reuse, key=self.key, by=self.by)


def as_account(
    budget: object, ledger: object, accounts: object, name: str
) -> MemoryAccount | LedgerAccounts:
    """Return who pays: a budget in memory, or accounts of a ledger, which have their own."""
    if ledger is None:
        if accounts is not None:
            raise DomainError("accounts", "need a ledger", "give ledger=")
        if budget is not None and not isinstance(budget, Cost):
            budget = Cost.of(epsilon=budget)
        return MemoryAccount(budget)
    if not isinstance(ledger, Ledger):
        raise WrongTypeError("ledger", "must be a Ledger", "such as sudare.ledger.Ledger(path)")
    if budget is not None:
        raise DomainError("budget", "stands in the ledger's account", "open it there")
    names = (name,) if accounts is None else accounts
    if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names):
        raise WrongTypeError("accounts", "must be names", 'such as ["survey", "analyst"]')
    return LedgerAccounts(ledger, tuple(names))


def priced(query: dict[str, Any], cost: Cost) -> dict[str, Any]:
    """Return a query with what is paid for it: another price is another query."""
    return {**query, "cost": cost.exact}
