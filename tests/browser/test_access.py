"""Every page: usable on a small screen, by keyboard, by a screen reader, and readable."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from serving import CONTRAST

PATHS = [
    "/",
    "/tea",
    "/two",
    "/many",
    "/teas",
    "/bath",
    "/pairs",
    "/shelf",
    "/invited",
    "/films",
    "/walk",
    "/commute",
    "/closed",
    "/tea/results",
]


@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_for_everybody(watched: object, path: str) -> None:
    """Each page is opened once in each language: a fresh page costs more than what is asked."""
    page = watched.page
    wide = page.viewport_size
    for language in ("en",) if path == "/many" else ("en", "ja"):
        watched.open(f"{path}?lang={language}")
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert page.evaluate(CONTRAST) == [], scheme
        check_structure(page, language)
        watched.check_names()
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, language
        page.set_viewport_size(wide)


def check_structure(page: object, language: str) -> None:
    """A screen reader finds its way."""
    expect(page.locator("h1")).to_have_count(1)
    assert page.locator("html").get_attribute("lang") == language
    assert page.title().endswith("Sudare")
    expect(page.locator("main")).to_have_count(1)
    expect(page.locator("header")).to_have_count(1)
    for fieldset in page.locator("fieldset").all():
        assert fieldset.locator(":scope > legend").inner_text().strip()


def test_focus_is_visible_and_the_skip_link_works(watched: object) -> None:
    page = watched.page
    watched.open("/tea?lang=en")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top >= 0")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    own = "document.activeElement.closest('label') ?? document.activeElement"
    outline = f"getComputedStyle({own}).outlineStyle"
    assert page.evaluate(outline) == "solid"


def test_reduced_motion_is_respected(watched: object) -> None:
    watched.open("/tea")
    name = "getComputedStyle(document.querySelector('.slats')).animationName"
    assert watched.page.evaluate(name) == "none"


def test_the_list_leads_to_surveys_and_results(watched: object) -> None:
    page = watched.page
    watched.open("/?lang=en")
    page.get_by_role("link", name="Answer The tea survey").click()
    page.wait_for_selector("form")
    page.get_by_role("link", name="Sudare").click()
    page.get_by_role("link", name="Results The tea survey").click()
    page.get_by_text("No reports yet").wait_for()
    assert page.url.endswith("/tea/results?lang=en")
