"""From raw unbiased shares to shares that are none below 0 and sum to 1."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.alignment import align_to
from sudare.arrays import Floats, is_masked
from sudare.errors import DomainError, WrongTypeError


def project(shares: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
    """Return the nearest point of the simplex: Norm-Sub.

    ::

        argmin  Σ (x_i - normalisedi)² / weights_i   over   x_i >= 0,  Σ x_i = 1
        = max(0, normalisedi - λ weights_i)   with the one λ that makes the sum 1

    Exact, by sorting. Equal weights keep the order of the shares.

    Args:
        shares: (..., k) raw shares; each line of the last axis is projected on its own.
        weights: (k,) or (..., k) positive, usually the variances; default equal (Euclidean).

    Raises:
        WrongTypeError, DomainError: not finite numbers, or a weight that is not positive.

    Source: Wang et al. 2020 (consistency for local differential privacy), Norm-Sub; Duchi et
    al. 2008, Figure 1.

    Examples:
        >>> project([0.7, 0.5, -0.1]).round(3).tolist()
        [0.6, 0.4, 0.0]
    """
    raw = _finite(shares, "shares")
    scale = _weights(align_to(weights, shares, "weights"), raw.shape)
    order = np.argsort(-raw / scale, axis=-1, kind="stable")
    ranked = np.take_along_axis(raw, order, axis=-1)
    ranked_scale = np.take_along_axis(scale, order, axis=-1)
    level = (np.cumsum(ranked, axis=-1) - 1) / np.cumsum(ranked_scale, axis=-1)
    active = np.sum(ranked / ranked_scale > level, axis=-1, keepdims=True)
    lam = np.take_along_axis(level, active - 1, axis=-1)
    return np.maximum(0.0, raw - lam * scale)


def clip_and_normalise(shares: npt.ArrayLike) -> Floats:
    """Return the shares with those below 0 set to 0, divided by their sum.

    Biased towards equal shares more than :func:`project`, and for comparison with studies that
    use it. All shares at most 0 become equal ones.

    Args:
        shares: (..., k) raw shares.

    Raises:
        WrongTypeError, DomainError: not finite numbers.

    Source: Wang et al. 2020, Norm-Mul without its threshold.

    Examples:
        >>> clip_and_normalise([0.75, 0.5, -0.25]).tolist()
        [0.6, 0.4, 0.0]
    """
    out = _finite(shares, "shares")  # a copy, which is overwritten: large tables take few passes
    np.maximum(out, 0.0, out=out)
    total = out.sum(axis=-1, keepdims=True)
    if not total.all():
        out += total == 0
    out /= np.where(total == 0, out.shape[-1], total)
    return out


def largest_remainders(counts: Floats, n: int) -> npt.NDArray[np.int64]:
    """Return whole numbers that sum to n, each less than 1 away: those cut off most are raised.

    Args:
        counts: >= 0, of the sum n.

    Examples:
        >>> largest_remainders(np.array([0.4, 1.3, 1.3]), 3).tolist()
        [1, 1, 1]
    """
    flat = counts.reshape(-1)
    whole = np.floor(flat).astype(np.int64)
    missing = n - int(whole.sum())
    whole[np.argsort(whole - flat, kind="stable")[:missing]] += 1
    return whole.reshape(counts.shape)


def _finite(numbers: npt.ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(numbers)
    except ValueError:
        raise WrongTypeError(name, "must be an array of numbers") from None
    if array.dtype.kind not in "iuf" or array.ndim == 0 or is_masked(numbers):
        raise WrongTypeError(name, "must be an array of numbers")
    out = array.astype(np.float64)
    if out.shape[-1] == 0 or not np.isfinite(out).all():
        raise DomainError(name, "must be finite, at least one a line", "remove what is missing")
    return out


def _weights(weights: npt.ArrayLike | None, shape: tuple[int, ...]) -> Floats:
    if weights is None:
        return np.ones(shape)
    scale = _finite(weights, "weights")
    if (scale <= 0).any():
        raise DomainError("weights", "must be above 0", "add a small constant")
    try:
        return np.broadcast_to(scale, shape)
    except ValueError:
        raise DomainError("weights", f"must have the shape {shape}") from None
