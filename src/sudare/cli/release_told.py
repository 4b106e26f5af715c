"""``sudare release --dry-run``: what questions would cost, and how far their noise would reach."""

from __future__ import annotations

import argparse
import contextlib
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sudare.cli import console
from sudare.cli.ledger import budget
from sudare.cli.release_data import numbers, open_dataset
from sudare.errors import DomainError
from sudare.exact import exact_text, rational_from_text

if TYPE_CHECKING:
    from sudare.release import Dataset, Quote
    from sudare.release.sql import Selection

_ANSWERS = ("out", "delta", "open")


def dry_run(arguments: argparse.Namespace) -> None:
    """Open the data for what is public about it, and print what the questions would cost."""
    from sudare.ledger import Cost
    from sudare.release import batch
    from sudare.release.synthetic import Synthetic

    for option in _ANSWERS:
        if getattr(arguments, option):
            raise DomainError(f"--{option}", "is for answers, not for --dry-run", "leave it out")
    cost, confidence = Cost.of(**budget(arguments)), level(arguments)
    split = None if arguments.split is None else numbers(arguments.split, "--split")
    with contextlib.ExitStack() as stack:
        db = open_dataset(arguments, cost, stack)
        asks, names = arguments.ask, arguments.ask
        if arguments.sql is not None:
            selection = selected(arguments.sql, db)
            asks, names, db = list(selection.asks.values()), list(selection.asks), selection.db
        if arguments.synthetic is not None:
            asks = [Synthetic(cells(arguments.synthetic, db), db.categories)]
            names = ["made-up rows"]
        dry = db.dry_run(rows=rows(arguments.rows))
        told = batch(dry, asks, cost, split=split, reuse=arguments.reuse)
    if arguments.json:
        found = [_record(name, one, confidence) for name, one in zip(names, told, strict=True)]
        left = _amounts(told[-1].remaining)
        console.print_json({"told": found, "remaining": left, "confidence": confidence})
        return
    heads = ["question", cost.unit, "charged", f"noise, {confidence:.0%}"]
    table = [
        [name, f"{float(one.cost.amount):g}", _charged(one), _bound(one, confidence)]
        for name, one in zip(names, told, strict=True)
    ]
    console.print_table(f"dry run: {db.neighbours}", heads, table)
    for why in dict.fromkeys(one.unbounded for one in told if one.unbounded):
        console.out().print(f"{why} (--rows)" if "how many" in why else why)
    for account, left_of in _amounts(told[-1].remaining).items():
        console.out().print(f"{account}: {left_of} would be left")


def level(arguments: argparse.Namespace) -> float:
    """Return the confidence of the bounds."""
    confidence = float(rational_from_text(arguments.confidence, "--confidence"))
    if not 0 < confidence < 1:
        raise DomainError("--confidence", "must lie between 0 and 1", "try 0.95")
    return confidence


def rows(text: str | None) -> int | None:
    """Read ``--rows``: a whole number of rows."""
    if text is None:
        return None
    value = rational_from_text(text, "--rows")
    if value.denominator != 1 or value < 1:
        raise DomainError("--rows", "must be a whole number >= 1", "such as 1000", got=text)
    return int(value)


def cells(texts: list[str], db: Dataset) -> dict[str, Any] | None:
    """Read ``COLUMN`` and ``COLUMN=A,B``; None for ``all``.

    Raises:
        DomainError: a column twice, or without its name.
    """
    from sudare.release.ask import listed

    if texts == ["all"]:
        return None
    out: dict[str, Any] = {}
    for text in texts:
        column, equals, values = text.partition("=")
        if not column or column in out:
            rule = "must be COLUMN or COLUMN=A,B, each column once"
            raise DomainError("--synthetic", rule, "such as sex=f,m or age=0,18,65", got=text)
        given: list[Any] = list(listed(values)) if equals else []
        if db.held.kind_of(column) == "truth":
            given = [{"true": True, "false": False}.get(one.lower(), one) for one in given]
        out[column] = given if equals else None
    return out


def _record(name: str, one: Quote, confidence: float) -> dict[str, Any]:
    return {
        "question": name,
        "cost": {one.cost.unit: exact_text(one.cost.amount)},
        "charged": _amounts(one.charged),
        "reused": one.reused,
        "bound": one.bound(confidence),
        "bound_in": one.bound_in,
        "unbounded": one.unbounded or None,
        "query": one.query,
    }


def _amounts(amounts: Mapping[str, Fraction]) -> dict[str, str]:
    return {name: exact_text(amount) for name, amount in amounts.items()}


def _charged(one: Quote) -> str:
    if one.reused:
        return "nothing: on record"
    return ", ".join(f"{name} {amount}" for name, amount in _amounts(one.charged).items())


def _bound(one: Quote, confidence: float) -> str:
    bound = one.bound(confidence)
    return "?" if bound is None else bound_text(bound, one.bound_in)


def selected(text: str, db: Dataset) -> Selection:
    """Return what a SELECT asks."""
    from sudare.release.sql import Selection

    return Selection.of(text, db)


def bound_text(bound: float | None, counted_in: str) -> str:
    """Return a bound as a terminal shows it: of the value, or of ranks or rows; ? of none."""
    if bound is None:
        return "?"
    if counted_in == "value":
        return f"± {value_text(rounded_up(bound))}"
    return f"within {math.ceil(bound):,} {counted_in}"


def rounded_up(bound: float) -> float:
    """Return a bound with three digits, never below it; whole numbers stay.

    Examples:
        >>> rounded_up(0.0714247), rounded_up(5.19083), rounded_up(2397.0)
        (0.0715, 5.2, 2397.0)
    """
    if not math.isfinite(bound) or bound <= 0 or bound == int(bound):
        return bound
    step = 10.0 ** (math.floor(math.log10(bound)) - 2)
    return float(f"{math.ceil(round(bound / step, 6)) * step:.12g}")


def value_text(value: Any) -> str:
    """Return a value as a terminal shows it."""
    if isinstance(value, bool | str):
        return str(value)
    return f"{value:,.6g}" if isinstance(value, float) and abs(value) < 1e6 else f"{value:,.0f}"
