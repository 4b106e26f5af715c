"""``sudare perturb``: randomise a column of a file into a file of reports."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sudare.cli import console, options
from sudare.cli.blocks import ending
from sudare.cli.columns import (
    MISSING,
    Column,
    categories_from_file,
    categories_from_text,
)
from sudare.cli.replacing import replacing
from sudare.cli.reports import report_form, report_writer
from sudare.errors import DomainError
from sudare.exact import epsilon_from_text
from sudare.manifest import as_text, manifest, sidecar

_FOUND = (
    "the categories are read from the data: their list tells that somebody gave each of them; "
    "fix it beforehand (--categories) where that must not be known"
)
_SEEDED = (
    "seeded reports protect nobody: who knows the seed can undo the noise; leave --seed out to "
    "protect people"
)


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "perturb",
        help="randomise a column of a file into a file of reports",
        description=(
            "Randomise every row of a column as its own respondent, and write the reports and "
            "nothing else of the file: neither the true values nor other columns."
        ),
        epilog=(
            "example: sudare perturb people.csv --column region --epsilon 1 "
            "--categories north,south,west --out reports.csv"
        ),
    )
    options.add_column(parser)
    listed = parser.add_mutually_exclusive_group(required=True)
    listed.add_argument("--categories", help="the categories, separated by commas")
    listed.add_argument("--categories-file", help="a text file with one category a line")
    listed.add_argument(
        "--categories-from-data",
        action="store_true",
        help="take the categories that occur; their list then looks at the data",
    )
    parser.add_argument(
        "--out", required=True, help="file of reports: .csv, .csv.gz, .jsonl or .parquet"
    )
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Randomise block by block; write reports and manifest, or nothing."""
    epsilon = epsilon_from_text(arguments.epsilon)
    out = Path(arguments.out)
    kind = ending(out, "--out")
    column = _column(arguments)
    if out.exists() and out.samefile(column.path):
        raise DomainError("--out", "must be another file than the input", got=str(out))
    mechanism = options.mechanism(arguments.mechanism, len(column.categories), epsilon)
    rng = options.entropy(arguments.seed)
    if arguments.seed is not None:
        console.warn("perturb", _SEEDED)
    parameters = {
        "file": Path(column.path).name,
        "column": column.name,
        "mechanism": mechanism.to_json(),
        "epsilon": mechanism.epsilon,
        "covers": mechanism.covers,
        "categories": list(column.categories),
        "report": report_form(mechanism),
        "report_bytes": mechanism.report_bytes,
    }
    # the manifest travels with the reports: it never names the seed
    label = "operating system" if arguments.seed is None else "seeded: protects nobody"
    n = 0
    with replacing(out, sidecar(out)) as (reports, beside):
        description = as_text(manifest("perturb", parameters, label))
        with report_writer(reports, kind, mechanism, description) as write:
            for values in column.blocks("randomising", quiet=arguments.json):
                write(mechanism.perturb(values, rng=rng))
                n += values.size
        description = as_text(manifest("perturb", {**parameters, "n": n}, label))
        beside.write_text(description, encoding="utf-8")
    files = [str(out), str(sidecar(out))]
    if arguments.json:
        console.print_json({**parameters, "n": n, "files": files})
        return 0
    console.out().print(
        f"{n:,} reports of {mechanism!r}. Each respondent spent ε = "
        f"{console.epsilon(mechanism.epsilon)} on {mechanism.covers}."
    )
    console.print_files(files)
    return 0


def _column(arguments: argparse.Namespace) -> Column:
    path, name, missing = arguments.file, arguments.column, arguments.missing
    if arguments.categories_from_data:
        console.warn("perturb", _FOUND)
        column = Column.found(path, name, missing, quiet=arguments.json)
        categories = column.categories
    elif arguments.categories_file is not None:
        categories = categories_from_file(arguments.categories_file)
    else:
        categories = categories_from_text(arguments.categories)
    if missing == "category" and MISSING not in categories:
        categories = (*categories, MISSING)  # whether anybody is missing or not
    return Column(path, name, categories, missing)
