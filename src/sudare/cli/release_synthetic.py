"""``sudare release --synthetic``: made-up rows instead of answers."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.cli import console
from sudare.cli.release_data import open_dataset
from sudare.cli.release_told import cells, rows
from sudare.errors import DomainError, counted
from sudare.exact import exact_text

if TYPE_CHECKING:
    from sudare.ledger import Cost


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
    size = rows(arguments.rows)
    with contextlib.ExitStack() as stack:
        db = open_dataset(arguments, cost, stack)
        asked: dict[str, Any] = {cost.unit: cost.amount, "reuse": arguments.reuse}
        columns = cells(arguments.synthetic, db)
        answer = db.synthetic(columns, rows=size, **asked)
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
    console.print_table(f"{counted(made.rows, 'made-up row')}; {db.neighbours}", heads, table)
    for account, left in answer.remaining.items():
        console.out().print(f"{account}: {exact_text(left)} left")
    console.print_files(paths)
