"""Logistic regression: the functional mechanism, its polynomial taken anew where the last led.

Each round approximates the rows' loss by its polynomial of degree two around public coefficients,
whose coefficients are sums over the rows: whole numbers with noise. All that is worked out of a row
is in whole numbers, so that it cannot depend on where the row stands among others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from sudare.arrays import Booleans, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.entropy import Entropy
from sudare.ledger import Cost
from sudare.release.grid import product_sum, whole_sum
from sudare.release.noise import Noise
from sudare.release.private_data import PrivateData
from sudare.release.protection import NeighbourRelation
from sudare.release.queries.base import Name, Others, Query, register
from sudare.release.queries.gram import MOST_COLUMNS, Centred, pairs
from sudare.release.queries.lines import Line, names_of
from sudare.release.queries.moments import planned_rows
from sudare.release.released import PreparedQuery

SHARES = (Fraction(1, 8), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2))
"""Of the price, for each round."""

SLOPES = Fraction(3, 4)
"""Of a round's price, for the slopes of the loss; the rest is for how they change."""

UNIT, PART = 1 << 15, 1 << 10
"""A column reaches from -UNIT to UNIT, and a coefficient is a whole number of parts of 1."""

CHANCE, WEIGHT = 1 << 16, 1 << 10
"""What a probability is a whole number of parts of, and four times its variance."""

MOST = 32
"""A coefficient of a column between -1 and 1 is no farther from 0."""

_FINE, _FAR = 1 << 11, 16  # steps of 1 in a logit, and where a table of them ends


@dataclass(frozen=True, slots=True)
class Rounds:
    """The noisy sums of each round about p columns, ``z_0 = 1`` and z_1, ..., z_p in [-1, 1].

    ::

        slopes     Σ (chance - y) z_j            L1: m (p + 1), of replaced rows 2 m (p + 1)
        turns      Σ 4 chance (1 - chance) z_i z_j    m (p + 1) (p + 2) / 2, or m (p + 1)²

    chance is ``1 / (1 + exp(-b · z))`` of the round's coefficients b, rounded. Proof:
    ``docs/proofs/regression.md``, 6.

    Attributes:
        columns: p.
        noises: of a slope and of a turn, for each round.
    """

    columns: int
    noises: tuple[tuple[Noise, Noise], ...]

    @classmethod
    def of(cls, cost: Cost, protection: NeighbourRelation, columns: int) -> Rounds:
        """Return the rounds that the price buys."""
        one = sensitivities(protection, columns)
        sizes = (CHANCE * UNIT, WEIGHT * UNIT * UNIT)
        noises = []
        for share in SHARES:
            parts = (share * SLOPES, share * (1 - SLOPES))
            each = [
                Noise.of(Cost(cost.unit, cost.amount * part), most * size, squared * size**2)
                for part, (most, squared), size in zip(parts, one, sizes, strict=True)
            ]
            noises.append((each[0], each[1]))
        return cls(columns, tuple(noises))

    @property
    def size(self) -> int:
        """How many coefficients there are."""
        return self.columns + 1

    def drawn(self, rows: Rows, held: PrivateData, rng: Entropy) -> list[list[int]]:
        """Return of each round its noisy sums, and the coefficients that it leads to."""
        out, b = [], [0] * self.size
        for place, (slope, turn) in enumerate(self.noises):
            found = rows.sums(held, b)
            noises = [slope] * self.size + [turn] * (len(found) - self.size)
            sums = [noise.noised(one, rng) for noise, one in zip(noises, found, strict=True)]
            line = self.line(place, sums, b)
            b = [round(min(max(float(one), -MOST), MOST) * PART) for one in line.found]
            out.append([*sums, *b])
        return out

    def line(self, place: int, sums: Sequence[int], b: Sequence[int]) -> Line:
        """Return where a round leads from coefficients, and how far off that may be."""
        slope, turn = self.noises[place]
        right = -np.array([float(Fraction(one, CHANCE * UNIT)) for one in sums[: self.size]])
        matrix = np.zeros((self.size, self.size))
        for (i, j), one in zip(pairs(self.columns), sums[self.size :], strict=False):
            matrix[i, j] = matrix[j, i] = float(Fraction(one, 4 * WEIGHT * UNIT * UNIT))
        stderr = slope.stderr / (CHANCE * UNIT)
        turns = turn.stderr / (4 * WEIGHT * UNIT * UNIT)
        about = np.array(b) / PART
        line = Line.of(
            matrix, right, stderr, slope.cost, about=about, known=False, residual=1.0, turns=turns
        )
        return line.stepped(matrix, about, MOST)

    def last(self, answer: Sequence[Sequence[int]]) -> Line:
        """Return what an answer tells."""
        about = answer[-2][-self.size :]
        return self.line(len(self.noises) - 1, answer[-1][: -self.size], about)

    def planned(self, rows: int) -> Line:
        """Return the same for columns that are independent and even, and tell nothing."""
        turns = [
            0 if i != j else rows * WEIGHT * UNIT * UNIT // (1 if i == 0 else 3)
            for i, j in pairs(self.columns)
        ]
        return self.line(len(self.noises) - 1, [*[0] * self.size, *turns], [0] * self.size)


def sensitivities(
    protection: NeighbourRelation, columns: int
) -> tuple[tuple[int, Fraction], tuple[int, Fraction]]:
    """Return how far neighbours move slopes, then turns: in all, and as a sum of squares."""
    k, m = columns + 1, protection.rows
    if protection.neighbours == "add-remove":
        turns = m * k * (k + 1) // 2, Fraction(m * m * k * (k + 1), 2)
        return (m * k, Fraction(m * m * k)), turns
    return (2 * m * k, Fraction(4 * m * m * k)), (m * k * k, Fraction(m * m * k * (2 * k + 1), 2))


