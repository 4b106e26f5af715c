"""How a file that defines something is read: its text, its tables, its identifiers."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sudare.encodings import text_of
from sudare.errors import DomainError, SudareError, WrongTypeError

SLUG = "[a-z0-9][a-z0-9_-]{0,63}"
"""An identifier, as it stands in addresses and on the wire."""

_SLUG = re.compile(SLUG)

MOST_DOTS = 16
"""Of one dotted key: the parser's work and memory grow with their square. No file needs four."""
MOST_DOTTED = 50_000
"""Dots after a key's first, of all keys together: each makes a table, of a kilobyte."""

_TOKEN = re.compile(
    r'''"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{3,5}|\'{3}(?:[^\']|\'{1,2}(?!\'))*+\'{3,5}'''
    r'''|(?P<broken>"""|\'{3})|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|(?P<quote>["\'])'''
    r"|(?P<dot>\.)|(?P<space>[ \t]++)|(?P<end>#[^\n]*+|[^\w\"\'.# \t-]++)|[\w-]++",
    re.DOTALL,
)
"""A token of TOML: a string, a dot, space, what ends a key, or a bare part of one."""

T = TypeVar("T")


def as_slug(value: object, argument: str, remedy: str, error: type[SudareError]) -> str:
    """Return an identifier; raise ``error`` where it is none."""
    if not isinstance(value, str) or not _SLUG.fullmatch(value):
        rule = "must be 1 to 64 of a-z, 0-9, - and _, starting with a letter or digit"
        raise error(argument, rule, remedy, got=value)
    return value


def load(
    path: str | os.PathLike[str],
    argument: str,
    read: Callable[[str], T],
    error: type[SudareError],
) -> T:
    """Return what ``read`` makes of a file's text; its errors name the file.

    Raises:
        WrongTypeError: not a path.
        SudareError: of the type ``error``: the file cannot be read.
    """
    try:
        text = text_of(Path(path).read_bytes(), argument)
    except TypeError:
        raise WrongTypeError("path", "must be a path", got=path) from None
    except DomainError as reason:
        raise error(argument, reason.rule, reason.remedy, got=str(path)) from None
    except (OSError, ValueError) as reason:
        why = getattr(reason, "strerror", None) or "no path"
        raise error(argument, f"cannot be read ({why})", got=str(path)) from None
    try:
        return read(text.replace("\r\n", "\n").replace("\r", "\n"))
    except SudareError as broken:
        raise broken.within(Path(path).name) from None


def tables(
    text: str, argument: str, error: type[SudareError], number: Callable[[str], Any] = float
) -> dict[str, Any]:
    """Return the tables of TOML text.

    Args:
        text: of the file.
        argument: how an error names it.
        error: its type.
        number: what a number with a point is read as, such as ``Decimal``.
    """
    text = text.removeprefix("\ufeff")  # a byte order mark, which editors of Windows write
    _check_keys(text, argument, error)
    try:
        return tomllib.loads(text, parse_float=number)
    except (ValueError, TypeError, AttributeError, RecursionError) as reason:
        raise error(argument, f"is not valid: {reason}", "correct that place") from None


def _check_keys(text: str, argument: str, error: type[SudareError]) -> None:
    """Refuse keys of very many parts, by one look at each character: parsing them takes hours.

    It ends at a string without an end: so does the parser.
    """
    dots = every = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind in ("broken", "quote"):
            return
        if kind == "end":
            dots = 0
        elif kind == "dot":
            dots += 1
            every += dots > 1  # one alone may be a number's
            if dots > MOST_DOTS or every > MOST_DOTTED:
                rule = f"may have {MOST_DOTS} dots in a key, and {MOST_DOTTED:,} in all keys"
                line = text.count("\n", 0, token.start()) + 1
                raise error(argument, f"{rule}: line {line} has more", "write tables of fewer")
