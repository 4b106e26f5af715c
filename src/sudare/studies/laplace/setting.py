"""The grids of this study; the defaults are the full run."""

from __future__ import annotations

from dataclasses import dataclass

from sudare.studies.parts import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Grids(Setting):
    """How the study is run.

    Attributes:
        quantiles: most answers asked of each quantile.
        means: most answers asked of the mean.
        floats: most answers in floats.
    """

    quantiles: int = 1_000
    means: int = 10_000
    floats: int = 100_000
