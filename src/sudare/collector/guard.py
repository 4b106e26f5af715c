"""The outermost layer: security headers on every answer, refusals as JSON, silence about faults."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sudare.collector.answers import INTERNAL, JSON, Disconnected, body_of, respond
from sudare.collector.faults import log_fault
from sudare.collector.jobs import StoreUnavailable
from sudare.refusal import Headers, Refusal, unavailable

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Headers = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (
        b"permissions-policy",
        b"camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    ),
)
"""Of every answer, unless it has a header of that name."""

LOCATED: Headers = (
    (
        b"permissions-policy",
        b"camera=(), geolocation=(self), microphone=(), payment=(), usb=(), browsing-topics=()",
    ),
)
"""Of the page of a survey that asks for a place."""


OF_ALL_SITES: Headers = ((b"cross-origin-resource-policy", b"cross-origin"),)
"""Of a file that pages of other sites load."""


@lru_cache(256)
def secured(headers: Headers) -> Headers:
    """Return the headers of an answer with those of every answer.

    A policy of its own says alone who may frame it: ``X-Frame-Options`` knows all or nobody.
    """
    named = {name for name, _ in headers}
    if b"content-security-policy" in named:
        named.add(b"x-frame-options")
    return (*headers, *[one for one in SECURITY_HEADERS if one[0] not in named])


class Guard:
    """Pure ASGI middleware around the whole service.

    Args:
        app: what serves.
        answered: called with the status of each answer.
    """

    def __init__(self, app: ASGIApp, answered: Callable[[int], object] = int) -> None:
        self.app = app
        self._answered = answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; nothing that goes wrong inside reaches the client or the log."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._answered(message["status"])
                message["headers"] = secured(tuple(message.get("headers", ())))
            await send(message)

        try:
            await self.app(scope, receive, send_guarded)
        except Disconnected:
            return
        except (Refusal, StoreUnavailable) as refusal:
            if not started:
                answer = unavailable(refusal) if isinstance(refusal, StoreUnavailable) else refusal
                headers = (*JSON, *answer.headers)
                await respond(send_guarded, answer.status, body_of(answer), headers)
        except Exception as error:  # noqa: BLE001 - its text could quote a request
            log_fault("a request", error)
            if not started:
                await respond(send_guarded, 500, INTERNAL)
