"""Counts, sums and means of given groups; histograms; the most frequent category."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError
from sudare.exact import exact_text
from sudare.exact.selection import permute_and_flip
from sudare.ledger import Cost
from sudare.release.grid import sums_of
from sudare.release.held import Held
from sudare.release.moments import around_zero
from sudare.release.noise import Noise
from sudare.release.prepared import Prepared
from sudare.release.protection import Protection
from sudare.release.released import Released

if TYPE_CHECKING:
    from sudare.release.dataset import Dataset


def count(db: Held, column: str | None, equals: Any, cost: Cost) -> Prepared[float]:
    """Prepare a count of all rows, or of those that equal a value."""
    if column is None:
        if db.size_is_public:
            raise DomainError(
                "column", "is needed: the number of rows is public", "count those of a category"
            )
        found = db.rows
    else:
        (equals,) = db.categories(column, [equals])
        found = db.counts(column, [equals])[0]
    return _counting(db, {"query": "count", "column": column, "equals": equals}, found, cost)


def missing(db: Held, column: str, cost: Cost) -> Prepared[float]:
    """Prepare a count of the rows without a value."""
    found = int(db.column(column).missing.sum())
    return _counting(db, {"query": "missing", "column": column}, found, cost)


def _counting(db: Held, query: dict[str, Any], found: int, cost: Cost) -> Prepared[float]:
    noise = Noise.of(cost, db.protection.of_count)
    return db.prepared(
        query,
        cost,
        lambda: found + noise.draw(db.entropy),
        lambda answer: {
            "value": float(answer),
            "sampling_stderr": db.sampling_stderr,
            "noise": (noise.law("count"),),
            "_reach": lambda miss: float(noise.reach(miss)),
        },
    )


def histogram(
    db: Held, column: str, categories: Sequence[Any], cost: Cost
) -> Prepared[dict[Any, float]]:
    """Prepare a histogram, with all other rows under None."""
    given = db.categories(column, categories)
    counts = db.counts(column, given)
    noise = of_groups(db.protection, cost)
    return db.prepared(
        {"query": "histogram", "column": column, "categories": given},
        cost,
        lambda: noise.added(counts, db.entropy),
        lambda answer: {
            "value": dict(zip([*given, None], map(float, answer), strict=True)),
            "sampling_stderr": db.sampling_stderr,
            "noise": (noise.law("count"),),
            "_reach": lambda miss: float(noise.reach(miss)),
        },
    )


def of_groups(protection: Protection, cost: Cost) -> Noise:
    """Return the noise of counts of groups that share no row."""
    return Noise.of(cost, protection.of_counts, protection.of_counts_squared)


def mode(db: Held, column: str, categories: Sequence[Any], cost: Cost) -> Prepared[Any]:
    """Prepare the most frequent category.

    Where a person is added or removed all counts move one way, and the rate is twice as large.
    """
    given = db.categories(column, categories)
    counts = np.array(db.counts(column, given)[:-1], dtype=np.int64)
    one_way = db.protection.neighbours == "add-remove"
    rate = cost.amount / ((1 if one_way else 2) * db.protection.of_count)
    losses = counts.max() - counts
    return db.prepared(
        {"query": "mode", "column": column, "categories": given},
        cost,
        lambda: permute_and_flip(losses, rate, db.entropy),
        lambda answer: {
            "value": given[answer],
            "notes": ("its bound: so many rows fewer than the most frequent one at most",),
            "bound_in": "rows",
            "noise": ({"of": "choice", "law": "permute-and-flip", "rate": exact_text(rate)},),
            "_reach": lambda miss: math.log(len(given) / miss) / float(rate),
        },
    )


class Groups:
    """The rows of each given key of a column; each query is about all keys at once.

    A row is in one group alone: where a person is added or removed, one group changes and all of ε
    goes to each; a replaced person may leave one group and enter another.

    Args:
        db: the data set.
        column: that says which group a row is in.
        keys: given; other rows are left out.

    Raises:
        DomainError, WrongTypeError: unknown column, no keys, or the same twice.
    """

    def __init__(self, db: Dataset, column: str, keys: Sequence[Any]) -> None:
        self._asked = db
        self._by, self._keys = column, db.held.categories(column, keys)

    def _answer(
        self, ask: Callable[[_Keyed], Prepared[dict[Any, float]]], reuse: bool
    ) -> Released[dict[Any, float]]:
        return self._asked._answer(lambda held: ask(_Keyed(held, self._by, self._keys)), reuse)

    def count(
        self, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Count the rows of each group.

        Raises:
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        return self._answer(lambda of: of.count(cost), reuse)

    def sum(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Sum a column in each group.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        return self._answer(lambda of: of.sum(cost, column), reuse)

    def mean(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Return the mean of a column in each group: half is paid for sums, half for counts.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        return self._answer(lambda of: of.mean(cost, column), reuse)


class _Keyed:
    """The questions of :class:`Groups`, to be put to a data set."""

    def __init__(self, held: Held, by: str, keys: list[Any]) -> None:
        self._held, self.by, self.keys = held, by, keys
        self._places = held.places(by, keys)

    def count(self, cost: Cost) -> Prepared[dict[Any, float]]:
        noise = of_groups(self._held.protection, cost)
        counts = self._sums(np.ones(self._places.size, dtype=np.int64))
        return self._held.prepared(
            self._query("count", {}),
            cost,
            lambda: noise.added(counts, self._held.entropy),
            lambda answer: {
                "value": self._of([float(one) for one in answer]),
                "noise": (noise.law("count"),),
                "_reach": lambda miss: float(noise.reach(miss)),
            },
        )

    def sum(self, cost: Cost, column: str) -> Prepared[dict[Any, float]]:
        totals, _, noise, scale = self._totals(column, cost)
        return self._held.prepared(
            {**self._query("sum", {}), **self._held.numbers(column).query("sum")},
            cost,
            lambda: noise.added(totals, self._held.entropy),
            lambda answer: {
                "value": self._of([float(one * scale.step) for one in answer]),
                "noise": (noise.law("sum", scale.step),),
                "notes": self._held.numbers(column).notes,
                "_reach": lambda miss: float(noise.reach(miss) * scale.step),
            },
        )

    def mean(self, cost: Cost, column: str) -> Prepared[dict[Any, float]]:
        half = Cost(cost.unit, cost.amount / 2)
        totals, counts, noise, scale = self._totals(column, half, middle=True)
        counting, numbers = of_groups(self._held.protection, half), self._held.numbers(column)
        middle = (scale.first + scale.last) // 2
        far = max(scale.last - middle, middle - scale.first)

        def draw() -> list[list[int]]:
            rng = self._held.entropy
            return [noise.added(totals, rng), counting.added(counts, rng)]

        def read(answer: list[list[int]]) -> dict[str, Any]:
            rows = [max(1, one) for one in answer[1]]
            raw = [
                (middle + Fraction(t, c)) * scale.step for t, c in zip(answer[0], rows, strict=True)
            ]
            return {
                "value": self._of([float(min(max(one, scale.low), scale.high)) for one in raw]),
                "notes": (
                    "the bound is that of the smallest group",
                    *self._held.numbers(column).notes,
                ),
                "noise": (noise.law("sum around the middle", scale.step), counting.law("count")),
                "_reach": lambda miss: float(
                    Fraction(noise.reach(miss / 2) + far * counting.reach(miss / 2), min(rows))
                    * scale.step
                ),
            }

        query = {**self._query("mean", {}), **numbers.query("mean")}
        return self._held.prepared(query, cost, draw, read)

    def _totals(self, column: str, cost: Cost, *, middle: bool = False) -> Any:
        """Return sums and counts of the groups, the noise of the sums, and the scale."""
        numbers = self._held.numbers(column)
        scale, steps, there = numbers.scale, numbers.steps, ~numbers.column.missing
        shift = (scale.first + scale.last) // 2 if middle else 0
        totals = self._sums(np.where(there, steps - shift, 0))
        counts = self._sums(there.astype(np.int64))
        low, high = around_zero(scale)
        most = max(abs(scale.first - shift), abs(scale.last - shift)) if middle else max(-low, high)
        protection = self._held.protection
        change = most * protection.of_counts  # all of it may be in one group
        noise = Noise.of(cost, change, change * change)
        return totals, counts, noise, scale

    def _sums(self, values: npt.NDArray[np.int64]) -> list[int]:
        """Return the exact sum of each group's values."""
        return sums_of(values, self._places, len(self.keys) + 1)[:-1]

    def _query(self, what: str, more: dict[str, Any]) -> dict[str, Any]:
        return {"query": what, "by": self.by, "keys": self.keys, **more}

    def _of(self, values: list[float]) -> dict[Any, float]:
        return dict(zip(self.keys, values, strict=True))
