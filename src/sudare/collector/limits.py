"""How many reports an address may send within an hour, without a store or a log of addresses.

An address is counted under a mark, a keyed hash of it; the key is random, is told nobody and goes
with the hour. Several processes on one PostgreSQL tell each other twice a second what they have
counted (:meth:`sudare.collector.service.Service.refresh`), so that together they let pass at most
what comes within that time beyond the limit. A process alone counts in memory.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.types import Scope

from sudare.errors import DomainError
from sudare.refusal import Refusal

if TYPE_CHECKING:
    from sudare.collector.keeping import BaseStore

HOUR = 3_600
MOST_MARKS = 1 << 20
"""Addresses that are remembered; where more come, all begin anew."""
NETWORK_BITS = 64
"""Of an address of IPv6: a household has at least so large a network."""


class Limits:
    """Count what each address sends.

    Args:
        most: reports an hour and address; 0 for no limit.
        header: in which the proxy tells the address; nothing for that of the connection.
        clock: returns the seconds since 1970.
    """

    def __init__(
        self, most: int = 0, header: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        self._most = most
        self._header = header.lower().encode()
        self._clock = clock
        self._key = b""
        self._hour = -1
        self._known: Counter[bytes] = Counter()
        self._fresh: Counter[bytes] = Counter()

    def take(self, scope: Scope, reports: int = 1) -> None:
        """Count reports of whoever sends a request.

        Raises:
            Refusal: 429 where they are too many; they are not counted.
        """
        if not self._most:
            return
        mark = self._mark(scope)
        if self._known[mark] + self._fresh[mark] + reports > self._most:
            raise Refusal(
                429,
                DomainError(
                    "reports",
                    f"must be at most {self._most} an hour from one address",
                    "send the same again after the seconds that Retry-After names",
                ),
                max(1, int(HOUR - self._clock() % HOUR)),
            )
        self._fresh[mark] += reports

    async def exchange(self, store: BaseStore) -> None:
        """Tell others what was counted, and learn what they did; take the key of the hour."""
        if not self._most:
            return
        hour, told = int(self._clock() // HOUR), self._fresh
        self._fresh = Counter()
        self._known.update(told)
        sent = dict(told) if hour == self._hour else {}
        try:
            key, totals = await asyncio.wrap_future(store.count_marks(hour, sent))
        except BaseException:
            self._known.subtract(told)
            self._fresh.update(told)
            raise
        if key != self._key or len(self._known) > MOST_MARKS:
            self._known.clear()
        if key != self._key:
            self._fresh.clear()
        self._key, self._hour = key, hour
        for mark, total in totals.items():
            self._known[mark] = total

    def _mark(self, scope: Scope) -> bytes:
        return hmac.digest(self._key, network(self._address(scope)), "sha256")[:16]

    def _address(self, scope: Scope) -> str:
        if self._header:
            told = [value for name, value in scope["headers"] if name == self._header]
            return told[-1].decode("latin-1").rpartition(",")[2].strip() if told else ""
        client = scope.get("client")
        return str(client[0]) if client else ""


def network(address: str) -> bytes:
    """Return what an address is counted under: itself, or its network of IPv6.

    Examples:
        >>> network("203.0.113.7") == network("::ffff:203.0.113.7")
        True
        >>> network("2001:db8::1") == network("2001:db8::2")
        True
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return b""
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return found.packed[: NETWORK_BITS // 8]
        found = found.ipv4_mapped
    return found.packed
