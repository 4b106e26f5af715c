"""How a file that defines something is read: its text, its tables, its identifiers."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sudare.errors import SudareError, WrongTypeError

SLUG = "[a-z0-9][a-z0-9_-]{0,63}"
"""An identifier, as it stands in addresses and on the wire."""

_SLUG = re.compile(SLUG)

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
        text = Path(path).read_text("utf-8")
    except TypeError:
        raise WrongTypeError("path", "must be a path", got=path) from None
    except (OSError, ValueError) as reason:
        why = getattr(reason, "strerror", None) or "not UTF-8 text"
        raise error(argument, f"cannot be read ({why})", got=str(path)) from None
    try:
        return read(text)
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
    try:
        return tomllib.loads(text, parse_float=number)
    except (ValueError, TypeError, AttributeError, RecursionError) as reason:
        raise error(argument, f"is not valid: {reason}", "correct that place") from None
