"""The built site (its folder in SUDARE_SITE), as a browser reads it: nothing from elsewhere."""

from __future__ import annotations

import functools
import os
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from serving import Watched, fresh
from test_axe import AXE, FOUND

import sudare as sd
from sudare.collection.questions import chances

SITE = Path(os.environ.get("SUDARE_SITE", "")).resolve()
pytestmark = pytest.mark.skipif(
    "SUDARE_SITE" not in os.environ, reason="SUDARE_SITE names no site (docs/site/build.py)"
)
SEEDED = """let s = 7n;
crypto.getRandomValues = (out) => {
  for (let i = 0; i < out.length; i += 1) {
    s = BigInt.asUintN(64, s * 6364136223846793005n + 1442695040888963407n);
    out[i] = Number(s >> 56n);
  }
  return out;
};"""
MAIN = (
    "index", "playground", "guide.ja", "weights", "decisions/site", "requests",
    "reference/errors", "reference/further", "tutorials/study",
)  # fmt: skip


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


def of_the_page(page, name):
    return float(page.locator(f"#{name}").get_attribute("value"))


def found(page, name):
    page.locator("#try details summary").first.evaluate("one => one.parentNode.open = true")
    cells = page.locator(f"#try data.{name}").all()
    return np.array([float(cell.get_attribute("value")) for cell in cells])


@pytest.mark.parametrize(
    ("name", "k", "tenths", "step"), [("GRR", 5, 10, 4), ("OUE", 20, 35, 0), ("", 2, 60, 7)]
)
def test_the_playground_says_what_python_says(browser, served, name, k, tenths, step):
    """Moved by keys alone; the crowd by a source that repeats, within six standard errors."""
    with fresh(browser, served, viewport={"width": 390, "height": 844}) as watched:
        page = watched.page
        page.add_init_script(SEEDED)
        watched.open("/playground.html")
        for slider, value, start in (("k", k, 2), ("epsilon", tenths, 1), ("n", step, 0)):
            page.locator(f"#{slider}").press("Home")
            for _ in range(value - start):
                page.keyboard.press("ArrowRight")
        page.locator("#mechanism").select_option(name)
        m = (sd.OUE if name == "OUE" else sd.GRR)(k, tenths / 10)
        n = [100, 200, 500, 1000, 2000, 5000, 10000, 20000][step]
        shares = 0.75 ** np.arange(k)
        shares /= shares.sum()
        variance = m.variance(shares, n)
        np.testing.assert_allclose(found(page, "variance"), variance, rtol=1e-9)
        half = 1.959963984540054 * variance[0] ** 0.5
        said = chances.of_choice(m.program, k)
        for one, value in (
            ("half-width", half),
            ("spent", float(m.epsilon)),
            ("guess", m.program.guess_probability),
            ("even", float(said["even"])),
            ("listed", float(said["listed"])),
            ("p", float(m.law.p)),
            ("q", float(m.law.q)),
        ):
            assert of_the_page(page, one) == pytest.approx(value, rel=1e-9), one
        assert (abs(found(page, "found") - shares) < 6 * np.sqrt(variance)).all()
        before = found(page, "found")
        page.get_by_role("button", name="Draw another crowd").press("Enter")
        assert (found(page, "found") != before).any()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
