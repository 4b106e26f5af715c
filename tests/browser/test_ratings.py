"""Ratings in a real browser: answered by stars and by slider, sent, and shown item by item."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, UNNAMED, payload

import sudare as sd

STATES = {
    "en": ["towards the upper end", "towards the lower end", "I do not have it"],
    "ja": ["評価は高いほう", "評価は低いほう", "持っていない"],
}


def part(page: object, item: str) -> object:
    return page.locator(f"fieldset[data-item={item}]")


def rate(page: object, item: str, level: int | None) -> None:
    own = part(page, item)
    own.locator("input[value=no]" if level is None else "input[value=yes]").check()
    if level is not None:
        own.locator(".star").nth(level - 1).click()


def slide(page: object, item: str, level: int) -> None:
    part(page, item).locator("input[value=yes]").check()
    part(page, item).locator("input[type=range]").fill(str(level))


def fill(page: object) -> None:
    for item, level in (("green", 4), ("black", None), ("oolong", 1), ("barley", None)):
        rate(page, item, level)
    slide(page, "clay", 17)
    rate(page, "iron", None)


def send(page: object) -> None:
    page.locator("button[type=submit]").click()


def collect(watched: object, n: int = 4000) -> dict[str, object]:
    """Send a seeded crowd's reports; return the results."""
    survey = watched.compiled("shelf")
    draw = np.random.default_rng(1)
    columns = []
    for question in survey.questions:
        d = len(question.items)
        held = draw.random((n, d)) < np.linspace(0.8, 0.05, d)
        values = np.clip(draw.normal(np.linspace(0.7, -0.6, d), 0.3, (n, d)), -1, 1)
        rng = sd.Entropy.seeded(question.id.encode())
        columns.append(question.mechanism.perturb(held, values, rng=rng))
    rows = np.concatenate(columns, axis=1).astype(np.uint8)
    return watched.deliver("shelf", map(bytes, rows))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_answered_sent_and_shown(watched: object, language: str) -> None:
    page = watched.page
    watched.open(f"/shelf?lang={language}")
    fill(page)
    watched.send()
    (post,) = watched.posts
    report = payload(post)
    assert len(report) == 4
    names = {
        "en": (["Green tea", "Black tea", "Oolong", "Barley tea"], ["Clay pot", "Iron pot"]),
        "ja": (["緑茶", "紅茶", "烏龍茶", "麦茶"], ["土の急須", "鉄瓶"]),
    }[language]
    for i in range(2):
        shown = page.locator(".report-item").nth(i)
        assert shown.locator("strong").inner_text() == names[i][report[2 * i]]
        state = STATES[language][report[2 * i + 1]]
        assert state in shown.locator(".report-state").inner_text()
    counts = watched.counts("shelf")
    for i, question in enumerate(("teas", "pots")):
        support = np.array(counts["questions"][question]["support"])
        assert support[report[2 * i], report[2 * i + 1]] == support.sum() == counts["n"] == 1


def test_the_same_answers_send_the_same_report(watched: object) -> None:
    watched.open("/shelf")
    for tab in (watched, watched.tab()):
        fill(tab.page)
        tab.send()
    assert watched.posts[0] == watched.posts[1]


def test_nothing_is_preselected_and_each_open_item_says_so(watched: object) -> None:
    page = watched.page
    watched.open("/shelf?lang=en")
    expect(page.locator("form :checked")).to_have_count(0)
    rate(page, "green", 3)
    part(page, "oolong").locator("input[value=yes]").check()
    expect(page.locator(".item-missing:visible")).to_have_count(0)
    send(page)
    assert watched.posts == []
    wanting = page.locator("[data-question=teas] .item-missing:visible")
    assert wanting.all_inner_texts() == [
        "Please choose one of the two.",
        "Please rate it.",
        "Please choose one of the two.",
    ]
    assert page.evaluate("document.activeElement.name") == "question-1-black"
    rate(page, "black", None)
    expect(wanting).to_have_count(2)  # the others still say so
    send(page)
    assert page.evaluate("document.activeElement.name") == "question-1-oolong-level"
    page.keyboard.press("Space")
    rate(page, "barley", None)
    expect(page.locator("[data-question=teas].is-missing")).to_have_count(0)
    part(page, "clay").locator("input[value=yes]").check()
    rate(page, "iron", None)
    send(page)
    expect(page.locator("[data-question=pots] .item-missing:visible")).to_have_count(1)
    assert page.evaluate("document.activeElement.type") == "range"
    assert watched.posts == []
    page.keyboard.press("Enter")  # takes the level that the slider stands on, and sends nothing
    assert page.locator("output.level:visible").last.inner_text() == "11 of 21"
    assert watched.posts == []
    watched.send()


