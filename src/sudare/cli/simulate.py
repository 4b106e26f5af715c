"""Randomise every row of a column as its own respondent, estimate the shares from the reports
alone, and compare. In a real collection the categories are fixed beforehand. Of a survey file
(.toml) the counts of so many made-up respondents are drawn instead, however many they are.

example: sudare simulate people.csv --column region --epsilon 1 --out results
sudare simulate survey.toml -n 1000000000
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from sudare.cli import console, options, simulate_survey
from sudare.cli.options import as_folder
from sudare.cli.shares import print_comparison
from sudare.errors import DomainError
from sudare.estimation import Counts
from sudare.exact import epsilon_from_text
from sudare.files.columns import Column
from sudare.files.shares import as_json, records, write_shares
from sudare.manifest import write_manifest

REMEDIES = options.MISSING_CELLS


def add_to(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    options.add_column(parser, survey=True)
    add = options.adder(parser)
    parser.add_argument("-n", type=int, help="of a survey file: number of respondents")
    add("--truth", help="of a survey file: JSON file of what they hold; default: even answers")
    add("--out", help="folder for shares.csv, shares.png and manifest.json")
    add("--json")


def run(arguments: argparse.Namespace) -> None:
    """Randomise, estimate, print, draw."""
    if arguments.file.endswith(".toml"):
        simulate_survey.run(arguments)
        return
    for name in ("column", "epsilon"):
        if getattr(arguments, name) is None:
            raise DomainError(
                f"--{name}", "must be given", "of a survey file (.toml) give -n instead"
            )
    for name, value in (("-n", arguments.n), ("--truth", arguments.truth)):
        if value is not None:
            raise DomainError(name, "must be left out", "it is for a survey file (.toml)")
    epsilon = epsilon_from_text(arguments.epsilon)
    progress = options.progress(arguments)
    options.tell_form("simulate", arguments.file, arguments.encoding)
    how: Any = {"encoding": arguments.encoding, "progress": progress}
    column = Column.found(arguments.file, arguments.column, arguments.missing, **how)
    k = len(column.categories)
    mechanism = options.mechanism(arguments.mechanism, k, epsilon)
    rng = options.entropy(arguments.seed)
    counts: Counts | None = None
    true_counts = np.zeros(k, dtype=np.int64)
    for values in column.blocks("randomising", progress):
        true_counts += np.bincount(values, minlength=k)
        part = mechanism.aggregate(mechanism.perturb(values, rng=rng))
        counts = part if counts is None else counts + part
    if counts is None:
        raise DomainError("column", "must not be empty", "choose another column")
    estimate = mechanism.estimate(counts, target="respondents")
    true_shares = true_counts / estimate.n
    files: list[str] = []
    if arguments.out:
        folder = as_folder(arguments.out)
        title = f"{column.name}: {mechanism.name}, ε = {float(epsilon):g}, n = {estimate.n:,}"
        drawn = write_shares(folder, column.categories, estimate, true_shares, title=title)
        parameters = {
            "file": Path(column.path).name,
            "column": column.name,
            "mechanism": mechanism.to_json(),
            "n": estimate.n,
        }
        label = options.entropy_label(arguments.seed)
        drawn.append(write_manifest(folder / "manifest.json", "simulate", parameters, label))
        files = [str(path) for path in drawn]
    if arguments.json:
        cells = records(column.categories, estimate, true_shares)
        data = {"mechanism": mechanism.to_json(), **as_json(estimate, cells, files)}
        console.print_json(data)
        return
    title = f"{mechanism!r}, n = {estimate.n:,}"
    print_comparison(title, column.categories, true_shares, estimate)
    console.print_files(files)
