"""Tokens: who may ask, about what, and which account pays."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sudare.definitions import SLUG
from sudare.errors import DomainError, WrongTypeError
from sudare.ledger.chain import digest
from sudare.ledger.ledger import Ledger
from sudare.ledger.transaction import as_name

PREFIX = "sudare_"
VERBS = ("query", "describe")
SHOWN = 12
"""Digits of the hash by which a token is named."""

_SECRET = re.compile(PREFIX + r"[A-Za-z0-9_-]{43}", re.ASCII)
_SCOPE = re.compile(rf"(query|describe):({SLUG}|\*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """What a token allows; the secret itself is nowhere.

    Attributes:
        id: its name for listing and revoking.
        holder: the account that pays, of the analyst.
        scopes: such as ``query:scores-2026`` or ``describe:*``.
        expires: when it ends, in UTC; None for never.
        revoked: it allows nothing any more.
    """

    id: str
    holder: str
    scopes: tuple[str, ...]
    expires: datetime | None
    revoked: bool

    def allows(self, verb: str, name: str) -> bool:
        """Tell whether a scope covers it; who may query may also see the description."""
        verbs = VERBS if verb == "describe" else (verb,)
        return any(f"{one}:{of}" in self.scopes for one in verbs for of in (name, "*"))


class Tokens:
    """The tokens of a ledger: secrets of 256 bits, of which only a hash is kept.

    Args:
        ledger: open; issuing and revoking are events of it.

    Examples:
        >>> from sudare.ledger import Ledger
        >>> ledger = Ledger("ledger.db")
        >>> _ = ledger.open("ann", epsilon=1)
        >>> tokens = Tokens(ledger)
        >>> secret = tokens.issue("ann", ["query:scores-2026"])
        >>> token = tokens.find(secret)
        >>> token.holder, token.allows("describe", "scores-2026"), token.allows("query", "other")
        ('ann', True, False)
        >>> tokens.revoke(token.id); tokens.find(secret) is None
        True
        >>> ledger.close()
    """

    def __init__(self, ledger: Ledger) -> None:
        if not isinstance(ledger, Ledger):
            raise WrongTypeError("ledger", "must be a Ledger", "such as Ledger(path)")
        self._ledger = ledger

    def issue(self, holder: str, scopes: Sequence[str], expires: datetime | None = None) -> str:
        """Return a new secret: it cannot be shown again.

        Args:
            holder: an open account.
            scopes: ``query:NAME`` or ``describe:NAME`` of a data set, ``*`` for all.
            expires: an aware datetime; None for never.

        Raises:
            WrongTypeError, DomainError: no such account, scopes or time.
        """
        given = as_scopes(scopes)
        end = None if expires is None else as_time(expires).isoformat(timespec="seconds")
        secret = PREFIX + secrets.token_urlsafe(32)
        mark = digest(secret)
        body = {"token": mark[:SHOWN], "holder": as_name(holder), "scopes": given, "expires": end}
        with self._ledger.writing() as ledger:
            ledger.accounts([holder])
            row = {"mark": mark, "holder": holder, "scopes": json.dumps(given), "expires": end}
            ledger.execute(ledger.tables.TOKEN.insert().values(**row, revoked=False))
            ledger.append("token", body, None)
        return secret

    def revoke(self, id: str) -> None:
        """End a token at once.

        Raises:
            WrongTypeError, DomainError: there is none of that name.
        """
        if not isinstance(id, str):
            raise WrongTypeError("token", "must be text", "its name, not its secret")
        with self._ledger.writing() as ledger:
            marks = [mark for mark, token in _all(ledger) if token.id == id and not token.revoked]
            if not marks:
                raise DomainError("token", "is not known, or is revoked", "see the list of tokens")
            table = ledger.tables.TOKEN
            ledger.execute(table.update().where(table.c.mark.in_(marks)).values(revoked=True))
            ledger.append("revoke", {"token": id}, None)

    def all(self) -> list[Token]:
        """Return all tokens, by holder."""
        with self._ledger.reading() as ledger:
            return sorted((token for _, token in _all(ledger)), key=lambda t: (t.holder, t.id))

    def find(self, secret: object, now: datetime | None = None) -> Token | None:
        """Return what a secret allows; None if it is none, has ended or was revoked."""
        if not isinstance(secret, str) or not _SECRET.fullmatch(secret):
            return None
        with self._ledger.reading() as ledger:
            table = ledger.tables.TOKEN
            row = ledger.execute(table.select().where(table.c.mark == digest(secret))).first()
        if row is None:
            return None
        token = _token(row)
        ended = token.expires is not None and token.expires <= (now or datetime.now(UTC))
        return None if token.revoked or ended else token


def _token(row: Any) -> Token:
    end = None if row.expires is None else datetime.fromisoformat(row.expires)
    scopes = tuple(json.loads(row.scopes))
    return Token(row.mark[:SHOWN], row.holder, scopes, end, bool(row.revoked))


def _all(ledger: Any) -> Iterable[tuple[str, Token]]:
    rows = ledger.execute(ledger.tables.TOKEN.select()).all()
    return [(row.mark, _token(row)) for row in rows]


def as_scopes(scopes: object) -> list[str]:
    """Return scopes such as ``query:scores-2026``, each once."""
    if not isinstance(scopes, list | tuple) or not scopes:
        raise WrongTypeError("scopes", "must be a list", 'such as ["query:scores-2026"]')
    if not all(isinstance(one, str) and _SCOPE.fullmatch(one) for one in scopes):
        raise DomainError(
            "scopes", "must be query:NAME or describe:NAME, * for all", "such as query:*"
        )
    return sorted(set(scopes))


def as_time(time: object) -> datetime:
    """Return a time with a time zone in UTC."""
    if not isinstance(time, datetime):
        raise WrongTypeError("expires", "must be a datetime", "such as datetime.now(UTC)")
    if time.utcoffset() is None:
        raise DomainError("expires", "must have a time zone", "such as datetime.now(UTC)")
    return time.astimezone(UTC)
