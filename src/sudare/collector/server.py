"""Running the collector: uvicorn with nothing logged about who asked."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Iterable
from datetime import datetime

import uvicorn
from starlette.applications import Starlette

from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collector.app import Collector, create_app
from sudare.collector.connection_limits import WAIT_SECONDS, ConnectionLimits, connection_limit
from sudare.collector.connections import connection_class
from sudare.collector.settings import Settings
from sudare.errors import DomainError, StorageError, SudareError, WrongTypeError
from sudare.release.api import Queries

STOP_SECONDS = 2.0
"""How long clients have, when the server stops, to send the rest and to read their answers."""


class CollectorServer(uvicorn.Server):
    """A server that tells when it can be reached, or why it cannot start.

    Args:
        app: the application.
        listener: a bound socket; the server owns it from here on.
        on_ready: called with the address once requests are answered.
    """

    def __init__(
        self, app: Starlette, listener: socket.socket, on_ready: Callable[[str], object]
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=connection_class(),
                h11_max_incomplete_event_size=16 * 1024,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=WAIT_SECONDS,
                timeout_graceful_shutdown=10,
            )
        )
        self.places = ConnectionLimits(connection_limit())
        self.server_state = self.places
        if isinstance(app, Collector):
            app.metrics.places = self.places
        self._app = app
        self._life = contextlib.AsyncExitStack()
        self._listener = listener
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, listen, then tell.

        Raises:
            SudareError: one of the first two failed, and why.
        """
        async with contextlib.AsyncExitStack() as life:
            try:
                await life.enter_async_context(self._app.router.lifespan_context(self._app))
                await super().startup(sockets)
            except SudareError:
                raise
            except Exception as error:
                raise StorageError(
                    "collector", f"could not start: {error}", "remove the cause and start again"
                ) from error
            self._on_ready(address(self._listener))
            self._life = life.pop_all()

    async def on_tick(self, counter: int) -> bool:
        """Close the connections whose clients take too long."""
        if counter % 5 == 0:
            self.places.close_overdue(WAIT_SECONDS)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what is being served, then end the application; no client delays it for long."""
        hurry = asyncio.create_task(self._hurry())
        try:
            await super().shutdown(sockets)
        finally:
            hurry.cancel()
            await self._life.aclose()

    async def _hurry(self) -> None:
        while True:
            await asyncio.sleep(STOP_SECONDS)
            self.places.abort_clients()

    def serve_until_stopped(self) -> None:
        """Serve until a signal or ``should_exit``."""
        with self._listener:
            self.run([self._listener])


def listen(host: str, port: int) -> socket.socket:
    """Bind a socket; port 0 takes a free one.

    Raises:
        DomainError, WrongTypeError: the address cannot be used.
    """
    if not isinstance(host, str):
        raise WrongTypeError("host", "must be text", "127.0.0.1 is this machine", got=host)
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65_535:
        raise DomainError("port", "must be 0 to 65535", "0 takes a free one", got=port)
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, ValueError) as error:  # ValueError: no name can be written like that
        raise DomainError(
            "host", "must be an address of this machine", "127.0.0.1 is its own", got=host
        ) from error
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
    except OSError as error:
        listener.close()
        raise DomainError(
            "port",
            "must be free, and its host an address of this machine",
            "0 takes a free one",
            got=port,
        ) from error
    return listener


def address(listener: socket.socket) -> str:
    """Return the address of a bound socket as a browser on this machine takes it."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared only
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    collections: Iterable[Collection],
    database: str | os.PathLike[str],
    host: str = "127.0.0.1",
    port: int = 8750,
    on_ready: Callable[[str], object] | None = None,
    *,
    queries: Queries | None = None,
    clock: Callable[[], datetime] = utc_now,
    settings: Settings | None = None,
) -> None:
    """Serve collections until interrupted; what was acknowledged is on disk before it ends.

    Args:
        collections: what is served.
        database: the SQLite file.
        host: the address to listen at. Put a TLS proxy before it where others reach it, and
            switch that proxy's own access log off.
        port: 0 takes a free one.
        on_ready: called with the service's address once requests are answered.
        queries: held data sets that are asked under ``/api/v1/datasets``.
        clock: returns an aware datetime.
        settings: everything else.

    Raises:
        CollectionError, StorageError: as :func:`sudare.collector.create_app`, or the service
            could not start.
        DomainError: the address cannot be listened at, or the clock has no time zone.
    """
    app = create_app(collections, database, queries=queries, clock=clock, settings=settings)
    ready = on_ready if on_ready is not None else str
    with contextlib.suppress(KeyboardInterrupt):
        CollectorServer(app, listen(host, port), ready).serve_until_stopped()
