"""``Ask``: a question to a data set as text says it; ``batch``: several of them for one price."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, overload

from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.ledger import Cost
from sudare.release.dataset import Dataset
from sudare.release.grid import exact
from sudare.release.private_data import PrivateData
from sudare.release.queries import KINDS, Filtered, Query, Where
from sudare.release.queries.base import REMEDY
from sudare.release.released import PreparedQuery, Released

if TYPE_CHECKING:
    from sudare.release.quote import DryRun, Quote

SEVERAL = ("categories", "others")
"""What fields hold that text lists by commas."""

_QUOTED = r'(?=(?:[^"]*"[^"]*")*[^"]*\Z)'
_OUTSIDE_QUOTES = re.compile("@" + _QUOTED)
_WHERE = re.compile(r"\s+where\s+" + _QUOTED)
_ITEM = re.compile(r'\s*+(?:"((?:[^"]|"")*)"\s*|((?!")[^,]*))(,|\Z)')


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as text says it: ``KIND:COLUMN[=VALUES][@GROUP=KEYS]...``, perhaps ``where ...``.

    Values and keys stand as in a line of CSV: one with ``,``, ``@``, the word where or space around
    it in double quotes.

    Attributes:
        kind: such as ``"mean"``.
        column: None for a count of groups or of all rows.
        values: what it compares with: a category, a share, categories; text or as in the column.
        by, keys: groups, or None and empty; of several columns all names, and keys for each.
        where: which rows it is about; None for all.
    """

    kind: str
    column: str | None
    values: tuple[Any, ...] = ()
    by: str | tuple[str, ...] | None = None
    keys: tuple[Any, ...] = ()
    where: Where | None = None

    @classmethod
    def parse(cls, text: object) -> Ask:
        """Read a question.

        Raises:
            WrongTypeError, DomainError: it is none, or lists values where one is compared.

        Examples:
            >>> Ask.parse("mean:score@sex=f,m")
            Ask(kind='mean', column='score', values=(), by='sex', keys=('f', 'm'), where=None)
        >>> print(Ask.parse("mean:score where age >= 18 and sex = f").where)
        age >= 18 and sex = f
            >>> Ask.parse('histogram:place="Bath, UK",York').values
            ('Bath, UK', 'York')
        """
        if not isinstance(text, str):
            raise WrongTypeError("ask", "must be text", REMEDY)

        def refuse(rule: str, remedy: str = REMEDY) -> NoReturn:
            raise DomainError("ask", rule, remedy, got=text)

        asked, *conditions = _WHERE.split(text, maxsplit=1)
        where = Where.of(*conditions) if conditions else None
        main, *rests = _OUTSIDE_QUOTES.split(asked)
        told, equals, values = main.partition("=")
        name, _, column = told.partition(":")
        groups = [one.partition("=") for one in rests]
        kind = KINDS.get(f"group_{name}" if rests else name)
        if kind is None or not all(by and keys for by, _, keys in groups):
            refuse("must be a question")
        of_column = "column" in kind.fields()
        if not column and kind.needs("column"):
            refuse("must name a column")
        compared = kind.compares_with() if column or not of_column else None
        if (column and not of_column) or (equals and not compared):
            refuse("must say what it compares with, if anything")
        if compared and not equals and (of_column or kind.needs(compared)):
            refuse("must say what it compares with, if anything")
        holds = kind.fields()[compared].holds if compared else None
        parts = () if not equals else (values,) if holds == "number" else listed(values)
        if len(parts) > 1 and holds not in SEVERAL:
            refuse(
                f"must compare with one value for {name}",
                f"write histogram:{column}={values} for each of several, where {column} in {values}"
                ' for all together, or one value with a comma in double quotes: "a, b"',
            )
        by: Any = tuple(one for one, _, _ in groups)
        own: Any = tuple(listed(keys) for _, _, keys in groups)
        if len(groups) < 2:
            by, own = (by[0], own[0]) if groups else (None, ())
        return cls(name, column or None, parts, by, own, where)

    def to(self, db: Dataset, cost: Cost, *, reuse: bool = False) -> Released[Any]:
        """Ask a data set; errors as of :meth:`Dataset.ask`."""
        return db.ask(self.query(db.held), cost, reuse=reuse)

    def of(self, db: Dataset, cost: Cost) -> PreparedQuery[Any]:
        """Return the question to a data set, checked and priced; nothing is spent."""
        return self.query(db.held).prepare(db.held, cost)

    def query(self, held: PrivateData) -> Query:
        """Return the query; text becomes a number or a truth value where a column holds such."""
        name = self.kind if self.by is None else f"group_{self.kind}"
        kind = KINDS[as_one_of(name, "kind", sorted(KINDS), remedy=REMEDY)]
        given: dict[str, Any] = {"column": self.column, "by": self.by, "keys": self.keys}
        if self.values and (compared := kind.compares_with()):
            several = kind.fields()[compared].holds in SEVERAL
            given[compared] = self.values if several else self.values[0]
        query = kind.read(held, {name: one for name, one in given.items() if one is not None})
        return query if self.where is None else Filtered(query, self.where)


