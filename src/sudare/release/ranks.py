"""Quantiles, and what can be told of the largest and smallest: the exponential mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.errors import DomainError
from sudare.exact import exact_text
from sudare.exact.selection import exponential
from sudare.exact.uniform import uniform_one
from sudare.ledger import Cost
from sudare.release.grid import Ints, Scale, exact
from sudare.release.held import Held
from sudare.release.prepared import Prepared

MOST_PARTS = 10**6

_USELESS = (
    "one person can move the {what} from one bound to the other, so that Laplace noise for it "
    "would be as wide as the bounds; this is the number with about {rank} rows beyond it"
)


def as_share(share: object) -> Fraction:
    """Return a share of the rows."""
    value = exact(share, "share")
    if value.denominator > MOST_PARTS:
        raise DomainError("share", "must have at most 6 decimals", "round it", got=float(value))
    if not 0 <= value <= 1:
        raise DomainError("share", "must lie between 0 and 1", "such as 0.5", got=float(value))
    return value


def quantile(db: Held, column: str, share: Fraction, cost: Cost) -> Prepared[float]:
    """Prepare a quantile."""
    size = db.numbers(column).values.size
    return _prepared(db, column, cost, share * size, share, {"share": str(share)}, ())


def extreme(db: Held, column: str, cost: Cost, *, top: bool) -> Prepared[float]:
    """Prepare a number near the top or the bottom: as near as its rank can be told at 95 %."""
    numbers = db.numbers(column)
    size = numbers.values.size
    share = Fraction(1 if top else 0)
    rank = math.ceil(_ranks(db, numbers.scale, cost, share, 0.05))
    wanted = Fraction(max(size - rank, 0) if top else min(rank, size))
    what = "maximum" if top else "minimum"
    note = _USELESS.format(what=what, rank=rank)
    named = {"extreme": "max" if top else "min"}
    return _prepared(db, column, cost, wanted, share, named, (note,))


def _ranks(db: Held, scale: Scale, cost: Cost, share: Fraction, miss: float) -> float:
    """Return how many ranks the answer is off at most, with probability ``1 - miss``.

    ``P(loss >= t) <= |grid| exp(-ε t / (2 D))``: some grid point has a loss of at most 1.
    """
    points = scale.last - scale.first + 1
    sensitivity = db.protection.of_rank(share)
    return float(2 * sensitivity / cost.amount) * math.log(points / miss) + 1


def _prepared(
    db: Held,
    column: str,
    cost: Cost,
    wanted: Fraction,
    share: Fraction,
    named: dict[str, Any],
    notes: tuple[str, ...],
) -> Prepared[float]:
    numbers = db.numbers(column)
    scale = numbers.scale
    rate = cost.amount / (2 * db.protection.of_rank(share))
    pieces = _Pieces.of(
        numbers.values, scale, wanted
    )  # now: while noise is drawn other payments wait
    return db.prepared(
        numbers.query("quantile", **named),
        cost,
        lambda: pieces.draw(rate, db),
        lambda answer: {
            "value": float(min(max(answer * scale.step, scale.low), scale.high)),
            "notes": (*notes, *numbers.notes, "its bound is one of ranks: so many rows"),
            "bound_in": "ranks",
            "noise": ({"of": "choice", "law": "exponential", "rate": exact_text(rate)},),
            "_reach": lambda miss: _ranks(db, scale, cost, share, miss),
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """The grid in runs of points of one loss, from the lowest: each a value, or all between two.

    A point x has ranks from the number of values below it to that of values not above it; the loss
    is how far the wanted rank is from them, in whole ``parts`` of a rank.
    """

    starts: Ints
    sizes: Ints
    losses: Ints
    parts: int

    @classmethod
    def of(cls, steps: Ints, scale: Scale, wanted: Fraction) -> _Pieces:
        """Return the pieces that the values of a column cut the grid into."""
        values, times = np.unique(steps, return_counts=True)
        upto = np.concatenate([[0], np.cumsum(times)])
        ends = np.concatenate([[scale.first - 1], values, [scale.last + 1]])
        starts = np.concatenate([values, ends[:-1] + 1])
        sizes = np.concatenate([np.ones_like(values), np.diff(ends) - 1])
        lows, highs = np.concatenate([upto[:-1], upto]), np.concatenate([upto[1:], upto])
        order = np.argsort(starts, kind="stable")
        order = order[sizes[order] > 0]
        parts, goal = wanted.denominator, wanted.numerator
        losses = np.maximum(np.maximum(lows * parts - goal, goal - highs * parts), 0)
        return cls(starts[order], sizes[order], losses[order], parts)

    def draw(self, rate: Fraction, db: Held) -> int:
        """Draw a grid point: a piece, then one of its points, which are all alike."""
        chosen = exponential(self.losses, rate / self.parts, db.entropy, times=self.sizes)
        return int(self.starts[chosen]) + _one_of(int(self.sizes[chosen]), db)


def _one_of(size: int, db: Held) -> int:
    """Return a uniform number below ``size``, which may be larger than one word's."""
    if size <= 1 << 31:
        return uniform_one(size, db.entropy)
    while True:
        drawn = int.from_bytes(db.entropy.take(8), "little") & ((1 << (size - 1).bit_length()) - 1)
        if drawn < size:
            return drawn
