"""Ways to repair an unbiased estimate: a sum other than 1, shares below 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import clip_and_normalise, project


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