def test_a_change_of_mind(watched: object) -> None:
    page = watched.page
    watched.open("/shelf?lang=en")
    rate(page, "green", 5)
    assert part(page, "green").locator("output").inner_text() == "5 of 5"
    rate(page, "green", 2)
    assert part(page, "green").locator("output").inner_text() == "2 of 5"
    filled = "(star) => getComputedStyle(star).fill"
    fills = part(page, "green").locator(".star-shape").evaluate_all(f"(all) => all.map({filled})")
    assert fills[0] == fills[1] != fills[2] == fills[3] == fills[4]
    rate(page, "green", None)
    expect(part(page, "green").locator(".stars")).to_have_count(0)
    rate(page, "green", 1)
    page.get_by_role("link", name="日本語").click()
    page.wait_for_selector("html[lang=ja]")
    assert part(page, "green").locator("input[value='1']").is_checked()
    assert part(page, "green").locator("output").inner_text() == "1 / 5"


def test_one_button_for_all_that_a_person_does_not_have(watched: object) -> None:
    page = watched.page
    watched.open("/films?lang=en")
    rate(page, "film-2", 10)
    rate(page, "film-3", None)
    part(page, "film-5").get_by_label("Seen", exact=True).check()
    send(page)
    expect(page.locator(".item-missing:visible")).to_have_count(6)
    page.get_by_role("button", name="All others: “Not seen”").click()
    assert page.locator(".item-rest [role=status]").inner_text().startswith("5 items marked")
    wanting = page.locator(".item-missing:visible")
    assert wanting.all_inner_texts() == ["Please rate it."]  # what was said to be had stays
    part(page, "film-5").locator(".star").nth(6).click()
    watched.send()
    assert len(watched.posts) == 1
    assert "een”" in page.locator(".report-state").inner_text()  # the author's wording
    watched.draw_few()
    watched.open("/films/results?lang=ja")
    page.wait_for_selector(".item-rows li")
    assert page.locator(".item-head").first.inner_text() == "観た"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_by_keyboard_alone(watched: object, language: str) -> None:
    page = watched.page
    watched.open(f"/shelf?lang={language}")
    page.locator("input[name=question-1-green]").first.focus()
    page.keyboard.press("ArrowRight")  # has it
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # one star
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.value") == "4"
    for _ in range(3):
        page.keyboard.press("Tab")
        page.keyboard.press("Space")  # does not have it
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.value") == "20"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")  # in a form, Enter sends
    page.wait_for_selector(".outcome-sent")
    assert len(watched.posts) == 1


def test_names_for_a_screen_reader(watched: object) -> None:
    page = watched.page
    watched.open("/shelf?lang=en")
    rate(page, "green", 2)
    slide(page, "clay", 9)
    item = page.get_by_role("group", name="Green tea", exact=True)
    assert item.get_by_role("radio", name="I have it").is_checked()
    stars = page.get_by_role("group", name="How do you rate it? Green tea")
    expect(stars.get_by_role("radio")).to_have_count(5)
    assert stars.get_by_role("radio", name="2 of 5 stars").is_checked()
    slider = page.get_by_role("slider", name="How do you rate it? Clay pot")
    assert slider.get_attribute("aria-valuetext") == "9 of 21"
    assert page.evaluate(UNNAMED) == []
    page.locator(".odds summary").click()
    text = page.locator(".odds").inner_text()
    assert "One of 4 parts is drawn at random" in text
    assert text.count("rounded at random to the highest or the lowest") == 2


