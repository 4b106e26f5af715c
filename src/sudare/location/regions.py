"""Counting queries: how many people are in a part of the map."""

from __future__ import annotations

import math
import numbers

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Estimate
from sudare.estimation.quantity import Quantity
from sudare.exact.parameters import as_float
from sudare.mechanisms.place.grid import as_mask


def count_in(
    estimate: Estimate, region: npt.ArrayLike, *, people: float | None = None
) -> Quantity[float]:
    """Return how many people are in a region, with its standard error and intervals.

    ::

        N Σ_{r in region} x_r

    The errors of neighbouring cells make up for one another: a region is known far better than the
    sum of its cells' errors suggests.

    Args:
        estimate: of the shares of cells; of method ``"unbiased"``, or by
            :func:`sudare.bootstrap`, else there is no standard error.
        region: (cells,) or (rows, columns) booleans.
        people: N that the shares are of; None for the respondents.

    Raises:
        WrongTypeError, DomainError: no estimate, region or number of people.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GridExponential(sd.Grid(1, 4, 100.0, 100.0), 0.02)
        >>> est = m.estimate(sd.Counts([400, 300, 200, 100], 1000))
        >>> west = sd.location.count_in(est, [True, True, False, False])
        >>> round(west.value), round(west.stderr)
        (780, 30)
    """
    if not isinstance(estimate, Estimate):
        raise WrongTypeError("estimate", "must be an Estimate", "see estimate of a mechanism")
    inside = as_mask(np.asarray(region).ravel(), estimate.shares.size, None, "region")
    whole = estimate.n if people is None else people
    if isinstance(whole, bool) or not isinstance(whole, numbers.Real):
        raise WrongTypeError("people", "must be a number", got=people)
    total = as_float(whole)
    if not 0 < total < math.inf:
        raise DomainError("people", "must be > 0 and finite", got=people)
    weights = np.where(inside, total, 0.0).reshape(estimate.shares.shape)
    return estimate.linear(weights)
