"""Numbers in a real browser: entered, refused outside the range, sent, and their mean shown."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, payload

WORDS = {
    "en": (
        "The report is",
        "Please enter a number within the range.",
        "Estimated mean of all answers:",
    ),
    "ja": ("報告の値は", "範囲内の数を入力してください。", "全回答の平均の推定値："),
}


def enter(page: object, question: str, number: str) -> None:
    page.locator(f"[data-question={question}] .number input").fill(number)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_answered_sent_and_shown(watched: object, language: str) -> None:
    page = watched.page
    watched.open(f"/sleep?lang={language}")
    said, missing, mean = WORDS[language]
    enter(page, "hours", "24.5")
    page.locator("button[type=submit]").click()
    assert page.locator("[data-question=hours] .missing").inner_text() == missing
    expect(page.locator(".missing:visible")).to_have_count(2)
    assert watched.posts == []
    assert page.evaluate(CONTRAST) == []
    enter(page, "hours", "7.5")
    enter(page, "outside", "-12.25")
    expect(page.locator(".missing:visible")).to_have_count(0)
    watched.check_names()
    watched.send()
    (post,) = watched.posts
    report = payload(post)
    assert len(report) == 2
    assert said in page.locator("dd.report").first.inner_text()
    counts = watched.counts("sleep")
    for i, question in enumerate(("hours", "outside")):
        support = np.array(counts["questions"][question]["support"])
        assert support[report[i]] == support.sum() == counts["n"] == 1

    survey = watched.compiled("sleep")
    values = np.random.default_rng(1).uniform(6, 9, (3000, 2))
    rows = np.stack(
        [q.mechanism.perturb(values[:, i]) for i, q in enumerate(survey.questions)], axis=1
    ).astype(np.uint8)
    told = watched.deliver("sleep", map(bytes, rows))["questions"][0]["mean"]
    assert told["low"] < told["value"] < told["high"]
    assert abs(told["value"] - 7.5) < 6 * told["stderr"]
    watched.open(f"/sleep/results?lang={language}")
    page.wait_for_selector(".mean-text")
    text = page.locator("[data-question=hours] .mean-text").inner_text()
    assert text.startswith(mean)
    expect(page.locator("p.note:not(.alarms p)")).to_have_count(0)  # there are no bars to explain
    assert f"{told['value']:.1f}" in text
    watched.check_small()
