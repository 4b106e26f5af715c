"""Names of accounts."""

from __future__ import annotations

import unicodedata

from sudare.errors import DomainError, WrongTypeError

MOST_NAME = 200


def as_name(name: object) -> str:
    """Return the name of an account: text of 1 to 200 printable characters, written one way.

    Raises:
        WrongTypeError, DomainError: it is none.
    """
    if not isinstance(name, str):
        raise WrongTypeError("account", "must be text", "name the account")
    if not 0 < len(name) <= MOST_NAME or not name.isprintable():
        raise DomainError("account", f"must be 1 to {MOST_NAME} printable characters")
    if name != unicodedata.normalize("NFC", name).strip():
        raise DomainError("account", "must be in normal form C, without spaces around it")
    return name
