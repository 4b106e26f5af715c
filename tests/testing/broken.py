"""The list of broken mechanisms, each with the check that must find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sudare.mechanisms import FrequencyOracle
from sudare.samplers import Keep


@dataclass(frozen=True)
class Broken:
    """A mechanism, where to look at it, the check that finds it, and the first of all that do."""

    cls: type[FrequencyOracle]
    k: int
    epsilon: float
    check: str
    first: str


BROKEN: list[Broken] = []


def found_by(check: str, k: int = 100, epsilon: float = 1, first: str = "") -> Any:
    """Class decorator: ``check`` must find this one, at that k and ε; ``first`` does before it."""

    def remember(cls: type[FrequencyOracle]) -> type[FrequencyOracle]:
        cls.name = cls.__name__
        BROKEN.append(Broken(cls, k, epsilon, check, first or check))
        return cls

    return remember


def reports_of(m: FrequencyOracle, values: Any) -> Any:
    """The reports that support the values and nothing else: the answers in clear."""
    array = np.asarray(values)
    if isinstance(m.program, Keep):
        return array.astype(np.min_scalar_type(m.k - 1))
    bits = np.zeros((array.size, m.k), dtype=np.uint8)
    bits[np.arange(array.size), array] = 1
    return np.packbits(bits, axis=1, bitorder="little")
