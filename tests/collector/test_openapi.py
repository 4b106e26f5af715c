"""One document describes the whole service, and what is answered is what it says."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import urllib.request
from typing import Any

import jsonschema
import pytest
from described import Description
from starlette.routing import Route

from sudare.collection.upload import API
from sudare.collector import BackgroundCollector
from sudare.collector.app import create_app
from sudare.collector.routes import BEFORE, Operation, route, routes_of
from sudare.ledger import Ledger, Tokens as LedgerTokens
from sudare.openapi import Described, document
from sudare.release.api import Queries, openapi
from sudare.release.definition import Definition

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


def test_nothing_is_left_open(tea, tmp_path) -> None:
    """Of both services: a program that is made of a description leaves out what says less."""
    for told in (
        Description.of(create_app([tea], tmp_path / "reports.db")),
        Description(openapi()),
    ):
        assert told.gaps() == []
        for path, operations in told.document["paths"].items():
            for method, one in operations.items():
                if method == "parameters":
                    continue
                for status, answer in one["responses"].items():
                    assert answer["content"], (path, method, status)
                    for kind, said in answer["content"].items():
                        assert said["schema"], (path, method, status, kind)
    broken = json.loads(json.dumps(openapi()))
    del broken["components"]["schemas"]["Dummy"]["properties"]["columns"]["additionalProperties"]
    broken["components"]["schemas"]["Answers"]["properties"]["answers"].pop("items")
    assert len(Description(broken).gaps()) == 2


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


@pytest.mark.slow  # writes and loads a client of 200 files for each of two documents: 20 s
@pytest.mark.parametrize("service", ["collector", "release"])
def test_a_client_that_is_made_of_the_description_is_whole(tea, tmp_path, service) -> None:
    """Nothing is left out with a warning, and each answer has a type."""
    pytest.importorskip("openapi_python_client")
    app = create_app([tea], tmp_path / "reports.db")
    told = Description.of(app) if service == "collector" else Description(openapi())
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(told.document))
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"post_hooks": []}))
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", "--path", file, "--config",
         config, "--output-path", tmp_path / "client", "--meta", "none", "--fail-on-warning"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    made = {path.stem.rstrip("_"): path for path in (tmp_path / "client" / "api").rglob("*.py")}
    for operations in told.document["paths"].values():
        for method, one in operations.items():
            if method == "parameters":
                continue
            module = made[re.sub(r"(?<!^)(?=[A-Z])", "_", one["operationId"]).lower()].read_text()
            (parsed,) = re.findall(r"def _parse_response\([^)]*\) -> (.*):\n", module)
            first = next(
                iter(one["responses"]["200" if "200" in one["responses"] else "202"]["content"])
            )
            assert "Any" not in re.findall(r"\w+", parsed) or first != "application/json", (
                one["operationId"], parsed,
            )  # fmt: skip


@pytest.mark.slow  # as above, and asks a collector by it
def test_who_pays_by_such_a_client_gets_a_typed_answer(tmp_path, monkeypatch) -> None:
    pytest.importorskip("openapi_python_client")
    pytest.importorskip("httpx")
    (tmp_path / "scores.csv").write_text("score\n" + "\n".join(map(str, range(101))) + "\n")
    (tmp_path / "scores.toml").write_text(
        'name = "scores"\nfile = "scores.csv"\n[budget]\nepsilon = 100\n[bounds]\n'
        'score = [0, 100]\n[columns]\nscore = "whole"\n'
    )
    file = tmp_path / "openapi.json"
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("ann", epsilon=100)
        secret = LedgerTokens(ledger).issue("ann", ["query:scores"])
        queries = Queries([Definition.load(tmp_path / "scores.toml")], ledger)
        with BackgroundCollector([], tmp_path / "reports.db", queries=queries) as running:
            with urllib.request.urlopen(f"{running.url}{API}/openapi.json") as answer:
                file.write_bytes(answer.read())
            (tmp_path / "config.json").write_text(json.dumps({"post_hooks": []}))
            subprocess.run(
                [sys.executable, "-m", "openapi_python_client", "generate", "--path", file,
                 "--config", tmp_path / "config.json", "--output-path", tmp_path / "paying",
                 "--meta", "none", "--fail-on-warning"],
                check=True, capture_output=True,
            )  # fmt: skip
            monkeypatch.syspath_prepend(str(tmp_path))
            paying = importlib.import_module("paying")
            query = importlib.import_module("paying.api.queries.query")
            models = importlib.import_module("paying.models")
            mean = {"query": "mean", "column": "score", "epsilon": 1}
            own = {"query": "mean", "column": "score"}
            batch = {"query": "batch", "epsilon": 1, "queries": [own, own]}
            sql = {"query": "sql", "sql": "SELECT AVG(score) AS a FROM scores", "epsilon": 1}
            cases = (
                (models.Mean, mean, "Answer"),
                (models.QueryBatch, batch, "Answers"),
                (models.Sql, sql, "Selected"),
            )
            for asked, body, kind in cases:
                with paying.AuthenticatedClient(base_url=running.url, token=secret) as client:
                    found = query.sync("scores", client=client, body=asked.from_dict(body))
                assert type(found).__name__ == kind, (body, found)
