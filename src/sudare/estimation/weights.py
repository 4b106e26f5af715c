"""The border: weights and scores, one number a category."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.alignment import Axis, align
from sudare.arrays import Floats, is_masked, is_missing
from sudare.errors import DomainError, WrongTypeError

_LARGEST = 1e100  # squares of weights stay finite


def as_weights(
    weights: object,
    shape: tuple[int, ...],
    name: str = "weights",
    labels: Sequence[str] | None = None,
) -> Floats:
    """Return finite numbers of that shape; a typed error otherwise."""
    array = _as_floats(weights, name, shape, labels)
    if not (np.abs(array) <= _LARGEST).all():
        raise DomainError(name, "must be finite, at most 1e100 in size", "one a category")
    return array


def as_scores(
    scores: object, shape: tuple[int, ...], labels: Sequence[str] | None = None
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return scores (0 where there is none) and which categories have one."""
    array = _as_floats(scores, "scores", shape, labels)
    counted = ~np.isnan(array)
    if not counted.any() or not (np.abs(array[counted]) <= _LARGEST).all():
        raise DomainError(
            "scores", "must be finite and at least one, at most 1e100 in size", "None for no score"
        )
    return np.where(counted, array, 0.0), counted


def _as_floats(
    given: object, name: str, shape: tuple[int, ...], labels: Sequence[str] | None
) -> Floats:
    remedy = f"give numbers in the shape {shape}"
    if is_masked(given):
        raise WrongTypeError(name, "must not be masked", remedy)
    axes: Sequence[Axis] = shape if labels is None else (labels,)
    numbers = align(given, axes, name)
    try:
        raw: npt.NDArray[Any] = np.asarray(numbers)
        if raw.dtype.kind == "O":
            cells = [math.nan if is_missing(cell) else cell for cell in raw.ravel().tolist()]
            numbers, raw = cells, np.asarray(cells).reshape(raw.shape)
    except Exception:  # noqa: BLE001 - any object may be given, and may raise anything
        raise WrongTypeError(name, "must be an array of numbers", remedy) from None
    if raw.dtype.kind not in "iuf" or _holds_booleans(numbers):
        raise WrongTypeError(name, "must be an array of numbers", remedy)
    if raw.shape != shape:
        raise DomainError(name, f"must have the shape {shape}", "one a category", got=raw.shape)
    return raw.astype(np.float64)


def _holds_booleans(numbers: object) -> bool:
    return isinstance(numbers, list | tuple) and any(
        isinstance(cell, bool | np.bool_) for cell in numbers
    )
