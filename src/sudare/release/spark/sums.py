"""What comes back from executors: whole numbers that add up, as text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from sudare.errors import EngineError, EstimationError

_MOST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum over some rows: whole numbers of any length, or how often texts are there.

    Attributes:
        value: a whole number or an array of such, or a Counter of texts.

    Examples:
        >>> Sum.from_json(Sum(np.array([1, 0, 2])).to_json()).value
        array([1, 0, 2], dtype=object)
    """

    value: Any

    def to_json(self) -> str:
        """Return the sum as text, exactly: of an array what is not 0.

        Raises:
            EngineError: it is no sum of whole numbers.
        """
        if isinstance(self.value, Counter):
            return json.dumps({"texts": dict(self.value)})
        cells = np.asarray(self.value)
        if cells.dtype.kind not in "iuO":
            raise EngineError("sums", "must be of whole numbers")
        at = np.flatnonzero(cells)
        numbers = [int(one) for one in cells.ravel()[at].tolist()]
        return json.dumps({"shape": cells.shape, "at": at.tolist(), "numbers": numbers})

    @classmethod
    def from_json(cls, text: str) -> Sum:
        """Read :meth:`to_json`.

        Raises:
            EstimationError: text that is none.
        """
        try:
            data = json.loads(text)
            if "texts" in data:
                return cls(Counter(data["texts"]))
            cells = np.zeros(data["shape"], dtype=object)
            cells.ravel()[data["at"]] = list(map(int, data["numbers"]))
            return cls(cells if cells.shape else cells.item())
        except (ValueError, TypeError, LookupError):
            raise EstimationError("parts", "must be sums by executors of Sudare") from None


def added(parts: Sequence[Any]) -> Any:
    """Return the sum of some sums: exactly, as int64 where that holds them.

    Examples:
        >>> added([np.array([2**62, 1], dtype=object)] * 2)
        array([9223372036854775808, 2], dtype=object)
        >>> added([np.array([1, 1], dtype=object)] * 2)
        array([2, 2])
    """
    total = reduce(add, parts)
    if isinstance(total, np.ndarray) and all(-_MOST <= one <= _MOST for one in total.flat):
        return total.astype(np.int64)
    return total
