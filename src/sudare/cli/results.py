"""Show what a collector's file holds of a collection, published or not: the operator's own view.
The collector may run; nothing is changed.

example: sudare results survey.toml --database survey.sqlite3
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sudare.cli import console, options
from sudare.collection import Collection
from sudare.collection.cautions import owner_cautions
from sudare.collection.definition import utc_now

if TYPE_CHECKING:
    from sudare.collector.own import OwnView

ROWS = 45
"""Of a question's table on the terminal."""

_NAMES = ("id", "choice", "choices", "attributes", "item", "code")
_LISTS = ("cells", "items", "attributes", "pairs", "deciles", "histogram")
_FIGURES = ("mean", "frequency", "level", "dependence")
"""In the results of a question: what figures are about, where they stand in lists, and alone."""

_OWN = (
    "For the operator alone: whoever sees these figures before and after a report sees that report."
)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("collection", metavar="survey.toml", help="definition file, as it is served")
    add("--database", default="sudare.sqlite3", help="the collector's file")
    add("--target")
    add("--confidence", type=float, default=0.95, help="of the intervals")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Read, estimate, print."""
    from sudare.collector import own_view

    collection = Collection.load(arguments.collection)
    view, now = own_view(collection, arguments.database), utc_now()
    from sudare.collector.results import results_json

    asked = {"target": arguments.target, "confidence": arguments.confidence}
    found = results_json(collection, view.stored, **asked, public=view.public)
    state = standing(collection, view, now)
    if arguments.json:
        console.print_json(found | {"public": view.public.n, "standing": state})
        return
    screen = console.out()
    screen.print(f"{collection.name}: {view.stored.n:,} reports stored, {view.public.n:,} public")
    screen.print(state)
    screen.print(_OWN)
    if view.stored.invites is not None:
        screen.print("{spent:,} of {issued:,} invites spent".format(**found["invites"]))
    console.warn_of(owner_cautions(collection), "results", collection.name)
    for one in found["questions"]:
        _print_question(one, arguments)


def standing(collection: Collection, view: OwnView, now: datetime) -> str:
    """Return when what becomes public, by this machine's clock, in words."""
    rule, public, closes = collection.publishing, view.public, collection.closes
    if closes is not None and now >= closes:
        if public.last:
            return f"It closed on {closes:%Y-%m-%d %H:%M %Z}; what is not public stays so."
        left = rule.due(public.n, view.stored.n, ended=True)
        rest = "what is left follows" if left else "nothing more follows"
        return f"It closed on {closes:%Y-%m-%d %H:%M %Z}: {rest}, once its results are asked for."
    if public.last and rule.once and public.n:
        return (
            "Its end was published although it is open by this machine's clock, which has jumped: "
            "what comes now stays unpublished."
        )
    if public.last:
        return (
            "It was taken to have ended although it is open by this machine's clock, which has "
            "jumped: its steps go on once its results are asked for."
        )
    if rule.once:
        until = f"{closes:%Y-%m-%d %H:%M %Z}"
        return f"Nothing is public before {until}, and then only from {rule.at:,} reports on."
    return f"The next step is public with {public.n + rule.step(public.n):,} reports."


def _print_question(one: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    rows = [
        (", ".join(names), *(_shown(names, data, key) for key in ("", "stderr")),
         _interval(names, data))
        for names, data in figures({key: one[key] for key in (*_LISTS, *_FIGURES) if key in one})
    ]  # fmt: skip
    console.print_table(
        f"{one['id']}: {one['mechanism']['name']}, n = {one['n']:,}, {arguments.target}",
        ("", "estimated", "std. error", f"{100 * arguments.confidence:g} % interval"),
        rows[:ROWS],
    )
    screen = console.out()
    if len(rows) > ROWS:
        screen.print(f"and {len(rows) - ROWS:,} more rows: --json has all of them")
    for code in dict.fromkeys(_codes(one)):
        screen.print(f"Note: {code}")
    if one["alarms"]["raised"]:
        screen.print("Alarm: some reports look made up; --json says which figures show it")


def _codes(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the codes of a question's warnings, those of its attributes and pairs too."""
    yield from (warning["code"] for warning in data.get("warnings", ()))
    for part in (*data.get("attributes", ()), *data.get("pairs", ())):
        if isinstance(part, Mapping):
            yield from _codes(part)


def figures(
    data: Mapping[str, Any], names: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Yield what has an interval in a question's results, each with the names it stands under."""
    own = [_name(data[key]) for key in _NAMES if key in data]
    if "p" in data:
        own.append(f"{data['p']:.0%} below")
    if "from" in data:
        own.append(f"{data['from']:g} to {data['to']:g}")
    names = (*names, *filter(None, own))
    if "low" in data:
        yield names, data
    for key in _LISTS:
        some = data.get(key, ())
        if key == "pairs" and len(some) == 1 and "cells" in data:
            some = [{"dependence": some[0]["dependence"]}]  # its cells are those of the question
        for one in some:
            if isinstance(one, Mapping):
                yield from figures(one, names)
    for key in _FIGURES:
        if key in data:
            yield from figures(data[key], (*names, key))


def _name(value: Any) -> str:
    """Return what figures are about as text; nothing for a list of tables."""
    if not isinstance(value, list | tuple):
        return str(value)
    return " × ".join(one for one in value if isinstance(one, str))


def _shown(names: Sequence[str], data: Mapping[str, Any], key: str) -> str:
    """Return a figure as text: shares in per cent; what is not known is a dash."""
    value = data.get(key) if key else data.get("share", data.get("value"))
    if value is None or "share" in data or names[-1] == "frequency":
        return console.percent(value)
    return f"{value:.4g}"


def _interval(names: Sequence[str], data: Mapping[str, Any]) -> str:
    low, high = (_shown(names, data, key) for key in ("low", "high"))
    return low if data["low"] is None else f"{low} … {high}"
