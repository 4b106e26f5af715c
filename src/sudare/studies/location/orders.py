"""Orders in which Algorithm 1 tries groups of cells."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Order = Callable[[npt.NDArray[np.float64]], Sequence[npt.NDArray[np.intp]]]


def grouped(tied: float, key: Callable[[Any], Any] = np.negative) -> Order:
    """Return the order of trial by ``key`` of the posterior; neighbours within ``tied`` are one."""

    def order(posterior: npt.NDArray[np.float64]) -> list[npt.NDArray[np.intp]]:
        values = key(posterior)
        ranks = np.argsort(values, kind="stable")
        breaks = np.flatnonzero(np.diff(values[ranks]) > tied) + 1
        return [ranks[a:b] for a, b in itertools.pairwise([0, *breaks.tolist(), ranks.size])]

    return order
