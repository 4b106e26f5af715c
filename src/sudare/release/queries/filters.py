"""``Where``: which rows a question is about, by public conditions; ``Filtered``: such a question.

The number of rows that match is private, also where that of all rows is public: a row that is
replaced may enter or leave them. Proof: ``docs/proofs/filters.md``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NoReturn

from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.ledger import Cost
from sudare.release.column import Column
from sudare.release.kinds import as_time
from sudare.release.matching import Match
from sudare.release.noise import Noise
from sudare.release.private_data import MOST_GROUPS, PrivateData
from sudare.release.queries.base import Query
from sudare.release.released import PreparedQuery, Released

SIGNS = ("=", "!=", "<", "<=", ">", ">=", "in", "between")
MOST_CONDITIONS = 100

_REMEDY = 'such as age >= 18 and sex in f,m and born between 1990-01-01 and "1999-12-31"'
_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|<=|>=|!=|<>|==|[=<>≠≤≥(),]|[^\s"=<>!≠≤≥(),]+)')
_PLAIN = re.compile(r'[^\s"=<>!≠≤≥(),@]+')
_SAME = {"==": "=", "≠": "!=", "<>": "!=", "≤": "<=", "≥": ">="}
_WORDS = ("and", "in", "between", "where")


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a column with public values.

    Attributes:
        column: its name.
        sign: ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` or ``between``.
        values: one; some for ``in``; low and high, both included, for ``between``.
    """

    column: str
    sign: str
    values: tuple[Any, ...]

    @classmethod
    def of(cls, column: Any, sign: Any, value: Any) -> Condition:
        """Return a checked condition; several values as a list."""
        if not isinstance(column, str):
            raise WrongTypeError("where", "must name a column", _REMEDY)
        sign = as_one_of(_SAME.get(sign, sign) if isinstance(sign, str) else sign, "where", SIGNS)
        several = isinstance(value, list | tuple)
        values = tuple(value) if several else (value,)
        if several != (sign in ("in", "between")):
            raise WrongTypeError(
                "where", f"must compare with one value by {sign}", "or give a list"
            )
        if (sign == "between" and len(values) != 2) or not 0 < len(values) <= MOST_GROUPS:
            rule = "must have low and high" if sign == "between" else "must have values"
            raise DomainError("where", f"{rule} after {sign}", _REMEDY)
        return cls(column, sign, values)

    def __str__(self) -> str:
        values = list(map(_word, self.values))
        said = " and ".join(values) if self.sign == "between" else ",".join(values)
        return f"{_word(self.column)} {self.sign} {said}"


@dataclass(frozen=True, slots=True)
class Where:
    """Conditions that all must be true of a row; a missing value matches none.

    As text ``column sign value`` joined by ``and``; names and values with spaces or signs in them
    stand in double quotes.

    Attributes:
        conditions: at least one.

    Examples:
        >>> print(Where.of("age ≥ 18 and region in (north, \\"far south\\")"))
        age >= 18 and region in north,"far south"
    """

    conditions: tuple[Condition, ...]

    @classmethod
    def of(cls, *given: Any) -> Where:
        """Return the conjunction of conditions, each as text or as (column, sign, value).

        Raises:
            WrongTypeError, DomainError: no conditions.
        """
        found: list[Condition] = []
        for one in given:
            if isinstance(one, Where):
                found += one.conditions
            elif isinstance(one, str):
                found += _Reader(one).conditions()
            elif isinstance(one, list | tuple) and len(one) == 3:
                found.append(Condition.of(*one))
            else:
                raise WrongTypeError("where", "must be text or (column, sign, value)", _REMEDY)
        if not 0 < len(found) <= MOST_CONDITIONS:
            raise DomainError("where", f"must have 1 to {MOST_CONDITIONS} conditions", _REMEDY)
        return cls(tuple(found))

    def matches(self, held: PrivateData) -> dict[str, Match]:
        """Return what is asked of each column, in one form and order however it was written.

        Raises:
            WrongTypeError, DomainError: unknown column, values that are not of its kind, or no row
                can match.
        """
        asked: dict[str, list[tuple[str, Sequence[Any]]]] = defaultdict(list)
        for one in self.conditions:
            held.kind_of(one.column)
            if one.sign == "between":
                asked[one.column] += [(">=", one.values[:1]), ("<=", one.values[1:])]
            else:
                asked[one.column].append((one.sign, one.values))
        return {name: Match.of(held.columns[name], asked[name]) for name in sorted(asked)}

    def notes(self, held: PrivateData) -> tuple[str, ...]:
        """Return what a reader should know of how moments were compared."""
        columns = {one.column: held.columns[one.column] for one in self.conditions}
        unlike = {
            one.column
            for one in self.conditions
            if columns[one.column].kind == "datetime"
            and any(_is_unlike(columns[one.column], value) for value in one.values)
        }
        said = f"conditions on {', '.join(sorted(unlike))}: a moment without a zone counts as UTC"
        return (said,) if unlike else ()

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))


