"""HTTP/1.1 on httptools: one write an answer, and nothing kept without a bound.

What a client can make this server keep for one connection: a request head of 16 KiB, 64 KiB of a
body that nobody has read yet, 32 requests that wait for the one before (and what one read has
brought after them), and its answers until it has read them.

A connection that is refused while its client still sends is read on, and what comes is dropped: a
close with unread bytes is a reset, which overtakes the answer that says why.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any
from urllib.parse import unquote

import httptools
from starlette.types import ASGIApp, Message, Scope
from uvicorn.config import Config
from uvicorn.protocols.utils import get_local_addr, get_remote_addr

from sudare.collector.body import REST_BYTES, WHOLE
from sudare.collector.connection_limits import ConnectionLimits, WaitingFor
from sudare.collector.faults import log_fault
from sudare.collector.http_bytes import (
    MALFORMED,
    STATUS_LINES,
    answer_bytes,
    header_lines,
    turn_away,
)
from sudare.collector.request_headers import is_host

HEAD_BYTES = 16 << 10
BODY_BYTES = 64 << 10
PIPELINED = 32
SLICE = 2 << 10
"""Bytes that are parsed before the bounds are looked at."""

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_BODILESS = (204, 304)


class Exchange:
    """One request and its answer: the ``receive`` and ``send`` of an ASGI application."""

    __slots__ = (
        "_chunked",
        "_connection",
        "_head",
        "_left",
        "_told",
        "_waiter",
        "body",
        "complete",
        "expects",
        "gone",
        "keep_alive",
        "more",
        "scope",
    )

    def __init__(
        self, connection: FastConnection, scope: Scope, *, keep_alive: bool, expects: bool
    ) -> None:
        self.scope = scope
        self.body = bytearray()
        self.more = True
        self.keep_alive = keep_alive
        self.expects = expects
        self.gone = False
        self.complete = False
        self._connection = connection
        self._waiter: asyncio.Future[None] | None = None
        self._told = False
        self._head: bytes | None = None
        self._left: int | None = None
        self._chunked = False

    async def run(self, app: ASGIApp) -> None:
        """Let the application answer."""
        try:
            await app(self.scope, self.receive, self.send)
        except Exception as error:  # noqa: BLE001 - its text could quote a request
            log_fault("a request", error)
        finally:
            if not self.complete:
                self._connection.give_up(self)

    async def receive(self) -> Message:
        """Return what has come of the body, as soon as there is something to say."""
        if self.expects:
            self.expects = False
            self._connection.transport.write(_CONTINUE)
        while not (self.gone or self.complete):
            if (self.body or not self.more) and not self._told:
                part, self.body = bytes(self.body), bytearray()
                self._told = not self.more
                return {"type": "http.request", "body": part, "more_body": self.more}
            if self._told and self._connection.is_over:
                break
            self._connection.resume()
            self._waiter = self._connection.loop.create_future()
            await self._waiter
        return {"type": "http.disconnect"}

    def whole(self) -> bytes | None:
        """Return the body, once, if all of it is there."""
        if self.more or self._told:
            return None
        self._told = True
        return bytes(self.body)

    def wake(self) -> None:
        """Tell :meth:`receive` that something has changed."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def send(self, message: Message) -> None:
        """Send a part of the answer; the head goes with the first part of the body."""
        connection = self._connection
        if connection.drained is not None:
            await connection.drained.wait()
        if self.gone:
            return
        if message["type"] == "http.response.start":
            self._start(message["status"], message.get("headers", ()))
            return
        if not self.started or self.complete:
            raise RuntimeError("an answer starts once, and ends once")
        more = message.get("more_body", False)
        connection.transport.write(self._part(message.get("body", b""), more=more))
        if not more:
            self.complete = True
            self.wake()
            connection.on_complete(self)

    @property
    def started(self) -> bool:
        """Whether the head of an answer is known."""
        return self._head is not None

    def _start(self, status: int, headers: Any) -> None:
        if self.started:
            raise RuntimeError("an answer starts once, and ends once")
        self.expects = False
        length = None
        for name, value in headers:
            if name == b"content-length":
                length = int(value)
            elif name == b"connection" and value.lower() == b"close":
                self.keep_alive = False
        lines = [
            STATUS_LINES[status],
            header_lines(tuple(self._connection.default)),
            header_lines(tuple(headers)),
        ]
        if not self.keep_alive and (b"connection", b"close") not in headers:
            lines.append(b"connection: close\r\n")
        bodiless = status in _BODILESS or self.scope["method"] == "HEAD"
        if length is None and not bodiless:
            self._chunked = self.scope["http_version"] == "1.1"
            if self._chunked:
                lines.append(b"transfer-encoding: chunked\r\n")
            else:
                self.keep_alive = False
        lines.append(b"\r\n")
        self._left = 0 if bodiless else length
        self._head = b"".join(lines)

    def _part(self, body: bytes, *, more: bool) -> bytes:
        head, self._head = self._head or b"", b""
        if self._chunked:
            chunk = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            return head + chunk + (b"" if more else b"0\r\n\r\n")
        if self.scope["method"] == "HEAD":
            return head
        if self._left is not None:
            self._left -= len(body)
            if self._left < 0 or (self._left and not more):
                raise RuntimeError("an answer must be as long as its head says")
        return head + body


