"""Sign-ins that are under way at another service: one secret of a browser, used once.

A browser keeps its flow in a sealed cookie, so that nothing is stored for anybody who only begins,
and every process of a service can finish what another began. What the other service sees and what
it is sent later are hashes of the one secret, each for its purpose.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from sudare.operators.credentials import Credential, equal
from sudare.operators.register import Register, as_moment, as_text
from sudare.operators.tables import FLOW
from sudare.operators.tokens import Clock, utc_now

MINUTES = 10
"""How long somebody may take at the other service."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A sign-in under way.

    Attributes:
        drawn: the browser's secret.
        expires: until when it can be finished.
        redirect: the address that the other service sends the browser to.
        back: the page that it goes on to.
        language: of that page.
    """

    drawn: Credential
    expires: datetime
    redirect: str
    back: str
    language: str

    @property
    def state(self) -> str:
        """What comes back with the browser, and shows that it is the one that left."""
        return self.drawn.mark("state ")

    @property
    def nonce(self) -> str:
        """What the other service's statement repeats: it was made for this flow."""
        return self.drawn.mark("nonce ")

    @property
    def verifier(self) -> str:
        """What shows that whoever asks for the statement has begun the flow (RFC 7636)."""
        return self.drawn.mark("verifier ")

    @property
    def secure(self) -> bool:
        """Whether it is by https."""
        return self.redirect.startswith("https:")


class Flows:
    """The flows of a register: which are finished is all that it keeps.

    Args:
        register: open.
        secret: seals what browsers keep; all processes have the same.
        clock: returns an aware datetime.

    Examples:
        >>> with Register("operators.db") as register:
        ...     flows = Flows(register, b"a secret")
        ...     flow = flows.begin("https://survey.example/operator/oidc", "/operator", "en")
        ...     cookie = flows.seal(flow)
        ...     found = flows.find(cookie, flow.state)
        ...     found == flow, flows.find(cookie, "0" * 64), flows.spend(flow), flows.spend(flow)
        (True, None, True, False)
    """

    def __init__(self, register: Register, secret: bytes, clock: Clock = utc_now) -> None:
        self._register = register
        self._key = hmac.digest(secret, b"sudare flow", hashlib.sha256)
        self._clock = clock

    def begin(self, redirect: str, back: str, language: str) -> Flow:
        """Return a new one."""
        ends = self._clock().replace(microsecond=0) + timedelta(minutes=MINUTES)
        return Flow(Credential.draw(), ends, redirect, back, language)

    def seal(self, flow: Flow) -> str:
        """Return what a browser keeps of it."""
        told = [flow.drawn.text(), as_text(flow.expires), flow.redirect, flow.back, flow.language]
        text = base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")
        return f"{text}.{self._mark(text)}"

    def find(self, cookie: str, state: str) -> Flow | None:
        """Return the flow that a browser has left with, and comes back with its state; or None."""
        text, _, mark = cookie.partition(".")
        if not equal(self._mark(text), mark):
            return None
        try:
            told = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        except (ValueError, binascii.Error):  # it is sealed
            return None
        drawn, expires = Credential.read(told[0]), as_moment(told[1])
        if drawn is None or expires is None or expires <= self._clock():
            return None
        flow = Flow(drawn, expires, *told[2:])
        return flow if equal(flow.state, state) else None

    def spend(self, flow: Flow) -> bool:
        """Note that a flow is finished; False where it was before."""
        id = flow.drawn.mark("flow ")
        with self._register.writing() as connection:
            connection.execute(FLOW.delete().where(FLOW.c.expires <= as_text(self._clock())))
            if connection.execute(FLOW.select().where(FLOW.c.id == id)).first() is not None:
                return False
            connection.execute(FLOW.insert().values(id=id, expires=as_text(flow.expires)))
        return True

    def _mark(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()
