"""Reading a request's body: JSON only, bounded while it streams in, and not for ever."""

from __future__ import annotations

import asyncio

from starlette.types import Receive, Scope

from sudare.collector.answers import Disconnected
from sudare.errors import ReportError
from sudare.refusal import Headers, Refusal, unavailable

READ_SECONDS = 30.0
REST_BYTES = 32 << 20
"""So much of a refused body is read and dropped, for clients that send before they read."""
WHOLE = "sudare.whole"
"""Extension of a scope: returns the body, once, if all of it has come with its head."""

_CLOSE: Headers = ((b"connection", b"close"),)

_LENGTH = Refusal(
    400, ReportError("content-length", "must be a number of bytes", "send a correct header")
)


class BodyReader:
    """Read bodies of all requests within one bound of memory.

    Args:
        memory: bytes of bodies that may be held at one time by all requests together.
    """

    def __init__(self, memory: int = 128 << 20) -> None:
        self._memory = memory

    async def read(
        self, scope: Scope, receive: Receive, limit: int, shorter: str = "shorten it"
    ) -> bytes:
        """Return the body.

        Args:
            scope: the request.
            receive: its channel.
            limit: the largest body that is taken, in bytes.
            shorter: what helps where it is larger.

        Raises:
            Refusal: 415 for anything but plain JSON, 413 above the limit (before the rest is
                read), 408 where it takes too long, 503 where memory is short.
        """
        declared = _inspect(scope)
        if declared is not None and declared > limit:
            if declared <= limit + REST_BYTES:
                await _drop_rest(scope, receive)
            raise _too_large(limit, shorter)
        if (whole := scope.get("extensions", {}).get(WHOLE)) is not None:
            body: bytes | None = whole()
            if body is not None:
                if len(body) > limit:
                    raise _too_large(limit, shorter)
                return body
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(READ_SECONDS):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Disconnected
                    part = message.get("body", b"")
                    size += len(part)
                    self._memory -= len(part)
                    more = message.get("more_body", False)
                    if size > limit:
                        break
                    if self._memory < 0:
                        raise _busy()
                    parts.append(part)
        except TimeoutError:
            late = ReportError("body", "must arrive within 30 seconds", "send it again")
            raise Refusal(408, late, headers=_CLOSE) from None
        finally:
            self._memory += size
        if size > limit:
            if more:
                await _drop_rest(scope, receive)
            raise _too_large(limit, shorter)
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _inspect(scope: Scope) -> int | None:
    """Check the headers and return the declared length, if there is one."""
    kind = b""
    declared = None
    for name, value in scope["headers"]:
        if name == b"content-type":
            kind = value
        elif name == b"content-length":
            if not value.isdigit() or len(value) > 18:
                raise _LENGTH
            declared = int(value)
        elif name == b"content-encoding" and value.strip().lower() != b"identity":
            raise _unsupported("content-encoding", "must be absent", "send plain JSON")
    if kind != b"application/json":
        media, _, parameter = kind.lower().partition(b";")
        charset = parameter.strip().replace(b'"', b"")
        if media.strip() != b"application/json" or charset not in (b"", b"charset=utf-8"):
            raise _unsupported("content-type", "must be application/json", "send UTF-8 JSON")
    return declared


async def _drop_rest(scope: Scope, receive: Receive) -> None:
    """Drop a body before it is refused, where the server would close with unread bytes."""
    if WHOLE in scope.get("extensions", {}):  # ours answers first, and drops then
        return
    try:
        async with asyncio.timeout(READ_SECONDS):
            more, size = True, 0
            while more and size <= REST_BYTES:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Disconnected
                size += len(message.get("body", b""))
                more = message.get("more_body", False)
    except TimeoutError:
        return


def _too_large(limit: int, shorter: str) -> Refusal:
    error = ReportError("body", f"must be at most {limit} bytes", shorter)
    return Refusal(413, error, headers=_CLOSE)


def _busy() -> Refusal:
    return unavailable(
        ReportError("body", "does not fit into the memory that is left", "send it again later")
    )


def _unsupported(argument: str, rule: str, remedy: str) -> Refusal:
    return Refusal(415, ReportError(argument, rule, remedy))
