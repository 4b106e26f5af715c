"""Who sends a request: by which token or session, and whether the operators' own page sent it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from starlette.types import Scope

from sudare.collector.queries import header
from sudare.errors import DomainError
from sudare.operators import (
    Audit,
    Failures,
    People,
    Person,
    Register,
    Rights,
    Session,
    Sessions,
    Tokens,
)
from sudare.operators.audit import NO_SIGN_IN
from sudare.operators.credentials import Credential
from sudare.operators.names import UNKNOWN_NAME
from sudare.operators.tokens import NotAllowedError
from sudare.refusal import Headers, Refusal

CSRF = b"x-sudare-csrf"
COOKIES = {True: "__Host-sudare-operator", False: "sudare-operator"}
"""The session's cookie, by https and without it (on this machine alone)."""

UNKNOWN = ""
"""What failures count for that no token is known for."""
NOBODY = Rights(UNKNOWN_NAME, ())
"""Who is in the record where somebody has proved nothing."""

_LOCAL = ("127.0.0.1", "::1", "localhost")
_AGAIN = "sign in again"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever sends a request.

    Attributes:
        rights: who it is and what they may do.
        session: of their browser; None for a program that sends its token each time.
    """

    rights: Rights
    session: Session | None = None

    @property
    def via(self) -> str:
        """By what they act, as the record has it."""
        if self.session is None:
            return f"token {self.rights.token}"
        return f"session {self.session.id}"


class Authentication:
    """Lets operators in.

    Args:
        register: has tokens and sessions.
        clock: returns an aware datetime.
        origin: where browsers reach the service; empty for the host that a request names.
        hours: how long a session lasts.
        people: who is an operator by a provider's word; None for nobody.

    Attributes:
        sessions: of those who are let in.
    """

    def __init__(
        self,
        register: Register,
        clock: Callable[[], datetime],
        *,
        origin: str,
        hours: int,
        people: People | None = None,
    ) -> None:
        self._tokens = Tokens(register, clock)
        self.sessions = Sessions(register, clock, hours, people)
        self._failures = Failures()
        self._audit = Audit(register, clock)
        self._origin = origin.rstrip("/")

    def enter(self, scope: Scope) -> Visitor:
        """Return who sends a request.

        Raises:
            Refusal: 401 where nobody is known, 403 where another site has had it sent, 429 where
                too many tries have failed.
        """
        given = header(scope, b"authorization")
        if given is not None:
            scheme, _, token = given.partition(" ")
            return Visitor(self.check(token if scheme.lower() == "bearer" else ""))
        session, secure = self._session(scope)
        if session is None:
            raise Refusal(401, DomainError("session", "must be signed in", _AGAIN))
        acts = scope["method"] not in ("GET", "HEAD")
        if acts and not (secure == self.is_secure(scope) and session.is_meant(header(scope, CSRF))):
            error = "must be the session's own", "send what GET session says under csrf"
            raise Refusal(403, DomainError("X-Sudare-CSRF", *error))
        return Visitor(session.rights, session)

    def check(self, token: str) -> Rights:
        """Return what a token allows.

        Raises:
            Refusal: 401 where it is none, 429 where it must not be tried yet; the record has the
                first such try of an hour, and the number whenever it has doubled.
        """
        what = self._tokens.id_of(token) or UNKNOWN
        if wait := self._failures.wait(what):
            self._record_refusal(what)
            error = DomainError("token", "was wrong too often", "try again later")
            raise Refusal(429, error, wait)
        rights = self._tokens.check(token)
        if rights is None:
            self._failures.note(what)
            self._record_refusal(what)
            error = DomainError("token", "must be valid", "it is none, has ended or was revoked")
            raise Refusal(401, error)
        self._failures.forget(what)
        return rights

    def _record_refusal(self, what: str) -> None:
        if number := self._failures.count(what):
            detail = {"number": number, "token": what or None}
            self._audit.add(NOBODY, "sign in refused", detail=detail, via=NO_SIGN_IN)

    def sign_in(
        self,
        rights: Rights,
        *,
        secure: bool,
        person: Person | None = None,
        drawn: Credential | None = None,
    ) -> tuple[Session, Headers]:
        """Begin a session, by https or not; return it, and the header that sets its cookie."""
        cookie, session = self.sessions.begin(rights, secure=secure, person=person, drawn=drawn)
        return session, cookie_of(COOKIES[secure], cookie, secure=secure)

    def sign_out(self, visitor: Visitor, scope: Scope) -> Headers:
        """End the session; return the header that takes its cookie away."""
        if visitor.session is None:
            return ()
        self.sessions.end(visitor.session.id)
        secure = self.is_secure(scope)
        return cookie_of(COOKIES[secure], "", secure=secure)

    def is_secure(self, scope: Scope) -> bool:
        """Tell whether the service's own page, in a browser, sent a request by https.

        Raises:
            Refusal: 403 where another site did, or nothing says so; 400 by http elsewhere than on
                this machine.
        """
        given = header(scope, b"origin") or ""
        try:
            parts = urlsplit(given)
            host = parts.hostname
        except ValueError:
            host = None
        own = self._origin or f"{parts.scheme}://{header(scope, b'host')}" if host else None
        if own is None or given.lower() != own.lower():
            raise Refusal(
                403, NotAllowedError("origin", "must be this service", "use its own pages")
            )
        if parts.scheme != "https" and host not in _LOCAL:
            raise Refusal(400, DomainError("origin", "must be https", "http is for this machine"))
        return parts.scheme == "https"

    def _session(self, scope: Scope) -> tuple[Session | None, bool]:
        for secure, name in COOKIES.items():
            found = self.sessions.find(cookie_in(scope, name), secure=secure)
            if found is not None:
                return found, secure
        return None, False


def cookie_in(scope: Scope, name: str) -> str | None:
    """Return a cookie of a request."""
    for part in (header(scope, b"cookie") or "").split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            return value
    return None


def cookie_of(name: str, value: str, *, secure: bool, site: str = "Strict") -> Headers:
    """Return the header that sets a cookie, or takes it away where it has no value."""
    ends = "" if value else "; Max-Age=0"
    by = "; Secure" if secure else ""
    text = f"{name}={value}; Path=/; HttpOnly; SameSite={site}{by}{ends}"
    return ((b"set-cookie", text.encode()),)
