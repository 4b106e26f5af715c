"""Who asked, as proxies write it: ``Forwarded`` (RFC 7239), and headers of addresses.

Whoever sends a request may write the beginning of such a header, quotes too. What is not of its
grammar therefore says nothing at all: nothing in it is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PAIR = re.compile(rf"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*({_QUOTED}|[^\s\",;]+)", re.DOTALL)
_SPLIT = {
    mark: re.compile(rf'((?:{_QUOTED}|[^"{mark}])*)({mark}|$)', re.DOTALL) for mark in (",", ";")
}


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
    for line in reversed(lines):
        elements = _split(line, ",") or [""]
        if elements == [""] and line.strip():
            return ""
        for element in reversed(elements):
            if element:
                return node_of(element)
    return ""


def node_of(element: str) -> str:
    """Return the address, with its port, of an element of ``Forwarded``, or that stands alone."""
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
