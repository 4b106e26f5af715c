"""Bounds of a column of numbers that nobody knows, found by powers of two and paid for.

Proof: ``docs/proofs/keys.md``, 8.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.errors import WrongTypeError
from sudare.ledger import Cost
from sudare.release.column import Column
from sudare.release.matching import Cut, reached
from sudare.release.noise import Noise
from sudare.release.private_data import PrivateData
from sudare.release.queries.base import Name, Query, register
from sudare.release.released import PreparedQuery

LEAST, MOST = -20, 62
"""Numbers nearer to 0 than ``2 ** LEAST`` are in one bin on each side, those from ``2 ** MOST``."""

_MISS = 0.001
_POWERS = [Fraction(2) ** k for k in range(LEAST, MOST + 1)]
_CUTS: list[Cut] = [
    *((-one, 1) for one in reversed(_POWERS)),
    (Fraction(0), 0),
    *((one, 0) for one in _POWERS),
]
_EDGES = [-2 * _POWERS[-1], *(value for value, _ in _CUTS), 2 * _POWERS[-1]]
BINS = len(_CUTS) + 1


def _counts(column: Column) -> Integers:
    """Return how many rows are in each bin; missing ones are in none."""
    places = np.where(column.missing, BINS, reached(column, _CUTS))
    return np.bincount(places, minlength=BINS + 1)[:BINS]


@register
class FindBounds(Query):
    """Find bounds of a column of numbers that nobody knows: powers of two around most of them.

    Rows are counted, with noise, between powers of two from 2^-20 to 2^62 on both sides of 0; the
    bounds are the ends of the outermost bins whose noisy count is more than that of an empty bin
    is, at 99.9 % for all of them. The value has ``low`` and ``high``; it is empty where no bin has
    one.

    Source: Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo, Gipson 2020, algorithm 2 (approximate
    bounds).
    """

    kind = "bounds"
    method = "find_bounds"
    tabled = True
    bound_in = "rows"
    column: Name

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each count: the bins share no row."""
        return Noise.of_counts(cost, held.protection), Fraction(1)

    def least(self, noise: Noise) -> int:
        """Return the least noisy count that an empty bin hardly has."""
        return noise.reach(2 * _MISS / BINS) + 1

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how many rows each bin outside the bounds has at most."""
        noise, _ = self.noise(held, cost)
        return float(self.least(noise) - 1 + noise.reach(min(1.0, 2 * miss / BINS)))

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[str, float]]:
        """Return the question."""
        if held.kind_of(self.column) != "number":
            remedy = f'say that it does: types={{"{self.column}": "number"}} or --type'
            raise WrongTypeError("column", "must hold numbers", remedy)
        noise, _ = self.noise(held, cost)
        least = self.least(noise)
        counts = held.total(lambda part: _counts(part.column(self.column)), self.column).tolist()

        def draw() -> list[int]:
            noisy = noise.added(counts, held.entropy)
            full = [place for place, one in enumerate(noisy) if one >= least]
            return [full[0], full[-1]] if full else []

        def read(answer: list[int]) -> dict[str, Any]:
            ends = [_EDGES[answer[0]], _EDGES[answer[1] + 1]] if answer else []
            return {
                "value": dict(zip(("low", "high"), map(float, ends), strict=False)),
                "notes": ("its bound: each bin outside has at most so many rows", *_beyond(answer)),
                "bound_in": self.bound_in,
                "noise": ({**noise.law("count"), "threshold": least},),
                "_reach": lambda miss: self.planned(held, cost, miss),
            }

        query = {"query": self.kind, "column": held.named(self.column)}
        return held.prepared(query, cost.for_noise, draw, read)


def _beyond(answer: list[int]) -> tuple[str, ...]:
    """Return what is to be said of numbers that are larger than all bins."""
    far = bool(answer) and (answer[0] == 0 or answer[1] == BINS - 1)
    said = f"some numbers are beyond 2^{MOST}, perhaps beyond these bounds"
    return (said,) if far else ()
