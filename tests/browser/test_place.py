"""Places in a real browser: found by position or picked, randomised, and shown as a map."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, Watched, fresh, payload

import sudare as sd

STATION = {"latitude": 35.681236, "longitude": 139.767125, "accuracy": 20}
CELL = 18
TRUE = np.array([60] * 45 + [900] + [60] * 18)

ASKED = """() => {
  window.asked = 0;
  const own = navigator.geolocation.getCurrentPosition.bind(navigator.geolocation);
  navigator.geolocation.getCurrentPosition = (...parts) => { window.asked += 1; own(...parts); };
}"""

STORED = """async () => {
  const database = await new Promise((resolve) => {
    const request = indexedDB.open("sudare");
    request.onsuccess = () => resolve(request.result);
  });
  const all = {};
  for (const name of database.objectStoreNames) {
    const store = database.transaction(name).objectStore(name);
    const read = (request) => new Promise((resolve) => {
      request.onsuccess = () => resolve(request.result);
    });
    all[name] = [await read(store.getAllKeys()), await read(store.getAll())];
  }
  return JSON.stringify([all, { ...localStorage }, { ...sessionStorage }, document.cookie]);
}"""


@pytest.fixture
def located(browser: object, origin: str) -> Iterator[Watched]:
    """A page on a device at Tokyo Station that lets it see the position."""
    with fresh(browser, origin, geolocation=STATION, permissions=["geolocation"]) as page:
        page.page.add_init_script(f"({ASKED})()")
        yield page


def cell(page: object, number: int) -> object:
    return page.locator(f".cell-grid [data-cell='{number}']")


def told(page: object) -> str:
    return page.locator(".place-told").inner_text()


def report_of(post: dict[str, str]) -> int:
    (number,) = payload(post)
    return number


def collect(watched: Watched) -> dict[str, object]:
    """Send a seeded crowd's reports; return the results."""
    question = watched.compiled("walk").questions[0]
    people = np.repeat(np.arange(64), np.where(question.on_land, TRUE, 0))
    reports = question.mechanism.perturb(people, rng=sd.Entropy.seeded(b"walk"))
    return watched.deliver("walk", (bytes([one]) for one in reports.tolist()))


def results_page(watched: Watched, language: str = "en") -> object:
    watched.open(f"/walk/results?lang={language}")
    watched.page.wait_for_selector(".cell-grid .heat-8")
    return watched.page


# -- the form ------------------------------------------------------------------------------------


def test_the_position_is_asked_for_on_the_click_alone_and_stays_here(located: Watched) -> None:
    page = located.page
    located.open("/walk?lang=en")
    page.wait_for_timeout(500)
    assert page.evaluate("window.asked") == 0
    page.get_by_role("button", name="Use my position").click()
    page.wait_for_selector(".map-pin[visibility=visible]")
    assert page.evaluate("window.asked") == 1
    assert told(page) == "Chosen: row 3, column 3, Tokyo Station."
    assert cell(page, CELL).get_attribute("aria-selected") == "true"
    assert located.posts == []
    located.send()
    (post,) = located.posts
    assert set(post) == {"fingerprint", "id", "report"}
    shown = page.locator(".report").inner_text()
    number = report_of(post)
    assert shown.startswith(f"row {number // 8 + 1}, column {number % 8 + 1}")
    for place in (json.dumps(post), page.evaluate(STORED), page.url):
        assert not re.search(r"35\.68|139\.76|latitude|coords", place)
    page.evaluate("window.asked = 0")
    page.reload()
    page.wait_for_selector(".outcome-already")
    assert page.evaluate("window.asked") == 0
    counts = located.counts("walk")
    assert counts["questions"]["where"]["support"][number] == 1


