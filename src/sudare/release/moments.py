"""Sums, means and variances: noise on whole sums of steps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sudare.ledger import Cost
from sudare.release.grid import Scale, square_sum, whole_sum
from sudare.release.held import Held
from sudare.release.noise import Noise
from sudare.release.prepared import Prepared


def total(db: Held, column: str, cost: Cost) -> Prepared[float]:
    """Prepare a sum."""
    numbers = db.numbers(column)
    scale, size_is_public = numbers.scale, numbers.size_is_public
    low, high = (scale.first, scale.last) if size_is_public else around_zero(scale)
    noise = Noise.of(cost, db.protection.of_sum(low, high))
    wide = float(scale.high - scale.low)
    return db.prepared(
        numbers.query("sum"),
        cost,
        lambda: whole_sum(numbers.values) + noise.draw(db.entropy),
        lambda answer: {
            "value": float(answer * scale.step),
            "sampling_stderr": wide / 2 * db.rows**0.5 if size_is_public else None,
            "noise": (noise.law("sum", scale.step),),
            "notes": numbers.notes,
            "_reach": lambda miss: float(noise.reach(miss) * scale.step),
        },
    )


def around_zero(scale: Scale) -> tuple[int, int]:
    """Return the bounds, with 0: a row may be there or not."""
    return min(scale.first, 0), max(scale.last, 0)


class Sums:
    """Noisy sums of powers of a column around its middle, and its number of rows.

    Args:
        db, column: what is asked.
        powers: 1 for a mean, 2 for a variance.
        cost: of all of it, shared alike.
    """

    def __init__(self, db: Held, column: str, powers: int, cost: Cost) -> None:
        self.numbers = numbers = db.numbers(column)
        self.scale, self.public, steps = numbers.scale, numbers.size_is_public, numbers.values
        self.powers = powers
        self.middle = (self.scale.first + self.scale.last) // 2
        self.far = max(self.scale.last - self.middle, self.middle - self.scale.first)
        self.n = int(steps.size)
        near = steps - self.middle
        parts = powers + (0 if self.public else 1)
        share = Cost(cost.unit, cost.amount / parts)
        protection = db.protection
        self._totals = []
        self._noises = []
        for power in range(1, powers + 1):
            low = self.scale.first - self.middle if power == 1 else 0
            high = self.scale.last - self.middle if power == 1 else self.far**2
            sensitivity = (
                protection.of_sum(low, high)
                if self.public
                else protection.of_sum(min(low, 0), max(high, 0))
            )
            self._totals.append(whole_sum(near) if power == 1 else square_sum(near))
            self._noises.append(Noise.of(share, sensitivity))
        if not self.public:
            self._totals.append(self.n)
            self._noises.append(Noise.of(share, protection.of_count))
        self._db = db

    def draw(self) -> list[int]:
        """Return the noisy sums, and the noisy number of rows where it is private."""
        rng = self._db.entropy
        pairs = zip(self._totals, self._noises, strict=True)
        return [whole + noise.draw(rng) for whole, noise in pairs]

    def laws(self) -> tuple[dict[str, Any], ...]:
        """Return the laws of the noise that is drawn."""
        names = ("sum around the middle", "sum of squares around the middle")[: self.powers]
        out = [
            noise.law(name, self.scale.step**power)
            for power, (name, noise) in enumerate(zip(names, self._noises, strict=False), start=1)
        ]
        return (*out, *([] if self.public else [self._noises[-1].law("count")]))

    def rows(self, answer: list[int]) -> int:
        """Return the number of rows, public or noisy, at least 1."""
        return self.n if self.public else max(1, answer[-1])

    def reaches(self, answer: list[int], miss: float) -> list[float]:
        """Return how far each mean of powers may be off, in steps to that power.

        ``|S' / C' - S / C| <= (|S' - S| + m |C' - C|) / C'`` for ``|S / C| <= m``.
        """
        each = miss / len(self._noises)
        reach = [noise.reach(each) for noise in self._noises]
        rows = self.rows(answer)
        counted = 0 if self.public else reach.pop()
        return [
            (one + self.far**power * counted) / rows for power, one in enumerate(reach, start=1)
        ]


def mean(db: Held, column: str, cost: Cost) -> Prepared[float]:
    """Prepare a mean."""
    sums = Sums(db, column, 1, cost)
    scale = sums.scale

    def read(answer: list[int]) -> dict[str, Any]:
        rows = sums.rows(answer)
        raw = (sums.middle + Fraction(answer[0], rows)) * scale.step
        return {
            "value": float(min(max(raw, scale.low), scale.high)),
            "sampling_stderr": float(scale.high - scale.low) / 2 / rows**0.5,
            "notes": notes(sums),
            "noise": sums.laws(),
            "_reach": lambda miss: sums.reaches(answer, miss)[0] * float(scale.step),
        }

    return db.prepared(sums.numbers.query("mean"), cost, sums.draw, read)


def variance(db: Held, column: str, cost: Cost) -> Prepared[float]:
    """Prepare a variance."""
    sums = Sums(db, column, 2, cost)
    step = sums.scale.step

    def read(answer: list[int]) -> dict[str, Any]:
        rows = sums.rows(answer)
        first, second = Fraction(answer[0], rows), Fraction(answer[1], rows)
        most = ((sums.scale.last - sums.scale.first) * step) ** 2 / 4
        return {
            "value": float(min(max((second - first * first) * step**2, Fraction(0)), most)),
            "notes": notes(sums),
            "noise": sums.laws(),
            "_reach": _of_variance(sums, answer, float(first)),
        }

    return db.prepared(sums.numbers.query("variance"), cost, sums.draw, read)


def _of_variance(sums: Sums, answer: list[int], first: float) -> Callable[[float], float]:
    def reach(miss: float) -> float:
        one, two = sums.reaches(answer, miss)
        return (two + one * (2 * abs(first) + one)) * float(sums.scale.step) ** 2

    return reach


def notes(sums: Sums) -> tuple[str, ...]:
    """Return what a reader should know about the parts."""
    scale: Any = sums.scale
    out = [f"values are clamped to the bounds, in steps of {float(scale.step):g}"]
    out += sums.numbers.notes
    if not sums.public:
        out.append("the number of rows is private: a part of the cost is paid for it")
    return tuple(out)
