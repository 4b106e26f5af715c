"""Crosstabs in a real browser: answered part by part, sent, and shown as a heat map."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, payload

import sudare as sd

TRUE = np.full((4, 4, 2), 10)
TRUE[0, 2] += 900
TRUE[1, 1, 0] += 1200
TRUE[2, 0] += 700


def radio(page: object, attribute: str, choice: str) -> object:
    return page.locator(f"[data-attribute={attribute}] input[value={choice}]")


def fill(page: object) -> None:
    for attribute, choice in (("often", "daily"), ("age", "old"), ("salt", "no")):
        radio(page, attribute, choice).check()


def send(page: object) -> None:
    page.locator("button[type=submit]").click()


def collect(watched: object) -> dict[str, object]:
    """Send a seeded crowd's reports; return the results."""
    survey = watched.compiled("bath")
    rows = np.repeat(np.argwhere(TRUE >= 0), TRUE.ravel(), axis=0)
    reports = survey.questions[0].mechanism.perturb(rows, rng=sd.Entropy.seeded(b"bath"))
    return watched.deliver("bath", map(bytes, reports.tolist()))


def test_answered_sent_and_shown(watched: object) -> None:
    page = watched.page
    watched.open("/bath?lang=en")
    fill(page)
    watched.send()
    (post,) = watched.posts
    report = payload(post)
    assert len(report) == 3
    labels = [
        ["Every day", "Every week", "Rarely", "Prefer not to say"],
        ["Up to 29", "30 to 59", "60 and more", "Prefer not to say"],
        ["Yes", "No"],
    ]
    shown = page.locator(".report-parts li span:nth-child(2)").all_inner_texts()
    assert shown == [names[place] for names, place in zip(labels, report, strict=True)]
    counts = watched.counts("bath")
    support = np.array(counts["questions"]["habit"]["support"])
    assert support.shape == (4, 4, 2)
    assert support[tuple(report)] == support.sum() == counts["n"] == 1


def test_the_same_answers_send_the_same_report(watched: object) -> None:
    watched.open("/bath")
    for tab in (watched, watched.tab()):
        fill(tab.page)
        tab.send()
    assert watched.posts[0] == watched.posts[1]


def test_every_part_must_be_answered(watched: object) -> None:
    page = watched.page
    watched.open("/bath?lang=en")
    radio(page, "often", "daily").check()
    send(page)
    assert "every part" in page.locator(".missing:visible").inner_text()
    assert page.evaluate("document.activeElement.name") == "question-1-age"
    radio(page, "age", "young").check()
    send(page)
    assert page.evaluate("document.activeElement.name") == "question-1-salt"
    assert watched.posts == []
    radio(page, "salt", "yes").check()
    watched.send()


def test_the_language_switch_keeps_what_is_chosen(watched: object) -> None:
    page = watched.page
    watched.open("/bath?lang=en")
    radio(page, "often", "rarely").check()
    page.get_by_role("link", name="日本語").click()
    page.wait_for_selector("html[lang=ja]")
    assert radio(page, "often", "rarely").is_checked()
    expect(page.get_by_role("group", name="あなたの年齢").get_by_role("radio")).to_have_count(4)


def test_the_epsilon_of_each_part_and_of_the_question_are_named(watched: object) -> None:
    page = watched.page
    watched.open("/bath?lang=en")
    page.locator(".odds summary").click()
    text = page.locator(".odds").inner_text()
    for part in ("ε = 1.5", "ε = 2.0", "This question spends ε = 5.0, for its 3 parts together"):
        assert part in text
    collect(watched)
    watched.open("/bath/results?lang=en")
    page.wait_for_selector(".heat")
    about = page.locator(".result .technical p").first.text_content()
    assert "ε = 5.0 for one answer to the whole question" in about
    assert "“Your age” ε = 2.0" in about


def test_the_heat_map_shows_the_pair_that_is_chosen(watched: object) -> None:
    page = watched.page
    results = collect(watched)["questions"][0]
    watched.open("/bath/results?lang=en")
    page.wait_for_selector(".heat td[tabindex='0']")
    grid = page.get_by_role("grid", name="Heat map")
    cells = [max(round(100 * cell["share"], 1), 0) for cell in results["pairs"][0]["cells"]]
    texts = grid.get_by_role("gridcell").all_inner_texts()[1:]
    shown = [float(text.replace("\N{MINUS SIGN}", "-")) for text in texts]
    assert shown == pytest.approx(cells, abs=0.051)
    largest = int(np.argmax(cells))
    assert "heat-8" in grid.locator("tbody td").nth(largest).get_attribute("class")
    v = results["pairs"][0]["dependence"]
    assert f"{v['value']:.2f}. 95 % interval" in page.locator(".dependence").inner_text()
    table = page.locator(".result > div .table tbody tr")
    page.locator(".result > div .table summary").click()
    expect(table).to_have_count(16)
    own = results["pairs"][0]["cells"][5]
    low, high = max(own["low"], 0), min(own["high"], 1)
    assert f"{100 * low:.2f} to {100 * high:.2f}" in table.nth(5).inner_text()
    page.get_by_label("Show").select_option("1")
    expect(page.get_by_role("grid").locator("tbody td")).to_have_count(8)
    # the longer attribute goes down, whichever is asked first
    expect(page.get_by_role("grid").locator("tbody tr")).to_have_count(4)
    expect(page.locator(".attribute .bars li")).to_have_count(10)


