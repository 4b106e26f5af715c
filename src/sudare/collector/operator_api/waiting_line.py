"""The line of those who come back from a provider: a network has a few places in it, and no more.

Nobody in it has an account yet. A client that fills the places of its own network, or never reads
the answer, delays no other network. A client that hangs up leaves the line.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.types import Receive

from sudare.collector.answers import Disconnected
from sudare.collector.operator_api.single_sign_on import ProviderError

MOST = 8
"""Exchanges with a provider at once; others wait in a line."""

PLACES = 4
"""Of one network in an exchange or in that line: half of what there is at once."""

CROWD = 64
"""People of one network, those with them who wait for a place: an office may begin its day."""

WAITING = 1000
"""People in the line, and how many seconds they wait at most, for a place and in the line."""
PATIENCE = 60.0

T = TypeVar("T")


@dataclass
class Gate:
    """What one network has of a line.

    Attributes:
        places: in the line, or in an exchange.
        people: who has one, or waits for one.
    """

    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PLACES))
    people: int = 0


@dataclass
class Line:
    """Who asks the provider next: first come, first served, among the places of all networks."""

    _turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST))
    _gates: dict[bytes, Gate] = field(default_factory=dict)
    _waiting: int = 0

    @contextlib.asynccontextmanager
    async def turn(self, network: bytes) -> AsyncIterator[None]:
        """Wait for a turn to ask the provider, and have it.

        Args:
            network: of the client that comes back from the provider.

        Raises:
            ProviderError: too many wait, or for too long.
        """
        gate = self._gates.setdefault(network, Gate())
        if gate.people >= CROWD:
            raise _busy("from one network: behind a proxy, limit_header tells them apart")
        gate.people += 1
        try:
            async with contextlib.AsyncExitStack() as held:
                try:
                    async with asyncio.timeout(PATIENCE):
                        await held.enter_async_context(gate.places)
                        await self._wait(held)
                except TimeoutError:
                    raise _busy("for the time that the provider takes") from None
                yield
        finally:
            gate.people -= 1
            if not gate.people:
                del self._gates[network]

    async def _wait(self, held: contextlib.AsyncExitStack) -> None:
        if self._waiting >= WAITING:
            raise _busy("from all networks")
        self._waiting += 1
        try:
            await held.enter_async_context(self._turns)
        finally:
            self._waiting -= 1


def _busy(where: str) -> ProviderError:
    return ProviderError("busy", f"too many sign-ins at once {where}")


async def while_connected(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Return what work comes to, for a client that waits for it; it ends when they hang up.

    Raises:
        Disconnected: they did.
    """
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_hang_up(receive))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Disconnected
        return working.result()
    finally:
        # both have ended before the place is another's
        for task in (working, gone):
            task.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _hang_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
