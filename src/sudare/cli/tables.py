"""``sudare tables``: every cross-table of a wide survey's reports."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.cli import console, options
from sudare.cli.blocks import read_blocks
from sudare.cli.perturb_columns import epsilons_of
from sudare.cli.replacing import replacing
from sudare.cli.report_manifest import described_columns
from sudare.errors import DomainError, MissingExtraError, ReportError
from sudare.manifest import as_text, manifest
from sudare.mechanisms.joint import JointRR
from sudare.mechanisms.joint.tables import Table, joint_tables, table_count

_SHOWN = 20


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "tables",
        help="estimate every cross-table of several randomised columns",
        description=(
            "Estimate the joint distribution of every choice of ORDER columns, with standard "
            "errors, from reports in which each column was randomised on its own (JointRR)."
        ),
        epilog=(
            "example: sudare tables reports.csv --order 2 --out results (what sudare perturb "
            "--columns wrote; for other files: --columns age,race,sex --sizes 16,5,2 "
            "--epsilon 1,1,1)"
        ),
    )
    parser.add_argument("file", help=".csv, .csv.gz, .jsonl or .parquet")
    without = "for files without a manifest"
    parser.add_argument("--columns", help=f"the randomised columns, by commas, {without}")
    parser.add_argument("--sizes", help=f"number of categories of each, {without}")
    parser.add_argument("--epsilon", help=f"ε of each column alone, or one for all, {without}")
    parser.add_argument("--order", type=int, default=2, help="columns a table (default: 2)")
    options.add_target(parser)
    parser.add_argument("--out", help="folder for tables.parquet, index.csv and manifest.json")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, estimate table by table, print, write."""
    mechanism, names, categories = _described(arguments)
    total = table_count(mechanism, arguments.order)  # before a long file is read
    reports = _read(arguments.file, names, mechanism, quiet=arguments.json)
    tables = joint_tables(mechanism, reports, arguments.order, arguments.target)
    shown = console.progress(tables, total, "estimating tables", quiet=arguments.json)
    parameters = {
        "file": Path(arguments.file).name,
        "columns": names,
        **({} if categories is None else {"categories": categories}),
        "mechanism": mechanism.to_json(),
        "order": arguments.order,
        "target": arguments.target,
        "n": reports.shape[0],
    }
    files: list[str] = []
    if arguments.out:
        summary = _write(Path(arguments.out), shown, names, parameters, files)
    else:
        summary = [_summary(table, names) for table in shown]
    spent = {"epsilon": mechanism.epsilon, "attribute_epsilons": mechanism.attribute_epsilons}
    if arguments.json:
        console.print_json({**parameters, **spent, "tables": summary, "files": files})
        return 0
    _print(mechanism, summary, reports.shape[0], arguments)
    console.print_files(files)
    return 0


def _described(
    arguments: argparse.Namespace,
) -> tuple[JointRR, list[str], tuple[tuple[str, ...], ...] | None]:
    """Return mechanism, columns and categories: of the manifest, or as the arguments say."""
    given = [arguments.columns, arguments.sizes, arguments.epsilon]
    if given == [None] * 3:
        mechanism, columns, categories = described_columns(arguments.file)
        return mechanism, list(columns), categories
    if None in given:
        raise DomainError("--columns", "--sizes and --epsilon must be given together", "or none")
    names = arguments.columns.split(",")
    if len(set(names)) < len(names) or not all(names):
        raise DomainError("--columns", "must name columns, each once")
    sizes = [_whole(text, "--sizes") for text in arguments.sizes.split(",")]
    if len(sizes) != len(names):
        raise DomainError("--sizes", f"must name {len(names)} numbers, one a column")
    return JointRR(sizes, epsilon=epsilons_of(arguments.epsilon, len(names))), names, None


