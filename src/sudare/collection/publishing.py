"""When figures of a collection become public: in steps of many reports, or once at its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.collection import schema
from sudare.errors import CollectionError, as_one_of

USUAL = 50
FIELDS = ("publish", "publish_at", "publish_every")
_WAYS = ("steps", "end")


@dataclass(frozen=True, slots=True)
class Publishing:
    """The rule by which the public sees a collection's figures, the number of reports included.

    ::

        first at n >= at; then, p reports being public, at n - p >= max(at, ceil(p / 10))

    or at ``n - p >= every`` where that is stated; ``at = 1`` alone publishes each report. With the
    end of the collection what is left follows, if it is at least ``least`` reports.

    Attributes:
        at: reports of the first step, and the fewest of each further one.
        every: reports of each further step, where it is stated.
        once: nothing is public before the end.

    Examples:
        >>> rule = Publishing()
        >>> rule.step(0), rule.step(50), rule.step(1234)
        (50, 50, 124)
    """

    at: int = USUAL
    every: int | None = None
    once: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Publishing:
        """Read the rule of a survey file, or of a definition.

        Raises:
            CollectionError: a field is not what it may be.
        """
        way = as_one_of(table.get("publish", "steps"), "collection.publish", _WAYS, CollectionError)
        at = table.get("publish_at", USUAL)
        every = table.get("publish_every")
        return cls(
            _reports(at, "collection.publish_at"),
            None if every is None else _reports(every, "collection.publish_every"),
            way == "end",
        )

    def check(self, *, ends: bool) -> None:
        """Raise CollectionError unless the rule suits a collection that ends, or does not."""
        if self.once and not ends:
            raise CollectionError(
                "collection.publish", 'must not be "end" without an end', "state closes"
            )
        if self.once and self.every is not None:
            raise CollectionError(
                "collection.publish_every", 'must be left out beside publish = "end"'
            )

    def definition(self) -> dict[str, Any]:
        """Return what differs from the usual rule, as it stands in a definition."""
        return {
            **({"publish_at": self.at} if self.at != USUAL else {}),
            **({} if self.every is None else {"publish_every": self.every}),
            **({"publish": "end"} if self.once else {}),
        }

    @property
    def least(self) -> int:
        """The fewest reports between two publications."""
        return self.at if self.every is None else min(self.at, self.every)

    def step(self, public: int) -> int:
        """Return how many new reports the next step takes, where so many are public."""
        if public == 0 or (self.at == 1 and self.every is None):
            return self.at
        return max(self.at, -(-public // 10)) if self.every is None else self.every

    def due(self, public: int, n: int, *, ended: bool) -> bool:
        """Tell whether n reports are to be published, where ``public`` of them are already."""
        if n < self.at:
            return False
        new = n - public
        return new >= self.least if ended else not self.once and new >= self.step(public)

    def next(self, public: int) -> int:
        """Return with how many reports the next step is due, where ``public`` are public."""
        return max(self.at, public + self.step(public))


def _reports(value: Any, where: str) -> int:
    return schema.whole(value, where, 1, 10**12)
