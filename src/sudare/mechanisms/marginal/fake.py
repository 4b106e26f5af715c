"""Random sampling plus fake data: a mixture that hides which attribute was answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as cartesian
from math import prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.exact import uniform, uniform_one
from sudare.exact.entropy import Entropy, EntropySource
from sudare.samplers import Keep, Product, base


@dataclass(frozen=True, slots=True)
class Fake(base.Unsent, Product):
    """Randomise one component, drawn uniformly and not told; report the others uniformly.

    With ``g_i`` the law of part i (``p_i`` the true value, ``q_i`` each other one)::

        P(y | v) = (1/D) Σ_i g_i(y_i | v_i) Π_{j≠i} 1/k_j
                 = Π_j (1/k_j) (1/D) Σ_i k_i g_i(y_i | v_i)

    The wire is that of a product. It is a mixture of products and no kind of its own: no device
    runs it, and it has no JSON form.
    """

    refusal: ClassVar[tuple[str, str]] = "must be of a kind that devices run", "use pick instead"
    parts: tuple[Keep, ...]

    @property
    def ratio(self) -> Fraction:
        """``Σ k_i p_i / Σ k_i q_i``: y = v against a value that differs in every component."""
        own, other = self._weights()
        return sum(own, start=Fraction(0)) / sum(other, start=Fraction(0))

    def part_ratio(self, i: int) -> Fraction:
        """Return the largest ratio of two values that differ in component i alone.

        ::

            (k_i p_i + Σ_{j≠i} k_j q_j) / Σ_j k_j q_j
        """
        own, other = self._weights()
        return 1 + (own[i] - other[i]) / sum(other, start=Fraction(0))

    def _weights(self) -> tuple[list[Fraction], list[Fraction]]:
        """Return all ``k_i p_i`` and all ``k_i q_i``."""
        own = [Fraction(p.k * (p.keep + p.step), 1 << p.width) for p in self.parts]
        return own, [Fraction(p.k * p.step, 1 << p.width) for p in self.parts]

    def laws(self, values: Sequence[Sequence[int]]) -> list[list[Fraction]]:
        """Return ``P[value][report]``, reports in row-major order."""
        laws = [part.laws([v[i] for v in values]) for i, part in enumerate(self.parts)]
        even = Fraction(1, prod(part.k for part in self.parts) * len(self.parts))
        scaled = [[[cell * len(own) * even for cell in own] for own in law] for law in laws]
        return [
            [sum(cells, start=Fraction(0)) for cells in cartesian(*own)]
            for own in zip(*scaled, strict=True)
        ]

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> list[Any]:
        """Randomise ``(n, parts)`` values; one array of reports a part."""
        n = values.shape[0]
        index = uniform(n, len(self.parts), rng)
        out = []
        for i, part in enumerate(self.parts):
            column = uniform(n, part.k, rng).astype(base.index_dtype(part.k))
            own = index == i
            column[own] = part.draw(np.ascontiguousarray(values[own, i]), rng)
            out.append(column)
        return out

    def draw_one(self, value: Sequence[Any], entropy: EntropySource) -> list[Any]:
        """Randomise one value: the index first, then every component in turn."""
        index = uniform_one(len(self.parts), entropy)
        return [
            part.draw_one(v, entropy) if i == index else uniform_one(part.k, entropy)
            for i, (part, v) in enumerate(zip(self.parts, value, strict=True))
        ]
