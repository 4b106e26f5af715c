"""The chain of events: each holds the hash of all before it, so that a change shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sudare.errors import StorageError, WrongTypeError

START = "0" * 64
"""Link of the first event."""


def link(before: str, number: int, kind: str, at: str, body: str) -> str:
    """Return the hash of an event and, through ``before``, of all events before it."""
    return digest("\n".join((before, str(number), kind, at, body)))


def digest(text: str) -> str:
    """Return the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def check_events(events: Sequence[Mapping[str, Any]]) -> dict[str, Fraction]:
    """Check an export: an unbroken chain, no budget exceeded. Returns what each account has spent.

    The chain has no key: who may write to the database can leave out its last events, or write all
    of it anew. Keep the last event's link elsewhere: it must be found in each later export.

    Raises:
        StorageError: an event was changed, left out or added, or a budget exceeded; it is named.

    Examples:
        >>> check_events([])
        {}
    """
    before = START
    budgets: dict[str, Fraction] = {}
    spent: dict[str, Fraction] = {}
    for number, event in enumerate(events, 1):
        try:
            body = as_json(event["body"], "body")
            expected = link(before, number, event["kind"], event["at"], body)
            whole = event["number"] == number and event["link"] == expected
            own = event["body"]
            if event["kind"] in ("open", "budget"):
                budgets[own["account"]] = Fraction(own["budget"])
                spent.setdefault(own["account"], Fraction(0))
            for name, amount in own.get("accounts", {}).items():
                spent[name] += Fraction(amount)
                whole = whole and Fraction(amount) > 0 and spent[name] <= budgets[name]
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            whole = False
        if not whole:
            raise StorageError("events", f"must be whole: look at number {number}")
        before = event["link"]
    return spent


def as_json(data: object, argument: str) -> str:
    """Return JSON data as canonical text.

    Raises:
        WrongTypeError: not JSON data; the message never shows it.
    """
    try:
        text = json.dumps(
            data, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
        )
        text.encode()  # half a surrogate pair is no text
    except (TypeError, ValueError, RecursionError):
        raise WrongTypeError(argument, "must be JSON data", "numbers, text, lists") from None
    return text
