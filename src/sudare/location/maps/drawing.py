"""Maps as PNG and SVG files, by matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare import fonts
from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.location.globe import degrees
from sudare.location.maps import words
from sudare.location.maps.colours import STOPS, Scale
from sudare.location.maps.layer import Layer, as_numbers, checked
from sudare.location.maps.shore import stretches
from sudare.mechanisms.place.grid import Grid, as_mask
from sudare.mechanisms.place.mesh import degree_metres
from sudare.plots import INK, RUST, axes_for, figure_file, plain
from sudare.words import Language, Words, check_language, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_ENDINGS = (".png", ".svg")
_LONG, _LEAST, _DPI = 6.4, 2.4, 160
_SEA, _NONE = "#e3e6ea", "#b9b4a8"
_STYLE: dict[str, Any] = {
    "axes.unicode_minus": True,
    "hatch.color": "#9aa3ad",
    "hatch.linewidth": 0.6,
}


def draw_map(
    grid: Grid,
    values: npt.ArrayLike,
    path: str | Path,
    *,
    mask: npt.ArrayLike | None = None,
    title: Words = "",
    unit: Words = "",
    log: bool = False,
    marks: tuple[int, ...] = (),
    language: Language = "en",
) -> Path:
    """Draw a number for each cell of a grid into a file.

    A metre is as long northwards as eastwards. Colours go from violet to yellow (viridis), which
    eyes of every kind tell apart. What the mask leaves out is hatched; cells without a number are
    grey. Borders are in degrees where the grid has an origin, else in kilometres.

    Args:
        grid: the map.
        values: (cells,) or (rows, columns) numbers; NaN where there is none.
        path: the file to write, ``.png`` or ``.svg``.
        mask: (cells,) or (rows, columns) booleans, True where people can be; None: everywhere.
        title: above the map.
        unit: beside the colour bar.
        log: whether equal factors take equal steps of colour.
        marks: cells to mark by a cross.
        language: of title, unit and axes: ``"en"``, or ``"ja"`` where a font has Japanese letters.

    Raises:
        MissingExtraError: matplotlib is not installed.
        WrongTypeError, DomainError: no such numbers, mask, path or language.
        StorageError: the file cannot be written.
    """
    if not isinstance(path, str | Path):
        raise WrongTypeError("path", "must be the path of a file", "such as map.png", got=path)
    target = Path(path)
    if target.suffix not in _ENDINGS or "\0" in str(target):
        raise DomainError("path", "must end with .png or .svg", "such as map.png", got=str(path))
    as_numbers(grid, values)
    land = as_mask(mask, grid.cells, grid)
    layer, numbers, scale = checked(grid, Layer(title, values, unit, log, marks), land)
    tongue = check_language(language)
    tall, wide = grid.rows * grid.cell_height, grid.columns * grid.cell_width
    long = _LONG / max(tall, wide)
    size = (max(_LEAST, wide * long) + 1.6, max(_LEAST, tall * long) + 0.9)
    pixels = "nearest"
    if target.suffix == ".svg":
        pixels = "none"
    elif tongue != "en":
        lack = fonts.lacking("".join(say(one, tongue) for one in _words(grid, layer)))
        fonts.report(lack)
        tongue = "en" if lack else tongue
    try:
        with figure_file(target, size, style=_STYLE, dpi=_DPI) as figure:
            _draw(figure.add_subplot(), grid, layer, numbers, scale, land, tongue, pixels)
    except OSError:
        raise StorageError(f"path {target}", "cannot be written", "choose another") from None
    return target


def plot_map(
    grid: Grid,
    values: npt.ArrayLike,
    ax: Any = None,
    *,
    mask: npt.ArrayLike | None = None,
    title: Words = "",
    unit: Words = "",
    log: bool = False,
    marks: tuple[int, ...] = (),
) -> Any:
    """Draw what :func:`draw_map` draws on axes of matplotlib, as a notebook wants it.

    Args:
        grid, values, mask, title, unit, log, marks: as of :func:`draw_map`.
        ax: axes of matplotlib; None for those of a new figure.

    Returns:
        The axes.

    Raises:
        MissingExtraError: matplotlib is not installed.
        WrongTypeError, DomainError: no axes, or no such numbers or mask.
    """
    as_numbers(grid, values)
    land = as_mask(mask, grid.cells, grid)
    layer, numbers, scale = checked(grid, Layer(title, values, unit, log, marks), land)
    axes = axes_for(ax)
    _draw(axes, grid, layer, numbers, scale, land, "en", "nearest")
    fonts.fit_given(axes.figure)
    return axes


def _draw(
    axes: Any,
    grid: Grid,
    layer: Layer,
    numbers: npt.NDArray[np.float64],
    scale: Scale,
    land: npt.NDArray[np.bool_],
    tongue: Language,
    pixels: str,
) -> None:
    """Draw a layer on axes, with its colour bar beside them."""
    from matplotlib.colors import LinearSegmentedColormap

    left, right, bottom, top, aspect = _frame(grid)
    axes.set_facecolor(_NONE)
    colours = LinearSegmentedColormap.from_list("map", list(STOPS))
    picture = axes.imshow(
        numbers.reshape(grid.shape),
        cmap=colours,
        norm=_norm(scale),
        extent=(left, right, bottom, top),
        aspect=aspect,
        interpolation=pixels,
    )
    _sea(axes, grid, land)
    for cell in layer.marks:
        row, column = divmod(cell, grid.columns)
        axes.plot(
            left + (column + 0.5) * (right - left) / grid.columns,
            top - (row + 0.5) * (top - bottom) / grid.rows,
            "x",
            color=RUST,
            markersize=7,
            markeredgewidth=1.8,
        )
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    title, unit, east, north = (plain(say(one, tongue)) for one in _words(grid, layer))
    axes.set_title(title, loc="left", color=INK)
    axes.set_xlabel(east)
    axes.set_ylabel(north)
    axes.ticklabel_format(useOffset=False)
    axes.tick_params(axis="x", labelrotation=0 if grid.origin is None else 30)
    bar = axes.figure.colorbar(picture, ax=axes, shrink=0.85)
    bar.set_label(unit)


def _words(grid: Grid, layer: Layer) -> tuple[Words, Words, Words, Words]:
    """Return what is written: title, unit, and along which axis it goes east and north."""
    if grid.origin is None:
        return layer.title, layer.unit, words.EAST, words.NORTH
    return layer.title, layer.unit, words.LONGITUDE, words.LATITUDE


def _frame(grid: Grid) -> tuple[float, float, float, float, float]:
    """Return the borders of the picture in degrees or kilometres, and the aspect of their units."""
    if grid.origin is None:
        tall, wide = grid.rows * grid.cell_height / 1000, grid.columns * grid.cell_width / 1000
        return 0.0, wide, 0.0, tall, 1.0
    south, west, north, east = degrees(grid).bounds
    up, right = degree_metres((south + north) / 2)
    return west, east, south, north, up / right


def _norm(scale: Scale) -> Any:
    from matplotlib.colors import LogNorm, Normalize

    if scale.low == scale.high:
        half = abs(scale.low) / 2 or 0.5
        return Normalize(scale.low - half, scale.high + half)
    return (
        LogNorm(scale.low, scale.high, clip=True) if scale.log else Normalize(scale.low, scale.high)
    )


def _sea(axes: Axes, grid: Grid, land: npt.NDArray[np.bool_]) -> None:
    """Hatch what is left out: one rectangle for each stretch of a row."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    left, right, bottom, top, _ = _frame(grid)
    width, height = (right - left) / grid.columns, (top - bottom) / grid.rows
    boxes = [
        Rectangle((left + start * width, top - (row + 1) * height), many * width, height)
        for row, start, many in stretches(~land.reshape(grid.shape))
    ]
    if boxes:
        axes.add_collection(
            PatchCollection(boxes, facecolor=_SEA, edgecolor="none", linewidth=0, hatch="////")
        )
