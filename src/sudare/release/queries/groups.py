"""Counts, sums and means of given groups: all keys at once.

A row is in one group alone: where a person is added or removed, one group changes and all of the
price goes to each; a replaced person may leave one group and enter another.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.ledger import Cost
from sudare.release.grid import sums_of
from sudare.release.held import Held, Numbers
from sudare.release.noise import Noise
from sudare.release.queries.base import Keys, Name, Query, register
from sudare.release.released import PreparedQuery


@dataclass(frozen=True)
class GroupedQuery(Query):
    """A query about the rows of each key; other rows are left out."""

    by: Name
    keys: Keys

    def asked(self, held: Held) -> dict[str, Any]:
        """Return what stands in the ledger of any query about these groups."""
        return {"by": self.by, "keys": held.categories(self.by, self.keys)}

    def sums(self, held: Held, keys: list[Any], values: Integers) -> list[int]:
        """Return the exact sum of each group's values."""
        return sums_of(values, held.places(self.by, keys), len(keys) + 1)[:-1]


def noise_of_sums(held: Held, numbers: Numbers, shift: int, cost: Cost) -> Noise:
    """Return the noise of each group's sum of steps less a shift, which may go to one group."""
    low, high = numbers.scale.first - shift, numbers.scale.last - shift
    change = max(abs(low), abs(high)) * held.protection.of_counts
    return Noise.of(cost, change, change * change)


@register
class GroupCount(GroupedQuery):
    """Count the rows of each key; other rows are left out."""

    kind = "count"

    def noise(self, held: Held, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each count."""
        return Noise.of_counts(cost, held.protection), Fraction(1)

    def prepare(self, held: Held, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        query = {"query": self.kind, **self.asked(held)}
        keys = query["keys"]
        return self.added(held, cost, query, held.counts(self.by, keys)[:-1], "count", keys)


@register
class GroupSum(GroupedQuery):
    """Sum a column over the rows of each key."""

    kind = "sum"
    column: Name

    def noise(self, held: Held, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each sum, in steps."""
        numbers = held.numbers(self.column)
        return noise_of_sums(held, numbers, 0, cost), numbers.scale.step

    def prepare(self, held: Held, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        numbers = held.numbers(self.column)
        query = numbers.query(self.kind, **self.asked(held))
        keys = query["keys"]
        found = self.sums(held, keys, numbers.steps)
        return self.added(held, cost, query, found, "sum", keys, notes=numbers.notes)


@register
class GroupMean(GroupedQuery):
    """Average a column over the rows of each key.

    Half is paid for sums, half for counts.
    """

    kind = "mean"
    column: Name

    def prepare(self, held: Held, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        numbers, half = held.numbers(self.column), Cost(cost.unit, cost.amount / 2)
        scale, there = numbers.scale, ~numbers.column.missing
        query = numbers.query(self.kind, **self.asked(held))
        keys, middle = query["keys"], scale.middle
        totals = self.sums(held, keys, np.where(there, numbers.steps - middle, 0))
        counts = self.sums(held, keys, there.astype(np.int64))
        summing = noise_of_sums(held, numbers, middle, half)
        counting = Noise.of_counts(half, held.protection)

        def draw() -> list[list[int]]:
            rng = held.entropy
            return [summing.added(totals, rng), counting.added(counts, rng)]

        def read(answer: list[list[int]]) -> dict[str, Any]:
            rows = [max(1, one) for one in answer[1]]
            means = [middle + Fraction(t, c) for t, c in zip(answer[0], rows, strict=True)]

            def reach(miss: float) -> float:  # of the mean of the smallest group
                steps = summing.reach(miss / 2) + scale.reach * counting.reach(miss / 2)
                return float(Fraction(steps, min(rows)) * scale.step)

            return {
                "value": dict(zip(keys, map(scale.shown, means), strict=True)),
                "notes": ("the bound is that of the smallest group", *numbers.notes),
                "noise": (summing.law("sum around the middle", scale.step), counting.law("count")),
                "_reach": reach,
            }

        return held.prepared(query, cost, draw, read)
