"""The line of those who come back from a provider: who has a place in it, and who loses it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

import pytest

from sudare.collector.answers import Disconnected
from sudare.collector.limits import Limits
from sudare.collector.operator_api.single_sign_on import ProviderError
from sudare.collector.operator_api.waiting_line import (
    CROWD,
    MOST,
    PLACES,
    WAITING,
    Line,
    while_connected,
)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 30))


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_one_network_keeps_no_other_waiting() -> None:
    """24 connections never end; 30 people from elsewhere have their turn, each after another."""

    async def work() -> None:
        line, taken = Line(), []

        async def hold(network: bytes) -> None:
            async with line.turn(network):
                taken.append(network)
                await asyncio.Event().wait()

        async def visit(network: bytes) -> None:
            async with line.turn(network):
                await asyncio.sleep(0)

        held = [asyncio.create_task(hold(b"bad")) for _ in range(CROWD)]
        await settle()
        assert taken == [b"bad"] * PLACES
        with pytest.raises(ProviderError, match="limit_header"):
            await visit(b"bad")
        # of one office, and each of a network of their own
        await asyncio.gather(*(visit(b"office") for _ in range(30)))
        await asyncio.gather(*(visit(bytes([number, 1])) for number in range(30)))
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        assert line == Line(line._turns), "nothing is kept of who has gone"
        await visit(b"bad")

    run(work())


def test_the_line_is_bounded_for_all_networks_together() -> None:
    async def work() -> None:
        line, networks = Line(), (MOST + WAITING) // PLACES

        async def hold(number: int) -> None:
            async with line.turn(number.to_bytes(3, "big")):
                await asyncio.Event().wait()

        held = [asyncio.create_task(hold(k)) for k in range(networks) for _ in range(PLACES)]
        await settle()
        with pytest.raises(ProviderError, match="from all networks"):
            await hold(networks)
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)

    run(work())


def test_nobody_waits_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.collector.operator_api.waiting_line.PATIENCE", 0.02)

    async def work() -> None:
        line = Line()
        async with contextlib.AsyncExitStack() as turns:
            for number in range(MOST):  # half of them from one network, half from the next
                await turns.enter_async_context(line.turn(bytes([number // PLACES])))
            for network in (b"\0", b"other"):
                with pytest.raises(ProviderError, match="for the time that the provider takes"):
                    async with line.turn(network):
                        pass
        async with line.turn(b"other"):
            pass

    run(work())


def test_who_hangs_up_loses_their_place_at_once() -> None:
    """In the line, for a place of their network, and in an exchange."""

    async def work() -> None:
        line = Line()
        gone = [asyncio.Event() for _ in range(CROWD)]

        async def receive(number: int) -> dict[str, Any]:
            await gone[number].wait()
            return {"type": "http.disconnect"}

        async def wait() -> None:
            async with line.turn(b"bad"):
                await asyncio.Event().wait()

        async def come(number: int) -> None:
            with pytest.raises(Disconnected):
                await while_connected(lambda: receive(number), wait())

        tasks = [asyncio.create_task(come(number)) for number in range(CROWD)]
        await settle()
        assert line._gates[b"bad"].people == CROWD
        for number in (CROWD - 1, 0, 7):
            gone[number].set()
        await settle()
        assert line._gates[b"bad"].people == CROWD - 3
        for event in gone:
            event.set()
        await asyncio.gather(*tasks)
        assert line._gates == {}

    run(work())


def test_what_is_done_is_told_to_who_waits_for_it() -> None:
    async def work() -> None:
        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0)
            return {"type": "http.request", "body": b"", "more_body": False}

        async def fail() -> int:
            raise KeyError

        async def done() -> int:
            return 7

        assert await while_connected(receive, done()) == 7
        with pytest.raises(KeyError):
            await while_connected(receive, fail())

    run(work())


def test_a_network_is_that_of_a_customer_as_rate_limits_read_addresses() -> None:
    """By the header of the settings, or the connection."""

    def network(address: str, header: str = "x-client-address") -> bytes:
        scope = {"client": ("203.0.113.7", 1), "headers": [(header.encode(), address.encode())]}
        return Limits(0, "X-Client-Address").wide_network(scope)

    same = (
        ("198.51.100.7", "198.51.100.250:5000", "::ffff:198.51.100.9", "9.9.9.9, 198.51.100.1"),
        ("2001:db8:7:1::1", "[2001:db8:7:ffff::2]:5000", 'for="[2001:db8:7::1]"'),
        ("unknown", "203.0.113.99", ""),
    )
    found = [{network(address) for address in addresses} for addresses in same]
    assert [len(networks) for networks in found] == [1, 1, 1]
    assert len(set.union(*found)) == 3
    assert network("2001:db8:8::1") not in set.union(*found)
    assert network("198.51.100.7", "forwarded") == network("203.0.113.8")
    assert Limits().wide_network({"client": None, "headers": []}) == b""
