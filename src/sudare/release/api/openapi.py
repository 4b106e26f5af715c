"""The description of the query API: OpenAPI 3.1, made from the structures themselves."""

from __future__ import annotations

from typing import Any

from sudare.collection.upload import API
from sudare.definitions import SLUG
from sudare.ledger.bills import MOST_KEY
from sudare.openapi import Described, document, parameter
from sudare.release.api.answers import (
    Answer,
    Answers,
    Description,
    DryRun,
    Dummy,
    Estimated,
    MadeUpRows,
    Selected,
    Summaries,
)
from sudare.release.api.requests import request_union

_ABOUT = (
    "Answers about held data with calibrated noise, paid from a ledger; and estimates of "
    "collections, which are free: their reports were randomised on the respondents' devices."
)
_KEY = parameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": MOST_KEY},
    "As the field key: asked again with it, a query is not paid again.",
    "header",
)
_ROWS = parameter(
    "rows",
    {"type": "integer", "minimum": 1},
    "About how many rows a query is about, where that is private, and how many a group has.",
)
_HOW_MANY = parameter(
    "rows",
    {"type": "integer", "minimum": 1, "maximum": 10_000},
    "How many rows: 100 if left out.",
)
_ID = parameter(
    "id",
    {"type": "string", "pattern": f"^{SLUG}$"},
    "Name of a data set or a collection.",
    "path",
)


def described() -> tuple[Described, ...]:
    """Return what is said of the operations on data sets: list, describe, query, dry run, dummy."""
    return (
        Described(
            name="listDatasets",
            summary="What can be asked: collections, and what the token covers.",
            tag="queries",
            path=f"{API}/datasets",
            answer=Summaries,
            refusals=(401, 429, 503),
            bearer="optional",
        ),
        Described(
            name="describeDataset",
            summary="Columns, bounds, whom answers protect, what is left of budgets.",
            tag="queries",
            path=f"{API}/datasets/{{id}}",
            parameters=(_ID,),
            answer=Description,
            refusals=(401, 404, 429, 503),
            bearer="optional",
        ),
        Described(
            name="query",
            summary="Ask a query, a batch or a SELECT: all is paid and recorded, or nothing spent.",
            tag="queries",
            method="POST",
            path=f"{API}/datasets/{{id}}/queries",
            parameters=(_ID, _KEY),
            takes=request_union(),
            example={"query": "mean", "column": "score", "epsilon": 0.1},
            answer=(Answer, Answers, Selected, MadeUpRows, Estimated),
            refusals=(400, 401, 402, 404, 408, 413, 415, 429, 501, 503),
            bearer="optional",
        ),
        Described(
            name="dryRun",
            summary="Tell what a query would be charged, and bounds: no data are looked at.",
            tag="queries",
            method="POST",
            path=f"{API}/datasets/{{id}}/dry-run",
            parameters=(_ID, _ROWS, _KEY),
            takes=request_union(),
            example={"query": "mean", "column": "score", "epsilon": 0.1},
            answer=DryRun,
            refusals=(400, 401, 402, 404, 408, 413, 415, 429, 501, 503),
            bearer="required",
        ),
        Described(
            name="dummyData",
            summary="Make rows up with the definition's columns and types: no data are looked at.",
            tag="queries",
            path=f"{API}/datasets/{{id}}/dummy",
            parameters=(_ID, _HOW_MANY),
            answer=Dummy,
            refusals=(400, 401, 404, 429, 503),
            bearer="required",
        ),
    )


def openapi() -> dict[str, Any]:
    """Return the description as JSON data; a collector's is part of that of its whole service.

    Examples:
        >>> sorted(openapi()["paths"])
        ['/api/v1/datasets', '/api/v1/datasets/{id}', '/api/v1/datasets/{id}/dry-run', \
'/api/v1/datasets/{id}/dummy', '/api/v1/datasets/{id}/queries']
    """
    return document(described(), title="Sudare queries", text=_ABOUT)
