"""``PreparedQuery``: a question that is checked and priced; nothing is drawn or spent yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from sudare.ledger import Bill, Paid
from sudare.release.released import Released

V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class PreparedQuery(Generic[V]):
    """A question to a data set.

    Attributes:
        bill: its price, what is asked, and what draws the noise: JSON data, all that is ever told.
        read: what that data says: the released answer, before it is known who paid.
    """

    bill: Bill
    read: Callable[[Any], Released[V]]

    def released(self, paid: Paid) -> Released[V]:
        """Return the answer that was paid for."""
        return replace(
            self.read(paid.answer),
            event=paid.event,
            reused=paid.reused,
            remaining=paid.remaining,
        )
