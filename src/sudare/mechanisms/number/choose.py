"""Which mechanism for the distribution of a number: ranked by exact expected error."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import sqrt

from sudare.estimation.estimate import Target
from sudare.exact import as_epsilon
from sudare.mechanisms.number.binned import Binned
from sudare.mechanisms.number.hierarchical import ORACLES, HierarchicalHistogram
from sudare.mechanisms.number.square_wave import MOST_BINS, SquareWave
from sudare.mechanisms.ordering import best_first

BRANCHINGS = (2, 3, 4, 8, 16)
"""Those of the trees that are ranked, beside one level alone."""

_FINE = 1.5
_FEWEST = 32


def rank_distributions(
    low: float,
    high: float,
    epsilon: float | Fraction,
    n: int,
    bins: int,
    target: Target = "population",
    edges: Sequence[float] | None = None,
) -> list[tuple[float, Binned]]:
    """Return ``(error, mechanism)`` of the mechanisms for distributions, best first.

    Trees of subset selection of each branching, the best branching and one level by the other
    oracles, and :class:`~sudare.SquareWave`. The error is ``expected_cdf_mse``. Of those within
    half a per cent of the least the shortest report comes first. Of bins that are not equal,
    between ``edges``, there are trees alone, and the error is that at equal shares of them.
    """
    asked = HierarchicalHistogram(epsilon, low, high, bins, edges=edges).to_json()
    ends = {name: asked[name] for name in ("low", "high", "edges") if name in asked}
    ranked = _ranked(as_epsilon(epsilon), n, bins, target)
    if edges is not None:
        ranked = tuple(one for one in ranked if isinstance(one[1], HierarchicalHistogram))
    return [(error, type(m).from_json(m.to_json() | ends)) for error, m in ranked]


@lru_cache(maxsize=64)
def _ranked(
    epsilon: Fraction, n: int, bins: int, target: Target
) -> tuple[tuple[float, Binned], ...]:
    """Return the same on a range from 0 to 1: the range has no part in the errors."""

    def judged(*many: Binned) -> list[tuple[float, Binned]]:
        return [(m.expected_cdf_mse(n, target), m) for m in many]

    def tree(branching: int, oracle: str = ORACLES[0]) -> HierarchicalHistogram:
        return HierarchicalHistogram(epsilon, 0.0, 1.0, bins, branching, oracle)

    sizes = sorted({min(branching, bins) for branching in (*BRANCHINGS, bins)})
    found = judged(*map(tree, sizes))
    errors = [error for error, _ in found]
    best = sizes[errors.index(min(errors))]
    found += judged(*(tree(size, oracle) for oracle in ORACLES[1:] for size in {best, bins}))
    if bins <= MOST_BINS:
        found += judged(SquareWave(epsilon, 0.0, 1.0, bins))
    return tuple(best_first(found))


def fine_bins(epsilon: float | Fraction, n: int, most: int = 1024) -> int:
    """Return how many bins are fine enough for the intervals of quantiles.

    The least power of two, from 32 to ``most``, of which one bin of an even distribution holds at
    most 2/3 of the standard error of a share below an edge, by a binary tree: how people lie in
    one bin hardly matters then. More bins would cost accuracy.

    Examples:
        >>> [fine_bins(1.0, n) for n in (1000, 20_000, 1_000_000)]
        [32, 64, 512]
    """
    bins = _FEWEST
    while 2 * bins <= most:
        m = HierarchicalHistogram(epsilon, 0.0, 1.0, bins, 2)
        if bins * sqrt(m.expected_cdf_mse(n)) >= _FINE:
            break
        bins *= 2
    return bins
