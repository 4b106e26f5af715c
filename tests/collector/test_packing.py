"""What everybody may have is sent by gzip from 1 kB on, and not again to who has it."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

from asking import ask

import sudare as sd
from sudare.collection import Collection
from sudare.collector import create_app, packing
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

GZIP = {"accept-encoding": "gzip"}


def survey(name: str, k: int) -> Collection:
    choices = ", ".join(f'"number-{i}"' for i in range(k))
    return Collection.from_toml(
        f'[collection]\nname = "{name}"\nepsilon = 1\npublish_at = 1\n[[question]]\nid = "q"\n'
        f'type = "choice"\nmechanism = "GRR"\ntext = "Which?"\nchoices = [{choices}]\n'
    )


def started(app: Any, work: Any) -> Any:
    """Return what some work at an application that runs returns."""

    async def running() -> Any:
        async with app.router.lifespan_context(app):
            return await work()

    return asyncio.run(running())


def test_a_large_body_is_packed_once_and_not_sent_again(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(packing, "LARGE", 5000)
    packed: list[bytes] = []
    original = packing.Packed.of
    monkeypatch.setattr(
        packing.Packed, "of", lambda body: packed.append(body) or original(body), raising=True
    )
    app = create_app((survey("large", 500),), database=tmp_path / "collector.sqlite3")

    async def asked() -> None:
        for path in ("/api/v1/collections/large", "/api/v1/collections/large/results"):
            plain = await ask(app, "GET", path)
            assert "content-encoding" not in plain.headers
            first = await ask(app, "GET", path, **GZIP)
            assert first.headers["content-encoding"] == "gzip"
            assert gzip.decompress(first.body) == plain.body
            assert len(first.body) < len(plain.body) / 4
            again = await ask(app, "GET", path, **GZIP, **{"if-none-match": first.headers["etag"]})
            assert (again.status, again.body) == (304, b"")
            other = await ask(app, "GET", path, **GZIP, **{"if-none-match": '"0"'})
            assert other.body == first.body
            assert other.headers["cache-control"] == "no-store"

    started(app, asked)
    assert len(packed) == 2


PUBLIC = (
    "/api/v1/collections",
    "/api/v1/collections/{}",
    "/api/v1/collections/{}/results",
    "/api/v1/collections/{}/results?target=respondents&confidence=0.8",
    "/api/v1/collections/{}/counts",
    "/api/v1/collections/{}/versions",
    "/api/v1/collections/{}/export?format=csv",
    "/api/v1/collections/{}/export?format=json&what=counts",
    "/api/v1/openapi.json",
    "/{}",
    "/{}/results",
)


def test_every_public_answer_has_a_tag_that_outlives_the_process(tmp_path: Any) -> None:
    """At every size; from 1 kB on it comes by gzip, and the forms have tags of their own."""
    surveys, sizes = (survey("few", 2), survey("many", 60)), set()

    def tags(*, first: bool) -> dict[str, list[str]]:
        app = create_app(surveys, database=tmp_path / "collector.sqlite3")

        async def asked() -> dict[str, list[str]]:
            found = {}
            for one in surveys if first else ():
                report = sd.Client(one, entropy=sd.Entropy.seeded(b"one")).answer({"q": "number-1"})
                body = report.to_json()
                path = f"/api/v1/collections/{one.name}/reports"
                assert (await ask(app, "POST", path, body)).status == 202
            for path in [each.format(one.name) for one in surveys for each in PUBLIC]:
                plain, packed = await ask(app, "GET", path), await ask(app, "GET", path, **GZIP)
                assert plain.status == 200, path
                sizes.add(len(plain.body) >= 1024)
                if len(plain.body) >= 1024:
                    assert packed.headers["content-encoding"] == "gzip", path
                    assert gzip.decompress(packed.body) == plain.body, path
                    assert "accept-encoding" in packed.headers["vary"], path
                    assert plain.headers["etag"] != packed.headers["etag"], path
                found[path] = [one.headers["etag"] for one in (plain, packed)]
                for tag, more in zip(found[path], ({}, GZIP), strict=True):
                    told = await ask(app, "GET", path, **more, **{"if-none-match": tag})
                    assert (told.status, told.body) == (304, b""), path
            return found

        return started(app, asked)

    assert tags(first=True) == tags(first=False)
    assert sizes == {True, False}


def test_answers_to_operators_are_not_compressed(tmp_path: Any) -> None:
    """They may hold a token beside what others wrote: a length would tell it letter by letter."""
    database = tmp_path / "collector.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", ["read", "run", "export", "admin"])
    app = create_app((survey("many", 60),), database=database)
    signed = {**GZIP, "authorization": f"Bearer {token}"}

    async def asked() -> None:
        for path in ("collections", "collections/many", "collections/many/definition", "tokens"):
            answer = await ask(app, "GET", f"/api/v1/operator/{path}", **signed)
            assert answer.status == 200, path
            assert "content-encoding" not in answer.headers, path

    started(app, asked)
