"""The two endpoints that take reports: one, and a batch. Acknowledged only when on the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

from starlette.types import Receive, Scope, Send

from sudare.collection import Collection
from sudare.collector.body import BodyReader
from sudare.collector.decoding import Decoder
from sudare.collector.problems import Problem, respond
from sudare.collector.service import Service
from sudare.errors import CollectionError

_ONE = b'{"accepted":1}'


class Intake:
    """``POST /api/collections/{name}/reports`` and ``.../reports/batch`` as ASGI applications."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._reader = BodyReader()
        self._decoders = {
            collection.name: Decoder(collection) for collection in service.collections.values()
        }

    async def single(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one report."""
        collection = self._open_collection(scope)
        decoder = self._decoders[collection.name]
        body = await self._reader.read(scope, receive, decoder.single_limit)
        report_id, payload = decoder.single(body)
        require_open(collection, self._service.clock)
        await self._service.store.add_soon(collection.fingerprint, report_id, payload)
        await respond(send, 202, _ONE)

    async def batch(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a batch, as a whole or not at all."""
        collection = self._open_collection(scope)
        decoder = self._decoders[collection.name]
        body = await self._reader.read(scope, receive, decoder.batch_limit)
        ids, payloads = await asyncio.to_thread(decoder.batch, body)
        require_open(collection, self._service.clock)
        await self._service.store.add_soon(collection.fingerprint, ids, payloads)
        await respond(send, 202, b'{"accepted":%d}' % (len(ids) // 16))

    def _open_collection(self, scope: Scope) -> Collection:
        collection = self._service.find(scope["path_params"]["name"])
        require_open(collection, self._service.clock)
        return collection


def require_open(collection: Collection, clock: Callable[[], datetime]) -> None:
    """Refuse outside the collection's window: before a body is read, and after.

    Raises:
        Problem: 403.
    """
    try:
        collection.require_open(clock())
    except CollectionError as error:
        raise Problem(403, error) from None
