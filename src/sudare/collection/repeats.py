"""Rounds: when the same questions are asked again, and what ε is one for.

A round is told by the clock alone, from moments that the definition states: devices and collectors
agree on it without a word. Rounds are numbered from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any

from sudare.collection import schema
from sudare.errors import CollectionError, OutOfReachError, as_one_of, counted
from sudare.exact import decimal_text
from sudare.exact.parameters import EPSILON_MIN

if TYPE_CHECKING:
    from sudare.mechanisms import Mechanism

EVERY = ("daily", "weekly", "monthly")
COVERS = ("steady", "any")
FIELDS = ("every", "rounds", "covers")
MOST_ROUNDS = 366
GRACE = timedelta(hours=1)
"""How long before and after a round its reports are taken: clocks differ, and reports wait."""
LEAST = timedelta(hours=1)
"""The shortest round."""
CLOCK = timedelta(hours=2)
"""What clocks are moved by at most: ``closes`` may be so much after the end of a regular round."""
_DAYS = {"daily": 1, "weekly": 7}
_PLACES = 6
_EACH = 60
"""Rounds up to which the total of each number of reports is stated: devices charge the last."""
_SHORT = 10**12


@dataclass(frozen=True, slots=True)
class Repeats:
    """When the rounds are, and whom the ε of all rounds together covers.

    Attributes:
        covers: ``"steady"``: people who give the same answer in each round; ``"any"``: everybody.
        starts: the first moment of each round, in UTC.
        ends: the moment after the last round, in UTC.
        wide: whether it is as versions before 0.3 took it: a survey that was published so keeps its
            definition. They charged answers that change by a wider bound, and counted a last round
            of an hour.

    Examples:
        >>> weekly = Repeats.read(
        ...     {"every": "weekly", "rounds": 3}, {"opens": "2026-12-01T00:00:00+09:00"}, "repeats"
        ... )
        >>> weekly.rounds, schema.moment_text(weekly.ends)
        (3, '2026-12-21T15:00:00Z')
        >>> weekly.round_at(schema.moment("2026-12-08T00:00:00+09:00", "now"))
        2
    """

    covers: str
    starts: tuple[datetime, ...]
    ends: datetime
    wide: bool = False

    def __post_init__(self) -> None:
        moments = (*self.starts, self.ends)
        if any(b - a < LEAST for a, b in pairwise(moments)):
            raise CollectionError(
                "repeats.every", "must be dates in their order, an hour apart or more"
            )

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return len(self.starts)

    @property
    def numbers(self) -> range:
        """The numbers of the rounds: 1, 2, ..."""
        return range(1, self.rounds + 1)

    @classmethod
    def read(
        cls, table: Any, head: Mapping[str, Any], where: str, *, wide: bool = False
    ) -> Repeats:
        """Read ``repeats`` of a survey file.

        Args:
            table: such as ``{ every = "weekly", rounds = 3 }``; or what is its ``every`` alone,
                ``"weekly"`` or a list of dates.
            head: the collection's table, for ``opens`` and ``closes``.
            where: the field's name, for an error.
            wide: as of the class.
        """
        if isinstance(table, str | list):
            table = {"every": table}
        if not isinstance(table, Mapping):
            raise CollectionError(
                where, "must be a table", 'such as { every = "weekly", rounds = 12 }'
            )
        schema.check_fields(table, FIELDS, ("every",), where, "say how often, or list the dates")
        covers = as_one_of(
            table.get("covers", COVERS[0]), f"{where}.covers", COVERS, CollectionError
        )
        every = table["every"]
        moments = (
            _listed(every, table, head, where)
            if isinstance(every, list)
            else _regular(every, table, head, where, wide)
        )
        return cls(covers, tuple(moments[:-1]), moments[-1], wide)

    @classmethod
    def restore(cls, data: Mapping[str, Any]) -> Repeats:
        """Rebuild it from :meth:`definition`."""
        starts = [schema.moment(one, "repeats.starts") for one in data["starts"]]
        ends = schema.moment(data["ends"], "repeats.ends")
        if ends is None or None in starts:
            raise CollectionError("repeats", "must state its moments")
        return cls(data["covers"], tuple(one for one in starts if one is not None), ends)

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers."""
        return {
            "covers": self.covers,
            "starts": [schema.moment_text(one) for one in self.starts],
            "ends": schema.moment_text(self.ends),
        }

    # -- the clock ---------------------------------------------------------------------------

    def round_at(self, now: datetime) -> int:
        """Return the number of the round at a moment.

        Raises:
            CollectionError: before the first, or after the last.
        """
        if now >= self.ends:
            raise CollectionError("collection", "is closed", "its last round is over")
        number = bisect_right(self.starts, now)
        if not number:
            raise CollectionError("collection", "is not open yet", "answer once it has opened")
        return number

    def window(self, number: int) -> tuple[datetime, datetime]:
        """Return the first moment of a round, and the one after its last."""
        starts = (*self.starts, self.ends)
        return starts[number - 1], starts[number]

    def taken(self, number: int) -> tuple[datetime, datetime]:
        """Return between which moments a collector takes reports of a round."""
        start, end = self.window(number)
        return start - GRACE, end + GRACE

    @property
    def short(self) -> timedelta | None:
        """How long the last round is, where that is less than half of any other; else None."""
        *others, last = (end - start for start, end in pairwise((*self.starts, self.ends)))
        return last if others and 2 * last < min(others) else None

    # -- what it costs -----------------------------------------------------------------------

    def totals(self, mechanism: Mechanism) -> tuple[Fraction, ...]:
        """Return ε after 1, 2, ... reports of a person whose answers differ, rounded up.

        After more than 60, that of all rounds. Empty where the ε that is stated covers that:
        devices charge nothing more.
        """
        from sudare.mechanisms.repeated import Repeated

        if self.covers != "steady" or not isinstance(mechanism, Repeated):
            return ()
        return _totals(mechanism, self.rounds, self.wide)

    def each(self, epsilon: Fraction) -> Fraction:
        """Return ε of one round where it is answered afresh in each: a part of ``epsilon``.

        Raises:
            OutOfReachError: it is less than any mechanism takes.
        """
        each = Fraction(int(epsilon / self.rounds * _SHORT), _SHORT)
        if each < EPSILON_MIN:
            raise self.out_of_reach(epsilon)
        return each

    def out_of_reach(self, epsilon: Fraction) -> OutOfReachError:
        """Return the error of an ε that is too small for so many rounds."""
        rule = f"is out of reach over {counted(self.rounds, 'round')}"
        remedy = "raise it, or ask in fewer rounds"
        return OutOfReachError("question.epsilon", rule, remedy, got=float(epsilon))

    def total_bound(self, mechanism: Mechanism) -> Fraction:
        """Return the ε of all rounds together that is stated, rounded up."""
        from sudare.mechanisms.repeated import Repeated
        from sudare.mechanisms.repeated.within import bounds_of

        if not isinstance(mechanism, Repeated):
            return self.rounds * mechanism.requested_epsilon
        if self.covers == "steady":
            return mechanism.requested_permanent
        bounds = bounds_of(mechanism, self.rounds, self.wide)
        return Fraction(10**6) if bounds is None else bounds[1]


