"""The data of a trusted holder, with what is public about them; all queries work on this."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from operator import add
from typing import Any, TypeVar, get_args

import numpy as np

from sudare.arrays import Booleans, Integers
from sudare.errors import DomainError, WrongTypeError, as_column, as_one_of
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, as_entropy, as_entropy_of_people
from sudare.files.people import read_people
from sudare.ledger import Bill, Cost
from sudare.release.account import priced
from sudare.release.column import Column, first_rows, labelled
from sudare.release.distinct import different
from sudare.release.grid import (
    BLOCK,
    MOST_COUNTED,
    Scale,
    blocks,
    halves_of,
    joined,
    square_sum,
    whole_sum,
)
from sudare.release.joined import Joined
from sudare.release.kinds import TIMES, Kind
from sudare.release.matching import Match
from sudare.release.numbers import Numbers, Outside, Policy
from sudare.release.persons import first_of_each
from sudare.release.protection import RELATIONS, NeighbourRelation, Neighbours
from sudare.release.released import PreparedQuery, Released
from sudare.release.remote_table import RemoteTable, RemoteTableError
from sudare.release.stored import Stored, stored
from sudare.release.table import read_columns
from sudare.release.types import as_types, types_of

MOST_GROUPS = 100_000

_DECIMAL_BELOW_0 = re.compile(r"-[0-9]+\.[0-9]*[1-9][0-9]*", re.ASCII)

V = TypeVar("V")

_FITS: dict[str, Callable[[Any], bool]] = {
    "number": lambda one: not isinstance(one, str | bool),
    "truth": lambda one: isinstance(one, bool),
    **dict.fromkeys(("text", *TIMES), lambda one: isinstance(one, str)),
}


@dataclass(frozen=True, eq=False)
class PrivateData:
    """A data set and what it protects.

    Attributes:
        name: in the ledger.
        columns: of the rows that count; without rows where they are stored elsewhere.
        bounded: those of them that have bounds.
        protection: whom its answers protect.
        rows: their number, which may be private.
        missing: what becomes of rows without a number.
        outside: what becomes of numbers outside the bounds.
        rng: of a simulation; None for the operating system's.
        stored: where the rows are read, or put side by side, when they are asked for; None where
            they are in memory.
        asked: what stands in the ledger of every question to it: of a part, which one.
        key: the column that says whose a row is, where it is called otherwise than in the first of
            several tables.
        guessed: columns whose type is taken from their cells.
    """

    name: str
    columns: Mapping[str, Column]
    bounded: Mapping[str, Numbers]
    protection: NeighbourRelation
    rows: int
    missing: Policy = "refuse"
    outside: Outside = "clamp"
    rng: Entropy | None = None
    stored: Stored | Joined | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    guessed: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        frame: Any,
        bounds: Mapping[str, Any] | None,
        neighbours: Neighbours,
        unit: Sequence[Any] | None,
        grids: Mapping[str, Any] | None,
        missing: Policy,
        outside: Outside,
        *,
        name: str,
        rng: Entropy | None,
        others: bool = False,
        engine: Any = None,
        types: Mapping[str, str] | None = None,
        categories: Mapping[str, Any] | None = None,
        looks: bool = True,
    ) -> PrivateData:
        """Read a data set: arguments and errors as of :class:`~sudare.release.Dataset`.

        Args:
            looks: whether a missing number or one outside is refused, where that is wanted. Without
                it no cell decides whether a data set opens, which then only tells what is public.
            others: bounds and grids may be of columns of other tables.
            engine: a session of Spark that has the rows; None for this process.
        """
        as_one_of(neighbours, "neighbours", RELATIONS)
        as_one_of(missing, "missing", get_args(Policy))
        as_one_of(outside, "outside", get_args(Outside))
        if not isinstance(name, str) or not name:
            raise WrongTypeError("name", "must be text", "name the data set")
        bounded, stepped = bounds or {}, grids or {}
        if not isinstance(bounded, Mapping) or not isinstance(stepped, Mapping):
            raise WrongTypeError("bounds", "must be a mapping", 'such as {"score": (0, 100)}')
        if not set(stepped) <= set(bounded):
            raise DomainError("grids", "must be of columns with bounds", "give bounds too")
        whose, most = (None, 1) if unit is None else as_unit(unit)
        said = as_types(types or {})
        known = types_of(said, bounded, categories or {}, whose)
        firm = {name: of for name, of in known.items() if name in said or of in TIMES}
        guessed: Sequence[str] = ()
        if engine is None and isinstance(frame, str | os.PathLike) and os.path.isdir(frame):
            frame = read_people(frame)  # of CSV files, its cells
        table = stored(frame) if engine is None else _spread(frame, engine)
        if table is not None and whose is not None and not table.is_ordered:
            frame, table = table.read(), None
        if table is None:
            if looks or whose is None:
                columns, guessed = read_columns(frame, known, firm, whose)
            else:  # no id decides what the column is read as
                columns, guessed = read_columns(frame, {**known, whose: "text"}, firm, None)
        else:
            table = table.typed(firm).checked()
            columns = dict(table.heads)
        if whose is not None:
            as_column(whose, columns, name, "unit")
            if not looks:  # a blank id refuses nothing; a schema's type that is no id's does
                if table is not None:
                    first_rows(table.heads[whose], most)
            elif table is not None:
                table = table.kept(whose, most)
            elif not (keep := first_rows(columns[whose], most)).all():
                columns = {name: column.where(keep) for name, column in columns.items()}
        protection = NeighbourRelation(neighbours, most, whose)
        if others:
            bounded = {name: one for name, one in bounded.items() if name in columns}
        numbers = {
            one: Numbers.of(
                _named(columns, one, name),
                limits,
                stepped.get(one),
                missing,
                outside,
                protection,
                said=said.get(one),
                looks=looks,
            )
            for one, limits in bounded.items()
        }
        seeded = as_entropy_of_people(rng)
        rows = next(iter(columns.values())).size if table is None else table.size
        held = cls(name, columns, numbers, protection, rows, missing, outside, seeded, table)
        held = replace(held, guessed=tuple(guessed))
        read = table is not None and looks and "refuse" in (missing, outside)
        if isinstance(table, RemoteTable) or read:
            held = replace(held, rows=held.total(lambda part: part.rows, *bounded))  # or refuses
        return held

    @property
    def whose(self) -> str | None:
        """The column that says whose a row is; None where each row is a person."""
        return self.key or self.protection.unit

    @property
    def size_is_public(self) -> bool:
        """Whether the number of rows may be told."""
        return self.protection.size_is_public

    @property
    def entropy(self) -> Entropy:
        """Where noise is drawn from."""
        return as_entropy(self.rng)

    @property
    def is_simulated(self) -> bool:
        """Whether the noise comes from a seed and protects nobody."""
        return self.rng is not None and repr(self.rng) != "Entropy.system()"

    @property
    def sampling_stderr(self) -> float | None:
        """At most this is the standard error of a count, as one of a larger population."""
        return 0.5 * self.rows**0.5 if self.size_is_public else None

    def emptied(self) -> PrivateData:
        """Return all that is said of this data set, without its rows."""
        columns = {name: one.emptied() for name, one in self.columns.items()}
        numbers = {name: one.emptied() for name, one in self.bounded.items()}
        return replace(self, columns=columns, bounded=numbers, stored=None)

    def of_private_size(self) -> PrivateData:
        """Return the same rows as those of a data set whose number of rows is private.

        So are those that match a condition: ``docs/proofs/filters.md``.
        """
        numbers = {name: replace(one, size_is_public=False) for name, one in self.bounded.items()}
        return replace(self, protection=replace(self.protection, filtered=True), bounded=numbers)

    def matching(self, matches: Mapping[str, Match]) -> PrivateData:
        """Return the rows that match, of each column what is asked of it.

        Which ones they are is found out when they are asked for.
        """
        of, told = (
            self.of_private_size(),
            [matches[name].told(self.columns[name]) for name in matches],
        )
        size = {"rows": self.rows} if self.size_is_public else {}

        def kept(columns: Mapping[str, Column]) -> Booleans:
            found = (one.rows(columns[name]) for name, one in matches.items())
            return reduce(np.logical_and, found)

        of = replace(of, asked={**self.asked, **size, "where": told})
        if self.stored is not None:
            return replace(of, stored=replace(self.stored, only=kept, needs=tuple(matches)))
        keep = np.concatenate([kept(part.columns) for part in self.parts(*matches)])
        columns = Lazily(self.columns, lambda one: one.where(keep))
        numbers = Lazily(of.bounded, lambda one: one.where(keep))
        return replace(of, columns=columns, bounded=numbers, rows=int(keep.sum()))

    def parts(self, *names: str) -> Iterator[PrivateData]:
        """Yield the rows some at a time: each a data set of its own, with these columns alone."""
        for name in names:
            _named(self.columns, name, self.name)
        if self.stored is not None:
            for columns in self.stored.parts(names):
                yield self._part(
                    columns,
                    {
                        name: self.bounded[name].of_rows(column)
                        for name, column in columns.items()
                        if name in self.bounded
                    },
                )
            return
        size = next(iter(self.columns.values())).size
        if size <= BLOCK:
            yield self
            return
        for rows in blocks(size):
            yield self._part(
                {name: self.columns[name].where(rows) for name in names},
                {name: self.bounded[name].where(rows) for name in names if name in self.bounded},
                rows.stop - rows.start,
            )

    def _part(
        self, columns: Mapping[str, Column], bounded: Mapping[str, Numbers], rows: int | None = None
    ) -> PrivateData:
        size = next(iter(columns.values())).size if rows is None else rows
        return replace(self, columns=columns, bounded=bounded, rows=size, stored=None)

    def total(self, work: Callable[[PrivateData], Any], *names: str) -> Any:
        """Return the sum of what is worked out from each part of these columns.

        What adds up exactly, such as whole numbers, does not depend on how the rows are parted: nor
        does any answer.
        """
        return self.gathered(lambda some: reduce(add, map(work, some.parts(*names))), *names)

    def gathered(self, work: Callable[[PrivateData], Any], *names: str) -> Any:
        """Return the sum of what is worked out from all rows of some persons at a time.

        Args:
            work: gets a data set with all rows that count of some persons: of all of them, where
                the rows are here.
            names: the columns that it looks at, but for the one that says whose a row is.
        """
        for name in names:
            _named(self.columns, name, self.name)
        if isinstance(self.stored, RemoteTable):
            return self.stored.total(self, work, names)
        return work(self)

    def at_hand(self) -> None:
        """Refuse rows that are elsewhere: of a question that reads them more than once."""
        if isinstance(self.stored, RemoteTable):
            raise RemoteTableError

    @classmethod
    def planned(
        cls, scale: Scale | None, protection: NeighbourRelation, rows: int, columns: int = 1
    ) -> PrivateData:
        """Return what is said of a data set before there is one: a column x with these bounds.

        Or several: x, x2, x3, ...
        """
        names = ["x", *(f"x{i}" for i in range(2, columns + 1))]
        made = {name: Column.of(name, np.zeros(0, dtype=np.int64)) for name in names}
        numbers = {}
        if scale is not None:
            nothing, public = (made["x"], made["x"].values), protection.size_is_public
            for name, column in made.items():
                numbers[name] = Numbers(column, scale, "refuse", "clamp", public, lambda: nothing)
        return cls("plan", made, numbers, protection, rows)

    def kind_of(self, name: object) -> Kind:
        """Return what a column holds; the data is not looked at."""
        return _named(self.columns, name, self.name).kind

    def named(self, name: object) -> str:
        """Return the name of a column that is there.

        Raises:
            WrongTypeError, DomainError: there is none.
        """
        return _named(self.columns, name, self.name).name

    def column(self, name: object) -> Column:
        """Return the column of a name, all of it; of a large table :meth:`parts` is better."""
        head = _named(self.columns, name, self.name)
        return head if self.stored is None else self.stored.column(head.name)

    def numbers(self, name: object) -> Numbers:
        """Return the column of a name, with its bounds."""
        head = _named(self.columns, name, self.name)
        if head.name not in self.bounded:
            raise DomainError(
                "bounds",
                f"must be given for {name}: one person could be anything, no noise hides that",
                "take them from what the numbers mean, not from the data",
            )
        numbers, table = self.bounded[head.name], self.stored
        if table is None:
            return numbers

        def read() -> tuple[Column, Integers]:
            rows = numbers.of_rows(table.column(head.name))
            return rows.column, rows.steps

        return replace(numbers, read=read)

    def categories(self, name: object, given: object) -> list[Any]:
        """Return given categories, of the column's kind, each once; the data is not looked at."""
        column = _named(self.columns, name, self.name)
        out = as_categories(given)
        # before the categories, which are right: no other ones would fit either
        column.check_compared()
        if not all(map(_FITS[column.kind], out)):
            rule = f"must be of the column's kind, {column.kind}"
            raise WrongTypeError("categories", rule, "others are never found")
        if len({column.key(one) for one in out}) != len(out):
            raise DomainError("categories", "must not have one twice", "leave it out")
        return out

    def groups(self, by: object, given: object) -> tuple[Any, list[Any]]:
        """Return columns and keys of groups, checked; the data is not looked at.

        Args:
            by: the name of a column, or several: one of them is as it alone.
            given: its keys; of several columns a list for each, and the groups are their product.
        """
        if isinstance(by, str):
            return by, self.categories(by, given)
        if not isinstance(by, list | tuple) or not by or not isinstance(given, list | tuple):
            raise WrongTypeError("by", "must be a column or a list of columns", "with keys of each")
        if len(given) != len(by) or not all(isinstance(one, list | tuple) for one in given):
            rule = "must be a list for each column of by"
            raise WrongTypeError("keys", rule, 'such as [["north", "south"], ["f", "m"]]')
        each = [self.groups(name, own)[1] for name, own in zip(by, given, strict=True)]
        if len(set(by)) != len(by):
            raise DomainError("by", "must not have a column twice", "leave it out")
        if groups_in(list(by), each) > MOST_GROUPS:
            raise DomainError("keys", f"must make at most {MOST_GROUPS:,} groups", "give fewer")
        return (by[0], each[0]) if len(by) == 1 else (list(by), each)

    def places(self, by: Any, keys: Sequence[Any]) -> Integers:
        """Return for each row the place of its group, or as many as there are for any other.

        Groups as :meth:`groups` returns them: those of several columns in the order of the product.
        """
        if isinstance(by, str):
            return self.column(by).places(keys)
        out, others = np.zeros((), dtype=np.int64), np.zeros((), dtype=np.bool_)
        for name, own in zip(by, keys, strict=True):
            found = self.column(name).places(own)
            out, others = out * len(own) + found, others | (found == len(own))
        return np.where(others, groups_in(by, keys), out)

    def counts(self, by: Any, keys: Sequence[Any]) -> list[int]:
        """Return how many rows each group has, and all others together at the end."""
        size = groups_in(by, keys) + 1

        def counted(part: PrivateData) -> Integers:
            return np.bincount(part.places(by, keys), minlength=size)

        return [int(one) for one in self.total(counted, *columns_of(by))]

    def present(self, name: str, most: int) -> dict[str, int]:
        """Return the texts of a column that are there, in order, and how many persons each has.

        Args:
            name: of the column.
            most: a person counts once in each of so many, the first ones in the order of the rows.
        """

        def counted(some: PrivateData) -> Counter[str]:
            found = Counter[str]()
            if some.whose is None:
                for part in some.parts(name):
                    found.update(_counted(part.column(name)))
            else:
                column = some.column(name)
                codes = np.where(column.missing, -1, column.values)
                found.update(_counted(column.where(some.once(codes, most))))
            return found

        found = self.gathered(counted, name)
        return {text: found[text] for text in sorted(found)}

    def different(self, name: str) -> int:
        """Return how many values of a column differ; missing ones are none."""
        self.at_hand()
        if isinstance(self.stored, Stored):
            return different(part.column(name) for part in self.parts(name))
        column = labelled(self.column(name))
        return int(np.unique(column.values[~column.missing]).size)

    def people(self, rows: int) -> Integers:
        """Return for each of so many rows, which are all, the number of its person."""
        return np.arange(rows) if self.whose is None else self.column(self.whose).codes()

    def once(self, codes: Integers, most: int) -> Integers:
        """Return the rows by which persons count, once in each of so many groups: the first ones.

        Args:
            codes: of each row's group; none below 0.
            most: groups of a person.
        """
        rows, people = np.flatnonzero(codes >= 0), self.people(codes.size)
        pairs = people[rows] * (int(codes.max(initial=0)) + 1) + codes[rows]
        rows = rows[np.sort(np.unique(pairs, return_index=True)[1])]
        return np.asarray(rows[first_of_each(people[rows], most)])

    def own_sums(self, name: str) -> Iterator[Integers]:
        """Yield what each person's own numbers add up to, in steps, some persons at a time."""
        if self.whose is None:
            for part in self.parts(name):
                yield part.numbers(name).steps
        else:
            steps = self.numbers(name).steps
            people = self.people(steps.size)
            high, low = halves_of(steps, people, int(people.max(initial=-1)) + 1)
            out: Integers = (high << 32) + low
            yield out

    def power_sums(self, name: str, powers: int) -> list[int]:
        """Return of a column with bounds how many numbers there are, then Σ x, then Σ x², in steps.

        Args:
            name: of the column.
            powers: 1 or 2: the last one.
        """

        def summed(part: PrivateData) -> Any:
            values = part.numbers(name).values
            own = (whole_sum, square_sum)[:powers]
            return np.array([values.size, *(one(values) for one in own)], dtype=object)

        return [int(one) for one in self.total(summed, name)]

    def group_sums(self, by: Any, keys: Sequence[Any], name: str) -> tuple[list[int], list[int]]:
        """Return the sum of a column with bounds in each group, in steps, and how many numbers."""
        size = groups_in(by, keys) + 1

        def summed(part: PrivateData) -> Integers:
            places, numbers = part.places(by, keys), part.numbers(name)
            there = np.bincount(places[~numbers.column.missing], minlength=size)
            return np.vstack([halves_of(numbers.steps, places, size), there])

        found = self.total(summed, *columns_of(by), name)[:, :-1]
        return joined(found[:2]), [int(one) for one in found[2]]

    def tally(self, name: str) -> tuple[Integers, Integers]:
        """Return the different steps of a column with bounds, and how often each is there."""
        scale = self.numbers(name).scale
        points = scale.last - scale.first + 1
        if points > MOST_COUNTED:
            values, times = np.unique(self.numbers(name).values, return_counts=True)
            return values, times

        def counted(some: PrivateData) -> Integers:
            counts = np.zeros(points, dtype=np.int64)
            for part in some.parts(name):
                np.add.at(counts, part.numbers(name).values - scale.first, 1)
            return counts

        counts = self.gathered(counted, name)
        found = np.flatnonzero(counts)
        return found + scale.first, counts[found]

    def group_tallies(
        self, by: Any, keys: Sequence[Any], name: str
    ) -> list[tuple[Integers, Integers]]:
        """Return the same of the rows of each group, a pair each."""
        scale, groups = self.numbers(name).scale, groups_in(by, keys)
        points = scale.last - scale.first + 1
        few = groups * points <= MOST_COUNTED

        def coded(part: PrivateData) -> Integers:
            places, numbers = part.places(by, keys), part.numbers(name)
            there = (places < groups) & ~numbers.column.missing
            codes = places[there] * points + (numbers.steps[there] - scale.first)
            return np.bincount(codes, minlength=groups * points) if few else codes

        if few:
            counts = self.total(coded, *columns_of(by), name)
            codes = np.flatnonzero(counts)
            times = counts[codes]
        else:
            parts = map(coded, self.parts(*columns_of(by), name))
            codes, times = np.unique(np.concatenate(list(parts)), return_counts=True)
        ends = np.searchsorted(codes, np.arange(1, groups) * points)
        values = np.split(codes % points + scale.first, ends)
        return list(zip(values, np.split(times, ends), strict=True))

    def prepared(
        self,
        query: dict[str, Any],
        cost: Cost,
        draw: Callable[[], Any],
        read: Callable[[Any], dict[str, Any]],
    ) -> PreparedQuery[Any]:
        """Return a question: ``read`` says what is special of its answer, the rest stands here.

        A question whose law the cost does not tell (``cost.for_noise``, ``cost.by("choice")``) is
        paid as any other of its unit: no plan of prices has ρ for it.
        """
        # the record of another number of rows is another query's: its sums are not of these rows
        size = {"rows": self.rows} if self.size_is_public else {}
        whom = self.protection.words
        about = {"dataset": self.name, "neighbours": whom, **size, **self.asked}
        full = _marked(priced({**about, **query}, cost))
        facts = {"cost": cost, "neighbours": whom, "query": full, "sampling_stderr": None}
        return PreparedQuery(
            Bill(cost, full, draw), lambda answer: Released(**{**facts, **read(answer)})
        )


