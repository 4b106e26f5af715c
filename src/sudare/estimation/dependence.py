"""How strongly two attributes depend on each other: Cramér's V from a randomised table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels import Kronecker
from sudare.errors import EstimationError
from sudare.estimation.confidence import check_confidence, two_sided
from sudare.estimation.estimate import Target, check_target

CERTAIN = 3.0
"""A category counts if its share is at least so many standard errors."""

MOST_CATEGORIES = 4096
"""Most categories of an attribute: the indicators are a square matrix of them."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dependence:
    """Cramér's V of two attributes, corrected for the bias that noise gives it.

    Attributes:
        square: estimate of ``φ² = V² (m - 1)``, unbiased up to ``1/n²``; may be below 0.
        steep, flat: the variance of ``square`` is about ``steep φ² + flat``.
        most: the largest φ² that a table of this size can have, ``m - 1``; 0 where fewer than
            two categories of an attribute are left.
        left_out: for each attribute the categories that were left out, as too rare to be told
            from nothing.
    """

    square: float
    steep: float
    flat: float
    most: int
    left_out: tuple[tuple[int, ...], tuple[int, ...]]

    def __repr__(self) -> str:
        if not self.most:
            return "Dependence(V unknown: too few categories can be told from nothing)"
        low, high = self.interval()
        out = f", left_out={self.left_out}" if any(self.left_out) else ""
        return f"Dependence(V={self.value:.3g}, 95 % interval {low:.3g} to {high:.3g}{out})"

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

    With x the unbiased table divided by its sum s, r and c its margins, A and B the unbiased
    indicators of one report's attributes (columns of the inverse channels), A. and B. their sums,
    m the smaller number of categories::

        φ² = Σ (x_ij - r_i c_j)² / (r_i c_j),   V² = φ² / (m - 1)
        K(a) = Σ_i (A_i - r_i A.)² / r_i,   L(b) likewise
        E φ²(estimated) = φ² + E[K L] / (n s²) + ...

    The excess is taken off. Without noise ``E[K L] = (I - 1)(J - 1)`` under independence: the
    correction of Bergsma. The variance is the delta method's plus the part that remains under
    independence, ``2 tr(S²)/n²`` with S the covariance of the standardised table; the interval
    lets the first part grow with φ², as a score interval does. For the respondents, what sampling
    adds is taken off everywhere.

    Categories whose estimated share is below three standard errors are left out, so that no small
    r_i is divided by: V is then that of everybody else. If none is, A. = B. = s = 1.

    Args:
        channel: of the two attributes.
        support: counts of the reports, (I, J), with a sum n of at least 2.
        target: of whom.

    Raises:
        DomainError: unknown target.
        EstimationError: not counts of two attributes, or too many categories of one.

    Source: Bergsma 2013, for the correction without noise; the rest is the algebra above.
    """
    check_target(target)
    sizes = tuple(part.shape[0] for part in channel.parts)
    table = np.asarray(support)
    if len(sizes) != 2 or table.shape != sizes or table.dtype.kind not in "iu":
        raise EstimationError("counts", "must be those of two attributes", "take marginal(counts)")
    if max(sizes) > MOST_CATEGORIES:
        raise EstimationError(
            "counts",
            f"must have at most {MOST_CATEGORIES} categories of each attribute",
            "merge categories",
            got=sizes,
        )
    n = int(table.sum())
    if n < 2:
        raise EstimationError("counts", "must hold at least two reports", "collect some first")
    y = table / n
    first, rare = _told_apart(channel.parts[0].solve(np.eye(sizes[0])), y.sum(axis=1), n)
    second, others = _told_apart(channel.parts[1].solve(np.eye(sizes[1])), y.sum(axis=0), n)
    x = first @ y @ second.T
    enough = min(x.shape) >= 2 and min(x.sum(axis=1).min(), x.sum(axis=0).min()) > 0
    if not enough:
        return Dependence(0.0, 0.0, 0.0, 0, (rare, others))
    return _square(first, second, x, y, n, target == "respondents", (rare, others))


def _told_apart(inverse: Floats, y: Floats, n: int) -> tuple[Floats, tuple[int, ...]]:
    """Return the unbiased indicators, (categories, reports), of the categories that count."""
    share = inverse @ y
    error = np.sqrt(np.maximum((inverse * inverse) @ y - share * share, 0) / n)
    kept = (share > 0) & (share >= CERTAIN * error)
    return inverse[kept], tuple(np.flatnonzero(~kept).tolist())


def _square(
    a: Floats,
    b: Floats,
    x: Floats,
    y: Floats,
    n: int,
    respondents: bool,
    left_out: tuple[tuple[int, ...], tuple[int, ...]],
) -> Dependence:
    whole = float(x.sum())
    x = x / whole
    r, c = x.sum(axis=1), x.sum(axis=0)
    expected = np.outer(r, c)
    plain = float(((x - expected) ** 2 / expected).sum())
    first, second = _standardised(a, r), _standardised(b, c)
    excess = float((first * first).sum(axis=0) @ y @ (second * second).sum(axis=0)) / whole**2
    ratio = x / expected
    slope = 2 * ratio
    slope -= (ratio * x / r[:, None]).sum(axis=1)[:, None]
    slope -= (ratio * x / c).sum(axis=0)
    slope /= whole
    spread = a.T @ slope @ b
    noise = float((spread * spread * y).sum())
    one, two = (first * y.sum(axis=1)) @ first.T, (second * y.sum(axis=0)) @ second.T
    wide = float((one * one).sum() * (two * two).sum()) / whole**4
    if respondents:
        seen = np.maximum(x, 0)
        excess -= float((1 / r - 1) @ seen @ (1 / c - 1)) / whole
        noise -= float((seen * slope * slope).sum()) * whole
        wide -= 2 * float(np.trace(one) * np.trace(two)) / whole**3
        wide += (len(r) - 1) * (len(c) - 1) / whole**2
    else:
        excess -= plain
    return Dependence(
        square=plain - max(0.0, excess) / n,
        steep=max(0.0, noise) / (n * plain) if plain > 0 else 0.0,
        flat=2 * max(0.0, wide) / n**2,
        most=min(x.shape) - 1,
        left_out=left_out,
    )


def _standardised(rows: Floats, share: Floats) -> Floats:
    """Return each report's ``(A_i - r_i A.) / sqrt(r_i)``."""
    return np.asarray((rows - np.outer(share, rows.sum(axis=0))) / np.sqrt(share)[:, None])
