"""Say who sees a collection's results, in a running collector too: everybody (public), whoever
knows the address (unlisted), or its operators alone (private).

example: sudare visibility tea-2026 private --database survey.sqlite3
"""

from __future__ import annotations

import argparse

from sudare.cli import console, options
from sudare.cli.recording import recorded


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("collection", help="its name")
    add("visibility", choices=("public", "unlisted", "private"), help="who sees its results")
    add("--database", default="sudare.sqlite3", help="the collector's file")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Say it."""
    from sudare.collector.operator_api.opening import open_register, require_name
    from sudare.operators import Texts

    name, chosen = arguments.collection, arguments.visibility
    with open_register(arguments.database, new=False) as register:
        require_name(arguments.database, register, name)
        with recorded(arguments.database, "visibility", name, visibility=chosen):
            Texts(register).show(name, chosen)
    if arguments.json:
        console.print_json({"name": name, "visibility": chosen})
    else:
        console.out().print(f"{name}: results are {chosen}")
