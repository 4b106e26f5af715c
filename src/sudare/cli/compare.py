"""Compare mechanisms on one table of true counts: expected and measured error, bytes of a report,
time, and how often the best guess from one report is right. Without a file, -k or --sizes, on
counts that ship: 49,742 orders of 43 trousers, or Adult, 45,222 people by age and race.

example: sudare compare --mechanisms GRR,OUE,SubsetSelection --epsilon 1,2,4 --out compared
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.cli import console, options
from sudare.cli.options import as_folder
from sudare.cli.plan_tables import sizes_from_text
from sudare.data import adult_table, trousers
from sudare.errors import DomainError, counted
from sudare.exact import as_integer, epsilon_from_text
from sudare.files.columns import Column
from sudare.files.places import no_progress
from sudare.files.tables import write_csv
from sudare.manifest import write_manifest
from sudare.mechanisms.values import as_categories_count
from sudare.planning import Comparison, compare
from sudare.planning.budget_split import MOST_CELLS
from sudare.planning.tables import tables_text

REMEDIES = options.MISSING_CELLS
SHIPPED: dict[str, Callable[[], Integers]] = {
    "trousers": lambda: np.array(trousers().counts),
    "adult": adult_table,
}
"""Counts that ship."""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("file", nargs="?")
    add("--column", help="the column of the file whose counts are the truth")
    add("--columns", help="several columns, by commas: the truth is their table")
    add("--data", choices=tuple(SHIPPED), help="without a file, which counts (default: trousers)")
    add("-k", type=int, help="instead of a file: so many categories, equally frequent")
    add("--sizes", help="instead of a file: categories of several attributes, such as 16,5")
    told = "number of respondents (default: those of the table; must be with -k and --sizes)"
    add("-n", type=int, help=told)
    add("--order", type=int, help="attributes of each wanted table (default: all together)")
    add("--mechanisms", help="names, by commas (default: all, those of other packages too)")
    add("--epsilon", default="1,2,4", help="each ε to compare at, by commas, 0.001 to 20")
    add("--repetitions", type=int, default=100, help="collections over which errors are measured")
    add("--missing", choices=("refuse", "category"), default="refuse", help="what an empty cell is")
    add("--encoding")
    add("--seed")
    add("--out", help="folder for compare.csv, compare.png, compare.svg and manifest.json")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Compare, print, draw."""
    epsilons = [epsilon_from_text(one, "--epsilon") for one in arguments.epsilon.split(",")]
    asked = arguments.mechanisms
    chosen = None if asked is None else [name.strip() for name in asked.split(",")]
    source, truth = _truth(arguments)
    progress: Any = options.progress(arguments)
    found = compare(
        chosen,
        truth,
        arguments.n,
        epsilons,
        arguments.repetitions,
        order=_order(arguments, truth.ndim),
        rng=options.entropy(arguments.seed),
        progress=progress,
    )
    files = _write(found, as_folder(arguments.out), source, arguments) if arguments.out else []
    if arguments.json:
        console.print_json({"truth": source, **found.to_json(), "files": files})
        return
    _print(found, source)
    console.print_files(files)


def _order(arguments: argparse.Namespace, attributes: int) -> int | None:
    if arguments.order is None:
        return None
    if attributes == 1:
        raise DomainError("--order", "must come with several attributes", "such as --columns a,b")
    return as_integer(arguments.order, "--order", low=1, high=attributes)


def _truth(arguments: argparse.Namespace) -> tuple[str, Integers]:
    """Return what the truth is, in words, and how many hold each category, or each cell."""
    given = [
        name for name in ("k", "sizes", "data", "file") if getattr(arguments, name) is not None
    ]
    if len(given) > 1:
        flag = "-k" if given[0] == "k" else f"--{given[0]}"
        raise DomainError(flag, "must be left out", "one thing alone says what the truth is")
    if arguments.file is not None:
        return _counted(arguments)
    for name in ("column", "columns"):
        if getattr(arguments, name) is not None:
            raise DomainError(f"--{name}", "must come with a file")
    if arguments.k is None and arguments.sizes is None:
        name = arguments.data or "trousers"
        return name, SHIPPED[name]()
    if arguments.n is None:
        raise DomainError("-n", "must be given", "with -k and --sizes")
    if arguments.k is not None:
        return "uniform", np.ones(as_categories_count(arguments.k, "-k"), dtype=np.int64)
    sizes = sizes_from_text(arguments.sizes)
    _check_cells(sizes, "--sizes")
    return "uniform", np.ones(sizes, dtype=np.int64)


