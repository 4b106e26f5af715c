"""A map's page in a real browser: opened from a file, small, dark, by pointer and keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, REFERENCES, UNNAMED

import sudare as sd
from sudare.location import Layer, map_page
from sudare.words import Text

GRID = sd.Grid.from_mesh(533936, "1/2", rows=30, columns=40)
LAND = np.arange(1200) % 40 < 30
VALUES = np.where(np.arange(1200) == 41, np.nan, np.arange(1200.0))


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    layers = [
        Layer(
            Text("Posterior of the reported cell", "報告されたセルの事後確率"), VALUES, marks=(45,)
        ),
        Layer(Text("People", "人口"), VALUES[::-1] + 1, Text("people", "人"), log=True),
    ]
    text = map_page(
        GRID, layers, title=Text("A map", "地図"), mask=LAND, facts={"ε": "0.002"},
        notes=[Text("Look here.", "海岸に注意。")], credits=["Nobody, 2026."], language="ja",
    )  # fmt: skip
    path = tmp_path_factory.mktemp("map") / "index.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(params=[(1200, "light"), (1200, "dark"), (320, "light"), (320, "dark")])
def page(request: Any, browser: Any, page_file: Path) -> Iterator[Any]:
    width, scheme = request.param
    yield from opened(browser, page_file, width=width, scheme=scheme)


def opened(browser: Any, path: Path, *, width: int, scheme: str, script: bool = True) -> Any:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=script
    )
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    yield page
    context.close()
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
    assert complaints == []


def test_it_fits_and_can_be_read(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".map").first.focus()
    page.keyboard.press("Home")
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(UNNAMED) == []
    known = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(known) == len(set(known))
    assert page.evaluate(REFERENCES) == []
    expect(page.locator("h1")).to_have_count(1)


def test_a_cell_is_told_by_pointer_and_by_keyboard(page: Any) -> None:
    shown = page.locator("figure:not(.hidden) .map")
    reading = page.locator("#reading")
    shown.scroll_into_view_if_needed()
    place = shown.evaluate(
        """(map) => {
          const at = new DOMPoint(2.5 * 1000 / 40, 0).matrixTransform(map.getScreenCTM());
          const box = map.getBoundingClientRect(); return [at.x - box.x, box.height / 2]; }"""
    )
    shown.hover(position={"x": place[0], "y": place[1]})
    assert "列 2)" in reading.inner_text()
    shown.focus()
    page.keyboard.press("Home")
    assert "セル 1189 " in reading.inner_text()  # the highest on land
    page.keyboard.press("ArrowRight")
    assert "対象外" in reading.inner_text()
    page.keyboard.press("End")
    assert "セル 0 " in reading.inner_text()
    for key in ("ArrowUp", "ArrowLeft"):  # not beyond the border
        page.keyboard.press(key)
        assert "セル 0 " in reading.inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert "報告されたセルの事後確率: –" in reading.inner_text()
    assert reading.get_attribute("aria-live") == "polite"


def test_layers_and_the_list_of_cells(page: Any) -> None:
    rows = page.locator("#cells-body tr")
    expect(rows).to_have_count(20)
    assert rows.first.inner_text().startswith("1189")
    assert page.locator("#earlier").is_disabled()
    for _ in range(60):
        if page.locator("#later").is_disabled():
            break
        page.locator("#later").click()
    assert page.locator("#cells-where").inner_text() == "881–899 / 899"
    page.locator("#layer").select_option(label="人口")
    expect(page.locator("figure:not(.hidden)")).to_have_count(1)
    assert rows.first.inner_text().startswith("1200")
    assert page.locator("#cells-where").inner_text() == "1–20 / 900"


def test_without_scripts_every_layer_is_there(browser: Any, page_file: Path) -> None:
    for page in opened(browser, page_file, width=800, scheme="light", script=False):
        expect(page.locator(".map:visible")).to_have_count(2)
        assert page.locator("#layer").is_hidden()
        expect(page.locator("noscript, #no-script").first).to_be_visible()
