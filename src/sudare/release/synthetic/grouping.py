"""Cells that noise hides are one group in pairs: which ones, and back again.

All of it follows from counts with noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudare.arrays import Integers

RARE = 3
"""A cell below so many standard deviations of the noise is rare."""


def groups_of(counts: Sequence[int], stderr: float, *, others: bool) -> list[int]:
    """Return the group of each cell: rare ones have the last; -1 of that of others if it is rare.

    Args:
        counts: of a column's cells, with noise.
        stderr: of the noise.
        others: whether the last cell is that of rows which are in no other.

    Examples:
        >>> groups_of([500, 3, 400, 52, 80], 20, others=True)
        [0, 3, 1, 3, 2]
        >>> groups_of([500, 3, 400, 52, 55], 20, others=True)
        [0, 2, 1, 2, -1]
        >>> groups_of([500, 3, 400, 52, 55], 20, others=False)
        [0, 2, 1, 2, 2]
    """
    rare = [one < RARE * stderr for one in counts]
    alone = iter(range(len(counts)))
    groups = [-1 if is_rare else next(alone) for is_rare in rare]
    last, real = max(groups) + 1, len(counts) - others
    return [last if is_rare else own for own, is_rare in zip(groups[:real], rare, strict=False)] + (
        groups[real:]
    )


def members(groups: Sequence[int]) -> Integers:
    """Return which cells are in which groups: (cells, groups), 1 or 0."""
    of = np.array(groups)
    return np.asarray(of[:, None] == np.arange(of.max() + 1), dtype=np.int64)


def ungrouped(
    groups: Sequence[int], counts: Sequence[int], places: Integers, rng: np.random.Generator
) -> Integers:
    """Return cells of places that are groups: of several by their counts with noise, cut at 0."""
    out = np.empty_like(places)
    of = np.array(groups)
    for group in range(of.max() + 1):
        cells, here = np.flatnonzero(of == group), np.flatnonzero(places == group)
        weights = np.maximum(np.array(counts, dtype=np.float64)[cells], 0.0)
        law = weights / weights.sum() if weights.any() else None
        out[here] = cells[0] if cells.size == 1 else rng.choice(cells, here.size, p=law)
    return out
