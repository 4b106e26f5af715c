"""What is told about a collection, made once for all who ask while the counts stay the same.

Counts are read from the store at most once a second, and only if a report has been acknowledged
since; everyone who asks meanwhile waits for that one reading, so that an answer always holds
whatever had been acknowledged when it was asked for. Bodies are made from the counts one at a
time, in a thread that rests longer than it works: intake has the machine for most of the time.
What everybody asks for has a thread of its own, so that unusual requests cannot keep it away.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

from sudare.collector.service import Service
from sudare.collector.tallies import TallySnapshot
from sudare.errors import DomainError
from sudare.refusal import unavailable

PAUSE = 1.0
REST = 4.0
VARIANTS = 8
WAITING = 8

Make: TypeAlias = Callable[[TallySnapshot], bytes]


class Worker:
    """One thread that, after some work, rests four times as long before it takes the next.

    Args:
        waiting: how many bodies may wait to be made.
    """

    def __init__(self, waiting: int) -> None:
        self._most = waiting
        self._thread = ThreadPoolExecutor(1, "sudare-results")
        self._rested = 0.0
        self._waiting = 0

    async def run(self, make: Make, reading: TallySnapshot) -> bytes:
        """Return ``make(reading)``.

        Raises:
            Refusal: 503 where too many bodies are waiting to be made.
        """
        if self._waiting == self._most:
            raise unavailable(
                DomainError("results", "are asked for in too many ways at once", "ask again later")
            )
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._work, make, reading)
        finally:
            self._waiting -= 1

    def _work(self, make: Make, reading: TallySnapshot) -> bytes:
        start = time.monotonic()
        time.sleep(max(0.0, self._rested - start))
        start = time.monotonic()
        try:
            return make(reading)
        finally:
            end = time.monotonic()
            self._rested = end + REST * (end - start)


class LiveResults:
    """The newest counts of one collection, and the bodies made from them.

    Args:
        service: gives the store.
        fingerprint: the collection's.
        worker: makes the bodies that everybody asks for.
        odd: makes the others, of which there are too many to keep: nobody who asks for them
            delays the first.
    """

    def __init__(self, service: Service, fingerprint: str, worker: Worker, odd: Worker) -> None:
        self._service = service
        self._fingerprint = fingerprint
        self._worker = worker
        self._odd = odd
        self._revision = 0
        self._latest = TallySnapshot((), None)
        self._reading: asyncio.Task[None] | None = None
        self._not_before = 0.0
        self._bodies: OrderedDict[Hashable, asyncio.Task[bytes]] = OrderedDict()
        self._usual: dict[Hashable, asyncio.Task[bytes]] = {}

    async def body(self, variant: Hashable, make: Make, *, usual: bool) -> bytes:
        """Return what ``make`` says of everything acknowledged so far.

        Args:
            variant: tells this body from others of the same counts.
            make: turns the reading into the body; called in a thread.
            usual: one of the few that everybody asks for.

        Raises:
            StoreUnavailable: the counts cannot be read.
            Refusal: 503 where too many bodies are being asked for.
        """
        await self._refresh()
        bodies, worker = (self._usual, self._worker) if usual else (self._bodies, self._odd)
        task = bodies.get(variant)
        if task is None:
            task = asyncio.create_task(worker.run(make, self._latest))
            task.add_done_callback(lambda done: self._drop_failed(variant, done))
            bodies[variant] = task
            if len(self._bodies) > VARIANTS:
                self._bodies.popitem(last=False)
        if not usual:
            self._bodies.move_to_end(variant)
        return await asyncio.shield(task)

    async def _refresh(self) -> None:
        """Return once the counts hold what has been acknowledged by now."""
        wanted = self._service.store.revision(self._fingerprint)
        if self._latest.invites is not None and time.monotonic() >= self._not_before:
            self._revision = 0  # another process may have made invites
        while self._revision < wanted:
            if self._reading is None:
                self._reading = asyncio.create_task(self._read())
            await asyncio.shield(self._reading)

    async def _read(self) -> None:
        try:
            await asyncio.sleep(self._not_before - time.monotonic())
            store = self._service.store
            revision = store.revision(self._fingerprint)
            latest = await asyncio.wrap_future(store.reading(self._fingerprint))
            if latest != self._latest:
                self._latest = latest
                self._bodies.clear()
                self._usual.clear()
            self._revision = revision
        finally:
            self._not_before = time.monotonic() + PAUSE
            self._reading = None

    def _drop_failed(self, variant: Hashable, task: asyncio.Task[bytes]) -> None:
        if task.cancelled() or task.exception():
            for bodies in (self._bodies, self._usual):
                if bodies.get(variant) is task:
                    del bodies[variant]
