"""Results for those who are no statisticians: on one page, once read."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator
from typing import Any

import pytest
import serving
from playwright.sync_api import expect
from test_axe import AXE, FOUND

import sudare as sd
from sudare.collection import Collection, send_batch

K = 40
SURVEY = f"""
[collection]
name = "towns"
epsilon = 4.0
publish_at = 1
languages = ["en", "ja"]
[[question]]
id = "town"
type = "choice"
text.en = "Which town?"
text.ja = "どの町？"
choices = {[f"town-{i:02d}" for i in range(K)]}
[[question]]
id = "mood"
type = "choice"
text = "How is it?"
choices = ["bad", "fair", "good"]
scores = [1, 2, 3]
[[question]]
id = "habits"
type = "crosstab"
text = "You and your bath"
wanted = "cells"
[[question.attributes]]
id = "age"
text = "Your age"
choices = ["under-20", "under-40", "under-60", "older"]
[[question.attributes]]
id = "bath"
text = "How often do you take a bath?"
choices = ["every-day", "every-other-day", "seldom-or-never", "only-at-the-hot-spring"]
"""
CELLS = """[...document.querySelectorAll("[data-question=town] .bars li")].map((one) => [
  one.dataset.choice, one.querySelector(".bar-value").textContent,
  one.querySelector(".bar-range")?.textContent ?? "",
  one.querySelectorAll(".whisker").length])"""
TABLE = "[data-question=town] > .table"
HEADS = "(one) => getComputedStyle(one, '::before').content"


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: Any) -> Iterator[serving.Watched]:
    """The results page of 150 answers."""
    survey, draw = Collection.from_toml(SURVEY), random.Random(1)
    folder = tmp_path_factory.mktemp("reading")
    with serving.serve((survey,), folder / "towns.sqlite3") as origin:
        answers = [
            {
                "town": f"town-{min(K - 1, int(draw.expovariate(0.3))):02d}",
                "mood": draw.choice(["bad", "good"]),
                "habits": {"age": "older", "bath": "every-day"},
            }
            for _ in range(150)
        ]
        entropy = sd.Entropy.seeded(b"towns")
        reports = [sd.Client(survey, entropy=entropy).answer(one) for one in answers]
        send_batch(origin, reports)
        with serving.fresh(browser, origin, bypass_csp=True) as watched:
            watched.open("/towns/results?lang=en")
            watched.page.wait_for_selector(".result")
            yield watched


def violations(page: Any) -> Any:
    """Return what axe finds, where it is installed."""
    if not AXE.exists():
        return []
    page.evaluate(AXE.read_text("utf-8"))
    return page.evaluate(FOUND)


def test_one_rule_for_intervals(page: serving.Watched) -> None:
    """They stop at what is possible, and so do estimates."""
    rows = page.page.evaluate(CELLS)
    assert not any(value.startswith("\N{MINUS SIGN}") for _, value, _, _ in rows)
    assert any(value.startswith("0.0") for _, value, _, _ in rows)
    ends = [end for _, _, text, _ in rows for end in text.split(" to ")]
    assert all(end.startswith("below") or 0 <= float(end) <= 100 for end in ends)
    page.page.get_by_text("The same figures as a table").first.click()
    table = page.page.locator(f"{TABLE} tbody td:nth-child(3)").all_inner_texts()
    assert any(text.startswith("0.00 to ") for text in table)
    assert not any("\N{MINUS SIGN}" in text for text in table)


def test_shares_can_sum_to_100(page: serving.Watched) -> None:
    """Without errors, as none is known; the switch keeps the focus, and what was open is open."""
    one, told = page.page, page.results("towns")["questions"][0]["cells"]
    one.get_by_label("Adding up to 100 %").press("Space")
    assert "no intervals are shown" in one.locator("#shares-help").inner_text()
    rows = one.evaluate(CELLS)
    shares = [f"{100 * cell['projected']:.1f} %" for cell in told[: len(rows)]]
    assert [value for _, value, _, _ in rows] == shares
    assert {(text, whiskers) for _, _, text, whiskers in rows} == {("", 0)}
    expect(one.locator(f"{TABLE} tbody tr").first.locator("td")).to_have_count(1)
    expect(one.locator(f"{TABLE} thead th:visible")).to_have_count(2)
    one.locator(".heat td[tabindex='0']").focus()
    assert "interval" not in one.locator(".heat-detail").inner_text()
    assert sum(cell["projected"] for cell in told) == pytest.approx(1)
    one.get_by_label("As estimated").press("Space")
    assert {whiskers for *_, whiskers in one.evaluate(CELLS)} == {3}


def test_many_choices_are_found_and_paged(page: serving.Watched) -> None:
    one = page.page
    question = one.locator("[data-question=town]")
    expect(question.locator(".bars li")).to_have_count(25)
    question.get_by_role("button", name="Show 16 more").click()
    expect(question.locator(".bars li")).to_have_count(K + 1)
    question.get_by_label("Find a choice").fill("ＴＯＷＮ-3")
    expect(question.locator(".bars li")).to_have_count(10)
    assert "10 of 41 shown" in question.locator(".finder-count").inner_text()
    question.get_by_label("Find a choice").fill("")
    expect(question.locator(".bars li")).to_have_count(25)
    expect(one.locator("[data-question=mood] .finder")).to_have_count(0)


def test_what_has_an_order_keeps_it(page: serving.Watched) -> None:
    one = page.page
    one.get_by_label("By share").press("Space")
    moods = one.locator("[data-question=mood] .bars li")
    order = [moods.nth(i).get_attribute("data-choice") for i in range(3)]
    assert order == ["bad", "fair", "good"]
    shares = [float(value.split()[0].replace("\N{MINUS SIGN}", "-"))
              for _, value, _, _ in one.evaluate(CELLS)]  # fmt: skip
    assert shares == sorted(shares, reverse=True)
    one.get_by_label("As asked").press("Space")


def test_words_are_plain_and_technical_ones_folded(page: serving.Watched) -> None:
    one = page.page
    seen = one.locator("main").inner_text()
    for word in ("GRR", "OUE", "HadamardResponse", "pointwise", "maximum entropy"):
        assert word not in seen
    expect(one.locator(".technical")).to_have_count(3)
    one.locator("[data-question=town] .technical summary").click()
    assert "ε" in one.locator("[data-question=town] .technical p").inner_text()


def test_files_are_offered(page: serving.Watched) -> None:
    one = page.page
    one.get_by_label("Tables and charts of").select_option("mood")
    with one.expect_download() as found:
        one.get_by_text("Table (CSV)").click()
    assert found.value.suggested_filename == "towns-mood.csv"
    rows = list(csv.DictReader(io.StringIO(found.value.path().read_text("utf-8"))))
    assert {row["question"] for row in rows} == {"mood"}
    assert one.get_by_text("Chart (SVG)").get_attribute("href").count("question=mood") == 1
    one.get_by_label("Tables and charts of").select_option("")


def test_a_phone_has_no_table_to_scroll(page: serving.Watched) -> None:
    """Cells are stacked, each with the heading of its column, and are still a grid."""
    one = page.page
    size = one.viewport_size
    one.set_viewport_size({"width": 390, "height": 844})
    one.wait_for_selector(".heat.stacked")
    frame = one.locator(".heat-frame")
    assert frame.evaluate("(one) => one.scrollWidth <= one.clientWidth + 1")
    assert one.locator(".heat td[tabindex]").first.evaluate(HEADS) == '"every-day"'
    expect(one.get_by_role("grid").get_by_role("row")).to_have_count(6)
    expect(one.get_by_role("grid").get_by_role("rowheader")).to_have_count(5)
    assert violations(one) == []
    page.check_small()
    one.emulate_media(media="print")
    expect(one.locator(".switches")).to_be_hidden()
    expect(one.locator(".downloads")).to_be_hidden()
    one.emulate_media(media="screen")
    one.set_viewport_size(size)
    one.wait_for_selector(".heat:not(.stacked)")
    assert violations(one) == []
