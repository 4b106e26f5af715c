"""Estimate the joint distribution of every choice of ORDER columns, with standard errors, from
reports in which each column was randomised on its own (JointRR).

example: sudare tables reports.csv --order 2 --out results
# without the manifest that sudare perturb --columns wrote:
sudare tables old.csv --columns age,race,sex --sizes 16,5,2 --epsilon 1,1,1
# on a cluster:
sudare tables /shared/reports --engine spark --master spark://host:7077
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sudare.cli import console, options
from sudare.cli.engine import add_engine, reached, session_of
from sudare.cli.options import SHARED, as_folder, epsilons_of
from sudare.cli.plan_tables import sizes_from_text
from sudare.engines import Job, plan, tables_from
from sudare.engines.planning import UNIT_ROWS, files_of
from sudare.engines.tables import Count
from sudare.errors import DomainError, counted
from sudare.exact import as_integer
from sudare.files.manifests import read_column_manifest
from sudare.files.replacing import replacing
from sudare.files.tables import Categories, write_cells, write_csv
from sudare.manifest import as_text, manifest
from sudare.mechanisms.joint import JointRR
from sudare.mechanisms.joint.tables import Table, table_count

REMEDIES = {
    "mechanism= and columns=": "--columns, --sizes and --epsilon",
    "mechanism= out": "--columns, --sizes and --epsilon out",
    "mechanism must be the manifest's": "--sizes and --epsilon must be the manifest's",
    "by read_reports": "by sudare estimate",
    **options.ENCODINGS,
}
_SHOWN = 20
_UNIT_ROWS = 1 << 24  # of Spark's: each unit sends all tables to the driver
_FILES = ("tables.parquet", "index.csv", "manifest.json")
_FIGURES = ("largest_share", "typical_stderr")
_HEADS = ("columns", "cells", "largest share", "its cell", "std. error (typical)")


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    without = "for files without a manifest"
    add("file", help=f"{SHARED['file']['help']}; or a folder of such files")
    add("--columns", help=f"the randomised columns, by commas, {without}")
    add("--sizes", help=f"number of categories of each, {without}")
    add("--epsilon", help=f"ε of each column alone, or one for all, {without}")
    add("--order", type=int, default=2, help="columns a table")
    add("--target")
    add("--out", help="folder for tables.parquet, index.csv and manifest.json")
    add("--encoding")
    add_engine(parser)
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Count and estimate table by table, print, write."""
    out = None if arguments.out is None else as_folder(arguments.out)
    mechanism, names, categories = _described(arguments)
    as_integer(arguments.order, "--order", low=1, high=len(names))
    table_count(mechanism, arguments.order)  # before a long file is read
    count, rows = _counting(arguments)
    options.tell_form("tables", arguments.file, arguments.encoding)
    how: dict[str, Any] = {"encoding": arguments.encoding}
    tables = tables_from(
        plan(reached(arguments.file, arguments), Job.of(mechanism, names), rows=rows, **how),
        arguments.order,
        arguments.target,
        count=count,
        progress=options.progress(arguments),
    )
    parameters = {
        "file": Path(arguments.file).name,
        "columns": names,
        **({} if categories is None else {"categories": categories}),
        "mechanism": mechanism.to_json(),
        "order": arguments.order,
        "target": arguments.target,
    }

    def summarised() -> Iterator[tuple[Table, dict[str, Any]]]:
        for table in tables:
            parameters["n"] = table.counts.n
            yield table, _summary(table, names, categories)

    outputs = [] if out is None else [out / name for name in _FILES]
    if out is None:
        summary = [one for _, one in summarised()]
    else:
        summary = _write(outputs, summarised(), categories, parameters)
    files = list(map(str, outputs))
    spent = {"epsilon": mechanism.epsilon, "attribute_epsilons": mechanism.attribute_epsilons}
    if arguments.json:
        console.print_json({**parameters, **spent, "tables": summary, "files": files})
        return
    _print(mechanism, summary, parameters["n"], arguments)
    console.print_files(files)


