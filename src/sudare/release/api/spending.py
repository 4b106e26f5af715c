"""What each account has, what it spent and on what: for those who run the service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from itertools import islice
from typing import Any, Literal

from msgspec import Struct

from sudare.exact import exact_text
from sudare.ledger import Account, Ledger, Token, Tokens
from sudare.ledger.plan import DELTA, QUESTIONS
from sudare.ledger.spending import payments
from sudare.release.api.answers import Exact

MOST = 1000
"""Payments that are told at once."""

LONGEST = 200
_SIGNS = {"from": ">=", "above": ">", "to": "<=", "below": "<"}


class Holding(Struct, frozen=True):
    """An account: its budget, what is spent and left, how many answers it paid for.

    ``kind``: ``dataset``, ``analyst`` (who has a token, or could), or ``part`` of a plan. ``used``
    is the share that is spent. ``tokens`` are valid now, ``last`` is when it paid last.
    """

    account: str
    kind: Literal["dataset", "analyst", "part"]
    unit: str
    budget: Exact
    spent: Exact
    remaining: Exact
    used: float
    answers: int
    last: str | None
    tokens: int


class Spending(Struct, frozen=True):
    """A query that an account paid for; ``spent`` is what it had spent after it.

    ``question`` has the names of columns and the conditions, not the keys.
    """

    event: int
    at: str
    dataset: str
    question: str
    charged: Exact
    spent: Exact
    used: float


def holdings(ledger: Ledger, datasets: Mapping[str, Any], now: datetime) -> list[Holding]:
    """Return all accounts: data sets first, then analysts, each by name."""
    answers: Counter[str] = Counter()
    last: dict[str, str] = {}
    for one in payments(ledger):
        answers.update(one.charged.keys())
        for name in one.charged:
            last.setdefault(name, one.at)
    valid = Counter(one.holder for one in Tokens(ledger).all() if _is_valid(one, now))
    found = []
    for each in ledger.accounts():
        kind: Any = "dataset" if each.name in datasets else "analyst"
        found.append(
            Holding(
                each.name,
                "part" if each.unit in (QUESTIONS, DELTA) else kind,
                each.unit,
                exact_text(each.budget),
                exact_text(each.spent),
                exact_text(each.remaining),
                _share(each.spent, each),
                answers[each.name],
                last.get(each.name),
                valid[each.name],
            )
        )
    order = ("dataset", "analyst", "part")
    return sorted(found, key=lambda one: (order.index(one.kind), one.account))


def spending(ledger: Ledger, name: str, before: int | None, most: int) -> list[Spending]:
    """Return what an account paid for, newest first.

    Args:
        ledger: open.
        name: of the account.
        before: only payments of a lower number; None for all.
        most: how many.

    Raises:
        WrongTypeError, DomainError: there is no such account.
    """
    account, found = ledger.account(name), []
    spent = account.spent
    for one in payments(ledger):
        own = one.charged.get(name)
        if own is None:
            continue
        after, spent = spent, spent - own
        if before is not None and one.event >= before:
            continue
        found.append(
            Spending(
                one.event,
                one.at,
                str(one.query.get("dataset", "")),
                question_of(one.query),
                exact_text(own),
                exact_text(after),
                _share(after, account),
            )
        )
        if len(found) == most:
            break
    return found


def question_of(query: Mapping[str, Any]) -> str:
    """Return a query of the ledger in short: what kind, of which columns, of which rows.

    Examples:
        >>> question_of({"query": "mean", "column": "score", "by": "sex", "keys": ["f", "m"]})
        'mean:score@sex'
        >>> question_of({"query": "count", "where": [{"column": "age", "from": "18"}]})
        'count where age >= 18'
        >>> question_of({"query": "sum", "column": "cost", "join": [{"table": "about"}]})
        'sum:cost join about'
    """
    of, by = query.get("column", query.get("columns")), query.get("by")
    names = [of] if isinstance(of, str) else of or []
    names = [one.get("column") if isinstance(one, Mapping) else one for one in names]
    groups = [by] if isinstance(by, str) else by or []
    text = str(query.get("query", "")) + (f":{','.join(map(str, names))}" if names else "")
    text += "".join(f"@{one}" for one in groups)
    text += f" from {query['from']}" if "from" in query else ""
    text += "".join(f" join {one.get('table')}" for one in query.get("join", ()))
    conditions = [
        f"{one.get('column')} {_SIGNS.get(sign, sign)} {_said(value)}"
        for one in query.get("where", ())
        for sign, value in one.items()
        if sign != "column"
    ]
    text += f" where {' and '.join(conditions)}" if conditions else ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _said(value: Any) -> str:
    return ", ".join(map(str, islice(value, 20))) if isinstance(value, list) else str(value)


def _share(amount: Fraction, of: Account) -> float:
    return float(amount / of.budget) if of.budget else 1.0


def _is_valid(token: Token, now: datetime) -> bool:
    return not token.revoked and (token.expires is None or token.expires > now)
