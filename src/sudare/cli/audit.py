"""Show what operators did at a collector, newest first: who, what, with which collection, when.

example: sudare audit --database survey.sqlite3
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from sudare.cli import console, options

REMEDIES = {"limit must": "--limit must"}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("--database", default="sudare.sqlite3", help="the collector's file")
    add("--limit", type=int, default=100, help="how many acts, 1 to 500")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Read the record."""
    from sudare.collector.operator_api.opening import open_register
    from sudare.operators import Audit

    with open_register(arguments.database, new=False) as register:
        found = Audit(register).read(most=arguments.limit)
    if arguments.json:
        console.print_json({"entries": [asdict(one) for one in found]})
        return
    console.print_table(
        "What operators did",
        ("when", "who", "by what", "what", "collection", "more"),
        [
            (
                one.at,
                one.who,
                one.via or "–",
                one.act,
                one.collection or "",
                json.dumps(one.detail),
            )
            for one in found
        ],
    )
