"""The manipulation band of weighted sums of shares: of smaller tables, and of the mean of a scale.

A report that supports the cells R adds ``(Σ_R w - q Σ w) / (p - q)`` to the sum of the shares by
the weights w. Reports of one category support one cell, those of subset selection d, of unary
encodings any: the least and the most that one adds are those of the d smallest and largest weights,
or of all below and above 0. Of any other oracle this last is a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np

from sudare.arrays import Booleans, Floats
from sudare.errors import DomainError
from sudare.estimation import Counts
from sudare.estimation.weights import as_scores
from sudare.mechanisms import FrequencyOracle, Joint, Mechanism
from sudare.poisoning.band_limits import (
    Banded,
    BandLimits,
    LinearEstimate,
    linear_estimate,
    weight_ends,
)

_HALVINGS = 200


def extremes(oracle: FrequencyOracle, weights: Floats) -> tuple[float, float]:
    """Return the least and the most that one report adds to a weighted sum of its shares."""
    p, q = (float(x) for x in oracle.support_probabilities)
    ordered, whole, cells = np.sort(weights), float(weights.sum()), oracle.supported
    if cells is None:
        low, high = float(ordered.clip(max=0).sum()), float(ordered.clip(min=0).sum())
    else:
        low, high = float(ordered[:cells].sum()), float(ordered[-cells:].sum())
    ends = (low - q * whole) / (p - q), (high - q * whole) / (p - q)
    return min(ends), max(ends)


def smaller_tables(count: int) -> list[tuple[int, ...]]:
    """Return the pairs of so many attributes, where these are not all, and each alone."""
    pairs = list(combinations(range(count), 2)) if count > 2 else []
    return [*pairs, *((axis,) for axis in range(count))]


def with_tables(mechanism: Mechanism, counts: Counts, sizes: Sequence[int] | None) -> Banded | None:
    """Return the linear estimate, of smaller tables too where the cells are those of attributes.

    Args:
        mechanism: what was collected by.
        counts: of at least one report.
        sizes: of the attributes whose cells are reported, the last fastest; None of none.
    """
    found = linear_estimate(mechanism, counts)
    if sizes is None or not isinstance(found, LinearEstimate):
        return found
    if prod(sizes) != found.value.size:
        raise _other_sizes()
    table = found.value.reshape(sizes)
    values, shape = [found.value], found.value.shape
    least, most = ([np.broadcast_to(side, shape)] for side in (found.least, found.most))
    for kept in smaller_tables(len(sizes)):
        others = tuple(axis for axis in range(len(sizes)) if axis not in kept)
        value = table.sum(axis=others).ravel()
        ends = _sum_ends(mechanism, sizes, kept)
        values.append(value)
        for sides, end in zip((least, most), ends, strict=True):
            sides.append(np.broadcast_to(end, value.shape))
    return LinearEstimate(np.concatenate(values), np.concatenate(least), np.concatenate(most))


def _other_sizes() -> DomainError:
    return DomainError("sizes", "must be those of the attributes whose cells are reported")


@singledispatch
def _sum_ends(mechanism: Mechanism, sizes: Sequence[int], kept: tuple[int, ...]) -> tuple[Any, Any]:
    """Return the extremes of the weights of the cells of a smaller table."""
    raise _other_sizes()


@_sum_ends.register
def _(mechanism: Joint, sizes: Sequence[int], kept: tuple[int, ...]) -> tuple[Any, Any]:
    return weight_ends(mechanism.subset(kept).channel)


@_sum_ends.register
def _(mechanism: FrequencyOracle, sizes: Sequence[int], kept: tuple[int, ...]) -> tuple[Any, Any]:
    weights = np.zeros(prod(sizes))
    weights[: weights.size // prod(sizes[axis] for axis in kept)] = 1.0
    return extremes(mechanism, weights)


class ScaleMean(NamedTuple):
    """The mean score of those who answered, ``c + Σ (s - c) x / (1 - d)``.

    Of the honest reports alone it is at least t if, and only if, the sum of their shares by the
    weights ``s - c``, and ``t - c`` for who did not answer, is at least ``t - c``: its ends are
    where the ends of that sum, a line in t for each report, pass that.

    Attributes:
        oracle: what the shares x are estimated by, d of them of those who did not answer.
        value: (k,) the shares.
        about: (k,) the scores less their centre; 0 of those who did not answer.
        unanswered: (k,) flags of these.
        center: of the scores, c.
    """

    oracle: FrequencyOracle
    value: Floats
    about: Floats
    unanswered: Booleans
    center: float

    def band(self, beta: float) -> BandLimits | None:
        """Return the band at a share β of fakes; None where nobody honest may have answered."""
        left = self._ends(self.unanswered.astype(np.float64), beta)[1]
        if not left < 1 or not float(self.value @ self.unanswered) < 1:
            return None
        now = float(self.value @ self.about) / (1 - float(self.value @ self.unanswered))
        low, high = -self._reach(-1, beta), self._reach(1, beta)
        scores = self.about[~self.unanswered]
        moved = max(now - low, high - now)
        ends = np.array([low, high])
        kept = ends.clip(scores.min(), scores.max()) + self.center
        ends += self.center
        return BandLimits(kept[:1], kept[1:], moved, (ends[:1], ends[1:]))

    def _ends(self, weights: Floats, beta: float) -> tuple[float, float]:
        least, most = extremes(self.oracle, weights)
        value = float(self.value @ weights)
        return (value - beta * most) / (1 - beta), (value - beta * least) / (1 - beta)

    def _reach(self, sign: int, beta: float) -> float:
        """Return the largest mean of ``sign`` times the scores less their centre."""
        if not self.unanswered.any():
            return self._ends(sign * self.about, beta)[1]

        def is_reached(t: float) -> bool:
            return self._ends(sign * self.about + t * self.unanswered, beta)[1] >= t

        low, high = -1.0, 1.0
        while is_reached(high):
            low, high = high, 2 * high
        while not is_reached(low):
            low, high = 2 * low, low
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            low, high = (middle, high) if is_reached(middle) else (low, middle)
        return high


@singledispatch
def scale_mean(mechanism: Mechanism, counts: Counts, scores: object) -> ScaleMean | None:
    """Return the mean of such scores, None or NaN of who did not answer; None of no oracle's."""
    return None


@scale_mean.register
def _(mechanism: FrequencyOracle, counts: Counts, scores: object) -> ScaleMean | None:
    found = linear_estimate(mechanism, counts)
    if not isinstance(found, LinearEstimate):
        return None
    values, counted = as_scores(scores, found.value.shape, mechanism.labels)
    center = float(values[counted].mean())
    about = np.where(counted, values - center, 0.0)
    return ScaleMean(mechanism, found.value, about, ~counted, center)
