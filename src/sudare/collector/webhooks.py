"""Telling other services of publications: never of a report, and nothing that is not public.

Each message has an id and a signature, by the headers of Standard Webhooks 1.0.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hashlib
import hmac
import http.client
import logging
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from sudare.collection import Collection
from sudare.collector.database import Place, is_address
from sudare.collector.settings import Settings, secret_of
from sudare.errors import DomainError, SudareError

SECONDS = 10.0
"""How long an address may take for all of a delivery, from its name to the answer's head."""

PAUSES = (1.0, 5.0, 30.0, 120.0)
"""Seconds after which it is told again, where it did not answer with 2xx."""

WAITING = 100
"""News that wait for an address; the oldest are dropped."""

LOOK_SECONDS = 1.0

SHARE_SECONDS = 5.0
"""After which it is asked again whether another process has told what it is telling."""

SECRET = "whsec_"  # noqa: S105 - what secrets begin with
_BYTES = range(24, 65)
"""Of a secret, by Standard Webhooks."""

_log = logging.getLogger("sudare.collector")

Public = Callable[[Collection], Awaitable[Any]]
T = TypeVar("T")


class Message(NamedTuple):
    """What is told.

    Attributes:
        id: of the news, the same in every process and at every try.
        body: JSON.
    """

    id: str
    body: bytes

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Message:
        """Return the message that says something."""
        body = msgspec.json.encode(told)
        return cls(f"msg_{hashlib.sha256(body).hexdigest()[:32]}", body)

    def headers(self, secret: bytes | None, now: int) -> dict[str, str]:
        """Return its headers: the signature is an HMAC-SHA256 of id, time and body."""
        found = {
            "Content-Type": "application/json",
            "User-Agent": "sudare",
            "webhook-id": self.id,
            "webhook-timestamp": str(now),
        }
        if secret is not None:
            signed = f"{self.id}.{now}.".encode() + self.body
            made = base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
            found["webhook-signature"] = f"v1,{made}"
        return found


def read_secret(text: str) -> bytes:
    """Return the bytes of a secret that receivers know too.

    Raises:
        DomainError: it is none.

    Examples:
        >>> len(read_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        24
    """
    found = b""
    if text.startswith(SECRET):
        with contextlib.suppress(binascii.Error, ValueError):
            found = base64.b64decode(text.removeprefix(SECRET), validate=True)
    if len(found) not in _BYTES:
        raise DomainError(
            "webhooks_secret",
            f"must be {SECRET} and base64 of {_BYTES[0]} to {_BYTES[-1]} bytes",
            "make one by: echo whsec_$(openssl rand -base64 32)",
        )
    return found


class Shared(Protocol):
    """What several processes that tell the same know of each other."""

    def take(self, id: str, address: str) -> bool | None:
        """Take it upon oneself to tell an address; False where it was told, None where another
        process has taken it.
        """

    def finish(self, id: str, address: str) -> None:
        """Note that an address was told, or is not told any more."""


def post(
    address: str,
    body: bytes,
    headers: Mapping[str, str] = {},
    opened: Callable[[http.client.HTTPConnection], object] = lambda connection: None,
) -> bool:
    """Send a body to an address; tell whether it was taken. A redirect is not followed."""
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=SECONDS)
    opened(connection)
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, body, dict(headers))
        return 200 <= connection.getresponse().status < 300
    except (OSError, ValueError, AttributeError, http.client.HTTPException):
        return False  # of an attribute: it was ended from outside
    finally:
        connection.close()


async def deliver(address: str, body: bytes, headers: Mapping[str, str]) -> bool:
    """Send a body to an address within :data:`SECONDS`, however slowly the address answers."""
    connections: list[http.client.HTTPConnection] = []
    try:
        return await beside(lambda: post(address, body, headers, connections.append))
    except TimeoutError:
        return False
    finally:
        for one in connections:  # whoever still reads from it stops at once
            with contextlib.suppress(OSError, AttributeError):
                one.sock.shutdown(socket.SHUT_RDWR)


