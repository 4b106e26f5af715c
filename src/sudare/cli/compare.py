"""Compare mechanisms on one table of true counts: expected and measured error, bytes of a report,
time, and how often the best guess from one report is right. Without a file or -k, on the 49,742
orders of 43 trousers that ship.

example: sudare compare --mechanisms GRR,OUE,SubsetSelection --epsilon 1,2,4 --out compared
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.cli import console, options
from sudare.cli.options import as_folder
from sudare.data import trousers
from sudare.errors import DomainError
from sudare.exact import epsilon_from_text
from sudare.files.columns import Column
from sudare.files.tables import write_csv
from sudare.manifest import write_manifest
from sudare.mechanisms.values import as_categories_count
from sudare.planning import Comparison, compare

REMEDIES = options.MISSING_CELLS


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    add = options.adder(parser)
    add("file", nargs="?")
    add("--column", help="the column of the file whose counts are the truth")
    add("-k", type=int, help="instead of a file: so many categories, equally frequent")
    add("-n", type=int, help="number of respondents (default: those of the table; must be with -k)")
    add("--mechanisms", help="names, by commas (default: all, those of other packages too)")
    add("--epsilon", default="1,2,4", help="each ε to compare at, by commas, 0.001 to 20")
    add("--repetitions", type=int, default=100, help="collections over which errors are measured")
    add("--missing", choices=("refuse", "category"), default="refuse", help="what an empty cell is")
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
        rng=options.entropy(arguments.seed),
        progress=progress,
    )
    files = _write(found, as_folder(arguments.out), source, arguments) if arguments.out else []
    if arguments.json:
        console.print_json({"truth": source, **found.to_json(), "files": files})
        return
    _print(found, source)
    console.print_files(files)


def _truth(arguments: argparse.Namespace) -> tuple[str, Integers]:
    """Return what the truth is, in words, and how many hold each category."""
    if arguments.k is not None:
        if arguments.file is not None:
            raise DomainError("-k", "must be left out", "the file says how many categories")
        if arguments.n is None:
            raise DomainError("-n", "must be given", "with -k")
        return "uniform", np.ones(as_categories_count(arguments.k, "-k"), dtype=np.int64)
    if arguments.file is None:
        if arguments.column is not None:
            raise DomainError("--column", "must come with a file")
        return "trousers", np.array(trousers().counts)
    if arguments.column is None:
        raise DomainError("--column", "must be given", "the column that holds the answers")
    progress = options.progress(arguments)
    column = Column.found(arguments.file, arguments.column, arguments.missing, progress=progress)
    counts = np.zeros(len(column.categories), dtype=np.int64)
    for values in column.blocks("counting", progress):
        counts += np.bincount(values, minlength=counts.size)
    return f"{Path(column.path).name}: {column.name}", counts


def _print(found: Comparison, source: str) -> None:
    console.print_table(
        f"{source}, k = {found.k}, n = {found.n:,}",
        ("mechanism", "ε", "MSE", "measured", "bytes", "ns", "guess %"),
        [
            (row.mechanism.name, f"{float(row.mechanism.requested_epsilon):g}",
             f"{row.expected_mse:.3e}", f"{row.measured_mse:.3e}", f"{row.report_bytes:,}",
             f"{1e9 * row.perturb_seconds:,.0f} + {1e9 * row.estimate_seconds:,.0f}",
             "–" if (guess := row.guess_probability) is None else f"{100 * guess:.2f}")
            for row in found
        ],
    )  # fmt: skip
    console.out().print(
        "MSE: mean squared error of a share, expected; measured: over "
        f"{found.repetitions} collections;\nns: to randomise + to estimate, a respondent; guess: "
        "the best one from one\nreport is right so often, "
        f"{console.percent(1 / found.k)} without one."
    )
    missing: dict[tuple[str, str], list[str]] = {}
    for name, epsilon, rule in found.left_out:
        missing.setdefault((name, rule), []).append(f"{epsilon:g}")
    for (name, rule), epsilons in missing.items():
        console.out().print(f"{name} is left out at ε = {', '.join(epsilons)}: {rule}.")


def _write(
    found: Comparison, folder: Path, source: str, arguments: argparse.Namespace
) -> list[str]:
    """Write ``compare.csv``, ``compare.png``, ``compare.svg`` and ``manifest.json``."""
    from sudare.plots import compare_errors

    rows = [row.to_json() for row in found]
    lines = {
        what: {
            name: [_cell(rows, name, epsilon, what) for epsilon in found.epsilons]
            for name in dict.fromkeys(row["mechanism"] for row in rows)
        }
        for what in ("expected_mse", "measured_mse")
    }
    folder.mkdir(parents=True, exist_ok=True)
    table = write_csv(folder / "compare.csv", rows)
    title = f"{source}, k = {found.k}, n = {found.n:,}"
    pictures = [
        compare_errors(folder / f"compare.{end}", found.epsilons, *lines.values(), title=title)
        for end in ("png", "svg")
    ]
    parameters = {
        "truth": source,
        "k": found.k,
        "n": found.n,
        "epsilon": list(found.epsilons),
        "mechanisms": list(lines["expected_mse"]),
        "repetitions": found.repetitions,
    }
    label = options.entropy_label(arguments.seed)
    manifest = write_manifest(folder / "manifest.json", "compare", parameters, label)
    return [str(path) for path in (table, *pictures, manifest)]


def _cell(rows: list[dict[str, Any]], name: str, epsilon: float, what: str) -> float:
    found = (row[what] for row in rows if (row["mechanism"], row["epsilon"]) == (name, epsilon))
    return next(found, float("nan"))
