"""Histograms of numbers and of dates: counts of rows between public edges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import exact_text
from sudare.ledger import Cost
from sudare.release.calendar import as_zone, instant, local_days
from sudare.release.column import Column
from sudare.release.kinds import TIMES, as_time
from sudare.release.matching import Cut, Match, as_value, reached
from sudare.release.noise import Noise
from sudare.release.private_data import MOST_GROUPS, PrivateData
from sudare.release.queries.base import Categories, Field, Name, Query, register
from sudare.release.released import PreparedQuery

EVERY, BEYOND = ("day", "week", "month"), ("drop", "ends")

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Cuts:
    """Bins as cuts of a column's numbers; a bin lies between one cut and the next.

    Attributes:
        cuts: one more than there are bins, or more where ``places`` is given.
        names: of the bins.
        edges: as they stand in the ledger.
        ends: names of all that is below the first cut, and above the last.
        notes: in which zone days and edges are.
        places: before, between and after the cuts, which bin it is: 0 below the first, then those
            in their order, the last above; None where each is one of its own.
    """

    cuts: tuple[Cut, ...]
    names: tuple[str, ...]
    edges: tuple[str, ...]
    ends: tuple[str, str]
    notes: tuple[str, ...] = ()
    places: tuple[int, ...] | None = None

    @classmethod
    def of(cls, column: Column, edges: object, every: str | None, zone: object = None) -> Cuts:
        """Return checked bins; the column's values are not looked at."""
        if column.kind != "number" and column.kind not in TIMES:
            rule = f"must hold numbers, dates or times, not {column.kind}"
            raise WrongTypeError(
                f"column {column.name}", rule, "give bounds, or say its type: types=, --type"
            )
        if not isinstance(edges, list | tuple | range) or not 2 <= len(edges) <= MOST_GROUPS:
            rule = f"must be a list of 2 to {MOST_GROUPS:,} numbers, dates or times"
            raise WrongTypeError("edges", rule, "such as [0, 18, 65, 120]")
        local = _zone(column, zone)
        if every is not None:
            days = [as_time("date", one, "edges") for one in edges]
            return cls._of_days(column, days, every, local)
        if column.kind == "datetime":
            edges = [as_time("datetime", one, "edges") for one in edges]
            if local is not None:
                edges = [instant(one, local, "edges") if one.tzinfo is None else one
                         for one in edges]  # fmt: skip
        values = [as_value(column, one) for one in edges]
        if not all(a < b for a, b in pairwise(values)):
            raise DomainError("edges", "must ascend", "sort them, each once")
        said = [_said(column, one, value) for one, value in zip(edges, values, strict=True)]
        shown = [_shown(column, one, local) or text for one, text in zip(edges, said, strict=True)]
        names = [f"[{a}, {b})" for a, b in pairwise(shown)]
        names[-1] = f"[{shown[-2]}, {shown[-1]}]"
        cuts = (*((one, 0) for one in values[:-1]), (values[-1], 1))
        ends = (f"< {shown[0]}", f"> {shown[-1]}")
        return cls(cuts, tuple(names), tuple(said), ends, _notes(column, local))

    @classmethod
    def _of_days(cls, column: Column, edges: list[date], every: str, zone: ZoneInfo | None) -> Cuts:
        """Return a bin for each day, week or month from a first to a last day, both included."""
        if column.kind not in ("date", "datetime"):
            raise WrongTypeError("every", "is for dates", "give all edges")
        first, last = edges[0], edges[-1]
        if len(edges) > 2 or not first <= last < date.max or (last - first).days >= MOST_GROUPS:
            rule = f"must be a first day and a last one, at most {MOST_GROUPS:,} days"
            raise DomainError("edges", rule, "such as 2020-01-01,2020-12-31")
        days = [first + i * _DAY for i in range((last - first).days + 1)]
        starts = [one for one in days if one == first or _starts(one, every)]
        called = zone.key if zone else "UTC" if column.zoned else ""
        after = f" {called}" if called else ""
        names = tuple(f"{_period(one, every)}{after}" for one in starts)
        more: dict[str, Any] = {
            "names": names,
            "edges": (str(first), str(last)),
            "ends": (f"< {first}{after}", f"> {last}{after}"),
            "notes": _notes(column, zone),
        }
        if zone is None:
            cuts = [(column.amount(one, "edges"), 0) for one in (*starts, last + _DAY)]
            return cls(cuts=tuple(cuts), **more)
        ordered = [*starts, last + _DAY]
        changes = [(second, bisect_right(ordered, day))
                   for second, day in local_days(zone, first, last)]  # fmt: skip
        kept = [one for i, one in enumerate(changes) if i == 0 or one[1] != changes[i - 1][1]]
        return cls(
            cuts=tuple((Fraction(second), 0) for second, _ in kept[1:]),
            places=tuple(place for _, place in kept),
            **more,
        )

    def counts(self, column: Column) -> Integers:
        """Return how many rows are below, in each bin, and above; missing ones are in none."""
        found = reached(column, self.cuts)
        if self.places is not None:
            found = np.array(self.places)[found]
        size = len(self.names) + 2
        return np.bincount(np.where(column.missing, size, found), minlength=size + 1)[:size]


