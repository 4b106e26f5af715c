"""The value of ``Host``: what no client that found this service can have meant is refused."""

from __future__ import annotations

import ipaddress
import re

MOST_NAME = 255
"""Bytes of a name in the system of names (RFC 1035)."""
MOST_PORT = 65_535

_HOST = re.compile(
    rb"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]*))(?::(?P<port>\d{0,5}))?"
)
_LABEL = re.compile(rb"[A-Za-z0-9_-]{1,63}")


def is_host(value: bytes) -> bool:
    """Tell whether a header's value may name a host: a name or an address, perhaps with a port.

    An empty one is right where a request's address has no host (RFC 9112).

    Examples:
        >>> [is_host(one) for one in (b"tea.example:8080", b"[::1]:80", b"", b"tea.example.")]
        [True, True, True, True]
        >>> [is_host(one) for one in (b"a b", b"a..b", b"[::1", b"tea:99999", b"me@tea", b":80")]
        [False, False, False, False, False, False]
    """
    match = _HOST.fullmatch(value)
    if match is None or int(match["port"] or 0) > MOST_PORT:
        return False
    if match["six"] is not None:
        try:
            return bool(ipaddress.IPv6Address(match["six"].decode()))
        except ValueError:
            return False
    name = match["name"]
    if len(name) > MOST_NAME:
        return False
    return not value or all(map(_LABEL.fullmatch, name.removesuffix(b".").split(b".")))
