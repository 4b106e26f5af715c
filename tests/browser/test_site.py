"""The built site (its folder in SUDARE_SITE), as a browser reads it: nothing from elsewhere."""

from __future__ import annotations

import functools
import os
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from serving import Watched, fresh
from test_axe import AXE, FOUND

SITE = Path(os.environ.get("SUDARE_SITE", "")).resolve()
pytestmark = pytest.mark.skipif(
    "SUDARE_SITE" not in os.environ, reason="SUDARE_SITE names no site (docs/site/build.py)"
)
MAIN = ("index", "guide", "guide.ja", "python", "release", "decisions/site", "reference/errors")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def served():
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 390)])
def test_axe_finds_nothing(browser, served, scheme, width):
    look = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    with fresh(browser, served, **look) as watched:
        for page in MAIN:
            watched.open(f"/{page}.html")
            watched.page.evaluate(AXE.read_text("utf-8"))
            assert watched.page.evaluate(FOUND) == [], page
            assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, page


@pytest.mark.parametrize(
    ("typed", "found"), [("manipulation_band", "sudare.poisoning"), ("公開", "ゼロから公開まで")]
)
def test_search_from_a_folder(browser, typed, found):
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    watched = Watched(context.new_page(), SITE.as_uri())
    watched.open("/index.html")
    watched.page.locator(".md-search__button").click()
    watched.page.keyboard.type(typed)
    watched.page.get_by_text(found).last.wait_for()
    context.close()
    assert [url for url in watched.foreign if not url.startswith("blob:")] == []


def test_a_japanese_page_says_so(browser, served):
    with fresh(browser, served) as watched:
        watched.open("/guide.ja.html")
        assert watched.page.evaluate("document.documentElement.lang") == "ja"
