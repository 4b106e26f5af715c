"""Sections 4.2, 5 and 6 of the source: the best parameter, the inverse, the expected error."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod

import numpy as np

from sudare.channels import Symmetric
from sudare.data import adult_table
from sudare.mechanisms import JointRR
from sudare.studies.joint.theory import expected, keep_probability, spread
from sudare.studies.study_text import Facts

EXAMPLE = (5, 3, 2)
GAMMA = Fraction(10)


def best() -> tuple[float, float]:
    """Compare A at the source's p with A on a grid of the allowed ones, F = 10, γ = 10."""
    low, high = Fraction(1, 91), Fraction(10, 19)
    grid = [low + (high - low) * i / 1000 for i in range(1001)]
    values = [float(spread(10, p)) for p in grid if p != Fraction(1, 10)]
    return float(spread(10, high)), min(values)


def off_inverse() -> float:
    """Return the largest difference of the closed form to the dense inverse."""
    m = JointRR(EXAMPLE, gamma=10)
    ours = np.array([m.channel.solve(unit) for unit in np.eye(30)]).T
    return float(np.abs(np.linalg.inv(m.channel.dense()) - ours).max())


def rows() -> tuple[float, float, float]:
    """Return the squared row of the dense inverse, that of equation 23, and Π(pF − 1)."""
    keeps = [(size, keep_probability(GAMMA, size)) for size in EXAMPLE]
    determinant = float(prod(size * p - 1 for size, p in keeps))
    top = prod((size - 2 + p) ** 2 + (size - 1) * (1 - p) ** 2 for size, p in keeps)
    dense = np.linalg.inv(JointRR(EXAMPLE, gamma=10).channel.dense())
    return float((dense[0] ** 2).sum()), float(top) / determinant, determinant


def printed_term(size: int, keep: Fraction, outer: Fraction) -> Fraction:
    """Return a factor of equation 11; ``outer`` stands where it prints another attribute's p."""
    top = 3 - 2 * outer + size * (size + keep**2 - 3)
    return top / (keep * size - 1) ** 2


def slopes(term: Callable[[int, Fraction, Fraction], Fraction]) -> list[float]:
    """Return the printed slope of the expected MSE over the exact one, less 1, at many p.

    Two attributes; the slope by p of the first one is a product of equations 11 and 12.
    """
    out = []
    keeps = (Fraction(1, 2), Fraction(2, 3)), (Fraction(3, 5), Fraction(4, 5))
    for (first, second), (p, other) in product(((5, 3), (10, 4)), keeps):
        step = Fraction(1, 10**9)
        rise = (spread(first, p + step) - spread(first, p - step)) / (2 * step)
        steep = -2 * Fraction(first - 1) ** 3 / (p * first - 1) ** 3
        ours = rise * spread(second, other)
        out.append(float(term(second, other, p) * steep / ours - 1))
    return out


def mirrored() -> list[float]:
    """Return A at 1/F + d less footnote 3's closed form, and less A at 1/F − d."""
    out = []
    for size, part in product((2, 3, 5, 10), (20, 30, 7)):
        centre, d = Fraction(1, size), Fraction(1, part)
        footnote = (-1 + size * (3 + size * (-3 + d**2 + size))) / (d**2 * size**3)
        here = spread(size, centre + d)
        out += [float(here - footnote), float(here - spread(size, centre - d))]
    return out


def example_entry() -> float:
    """Return m_{7,0} of the dense matrix less the source's product of three."""
    m = JointRR(EXAMPLE, gamma=10)
    p = [float(keep_probability(GAMMA, size)) for size in EXAMPLE]
    product = (1 - p[0]) / 4 * p[1] * (1 - p[2])
    return float(m.channel.dense()[7, 0]) - product


def work(size: int, attributes: int) -> int:
    """Return how many times one pass along each attribute touches a cell, counted as it runs."""
    channel = Symmetric(size, Fraction(1, 2), Fraction(1, 2 * (size - 1)))
    cells, touched = np.ones((size,) * attributes), 0
    for axis in range(attributes):
        touched += cells.size
        cells = channel.act("apply", cells, axis)
    return touched


def compute() -> Facts:
    """Return what becomes of each formula."""
    shares = adult_table() / adult_table().sum()
    squares = float((shares**2).sum())
    error = partial(expected, "Joint RR", (16, 5), 10, 45_222)
    best_here, least = best()
    row, printed_row, determinant = rows()
    sizes = [(2, 3), (5, 2), (5, 3), (10, 3)]
    return Facts.of(
        by_sum=80 * error("respondents") / (16 + 5),
        best=best_here,
        least=least,
        cell=str(tuple(int(i) for i in np.unravel_index(7, EXAMPLE))),
        gap_to_dense=off_inverse(),
        determinant=determinant,
        row=row,
        printed_row=printed_row,
        gap=100 * (error("printed") / error(squares=squares) - 1),
        even=error(squares=1 / 80),
        one=error(squares=1.0),
        slopes=slopes(printed_term),
        slopes_meant=slopes(lambda size, keep, _: printed_term(size, keep, keep)),
        mirrored=mirrored(),
        entry=example_entry(),
        touched=[work(size, d) / (d * size**d) for size, d in sizes],
        dense=[size**d for size, d in sizes],
    )
