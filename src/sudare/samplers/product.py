"""``product``: several programs side by side, each with its own randomness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, product as cartesian
from math import prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, ReportError
from sudare.exact.entropy import Entropy, EntropySource
from sudare.samplers import base
from sudare.samplers.fields import Field


@dataclass(frozen=True, slots=True)
class Parts(base.Program):
    """Several programs, each for one component of a value."""

    fields: ClassVar[Mapping[str, Field]] = {"parts": base.program(1)}
    parts: tuple[base.Program, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise CollectionError("program.parts", "must hold at least one program")

    @property
    def inputs(self) -> int:
        """Product of the parts' values."""
        return prod(part.inputs for part in self.parts)

    def every(self) -> Iterator[tuple[Any, ...]]:
        """Return all values, the last part fastest."""
        return cartesian(*(part.every() for part in self.parts))

    def _each_law(self, values: Sequence[Sequence[Any]]) -> Iterator[tuple[list[Fraction], ...]]:
        """Yield for each value the laws of its components."""
        laws = [part.laws([v[i] for v in values]) for i, part in enumerate(self.parts)]
        return zip(*laws, strict=True)


@dataclass(frozen=True, slots=True)
class Product(Parts):
    """Randomise component i of a value by program i; the ratios multiply, the ε add up.

    A value is a sequence, a report a list, the wire the concatenation of the parts. One report
    consumes the entropy of its parts in their order. ``matrix`` counts rows and columns in
    row-major order (the last part fastest).

    Examples:
        >>> from sudare.samplers import Keep
        >>> coin = Keep(k=2, width=8, keep=128, step=64)
        >>> Product(parts=(coin, coin)).ratio
        Fraction(9, 1)
    """

    kind: ClassVar[str] = "product"

    @property
    def outputs(self) -> int:
        """Product of the parts' reports."""
        return prod(part.outputs for part in self.parts)

    @property
    def ratio(self) -> Fraction:
        """Product of the parts' ratios: basic composition, exact here."""
        return prod((part.ratio for part in self.parts), start=Fraction(1))

    @property
    def guess_probability(self) -> float:
        """Product of the parts': each component is guessed by itself."""
        return prod(part.guess_probability for part in self.parts)

    def laws(self, values: Sequence[Sequence[Any]]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: of each value the Kronecker product of its parts' laws."""
        each = self._each_law(values)
        return [[prod(cells, start=Fraction(1)) for cells in cartesian(*own)] for own in each]

    def wires(self) -> Iterator[bytes]:
        """Yield every report's wire form."""
        return (b"".join(some) for some in cartesian(*(part.wires() for part in self.parts)))

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> list[Any]:
        """Randomise ``(n, parts)`` values; one array of reports a part."""
        return [part.draw(values[:, i], rng) for i, part in enumerate(self.parts)]

    def draw_one(self, value: Sequence[Any], entropy: EntropySource) -> list[Any]:
        """Randomise one value, component by component."""
        return [part.draw_one(v, entropy) for part, v in zip(self.parts, value, strict=True)]

    @property
    def report_bytes(self) -> int:
        """Sum of the parts' lengths."""
        return sum(part.report_bytes for part in self.parts)

    def encode_one(self, report: Sequence[Any]) -> bytes:
        """Return the parts' wire forms, concatenated."""
        if len(report) != len(self.parts):
            raise ReportError("report", f"must have {len(self.parts)} components")
        return b"".join(part.encode_one(r) for part, r in zip(self.parts, report, strict=True))

    def split(self, wire: bytes) -> list[bytes]:
        """Return each part's concatenated wire forms out of ``n`` concatenated submissions."""
        ends = list(accumulate(part.report_bytes for part in self.parts))
        columns = np.split(base.wire_rows(wire, ends[-1]), ends[:-1], axis=1)
        return [column.tobytes() for column in columns]

    def decode(self, wire: bytes) -> list[Any]:
        """Return one array of reports a part, each checked against its alphabet."""
        pieces = self.split(wire)
        return [part.decode(piece) for part, piece in zip(self.parts, pieces, strict=True)]

    def check_wire(self, wire: bytes) -> None:
        """Check one submission, part by part."""
        self._check_length(wire)
        start = 0
        for part in self.parts:
            stop = start + part.report_bytes
            part.check_wire(wire[start:stop])
            start = stop
