"""Colours of this study's figures, and errors drawn beside their law."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sudare.studies.parts import Say
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, PALE = "#26241f", "#d8d2c4"
RED, BLUE, GREEN, GOLD, GREY = "#b5482f", "#2f5d8c", "#4d7a4a", "#c08a1e", "#7a7466"

DRAWN = Text("drawn", "抽出")
LAW = Text("law", "理論")
BOUND = Text("95 % bound", "95 % の上限")


def histogram(
    axes: Axes,
    say: Say,
    errors: npt.NDArray[np.float64],
    law: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    bound: float,
    colour: str,
    label: Words,
) -> None:
    """Draw errors as a histogram, their density as a line and the bound as two dashed lines."""
    x, density = law
    axes.hist(
        errors,
        bins=80,
        range=(x[0], x[-1]),
        density=True,
        color=colour,
        alpha=0.35,
        label=say(DRAWN),
    )
    axes.plot(x, density, color=colour, linewidth=1.4, label=say(LAW))
    for side in (-bound, bound):
        axes.axvline(
            side,
            color=INK,
            linestyle="--",
            linewidth=0.9,
            label=say(BOUND) if side > 0 else None,
        )
    axes.set_xlim(x[0], x[-1])
    axes.set_yticks([])
    axes.set_title(say(label))
