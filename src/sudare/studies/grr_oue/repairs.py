"""Ways to repair an unbiased estimate: a sum other than 1, shares below 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sudare.estimation import clip_and_normalise, project
from sudare.studies.words import Text

Floats = npt.NDArray[np.float64]


def _raw(shares: Floats) -> Floats:
    return shares


def _shift(shares: Floats) -> Floats:
    shifted: Floats = shares - (shares.sum(axis=-1, keepdims=True) - 1) / shares.shape[-1]
    return shifted


def _clip(shares: Floats) -> Floats:
    return np.maximum(0.0, shares)


REPAIRS: dict[str, Callable[[Floats], Floats]] = {
    "raw": _raw,
    "shift": _shift,
    "clip": _clip,
    "normalise": clip_and_normalise,
    "project": project,
}
REPAIR_WORDS = {
    "raw": Text("unbiased, as it is", "不偏推定のまま"),
    "shift": Text("shifted to the sum 1", "一律にずらして合計1"),
    "clip": Text("negative set to 0", "負を0に"),
    "normalise": Text("negative set to 0, divided by the sum", "負を0にして合計で割る"),
    "project": Text("nearest shares ≥ 0 with sum 1", "合計1・非負の最近点へ射影"),
}
