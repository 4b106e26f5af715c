"""The sizes of several attributes, checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudare.errors import DomainError, WrongTypeError
from sudare.mechanisms.values import as_categories_count

MAX_ATTRIBUTES = 1_000


def as_sizes(sizes: object) -> tuple[int, ...]:
    """Return the sizes of 1 to 1,000 attributes after checking them.

    Raises:
        WrongTypeError, DomainError: not a list of whole numbers in their range.
    """
    if isinstance(sizes, str) or not isinstance(sizes, Sequence | np.ndarray):
        raise WrongTypeError("sizes", "must be a list of whole numbers", "such as [16, 5]")
    if not 1 <= len(sizes) <= MAX_ATTRIBUTES:
        raise DomainError("sizes", f"must name 1 to {MAX_ATTRIBUTES} attributes", got=len(sizes))
    return tuple(as_categories_count(size) for size in sizes)
