"""The application: routes of the collector, and what happens at its start and end."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collector.answers import respond
from sudare.collector.guard import Guard
from sudare.collector.intake import Intake
from sudare.collector.pages import Pages, not_found
from sudare.collector.queries import QueryApi
from sudare.collector.results import Results
from sudare.collector.service import Service
from sudare.collector.store import Store, StoreUnavailable
from sudare.errors import DomainError, WrongTypeError
from sudare.refusal import Refusal
from sudare.release.api import Queries


def create_app(
    collections: Iterable[Collection],
    database: str | os.PathLike[str],
    *,
    queries: Queries | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Starlette:
    """Return the collector as an ASGI application.

    Args:
        collections: what is served; each under its name.
        database: the SQLite file, created where there is none. It is opened, checked and closed
            here, so that a wrong file is refused at once, and held open while the application
            runs (its lifespan). One process at a time should serve a file.
        queries: held data sets that are asked under ``/datasets``; they need no collection beside
            them.
        clock: returns an aware datetime; tells whether a collection is open.

    Raises:
        CollectionError: no collection, or two of one name.
        WrongTypeError, DomainError: no such queries, or a data set and a collection of one name.
        DomainError: the clock's times have no time zone.
        StorageError: the database cannot be used, or is of a newer version.
    """
    if queries is not None and not isinstance(queries, Queries):
        raise WrongTypeError("queries", "must be Queries", "such as Queries([definition], ledger)")
    service = Service(collections, clock, empty_ok=queries is not None)
    for name in queries.names if queries is not None else ():
        if name in service.collections:
            raise DomainError("queries", "must not be named as a collection", got=name)
    Store(database, service.collections.values()).close()

    results = Results(service)
    api = QueryApi(service, results, queries)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.open(Store(database, service.collections.values()))
        try:
            yield
        finally:
            service.close()

    app = Starlette(
        routes=_routes(service, results, api),
        middleware=[Middleware(Guard)],
        exception_handlers={HTTPException: _refuse},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


def _routes(service: Service, results: Results, queries: QueryApi) -> list[Route]:
    intake, pages = Intake(service), Pages(service)
    api = "/api/collections"
    return [
        _route(f"{api}/{{name}}/reports", intake.single, "POST"),
        _route(f"{api}/{{name}}/reports/batch", intake.batch, "POST"),
        _route(f"{api}/{{name}}/admission", intake.admission, "POST"),
        _route(f"{api}/{{name}}/results", results.results),
        _route(f"{api}/{{name}}/counts", results.counts),
        _route(f"{api}/{{name}}", partial(_compiled, service)),
        _route(api, partial(_list, service)),
        _route("/openapi.json", queries.description),
        _route("/datasets", queries.list),
        _route("/datasets/{id}", queries.describe),
        _route("/datasets/{id}/queries", queries.query, "POST"),
        _route("/health", partial(_health, service)),
        _route("/static/{path:path}", pages.static),
        _route("/", pages.index),
        _route("/{name}/results", pages.results),
        _route("/{name}", pages.survey),
    ]


class _Endpoint:
    """An ASGI application that a route takes as it is, without a request object around it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _route(path: str, endpoint: ASGIApp, method: str = "GET") -> Route:
    return Route(path, _Endpoint(endpoint), methods=[method])


async def _list(service: Service, scope: Scope, receive: Receive, send: Send) -> None:
    body = {
        "collections": [
            {
                "name": collection.name,
                "fingerprint": collection.fingerprint,
                "survey": f"/{collection.name}",
                "results": f"/{collection.name}/results",
            }
            for collection in service.collections.values()
        ]
    }
    await respond(send, 200, msgspec.json.encode(body))


async def _compiled(service: Service, scope: Scope, receive: Receive, send: Send) -> None:
    collection = service.find(scope["path_params"]["name"])
    await respond(send, 200, msgspec.json.encode(collection.compiled()))


async def _health(service: Service, scope: Scope, receive: Receive, send: Send) -> None:
    if not service.store.alive:
        raise StoreUnavailable("is closed")
    await respond(send, 200, b'{"status":"ok"}')


async def _refuse(request: Request, error: Any) -> Response:
    """Turn the router's own refusals (404, 405) into typed JSON."""
    if error.status_code == 404:
        raise not_found()
    allowed = (error.headers or {}).get("Allow", "")
    raise Refusal(
        error.status_code,
        DomainError("method", "is not offered at this address", "see the Allow header"),
        headers=((b"allow", allowed.encode()),) if allowed else (),
    )
