"""Privacy events and budgets in exact rationals: what was spent, by whom, on what."""

from sudare.ledger.budget import Charge, admit, spent

__all__ = ["Charge", "admit", "spent"]