def test_a_position_that_is_not_given_leaves_the_map(watched: Watched) -> None:
    page = watched.page
    watched.open("/walk?lang=en")
    page.get_by_role("button", name="Use my position").click()
    expect(page.locator(".place-found")).to_contain_text("may not", timeout=90_000)
    assert told(page).startswith("No cell chosen yet")
    cell(page, 3).click()
    assert told(page) == "Chosen: row 1, column 4."
    watched.send()
    assert len(watched.posts) == 1


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"latitude": 34.7, "longitude": 135.5}, "outside the map"),
        ({"latitude": 35.6755, "longitude": 139.7740}, "lies on water"),
        ({**STATION, "accuracy": 900}, "known to about 900 m"),
    ],
)
def test_positions_off_the_land_and_rough_ones(
    located: Watched, place: dict[str, float], said: str
) -> None:
    page = located.page
    page.context.set_geolocation(place)
    located.open("/walk?lang=en")
    page.get_by_role("button", name="Use my position").click()
    expect(page.locator(".place-found")).to_contain_text(said, timeout=90_000)
    picked = page.locator("[aria-selected=true]").count()
    assert picked == (1 if "accuracy" in place else 0)


def test_a_device_that_does_not_know_where_it_is(located: Watched) -> None:
    page = located.page
    located.open("/walk?lang=en")
    for code, said in ((2, "does not know"), (3, "too long")):
        page.evaluate(
            """(code) => { navigator.geolocation.getCurrentPosition =
                 (_, failed) => failed({ code }); }""",
            code,
        )
        page.get_by_role("button", name="Use my position").click()
        assert said in page.locator(".place-found").inner_text()


def test_picking_by_keyboard(watched: Watched) -> None:
    page = watched.page
    watched.open("/walk?lang=en")
    page.get_by_role("button", name="Use my position").focus()
    page.keyboard.press("Tab")
    focused = "document.activeElement.getAttribute('data-cell')"
    assert page.evaluate(focused) == "0"
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert page.evaluate(focused) == str(CELL)
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == "row 3, column 3, Tokyo Station"
    assert told(page).startswith("No cell chosen yet")
    page.keyboard.press("Enter")
    assert told(page) == "Chosen: row 3, column 3, Tokyo Station."
    expect(page.locator(".cell-grid [tabindex='0']")).to_have_count(1)
    page.keyboard.press("Control+End")
    assert page.evaluate(focused) == "63"
    assert "water" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press(" ")
    assert "This is water" in page.locator(".place-found").inner_text()
    assert told(page) == "Chosen: row 3, column 3, Tokyo Station."
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")
    assert told(page) == "Chosen: row 7, column 1."
    page.keyboard.press("Tab")
    assert page.evaluate(focused) is None
    watched.send()


def test_a_place_must_be_chosen(watched: Watched) -> None:
    page = watched.page
    watched.open("/walk?lang=en")
    page.locator("button[type=submit]").click()
    assert page.locator(".problem").inner_text() == "Please choose a cell of the map."
    assert page.evaluate("document.activeElement.id") == "question-1-position"
    cell(page, 5).click()
    expect(page.locator(".missing:visible")).to_have_count(0)
    assert watched.posts == []


def test_the_same_cell_sends_the_same_report_and_another_is_not_sent(watched: Watched) -> None:
    watched.open("/walk?lang=en")
    tabs = [watched, watched.tab(), watched.tab()]
    for tab in tabs[:2]:
        cell(tab.page, CELL).click()
        tab.send()
        said = tab.page.locator(".outcome").inner_text()
        assert "0.01 per metre of at most 0.01 per metre" in said
    assert watched.posts[0] == watched.posts[1]
    page = tabs[2].page
    cell(page, 40).click()
    page.locator("button[type=submit]").click()
    page.wait_for_selector(".outcome-capped")
    assert (
        "limit for this survey is ε\xa0=\xa00.01 per metre" in page.locator(".outcome").inner_text()
    )
    assert len(watched.posts) == 2


def test_the_protection_is_said_in_metres(watched: Watched) -> None:
    page = watched.page
    watched.open("/walk?lang=en")
    how = page.locator(".how").inner_text()
    assert "ε\xa0=\xa00.01 for each metre, 10 over a kilometre" in how
    assert "Even of two cells that touch, a report may be more than twice as likely" in how
    assert "within" not in how  # ln 2 / 0.01 = 69.3 is less than any two middles lie apart
    tells = page.locator("body").inner_text()
    assert "side by side may lie in different cells" in tells
    assert "up to 86.2 % sure of one" in tells  # of e^(0.01 × 183), over a cell's diagonal
    assert "whole submission" not in how
    page.locator(".odds summary").click()
    odds = page.locator(".odds").inner_text()
    assert "1.3 km apart, that makes ε = 12.8" in odds
    assert "Fresh reports about a place add up" in odds
    cell(page, CELL).click()
    assert re.search(r"on average \d+ m away", page.locator(".place-distance").inner_text())


