"""The outermost layer: security headers on every answer, refusals as JSON, silence about faults."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sudare.collector.answers import INTERNAL, JSON, Disconnected, body_of, respond
from sudare.collector.faults import log_fault
from sudare.collector.writer import StoreUnavailable
from sudare.refusal import Headers, Refusal, unavailable

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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


class Guard:
    """Pure ASGI middleware around the whole service."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

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
                own = list(message.get("headers", ()))
                named = {name for name, _ in own}
                message["headers"] = own + [one for one in SECURITY_HEADERS if one[0] not in named]
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
