"""Colours and marks of this study's figures, and maps of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.mechanisms import Grid
from sudare.studies.parts import Say
from sudare.studies.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

INK, PALE = "#26241f", "#d8d2c4"
RED, BLUE, GREEN, GOLD, GREY = "#b5482f", "#2f5d8c", "#4d7a4a", "#c08a1e", "#7a7466"
PURPLE, SKY = "#8a5a9e", "#4a9fb5"
SEA = "#dfe6ea"


def show_map(
    axes: Axes,
    grid: Grid,
    values: npt.NDArray[np.float64],
    ends: tuple[float, float],
    cmap: str = "cividis",
) -> AxesImage:
    """Draw a number for each cell, true to the cells' shape; NaN is sea."""
    image = axes.imshow(
        values.reshape(grid.shape),
        cmap=cmap,
        vmin=ends[0],
        vmax=ends[1],
        aspect=grid.cell_height / grid.cell_width,
        interpolation="nearest",
    )
    axes.set_facecolor(SEA)
    axes.grid(visible=False)
    axes.set_xticks([])
    axes.set_yticks([])
    return image


def curve(axes: Axes, say: Say, name: Words, x: Any, y: Any, colour: str, mark: str) -> None:
    """Draw a line with marks."""
    axes.plot(x, y, color=colour, marker=mark, markersize=4.5, linewidth=1.2, label=say(name))
