"""The results page: bars and table agree with the API, live and in both languages."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect


def fill(watched: object, name: str, answers: int) -> None:
    """Post made-up reports over the API; what they say does not matter here."""
    (question,) = watched.api(name)["definition"]["questions"]
    k = question["program"]["k"]
    watched.deliver(name, (bytes([i % 7 % (k - 1)]) for i in range(answers)))


def percent(share: float, digits: int) -> str:
    text = f"{abs(share) * 100:.{digits}f}"
    return ("−" if share < 0 and float(text) else "") + text


def test_empty_at_first_then_live(watched: object) -> None:
    page = watched.page
    watched.open("/tea/results")
    assert "No reports yet" in page.locator("main").inner_text()
    expect(page.locator(".bars li")).to_have_count(0)
    fill(watched, "tea", 1)
    page.locator("#n", has_text="1 report").wait_for()
    fill(watched, "tea", 20)
    page.wait_for_selector(".bars li")
    assert page.locator("#n").inner_text() == "21 reports"


def test_nothing_is_drawn_of_few_answers_and_nothing_outside_of_what_is_possible(
    watched: object,
) -> None:
    """One answer of GRR at ε = 2 alone: 144 and -16 %."""
    page = watched.page
    few = "answers so far. Results say something from about 9 answers on."
    for language, sentence in (("en", few), ("ja", "回答はまだ 8 件です")):
        watched.open(f"/tea/results?lang={language}")
        if language == "en":
            watched.deliver("tea", [b"\0"])
            page.get_by_text("1 answer so far. Results say something").wait_for()
            watched.deliver("tea", [b"\0"] * 7)
        page.locator(".few-answers-text", has_text=sentence).wait_for()
        assert page.locator("svg.axis text, tbody tr, .bars li").count() == 0
        assert page.locator(".result .chart, .result .warnings").first.is_hidden()
    watched.deliver("tea", [b"\0"])
    page.wait_for_selector(".bars li")
    cells = watched.results("tea")["questions"][0]["cells"]
    assert cells[0]["share"] > 1.3
    assert min(cell["share"] for cell in cells) < -0.05
    assert page.locator(".bar-value").all_inner_texts() == ["100.0 %"] + ["0.0 %"] * 5
    assert (
        page.locator("tr[data-choice] td:nth-of-type(1)").all_text_contents()
        == ["100.00"] + ["0.00"] * 5
    )
    assert page.locator(".bar-negative").count() == 0
    assert "推定値のうち 6 個" in page.locator(".technical").first.text_content()
    for width, scheme in ((375, "light"), (375, "dark"), (1280, "light"), (1280, "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_bars_and_table_agree_with_the_api(watched: object, target: str) -> None:
    page = watched.page
    fill(watched, "tea", 210)
    watched.open("/tea/results")
    page.wait_for_selector(".bars li")
    if target == "respondents":
        page.locator(".switch").get_by_text("The respondents").click()
        page.get_by_text("no one else").wait_for()
    (question,) = watched.results("tea", target)["questions"]
    assert len(question["cells"]) == 6
    assert any(cell["share"] < 0 for cell in question["cells"])
    for cell in question["cells"]:
        row = page.locator(f"tbody tr[data-choice={cell['choice']}] td").all_inner_texts()
        low, high = percent(cell["low"], 2), percent(cell["high"], 2)
        share = max(cell["share"], 0)
        assert row == [percent(share, 2), f"{low} to {high}", percent(cell["stderr"], 2)]
        bar = page.locator(f".bars li[data-choice={cell['choice']}]")
        assert bar.locator(".bar-value").inner_text() == percent(share, 1) + " %"
        assert drawn(bar, question["cells"]) == pytest.approx(share, abs=0.004)


def drawn(bar: object, cells: list[dict[str, float]]) -> float:
    """Read a share back from the pixels: the length of its bar against its whisker's."""
    measure = "element => element.getBoundingClientRect().width"
    choice = bar.get_attribute("data-choice")
    (cell,) = [one for one in cells if one["choice"] == choice]
    whisker = bar.locator(".whisker").first.evaluate(measure)
    length = bar.locator(".bar").evaluate(measure)
    return length / whisker * (cell["high"] - cell["low"])


