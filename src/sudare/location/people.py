"""Where people are: a prior and a mask of a map, checked and put together."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, as_one_of
from sudare.location.report import MODES, Mode, as_prior
from sudare.mechanisms.place.grid import Grid, as_mask


def as_people(prior: object, mask: object, grid: Grid) -> Floats | None:
    """Return (cells,) shares of the people, 0 outside the mask; None if uniform over all cells.

    Args:
        prior: (cells,) or (rows, columns) numbers >= 0; None for uniform over the mask.
        mask: (cells,) or (rows, columns) booleans, True where people can be; None for everywhere.

    Raises:
        WrongTypeError, DomainError: no such prior or mask, or nobody left inside the mask.

    Examples:
        >>> as_people([3, 0, 1], [True, True, False], Grid(1, 3, 100, 100)).tolist()
        [1.0, 0.0, 0.0]
    """
    if prior is None and mask is None:
        return None
    shares = as_prior(prior, grid.cells, grid.shape)
    if mask is not None:
        shares = np.where(as_mask(mask, grid.cells, grid), shares, 0.0)
        if not shares.sum() > 0:
            raise DomainError("mask", "must hold a cell where people are", "change it or the prior")
    out: Floats = shares / shares.sum()
    return out


def as_mode(mode: object) -> Mode:
    """Return which cells count, checked.

    Raises:
        DomainError: no such mode.
    """
    return as_one_of(mode, "mode", MODES)
