"""Calls about figures: what is stored, before the public sees it, and what leaves as files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec

from sudare.collection import Collection
from sudare.collector.answers import NO_STORE
from sudare.collector.crossing import cross_json, questions_of
from sudare.collector.exports import asked_of, headers_of, made
from sudare.collector.operator_api.api import OperatorAPI
from sudare.collector.operator_api.request import OperatorRequest, OperatorResponse
from sudare.collector.operator_view import own_reports, shown_round
from sudare.collector.over_rounds import RoundsBody
from sudare.collector.results import confidence_of, counts_json, target_of
from sudare.errors import as_one_of
from sudare.files.submissions import write_submissions

FIGURES = ("stored", "public")

REPORTS = "application/octet-stream"
"""The content type of reports, which are Parquet: what every client knows to be a file."""


def results(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Tell the estimate of everything stored, with alarms and bands, as results do."""
    return OperatorResponse(_told(desk, call, desk.collection(call)))


def export(desk: OperatorAPI, call: OperatorRequest) -> OperatorResponse:
    """Return figures or counts of everything stored as a file, figures as a chart too."""
    collection = desk.collection(call)
    asked = asked_of(call.query, collection)
    desk.note(call, "export", what=asked.what, format=asked.format)
    told = _told(desk, call, collection, counts=asked.what == "counts")
    body = desk.on_loop(made(desk.results, collection, asked, told))
    return OperatorResponse(body, headers_of(collection, asked))


def cross(desk: OperatorAPI, call: OperatorRequest) -> Any:
    """Tell the joint table of any two or three choices, of everything stored: counts of pairs,
    shares with intervals, Cramér's V."""
    collection = desk.collection(call)
    wanted, target, confidence = (
        questions_of(call.query),
        target_of(call.query),
        confidence_of(call.query),
    )
    collection = _round(desk, call, collection)
    held = own_reports(collection, desk.database)
    return cross_json(collection, wanted, held, target, confidence)


def reports(desk: OperatorAPI, call: OperatorRequest) -> OperatorResponse:
    """Return the reports themselves, in random order, as Parquet."""
    collection = desk.collection(call)
    desk.note(call, "export reports")
    collection = _round(desk, call, collection)
    held = own_reports(collection, desk.database)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports"
        write_submissions(path, collection, held)
        body = path.read_bytes()
    name = f'attachment; filename="{collection.name}-reports.parquet"'
    kind = (b"content-type", REPORTS.encode())
    return OperatorResponse(body, (kind, (b"content-disposition", name.encode()), *NO_STORE))


def _round(desk: OperatorAPI, call: OperatorRequest, collection: Collection) -> Collection:
    """Return the round that is asked for, the last one with reports, or what has no rounds."""
    asked = call.query.get("round")
    number = None if asked is None else int(asked) if asked.isdecimal() and len(asked) < 16 else 0
    return shown_round(collection, desk.database, number)


def _told(
    desk: OperatorAPI, call: OperatorRequest, collection: Collection, *, counts: bool = False
) -> bytes:
    """Return the body of results, or of counts, of what is asked for."""
    wanted = as_one_of(call.query.get("figures", FIGURES[0]), "figures", FIGURES)
    target, confidence = target_of(call.query), confidence_of(call.query)
    rounds = desk.service.rounds(collection)
    views = [desk.view(one) for one in rounds or [collection]]
    figures = tuple(view.stored if wanted == "stored" else view.public for view in views)
    last = max((i for i, one in enumerate(figures) if one.n), default=0)  # of the rounds
    shown, public = figures[last], views[last].public
    if counts:
        return msgspec.json.encode(counts_json(collection, shown.counts))
    own = rounds[last] if rounds else collection
    told = desk.on_loop(desk.results.own(own, shown, public, target, confidence))
    return RoundsBody(collection, figures, last, target, confidence)(told) if rounds else told
