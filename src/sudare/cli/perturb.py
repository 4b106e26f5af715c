"""``sudare perturb``: randomise a column of a file, or several, into a file of reports."""

from __future__ import annotations

import argparse
from pathlib import Path

from sudare.cli import console, options
from sudare.cli.blocks import ending
from sudare.cli.columns import (
    MISSING,
    Column,
    categories_from_file,
    categories_from_text,
)
from sudare.cli.perturb_columns import names_of, perturb_columns
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


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Randomise every row of a column as its own respondent, and write the reports and "
        "nothing else of the file: neither the true values nor other columns. Of several "
        "columns each is randomised on its own; their reports stay side by side for "
        "'sudare tables'."
    )
    parser.epilog = (
        "example: sudare perturb people.csv --column region --epsilon 1 "
        "--categories north,south,west --out reports.csv"
    )
    options.add_column(parser, several=True)
    listed = parser.add_mutually_exclusive_group(required=True)
    listed.add_argument(
        "--categories",
        action="append",
        help="the categories, separated by commas; for several columns once for each",
    )
    listed.add_argument(
        "--categories-file",
        action="append",
        help="a text file with one category a line; for several columns once for each",
    )
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
    names = (arguments.column,) if arguments.columns is None else names_of(arguments.columns)
    out = Path(arguments.out)
    kind = ending(out, "--out")
    columns = _columns(arguments, names)
    if out.exists() and out.samefile(arguments.file):
        raise DomainError("--out", "must be another file than the input", got=str(out))
    rng = options.entropy(arguments.seed)
    if arguments.seed is not None:
        console.warn("perturb", _SEEDED)
    # the manifest travels with the reports: it never names the seed
    label = "operating system" if arguments.seed is None else "seeded: protects nobody"
    if arguments.columns is not None:
        return perturb_columns(arguments, columns, rng, label)
    column = columns[0]
    epsilon = epsilon_from_text(arguments.epsilon)
    mechanism = options.mechanism(arguments.mechanism, len(column.categories), epsilon)
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


def _columns(arguments: argparse.Namespace, names: tuple[str, ...]) -> list[Column]:
    path, missing = arguments.file, arguments.missing
    if arguments.categories_from_data:
        console.warn("perturb", _FOUND)
        found = [Column.found(path, name, missing, quiet=arguments.json) for name in names]
        listed = [column.categories for column in found]
    elif arguments.categories_file is not None:
        listed = [categories_from_file(file) for file in arguments.categories_file]
    else:
        listed = [categories_from_text(text) for text in arguments.categories]
    if len(listed) != len(names):
        raise DomainError(
            "--categories", "must be given once for each column", "in the order of the columns"
        )
    if missing == "category":  # whether anybody is missing or not
        listed = [one if MISSING in one else (*one, MISSING) for one in listed]
    return [
        Column(path, name, categories, missing)
        for name, categories in zip(names, listed, strict=True)
    ]