def _counted(arguments: argparse.Namespace) -> tuple[str, Integers]:
    """Return the counts of a column, or the table of several."""
    if (arguments.column is None) == (arguments.columns is None):
        rule = "must be given" if arguments.column is None else "must not come with --columns"
        raise DomainError("--column", rule, "the column that holds the answers")
    several = arguments.columns is not None
    names = options.columns_from_text(arguments.columns) if several else (arguments.column,)
    path, progress = arguments.file, options.progress(arguments)
    options.tell_form("compare", path, arguments.encoding)
    how: Any = {"encoding": arguments.encoding, "progress": progress}
    columns = [Column.found(path, one, arguments.missing, **how) for one in names]
    sizes = [len(column.categories) for column in columns]
    _check_cells(sizes, "--columns")
    counts = np.zeros(prod(sizes), dtype=np.int64)
    shown = [progress, *[no_progress] * (len(columns) - 1)]
    blocks = [one.blocks("counting", show) for one, show in zip(columns, shown, strict=True)]
    for values in zip(*blocks, strict=True):
        counts += np.bincount(np.ravel_multi_index(values, sizes), minlength=counts.size)
    title = " × ".join(column.name for column in columns)
    return f"{Path(columns[0].path).name}: {title}", counts.reshape(sizes)


def _check_cells(sizes: list[int], argument: str) -> None:
    if prod(sizes) > MOST_CELLS:
        rule = f"must have at most {MOST_CELLS:,} cells together"
        raise DomainError(argument, rule, "take fewer attributes", got=prod(sizes))


def _title(found: Comparison, source: str) -> str:
    what = f"k = {found.k}"
    if found.truth.ndim > 1:
        sizes = " x ".join(map(str, found.truth.shape))
        what = f"{sizes}, {tables_text(len(found.tables))}"
    return f"{source}, {what}, n = {found.n:,}"


def _print(found: Comparison, source: str) -> None:
    console.print_table(
        _title(found, source),
        ("mechanism", "ε", "MSE", "measured", "bytes", "ns", "guess %"),
        [
            (row.name, f"{row.epsilon:g}",
             f"{row.expected_mse:.3e}", f"{row.measured_mse:.3e}", f"{row.report_bytes:,}",
             f"{_nanoseconds(row.perturb_seconds)} + {_nanoseconds(row.estimate_seconds)}",
             "–" if (guess := row.guess_probability) is None else f"{100 * guess:.2f}")
            for row in found
        ],
    )  # fmt: skip
    console.out().print(
        "MSE: mean squared error of a share, expected; measured: over "
        f"{counted(found.repetitions, 'collection')};\nns: to randomise + to estimate, "
        "a respondent; guess: "
        "the best one from one\nreport is right so often, "
        f"{console.percent(1 / found.k)} without one."
    )
    told: dict[str, list[str]] = {}
    for taken in found.auto:
        told.setdefault(taken.name, []).append(f"{taken.epsilon:g}")
    choice = "; ".join(f"{name} at ε = {', '.join(each)}" for name, each in told.items())
    most = max(taken.more for taken in found.auto)
    who = "auto takes" if found.truth.ndim == 1 else "sudare plan has first"
    console.out().print(
        f"{who} {choice}.\nIts error is at most {100 * most:.2f} % more than the least."
    )
    missing: dict[tuple[str, str], list[str]] = {}
    for name, epsilon, rule in found.left_out:
        missing.setdefault((name, rule), []).append(f"{epsilon:g}")
    for (name, rule), epsilons in missing.items():
        console.out().print(f"{name} is left out at ε = {', '.join(epsilons)}: {rule}.")


def _nanoseconds(seconds: float) -> str:
    """Return whole nanoseconds; thousands from 1,000 on, as 1.2k and 12k."""
    count = 1e9 * seconds
    if count < 999.5:
        return f"{count:.0f}"
    return f"{count / 1000:,.{1 if count < 9950 else 0}f}k"


def _write(
    found: Comparison, folder: Path, source: str, arguments: argparse.Namespace
) -> list[str]:
    """Write ``compare.csv``, ``compare.png``, ``compare.svg`` and ``manifest.json``."""
    from sudare.plots import compare_errors

    rows, several = [row.to_json() for row in found], found.truth.ndim > 1
    lines = found.lines()
    folder.mkdir(parents=True, exist_ok=True)
    table = write_csv(folder / "compare.csv", rows)
    title = _title(found, source)
    pictures = [
        compare_errors(folder / f"compare.{end}", found.epsilons, *lines.values(), title=title)
        for end in ("png", "svg")
    ]
    parameters = {
        "truth": source,
        "k": found.k,
        **({"sizes": list(found.truth.shape), "order": arguments.order} if several else {}),
        "n": found.n,
        "epsilon": list(found.epsilons),
        "mechanisms": list(lines["expected_mse"]),
        "repetitions": found.repetitions,
    }
    label = options.entropy_label(arguments.seed)
    manifest = write_manifest(folder / "manifest.json", "compare", parameters, label)
    return [str(path) for path in (table, *pictures, manifest)]
