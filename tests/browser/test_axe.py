"""Every page by axe, where it is installed (npm install): no violation, in no scheme or width."""

from __future__ import annotations

from pathlib import Path

import pytest
from serving import fresh
from test_access import PATHS

from sudare.cli.answering import HonestReports
from sudare.exact import Entropy

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
MORE = ("/long", "/smoking", "/words", "/shay", "/my/reports", "/nope")
FOUND = """() => axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`))"""
LOOKS = [("en", "light", 1920), ("ja", "dark", 320), ("de", "light", 390)]


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("path", [*PATHS, *MORE])
def test_axe_finds_nothing(browser: object, origin: str, path: str) -> None:
    source = AXE.read_text("utf-8")
    for language, scheme, width in LOOKS:
        look = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
        with fresh(browser, origin, bypass_csp=True, **look) as watched:
            watched.open(f"{path}?lang={language}")
            watched.page.evaluate(source)
            assert watched.page.evaluate(FOUND) == [], (language, scheme, width)


UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
def test_axe_finds_nothing_in_figures_of_every_type(browser: object, origin: str) -> None:
    """Several questions on a page, with everything unfolded: tables of one kind, side by side."""
    names = ("commute", "shelf", "walk", "pairs")
    source = AXE.read_text("utf-8")
    with fresh(browser, origin) as watched:
        for name in names:
            crowd = HonestReports(watched.compiled(name), Entropy.seeded(name.encode()))
            watched.deliver(name, [crowd.submission().payload for _ in range(60)])
    for language, scheme, width in LOOKS:
        look = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
        with fresh(browser, origin, bypass_csp=True, **look) as watched:
            watched.page.add_init_script(source)
            for name in names:
                watched.open(f"/{name}/results?lang={language}")
                watched.page.wait_for_selector(".result table", state="attached")
                watched.page.evaluate(UNFOLD)
                assert watched.page.evaluate(FOUND) == [], (name, language, scheme, width)
