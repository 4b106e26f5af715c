"""The groups of a text column that nobody listed: those that many persons have.

Each group that is there gets noise, and is published where its noisy number reaches a threshold: a
group that one person alone has is published with a probability of at most δ. Proof:
``docs/proofs/keys.md``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any

from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer, exact_text
from sudare.exact.entropy import Entropy
from sudare.ledger import Cost
from sudare.ledger.bills import MOST_ANSWER
from sudare.ledger.costs import as_delta
from sudare.release.noise import Noise
from sudare.release.private_data import MOST_GROUPS, PrivateData
from sudare.release.queries.base import Field, Name, Query, register
from sudare.release.released import PreparedQuery

_ROOM = MOST_ANSWER // 2
_LEAST = Fraction(1, 10**100)
"""Of δ: a threshold is worked out with whole numbers of about as many digits."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Which groups are published.

    Attributes:
        noise: of the number of persons of each.
        threshold: a group is published where that number, with noise, is no less.
    """

    noise: Noise
    threshold: int

    @classmethod
    def of(cls, noise: Noise, delta: Fraction, groups: int) -> Rule:
        """Return the rule by which ``groups`` groups of one person are published with at most δ.

        ``groups P(1 + noise >= threshold) <= δ``.
        """
        return cls(noise, 1 + noise.beyond(delta / groups))

    def published(self, found: Mapping[str, int], rng: Entropy) -> list[list[Any]]:
        """Return groups with noisy numbers, by name: of very many the largest ones.

        What is left out then depends on nothing but what is published.
        """
        pairs = zip(found, self.noise.added(list(found.values()), rng), strict=True)
        kept = sorted((-many, key) for key, many in pairs if many >= self.threshold)
        out: list[list[Any]] = []
        room = _ROOM
        for many, key in kept[:MOST_GROUPS]:
            room -= len(json.dumps([key, -many])) + 2
            if room < 0:
                break
            out.append([key, -many])
        return sorted(one for one in out if _is_written(one[0]))


def _is_written(text: str) -> bool:
    """Tell whether text has a code in UTF-8: half a surrogate pair has none, and no ledger it."""
    return text.isascii() or text == text.encode(errors="ignore").decode()


@register
class Discover(Query):
    """Find the groups of a text column that nobody listed, and count the persons of each.

    A group is told where its number of persons, with noise, reaches a threshold; one that a single
    person has with a probability of at most ``delta``. It is paid in δ beside ε or ρ, by accounts
    that carry δ alone (``keys=``). Where a person may have several rows it counts once in each of
    ``groups`` groups at most, the first ones in the order of the data; by default in as many as it
    may have rows.

    Source: Korolova, Kenthapadi, Mishra, Ntoulas 2009; Desfontaines, Voss, Gipson, Mandayam 2022.
    """

    kind = "discover"
    tabled = True
    column: Name
    delta: Annotated[Any, Field("number", low=0, high=1)]
    groups: Annotated[Any, Field("number", low=1, high=1 << 20)] = None

    @classmethod
    def read(cls, held: PrivateData, given: Mapping[str, Any]) -> Query:
        """Return the query; text has the groups after δ: ``discover:region=1e-6,2``."""
        delta, comma, groups = str(given["delta"]).partition(",")
        if comma and given.get("groups") is None:
            given = {**given, "delta": delta, "groups": groups}
        return super().read(held, given)

    def most(self, held: PrivateData) -> int:
        """Return in how many groups a person counts at most."""
        rows = held.protection.rows
        if self.groups is None:
            return rows
        given = self.groups
        whole = int(given) if isinstance(given, Fraction) and given.denominator == 1 else given
        most = as_integer(whole, "groups", low=1, high=1 << 20)
        if most > rows:
            rule = f"must be at most {rows}, the rows that a person may have"
            raise DomainError("groups", rule, "leave it out", got=most)
        return most

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each number of persons."""
        moved = self.most(held) * (2 if held.protection.neighbours == "replace-one" else 1)
        return Noise.of(cost, moved, moved), Fraction(1)

    def rule(self, held: PrivateData, cost: Cost) -> Rule:
        """Return which groups are published."""
        delta = as_delta(self.delta)
        if delta < _LEAST:
            raise DomainError("delta", "must be at least 1e-100", "such as 1e-6")
        return Rule.of(self.noise(held, cost)[0], delta, self.most(held))

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[str, float]]:
        """Return the question."""
        if held.kind_of(self.column) != "text":
            raise WrongTypeError("column", "must hold text", "of numbers ask for bins")
        most, rule = self.most(held), self.rule(held, cost)
        found = held.present(held.named(self.column), most)
        delta = as_delta(self.delta)
        sure = rule.threshold + rule.noise.reach(0.05)
        notes = (
            f"a group is told where its number, with noise, reaches {rule.threshold}; one of "
            f"{sure} persons or more is told with a probability of at least 95 %",
            "its bound is of the noise: near the threshold groups with high noise are told",
        )
        law = {**rule.noise.law("count"), "threshold": rule.threshold}
        return held.prepared(
            {
                "query": self.kind, "column": self.column,
                "delta": exact_text(delta), "groups": most,
            },
            replace(cost.for_noise, delta=delta),
            lambda: rule.published(found, held.entropy),
            lambda answer: {
                "value": {key: float(many) for key, many in answer},
                "notes": notes,
                "noise": (law,),
                "_reach": lambda miss: float(rule.noise.reach(miss)),
            },
        )  # fmt: skip