def test_the_chosen_pair_outlives_target_and_language(watched: object) -> None:
    page = watched.page
    collect(watched)
    watched.open("/bath/results?lang=en")
    page.wait_for_selector(".heat td[tabindex='0']")
    page.get_by_label("Show").select_option("1")
    with page.expect_response(lambda answer: "target=respondents" in answer.url):
        page.locator(".switch label", has_text="The respondents").click()
    page.wait_for_selector("input[name=target][value=respondents]:checked")
    page.wait_for_timeout(300)
    assert page.locator("#pair-habit").input_value() == "1"
    expect(page.get_by_role("grid").locator("tbody td")).to_have_count(8)
    page.get_by_role("link", name="日本語").click()
    page.wait_for_selector("html[lang=ja]")
    assert page.locator("#pair-habit").input_value() == "1"
    expect(page.get_by_role("grid").locator("tbody td")).to_have_count(8)


def test_the_map_by_keyboard_and_by_pointing(watched: object) -> None:
    page = watched.page
    collect(watched)
    watched.open("/bath/results?lang=en")
    page.wait_for_selector(".heat td[tabindex='0']")
    detail = page.locator(".heat-detail")
    assert "arrow keys" in detail.inner_text()
    page.locator(".heat td[tabindex='0']").focus()
    assert detail.inner_text().startswith("Every day × Up to 29: ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert detail.inner_text().startswith("Every week × 30 to 59: ")
    assert "95 % interval" in detail.inner_text()
    expect(page.locator(".heat td[tabindex='0']")).to_have_count(1)
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowDown")
    assert detail.inner_text().startswith("Prefer not to say × Prefer not to say: ")
    page.keyboard.press("Home")
    assert detail.inner_text().startswith("Prefer not to say × Up to 29: ")
    page.locator(".heat tbody td").nth(2).hover()
    assert detail.inner_text().startswith("Every day × 60 and more: ")
    page.wait_for_timeout(2500)  # new figures arrive: the focus stays
    assert page.evaluate("document.activeElement.getAttribute('role')") == "gridcell"


def test_few_reports_are_said_so(watched: object) -> None:
    page = watched.page
    watched.open("/bath?lang=en")
    fill(page)
    watched.send()
    watched.draw_few()
    watched.open("/bath/results?lang=en")
    page.wait_for_selector(".heat .rough")
    expect(page.locator(".heat .rough")).to_have_count(16)
    assert "each of the 16 cells" in page.locator(".result > .warnings").inner_text()
    page.locator(".heat tbody td").first.hover()
    assert "Few reports" in page.locator(".heat-detail").inner_text()
    page.locator(".result > div .table summary").click()
    expect(page.locator(".joint tbody tr.rough")).to_have_count(16)
    assert "cannot be said yet" in page.locator(".dependence").inner_text()
    assert page.evaluate(CONTRAST) == []


def test_results_are_readable(watched: object) -> None:
    page = watched.page
    collect(watched)
    page.set_viewport_size({"width": 320, "height": 640})
    for language in ("en", "ja"):
        watched.open(f"/bath/results?lang={language}")
        page.wait_for_selector(".heat td[tabindex='0']")
        watched.check_small()


def test_words_of_a_heading_stay_whole(watched: object) -> None:
    page = watched.page
    collect(watched)
    page.set_viewport_size({"width": 320, "height": 640})
    watched.open("/bath/results?lang=en")
    page.wait_for_selector(".heat td[tabindex='0']")
    page.locator(".result > div .table summary").click()
    # the lines of a text node that holds one word only
    broken = page.evaluate("""() => [...document.querySelectorAll("thead th")].filter((head) =>
        [...head.textContent.matchAll(/\\S+/g)].some((word) => {
          const node = document.createTreeWalker(head, NodeFilter.SHOW_TEXT).nextNode();
          const range = document.createRange();
          if (node.textContent !== head.textContent) return false;
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          return range.getClientRects().length > 1;
        })).map((head) => head.textContent)""")
    assert broken == []


def test_headings_of_a_long_map_stay_in_sight(watched: object) -> None:
    page = watched.page
    collect(watched)
    page.set_viewport_size({"width": 700, "height": 200})
    watched.open("/bath/results?lang=en")
    page.wait_for_selector(".heat td[tabindex='0']")
    frame = page.locator(".heat-frame")
    frame.evaluate("(one) => { one.scrollTop = one.scrollHeight; }")
    assert frame.evaluate("(one) => one.scrollTop") > 0
    top, head = frame.bounding_box()["y"], page.locator(".heat thead th").first.bounding_box()["y"]
    assert head == pytest.approx(top, abs=2)
