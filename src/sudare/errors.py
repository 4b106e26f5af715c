"""Typed errors: each names the argument, a parameter's value, the rule and the remedy.

A respondent's answer or a report is never part of a message: for data the position is named,
for parameters the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Self, TypeVar

_ABSENT: Any = object()

C = TypeVar("C", bound=str)


def _show(value: object) -> str:
    try:
        text = str(value) if isinstance(value, Decimal | Fraction) else repr(value)
    except ValueError:  # an integer of thousands of digits has no text
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


class SudareError(Exception):
    """Base of every error that Sudare raises on purpose.

    The message reads ``{argument} {rule}, got {got}; {remedy}``.

    Args:
        argument: name of the argument, field or file that is wrong.
        rule: what it has to be, as a sentence fragment (``"must be > 0"``).
        remedy: what the caller can do about it.
        got: the offending *parameter*; leave it out for respondents' data.

    Examples:
        >>> raise_me = DomainError("k", "must be >= 2", "give at least two categories", got=1)
        >>> str(raise_me)
        'k must be >= 2, got 1; give at least two categories'
    """

    def __init__(self, argument: str, rule: str, remedy: str = "", *, got: Any = _ABSENT) -> None:
        self.argument = argument
        self.rule = rule
        self.remedy = remedy
        shown = "" if got is _ABSENT else f", got {_show(got)}"
        tail = f"; {remedy}" if remedy else ""
        super().__init__(f"{argument} {rule}{shown}{tail}")

    def within(self, place: str) -> Self:
        """Return this error with the place, such as a file, before what it says."""
        self.argument = f"{place}: {self.argument}"
        self.args = (f"{place}: {self.args[0]}",)
        return self

    def to_json(self) -> dict[str, str]:
        """Return the error as it travels on the wire (the offending value stays behind)."""
        tail = f"; {self.remedy}" if self.remedy else ""
        return {
            "type": type(self).__name__,
            "argument": self.argument,
            "rule": self.rule,
            "remedy": self.remedy,
            "message": f"{self.argument} {self.rule}{tail}",
        }


class DomainError(SudareError, ValueError):
    """A value or a size lies outside its domain."""


class WrongTypeError(SudareError, TypeError):
    """A value has the wrong type (text for a number, a float for a category)."""


class PrivacyError(SudareError, ValueError):
    """A privacy parameter is out of range, or a guarantee cannot be given."""


class OutOfReachError(PrivacyError):
    """A mechanism has no integers that spend this ε closely enough at this size."""


class BudgetExceeded(SudareError, ValueError):  # noqa: N818 - a fixed public name
    """A ledger refuses a charge: nothing was spent.

    Attributes:
        requested, remaining, short_by: exact budgets as decimal or rational text.
    """

    def __init__(
        self,
        argument: str,
        *,
        requested: str,
        remaining: str,
        short_by: str,
        remedy: str = "give the remembered answer again (it costs nothing), or raise the cap",
    ) -> None:
        self.requested = requested
        self.remaining = remaining
        self.short_by = short_by
        super().__init__(
            argument,
            f"does not cover this charge: requested {requested}, remaining {remaining}, "
            f"short by {short_by}",
            remedy,
        )


class EarlierAnswer(SudareError, ValueError):  # noqa: N818 - says what is the case
    """This device has answered an earlier version of the survey; nobody has agreed to pay more.

    Attributes:
        bills: what it comes to, unit by unit of ε: spent, cost, together, limit.
    """

    def __init__(self, argument: str, rule: str, remedy: str, *, bills: tuple[Any, ...]) -> None:
        self.bills = bills
        super().__init__(argument, rule, remedy)


class ReportError(SudareError, ValueError):
    """A report or an encoded submission is not one that the mechanism can produce."""


class CollectionError(SudareError, ValueError):
    """A collection's definition is broken, or a submission belongs to another one."""


class EstimationError(SudareError, ValueError):
    """Counts do not allow the estimate that was asked for."""


class ConformanceError(SudareError, AssertionError):
    """A mechanism fails a check of :func:`sudare.testing.check_mechanism`."""


class StorageError(SudareError, ValueError):
    """A database or file cannot be used as it is."""


class EngineError(SudareError, ValueError):
    """Another engine, such as Spark, is not there or cannot finish its work."""


class PluginWarning(UserWarning):
    """A mechanism of another package cannot be used and is left out."""


