"""The calls of the operators' API, each with the scope that it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sudare.collection.upload import API
from sudare.openapi import JSON, Described
from sudare.operators.rights import Scope

if TYPE_CHECKING:
    from sudare.collector.operator_api.api import OperatorAPI
    from sudare.collector.operator_api.request import OperatorRequest

PREFIX = f"{API}/operator"
_REFUSALS = (400, 401, 403, 404, 408, 409, 413, 415, 429, 501, 503)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A call of the API.

    Attributes:
        name: of the operation.
        method: of HTTP.
        path: its address, after :data:`PREFIX`; ``{name}`` is a collection.
        scope: what whoever calls it must have.
        serve: does it, in a thread, and returns JSON data or an answer.
        answer: the structure of that, or its schema.
        query: the parameters that it may have, as they are described.
        takes: the schemas of its body's fields; a ``?`` after a name: it may be left out.
        media: the content types of its answer.
    """

    name: str
    method: str
    path: str
    scope: Scope
    serve: Callable[[OperatorAPI, OperatorRequest], Any]
    answer: Any
    query: tuple[Mapping[str, Any], ...] = ()
    takes: Mapping[str, Any] = field(default_factory=dict)
    media: tuple[str, ...] = (JSON,)

    def described(self) -> Described:
        """Return what is said of it."""
        return described(
            self.name,
            f"{(self.serve.__doc__ or '').strip()} Scope: {self.scope}.",
            self.method,
            self.path,
            self.answer,
            takes=dict(self.takes),
            parameters=tuple(self.query),
            media=self.media,
        )


def described(
    name: str,
    summary: str,
    method: str,
    path: str,
    answer: Any,
    *,
    takes: Mapping[str, Any] | None = None,
    bearer: Literal["", "required"] = "required",
    **more: Any,
) -> Described:
    """Return what is said of an operation of operators."""
    given = takes or {}
    body = {
        "type": "object",
        "properties": {one.rstrip("?"): schema for one, schema in given.items()},
        "required": [one for one in given if not one.endswith("?")],
        "additionalProperties": False,
    }
    return Described(
        name=name,
        summary=summary,
        tag="operators",
        method=method,
        path=PREFIX + path,
        answer=answer,
        takes=body if method in ("POST", "PUT") else None,
        refusals=_REFUSALS,
        bearer=bearer,
        **more,
    )
