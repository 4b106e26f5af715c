"""What a column holds where each cell has a type of its own: one rule, which no single cell moves.

A type comes from who holds the data, from bounds or from categories; a cell that does not fit it is
a missing value. ``docs/decisions/cells.md`` says why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from sudare.errors import WrongTypeError, as_one_of, counted, may_be_data
from sudare.files.people import BLANK
from sudare.release.kinds import TIMES, Kind, as_time, kind_of, kind_of_time

TYPES: dict[str, Kind] = {
    "whole": "number", "number": "number", "text": "text", "truth": "truth",
    "date": "date", "datetime": "datetime", "time": "time",
}  # fmt: skip
"""What may be said that a column holds, and the kind that it is read as."""

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?",
    re.ASCII | re.IGNORECASE,
)
_INTEGER = re.compile(r"[+-]?[0-9]{1,400}", re.ASCII)
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)
_TRUTH = {"true": True, "false": False, "1": True, "0": False}
_FAR = 400
"""More digits before the point make no whole number: it would fill the memory."""

NESTED = "list"
"""What a column must not hold: it would be one of several dimensions."""

_SHARE = 100
"""A guess holds while at most one cell in so many is none of it, or one cell."""


def as_types(types: object) -> dict[str, str]:
    """Return checked types of columns.

    Raises:
        WrongTypeError, DomainError: no mapping, or no such type.
    """
    if not isinstance(types, Mapping) or not all(isinstance(one, str) for one in types):
        raise WrongTypeError("types", "must be a mapping from columns", 'such as {"age": "whole"}')
    return {name: as_one_of(of, f"columns.{name}", TYPES) for name, of in types.items()}


def types_of(
    types: Mapping[str, str],
    bounds: Mapping[str, Any],
    categories: Mapping[str, Any],
    whose: str | None,
) -> dict[str, str]:
    """Return the types of all columns of which something is said: no cell is looked at.

    Args:
        types: as they are said.
        bounds: a column with bounds holds numbers, or such dates or times as they are.
        categories: a column with categories holds what they are.
        whose: the column that says whose a row is, whose cells stay as they are.
    """
    found = {name: _of_values(some) for name, some in categories.items()}
    found |= {name: _of_bounds(some) for name, some in bounds.items()}
    found |= types
    return {name: of for name, of in found.items() if of and name != whose}


def _of_bounds(bounds: Any) -> str:
    low = bounds[0] if isinstance(bounds, list | tuple) and bounds else None
    kind = kind_of_time(low)
    return kind if kind in TIMES else "number"


def _of_values(categories: Any) -> str:
    some = categories if isinstance(categories, list | tuple) else ()
    kinds: set[str] = {kind_of(type(one)) for one in some}
    return next(iter(kinds - {"other"}), "") if len(kinds) == 1 else ""


def types_of_questions(pairs: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """Return what columns hold by what public questions compare them with: no cell is looked at.

    Args:
        pairs: a column with a value that it is compared with, as text has it.

    Examples:
        >>> types_of_questions([("sex", "f"), ("age", "18"), ("code", "1"), ("code", "A1")])
        {'sex': 'text', 'age': 'number', 'code': 'text'}
    """
    found: dict[str, set[str]] = {}
    for column, value in pairs:
        found.setdefault(column, set()).add(_of_text(value))
    return {name: next(iter(of)) if len(of) == 1 else "text" for name, of in found.items()}


def _of_text(value: Any) -> str:
    if not isinstance(value, str):
        return kind_of(type(value))
    text = value.strip().lower()
    if text in ("true", "false"):
        return "truth"
    return "number" if _NUMBER.fullmatch(text) else "text"


def reader_of(of: str) -> Callable[[Any], Any]:
    """Return what reads a cell as a type has it; None where the cell does not fit."""
    return _READERS.get(of) or _time(of)


def as_number(cell: Any) -> int | Decimal | Fraction | None:
    """Return the number that a cell is or writes, exactly: a float is what it prints as.

    Examples:
        >>> as_number(" 007 "), as_number(0.1), as_number("two"), as_number(True)
        (7, Decimal('0.1'), None, None)
    """
    if isinstance(cell, str):
        text = cell.strip()
        if _INTEGER.fullmatch(text):
            return int(text)
        return _decimal(text) if _NUMBER.fullmatch(text) else None
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | Fraction):
        return cell
    if isinstance(cell, float):
        return None if cell != cell else Decimal(repr(float(cell)))
    return cell if isinstance(cell, Decimal) and not cell.is_nan() else None


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent of twenty digits
        return None


def _whole(cell: Any) -> int | Decimal | None:
    number = as_number(cell)
    if isinstance(number, Decimal):
        if not number.is_finite():
            return None
        if number.adjusted() > _FAR:
            return number if number == number.to_integral_value() else None
        number = Fraction(number) if number.adjusted() > -_FAR else Fraction(1, 2)
    if isinstance(number, Fraction):
        return int(number) if number.denominator == 1 else None
    return number


def _text(cell: Any) -> str | None:
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, date | time):
        return cell.isoformat()
    return None if as_number(cell) is None else str(cell)


def _truth(cell: Any) -> bool | None:
    if isinstance(cell, str):
        return _TRUTH.get(cell.strip().lower())
    return bool(cell) if isinstance(cell, bool | int) and cell in (0, 1) else None


def _other(cell: Any) -> Any:
    try:
        hash(cell)
    except TypeError:
        return repr(cell)
    return cell


def _time(of: Any) -> Callable[[Any], Any]:
    def read(cell: Any) -> Any:
        try:
            found = as_time(of, cell, "")
        except WrongTypeError:
            return None
        # one cell with a zone must not refuse all others: without one it is UTC, as it is summed
        naive = isinstance(found, datetime) and found.tzinfo is None
        return found.replace(tzinfo=UTC) if naive else found

    return read


_READERS: dict[str, Callable[[Any], Any]] = {
    "number": as_number, "whole": _whole, "text": _text, "truth": _truth, "other": _other,
}  # fmt: skip


def guess(cells: Iterable[tuple[str, int]]) -> str:
    """Return what cells seem to hold, of their kinds and how often each is there.

    It is what nearly all are, so that no single one decides, and else text, which all may be.

    Examples:
        >>> guess([("number", 9), ("text", 1)]), guess([("number", 9), ("text", 2)]), guess([])
        ('number', 'text', 'text')
    """
    found: Counter[Any] = Counter()
    for kind, times in cells:
        found[kind] += times
    if not found:
        return "text"
    kind, most = max(found.items(), key=lambda one: (one[1], one[0]))
    rest = found.total() - most
    return str(kind) if rest < most and rest <= max(1, found.total() // _SHARE) else "text"


def are_zoned(cells: Iterable[Any]) -> bool | None:
    """Return whether nearly all moments have a zone; None where some are text, or as many do not.

    Examples:
        >>> are_zoned([datetime(2020, 1, 1)] * 3), are_zoned(["2020-01-01T00:00Z"])
        (False, None)
    """
    kinds = (
        "text" if isinstance(one, str) else "plain" if one.tzinfo is None else "zoned"
        for one in cells
        if isinstance(one, str | datetime) and kind_of_cell(one) is not None and one == one
    )
    return {"plain": False, "zoned": True}.get(guess(Counter(kinds).items()))


def kind_of_cell(cell: Any) -> str | None:
    """Return the kind of a cell by its type; None without a value."""
    if isinstance(cell, str):
        return None if cell.strip().lower() in BLANK else "text"
    return NESTED if isinstance(cell, list | tuple) else kind_of(type(cell))


def kind_of_text(text: str) -> str | None:
    """Return the kind of a cell that is text in any case, by what it writes in the one way.

    ``007`` and ``7.0`` are text: they differ from ``7``.
    """
    if text.strip().lower() in BLANK:
        return None
    if _PLAIN.fullmatch(text):
        return "number"
    return "truth" if text.lower() in ("true", "false") else "text"


def guess_in_words(names: Sequence[str]) -> str:
    """Return the sentence that says which columns' types are a guess."""
    if may_be_data(names):
        shown, one = f"{counted(len(names), 'column')}", "COLUMN"
    else:
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        one = names[0]
    return (
        f"what columns hold is guessed from their cells, which makes it public knowledge taken "
        f'from the data ({shown}): name their types, such as types={{"{one}": "text"}}, '
        f'--type {one}=text or [columns] {one} = "text"'
    )
