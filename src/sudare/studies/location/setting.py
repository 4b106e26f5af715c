"""The grids of this study; the defaults are the full run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sudare.data.tokyo import SQUARES, Squares, tokyo
from sudare.location import cap_posterior
from sudare.mechanisms import Grid
from sudare.mechanisms.place.base import Place
from sudare.studies.location.toy import EPSILONS
from sudare.studies.parts import Setting

WINDOW = (35.575, 139.725, 35.675, 139.8875)
"""South, west, north, east: the port of Tokyo, 24 × 26 squares of 500 m."""


def port(setting: Setting) -> Squares | None:
    """Return the squares of the port of Tokyo; None where the data are not here."""
    return setting.loaded(lambda **_: tokyo(bounds=WINDOW), SQUARES)


def capped(grid: Grid, epsilon: float, cap: float) -> Place:
    """Return the law of the least SQL under a cap of all posteriors."""
    return cap_posterior(grid, epsilon, cap).mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Grids(Setting):
    """How the study is run, and on which grids.

    Attributes:
        modes, steps: ε and steps of Algorithm 1 in both modes.
        other_steps, ties, noisy: steps, widths of ties and start weights tried at the main ε.
        compared, bounds: ε at which mechanisms are compared, and bounds of f1 for the optimiser.
        equalised: ε of the equaliser.
        cap: from map, ε and cap to the law of the least SQL; None to leave out its program.
        coast_bounds, prices: bounds and prices of f1 at coasts.
        squares: loads the squares of Tokyo Bay.
    """

    SHORT: ClassVar[Mapping[str, Any]] = {
        "modes": (0.02,),
        "steps": (0.1,),
        "other_steps": (0.2,),
        "ties": (0.0,),
        "noisy": 1,
        "compared": (0.02,),
        "bounds": (0.12,),
        "equalised": (0.02, 0.03, 0.04),
        "coast_bounds": (0.3,),
        "prices": (1.0,),
        "cap": None,
    }
    modes: tuple[float, ...] = (0.02, 0.03)
    steps: tuple[float, ...] = (0.1, 0.05, 0.01)
    other_steps: tuple[float, ...] = (0.5, 0.25, 0.2, 0.11, 0.09, 0.05, 0.02, 0.01)
    ties: tuple[float, ...] = (1e-3, 1e-4, 1e-6, 0.0)
    noisy: int = 3
    compared: tuple[float, ...] = (0.02, 0.03)
    bounds: tuple[float, ...] = (0.18, 0.15, 0.12, 0.09, 0.06, 0.03)
    equalised: tuple[float, ...] = EPSILONS
    cap: Callable[[Grid, float, float], Place] | None = capped
    coast_bounds: tuple[float, ...] = (0.3, 0.2, 0.1, 0.05)
    prices: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0)
    squares: Callable[[Setting], Squares | None] = port
