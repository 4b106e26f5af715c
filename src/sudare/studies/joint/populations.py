"""Synthetic respondents: each attribute on its own, normal, uniform or Poisson."""

from __future__ import annotations

import math
from functools import reduce
from statistics import NormalDist

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.exact import Entropy

NAMES = ("normal", "uniform", "poisson")
NURSERY = (3, 5, 4, 4, 3, 2, 3, 3)
"""Categories of the eight attributes of Nursery, whose rows are all their combinations."""

_MEAN, _REACH = 4.0, 2.5


def one_attribute(name: str, size: int) -> Floats:
    """Return the shares of one attribute.

    The standard normal in classes of equal width between -2.5 and 2.5, the tails in the outer
    ones; the Poisson with mean 4, its tail in the last class.
    """
    if name == "uniform":
        return np.full(size, 1 / size)
    if name == "normal":
        bounds = np.linspace(-_REACH, _REACH, size + 1)[1:-1]
        below = [0.0, *(NormalDist().cdf(bound) for bound in bounds), 1.0]
        return np.diff(below)
    shares = [math.exp(-_MEAN) * _MEAN**i / math.factorial(i) for i in range(size - 1)]
    return np.array([*shares, 1 - sum(shares)])


def draw(name: str, sizes: tuple[int, ...], n: int, rng: Entropy) -> Integers:
    """Draw n respondents and count them by cell."""
    shares = reduce(np.multiply.outer, (one_attribute(name, size) for size in sizes))
    flat = shares.reshape(-1) / shares.sum()
    return rng.generator().multinomial(n, flat).reshape(sizes)


def nursery() -> Integers:
    """Return the counts of Nursery: each of the 12,960 combinations once."""
    return np.ones(NURSERY, dtype=np.int64)
