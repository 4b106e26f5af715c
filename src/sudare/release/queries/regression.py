"""Linear regression: least squares from the noisy sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sudare.ledger import Cost
from sudare.release.private_data import PrivateData
from sudare.release.queries.base import Name, Others, Query, register
from sudare.release.queries.gram import Centred, Gram
from sudare.release.queries.lines import Line, names_of
from sudare.release.queries.moments import planned_rows
from sudare.release.released import PreparedQuery


@register
class Linear(Query):
    """Return the line of least squares that tells a column by others, all with bounds.

    An intercept and a coefficient for each of the others. From the sums of products that
    covariances are made of, drawn at once; values are clamped to the bounds. ``bounds()`` say how
    far the noise takes the coefficients from those of the data, ``intervals()`` hold those of a
    population of which the rows are a sample.
    """

    kind = "linear"
    column: Name
    others: Others

    def gram(self, held: PrivateData, cost: Cost) -> tuple[Centred, Gram]:
        """Return the columns, and what is drawn."""
        of = Centred.of(held, self.column, self.others)
        return of, Gram.of(cost, held.protection, of.widths, of.n)

    @staticmethod
    def line(of: Centred, gram: Gram, cost: Cost, answer: Sequence[int]) -> Line:
        """Return the line that noisy sums tell."""
        sums = gram.sums(answer)
        by = [0, *range(2, len(sums))]
        matrix, right = sums[np.ix_(by, by)], sums[by, 1]
        freedom = float(sums[0, 0]) - len(by)

        def solved(residual: float) -> Line:
            known = gram.n is not None
            return Line.of(matrix, right, gram.stderr, cost, known=known, residual=residual)

        found = solved(0.0).found
        with np.errstate(all="ignore"):
            squares = sums[1, 1] - 2 * found @ right + found @ matrix @ found
        line = solved(max(0.0, float(squares)) / max(1.0, freedom)).shown(of, target=True)
        return replace(line, freedom=freedom)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far it would reach for independent columns, even between the bounds.

        The widest of the coefficients but the intercept. No bound holds for all data: where a
        column hardly varies, or tells another one, its coefficient may be anything.
        """
        of, gram = self.gram(held, cost)
        line = self.line(of, gram, cost, gram.planned(planned_rows(held)))
        return line.widest(miss, cost)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[str, float]]:
        """Return the question."""
        of, gram = self.gram(held, cost)
        sums, names = of.products(held), names_of(of.names[1:])

        def read(answer: list[int]) -> dict[str, Any]:
            line = self.line(of, gram, cost, answer)
            return {
                "value": dict(zip(names, map(float, line.found), strict=True)),
                "rows": None if of.n is not None else float(answer[0]),
                "notes": of.notes(held),
                "noise": gram.laws(of.names, of.steps),
                "_reach": lambda miss: max(line.reaches(miss)),
                "_reaches": line.reaches,
                "_intervals": line.intervals,
            }

        return held.prepared(
            of.query(held, self.kind),
            cost.for_noise,
            lambda: gram.drawn(sums, held.entropy),
            read,
        )
