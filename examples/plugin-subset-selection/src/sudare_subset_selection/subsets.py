"""The subsets of one size as rows of 0 and 1, in the order of ``itertools.combinations``."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt


def best_size(k: int, gamma: Fraction) -> int:
    """Return the size with the least error, ``k / (e^ε + 1)`` to the nearest, at least 1."""
    return max(1, round(k / (gamma + 1)))


def choose(n: int, r: int) -> int:
    """Return the number of subsets of size r of n things; 0 where there are none."""
    return math.comb(n, r) if n >= 0 and r >= 0 else 0


@lru_cache(maxsize=64)
def members(k: int, size: int) -> npt.NDArray[np.int64]:
    """Return ``M[subset, category]``: 1 where the subset holds the category. Read only."""
    rows = np.zeros((choose(k, size), k), dtype=np.int64)
    for row, subset in zip(rows, combinations(range(k), size), strict=True):
        row[list(subset)] = 1
    rows.setflags(write=False)
    return rows
