"""What each report says of each category: unbiased numbers, a row a report."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import EstimationError
from sudare.estimation.memory import require_memory
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.categories import Bitwise
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.frequency.direct import Direct
from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.number.mean import MeanOfNumber


def scores(mechanism: Mechanism, reports: npt.ArrayLike) -> Floats:
    """Return what each report says, so that the average of the rows is the unbiased estimate.

    ::

        E[ scores_r | value of r ] = 1 at its value, 0 elsewhere;   for a mean: its number

    Of a category ``(supported - q) / (p - q)``; of a cell of several attributes the product of
    those of its categories.

    Args:
        mechanism: of one of k categories, of several attributes, or of the mean of a number.
        reports: of n respondents.

    Returns:
        (n, *shape of the domain), float64; (n,) of a mean.

    Raises:
        WrongTypeError, ReportError: not this mechanism's reports.
        EstimationError: a mechanism of another family, or more than the memory that is free.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=3, epsilon=2.0)
        >>> each = scores(m, [0, 0, 2])
        >>> tally = m.estimate(m.aggregate([0, 0, 2]))
        >>> bool(np.allclose(each.mean(axis=0), tally.shares))
        True
    """
    counts = mechanism.aggregate(reports)  # checks them
    rows = np.asarray(reports)
    cells = math.prod(mechanism.shape)
    require_memory(counts.n * cells * 16, "reports", "estimate fewer at a time, or sub-tables")
    if isinstance(mechanism, FrequencyOracle):
        p, q = mechanism.law.p, mechanism.law.q
        return (supports(mechanism, rows) - float(q)) / float(p - q)
    if isinstance(mechanism, Joint):
        out = np.ones((len(rows), 1))
        for axis, part in enumerate(mechanism.parts):
            own = scores(part, np.ascontiguousarray(rows[:, axis]))
            out = (out[:, :, None] * own[:, None, :]).reshape(len(rows), -1)
        return out.reshape(len(rows), *mechanism.sizes)
    if isinstance(mechanism, MeanOfNumber):
        return mechanism.numbers[rows.astype(np.intp)]
    raise EstimationError(
        "mechanism",
        "must be of categories, of attributes randomised apart, or of the mean of a number",
        "others tell nothing that is unbiased of one report alone",
        got=mechanism.name,
    )


def supports(mechanism: FrequencyOracle, rows: npt.NDArray[Any]) -> Floats:
    """Return (n, k): what each checked report adds to the numbers that the law is about."""
    if isinstance(mechanism, Direct):
        return np.eye(mechanism.k)[rows.astype(np.intp)]
    if isinstance(mechanism, Bitwise):
        bits = np.unpackbits(rows, axis=1, count=mechanism.k, bitorder="little")
        return bits.astype(np.float64)
    some, places = np.unique(rows, axis=0, return_inverse=True)
    each = np.empty((len(some), mechanism.k))
    for place in range(len(some)):
        own = mechanism.aggregate(some[place : place + 1])
        each[place] = mechanism.supports(own.support)
    return each[places.reshape(-1)]
