"""``Ledger``: budgets that survive, payments that are never lost, answers that are never free."""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.errors import BudgetExceeded, DomainError, StorageError, WrongTypeError
from sudare.exact import exact_text
from sudare.ledger.budget import Charge, admit, spent
from sudare.ledger.chain import as_json
from sudare.ledger.costs import Cost
from sudare.ledger.opened import Account, Opened

MOST_NAME = 200


@dataclass(frozen=True, slots=True)
class Paid:
    """An answer, and what was paid for it.

    Attributes:
        answer: JSON data.
        event: number of the event that records it.
        reused: it was on record, and cost nothing now.
        remaining: of each account, after this.
    """

    answer: Any
    event: int
    reused: bool
    remaining: Mapping[str, Fraction]


@dataclass(frozen=True, eq=False)
class Bill:
    """A query to be paid for and answered.

    Attributes:
        cost: what each account pays, in its own unit.
        query: JSON data that says what is asked, without data values.
        answer: called once the budget is reserved; returns JSON data.
    """

    cost: Cost
    query: Mapping[str, Any]
    answer: Callable[[], Any]


class Ledger:
    """Accounts of privacy, in a file or a PostgreSQL database.

    A payment checks, reserves, answers and settles in one transaction: either the cost is on
    record and the answer beside it, or nothing has happened. What a process has in hand when it
    is killed was never returned. A second process waits for the first.

    Args:
        where: path of a SQLite file, made if there is none; or a ``postgresql://`` URL.

    Raises:
        StorageError: no such database.
        MissingExtraError: SQLAlchemy, or psycopg for PostgreSQL, is not installed.

    Examples:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> ledger = Ledger(folder.name + "/ledger.db")
        >>> _ = ledger.open("survey", epsilon=1)
        >>> paid = ledger.pay(["survey"], Cost.of(epsilon=0.4), {"count": "all"}, lambda: 42)
        >>> paid.answer, ledger.account("survey").remaining
        (42, Fraction(3, 5))
        >>> ledger.pay(["survey"], Cost.of(epsilon=0.7), {"count": "men"}, lambda: 20)
        Traceback (most recent call last):
        ...
        sudare.errors.BudgetExceeded: budget of survey does not cover this charge: ...
        >>> ledger.close(); folder.cleanup()
    """

    def __init__(self, where: str | os.PathLike[str]) -> None:
        from sudare.ledger import tables

        if not isinstance(where, str | os.PathLike):
            raise WrongTypeError("where", "must be a path or a URL", "such as ledger.db")
        self._tables = tables
        self._engine = tables.open_engine(where)
        self._pid = os.getpid()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- accounts ----------------------------------------------------------------------------

    def open(self, name: str, *, epsilon: object = None, rho: object = None) -> Account:
        """Open an account with a budget; one that is open with the same budget stays as it is.

        Raises:
            WrongTypeError, PrivacyError: no such name or budget.
            DomainError: it is open with another budget: use :meth:`set_budget`.
        """
        budget = Cost.of(epsilon=epsilon, rho=rho)
        own = as_name(name)
        with self.writing() as ledger:
            known = ledger.accounts([own], missing_ok=True)
            if known:
                if (known[0].unit, known[0].budget) != (budget.unit, budget.amount):
                    raise DomainError(
                        "account",
                        "is open with another budget",
                        "use set_budget: sudare ledger budget",
                        got=own,
                    )
                return known[0]
            ledger.insert(own, budget)
            ledger.append("open", {"account": own, "unit": budget.unit}, budget.amount)
        return Account(own, budget.unit, budget.amount, Fraction(0))

    def set_budget(self, name: str, *, epsilon: object = None, rho: object = None) -> Account:
        """Give an account another budget, in its unit; what is spent stays spent.

        Raises:
            WrongTypeError, PrivacyError, DomainError: no such account or budget.
        """
        budget = Cost.of(epsilon=epsilon, rho=rho)
        with self.writing() as ledger:
            (known,) = ledger.accounts([as_name(name)])
            if known.unit != budget.unit:
                raise DomainError(budget.unit, "is not the account's unit", f"give {known.unit}")
            ledger.set(known.name, budget=budget.amount)
            ledger.append("budget", {"account": known.name, "unit": known.unit}, budget.amount)
        return Account(known.name, known.unit, budget.amount, known.spent)

    def account(self, name: str) -> Account:
        """Return an account.

        Raises:
            WrongTypeError, DomainError: there is none of that name.
        """
        with self.reading() as ledger:
            (known,) = ledger.accounts([as_name(name)])
        return known

    def accounts(self) -> list[Account]:
        """Return all accounts, by name."""
        with self.reading() as ledger:
            return ledger.accounts(None)

    # -- payments ----------------------------------------------------------------------------

    def pay(
        self,
        accounts: Sequence[str],
        cost: Cost,
        query: Mapping[str, Any],
        answer: Callable[[], Any],
        *,
        reuse: bool = False,
    ) -> Paid:
        """Charge accounts for a query and answer it: all of it, or nothing.

        Args:
            accounts: names of all that pay, such as a data set's and an analyst's.
            cost: what each pays, in its own unit.
            query: JSON data that says what was asked, without data values.
            answer: called once the budget is reserved; returns JSON data. What it raises is
                passed on, and nothing is charged.
            reuse: if the same query is on record, return its answer at no cost.

        Raises:
            BudgetExceeded: an account cannot pay; nothing has changed.
            WrongTypeError, DomainError, PrivacyError: no such accounts, cost or query.
            StorageError: the database cannot be reached; nothing was charged unless it was when
                the connection broke, and no answer is given.
        """
        (paid,) = self.pay_all(accounts, [Bill(cost, query, answer)], reuse=reuse)
        return paid

    def pay_all(
        self, accounts: Sequence[str], bills: Sequence[Bill], *, reuse: bool = False
    ) -> list[Paid]:
        """Charge accounts for several queries and answer them: all of them, or nothing.

        Args:
            accounts: names of all that pay, as of :meth:`pay`.
            bills: the queries; each becomes an event of its own.
            reuse: those on record, or twice among these, are answered once and paid once.

        Raises:
            BudgetExceeded: an account cannot pay for all; nothing has changed.
            WrongTypeError, DomainError, PrivacyError, StorageError: as :meth:`pay`.
        """
        names = sorted({as_name(name) for name in as_names(accounts)})
        asked = [_Marked.of(bill) for bill in as_bills(bills)]
        with self.writing() as ledger:
            step("locked")
            payers = ledger.accounts(names)
            known = {one.mark: ledger.recorded(one.mark) for one in asked if reuse}
            due = [one for one in asked if known.get(one.mark) is None]
            if reuse:
                due = list({one.mark: one for one in reversed(due)}.values())[::-1]
            left = {payer.name: self._admitted(payer, due) for payer in payers}
            step("checked")
            for payer in payers if due else ():
                ledger.set(payer.name, spent=payer.budget - left[payer.name])
            step("reserved")
            drawn = [one.bill.answer() for one in due]
            step("answered")
            paid = {
                id(one): self._settled(ledger, one, payers, given)
                for one, given in zip(due, drawn, strict=True)
            }
            first = {one.mark: paid[id(one)] for one in reversed(due)}
            step("settled")
        step("committed")
        out = []
        for one in asked:
            fresh = paid.get(id(one))
            number, given = fresh or known.get(one.mark) or first[one.mark]
            out.append(Paid(given, number, fresh is None, left))
        return out

    @staticmethod
    def _admitted(account: Account, due: Sequence[_Marked]) -> Fraction:
        """Return what is left of an account after these queries."""
        if not due:
            return account.remaining
        charges = [
            Charge(account.name, "query", one.bill.cost.within(account.unit).amount) for one in due
        ]
        try:
            admit(charges, account.spent, account.budget)
        except BudgetExceeded as error:
            raise BudgetExceeded(
                f"budget of {account.name}",
                requested=error.requested,
                remaining=error.remaining,
                short_by=error.short_by,
                remedy="pay less, take an answer on record (reuse), or have the budget raised",
            ) from None
        return account.remaining - spent(charges)

    @staticmethod
    def _settled(
        ledger: Opened, one: _Marked, payers: Sequence[Account], given: Any
    ) -> tuple[int, Any]:
        """Record a query with its answer; returns the event's number and the answer as kept."""
        cost = one.bill.cost
        body = {
            "accounts": {
                payer.name: exact_text(cost.within(payer.unit).amount) for payer in payers
            },
            "cost": {cost.unit: exact_text(cost.amount)},
            "query": json.loads(one.text),
            "answer": json.loads(as_json(given, "answer")),
        }
        return ledger.append("query", body, None, one.mark), body["answer"]

    # -- the record --------------------------------------------------------------------------

    def events(self) -> list[dict[str, Any]]:
        """Return all events in their order, as JSON data: for auditors.

        Each has its number, kind, UTC time and body, and the hash of itself and all before it.
        """
        with self.reading() as ledger:
            return ledger.events()

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write all events as JSON lines; returns how many. :func:`check_events` reads them.

        Raises:
            StorageError: the file cannot be written.
        """
        lines = [json.dumps(one, ensure_ascii=False, sort_keys=True) for one in self.events()]
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines)
        except OSError as error:
            raise StorageError("path", "must be a file that can be written") from error
        return len(lines)

    def writing(self) -> AbstractContextManager[Opened]:
        """Return a transaction that has the ledger to itself: for other rooms of the ledger."""
        return self._transaction(write=True)

    def reading(self) -> AbstractContextManager[Opened]:
        """Return a transaction that waits for nobody."""
        return self._transaction(write=False)

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Opened]:
        import sqlalchemy as sa

        if self._pid != os.getpid():  # after a fork: the connections are the parent's
            self._engine.dispose(close=False)
            self._pid = os.getpid()
        engine = self._engine if write else self._engine.execution_options(reads=True)
        try:
            with engine.begin() as connection:
                yield Opened(connection, self._tables, write=write)
        except sa.exc.SQLAlchemyError as error:
            inner = getattr(error, "orig", None)
            name = getattr(inner, "sqlite_errorname", type(inner or error).__name__)
            raise StorageError(
                "ledger", f"could not be used: {name}", "try again; nothing was answered"
            ) from None


@dataclass(frozen=True, eq=False)
class _Marked:
    """A bill with the canonical text of its query, and the hash by which it is found again."""

    bill: Bill
    text: str
    mark: str

    @classmethod
    def of(cls, bill: Bill) -> _Marked:
        if not isinstance(bill.cost, Cost):
            raise WrongTypeError("cost", "must be a Cost", "such as Cost.of(epsilon=0.1)")
        text = as_json(bill.query, "query")
        return cls(bill, text, hashlib.sha256(text.encode()).hexdigest())


def step(name: str) -> None:
    """Do nothing. Tests stop the process at each of these points of a payment."""


def as_name(name: object) -> str:
    """Return the name of an account: text of 1 to 200 printable characters, written one way."""
    if not isinstance(name, str):
        raise WrongTypeError("account", "must be text", "name the account")
    if not 0 < len(name) <= MOST_NAME or not name.isprintable():
        raise DomainError("account", f"must be 1 to {MOST_NAME} printable characters")
    if name != unicodedata.normalize("NFC", name).strip():
        raise DomainError("account", "must be in normal form C, without spaces around it")
    return name


def as_names(names: object) -> list[Any]:
    """Return a list of at least one name."""
    if not isinstance(names, list | tuple) or not names:
        raise WrongTypeError("accounts", "must be a list of names", 'such as ["survey"]')
    return list(names)


def as_bills(bills: object) -> list[Bill]:
    """Return at least one bill."""
    if not isinstance(bills, list | tuple) or not bills:
        raise WrongTypeError("bills", "must be a list of bills", "one for each query")
    if not all(isinstance(one, Bill) and callable(one.answer) for one in bills):
        raise WrongTypeError("bills", "must be bills", "such as Bill(cost, query, answer)")
    return list(bills)