class FastConnection(asyncio.Protocol):
    """One connection.

    Args:
        config: uvicorn's.
        server_state: the connections of the server.
        app_state: not used.
    """

    since = 0.0

    def __init__(
        self,
        config: Config,
        server_state: ConnectionLimits,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self.loop = _loop or asyncio.get_event_loop()
        self.drained: asyncio.Event | None = None
        self._places = server_state
        self._app: ASGIApp = config.loaded_app
        self._parser = httptools.HttpRequestParser(self)
        self._current: Exchange | None = None
        self._newest: Exchange | None = None
        self._queue: deque[Exchange] = deque()
        self._kept = b""
        self._paused = False
        self._deaf = False
        self._ended = False
        self._rest: int | None = None
        self._refusal = b""
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._overhead = 0

    @property
    def default(self) -> list[tuple[bytes, bytes]]:
        """Return the headers of every answer."""
        return self._places.default_headers

    @property
    def is_over(self) -> bool:
        """Tell whether nobody may wait for an answer any more.

        The client has ended its side: it may still read, and is answered, but who works long for
        an answer cannot know. Behind requests that wait for this one no end would be read.
        """
        return self._ended or bool(self._queue)

    @property
    def turn(self) -> WaitingFor:
        """Return what is waited for."""
        if self.transport.get_write_buffer_size():
            return WaitingFor.READER
        if self._rest is not None:
            return WaitingFor.BODY
        if self._current is None:
            return WaitingFor.REQUEST
        return WaitingFor.BODY if self._current.more else WaitingFor.SERVER

    # -- what the event loop tells -----------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a place."""
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        if not self._places.enter(self):
            self._app = turn_away
        self._places.connections.add(self)  # type: ignore[arg-type]
        self._server = get_local_addr(self.transport)
        self._peer = get_remote_addr(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the applications that nobody listens any more."""
        self._places.leave(self)
        self._deaf = True
        self._kept = b""
        self._queue.clear()
        if self._current is not None:
            self._current.gone = True
            self._current.wake()
        self.resume_writing()
        del self._parser  # it knows this connection: neither would be freed

    def pause_writing(self) -> None:
        """Let answers wait until the client has read."""
        self.drained = asyncio.Event()

    def resume_writing(self) -> None:
        """Let answers go on."""
        drained, self.drained = self.drained, None
        if drained is not None:
            drained.set()

    def eof_received(self) -> bool:
        """Answer what has come as a whole; return whether the connection stays open for that."""
        self._deaf = self._ended = True
        current = self._current
        if current is None or current.more:
            return False
        current.wake()
        if self._queue and self._queue[-1].more:
            self._queue.pop()
        (self._queue[-1] if self._queue else current).keep_alive = False
        return True

    def data_received(self, data: bytes) -> None:
        """Parse what has come, or keep it while enough waits to be answered."""
        if self._rest is not None:
            self._rest -= len(data)
            if self._rest < 0:
                self.transport.close()
            return
        if self._deaf:
            return
        if self._kept:
            self._kept += data
            self._pause()
        else:
            self._feed(data)

    def shutdown(self) -> None:
        """Close as soon as what is being served is answered."""
        if self._current is None:
            self.transport.close()
        else:
            self._current.keep_alive = False

    # -- reading -----------------------------------------------------------------------------

    def resume(self) -> None:
        """Read on, if nothing that has come waits."""
        if self._paused and not (self._queue or self._kept or self._deaf):
            self._paused = False
            self.transport.resume_reading()

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self.transport.pause_reading()

    def _feed(self, data: bytes) -> None:
        try:
            for start in range(0, len(data), SLICE):
                if len(self._queue) >= PIPELINED:
                    self._kept = data[start:]
                    self._pause()
                    return
                part = data[start : start + SLICE] if len(data) > SLICE else data
                self._overhead += len(part)
                self._parser.feed_data(part)
                if self._overhead > HEAD_BYTES:
                    raise httptools.HttpParserError
        except httptools.HttpParserUpgrade:  # nothing else is spoken here: what follows is ignored
            self._deaf = True
            if self._newest is not None:
                self._newest.keep_alive = False
        except httptools.HttpParserError:
            self._fail()

    def _fail(self) -> None:
        """Refuse what cannot be understood, after the answers to what came before it."""
        if self._deaf:
            return
        self._deaf = True
        self._pause()
        self._places.malformed += 1
        newest, self._refusal = self._newest, answer_bytes(MALFORMED, self.default)
        if newest is not None and newest.more:  # it is what cannot be understood
            if newest is self._current:
                newest.gone = True
                newest.wake()
                if newest.started:
                    self._refusal = b""
                self._current = None
            elif newest in self._queue:
                self._queue.pop()
        if self._current is None:
            self._close_refusing()

    def _close_refusing(self) -> None:
        if self._refusal:
            self.transport.write(self._refusal)
        self._close_reading()

    def _close_reading(self) -> None:
        """End this side of the connection; drop what the client still sends, up to a bound."""
        if self.transport.is_closing() or not self.transport.can_write_eof():
            self.transport.close()
            return
        self._deaf, self._rest, self._kept = True, REST_BYTES, b""
        self.since = time.monotonic()
        self.transport.write_eof()
        if self._paused:
            self._paused = False
            self.transport.resume_reading()

    # -- what the parser tells ---------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Start a request."""
        self._url = b""
        self._headers = []

    def on_url(self, url: bytes) -> None:
        """Take a part of the address."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; what follows a body is dropped."""
        if self._newest is None or not self._newest.more:
            # white space around a value is no part of it (RFC 9112, 5.1); the parser keeps it
            self._headers.append((name.lower(), value.strip(b" \t")))

    def on_headers_complete(self) -> None:
        """Make the request known to the application, or let it wait for the one before."""
        url = self._url
        if not url.startswith(b"/"):
            url = _origin_form(url)
        version = self._parser.get_http_version()
        hosts = [value for name, value in self._headers if name == b"host"]
        if version not in ("1.1", "1.0") or len(hosts) > 1 or (version == "1.1" and not hosts):
            raise httptools.HttpParserError
        if not all(map(is_host, hosts)):
            raise httptools.HttpParserError
        raw, _, query = url.partition(b"?")
        path = raw.decode("ascii")
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": version,
            "server": self._server,
            "client": self._peer,
            "scheme": "http",
            "method": self._parser.get_method().decode("ascii"),
            "root_path": "",
            "path": unquote(path) if "%" in path else path,
            "raw_path": raw,
            "query_string": query,
            "headers": self._headers,
            "state": {},
        }
        expects = any(
            name == b"expect" and value.lower() == b"100-continue" for name, value in self._headers
        )
        self._overhead = 0
        self._newest = Exchange(
            self, scope, keep_alive=self._parser.should_keep_alive(), expects=expects
        )
        scope["extensions"] = {WHOLE: self._newest.whole}
        if self._current is None:
            self._begin(self._newest)
        else:
            self._queue.append(self._newest)
            self._pause()
            self._current.wake()

    def on_body(self, body: bytes) -> None:
        """Keep a part of the body for the application."""
        exchange = self._newest
        self._overhead = max(self._overhead - 2 * len(body), -BODY_BYTES)
        if exchange is None or exchange.complete or exchange.gone:
            return
        exchange.body += body
        if len(exchange.body) > BODY_BYTES:
            self._pause()
        exchange.wake()

    def on_message_complete(self) -> None:
        """Note that the request is there as a whole."""
        self._overhead = 0
        if self._newest is not None:
            self._newest.more = False
            self._newest.wake()

    # -- answering ---------------------------------------------------------------------------

    def _begin(self, exchange: Exchange) -> None:
        self._current = exchange
        self.since = time.monotonic()
        task = self.loop.create_task(exchange.run(self._app))
        self._places.tasks.add(task)
        task.add_done_callback(self._places.tasks.discard)

    def give_up(self, exchange: Exchange) -> None:
        """Close the connection: its application has ended without an answer."""
        exchange.gone = True
        self.transport.close()

    def on_complete(self, exchange: Exchange) -> None:
        """Go on with the next request, or wait for it."""
        self._places.total_requests += 1
        self._current = None
        if not exchange.keep_alive:
            self._deaf = True
            self._queue.clear()
            if exchange.more:
                self._close_reading()
            else:
                self.transport.close()
            return
        if self._queue:
            self._begin(self._queue.popleft())
        elif self._refusal:
            self._close_refusing()
        else:
            self._places.rest(self)
        if self._kept and len(self._queue) < PIPELINED and not self._deaf:
            kept, self._kept = self._kept, b""
            self._feed(kept)
        self.resume()


def _origin_form(url: bytes) -> bytes:
    """Return path and query of an address that names its host too."""
    parsed = httptools.parse_url(url)
    path = parsed.path or b"/"
    return path + b"?" + parsed.query if parsed.query else path
