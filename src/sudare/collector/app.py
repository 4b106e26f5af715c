"""The application: routes of the collector, and what happens at its start and end."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collection.upload import API
from sudare.collector.asgi_mount import own_path
from sudare.collector.cross_origin import CrossOrigin, preflight, shared
from sudare.collector.databases import await_start, examine, open_store
from sudare.collector.datasets import held_queries
from sudare.collector.exports import Exports
from sudare.collector.guard import Guard
from sudare.collector.intake import Intake
from sudare.collector.limits import Limits
from sudare.collector.listing import Lists
from sudare.collector.metrics import Metrics
from sudare.collector.operations import Operations
from sudare.collector.operator_api.api import OperatorAPI
from sudare.collector.operator_api.opening import begun, uploaded
from sudare.collector.operator_api.routes import (
    operations as desk_operations,
    page_routes as desk_routes,
)
from sudare.collector.pages import Pages, not_found
from sudare.collector.previous_versions import check_names, load_survey
from sudare.collector.queries import QueryApi
from sudare.collector.results import Results
from sudare.collector.routes import (
    BEFORE,
    export_operation,
    intake_operations,
    page_routes,
    public_operations,
    query_operations,
    routes_of,
    running_operations,
)
from sudare.collector.service import Service
from sudare.collector.settings import Settings
from sudare.collector.webhooks import Webhooks
from sudare.errors import DomainError, WrongTypeError
from sudare.refusal import Refusal
from sudare.release.api import Queries


def create_app(
    collections: Iterable[Collection] | None = None,
    database: str | os.PathLike[str] | None = None,
    *,
    queries: Queries | None = None,
    clock: Callable[[], datetime] = utc_now,
    settings: Settings | str | os.PathLike[str] | None = None,
) -> Collector:
    """Return the collector as an ASGI application, to be served or mounted.

    Args:
        collections: what is served; each under its name. None: what the settings name.
        database: the SQLite file, created where there is none, or a ``postgresql://`` address. It
            is opened, checked and closed here, so that a wrong one is refused at once, and held
            open while the application runs (its lifespan): a file by one process at a time.
        queries: held data sets that are asked under ``/api/v1/datasets``; they need no collection
            beside them.
        clock: returns an aware datetime; tells whether a collection is open.
        settings: everything else, and what is left out here: settings, or the file that has them.
            Where collections or database are left out, variables such as ``SUDARE_DATABASE`` are
            looked at too (see :class:`~sudare.collector.settings.Settings`).

    Raises:
        CollectionError: no collection, or two of one name.
        DomainError: a setting is wrong, or unknown.
        WrongTypeError, DomainError: no such queries, or a data set and a collection of one name.
        DomainError: the clock's times have no time zone.
        StorageError: the database cannot be used, or is of a newer version.
    """
    told = _settings(settings, variables=collections is None or database is None)
    held = contextlib.ExitStack()
    if database is None:
        database = told.database
    await_start(database, told.ledger)
    if collections is None:
        collections = [load_survey(path, database) for path in told.surveys]
        queries = queries if queries is not None else held_queries(told, held)
    if queries is not None and not isinstance(queries, Queries):
        raise WrongTypeError("queries", "must be Queries", "such as Queries([definition], ledger)")
    examine(database, ())  # before operators' tables are looked for, which waits longer
    known = begun(database) if told.operators else None
    service = Service(
        collections,
        clock,
        empty_ok=queries is not None or known is not None or bool(told.oidc_issuer),
        limits=Limits(told.limit, told.limit_header),
    )
    check_names(service.collections.values(), database)
    files = dict.fromkeys(service.collections, "")
    if len(told.surveys) == len(files):  # these are those files, in their order
        files = {name: Path(path).name for name, path in zip(files, told.surveys, strict=True)}
    held_names = queries.names if queries else ()
    for one in uploaded(known.served, files) if known is not None else ():
        service.collections[one.name] = one
    for name in held_names:
        if name in service.collections:
            raise DomainError("queries", "must not be named as a collection", got=name)
    examine(database, service.collections.values())

    results, metrics = Results(service), Metrics()
    pages = Pages(service.find, service.find_results, service.ended)
    intake = Intake(service)
    operations = Operations(service, pages, metrics if told.metrics else None)
    desk = None
    if told.operators:
        desk = OperatorAPI(
            service,
            results,
            database,
            told,
            files=files,
            taken=frozenset(held_names),
            queries=queries,
        )
    webhooks = Webhooks.of(told, database, results.public)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        with held:
            anchor = told.anchor or None
            await service.open(open_store(database, service.collections.values(), clock, anchor))
            beside = [
                asyncio.create_task(service.watch()),
                asyncio.create_task(results.keep_fresh()),
                asyncio.create_task(webhooks.run(service.shown)),
            ]
            try:
                if desk is not None:
                    await desk.open()
                    beside.append(asyncio.create_task(desk.watch()))
                yield
            finally:
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)
                if desk is not None:
                    await desk.close()
                service.close()

    app = Collector(
        intake,
        metrics,
        CrossOrigin(service),
        routes=[
            *routes_of(
                [
                    *intake_operations(intake),
                    *public_operations(Lists(service), results),
                    export_operation(Exports(service, results)),
                    *query_operations(QueryApi(service, results, queries)),
                    *(desk_operations(desk) if desk is not None else ()),
                    *running_operations(operations),
                ]
            ),
            *(desk_routes(desk) if desk is not None else ()),
            *page_routes(pages),
        ],
        exception_handlers={HTTPException: _refuse},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


def _settings(given: Settings | str | os.PathLike[str] | None, *, variables: bool) -> Settings:
    if isinstance(given, Settings):
        return given
    if variables:
        return Settings.gather(file=given)
    return Settings() if given is None else Settings.load(given)


class Collector(Starlette):
    """The application; what respondents send takes a shorter way to the same endpoints.

    Args:
        intake: the endpoints that respondents send to.
        metrics: count what is answered.
        sharing: which other sites' scripts may ask.
        named: as Starlette's.
    """

    def __init__(
        self, intake: Intake, metrics: Metrics, sharing: CrossOrigin, **named: Any
    ) -> None:
        super().__init__(
            middleware=[Middleware(Guard, answered=metrics.answered)],
            **named,
        )
        self.metrics = metrics
        self._sharing = sharing
        self._preflight = Guard(preflight, metrics.answered)
        self._posts: dict[str, ASGIApp] = {
            "reports": Guard(intake.single, metrics.answered),
            "reports/batch": Guard(intake.batch, metrics.answered),
            "admission": Guard(intake.admission, metrics.answered),
        }

    def lifespan(self, app: object = None) -> AbstractAsyncContextManager[Any]:
        """Return what opens the store and closes it: the lifespan of an application around this.

        A server runs it for an application of its own. Starlette, FastAPI and Django do not run it
        for one that they mount: hand it over, as in ``FastAPI(lifespan=survey.lifespan)``.

        Args:
            app: the application around this one; it does not matter.
        """
        return self.router.lifespan_context(self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            api, _, place = own_path(scope).partition("/collections/")
            if place and api in (API, BEFORE):
                name, _, rest = place.partition("/")
                if (origin := self._sharing.origin(scope, name)) is not None:
                    send = shared(send, origin)
                    if scope["method"] == "OPTIONS":
                        await self._preflight(scope, receive, send)
                        return
                if scope["method"] == "POST" and (endpoint := self._posts.get(rest)) is not None:
                    scope["path_params"] = {"name": name}
                    await endpoint(scope, receive, send)
                    return
        await super().__call__(scope, receive, send)


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
