"""The checks of marginal mechanisms: several attributes, each one's distribution out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.mechanisms import MarginalRR
from sudare.testing.core import resized
from sudare.testing.joint import RowsFamily

_SMALL = [3, 2]


class _Marginal(RowsFamily[MarginalRR]):
    """Rows of one category an attribute."""

    exact = tuple(one for one in RowsFamily.exact if one.__name__ != "has_a_channel")

    def subjects(self, m: MarginalRR) -> tuple[MarginalRR, ...]:
        return (m,) if np.prod(m.sizes) <= self.cells else (resized(m, sizes=_SMALL), m)

    def tally(self, m: MarginalRR, answers: Sequence[Any], weights: Any) -> list[Any]:
        columns = np.array(answers).T
        counts = [np.bincount(own, weights, k) for own, k in zip(columns, m.sizes, strict=True)]
        return [one.astype(weights.dtype) for one in counts]

    def truth(self, m: MarginalRR, answers: Sequence[Any], weights: Floats) -> Floats:
        return np.concatenate(self.tally(m, answers, weights))

    def estimated(self, m: MarginalRR, estimate: Any) -> tuple[Floats, Floats]:
        both = zip(*((one.shares, one.stderr) for one in estimate), strict=True)
        shares, stderr = map(np.concatenate, both)
        return shares, stderr

    def simulated(self, m: MarginalRR) -> list[npt.NDArray[np.int64]]:
        """Return the cells of each attribute: those of two are drawn apart."""
        return np.split(np.arange(sum(m.sizes)), list(accumulate(m.sizes))[:-1])


FAMILY = _Marginal()
