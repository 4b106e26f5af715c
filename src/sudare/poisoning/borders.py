"""The borders of poisoning: shares of fake respondents."""

from __future__ import annotations

import numbers

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.mechanisms.values import as_array

_REMEDY = "such as 0.05"


def as_beta(beta: object) -> float:
    """Return a share of fake respondents: a number above 0 and below 1."""
    if isinstance(beta, bool) or not isinstance(beta, numbers.Real):
        raise WrongTypeError("beta", "must be a number", _REMEDY)
    try:
        share = float(beta)
    except OverflowError:
        share = float("inf")
    if not 0 < share < 1:
        raise DomainError("beta", "must lie between 0 and 1", _REMEDY, got=beta)
    return share


def as_betas(beta: object, size: int) -> Floats:
    """Return shares of fakes, one for each of so many keys, at least 0 and below 1."""
    array = as_array(beta)
    if array is None or array.dtype.kind not in "iuf":
        raise WrongTypeError("beta", "must be a number, or one for each key", _REMEDY)
    if array.shape not in ((), (size,)):
        raise DomainError("beta", f"must have the shape ({size},)", got=array.shape)
    if not ((array >= 0) & (array < 1)).all():
        raise DomainError("beta", "must lie in [0, 1)", _REMEDY)
    return np.broadcast_to(array.astype(np.float64), (size,))
