"""The description of the query API: OpenAPI 3.1, made from the structures themselves."""

from __future__ import annotations

from typing import Any

import msgspec

from sudare._version import __version__
from sudare.definitions import SLUG
from sudare.ledger.bills import MOST_KEY
from sudare.release.api.answers import Answer, Description, Estimated, Refused, Summaries
from sudare.release.api.requests import request_union

_REFUSALS = {
    400: "The request is not as described, or the data set cannot answer it.",
    401: "No valid token.",
    402: "A budget does not cover it.",
    404: "No such data set, or not for this token.",
    408: "The body came too slowly.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many requests; Retry-After says when to come back.",
    503: "Busy, or the ledger cannot be reached; Retry-After says when to come back.",
}
_TEMPLATE = "#/components/schemas/{name}"
_EXAMPLE = {"query": "mean", "column": "score", "epsilon": 0.1}


def openapi() -> dict[str, Any]:
    """Return the description as JSON data.

    Examples:
        >>> sorted(openapi()["paths"])
        ['/datasets', '/datasets/{id}', '/datasets/{id}/queries']
    """
    schemas, components = msgspec.json.schema_components(
        [request_union(), Answer, Estimated, Summaries, Description, Refused],
        ref_template=_TEMPLATE,
    )
    query, answer, estimated, summaries, description, refused = schemas
    components["Estimated"]["properties"]["results"] = {
        "type": "object",
        "description": "As GET /api/collections/{name}/results.",
    }
    path = {
        "name": "id",
        "in": "path",
        "required": True,
        "description": "Name of a data set or a collection.",
        "schema": {"type": "string", "pattern": f"^{SLUG}$"},
    }

    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": "As the field key: asked again with it, a query is not paid again.",
        "schema": {"type": "string", "minLength": 1, "maxLength": MOST_KEY},
    }

    def operation(name: str, summary: str, good: Any, *codes: int, **more: Any) -> dict[str, Any]:
        out = {"200": _json("Answered.", good)}
        for code in codes:
            out[str(code)] = _json(_REFUSALS[code], refused)
            if code in (429, 503):
                out[str(code)]["headers"] = {
                    "Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}
                }
        said = {"operationId": name, "tags": ["queries"], "summary": summary}
        return said | more | {"responses": out}

    what = "What can be asked: collections, and what the token covers."
    columns = "Columns, bounds, whom answers protect, what is left of budgets."
    ask = "Ask a query: it is paid for and recorded, or nothing is spent."
    body = {
        "required": True,
        "content": {"application/json": {"schema": query, "example": _EXAMPLE}},
    }
    asked = {"anyOf": [answer, estimated]}
    codes = (400, 401, 402, 404, 408, 413, 415, 429, 503)

    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sudare queries",
            "version": __version__,
            "description": (
                "Answers about held data with calibrated noise, paid from a ledger; and estimates "
                "of collections, which are free: their reports were randomised on the "
                "respondents' devices."
            ),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {}],
        "tags": [{"name": "queries"}],
        "paths": {
            "/datasets": {"get": operation("list", what, summaries, 401, 429, 503)},
            "/datasets/{id}": {
                "parameters": [path],
                "get": operation("describe", columns, description, 401, 404, 429, 503),
            },
            "/datasets/{id}/queries": {
                "parameters": [path],
                "post": operation("query", ask, asked, *codes, parameters=[key], requestBody=body),
            },
        },
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Of held data; collections need none.",
                }
            },
        },
    }


def _json(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": schema}}}
