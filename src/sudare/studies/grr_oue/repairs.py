"""Ways to repair an unbiased estimate that has shares below 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sudare.estimation import clip_and_normalise, project
from sudare.studies.words import Text

Floats = npt.NDArray[np.float64]


def _raw(shares: Floats) -> Floats:
    return shares


def _clip(shares: Floats) -> Floats:
    return np.maximum(0.0, shares)


REPAIRS: dict[str, Callable[[Floats], Floats]] = {
    "raw": _raw,
    "clip": _clip,
    "normalise": clip_and_normalise,
    "project": project,
}
REPAIR_WORDS = {
    "raw": Text("unbiased, as it is", "不偏推定のまま"),
    "clip": Text("negative set to 0", "負を0に"),
    "normalise": Text("negative set to 0, divided by the sum", "負を0にして合計で割る"),
    "project": Text("nearest shares ≥ 0 with sum 1", "合計1・非負の最近点へ射影"),
}