class LeftOutWarning(UserWarning):
    """A folder has tables that are not read; they are named."""


class TypeGuessWarning(UserWarning):
    """What a column of a data set holds is guessed from its cells, and public all the same."""


class MissingExtraError(SudareError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, library: str, extra: str, purpose: str, also: str = "") -> None:
        remedy = f'pip install "sudare[{extra}]" {also}'.rstrip()
        self.extra = extra
        super().__init__(library, f"is needed {purpose} and is not installed", remedy)


def counted(count: float, noun: str) -> str:
    """Return a number with its noun, in the singular of one.

    Examples:
        >>> counted(1, "report"), counted(2000, "report"), counted(0, "entry"), counted(1.5, "key")
        ('1 report', '2,000 reports', '0 entries', '1.5 keys')
    """
    shown = f"{count:g}" if isinstance(count, float) else f"{count:,}"
    if count == 1:
        return f"{shown} {noun}"
    is_changed = noun.endswith("y") and noun[-2] not in "aeou"
    return f"{shown} {noun[:-1]}ies" if is_changed else f"{shown} {noun}s"


def nearest(value: object, known: Iterable[str], then: str = "") -> str:
    """Return a remedy: which known text may be meant, if one is like it, and what else is said.

    Examples:
        >>> nearest("meen", ("frequency", "mean")), nearest("x", ("frequency", "mean"))
        ("did you mean 'mean'?", '')
    """
    import difflib  # for a name that is not there

    if not isinstance(value, str) or len(value) > 100:
        return then
    names = {one.lower(): one for one in reversed(list(known))}
    close = difflib.get_close_matches(value.lower(), names, 1, 0.7)
    return f"did you mean {names[close[0]]!r}? {then}".rstrip() if close else then


_DATUM = re.compile(
    r"\W*\d[\W\d_etz]*|\W*|.*@.*|true|false|yes|no|n/?a|nan|null|none", re.IGNORECASE | re.DOTALL
)


def may_be_data(names: Iterable[object]) -> bool:
    """Tell whether a head looks like a person's row: a name is empty, a number, a date, an address.

    Examples:
        >>> may_be_data(["Taro Yamada", "33", "HIV"]), may_be_data(["name", "age", "q1"])
        (True, False)
    """
    return any(_DATUM.fullmatch(str(one)) is not None for one in names)


def as_column(
    name: object,
    known: Iterable[str],
    table: str,
    argument: str = "column",
    *,
    is_schema: bool = False,
) -> str:
    """Return a name that is one of a table's columns.

    Args:
        name: the name.
        known: those of the table.
        table: for messages; what is called like a file has a first line that may be no head.
        argument: for messages.
        is_schema: whether a schema names the columns. The first line of a text may be a person's
            row, of which no cell is offered.

    Raises:
        WrongTypeError: no text.
        DomainError: no such column. How many there are is told, not their names; of a schema one
            that is like ``name`` is, unless :func:`may_be_data`.

    Examples:
        >>> as_column("age", ["name", "age"], "people.csv")
        'age'
    """
    if not isinstance(name, str):
        raise WrongTypeError(argument, "must be the name of a column", got=None)
    names = list(known)
    if name in names:
        return name
    remedy = nearest(name, names) if is_schema and not may_be_data(names) else ""
    if not is_schema and (table == "the file" or PurePath(table).suffix):
        remedy = "does its first line name the columns?"
        if name == "report":  # which nobody may have written: it is the name where none is given
            remedy += " if it does, give the name of the one that holds the reports"
    rule = f"must be a column of {table}, which has {len(names):,}"
    raise DomainError(argument, rule, remedy, got=name)


def as_one_of(
    value: object,
    argument: str,
    known: Iterable[C],
    error: type[SudareError] = DomainError,
    remedy: str = "",
) -> C:
    """Return the known text that equals ``value``.

    Raises:
        SudareError: there is none; of the type ``error``, with all that are known in its rule.

    Examples:
        >>> as_one_of("mean", "of", ("frequency", "mean"))
        'mean'
        >>> as_one_of(["mean"], "of", ("frequency", "mean"))
        Traceback (most recent call last):
        ...
        sudare.errors.DomainError: of must be one of ['frequency', 'mean'], got ['mean']
    """
    texts = list(known)
    if not isinstance(value, str) or value not in texts:
        raise error(argument, f"must be one of {texts}", nearest(value, texts, remedy), got=value)
    return texts[texts.index(value)]
