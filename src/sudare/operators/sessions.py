"""Sessions: browsers that have signed in."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sudare.errors import DomainError
from sudare.operators.credentials import Credential, equal
from sudare.operators.people import People, Person
from sudare.operators.register import Register, as_text
from sudare.operators.rights import Rights
from sudare.operators.tables import SESSION, TOKEN
from sudare.operators.tokens import Clock, as_rights, utc_now

HOURS = 8
"""How long a session lasts, unless its token ends before."""
MOST_HOURS = 720
"""How long one may last."""

_CSRF = "csrf "


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who has signed in.

    Attributes:
        id: of the session.
        rights: who it is, and what they may do; they end with the session.
        begun: when, in UTC.
        expires: when it ends, in UTC.
        person: whom a provider vouches for; None for whoever has a token.
        csrf: what the page sends with each act, and no other site can know; empty in a list.
    """

    id: str
    rights: Rights
    begun: datetime
    expires: datetime
    person: Person | None = None
    csrf: str = ""

    def is_meant(self, csrf: str | None) -> bool:
        """Tell whether a request comes from the session's own page."""
        return bool(self.csrf) and csrf is not None and equal(self.csrf, csrf)


class Sessions:
    """The sessions of a register: each a cookie, of which only a hash is kept.

    A person's session holds while the settings allow all that it was given. Whatever ends it, the
    tokens that were made in it end too.

    Args:
        register: open.
        clock: returns an aware datetime.
        hours: how long one lasts, also one that has begun when it was longer.
        people: who is an operator by a provider's word; None for nobody.
    """

    def __init__(
        self,
        register: Register,
        clock: Clock = utc_now,
        hours: int = HOURS,
        people: People | None = None,
    ) -> None:
        self._register = register
        self._clock = clock
        self._hours = hours
        self._people = people

    def begin(
        self,
        rights: Rights,
        *,
        secure: bool,
        person: Person | None = None,
        drawn: Credential | None = None,
    ) -> tuple[str, Session]:
        """Return the cookie of a new session, and the session.

        Args:
            rights: of whoever has signed in.
            secure: whether by https: then no cookie is taken that is not.
            person: whom a provider vouches for: their sessions that began as somebody else end.
            drawn: what it is known by, where that was written down before it begins.
        """
        now, drawn = self._clock().replace(microsecond=0), drawn or Credential.draw()
        ends = now + timedelta(hours=self._hours)
        ends = ends if rights.expires is None else min(ends, rights.expires)
        names = rights.collections
        if person is not None:
            self.end_others(person)
        with self._register.writing() as connection:
            connection.execute(SESSION.delete().where(SESSION.c.expires <= as_text(now)))
            connection.execute(
                SESSION.insert().values(
                    id=drawn.id,
                    mark=drawn.mark(),
                    name=rights.name,
                    scopes=json.dumps(rights.scopes),
                    collections=None if names is None else json.dumps(names),
                    begun=as_text(now),
                    expires=as_text(ends),
                    token=rights.token,
                    secure=secure,
                    issuer=None if person is None else person.issuer,
                    subject=None if person is None else person.subject,
                    claim=None if person is None else person.claim,
                    held=None if person is None else json.dumps(person.held),
                )
            )
        return drawn.text(), Session(drawn.id, rights, now, ends, person, drawn.mark(_CSRF))

    def find(self, cookie: object, *, secure: bool) -> Session | None:
        """Return the session of a cookie; None if it is none, or it or its token has ended."""
        given = Credential.read(cookie)
        if given is None:
            return None
        with self._register.reading() as connection:
            row = connection.execute(_JOINED.where(SESSION.c.id == given.id)).first()
        if row is None or not given.proves(row.mark) or row.secure != secure:
            return None
        session = self._read(row, given.mark(_CSRF))
        if session.expires > self._clock() and self.holds(session):
            return session
        self._end([session.id])
        return None

    def holds(self, session: Session) -> bool:
        """Tell whether the settings still allow all that a session was given."""
        if session.person is None:
            return session.rights.token is not None
        if self._people is None:
            return False
        return self._people.rights(session.person).contain(session.rights)

    def all(self, by: Rights | None = None) -> list[Session]:
        """Return all sessions, oldest first; of those with limited rights what these contain."""
        now = as_text(self._clock())
        chosen = _JOINED.where(SESSION.c.expires > now).order_by(SESSION.c.begun, SESSION.c.id)
        with self._register.reading() as connection:
            sessions = [self._read(row) for row in connection.execute(chosen)]
        return [
            session
            for session in sessions
            if session.expires > self._clock()
            and (by is None or by.contain_collections(session.rights.collections))
        ]

    def end(self, id: str, by: Rights | None = None) -> Session:
        """End a session at once, with the tokens that were made in it; return what it was.

        Raises:
            DomainError: there is none of that id, or not for these rights.
        """
        known = {one.id: one for one in self.all(by)}
        if id not in known:
            raise DomainError("session", "is not known, or has ended", "see the list of sessions")
        self._end([id])
        return known[id]

    def end_others(self, person: Person, *, every: bool = False) -> None:
        """End the sessions of a person that a provider's last word of them does not bear out.

        Args:
            person: by that word.
            every: whether it bears out none.
        """
        # an address that is now another subject's is no longer the one's who had it
        self._end(
            [
                one.id
                for one in self.all()
                if (own := one.person) is not None
                and own.issuer == person.issuer
                and (own.subject == person.subject or own.name == person.name)
                and (every or own != person)
            ]
        )

    def end_unfounded(self) -> None:
        """End or shorten sessions as the settings say: for good, whatever they become."""
        now = self._clock()
        with self._register.reading() as connection:
            stored = [_session(row) for row in connection.execute(_JOINED)]
        allowed = [self._shortened(session) for session in stored]
        self._end([one.id for one in allowed if one.expires <= now or not self.holds(one)])
        shorter = [last for last, first in zip(allowed, stored, strict=True) if last != first]
        if not shorter:
            return
        with self._register.writing() as connection:
            for session in shorter:
                until = as_text(session.expires)
                chosen = SESSION.update().where(SESSION.c.id == session.id)
                connection.execute(chosen.values(expires=until))
                made = TOKEN.c.session == session.id, TOKEN.c.expires > until
                connection.execute(TOKEN.update().where(*made).values(expires=until))

    def _read(self, row: Any, csrf: str = "") -> Session:
        return self._shortened(_session(row, csrf))

    def _shortened(self, session: Session) -> Session:
        """Return a session that lasts no longer than the settings, or its token, say now."""
        last = session.begun + timedelta(hours=self._hours)
        by_token = session.person is None  # then its rights are the token's, and end with that
        if by_token and session.rights.expires is not None:
            last = min(last, session.rights.expires)
        if session.expires <= last:
            return session
        rights = session.rights if by_token else replace(session.rights, expires=last)
        return replace(session, rights=rights, expires=last)

    def _end(self, ids: list[str]) -> None:
        if not ids:
            return
        with self._register.writing() as connection:
            connection.execute(SESSION.delete().where(SESSION.c.id.in_(ids)))
            made = TOKEN.c.session.in_(ids) & ~TOKEN.c.revoked
            revoked = [one.id for one in connection.execute(TOKEN.select().where(made))]
            connection.execute(TOKEN.update().where(made).values(revoked=True))
            connection.execute(SESSION.delete().where(SESSION.c.token.in_(revoked)))


_OWN = ("name", "scopes", "collections", "expires")
_JOINED = (
    sa.select(SESSION, *(TOKEN.c[one].label(f"token_{one}") for one in _OWN))
    .select_from(SESSION.outerjoin(TOKEN, SESSION.c.token == TOKEN.c.id))
    .where(SESSION.c.token.is_(None) | ~TOKEN.c.revoked)
)
"""Sessions, each with what its token allows now; those of revoked ones are none."""


@dataclass(frozen=True, slots=True)
class _Granted:
    name: str
    scopes: str
    collections: str | None
    expires: str | None


def _session(row: Any, csrf: str = "") -> Session:
    held = row if row.token is None else _Granted(*(getattr(row, f"token_{one}") for one in _OWN))
    person = None
    if row.issuer is not None:
        values = tuple(json.loads(row.held))
        person = Person(row.name, row.issuer, row.subject, row.claim, values)
    begun, ends = datetime.fromisoformat(row.begun), datetime.fromisoformat(row.expires)
    return Session(row.id, as_rights(held, row.token), begun, ends, person, csrf)
