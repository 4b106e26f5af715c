"""The endpoints that take reports, acknowledged only when on the disk, and look at invites."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

import msgspec
from starlette.types import Receive, Scope, Send

from sudare.collection import Collection
from sudare.collector.answers import respond
from sudare.collector.body import BodyReader
from sudare.collector.decoding import Decoder
from sudare.collector.invites import InviteError
from sudare.collector.lifecycle_table import NotTakenError
from sudare.collector.service import Service
from sudare.errors import CollectionError, ReportError
from sudare.refusal import Refusal

_ONE = b'{"accepted":1}'


class Intake:
    """``POST /api/v1/collections/{name}/reports``, ``.../reports/batch`` and ``.../admission``."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._reader = BodyReader()
        self._decoders = {one.fingerprint: Decoder(one) for one in service.collections.values()}

    async def single(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one report."""
        collection = self._open_collection(scope)
        decoder = self._decoder(collection)
        body = await self._reader.read(scope, receive, decoder.single_limit)
        report_id, payload, code = decoder.single(body)
        self._service.limits.take(scope)
        require_open(collection, self._service.clock)
        store, taker = self._service.store, self._taker(collection, decoder.round(body))
        try:
            await store.add_soon(taker.fingerprint, report_id, payload, code)
        except InviteError as error:
            raise _turned_away(error) from None
        except NotTakenError as error:
            raise Refusal(403, error) from None
        except ReportError as error:
            if code is not None:
                await self._tickets(collection, code)  # an invite that admits nobody comes first
            raise Refusal(400, error) from None
        await respond(send, 202, _ONE)

    async def batch(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a batch, as a whole or not at all."""
        collection = self._open_collection(scope)
        if collection.invited:
            raise Refusal(
                400,
                ReportError(
                    "reports",
                    "must come one by one to a collection that asks those invited",
                    "send each with its invite",
                ),
            )
        decoder = self._decoder(collection)
        fewer = "send fewer reports in one request"
        body = await self._reader.read(scope, receive, decoder.batch_limit, fewer)
        ids, payloads = await asyncio.to_thread(decoder.batch, body)
        self._service.limits.take(scope, len(ids) // 16)
        require_open(collection, self._service.clock)
        taker = self._taker(collection, decoder.round(body))
        try:
            await self._service.store.add_soon(taker.fingerprint, ids, payloads)
        except NotTakenError as error:
            raise Refusal(403, error) from None
        await respond(send, 202, b'{"accepted":%d}' % (len(ids) // 16))

    async def admission(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell what an unspent invite fixes; the same whenever it is asked. Nothing is stored."""
        collection = self._open_collection(scope)
        if not collection.invited:
            raise Refusal(
                400,
                CollectionError(
                    "admission", "is open: no invite is needed", "send the report without one"
                ),
            )
        decoder = self._decoder(collection)
        body = await self._reader.read(scope, receive, decoder.admission_limit)
        self._service.limits.take(scope)
        tickets = await self._tickets(collection, decoder.admission(body))
        await respond(send, 200, msgspec.json.encode({"tickets": tickets}))

    async def _tickets(self, collection: Collection, code: bytes) -> dict[str, int]:
        found = self._service.store.tickets(collection.fingerprint, code)
        try:
            return await asyncio.wrap_future(found)
        except InviteError as error:
            raise _turned_away(error) from None

    def _decoder(self, collection: Collection) -> Decoder:
        """Return what reads reports to a collection; one that was taken up has none yet."""
        found = self._decoders.get(collection.fingerprint)
        if found is None:
            found = self._decoders[collection.fingerprint] = Decoder(collection)
        return found

    def _taker(self, collection: Collection, number: int | None) -> Collection:
        """Return what keeps a report: the collection, or its round."""
        if number is None:
            return collection
        found = self._service.round(collection, number)
        require_open(found, self._service.clock)
        return found

    def _open_collection(self, scope: Scope) -> Collection:
        collection = self._service.find(scope["path_params"]["name"])
        require_open(collection, self._service.clock)
        return collection


def _turned_away(error: InviteError) -> Refusal:
    return Refusal(409 if error.spent else 404, error)


def require_open(collection: Collection, clock: Callable[[], datetime]) -> None:
    """Refuse outside the collection's window: before a body is read, and after.

    Raises:
        Refusal: 403.
    """
    try:
        collection.require_open(clock())
    except CollectionError as error:
        raise Refusal(403, error) from None