def test_order_by_share(watched: object) -> None:
    page = watched.page
    fill(watched, "tea", 70)
    watched.open("/tea/results?lang=ja")
    page.wait_for_selector(".bars li")
    assert page.locator(".bars li").first.get_attribute("data-choice") == "oi-ocha"
    page.get_by_role("radio", name="質問の順").focus()
    page.keyboard.press("ArrowRight")
    (question,) = watched.results("tea")["questions"]
    by_share = sorted(question["cells"], key=lambda cell: -cell["share"])
    expected = [cell["choice"] for cell in by_share]
    order = "items => items.map(item => item.dataset.choice)"
    assert page.locator(".bars li").evaluate_all(order) == expected
    assert page.locator("tr[data-choice]").evaluate_all(order) == expected


def test_few_reports_are_said(watched: object) -> None:
    page = watched.page
    fill(watched, "tea", 14)
    watched.open("/tea/results")
    note = page.locator(".warnings")
    note.get_by_text("for every choice fewer than 30 reports").wait_for()
    fill(watched, "tea", 126)  # now 40, 40, 20, 20, 20 and 0 reports
    note.get_by_text("for 4 of 6 choices fewer than 30 reports").wait_for()
    assert "Oi Ocha" not in note.inner_text()
    (question,) = watched.results("tea")["questions"]
    assert all(cell["low"] >= 0 for cell in question["cells"][2:])
    fill(watched, "tea", 700)
    page.locator("#n", has_text="840").wait_for()
    assert note.inner_text() == ""
    watched.open("/tea/results?lang=ja")
    page.wait_for_selector(".bars li")


def test_a_change_of_language_leaves_open_what_is_open(watched: object) -> None:
    """Of respondents' and of results pages: what is unfolded, how far it is scrolled, the focus."""
    page = watched.page
    fill(watched, "tea", 14)
    page.set_viewport_size({"width": 375, "height": 600})
    for path in ("/tea", "/tea/results"):
        watched.open(f"{path}?lang=en")
        page.wait_for_function("document.querySelectorAll('main details').length > 0")
        page.evaluate("""() => {
            const folds = [...document.querySelectorAll('main details')];
            folds.forEach((one, i) => (one.open = i % 2 === 0));
            scrollTo(0, 400);
        }""")
        before = page.evaluate(FOLDS)
        assert before[1] == 400
        page.locator("#languages a[lang=ja]").focus()
        page.evaluate("scrollTo(0, 400)")
        page.keyboard.press("Enter")
        page.wait_for_selector("html[lang=ja]")
        page.wait_for_timeout(100)
        assert page.evaluate(FOLDS) == before
        assert page.evaluate("document.activeElement.lang") == "ja"


FOLDS = (
    "[[...document.querySelectorAll('main details')].map(({ open }) => open), Math.round(scrollY)]"
)


def test_downloads_are_the_api(watched: object) -> None:
    page = watched.page
    fill(watched, "tea", 7)
    watched.open("/tea/results")
    for label in ("Results (JSON)", "Counts (JSON)"):
        with page.expect_download() as started:
            page.get_by_role("link", name=label).click()
        assert started.value.suggested_filename.endswith(".json")


def test_a_lost_collector_is_said_and_recovered_from(watched: object) -> None:
    page = watched.page
    fill(watched, "tea", 14)
    watched.open("/tea/results")
    page.wait_for_selector(".bars li")
    page.route("**/results?*", lambda route: route.abort())
    page.wait_for_selector(".live.is-lost")
    expect(page.locator(".bars li")).to_have_count(6)
    page.unroute("**/results?*")
    page.wait_for_selector(".live:not(.is-lost)")
