"""The addresses of the service: each has what answers there, and what is said of it.

The routes and the one OpenAPI document are both made of these operations: none can be without a
description. Pages for people are routes alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sudare.collection.upload import API
from sudare.collector.asgi_mount import way_up
from sudare.collector.decoding import AdmissionRequest, Batch, InvitedReport, SingleReport
from sudare.collector.exports import FORMATS, WHAT, Exports
from sudare.collector.intake import Intake
from sudare.collector.listing import Listing, Lists
from sudare.collector.operations import Operations
from sudare.collector.packing import Packing
from sudare.collector.pages import Pages
from sudare.collector.queries import QueryApi
from sudare.collector.results import DECIMAL, Results, Versions
from sudare.openapi import Described, document, parameter
from sudare.release.api.openapi import described as queries_described

ONE = f"{API}/collections/{{name}}"
BEFORE = "/api"
"""What addresses of 0.1 begin with in the place of :data:`~sudare.collection.upload.API`."""

_ABOUT = (
    "Surveys whose answers are randomised on the respondents' devices: what is asked, the intake "
    "of reports, results and exports; and queries to held data. Clients of 0.1 know the same "
    "operations on collections under /api/collections, those on data sets under /datasets."
)


@dataclass(frozen=True)
class Operation:
    """An operation: what is said of it, and what answers.

    Attributes:
        described: method, address, what it takes and answers.
        endpoint: the ASGI application.
        before: the prefix of its address in 0.1; None for one that is newer.
    """

    described: Described
    endpoint: ASGIApp
    before: str | None = None

    def routes(self) -> list[Route]:
        """Return its route, and that of 0.1 where there is one."""
        path, method = self.described.path, self.described.method
        paths = [path] if self.before is None else [path, self.before + path.removeprefix(API)]
        return [route(one, self.endpoint, method) for one in paths]


class _Endpoint:
    """An ASGI application that a route takes as it is, without a request object around it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def route(path: str, endpoint: ASGIApp, method: str = "GET") -> Route:
    """Return the route of an ASGI application."""
    return Route(path, _Endpoint(endpoint), methods=[method])


def routes_of(operations: Iterable[Operation]) -> list[Route]:
    """Return the routes of operations, and of the document that describes them."""
    every = [*operations, _openapi(told := _Document())]
    about = [one.described for one in every]
    told.document = document(about, title="Sudare", text=_ABOUT)
    return [each for one in every for each in one.routes()]


class _Document:
    """The document, once it is written: it describes itself too.

    Its paths begin where the application does, which is told from where the document is: under a
    mount, and behind a proxy that takes a prefix off, this is not the host's root.
    """

    def __init__(self) -> None:
        self.document: dict[str, Any] = {}
        self._bodies: dict[str, bytes] = {}
        self._packing = Packing()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        root = way_up(scope)
        if root not in self._bodies:  # one for each of its two addresses
            told = {**self.document, "servers": [{"url": root}]}
            self._bodies[root] = msgspec.json.encode(told)
        await self._packing.respond(scope, send, self._bodies[root])


