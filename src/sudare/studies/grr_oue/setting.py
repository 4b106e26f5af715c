"""The grids of this study; the defaults are the full run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sudare.studies.parts import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Grids(Setting):
    """How the study is run, and on which grids.

    Attributes:
        large, tiny: ε of experiment 3 on Dataset2, and on Dataset1's stand-ins.
        exact: ε of the exact errors of 14 answers.
        sizes, people, map: k, n and ε of the maps.
    """

    SHORT: ClassVar[Mapping[str, Any]] = {
        "exact": (0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
        "sizes": (2, 5, 43),
        "map": (0.5, 1.0, 2.0, 4.0),
    }
    large: tuple[float, ...] = tuple(round(0.25 * i, 2) for i in range(1, 21))
    tiny: tuple[float, ...] = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
    exact: tuple[float, ...] = (
        0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0, 3.0, 4.0,
    )  # fmt: skip
    sizes: tuple[int, ...] = (2, 3, 5, 8, 12, 20, 43, 100, 200)
    people: tuple[int, ...] = (14, 1_000, 50_000)
    map: tuple[float, ...] = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0)
