"""Ranks and choices, by the exponential mechanism and permute-and-flip."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError
from sudare.exact import exact_text
from sudare.exact.entropy import Entropy
from sudare.exact.selection import exponential, permute_and_flip
from sudare.exact.uniform import uniform_one
from sudare.ledger import Cost
from sudare.release.grid import Scale, exact
from sudare.release.private_data import PrivateData
from sudare.release.queries.base import Categories, Name, Query, Share, register
from sudare.release.released import PreparedQuery

MOST_PARTS = 10**6

_USELESS = (
    "one person can move the {what} from one bound to the other, so that Laplace noise for it "
    "would be as wide as the bounds; this is the number with about {rank} rows beyond it"
)


@dataclass(frozen=True)
class RankQuery(Query):
    """A number at a rank of a column.

    ``P(x) ∝ exp(-ε loss(x) / (2 D))`` over the grid between the bounds, ``loss(x) = max(rows below
    x - r, r - rows not above x)``, r the wanted rank: how many ranks x is away from it.
    """

    noisy = False
    bound_in = "ranks"
    column: Name

    def ranks(self, held: PrivateData, cost: Cost, share: Fraction, miss: float) -> float:
        """Return how many ranks the answer is off at most, with probability ``1 - miss``.

        ``P(loss >= t) <= |grid| exp(-ε t / (2 D))``: some grid point has a loss of at most 1.
        """
        scale = held.numbers(self.column).scale
        points, sensitivity = scale.last - scale.first + 1, held.protection.of_rank(share)
        return float(2 * sensitivity / self.pure(cost)) * math.log(points / miss) + 1

    def wanted(self) -> Fraction:
        """Return the share of the rows that are to lie below the answer."""
        return Fraction(1, 2)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how many ranks the answer would be off at most."""
        return self.ranks(held, cost, self.wanted(), miss)

    def chosen(
        self,
        held: PrivateData,
        cost: Cost,
        tally: tuple[Integers, Integers],
        wanted: Fraction,
        share: Fraction,
        named: dict[str, Any],
        notes: tuple[str, ...] = (),
    ) -> PreparedQuery[float]:
        """Return the question for the number at a wanted rank, about a share of the rows.

        Args:
            held, cost: as of :meth:`prepare`.
            tally: the numbers that are there, and how often.
            wanted, share: the rank, and the share of the rows that it is.
            named: what stands in the ledger.
            notes: beside the answer.
        """
        numbers = held.numbers(self.column)
        rate = self.pure(cost) / (2 * held.protection.of_rank(share))
        # now: while noise is drawn other payments wait
        pieces = LossPieces.of(*tally, numbers.scale, wanted)
        return held.prepared(
            numbers.query("quantile", **named),
            cost.by("choice"),
            lambda: pieces.draw(rate, held.entropy),
            lambda answer: {
                "value": numbers.scale.shown(answer),
                "notes": (*notes, *numbers.notes, "its bound is one of ranks: so many rows"),
                "bound_in": self.bound_in,
                "noise": ({"of": "choice", "law": "exponential", "rate": exact_text(rate)},),
                "_reach": lambda miss: self.ranks(held, cost, share, miss),
            },
        )

    def quantile(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question for a quantile."""
        tally, share = held.tally(self.column), self.wanted()
        size = int(tally[1].sum())
        return self.chosen(held, cost, tally, share * size, share, {"share": str(share)})


@register
class Quantile(RankQuery):
    """Return a number with about a share of the rows below it.

    ::

        P(x) ∝ exp(-ε loss(x) / (2 D))

    over the grid between the bounds, ``loss(x) = max(rows below x - r, r - rows not above x)``, r
    = share n: how many ranks x is away. It is below 0 where x's own rows hold rank r.

    Source: Smith 2011, algorithm 2; its loss goes on below 0 here.
    """

    kind = "quantile"
    share: Share

    def wanted(self) -> Fraction:
        """Return the share that is asked for."""
        return as_share(self.share)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        return self.quantile(held, cost)


@register
class Median(RankQuery):
    """Return the quantile of one half."""

    kind = "median"

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        return self.quantile(held, cost)


@dataclass(frozen=True)
class ExtremeQuery(RankQuery):
    """A number as near an end as its rank can be told at 95 %."""

    top: ClassVar[bool]

    def wanted(self) -> Fraction:
        """Return all or none."""
        return Fraction(1 if self.top else 0)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[float]:
        """Return the question."""
        tally, share = held.tally(self.column), self.wanted()
        size = int(tally[1].sum())
        rank = math.ceil(self.ranks(held, cost, share, 0.05))
        wanted = Fraction(max(size - rank, 0) if self.top else min(rank, size))
        note = _USELESS.format(what="maximum" if self.top else "minimum", rank=rank)
        return self.chosen(held, cost, tally, wanted, share, {"extreme": self.kind}, (note,))


@register
class Max(ExtremeQuery):
    """Return a number near the top: as extreme as its rank can be told.

    A high quantile is all that can be told: one person can move the maximum from one bound to the
    other; its sensitivity is ``high - low``, and Laplace noise of that size drowns it.
    """

    kind = "max"
    top = True


@register
class Min(ExtremeQuery):
    """Return a number near the bottom: as extreme as its rank can be told.

    As ``max`` does.
    """

    kind = "min"
    top = False


@register
class Mode(Query):
    """Return the most frequent of the categories.

    By permute-and-flip. Where a person is added or removed all counts move one way, and the rate is
    twice as large.

    Source: McKenna, Sheldon 2020.
    """

    kind = "mode"
    noisy = False
    bound_in = "rows"
    column: Name
    categories: Categories

    def rate(self, held: PrivateData, cost: Cost) -> Fraction:
        """Return the rate at which a category that lacks a row is chosen less often."""
        one_way = held.protection.neighbours == "add-remove"
        return self.pure(cost) / ((1 if one_way else 2) * held.protection.of_count)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how many rows fewer than the most frequent one the answer would have at most."""
        return math.log(len(self.categories) / miss) / float(self.rate(held, cost))

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[Any]:
        """Return the question."""
        rate, given = self.rate(held, cost), held.categories(self.column, self.categories)
        counts = np.array(held.counts(self.column, given)[:-1], dtype=np.int64)
        losses = counts.max() - counts
        return held.prepared(
            {"query": self.kind, "column": self.column, "categories": given},
            cost,
            lambda: permute_and_flip(losses, rate, held.entropy),
            lambda answer: {
                "value": given[answer],
                "notes": ("its bound: so many rows fewer than the most frequent one at most",),
                "bound_in": self.bound_in,
                "noise": ({"of": "choice", "law": "permute-and-flip", "rate": exact_text(rate)},),
                "_reach": lambda miss: self.planned(held, cost, miss),
            },
        )


def as_share(share: object) -> Fraction:
    """Return a share of the rows."""
    value = exact(share, "share")
    if value.denominator > MOST_PARTS:
        raise DomainError("share", "must have at most 6 decimals", "round it", got=float(value))
    if not 0 <= value <= 1:
        raise DomainError("share", "must lie between 0 and 1", "such as 0.5", got=float(value))
    return value


@dataclass(frozen=True, slots=True, eq=False)
class LossPieces:
    """The grid in runs of points of one loss, from the lowest: each a value, or all between two.

    A point x has ranks from the number of values below it to that of values not above it; the loss
    is how far the wanted rank is from them, in whole ``parts`` of a rank. Where the wanted rank is
    among them, the loss is below 0: by how far it is from the nearer end. So a value that many
    have stands out from those beside it by both sides of its ranks, at the same sensitivity.
    """

    starts: Integers
    sizes: Integers
    losses: Integers
    parts: int

    @classmethod
    def of(cls, values: Integers, times: Integers, scale: Scale, wanted: Fraction) -> LossPieces:
        """Return the pieces that different values, each so many times, cut the grid into."""
        upto = np.concatenate([[0], np.cumsum(times)])
        ends = np.concatenate([[scale.first - 1], values, [scale.last + 1]])
        between = np.diff(ends) - 1
        free = np.flatnonzero(between)
        starts = np.concatenate([values, ends[free] + 1])
        sizes = np.concatenate([np.ones_like(values), between[free]])
        lows, highs = (
            np.concatenate([upto[:-1], upto[free]]),
            np.concatenate([upto[1:], upto[free]]),
        )
        order = np.argsort(starts, kind="stable")
        parts, goal = wanted.denominator, wanted.numerator
        losses = np.maximum(lows * parts - goal, goal - highs * parts)
        return cls(starts[order], sizes[order], losses[order], parts)

    def draw(self, rate: Fraction, rng: Entropy) -> int:
        """Draw a grid point: a piece, then one of its points, which are all alike."""
        chosen = exponential(self.losses, rate / self.parts, rng, times=self.sizes)
        return int(self.starts[chosen]) + _one_of(int(self.sizes[chosen]), rng)


def _one_of(size: int, rng: Entropy) -> int:
    """Return a uniform number below ``size``, which may be larger than one word's."""
    if size <= 1 << 31:
        return uniform_one(size, rng)
    while True:
        drawn = int.from_bytes(rng.take(8), "little") & ((1 << (size - 1).bit_length()) - 1)
        if drawn < size:
            return drawn