def test_the_language_switch_keeps_the_cell(watched: Watched) -> None:
    page = watched.page
    watched.open("/walk?lang=en")
    cell(page, CELL).click()
    page.get_by_role("link", name="日本語").click()
    page.wait_for_selector("html[lang=ja]")
    assert told(page) == "選択中：3 行 3 列、東京駅。"
    watched.send()


def test_only_this_survey_s_page_may_ask_for_a_position(watched: Watched) -> None:
    for path, allowed in (("/walk", True), ("/walk/results", False), ("/tea", False), ("/", False)):
        answer = watched.page.request.get(f"{watched.origin}{path}")
        policy = answer.headers["permissions-policy"]
        assert ("geolocation=(self)" if allowed else "geolocation=()") in policy


# -- the results ---------------------------------------------------------------------------------


def test_the_map_and_its_tables(watched: Watched) -> None:
    told = collect(watched)["questions"][0]
    page = results_page(watched)
    assert page.locator(".spent").inner_text() == "ε = 0.01 per metre for a place"
    cells = {one["cell"]: one for one in told["cells"]}
    top = max(cells, key=lambda number: cells[number]["map"])
    assert top == 45
    assert "heat-8" in cell(page, top).get_attribute("class")
    detail = page.locator(".heat-detail")
    assert "arrow keys" in detail.inner_text()
    cell(page, top).hover()
    own = cells[top]
    assert detail.inner_text().startswith(f"row 6, column 6: {100 * own['map']:.2f} % on the map")
    assert f"95 % interval: {100 * own['low']:.2f} to {100 * own['high']:.2f} %" in (
        detail.inner_text()
    )
    page.locator(".cell-grid [tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    assert detail.inner_text().startswith("row 1, column 2: ")
    page.keyboard.press("Control+End")
    assert detail.inner_text() == "row 8, column 8, water."
    expect(page.locator(".joint tbody tr")).to_have_count(10)
    assert page.locator(".joint tbody tr").first.get_attribute("data-cell") == str(top)
    page.locator(".table summary").click()
    expect(page.locator(".joint tbody tr")).to_have_count(66, timeout=90_000)
    page.wait_for_timeout(2500)  # new figures arrive: the focus stays
    expect(page.locator(".joint tbody tr")).to_have_count(66)


def test_standard_errors_on_the_map(watched: Watched) -> None:
    told = collect(watched)["questions"][0]
    page = results_page(watched)
    page.locator(".map-switch label", has_text="Standard errors").click()
    worst = max(told["cells"], key=lambda one: one["stderr"])
    assert "heat-8" in cell(page, worst["cell"]).get_attribute("class")
    text = page.locator(".heat-scale").inner_text()
    assert text.rstrip().endswith(f"{100 * worst['stderr']:.1f} %")
    page.get_by_role("link", name="日本語").click()
    page.wait_for_selector("html[lang=ja]")
    assert page.locator(".map-switch input[value=stderr]").is_checked()


def test_few_reports_are_said_so(watched: Watched) -> None:
    page = watched.page
    watched.open("/walk?lang=en")
    cell(page, CELL).click()
    watched.send()
    watched.draw_few()
    watched.open("/walk/results?lang=en")
    page.wait_for_selector(".cell-grid .rough")
    expect(page.locator(".cell-grid .rough")).to_have_count(56)
    assert "every cell" in page.locator(".warnings").inner_text()
    assert page.evaluate(CONTRAST) == []


def test_results_are_readable(watched: Watched) -> None:
    page = watched.page
    collect(watched)
    page.set_viewport_size({"width": 320, "height": 640})
    for language in ("en", "ja"):
        results_page(watched, language)
        watched.check_small()
