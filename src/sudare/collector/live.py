"""What is told about a collection, made once for all who ask until its next step.

Figures are those of the last step, as they stand in the file: a frozen object of this process. No
request reads the reports, so that neither a body nor how long it takes depends on what is not
public. Bodies are made one at a time, in a thread that rests longer than it works: intake has the
machine for most of the time. What everybody asks for has a thread of its own, so that unusual
requests cannot keep it away. What takes long, as wide maps do, is made in a process of its own;
while it is made, the last body that was finished is told.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from sudare.collection import Collection
from sudare.collector.service import Service
from sudare.collector.tallies import Snapshot
from sudare.collector.worker_process import FigureWorker
from sudare.errors import DomainError, MissingExtraError
from sudare.planning.published import TallyGuarantee, tally_guarantee
from sudare.refusal import unavailable

REST = 4.0
VARIANTS = 8
WAITING = 8
SLOW_SECONDS = 0.3
"""Of processor time: a collection whose bodies take longer has them made in the process."""

PATIENCE_SECONDS = 0.7
"""How long a reader waits for newer figures that take long, where there are earlier ones."""

REFRESH_SECONDS = 5.0
"""How often it is looked whether there are newer figures than were worked out."""

T = TypeVar("T")
Make: TypeAlias = Callable[[Snapshot], bytes]


def told_together(collection: Collection, public: Snapshot) -> int:
    """Return how many reports are published together, at the least."""
    rule = collection.publishing
    once = rule.once and public.n and not public.earlier[0].n and not public.base
    return public.n if once else rule.least


def guarantee(collection: Collection, n: int) -> TallyGuarantee | None:
    """Return what tallies of n reports give away; None where SciPy is not there to tell."""
    try:
        return tally_guarantee(collection, n)
    except MissingExtraError:
        return None


class Worker:
    """One thread that, after some work, rests four times as long before it takes the next.

    Args:
        waiting: returns how many bodies may wait to be made.
        figures: the process for those that take long.
        odd: whether others are waited for.
    """

    def __init__(
        self, waiting: Callable[[], int], figures: FigureWorker, *, odd: bool = False
    ) -> None:
        self._most = waiting
        self._figures = figures
        self._odd = odd
        self._thread = ThreadPoolExecutor(1, "sudare-results")
        self._rested = 0.0
        self._waiting = 0

    async def run(
        self, make: Callable[[T], bytes], public: T, *, aside: bool = False
    ) -> tuple[bytes, float]:
        """Return ``make(public)``, and the seconds of processor time that it took here.

        Args:
            make: turns the figures into the body.
            public: the figures, or a body of them.
            aside: whether it is made in the process, if that can.

        Raises:
            Refusal: 503 where too many bodies are waiting to be made.
        """
        if self._waiting >= self._most():
            raise unavailable(
                DomainError("results", "are asked for in too many ways at once", "ask again later")
            )
        self._waiting += 1
        try:
            if aside:
                body = await self._figures.run(make, public, odd=self._odd)
                if body is not None:
                    return body, 0.0
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._work, make, public)
        finally:
            self._waiting -= 1

    def _work(self, make: Callable[[T], bytes], public: T) -> tuple[bytes, float]:
        start = time.monotonic()
        time.sleep(max(0.0, self._rested - start))
        start, used = time.monotonic(), time.thread_time()
        try:
            return make(public), time.thread_time() - used
        finally:
            end = time.monotonic()
            self._rested = end + REST * (end - start)


@dataclass(frozen=True, eq=False)
class Making:
    """A body that is being made, or was.

    Attributes:
        figures: of which.
        make: by what.
        task: its result is the body.
    """

    figures: Snapshot
    make: Make
    task: asyncio.Task[bytes]

    def is_of(self, figures: Snapshot, make: Make) -> bool:
        """Tell whether the body is that one: times and titles change without a new figure."""
        return self.figures is figures and self.make == make


class LiveResults:
    """The public figures of one collection, and the bodies made from them.

    Args:
        service: gives the store and the time.
        collection: whose figures they are.
        worker: makes the bodies that everybody asks for.
        odd: makes the others, of which there are too many to keep: nobody who asks for them
            delays the first.
        slow: whether bodies are known to take long.
    """

    def __init__(
        self,
        service: Service,
        collection: Collection,
        worker: Worker,
        odd: Worker,
        *,
        slow: bool = False,
    ) -> None:
        self._service = service
        self._collection = collection
        self._worker = worker
        self._odd = odd
        self._slow = slow
        self._latest: Snapshot | None = None
        self._times: object = None
        self._bodies: OrderedDict[Hashable, asyncio.Task[bytes]] = OrderedDict()
        self._usual: dict[Hashable, Making] = {}
        self._finished: dict[Hashable, bytes] = {}
        self._guarantees: dict[int, asyncio.Task[TallyGuarantee | None]] = {}

    async def body(self, variant: Hashable, make: Make, *, usual: bool) -> bytes:
        """Return what ``make`` says of the public figures, or of the last ones that are worked out.

        Args:
            variant: tells this body from others of the same figures.
            make: turns the figures into the body; called in a thread, or in another process.
            usual: one of the few that everybody asks for.

        Raises:
            StoreUnavailable: the store is closed, or cannot be used at the end.
            Refusal: 503 where too many bodies are being asked for.
        """
        if usual:
            return await self._usual_body(variant, make)
        latest = await self.public()
        times = self._service.times(self._collection)
        if latest is not self._latest or times != self._times:
            self._latest, self._times = latest, times
            self._bodies.clear()
        task = self._bodies.get(variant)
        if task is None:
            task = asyncio.create_task(self._made(self._odd, make, latest))
            task.add_done_callback(lambda done: self._drop_failed(variant, done))
            self._bodies[variant] = task
            if len(self._bodies) > VARIANTS:
                self._bodies.popitem(last=False)
        self._bodies.move_to_end(variant)
        return await asyncio.shield(task)

    async def refresh(self, variant: Hashable, make: Make) -> None:
        """Begin what newer figures ask for, where bodies take long: nobody has to ask first.

        Args:
            variant: what is made although nobody has asked for it yet.
            make: by what.
        """
        if not self._slow:
            return
        latest = await self.public()
        wanted = {key: one.make for key, one in self._usual.items()} | {variant: make}
        for key, how in wanted.items():
            self._newest(key, how, latest)

    async def _usual_body(self, variant: Hashable, make: Make) -> bytes:
        clock = asyncio.get_running_loop().time
        deadline = clock() + PATIENCE_SECONDS
        while True:
            latest = await self.public()
            making = self._newest(variant, make, latest)
            earlier = self._finished.get(variant) if self._slow else None
            left = None if earlier is None else max(0.0, deadline - clock())
            await asyncio.wait([making.task], timeout=left)
            if making.is_of(latest, make) and making.task.done():
                return making.task.result()
            if earlier is not None and clock() >= deadline:
                return self._finished.get(variant, earlier)

    def _newest(self, variant: Hashable, make: Make, latest: Snapshot) -> Making:
        """Return what is being made; the newest figures wait until it is finished."""
        making = self._usual.get(variant)
        if making is None or (making.task.done() and not making.is_of(latest, make)):
            task = asyncio.create_task(self._made(self._worker, make, latest))
            task.add_done_callback(lambda done: self._note(variant, done))
            making = self._usual[variant] = Making(latest, make, task)
        return making

    async def _made(self, worker: Worker, make: Make, figures: Snapshot) -> bytes:
        body, seconds = await worker.run(make, figures, aside=self._slow)
        if seconds > SLOW_SECONDS:
            self._slow = True
        return body

    async def prepare(self) -> None:
        """Work out what the figures give away, once and beside the thread that makes bodies."""
        n = told_together(self._collection, await self.public())
        if n not in self._guarantees:
            self._guarantees[n] = asyncio.create_task(
                asyncio.to_thread(guarantee, self._collection, n)
            )
        await asyncio.shield(self._guarantees[n])

    async def public(self) -> Snapshot:
        """Return what is public, after the collection was ended if it is past its end."""
        await self._service.settle(self._collection)
        return self._service.store.public(self._collection.fingerprint)

    def _note(self, variant: Hashable, task: asyncio.Task[bytes]) -> None:
        if not (task.cancelled() or task.exception()):
            self._finished[variant] = task.result()
        elif (making := self._usual.get(variant)) is not None and making.task is task:
            del self._usual[variant]

    def _drop_failed(self, variant: Hashable, task: asyncio.Task[bytes]) -> None:
        failed = task.cancelled() or task.exception()
        if failed and self._bodies.get(variant) is task:
            del self._bodies[variant]
