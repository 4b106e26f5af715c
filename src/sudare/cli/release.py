"""Answer questions about a file with a row a person (or several) with noise that is calibrated to
ε, drawn exactly, and paid from a ledger if one is given.

example: sudare release people.parquet --ask mean:score --ask count:sex=f --ask
histogram:region=north,south --bounds score=0,100 --epsilon 1 --out results
# on a cluster, of a folder of Parquet files that every machine reaches:
sudare release /shared/people --ask mean:score --bounds score=0,100 --epsilon 1 --engine spark
--master spark://host:7077
"""

from __future__ import annotations

import argparse
import contextlib
from typing import TYPE_CHECKING, Any

from sudare.cli import console, options, release_synthetic
from sudare.cli.engine import add_engine
from sudare.cli.ledger import budget
from sudare.cli.options import as_folder
from sudare.cli.release_data import numbers, open_dataset
from sudare.cli.release_told import bound_text, dry_run, level, selected, value_text
from sudare.errors import DomainError, counted
from sudare.exact import exact_text, rational_from_text

if TYPE_CHECKING:
    from sudare.release.sql import Selected

REMEDIES = {
    **options.ENCODINGS,
    'missing="drop"': "--missing drop",
    'outside="clamp"': "--outside clamp",
}


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    from sudare.release.queries import KINDS

    often: dict[str, Any] = {"action": "append", "default": []}
    add(
        "file",
        help=".csv or .tsv (both also with .gz), .jsonl or .parquet, a folder of .parquet or of "
        ".csv files, or its URI, - for standard input; or the .toml definition of a held data set",
    )
    ask = options.adder(parser.add_mutually_exclusive_group(required=True))
    ask(
        "--ask",
        action="append",
        help=f"{', '.join(kind.spelling() for kind in KINDS.values())} each perhaps "
        "with where CONDITION and CONDITION, such as 'mean:score where age >= 18' (repeat for "
        "several)",
    )
    ask("--sql", help="a SELECT, such as 'SELECT AVG(score) FROM data WHERE age >= 18'")
    ask(
        "--synthetic",
        action="append",
        help="made-up rows instead of answers: COLUMN, COLUMN=CATEGORIES or COLUMN=EDGES (repeat "
        "for several), or all: every column with bounds or public categories",
    )
    pay = options.adder(parser.add_mutually_exclusive_group(required=True))
    pay("--epsilon", help="price of all answers together (Laplace noise)")
    pay("--rho", help="the same in zero-concentrated privacy (Gaussian noise)")
    add("--split", help="parts of the price, one a question, such as 2,1,1")
    add("--bounds", **often, help="COLUMN=LOW,HIGH (repeat for several)")
    add("--grid", **often, help="COLUMN=STEP of its sums")
    told = "whole, number, text, truth, date, datetime or time: what cells without a type hold"
    add("--type", **often, help=f"COLUMN={told}; a cell that does not fit is missing")
    add(
        "--neighbours",
        choices=("replace-one", "add-remove"),
        help="whom it protects: one row's values (the default), or whether it is there",
    )
    add("--unit", help="COLUMN=MOST: whose a row is, and the most rows that count")
    told = "another table about the same persons, for JOIN in --sql; COLUMN: whose a row is"
    add("--table", **often, help=f"NAME=FILE or NAME:COLUMN=FILE: {told}")
    told = "rows without a number: an error (the default), or left out"
    add("--missing", choices=("refuse", "drop"), help=told)
    add("--encoding")
    told = "numbers outside the bounds: taken as the nearest bound (the default), or an error"
    add("--outside", choices=("clamp", "refuse"), help=told)
    add_engine(parser)
    add("--ledger", help="a SQLite file or postgresql:// URL that keeps budgets")
    add("--account", action="append", help="of the ledger, that pays (repeat)")
    add("--open", help="open the accounts with this budget if they are not open")
    add("--name", help="of the data in the ledger (default: the file's name)")
    add(
        "--dry-run",
        action="store_true",
        help="tell prices and bounds: no question is put to the data, nothing is drawn or paid",
    )
    add(
        "--rows",
        help="with --synthetic: how many to make up (default: as many as there are); with "
        "--dry-run: about how many rows, where that is private; of each group",
    )
    add(
        "--reuse",
        action="store_true",
        help="take answers on record in the ledger, given at this price, at no cost",
    )
    add("--confidence", default="0.95", help="of the bounds")
    add("--delta", help="with --rho: state the ε of (ε, δ) too, such as 1e-6")
    add("--keys", help="the δ that keys nobody listed (discover) may cost, such as 1e-6")
    add("--agree", action="store_true", help="make tables agree: keys given are all that there are")
    add("--out", help="folder for release.csv, privacy.json and figures")
    add("--seed", help="text to repeat a simulation: such noise protects nobody")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Read, ask, print."""
    from sudare.ledger import Cost
    from sudare.release import publish

    if arguments.dry_run:
        dry_run(arguments)
        return
    cost, confidence = Cost.of(**budget(arguments)), level(arguments)
    delta = arguments.delta
    if delta is not None:
        delta = float(rational_from_text(delta, "--delta"))
    split = None if arguments.split is None else numbers(arguments.split, "--split")
    folder = as_folder(arguments.out) if arguments.out else None
    if arguments.synthetic is not None:
        release_synthetic.run(arguments, cost, folder, confidence, delta)
        return
    if arguments.rows is not None:
        raise DomainError("--rows", "is for --synthetic and --dry-run", "leave it out")
    with contextlib.ExitStack() as stack:
        db = open_dataset(arguments, cost, stack)
        how: dict[str, Any] = {"split": split, "reuse": arguments.reuse, "delta": delta}
        selection = None if arguments.sql is None else selected(arguments.sql, db)
        asks = arguments.ask if selection is None else list(selection.asks.values())
        db = db if selection is None else selection.db
        how["agree"] = arguments.agree
        done = publish(db, asks, cost, folder, confidence=confidence, **how)
    answers, files = done.answers, [str(path) for path in done.files]
    chosen = None if selection is None else selection.answered(answers)
    if arguments.json:
        found: dict[str, Any] = {"answers": done.records()}
        if chosen is not None:
            found["rows"] = chosen.records(confidence)
        console.print_json({**found, "privacy": done.statement, "files": files})
        return
    size = f"; {counted(db.n, 'row')}" if db.size_is_public else ""
    if chosen is None:
        heads, table = questions(done.records(), confidence, cost.unit)
    else:
        heads, table = selected_rows(chosen, confidence)
    console.print_table(db.neighbours + size, heads, table)
    names = done.asks if selection is None else list(selection.asks)
    about: dict[str, list[str]] = {}
    for text, one in zip(names, answers, strict=True):
        if chosen is not None:
            part = f"{cost.unit} {float(one.cost.amount):g}{' (on record)' if one.reused else ''}"
            about.setdefault(part, []).append(text)
        for note in one.notes:
            about.setdefault(note, []).append(text)
    for note, texts in about.items():
        console.out().print(f"{', '.join(texts)}: {note}")
    for account, left in answers[-1].remaining.items():
        console.out().print(f"{account}: {exact_text(left)} left")
    console.print_files(files)


def selected_rows(chosen: Selected, confidence: float) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of a SELECT's table: its columns, each number with its bound."""
    selection, table = chosen.selection, []
    for record in chosen.records(confidence):
        fields, row = iter(record.values()), []
        for name in selection.columns:
            value = next(fields)
            if name in selection.keys:
                row.append(str(value))
            else:
                bound = bound_text(next(fields), chosen.answers[name].bound_in)
                row.append(f"{value_text(value)} {bound}")
        table.append(row)
    return list(selection.columns), table


def questions(
    rows: list[dict[str, Any]], confidence: float, unit: str
) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of a table of questions: a row for each number."""
    heads = ["question", "group", "value", "raw", f"noise, {confidence:.0%}", unit]
    table, before = [], 0
    for row in rows:
        first, before = row["table"] != before, row["table"]
        table.append(
            [
                query_text(row) if first else "",
                row["group"],
                value_text(row["value"]),
                value_text(row["raw"]) if row["raw"] != row["value"] else "",
                bound_text(row["bound"], row["bound_in"]),
                f"{row['price']:g}{' (on record)' if row['reused'] else ''}" if first else "",
            ]
        )
    return heads, table


def query_text(row: dict[str, Any]) -> str:
    """Return a question as a terminal shows it: without the groups, which have lines."""
    question, where, rows = str(row["question"]).partition(" where ")
    return (question.partition("=")[0] if row["group"] else question) + where + rows
