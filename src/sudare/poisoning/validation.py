"""The borders of poisoning: shares of fake respondents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.parameters import as_float, is_real
from sudare.mechanisms.values import as_floats

_REMEDY = "such as 0.05"


def as_beta(beta: object, argument: str = "beta") -> float:
    """Return a share of fake respondents, or a chance: a number above 0 and below 1."""
    if not is_real(beta):
        raise WrongTypeError(argument, "must be a number", _REMEDY)
    if not 0 < as_float(beta) < 1:
        raise DomainError(argument, "must lie between 0 and 1", _REMEDY, got=beta)
    return float(beta)


def as_betas(beta: object, size: int, labels: Sequence[str] | None = None) -> Floats:
    """Return shares of fakes, at least 0 and below 1: one for each of so many keys, or of all."""
    shares = as_floats(beta, "beta", (size,), (), remedy=_REMEDY, labels=labels)
    if not ((shares >= 0) & (shares < 1)).all():
        raise DomainError("beta", "must lie in [0, 1)", _REMEDY)
    return np.broadcast_to(shares, (size,))
