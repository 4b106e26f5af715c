"""Colours and marks of this study's figures: apart in grey and for colour-blind readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sudare.studies.parts import Say
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, PALE = "#26241f", "#d8d2c4"
COLOURS = {
    "PrivKV": "#b5482f",
    "PrivKVM c=2": "#c08a1e",
    "PrivKVM c=3": "#7a7466",
    "EM 1e-4": "#4d7a4a",
    "EM": "#2f5d8c",
    "MLE": "#2f5d8c",
    "MLE tight": "#4a7fb5",
    "Bayes tight": "#26241f",
    "StateRR": "#c08a1e",
    "PCKV-UE": "#7a7466",
    "PCKV-GRR": "#8a5a9e",
}
MARKS = {
    "PrivKV": "o",
    "PrivKVM c=2": "^",
    "PrivKVM c=3": "v",
    "EM 1e-4": "D",
    "EM": "s",
    "MLE": "s",
    "MLE tight": "p",
    "Bayes tight": "*",
    "StateRR": "^",
    "PCKV-UE": "v",
    "PCKV-GRR": "X",
}
NAMES: dict[str, Words] = {
    "PrivKVM c=2": "PrivKVM, c = 2",
    "PrivKVM c=3": "PrivKVM, c = 3",
    "EM 1e-4": Text("EM, stopped at 1e-4", "EM（1e-4 で停止）"),
    "EM": Text("EM, converged", "EM（収束まで）"),
    "MLE": Text("MLE, half split", "最尤推定（半分ずつの分割）"),
    "PrivKV tight": Text("PrivKV, tight split", "PrivKV（tight 分割）"),
    "MLE tight": Text("MLE, tight split", "最尤推定（tight 分割）"),
    "Bayes tight": Text("Bayes, tight split", "ベイズ（tight 分割）"),
    "StateRR": Text("StateRR, MLE", "StateRR（最尤推定）"),
    "PCKV-UE": Text("PCKV-UE, MLE", "PCKV-UE（最尤推定）"),
    "PCKV-GRR": Text("PCKV-GRR, MLE", "PCKV-GRR（最尤推定）"),
}
"""What a reader calls the methods whose label is not their name."""


def name(method: str) -> Words:
    """Return a method's name for readers."""
    return NAMES.get(method, method)


def line(axes: Axes, say: Say, method: str, x: Sequence[float], y: Sequence[float]) -> None:
    """Draw a method's line."""
    style: dict[str, Any] = {"color": COLOURS[method], "marker": MARKS[method]}
    axes.plot(x, y, markersize=4.5, linewidth=1.2, label=say(name(method)), **style)
