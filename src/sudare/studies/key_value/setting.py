"""The grids of this study; the defaults are the full run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from sudare.data import Holdings, KeyCounts, clothing, movielens
from sudare.data.clothing import EXTRACT as CLOTHES, ORIGINAL as CLOTHES_THERE
from sudare.data.movielens import EXTRACT as FILMS, ORIGINAL as FILMS_THERE
from sudare.studies.key_value.populations import D
from sudare.studies.parts import Setting


def rated(setting: Setting) -> Holdings | None:
    """Return the people of MovieLens; None where they are not here and may not be fetched."""
    return setting.loaded(partial(movielens, D), FILMS, FILMS_THERE)


def worn(setting: Setting) -> KeyCounts | None:
    """Return the counts of Rent the Runway; None where they are not here."""
    return setting.loaded(partial(clothing, D), CLOTHES, CLOTHES_THERE)


def swept() -> dict[str, tuple[Any, ...]]:
    """Return the shares of fakes, ε and numbers of targets, each varied alone."""
    return {
        "beta": (0.01, 0.05, 0.1, 0.2),
        "epsilon": (0.5, 1.0, 2.0, 4.0),
        "targets": (1, 2, 5, 10),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Grids(Setting):
    """How the study is run, and on which grids.

    Attributes:
        epsilons: ε of all comparisons.
        people: numbers of people of the Gaussian data.
        converged: ε at which EM is run to its end.
        steps, long: steps of four-state EM on data, and where report shares are known.
        sweeps: parameters of attacks.
        fakes: fake reports on one key, for the alarm.
        films, clothes: load the real data.
    """

    SHORT: ClassVar[Mapping[str, Any]] = {
        "epsilons": (0.5, 1.0, 4.0),
        "people": (10_000, 100_000),
        "converged": (2.0, 4.0),
        "steps": 100,
        "long": 1_000,
        "sweeps": {"beta": (0.05, 0.2), "epsilon": (1.0, 4.0), "targets": (1, 5)},
        "fakes": (0, 300),
    }
    epsilons: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
    people: tuple[int, ...] = (10_000, 30_000, 100_000, 300_000, 1_000_000)
    converged: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0, 4.0)
    steps: int = 1_000
    long: int = 10_000
    sweeps: Mapping[str, tuple[Any, ...]] = field(default_factory=swept)
    fakes: tuple[int, ...] = (0, 50, 180, 300, 1_000)
    films: Callable[[Setting], Holdings | None] = rated
    clothes: Callable[[Setting], KeyCounts | None] = worn
