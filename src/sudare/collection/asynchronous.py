"""The respondent's side under asyncio: the same client, out of the event loop's way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from functools import partial
from pathlib import Path

from sudare.collection.client import Client
from sudare.collection.definition import Collection, utc_now
from sudare.collection.memo import Memo
from sudare.collection.submission import Submission
from sudare.collection.tickets import Tickets
from sudare.collection.upload import API, fetch, send


class AsyncClient:
    """One device of one person, for programs that run on asyncio.

    Everything is :class:`~sudare.collection.client.Client`'s: memo, budget, errors.
    What touches the disk or the network runs in a thread; waiting for ``send_delay`` does not.

    Where a call is cancelled, what its thread does is done to its end: an answer may then have been
    drawn, charged and remembered. The same answer again is the same submission, at no cost.

    Args:
        collection, memo, origin, cap, clock: as of ``Client``; the operating system gives the
            random bytes.

    Attributes:
        client: the client that does the work.

    Examples:
        >>> tea = Collection.from_toml('''
        ... [collection]
        ... name = "tea"
        ... epsilon = 2.0
        ... [[question]]
        ... id = "brand"
        ... type = "choice"
        ... text = "Which tea?"
        ... choices = ["oi-ocha", "iyemon"]
        ... ''')
        >>> async def twice():
        ...     device = AsyncClient(tea)
        ...     answers = {"brand": "iyemon"}
        ...     return await device.answer(answers) == await device.answer(answers)
        >>> asyncio.run(twice())
        True
    """

    def __init__(
        self,
        collection: Collection,
        memo: str | Path | Memo | None = None,
        *,
        origin: str | None = None,
        cap: Fraction | float | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.client = Client(collection, memo, origin=origin, cap=cap, clock=clock)

    @classmethod
    async def load(cls, url: str, name: str, memo: str | Path | Memo | None = None) -> AsyncClient:
        """Return a client of a collection as its collector tells it, verified on this device.

        Args:
            url: address of the collector; charges are kept by its origin.
            name: of the collection.
            memo: as of ``Client``.

        Raises:
            StorageError: the collector cannot be reached.
            CollectionError: there is no such collection, or it is not what its fingerprint names.
        """
        document = await asyncio.to_thread(fetch, url, f"{API}/collections/{name}")
        return cls(Collection.from_compiled(document), memo, origin=url)

    @property
    def spent(self) -> Fraction:
        """ε that this device has spent on all versions, exact; without that on places."""
        return self.client.spent

    async def admit(self, url: str, invite: str) -> Tickets:
        """Ask the collector what an invite fixes, see ``Client.admit``."""
        return await asyncio.to_thread(self.client.admit, url, invite)

    async def answer(
        self, answers: Mapping[str, object], tickets: Tickets | None = None, *, again: bool = False
    ) -> Submission:
        """Randomise one answer a question, see ``Client.answer``; nothing is sent yet."""
        return await asyncio.to_thread(partial(self.client.answer, answers, tickets, again=again))

    async def send(self, submission: Submission, url: str) -> None:
        """Post a submission, see ``Client.send``; the wait before it keeps no thread."""
        self.client.check_origin(url)
        if wait := self.client.draw_delay():
            await asyncio.sleep(wait)
        await asyncio.to_thread(send, url, submission)
