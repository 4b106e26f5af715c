"""Goodness of fit on a whole distribution, not on moments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, MissingExtraError

_LEAST_EXPECTED = 5.0


def chi_square_pvalue(observed: npt.ArrayLike, probabilities: npt.ArrayLike) -> float:
    """Return the p-value of Pearson's χ² test of counts against a known law.

    Cells with an expected count below 5 are pooled. An observation where the law says 0 gives
    p = 0.

    Args:
        observed: (cells,) counts.
        probabilities: (cells,) the law, summing to 1.

    Raises:
        DomainError: different shapes, or nothing observed.
        MissingExtraError: SciPy is not installed.

    Examples:
        >>> chi_square_pvalue([50, 50], [0.5, 0.5])
        1.0
    """
    try:
        from scipy.stats import chi2
    except ImportError:
        raise MissingExtraError("scipy", "analysis", "for tests of fit") from None
    counts = np.asarray(observed, dtype=np.float64)
    law = np.asarray(probabilities, dtype=np.float64)
    if counts.shape != law.shape or counts.ndim != 1 or counts.sum() <= 0:
        raise DomainError("observed", "must be counts with one probability each")
    if counts[law <= 0].any():
        return 0.0
    expected = law * counts.sum()
    order = np.argsort(expected)
    counts, expected = counts[order], expected[order]
    small = int(np.searchsorted(np.cumsum(expected), _LEAST_EXPECTED, side="left")) + 1
    small = max(small, int((expected < _LEAST_EXPECTED).sum()))
    small = min(small, expected.size)
    counts = np.concatenate([[counts[:small].sum()], counts[small:]])
    expected = np.concatenate([[expected[:small].sum()], expected[small:]])
    if counts.size < 2:
        return 1.0
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, counts.size - 1))
