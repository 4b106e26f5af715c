"""``sudare simulate``: what a randomised survey would have seen of a column you have."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np

from sudare.cli import console, options
from sudare.cli.columns import Column, read_column
from sudare.errors import DomainError
from sudare.estimation import Counts, Estimate
from sudare.exact import Entropy, epsilon_from_text
from sudare.manifest import write_manifest
from sudare.mechanisms import FrequencyOracle, names
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.registry import lookup

_BLOCK = 1 << 16


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "simulate",
        help="randomise a column of a file and compare true with estimated shares",
        description=(
            "Randomise every row of a column as its own respondent, estimate the shares from the "
            "reports alone, and compare. In a real collection the categories are fixed beforehand."
        ),
        epilog="example: sudare simulate people.csv --column region --epsilon 1 --out results",
    )
    parser.add_argument("file", help=".csv, .csv.gz or .parquet")
    parser.add_argument("--column", required=True, help="the column to randomise")
    parser.add_argument("--epsilon", required=True, help="ε of each answer, 0.001 to 20")
    known = ", ".join(names(FrequencyOracle))
    parser.add_argument("--mechanism", default="auto", help=f"auto or one of {known}")
    parser.add_argument(
        "--missing",
        choices=("refuse", "category"),
        default="refuse",
        help="what an empty cell is (default: %(default)s)",
    )
    parser.add_argument("--seed", help="text to repeat the run; default: fresh randomness")
    parser.add_argument("--out", help="folder for shares.csv, shares.png and manifest.json")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Randomise, estimate, print, draw."""
    epsilon = epsilon_from_text(arguments.epsilon)
    column = read_column(arguments.file, arguments.column, missing=arguments.missing)
    k, n = len(column.categories), column.values.size
    if arguments.mechanism == "auto":
        mechanism = rank(k, epsilon, n, "respondents")[0][1]
    else:
        mechanism = lookup(arguments.mechanism, FrequencyOracle)(k, epsilon)
    seed = arguments.seed
    rng = (
        Entropy.system() if seed is None else Entropy.seeded(seed.encode(errors="surrogateescape"))
    )
    estimate = mechanism.estimate(
        randomise(mechanism, column, rng, quiet=arguments.json), target="respondents"
    )
    true_shares = column.counts / n
    files: list[str] = []
    if arguments.out:
        label = "operating system" if seed is None else f"seeded({seed!a})"
        files = _write(arguments, Path(arguments.out), mechanism, column, estimate, label)
    if arguments.json:
        console.print_json(_as_json(mechanism, column, true_shares, estimate, files))
    else:
        print_comparison(f"{mechanism!r}, n = {n:,}", column.categories, true_shares, estimate)
        for name in files:
            console.out().print(f"wrote {name}")
    return 0


def randomise(mechanism: FrequencyOracle, column: Column, rng: Entropy, *, quiet: bool) -> Counts:
    """Perturb block by block and tally, with a progress bar."""
    starts = range(0, column.values.size, _BLOCK)
    counts: Counts | None = None
    for start in console.progress(starts, len(starts), "randomising", quiet=quiet):
        reports = mechanism.perturb(column.values[start : start + _BLOCK], rng=rng)
        part = mechanism.aggregate(reports)
        counts = part if counts is None else counts + part
    if counts is None:
        raise DomainError("column", "must not be empty", "choose another column")
    return counts


def print_comparison(
    title: str, labels: tuple[str, ...], true_shares: np.ndarray[Any, Any], estimate: Estimate
) -> None:
    """Print true and estimated shares with their 95 % intervals, and how many hold the truth."""
    low, high = estimate.interval(0.95)
    inside = (low <= true_shares) & (true_shares <= high)
    console.print_table(
        title,
        ("category", "true", "estimated", "95 % interval", ""),
        [
            (
                label,
                console.percent(true_shares[i]),
                console.percent(estimate.shares[i]),
                f"{console.percent(low[i])} … {console.percent(high[i])}",
                "✓" if inside[i] else "outside",
            )
            for i, label in enumerate(labels)
        ],
    )
    console.out().print(
        f"{int(inside.sum())} of {len(labels)} intervals hold the true share (95 % expected). "
        f"Each respondent spent ε = {console.epsilon(estimate.epsilon)} on {estimate.covers}."
    )


def _as_json(
    mechanism: FrequencyOracle,
    column: Column,
    true_shares: np.ndarray[Any, Any],
    estimate: Estimate,
    files: list[str],
) -> dict[str, Any]:
    return {
        "mechanism": mechanism.to_json(),
        "epsilon": estimate.epsilon,
        "covers": estimate.covers,
        "n": estimate.n,
        "target": estimate.target,
        "cells": rows(column.categories, true_shares, estimate),
        "files": files,
    }


def rows(
    labels: tuple[str, ...], true_shares: np.ndarray[Any, Any], estimate: Estimate
) -> list[dict[str, Any]]:
    """Return one record a category."""
    low, high = estimate.interval(0.95)
    return [
        {
            "category": label,
            "true": float(true_shares[i]),
            "share": float(estimate.shares[i]),
            "stderr": float(estimate.stderr[i]),
            "low": float(low[i]),
            "high": float(high[i]),
        }
        for i, label in enumerate(labels)
    ]


def _write(
    arguments: argparse.Namespace,
    folder: Path,
    mechanism: FrequencyOracle,
    column: Column,
    estimate: Estimate,
    entropy: str,
) -> list[str]:
    from sudare.plots import compare_shares

    true_shares = column.counts / estimate.n
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "shares.csv"
    records = rows(column.categories, true_shares, estimate)
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    title = f"{arguments.column}: {mechanism.name}, ε = {float(mechanism.requested_epsilon):g}"
    picture = compare_shares(
        folder / "shares.png",
        column.categories,
        estimate,
        true_shares.tolist(),
        title=f"{title}, n = {estimate.n:,}",
    )
    parameters = {
        "file": Path(arguments.file).name,
        "column": arguments.column,
        "mechanism": mechanism.to_json(),
        "n": estimate.n,
    }
    manifest = write_manifest(folder, "simulate", parameters, entropy)
    return [str(table), str(picture), str(manifest)]
