"""How strongly two attributes depend on each other: Cramér's V from a randomised table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.channels import Kronecker
from sudare.errors import EstimationError
from sudare.estimation.confidence import Floats, check_confidence, two_sided
from sudare.estimation.estimate import Target, check_target

CERTAIN = 3.0
"""A category stands alone if its share is at least so many standard errors."""


@dataclass(frozen=True, slots=True, eq=False)
class Dependence:
    """Cramér's V of two attributes, corrected for the bias that noise gives it.

    Attributes:
        square: estimate of ``φ² = V² (m - 1)``, unbiased up to ``1/n²``; may be below 0.
        steep, flat: the variance of ``square`` is about ``steep φ² + flat``.
        most: the largest φ² that a table of this size can have, ``m - 1``; 0 where fewer than
            two categories of an attribute can be told apart.
        merged: for each attribute the categories that were taken together, as too rare to be
            told from nothing.
    """

    square: float
    steep: float
    flat: float
    most: int
    merged: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def value(self) -> float:
        """V, from 0 (independent) to 1 (one attribute tells the other); NaN if unknown."""
        return self._v(self.square)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return ``(low, high)``: every V whose φ² lies within z standard deviations.

        ::

            (square - φ²)² <= z² (steep φ² + flat)
        """
        miss = 1 - check_confidence(confidence)
        z = two_sided(max(miss, 1e-300))
        half = z * z * self.steep / 2
        middle = self.square + half
        root = middle * middle - self.square * self.square + z * z * self.flat
        spread = math.sqrt(max(0.0, root)) if self.most else math.nan
        return self._v(middle - spread), self._v(middle + spread)

    def _v(self, square: float) -> float:
        return math.sqrt(min(1.0, max(0.0, square) / self.most)) if self.most else math.nan


def cramers_v(
    channel: Kronecker, support: npt.NDArray[np.int64], target: Target = "population"
) -> Dependence:
    """Estimate Cramér's V of two attributes that were randomised apart.

    With x the unbiased table, r and c its margins, A and B the unbiased indicators of one
    report's attributes (columns of the inverse channels), m the smaller number of categories::

        φ² = Σ (x_ij - r_i c_j)² / (r_i c_j),   V² = φ² / (m - 1)
        K(a) = Σ_i (A_i - r_i)² / r_i,   L(b) likewise
        E φ²(estimated) = φ² + E[K L] / n + ...

    The excess is taken off. Without noise ``E[K L] = (I - 1)(J - 1)`` under independence: the
    correction of Bergsma. The variance is the delta method's plus the part that remains under
    independence, ``2 tr(S²)/n²`` with S the covariance of the standardised table; the interval
    lets the first part grow with φ², as a score interval does. For the respondents, what sampling
    adds is taken off everywhere.

    Categories whose estimated share is below three standard errors are taken together, so that no
    small r_i is divided by; V is then that of the merged table.

    Args:
        channel: of the two attributes.
        support: counts of the reports, (I, J), with a sum n of at least 2.
        target: of whom.

    Raises:
        DomainError: unknown target.
        EstimationError: not counts of two attributes.

    Source: Bergsma 2013, for the correction without noise; the rest is the algebra above.
    """
    check_target(target)
    sizes = tuple(part.shape[0] for part in channel.parts)
    table = np.asarray(support)
    if len(sizes) != 2 or table.shape != sizes or table.dtype.kind not in "iu":
        raise EstimationError("counts", "must be those of two attributes", "take marginal(counts)")
    n = int(table.sum())
    if n < 2:
        raise EstimationError("counts", "must hold at least two reports", "collect some first")
    y = table / n
    first, pooled = _indicators(channel.parts[0].solve(np.eye(sizes[0])), y.sum(axis=1), n)
    second, others = _indicators(channel.parts[1].solve(np.eye(sizes[1])), y.sum(axis=0), n)
    merged = (pooled, others)
    if min(len(first), len(second)) < 2:
        return Dependence(0.0, 0.0, 0.0, 0, merged)
    return _square(first, second, y, n, target == "respondents", merged)


def _indicators(inverse: Floats, y: Floats, n: int) -> tuple[Floats, tuple[int, ...]]:
    """Return the unbiased indicators, (categories, reports), of categories that stand alone.

    Rare ones are summed into the last row, with the next rarest until it stands alone as well.
    """
    share = inverse @ y
    order = np.argsort(-share, kind="stable")
    for kept in range(len(order), 0, -1):
        rest = order[kept:]
        rows = inverse[order[:kept]]
        if rest.size:
            rows = np.vstack([rows, inverse[rest].sum(axis=0)])
        mean = rows @ y
        error = np.sqrt(np.maximum((rows * rows) @ y - mean * mean, 0) / n)
        if (mean > CERTAIN * error).all() and mean.min() > 0:
            return rows, tuple(sorted(rest.tolist())) if rest.size > 1 else ()
    return np.ones((1, len(y))), tuple(range(len(y)))


def _square(
    a: Floats,
    b: Floats,
    y: Floats,
    n: int,
    respondents: bool,
    merged: tuple[tuple[int, ...], tuple[int, ...]],
) -> Dependence:
    x = a @ y @ b.T
    r, c = x.sum(axis=1), x.sum(axis=0)
    expected = np.outer(r, c)
    plain = float(((x - expected) ** 2 / expected).sum())
    k = ((a - r[:, None]) ** 2 / r[:, None]).sum(axis=0)
    m = ((b - c[:, None]) ** 2 / c[:, None]).sum(axis=0)
    excess = float(k @ y @ m)
    ratio = x / expected
    slope = 2 * ratio
    slope -= (ratio * x / r[:, None]).sum(axis=1)[:, None]
    slope -= (ratio * x / c).sum(axis=0)
    spread = a.T @ slope @ b
    noise = float((spread * spread * y).sum())
    first, second = _covariance(a, y.sum(axis=1), r), _covariance(b, y.sum(axis=0), c)
    wide = float((first * first).sum() * (second * second).sum())
    if respondents:
        seen = np.maximum(x, 0)
        excess -= float((1 / r - 1) @ seen @ (1 / c - 1))
        noise -= float((seen * slope * slope).sum())
        wide -= 2 * float(np.trace(first) * np.trace(second)) - (len(r) - 1) * (len(c) - 1)
    else:
        noise -= float((x * slope).sum()) ** 2
        excess -= plain
    return Dependence(
        square=plain - max(0.0, excess) / n,
        steep=max(0.0, noise) / (n * plain) if plain > 0 else 0.0,
        flat=2 * max(0.0, wide) / n**2,
        most=min(len(r), len(c)) - 1,
        merged=merged,
    )


def _covariance(rows: Floats, y: Floats, share: Floats) -> Floats:
    """Return the covariance of the indicators, each divided by the root of its share."""
    moved = (rows - share[:, None]) / np.sqrt(share)[:, None]
    return np.asarray((moved * y) @ moved.T)
