"""A base map and named areas in a real browser: drawn from the collection alone, told by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, Watched, fresh, serve

import sudare as sd

sys.path.insert(0, str(Path(__file__).parents[1] / "shapes"))

from made_up import write

BOXES = """() => {
  const { x, y, width, height } = document.querySelector(".cell-grid").getBoundingClientRect();
  const drawn = [".base-ground", ".base-outline"].map((one) => {
    const layer = document.querySelector(one);
    const { a, d, e, f } = layer.firstChild.getScreenCTM();
    return [e, f, a * layer.viewBox.baseVal.width, d * layer.viewBox.baseVal.height];
  });
  return [[x, y, width, height], ...drawn];
}"""


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> sd.Collection:
    return sd.Collection.load(write(tmp_path_factory.mktemp("town")))


@pytest.fixture
def watched(browser: object, town: sd.Collection, tmp_path: Path) -> Iterator[Watched]:
    with serve((town,), tmp_path / "own.sqlite3") as origin, fresh(browser, origin) as page:
        yield page


def test_the_form_shows_the_map_and_says_the_names(watched: Watched) -> None:
    watched.open("/town?lang=ja")
    page = watched.page
    grid, ground, outline = page.evaluate(BOXES)
    assert ground == outline
    assert np.allclose(grid, ground, atol=2.5)  # inside the border
    names = page.locator(".cell-grid [data-cell]")
    assert names.nth(6).get_attribute("aria-label") == "江東区 4"
    assert names.nth(19).get_attribute("aria-label") == "4 行 5 列、水面"
    expect(page.locator(".map-credit")).to_have_text("架空")
    page.locator(".cell-grid [tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".place-told")).to_have_text("選択中：Edogawa 1。")
    page.locator(".cell-grid [data-cell='6']").click()  # through the outline above it
    expect(page.locator(".place-told")).to_contain_text("江東区 4")
    assert page.evaluate(CONTRAST) == []
    watched.send()
    assert page.locator("dd.report").first.inner_text() != ""


def test_the_results_say_the_names(watched: Watched, town: sd.Collection) -> None:
    (question,) = town.questions
    people = np.repeat(np.arange(20), np.where(question.on_land, 50 + 10 * (np.arange(20) % 5), 0))
    reports = question.mechanism.perturb(people, rng=sd.Entropy.seeded(b"town"))
    watched.deliver("town", (bytes([one]) for one in reports.tolist()))
    watched.open("/town/results?lang=en")
    page = watched.page
    page.wait_for_selector(".cell-grid .heat-8")
    areas = page.locator("table", has_text="areas").locator("tbody tr")
    assert sorted(areas.locator("th").all_inner_texts()) == ["Edogawa", "Kōtō"]
    page.locator(".cell-grid [data-cell='6']").focus()
    expect(page.locator(".heat-detail")).to_contain_text("Kōtō 4:")
    expect(page.locator(".heat-detail")).to_contain_text("Mesh code 53394611")
    assert page.evaluate(CONTRAST) == []


def test_a_level_is_picked_beside_the_map(
    browser: object, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """What a report tells of a cell is told at the level that is picked, and changes with it."""
    path = write(tmp_path_factory.mktemp("levels"))
    text = path.read_text("utf-8")
    stated = 'epsilon_per_metre = "0.01"'
    assert stated in text
    path.write_text(text.replace(stated, 'levels = ["0.004", "0.03"]'), "utf-8")
    survey = sd.Collection.load(path)
    with serve((survey,), tmp_path / "own.sqlite3") as origin, fresh(browser, origin) as watched:
        watched.open("/town?lang=en")
        page = watched.page
        page.locator(".cell-grid [data-cell='6']").click()
        far = page.locator(".place-distance")
        expect(far).to_be_empty()
        page.locator(".levels input").nth(0).check()
        expect(far).to_contain_text("probability 9 %")
        page.locator(".levels input").nth(1).check()
        expect(far).to_contain_text("probability 8")
        assert page.evaluate(CONTRAST) == []
        watched.send()
        expect(page.locator(".level")).to_have_text("In clear: level ε = 0.03 per metre")
        watched.draw_few()
        watched.open("/town/results?lang=en")
        expect(page.locator(".spent")).to_contain_text("0.004 to 0.03 per metre")
        expect(page.locator("details.level > summary").nth(1)).to_contain_text("1 report")
