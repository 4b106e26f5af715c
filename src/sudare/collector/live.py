"""What is told about a collection, made once for all who ask until its next step.

Figures are those of the last step, as they stand in the file: a frozen object of this process. No
request reads the reports, so that neither a body nor how long it takes depends on what is not
public. Bodies are made one at a time, in a thread that rests longer than it works: intake has the
machine for most of the time. What everybody asks for has a thread of its own, so that unusual
requests cannot keep it away.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

from sudare.collection import Collection
from sudare.collector.service import Service
from sudare.collector.tallies import Snapshot
from sudare.errors import DomainError, MissingExtraError
from sudare.planning.published import TallyGuarantee, tally_guarantee
from sudare.refusal import unavailable

REST = 4.0
VARIANTS = 8
WAITING = 8

_log = logging.getLogger("sudare.collector")

Make: TypeAlias = Callable[[Snapshot], bytes]


def told_together(collection: Collection, public: Snapshot) -> int:
    """Return how many reports are published together, at the least."""
    rule = collection.publishing
    return public.n if rule.once and public.n else rule.least


def guarantee(collection: Collection, n: int) -> TallyGuarantee | None:
    """Return what tallies of n reports give away; None where SciPy is not there to tell."""
    try:
        return tally_guarantee(collection, n)
    except MissingExtraError:
        return None


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

    async def run(self, make: Make, public: Snapshot) -> bytes:
        """Return ``make(public)``.

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
            return await loop.run_in_executor(self._thread, self._work, make, public)
        finally:
            self._waiting -= 1

    def _work(self, make: Make, public: Snapshot) -> bytes:
        start = time.monotonic()
        time.sleep(max(0.0, self._rested - start))
        start = time.monotonic()
        try:
            return make(public)
        finally:
            end = time.monotonic()
            self._rested = end + REST * (end - start)


class LiveResults:
    """The public figures of one collection, and the bodies made from them.

    Args:
        service: gives the store and the time.
        collection: whose figures they are.
        worker: makes the bodies that everybody asks for.
        odd: makes the others, of which there are too many to keep: nobody who asks for them
            delays the first.
    """

    def __init__(
        self, service: Service, collection: Collection, worker: Worker, odd: Worker
    ) -> None:
        self._service = service
        self._collection = collection
        self._worker = worker
        self._odd = odd
        self._latest: Snapshot | None = None
        self._said = ""
        self._bodies: OrderedDict[Hashable, asyncio.Task[bytes]] = OrderedDict()
        self._usual: dict[Hashable, asyncio.Task[bytes]] = {}
        self._guarantees: dict[int, asyncio.Task[TallyGuarantee | None]] = {}

    async def body(self, variant: Hashable, make: Make, *, usual: bool) -> bytes:
        """Return what ``make`` says of the public figures.

        Args:
            variant: tells this body from others of the same figures.
            make: turns the figures into the body; called in a thread.
            usual: one of the few that everybody asks for.

        Raises:
            StoreUnavailable: the store is closed, or cannot be used at the end.
            Refusal: 503 where too many bodies are being asked for.
        """
        latest = await self._public()
        if latest is not self._latest:
            self._latest = latest
            self._bodies.clear()
            self._usual.clear()
        bodies, worker = (self._usual, self._worker) if usual else (self._bodies, self._odd)
        task = bodies.get(variant)
        if task is None:
            task = asyncio.create_task(worker.run(make, latest))
            task.add_done_callback(lambda done: self._drop_failed(variant, done))
            bodies[variant] = task
            if len(self._bodies) > VARIANTS:
                self._bodies.popitem(last=False)
        if not usual:
            self._bodies.move_to_end(variant)
        return await asyncio.shield(task)

    async def prepare(self) -> None:
        """Work out what the figures give away, once and beside the thread that makes bodies."""
        n = told_together(self._collection, await self._public())
        if n not in self._guarantees:
            self._guarantees[n] = asyncio.create_task(
                asyncio.to_thread(guarantee, self._collection, n)
            )
        await asyncio.shield(self._guarantees[n])

    async def _public(self) -> Snapshot:
        """Return what is public, after the collection was ended if it has closed by the clock.

        A clock that was wrong ends nothing for good: once it says that the collection is open,
        its steps go on. They are as large as ever, so that no difference of two publications is
        less than a step. Of a collection that publishes once, at its end, what is public stays.
        """
        store, own = self._service.store, self._collection
        public = store.public(own.fingerprint)
        if own.closes is None or public.last == (self._service.clock() >= own.closes):
            return public
        if not public.last:
            found = await asyncio.wrap_future(store.finish(own.fingerprint))
            self._say(
                f"has ended by this machine's clock, with {found.n:,} reports public: if that is "
                "too early, look at the clock"
            )
            return found
        if own.publishing.once and public.n:
            self._say(
                "is open again by this machine's clock, but has published its figures, once: what "
                "comes now stays unpublished"
            )
            return public
        found = await asyncio.wrap_future(store.resume(own.fingerprint))
        self._say("is open again by this machine's clock: its steps go on")
        return found

    def _say(self, what: str) -> None:
        """Tell the operator, each thing once in a row."""
        if what != self._said:
            self._said = what
            _log.warning("collection %r %s", self._collection.name, what)

    def _drop_failed(self, variant: Hashable, task: asyncio.Task[bytes]) -> None:
        if task.cancelled() or task.exception():
            for bodies in (self._bodies, self._usual):
                if bodies.get(variant) is task:
                    del bodies[variant]
