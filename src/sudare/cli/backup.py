"""Copy a collector's database into one file, with everything acknowledged so far.

example: sudare backup --database survey.sqlite3 --out survey-monday.sqlite3
"""

from __future__ import annotations

import argparse

from sudare.cli import console, options
from sudare.cli.recording import record_copy
from sudare.collector.backup import back_up
from sudare.collector.databases import require_file
from sudare.errors import counted


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("--database", default="sudare.sqlite3", help="the collector's file; it may run meanwhile")
    add("--out", required=True, force=False, help="the copy, which must not exist yet")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Write the copy, and say what it holds."""
    require_file(arguments.database)
    record_copy(arguments.database, "backup")
    reports = back_up(arguments.database, arguments.out)
    if arguments.json:
        console.print_json({"backup": arguments.out, "reports": reports})
        return
    console.out().print(
        f"{arguments.out}: {counted(reports, 'report')}, each as randomised. A deletion "
        "does not reach this "
        "copy."
    )
