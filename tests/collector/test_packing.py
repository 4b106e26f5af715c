"""Large bodies are sent by gzip, and not again to who has them."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

from asking import ask

from sudare.collection import Collection
from sudare.collector import create_app, packing


def survey(name: str, k: int) -> Collection:
    choices = ", ".join(f'"number-{i}"' for i in range(k))
    return Collection.from_toml(
        f'[collection]\nname = "{name}"\nepsilon = 1\n[[question]]\nid = "q"\ntype = "choice"\n'
        f'mechanism = "GRR"\ntext = "Which?"\nchoices = [{choices}]\n'
    )


def test_a_large_body_is_packed_once_and_not_sent_again(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(packing, "LARGE", 5000)
    packed: list[bytes] = []
    original = packing.Packed.of
    monkeypatch.setattr(
        packing.Packed, "of", lambda body: packed.append(body) or original(body), raising=True
    )
    large, small = survey("large", 500), survey("small", 3)
    app = create_app((large, small), database=tmp_path / "collector.sqlite3")

    async def asked() -> None:
        gzipped = {"accept-encoding": "gzip"}
        for path in ("/api/v1/collections/large", "/api/v1/collections/large/results"):
            plain = await ask(app, "GET", path)
            assert "content-encoding" not in plain.headers
            first = await ask(app, "GET", path, **gzipped)
            assert first.headers["content-encoding"] == "gzip"
            assert gzip.decompress(first.body) == plain.body
            assert len(first.body) < len(plain.body) / 4
            tag = first.headers["etag"]
            again = await ask(app, "GET", path, **gzipped, **{"if-none-match": tag})
            assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
            other = await ask(app, "GET", path, **gzipped, **{"if-none-match": '"0"'})
            assert other.body == first.body
            assert other.headers["cache-control"] == "no-store"
        told = await ask(app, "GET", "/api/v1/collections/small", **gzipped)
        assert "content-encoding" not in told.headers
        assert told.json == small.compiled()

    async def running() -> None:
        async with app.router.lifespan_context(app):
            await asked()

    asyncio.run(running())
    assert len(packed) == 2
