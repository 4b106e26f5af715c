"""EM with smoothing: of shares on a map, neighbours of which are alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels import Channel
from sudare.estimation.em import Fit, Likelihood, Progress, maximise, stop_early

_SETTLED = 1e-6
_MIX = (0.25, 0.5, 0.25)


def iterate(
    method: str,
    channel: Channel,
    counts: npt.NDArray[np.int64],
    start: Floats,
    smooth: Callable[[Floats], Floats],
) -> Fit:
    """Return what the iterated method of that name finds: ``"em"``, ``"mle"`` or ``"smoothed"``."""
    if method == "em":
        return stop_early(channel, counts, lambda _: start)
    if method == "mle":
        return maximise(channel, counts, start)
    return smooth_em(channel, counts, start, smooth)


def smooth_em(
    channel: Channel,
    counts: npt.NDArray[np.int64],
    start: Floats,
    smooth: Callable[[Floats], Floats],
    *,
    most_maps: int = 1_000,
    progress: Progress | None = None,
) -> Fit:
    """Take EM maps, each followed by smoothing, until the shares stay as they are.

    ::

        x  <-  S ( x o M^T ( c / (n M x) ) )

    Args:
        channel: of the mechanism.
        counts: reports of each kind.
        start: positive shares, sum 1.
        smooth: S; keeps the sum.
        most_maps: stop after as many at most.
        progress: called with the maps taken and the log-likelihood.

    Raises:
        EstimationError: no reports.

    Source: Silverman, Jones, Wilson, Nychka 1990 (EMS).

    Examples:
        >>> import sudare as sd
        >>> m, even = sd.GRR(k=3, epsilon=2.0), np.full(3, 1 / 3)
        >>> halfway = lambda x: (x + even) / 2
        >>> smooth_em(m.channel, np.array([300, 200, 500]), even, halfway).shares.round(3).tolist()
        [0.316, 0.272, 0.412]
    """
    target = Likelihood(channel, counts)
    x = start
    while True:
        step = target.step(x)
        new = smooth(step.mapped)
        moved = float(np.abs(new - x).sum())
        x = new
        step.told(progress)
        if moved < _SETTLED or target.maps >= most_maps:
            rule = f"{target.maps} EM maps, smoothed"
            return Fit(x, step.log_likelihood, step.gap, target.maps, rule)


def neighbours_of_grid(x: Floats, rows: int, columns: int) -> Floats:
    """Return shares of which each cell has given 1/2 to its neighbours, in both directions.

    ``(1, 2, 1) / 4`` along rows and columns; what would leave the map stays in the cell.

    Examples:
        >>> neighbours_of_grid(np.array([1.0, 0, 0, 0]), 1, 4).tolist()
        [0.75, 0.25, 0.0, 0.0]
    """
    out = x.reshape(rows, columns)
    for axis in (0, 1):
        moved = np.moveaxis(out, axis, 0)
        padded = np.concatenate([moved[:1], moved, moved[-1:]])
        mixed = _MIX[0] * padded[:-2] + _MIX[1] * padded[1:-1] + _MIX[2] * padded[2:]
        out = np.moveaxis(mixed, 0, axis)
    return np.ascontiguousarray(out).reshape(-1)
