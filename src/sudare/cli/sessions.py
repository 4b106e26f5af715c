"""List and end the sessions of operators who have signed in to a collector.

example: sudare sessions end --name ann@example.org --database survey.sqlite3
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sudare.cli import console, options
from sudare.collection.schema import moment_text
from sudare.errors import DomainError

if TYPE_CHECKING:
    from sudare.operators import Session

_LIST = "see sudare sessions list"
ACTIONS = {
    "list": "show all sessions",
    "end": "end sessions at once, with the tokens that people made in them",
}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, what in ACTIONS.items():
        action = actions.add_parser(name, help=what)
        add = options.adder(action)
        if name == "end":
            add("id", nargs="*", help="ids, as the list shows them")
            add("--name", action="append", help="end every session of the person with this name")
            add("--all", action="store_true", help="end every session")
        add("--database", default="sudare.sqlite3", help="the collector's file")
        add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Do what the action says."""
    from sudare.collector.operator_api.opening import open_register
    from sudare.operators import Audit, Sessions
    from sudare.operators.sessions import MOST_HOURS

    with open_register(arguments.database, new=False) as register:
        # the collector has shortened what its settings do not allow: they are not known here
        sessions, audit = Sessions(register, hours=MOST_HOURS), Audit(register)
        if arguments.action == "list":
            _list(sessions.all(), as_json=arguments.json)
            return
        ended = []
        for id in _chosen(arguments, sessions.all()):
            session = sessions.end(id)
            audit.add(None, "end session", detail={"name": session.rights.name, "session": id})
            ended.append(id)
            if not arguments.json:
                console.out().print(f"{session.rights.name}: {id} has ended")
        if arguments.json:
            console.print_json({"ended": ended})
        elif not ended:
            console.out().print("There was no session to end.")


def _chosen(arguments: argparse.Namespace, sessions: list[Session]) -> list[str]:
    """Return the ids of the sessions that end.

    Raises:
        DomainError: nothing says which, or several things do, or there is no such session.
    """
    given = (bool(arguments.id), arguments.name is not None, arguments.all)
    if sum(given) != 1:
        rule = "or --name or --all must be given, and no two of them"
        raise DomainError("id", rule, "give one of id, --name and --all")
    if arguments.all:
        return [session.id for session in sessions]
    if arguments.id:
        known = {session.id for session in sessions}
        for id in arguments.id:  # all of them first: a mistyped one ends nothing
            if id not in known:
                raise DomainError("id", "must be of a session that has not ended", _LIST, got=id)
        return list(dict.fromkeys(arguments.id))
    from sudare.operators.names import alike

    if len(arguments.name) > 1:
        raise DomainError("--name", "must be given once", "end the sessions of one after another")
    (name,) = arguments.name
    ids = [session.id for session in sessions if alike(session.rights.name) == alike(name)]
    if not ids:
        raise DomainError("--name", "must name somebody with a session", _LIST, got=name)
    return ids


def _list(sessions: list[Session], *, as_json: bool) -> None:
    from sudare.collector.operator_api.token_view import session_json

    if as_json:
        console.print_json({"sessions": [session_json(one) for one in sessions]})
        return
    console.print_table(
        "Sessions",
        ("id", "name", "signed in by", "scopes", "expires"),
        [
            (
                one.id,
                one.rights.name,
                f"token {one.rights.token}" if one.person is None else one.person.issuer,
                " ".join(one.rights.scopes),
                str(moment_text(one.expires)),
            )
            for one in sessions
        ],
    )
