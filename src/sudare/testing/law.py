"""The exact law of a mechanism, from its program alone, and its reports as rows of that law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.exact.entropy import Randomness
from sudare.mechanisms import Mechanism
from sudare.testing.family import Batch, Family, family_of
from sudare.testing.suite import demand

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Law:
    """The answers of a mechanism's family, and the law of the reports of each.

    Attributes:
        m: the mechanism.
        answers: as ``perturb_one`` takes them.
        exact: ``[answer][report]``, in rationals.
    """

    m: Any
    answers: Sequence[Any]
    exact: list[list[Fraction]]

    @cached_property
    def family(self) -> Family[Any]:
        """The family of the mechanism."""
        return family_of(self.m)

    @cached_property
    def table(self) -> Floats:
        """The same as floats, [report, answer]."""
        return np.array([[float(cell) for cell in own] for own in self.exact]).T

    @cached_property
    def likely(self) -> Booleans:
        """Which reports are likelier under an answer than under all, [report, answer]."""
        out: Booleans = self.table > self.table.mean(axis=1, keepdims=True) * (1 + 1e-9)
        return out

    @cached_property
    def chance(self) -> Floats:
        """How probable one of its likely reports is under each answer."""
        out: Floats = (self.table * self.likely).sum(axis=0)
        return out

    @cached_property
    def wires(self) -> list[bytes]:
        """The wire form of each report."""
        return list(self.m.program.wires())

    @cached_property
    def _row(self) -> dict[bytes, int]:
        return {wire: row for row, wire in enumerate(self.wires)}

    @cached_property
    def _batch(self) -> Batch:
        return self.family.batch(self.m, self.answers)

    def batch(self, index: Index) -> Batch:
        """Return the batch of respondents who give these answers, by number."""
        return tuple(one[index] for one in self._batch)

    def draw(self, index: Index, rng: Randomness) -> Index:
        """Randomise the answers of respondents; return their reports as rows of the law."""
        reports = self.family.perturb(self.m, self.batch(index), rng)
        demand(len(reports) == index.size, "must give one report a respondent")
        return self.rows(reports)

    def rows(self, reports: npt.NDArray[Any]) -> Index:
        """Return reports as rows of the law; each must be of the alphabet."""
        _, first, inverse = np.unique(reports, axis=0, return_index=True, return_inverse=True)
        rows = [self.row(self.family.wire(self.m, reports[i])) for i in first.tolist()]
        return np.array(rows, dtype=np.int64)[inverse.reshape(-1)]

    def row(self, wire: bytes) -> int:
        """Return the row of one report in its wire form."""
        demand(wire in self._row, "must send reports of its alphabet alone")
        return self._row[wire]

    @cached_property
    def supports(self) -> npt.NDArray[np.int64]:
        """What ``aggregate`` tallies of each report alone: [report, cell]."""
        out = np.zeros((len(self.wires), int(np.prod(self.m.shape))), dtype=np.int64)
        dtype = self.family.perturb(self.m, self.batch(np.zeros(1, dtype=np.int64)), None).dtype
        for row in np.flatnonzero(self.table.any(axis=1)).tolist():  # some are never sent
            single = self.family.report(self.m, self.wires[row])
            counts = self.m.aggregate(np.array([single], dtype=dtype))
            demand(counts.n == 1, "must tally one report as one")
            out[row] = counts.support.reshape(-1)
        return out


def law_of(m: Mechanism, most: int | None = None) -> Law | None:
    """Return the law of a mechanism; None where it has more cells than are written out."""
    family = family_of(m)
    answers = family.answers(m)
    if m.program.outputs * len(answers) > (most or family.most):
        return None
    return _law(m, family)


@lru_cache(maxsize=4, typed=True)
def _law(m: Any, family: Family[Any]) -> Law:
    answers = family.answers(m)
    return Law(m, answers, m.program.laws([family.given(m, one) for one in answers]))
