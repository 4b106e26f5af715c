"""Which mechanism for the distribution of a number: ranked by exact expected error."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from sudare.estimation.estimate import Target
from sudare.mechanisms.number.binned import Binned
from sudare.mechanisms.number.hierarchical import MOST_BINS, ORACLES, HierarchicalHistogram
from sudare.mechanisms.number.square_wave import MOST_BINS as MOST_WAVE_BINS, SquareWave
from sudare.mechanisms.ordering import best_first

BRANCHINGS = (2, 3, 4, 8, 16)
"""Those of the trees that are ranked, beside the flat one."""

_FINE = 12
_FEWEST = 16


def rank_distributions(
    low: float,
    high: float,
    epsilon: float | Fraction,
    n: int,
    bins: int,
    target: Target = "population",
) -> list[tuple[float, Binned]]:
    """Return ``(error, mechanism)`` of every mechanism for distributions, best first.

    The error is :meth:`~sudare.mechanisms.number.binned.Binned.expected_cdf_mse`. Of those within
    half a per cent of the least the shortest report comes first.
    """
    trees = sorted({min(branching, bins) for branching in (*BRANCHINGS, bins)})
    found: list[Binned] = [
        HierarchicalHistogram(epsilon, low, high, bins, branching, oracle)
        for oracle in ORACLES
        for branching in trees
    ]
    if bins <= MOST_WAVE_BINS:
        found.append(SquareWave(epsilon, low, high, bins))
    return best_first([(m.expected_cdf_mse(n, target), m) for m in found])


def fine_bins(epsilon: float | Fraction, n: int, target: Target = "population") -> int:
    """Return how many bins make intervals of quantiles hardly wider than they need be.

    The least power of two, from 16 to 4,096, of which one bin of an even distribution holds at most
    a twelfth of the standard error of a share below an edge, by a binary tree.

    Examples:
        >>> fine_bins(1.0, 10_000), fine_bins(4.0, 1_000_000)
        (256, 4096)
    """
    bins = _FEWEST
    while bins < MOST_BINS:
        error = HierarchicalHistogram(epsilon, 0.0, 1.0, bins, 2).expected_cdf_mse(n, target)
        if bins * sqrt(error) >= _FINE:
            break
        bins *= 2
    return bins
