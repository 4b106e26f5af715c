"""Do two samples of whole numbers follow one law? Any part of it, not its moments."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import chi2

from sudare.arrays import Integers
from sudare.testing.fit import binomial_pvalues

LEAST = 200
"""Draws of both samples together in a cell, at least."""

COARSE = 32
"""Cells of about equal weight that see a wrong scale; cells of single numbers see the rest."""


def pvalue(one: Integers, other: Integers) -> float:
    """Return the p-value of two samples of one size having one law: the least of three, times 3.

    - χ² over cells as fine as ``LEAST`` allows: single numbers, tails merged;
    - χ² over about ``COARSE`` cells;
    - the largest log-ratio ``|ln(count / count)|`` of the fine cells, by its exact law: of the m
      draws in a cell those of the first sample are binomial (m, 1/2) or narrower; times the cells.

    Cells are laid by both samples together, which under one law say nothing of who drew what.
    """
    assert one.size == other.size
    values, places = np.unique(np.concatenate([one, other]), return_inverse=True)
    first = np.bincount(places[: one.size], minlength=values.size)
    second = np.bincount(places[one.size :], minlength=values.size)
    fine = merged(first, second, LEAST)
    coarse = merged(first, second, max(LEAST, 2 * one.size // COARSE))
    ratios = binomial_pvalues(fine[0], fine.sum(axis=0), np.array([0.5]))
    least = min(chi_square(fine), chi_square(coarse), float(ratios.min()) * ratios.size)
    return min(1.0, 3 * least)


def merged(first: Integers, second: Integers, least: int) -> Integers:
    """Return (2, cells) counts: neighbours are merged until both have ``least`` together."""
    starts, gathered = [0], 0
    for i, count in enumerate((first + second).tolist()):
        if gathered >= least:
            starts.append(i)
            gathered = 0
        gathered += count
    if gathered < least and len(starts) > 1:
        starts.pop()
    both: Any = np.stack([first, second])
    return np.add.reduceat(both, starts, axis=1)


def chi_square(cells: Integers) -> float:
    """Return the p-value of the two-sample χ² of samples of one size."""
    a, b = cells.astype(np.float64)
    return float(chi2.sf(((a - b) ** 2 / (a + b)).sum(), a.size - 1))
