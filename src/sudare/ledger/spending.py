"""What accounts have paid for: the record without its answers, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from sudare.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Payment:
    """A query that was paid for.

    Attributes:
        event: its number.
        at: when, in UTC, as ISO 8601.
        charged: what each account paid, in its own unit; of a plan and its parts questions.
        query: what was asked.
    """

    event: int
    at: str
    charged: Mapping[str, Fraction]
    query: Mapping[str, Any]


class _Body(msgspec.Struct):
    accounts: dict[str, str]
    query: dict[str, Any]


_BODY = msgspec.json.Decoder(_Body)


def payments(ledger: Ledger) -> Iterator[Payment]:
    """Yield what was paid for, newest first; answers, with their noise, stay in the ledger.

    Raises:
        StorageError: the database cannot be read.

    Examples:
        >>> from sudare.ledger import Cost, Ledger
        >>> with Ledger("ledger.db") as ledger:
        ...     _ = ledger.open("survey", epsilon=1)
        ...     _ = ledger.pay(["survey"], Cost.of(epsilon=0.4), {"query": "count"}, lambda: 42)
        ...     [(dict(one.charged), one.query) for one in payments(ledger)]
        [({'survey': Fraction(2, 5)}, {'query': 'count'})]
    """
    with ledger.reading() as now:
        event = now.tables.EVENT
        shown = event.select().with_only_columns(event.c.number, event.c.at, event.c.body)
        rows = now.execute(shown.where(event.c.kind == "query").order_by(event.c.number.desc()))
        for row in rows:
            body = _BODY.decode(row.body)
            charged = {name: Fraction(text) for name, text in body.accounts.items()}
            yield Payment(row.number, row.at, charged, body.query)
