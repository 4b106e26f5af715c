"""Limits on what a person brings: on the sum of its rows, on its groups; and whom they cut.

A limit is a function of a person's own rows: whatever these are, the person brings no more than it,
and the noise is no larger. What it cuts is the error that it makes; how many persons it cuts is a
count of persons, which one person moves by one. Proof: ``docs/proofs/keys.md``, 7.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer, exact_text
from sudare.ledger import Cost
from sudare.release.grid import exact, whole_sum
from sudare.release.noise import Noise
from sudare.release.private_data import PrivateData, columns_of
from sudare.release.queries.base import Field, Name, Query, register
from sudare.release.queries.groups import GroupedQuery
from sudare.release.released import PreparedQuery

Limit: TypeAlias = Annotated[Any, Field("number", low=0, high=1e15)]
Number: TypeAlias = Annotated[Any, Field("number", low=1, high=1 << 20)]


@dataclass(frozen=True, slots=True)
class OwnSum:
    """Between what a person's own sum is taken, in steps: 0 is among it.

    Attributes:
        low, high: in steps of the grid.
        limit: as it was given.
    """

    low: int
    high: int
    limit: Fraction

    @classmethod
    def of(cls, held: PrivateData, column: str, limit: Any) -> OwnSum:
        """Return a checked limit: the least of it and of what all rows of a person can make."""
        scale, given = held.numbers(column).scale, exact(limit, "limit")
        steps = math.floor(given / scale.step)
        if steps < 1:
            raise DomainError("limit", "must be at least a step of the grid", "give a larger one")
        rows = held.protection.rows
        ends = rows * min(scale.first, 0), rows * max(scale.last, 0)
        return cls(max(-steps, ends[0]), min(steps, ends[1]), given)


@register
class Capped(Query):
    """Sum a column, where what a person's own rows add up to counts up to a limit, either way.

    The noise is that of one limit, however many rows a person has. ``over_sum`` tells how many
    persons are cut: the sum lacks what they have beyond it.
    """

    kind = "capped"
    column: Name
    limit: Limit

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of the sum, in steps."""
        own = OwnSum.of(held, self.column, self.limit)
        wide = own.high - own.low
        if held.protection.neighbours == "add-remove":
            wide = max(own.high, -own.low)
        return Noise.of(cost, wide), held.numbers(self.column).scale.step

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        numbers, own = held.numbers(self.column), OwnSum.of(held, self.column, self.limit)

        def summed(some: PrivateData) -> int:
            each = some.own_sums(self.column)
            return sum(whole_sum(np.clip(x, own.low, own.high)) for x in each)

        found = held.gathered(summed, self.column)
        said = exact_text(own.limit)
        note = f"what a person's rows add up to counts up to {said}; over_sum tells whom that cuts"
        query = numbers.query(self.kind, limit=said)
        return self.added(held, cost, query, [found], "sum", notes=(note, *numbers.notes))


@dataclass(frozen=True)
class OverQuery(Query):
    """A count of persons whom a limit cuts: one person moves it by one."""

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of a number of persons."""
        return Noise.of(cost, 1), Fraction(1)

    def counted(
        self, held: PrivateData, cost: Cost, found: int, query: dict[str, Any]
    ) -> PreparedQuery[float]:
        """Return the question for a number of persons."""
        return self.added(held, cost, query, [found], "count", sampling_stderr=held.sampling_stderr)


@register
class OverSum(OverQuery):
    """Count the persons whom a limit on their own sum cuts: those beyond it, either way."""

    kind = "over_sum"
    column: Name
    limit: Limit

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        numbers, own = held.numbers(self.column), OwnSum.of(held, self.column, self.limit)

        def beyond(some: PrivateData) -> int:
            each = some.own_sums(self.column)
            return sum(int(np.count_nonzero((x < own.low) | (x > own.high))) for x in each)

        found = held.gathered(beyond, self.column)
        return self.counted(
            held, cost, found, numbers.query(self.kind, limit=exact_text(own.limit))
        )


@dataclass(frozen=True)
class OverMany(OverQuery):
    """A count of persons with more than so many of something in a column."""

    column: Name
    limit: Number

    @abstractmethod
    def beyond(self, held: PrivateData) -> int:
        """Return how many persons have more than the limit, of those whose rows are given."""

    @property
    def most(self) -> int:
        """The limit, checked."""
        return _whole(self.limit, "limit")

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        query = {"query": self.kind, "column": held.named(self.column), "limit": self.most}
        return self.counted(held, cost, held.gathered(self.beyond, self.column), query)


@register
class OverRows(OverMany):
    """Count the persons who have a value of a column in more than so many rows.

    Rows beyond those that count (``unit``) are not seen: open the data with the largest limit that
    may be chosen. The noise is that of one person whatever it is.
    """

    kind = "over_rows"

    def beyond(self, held: PrivateData) -> int:
        """Return how many persons have more rows."""
        there = ~held.column(self.column).missing
        people = held.people(there.size)[there]
        return int(np.count_nonzero(np.bincount(people) > self.most))


@register
class OverGroups(OverMany):
    """Count the persons who have more than so many different values of a column."""

    kind = "over_groups"

    def beyond(self, held: PrivateData) -> int:
        """Return how many persons have more values."""
        if held.kind_of(self.column) == "other":  # before rows are read: some may have no value
            raise WrongTypeError("column", "must hold plain values", "such as text or numbers")
        column = held.column(self.column)
        codes = np.full(column.size, -1, dtype=np.int64)
        codes[~column.missing] = column.where(~column.missing).codes()
        people = held.people(column.size)[held.once(codes, column.size)]
        return int(np.count_nonzero(np.bincount(people) > self.most))


@register
class GroupPersons(GroupedQuery):
    """Count the persons of each key: one counts once in each of ``groups`` of them at most.

    These are the first ones in the order of the data; by default as many as a person has rows. Who
    has rows of further keys does not count there; ``over_groups`` tells how many those are.
    """

    kind = "persons"
    groups: Number = None

    def most(self, held: PrivateData) -> int:
        """Return in how many groups a person counts at most."""
        rows = held.protection.rows
        return rows if self.groups is None else min(_whole(self.groups, "groups"), rows)

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each number of persons."""
        several = 2 if held.protection.neighbours == "replace-one" else 1
        moved = min(self.size, several * self.most(held))  # a group by one person at most
        return Noise.of(cost, moved, moved), Fraction(1)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        asked, most = self.asked(held), self.most(held)

        def counted(some: PrivateData) -> Integers:
            places = some.places(asked["by"], asked["keys"])
            codes = np.where(places < self.size, places, -1)
            return np.bincount(codes[some.once(codes, most)], minlength=self.size)

        found = held.gathered(counted, *columns_of(asked["by"]))
        query = {"query": self.kind, **asked, "groups": most}
        return self.added(held, cost, query, found.tolist(), "count", self.named(asked))


def _whole(value: Any, argument: str) -> int:
    """Return a whole number that may have come as text or as JSON."""
    exactly = int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
    return as_integer(exactly, argument, low=1, high=1 << 20)
