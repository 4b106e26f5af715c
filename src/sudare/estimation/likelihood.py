"""Maximum likelihood in closed form, where each report supports exactly one category."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats


def single_support_mle(support: npt.NDArray[np.int64], p: float, q: float) -> Floats:
    """Return the shares on the simplex that make the counts most likely.

    ::

        maximise   Σ c_i ln y_i   over   y_i = q + (p - q) x_i,  x_i >= 0,  Σ x_i = 1
        y_i = max(q, c_i / λ)   (p > q),     min(q, c_i / λ)   (p < q),     with Σ y_i = 1

    Exact, by sorting: the categories above the water are the m largest ones (p > q; the m
    smallest for p < q), for the one m that fits. Proof: docs/proofs/mle.md.

    Args:
        support: (..., k) counts that sum to n > 0; each line of the last axis is fitted on its own.
        p, q: support probabilities with ``p + (k - 1) q = 1``, p ≠ q.

    Examples:
        >>> single_support_mle(np.array([60, 30, 10]), 0.6, 0.2).round(4).tolist()
        [0.8333, 0.1667, 0.0]
    """
    counts = support.astype(np.float64)
    k, sign = counts.shape[-1], 1 if p > q else -1
    order = np.argsort(-sign * counts, axis=-1, kind="stable")
    ranked = np.take_along_axis(counts, order, axis=-1)
    free = np.arange(1, k + 1)  # so many categories are not held at y = q
    rest = 1 - (k - free) * q  # what they share
    total = np.cumsum(ranked, axis=-1)
    fits = sign * (ranked * rest - q * total) >= 0
    m = k - np.argmax(fits[..., ::-1], axis=-1, keepdims=True)
    reported, share = np.take_along_axis(total, m - 1, axis=-1), rest[m - 1]
    # where none of them was reported any division is as likely, and the equal one is given
    slope = np.divide(share, reported, out=np.zeros_like(reported), where=reported > 0)
    y = np.where(reported > 0, ranked * slope, share / m)
    shares: Floats = np.zeros_like(counts)
    above = np.where(free <= m, np.maximum(0.0, (y - q) / (p - q)), 0.0)
    np.put_along_axis(shares, order, above, axis=-1)
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares
