"""``sudare release --synthetic``: made-up rows instead of answers."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.cli import console
from sudare.cli.release_data import open_dataset
from sudare.errors import DomainError
from sudare.exact import exact_text

if TYPE_CHECKING:
    from sudare.ledger import Cost
    from sudare.release import Dataset

ALL = "all"


def run(
    arguments: argparse.Namespace,
    cost: Cost,
    folder: Path | None,
    confidence: float,
    delta: float | None,
) -> None:
    """Measure, make rows, write and print what was measured."""
    from sudare.release.statement import price
    from sudare.release.synthetic import write_synthetic

    if folder is None:
        raise DomainError("--out", "is needed for --synthetic", "name a folder for the rows")
    if arguments.split is not None:
        raise DomainError("--split", "is for questions", "leave it out")
    price(cost, delta)
    rows = arguments.rows
    if rows is not None and not (rows.isdecimal() and rows.isascii()):
        raise DomainError("--rows", "must be a whole number", "such as 10000", got=rows)
    with contextlib.ExitStack() as stack:
        db = open_dataset(arguments, cost, stack)
        asked: dict[str, Any] = {cost.unit: cost.amount, "reuse": arguments.reuse}
        columns = cells(arguments.synthetic, db)
        answer = db.synthetic(columns, rows=None if rows is None else int(rows), **asked)
        files = write_synthetic(db, answer, folder, confidence=confidence, delta=delta)
    made, paths = answer.value, [str(path) for path in files]
    if arguments.json:
        found = {"rows": made.rows, "tables": made.report(), "files": paths}
        console.print_json({**found, "bound": answer.bound(confidence), "reused": answer.reused})
        return
    heads = ["measured", "cells", f"noise, {cost.unit}", "distance of the rows", "of that noise"]
    table = [
        [
            " × ".join(one.columns),
            f"{one.cells:,}",
            f"± {one.stderr:.3g}, {float(one.cost.amount):.3g}",
            f"{one.distance:.2%}",
            f"{one.noise:.2%}",
        ]
        for one in made.tables
    ]
    console.print_table(f"{made.rows:,} made-up rows; {db.neighbours}", heads, table)
    for account, left in answer.remaining.items():
        console.out().print(f"{account}: {exact_text(left)} left")
    console.print_files(paths)


def cells(texts: list[str], db: Dataset) -> dict[str, Any] | None:
    """Read ``COLUMN`` and ``COLUMN=A,B``; None for ``all``.

    Raises:
        DomainError: a column twice, or without its name.
    """
    from sudare.release.ask import listed

    if texts == [ALL]:
        return None
    out: dict[str, Any] = {}
    for text in texts:
        column, equals, values = text.partition("=")
        if not column or column in out:
            rule = "must be COLUMN or COLUMN=A,B, each column once"
            raise DomainError("--synthetic", rule, "such as sex=f,m or age=0,18,65", got=text)
        given: list[Any] = list(listed(values))
        if db.held.kind_of(column) == "truth":
            given = [{"true": True, "false": False}.get(one.lower(), one) for one in given]
        out[column] = given if equals else None
    return out
