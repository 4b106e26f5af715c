"""What a results page does while it is open: it changes in place, and asks for little."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import serving
from playwright.sync_api import expect
from surveys import all_collections

import sudare as sd
from sudare.cli.answering import HonestReports
from sudare.collection import Collection, send_batch
from sudare.collector.lifecycle_commands import change_life

NARROW = {"width": 375, "height": 800}
LEFT_OUT = {"closed", "invited", "words"}
"""What takes no reports, or too long: 5,000 rows are as twenty."""

DOM = """() => {
  const main = document.querySelector("main").cloneNode(true);
  for (const one of main.querySelectorAll(".visually-hidden[role=status]")) one.textContent = "";
  return main.innerHTML.replaceAll("><", ">\\n<").split("\\n");
}"""
OPEN = "() => { for (const one of document.querySelectorAll('main details')) one.open = true; }"
WATCH = """() => {
  globalThis.seen = [];
  new MutationObserver((all) => seen.push(...all.map((one) =>
    `${one.type} ${one.attributeName} ${one.target.nodeName} ${one.target.className}`)))
    .observe(document.querySelector("main"), {
      subtree: true, childList: true, attributes: true, characterData: true });
}"""


def answer(origin: str, survey: Collection, count: int, seed: bytes) -> None:
    """Let so many made-up people answer a survey."""
    crowd = HonestReports(survey, sd.Entropy.seeded(seed))
    send_batch(origin, [crowd.submission() for _ in range(count)])


def settled(page: Any) -> None:
    """Wait until what was asked for apart is there, and tables are measured."""
    page.wait_for_load_state("networkidle")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")


@pytest.fixture(scope="module")
def origin(tmp_path_factory: Any) -> Iterator[str]:
    """Serve all surveys of the browser tests, with answers of 40 people each."""
    folder = tmp_path_factory.mktemp("polls")
    with serving.serve(all_collections(), folder / "polls.sqlite3") as address:
        yield address


def shown(page: Any, n: int) -> None:
    expect(page.locator("#n")).to_have_text(f"{n} reports")
    settled(page)


def test_a_poll_leaves_what_a_fresh_load_shows(browser: Any, origin: str) -> None:
    """Of every kind of question, on a phone: headings, roles, and what is open."""
    with serving.fresh(browser, origin, viewport=NARROW) as watched:
        page, other = watched.page, watched.page.context.new_page()
        names = []
        for survey in all_collections():
            if survey.name in LEFT_OUT or survey.admission == "invited":
                continue
            names.append(survey.name)
            answer(origin, survey, 40, b"first")
            page.goto(f"{origin}/{survey.name}/results?lang=en")
            shown(page, 40)
            page.evaluate(OPEN)
            before = page.locator("main details").count()
            answer(origin, survey, 77, b"second")
            shown(page, 117)
            other.goto(f"{origin}/{survey.name}/results?lang=en")
            shown(other, 117)
            other.evaluate(OPEN)
            settled(other)
            assert page.locator("main details[open]").count() == before
            assert page.evaluate(DOM) == other.evaluate(DOM), survey.name
            again(page, survey.name)
        assert len(names) > 15


def again(page: Any, name: str) -> None:
    """A body that says the same again changes no node."""
    bodies = []

    def untagged(route: Any) -> None:
        answer = route.fetch(headers={**route.request.headers, "if-none-match": ""})
        bodies.append(answer.status)
        route.fulfill(response=answer, headers={**answer.headers, "etag": ""})

    page.route("**/results?*target*", untagged)
    page.evaluate(WATCH)
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(400)
    settled(page)
    page.unroute_all(behavior="wait")  # what is under way is answered first
    assert set(bodies) == {200}  # one, or two where the clock of the polls comes between
    assert page.evaluate("seen") == [], name


def test_nothing_new_costs_nothing(browser: Any, origin: str) -> None:
    """No mutation and no body in ten seconds; pauses that grow, and end with the first news."""
    (tea,) = (one for one in all_collections() if one.name == "two")
    answer(origin, tea, 60, b"third")
    with serving.fresh(browser, origin) as watched:
        page, asked = watched.page, []
        page.on("response", lambda one: asked.append((time.monotonic(), one.status)))
        watched.open("/two/results?lang=en")
        page.wait_for_selector(".bars li")
        settled(page)
        first = page.locator("[data-question=cups] tbody tr").first
        first.evaluate("(one) => getSelection().selectAllChildren(one.querySelector('th'))")
        page.evaluate(WATCH)
        asked.clear()
        page.wait_for_timeout(14_000)
        assert page.evaluate("seen") == []
        assert {status for _, status in asked} == {304}
        pauses = [b[0] - a[0] for a, b in pairwise(asked)]
        assert pauses == sorted(pauses)
        assert pauses[-1] > 4
        expect(page.locator("#n")).to_contain_text("reports")
        before = page.locator("#n").inner_text()
        answer(origin, tea, 20, b"fourth")
        expect(page.locator("#n")).not_to_have_text(before)
        asked.clear()
        page.wait_for_timeout(2600)
        assert len(asked) >= 1  # soon again
        assert page.evaluate("String(getSelection())") != ""


def test_a_survey_that_is_deleted_says_so_and_is_asked_for_no_more(
    browser: Any, tmp_path: Any
) -> None:
    database = tmp_path / "deleted.sqlite3"
    (tea,) = (one for one in all_collections() if one.name == "tea")
    with serving.serve((tea,), database) as own, serving.fresh(browser, own) as watched:
        page, asked = watched.page, []
        answer(own, tea, 20, b"deleted")
        watched.open("/tea/results?lang=en")
        page.wait_for_selector(".bars li")
        for command in ("close", "delete"):
            change_life("tea", str(database), command)
        page.get_by_text("This survey was deleted by its owner.").wait_for()
        page.on("request", lambda one: asked.append(one.url))
        page.wait_for_timeout(5000)
        assert asked == []
        assert page.get_by_text("Paused").count() == 0


def test_nothing_is_offered_before_there_is_something(browser: Any, origin: str) -> None:
    """Of an empty survey no file is offered: each would be an error."""
    with serving.fresh(browser, origin) as watched:
        watched.open("/closed/results?lang=en")
        watched.page.locator(".empty").wait_for()
        assert watched.page.locator("main a[download]:visible").count() == 0


def spoil(broken: dict[str, Any], route: Any) -> None:
    """Answer with results that no view can draw."""
    told = route.fetch()
    route.fulfill(response=told, json={**told.json(), **broken})


def test_a_page_that_cannot_go_on_says_so(browser: Any, origin: str) -> None:
    """Whatever a view meets: a title, what to do, and a button to try again."""
    (tea,) = (one for one in all_collections() if one.name == "tea")
    answer(origin, tea, 15, b"broken")
    with serving.fresh(browser, origin) as watched:
        page = watched.page
        for broken in (
            {"questions": None},
            {"questions": [{"id": "brand"}]},
            {"publication": None},
        ):
            page.route("**/results?*target*", partial(spoil, broken))
            watched.open("/tea/results?lang=en")
            page.get_by_text("Something went wrong on this page. Please reload it.").wait_for()
            page.unroute("**/results?*target*")
            page.get_by_role("button", name="Try again").click()
            page.wait_for_selector(".bars li")


def test_legends_and_bars_are_seen_with_forced_colours(browser: Any, origin: str) -> None:
    """Each step of a scale has its colour, and a bar is another than what lies behind it."""
    found = [one for one in all_collections() if one.name in ("walk", "bath", "teas")]
    for survey in found:
        answer(origin, survey, 60, b"forced")
    own = "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"
    fills = """(all) => all.map((one) => getComputedStyle(one).fill)
      .concat(getComputedStyle(document.body).backgroundColor)"""
    for scheme in ("light", "dark"):
        with serving.fresh(browser, origin, forced_colors="active", color_scheme=scheme) as watched:
            page = watched.page
            for name in ("walk", "bath"):
                watched.open(f"/{name}/results?lang=en")
                page.wait_for_selector(".swatch")
                swatches = page.locator(".heat-scale").first.locator(".swatch").evaluate_all(own)
                assert len(set(swatches)) == 9, (name, scheme)
            watched.open("/teas/results?lang=en")
            page.wait_for_selector(".bar")
            *bars, behind = page.locator(".bar:not(.bar-negative)").evaluate_all(fills)
            assert behind not in bars