def _marked(query: dict[str, Any]) -> dict[str, Any]:
    """Return a query that no record of Sudare 0.2 equals, if a decimal below 0 stands in it.

    0.2 wrote -n.f where -n + 0.f was meant: its record of the bin [-1.5, -0.5) has the words that
    [-2.5, -1.5) has now, and must not be taken as the answer to that.
    """
    return {**query, "decimals": "exact"} if _has_decimal_below_0(query) else query


def _has_decimal_below_0(data: Any) -> bool:
    if isinstance(data, str):
        return _DECIMAL_BELOW_0.fullmatch(data) is not None
    if isinstance(data, Mapping):
        return any(map(_has_decimal_below_0, data.values()))
    return isinstance(data, list | tuple) and any(map(_has_decimal_below_0, data))


def _spread(frame: Any, engine: Any) -> Stored:
    """Return a table whose rows Spark reads."""
    from sudare.release.spark.table import Spread

    return Spread.opened(frame, engine)


class Lazily(Mapping[str, V]):
    """What is made of each value of a mapping, once it is asked for.

    Args:
        of: the mapping.
        made: of a value.
    """

    def __init__(self, of: Mapping[str, V], made: Callable[[V], V]) -> None:
        self._of, self._made = of, cache(lambda name: made(of[name]))

    def __getitem__(self, name: str) -> V:
        return self._made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)


