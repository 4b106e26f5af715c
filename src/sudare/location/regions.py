"""Counting queries: how many people are in a part of the map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Estimate
from sudare.estimation.quantity import Quantity
from sudare.exact.parameters import as_number
from sudare.mechanisms.place.grid import as_mask
from sudare.mechanisms.values import as_array

_MOST_PEOPLE = 10**15


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
    array = as_array(region)
    if array is None:
        raise WrongTypeError("region", "must be booleans", "one for each cell")
    inside = as_mask(array.ravel(), estimate.shares.size, None, "region")
    whole = estimate.n if people is None else people
    if not 0 < (number := as_number(whole, "people")) < _MOST_PEOPLE:
        raise DomainError("people", "must be > 0 and below 1e15", got=people)
    weights = np.where(inside, number, 0.0).reshape(estimate.shares.shape)
    return estimate.linear(weights)