@register
class Bins(Query):
    """Count the rows whose number or date lies in each bin between given edges.

    A bin has its lower edge and not its upper one, the last has both. With ``every`` (``"day"``,
    ``"week"``, ``"month"``) the edges are a first and a last day, and there is a bin for each day,
    week from Monday, or month, as far as it lies between them. Rows outside the edges are left out,
    or counted in a bin at each end (``beyond="ends"``). Values are not clamped, and need no bounds.

    Moments that have a zone are cut by the calendar of ``zone``, a name such as ``"Asia/Tokyo"``,
    also across a change of its clock; without it by that of UTC. An edge without a zone is then a
    reading of that zone's clock. Moments without a zone are cut as they are written. Names and a
    note of the answer say which zone holds.
    """

    kind = "bins"
    column: Name
    edges: Categories
    every: Annotated[Any, Field("word", words=EVERY)] = None
    beyond: Annotated[Any, Field("word", words=BEYOND)] = None
    zone: Annotated[Any, Field("zone")] = None

    def __post_init__(self) -> None:
        for name, words in (("every", EVERY), ("beyond", BEYOND)):
            given = getattr(self, name)
            if given is not None and given not in words:
                raise DomainError(name, f"must be one of {', '.join(words)}", "or leave it out")

    @classmethod
    def read(cls, held: PrivateData, given: Mapping[str, Any]) -> Query:
        """Return the query; text has the words after the edges: ``bins:born=A,B,month,ends``.

        The name of a zone may follow them, as it begins with a letter and no edge does.
        """
        out, edges = dict(given), list(given["edges"])
        known = (*BEYOND, *EVERY)
        if edges and _is_word(edges[-1]) and edges[-1] not in known and out.get("zone") is None:
            out["zone"] = edges.pop()
        for name, words in (("beyond", BEYOND), ("every", EVERY)):
            if edges and edges[-1] in words and out.get(name) is None:
                out[name] = edges.pop()
        return super().read(held, {**out, "edges": edges})

    def contradicted(self, held: PrivateData, matches: Mapping[str, Match]) -> str | None:
        """Return the column if its conditions leave no row in a bin."""
        match = matches.get(self.column)
        if match is None or self.beyond == "ends":
            return None
        cuts = self._cuts(held).cuts
        return None if match.meets(cuts[0], cuts[-1]) else self.column

    def _cuts(self, held: PrivateData) -> Cuts:
        return Cuts.of(held.columns[held.named(self.column)], self.edges, self.every, self.zone)

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each count: the bins share no row."""
        bins = len(self._cuts(held).names) + 2 * (self.beyond == "ends")
        if bins == 1:
            return Noise.of(cost, held.protection.of_count), Fraction(1)
        return Noise.of_counts(cost, held.protection), Fraction(1)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[dict[str, float]]:
        """Return the question."""
        cuts, ends = self._cuts(held), self.beyond == "ends"
        found = held.total(lambda part: cuts.counts(part.columns[self.column]), self.column)
        counts, names = [int(one) for one in found], list(cuts.names)
        every = {} if self.every is None else {"every": self.every}
        if self.every is not None and as_zone(self.zone) is not None:
            every["zone"] = self.zone  # of edges not: they are moments, however they were written
        query = {"query": self.kind, "column": self.column, "edges": list(cuts.edges), **every}
        if ends:
            names = [cuts.ends[0], *names, cuts.ends[1]]
        return self.added(
            held,
            cost,
            {**query, "beyond": "ends" if ends else "drop"},
            counts if ends else counts[1:-1],
            "count",
            names,
            sampling_stderr=held.sampling_stderr,
            notes=cuts.notes,
        )


def _said(column: Column, given: Any, value: Fraction) -> str:
    """Return an edge in one way, however it was given."""
    if column.kind in ("date", "datetime", "time"):
        moment = as_time(column.kind, given, "edges")
        zoned = isinstance(moment, datetime) and moment.tzinfo is not None
        return str((moment.astimezone(UTC) if zoned else moment).isoformat())
    return str(value) if value.denominator == 1 else exact_text(value)


def _shown(column: Column, given: Any, zone: ZoneInfo | None) -> str:
    """Return a moment as its bin names it: by the clock that holds, if any does."""
    if column.kind != "datetime" or (given.tzinfo is None and not column.zoned):
        return ""
    moment = given.replace(tzinfo=UTC) if given.tzinfo is None else given
    return str(moment.astimezone(zone or UTC).isoformat())


def _zone(column: Column, given: object) -> ZoneInfo | None:
    """Return the zone that is asked for; refused where no moment could be of it."""
    zone = as_zone(given)
    if given is not None and (column.kind != "datetime" or column.zoned is False):
        rule = f"is for moments that have one: column {column.name} holds {column.kind}"
        remedy = "leave zone out"
        if column.kind == "datetime":
            rule += " without a zone, whose days are as they are written"
            remedy += ", or say of which clock they are: dt.tz_localize"
        raise WrongTypeError("zone", rule, remedy)
    return zone


def _notes(column: Column, zone: ZoneInfo | None) -> tuple[str, ...]:
    if column.kind != "datetime":
        return ()
    if column.zoned is False:
        return ("days and edges are as moments without a zone are written",)
    note = f"days and edges are those of {zone.key if zone else 'UTC'}"
    if column.zoned is None:
        note += "; a moment without a zone counts as UTC"
    return (note,)


def _is_word(edge: Any) -> bool:
    return isinstance(edge, str) and edge[:1].isalpha()


def _starts(day: date, every: str) -> bool:
    return every == "day" or (day.weekday() == 0 if every == "week" else day.day == 1)


def _period(day: date, every: str) -> str:
    if every == "week":
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02}"
    return str(day) if every == "day" else str(day)[:7]
