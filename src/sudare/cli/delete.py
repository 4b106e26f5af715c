"""Delete a collection: reports, counts, public figures, invites and wordings of all its versions.

example: sudare delete tea-2026 --yes --database survey.sqlite3
"""

from __future__ import annotations

import argparse

from sudare.cli import console, lifecycle
from sudare.errors import DomainError, counted


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    lifecycle.arguments()(parser)
    parser.add_argument("--yes", action="store_true", help="really delete: nothing brings it back")


def run(arguments: argparse.Namespace) -> None:
    """Delete, and say what cannot be reached."""
    from sudare.collector.database import is_address
    from sudare.collector.erasing import beyond
    from sudare.operators import Register, Texts

    if not arguments.yes:
        raise DomainError("--yes", "must be given to delete", "nothing brings it back")
    changed = lifecycle.change(arguments, "delete")
    with Register(arguments.database) as register:
        if register.is_begun():
            Texts(register).forget(changed.name)
    left = beyond(arguments.database)
    lifecycle.say(arguments, changed, deleted=changed.deleted, beyond=list(left))
    if arguments.json:
        return
    screen = console.out()
    reports, codes = changed.deleted["reports"], changed.deleted["invites"]
    screen.print(
        f"{counted(reports, 'report')} and {counted(codes, 'invite')} deleted, and all "
        "counts and wordings;"
    )
    if is_address(arguments.database):
        screen.print("its tables are written anew without them. Its name, its definitions")
    else:
        screen.print(
            "the file's pages are overwritten, its logs emptied. Its name, its definitions"
        )
    screen.print("and the record of its stages stay. What this cannot reach:")
    for one in left:
        screen.print(f"  {one}")
