"""Who pays for a data set's answers: a budget in memory, or accounts of a ledger."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from sudare.errors import DomainError, WrongTypeError
from sudare.exact import exact_text
from sudare.ledger import Bill, Charge, Cost, Ledger, Paid, admit, spent
from sudare.ledger.costs import Unit


@dataclass
class Purse:
    """A budget that is counted in memory: gone with the process.

    Args:
        budget: None for no limit; what is spent is counted all the same.
    """

    budget: Cost | None = None
    spent: Fraction = Fraction(0)
    unit: Unit = "epsilon"
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        if self.budget is not None:
            self.unit = self.budget.unit

    def pay(self, bills: Sequence[Bill], *, reuse: bool) -> list[Paid]:
        """Charge, answer, and remember nothing but the sum; one payment at a time."""
        if reuse:
            raise DomainError("reuse", "needs a ledger, which keeps the answers", "give ledger=")
        with self._lock:
            return self._paid(bills)

    def __reduce__(self) -> NoReturn:
        raise WrongTypeError("budget", "must not be copied: two copies spend twice", "use a ledger")

    def _paid(self, bills: Sequence[Bill]) -> list[Paid]:
        unit, already = self.unit, self.spent
        if self.budget is None and any(one.cost.unit == "rho" for one in bills):
            already = already if unit == "rho" else already**2 / 2
            unit = "rho"
        charges = [Charge("budget", "query", one.cost.within(unit).amount) for one in bills]
        if self.budget is not None:
            admit(charges, already, self.budget.amount)
        given = [one.answer() for one in bills]
        self.unit, self.spent = unit, already + spent(charges)
        left = {} if self.budget is None else {"budget": self.budget.amount - self.spent}
        return [Paid(one, 0, False, left) for one in given]


@dataclass(frozen=True)
class Accounts:
    """Accounts of a ledger that pay together.

    Args:
        ledger: open.
        names: of the accounts.
    """

    ledger: Ledger
    names: tuple[str, ...]

    def pay(self, bills: Sequence[Bill], *, reuse: bool) -> list[Paid]:
        """Charge all of them and answer, in one transaction of the ledger."""
        return self.ledger.pay_all(self.names, bills, reuse=reuse)


def payer(budget: object, ledger: object, accounts: object, name: str) -> Purse | Accounts:
    """Return who pays.

    Raises:
        WrongTypeError: no such budget, ledger or accounts.
        DomainError: a budget beside a ledger: the ledger's accounts have their own.
    """
    if ledger is None:
        if accounts is not None:
            raise DomainError("accounts", "need a ledger", "give ledger=")
        if budget is not None and not isinstance(budget, Cost):
            budget = Cost.of(epsilon=budget)
        return Purse(budget)
    if not isinstance(ledger, Ledger):
        raise WrongTypeError("ledger", "must be a Ledger", "such as sudare.ledger.Ledger(path)")
    if budget is not None:
        raise DomainError("budget", "stands in the ledger's account", "open it there")
    names = (name,) if accounts is None else accounts
    if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names):
        raise WrongTypeError("accounts", "must be names", 'such as ["survey", "analyst"]')
    return Accounts(ledger, tuple(names))


def priced(query: dict[str, Any], cost: Cost) -> dict[str, Any]:
    """Return a query with what is paid for it: another price is another query."""
    return {**query, "cost": {cost.unit: exact_text(cost.amount)}}