def _whole(text: str, argument: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise DomainError(argument, "must be whole numbers, by commas", got=text)
    return int(text)


def _read(
    path: str, names: list[str], mechanism: JointRR, *, quiet: bool
) -> npt.NDArray[np.unsignedinteger[Any]]:
    """Return the columns side by side, each in its alphabet; the row is named, never the cell."""
    columns = []
    for name, part in zip(names, mechanism.parts, strict=True):
        column: list[npt.NDArray[Any]] = []
        row = 0
        for cells in read_blocks(path, name).shown(f"reading {name}", quiet=quiet):
            column.append(_numbers(cells, name, part.k, row))
            row += len(cells)
        columns.append(np.concatenate(column) if column else np.zeros(0, dtype=np.uint8))
    if len({column.size for column in columns}) > 1:
        raise ReportError("--columns", "must be equally long", "check the file")
    return np.stack(columns, axis=1)


def _numbers(cells: Any, name: str, k: int, before: int) -> npt.NDArray[Any]:
    import pyarrow as pa
    from pyarrow import compute

    wanted = pa.array([str(value) for value in range(k)])
    try:
        places = compute.index_in(cells.cast(pa.string()), value_set=wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ReportError(name, "must hold whole numbers", "use JointRR's reports") from None
    values = compute.fill_null(places, -1).to_numpy(zero_copy_only=False)
    if (values < 0).any():
        place = before + int(np.argmax(values < 0)) + 1
        raise ReportError(name, f"must lie in [0, {k})", f"look at row {place}")
    narrow: npt.NDArray[Any] = values.astype(np.min_scalar_type(k - 1))
    return narrow


def _summary(table: Table, names: list[str]) -> dict[str, Any]:
    estimate = table.estimate
    return {
        "columns": [names[axis] for axis in table.axes],
        "cells": estimate.shares.size,
        "largest_share": float(estimate.shares.max()),
        "typical_stderr": math.sqrt(float((estimate.stderr**2).mean())),
        "few": sum(c.code == "few-reports" for c in estimate.warnings) > 0,
    }


def _write(
    folder: Path,
    tables: Iterator[Table],
    names: list[str],
    parameters: dict[str, Any],
    files: list[str],
) -> list[dict[str, Any]]:
    outputs = [folder / name for name in ("tables.parquet", "index.csv", "manifest.json")]
    summary = []
    with replacing(*outputs) as (long, index, beside):
        with _parquet(long) as append, index.open("w", encoding="utf-8", newline="") as stream:
            import csv

            listing = csv.writer(stream)
            listing.writerow(["table", "columns", "sizes", "largest_share", "typical_stderr"])
            for number, table in enumerate(tables):
                append(number, table)
                one = _summary(table, names)
                summary.append(one)
                sizes = "x".join(map(str, table.counts.support.shape))
                figures = (one["largest_share"], one["typical_stderr"])
                listing.writerow([number, ",".join(one["columns"]), sizes, *figures])
        beside.write_text(as_text(manifest("tables", parameters, "none")), encoding="utf-8")
    files.extend(map(str, outputs))
    return summary


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", "to write Parquet") from None
    schema = pa.schema(
        [
            ("table", pa.int32()),
            ("cell", pa.int32()),
            ("reports", pa.int64()),
            ("share", pa.float64()),
            ("stderr", pa.float64()),
        ]
    )
    with parquet.ParquetWriter(path, schema) as writer:

        def append(number: int, table: Table) -> None:
            size = table.estimate.shares.size
            columns = [
                np.full(size, number, dtype=np.int32),
                np.arange(size, dtype=np.int32),
                table.counts.support.reshape(-1),
                table.estimate.shares.reshape(-1),
                table.estimate.stderr.reshape(-1),
            ]
            writer.write_batch(pa.record_batch([pa.array(c) for c in columns], schema=schema))

        yield append


def _print(
    mechanism: JointRR, summary: list[dict[str, Any]], n: int, arguments: argparse.Namespace
) -> None:
    rows = [
        (
            " × ".join(one["columns"]),
            f"{one['cells']:,}",
            console.percent(one["largest_share"]),
            console.percent(one["typical_stderr"], 3),
            "few reports in some cells" if one["few"] else "",
        )
        for one in summary[:_SHOWN]
    ]
    title = f"{len(summary):,} tables of {arguments.order} columns, n = {n:,}, {arguments.target}"
    console.print_table(title, ("columns", "cells", "largest share", "typical ±", ""), rows)
    if len(summary) > _SHOWN:
        console.out().print(f"… and {len(summary) - _SHOWN:,} more; --out writes all of them")
    each = ", ".join(console.epsilon(epsilon) for epsilon in mechanism.attribute_epsilons)
    console.out().print(
        f"Each respondent spent ε = {console.epsilon(mechanism.epsilon)} on "
        f"{mechanism.covers}; on each column alone: {each}."
    )
