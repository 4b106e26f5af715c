"""What a service says of itself, and whether it answers so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema

from sudare.collection.upload import API

REFERENCE = "#/components/schemas/"


class Description:
    """An OpenAPI document that answers are held against."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = json.loads(json.dumps(document))
        self._paths = {
            re.compile(re.sub(r"\{\w+\}", "[^/]+", path)): operations
            for path, operations in self.document["paths"].items()
        }

    @classmethod
    def of(cls, app: Any) -> Description:
        """Return that of an application."""
        (told,) = (
            one.endpoint._app.__self__.document
            for one in app.routes
            if getattr(one, "path", "") == f"{API}/openapi.json"
        )
        return cls(told)

    def check(self, method: str, address: str, status: int, kind: str, body: bytes) -> None:
        """Hold an answer against the description; what is no address of it is refused."""
        path = address.partition("?")[0]
        found = [one for pattern, one in self._paths.items() if pattern.fullmatch(path)]
        told = [one[method.lower()] for one in found if method.lower() in one]
        if not told:
            assert status in (404, 405), (method, path, status)
            return
        responses = told[0]["responses"]
        if status == 500:  # a fault, which nothing promises
            return
        assert str(status) in responses, (method, path, status)
        content = responses[str(status)]["content"]
        media = kind.partition(";")[0]
        assert media in content or f"{media}; charset=utf-8" in content, (method, path, media)
        if media == "application/json":
            whole = {**content[media]["schema"], "components": self.document["components"]}
            jsonschema.Draft202012Validator(whole).validate(json.loads(body))

    def gaps(self) -> list[str]:
        """Return where a schema leaves open what is in an array or an object."""
        found = []
        for where, schema in schemas(self.document):
            kinds = schema.get("type")
            kinds = kinds if isinstance(kinds, list) else [kinds]
            if "array" in kinds and not {"items", "prefixItems"} & schema.keys():
                found.append(f"{where}: an array of what?")
            if "object" in kinds and not {"properties", "additionalProperties"} & schema.keys():
                found.append(f"{where}: an object of what?")
            properties = schema.get("properties", {})
            unknown = {*schema.get("required", ())} - {
                name for name, one in properties.items() if one
            }
            found += [f"{where}: what is {name}?" for name in sorted(unknown)]
            reference = schema.get("$ref", REFERENCE)
            known = self.document["components"]["schemas"]
            if reference.removeprefix(REFERENCE) not in {*known, ""}:
                found.append(f"{where}: {reference} is nowhere")
        return found


def schemas(part: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each schema of a document, with its place."""
    if isinstance(part, list):
        for number, one in enumerate(part):
            yield from schemas(one, f"{where}/{number}")
    elif isinstance(part, dict):
        if {"type", "$ref", "anyOf", "enum", "const"} & part.keys():
            yield where, part
        for name, one in part.items():
            if name not in ("example", "enum", "const", "discriminator"):
                yield from schemas(one, f"{where}/{name}")
