"""Errors drawn beside their law."""

from __future__ import annotations

from typing import Any

from sudare.arrays import Floats
from sudare.studies.palette import INK, Axes
from sudare.studies.study_text import Label


def histogram(
    axes: Axes, label: Label, errors: Floats, law: tuple[Floats, Floats], bound: float, colour: str
) -> None:
    """Draw errors as a histogram, their density as a line and the bound as two dashed lines."""
    x, density = law
    style: dict[str, Any] = {"density": True, "color": colour, "alpha": 0.35}
    axes.hist(errors, bins=80, range=(x[0], x[-1]), label=label("drawn"), **style)
    axes.plot(x, density, color=colour, linewidth=1.4, label=label("law"))
    edges(axes, bound, label("bound-95"))
    axes.set(xlim=(x[0], x[-1]), yticks=[], xlabel=label("off-mean"))


def edges(axes: Axes, bound: float, name: str | None = None) -> None:
    """Draw a bound on both sides of 0."""
    for side, label in ((-bound, None), (bound, name)):
        axes.axvline(side, color=INK, linestyle="--", linewidth=0.9, label=label)
