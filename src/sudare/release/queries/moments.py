"""Sums, means and variances: noise on whole sums of steps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sudare.errors import WrongTypeError
from sudare.ledger import Cost
from sudare.release.noise import Noise
from sudare.release.numbers import Numbers
from sudare.release.private_data import PrivateData
from sudare.release.queries.averages import Average
from sudare.release.queries.base import Name, Query, register
from sudare.release.queries.spread import Spread
from sudare.release.released import PreparedQuery


@register
class Sum(Query):
    """Sum a column with bounds.

    Its values are clamped to the bounds.
    """

    kind = "sum"
    column: Name

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of the sum, in steps."""
        numbers = held.numbers(self.column)
        sensitivity = sensitivity_of(held, numbers, numbers.scale.first, numbers.scale.last)
        return Noise.of(cost, sensitivity), numbers.scale.step

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        numbers = held.numbers(self.column)
        wide = float(numbers.scale.high - numbers.scale.low)
        return self.added(
            held,
            cost,
            numbers.query(self.kind),
            held.power_sums(self.column, 1)[1:],
            "sum",
            notes=numbers.notes,
            sampling_stderr=wide / 2 * held.rows**0.5 if numbers.size_is_public else None,
        )


def sensitivity_of(held: PrivateData, numbers: Numbers, low: int, high: int) -> int:
    """Return the sensitivity of a sum of numbers in [low, high]; with 0 where a row may be gone."""
    if not numbers.size_is_public:
        low, high = min(low, 0), max(high, 0)
    return held.protection.of_sum(low, high)


def public_rows(held: PrivateData, numbers: Numbers) -> int | None:
    """Return the number of rows of a column, where it is public."""
    return held.rows if numbers.size_is_public else None


def planned_rows(held: PrivateData) -> int:
    """Return the number of rows of a data set that is planned.

    Raises:
        WrongTypeError: it was not given.
    """
    if not held.rows:
        raise WrongTypeError("n", "must be given for a mean or variance", "the number of rows")
    return held.rows


def rows_of(numbers: Numbers, average: Average, answer: Sequence[int]) -> float | None:
    """Return the number of rows that came along, where it is private."""
    return None if numbers.size_is_public else float(average.rows(answer))


def said_of(numbers: Numbers) -> tuple[str, ...]:
    """Return what a reader should know of means and variances."""
    notes = [
        f"values are clamped to the bounds, in steps of {float(numbers.scale.step):g}",
        *numbers.notes,
    ]
    if not numbers.size_is_public:
        notes.append("the number of rows is private: it comes along with noise, at no further cost")
    return tuple(notes)


@register
class Mean(Query):
    """Average a column with bounds.

    Its values are clamped to the bounds. Where the number of rows is public all is paid for the
    sum, of sensitivity ``(high - low) / n``; else for two numbers at once, ``Σ (x - low)`` and
    ``Σ (high - x)``, or the sum around the middle and the number of rows.
    """

    kind = "mean"
    column: Name

    def average(self, held: PrivateData, cost: Cost) -> Average:
        """Return what is drawn."""
        numbers = held.numbers(self.column)
        scale, n = numbers.scale, public_rows(held, numbers)
        return Average.of(cost, held.protection, (scale.first, scale.last), scale.step, n=n)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far the noise of the mean of so many rows would reach."""
        step = held.numbers(self.column).scale.step
        return self.average(held, cost).planned(planned_rows(held), miss) * float(step)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        numbers, average = held.numbers(self.column), self.average(held, cost)
        scale, (n, total) = numbers.scale, held.power_sums(self.column, 1)

        def read(answer: list[int]) -> dict[str, Any]:
            rows = max(1.0, float(average.rows(answer)))
            return {
                "value": scale.shown(average.mean(answer)),
                "rows": rows_of(numbers, average, answer),
                "notes": said_of(numbers),
                "noise": average.laws,
                "sampling_stderr": float(scale.high - scale.low) / 2 / rows**0.5,
                "_reach": lambda miss: average.reach(answer, miss) * float(scale.step),
            }

        form = {} if numbers.size_is_public else {"form": 2}
        return held.prepared(
            numbers.query(self.kind, **form),
            cost.for_noise,
            lambda: average.drawn(total, n, held.entropy),
            read,
        )


@register
class Variance(Query):
    """Return the variance of a column with bounds.

    The mean square distance from a noisy mean: a part of the price is paid for that mean, the rest
    for the squares, which are the smaller the nearer it is to the middle of the bounds.
    """

    kind = "variance"
    column: Name

    def spread(self, held: PrivateData, cost: Cost) -> Spread:
        """Return what is drawn."""
        numbers = held.numbers(self.column)
        scale, n = numbers.scale, public_rows(held, numbers)
        return Spread.of(cost, held.protection, (scale.first, scale.last), scale.step, n)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far the noise of the variance of so many rows would reach at most."""
        square = held.numbers(self.column).scale.step ** 2
        return self.spread(held, cost).planned(planned_rows(held), miss) * float(square)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        numbers, spread = held.numbers(self.column), self.spread(held, cost)
        square, (n, total, squares) = numbers.scale.step**2, held.power_sums(self.column, 2)
        return held.prepared(
            numbers.query(self.kind, form=2),
            cost.for_noise,
            lambda: spread.drawn(total, squares, n, held.entropy),
            lambda answer: {
                "value": float(spread.variance(answer) * square),
                "rows": rows_of(numbers, spread.centring, answer),
                "notes": said_of(numbers),
                "noise": spread.laws(answer),
                "_reach": lambda miss: spread.reach(answer, miss) * float(square),
            },
        )
