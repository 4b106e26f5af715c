"""Privacy events and budgets in exact rationals: what was spent, by whom, on what."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sudare.ledger.budget import Charge, admit, spent
from sudare.ledger.costs import Cost, epsilon_of, rho_of

if TYPE_CHECKING:
    from sudare.ledger.bills import Bill, Paid
    from sudare.ledger.chain import check_events
    from sudare.ledger.ledger import Ledger
    from sudare.ledger.tokens import Token, Tokens
    from sudare.ledger.transaction import Account

_LAZY = {
    "Account": "transaction",
    "Bill": "bills",
    "Ledger": "ledger",
    "Paid": "bills",
    "Token": "tokens",
    "Tokens": "tokens",
    "check_events": "chain",
}

__all__ = [
    "Account",
    "Bill",
    "Charge",
    "Cost",
    "Ledger",
    "Paid",
    "Token",
    "Tokens",
    "admit",
    "check_events",
    "epsilon_of",
    "rho_of",
    "spent",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:  # a device needs no database
        return getattr(import_module(f"sudare.ledger.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'sudare.ledger' has no attribute {name!r}")
