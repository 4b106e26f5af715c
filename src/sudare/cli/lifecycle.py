"""What the commands of a collection's life share: their arguments, and what they print."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sudare.cli import console, options
from sudare.cli.recording import recorded
from sudare.collection import schema
from sudare.errors import DomainError

if TYPE_CHECKING:
    from sudare.collector.lifecycle import Standing
    from sudare.collector.lifecycle_commands import Changed

REMEDIES = {"until must": "--until must", "until is": "--until is"}
"""The option's name, for the argument's."""

_UNTIL = "moment with an offset, such as 2027-02-28T18:00:00+09:00"


def arguments(
    *, until: str = "", needed: bool = False
) -> Callable[[argparse.ArgumentParser], None]:
    """Return what says which arguments a command takes.

    Args:
        until: what a new end is for; empty where there is none.
        needed: whether it must be given.
    """

    def add_to(parser: argparse.ArgumentParser) -> None:
        """Say what the command takes."""
        add = options.adder(parser)
        add("collection", metavar="survey", help="its definition file (.toml), or its name")
        add("--database")
        if until:
            add("--until", required=needed, help=f"{until}: {_UNTIL}")
        add("--json")

    return add_to


def change(arguments: argparse.Namespace, command: str) -> Changed:
    """Do what a command says."""
    from sudare.collector import change_life
    from sudare.collector.previous_versions import load_survey

    given, until = arguments.collection, getattr(arguments, "until", None)
    collection = load_survey(given, arguments.database) if given.endswith(".toml") else given
    ends = None if until is None else moment(until)
    name = collection if isinstance(collection, str) else collection.name
    detail = {} if ends is None else {"until": schema.moment_text(ends)}
    with recorded(arguments.database, command, name, **detail):
        return change_life(collection, arguments.database, command, ends)


def run(command: str) -> Callable[[argparse.Namespace], None]:
    """Return what runs a command and says where the collection stands since."""

    def run_it(arguments: argparse.Namespace) -> None:
        """Change the stage, and say what it is."""
        say(arguments, change(arguments, command))

    return run_it


def say(arguments: argparse.Namespace, changed: Changed, **more: Any) -> None:
    """Print where a collection stands, and as JSON how it came there."""
    stage = changed.standing.stage(datetime.now(UTC))
    if arguments.json:
        said = {"name": changed.name, "fingerprint": changed.fingerprint, "stage": stage}
        history = [_told(one) for one in changed.history]
        console.print_json({**said, **_times(changed.standing), "history": history, **more})
        return
    console.out().print(f"{changed.name} is {stage}{in_words(changed.standing, stage)}")


def in_words(standing: Standing, stage: str) -> str:
    """Return the times of a stage in words."""
    opens, closes = (
        "" if time is None else f"{time:%Y-%m-%d %H:%M %Z}"
        for time in (standing.opens, standing.closes)
    )
    if stage == "published":
        return f": it opens on {opens}" + (f" and closes on {closes}" if closes else "")
    if stage == "open":
        return f" until {closes}" if closes else ", without an end"
    return f" since {closes}" if closes and stage in ("closed", "archived") else ""


def moment(text: str, option: str = "--until") -> datetime:
    """Return the moment that an option says."""
    found = schema.moment(text, option)
    if found is None:
        raise DomainError(option, "must be a moment", _UNTIL)
    return found


def _times(standing: Standing) -> dict[str, str | None]:
    return {name: schema.moment_text(getattr(standing, name)) for name in ("opens", "closes")}


def _told(standing: Standing) -> dict[str, str | None]:
    at = schema.moment_text(standing.at)
    return {"at": at, "act": standing.act, "state": standing.state, **_times(standing)}
