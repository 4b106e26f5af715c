"""Counts of rows: of all, of a category, of each category, of those without a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.errors import DomainError
from sudare.ledger import Cost
from sudare.release.matching import Match
from sudare.release.noise import Noise
from sudare.release.private_data import PrivateData
from sudare.release.queries.base import Categories, Category, Name, Query, register
from sudare.release.released import PreparedQuery


@dataclass(frozen=True)
class CountingQuery(Query):
    """A query that counts rows."""

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of a count."""
        return Noise.of(cost, held.protection.of_count), Fraction(1)

    def counted(
        self, held: PrivateData, cost: Cost, found: int, **asked: Any
    ) -> PreparedQuery[float]:
        """Return the question for a number of rows."""
        query, stderr = {"query": self.kind, **asked}, held.sampling_stderr
        return self.added(held, cost, query, [found], "count", sampling_stderr=stderr)


@register
class Count(CountingQuery):
    """Count rows: all of them where their number is private, or those of one category.

    All are counted without ``column`` and ``equals``; where their number is public that is refused.
    """

    kind = "count"
    column: Name | None = None
    equals: Category | None = None

    def __post_init__(self) -> None:
        if (self.column is None) != (self.equals is None):
            raise DomainError("equals", "and column go together", "give both, or neither")

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question: of all rows, or of a category."""
        if self.column is None:
            if held.size_is_public:
                raise DomainError(
                    "column", "is needed: the number of rows is public", "count those of a category"
                )
            found = held.total(lambda part: part.rows)
            return self.counted(held, cost, found, column=None, equals=None)
        (equals,) = held.categories(self.column, [self.equals])
        found = held.counts(self.column, [equals])[0]
        return self.counted(held, cost, found, column=self.column, equals=equals)


@register
class Missing(CountingQuery):
    """Count the rows that have no value in a column."""

    kind = "missing"
    method = "count_missing"
    column: Name

    def contradicted(self, held: PrivateData, matches: Mapping[str, Match]) -> str | None:
        """Return the column if it has conditions: a missing value meets none."""
        return self.column if self.column in matches else None

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        found = held.total(lambda part: int(part.column(self.column).missing.sum()), self.column)
        return self.counted(held, cost, found, column=self.column)


@register
class Present(CountingQuery):
    """Count the rows that have a value in a column."""

    kind = "present"
    method = "count_present"
    column: Name

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        found = held.total(lambda part: int((~part.column(self.column).missing).sum()), self.column)
        return self.counted(held, cost, found, column=self.column)


@register
class Distinct(CountingQuery):
    """Count the different values of a column: how many there are, never which.

    A person's rows add or take away at most as many values as rows of a person count, also where
    they are replaced by others.
    """

    kind = "distinct"
    column: Name

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question; values are compared exactly, and missing ones are none."""
        found = held.different(held.named(self.column))
        query = {"query": self.kind, "column": self.column}
        return self.added(held, cost, query, [found], "count")


@register
class Histogram(Query):
    """Count the rows of each category, and of all others together (group ``null``).

    In Python the others stand under None. Categories are given, never read from the data: that a
    category occurs is an answer too.
    """

    kind = "histogram"
    column: Name
    categories: Categories

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each count: the groups share no row."""
        return Noise.of_counts(cost, held.protection), Fraction(1)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        given = held.categories(self.column, self.categories)
        query = {"query": self.kind, "column": self.column, "categories": given}
        counts, stderr = held.counts(self.column, given), held.sampling_stderr
        return self.added(
            held, cost, query, counts, "count", [*given, None], sampling_stderr=stderr
        )
