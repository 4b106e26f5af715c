"""``pick``: one of several programs, drawn uniformly, and its index beside the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, ReportError, WrongTypeError
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.uniform import uniform, uniform_one
from sudare.frozen import set_fields
from sudare.samplers import base
from sudare.samplers.product import Parts


@dataclass(frozen=True, slots=True)
class OnePart(Parts):
    """One of several programs, and its index beside its report.

    The index says nothing of what is randomised; the guarantee is the weakest part's. The wire is
    the index, then the part's wire, filled with zero bytes to the length of the longest part.
    """

    _longest: int = field(init=False, repr=False, compare=False)
    """Bytes of the longest part, asked for with every report."""

    def __post_init__(self) -> None:
        Parts.__post_init__(self)
        different = {id(part): part for part in self.parts}.values()
        set_fields(self, _longest=max(part.report_bytes for part in different))

    @property
    def outputs(self) -> int:
        """Sum of the parts' reports."""
        return sum(part.outputs for part in self.parts)

    @property
    def ratio(self) -> Fraction:
        """Largest of the parts' ratios."""
        return max(part.ratio for part in {id(part): part for part in self.parts}.values())

    def wires(self) -> Iterator[bytes]:
        """Yield every report's wire form."""
        for i, part in enumerate(self.parts):
            index = i.to_bytes(self._index_bytes, "little")
            yield from ((index + wire).ljust(self.report_bytes, b"\0") for wire in part.wires())

    @property
    def _index_bytes(self) -> int:
        return base.index_bytes(len(self.parts))

    @property
    def report_bytes(self) -> int:
        """Bytes of the index and of the longest part."""
        return self._index_bytes + self._longest

    def encode_one(self, report: Sequence[Any]) -> bytes:
        """Return the index, the part's wire form, and zero bytes up to the fixed length."""
        if len(report) != 2 or report[0] not in range(len(self.parts)):
            raise ReportError("report", f"must be an index below {len(self.parts)} and a report")
        index = int(report[0])
        wire = index.to_bytes(self._index_bytes, "little") + self.parts[index].encode_one(report[1])
        return wire.ljust(self.report_bytes, b"\0")

    def index_of(self, wire: bytes) -> int:
        """Return the index that one checked report in its wire form is about."""
        return int.from_bytes(wire[: self._index_bytes], "little")

    def decode(self, wire: bytes) -> tuple[npt.NDArray[Any], list[Any]]:
        """Return the indices and each part's reports, as :meth:`draw`; zero bytes are checked."""
        rows, start = base.wire_rows(wire, self.report_bytes), self._index_bytes
        index = base.decode_indices(rows[:, :start].tobytes(), len(self.parts))
        reports = []
        order, ends = groups(index, len(self.parts))
        for part, own in zip(self.parts, np.split(rows[order], ends), strict=True):
            stop = start + part.report_bytes
            if own[:, stop:].any():
                raise _not_zero()
            reports.append(part.decode(own[:, start:stop].tobytes()))
        return index, reports

    def check_wire(self, wire: bytes) -> None:
        """Check one report, of the part that it names alone."""
        self._check_length(wire)
        start = self._index_bytes
        part = self.parts[base.decode_index(wire[:start], len(self.parts))]
        stop = start + part.report_bytes
        part.check_wire(wire[start:stop])
        if any(wire[stop:]):
            raise _not_zero()


@dataclass(frozen=True, slots=True)
class Pick(OnePart):
    """Draw an index uniformly, then randomise that component of the value by its program.

    A value is a sequence, one component a part; a report is ``(index, report of the part)``.
    The index does not depend on the value, so that the guarantee is the weakest part's::

        P((i, r) | v) = P_i(r | v_i) / d,   ratio = max_i ratio_i

    One report consumes little-endian words of 32 bits until one lies below
    ``2**32 - 2**32 mod d`` (its remainder is the index), then the entropy of the part. Where a
    ticket has fixed the index, ``index=`` takes it and no word is read for it.

    Examples:
        >>> from sudare.samplers import Keep
        >>> coin, die = Keep(k=2, width=8, keep=128, step=64), Keep(k=6, width=8, keep=64, step=32)
        >>> pick = Pick(parts=(coin, die))
        >>> pick.ratio, pick.outputs, pick.report_bytes
        (Fraction(3, 1), 8, 2)
        >>> index, report = pick.draw_one([1, 5], Entropy.seeded(b"pick"), index=1)
        >>> pick.encode_one((index, report))[0]
        1
    """

    kind: ClassVar[str] = "pick"

    @property
    def guess_probability(self) -> float:
        """Of the drawn component by its part, of the others by chance::

        Σ_i guess_i k_i / d / inputs
        """
        parts = {id(part): part for part in self.parts}
        right = {i: Fraction(part.guess_probability) * part.inputs for i, part in parts.items()}
        total = sum((right[id(part)] for part in self.parts), start=Fraction(0))
        return float(total / len(self.parts) / self.inputs)

    def laws(self, values: Sequence[Sequence[Any]]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: the parts' laws one after the other."""
        each = self._each_law(values)
        return [[cell / len(self.parts) for part in own for cell in part] for own in each]

    def draw(
        self, values: npt.NDArray[Any], rng: Entropy, index: npt.NDArray[Any] | None = None
    ) -> tuple[npt.NDArray[Any], list[Any]]:
        """Randomise ``(n, parts)`` values, group by group; ``index`` where tickets have fixed it.

        Returns:
            The n indices, and for each part the reports of those who drew it, in their order.
        """
        if index is None:
            index = uniform(values.shape[0], len(self.parts), rng)
        elif index.shape != values.shape[:1] or index.dtype.kind not in "iu":
            raise WrongTypeError("index", "must be a whole number for each value")
        elif index.size and not 0 <= index.min() <= index.max() < len(self.parts):
            raise DomainError("index", f"must lie in [0, {len(self.parts)})")
        index = index.astype(base.index_dtype(len(self.parts)))
        order, ends = groups(index, len(self.parts))
        own = values[order, index[order]]
        reports = [
            part.draw(group, rng)
            for part, group in zip(self.parts, np.split(own, ends), strict=True)
        ]
        return index, reports

    def draw_one(
        self, value: Sequence[Any], entropy: EntropySource, index: int | None = None
    ) -> tuple[int, Any]:
        """Randomise one component of one value: that at ``index``, or at one that is drawn."""
        if index is None:
            index = uniform_one(len(self.parts), entropy)
        index = as_integer(index, "index", low=0, high=len(self.parts) - 1)
        return index, self.parts[index].draw_one(value[index], entropy)


def _not_zero() -> ReportError:
    return ReportError("report", "must be zero after the part that was drawn")


def groups(index: npt.NDArray[Any], parts: int) -> tuple[npt.NDArray[np.intp], list[int]]:
    """Return the positions sorted by index, each group in its order, and where groups end."""
    order = np.argsort(index, kind="stable")
    return order, np.searchsorted(index[order], np.arange(1, parts)).tolist()
