"""What is asked here: the list of the collections, and each as it is compiled for devices."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.types import Receive, Scope, Send

from sudare.collection import Collection
from sudare.collection.schema import moment_text
from sudare.collector.asgi_mount import mount_of
from sudare.collector.packing import Packing
from sudare.collector.results import version_of
from sudare.collector.service import Service


class Listed(msgspec.Struct, frozen=True):
    """A collection that everybody may see, and where its pages are."""

    name: str
    fingerprint: str
    survey: str
    results: str
    languages: tuple[str, ...]
    title: dict[str, str]
    opens: str | None
    closes: str | None
    closed: bool

    @classmethod
    def of(cls, collection: Collection, root: str) -> Listed:
        """Return what is listed of a collection, where the service is mounted under a path."""
        return cls(
            collection.name,
            collection.fingerprint,
            f"{root}/{collection.name}",
            f"{root}/{collection.name}/results",
            tuple(collection.languages),
            dict(collection.title),
            moment_text(collection.opens),
            moment_text(collection.closes),
            collection.life.closed,
        )


class Listing(msgspec.Struct, frozen=True):
    """All collections that everybody may see."""

    collections: list[Listed]


class Lists:
    """``GET /api/v1/collections`` and ``/api/v1/collections/{name}`` as ASGI applications."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._packing = Packing()
        self._bodies: dict[str, tuple[Collection, bytes]] = {}

    async def all(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the list."""
        listing = Listing([Listed.of(one, mount_of(scope)) for one in self._service.listed()])
        await self._packing.respond(scope, send, msgspec.json.encode(listing))

    async def compiled(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a collection as devices take it."""
        name, version = scope["path_params"]["name"], version_of(scope["query_string"])
        collection = self._service.find(name, version)
        await self._packing.respond(scope, send, await self._body(collection))

    async def _body(self, collection: Collection) -> bytes:
        """Return a collection as JSON; that of one that is served is made once."""
        kept, body = self._bodies.get(collection.name, (None, b""))
        if kept is not collection:
            body = await asyncio.to_thread(lambda: msgspec.json.encode(collection.compiled()))
            if self._service.collections.get(collection.name) is collection:
                self._bodies[collection.name] = collection, body
        return body
