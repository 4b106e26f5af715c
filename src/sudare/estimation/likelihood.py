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
        support: (k,) counts that sum to n > 0.
        p, q: support probabilities with ``p + (k - 1) q = 1``, p ≠ q.

    Examples:
        >>> single_support_mle(np.array([60, 30, 10]), 0.6, 0.2).round(4).tolist()
        [0.8333, 0.1667, 0.0]
    """
    counts = support.astype(np.float64)
    k, sign = counts.size, 1 if p > q else -1
    order = np.argsort(-sign * counts, kind="stable")
    ranked = counts[order]
    free = np.arange(1, k + 1)  # so many categories are not held at y = q
    rest = 1 - (k - free) * q  # what they share
    total = np.cumsum(ranked)
    m = int((sign * (ranked * rest - q * total) >= 0).nonzero()[0].max()) + 1
    x = np.zeros(k)
    if total[m - 1] > 0:
        y = ranked[:m] * (rest[m - 1] / total[m - 1])
    else:  # none of them was reported: any division is as likely, the equal one is given
        y = np.full(m, rest[m - 1] / m)
    x[order[:m]] = np.maximum(0.0, (y - q) / (p - q))
    shares: Floats = x / x.sum()
    return shares
