"""Whom a release protects: the neighbouring relation, and how many rows a person has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

Neighbours = Literal["replace-one", "add-remove"]
RELATIONS: tuple[Neighbours, ...] = get_args(Neighbours)


@dataclass(frozen=True, slots=True)
class NeighbourRelation:
    """What two neighbouring data sets may differ in.

    ``replace-one``: the rows of one person are other rows; ``add-remove``: one person is there or
    not. Sensitivities are the largest change of a whole number between neighbours.

    Attributes:
        neighbours: the relation.
        rows: the most rows of one person.
        unit: the column that says whose a row is; None where each row is a person.
        filtered: of the rows those alone that match a condition count: a replaced row may enter or
            leave, so that their number is private.

    Examples:
        >>> one = NeighbourRelation("replace-one")
        >>> one.of_sum(0, 100), one.of_counts, NeighbourRelation("add-remove", 3).of_sum(-5, 2)
        (100, 2, 15)
    """

    neighbours: Neighbours
    rows: int = 1
    unit: str | None = None
    filtered: bool = False

    @property
    def size_is_public(self) -> bool:
        """Neighbours have as many rows: n tells nothing."""
        return self.neighbours == "replace-one" and self.unit is None and not self.filtered

    def of_sum(self, low: int, high: int) -> int:
        """Return the sensitivity of a sum of numbers in [low, high]."""
        most = max(abs(low), abs(high))
        if self.neighbours == "replace-one":
            # where their number is private a person may have fewer rows: down to none
            return high - low if self.size_is_public else self.rows * max(most, high - low)
        return self.rows * most

    def of_sums(self, low: int, high: int, groups: int) -> int:
        """Return the sensitivity, summed over them, of sums of groups that share no row."""
        if groups == 1:  # a row may leave it
            return self.of_sum(min(low, 0), max(high, 0))
        return self.of_counts * max(abs(low), abs(high))

    def of_sums_squared(self, low: int, high: int, groups: int) -> int:
        """Return the same as a sum of squares: all rows of one group for others of it, or not."""
        one = self.of_sum(min(low, 0), max(high, 0)) ** 2
        if groups == 1:
            return one
        return max(one, self.of_counts_squared * max(abs(low), abs(high)) ** 2)

    @property
    def of_count(self) -> int:
        """Sensitivity of the number of rows that have a property."""
        return self.rows

    @property
    def of_counts(self) -> int:
        """Sensitivity, as a sum over all of them, of counts of groups that share no row."""
        return self.rows * (2 if self.neighbours == "replace-one" else 1)

    @property
    def of_counts_squared(self) -> int:
        """The same as a sum of squares: rows of one group and, if replaced, of another."""
        return self.rows**2 * (2 if self.neighbours == "replace-one" else 1)

    def of_rank(self, share: Fraction) -> Fraction:
        """Return the sensitivity of ``|rank - share n|``."""
        if self.size_is_public:
            return Fraction(1)
        whole = max(share, 1 - share)
        return self.rows * (whole if self.neighbours == "add-remove" else Fraction(1))

    def of_ranks(self, share: Fraction, groups: int) -> Fraction:
        """Return the same, summed over them, of groups that share no row."""
        if groups == 1:  # a row may leave it
            return replace(self, filtered=True).of_rank(share)
        return self.of_counts * max(share, 1 - share)

    @property
    def words(self) -> str:
        """The relation in a sentence."""
        whose = "one row" if self.unit is None else f"up to {self.rows} rows of one {self.unit}"
        if self.neighbours == "replace-one":
            return f"replace-one: {whose} may be others"
        return f"add-remove: {whose} may be there or not"
