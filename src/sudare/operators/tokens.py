"""Named, scoped bearer tokens."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.operators.credentials import Credential
from sudare.operators.names import (
    COMMAND_LINE,
    UNKNOWN_NAME,
    alike,
    command_line,
    is_printable,
    is_reserved,
)
from sudare.operators.register import Register, as_hour, as_moment, as_text
from sudare.operators.rights import Rights, as_collections, as_scopes
from sudare.operators.tables import SESSION, TOKEN

PREFIX = "sudare_op_"
"""What every token starts with, so that scanners for leaked secrets find it."""

MOST_NAME = 64

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class NotAllowedError(CollectionError):
    """An operator asks for more than their scopes allow: nothing was done."""


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token; the secret itself is nowhere.

    Attributes:
        rights: who has it, and what it allows.
        created: when.
        used: the hour of its last use; None for never.
        revoked: it allows nothing any more.
        issuer: who made it.
    """

    rights: Rights
    created: datetime
    used: datetime | None
    revoked: bool
    issuer: str

    def is_over(self, now: datetime) -> bool:
        """Tell whether it allows nothing any more."""
        end = self.rights.expires
        return self.revoked or (end is not None and end <= now)


class Tokens:
    """The tokens of a register: secrets of 256 bits, of which only a hash is kept.

    Args:
        register: open.
        clock: returns an aware datetime.
    """

    def __init__(self, register: Register, clock: Clock = utc_now) -> None:
        self._register = register
        self._clock = clock

    def issue(
        self,
        name: str,
        scopes: object,
        collections: object = None,
        expires: datetime | None = None,
        *,
        by: Rights | None = None,
        session: str | None = None,
    ) -> str:
        """Return a new token: it cannot be shown again.

        Args:
            name: whose it is; no other token that is in use has it, or one that reads like it.
            scopes: some of :data:`~sudare.operators.SCOPES`.
            collections: names of the only ones that it is for; None for all.
            expires: an aware datetime; None for never.
            by: whose rights it must not exceed; None for somebody on the machine itself.
            session: id of the session of a person that makes it, and with which it ends.

        Raises:
            WrongTypeError, DomainError: no such name, scopes, names or time.
            NotAllowedError: it would allow more than whoever asks for it may do.
        """
        now = self._clock()
        wanted = Rights(
            as_name(name), as_scopes(scopes), as_collections(collections), as_end(expires, now)
        )
        if by is not None and not by.contain(wanted):
            raise NotAllowedError(
                "token", "must not allow more, or for longer, than one's own", "ask for less"
            )
        drawn = Credential.draw()
        names, end = wanted.collections, wanted.expires
        with self._register.writing() as connection:
            for row in connection.execute(TOKEN.select().where(~TOKEN.c.revoked)):
                if alike(row.name) == alike(name) and not _token(row).is_over(now):
                    raise DomainError("name", "is another token's that is in use", "choose another")
            if by is not None and by.token is not None:  # what a token makes ends as it does
                held = TOKEN.select().where(TOKEN.c.id == by.token)
                session = connection.execute(held).one().session
            connection.execute(
                TOKEN.insert().values(
                    id=drawn.id,
                    mark=drawn.mark(),
                    name=name,
                    scopes=json.dumps(wanted.scopes),
                    collections=None if names is None else json.dumps(names),
                    created=as_text(now),
                    expires=None if end is None else as_text(end),
                    revoked=False,
                    issuer=command_line() if by is None else by.name,
                    session=session,
                )
            )
        return drawn.text(PREFIX)

    def all(self, by: Rights | None = None) -> list[Token]:
        """Return all tokens, oldest first; of those with limited rights what these contain."""
        with self._register.reading() as connection:
            rows = connection.execute(TOKEN.select().order_by(TOKEN.c.created, TOKEN.c.id)).all()
        found = [_token(row) for row in rows]
        return [
            one for one in found if by is None or by.contain_collections(one.rights.collections)
        ]

    def revoke(self, id: str, by: Rights | None = None) -> Token:
        """End a token at once, with its sessions; return what it was.

        Raises:
            DomainError: there is none of that id, or it is revoked.
        """
        known = {one.rights.token: one for one in self.all(by) if not one.revoked}
        if id not in known:
            raise DomainError("token", "is not known, or is revoked", "see the list of tokens")
        with self._register.writing() as connection:
            connection.execute(TOKEN.update().where(TOKEN.c.id == id).values(revoked=True))
            connection.execute(SESSION.delete().where(SESSION.c.token == id))
        return known[id]

    def id_of(self, text: object) -> str | None:
        """Return the id of the token that a text claims to be; None where there is no such one."""
        given = Credential.read(text, PREFIX)
        return None if given is None or self._row(given.id) is None else given.id

    def check(self, text: object) -> Rights | None:
        """Return what a token allows; None if it is none, has ended or was revoked."""
        given = Credential.read(text, PREFIX)
        row = None if given is None else self._row(given.id)
        if given is None or row is None or not given.proves(row.mark):
            return None
        now = self._clock()
        if (token := _token(row)).is_over(now):
            return None
        if row.used != (hour := as_hour(now)):
            with self._register.writing() as connection:
                connection.execute(TOKEN.update().where(TOKEN.c.id == given.id).values(used=hour))
        return token.rights

    def _row(self, id: str) -> Any:
        with self._register.reading() as connection:
            return connection.execute(TOKEN.select().where(TOKEN.c.id == id)).first()


def as_rights(row: Any, token: str | None) -> Rights:
    """Return the rights that a row of tokens or sessions has."""
    names = None if row.collections is None else tuple(json.loads(row.collections))
    return Rights(row.name, tuple(json.loads(row.scopes)), names, as_moment(row.expires), token)


def _token(row: Any) -> Token:
    created, used = as_moment(row.created), as_moment(row.used)
    return Token(as_rights(row, row.id), created or utc_now(), used, bool(row.revoked), row.issuer)


def as_name(name: object, most: int = MOST_NAME) -> str:
    """Return the name of an operator: text of printable characters, written one way."""
    if not isinstance(name, str):
        raise WrongTypeError("name", "must be text", "say whose token it is")
    if not 0 < len(name) <= most or not is_printable(name):
        raise DomainError("name", f"must be 1 to {most} printable characters")
    if name != unicodedata.normalize("NFC", name).strip():
        raise DomainError("name", "must be in normal form C, without spaces around it")
    if is_reserved(name):
        rule = (
            f"must not read like {COMMAND_LINE!r} or {UNKNOWN_NAME!r}, as the record names others"
        )
        raise DomainError("name", rule, "say whose token it is", got=name)
    return name


def as_end(moment: object, now: datetime) -> datetime | None:
    """Return when a token ends, in UTC, to the second."""
    if moment is None:
        return None
    if not isinstance(moment, datetime) or moment.utcoffset() is None:
        raise WrongTypeError("expires", "must be a moment with its time zone", "or left out")
    if moment <= now:
        raise DomainError("expires", "must be a moment to come", "leave it out for never")
    return moment.astimezone(UTC).replace(microsecond=0)
