"""What an invite fixes, by a keyed hash: nobody can draw again, or know it without the collector.

::

    mark(code)      = HMAC-SHA-256(key, "mark" 0 code), its first 16 bytes
    index(q, code)  = uniform on 0..d - 1 from the words of block 0, 1, ... where
    block i         = HMAC-SHA-256(key, "index" 0 q 0 code i)

The mark is all that the file keeps of a code. An index is exactly uniform: 32-bit words are
rejected, as a device does (:func:`sudare.exact.uniform.uniform_one`), never reduced by a modulo.
"""

from __future__ import annotations

import hmac

from sudare.collection import Collection
from sudare.collection.tickets import picks
from sudare.errors import ReportError
from sudare.exact.uniform import uniform_one

KEY_BYTES = 32
MARK_BYTES = 16


class TicketOffice:
    """The marks and the tickets of one collection's invites.

    Args:
        collection: what is collected.
        key: 32 random bytes that never leave the collector's file.
    """

    def __init__(self, collection: Collection, key: bytes) -> None:
        self._key = key
        self._picks = picks(collection)

    def mark(self, code: bytes) -> bytes:
        """Return what the file keeps of a code."""
        return hmac.digest(self._key, b"mark\0" + code, "sha256")[:MARK_BYTES]

    def tickets(self, code: bytes) -> dict[str, int]:
        """Return the index of each question that picks one of its parts."""
        return {
            name: uniform_one(
                len(program.parts), _Stream(self._key, b"index\0%b\0%b" % (name.encode(), code))
            )
            for name, program, _ in self._picks
        }

    def check(self, code: bytes, payload: bytes) -> None:
        """Raise ReportError unless a checked submission is about what the invite fixes."""
        named = {name: program.index_of(payload[at:]) for name, program, at in self._picks}
        if named != self.tickets(code):
            raise ReportError(
                "report", "must be about what its invite fixes", "ask for the tickets, then answer"
            )


class _Stream:
    """The bytes of a keyed hash in counter mode."""

    def __init__(self, key: bytes, label: bytes) -> None:
        self._key, self._label = key, label
        self._next = 0
        self._ready = b""

    def take(self, n: int) -> bytes:
        """Return the next n bytes."""
        while len(self._ready) < n:
            counter = self._next.to_bytes(4, "big")
            self._ready += hmac.digest(self._key, self._label + counter, "sha256")
            self._next += 1
        out, self._ready = self._ready[:n], self._ready[n:]
        return out