def totals_text(totals: Sequence[Fraction]) -> list[str]:
    """Return :meth:`Repeats.totals` as it stands in a definition."""
    return [decimal_text(one, _PLACES) for one in totals]


@lru_cache(64)
def _totals(mechanism: Any, rounds: int, wide: bool) -> tuple[Fraction, ...]:
    from sudare.mechanisms.repeated.within import bounds_of

    step = Fraction(1, 10**_PLACES)
    found = (
        bounds_of(mechanism, r if wide or r <= _EACH else rounds, wide)
        for r in range(1, rounds + 1)
    )
    return tuple(-(-bounds[1] // step) * step for bounds in found if bounds is not None)


def _listed(
    every: list[Any], table: Mapping[str, Any], head: Mapping[str, Any], where: str
) -> list[datetime]:
    """Return the moments of a list of dates, the last one being that of ``closes``."""
    if "rounds" in table:
        raise CollectionError(f"{where}.rounds", "must be left out beside a list of dates")
    if not 1 <= len(every) <= MOST_ROUNDS:
        raise CollectionError(f"{where}.every", f"must have 1 to {MOST_ROUNDS} dates")
    if head.get("closes") is None:
        raise CollectionError(
            "collection.closes", "is missing", "it ends the last of the listed rounds"
        )
    found = [schema.moment(one, f"{where}.every[{i}]") for i, one in enumerate(every)]
    found.append(schema.moment(head["closes"], "collection.closes"))
    return [one for one in found if one is not None]


def _regular(
    every: Any, table: Mapping[str, Any], head: Mapping[str, Any], where: str, wide: bool
) -> list[datetime]:
    """Return the moments of regular rounds from ``opens`` on, in its offset.

    Rounds have one length, also where a clock is moved between ``opens`` and ``closes``: the last
    is then an hour longer or shorter than the others, and no round of an hour follows it.
    """
    as_one_of(every, f"{where}.every", EVERY, CollectionError)
    if head.get("opens") is None:
        raise CollectionError("collection.opens", "is missing", "the first round begins with it")
    first = head["opens"]
    first = datetime.fromisoformat(first) if isinstance(first, str) else first
    schema.moment(first, "collection.opens")
    if every == "monthly" and first.day > 28:
        raise CollectionError("collection.opens", "must be on a day from 1 to 28 of a month")
    ends = schema.moment(head.get("closes"), "collection.closes")
    if "rounds" in table:
        rounds = schema.whole(table["rounds"], f"{where}.rounds", 1, MOST_ROUNDS)
        if ends is not None:
            rule, remedy = "must be left out", "the last round ends it: repeats.rounds"
            raise CollectionError("collection.closes", rule, remedy)
        return [_later(first, every, i) for i in range(rounds + 1)]
    if ends is None:
        rule, remedy = "is missing", "or state collection.closes: ε is one of all rounds together"
        raise CollectionError(f"{where}.rounds", rule, remedy)
    starts = (_later(first, every, i) for i in range(MOST_ROUNDS + 1))
    within = list(takewhile(ends.__gt__, starts))
    if not 1 <= len(within) <= MOST_ROUNDS:
        rule = f"must leave 1 to {MOST_ROUNDS} rounds from opens on"
        raise CollectionError("collection.closes", rule, "move it, or ask more or less often")
    if len(within) > 1 and ends - within[-1] <= CLOCK and not wide:
        within.pop()
    return [*within, ends]


def _later(first: datetime, every: str, number: int) -> datetime:
    try:
        if every == "monthly":
            years, month = divmod(first.month - 1 + number, 12)
            later = first.replace(year=first.year + years, month=month + 1)
        else:
            later = first + timedelta(days=_DAYS[every] * number)
        return later.astimezone(UTC).replace(microsecond=0)
    except (OverflowError, ValueError):
        raise CollectionError("collection.opens", "must leave room for all rounds") from None
