"""Show what a collector's file holds of a collection, published or not: the operator's own view.
The collector may run; nothing is changed.

example: sudare results survey.toml --database survey.sqlite3
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from sudare.cli import console, options
from sudare.collection import Collection
from sudare.collection.cautions import owner_cautions
from sudare.collection.definition import utc_now
from sudare.collection.questions import Question
from sudare.errors import counted

if TYPE_CHECKING:
    from sudare.collector.operator_view import OperatorView

ROWS = 45
"""Of a question's table on the terminal."""

_OWN = (
    "For the operator alone: whoever sees these figures before and after a report sees that report."
)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("collection", metavar="survey.toml", help="definition file, as it is served")
    add("--database")
    add("--target")
    add("--confidence", type=float, default=0.95, help="of the intervals")
    add("--round")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Read, estimate, print."""
    from sudare.collector import own_view, shown_round
    from sudare.collector.previous_versions import load_survey

    whole = load_survey(arguments.collection, arguments.database)
    collection = shown_round(whole, arguments.database, arguments.round)
    view, now = own_view(collection, arguments.database), utc_now()
    from sudare.collector.over_rounds import RoundsBody
    from sudare.collector.results import results_json

    asked = {"target": arguments.target, "confidence": arguments.confidence}
    found = results_json(collection, view.stored, **asked, public=view.public)
    rounds = [own_view(one, arguments.database) for one in whole.rounds]
    if rounds:
        known, place = tuple(one.stored for one in rounds), whole.rounds.index(collection)
        found = RoundsBody(whole, known, place, **asked).added(found)
    state = standing(collection, view, now)
    if arguments.json:
        console.print_json(found | {"public": view.public.n, "standing": state})
        return
    screen = console.out()
    for one, held in zip(whole.rounds, rounds, strict=True):
        if held.stored.n and one is not collection:
            screen.print(
                f"{one.name}: {counted(held.stored.n, 'report')} stored, {held.public.n:,} public"
            )
    screen.print(
        f"{collection.name}: {counted(view.stored.n, 'report')} stored, {view.public.n:,} public"
    )
    screen.print(state)
    screen.print(_OWN)
    if view.stored.invites is not None:
        spent, issued = found["invites"]["spent"], found["invites"]["issued"]
        screen.print(f"{spent:,} of {counted(issued, 'invite')} spent")
    console.warn_of(owner_cautions(collection), "results", collection.name)
    for question, one in zip(collection.questions, found["questions"], strict=True):
        print_question(question, one, arguments, collection.languages)


def standing(collection: Collection, view: OperatorView, now: datetime) -> str:
    """Return when what becomes public, by this machine's clock, in words."""
    rule, public, stage = collection.publishing, view.public, view.standing.stage(now)
    closes, said = view.standing.closes, ""
    if closes is not None:
        said = f"{closes:%Y-%m-%d %H:%M %Z}"
    if stage == "archived":
        return f"It closed on {said}; its reports are deleted, its counts stay."
    if stage in ("draft", "deleted"):
        return f"It is {stage}: nobody sees anything of it."
    if stage == "closed" and public.last:
        return f"It closed on {said}; what is not public stays so."
    if stage == "closed":
        left = rule.due(public.since, view.stored.n, ended=True)
        rest = "what is left follows" if left else "nothing more follows"
        return f"It closed on {said}: {rest}, once a collector runs."
    if rule.once and public.n:
        return (
            f"It was opened again: its figures stay as they are until {said}, and change then if "
            f"{counted(rule.least, 'report')} or more are added."
        )
    if rule.once:
        return (
            f"Nothing is public before {said}, and then only from {counted(rule.at, 'report')} on."
        )
    return f"The next step is public with {counted(rule.next(public.since), 'report')}."


def print_question(
    question: Question,
    one: Mapping[str, Any],
    arguments: argparse.Namespace,
    languages: Sequence[str],
) -> None:
    """Print the figures of a question with their intervals, its warnings and its alarm."""
    from sudare.collector.figures import figures, value_of

    words = question.named(languages)
    rows = [
        (", ".join(words.get(name, name) for name in names),
         *(_shown(names, data, x) for x in (value_of(data), data.get("stderr"))),
         _interval(names, data, question))
        for names, data in figures(one)
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


def _shown(names: Sequence[str], data: Mapping[str, Any], value: float | None) -> str:
    """Return a figure as text: shares in per cent; what is not known is a dash."""
    from sudare.collector.figures import is_share

    if value is None or is_share(names, data):
        return console.percent(value)
    return f"{value:.4g}"


def _interval(names: Sequence[str], data: Mapping[str, Any], question: Question) -> str:
    from sudare.collector.figures import ends_of

    show = partial(_shown, names, data)
    return console.interval(data["low"], data["high"], show, ends_of(names, data, question))
