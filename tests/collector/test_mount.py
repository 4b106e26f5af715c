"""Under a path of another application: addresses are relative, the lifespan is handed over."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import urljoin

import pytest
from asking import ask
from starlette.applications import Starlette
from starlette.routing import Mount

from sudare.collector import create_app

PAGES = (
    "/",
    "/tea",
    "/tea/results",
    "/my/reports",
    "/nothing",
    "/operator",
    "/operator/c/tea/edit",
)


@pytest.mark.parametrize("prefix", ["", "/surveys", "/a/b"])
def test_every_address_of_a_page_is_under_the_mount(tea, database, message, prefix):
    survey = create_app([tea], database)
    outer = Starlette(routes=[Mount(prefix or "/", survey)], lifespan=survey.lifespan)

    async def look() -> None:
        async with outer.router.lifespan_context(outer):
            for path in PAGES:
                page = await ask(outer, "GET", prefix + path)
                assert page.status == (404 if path == "/nothing" else 200)
                html = page.body.decode()
                links = re.findall(r'(?:src|href)="([^"#]+)"', html)
                assert len(links) >= 5
                for link in links:
                    assert link.startswith("."), link
                    found = urljoin(f"http://x{prefix}{path}", link).removeprefix("http://x")
                    assert found.startswith(f"{prefix}/"), link
                    assert (await ask(outer, "GET", found)).status == 200, link
                (root,) = re.findall('<meta name="sudare-root" content="([^"]+)">', html)
                assert urljoin(f"http://x{prefix}{path}", root) == f"http://x{prefix}/"
            told = await ask(outer, "GET", f"{prefix}/api/v1/collections")
            (one,) = told.json["collections"]
            assert (one["survey"], one["results"]) == (f"{prefix}/tea", f"{prefix}/tea/results")
            versions = await ask(outer, "GET", f"{prefix}/api/v1/collections/tea/versions")
            assert versions.json["versions"][0]["results"].startswith(f"{prefix}/tea/results?")
            for sent, status in ((message(), 202), ({"fingerprint": "0" * 64}, 400)):
                answer = await ask(outer, "POST", f"{prefix}/api/v1/collections/tea/reports", sent)
                assert answer.status == status
                assert answer.headers["x-content-type-options"] == "nosniff"
            for place in ("/api/v1/openapi.json", "/openapi.json"):
                document = (await ask(outer, "GET", prefix + place)).json
                (server,) = document["servers"]
                base = urljoin(f"http://x{prefix}{place}", server["url"])
                assert base == f"http://x{prefix}/", "as pages have it, wherever they are"
                for path in ("/api/v1/collections", "/healthz", "/api/v1/openapi.json"):
                    assert path in document["paths"]
                    found = base.removeprefix("http://x").rstrip("/") + path
                    assert (await ask(outer, "GET", found)).status == 200
            counts = await ask(outer, "GET", f"{prefix}/api/v1/collections/tea/counts")
            assert counts.json["n"] == 1
            if prefix:  # what is not under the mount is not ours
                assert (await ask(outer, "GET", "/tea")).status == 404

    asyncio.run(look())


def test_without_its_lifespan_it_says_that_it_is_closed(tea, database, message):
    """A forgotten lifespan is no fault of a request's, and loses nothing: 503."""
    outer = Starlette(routes=[Mount("/surveys", create_app([tea], database))])

    async def look() -> None:
        for method, path in (
            ("POST", "/api/v1/collections/tea/reports"),
            ("GET", "/api/v1/collections/tea"),
            ("GET", "/api/v1/collections"),
            ("GET", "/readyz"),
        ):
            answer = await ask(outer, method, f"/surveys{path}", message())
            assert answer.status == 503, path

    asyncio.run(look())
