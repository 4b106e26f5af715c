"""The grids of this study; the defaults are the full run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sudare.studies.parts import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Grids(Setting):
    """How the study is run.

    Attributes:
        quantiles: most answers asked of each quantile.
        means: most answers asked of the mean.
        floats: most answers in floats.
    """

    SHORT: ClassVar[Mapping[str, Any]] = {"quantiles": 300, "means": 1_000, "floats": 5_000}
    quantiles: int = 1_000
    means: int = 10_000
    floats: int = 100_000