@overload
def batch(
    db: Dataset,
    asks: Sequence[Ask | Query | str],
    cost: Cost,
    *,
    split: Sequence[Any] | None = None,
    reuse: bool = False,
) -> list[Released[Any]]: ...


@overload
def batch(
    db: DryRun,
    asks: Sequence[Ask | Query | str],
    cost: Cost,
    *,
    split: Sequence[Any] | None = None,
    reuse: bool = False,
) -> list[Quote]: ...


def batch(
    db: Dataset | DryRun,
    asks: Sequence[Ask | Query | str],
    cost: Cost,
    *,
    split: Sequence[Any] | None = None,
    reuse: bool = False,
) -> list[Any]:
    """Ask several questions for one price: all are answered, or none, and nothing is spent.

    Args:
        db: the data set, or its dry run, which tells a :class:`Quote` for each.
        asks: questions, as :class:`Ask` or its text, or as queries.
        cost: of all together.
        split: a positive number for each: its part of the price; None for equal ones.
        reuse: take answers from the ledger's record where they are.

    Raises:
        WrongTypeError, DomainError, PrivacyError: no questions, no such split, or one of them
            cannot be answered; nothing was spent.
        BudgetExceeded: nothing was spent.

    Examples:
        >>> db = Dataset({"score": [60, 70] * 5000}, bounds={"score": (0, 100)}, budget=1)
        >>> [one.epsilon for one in batch(db, ["mean:score", "median:score"], Cost.of(epsilon=1))]
        [0.5, 0.5]
    """
    if not isinstance(asks, list | tuple) or not asks:
        raise WrongTypeError("asks", "must be a list of questions", REMEDY)
    if not isinstance(cost, Cost):
        raise WrongTypeError("cost", "must be a Cost", "such as Cost.of(epsilon=1)")
    questions = [one if isinstance(one, Ask | Query) else Ask.parse(one) for one in asks]
    queries = [one.query(db.held) if isinstance(one, Ask) else one for one in questions]
    pairs = zip(queries, parts_of(cost, len(queries), split), strict=True)
    return db.ask_all(list(pairs), reuse=reuse)


def parts_of(cost: Cost, size: int, split: Sequence[Any] | None) -> list[Cost]:
    """Return what each of several questions costs of one price, exactly.

    Raises:
        WrongTypeError, DomainError: no positive number for each.

    Examples:
        >>> [str(one.amount) for one in parts_of(Cost.of(epsilon=1), 2, [1, 2])]
        ['1/3', '2/3']
    """
    parts = [Fraction(1)] * size
    if split is not None:
        if not isinstance(split, list | tuple) or len(split) != size:
            raise DomainError("split", "must have a number for each question")
        parts = [exact(one, "split") for one in split]
        if min(parts) <= 0:
            raise DomainError("split", "must be > 0", "leave a question out instead")
    whole = sum(parts, start=Fraction(0))
    return [Cost(cost.unit, cost.amount * part / whole) for part in parts]


def listed(text: str) -> tuple[str, ...]:
    """Return the categories that text lists by commas, as a line of CSV does.

    Space around one counts within double quotes alone, and so does one without any character:
    neither would ever be found in a column.

    Raises:
        DomainError: quotes that do not close, or nothing between two commas.

    Examples:
        >>> listed('"Bath, UK", York')
        ('Bath, UK', 'York')
    """
    out, at, comma = [], 0, ","
    while comma:
        found = _ITEM.match(text, at)
        if found is None:
            rule, remedy = "must list categories as a line of CSV does", 'such as a,"b, c"'
            raise DomainError("ask", rule, remedy, got=text)
        inner, plain, comma = found.groups()
        if inner is None and not plain.strip():
            rule = "must have a category before and after each comma"
            raise DomainError("ask", rule, 'such as a,b; empty text is ""', got=text)
        out.append(plain.strip() if inner is None else inner.replace('""', '"'))
        at = found.end()
    return tuple(out)


def quoted(category: object) -> str:
    """Return a category as :func:`listed` reads it.

    Examples:
        >>> quoted("Bath, UK"), quoted(7)
        ('"Bath, UK"', '7')
    """
    text = str(category)
    signs = (*',@"\r\n', "where")
    if text and text == text.strip() and not any(sign in text for sign in signs):
        return text
    return '"' + text.replace('"', '""') + '"'
