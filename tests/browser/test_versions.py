"""A collector that changes its survey: one charge, a plain question, a limit of the device."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import expect
from surveys import TEA
from test_survey import KEPT, choose, send

from sudare.collection import Collection

MANY = 12  # fifty in the JavaScript tests


def version(n: int, question: str = "brand") -> Collection:
    """Return a version: other respondents, another question where its name is another."""
    text = TEA.replace('id = "brand"', f'id = "{question}"')
    old, new = "expected_respondents = 5000", f"expected_respondents = {n}\nepsilon_cap = 10.0"
    return Collection.from_toml(text.replace(old, new))


def show(watched: Any, collection: Collection, language: str = "en") -> None:
    """Open the survey as this version; whatever is posted is taken."""
    page, compiled = watched.page, json.dumps(collection.compiled())
    page.unroute_all()
    page.route("**/api/v1/collections/tea", lambda route: route.fulfill(body=compiled))
    page.route("**/reports", lambda route: route.fulfill(status=202, body="{}"))
    watched.open(f"/tea?lang={language}")


def said(page: Any, selector: str) -> str:
    return page.locator(selector).inner_text().replace("\u00a0", " ")


def spent(watched: Any) -> list[str]:
    return [event["epsilon"] for event in watched.page.evaluate(KEPT)["ledger"]]


def test_many_definitions_of_one_name_are_charged_once(watched: Any) -> None:
    page = watched.page
    for n in range(MANY):
        show(watched, version(100 + n))
        if n:
            text = said(page, ".earlier")
            assert "So far ε = 2.0" in text
            assert "costs nothing" in text
            expect(page.locator("form")).to_have_count(0)
            page.locator("#agree").click()
        choose(page, "Ayataka")
        watched.send()
    assert spent(watched) == ["2.0"]
    posts = watched.posts
    assert len({post["fingerprint"] for post in posts}) == len({p["id"] for p in posts}) == MANY
    assert len({post["report"] for post in posts}) == 1


def test_definitions_that_ask_anew_end_at_the_limit(watched: Any) -> None:
    page = watched.page
    for n in range(4):
        show(watched, version(100, f"brand-{n}"))
        if n > 1:
            expect(page.locator(".earlier-none")).to_have_count(1)
            expect(page.locator("#agree, form")).to_have_count(0)
            continue
        if n == 1:
            assert "together ε = 4.0" in said(page, ".earlier-all")
            page.locator("#agree").click()
        choose(page, "Ayataka")
        watched.send()
    assert spent(watched) == ["2.0", "2.0"]
    assert len(watched.posts) == 2


@pytest.mark.parametrize(
    ("language", "title", "costs", "label"),
    [
        (
            "en",
            "This device has answered an earlier version",
            "costs up to ε = 2.0 more",
            "Ayataka",
        ),
        ("ja", "この端末は、この調査の前の版に回答済みです", "最大で ε = 2.0 が加わり", "綾鷹"),
    ],
)
def test_a_new_version_is_asked_for_in_plain_words(
    watched: Any, language: str, title: str, costs: str, label: str
) -> None:
    page = watched.page
    show(watched, version(100))
    choose(page, "Ayataka")
    watched.send()
    show(watched, version(101, "other"), language)
    assert page.locator("#earlier-title").inner_text().startswith(title)
    assert costs in said(page, ".earlier")
    watched.check_small()
    assert len(watched.posts) == 1
    page.locator("#agree").click()
    choose(page, label)
    watched.send()
    assert spent(watched) == ["2.0", "2.0"]


def test_a_different_answer_beyond_the_limit_is_refused_and_said(watched: Any) -> None:
    page = watched.page
    for n, question in enumerate(("brand", "other", "brand")):
        show(watched, version(100 + n, question))
        if n:
            page.locator("#agree").click()
        choose(page, "Ayataka" if n < 2 else "Iyemon")
        send(page)
        page.wait_for_selector(".outcome-sent" if n < 2 else ".earlier-some [role=alert]")
    assert spent(watched) == ["2.0", "2.0"]
    assert len(watched.posts) == 2
    assert page.evaluate("document.activeElement.id") == "earlier-title"
    page.locator("#agree").click()
    choose(page, "Ayataka")  # the answer of before costs nothing
    watched.send()
    assert watched.posts[2]["report"] == watched.posts[0]["report"]


def test_another_window_that_answered_meanwhile_is_noticed(watched: Any) -> None:
    page = watched.page
    show(watched, version(101, "other"))
    other = page.context.new_page()
    compiled = json.dumps(version(100).compiled())
    other.route("**/api/v1/collections/tea", lambda route: route.fulfill(body=compiled))
    other.route("**/reports", lambda route: route.fulfill(status=202, body="{}"))
    other.goto(f"{watched.origin}/tea?lang=en")
    choose(other, "Ayataka")
    send(other)
    other.wait_for_selector(".outcome-sent")
    choose(page, "Ayataka")
    send(page)
    page.wait_for_selector(".earlier-all")
    assert watched.posts == []
    assert spent(watched) == ["2.0"]