@dataclass(frozen=True, slots=True)
class Rows:
    """A column of two values, and those that tell it.

    Attributes:
        name: of the first column.
        of: the others.
    """

    name: str
    of: Centred

    @classmethod
    def read(cls, held: PrivateData, column: Any, others: Any) -> Rows:
        """Return checked columns; their values are not looked at."""
        kind, name = held.kind_of(column), held.named(column)
        scale = held.bounded[name].scale if name in held.bounded else None
        own = () if scale is None else (scale.low, scale.high - 1, scale.step - 1)
        if kind != "truth" and (not own or any(own)):
            rule = "must hold truth values, or whole numbers with the bounds (0, 1)"
            raise WrongTypeError(f"column {name}", rule, "make such a column first")
        given = [others] if isinstance(others, str) else others
        if not isinstance(given, list | tuple) or not 0 < len(given) < MOST_COLUMNS:
            rule = f"must be a list of 1 to {MOST_COLUMNS - 1} columns"
            raise WrongTypeError("others", rule, "with bounds")
        if name in given:
            raise DomainError("others", "must not have the column that is told", "leave it out")
        return cls(name, Centred.of_all(held, given))

    def _truth(self, part: PrivateData) -> tuple[Integers, Booleans]:
        """Return 0 and 1, and which rows have one of them."""
        if self.name in part.bounded:
            numbers = part.numbers(self.name)
            return numbers.steps, ~numbers.column.missing
        column = part.column(self.name)
        places = column.places([False, True])
        return places, places < 2

    def sums(self, held: PrivateData, b: Sequence[int]) -> list[int]:
        """Return the exact sums of a round about coefficients, in parts of 1."""
        chances, weights = _tables()

        def summed(part: PrivateData) -> Any:
            y, there = self._truth(part)
            numbers = [part.numbers(name) for name in self.of.names]
            there = np.logical_and.reduce([there, *(~one.column.missing for one in numbers)])
            z = [
                (2 * UNIT * u[there] + width) // (2 * width)
                for u, width in zip(self.of.centred(numbers), self.of.widths[1:], strict=True)
            ]
            logit = np.full(int(there.sum()), b[0] * UNIT, dtype=np.int64)
            for one, own in zip(b[1:], z, strict=True):
                logit += one * own
            at = np.clip(logit // (UNIT * PART // _FINE), -_FAR * _FINE, _FAR * _FINE - 1)
            at += _FAR * _FINE
            off, weight = chances[at] - CHANCE * y[there], weights[at]
            z = [np.full(off.size, UNIT, dtype=np.int64), *z]
            out = [UNIT * whole_sum(off), *(product_sum(off, one) for one in z[1:])]
            out += [product_sum(weight * z[i], z[j]) for i, j in pairs(len(z) - 1)]
            return np.array(out, dtype=object)

        return [int(one) for one in held.total(summed, self.name, *self.of.names)]


@cache
def _tables() -> tuple[Integers, Integers]:
    """Return the chance of each logit, and four times its variance: the same for all rows."""
    logits = [(at + 0.5) / _FINE for at in range(-_FAR * _FINE, _FAR * _FINE)]
    chances = [1 / (1 + math.exp(-one)) for one in logits]
    return (
        np.array([min(max(round(CHANCE * one), 0), CHANCE) for one in chances]),
        np.array([min(max(round(4 * WEIGHT * one * (1 - one)), 0), WEIGHT) for one in chances]),
    )


@register
class Logistic(Query):
    """Return the logistic regression that tells a column of two values by others with bounds.

    An intercept and a coefficient for each of the others, of ``ln(chance / (1 - chance))``. In four
    rounds, the last for half of the price; values are clamped to the bounds. ``bounds()`` say how
    far the noise takes the coefficients from the likeliest ones for the data, ``intervals()`` hold
    those of a population of which the rows are a sample.
    """

    kind = "logistic"
    column: Name
    others: Others

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far it would reach for independent columns, even, that tell nothing.

        The widest of the coefficients but the intercept. No bound holds for all data.
        """
        of = Centred.of_all(held, self.others)
        line = Rounds.of(cost, held.protection, len(of.names)).planned(planned_rows(held))
        return line.shown(of, target=False).widest(miss, cost)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[str, float]]:
        """Return the question."""
        rows = Rows.read(held, self.column, self.others)
        held.at_hand()  # a round reads all rows, while it is paid
        rounds = Rounds.of(cost, held.protection, len(rows.of.names))
        names = names_of(rows.of.names)

        def read(answer: list[list[int]]) -> dict[str, Any]:
            line = rounds.last(answer).shown(rows.of, target=False)
            return {
                "value": dict(zip(names, map(float, line.found), strict=True)),
                "notes": (*rows.of.notes(held), "rows without one of the values are left out"),
                "noise": tuple(
                    law
                    for place, (slope, turn) in enumerate(rounds.noises, start=1)
                    for law in (
                        slope.law(f"slope, round {place}", Fraction(1, CHANCE * UNIT)),
                        turn.law(f"turn, round {place}", Fraction(1, WEIGHT * UNIT * UNIT)),
                    )
                ),
                "_reach": lambda miss: max(line.reaches(miss)),
                "_reaches": line.reaches,
                "_intervals": line.intervals,
            }

        return held.prepared(
            {"query": self.kind, "column": rows.name, "others": rows.of.told(held),
             "missing": held.missing},
            cost.for_noise,
            lambda: rounds.drawn(rows, held, held.entropy),
            read,
        )  # fmt: skip
