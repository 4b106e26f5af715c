"""Which frequency oracle: ranked by exact expected error."""

from __future__ import annotations

from fractions import Fraction

import numpy.typing as npt

from sudare.errors import OutOfReachError
from sudare.estimation.estimate import Target
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.ordering import best_first
from sudare.mechanisms.registry import lookup, names


def rank(
    k: int,
    epsilon: float | Fraction,
    n: int,
    target: Target = "population",
    *,
    shares: npt.ArrayLike | None = None,
    plugins: bool = True,
) -> list[tuple[float, FrequencyOracle]]:
    """Return ``(expected MSE, mechanism)`` of every mechanism, best first.

    The f-terms are included (:meth:`FrequencyOracle.expected_mse`). Of those within half a per cent
    of the least error the shortest report comes first. A mechanism that cannot reach this ε at this
    k is left out. The error is that at the true ``shares``; None stands for uniform ones.
    Without ``plugins`` the ranking is the same on every machine.
    """
    ranked: list[tuple[float, FrequencyOracle]] = []
    for name in names(FrequencyOracle, plugins=plugins):
        try:
            mechanism = lookup(name, FrequencyOracle)(k, epsilon)
        except OutOfReachError:
            continue
        ranked.append((mechanism.expected_mse(n, shares, target), mechanism))
    return best_first(ranked)
