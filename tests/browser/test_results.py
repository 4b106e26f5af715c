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
    page.wait_for_selector(".bars li")
    assert page.locator("#n").inner_text() == "1 report"
    fill(watched, "tea", 20)
    page.locator("#n", has_text="21 reports").wait_for()


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
        assert row == [percent(cell["share"], 2), f"{low} to {high}", percent(cell["stderr"], 2)]
        bar = page.locator(f".bars li[data-choice={cell['choice']}]")
        assert bar.locator(".bar-value").inner_text() == percent(cell["share"], 1) + " %"
        assert drawn(bar, question["cells"]) == pytest.approx(cell["share"], abs=0.004)


def drawn(bar: object, cells: list[dict[str, float]]) -> float:
    """Read a share back from the pixels: the length of its bar against its whisker's."""
    measure = "element => element.getBoundingClientRect().width"
    choice = bar.get_attribute("data-choice")
    (cell,) = [one for one in cells if one["choice"] == choice]
    whisker = bar.locator(".whisker").first.evaluate(measure)
    length = bar.locator(".bar").evaluate(measure)
    share = length / whisker * (cell["high"] - cell["low"])
    negative = "bar-negative" in bar.locator(".bar").get_attribute("class")
    return -share if negative else share


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
    fill(watched, "tea", 7)
    watched.open("/tea/results")
    note = page.locator(".warnings")
    note.get_by_text("for every choice fewer than 30 reports").wait_for()
    fill(watched, "tea", 133)  # now 40, 40, 20, 20, 20 and 0 reports
    note.get_by_text("for 4 of 6 choices fewer than 30 reports").wait_for()
    assert "Oi Ocha" not in note.inner_text()
    (question,) = watched.results("tea")["questions"]
    assert all(cell["low"] >= 0 for cell in question["cells"][2:])
    fill(watched, "tea", 700)
    page.locator("#n", has_text="840").wait_for()
    assert note.inner_text() == ""
    watched.open("/tea/results?lang=ja")
    page.wait_for_selector(".bars li")


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
    fill(watched, "tea", 7)
    watched.open("/tea/results")
    page.wait_for_selector(".bars li")
    page.route("**/results?*", lambda route: route.abort())
    page.wait_for_selector(".live.is-lost")
    expect(page.locator(".bars li")).to_have_count(6)
    page.unroute("**/results?*")
    page.wait_for_selector(".live:not(.is-lost)")
