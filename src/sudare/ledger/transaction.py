"""A ledger within one transaction: its accounts and its events."""

from __future__ import annotations

import hmac
import json
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from sudare.errors import DomainError, PrivacyError, StorageError, WrongTypeError
from sudare.exact import exact_text
from sudare.ledger.chain import START, as_json, digest, link
from sudare.ledger.costs import UNITS, Cost
from sudare.ledger.plan import DELTA, QUESTIONS, Budget, part_name, part_prices

MOST_BITS = 10_000
"""Of the denominator of what an account has spent."""


MOST_NAME = 200


def as_name(name: object) -> str:
    """Return the name of an account: text of 1 to 200 printable characters, written one way."""
    if not isinstance(name, str):
        raise WrongTypeError("account", "must be text", "name the account")
    if not 0 < len(name) <= MOST_NAME or not name.isprintable():
        raise DomainError("account", f"must be 1 to {MOST_NAME} printable characters")
    if name != unicodedata.normalize("NFC", name).strip():
        raise DomainError("account", "must be in normal form C, without spaces around it")
    return name


@dataclass(frozen=True, slots=True)
class Account:
    """A budget and what is left of it.

    Attributes:
        name: whose, or of what.
        unit: ``"epsilon"``, ``"rho"``, ``"rho for (ε, δ)"``, ``"plan for (ε, δ)"``, or of a part
            of a plan ``"questions"``, or ``"delta"``, what it may spend on keys nobody listed.
        budget, spent: exact; of a plan and its parts numbers of questions.
        neighbours: whom the answers protect that it pays for, from its first payment on.
    """

    name: str
    unit: str
    budget: Fraction
    spent: Fraction
    neighbours: str | None = None

    @property
    def remaining(self) -> Fraction:
        """What can still be spent: 0 where the budget was made smaller than what is spent."""
        return max(self.balance, Fraction(0))

    @property
    def balance(self) -> Fraction:
        """The budget less what is spent, of which what is spent can be told: it may be below 0."""
        return self.budget - self.spent

    @property
    def counts(self) -> str:
        """What is counted: ``"epsilon"``, ``"rho"``, or the questions of a plan."""
        return self.unit.partition(" ")[0]

    def price(self, cost: Cost) -> Fraction:
        """Return what a cost comes to in an account of ε or ρ.

        Raises:
            PrivacyError: it cannot be paid in this unit.
        """
        for unit in UNITS:
            if unit == self.counts:
                return cost.within(unit).amount
        raise PrivacyError(
            f"account {self.name}", "is a part of another one", "name the account that it is of"
        )


