"""The most frequent categories, one after another: each choice is made of those that are left.

Proof: ``docs/proofs/keys.md``, 6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError
from sudare.exact import as_integer, exact_text
from sudare.exact.entropy import Entropy
from sudare.exact.selection import exponential, permute_and_flip
from sudare.ledger import Cost
from sudare.release.private_data import MOST_GROUPS, PrivateData
from sudare.release.queries.base import Categories, Field, Name, Query, register
from sudare.release.released import PreparedQuery

_NOTE = "its bound: each has at most so many rows fewer than the largest one not named before it"


@dataclass(frozen=True, slots=True)
class Peeling:
    """Choices that are made one after another.

    Attributes:
        law: of each choice.
        rate: at which a category that lacks a row is chosen less often.
        times: how many choices.
    """

    law: Literal["permute-and-flip", "exponential"]
    rate: Fraction
    times: int

    @classmethod
    def of(cls, cost: Cost, times: int, moved: int) -> Peeling:
        """Return what a price pays for.

        ε: permute-and-flip, ``ε / k`` for each. ρ: the exponential mechanism, whose choice at ε'
        costs ``ε'² / 8``: ``ε' = sqrt(8 ρ / k)``, rounded down.

        Args:
            cost: of all choices.
            times: how many.
            moved: by how much two losses can move apart between neighbours.
        """
        if cost.unit == "epsilon":
            return cls("permute-and-flip", cost.amount / times / moved, times)
        square = 8 * cost.amount / times
        each = Fraction(math.isqrt(math.floor(square * (1 << 200))), 1 << 100)
        return cls("exponential", each / moved, times)

    def drawn(self, counts: Integers, rng: Entropy) -> list[int]:
        """Return the places of the categories, in the order in which they were chosen."""
        draw = permute_and_flip if self.law == "permute-and-flip" else exponential
        left = np.arange(counts.size)
        out: list[int] = []
        for _ in range(self.times):
            own = counts[left]
            chosen = draw(own.max() - own, self.rate, rng)
            out.append(int(left[chosen]))
            left = np.delete(left, chosen)
        return out

    def reach(self, size: int, miss: float) -> float:
        """Return how many rows each of the choices lacks at most, with probability ``1 - miss``."""
        return math.log(size * self.times / miss) / float(self.rate)


@register
class Top(Query):
    """Tell the k most frequent of the given categories, the first one first.

    They are chosen one after another, of those that are left: for ε by permute-and-flip, ε / k for
    each; for ρ by the exponential mechanism, ρ / k for each. The value has their places, from 1.
    In text ``top:COLUMN=K,A,B,C``.

    Source: Durfee, Rogers 2019; McKenna, Sheldon 2020.
    """

    kind = "top"
    bound_in = "rows"
    column: Name
    categories: Categories
    k: Annotated[Any, Field("number", low=1, high=MOST_GROUPS)]

    @classmethod
    def spelling(cls) -> str:
        """Return how text asks it."""
        return "top:COLUMN=K,A,B"

    @classmethod
    def read(cls, held: PrivateData, given: Mapping[str, Any]) -> Query:
        """Return the query; text has k before the categories."""
        if given.get("k") is None:
            first, *rest = given["categories"]
            given = {**given, "k": first, "categories": rest}
        return super().read(held, given)

    def peeling(self, held: PrivateData, cost: Cost) -> Peeling:
        """Return how its categories are chosen."""
        k = int(self.k) if isinstance(self.k, Fraction) and self.k.denominator == 1 else self.k
        times = as_integer(k, "k", low=1, high=MOST_GROUPS)
        if times > len(self.categories):
            raise DomainError("k", "must be at most the number of categories", "give more of them")
        # where all counts move one way, losses move apart by one count's move alone
        one_way = held.protection.neighbours == "add-remove"
        return Peeling.of(cost, times, (1 if one_way else 2) * held.protection.of_count)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how many rows each lacks at most to the largest one not named before it."""
        return self.peeling(held, cost).reach(len(self.categories), miss)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[Any, float]]:
        """Return the question."""
        given = held.categories(self.column, self.categories)
        peeling = self.peeling(held, cost)
        counts = np.array(held.counts(self.column, given)[:-1], dtype=np.int64)
        law = {"of": "choice", "law": peeling.law, "rate": exact_text(peeling.rate)}
        return held.prepared(
            {"query": self.kind, "column": self.column, "categories": given, "k": peeling.times},
            cost,
            lambda: peeling.drawn(counts, held.entropy),
            lambda answer: {
                "value": {given[one]: float(place) for place, one in enumerate(answer, start=1)},
                "notes": (_NOTE,),
                "bound_in": "rows",
                "noise": ({**law, "times": peeling.times},),
                "_reach": lambda miss: peeling.reach(len(given), miss),
            },
        )
