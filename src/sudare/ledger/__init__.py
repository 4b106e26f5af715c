"""Privacy events and budgets in exact rationals: what was spent, by whom, on what."""

from typing import TYPE_CHECKING, Any

from sudare.ledger.budget import Charge, admit, spent
from sudare.ledger.costs import Cost, epsilon_of, rho_of

if TYPE_CHECKING:
    from sudare.ledger.ledger import Account, Bill, Ledger, Paid, check_events

_LAZY = ("Account", "Bill", "Ledger", "Paid", "check_events")

__all__ = [
    "Account",
    "Bill",
    "Charge",
    "Cost",
    "Ledger",
    "Paid",
    "admit",
    "check_events",
    "epsilon_of",
    "rho_of",
    "spent",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:  # a device needs no database
        from sudare.ledger import ledger

        return getattr(ledger, name)
    raise AttributeError(f"module 'sudare.ledger' has no attribute {name!r}")
