"""A written word in a real browser: it counts as a known one or as another, and is sent as that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import CONTRAST, Watched, fresh, payload, serve

from sudare.collection import Collection

SURVEY = Collection.from_toml(
    """
[collection]
name = "lunch"
epsilon = 3.0
publish_at = 1
languages = ["en", "ja"]
[[question]]
id = "food"
type = "text"
text = { en = "What do you like best?", ja = "何が好きですか？" }
known = ["sushi", "ramen"]
labels = { en = ["Sushi", "Ramen"], ja = ["寿司", "ラーメン"] }
"""
)
WORDS = {
    "en": (
        "Please write a word here.",
        "It counts as: {}",
        "Another word",
        "Sushi",
        "寿司",
    ),
    "ja": (
        "ここに言葉を一つ書いてください。",
        "集計では「{}」になります",
        "ほかの言葉",
        "寿司",
        "sUshi",
    ),
}


@pytest.fixture
def watched(browser: object, tmp_path: Path) -> Iterator[Watched]:
    with serve((SURVEY,), tmp_path / "collector.sqlite3") as origin, fresh(browser, origin) as page:
        yield page


@pytest.mark.parametrize("language", ["en", "ja"])
def test_written_sent_and_shown(watched: Watched, language: str) -> None:
    page, (missing, counts_as, other, sushi, written) = watched.page, WORDS[language]
    watched.open(f"/lunch?lang={language}")
    page.locator("button[type=submit]").click()
    assert page.locator(".missing:visible").inner_text() == missing
    watched.check_small()
    box, told = (
        page.locator(".word input"),
        page.locator("[role=status]", has_text="「" if language == "ja" else "counts as"),
    )
    box.fill(written)
    expect(told).to_have_text(counts_as.format(sushi))
    box.fill("鍋焼きうどん")
    expect(told).to_have_text(counts_as.format(other))
    decline = page.get_by_role("checkbox")
    decline.check()
    expect(box).to_have_value("")
    box.fill("udon")
    expect(decline).not_to_be_checked()
    assert page.evaluate(CONTRAST) == []
    watched.check_names()
    watched.send()
    (sent,) = watched.posts
    assert "udon" not in str(sent)
    (counts,) = SURVEY.tally(payload(sent))
    assert counts.n == watched.counts("lunch")["n"] == 1

    (question,) = SURVEY.questions
    words = map(question.encode, ("寿司", "ramen", "curry", "soba") * 150)
    watched.deliver("lunch", [question.randomise(word) for word in words])
    watched.open(f"/lunch/results?lang={language}")
    page.wait_for_selector(".bars li")
    labels = page.locator(".bars .bar-label").all_inner_texts()
    assert other in labels
    assert sushi in labels
    watched.check_small()
