"""Colours and marks of this study's figures: apart in grey and for colour-blind readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sudare.studies.book import Label
from sudare.studies.palette import BLUE, GOLD, GREEN, GREY, INK, PURPLE, RED, curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {
    "PrivKV": (RED, "o"),
    "PrivKVM c=2": (GOLD, "^"),
    "PrivKVM c=3": (GREY, "v"),
    "EM 1e-4": (GREEN, "D"),
    "EM": (BLUE, "s"),
    "MLE": (BLUE, "s"),
    "MLE tight": ("#4a7fb5", "p"),
    "Bayes tight": (INK, "*"),
    "StateRR": (GOLD, "^"),
    "PCKV-UE": (GREY, "v"),
    "PCKV-GRR": (PURPLE, "X"),
}
"""Colour and mark of each method."""


def line(axes: Axes, label: Label, method: str, x: Sequence[float], y: Sequence[float]) -> None:
    """Draw a method's line."""
    curve(axes, x, y, *STYLES[method], label(method))
