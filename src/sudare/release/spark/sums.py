"""What comes back from executors: whole numbers that add up, as text."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from sudare.errors import EngineError, EstimationError

_MOST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of some rows: a whole number, an array of such, or how often texts are there.

    Attributes:
        value: the sum.

    Examples:
        >>> Sum.from_json(Sum(np.array([1, 2])).to_json()).value
        array([1, 2])
    """

    value: Any

    def to_json(self) -> str:
        """Return the sum as text, exactly.

        Raises:
            EngineError: it is no sum of whole numbers.
        """
        value = self.value
        if isinstance(value, Counter):
            return json.dumps({"texts": dict(value)})
        if isinstance(value, int | np.integer):
            return json.dumps({"whole": int(value)})
        if isinstance(value, np.ndarray) and value.dtype == np.int64:
            data = base64.b64encode(zlib.compress(value.astype("<i8").tobytes(), 1)).decode()
            return json.dumps({"int64": data, "shape": value.shape})
        if isinstance(value, np.ndarray) and value.dtype == object:
            return json.dumps({"wholes": list(map(int, value.flat)), "shape": value.shape})
        raise EngineError("sums", "must be of whole numbers")

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
            if "whole" in data:
                return cls(int(data["whole"]))
            if "int64" in data:
                raw = zlib.decompress(base64.b64decode(data["int64"], validate=True))
                found = np.frombuffer(raw, "<i8").astype(np.int64)
            else:
                found = np.array([*map(int, data["wholes"]), None], dtype=object)[:-1]
            return cls(found.reshape(data["shape"]))
        except (ValueError, TypeError, LookupError, zlib.error):
            raise EstimationError("parts", "must be sums by executors of Sudare") from None


def added(parts: list[Any]) -> Any:
    """Return the sum of some sums: exactly, however many rows there are.

    Examples:
        >>> added([np.array([2**62, 1]), np.array([2**62, 1])])
        array([9223372036854775808, 2], dtype=object)
    """
    if not isinstance(parts[0], np.ndarray) or parts[0].dtype == object:
        return reduce(add, parts)
    total = reduce(add, (one.astype(object) for one in parts))
    fits = all(-_MOST <= one <= _MOST for one in total.flat)
    return total.astype(np.int64) if fits else total
