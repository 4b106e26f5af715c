"""The algebra of two support probabilities: all that estimate and error bar of a share need.

A report supports a cell with ``p`` where the respondent holds it and with ``q`` where not.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sudare.estimation import Counts
from sudare.estimation.estimate import Floats, Target


def unbiased_shares(counts: Counts, p: Fraction, q: Fraction) -> Floats:
    """Return ``(support / n - q) / (p - q)``, float64 in the shape of the support."""
    return np.asarray((counts.support / counts.n - float(q)) / float(p - q))


def share_variance(shares: Floats, n: int, p: Fraction, q: Fraction, target: Target) -> Floats:
    """Return the exact variance of each estimated share for true ``shares`` x::

    ( x p(1-p) + (1-x) q(1-q) ) / (n (p-q)^2)     (respondents)
    ... + x (1-x) / n                             (population)
    """
    a, b, gap = float(p), float(q), float(p - q)
    noise = (shares * (a * (1 - a)) + (1 - shares) * (b * (1 - b))) / (n * gap * gap)
    return noise if target == "respondents" else noise + shares * (1 - shares) / n
