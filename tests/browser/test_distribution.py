"""Distributions in a real browser: a number is entered and sent; what the results page shows."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, payload

import sudare as sd

WORDS = {
    "en": ("A number from", "(median)", "% of the people. 95 % interval:"),
    "ja": ("までの数", "（中央値）", "の人（95 % 区間："),
}
NOTE = {"en": "intervals stop there too", "ja": "区間もそこで止まります"}
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_answered_sent_and_shown(watched: object, language: str) -> None:
    page = watched.page
    said, median, interval = WORDS[language]
    watched.open(f"/commute?lang={language}")
    for question, number in (("minutes", "25.5"), ("spent", "50"), ("steps", "1")):
        page.locator(f"[data-question={question}] .number input").fill(number)
    assert page.evaluate(CONTRAST) == []
    watched.check_names()
    watched.send()
    (post,) = watched.posts
    report = payload(post)
    survey = watched.compiled("commute")
    minutes, spent, steps = survey.questions
    assert len(report) == sum(one.mechanism.report_bytes for one in survey.questions)
    shown = page.locator("dl.report-list").inner_text()
    assert said in shown
    counts = watched.counts("commute")["questions"]
    assert counts["steps"]["support"][report[-1]] == 1
    watched.check_small()
    look(page, f"sent-{language}")

    generator = np.random.default_rng(1)
    ways = generator.gamma(4, 9, 6000).clip(0, 120)
    walks = generator.uniform(0, 2, 6000)
    fares = generator.gamma(2, 20, 6000).clip(0, 500)
    rng = sd.Entropy.seeded(b"ways to work")  # the page's own report alone is fresh
    drawn = zip((minutes, spent, steps), (ways, fares, walks), strict=True)
    parts = [one.mechanism.perturb(values, rng=rng) for one, values in drawn]
    rows = np.concatenate([*parts[:2], parts[2][:, None]], axis=1)
    told, costs, _ = watched.deliver("commute", map(bytes, rows.astype(np.uint8)))["questions"]
    assert told["median"]["low"] <= np.median(ways) <= told["median"]["high"]
    watched.open(f"/commute/results?lang={language}")
    card = page.locator("[data-question=minutes]")
    card.locator(".histogram .bar").first.wait_for(state="attached")
    assert card.locator(".histogram .bar").count() == len(told["histogram"]) == 30
    expect(card.locator(".histogram .band")).to_have_count(30)
    assert median in card.locator("tr.median").inner_text()
    expect(card.locator("tbody tr")).to_have_count(30 + 9)
    assert interval in card.locator(".between-share").inner_text()
    ranges, places = told["ranges"], (15, 45)
    for _ in range(2):
        below = ranges["below"][places[1]] - ranges["below"][places[0]]
        assert f"{100 * below:.1f} %" in card.locator(".between-share").inner_text()
        card.locator("input[type=range]").first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        places = (17, 45)
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    assert [one.input_value() for one in card.locator("input[type=range]").all()] == ["49", "50"]
    assert card.locator("input[type=range]").first.get_attribute("aria-valuetext") == "98"
    page.keyboard.press("Home")
    check_areas(page.locator("[data-question=spent]"), costs, language)
    page.set_viewport_size(WIDE)
    look(page, f"results-{language}")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    look(page, f"phone-{language}")
    watched.check_small()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_of_few_reports_intervals_stop_at_what_is_possible(watched: object, language: str) -> None:
    page = watched.page
    each = [one.mechanism for one in watched.compiled("commute").questions]
    rng = sd.Entropy.seeded(b"few ways 0")
    rows = [m.perturb([x] * 9, rng=rng) for m, x in zip(each, (60.0, 30.0, 1.0), strict=True)]
    rows[-1] = rows[-1][:, None]
    few = np.concatenate(rows, axis=1).astype(np.uint8)
    told = watched.deliver("commute", map(bytes, few))["questions"][0]
    bars, mean = told["histogram"], told["mean"]
    assert min(one["low"] for one in bars) < 0 < 1 < max(one["high"] for one in bars)
    watched.draw_few()
    watched.open(f"/commute/results?lang={language}")
    card = page.locator("[data-question=minutes]")
    card.locator("details.table summary").first.click()
    rows = [one.locator("td").all_inner_texts() for one in card.locator("details tbody tr").all()]
    for bar, (shown, raw, interval) in zip(bars, rows, strict=True):
        assert shown == f"{100 * bar['share']:.2f}"
        assert float(raw) == pytest.approx(100 * min(max(bar["raw"], 0), 1), abs=0.006)
        ends = [float(one) for one in re.findall(r"[-−]?[\d.]+", interval.replace("−", "-"))]
        assert all(0 <= end <= 100 for end in ends)
        possible = bar["high"] >= 0 and bar["low"] <= 1
        assert len(ends) == (2 if possible else 1)
    assert NOTE[language] in card.inner_text()
    assert mean["low"] < 0 < 120 < mean["high"]
    assert re.search(r"\b0 (to|～) 120\b", card.locator(".mean-text").inner_text())
    page.set_viewport_size(WIDE)
    look(page, f"few-{language}")
    page.set_viewport_size(PHONE)
    look(page, f"few-phone-{language}")
    watched.check_small()


def check_areas(card: object, told: object, language: str) -> None:
    """Bars of unequal bins: their areas are the shares, and the page says so."""
    bars = card.locator(".histogram .bar").all()
    sizes = [
        [float(bar.get_attribute(side).rstrip("%")) for side in ("width", "height")] for bar in bars
    ]
    widths = np.array([one["to"] - one["from"] for one in told["histogram"]])
    shares = np.array([one["share"] for one in told["histogram"]])
    assert np.array(sizes)[:, 0] == pytest.approx(100 * widths / 500, abs=1e-6)
    areas = np.prod(sizes, axis=1)
    assert areas / areas.sum() == pytest.approx(shares, abs=1e-3)
    text = card.text_content()
    assert {"en": "their areas are the shares", "ja": "面積が割合を表します"}[language] in text
    assert {"en": "bins from 5 to 400 wide", "ja": "幅 5 から 400 の階級"}[language] in text
    assert {"en": "The median of the honest", "ja": "正直な報告だけの中央値"}[language] in text


def look(page: object, name: str) -> None:
    """Keep a picture of the page in the light and in the dark, where a folder is named for them."""
    folder = os.environ.get("SUDARE_PICTURES")
    for scheme in ("dark", "light") if folder else ():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.screenshot(path=Path(str(folder)) / f"{name}-{scheme}.png", full_page=True)
