"""The data sets that settings name, and the ledger that pays for their answers."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sudare.collector.settings import Settings
from sudare.errors import DomainError
from sudare.ledger import Ledger
from sudare.release.api import Limit, Queries
from sudare.release.definition import Definition


def held_queries(settings: Settings, stack: contextlib.ExitStack) -> Queries | None:
    """Return the queries to the held data sets; None where there are none.

    Args:
        settings: name the data sets, the ledger and the rate.
        stack: closes the ledger.

    Raises:
        DomainError: there is no such ledger: a mistyped path would have a whole budget.
    """
    if bool(settings.datasets) != bool(settings.ledger):
        raise DomainError("ledger", "and datasets go together", "its budgets pay the answers")
    if not settings.datasets:
        return None
    where = settings.ledger
    if "://" not in where and not Path(where).is_file():
        raise DomainError("ledger", "does not exist", "sudare ledger open makes one", got=where)
    definitions = [Definition.load(path) for path in settings.datasets]
    ledger = stack.enter_context(Ledger(where))
    return Queries(definitions, ledger, limit=Limit(settings.rate))
