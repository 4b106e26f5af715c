"""A report that waits: the page says so, closing it loses nothing; what the browser keeps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect
from surveys import TEA
from test_survey import KEPT, choose, send

from sudare.collection import Collection

LONGEST = """(() => {
  const own = crypto.getRandomValues.bind(crypto);
  crypto.getRandomValues = (out) => {
    own(out);
    if (out.length === 4) new DataView(out.buffer).setUint32(0, 60000, true);
    return out;
  };
})()"""
"""Each word of 32 bits is 60,000: the longest wait."""


def slow(watched: Any, seconds: int, language: str = "en") -> None:
    stated = f'name = "tea"\nsend_delay = {seconds}\ncloses = 2099-01-01T00:00:00Z'
    text = TEA.replace('name = "tea"', stated)
    compiled = json.dumps(Collection.from_toml(text).compiled())
    watched.page.route("**/api/v1/collections/tea", lambda route: route.fulfill(body=compiled))
    watched.page.route("**/reports", lambda route: route.fulfill(status=202, body="{}"))
    watched.open(f"/tea?lang={language}")


@pytest.mark.parametrize(
    ("language", "before", "title", "label"),
    [
        ("en", "within 60 seconds after", "Your report leaves in a moment", "Ayataka"),
        ("ja", "60 秒以内の無作為な時点", "報告はまもなく送られます", "綾鷹"),
    ],
)
def test_closing_the_page_while_a_report_waits_loses_nothing(
    watched: Any, language: str, before: str, title: str, label: str
) -> None:
    page = watched.page
    page.add_init_script(LONGEST)
    slow(watched, 60, language)
    said = page.locator(".odds").text_content()
    assert before in said
    assert "65" in said  # near the end the wait is shorter
    choose(page, label)
    send(page)
    page.wait_for_selector(".outcome-waiting")
    assert page.locator("#outcome-title").inner_text() == title
    assert page.evaluate("document.activeElement.id") == "outcome-title"
    expect(page.locator("#again, #retry, form")).to_have_count(0)
    watched.check_small()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    page.wait_for_timeout(500)
    assert watched.posts == []
    (kept,) = page.evaluate(KEPT)["submissions"]
    assert kept["state"] == "pending"
    page.reload()
    page.wait_for_selector(".outcome-sent")
    assert [post["id"] for post in watched.posts] == [kept["id"]]


def test_what_waits_leaves_by_itself(watched: Any) -> None:
    slow(watched, 1)
    choose(watched.page, "Ayataka")
    watched.send()
    assert len(watched.posts) == 1
    watched.page.reload()
    watched.page.wait_for_selector(".outcome-already")
    assert len(watched.posts) == 1


@pytest.mark.parametrize(("kept", "words"), [(True, "has promised to keep"), (False, "may forget")])
def test_the_browser_is_asked_to_keep_what_it_remembers(
    watched: Any, kept: bool, words: str
) -> None:
    page = watched.page
    answer = json.dumps(kept)
    page.add_init_script(f"""
      StorageManager.prototype.persist = async () => {{ window.asked = true; return {answer}; }};
      StorageManager.prototype.persisted = async () => window.asked === true && {answer};
    """)
    watched.open("/tea")
    assert page.evaluate("window.asked") is None
    choose(page, "Ayataka")
    watched.send()
    page.wait_for_function("window.asked === true")
    page.get_by_text(words).wait_for()
    assert "private window" in page.locator(".kept").inner_text()
    assert page.evaluate("document.activeElement.id") == "outcome-title"


def test_a_browser_without_that_request_answers_all_the_same(watched: Any) -> None:
    watched.page.add_init_script("delete StorageManager.prototype.persist")
    watched.open("/tea?lang=ja")
    choose(watched.page, "綾鷹")
    watched.send()
    assert "プライベートウィンドウ" in watched.page.locator(".kept").inner_text()
