"""Put a copy of a collector's database where a collector is to serve it.

example: sudare restore survey-monday.sqlite3 --database survey.sqlite3
"""

from __future__ import annotations

import argparse

from sudare.cli import console, options
from sudare.cli.recording import recorded
from sudare.collector.backup import restore


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("backup", metavar="survey-monday.sqlite3", help="made by sudare backup")
    add("--database", default="sudare.sqlite3", help="where it is to be; must not exist yet")


def run(arguments: argparse.Namespace) -> None:
    """Copy it to its place."""
    with recorded(arguments.database, "restore"):
        restore(arguments.backup, arguments.database)
    console.out().print(
        f"{arguments.database} can be served. New figures become public with a whole batch of "
        "reports beyond all that it stores."
    )
    console.out().print(
        "Operators' sessions have ended and their tokens are revoked: sudare token new NAME "
        f"--database {arguments.database} makes another."
    )
