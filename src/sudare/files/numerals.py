"""Numbers as cells of text write them, and why a cell is none."""

from __future__ import annotations

import math
import re
import unicodedata

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_CAUSES = (
    (
        re.compile(r"[+-]?[0-9]{1,3}(?:[,.' \u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?", re.ASCII),
        "has a separator of thousands",
        "write 1000, not 1,000",
    ),
    (re.compile(r"[+-]?[0-9]*,[0-9]+", re.ASCII), "has a decimal comma", "write 1.5, not 1,5"),
    (
        re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}", re.ASCII),
        "is a date",
        "choose another column; a date is written as 2024-01-05, not 2024/1/5",
    ),
    (
        re.compile(r"[^\w.+-]\s*[0-9.,]+|[0-9.,]+\s*[^\w.+-]", re.ASCII),
        "has a sign beside its digits",
        "write the digits alone, without % or a currency",
    ),
)


def number_of(cell: object) -> float | None:
    """Return the number that a cell holds or writes in ASCII digits; None where it is none.

    Examples:
        >>> number_of(" 7.50"), number_of(3), number_of("1,000"), number_of("１２")
        (7.5, 3.0, None, None)
    """
    if isinstance(cell, str):
        text = cell.strip()
        cell = float(text) if _NUMBER.fullmatch(text) else math.nan
    try:
        number = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and not isinstance(cell, bool) else None


def why_no_number(cell: object) -> tuple[str, str]:
    """Return in words why :func:`number_of` gives None, without the cell, and what to do.

    Examples:
        >>> why_no_number("1,000")
        ('has a separator of thousands', 'write 1000, not 1,000')
        >>> why_no_number("１２")[0], why_no_number("")[0], why_no_number("2024/1/5")[0]
        ('has full-width digits', 'is empty', 'is a date')
    """
    if cell is None or cell == "":
        return "is empty", "leave the row out, or write a number"
    text = str(cell).strip()
    plain = unicodedata.normalize("NFKC", text)
    if plain != text and (
        number_of(plain) is not None or any(one[0].fullmatch(plain) for one in _CAUSES)
    ):
        return "has full-width digits", "write them in half width: 0 to 9"
    for form, cause, remedy in _CAUSES:
        if form.fullmatch(text):
            return cause, remedy
    return "is no finite number", "write it in digits, as 12 or 3.5"
