"""Closed forms: expected errors of the four methods that invert, for any number of cells.

With Δ cells, n respondents, keeping probability p_i of attribute i out of F_i categories::

    A = Π_i [ (F_i - 2 + p_i)² + (F_i - 1)(1 - p_i)² ] / (p_i F_i - 1)²
    E = (A - 1) / (n Δ)         the respondents
        (A - Σ x²) / (n Δ)      the population;  Σ x² = 1/Δ for uniform shares
    E = ((1 + Δ) A - 2) / (n Δ²)      equation 29 as printed

Single-NS and Single-RR have one attribute of Δ categories, the negative surveys p = 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Literal

CLOSED = ("Single-NS", "Multi-NS", "Single-RR", "Joint RR")
"""The methods with a closed form; the iterative one has none."""

Aim = Literal["population", "respondents", "printed"]


def keep_probability(gamma: Fraction, size: int) -> Fraction:
    """Return ``γ / (γ + F - 1)``."""
    return gamma / (gamma + size - 1)


def spread(size: int, keep: Fraction) -> Fraction:
    """Return A_i."""
    return ((size - 2 + keep) ** 2 + (size - 1) * (1 - keep) ** 2) / (keep * size - 1) ** 2


def factor(method: str, sizes: Sequence[int], gamma: float) -> Fraction:
    """Return A of a method.

    Examples:
        >>> factor("Multi-NS", (16, 5), 10)
        Fraction(2743, 1)
    """
    taken = (prod(sizes),) if method.startswith("Single") else tuple(sizes)
    survey, ratio = method.endswith("NS"), Fraction(gamma)
    keeps = [Fraction(0) if survey else keep_probability(ratio, size) for size in taken]
    return prod(map(spread, taken, keeps), start=Fraction(1))


def expected(
    method: str,
    sizes: Sequence[int],
    gamma: float,
    n: int,
    aim: Aim = "population",
    squares: float | None = None,
) -> float:
    """Return the expected MSE of the shares of all cells; ``squares`` is Σ x².

    Examples:
        >>> f"{expected('Joint RR', (16, 5), 10, 45_222, 'respondents'):.3g}"
        '4.03e-06'
        >>> f"{expected('Joint RR', (16, 5), 10, 45_222, 'printed'):.3g}"
        '4.35e-06'
    """
    cells, a = prod(sizes), factor(method, sizes, gamma)
    if aim == "printed":
        return float(((1 + cells) * a - 2) / (n * cells * cells))
    if aim == "respondents":
        return float((a - 1) / (n * cells))
    taken = Fraction(1, cells) if squares is None else Fraction(squares)
    return float((a - taken) / (n * cells))


def single_marginal(sizes: Sequence[int], axis: int, epsilon: float, n: int) -> float:
    """Return the respondents' error of one attribute's shares summed up from Single-RR.

    Summing the cells of a category leaves GRR on that attribute, which keeps it with
    ``(γ + Δ/F - 1) / (γ + Δ - 1)``.
    """
    size, cells, gamma = sizes[axis], prod(sizes), Fraction(math.exp(epsilon))
    keep = (gamma + cells // size - 1) / (gamma + cells - 1)
    return float((spread(size, keep) - 1) / (n * size))


def joint_marginal(sizes: Sequence[int], axis: int, epsilon: float, n: int) -> float:
    """Return the same from joint RR, where ε is shared evenly among the attributes."""
    size = sizes[axis]
    keep = keep_probability(Fraction(math.exp(epsilon / len(sizes))), size)
    return float((spread(size, keep) - 1) / (n * size))
