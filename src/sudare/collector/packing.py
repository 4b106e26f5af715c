"""Large bodies by gzip, with a tag: each is compressed once and kept while it is told.

The definition of 100,000 choices is 10 MB, its results are 18 MB, and a page asks for those every
two seconds: it gets a tenth of the first, and of what it has already nothing.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections import OrderedDict
from dataclasses import dataclass

from starlette.types import Scope, Send

from sudare.collector.answers import JSON, respond
from sudare.collector.assets import matches, takes_gzip

LARGE = 1 << 16
"""Bytes from which a body is compressed: below, that takes longer than sending it."""

_KEPT = 8
_LEVEL = 4  # of gzip: 18 MB in .3 s, a tenth larger than the usual 9 in ten times as long


@dataclass(frozen=True, slots=True)
class Packed:
    """A body by gzip, and the tag of what it says."""

    body: bytes
    tag: bytes

    @classmethod
    def of(cls, body: bytes) -> Packed:
        """Compress a body."""
        tag = hashlib.sha256(body).hexdigest()[:32].encode()
        return cls(gzip.compress(body, _LEVEL, mtime=0), b'"%s"' % tag)


class Packing:
    """The last few large bodies, and each one's compression, which is done in a thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, asyncio.Task[Packed]] = OrderedDict()

    async def respond(self, scope: Scope, send: Send, body: bytes) -> None:
        """Send JSON, compressed where it is large and the client takes that.

        A client that names the tag of what it has is told that it has it (304).
        """
        asked = dict(scope["headers"])
        if len(body) < LARGE or not takes_gzip(asked.get(b"accept-encoding", b"")):
            await respond(send, 200, body)
            return
        packed = await self._of(body)
        told = (*JSON[1:], (b"vary", b"accept-encoding"), (b"etag", packed.tag))
        if matches(asked.get(b"if-none-match", b""), packed.tag):
            await send({"type": "http.response.start", "status": 304, "headers": told})
            await send({"type": "http.response.body", "body": b""})
            return
        headers = (*told, JSON[0], (b"content-encoding", b"gzip"))
        await respond(send, 200, packed.body, headers)

    async def _of(self, body: bytes) -> Packed:
        task = self._kept.get(body)
        if task is None:
            task = self._kept[body] = asyncio.create_task(asyncio.to_thread(Packed.of, body))
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(body)
        return await asyncio.shield(task)
