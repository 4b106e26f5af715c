"""The grids of this study; the defaults are the full run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sudare.arrays import Integers
from sudare.data import adult
from sudare.data.adult import EXTRACT, TEST, TRAIN
from sudare.studies.joint.methods import MAPS
from sudare.studies.parts import Setting


def rows(setting: Setting) -> Integers | None:
    """Return the table of the data set's rows where these are here, or allowed to be fetched."""
    people = setting.loaded(adult, EXTRACT, TRAIN, TEST)
    return None if people is None else people.table


@dataclass(frozen=True, slots=True, kw_only=True)
class Grids(Setting):
    """How the study is run, and on which grids.

    Attributes:
        gammas: of the synthetic data; the first and the last one are compared.
        maps: EM maps of the iterative reconstruction.
        stops: numbers of EM maps at which it is looked at.
        sizes, people, sample: categories, respondents and tables of the times.
        rows: gives the table of Adult's rows, or None.
    """

    SHORT: ClassVar[Mapping[str, Any]] = {
        "gammas": (5, 10, 100),
        "maps": 100,
        "stops": (20, 100),
        "sizes": (4, 6),
        "people": 20_000,
        "sample": 17,
    }
    gammas: tuple[int, ...] = (5, 10, 20, 40, 70, 100)
    maps: int = MAPS
    stops: tuple[int, ...] = (20, 40, 60, 80, 100, 150, 200, 300, 400)
    sizes: tuple[int, ...] = (5, 10, 15, 20)
    people: int = 1_000_000
    sample: int = 969
    rows: Callable[[Setting], Integers | None] = rows
