"""Answers as bytes, for refusals that no application is asked about."""

from __future__ import annotations

from functools import lru_cache
from http import HTTPStatus
from typing import Any

from starlette.types import Receive, Scope, Send

from sudare.collector.answers import JSON, body_of, respond
from sudare.collector.guard import secured
from sudare.collector.request_headers import is_host
from sudare.errors import DomainError
from sudare.refusal import RETRY_SECONDS, Headers, Refusal

CLOSE: Headers = ((b"connection", b"close"),)
MALFORMED = Refusal(
    400,
    DomainError("request", "must be well-formed HTTP/1.1", "send it again, correctly"),
    headers=CLOSE,
)
FULL = Refusal(
    503,
    DomainError("connections", "are as many as can be served", "come back later"),
    RETRY_SECONDS,
    CLOSE,
)

STATUS_LINES = {
    one.value: b"HTTP/1.1 %d %b\r\n" % (one.value, one.phrase.encode()) for one in HTTPStatus
}


@lru_cache(256)
def header_lines(headers: Headers) -> bytes:
    """Return headers as they stand in a message.

    Raises:
        RuntimeError: one of them has a line break: it could pass for another one.
    """
    lines = b"".join([b"%b: %b\r\n" % header for header in headers])
    if lines.count(b"\n") != len(headers) or lines.count(b"\r") != len(headers):
        raise RuntimeError("a header must not have a line break")
    return lines


def answer_bytes(refusal: Refusal, default: list[tuple[bytes, bytes]]) -> bytes:
    """Return a whole answer that refuses, with the headers of every answer."""
    body = body_of(refusal)
    length = (b"content-length", b"%d" % len(body))
    headers = (*default, *secured((*JSON, *refusal.headers)), length)
    return STATUS_LINES[refusal.status] + header_lines(headers) + b"\r\n" + body


async def turn_away(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a request, as there is no place for it."""
    await _refuse(send, FULL)


class Strict:
    """Refuse what two servers could understand in two ways, and what no host can be called.

    A length beside chunks is the first; h11 itself refuses two hosts, and none.

    Args:
        app: gets everything else.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        names = {name for name, _ in scope["headers"]}
        hosts = (value for name, value in scope["headers"] if name == b"host")
        if {b"content-length", b"transfer-encoding"} <= names or not all(map(is_host, hosts)):
            await _refuse(send, MALFORMED)
        else:
            await self._app(scope, receive, send)


async def _refuse(send: Send, refusal: Refusal) -> None:
    headers = secured((*JSON, *refusal.headers))
    await respond(send, refusal.status, body_of(refusal), headers)