class LedgerTransaction:
    """A ledger within one transaction; a writing one has it to itself.

    ``sign`` seals an event: what it says and what it is found by; None for a ledger without a key.
    """

    def __init__(
        self, connection: Any, tables: Any, *, write: bool, sign: Callable[..., str] | None = None
    ) -> None:
        self._connection, self.tables, self._sign = connection, tables, sign
        if write:
            tables.lock(connection)

    def execute(self, statement: Any) -> Any:
        """Execute a statement of SQLAlchemy."""
        return self._connection.execute(statement)

    def accounts(self, names: list[str] | None, *, missing_ok: bool = False) -> list[Account]:
        """Return the accounts of these names, or all; by name."""
        table = self.tables.ACCOUNT
        chosen = table.select().order_by(table.c.name)
        if names is not None:
            chosen = chosen.where(table.c.name.in_(names))
        rows = self.execute(chosen).all()
        try:
            out = [
                Account(r.name, r.unit, Fraction(r.budget), Fraction(r.spent), r.neighbours)
                for r in rows
            ]
        except (ValueError, ArithmeticError):
            raise StorageError(
                "ledger", "must hold budgets as fractions", "see its events"
            ) from None
        if names is not None and not missing_ok and len(out) < len(names):
            first = min(set(names) - {one.name for one in out})
            remedy = "open it with a budget first (sudare ledger open), or name an open one"
            raise DomainError("account", "must be open", remedy, got=first)
        return out

    def parts(self, account: Account) -> dict[str, tuple[Cost, Account]]:
        """Return price and row of each part of an account's plan, by its name; none without one."""
        if account.counts != "plan":
            return {}
        table = self.tables.ACCOUNT
        rows = self.execute(table.select().where(table.c.unit == QUESTIONS)).all()
        prices = part_prices(account.name, [row.name for row in rows])
        found = self.accounts(list(prices)) if prices else []
        return {one.name: (prices[one.name], one) for one in found}

    def beside(self, account: Account) -> Account | None:
        """Return what an account may spend of δ on keys that nobody listed; None for nothing."""
        name = part_name(account.name, DELTA)
        found = self.accounts([name], missing_ok=True) if len(name) <= MOST_NAME else []
        return next((one for one in found if one.unit == DELTA), None)

    def insert(self, name: str, budget: Budget) -> None:
        """Add an account, and the event that opens it."""
        row = {"name": name, "unit": budget.unit, "budget": exact_text(budget.amount), "spent": "0"}
        self.execute(self.tables.ACCOUNT.insert().values(row))
        self.append("open", {"account": name, "unit": budget.unit}, budget.amount)

    def set(self, name: str, *, unit: str | None = None, **amounts: Fraction) -> None:
        """Set ``budget``, ``spent`` or unit of an account, no longer fractions than it can hold."""
        if any(one.denominator.bit_length() > MOST_BITS for one in amounts.values()):
            raise DomainError(
                "cost", "must not make the account's sum too long a fraction", "pay in decimals"
            )
        table = self.tables.ACCOUNT
        values = {key: exact_text(amount) for key, amount in amounts.items()}
        values |= {} if unit is None else {"unit": unit}
        self.execute(table.update().where(table.c.name == name).values(values))

    def bind(self, name: str, neighbours: str | None) -> None:
        """Note whom the answers protect that an account pays for."""
        table = self.tables.ACCOUNT
        self.execute(table.update().where(table.c.name == name).values(neighbours=neighbours))

    def recorded(self, mark: str) -> tuple[int, Any] | None:
        """Return number and answer of the first event of this very query, if it is whole."""
        table = self.tables.EVENT
        chosen = table.select().where(table.c.query == mark).order_by(table.c.number).limit(1)
        row = self.execute(chosen).first()
        return None if row is None else self._answered(row, mark)

    def keyed(self, once: str, marks: Mapping[str, str]) -> dict[str, tuple[int, Any]]:
        """Return number and answer of each event that a key has paid for, by its part.

        ``marks``: of the query that each part must be.
        """
        table = self.tables.EVENT
        rows = self.execute(table.select().where(table.c.once == once)).all()
        return {str(row.part): self._answered(row, marks.get(row.part, row.query)) for row in rows}

    def _answered(self, row: Any, mark: str) -> tuple[int, Any]:
        """Return number and answer of an event; refuse one that is not as it was recorded.

        Its link must be the hash of all it says after the event before, its query the one that has
        this mark, and its seal that of its link and of all that it is found by.
        """
        try:
            body = json.loads(row.body)
            before = START if row.number == 1 else self._event(row.number - 1).link
            whole = (
                row.link == link(before, row.number, row.kind, row.at, row.body)
                and row.query == mark == _mark(body)
                and self._is_sealed(row)
            )
            answer = body["answer"]
        except (KeyError, TypeError, ValueError, AttributeError):  # no such body, none before it
            whole = False
        if not whole:
            raise _edited(row.number)
        return row.number, answer

    def _event(self, number: int) -> Any:
        table = self.tables.EVENT
        return self.execute(table.select().where(table.c.number == number)).first()

    def _seal_of(self, row: Any) -> str | None:
        """Return the seal that an event must have; None in a ledger without a key."""
        sign = self._sign
        return sign and sign(row.number, row.link, row.query, row.once, row.part)

    def _is_sealed(self, row: Any) -> bool:
        seal = self._seal_of(row)
        return seal is None or hmac.compare_digest(str(row.seal).encode(), seal.encode())

    def seal_events(self, *, anew: bool) -> None:
        """Check the seal of each event; or seal all, ``anew``."""
        table = self.tables.EVENT
        rows = self.execute(table.select().order_by(table.c.number)).all()
        for row in rows:
            if anew:
                chosen = table.update().where(table.c.number == row.number)
                self.execute(chosen.values(seal=self._seal_of(row)))
            elif not self._is_sealed(row):
                raise _edited(row.number)

    def meta(self, name: str) -> str | None:
        """Return what the ledger notes of itself under a name."""
        table = self.tables.META
        row = self.execute(table.select().where(table.c.name == name)).first()
        return None if row is None else str(row.value)

    def set_meta(self, name: str, value: str) -> None:
        """Note something of the ledger itself."""
        table = self.tables.META
        update = table.update().where(table.c.name == name).values(value=value)
        if not self.execute(update).rowcount:
            self.execute(table.insert().values(name=name, value=value))

    def rows(self) -> list[list[list[Any]]]:
        """Return all rows of accounts and of tokens, in an order of their own."""
        tables = (self.tables.ACCOUNT, self.tables.TOKEN)
        return [sorted(list(row) for row in self.execute(one.select())) for one in tables]

    def last(self) -> tuple[int, str]:
        """Return number and link of the last event."""
        table = self.tables.EVENT
        row = self.execute(table.select().order_by(table.c.number.desc()).limit(1)).first()
        return (0, START) if row is None else (row.number, row.link)

    def append(
        self, kind: str, body: dict[str, Any], amount: Fraction | None, **found_by: str | None
    ) -> int:
        """Append an event that continues the chain; returns its number.

        ``amount`` is a budget that it names; ``query``, ``once`` and ``part`` find it again.
        """
        table = self.tables.EVENT
        last, before = self.last()
        number = last + 1
        if amount is not None:
            body = {**body, "budget": exact_text(amount)}
        text = as_json(body, "body")
        at = datetime.now(UTC).isoformat(timespec="seconds")
        chained = link(before, number, kind, at, text)
        row = {"number": number, "kind": kind, "at": at, "body": text, "link": chained}
        if self._sign is not None:
            marks = [found_by.get(name) for name in ("query", "once", "part")]
            row["seal"] = self._sign(number, chained, *marks)
        self.execute(table.insert().values(row | found_by))
        return number

    def check_marks(self) -> None:
        """Check that each query is found by its own hash, which is no part of the chain."""
        table = self.tables.EVENT
        for row in self.execute(table.select().where(table.c.kind == "query")):
            if row.query != _mark(json.loads(row.body)):
                raise _edited(row.number)

    def events(self) -> list[dict[str, Any]]:
        """Return all events in their order, as JSON data."""
        table = self.tables.EVENT
        shown = [table.c[name] for name in ("number", "kind", "at", "body", "link")]
        rows = self.execute(table.select().with_only_columns(*shown).order_by(table.c.number))
        return [{**row, "body": json.loads(row["body"])} for row in rows.mappings()]


def _mark(body: Mapping[str, Any]) -> str:
    """Return the hash by which the query of an event is found."""
    return digest(as_json(body["query"], "query"))


def _edited(number: int) -> StorageError:
    return StorageError("events", f"must be whole: look at number {number}")
