"""Telling other services of publications: never of a report, and nothing that is not public."""

from __future__ import annotations

import asyncio
import http.client
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import msgspec

from sudare.collection import Collection
from sudare.errors import SudareError

SECONDS = 10.0
"""How long an address may take to answer."""

PAUSES = (1.0, 5.0, 30.0, 120.0)
"""Seconds after which it is told again, where it did not answer with 2xx."""

WAITING = 100
"""News that wait for an address; the oldest are dropped."""

LOOK_SECONDS = 1.0

_log = logging.getLogger("sudare.collector")

Public = Callable[[Collection], Awaitable[Any]]


def post(address: str, body: bytes) -> bool:
    """Send JSON to an address; tell whether it was taken. A redirect is not followed."""
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=SECONDS)
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = {"Content-Type": "application/json", "User-Agent": "sudare"}
        connection.request("POST", path, body, headers)
        return 200 <= connection.getresponse().status < 300
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@dataclass
class Webhooks:
    """Tell addresses what has been published since the start.

    Args:
        addresses: who is told.
        at: numbers of public reports that are told, each once; none: every publication.
        public: returns what is public of a collection: ``n`` and ``last``.
        send: sends a body to an address and tells whether it was taken; called in a thread.
    """

    addresses: tuple[str, ...]
    at: tuple[int, ...]
    public: Public
    send: Callable[[str, bytes], bool] = post
    pauses: tuple[float, ...] = PAUSES
    _known: dict[str, tuple[int, bool]] = field(default_factory=dict)

    async def run(self, collections: Callable[[], list[Collection]]) -> None:
        """Look for publications, until cancelled.

        Args:
            collections: returns what is served.
        """
        if not self.addresses:
            return
        queues = {one: asyncio.Queue[bytes](WAITING) for one in self.addresses}
        async with asyncio.TaskGroup() as group:
            for number, (address, queue) in enumerate(queues.items(), start=1):
                group.create_task(self._tell(number, address, queue))
            while True:
                for collection in collections():
                    for body in await self._look(collection):
                        for queue in queues.values():
                            if queue.full():
                                queue.get_nowait()
                            queue.put_nowait(body)
                await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, collection: Collection) -> list[bytes]:
        try:
            found = await self.public(collection)
        except SudareError:  # the store cannot be used: it says so itself
            return []
        return self.news(collection, int(found.n), last=bool(found.last))

    def news(self, collection: Collection, n: int, *, last: bool) -> list[bytes]:
        """Return what is new of a collection since it was asked about before; first nothing.

        Args:
            collection: which.
            n: number of its reports that are public.
            last: whether nothing follows.
        """
        before, ended = self._known.setdefault(collection.name, (n, last))
        self._known[collection.name] = (n, last)
        passed = [at for at in sorted(self.at) if before < at <= n]
        about = {
            "collection": collection.name,
            "fingerprint": collection.fingerprint,
            "n": n,
            "last": last,
        }
        if passed:
            return [msgspec.json.encode(about | {"reached": at}) for at in passed]
        if (last and not ended) or (n != before and not self.at):
            return [msgspec.json.encode(about)]
        return []

    async def _tell(self, number: int, address: str, queue: asyncio.Queue[bytes]) -> None:
        while True:
            body = await queue.get()
            for pause in (*self.pauses, None):
                if await asyncio.to_thread(self.send, address, body):
                    break
                if pause is None:
                    _log.warning("webhook %d was not taken after %d times", number, 1 + len(PAUSES))
                else:
                    await asyncio.sleep(pause)
