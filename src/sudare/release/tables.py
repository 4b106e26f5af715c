"""``Tables``: several tables about the same persons, whose rows are put side by side."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Self

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError, WrongTypeError, as_column, as_one_of, may_be_data
from sudare.release.column import Column
from sudare.release.joined import Joined, paired, persons_of
from sudare.release.numbers import Numbers
from sudare.release.private_data import PrivateData
from sudare.release.types import TYPES

Step = tuple[str, bool]
"""A table, and whether rows without one of it are kept."""

_UNIT = 'name the person\'s column and the most rows that count, such as unit=("person", 3)'


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables about the same persons, of one budget: a neighbour has one person's rows in each.

    Attributes:
        held: the rows of each that count, by its name; the data set's own first.
        made: joins that were asked; which rows they have is found out when a question needs them.
    """

    held: Mapping[str, PrivateData]
    made: dict[tuple[Step, ...], PrivateData] = field(default_factory=dict)

    @classmethod
    def of(
        cls, first: PrivateData, others: object, opened: Callable[[Any, str], PrivateData]
    ) -> Tables:
        """Open the other tables.

        Args:
            first: the data set's own.
            others: from a name to a frame, or to (frame, column that says whose a row is).
            opened: reads one whose persons stand in a column.

        Raises:
            WrongTypeError, DomainError: no such tables, no column of persons, or one column twice.
        """
        if not isinstance(others, Mapping) or not all(isinstance(one, str) for one in others):
            raise WrongTypeError("tables", "must be a mapping from names", 'such as {"people": …}')
        unit = first.protection.unit
        if unit is None:
            if others:
                raise DomainError("unit", "is needed for several tables", _UNIT)
            return cls({first.name: first})
        held = {first.name: first}
        seen = set(first.columns)
        for name, frame in others.items():
            if not name or name.casefold() in {"data", *map(str.casefold, held)}:
                raise DomainError("tables", "must have names of their own", "rename one", got=name)
            key = unit
            if isinstance(frame, tuple):
                if len(frame) != 2 or not isinstance(frame[1], str):
                    rule = "must be frames, or (frame, the column of persons)"
                    raise WrongTypeError("tables", rule, got=name)
                frame, key = frame
            one = opened(frame, key)
            if one.kind_of(key) != first.kind_of(unit):
                rule = f"must name persons of table {name} by {first.kind_of(unit)}, as the first"
                raise WrongTypeError("tables", rule, "read both as text")
            own = set(one.columns) - ({key} & {some.whose for some in held.values()})
            if twice := sorted(seen & own):
                which = str(len(twice)) if may_be_data(one.columns) else ", ".join(twice)
                rule = f"must not have columns of one name: {which}"
                raise DomainError("tables", rule, "rename one of each")
            seen |= set(one.columns)
            # whom answers protect is told in one way for all: one account pays
            held[name] = replace(one, protection=first.protection, asked={"from": name}, key=key)
        return cls(held)

    def check_columns(self, names: Sequence[str]) -> None:
        """Check that each column is in a table.

        Raises:
            DomainError: one is in none.
        """
        known = sorted({name for one in self.held.values() for name in one.columns})
        for name in names:
            as_column(name, known, "the data")

    def check_types(self, types: Mapping[str, str]) -> None:
        """Check that columns hold what is said of them; names and kinds alone.

        Raises:
            DomainError: one is not there, or holds something else.
        """
        for name, of in types.items():
            head = self.of_column(name).columns.get(name)
            if head is None or head.kind != TYPES[of]:
                rule = "is not in the data" if head is None else "must say what the data hold"
                raise DomainError(f"columns.{name}", rule, "correct it", got=of)

    def of_column(self, name: str) -> PrivateData:
        """Return the table that has a column; the first one if none has."""
        every = list(self.held.values())
        return next((one for one in every if name in one.columns), every[0])

    def joined(self, steps: tuple[Step, ...]) -> PrivateData:
        """Return the rows of tables side by side, by whose they are.

        Of each person the first so many rows count: those of the first row of the first table, then
        those of its second.

        Raises:
            WrongTypeError, DomainError: unknown tables, or one twice; no limit on rows.
        """
        (first, _), *others = steps
        if not others:
            return self.held[as_one_of(first, "table", sorted(self.held))]
        of = self.held[first]
        if of.protection.unit is None:
            raise DomainError("unit", "is needed for a join: a person could have any rows", _UNIT)
        names = [name for name, _ in steps]
        for name, left in others:
            self._check(name, left)
        if len(set(names)) != len(names):
            rule = "must not be joined with itself: no row is beside another of its table"
            raise DomainError("table", rule, "name each once")
        if steps not in self.made:
            self.made[steps] = self._made(of, names, [left for _, left in others])
        return self.made[steps]

    def _check(self, name: object, left: bool) -> None:
        one = self.held[as_one_of(name, "table", sorted(self.held))]
        if left and one.missing == "refuse" and one.bounded:
            rule = "must be left out where a row has none of the other table"
            raise DomainError("missing", rule, 'give missing="drop", or keep matched rows alone')

    def _made(self, of: PrivateData, names: Sequence[str], lefts: Sequence[bool]) -> PrivateData:
        @cache
        def places() -> tuple[Integers, ...]:
            key = of.column(of.whose)
            out: list[Integers] = []
            for name, left in zip(names[1:], lefts, strict=True):
                other = self.held[name]
                mine, theirs = persons_of(key, other.column(other.whose))
                mine = mine[out[0]] if out else mine
                rows, beside = paired(mine, theirs, of.protection.rows, left=left)
                out = [*(one[rows] for one in out or [np.arange(key.size)]), beside]
            return tuple(out)

        table: dict[str, int] = {}
        columns: dict[str, Column] = {}
        bounded: dict[str, Numbers] = {}
        for place, name in enumerate(names):
            one = self.held[name]
            empty = one.emptied()
            for column, head in empty.columns.items():
                if not place or column != one.whose:
                    table[column], columns[column] = place, head
                    if column in empty.bounded:
                        bounded[column] = empty.bounded[column]
        rows_of = Joined(tuple(self.held[name].column for name in names), table, places)
        told = [{"table": n, "keep_all": k} for n, k in zip(names[1:], lefts, strict=True)]
        asked = {**of.asked, "join": told}
        # how many rows there are is private, and not looked for before a question is paid
        return replace(of, columns=columns, bounded=bounded, rows=0, asked=asked, stored=rows_of)