def _object(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has all of these."""
    return {"type": "object", "required": list(properties), "properties": properties}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT, _WHOLE = {"type": "string"}, {"type": "integer", "minimum": 0}
_NUMBER, _MAYBE = {"type": "number"}, {"type": ["integer", "null"], "minimum": 0}
_ANY = {"type": "object", "additionalProperties": True}
_MOMENT = {"type": ["string", "null"], "description": "UTC, such as 2026-11-30T15:00:00Z."}
_OK = _object(status={"const": "ok"})
_OPENAPI = _object(openapi=_TEXT, info=_ANY, paths=_ANY, components=_ANY)
_COMPILED = _object(format=_TEXT, fingerprint=_TEXT, definition=_ANY, texts=_ANY)
_COUNTS = _object(n=_WHOLE, questions=_ANY)
_QUESTION = _object(
    id=_TEXT,
    type=_TEXT,
    mechanism=_ANY,
    covers=_TEXT,
    n=_WHOLE,
    least_answers={"type": "integer", "minimum": 1},
    alarms=_ANY,
)
RESULTS = _object(
    name=_TEXT,
    fingerprint=_TEXT,
    n=_WHOLE,
    publication=_object(
        when={"enum": ["end", "steps"]},
        at=_MAYBE,
        every=_MAYBE,
        least=_MAYBE,
        next=_MAYBE,
        last={"type": "boolean"},
        tally={"type": ["object", "null"], "additionalProperties": True},
    ),
    epsilon=_TEXT,
    opens=_MOMENT,
    closes=_MOMENT,
    invites={"type": ["object", "null"], "additionalProperties": {"type": "integer"}},
    target=_TEXT,
    confidence={"type": "number"},
    cautions=_list(_ANY),
    covers=_TEXT,
    questions=_list(_QUESTION),
)

RECORDS = _list(_ANY)
"""Of a file that is exported: a row of a table each."""

TARGET = parameter("target", {"enum": ["population", "respondents"]}, "Whom the figures are about.")
CONFIDENCE = parameter(
    "confidence",
    {"type": "string", "pattern": f"^{DECIMAL}$"},
    "Of the intervals: 0.95 if left out.",
)
VERSION = parameter(
    "version",
    {"type": "string", "pattern": "^([0-9a-f]{16}|[0-9a-f]{64})?$"},
    "The first 16 digits of a version's fingerprint, or all; the one that is served if left out.",
)
_TOLD = (400, 403, 404, 410, 503)
_TAKEN = (400, 403, 404, 408, 409, 410, 413, 415, 429, 503)


def _openapi(told: _Document) -> Operation:
    about = Described(
        name="openapi",
        summary="This description of all operations.",
        tag="running",
        path=f"{API}/openapi.json",
        answer=_OPENAPI,
    )
    return Operation(about, told.serve, "")


def intake_operations(intake: Intake) -> list[Operation]:
    """Return the operations of devices."""
    accepted = _object(accepted=_WHOLE)
    return [
        Operation(
            Described(
                name="sendReport",
                summary="Take one report; it is on disk once this is answered.",
                tag="intake",
                method="POST",
                path=f"{ONE}/reports",
                takes=(SingleReport, InvitedReport),
                answer=accepted,
                status=202,
                refusals=_TAKEN,
            ),
            intake.single,
            BEFORE,
        ),
        Operation(
            Described(
                name="sendReports",
                summary="Take at most 10,000 reports, all or none.",
                tag="intake",
                method="POST",
                path=f"{ONE}/reports/batch",
                takes=Batch,
                answer=accepted,
                status=202,
                refusals=_TAKEN,
            ),
            intake.batch,
            BEFORE,
        ),
        Operation(
            Described(
                name="askTickets",
                summary="Tell what an invite fixes; nothing is stored.",
                tag="intake",
                method="POST",
                path=f"{ONE}/admission",
                takes=AdmissionRequest,
                answer=_object(tickets={"type": "object", "additionalProperties": _WHOLE}),
                refusals=_TAKEN,
            ),
            intake.admission,
            BEFORE,
        ),
    ]


def public_operations(lists: Lists, results: Results) -> list[Operation]:
    """Return the operations that tell what everybody may see."""

    def about(name: str, path: str, summary: str, answer: Any, *parameters: Any) -> Described:
        return Described(
            name=name,
            summary=summary,
            tag="collections",
            path=path,
            answer=answer,
            parameters=parameters,
            refusals=_TOLD if parameters else (),
        )

    listed = about("listCollections", f"{API}/collections", "All collections.", Listing)
    compiled = about("getCollection", ONE, "A collection as devices take it.", _COMPILED, VERSION)
    figures = about(
        "getResults",
        f"{ONE}/results",
        "Estimates with standard errors and intervals, alarms and bands.",
        RESULTS,
        TARGET,
        CONFIDENCE,
        VERSION,
        parameter(
            "pairs",
            _TEXT,
            "Tables of two attributes: all if left out; apart leaves them out of large results of "
            "crosstabs; habits:age,bath tells that of two attributes, and nothing else.",
        ),
    )
    counts = about("getCounts", f"{ONE}/counts", "The counts of the results.", _COUNTS, VERSION)
    versions = Described(
        name="listVersions",
        summary="All versions of a collection that have been public, oldest first.",
        tag="collections",
        path=f"{ONE}/versions",
        answer=Versions,
        refusals=_TOLD,
    )
    return [
        Operation(listed, lists.all, BEFORE),
        Operation(compiled, lists.compiled, BEFORE),
        Operation(figures, results.results, BEFORE),
        Operation(counts, results.counts, BEFORE),
        Operation(versions, results.versions, BEFORE),
    ]


def export_operation(exports: Exports) -> Operation:
    """Return the operation that gives results as files."""
    kinds = [kind.partition(";")[0] for kind in FORMATS.values()]
    text = {"type": "string"}
    about = Described(
        name="exportResults",
        summary="Public figures, or the counts behind them, as a table; figures as a chart too.",
        tag="collections",
        path=f"{ONE}/export",
        answer=RECORDS,
        media=tuple(kinds),
        parameters=(
            parameter("format", {"enum": list(FORMATS)}, "Of the file: csv if left out."),
            parameter("what", {"enum": list(WHAT)}, "What it holds: figures if left out."),
            parameter("question", text, "Id of the only question; all if left out."),
            TARGET,
            CONFIDENCE,
            parameter("language", text, "Of labels: the collection's first if left out."),
            VERSION,
        ),
        refusals=(*_TOLD, 501),
    )
    return Operation(about, exports.export)


def query_operations(queries: QueryApi) -> list[Operation]:
    """Return the operations on data sets."""
    endpoints = (queries.list, queries.describe, queries.query, queries.dry_run, queries.dummy)
    return [
        Operation(about, endpoint, "")
        for about, endpoint in zip(queries_described(), endpoints, strict=True)
    ]


def running_operations(operations: Operations) -> list[Operation]:
    """Return the operations of those who run the service."""

    def about(name: str, path: str, summary: str, *refusals: int) -> Described:
        return Described(
            name=name, summary=summary, tag="running", path=path, answer=_OK, refusals=refusals
        )

    takes = "Tell whether reports are taken."
    metrics = Described(
        name="metrics",
        summary="Totals of what was answered, for Prometheus; nothing by person.",
        tag="running",
        path="/metrics",
        answer=_TEXT,
        media=("text/plain",),
        refusals=(404,),
    )
    return [
        Operation(about("health", "/health", takes, 503), operations.health),
        Operation(about("healthz", "/healthz", "Tell that it lives."), operations.healthz),
        Operation(about("readyz", "/readyz", takes, 503), operations.readyz),
        Operation(metrics, operations.metrics),
    ]


def page_routes(pages: Pages) -> list[Route]:
    """Return the routes of the pages, which people read."""
    return [
        route("/static/{path:path}", pages.static),
        route("/embed.js", pages.embed),
        route("/", pages.index),
        route("/my/reports", pages.mine),
        route("/operator", pages.operator),
        route("/operator/preview", pages.blank_preview),
        route("/operator/{rest:path}", pages.operator),
        route("/{name}/results", pages.results),
        route("/{name}", pages.survey),
    ]