def _counting(arguments: argparse.Namespace) -> tuple[Count | None, int]:
    """Return what counts, None for this process, and about how many rows a unit has at least."""
    session = session_of(arguments)
    if session is None:
        return None, UNIT_ROWS
    from sudare.engines.spark import count_plan

    return lambda todo, show: count_plan(todo, session, progress=show), _UNIT_ROWS


def _described(
    arguments: argparse.Namespace,
) -> tuple[JointRR, list[str], tuple[tuple[str, ...], ...] | None]:
    """Return mechanism, columns and categories: of the manifest, or as the arguments say."""
    given = [arguments.columns, arguments.sizes, arguments.epsilon]
    if given == [None] * 3:
        files = files_of(arguments.file)
        mechanism, columns, categories = read_column_manifest(*files)
        return mechanism, list(columns), categories
    if None in given:
        raise DomainError("--columns", "--sizes and --epsilon must be given together", "or none")
    names = arguments.columns.split(",")
    if len(set(names)) < len(names) or not all(names):
        raise DomainError("--columns", "must name columns, each once")
    sizes = sizes_from_text(arguments.sizes)
    if len(sizes) != len(names):
        raise DomainError("--sizes", f"must name {len(names)} numbers, one a column")
    return JointRR(sizes, epsilon=epsilons_of(arguments.epsilon, len(names))), names, None


def _summary(table: Table, names: list[str], categories: Categories | None) -> dict[str, Any]:
    estimate = table.estimate
    codes = np.unravel_index(int(estimate.shares.argmax()), estimate.shares.shape)
    cell = [int(code) for code in codes]
    return {
        "columns": [names[axis] for axis in table.axes],
        "cells": estimate.shares.size,
        "largest_share": float(estimate.shares.max()),
        "largest_cell": cell
        if categories is None
        else [categories[axis][code] for axis, code in zip(table.axes, cell, strict=True)],
        "typical_stderr": math.sqrt(float((estimate.stderr**2).mean())),
        "few": sum(c.code == "few-reports" for c in estimate.warnings) > 0,
    }


def _write(
    outputs: list[Path],
    summaries: Iterator[tuple[Table, dict[str, Any]]],
    categories: Categories | None,
    parameters: dict[str, Any],
) -> list[dict[str, Any]]:
    summary, listing = [], []
    with replacing(*outputs) as (long, index, beside):
        with write_cells(long, parameters["order"], categories) as append:
            for number, (table, one) in enumerate(summaries):
                append(number, table)
                summary.append(one)
                sizes = "x".join(map(str, table.counts.support.shape))
                where = {"table": number, "columns": ",".join(one["columns"]), "sizes": sizes}
                listing.append(where | {name: one[name] for name in _FIGURES})
        write_csv(index, listing)
        beside.write_text(as_text(manifest("tables", parameters, "none")), encoding="utf-8")
    return summary


def _print(
    mechanism: JointRR, summary: list[dict[str, Any]], n: int, arguments: argparse.Namespace
) -> None:
    rows = [
        (
            " × ".join(one["columns"]),
            f"{one['cells']:,}{' *' if one['few'] else ''}",
            console.percent(one["largest_share"]),
            ", ".join(map(str, one["largest_cell"])),
            console.percent(one["typical_stderr"], 3),
        )
        for one in summary[:_SHOWN]
    ]
    title = (
        f"{counted(len(summary), 'table')} of {counted(arguments.order, 'column')}, "
        f"n = {n:,}, {arguments.target}"
    )
    console.print_table(title, _HEADS, rows)
    if len(summary) > _SHOWN:
        console.out().print(f"… and {len(summary) - _SHOWN:,} more; --out writes all of them")
    if any(one["few"] for one in summary):
        console.out().print("* some cells have fewer than 30 reports: their shares are rough")
    each = ", ".join(console.epsilon(epsilon) for epsilon in mechanism.attribute_epsilons)
    console.out().print(
        f"Each respondent spent ε = {console.epsilon(mechanism.epsilon)} on "
        f"{mechanism.covers}; on each column alone: {each}."
    )
