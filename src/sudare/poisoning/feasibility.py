"""Whether the reports about a key can come from honest devices at all."""

from __future__ import annotations

import math

import numpy as np

from sudare.arrays import Floats
from sudare.estimation.keyvalue.triangle import likelihood, maximise

MOST_RATIO = 22.0
"""Twice the log-likelihood ratio above which a key's reports are called infeasible."""

FALSE_ALARM = 1e-4
"""Chance that honest reports about a key are: more than the 1.7e-5 in the limit of many reports
(:func:`most_exceeding`), and than what enumeration of all counts finds of few (4.4e-5)."""


def likelihood_ratios(counts: Floats, channel: Floats) -> Floats:
    """Return for each key how much better its reports fit some law than any honest one.

    ::

        2 ( max over all laws Σ c ln(law)  -  max over θ in the triangle Σ c ln(Mθ) )

    0 where inversion gives possible shares, and where there is no report.

    Honest reports in the limit of many: the law of this number is a mixture of χ² of 0, 1 and 2
    degrees of freedom (chi-bar-squared). Inside the triangle it is 0; on an edge, χ²_1 with weight
    1/2; at a corner χ²_1 with 1/2 and χ²_2 with less than 1/2. Where ε is so small that the whole
    triangle is narrower than the noise of the reports, χ²_2 comes up to weight 1. It exceeds t with
    probability at most :func:`most_exceeding`.

    Args:
        counts: (d, 3) reports of each kind.
        channel: (3, 3), ``M[report, state]``.
    """
    with np.errstate(invalid="ignore"):
        shares = counts / counts.sum(axis=1, keepdims=True)
    free = likelihood(counts, np.eye(3), shares)
    bound = likelihood(counts, channel, maximise(counts, channel))
    return np.nan_to_num(2 * (free - bound), nan=0.0).clip(0)


def most_exceeding(ratio: float) -> float:
    """Return ``P(χ²_2 > t) = e^(-t/2)``, the largest of the limits: P(χ²_1 > t) is smaller.

    Examples:
        >>> round(most_exceeding(MOST_RATIO), 6)
        1.7e-05
    """
    return math.exp(-ratio / 2)
