"""Exact tests of binomial counts: no normal law, no χ²."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import MissingExtraError


def binomial_pvalues(
    observed: npt.NDArray[Any], trials: npt.NDArray[Any], probability: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return two-sided p-values of binomial counts, from the exact tails.

    ::

        p = min(1, 2 min( P(X <= x), P(X >= x) )),   P(X >= x) = I_q(x, n - x + 1)

    with the regularised incomplete beta function I. Under the law ``P(p <= a) <= a`` for every
    a: the p-value is honest at any n and q, however small the expected count is. A probability
    outside [0, 1] by a rounding error stands for its end.

    Raises:
        MissingExtraError: SciPy is not installed.

    Examples:
        >>> binomial_pvalues(np.array([0, 5, 10]), np.array([10]), np.array([0.5])).tolist()
        [0.001953125, 1.0, 0.001953125]
    """
    try:
        from scipy.special import betainc
    except ImportError:
        raise MissingExtraError("scipy", "analysis", "for tests of fit") from None
    x, n, q = np.broadcast_arrays(
        observed.astype(np.float64), trials.astype(np.float64), np.clip(probability, 0.0, 1.0)
    )
    least = np.ones(x.shape)
    some = x > 0
    least[some] = betainc(x[some], n[some] - x[some] + 1, q[some])
    most = np.ones(x.shape)
    some = x < n
    most[some] = betainc(n[some] - x[some], x[some] + 1, 1 - q[some])
    p_values: npt.NDArray[np.float64] = np.minimum(1.0, 2 * np.minimum(least, most))
    return p_values
