"""Goodness of fit of counts: exact binomial tests, and χ² of a whole distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, MissingExtraError, WrongTypeError
from sudare.mechanisms.values import as_array

_LEAST_EXPECTED = 100.0


def chi_square_pvalue(observed: npt.ArrayLike, probabilities: npt.ArrayLike) -> float:
    """Return the p-value of Pearson's χ² test of counts against a known law.

    Cells are pooled, the rarest first, until each pool expects at least 100 counts. An
    observation where the law says 0 gives p = 0; counts too few for two pools give p = 1.

    How honest: χ² is a limit law, and its far tail is too thin. With pools of 100 the true
    probability of ``p <= a`` is at most 1.3 a, 3 a, 12 a for a = 1e-3, 1e-6, 1e-9 (two cells, the
    rare one at 100: the worst case). Where a false alarm must be certain to be rarer, compare
    counts with their binomial laws, as :func:`~sudare.testing.check_mechanism` does.

    Args:
        observed: (cells,) counts, whole numbers >= 0.
        probabilities: (cells,) the law: numbers >= 0 that sum to 1 within 1e-9.

    Raises:
        WrongTypeError: text, booleans, None, or what is not an array of numbers.
        DomainError: different shapes, nothing observed, NaN, a negative or a broken count, a law
            that does not sum to 1.
        MissingExtraError: SciPy is not installed.

    Examples:
        >>> chi_square_pvalue([500, 500], [0.5, 0.5])
        1.0
    """
    try:
        from scipy.stats import chi2
    except ImportError:
        raise MissingExtraError("scipy", "analysis", "for tests of fit") from None
    counts = _numbers(observed, "observed")
    law = _numbers(probabilities, "probabilities")
    if counts.shape != law.shape:
        raise DomainError("observed", "must have one probability each", got=counts.shape)
    if (counts != np.floor(counts)).any() or counts.sum() == 0:
        raise DomainError("observed", "must be whole numbers, not all 0")
    if abs(law.sum() - 1) > 1e-9:
        raise DomainError("probabilities", "must sum to 1", "divide them by their sum")
    if counts[law == 0].any():
        return 0.0
    expected = law * counts.sum()
    order = np.argsort(expected, kind="stable")
    starts = _pools(expected[order])
    if len(starts) < 2:
        return 1.0
    counts, expected = (np.add.reduceat(x[order], starts) for x in (counts, expected))
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, len(starts) - 1))


def binomial_pvalues(
    observed: npt.NDArray[Any], trials: npt.NDArray[Any], probability: Floats
) -> Floats:
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
    p_values: Floats = np.minimum(1.0, 2 * np.minimum(least, most))
    return p_values


def _numbers(data: object, argument: str) -> Floats:
    """Return data as floats after checking them to be finite numbers >= 0 in one dimension."""
    array = as_array(data)
    if array is None or array.dtype.kind not in "iuf":
        raise WrongTypeError(argument, "must be numbers")
    if array.ndim != 1 or array.size == 0:
        raise DomainError(argument, "must be a one-dimensional array", got=array.shape)
    numbers = array.astype(np.float64)
    if not np.isfinite(numbers).all() or numbers.min() < 0:
        raise DomainError(argument, "must be finite and >= 0")
    return numbers


def _pools(expected: Floats) -> list[int]:
    """Return where each pool of rising expected counts starts; what is left joins the last."""
    starts, gathered = [0], 0.0
    for i, cell in enumerate(expected.tolist()):
        if gathered >= _LEAST_EXPECTED:
            starts.append(i)
            gathered = 0.0
        gathered += cell
    return starts if gathered >= _LEAST_EXPECTED else starts[:-1]
