"""Every page: usable on a small screen, by keyboard, by a screen reader, and readable."""

from __future__ import annotations

import pytest

PATHS = [
    "/",
    "/tea",
    "/two",
    "/many",
    "/teas",
    "/bath",
    "/shelf",
    "/invited",
    "/films",
    "/walk",
    "/closed",
    "/tea/results",
]

UNNAMED = """() => [...document.querySelectorAll("a, button, input, summary")]
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.textContent.trim() || one.labels?.length
    || one.getAttribute("aria-label") || one.querySelector("img[alt]:not([alt=''])")))
  .map((one) => one.outerHTML)"""

REFERENCES = """() => ["aria-labelledby", "aria-describedby"].flatMap((name) =>
  [...document.querySelectorAll(`[${name}]`)]
    .flatMap((one) => one.getAttribute(name).split(" ")))"""

CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = rgb(color).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((rgb(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !one.checkVisibility() || one.closest("svg")) continue;
    const a = light(getComputedStyle(one).color), b = light(behind(one));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${one.tagName}.${one.className} ${ratio.toFixed(2)}`);
  }
  return poor;
}"""


@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_for_everybody(watched: object, path: str) -> None:
    """Each page is opened once in each language: a fresh page costs more than what is asked."""
    page = watched.page
    wide = page.viewport_size
    for language in ("en", "ja"):
        watched.open(f"{path}?lang={language}")
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert page.evaluate(CONTRAST) == [], scheme
        check_structure(page, language)
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, language
        page.set_viewport_size(wide)


def check_structure(page: object, language: str) -> None:
    """A screen reader finds its way."""
    assert page.locator("h1").count() == 1
    assert page.locator("html").get_attribute("lang") == language
    assert page.title().endswith("Sudare")
    assert page.locator("main").count() == page.locator("header").count() == 1
    assert page.evaluate(UNNAMED) == []
    identifiers = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(identifiers) == len(set(identifiers))
    references = page.evaluate(REFERENCES)
    assert set(references) <= set(identifiers)
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
    outline = "getComputedStyle(document.activeElement.closest('label')).outlineStyle"
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
