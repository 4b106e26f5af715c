"""Make, list and revoke the tokens by which operators sign in to a running collector.

example: sudare token new ann --scope run --scope export --database survey.sqlite3
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sudare.cli import console, options
from sudare.cli.lifecycle import moment
from sudare.collection.schema import moment_text

if TYPE_CHECKING:
    from sudare.operators import Token

SCOPES = ("read", "run", "export", "admin")
ACTIONS = {
    "new": "make a token, which is shown this once",
    "list": "show all tokens",
    "revoke": "end a token at once, and its sessions",
}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, what in ACTIONS.items():
        action = actions.add_parser(name, help=what)
        add = options.adder(action)
        if name == "new":
            add("name", help="whose it is")
            add("--scope", action="append", choices=SCOPES,
                help="read: see what is stored; run: publish, open, close, edit, invite; export: "
                "the reports; admin: tokens, deletion; repeat for several (default: all)",
            )  # fmt: skip
            add("--collection", action="append", help="the only one it is for; repeat for several")
            add("--expires", help="moment with an offset, such as 2027-02-28T18:00:00+09:00")
        elif name == "revoke":
            add("id", help="its id, as the list shows it")
        add("--database", default="sudare.sqlite3", help="the collector's file")
        add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Do what the action says."""
    from sudare.collector.operator_api.opening import open_register
    from sudare.operators import Audit, Tokens

    with open_register(arguments.database, new=arguments.action == "new") as register:
        tokens, audit = Tokens(register), Audit(register)
        if arguments.action == "new":
            ends = None if arguments.expires is None else moment(arguments.expires, "--expires")
            scopes = arguments.scope or list(SCOPES)
            secret = tokens.issue(arguments.name, scopes, arguments.collection, ends)
            id = tokens.id_of(secret) or ""
            with console.handing_over(lambda: tokens.revoke(id)):
                detail = {"name": arguments.name, "token": id, "scopes": scopes}
                audit.add(None, "new token", detail=detail)
                if arguments.json:
                    console.print_json({"token": secret, "id": id})
                else:
                    print(secret)
        elif arguments.action == "revoke":
            token = tokens.revoke(arguments.id)
            audit.add(
                None, "revoke token", detail={"name": token.rights.name, "token": arguments.id}
            )
            if arguments.json:
                console.print_json({"revoked": arguments.id})
            else:
                console.out().print(f"{token.rights.name}: {arguments.id} is revoked")
        else:
            _list(tokens.all(), as_json=arguments.json)


def _list(tokens: list[Token], *, as_json: bool) -> None:
    from sudare.collector.operator_api.token_view import token_json

    now = datetime.now(UTC)
    if as_json:
        console.print_json({"tokens": [token_json(one) for one in tokens]})
        return
    console.print_table(
        "Tokens",
        ("id", "name", "scopes", "collections", "expires", "last use"),
        [
            (
                one.rights.token or "",
                one.rights.name,
                " ".join(one.rights.scopes),
                " ".join(one.rights.collections or ("all",)),
                "over" if one.is_over(now) else str(moment_text(one.rights.expires) or "never"),
                str(moment_text(one.used) or "never"),
            )
            for one in tokens
        ],
    )