async def beside(work: Callable[[], T]) -> T:
    """Work in a thread of its own, which nothing else waits for: not even the end.

    Raises:
        TimeoutError: it takes longer than :data:`SECONDS`; it goes on by itself.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(found: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(found)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        found, error = None, None
        try:
            found = work()
        except Exception as raised:  # noqa: BLE001 - it is raised where it is waited for
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, found, error)

    threading.Thread(target=run, name="sudare-webhook", daemon=True).start()
    async with asyncio.timeout(SECONDS):
        return await done


@dataclass
class Webhooks:
    """Tell addresses what has been published since the start.

    Args:
        addresses: who is told.
        at: numbers of public reports that are told, each once; none: every publication.
        public: returns what is public of a collection: ``n`` and ``last``.
        secret: signs what is told; None for no signature.
        shared: what other processes tell; None where there are none.
        send: sends a body with headers to an address and tells whether it was taken.
    """

    addresses: tuple[str, ...]
    at: tuple[int, ...]
    public: Public
    secret: bytes | None = field(default=None, repr=False)
    shared: Shared | None = None
    send: Callable[[str, bytes, Mapping[str, str]], Awaitable[bool]] = deliver
    pauses: tuple[float, ...] = PAUSES
    _known: dict[str, tuple[int, bool]] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings, database: Place, public: Public) -> Webhooks:
        """Return those that settings name.

        Raises:
            DomainError: there is no such secret.
        """
        shared: Shared | None = None
        if settings.webhooks and is_address(database):
            from sudare.collector.postgres.telling import PostgresTelling

            shared = PostgresTelling(str(database))
        given = secret_of(settings, "webhooks_secret")
        secret = None if given is None else read_secret(given)
        return cls(settings.webhooks, settings.webhooks_at, public, secret, shared)

    async def run(self, collections: Callable[[], list[Collection]]) -> None:
        """Look for publications, until cancelled.

        Args:
            collections: returns what is served.
        """
        if not self.addresses:
            return
        queues = {one: asyncio.Queue[Message](WAITING) for one in self.addresses}
        async with asyncio.TaskGroup() as group:
            for number, (address, queue) in enumerate(queues.items(), start=1):
                group.create_task(self._tell(number, address, queue))
            while True:
                for collection in collections():
                    for message in await self._look(collection):
                        for queue in queues.values():
                            if queue.full():
                                queue.get_nowait()
                            queue.put_nowait(message)
                await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, collection: Collection) -> list[Message]:
        try:
            found = await self.public(collection)
        except SudareError:  # the store cannot be used: it says so itself
            return []
        return self.news(collection, int(found.n), last=bool(found.last))

    def news(self, collection: Collection, n: int, *, last: bool) -> list[Message]:
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
            return [Message.of(about | {"reached": at}) for at in passed]
        if (last and not ended) or (n != before and not self.at):
            return [Message.of(about)]
        return []

    async def _tell(self, number: int, address: str, queue: asyncio.Queue[Message]) -> None:
        while True:
            message = await queue.get()
            while (ours := await self._take(message.id, address)) is None:
                await asyncio.sleep(SHARE_SECONDS)
            if not ours:
                continue
            for pause in (*self.pauses, None):
                headers = message.headers(self.secret, int(time.time()))
                if await self.send(address, message.body, headers):
                    break
                if pause is None:
                    times = 1 + len(self.pauses)
                    _log.warning("webhook %d was not taken after %d times", number, times)
                else:
                    await asyncio.sleep(pause)
            await self._finish(message.id, address)

    async def _take(self, id: str, address: str) -> bool | None:
        if (shared := self.shared) is None:
            return True
        try:
            return await beside(lambda: shared.take(id, address))
        except (SudareError, TimeoutError):  # the store cannot be used: it says so itself
            return None

    async def _finish(self, id: str, address: str) -> None:
        if (shared := self.shared) is not None:
            with contextlib.suppress(SudareError, TimeoutError):
                await beside(lambda: shared.finish(id, address))
