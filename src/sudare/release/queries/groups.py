"""Counts, sums and means of given groups: all keys at once.

A row is in one group alone: where a person is added or removed, one group changes and all of the
price goes to each; a replaced person may leave one group and enter another.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.arrays import Integers
from sudare.ledger import Cost
from sudare.release.grid import sums_of
from sudare.release.noise import Noise
from sudare.release.private_data import PrivateData, groups_in
from sudare.release.queries.averages import Average
from sudare.release.queries.base import Keys, Name, Names, Query, register
from sudare.release.queries.moments import planned_rows
from sudare.release.released import PreparedQuery


@dataclass(frozen=True)
class GroupedQuery(Query):
    """A query about the rows of each key; other rows are left out.

    Of several columns it is about each combination of a key of each.
    """

    by: Names
    keys: Keys

    def asked(self, held: PrivateData) -> dict[str, Any]:
        """Return what stands in the ledger of any query about these groups."""
        by, keys = held.groups(self.by, self.keys)
        return {"by": by, "keys": keys}

    @property
    def size(self) -> int:
        """How many groups there are."""
        return groups_in(self.by, self.keys)

    @staticmethod
    def named(asked: dict[str, Any]) -> list[Any]:
        """Return the groups as an answer has them: a key, or one of each column."""
        keys: list[Any] = asked["keys"]
        return keys if isinstance(asked["by"], str) else list(itertools.product(*keys))

    def sums(self, held: PrivateData, keys: list[Any], values: Integers) -> list[int]:
        """Return the exact sum of each group's values."""
        size = groups_in(self.by, keys)
        return sums_of(values, held.places(self.by, keys), size + 1)[:-1]


def _form(held: PrivateData, less: bool) -> dict[str, int]:
    """Return what tells a query whose noise is less than in 0.1, where rows are replaced."""
    return {"form": 2} if less and held.protection.neighbours == "replace-one" else {}


@register
class GroupCount(GroupedQuery):
    """Count the rows of each key; other rows are left out."""

    kind = "count"

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each count."""
        if self.size == 1:
            return Noise.of(cost, held.protection.of_count), Fraction(1)
        return Noise.of_counts(cost, held.protection), Fraction(1)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        asked = self.asked(held)
        query = {"query": self.kind, **_form(held, self.size == 1), **asked}
        found = held.counts(asked["by"], asked["keys"])[:-1]
        return self.added(held, cost, query, found, "count", self.named(asked))


@register
class GroupSum(GroupedQuery):
    """Sum a column over the rows of each key."""

    kind = "sum"
    column: Name

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each sum, in steps."""
        scale, protection = held.numbers(self.column).scale, held.protection
        between, groups = (scale.first, scale.last), self.size
        most = protection.of_sums(*between, groups), protection.of_sums_squared(*between, groups)
        return Noise.of(cost, *most), scale.step

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        numbers = held.numbers(self.column)
        asked = self.asked(held)
        form = _form(held, cost.unit == "rho" or self.size == 1)
        query = numbers.query(self.kind, **form, **asked)
        found, _ = held.group_sums(asked["by"], asked["keys"], self.column)
        named = self.named(asked)
        return self.added(held, cost, query, found, "sum", named, notes=numbers.notes)


@register
class GroupMean(GroupedQuery):
    """Average a column over the rows of each key.

    All is paid for two numbers of each group at once, ``Σ (x - low)`` and ``Σ (high - x)``, whose
    sum tells its number of rows; each group has a bound of its own.
    """

    kind = "mean"
    column: Name

    def average(self, held: PrivateData, cost: Cost) -> Average:
        """Return what is drawn for each group."""
        scale = held.numbers(self.column).scale
        between, groups = (scale.first, scale.last), self.size
        return Average.of(cost, held.protection, between, scale.step, groups=groups)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far the noise of a group of so many rows would reach."""
        step = held.numbers(self.column).scale.step
        return self.average(held, cost).planned(planned_rows(held), miss) * float(step)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        numbers = held.numbers(self.column)
        scale = numbers.scale
        asked = self.asked(held)
        query = numbers.query(self.kind, form=2, **asked)
        keys, average = self.named(asked), self.average(held, cost)
        totals, counts = held.group_sums(asked["by"], asked["keys"], self.column)

        def draw() -> list[list[int]]:
            found = map(average.numbers, totals, counts)
            pairs = zip(average.parts, zip(*found, strict=True), strict=True)
            return [one.noise.added(some, held.entropy) for one, some in pairs]

        def read(answer: list[list[int]]) -> dict[str, Any]:
            each = list(zip(*answer, strict=True))
            means = [scale.shown(average.mean(one)) for one in each]
            rows = [float(average.rows(one)) for one in each]

            def reaches(miss: float) -> list[float]:
                return [average.reach(one, miss) * float(scale.step) for one in each]

            return {
                "value": dict(zip(keys, means, strict=True)),
                "rows": dict(zip(keys, rows, strict=True)),
                "notes": ("each group has a bound of its own", *numbers.notes),
                "noise": average.laws,
                "_reach": lambda miss: max(reaches(miss)),
                "_reaches": reaches,
            }

        return held.prepared(query, cost.for_noise, draw, read)
