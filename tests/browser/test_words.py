"""A word that nobody listed in a real browser: typed, refused, found, shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, Watched, fresh, payload, serve

import sudare as sd
from sudare.collection import Collection

SURVEY = Collection.from_toml(
    """
[collection]
name = "lunch"
epsilon = 8.0
accept_high_epsilon = true
publish_at = 1
publish_every = 1
languages = ["en", "ja"]
expected_respondents = 2000
[[question]]
id = "food"
type = "text"
text = { en = "What did you eat last?", ja = "最後に何を食べましたか？" }
longest = 8
"""
)
HTML, TURNED = "<b>x</b>", "\u202eab"
HELD = ["寿司"] * 4 + [HTML] * 3 + [TURNED] * 2
SAID = {
    "en": ("Please write a word here that can be sent.", "too long: 9 bytes", "⟨U+202E⟩ab"),
    "ja": ("送ることのできる言葉をここに書いてください。", "9 バイトありますが", "⟨U+202E⟩ab"),
}


@pytest.fixture
def watched(browser: object, tmp_path: Path) -> Iterator[Watched]:
    with serve((SURVEY,), tmp_path / "collector.sqlite3") as origin, fresh(browser, origin) as page:
        yield page


@pytest.mark.parametrize("language", ["en", "ja"])
def test_written_sent_found_and_shown(watched: Watched, language: str, tmp_path: Path) -> None:
    page, (missing, long, turned) = watched.page, SAID[language]
    watched.open(f"/lunch?lang={language}")
    page.locator("button[type=submit]").click()
    assert page.locator(".missing:visible").inner_text() == missing
    watched.check_small()
    box, told = page.locator(".word input"), page.locator("fieldset [role=status]")
    box.fill("寿司寿")
    expect(told).to_contain_text(long)
    page.locator("button[type=submit]").click()
    assert page.locator(".missing:visible").inner_text() == missing
    decline = page.get_by_role("checkbox")
    decline.check()
    expect(box).to_have_value("")
    box.fill(" ＵＤＯＮ")
    expect(told).to_have_text("")
    expect(decline).not_to_be_checked()
    assert page.evaluate(CONTRAST) == []
    watched.check_names()
    page.screenshot(path=tmp_path / f"words-{language}.png", full_page=True)
    watched.send()
    (sent,) = watched.posts
    assert "udon" not in str(sent).lower()
    (counts,) = SURVEY.tally(payload(sent))
    assert counts.n == watched.counts("lunch")["n"] == 1
    page.screenshot(path=tmp_path / f"sent-{language}.png", full_page=True)

    (question,) = SURVEY.questions
    program = question.mechanism.program
    rows = np.array([question.encode(one) for one in HELD * 200], dtype=np.uint8)
    reports = program.draw(rows, sd.Entropy.seeded(b"lunch")).tolist()
    watched.deliver("lunch", [program.encode_one(one) for one in reports])
    watched.open(f"/lunch/results?lang={language}")
    page.wait_for_selector(".bars li")
    labels = page.locator(".bars .bar-label")
    expect(labels).to_have_text(["寿司", HTML, turned])
    assert page.locator(".bars b, table b").count() == 0
    assert page.evaluate(CONTRAST) == []
    watched.check_small()
    watched.check_names()
    page.screenshot(path=tmp_path / f"results-{language}.png", full_page=True)
