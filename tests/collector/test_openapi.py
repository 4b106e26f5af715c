"""One document describes the whole service, and what is answered is what it says."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from starlette.routing import Route

from sudare.collection.upload import API
from sudare.collector.app import create_app
from sudare.collector.routes import BEFORE, Operation, route, routes_of
from sudare.openapi import Described, document

PAGES = {
    *("/static/{path:path}", "/", "/my/reports", "/{name}/results", "/{name}"),
    *("/operator", "/operator/preview", "/operator/{rest:path}", "/embed.js"),
}
"""Addresses that people read: the only ones without a description."""


def undescribed(routes: list[Any], told: dict[str, Any]) -> set[str]:
    """Return the routes of which nothing is said: as they are, or under today's prefix."""
    found = set()
    for one in routes:
        known = {one.path, API + one.path.removeprefix(BEFORE), API + one.path}
        methods = {method.lower() for method in one.methods - {"HEAD"}}
        if not any(methods <= set(told["paths"].get(path, ())) for path in known):
            found.add(one.path)
    return found


@pytest.fixture
def told(api) -> dict[str, Any]:
    body: dict[str, Any] = api.get("/openapi.json").json
    return body


def test_every_route_is_described(tea, tmp_path) -> None:
    app = create_app([tea], tmp_path / "reports.db")
    served = [one for one in app.routes if isinstance(one, Route)]
    assert len(served) == len(app.routes)
    body = next(one for one in served if one.path == f"{API}/openapi.json")
    told = json.loads(json.dumps(body.endpoint._app.__self__.document))
    assert undescribed(served, told) == PAGES
    assert undescribed([*served, route("/secret", body.endpoint)], told) == {*PAGES, "/secret"}
    paths = {one.path for one in served}
    assert set(told["paths"]) <= paths, "and nothing is described that is not there"


def test_what_is_answered_is_as_described(api, told, tea, message) -> None:
    assert told["servers"] == [{"url": "."}]
    assert api.get(f"{API}/openapi.json").json == told | {"servers": [{"url": "../.."}]}
    names = [one["operationId"] for path in told["paths"].values() for one in path.values()
             if isinstance(one, dict)]  # fmt: skip
    assert len(names) == len(set(names))
    assert api.send(message()).status == 202
    for path, operations in told["paths"].items():
        asked = path.replace("{name}", "tea").replace("{id}", "tea")
        if "get" not in operations or "{" in asked:
            continue
        answer = api.get(asked)
        if operations["get"].get("security") == [{"token": []}]:
            assert answer.status == 401, asked
            continue
        assert answer.status == 200, asked
        content = operations["get"]["responses"]["200"]["content"]
        kind = answer.headers["content-type"].partition(";")[0]
        assert kind in content
        if kind == "application/json":
            check(content[kind]["schema"], told, answer.json)
    refused = api.get(f"{API}/collections/tea/results?target=nobody")
    results = told["paths"][f"{API}/collections/{{name}}/results"]["get"]["responses"]
    check(results[str(refused.status)]["content"]["application/json"]["schema"], told, refused.json)
    with pytest.raises(jsonschema.ValidationError):
        check(results["200"]["content"]["application/json"]["schema"], told, refused.json)


def check(schema: dict[str, Any], told: dict[str, Any], answer: Any) -> None:
    whole = {**schema, "components": told["components"]}
    jsonschema.Draft202012Validator(whole).validate(answer)


def test_an_operation_describes_itself() -> None:
    async def answer(*_: Any) -> None: ...

    about = Described(
        name="one",
        summary="One of many.",
        tag="some",
        path=f"{API}/some/{{name}}",
        answer={"type": "object"},
        refusals=(404, 503),
        bearer="required",
    )
    paths = [one.path for one in routes_of([Operation(about, answer, "/old")])]
    assert paths == [
        f"{API}/some/{{name}}",
        "/old/some/{name}",
        f"{API}/openapi.json",
        "/openapi.json",
    ]
    told = document([about], title="", text="")["paths"][f"{API}/some/{{name}}"]
    assert told["parameters"][0]["in"] == "path"
    assert told["get"]["security"] == [{"token": []}]
    assert "Retry-After" in told["get"]["responses"]["503"]["headers"]
    with pytest.raises(TypeError, match="summary"):
        Described(name="two", tag="some", path="/", answer=None)
