"""The checks of sampled tables: rows in, the table of every group of attributes out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.mechanisms import SampledTables
from sudare.testing.core import resized
from sudare.testing.joint import RowsFamily

_SMALL = {1: [2, 3], 2: [2, 3], 3: [2, 2, 2]}
"""By order."""


class _Tables(RowsFamily[SampledTables]):
    """Rows of one category an attribute; reports are rows of bytes."""

    exact = tuple(one for one in RowsFamily.exact if one.__name__ != "has_a_channel")

    def subjects(self, m: SampledTables) -> tuple[SampledTables, ...]:
        return (m,) if np.prod(m.sizes) <= 12 else (resized(m, sizes=_SMALL[m.order]), m)

    def wire(self, m: SampledTables, report: Any) -> bytes:
        return bytes(report)

    def report(self, m: SampledTables, wire: bytes) -> Any:
        return np.frombuffer(wire, dtype=np.uint8)

    def tally(self, m: SampledTables, answers: Sequence[Any], weights: Any) -> list[Any]:
        cells = m.cells(np.array(answers))
        counts = [
            np.bincount(own, weights, part.k) for own, part in zip(cells.T, m.parts, strict=True)
        ]
        return [one.astype(weights.dtype) for one in counts]

    def truth(self, m: SampledTables, answers: Sequence[Any], weights: Floats) -> Floats:
        return np.concatenate(self.tally(m, answers, weights))

    def estimated(self, m: SampledTables, estimate: Any) -> tuple[Floats, Floats]:
        both = zip(*((one.shares.ravel(), one.stderr.ravel()) for one in estimate), strict=True)
        shares, stderr = map(np.concatenate, both)
        return shares, stderr

    def simulated(self, m: SampledTables) -> list[npt.NDArray[np.int64]]:
        """Return the cells of each group: those of two are drawn apart."""
        ends = accumulate((1 + part.k for part in m.parts), initial=0)
        return [np.arange(first, last) for first, last in pairwise(ends)]


FAMILY = _Tables()
