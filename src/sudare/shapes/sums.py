"""Shares of areas: weighted sums of the shares of cells, with honest errors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.estimation import Estimate
from sudare.estimation.quantity import Quantity


def area_sums(estimate: Estimate, weights: npt.ArrayLike) -> list[Quantity[float]]:
    """Return ``Σ_r w_r x_r`` of each area with the standard error of the cells' covariance.

    Errors of neighbouring cells make up for one another, so that an area is known far better than
    its cells. Intervals are ``± z`` standard errors.

    Args:
        estimate: of the shares of cells.
        weights: (areas, cells) how much of each cell counts for each area.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GridExponential(sd.Grid(1, 4, 100.0, 100.0), 0.02)
        >>> est = m.estimate(sd.Counts([400, 300, 200, 100], 1000))
        >>> (west,) = area_sums(est, [[1, 1, 0, 0]])
        >>> round(west.value, 2), round(west.stderr, 2)
        (0.78, 0.03)
    """
    shape = estimate.shares.shape
    sums = [estimate.linear(row.reshape(shape)) for row in np.asarray(weights, dtype=np.float64)]
    return [Quantity(one.value, one.stderr) for one in sums]
