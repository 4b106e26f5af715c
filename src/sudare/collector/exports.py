"""Public figures and counts as files: tables and charts, each made once for a step."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import OrderedDict
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starlette.types import Receive, Scope, Send

from sudare.collection import Collection
from sudare.collector.answers import NO_STORE
from sudare.collector.exporting import CHARTS, count_records, figure_records, write_records
from sudare.collector.packing import Packing
from sudare.collector.results import Results, confidence_of, pairs_of, target_of
from sudare.collector.service import Service
from sudare.errors import DomainError, MissingExtraError
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.refusal import Headers, Refusal

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "png": "image/png",
    "svg": "image/svg+xml",
}
"""The content types of the files."""

WHAT = ("figures", "counts")
MOST_DRAWN = 300
"""Figures in a chart: more of them nobody can read, and they take long to draw."""

KEPT = 32
"""Files that are kept until the next step."""

TOO_FEW = ("are drawn from least_answers answers on", "wait for more answers, or take a table")
"""What is said where no question that is asked for has been answered often enough for a chart."""

_NEED = {"parquet": "pyarrow", "png": "matplotlib", "svg": "matplotlib"}
"""What loads large libraries: made in the process for such work."""

_ALLOWED = ("format", "what", "question", "target", "confidence", "language", "version")


def offered() -> list[str]:
    """Return the formats for which everything is installed."""
    return [kind for kind in FORMATS if kind not in _NEED or find_spec(_NEED[kind]) is not None]


@dataclass(frozen=True)
class ExportRequest:
    """What a file shall hold.

    Attributes:
        format: a key of :data:`FORMATS`.
        what: ``"figures"`` or ``"counts"``.
        question: the only one; empty for all.
        target: whom figures are about.
        confidence: of their intervals.
        language: of labels; empty for the collection's first.
    """

    format: str
    what: str
    question: str
    target: Target
    confidence: float
    language: str


@dataclass(frozen=True)
class ExportBody:
    """Makes a file of a body of results, or of counts."""

    collection: Collection
    asked: ExportRequest

    def __call__(self, told: bytes) -> bytes:
        """Return the file.

        Raises:
            Refusal: 400 for a chart of too many figures, 404 where nothing is known yet, 501 where
                an optional package is missing.
        """
        kind, language = f".{self.asked.format}", self.asked.language or None
        records = self._records(json.loads(told), language, kind)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "export"
            try:
                write_records(path, kind, self.collection, records, language)
            except MissingExtraError as error:
                raise Refusal(501, error) from None
            return path.read_bytes()

    def _records(
        self, told: dict[str, Any], language: str | None, kind: str
    ) -> list[dict[str, Any]]:
        if self.asked.what == "counts":
            counts = [Counts.from_json(json.dumps(one)) for one in told["questions"].values()]
            records = count_records(self.collection, counts)
        else:
            records = figure_records(self.collection, told, language, kind)
        wanted = self.asked.question
        records = [row for row in records if wanted in ("", row["question"])]
        known = [row for row in records if row.get("value", 0) is not None]
        if not (known if kind in CHARTS else records):
            rule, remedy = "are not public yet", "ask again after the first step"
            if kind in CHARTS and told.get("n"):
                rule, remedy = TOO_FEW
            raise Refusal(404, DomainError("figures", rule, remedy))
        if kind in CHARTS and len(known) > MOST_DRAWN:
            raise Refusal(
                400,
                DomainError(
                    "format",
                    f"draws at most {MOST_DRAWN} figures",
                    "name one question, or take a table",
                ),
            )
        return records


class Exports:
    """``GET /api/v1/collections/{name}/export`` as an ASGI application.

    Args:
        service: finds collections; results: have the bodies that files are made of.
    """

    def __init__(self, service: Service, results: Results) -> None:
        self._service, self._results = service, results
        self._packing = Packing()
        self._made: OrderedDict[tuple[str, ExportRequest], tuple[bytes, asyncio.Task[bytes]]] = (
            OrderedDict()
        )

    async def export(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a file."""
        given = pairs_of(scope["query_string"], _ALLOWED)
        name, version = scope["path_params"]["name"], given.get("version", "")
        collection = self._service.find_results(name, version)
        asked = asked_of(given, collection)
        body = await self._file(collection, asked)
        await self._packing.respond(scope, send, body, headers_of(collection, asked))

    async def _file(self, collection: Collection, asked: ExportRequest) -> bytes:
        """Return the file of the newest figures: made by the first who asks, kept for the rest."""
        if asked.what == "counts":
            told = await self._results.counts_body(collection)
        else:
            told = await self._results.body(collection, asked.target, asked.confidence)
        key = (collection.fingerprint, asked)
        known, task = self._made.get(key, (None, None))
        if task is None or known != told:
            task = asyncio.create_task(made(self._results, collection, asked, told))
            task.add_done_callback(lambda done: self._drop_failed(key, done))
            self._made[key] = (told, task)
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        self._made.move_to_end(key)
        return await asyncio.shield(task)

    def _drop_failed(self, key: tuple[str, ExportRequest], task: asyncio.Task[bytes]) -> None:
        failed = task.cancelled() or task.exception() is not None
        if failed and self._made.get(key, (b"", None))[1] is task:
            del self._made[key]


async def made(
    results: Results, collection: Collection, asked: ExportRequest, told: bytes
) -> bytes:
    """Return the file of a body of results, or of counts.

    Raises:
        Refusal: as :class:`ExportBody`; 503 where too many files wait to be made.
    """
    make, apart = ExportBody(collection, asked), asked.format in _NEED
    return await results.file(make, told, apart=apart)


def headers_of(collection: Collection, asked: ExportRequest) -> Headers:
    """Return the headers of a file."""
    parts = (collection.name, asked.question, "" if asked.what == WHAT[0] else asked.what)
    file = f"{'-'.join(filter(None, parts))}.{asked.format}"
    return (
        (b"content-type", FORMATS[asked.format].encode()),
        (b"content-disposition", f'attachment; filename="{file}"'.encode()),
        *NO_STORE,
    )


def asked_of(given: Any, collection: Collection) -> ExportRequest:
    """Read what is asked for.

    Raises:
        Refusal: 400.
    """
    questions = [one.id for one in collection.questions]
    asked = ExportRequest(
        format=_one_of(given, "format", tuple(FORMATS), "csv"),
        what=_one_of(given, "what", WHAT, WHAT[0]),
        question=_one_of(given, "question", tuple(questions), ""),
        target=target_of(given),
        confidence=confidence_of(given),
        language=_one_of(given, "language", tuple(collection.languages), ""),
    )
    if asked.what == "counts" and f".{asked.format}" in CHARTS:
        raise Refusal(400, DomainError("format", "must be csv, json or parquet for counts"))
    return asked


def _one_of(given: Any, name: str, known: tuple[str, ...], usual: str) -> str:
    value: str = given.get(name, usual)
    if value == usual or value in known:
        return value
    raise Refusal(
        400, DomainError(name, f"must be one of {', '.join(known)}", "see GET /api/v1/openapi.json")
    )
