"""Colours of all studies, apart in grey and for colour-blind readers; lines and legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

Axes: TypeAlias = "matplotlib.axes.Axes"
Canvas: TypeAlias = "matplotlib.figure.Figure"  # loaded when something is drawn

INK, PALE = "#26241f", "#d8d2c4"
RED, BLUE, GREEN, GOLD, GREY = "#b5482f", "#2f5d8c", "#4d7a4a", "#c08a1e", "#7a7466"
PURPLE, SKY = "#8a5a9e", "#4a9fb5"


def curve(axes: Axes, x: Any, y: Any, colour: str, mark: str, label: str) -> None:
    """Draw a line with marks."""
    axes.plot(x, y, color=colour, marker=mark, markersize=4.5, linewidth=1.2, label=label)


def points(
    axes: Axes, x: Any, y: Any, colour: str, mark: str, label: str, size: float, **style: Any
) -> None:
    """Draw marks without a line."""
    style |= {"color": colour, "marker": mark, "markersize": size}
    axes.plot(x, y, linestyle="", label=label, **style)


def log_ticks(axes: Axes, ticks: Sequence[float]) -> None:
    """Let x run on a logarithmic axis with readable ticks."""
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
    axes.set_xticks([], minor=True)


def legend_below(canvas: Canvas, columns: int) -> None:
    """Draw one legend for all axes, each name once."""
    named: dict[str, Any] = {}
    for axes in canvas.axes:
        handles, labels = axes.get_legend_handles_labels()
        named |= dict(zip(labels, handles, strict=True))
    canvas.legend(list(named.values()), list(named), loc="outside lower center", ncols=columns)
