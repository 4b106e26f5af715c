"""Cells as SVG paths: filled stretches, and the line between land and sea."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]


def stretches(mask: Mask) -> list[tuple[int, int, int]]:
    """Return (row, first column, how many) of all runs of True along the rows.

    Examples:
        >>> stretches(np.array([[True, True, False], [False, True, True]]))
        [(0, 0, 2), (1, 1, 2)]
    """
    padded = np.pad(mask.astype(np.int8), ((0, 0), (1, 1)))
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change == 1)
    _, ends = np.nonzero(change == -1)
    return list(zip(rows.tolist(), starts.tolist(), (ends - starts).tolist(), strict=True))


def runs(mask: Mask, width: float, height: float) -> str:
    """Return the path of all cells where a mask is true.

    Examples:
        >>> runs(np.array([[True, True]]), 2, 3)
        'M0 0h4v3h-4z'
    """
    return "".join(
        f"M{_at(start * width, row * height)}h{_at(many * width)}v{_at(height)}"
        f"h-{_at(many * width)}z"
        for row, start, many in stretches(mask)
    )


def shore(land: Mask, width: float, height: float) -> str:
    """Return the path of the sides that land and sea share.

    Examples:
        >>> shore(np.array([[True, False]]), 2, 3)
        'M2 0v3'
    """
    down = "".join(
        f"M{_at((column + 1) * width, start * height)}v{_at(many * height)}"
        for column, start, many in stretches((land[:, 1:] != land[:, :-1]).T)
    )
    across = "".join(
        f"M{_at(start * width, (row + 1) * height)}h{_at(many * width)}"
        for row, start, many in stretches(land[1:] != land[:-1])
    )
    return down + across


def _at(*lengths: float) -> str:
    return " ".join(f"{length:.6g}" for length in lengths)
