"""Estimated shares: as records, as a table on the terminal, as files with a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.cli import console
from sudare.cli.table_files import write_csv
from sudare.estimation import Estimate
from sudare.estimation.estimate import check_confidence


def records(
    labels: Sequence[str],
    estimate: Estimate,
    true_shares: npt.NDArray[Any] | None = None,
    *,
    confidence: float = 0.95,
) -> list[dict[str, Any]]:
    """Return one record a category; None where there is no standard error."""
    check_confidence(confidence)
    low = high = estimate.stderr
    if not np.isnan(estimate.stderr).all():  # methods without a formula have no interval
        low, high = estimate.interval(confidence)
    return [
        {
            "category": label,
            **({} if true_shares is None else {"true": float(true_shares[i])}),
            "share": float(estimate.shares[i]),
            "stderr": _known(estimate.stderr[i]),
            "low": _known(low[i]),
            "high": _known(high[i]),
        }
        for i, label in enumerate(labels)
    ]


def _known(number: float) -> float | None:
    return None if math.isnan(number) else float(number)


def as_json(estimate: Estimate, cells: list[dict[str, Any]], files: list[str]) -> dict[str, Any]:
    """Return what an estimate says, as JSON data."""
    return {
        "epsilon": estimate.epsilon,
        "covers": estimate.covers,
        "n": estimate.n,
        "method": estimate.method,
        "target": estimate.target,
        "warnings": list(estimate.warnings),
        "cells": cells,
        "files": files,
    }


def print_shares(
    title: str, labels: Sequence[str], estimate: Estimate, *, confidence: float = 0.95
) -> None:
    """Print estimated shares with their standard errors and intervals."""
    console.print_table(
        title,
        ("category", "estimated", "std. error", f"{100 * confidence:g} % interval"),
        [
            (cell["category"], console.percent(cell["share"]), console.percent(cell["stderr"]),
             _interval(cell))
            for cell in records(labels, estimate, confidence=confidence)
        ],
    )  # fmt: skip
    print_notes(estimate)


def print_comparison(
    title: str, labels: Sequence[str], true_shares: npt.NDArray[Any], estimate: Estimate
) -> None:
    """Print true and estimated shares with their 95 % intervals, and how many hold the truth."""
    low, high = estimate.interval(0.95)
    inside = (low <= true_shares) & (true_shares <= high)
    console.print_table(
        title,
        ("category", "true", "estimated", "95 % interval", ""),
        [
            (cell["category"], console.percent(cell["true"]), console.percent(cell["share"]),
             _interval(cell), "✓" if inside[i] else "outside")
            for i, cell in enumerate(records(labels, estimate, true_shares))
        ],
    )  # fmt: skip
    console.out().print(
        f"{int(inside.sum())} of {len(labels)} intervals hold the true share (95 % expected)."
    )
    print_notes(estimate)


def print_notes(estimate: Estimate) -> None:
    """Say what each respondent spent, and what a reader should know of these shares."""
    console.out().print(
        f"Each respondent spent ε = {console.epsilon(estimate.epsilon)} on {estimate.covers}."
    )
    for warning in estimate.warnings:
        console.out().print(f"Note: {warning}")


def _interval(cell: dict[str, Any]) -> str:
    if cell["low"] is None:
        return console.percent(None)
    return f"{console.percent(cell['low'])} … {console.percent(cell['high'])}"


def write_shares(
    folder: Path,
    labels: Sequence[str],
    estimate: Estimate,
    true_shares: npt.NDArray[Any] | None = None,
    *,
    confidence: float = 0.95,
    title: str,
) -> list[Path]:
    """Write ``shares.csv`` and ``shares.png``."""
    from sudare.plots import compare_shares

    folder.mkdir(parents=True, exist_ok=True)
    table = write_csv(
        folder / "shares.csv", records(labels, estimate, true_shares, confidence=confidence)
    )
    picture = compare_shares(
        folder / "shares.png",
        labels,
        estimate,
        None if true_shares is None else true_shares.tolist(),
        confidence=confidence,
        title=title,
    )
    return [table, picture]