class Joinable:
    """What is asked of one of several tables, or of their rows side by side."""

    held: PrivateData
    _tables: Tables
    _steps: tuple[Step, ...]

    @property
    def tables(self) -> list[str]:
        """Names of the tables about the same persons, this data set's own first."""
        return list(self._tables.held)

    @property
    def guessed(self) -> list[str]:
        """Names of the columns whose type is guessed from their cells, and public all the same."""
        return [name for one in self._tables.held.values() for name in one.guessed]

    def columns_of(self, table: str) -> list[str]:
        """Return the names of a table's columns.

        Raises:
            WrongTypeError, DomainError: there is none of that name.
        """
        return list(self._tables.joined(((table, False),)).columns)

    def key_of(self, table: str) -> str | None:
        """Return which column of a table says whose a row is; None where each row is a person."""
        return self._tables.joined(((table, False),)).whose

    def table(self, name: str) -> Self:
        """Return another of the tables, of the same budget.

        Raises:
            WrongTypeError, DomainError: there is none of that name.
        """
        return self._of(((name, False),))

    def join(self, *names: str, keep_all: bool = False) -> Self:
        """Return the rows of these and other tables side by side, of the same budget.

        A row stands beside each row of the same person. Of each person the first so many that
        ``unit`` says count, counted after the join: in the order of this table, then of the others.

        Args:
            names: of tables, given as ``Dataset(tables=...)``.
            keep_all: keep rows without one of the other table, whose columns have no value then.

        Raises:
            WrongTypeError, DomainError: no such tables, or one twice; no ``unit``; numbers with
                bounds would be missing, and that is refused.

        Examples:
            >>> from sudare.release import Dataset
            >>> visits = {"person": [1, 1, 2] * 1000, "cost": [40, 60, 20] * 1000}
            >>> visits["person"] = [3 * (i // 3) + one for i, one in enumerate(visits["person"])]
            >>> people = {"id": list(range(3003)), "sex": ["f", "f", "m"] * 1001}
            >>> limits = {"unit": ("person", 2), "bounds": {"cost": (0, 100)}}
            >>> db = Dataset(visits, **limits, tables={"people": (people, "id")})
            >>> costs = db.join("people").group_by("sex", ["f", "m"]).mean("cost", epsilon=1)
            >>> {sex: round(cost, -1) for sex, cost in costs.value.items()}
            {'f': 50.0, 'm': 20.0}
        """
        if not names:
            raise WrongTypeError("names", "must be tables", 'such as join("people")')
        return self._of((*self._steps, *((name, keep_all) for name in names)))

    def _of(self, steps: tuple[Step, ...]) -> Self:
        other = copy.copy(self)
        other._steps, other.held = steps, self._shown(self._tables.joined(steps))
        return other

    def _shown(self, held: PrivateData) -> PrivateData:
        """Return what is asked of a table: the rows, unless there are none to ask."""
        return held
