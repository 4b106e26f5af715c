"""The connections of a server, and which one makes room where all places are taken."""

from __future__ import annotations

import asyncio
import enum
import time
from typing import Protocol

from uvicorn.server import ServerState

MAX_CONNECTIONS = 2_000
WAIT_SECONDS = 10
"""How long a client may keep a connection without a whole request head."""

EXCHANGE_SECONDS = 30
"""How long it may take to send a request's body, and again to read its answer."""

GRACE_SECONDS = 1.0
"""How long nobody who sends or reads has to make room."""

UNREAD_BYTES = 256 << 20
"""How much of all answers together may wait to be read."""


class WaitingFor(enum.Enum):
    """What a connection waits for."""

    REQUEST = enum.auto()
    """For the client: a request head."""
    BODY = enum.auto()
    """For the client: the rest of a request."""
    READER = enum.auto()
    """For the client: to read its answer."""
    SERVER = enum.auto()
    """For this server."""


class HeldConnection(Protocol):
    """A connection, as far as its place matters."""

    since: float
    transport: asyncio.Transport

    @property
    def turn(self) -> WaitingFor:
        """What is waited for."""


class ConnectionLimits(ServerState):
    """The connections of one server, in the order in which they began to wait.

    Args:
        limit: how many may be open.
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit
        self._waiting: dict[HeldConnection, None] = {}
        self.turned_away = 0
        self.malformed = 0
        self.overdue = 0

    def enter(self, place: HeldConnection) -> bool:
        """Note a new connection; tell whether there is room for it.

        Where there is none, the one that has waited longest for a request goes; where nobody does,
        the one whose client has kept this server waiting longest for the rest of a request, or for
        reading its answer.
        """
        full = len(self.connections) >= self._limit
        self.rest(place)
        if not full:
            return True
        longest = self._longest_idle(place) or self._slowest()
        if longest is not None:
            self.leave(longest)
            longest.transport.abort()
            return True
        self.turned_away += 1
        return False

    def rest(self, place: HeldConnection) -> None:
        """Note that a connection waits for a request from now on."""
        self._waiting.pop(place, None)
        self._waiting[place] = None
        place.since = time.monotonic()

    def leave(self, place: HeldConnection) -> None:
        """Forget a connection."""
        self._waiting.pop(place, None)
        self.connections.discard(place)

    def close_overdue(self, wait: float) -> None:
        """Close the connections whose clients keep this server waiting for too long.

        Args:
            wait: seconds after which one without a request is closed.
        """
        now, unread = time.monotonic(), 0
        readers: list[HeldConnection] = []
        for place in self._all():
            turn = place.turn
            if turn is WaitingFor.REQUEST:
                if now - place.since >= wait:
                    place.transport.close()
            elif turn is not WaitingFor.SERVER and now - place.since >= EXCHANGE_SECONDS:
                self.overdue += 1
                place.transport.abort()
            elif turn is WaitingFor.READER:
                unread += place.transport.get_write_buffer_size()
                readers.append(place)
        readers.sort(key=lambda each: each.since, reverse=True)
        while unread > UNREAD_BYTES:
            place = readers.pop()
            unread -= place.transport.get_write_buffer_size()
            self.overdue += 1
            place.transport.abort()

    def abort_clients(self) -> None:
        """Abort the connections that wait for their clients."""
        for place in self._all():
            if place.turn is not WaitingFor.SERVER:
                place.transport.abort()

    def _all(self) -> list[HeldConnection]:
        return list(self.connections)  # type: ignore[arg-type]

    def _longest_idle(self, newcomer: HeldConnection) -> HeldConnection | None:
        while self._waiting:
            place = next(iter(self._waiting))
            if place is newcomer:
                break
            if place.turn is WaitingFor.REQUEST:
                return place
            del self._waiting[place]  # until its answer is complete
        return None

    def _slowest(self) -> HeldConnection | None:
        latest = time.monotonic() - GRACE_SECONDS
        slow = (p for p in self._all() if p.since <= latest and p.turn is not WaitingFor.SERVER)
        return min(slow, key=lambda each: each.since, default=None)


def connection_limit() -> int:
    """Return how many connections may be open: some fewer than the files a process may have."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return MAX_CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = files == resource.RLIM_INFINITY
    return MAX_CONNECTIONS if unlimited else min(MAX_CONNECTIONS, max(files - 64, files // 2))