@dataclass(frozen=True)
class Filtered(Query):
    """A question about those rows that match; of any kind.

    Attributes:
        query: the question.
        where: the conditions.
    """

    query: Query
    where: Where

    def __post_init__(self) -> None:
        if isinstance(self.query, Filtered):  # the ledger would have one of the two
            rule = "must not stand around another one"
            raise WrongTypeError("where", rule, "join them: Where.of(one, another)")

    def _matching(self, held: PrivateData) -> PrivateData:
        """Return the data set of the rows that match.

        Raises:
            DomainError: as of :meth:`Where.matches`; or they contradict the question.
        """
        matches = self.where.matches(held)
        column = self.query.contradicted(held, matches)
        if column is not None:
            rule = f"must not contradict the question: no {column} that it is about meets them"
            remedy = f"change the conditions on {column}; the answer would be 0 whatever the data"
            raise DomainError("where", rule, remedy)
        return held.matching(matches)

    def prepare(self, held: PrivateData, cost: Cost) -> PreparedQuery[Any]:
        """Return the question to the rows that match."""
        prepared = self.query.prepare(self._matching(held), cost)
        notes = self.where.notes(held)

        def read(answer: Any) -> Released[Any]:
            found = prepared.read(answer)
            return replace(found, notes=(*found.notes, *notes))

        return replace(prepared, read=read) if notes else prepared

    def noise(self, held: PrivateData, cost: Cost) -> tuple[Noise, Fraction]:
        """Return its noise."""
        return self.query.noise(self._matching(held), cost)

    def planned(self, held: PrivateData, cost: Cost, miss: float) -> float:
        """Return how far its noise would reach at most; ``held.rows``: those that match."""
        return self.query.planned(held.of_private_size(), cost, miss)


def _is_unlike(column: Column, value: Any) -> bool:
    """Tell whether a value has a zone and the column's moments may have none, or the reverse."""
    has_zone = as_time("datetime", value, "where").tzinfo is not None
    return column.zoned is None or has_zone != column.zoned


def _word(value: Any) -> str:
    text = str(value)
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return '"' + text.replace('"', '""') + '"'


class _Reader:
    """Text, read token by token."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._tokens = list(self._split(text))

    def _split(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield tokens, and whether they are names or values."""
        at, text = 0, text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                self._refuse()
            at, token = found.end(), found[1]
            if token.startswith('"'):
                yield token[1:-1].replace('""', '"'), True
            elif _PLAIN.match(token) or token.startswith("@"):
                yield token, token.lower() not in _WORDS
            else:
                yield _SAME.get(token, token), False

    def _refuse(self) -> NoReturn:
        raise DomainError("where", "must be conditions joined by and", _REMEDY, got=self._text)

    def _next(self, *wanted: str) -> str:
        """Return the next token: one of those wanted, or a name or value."""
        token, is_word = self._tokens[self._at] if self._at < len(self._tokens) else ("", False)
        token = token if is_word else token.lower()
        if (
            is_word == bool(wanted)
            or (wanted and token not in wanted)
            or (not is_word and not token)
        ):
            self._refuse()
        self._at += 1
        return token

    def _is(self, token: str) -> bool:
        """Tell whether the next token is a sign or keyword, and take it if it is."""
        found = self._at < len(self._tokens) and not self._tokens[self._at][1]
        found = found and self._tokens[self._at][0].lower() == token
        self._at += found
        return found

    def _listed(self) -> Sequence[str]:
        closed = self._is("(")
        values = [self._next()]
        while self._is(","):
            values.append(self._next())
        if closed:
            self._next(")")
        return values

    def conditions(self) -> list[Condition]:
        """Return all conditions."""
        out = []
        while True:
            column, sign = self._next(), self._next(*SIGNS)
            value: Any = self._next() if sign not in ("in", "between") else None
            if sign == "in":
                value = self._listed()
            elif sign == "between":
                low = self._next()
                self._next("and")
                value = [low, self._next()]
            out.append(Condition.of(column, sign, value))
            if self._at == len(self._tokens):
                return out
            self._next("and")
