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
import logging
import re
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.types import Scope

from sudare.collector.request_headers import last_node
from sudare.errors import DomainError
from sudare.refusal import Refusal

if TYPE_CHECKING:
    from sudare.collector.store_interface import BaseStore

HOUR = 3_600
MOST_MARKS = 1 << 20
"""Addresses that are remembered; where more come, all begin anew."""
NETWORK_BITS = 64
"""Of an address of IPv6: a household has at least so large a network."""

_NODE = re.compile(
    r"\[(?P<six>[^\]]*)\](?::[\w.-]*)?|(?P<four>[0-9.]+)(?::[\w.-]*)?|(?P<bare>[0-9A-Fa-f:.]+(?:%.*)?)"
)
"""An address as proxies write it: of IPv6 in brackets where a port follows."""
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses of IPv4 behind a translator (RFC 6052): else one network for all of them."""

_log = logging.getLogger("sudare.collector")


class Limits:
    """Count what each address sends.

    Args:
        most: reports an hour and address; 0 for no limit.
        header: in which the proxy tells the address; nothing for that of the connection, which
            counts too where the header is absent or cannot be read.
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
        self._warned = False

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
        return hmac.digest(self._key, self._network(scope), "sha256")[:16]

    def wide_network(self, scope: Scope) -> bytes:
        """Return the network of the client: /24 of IPv4, /48 of IPv6.

        So much one customer of a provider of addresses has; nothing where no address is known.
        """
        address = self._network(scope)
        return address[:3] if len(address) == 4 else address[:6]

    def _network(self, scope: Scope) -> bytes:
        if self._header:
            lines = [
                value.decode("latin-1") for name, value in scope["headers"] if name == self._header
            ]
            if known := network(last_node(lines)):
                return known
            if not self._warned:  # once, and without the value: it may be somebody's address
                self._warned = True
                _log.warning(
                    "limit_header %s is absent or is no address: such requests are counted by the "
                    "address of their connection",
                    self._header.decode("latin-1"),
                )
        client = scope.get("client")
        return network(str(client[0])) if client else b""


def network(address: str) -> bytes:
    """Return what an address is counted under: itself, or its network of IPv6.

    Args:
        address: as proxies write it, perhaps with a port; what is none, as ``unknown``, is nothing.

    Examples:
        >>> network("203.0.113.7") == network("::ffff:203.0.113.7") == network("203.0.113.7:50123")
        True
        >>> network("2001:db8::1") == network("[2001:db8::2]:50123")
        True
        >>> network("unknown")
        b''
    """
    node = _NODE.fullmatch(address)
    try:
        found = ipaddress.ip_address((node[node.lastgroup or 0] if node else "").strip())
    except ValueError:
        return b""
    if isinstance(found, ipaddress.IPv6Address):
        four = found.ipv4_mapped
        if four is None and found in _TRANSLATED:
            four = ipaddress.IPv4Address(found.packed[-4:])
        if four is None:
            return found.packed[: NETWORK_BITS // 8]
        found = four
    return found.packed