def _counted(column: Column) -> dict[str, int]:
    """Return how often each text of a column is there."""
    times = np.bincount(column.values[~column.missing])
    codes = np.flatnonzero(times)
    labels = [] if column.labels is None else column.labels.listed()
    return {labels[code]: int(times[code]) for code in codes.tolist()}


def columns_of(by: str | Sequence[str]) -> Sequence[str]:
    """Return the columns of groups."""
    return [by] if isinstance(by, str) else by


def groups_in(by: str | Sequence[str], keys: Sequence[Any]) -> int:
    """Return how many groups keys make: of several columns their product."""
    return len(keys) if isinstance(by, str) else math.prod(map(len, keys))


def as_categories(categories: object) -> list[Any]:
    """Return given categories: text, numbers or truth values, each once; dates as their text."""
    given = [_label(one) for one in categories] if isinstance(categories, list | tuple) else []
    if not given or len(given) > MOST_GROUPS:
        raise WrongTypeError("categories", f"must be a list of 1 to {MOST_GROUPS:,} categories")
    if not all(isinstance(one, str | int | float) and one == one for one in given):
        raise WrongTypeError("categories", "must be text or numbers")
    if len(set(given)) != len(given):
        raise DomainError("categories", "must not have one twice", "leave it out")
    return given


def _label(value: Any) -> Any:
    """Return a category as JSON data."""
    if isinstance(value, np.generic):
        value = value.item()
    return value.isoformat() if hasattr(value, "isoformat") else value


def as_unit(unit: object) -> tuple[str, int]:
    """Return the checked column of persons, and how many rows of each count."""
    if not isinstance(unit, list | tuple) or len(unit) != 2 or not isinstance(unit[0], str):
        raise WrongTypeError("unit", "must be (column, most rows)", 'such as ("person", 3)')
    return unit[0], as_integer(unit[1], "unit", low=1, high=1 << 20)


def _named(columns: Mapping[str, Column], name: object, table: str) -> Column:
    return columns[as_column(name, columns, table)]
