"""What a cell's surroundings are: inland, coast, an island, the edge of the map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.mechanisms.place.grid import Grid, as_grid, as_mask

SURROUNDINGS = ("sea", "inland", "edge", "coast", "island")


def surroundings(grid: Grid, mask: npt.ArrayLike | None = None) -> tuple[str, ...]:
    """Return one of :data:`SURROUNDINGS` for each cell.

    An island is a piece of land, its cells touching by a side or a corner, that is neither the
    largest one nor reaches the border of the map. Other land beside the sea is coast, else at the
    border of the map edge, else inland.

    Raises:
        WrongTypeError, DomainError: no such mask.

    Examples:
        >>> from sudare.location.land import text_mask
        >>> mask = text_mask("###....\\n###..#.\\n###....")
        >>> surroundings(Grid(3, 7, 100, 100), mask)[7:14]
        ('edge', 'inland', 'coast', 'sea', 'sea', 'island', 'sea')
    """
    from scipy import ndimage

    as_grid(grid)
    land = as_mask(mask, grid.cells, grid).reshape(grid.shape)
    touching = np.ones((3, 3), dtype=np.bool_)
    border = np.ones(grid.shape, dtype=np.bool_)
    border[1:-1, 1:-1] = False
    out = np.where(border, 2, 1)
    out[ndimage.binary_dilation(~land, touching)] = 3
    pieces, _ = ndimage.label(land, touching)
    main = np.bincount(pieces[land]).argmax()
    out[~np.isin(pieces, [main, *pieces[border]])] = 4
    out[~land] = 0
    return tuple(SURROUNDINGS[kind] for kind in out.ravel().tolist())
