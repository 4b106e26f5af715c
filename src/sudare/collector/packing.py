"""Public bodies with a tag, and by gzip: each is compressed once and kept while it is told.

A page of results asks every few seconds: of what it has already it gets nothing, else a tenth.
Compressed are answers that are the same for everybody. How long an answer is by gzip tells what it
holds to who can add text to it; answers to operators may hold tokens, and stay as they are.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections import OrderedDict
from dataclasses import dataclass

from starlette.types import Scope, Send

from sudare.collector.answers import JSON, respond
from sudare.collector.assets import SMALL, matches, takes_gzip
from sudare.refusal import Headers

LARGE = 1 << 16
"""Bytes from which a body is compressed in a thread: below, that takes about a millisecond."""

_ROOM = 1 << 27  # bytes of the bodies that are kept
_LEVEL = 4  # of gzip: 18 MB in .3 s, a tenth larger than the usual 9 in ten times as long


@dataclass(frozen=True, slots=True)
class Packed:
    """A body by gzip where that is worth it, and the tag of what it says."""

    body: bytes | None
    tag: bytes

    @classmethod
    def of(cls, body: bytes) -> Packed:
        """Compress a body; the tag is of its bytes alone, so that it outlives a process."""
        tag = hashlib.sha256(body).hexdigest()[:32].encode()
        packed = gzip.compress(body, _LEVEL, mtime=0) if len(body) >= SMALL else body
        return cls(packed if len(packed) < 0.9 * len(body) else None, tag)


class Packing:
    """The last bodies, and each one's compression."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, asyncio.Future[Packed]] = OrderedDict()
        self._size = 0

    async def respond(self, scope: Scope, send: Send, body: bytes, headers: Headers = JSON) -> None:
        """Send what everybody may have, compressed where it is large and the client takes that.

        A client that names the tag of what it has is told that it has it (304).
        """
        asked = dict(scope["headers"])
        packed = await self._of(body)
        tag = b'"%s"' % packed.tag
        if packed.body is not None:
            headers = (*headers, (b"vary", b"accept-encoding"))
            if takes_gzip(asked.get(b"accept-encoding", b"")):
                body, tag = packed.body, b'"%s-gzip"' % packed.tag
                headers = (*headers, (b"content-encoding", b"gzip"))
        headers = (*headers, (b"etag", tag))
        if matches(asked.get(b"if-none-match", b""), tag):
            of_body = (b"content-type", b"content-encoding", b"content-disposition")
            told = [one for one in headers if one[0] not in of_body]
            await send({"type": "http.response.start", "status": 304, "headers": told})
            await send({"type": "http.response.body", "body": b""})
            return
        await respond(send, 200, body, headers)

    async def _of(self, body: bytes) -> Packed:
        task = self._kept.get(body)
        if task is None:
            task = self._kept[body] = asyncio.ensure_future(_packed(body))
            self._size += len(body)
            while self._size > _ROOM and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[0])
        self._kept.move_to_end(body)
        return await asyncio.shield(task)


async def _packed(body: bytes) -> Packed:
    return Packed.of(body) if len(body) < LARGE else await asyncio.to_thread(Packed.of, body)
