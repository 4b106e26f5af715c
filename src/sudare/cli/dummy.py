"""Write made-up rows with the columns and types of a held data set's definition; no data is read.

example: sudare dummy scores.toml --rows 1000 --out dummy.csv
"""

from __future__ import annotations

import argparse
import re
from datetime import date, time
from pathlib import Path
from typing import Any

from sudare.cli import console, options
from sudare.errors import DomainError
from sudare.files.places import STANDARD

_ROWS = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("definition", help="the .toml definition of a held data set")
    add("--rows", default="1000", help="how many")
    add("--out", required=True, help="file to write: .csv, .json, .jsonl or .parquet")
    add("--table", help="another of its tables; default: the first")
    add("--seed", help="text that draws others; default: the same ones each time")


def run(arguments: argparse.Namespace) -> None:
    """Make them up and write them."""
    from sudare.files.tables import write_table
    from sudare.release import Definition

    if not _ROWS.fullmatch(arguments.rows):
        rule = "must be a whole number from 1 to 1,000,000"
        raise DomainError("--rows", rule, "such as 1000", got=arguments.rows)
    rng = None if arguments.seed is None else options.entropy(arguments.seed)
    table = Definition.load(arguments.definition).dummy(int(arguments.rows), rng, arguments.table)
    if Path(arguments.out).suffix != ".parquet":  # dates have no type there: as ISO 8601 has them
        table = {name: list(map(_cell, cells)) for name, cells in table.items()}
    records = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    write_table(arguments.out, records, data=True)
    if arguments.out != STANDARD:
        console.print_files([arguments.out])


def _cell(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date | time) else value
