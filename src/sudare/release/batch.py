"""Several questions under one budget, split as stated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.errors import DomainError, WrongTypeError
from sudare.ledger import Cost
from sudare.release.dataset import Dataset
from sudare.release.grid import exact
from sudare.release.released import Released

PLAIN = ("sum", "mean", "variance", "median", "max", "min")
WITH = ("count", "quantile", "histogram", "mode")
GROUPED = ("count", "sum", "mean")
RANKED = ("median", "max", "min", "quantile", "mode")

_REMEDY = (
    "write KIND:COLUMN such as mean:score, count:sex=f, quantile:score=0.9, "
    "histogram:region=north,south or mean:score@sex=f,m"
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as text says it: ``KIND:COLUMN[=VALUES][@GROUP=KEYS]``.

    Attributes:
        kind: such as ``"mean"``.
        column: None for a count of groups or of all rows.
        values: what it compares with: a category, a share, categories.
        by, keys: groups, or None and empty.
    """

    kind: str
    column: str | None
    values: tuple[str, ...] = ()
    by: str | None = None
    keys: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: object) -> Ask:
        """Read a question.

        Raises:
            WrongTypeError, DomainError: it is none.

        Examples:
            >>> Ask.parse("mean:score@sex=f,m")
            Ask(kind='mean', column='score', values=(), by='sex', keys=('f', 'm'))
        """
        if not isinstance(text, str):
            raise WrongTypeError("ask", "must be text", _REMEDY)
        main, at, group = text.partition("@")
        kind, _, rest = main.partition(":")
        column, equals, values = rest.partition("=")
        by, given, keys = group.partition("=")
        if kind not in PLAIN + WITH or (
            at and (kind not in GROUPED or not (by and given and keys))
        ):
            raise DomainError("ask", "must be a question", _REMEDY, got=text)
        grouped_count = kind == "count" and bool(at)
        if bool(column) == grouped_count and kind != "count":
            raise DomainError("ask", "must name a column", _REMEDY, got=text)
        if (kind in WITH and not grouped_count and column and not equals) or (
            equals and (kind in PLAIN or grouped_count)
        ):
            raise DomainError(
                "ask", "must say what it compares with, if anything", _REMEDY, got=text
            )
        several = kind in ("histogram", "mode")
        parts = tuple(values.split(",")) if several and equals else ((values,) if equals else ())
        return cls(kind, column or None, parts, by or None, tuple(keys.split(",")) if keys else ())

    def to(self, db: Dataset, cost: Cost, *, reuse: bool = False) -> Released[Any]:
        """Ask a data set."""
        pay: dict[str, Any] = {cost.unit: cost.amount, "reuse": reuse}
        if self.kind in RANKED and cost.unit == "rho":
            raise DomainError("rho", f"has no {self.kind}", "pay in epsilon")
        if self.by is not None:
            groups = db.group_by(self.by, _typed(db, self.by, self.keys))
            if self.kind == "count":
                return groups.count(**pay)
            grouped: Released[Any] = getattr(groups, self.kind)(self.column, **pay)
            return grouped
        if self.kind == "count":
            equals = _typed(db, self.column, self.values)[0] if self.column else None
            return db.count(self.column, equals, **pay)
        if self.kind == "quantile":
            return db.quantile(str(self.column), _number(self.values[0]), **pay)
        if self.kind in ("histogram", "mode"):
            categories = _typed(db, self.column, self.values)
            found: Released[Any] = getattr(db, self.kind)(self.column, categories, **pay)
            return found
        plain: Released[Any] = getattr(db, self.kind)(self.column, **pay)
        return plain


def batch(
    db: Dataset,
    asks: Sequence[Ask | str],
    cost: Cost,
    *,
    split: Sequence[Any] | None = None,
    reuse: bool = False,
) -> list[Released[Any]]:
    """Ask several questions for one price.

    Args:
        db: the data set.
        asks: questions, as :class:`Ask` or its text.
        cost: of all together.
        split: a positive number for each: its part of the price; None for equal ones.
        reuse: take answers from the ledger's record where they are.

    Raises:
        WrongTypeError, DomainError: no questions, or no such split.
        BudgetExceeded: a question could not be paid; those before it were.

    Examples:
        >>> db = Dataset({"score": [60, 70] * 5000}, bounds={"score": (0, 100)}, budget=1)
        >>> [one.epsilon for one in batch(db, ["mean:score", "median:score"], Cost.of(epsilon=1))]
        [0.5, 0.5]
    """
    if not isinstance(asks, list | tuple) or not asks:
        raise WrongTypeError("asks", "must be a list of questions", _REMEDY)
    if not isinstance(cost, Cost):
        raise WrongTypeError("cost", "must be a Cost", "such as Cost.of(epsilon=1)")
    questions = [one if isinstance(one, Ask) else Ask.parse(one) for one in asks]
    parts = [Fraction(1)] * len(questions)
    if split is not None:
        if not isinstance(split, list | tuple) or len(split) != len(questions):
            raise DomainError("split", "must have a number for each question")
        parts = [exact(one, "split") for one in split]
        if min(parts) <= 0:
            raise DomainError("split", "must be > 0", "leave a question out instead")
    whole = sum(parts, start=Fraction(0))
    return [
        question.to(db, Cost(cost.unit, cost.amount * part / whole), reuse=reuse)
        for question, part in zip(questions, parts, strict=True)
    ]


def _typed(db: Dataset, column: str | None, texts: Sequence[str]) -> list[Any]:
    """Return categories as the column has them: numbers in a column of numbers."""
    if db._column(column).dtype.kind in "iuf":
        return [float(_number(text)) for text in texts]
    return list(texts)


def _number(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise DomainError("ask", "must give a number here", _REMEDY, got=text) from None
