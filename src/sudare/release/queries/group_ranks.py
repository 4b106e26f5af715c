"""Quantiles of given groups: an exponential mechanism for each, all for one price.

Together they are one exponential mechanism, whose loss is the sum of theirs: a row moves the ranks
of its own group alone. Proof: ``docs/proofs/filters.md``, 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.exact import exact_text
from sudare.ledger import Cost
from sudare.release.private_data import PrivateData
from sudare.release.queries.base import Name, Share, register
from sudare.release.queries.groups import GroupedQuery
from sudare.release.queries.ranks import LossPieces, as_share
from sudare.release.released import PreparedQuery


@dataclass(frozen=True)
class GroupRankQuery(GroupedQuery):
    """A number at a rank of each group."""

    noisy = False
    bound_in = "ranks"
    column: Name

    def wanted(self) -> Fraction:
        """Return the share of a group's rows that are to lie below its answer."""
        return Fraction(1, 2)

    def _sensitivity(self, held: PrivateData) -> Fraction:
        return held.protection.of_ranks(self.wanted(), self.size)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how many ranks the answer of a group is off at most: as of one quantile."""
        scale = held.numbers(self.column).scale
        wide = float(2 * self._sensitivity(held) / self.pure(cost))
        return wide * math.log((scale.last - scale.first + 1) / miss) + 1

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        numbers, asked, share = held.numbers(self.column), self.asked(held), self.wanted()
        scale, rate = numbers.scale, self.pure(cost) / (2 * self._sensitivity(held))
        named = self.named(asked)
        pieces = [
            LossPieces.of(values, times, scale, share * int(times.sum()))
            for values, times in held.group_tallies(asked["by"], asked["keys"], self.column)
        ]
        return held.prepared(
            numbers.query("quantile", share=str(share), **asked),
            cost.by("choice"),
            lambda: [one.draw(rate, held.entropy) for one in pieces],
            lambda answer: {
                "value": dict(zip(named, map(scale.shown, answer), strict=True)),
                "notes": (*numbers.notes, "its bounds are ones of ranks: so many rows of a group"),
                "bound_in": self.bound_in,
                "noise": ({"of": "choice", "law": "exponential", "rate": exact_text(rate)},),
                "_reach": lambda miss: self.planned(held, cost, miss),
            },
        )


@register
class GroupQuantile(GroupRankQuery):
    """Return a number of each group with about a share of the group's rows below it.

    As ``quantile`` does, for all groups at once: a row is in one of them.
    """

    kind = "quantile"
    share: Share

    def wanted(self) -> Fraction:
        """Return the share that is asked for."""
        return as_share(self.share)


@register
class GroupMedian(GroupRankQuery):
    """Return the median of each group: its quantile of one half."""

    kind = "median"
