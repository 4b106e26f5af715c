"""Covariances and correlations of several columns: noise on the sums of their products."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.ledger import Cost
from sudare.release.private_data import PrivateData
from sudare.release.queries.base import Name, Others, Query, register
from sudare.release.queries.gram import Centred, Gram
from sudare.release.queries.moments import planned_rows
from sudare.release.released import PreparedQuery


@dataclass(frozen=True)
class MatrixQuery(Query):
    """A question about a column and others, told for some pairs of them."""

    column: Name
    others: Others

    @staticmethod
    @abstractmethod
    def places(size: int) -> list[tuple[int, int]]:
        """Return which pairs of so many columns are told."""

    @staticmethod
    @abstractmethod
    def told(of: Centred, gram: Gram, answer: Sequence[int], miss: float) -> tuple[Floats, Floats]:
        """Return the matrix, and how far each number is off at most with probability 1 - miss."""

    def gram(self, held: PrivateData, cost: Cost) -> tuple[Centred, Gram]:
        """Return the columns, and what is drawn."""
        of = Centred.of(held, self.column, self.others)
        return of, Gram.of(cost, held.protection, of.widths, of.n)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        of, gram = self.gram(held, cost)
        places, sums = self.places(len(of.names)), of.products(held)

        def read(answer: list[int]) -> dict[str, Any]:
            found, _ = self.told(of, gram, answer, 0.05)

            def reaches(miss: float) -> list[float]:
                _, off = self.told(of, gram, answer, miss)
                return [float(off[place]) for place in places]

            return {
                "value": {(of.names[i], of.names[j]): float(found[i, j]) for i, j in places},
                "rows": None if of.n is not None else float(answer[0]),
                "notes": of.notes(held),
                "noise": gram.laws(of.names, of.steps),
                "_reach": lambda miss: max(reaches(miss)),
                "_reaches": reaches,
            }

        return held.prepared(
            of.query(held, self.kind),
            cost.for_noise,
            lambda: gram.drawn(sums, held.entropy),
            read,
        )


@register
class Covariance(MatrixQuery):
    """Return the variances of columns with bounds, and the covariance of each two of them.

    Divided by the number of rows. Values are clamped to the bounds; all is paid for the sums of
    products around the middles of the bounds, at once.
    """

    kind = "covariance"

    @staticmethod
    def places(size: int) -> list[tuple[int, int]]:
        """Return all pairs, and each column with itself."""
        return [(i, j) for i in range(size) for j in range(i, size)]

    @staticmethod
    def told(of: Centred, gram: Gram, answer: Sequence[int], miss: float) -> tuple[Floats, Floats]:
        """Return the covariances: three numbers decide one, and n where it is drawn."""
        unit = np.outer(of.halves, of.halves)
        found, off = gram.covariances(answer, miss / (3 + (of.n is None)))
        return found * unit, off * unit

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far the noise of so many rows would reach: all means are at bounds."""
        of, gram = self.gram(held, cost)
        found = gram.widest(planned_rows(held), miss / (3 + (of.n is None)))
        return float((found * np.outer(of.halves, of.halves)).max())


@register
class Correlation(MatrixQuery):
    """Return the correlation of each two of several columns with bounds, between -1 and 1.

    From the numbers that :class:`Covariance` draws; 0 where the noise leaves a column no variance.
    """

    kind = "correlation"

    @staticmethod
    def places(size: int) -> list[tuple[int, int]]:
        """Return all pairs."""
        return [(i, j) for i in range(size) for j in range(i + 1, size)]

    @staticmethod
    def told(of: Centred, gram: Gram, answer: Sequence[int], miss: float) -> tuple[Floats, Floats]:
        """Return the correlations: five numbers decide one, and n where it is drawn."""
        found, off = gram.covariances(answer, miss / (5 + (of.n is None)))
        own, far = np.diag(found), np.diag(off)
        value = _ratio(found, own, own > 0)
        least, most = np.maximum(own - far, 0), own + far

        def end(covariance: Floats, sign: int) -> Floats:
            """Return what is farthest this way: divided by little if that leads there."""
            out = sign * covariance > 0
            near = np.where(out, _ratio(covariance, least, least > 0, sign), 0)
            return np.where(out, near, _ratio(covariance, most, most > 0))

        high, low = end(found + off, 1), end(found - off, -1)
        return value, np.maximum(high - value, value - low)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far it would reach for independent columns, even between the bounds.

        What holds for all data is 2: the noise may be all of a variance.
        """
        of, gram = self.gram(held, cost)
        _, off = self.told(of, gram, gram.planned(planned_rows(held)), miss)
        return float(max(off[place] for place in self.places(len(of.names))))


def _ratio(covariance: Floats, variances: Floats, some: Any, otherwise: int = 0) -> Floats:
    """Return correlations between -1 and 1, or something else where a variance is not there."""
    root = np.sqrt(np.where(some, variances, 1))
    found = np.clip(covariance / np.outer(root, root), -1, 1)
    return np.where(np.outer(some, some), found, otherwise)
