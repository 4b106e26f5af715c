"""Sessions: browsers that have signed in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from sudare.operators.credentials import Credential, equal
from sudare.operators.register import Register, as_moment, as_text
from sudare.operators.rights import Rights
from sudare.operators.tables import SESSION, TOKEN
from sudare.operators.tokens import Clock, as_rights, utc_now

HOURS = 8
"""How long a session lasts, unless its token ends before."""

_CSRF = "csrf "


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who has signed in.

    Attributes:
        id: of the session.
        rights: who it is, and what they may do; they end with the session.
        expires: when it ends, in UTC.
        csrf: what the page sends with each act, and no other site can know.
    """

    id: str
    rights: Rights
    expires: datetime
    csrf: str

    def is_meant(self, csrf: str | None) -> bool:
        """Tell whether a request comes from the session's own page."""
        return csrf is not None and equal(self.csrf, csrf)


class Sessions:
    """The sessions of a register: each a cookie, of which only a hash is kept.

    Args:
        register: open.
        clock: returns an aware datetime.
        hours: how long one lasts.
    """

    def __init__(self, register: Register, clock: Clock = utc_now, hours: int = HOURS) -> None:
        self._register = register
        self._clock = clock
        self._hours = hours

    def begin(self, rights: Rights, *, secure: bool) -> tuple[str, Session]:
        """Return the cookie of a new session, and the session.

        Args:
            rights: of whoever has signed in.
            secure: whether by https: then no cookie is taken that is not.
        """
        now, drawn = self._clock().replace(microsecond=0), Credential.draw()
        ends = now + timedelta(hours=self._hours)
        ends = ends if rights.expires is None else min(ends, rights.expires)
        names = rights.collections
        with self._register.writing() as connection:
            connection.execute(SESSION.delete().where(SESSION.c.expires <= as_text(now)))
            connection.execute(
                SESSION.insert().values(
                    id=drawn.id,
                    mark=drawn.mark(),
                    name=rights.name,
                    scopes=json.dumps(rights.scopes),
                    collections=None if names is None else json.dumps(names),
                    expires=as_text(ends),
                    token=rights.token,
                    secure=secure,
                )
            )
        return drawn.text(), Session(drawn.id, rights, ends, drawn.mark(_CSRF))

    def find(self, cookie: object, *, secure: bool) -> Session | None:
        """Return the session of a cookie; None if it is none, or it or its token has ended."""
        given = Credential.read(cookie)
        if given is None:
            return None
        with self._register.reading() as connection:
            row = connection.execute(SESSION.select().where(SESSION.c.id == given.id)).first()
            held = row
            if row is not None and row.token is not None:
                known = (TOKEN.c.id == row.token) & ~TOKEN.c.revoked
                held = connection.execute(TOKEN.select().where(known)).first()
        if row is None or held is None or not given.proves(row.mark) or row.secure != secure:
            return None
        ends = as_moment(row.expires)
        if ends is None or ends <= self._clock():
            return None
        return Session(given.id, as_rights(held, row.token), ends, given.mark(_CSRF))

    def end(self, session: Session) -> None:
        """End a session at once."""
        with self._register.writing() as connection:
            connection.execute(SESSION.delete().where(SESSION.c.id == session.id))

    def end_all(self, name: str) -> None:
        """End every session of a person whom another service vouches for."""
        own = SESSION.c.token.is_(None) & (SESSION.c.name == name)
        with self._register.writing() as connection:
            connection.execute(SESSION.delete().where(own))
