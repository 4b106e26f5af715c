"""Counts, sums and means of given groups; histograms; the most frequent category."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.exact import exact_text
from sudare.exact.selection import permute_and_flip
from sudare.ledger import Cost
from sudare.release.grid import is_small
from sudare.release.moments import around_zero
from sudare.release.noise import Noise
from sudare.release.prepared import Prepared
from sudare.release.protection import Protection
from sudare.release.released import Released
from sudare.release.table import Kind, is_missing

if TYPE_CHECKING:
    from sudare.release.dataset import Dataset

MOST_GROUPS = 100_000

_FITS: dict[Kind, Callable[[Any], bool]] = {
    "number": lambda one: not isinstance(one, str | bool),
    "text": lambda one: isinstance(one, str),
    "truth": lambda one: isinstance(one, bool),
    "other": lambda one: False,
}


def places(db: Dataset, column: str, categories: Sequence[Any]) -> npt.NDArray[np.int64]:
    """Return for each row the place of its category, or as many as there are for any other."""
    index, codes = db._coded(column)
    of = np.full(len(index), len(categories), dtype=np.int64)
    for place, category in enumerate(categories):
        code = index.get(category)
        if code is not None:
            of[code] = place
    found: npt.NDArray[np.int64] = of[codes]
    return found


def counted(db: Dataset, column: str, categories: Sequence[Any]) -> list[int]:
    """Return how many rows each category has, and all others together at the end."""
    found = np.bincount(places(db, column, categories), minlength=len(categories) + 1)
    return [int(one) for one in found]


def given_for(db: Dataset, column: str, categories: object) -> list[Any]:
    """Return given categories of a column: of its kind, each once.

    Raises:
        WrongTypeError, DomainError: unknown column, no categories, the same twice, another kind.
    """
    kind = db._kind(column)
    given = as_categories(categories)
    if not all(_FITS[kind](one) for one in given):
        raise WrongTypeError(
            "categories", f"must be of the column's kind, {kind}", "others are never found"
        )
    return given


def label(value: Any) -> Any:
    """Return a category as JSON data."""
    return value.item() if isinstance(value, np.generic) else value


def as_categories(categories: object) -> list[Any]:
    """Return given categories: text, numbers or booleans, each once."""
    given = [label(one) for one in categories] if isinstance(categories, list | tuple) else []
    if not given or len(given) > MOST_GROUPS:
        raise WrongTypeError("categories", f"must be a list of 1 to {MOST_GROUPS:,} categories")
    if not all(isinstance(one, str | int | float) and one == one for one in given):
        raise WrongTypeError("categories", "must be text or numbers")
    if len(set(given)) != len(given):
        raise DomainError("categories", "must not have one twice", "leave it out")
    return given


def count(db: Dataset, column: str | None, equals: Any, cost: Cost) -> Prepared[float]:
    """Prepare a count of all rows, or of those that equal a value."""
    if column is None:
        if db._protection.size_is_public:
            raise DomainError(
                "column", "is needed: the number of rows is public", "count those of a category"
            )
        found = db._rows
    else:
        (equals,) = given_for(db, column, [equals])
        found = counted(db, column, [equals])[0]
    return _counting(db, {"query": "count", "column": column, "equals": equals}, found, cost)


def missing(db: Dataset, column: str, cost: Cost) -> Prepared[float]:
    """Prepare a count of the rows without a value."""
    found = int(is_missing(db._column(column)).sum())
    return _counting(db, {"query": "missing", "column": column}, found, cost)


def _counting(db: Dataset, query: dict[str, Any], found: int, cost: Cost) -> Prepared[float]:
    noise = Noise.of(cost, db._protection.of_count)
    return db._prepared(
        query,
        cost,
        lambda: found + noise.draw(db._entropy),
        lambda answer: {
            "value": float(answer),
            "sampling_stderr": 0.5 * db._rows**0.5 if db._protection.size_is_public else None,
            "noise": (noise.law("count"),),
            "_reach": lambda miss: float(noise.reach(miss)),
        },
    )


def histogram(
    db: Dataset, column: str, categories: Sequence[Any], cost: Cost
) -> Prepared[dict[Any, float]]:
    """Prepare a histogram, with all other rows under None."""
    given = given_for(db, column, categories)
    counts = counted(db, column, given)
    noise = of_groups(db._protection, cost)
    return db._prepared(
        {"query": "histogram", "column": column, "categories": given},
        cost,
        lambda: noise.added(counts, db._entropy),
        lambda answer: {
            "value": dict(zip([*given, None], map(float, answer), strict=True)),
            "sampling_stderr": 0.5 * db._rows**0.5 if db._protection.size_is_public else None,
            "noise": (noise.law("count"),),
            "_reach": lambda miss: float(noise.reach(miss)),
        },
    )


def of_groups(protection: Protection, cost: Cost) -> Noise:
    """Return the noise of counts of groups that share no row."""
    return Noise.of(cost, protection.of_counts, protection.of_counts_squared)


def mode(db: Dataset, column: str, categories: Sequence[Any], cost: Cost) -> Prepared[Any]:
    """Prepare the most frequent category.

    Where a person is added or removed all counts move one way, and the rate is twice as large.
    """
    given = given_for(db, column, categories)
    counts = np.array(counted(db, column, given)[:-1], dtype=np.int64)
    one_way = db._protection.neighbours == "add-remove"
    rate = cost.amount / ((1 if one_way else 2) * db._protection.of_count)
    losses = counts.max() - counts
    return db._prepared(
        {"query": "mode", "column": column, "categories": given},
        cost,
        lambda: permute_and_flip(losses, rate, db._entropy),
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
        self._db, self._by, self._keys = db, column, given_for(db, column, keys)

    @cached_property
    def _places(self) -> npt.NDArray[np.int64]:
        return places(self._db, self._by, self._keys)

    def _answer(
        self, ask: Callable[[Groups], Prepared[dict[Any, float]]], reuse: bool
    ) -> Released[dict[Any, float]]:
        return self._db._answer(lambda db: ask(Groups(db, self._by, self._keys)), reuse)

    def count(
        self, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Count the rows of each group.

        Raises:
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        return self._answer(lambda of: of._count(cost), reuse)

    def sum(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Sum a column in each group.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        return self._answer(lambda of: of._sum(cost, column), reuse)

    def mean(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Return the mean of a column in each group: half is paid for sums, half for counts.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        return self._answer(lambda of: of._mean(cost, column), reuse)

    def _count(self, cost: Cost) -> Prepared[dict[Any, float]]:
        noise = of_groups(self._db._protection, cost)
        counts = self._sums(np.ones(self._places.size, dtype=np.int64))
        return self._db._prepared(
            self._query("count", {}),
            cost,
            lambda: noise.added(counts, self._db._entropy),
            lambda answer: {
                "value": self._of([float(one) for one in answer]),
                "noise": (noise.law("count"),),
                "_reach": lambda miss: float(noise.reach(miss)),
            },
        )

    def _sum(self, cost: Cost, column: str) -> Prepared[dict[Any, float]]:
        totals, _, noise, scale = self._totals(column, cost)
        return self._db._prepared(
            self._query("sum", self._db._scale_json(column, scale)),
            cost,
            lambda: noise.added(totals, self._db._entropy),
            lambda answer: {
                "value": self._of([float(one * scale.step) for one in answer]),
                "noise": (noise.law("sum", scale.step),),
                "_reach": lambda miss: float(noise.reach(miss) * scale.step),
            },
        )

    def _mean(self, cost: Cost, column: str) -> Prepared[dict[Any, float]]:
        half = Cost(cost.unit, cost.amount / 2)
        totals, counts, noise, scale = self._totals(column, half, middle=True)
        counting = of_groups(self._db._protection, half)
        middle = (scale.first + scale.last) // 2
        far = max(scale.last - middle, middle - scale.first)

        def draw() -> list[list[int]]:
            rng = self._db._entropy
            return [noise.added(totals, rng), counting.added(counts, rng)]

        def read(answer: list[list[int]]) -> dict[str, Any]:
            rows = [max(1, one) for one in answer[1]]
            raw = [
                (middle + Fraction(t, c)) * scale.step for t, c in zip(answer[0], rows, strict=True)
            ]
            return {
                "value": self._of([float(min(max(one, scale.low), scale.high)) for one in raw]),
                "notes": ("the bound is that of the smallest group",),
                "noise": (noise.law("sum around the middle", scale.step), counting.law("count")),
                "_reach": lambda miss: float(
                    Fraction(noise.reach(miss / 2) + far * counting.reach(miss / 2), min(rows))
                    * scale.step
                ),
            }

        query = self._query("mean", self._db._scale_json(column, scale))
        return self._db._prepared(query, cost, draw, read)

    def _totals(self, column: str, cost: Cost, *, middle: bool = False) -> Any:
        """Return sums and counts of the groups, the noise of the sums, and the scale."""
        values = self._db._column(column)
        _, scale, _ = self._db._numbers(column)
        there = np.ones(values.size, np.bool_)
        if values.dtype.kind == "f":
            there = ~np.isnan(values)
        steps = np.zeros(values.size, dtype=np.int64)
        steps[there] = scale.steps(values[there])
        shift = (scale.first + scale.last) // 2 if middle else 0
        totals = self._sums(np.where(there, steps - shift, 0))
        counts = self._sums(there.astype(np.int64))
        low, high = around_zero(scale)
        most = max(abs(scale.first - shift), abs(scale.last - shift)) if middle else max(-low, high)
        protection = self._db._protection
        change = most * protection.of_counts  # all of it may be in one group
        noise = Noise.of(cost, change, change * change)
        return totals, counts, noise, scale

    def _sums(self, values: npt.NDArray[np.int64]) -> list[int]:
        """Return the exact sum of each group's values."""
        out = np.zeros(len(self._keys) + 1, dtype=np.int64 if is_small(values) else object)
        np.add.at(out, self._places, values)
        return [int(one) for one in out[:-1]]

    def _query(self, what: str, more: dict[str, Any]) -> dict[str, Any]:
        return {"query": what, "by": self._by, "keys": self._keys, **more}

    def _of(self, values: list[float]) -> dict[Any, float]:
        return dict(zip(self._keys, values, strict=True))
