"""Headers of requests that are read by their grammar: ``Host``, and who asked, as proxies write it.

A client can write the beginning of ``Forwarded`` (RFC 7239) itself, quotes included. A value that
breaks the grammar is therefore ignored as a whole: nothing in it is guessed.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

MOST_NAME = 255
"""Bytes of a name in the system of names (RFC 1035)."""
MOST_PORT = 65_535

_HOST = re.compile(
    rb"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]*))(?::(?P<port>\d{0,5}))?"
)
# an underscore is in no name of a host by RFC 1123, and in those of many containers
_LABEL = re.compile(rb"[A-Za-z0-9_-]{1,63}")
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PAIR = re.compile(rf"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*({_QUOTED}|[^\s\",;]+)", re.DOTALL)
_SPLIT = {
    mark: re.compile(rf'((?:{_QUOTED}|[^"{mark}])*)({mark}|$)', re.DOTALL) for mark in (",", ";")
}


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


def last_node(lines: Sequence[str]) -> str:
    """Return what the nearest proxy says of who asked; nothing where it cannot be read.

    Args:
        lines: the values of all headers of that name, in their order.

    Examples:
        >>> last_node(['for=192.0.2.60;proto=http, for="[2001:db8::1]:4711"'])
        '[2001:db8::1]:4711'
        >>> last_node(["203.0.113.7", "198.51.100.1:80, "])
        '198.51.100.1:80'
        >>> last_node(['for=198.51.100.1;by="a, b; for=203.0.113.7"'])
        '198.51.100.1'
        >>> last_node(['for="198.51.100.1, for=203.0.113.7'])
        ''
    """
    # the nearest proxy writes the last element: all before it may be the sender's own words
    for line in reversed(lines):
        elements = _split(line, ",") or [""]
        if elements == [""] and line.strip():
            return ""
        for element in reversed(elements):
            if element:
                return node_of(element)
    return ""


def node_of(element: str) -> str:
    """Return the address, with its port, of an element of ``Forwarded`` or of a plain list."""
    if "=" not in element:
        return _unquoted(element)
    pairs = [_PAIR.fullmatch(part) for part in _split(element, ";") if part]
    named = {pair[1].lower(): pair[2] for pair in pairs if pair is not None}
    return _unquoted(named.get("for", "")) if len(named) == len(pairs) else ""  # none twice


def _split(text: str, mark: str) -> list[str]:
    """Return the parts of a text between marks outside quotes; none where a quote has no end."""
    parts, place = [], 0
    while match := _SPLIT[mark].match(text, place):
        parts.append(match[1].strip(" \t"))
        place = match.end()
        if not match[2]:
            return parts
    return []


def _unquoted(value: str) -> str:
    if re.fullmatch(_QUOTED, value, re.DOTALL) is None:
        return value
    return re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
