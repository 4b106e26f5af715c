"""A request to the operators' API: who asks, for what, and the response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from starlette.types import Scope

from sudare.collection import schema
from sudare.collector.answers import JSON
from sudare.collector.operator_api.authentication import Visitor
from sudare.errors import DomainError
from sudare.operators import Rights
from sudare.refusal import Headers


@dataclass(slots=True)
class OperatorRequest:
    """One request, let in.

    Attributes:
        visitor: who sends it.
        scope: the request itself.
        body: its JSON object; empty where it has none.
        query: its parameters, each once.
        noted: whether the record of acts has it.
    """

    visitor: Visitor
    scope: Scope
    body: dict[str, Any] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    noted: bool = False

    @property
    def rights(self) -> Rights:
        """What its sender may do."""
        return self.visitor.rights

    @property
    def name(self) -> str | None:
        """The collection that it names."""
        name: str | None = self.scope["path_params"].get("name")
        return name

    def part(self, name: str) -> str:
        """Return another part of its address."""
        return str(self.scope["path_params"][name])

    def fields(self, *known: str) -> list[Any]:
        """Return fields of the body; None for those that are left out.

        Raises:
            DomainError: it has another one.
        """
        for name in self.body:
            if name not in known:
                raise DomainError("body", f"may have {', '.join(known) or 'nothing'}", "see docs")
        return [self.body.get(name) for name in known]

    def text(self, name: str) -> str:
        """Return the body's only field, which is text.

        Raises:
            DomainError: it is not there, or there are others.
        """
        (found,) = self.fields(name)
        if not isinstance(found, str):
            raise DomainError(name, "must be text", f"send {name}")
        return found


@dataclass(frozen=True, slots=True)
class OperatorResponse:
    """What is answered.

    Attributes:
        body: JSON data, or bytes with their type among the headers.
        headers: beside those of every answer.
    """

    body: Any
    headers: Headers = JSON


def as_moment(value: object, name: str) -> datetime | None:
    """Return a moment of a body; None where it is left out."""
    if value is not None and not isinstance(value, str):
        raise DomainError(name, "must be text", "such as 2027-02-28T18:00:00+09:00")
    return schema.moment(value, name)
