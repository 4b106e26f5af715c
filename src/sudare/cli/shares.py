"""Estimated shares on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from sudare.cli import console
from sudare.errors import counted
from sudare.estimation import Estimate
from sudare.files.shares import records


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
        f"{int(inside.sum())} of {counted(len(labels), 'interval')} hold the true share "
        "(95 % expected)."
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
    return console.interval(cell["low"], cell["high"], console.percent)
