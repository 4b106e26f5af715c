"""Weights of cells that ``sudare map`` is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.cli.options import Add
from sudare.errors import DomainError
from sudare.location import People, equalise_weights, optimise_weights, reduce_weights
from sudare.location.report import MODES
from sudare.mechanisms.place import Grid

Tell = Callable[[str], None]

KINDS = ("even", "greedy", "equalised", "optimised")


def add_weights(add: Add) -> None:
    """Add the options that say how cells are weighed."""
    add(
        "--weights",
        choices=KINDS,
        default="even",
        help="of the cells: all alike, lowered step by step, of equal posteriors, or of least "
        "distance under a bound",
    )
    add("--step", type=float, help="with greedy (default: 0.1)")
    add("--f1", type=float, help="with optimised: the bound of max - min")
    told = "whether cells that are never reported count (limit) or not"
    add("--mode", choices=MODES, default="observed", help=told)


def equal_weights(grid: Grid, people: People) -> Floats:
    """Return weight 1 where people can be."""
    return np.ones(grid.cells) if people.mask is None else people.mask.astype(np.float64)


def weigh(
    arguments: argparse.Namespace, grid: Grid, people: People, tell: Tell
) -> tuple[Floats, dict[str, Any]]:
    """Return the weights, and how they came about."""
    kind, epsilon, mode = arguments.weights, arguments.epsilon, arguments.mode
    for flag, own in (("step", "greedy"), ("f1", "optimised")):
        if getattr(arguments, flag) is not None and kind != own:
            raise DomainError(f"--{flag}", f"must come with --weights {own}")
    if kind == "greedy":
        step = 0.1 if arguments.step is None else arguments.step
        reduced = reduce_weights(
            grid,
            epsilon,
            step=step,
            mode=mode,
            prior=people.prior,
            mask=people.mask,
            progress=lambda tried, kept: tell(f"greedy weights: {tried:,} tried, {kept:,} kept"),
        )
        told = {"step": step, "evaluations": reduced.evaluations, "accepted": reduced.accepted}
        return reduced.weights, {**told, "conventions": reduced.conventions}
    if kind == "equalised":
        equal = equalise_weights(grid, epsilon, mode=mode, prior=people.prior, mask=people.mask)
        return equal.weights, {"exact": equal.exact}
    if kind == "optimised":
        if arguments.f1 is None:
            raise DomainError("--f1", "must be given", "less than even weights have, as --f1 0.1")
        best = optimise_weights(
            grid,
            epsilon,
            f1=arguments.f1,
            progress=lambda i, f1, sql: tell(f"optimised weights: {i}, f1 {f1:.4f}, {sql:.1f} m"),
            prior=people.prior,
            mask=people.mask,
        )
        return best.weights, {"f1_bound": arguments.f1, "evaluations": best.evaluations}
    return equal_weights(grid, people), {}
