"""``Ask``: a question to a data set as data, from text or from a request."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_rational, rational_from_text
from sudare.ledger import Cost
from sudare.release import groups, moments, ranks
from sudare.release.dataset import Dataset
from sudare.release.grid import exact
from sudare.release.held import Held
from sudare.release.prepared import Prepared
from sudare.release.released import Released

PLAIN = ("missing", "sum", "mean", "variance", "median", "max", "min")
WITH = ("count", "quantile", "histogram", "mode")
GROUPED = ("count", "sum", "mean")
RANKED = ("median", "max", "min", "quantile", "mode")

_TRUTH = {"true": True, "false": False}

_OUTSIDE_QUOTES = re.compile(r'@(?=(?:[^"]*"[^"]*")*[^"]*\Z)')

REMEDY = (
    "write KIND:COLUMN such as mean:score, count:sex=f, quantile:score=0.9, "
    "histogram:region=north,south or mean:score@sex=f,m"
)


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
        at, group = bool(rests), "".join(rests)
        kind, _, rest = main.partition(":")
        column, equals, values = rest.partition("=")
        by, given, keys = group.partition("=")
        if kind not in PLAIN + WITH or (
            at and (kind not in GROUPED or not (by and given and keys))
        ):
            raise DomainError("ask", "must be a question", REMEDY, got=text)
        grouped_count = kind == "count" and at
        if bool(column) == grouped_count and kind != "count":
            raise DomainError("ask", "must name a column", REMEDY, got=text)
        if (kind in WITH and not grouped_count and column and not equals) or (
            equals and (kind in PLAIN or grouped_count)
        ):
            raise DomainError(
                "ask", "must say what it compares with, if anything", REMEDY, got=text
            )
        several = kind in ("histogram", "mode") or values.startswith('"')
        parts = listed(values) if several and equals else ((values,) if equals else ())
        if kind in ("count", "quantile") and len(parts) > 1:
            raise DomainError("ask", "must compare with one value", REMEDY, got=text)
        return cls(kind, column or None, parts, by or None, listed(keys) if keys else ())

    def to(self, db: Dataset, cost: Cost, *, reuse: bool = False) -> Released[Any]:
        """Ask a data set.

        Raises:
            WrongTypeError, DomainError, PrivacyError: the data set cannot answer it.
            BudgetExceeded: nothing was spent.
        """
        return db._answer(lambda held: self._of(held, cost), reuse)

    def of(self, db: Dataset, cost: Cost) -> Prepared[Any]:
        """Return the question to a data set, checked and priced; nothing is spent.

        Raises:
            WrongTypeError, DomainError, PrivacyError: the data set cannot answer it.
        """
        return self._of(db.held, cost)

    def _of(self, db: Held, cost: Cost) -> Prepared[Any]:
        if self.kind in RANKED and cost.unit == "rho":
            raise DomainError("rho", f"has no noise for a {self.kind}", "pay in epsilon")
        column = str(self.column)
        if self.by is not None:
            of = groups._Keyed(db, self.by, db.categories(self.by, _typed(db, self.by, self.keys)))
            match self.kind:
                case "count":
                    return of.count(cost)
                case "sum":
                    return of.sum(cost, column)
            return of.mean(cost, column)
        match self.kind:
            case "count":
                equals = _typed(db, column, self.values)[0] if self.values else None
                return groups.count(db, self.column, equals, cost)
            case "missing":
                return groups.missing(db, column, cost)
            case "sum":
                return moments.total(db, column, cost)
            case "mean":
                return moments.mean(db, column, cost)
            case "variance":
                return moments.variance(db, column, cost)
            case "median":
                return ranks.quantile(db, column, Fraction(1, 2), cost)
            case "quantile":
                return ranks.quantile(db, column, ranks.as_share(_number(self.values[0])), cost)
            case "histogram":
                return groups.histogram(db, column, _typed(db, column, self.values), cost)
            case "mode":
                return groups.mode(db, column, _typed(db, column, self.values), cost)
        return ranks.extreme(db, column, cost, top=self.kind == "max")


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


def _typed(db: Held, column: str, values: Sequence[Any]) -> list[Any]:
    """Return categories as the column has them: what text says of a number or a truth value."""
    match db.column(column).kind:
        case "number":
            return [_plain(_number(one)) for one in values]
        case "truth":
            return [_TRUTH.get(one.lower(), one) if isinstance(one, str) else one for one in values]
    return list(values)


def _plain(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)


def _number(value: Any) -> Fraction:
    if isinstance(value, str):
        return rational_from_text(value, "ask", REMEDY)
    return as_rational(value, "ask") if isinstance(value, int) else exact(value, "ask")
