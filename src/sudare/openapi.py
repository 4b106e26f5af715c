"""An HTTP service as data: what is said of each operation, and the OpenAPI 3.1 document of all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from sudare._version import __version__
from sudare.definitions import SLUG

JSON = "application/json"

REFUSALS = {
    400: "The request is not as described, or what it is about cannot answer it.",
    401: "No valid token.",
    402: "A budget does not cover it.",
    403: "Not open for this at the moment, or not to this token.",
    404: "No such thing, or not for this token.",
    408: "The body came too slowly.",
    409: "It was changed meanwhile, or is used up.",
    410: "It was deleted by its owner.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many requests; Retry-After says when to come back.",
    501: "An optional package is not installed here.",
    503: "Busy, or nothing can be kept just now; Retry-After says when to come back.",
}
"""What a status of a refusal means, in any operation."""

_AGAIN = (429, 503)
_PLACE = re.compile(r"\{(\w+)\}")


class Problem(msgspec.Struct, frozen=True):
    """What was refused and why; no value of any data is ever part of it."""

    type: str
    argument: str
    rule: str
    remedy: str
    message: str


class Refused(msgspec.Struct, frozen=True):
    """A refusal; nothing was stored, and nothing spent."""

    error: Problem


@dataclass(frozen=True, kw_only=True)
class Described:
    """One operation: a method at an address, and what a client must know of it.

    Attributes:
        name: of the operation, once in a service.
        summary: what it does, in a sentence.
        tag: the part of the service that it belongs to.
        path: from the root of the service; ``{…}`` are names (of a
            :data:`sudare.definitions.SLUG` unless ``parameters`` say otherwise).
        method: of HTTP.
        answer: a structure, several of which it is one, or a JSON schema.
        media: the content types of the answer.
        status: of the answer.
        takes: the structure of the body, several, or a JSON schema; None where there is none.
        example: of the body.
        parameters: as :func:`parameter` makes them.
        refusals: the statuses of :data:`REFUSALS` that it may answer with.
        bearer: whether a token is required, optional or (empty) not looked at.
    """

    name: str
    summary: str
    tag: str
    path: str
    answer: Any
    method: str = "GET"
    media: tuple[str, ...] = (JSON,)
    status: int = 200
    takes: Any = None
    example: Any = None
    parameters: tuple[Mapping[str, Any], ...] = ()
    refusals: tuple[int, ...] = ()
    bearer: Literal["", "optional", "required"] = ""

    @property
    def types(self) -> list[Any]:
        """The structures of answer and body."""
        return [one for given in (self.answer, self.takes) for one in _types(given)]


def parameter(
    name: str, schema: Mapping[str, Any], text: str, where: str = "query", *, required: bool = False
) -> dict[str, Any]:
    """Return a parameter of an operation.

    Args:
        name: of it.
        schema: what it may be.
        text: what it means.
        where: ``"query"``, ``"header"``, or ``"path"``, which is always required.
        required: whether it must be given.
    """
    needed = required or where == "path"
    return {"name": name, "in": where, "required": needed, "description": text, "schema": schema}


def document(operations: Iterable[Described], *, title: str, text: str) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of a service.

    Args:
        operations: all of them; those of one path may come apart.
        title: of the service.
        text: what it is.

    Examples:
        >>> health = Described(
        ...     name="health", summary="Tell that it lives.", tag="running", path="/healthz",
        ...     answer={"type": "object"}, refusals=(503,),
        ... )
        >>> told = document([health], title="A service", text="An example.")
        >>> sorted(told["paths"]["/healthz"]["get"]["responses"])
        ['200', '503']
    """
    every = list(operations)
    types = list(dict.fromkeys([Refused, *(one for own in every for one in own.types)]))
    found, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    components = {name: completed(one) for name, one in components.items()}
    schemas = dict(zip(types, found, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for one in every:
        path = paths.setdefault(one.path, {})
        if places := _places(one):
            path["parameters"] = places
        path[one.method.lower()] = _operation(one, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": __version__,
            "description": text,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": tag} for tag in dict.fromkeys(one.tag for one in every)],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _places(one: Described) -> list[Mapping[str, Any]]:
    """Return the parameters that stand in an operation's path."""
    given = {each["name"]: each for each in one.parameters if each["in"] == "path"}
    slug = {"type": "string", "pattern": f"^{SLUG}$"}
    names = _PLACE.findall(one.path)
    return [given.get(name) or parameter(name, slug, "A name.", "path") for name in names]


def _operation(one: Described, schemas: Mapping[Any, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {"operationId": one.name, "tags": [one.tag], "summary": one.summary}
    if more := [each for each in one.parameters if each["in"] != "path"]:
        said["parameters"] = more
    if one.takes is not None:
        content: dict[str, Any] = {"schema": _schema(one.takes, schemas)}
        if one.example is not None:
            content["example"] = one.example
        said["requestBody"] = {"required": True, "content": {JSON: content}}
    if one.bearer:
        said["security"] = [{"token": []}, *([] if one.bearer == "required" else [{}])]
    told = _schema(one.answer, schemas)
    answers: dict[str, Any] = {
        str(one.status): {
            "description": "Answered.",
            "content": {
                kind: {"schema": told if kind == JSON else of_file(kind)} for kind in one.media
            },
        }
    }
    for status in one.refusals:
        refused = {"description": REFUSALS[status], "content": {JSON: {"schema": schemas[Refused]}}}
        if status in _AGAIN:
            seconds = {"description": "Seconds.", "schema": {"type": "integer"}}
            refused["headers"] = {"Retry-After": seconds}
        answers[str(status)] = refused
    return said | {"responses": answers}


def completed(schema: Any) -> Any:
    """Return a schema that says of each array and object what is in it, be it anything.

    Programs that are made of a description leave out what says less: a client of a paying
    operation whose answer it does not know pays, and gets nothing.
    """
    if isinstance(schema, list):
        return [completed(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {name: completed(one) for name, one in schema.items()}
    kinds = found.get("type")
    if kinds == "array" and not {"items", "prefixItems"} & found.keys():
        found["items"] = {}
    if kinds == "object" and not {"properties", "additionalProperties"} & found.keys():
        found["additionalProperties"] = True
    return found


def of_file(kind: str) -> dict[str, Any]:
    """Return the schema of an answer that is no JSON: text, or bytes."""
    if kind.startswith("text/") or kind == "image/svg+xml":
        return {"type": "string"}
    return {"type": "string", "format": "binary"}


def _types(given: Any) -> list[Any]:
    """Return the structures of what an operation takes or answers."""
    if given is None or isinstance(given, Mapping):
        return []
    return list(given) if isinstance(given, tuple) else [given]


def _schema(given: Any, schemas: Mapping[Any, Any]) -> Any:
    if isinstance(given, Mapping):
        return given
    some = [schemas[one] for one in _types(given)]
    return some[0] if len(some) == 1 else {"anyOf": some}