@pytest.mark.parametrize("language", ["en", "ja"])
def test_readable_on_a_phone(watched: object, language: str) -> None:
    page = watched.page
    watched.open(f"/shelf?lang={language}")
    send(page)
    rate(page, "green", 3)
    part(page, "clay").locator("input[value=yes]").check()
    watched.check_small()
    collect(watched)
    page.set_viewport_size({"width": 390, "height": 844})
    watched.open(f"/shelf/results?lang={language}")
    page.wait_for_selector(".item-rows li")
    page.wait_for_function("document.querySelectorAll('.items-table.stacked').length === 2")
    wide = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator(".scroll:visible").evaluate_all(wide) == 0
    heads = "(all) => all.map((one) => one.dataset.head.replaceAll('\\xa0', ' '))"
    shown = page.locator(".items-table").first.locator("tbody tr").first.locator("td")
    assert (
        shown.evaluate_all(heads)[:3]
        == {
            "en": ["Reports", "I have it · Estimate", "I have it · 95 % interval"],
            "ja": ["報告数", "持っている · 推定値", "持っている · 95 % 区間"],
        }[language]
    )
    watched.check_small()


def test_the_results_show_share_and_mean_of_each_item(watched: object) -> None:
    page = watched.page
    results = collect(watched)["questions"][0]
    watched.open("/shelf/results?lang=en")
    page.wait_for_selector(".item-rows li")
    card = page.locator("[data-question=teas]")
    rows = card.locator(".item-rows li")
    table = card.locator("tbody tr")
    for i, item in enumerate(results["items"]):
        share, level = item["frequency"], item["level"]
        texts = rows.nth(i).locator(".item-figures").all_inner_texts()
        assert texts[0].startswith(f"{100 * share['value']:.1f} % {100 * share['low']:.1f} to")
        assert texts[1].startswith(f"{level['value']:.2f} {level['low']:.2f} to")
        cells = table.nth(i).locator("td").all_inner_texts()
        assert cells[0] == f"{item['n']:,}"
        assert cells[1] == f"{100 * share['value']:.2f}"
        assert cells[5] == f"{level['low']:.2f} to {level['high']:.2f}"
        bar = rows.nth(i).locator(".bar").nth(1)
        width = float(bar.get_attribute("width").rstrip("%"))
        assert width == pytest.approx(25 * (level["value"] - 1), abs=0.01)
    assert "of those who have it, and of nobody else" in card.inner_text()
    expect(page.locator("text=Bars show the estimates")).to_have_count(0)
    page.get_by_text("By share").click()
    order = sorted(results["items"], key=lambda one: -one["frequency"]["value"])
    assert rows.evaluate_all("(all) => all.map((one) => one.dataset.item)") == [
        one["item"] for one in order
    ]


def test_the_rows_by_keyboard_and_by_pointing(watched: object) -> None:
    page = watched.page
    collect(watched)
    watched.open("/shelf/results?lang=en")
    page.wait_for_selector(".item-name[tabindex='0']")
    card = page.locator("[data-question=teas]")
    detail = card.locator(".item-detail")
    assert "arrow keys" in detail.inner_text()
    expect(card.locator(".item-name[tabindex='0']")).to_have_count(1)
    card.locator(".item-name").first.focus()
    assert detail.inner_text().startswith("Green tea, ")
    page.keyboard.press("ArrowDown")
    assert detail.inner_text().startswith("Black tea, ")
    assert "standard error" in detail.inner_text()
    assert "Black tea, “I have it”: " in detail.inner_text()
    assert "reports about this item" in detail.inner_text()
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    assert detail.inner_text().startswith("Barley tea, ")
    card.locator(".item-rows li").nth(2).hover()
    assert detail.inner_text().startswith("Oolong, ")
    page.wait_for_timeout(2500)  # new figures arrive: the focus stays
    assert page.evaluate("document.activeElement.textContent") == "Barley tea"


def test_few_reports_are_said_so(watched: object) -> None:
    page = watched.page
    watched.open("/shelf?lang=en")
    fill(page)
    watched.send()
    watched.draw_few()
    watched.open("/shelf/results?lang=en")
    page.wait_for_selector(".item-rows li")
    told = page.locator("[data-question=teas] .warnings").inner_text()
    assert "of every item there are fewer than 30 reports" in told
    assert page.locator("[data-question=teas] .item-rows").inner_text().count("no report yet") == 6
    assert page.evaluate(CONTRAST) == []
