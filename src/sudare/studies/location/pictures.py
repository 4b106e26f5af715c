"""Maps of cells side by side, and numbers against ε."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sudare.arrays import Floats
from sudare.mechanisms import Grid
from sudare.studies.location.toy import EPSILONS
from sudare.studies.palette import Axes, Canvas, curve
from sudare.studies.study_text import Label, Word

SEA = "#dfe6ea"
Maps = Sequence[tuple[Word, Floats]]
Curve = tuple[str, str, str, Sequence[float]]
"""Word, colour, mark and numbers at each ε."""


def draw_maps(
    grid: Grid,
    maps: Maps,
    canvas: Canvas,
    label: Label,
    *,
    ends: tuple[float, float] = (0, 1),
    shrink: float = 0.85,
    cmap: str = "cividis",
    bar: str = "",
) -> None:
    """Draw a number for each cell, true to the cells' shape, on one scale; NaN is sea."""
    panels = canvas.subplots(1, len(maps))
    shape: Any = {"aspect": grid.cell_height / grid.cell_width, "interpolation": "nearest"}
    for axes, (title, values) in zip(panels, maps, strict=True):
        numbers = values.reshape(grid.shape)
        image = axes.imshow(numbers, cmap=cmap, vmin=ends[0], vmax=ends[1], **shape)
        axes.grid(visible=False)
        axes.set(facecolor=SEA, xticks=[], yticks=[], title=label(title.key, **title.values))
    canvas.colorbar(image, ax=panels, shrink=shrink, label=label(bar) if bar else "")


def draw_curves(axes: Axes, title: str, curves: Sequence[Curve], label: Label) -> None:
    """Draw numbers against ε."""
    for word, colour, mark, values in curves:
        curve(axes, EPSILONS, values, colour, mark, label(word))
    axes.set(title=label(title), xlabel=label("per-metre"), xticks=EPSILONS)
