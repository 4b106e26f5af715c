"""Calls about the budgets of held data: who has what, and what it was spent on."""

from __future__ import annotations

from typing import Any

from sudare.collector.operator_api.api import OperatorAPI
from sudare.collector.operator_api.request import OperatorRequest
from sudare.errors import DomainError
from sudare.operators import Rights
from sudare.operators.tokens import NotAllowedError
from sudare.release.api.service import Queries
from sudare.release.api.spending import MOST

LARGEST = 10**15
"""A number of an entry, which every database can compare."""


def sees_budgets(desk: OperatorAPI, rights: Rights) -> bool:
    """Tell whether there are budgets, and whether they are for whom these rights are."""
    return desk.queries is not None and rights.may("admin") and rights.collections is None


def listed(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """List the accounts of held data: budget, what is spent and left; data sets, then analysts."""
    return {"accounts": _queries(desk, call).holdings()}


def spent(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Tell what an account paid for, newest first; no answers."""
    queries, name = _queries(desk, call), call.query.get("account")
    if not name:
        raise DomainError("account", "must be given", "see the list of budgets")
    before, most = number_of(call, "before"), number_of(call, "limit", MOST)
    found = queries.spending(name, before, most or 100)
    return {"account": name, "spending": found}


def _queries(desk: OperatorAPI, call: OperatorRequest) -> Queries:
    if desk.queries is None:
        raise DomainError("budgets", "are of held data, and none is served here", "serve --dataset")
    if call.rights.collections is not None:
        remedy = "ask for a token for all collections"
        raise NotAllowedError("collections", "must not be limited: budgets are of none", remedy)
    return desk.queries


def number_of(call: OperatorRequest, name: str, most: int = LARGEST) -> int | None:
    """Return a number of the query string, from 1 on; None where it is left out.

    Raises:
        DomainError: it is none, or above ``most``.
    """
    text = call.query.get(name)
    if text is None:
        return None
    digits = text if text.isascii() and text.isdigit() and len(text) <= 30 else ""
    if not digits or not 1 <= int(digits) <= most:
        raise DomainError(name, f"must be a whole number from 1 to {most}", got=text[:30])
    return int(digits)
