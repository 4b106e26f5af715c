"""Counts, sums and means of given groups; histograms; the most frequent category."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.exact.selection import permute_and_flip
from sudare.ledger import Cost
from sudare.release.moments import around_zero
from sudare.release.noise import Noise
from sudare.release.protection import Protection
from sudare.release.released import Released

if TYPE_CHECKING:
    from sudare.release.dataset import Dataset

MOST_GROUPS = 100_000


def matches(values: npt.NDArray[Any], categories: Sequence[Any]) -> list[npt.NDArray[np.bool_]]:
    """Return for each category which rows equal it."""
    places = {category: i for i, category in enumerate(categories)}
    try:
        of = np.array([places.get(one, -1) for one in values.tolist()], dtype=np.int64)
    except TypeError:
        raise WrongTypeError("column", "must hold text or numbers", "not lists") from None
    return [of == i for i in range(len(categories))]


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


def histogram(
    db: Dataset, column: str, categories: Sequence[Any], cost: Cost, reuse: bool
) -> Released[dict[Any, float]]:
    """Answer a histogram, with all other rows under None."""
    given = as_categories(categories)
    hits = matches(db._column(column), given)
    counts = [int(hit.sum()) for hit in hits]
    counts.append(db._rows - sum(counts))
    noise = of_groups(db._protection, cost)
    query = {"query": "histogram", "column": column, "categories": given}
    paid, full = db._ask(query, cost, lambda: [c + noise.draw(db._entropy) for c in counts], reuse)
    value = dict(zip([*given, None], map(float, paid.answer), strict=True))
    return Released(
        value=value,
        sampling_stderr=0.5 * db._rows**0.5 if db._protection.size_is_public else None,
        _reach=lambda miss: float(noise.reach(miss)),
        **db._facts(paid, full, cost),
    )


def of_groups(protection: Protection, cost: Cost) -> Noise:
    """Return the noise of counts of groups that share no row."""
    return Noise.of(cost, protection.of_counts, protection.of_counts_squared)


def mode(
    db: Dataset, column: str, categories: Sequence[Any], cost: Cost, reuse: bool
) -> Released[Any]:
    """Answer the most frequent category.

    Where a person is added or removed all counts move one way, and the rate is twice as large.
    """
    given = as_categories(categories)
    counts = np.array(
        [int(hit.sum()) for hit in matches(db._column(column), given)], dtype=np.int64
    )
    one_way = db._protection.neighbours == "add-remove"
    rate = cost.amount / ((1 if one_way else 2) * db._protection.of_count)
    losses = counts.max() - counts
    query = {"query": "mode", "column": column, "categories": given}
    paid, full = db._ask(query, cost, lambda: permute_and_flip(losses, rate, db._entropy), reuse)
    return Released(
        value=given[paid.answer],
        sampling_stderr=None,
        _reach=lambda miss: math.log(len(given) / miss) / float(rate),
        **db._facts(
            paid, full, cost, ("its bound: so many rows fewer than the most frequent one at most",)
        ),
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
        self._db, self._by, self._keys = db, column, as_categories(keys)
        self._hits = matches(db._column(column), self._keys)

    def count(
        self, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Count the rows of each group.

        Raises:
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        noise = of_groups(self._db._protection, cost)
        counts = [int(hit.sum()) for hit in self._hits]
        draw = lambda: [c + noise.draw(self._db._entropy) for c in counts]  # noqa: E731
        paid, full = self._db._ask(self._query("count", {}), cost, draw, reuse)
        return self._released(
            [float(one) for one in paid.answer],
            lambda miss: float(noise.reach(miss)),
            paid,
            full,
            cost,
        )

    def sum(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Sum a column in each group.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        totals, _, noise, scale = self._totals(column, cost)
        draw = lambda: [t + noise.draw(self._db._entropy) for t in totals]  # noqa: E731
        query = self._query("sum", self._db._scale_json(column, scale))
        paid, full = self._db._ask(query, cost, draw, reuse)
        step = scale.step
        return self._released(
            [float(one * step) for one in paid.answer],
            lambda miss: float(noise.reach(miss) * step),
            paid, full, cost,
        )  # fmt: skip

    def mean(
        self, column: str, *, epsilon: Any = None, rho: Any = None, reuse: bool = False
    ) -> Released[dict[Any, float]]:
        """Return the mean of a column in each group: half is paid for sums, half for counts.

        Raises:
            DomainError, WrongTypeError: unknown column, or one without bounds.
            BudgetExceeded: nothing was spent.
        """
        cost = Cost.of(epsilon=epsilon, rho=rho)
        half = Cost(cost.unit, cost.amount / 2)
        totals, counts, noise, scale = self._totals(column, half, middle=True)
        counting = of_groups(self._db._protection, half)
        rng = self._db._entropy
        draw = lambda: [  # noqa: E731
            [t + noise.draw(rng) for t in totals],
            [c + counting.draw(rng) for c in counts],
        ]
        query = self._query("mean", self._db._scale_json(column, scale))
        paid, full = self._db._ask(query, cost, draw, reuse)
        middle = (scale.first + scale.last) // 2
        far = max(scale.last - middle, middle - scale.first)
        rows = [max(1, one) for one in paid.answer[1]]
        raw = [
            (middle + Fraction(t, c)) * scale.step
            for t, c in zip(paid.answer[0], rows, strict=True)
        ]
        least = min(rows)
        return self._released(
            [float(min(max(one, scale.low), scale.high)) for one in raw],
            lambda miss: float(
                Fraction(noise.reach(miss / 2) + far * counting.reach(miss / 2), least) * scale.step
            ),
            paid, full, cost, ("the bound is that of the smallest group",),
        )  # fmt: skip

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
        totals = [int((steps[hit & there] - shift).sum()) for hit in self._hits]
        counts = [int((hit & there).sum()) for hit in self._hits]
        low, high = around_zero(scale)
        most = max(abs(scale.first - shift), abs(scale.last - shift)) if middle else max(-low, high)
        protection = self._db._protection
        change = most * protection.of_counts  # all of it may be in one group
        noise = Noise.of(cost, change, change * change)
        return totals, counts, noise, scale

    def _query(self, what: str, more: dict[str, Any]) -> dict[str, Any]:
        return {"query": what, "by": self._by, "keys": self._keys, **more}

    def _released(
        self,
        values: list[float],
        reach: Callable[[float], float],
        paid: Any,
        full: dict[str, Any],
        cost: Cost,
        notes: tuple[str, ...] = (),
    ) -> Released[dict[Any, float]]:
        return Released(
            value=dict(zip(self._keys, values, strict=True)),
            sampling_stderr=None,
            _reach=reach,
            **self._db._facts(paid, full, cost, notes),
        )
