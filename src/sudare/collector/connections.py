"""The kind of connection a server has: on httptools where it is installed, on h11 elsewhere."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import time

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from sudare.collector.connection_limits import ConnectionLimits, WaitingFor
from sudare.collector.http_bytes import MALFORMED, Strict, answer_bytes, turn_away

_silent = logging.getLogger("sudare.collector.h11")
_silent.addFilter(lambda record: False)  # it would say something of each malformed request


class PlainConnection(H11Protocol):
    """HTTP/1.1 in plain Python; what comes before an answer is out is left unread."""

    since = 0.0
    server_state: ConnectionLimits

    @property
    def turn(self) -> WaitingFor:
        """Return what is waited for."""
        if self.transport.get_write_buffer_size():
            return WaitingFor.READER
        if self.cycle is None or self.cycle.response_complete:
            return WaitingFor.REQUEST
        return WaitingFor.BODY if self.cycle.more_body else WaitingFor.SERVER

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place."""
        self.logger = _silent
        self._inner = Strict(self.app) if self.server_state.enter(self) else turn_away
        self.app = self._begin
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        super().connection_lost(exc)
        self.server_state.leave(self)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.server_state.rest(self)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be understood."""
        self.server_state.malformed += 1
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(answer_bytes(MALFORMED, self.server_state.default_headers))
        self.conn.send_failed()
        self.transport.close()

    async def _begin(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.since = time.monotonic()
        await self._inner(scope, receive, send)


def connection_class() -> type[asyncio.Protocol]:
    """Return the class of connections."""
    if importlib.util.find_spec("httptools") is None:
        return PlainConnection
    from sudare.collector.http_protocol import FastConnection

    return FastConnection
