"""What is to be paid for, and what was: bills, payments, and the marks they are found by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.errors import DomainError, WrongTypeError
from sudare.ledger.chain import as_json, digest
from sudare.ledger.costs import Cost

MOST_KEY = 200
"""Characters of a key."""

MOST_QUERY = 1 << 20
"""Bytes of a query's JSON that a ledger keeps."""

MOST_ANSWER = 16 << 20
"""Bytes of an answer's JSON that a ledger keeps: more than 100,000 groups need, whatever is drawn,
so that whether an answer of a data set fits tells nothing about it.
"""


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


@dataclass(frozen=True, slots=True)
class Due:
    """What a query would be charged now; nothing was.

    Attributes:
        charged: by each account, in its own unit, and by each part of a plan; empty where the
            answer is on record.
        reused: it is on record, and would cost nothing.
        remaining: of each account, after all that was asked together.
    """

    charged: Mapping[str, Fraction]
    reused: bool
    remaining: Mapping[str, Fraction]


@dataclass(frozen=True, eq=False)
class Bill:
    """A query to be paid for and answered.

    Attributes:
        cost: what each account pays, in its own unit.
        query: JSON data that says what is asked, without data values; the text ``neighbours`` in it
            says whom the answer protects.
        answer: called once the budget is reserved; returns JSON data.
    """

    cost: Cost
    query: Mapping[str, Any]
    answer: Callable[[], Any]


@dataclass(frozen=True, eq=False)
class HashedBill:
    """A bill with the canonical text of its query, and the hash by which it is found again."""

    bill: Bill
    text: str
    mark: str

    @classmethod
    def of(cls, bill: Bill) -> HashedBill:
        """Return a bill with its marks, checked."""
        if not isinstance(bill.cost, Cost):
            raise WrongTypeError("cost", "must be a Cost", "such as Cost.of(epsilon=0.1)")
        text = within(as_json(bill.query, "query"), "query", MOST_QUERY)
        return cls(bill, text, digest(text))

    @property
    def neighbours(self) -> str | None:
        """Whom the answer protects, where the query says so."""
        query: Any = self.bill.query
        found = query.get("neighbours") if isinstance(query, Mapping) else None
        return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A key under which bills are paid once: it, and the hash of all that it paid for.

    Attributes:
        key: hash of the key and of whose it is.
        asked: hash of the queries.
    """

    key: str
    asked: str

    @classmethod
    def of(cls, key: object, whose: str, asked: Sequence[HashedBill]) -> IdempotencyKey | None:
        """Return what a key stands for; None without one."""
        if key is None:
            return None
        if not isinstance(key, str):
            raise WrongTypeError("key", "must be text", "a fresh one for each query")
        if not 0 < len(key) <= MOST_KEY or not key.isprintable():
            raise DomainError("key", f"must be 1 to {MOST_KEY} printable characters")
        return cls(digest(as_json([whose, key], "key")), digest("\n".join(x.mark for x in asked)))

    def part(self, place: int) -> str:
        """Return the name of one of the queries."""
        return f"{self.asked}:{place}"

    def check(self, known: Mapping[str, object]) -> None:
        """Refuse what this key has paid for, if that was something else."""
        if any(not part.startswith(f"{self.asked}:") for part in known):
            remedy = "take a fresh key for another query"
            raise DomainError("key", "has paid for another query", remedy)


def within(text: str, argument: str, most: int) -> str:
    """Return JSON text, refused if it is longer than a ledger keeps."""
    if len(text.encode()) > most:
        raise DomainError(argument, f"must be at most {most:,} bytes of JSON", "ask for less")
    return text


def as_bills(bills: object) -> list[Bill]:
    """Return at least one bill."""
    if not isinstance(bills, list | tuple) or not bills:
        raise WrongTypeError("bills", "must be a list of bills", "one for each query")
    if not all(isinstance(one, Bill) and callable(one.answer) for one in bills):
        raise WrongTypeError("bills", "must be bills", "such as Bill(cost, query, answer)")
    return list(bills)
