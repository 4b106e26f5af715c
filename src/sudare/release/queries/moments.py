"""Sums, means and variances: noise on whole sums of steps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sudare.errors import WrongTypeError
from sudare.ledger import Cost
from sudare.release.grid import square_sum, whole_sum
from sudare.release.held import Held, Numbers
from sudare.release.noise import Noise
from sudare.release.queries.base import Name, Query, register
from sudare.release.released import PreparedQuery


@register
class Sum(Query):
    """Sum a column with bounds.

    Its values are clamped to the bounds.
    """

    kind = "sum"
    column: Name

    def noise(self, held: Held, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of the sum, in steps."""
        numbers = held.numbers(self.column)
        sensitivity = sensitivity_of(held, numbers, numbers.scale.first, numbers.scale.last)
        return Noise.of(cost, sensitivity), numbers.scale.step

    def prepare(self, held: Held, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        numbers = held.numbers(self.column)
        wide = float(numbers.scale.high - numbers.scale.low)
        return self.added(
            held,
            cost,
            numbers.query(self.kind),
            [whole_sum(numbers.values)],
            "sum",
            notes=numbers.notes,
            sampling_stderr=wide / 2 * held.rows**0.5 if numbers.size_is_public else None,
        )


def sensitivity_of(held: Held, numbers: Numbers, low: int, high: int) -> int:
    """Return the sensitivity of a sum of numbers in [low, high]; with 0 where a row may be gone."""
    if not numbers.size_is_public:
        low, high = min(low, 0), max(high, 0)
    return held.protection.of_sum(low, high)


class Sums:
    """Noisy sums of powers of a column around its middle, and its number of rows.

    Args:
        held, column: what is asked.
        powers: 1 for a mean, 2 for a variance.
        cost: of all of it, shared alike.
    """

    def __init__(self, held: Held, column: str, powers: int, cost: Cost) -> None:
        self.held, self.numbers = held, held.numbers(column)
        self.scale, self.public = self.numbers.scale, self.numbers.size_is_public
        scale, values = self.scale, self.numbers.values
        near, self.n = values - scale.middle, int(values.size)
        low, high = scale.first - scale.middle, scale.last - scale.middle
        sensitivity = sensitivity_of(held, self.numbers, low, high)
        parts = [("sum around the middle", whole_sum(near), sensitivity, scale.step)]
        if powers == 2:
            sensitivity = sensitivity_of(held, self.numbers, 0, scale.reach**2)
            name = "sum of squares around the middle"
            parts.append((name, square_sum(near), sensitivity, scale.step**2))
        if not self.public:
            parts.append(("count", self.n, held.protection.of_count, Fraction(1)))
        share = Cost(cost.unit, cost.amount / len(parts))
        self.parts = [
            (name, whole, Noise.of(share, most), step) for name, whole, most, step in parts
        ]

    def prepared(self, kind: str, cost: Cost, read: Any) -> PreparedQuery[float]:
        """Return the question; ``read`` says what is special of its answer."""
        notes = [
            f"values are clamped to the bounds, in steps of {float(self.scale.step):g}",
            *self.numbers.notes,
        ]
        if not self.public:
            notes.append("the number of rows is private: a part of the cost is paid for it")
        laws = tuple(noise.law(name, step) for name, _, noise, step in self.parts)
        told = {"notes": tuple(notes), "noise": laws}
        return self.held.prepared(
            self.numbers.query(kind), cost, self.draw, lambda answer: {**told, **read(answer)}
        )

    def draw(self) -> list[int]:
        """Return the noisy sums, and the noisy number of rows where it is private."""
        rng = self.held.entropy
        return [whole + noise.draw(rng) for _, whole, noise, _ in self.parts]

    def rows(self, answer: list[int]) -> int:
        """Return the number of rows, public or noisy, at least 1."""
        return self.n if self.public else max(1, answer[-1])

    def reaches(self, answer: list[int], miss: float) -> list[float]:
        """Return how far each mean of powers may be off, in steps to that power.

        ``|S' / C' - S / C| <= (|S' - S| + m |C' - C|) / C'`` for ``|S / C| <= m``.
        """
        reach = [noise.reach(miss / len(self.parts)) for _, _, noise, _ in self.parts]
        rows = self.rows(answer)
        counted = 0 if self.public else reach.pop()
        return [
            (one + self.scale.reach**power * counted) / rows
            for power, one in enumerate(reach, start=1)
        ]


@register
class Mean(Query):
    """Average a column with bounds.

    Its values are clamped to the bounds. Where the number of rows is public all is paid for the
    sum, of sensitivity ``(high - low) / n``; else half for the sum around the middle, half for the
    number.
    """

    kind = "mean"
    column: Name

    def noise(self, held: Held, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of the sum, and a step of the mean."""
        numbers = held.numbers(self.column)
        if not numbers.size_is_public:
            raise WrongTypeError(
                "neighbours", "must leave n public for a mean", "ask about the sum"
            )
        if not held.rows:
            raise WrongTypeError("n", "must be given for a mean", "the number of rows")
        noise, step = Sum(self.column).noise(held, cost)
        return noise, step / held.rows

    def prepare(self, held: Held, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        sums = Sums(held, self.column, 1, cost)
        scale = sums.scale

        def read(answer: list[int]) -> dict[str, Any]:
            rows = sums.rows(answer)
            return {
                "value": scale.shown(scale.middle + Fraction(answer[0], rows)),
                "sampling_stderr": float(scale.high - scale.low) / 2 / rows**0.5,
                "_reach": lambda miss: sums.reaches(answer, miss)[0] * float(scale.step),
            }

        return sums.prepared(self.kind, cost, read)


@register
class Variance(Query):
    """Return the variance of a column with bounds.

    Mean square less squared mean, around the middle.
    """

    kind = "variance"
    column: Name

    def prepare(self, held: Held, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        sums = Sums(held, self.column, 2, cost)
        square = sums.scale.step**2
        most = (sums.scale.last - sums.scale.first) ** 2 * square / 4

        def read(answer: list[int]) -> dict[str, Any]:
            rows = sums.rows(answer)
            first, second = Fraction(answer[0], rows), Fraction(answer[1], rows)

            def reach(miss: float) -> float:
                one, two = sums.reaches(answer, miss)
                return (two + one * (2 * abs(float(first)) + one)) * float(sums.scale.step) ** 2

            return {
                "value": float(min(max((second - first * first) * square, Fraction(0)), most)),
                "_reach": reach,
            }

        return sums.prepared(self.kind, cost, read)
