"""Histograms of numbers and of dates: counts of rows between public edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import exact_text
from sudare.ledger import Cost
from sudare.release.column import Column
from sudare.release.held import MOST_GROUPS, Held
from sudare.release.kinds import TIMES, as_time
from sudare.release.matching import Cut, as_value, reached
from sudare.release.noise import Noise
from sudare.release.queries.base import Categories, Field, Name, Query, register
from sudare.release.released import PreparedQuery

EVERY, BEYOND = ("day", "week", "month"), ("drop", "ends")

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Cuts:
    """Bins as cuts of a column's numbers; a bin lies between one cut and the next.

    Attributes:
        cuts: one more than there are bins.
        names: of the bins.
        edges: as they stand in the ledger.
        ends: names of all that is below the first cut, and above the last.
    """

    cuts: tuple[Cut, ...]
    names: tuple[str, ...]
    edges: tuple[str, ...]
    ends: tuple[str, str]

    @classmethod
    def of(cls, column: Column, edges: object, every: str | None) -> Cuts:
        """Return checked bins; the column's values are not looked at."""
        if column.kind != "number" and column.kind not in TIMES:
            rule = f"must hold numbers, dates or times, not {column.kind}"
            raise WrongTypeError(f"column {column.name}", rule, "of dates in text give bounds")
        if not isinstance(edges, list | tuple | range) or not 2 <= len(edges) <= MOST_GROUPS:
            rule = f"must be a list of 2 to {MOST_GROUPS:,} numbers, dates or times"
            raise WrongTypeError("edges", rule, "such as [0, 18, 65, 120]")
        if every is not None:
            return cls._of_days(column, [as_time("date", one, "edges") for one in edges], every)
        values = [as_value(column, one) for one in edges]
        if not all(a < b for a, b in pairwise(values)):
            raise DomainError("edges", "must ascend", "sort them, each once")
        said = [_said(column, one, value) for one, value in zip(edges, values, strict=True)]
        names = [f"[{a}, {b})" for a, b in pairwise(said)]
        names[-1] = f"[{said[-2]}, {said[-1]}]"
        cuts = (*((one, 0) for one in values[:-1]), (values[-1], 1))
        return cls(cuts, tuple(names), tuple(said), (f"< {said[0]}", f"> {said[-1]}"))

    @classmethod
    def _of_days(cls, column: Column, edges: list[date], every: str) -> Cuts:
        """Return a bin for each day, week or month from a first to a last day, both included."""
        if column.kind not in ("date", "datetime"):
            raise WrongTypeError("every", "is for dates", "give all edges")
        first, last = edges[0], edges[-1]
        if len(edges) > 2 or not first <= last < date.max or (last - first).days >= MOST_GROUPS:
            rule = f"must be a first day and a last one, at most {MOST_GROUPS:,} days"
            raise DomainError("edges", rule, "such as 2020-01-01,2020-12-31")
        days = [first + i * _DAY for i in range((last - first).days + 1)]
        starts = [one for one in days if one == first or _starts(one, every)]
        cuts = [(column.amount(one, "edges"), 0) for one in (*starts, last + _DAY)]
        said = str(first), str(last)
        names = tuple(_period(one, every) for one in starts)
        return cls(tuple(cuts), names, said, (f"< {first}", f"> {last}"))

    def counts(self, column: Column) -> Integers:
        """Return how many rows are below, in each bin, and above; missing ones are in none."""
        found = reached(column, self.cuts)
        size = len(self.cuts) + 1
        return np.bincount(np.where(column.missing, size, found), minlength=size + 1)[:size]


@register
class Bins(Query):
    """Count the rows whose number or date lies in each bin between given edges.

    A bin has its lower edge and not its upper one, the last has both. With ``every`` (``"day"``,
    ``"week"``, ``"month"``) the edges are a first and a last day, and there is a bin for each day,
    week from Monday, or month, as far as it lies between them. Rows outside the edges are left out,
    or counted in a bin at each end (``beyond="ends"``). Values are not clamped, and need no bounds.
    """

    kind = "bins"
    column: Name
    edges: Categories
    every: Annotated[Any, Field("word", words=EVERY)] = None
    beyond: Annotated[Any, Field("word", words=BEYOND)] = None

    def __post_init__(self) -> None:
        for name, words in (("every", EVERY), ("beyond", BEYOND)):
            given = getattr(self, name)
            if given is not None and given not in words:
                raise DomainError(name, f"must be one of {', '.join(words)}", "or leave it out")

    @classmethod
    def read(cls, held: Held, given: Mapping[str, Any]) -> Query:
        """Return the query; text has the words after the edges: ``bins:born=A,B,month,ends``."""
        out, edges = dict(given), list(given["edges"])
        for name, words in (("beyond", BEYOND), ("every", EVERY)):
            if edges and edges[-1] in words and out.get(name) is None:
                out[name] = edges.pop()
        return super().read(held, {**out, "edges": edges})

    def _cuts(self, held: Held) -> Cuts:
        return Cuts.of(held.columns[held.named(self.column)], self.edges, self.every)

    def noise(self, held: Held, cost: Cost) -> tuple[Noise, Fraction]:
        """Return the noise of each count: the bins share no row."""
        bins = len(self._cuts(held).names) + 2 * (self.beyond == "ends")
        if bins == 1:
            return Noise.of(cost, held.protection.of_count), Fraction(1)
        return Noise.of_counts(cost, held.protection), Fraction(1)

    def prepare(self, held: Held, cost: Cost) -> PreparedQuery[dict[str, float]]:
        """Return the question."""
        cuts, ends = self._cuts(held), self.beyond == "ends"
        found = held.total(lambda part: cuts.counts(part.columns[self.column]), self.column)
        counts, names = [int(one) for one in found], list(cuts.names)
        every = {} if self.every is None else {"every": self.every}
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
        )


def _said(column: Column, given: Any, value: Fraction) -> str:
    """Return an edge in one way, however it was given."""
    if column.kind in ("date", "datetime", "time"):
        moment = as_time(column.kind, given, "edges")
        zoned = isinstance(moment, datetime) and moment.tzinfo is not None
        return str((moment.astimezone(UTC) if zoned else moment).isoformat())
    return str(value) if value.denominator == 1 else exact_text(value)


def _starts(day: date, every: str) -> bool:
    return every == "day" or (day.weekday() == 0 if every == "week" else day.day == 1)


def _period(day: date, every: str) -> str:
    if every == "week":
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02}"
    return str(day) if every == "day" else str(day)[:7]
