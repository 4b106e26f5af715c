"""``Ask``: a question to a data set as text says it."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import Any

from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.ledger import Cost
from sudare.release.dataset import Dataset
from sudare.release.held import Held
from sudare.release.prepared import PreparedQuery
from sudare.release.queries import KINDS, Query
from sudare.release.queries.base import REMEDY
from sudare.release.released import Released

_OUTSIDE_QUOTES = re.compile(r'@(?=(?:[^"]*"[^"]*")*[^"]*\Z)')


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as text says it: ``KIND:COLUMN[=VALUES][@GROUP=KEYS]``.

    Values and keys stand as in a line of CSV: one with ``,`` or ``@`` in it in double quotes.

    Attributes:
        kind: such as ``"mean"``.
        column: None for a count of groups or of all rows.
        values: what it compares with: a category, a share, categories; text or as in the column.
        by, keys: groups, or None and empty.
    """

    kind: str
    column: str | None
    values: tuple[Any, ...] = ()
    by: str | None = None
    keys: tuple[Any, ...] = ()

    @classmethod
    def parse(cls, text: object) -> Ask:
        """Read a question.

        Raises:
            WrongTypeError, DomainError: it is none.

        Examples:
            >>> Ask.parse("mean:score@sex=f,m")
            Ask(kind='mean', column='score', values=(), by='sex', keys=('f', 'm'))
            >>> Ask.parse('histogram:place="Bath, UK",York').values
            ('Bath, UK', 'York')
        """
        if not isinstance(text, str):
            raise WrongTypeError("ask", "must be text", REMEDY)
        main, *rests = _OUTSIDE_QUOTES.split(text, maxsplit=1)
        name, _, rest = main.partition(":")
        column, equals, values = rest.partition("=")
        by, given, keys = "".join(rests).partition("=")
        kind = KINDS.get(f"group_{name}" if rests else name)
        if kind is None or (rests and not (by and given and keys)):
            raise DomainError("ask", "must be a question", REMEDY, got=text)
        if not column and kind.needs("column"):
            raise DomainError("ask", "must name a column", REMEDY, got=text)
        compared = kind.compares_with()
        if (column and "column" not in kind.fields()) or bool(equals) != bool(column and compared):
            raise DomainError(
                "ask", "must say what it compares with, if anything", REMEDY, got=text
            )
        several = bool(compared) and kind.fields()[str(compared)].holds == "categories"
        parts: tuple[str, ...] = (values,) if equals else ()
        if equals and (several or values.startswith('"')):
            parts = listed(values)
        if len(parts) > 1 and not several:
            raise DomainError("ask", "must compare with one value", REMEDY, got=text)
        return cls(name, column or None, parts, by or None, listed(keys) if keys else ())

    def to(self, db: Dataset, cost: Cost, *, reuse: bool = False) -> Released[Any]:
        """Ask a data set.

        Raises:
            WrongTypeError, DomainError, PrivacyError: the data set cannot answer it.
            BudgetExceeded: nothing was spent.
        """
        return db.ask(self.query(db.held), cost, reuse=reuse)

    def of(self, db: Dataset, cost: Cost) -> PreparedQuery[Any]:
        """Return the question to a data set, checked and priced; nothing is spent.

        Raises:
            WrongTypeError, DomainError, PrivacyError: the data set cannot answer it.
        """
        return self.query(db.held).prepare(db.held, cost)

    def query(self, held: Held) -> Query:
        """Return the query; text becomes a number or a truth value where a column holds such.

        Raises:
            WrongTypeError, DomainError: there is no such kind, or no such column.
        """
        name = self.kind if self.by is None else f"group_{self.kind}"
        kind = KINDS[as_one_of(name, "kind", sorted(KINDS), remedy=REMEDY)]
        given: dict[str, Any] = {"column": self.column, "by": self.by, "keys": self.keys}
        if self.values and (compared := kind.compares_with()):
            several = kind.fields()[compared].holds == "categories"
            given[compared] = self.values if several else self.values[0]
        return kind.read(held, {name: one for name, one in given.items() if one is not None})


def listed(text: str) -> tuple[str, ...]:
    """Return the categories that text lists by commas, as a line of CSV does.

    Raises:
        DomainError: quotes that do not close.

    Examples:
        >>> listed('"Bath, UK",York')
        ('Bath, UK', 'York')
    """
    try:
        return tuple(next(csv.reader([text], strict=True), [])) or ("",)
    except csv.Error:
        raise DomainError(
            "ask", "must list categories as a line of CSV does", 'such as a,"b, c"', got=text
        ) from None


def quoted(category: object) -> str:
    """Return a category as :func:`listed` reads it.

    Examples:
        >>> quoted("Bath, UK"), quoted(7)
        ('"Bath, UK"', '7')
    """
    text = str(category)
    if not any(sign in text for sign in ',@"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'
