"""The query API on the wire: held data sets for a budget, collections for nothing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec
from starlette.types import Receive, Scope, Send

from sudare.collection import Collection
from sudare.collector.answers import respond
from sudare.collector.body import BodyReader
from sudare.collector.results import Results, pairs_of
from sudare.collector.service import Service
from sudare.errors import DomainError
from sudare.refusal import Refusal, unavailable
from sudare.release.api.answers import FREE, Description, Estimated, Summaries, Summary
from sudare.release.api.requests import Estimate, decode
from sudare.release.api.service import MOST_BYTES, Queries, not_found, unauthorised

T = TypeVar("T")
_ROWS = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
THREADS = 4
WAITING = 32
"""Queries that may wait for a thread or for the ledger."""


class QueryApi:
    """``/api/v1/datasets``, ``.../{id}`` and ``.../{id}/queries``.

    Args:
        service: the collections; results: their estimates.
        queries: held data sets, or None where there are none.
    """

    def __init__(self, service: Service, results: Results, queries: Queries | None) -> None:
        self._service, self._results, self._queries = service, results, queries
        self._reader = BodyReader()
        self._threads = ThreadPoolExecutor(THREADS, "sudare-queries")
        self._waiting = 0

    async def list(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve what can be asked."""
        given = header(scope, b"authorization")
        held = []
        if self._queries is not None:
            queries = self._queries
            held = await self._apart(lambda: queries.list(given))
        free = [Summary(c.name, title(c), "collection") for c in self._service.listed()]
        await respond(send, 200, msgspec.json.encode(Summaries([*held, *free])))

    async def describe(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve what is public about a data set or a collection."""
        name, given = scope["path_params"]["id"], header(scope, b"authorization")
        collection = self._free(name)
        if collection is not None:
            body = Description(
                name,
                title(collection),
                "collection",
                f"each respondent: see /api/v1/collections/{name}",
                None,
                [],
                [],
            )
        else:
            queries = self._held()
            body = await self._apart(lambda: queries.describe(given, name))
        await respond(send, 200, msgspec.json.encode(body))

    async def query(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a query."""
        name, given = scope["path_params"]["id"], header(scope, b"authorization")
        collection = self._free(name)
        if collection is not None:
            body = await self._reader.read(scope, receive, MOST_BYTES)
            await respond(send, 200, await self._estimate(collection, body))
            return
        queries = self._held()
        token = await self._apart(lambda: queries.admit(given, name))
        body = await self._reader.read(scope, receive, MOST_BYTES)
        key = header(scope, b"idempotency-key")
        answer = await self._apart(lambda: queries.answer(token, name, body, key))
        await respond(send, 200, msgspec.json.encode(answer))

    async def dry_run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell what a query would be charged."""
        name, given = scope["path_params"]["id"], header(scope, b"authorization")
        queries = self._held()
        token = await self._apart(lambda: queries.admit(given, name))
        rows = rows_of(scope["query_string"])
        body = await self._reader.read(scope, receive, MOST_BYTES)
        key = header(scope, b"idempotency-key")
        told = await self._apart(lambda: queries.dry_run(token, name, body, key, rows))
        await respond(send, 200, msgspec.json.encode(told))

    async def dummy(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve made-up rows."""
        name, given = scope["path_params"]["id"], header(scope, b"authorization")
        if given is None:
            raise unauthorised()
        queries, rows = self._held(), rows_of(scope["query_string"])
        made = await self._apart(lambda: queries.dummy(given, name, rows))
        await respond(send, 200, msgspec.json.encode(made))

    def _free(self, name: str) -> Collection | None:
        """Return a collection whose results everybody may see; None where it is held data."""
        return self._service.find_results(name) if name in self._service.collections else None

    async def _estimate(self, collection: Collection, body: bytes) -> bytes:
        query = decode(body)
        if not isinstance(query, Estimate):
            raise Refusal(
                400,
                DomainError("query", "of a collection must be estimate", "it holds reports alone"),
            )
        results = await self._results.body(collection, query.target, query.confidence)
        free = Estimated(collection.name, "0.0", FREE, msgspec.Raw(results))
        return msgspec.json.encode(free)

    def _held(self) -> Queries:
        if self._queries is None:
            raise not_found()
        return self._queries

    async def _apart(self, work: Callable[[], T]) -> T:
        """Work in a thread: a query waits for the ledger, and reports must not wait for it."""
        if self._waiting == WAITING:
            raise unavailable(DomainError("queries", "are too many at once", "ask again later"))
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1


def rows_of(query: bytes) -> int | None:
    """Return the number of rows that a query string names.

    Raises:
        Refusal: 400 for anything else.
    """
    given = pairs_of(query, ("rows",)).get("rows")
    if given is None:
        return None
    if not _ROWS.fullmatch(given):
        raise Refusal(400, DomainError("rows", "must be a whole number >= 1", "such as rows=1000"))
    return int(given)


def title(collection: Collection) -> str:
    """Return a collection's title in its first language."""
    return collection.title.get(collection.languages[0], collection.name)


def header(scope: Scope, wanted: bytes) -> str | None:
    """Return a header, if there is one."""
    given = [value for name, value in scope["headers"] if name == wanted]
    return given[0].decode("latin-1") if given else None
