"""``levels``: one of several programs, which the respondent has picked, and its index in clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, EntropySource
from sudare.samplers import base
from sudare.samplers.pick import OnePart, groups


@dataclass(frozen=True, slots=True)
class Levels(OnePart):
    """Randomise a value by the program of the level that goes along with it.

    A value is ``(level, value of that part)``, a report ``(level, report of the part)``. The level
    is sent as it is: the guarantee is one for the value, given the level::

        P((i, r) | (i, v)) = P_i(r | v),   ratio = max_i ratio_i

    One report consumes the entropy of its part.

    Source: Sei, Ohsuga 2014, discussion (γ of each user). Proof: ``docs/proofs/levels.md``.

    Examples:
        >>> from sudare.samplers import Keep
        >>> low, high = Keep(k=2, width=8, keep=0, step=128), Keep(k=2, width=8, keep=128, step=64)
        >>> levels = Levels(parts=(low, high))
        >>> levels.ratio, levels.inputs, levels.outputs, levels.report_bytes
        (Fraction(3, 1), 4, 4, 2)
        >>> levels.draw_one((1, 0), Entropy.seeded(b"levels"))[0]
        1
    """

    kind: ClassVar[str] = "levels"

    @property
    def inputs(self) -> int:
        """Sum of the parts' values."""
        return sum(part.inputs for part in self.parts)

    def every(self) -> Iterator[tuple[int, Any]]:
        """Return all values, those of the first level first."""
        return ((i, value) for i, part in enumerate(self.parts) for value in part.every())

    @property
    def guess_probability(self) -> float:
        """Of the values of all levels alike, where the level is known::

        Σ_i guess_i k_i / Σ_i k_i
        """
        right = (Fraction(part.guess_probability) * part.inputs for part in self.parts)
        return float(sum(right, start=Fraction(0)) / self.inputs)

    def laws(self, values: Sequence[tuple[int, Any]]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: that of its part, and 0 for the reports of the others."""
        ends = np.cumsum([0, *(part.outputs for part in self.parts)]).tolist()
        out = [[Fraction(0)] * ends[-1] for _ in values]
        for i, part in enumerate(self.parts):
            own = [row for row, value in enumerate(values) if value[0] == i]
            for row, law in zip(own, part.laws([values[row][1] for row in own]), strict=True):
                out[row][ends[i] : ends[i + 1]] = law
        return out

    def draw(self, values: Any, rng: Entropy) -> tuple[npt.NDArray[Any], list[Any]]:
        """Randomise n values, level by level.

        Args:
            values: a pair: (n,) levels, and (n, ...) values as the parts take them.
            rng: of all draws.

        Returns:
            The n levels, and for each the reports of those who picked it, in their order.
        """
        level, own = values
        level = level.astype(base.index_dtype(len(self.parts)))
        order, ends = groups(level, len(self.parts))
        each = zip(self.parts, np.split(own[order], ends), strict=True)
        return level, [part.draw(group, rng) for part, group in each]

    def draw_one(self, value: Sequence[Any], entropy: EntropySource) -> tuple[int, Any]:
        """Randomise one value by the program of its level."""
        level = as_integer(value[0], "level", low=0, high=len(self.parts) - 1)
        return level, self.parts[level].draw_one(value[1], entropy)
