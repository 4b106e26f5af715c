"""Privacy events and budgets in exact rationals: what was spent, by whom, on what."""

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.ledger.bills import Bill as Bill, Due as Due, Paid as Paid
    from sudare.ledger.budget import Charge as Charge, admit as admit, spent as spent
    from sudare.ledger.chain import check_events as check_events
    from sudare.ledger.costs import Cost as Cost, epsilon_of as epsilon_of, rho_of as rho_of
    from sudare.ledger.ledger import Ledger as Ledger
    from sudare.ledger.plan import Plan as Plan, check_promises as check_promises
    from sudare.ledger.tokens import Token as Token, Tokens as Tokens
    from sudare.ledger.transaction import Account as Account

_HOMES = {  # a device needs no database
    "bills": ("Bill", "Due", "Paid"),
    "budget": ("Charge", "admit", "spent"),
    "chain": ("check_events",),
    "costs": ("Cost", "epsilon_of", "rho_of"),
    "ledger": ("Ledger",),
    "plan": ("Plan", "check_promises"),
    "tokens": ("Token", "Tokens"),
    "transaction": ("Account",),
}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES)
