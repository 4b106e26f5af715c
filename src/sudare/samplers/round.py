"""``round``: a number is rounded at random to a whole one, which then goes to a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.uniform import uniform, uniform_one
from sudare.samplers import base
from sudare.samplers.fields import Field, threshold, whole

MOST_STEPS = 1 << 31

_BLOCK = 1 << 17  # values at a time, so that they stay in cache


@dataclass(frozen=True, slots=True)
class Round(base.Program):
    """Round a position on a fine grid to one of its two coarse neighbours, then randomise that.

    Values 0 to ``cells * steps`` are positions; there are ``steps`` of them from one whole number
    to the next. ``x = i * steps + r`` becomes ``i + 1`` with probability ``r / steps`` exactly,
    else ``i``: unbiased. The values beyond the grid are handed on as the part's own values
    ``cells + 1, ...``: "no number" is one. Each column of the law is a mixture of two columns of
    the part's, so that the guarantee is the part's.

    One report consumes words of 32 bits until one lies below ``2**32 - 2**32 mod steps`` (its
    remainder decides; it is read for every value), then the entropy of the part.

    Examples:
        >>> from sudare.samplers import Keep
        >>> program = Round(steps=4, cells=1, part=Keep(k=3, width=8, keep=64, step=64))
        >>> program.inputs, program.ratio
        (6, Fraction(2, 1))
        >>> [column[0] for column in zip(*program.matrix())][1]
        Fraction(7, 16)
    """

    kind: ClassVar[str] = "round"
    fields: ClassVar[Mapping[str, Field]] = {
        "steps": threshold(bits=31),
        "cells": whole(1, 1 << 24),
        "part": base.program(),
    }
    steps: int
    cells: int
    part: base.Program

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= MOST_STEPS:
            raise CollectionError("program.steps", f"must lie between 1 and {MOST_STEPS}")
        if not 1 <= self.cells < self.part.inputs:
            raise CollectionError(
                "program.cells", "must be at least 1, and below the part's values"
            )

    @property
    def inputs(self) -> int:
        """Positions of the grid, and the values beyond it."""
        return self.cells * self.steps + self.part.inputs - self.cells

    @property
    def outputs(self) -> int:
        """Reports of the part."""
        return self.part.outputs

    @property
    def ratio(self) -> Fraction:
        """That of the part."""
        return self.part.ratio

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: the part's law, mixed between whole numbers."""
        split = [self._split(x) for x in values]
        nodes = sorted({i for i, _ in split} | {i + 1 for i, r in split if r})
        law = dict(zip(nodes, self.part.laws(nodes), strict=True))
        out = []
        for i, r in split:
            up = Fraction(r, self.steps)
            ends = zip(law[i], law[i + 1 if r else i], strict=True)
            out.append([a + (b - a) * up for a, b in ends] if r else law[i])
        return out

    def wires(self) -> Iterator[bytes]:
        """Yield every report's wire form: those of the part."""
        return self.part.wires()

    def _split(self, x: int) -> tuple[int, int]:
        """Return the whole number below x and the rest of x."""
        last = self.cells * self.steps
        return divmod(x, self.steps) if x <= last else (x - last + self.cells, 0)

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> Any:
        """Round, then randomise in bulk."""
        last, wide = self.cells * self.steps, base.index_dtype(self.inputs)
        nodes = np.empty(values.size, dtype=base.index_dtype(self.part.inputs))
        for start in range(0, values.size, _BLOCK):
            positions = values[start : start + _BLOCK].astype(wide, copy=False)
            if self.steps & (self.steps - 1):
                whole, rest = np.divmod(positions, self.steps)
            else:
                whole, rest = positions >> self.steps.bit_length() - 1, positions & self.steps - 1
            part = nodes[start : start + _BLOCK]
            np.copyto(part, whole, casting="unsafe")
            part += uniform(part.size, self.steps, rng) < rest
            beyond = positions > last
            if beyond.any():
                rest = positions - (last - self.cells)
                np.copyto(part, rest, casting="unsafe", where=beyond)
        return self.part.draw(nodes, rng)

    def draw_one(self, value: int, entropy: EntropySource) -> Any:
        """Round one value, then randomise it."""
        i, r = self._split(value)
        return self.part.draw_one(i + (uniform_one(self.steps, entropy) < r), entropy)

    @property
    def report_bytes(self) -> int:
        """Bytes of a report of the part."""
        return self.part.report_bytes

    def encode_one(self, report: Any) -> bytes:
        """Return the part's wire form."""
        return self.part.encode_one(report)

    def decode(self, wire: bytes) -> Any:
        """Return the part's reports."""
        return self.part.decode(wire)

    def check_wire(self, wire: bytes) -> None:
        """Check one report of the part."""
        self.part.check_wire(wire)
