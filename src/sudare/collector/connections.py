"""Connections that wait: closed when no request comes, and never in the way of one that does."""

from __future__ import annotations

import asyncio
import time

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 2_000
WAIT_SECONDS = 10


class Connection(H11Protocol):
    """HTTP/1.1 that gives a client so long for a whole request head, however it trickles in.

    A connection *waits* from its start, and from each response on, until a request head has come.
    Where the server is full, a new connection takes the place of the one that has waited longest.
    """

    since = 0.0

    @property
    def waits(self) -> bool:
        """Tell whether no request is being served."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room, then start to wait."""
        limit = self.limit_concurrency
        if limit is not None and len(self.connections) + 1 >= limit:
            waiting = [each for each in self.connections if isinstance(each, Connection)]
            longest = min((c for c in waiting if c.waits), key=lambda c: c.since, default=None)
            if longest is not None:
                self.connections.discard(longest)
                longest.transport.abort()
        self.since = time.monotonic()
        super().connection_made(transport)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.since = time.monotonic()
        super().on_response_complete()

    def close_if_overdue(self) -> None:
        """Close if it has waited too long."""
        if self.waits and time.monotonic() - self.since >= self.timeout_keep_alive:
            self.transport.close()


def connection_limit() -> int:
    """Return how many connections may be open: some fewer than the files a process may have."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return MAX_CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = files == resource.RLIM_INFINITY
    return MAX_CONNECTIONS if unlimited else min(MAX_CONNECTIONS, max(files - 64, files // 2))
