"""Surveys by invitation in a real browser: one code, one item, one report."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from serving import payload
from surveys import INVITED
from test_survey import KEPT

from sudare.collection import Client, Collection
from sudare.collector import count_invites, issue_invites

SURVEY = Collection.from_toml(INVITED)
(QUESTION,) = SURVEY.questions


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "collector.sqlite3"


@pytest.fixture
def codes(origin: str, database: Path) -> list[str]:
    """Made while the collector runs."""
    return issue_invites(SURVEY, database, 3)


def items(page: object) -> list[str]:
    page.wait_for_selector("[data-item]")
    return page.locator("[data-item]").evaluate_all("all => all.map((one) => one.dataset.item)")


def answer(page: object) -> None:
    page.locator(".item input[value=yes]").check()
    page.locator(".star input[value='4']").check()
    page.locator("button[type=submit]").click()


def refuse(page: object, code: str) -> str:
    page.locator("#invite").fill(code)
    page.locator(".invite button").click()
    page.wait_for_selector("#invite-problem:not([hidden])")
    page.wait_for_selector(".invite button:not([disabled])")
    return page.locator("#invite-problem").inner_text()


def test_a_link_asks_about_one_item_and_its_report_is_counted(
    watched: object, codes: list[str], database: Path
) -> None:
    page = watched.page
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    watched.open(f"/invited?lang=en#{codes[0]}")
    tickets = Client(SURVEY).admit(watched.origin, codes[0])
    assert items(page) == [QUESTION.items[tickets.index["teas"]]]
    assert not any(codes[0] in url for url in asked)  # a fragment is not sent
    answer(page)
    page.wait_for_selector(".outcome-sent")
    admission, post = watched.posts
    assert admission == {"fingerprint": SURVEY.fingerprint, "invite": codes[0]}
    assert set(post) == {"fingerprint", "id", "report", "invite"}
    report = payload(post)
    assert report[0] == tickets.index["teas"]
    assert post["invite"] == codes[0]
    expect(page.locator("#again")).to_have_count(0)
    assert count_invites(SURVEY, database) == (3, 1)
    page.reload()
    page.wait_for_selector(".outcome-already")
    expect(page.locator("#again")).to_have_count(0)
    watched.open("/invited/results?lang=en")
    page.wait_for_selector(".invites:not([hidden])")
    assert page.locator(".invites").inner_text() == "1 of 3 invitations in these figures"
    assert page.locator("#n").inner_text() == "1 report"


def test_neither_a_reload_nor_another_device_draws_again(
    watched: object, browser: object, codes: list[str], database: Path
) -> None:
    """One who draws among five items anew would draw the same six times once in 3125."""
    seen = set()
    for _ in range(2):
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{watched.origin}/invited#{codes[1]}")
        seen.update(items(page))
        for _ in range(2):
            page.reload()
            seen.update(items(page))
        context.close()
    assert len(seen) == 1
    assert count_invites(SURVEY, database) == (3, 0)


def test_a_typed_code_stays_for_a_reload(watched: object, codes: list[str]) -> None:
    page = watched.page
    watched.open("/invited?lang=en")
    expect(page.locator("[data-item]")).to_have_count(0)
    page.locator("#invite").fill("  " + codes[2].lower().replace("-", " ").replace("0", "o"))
    page.keyboard.press("Enter")
    (item,) = items(page)
    page.locator("#languages a[lang=ja]").click()
    page.wait_for_selector("html[lang=ja]")
    page.locator("#skip").focus()
    page.keyboard.press("Enter")
    page.reload()
    assert items(page) == [item]
    assert page.locator("html").get_attribute("lang") == "ja"
    page.goto(f"{watched.origin}/invited?lang=en&invite={codes[2]}")
    assert items(page) == [item]
    assert page.url == f"{watched.origin}/invited?lang=en#{codes[2]}"


@pytest.mark.parametrize(
    ("language", "slip", "strange", "used"),
    [
        ("en", "not a whole code", "does not belong", "has been used"),
        ("ja", "正しくありません", "この調査のものではありません", "使用済み"),
    ],
)
def test_a_code_that_does_not_admit_is_said_clearly(
    watched: object, codes: list[str], language: str, slip: str, strange: str, used: str
) -> None:
    page = watched.page
    client = Client(SURVEY)
    tickets = client.admit(watched.origin, codes[0])
    item = QUESTION.items[tickets.index["teas"]]
    client.send(client.answer({"teas": {item: None}}, tickets), watched.origin)
    watched.open(f"/invited?lang={language}#{codes[0]}")
    assert used in page.locator("#invite-problem").inner_text()
    assert slip in refuse(page, codes[1][:-1])
    assert page.evaluate("document.activeElement.id") == "invite"
    assert strange in refuse(page, "000G-40R4-0M30-E209-185G-R38E-1ZBP")
    watched.check_small()
    expect(page.locator("[data-item]")).to_have_count(0)
    page.locator("#invite").fill(codes[1])
    page.locator(".invite button").click()
    assert len(items(page)) == 1


@pytest.mark.parametrize(
    ("language", "title"),
    [("en", "Nothing more will be sent"), ("ja", "これ以上送られません")],
)
def test_on_a_device_that_has_answered_another_code_is_told_before_the_form(
    watched: object, codes: list[str], database: Path, language: str, title: str
) -> None:
    page = watched.page
    watched.open(f"/invited?lang={language}#{codes[0]}")
    items(page)
    answer(page)
    page.wait_for_selector(".outcome-sent")
    sent = len(watched.posts)
    page.evaluate(f"location.hash = '{codes[1]}'")  # the link of somebody else
    page.wait_for_selector(".notice-shared")
    for _ in range(2):
        assert title in page.locator(".notice-shared h2").inner_text()
        assert "ε\u00a0=\u00a02.0" in page.locator(".notice-shared").inner_text()
        expect(page.locator("form, #again, .outcome")).to_have_count(0)
        page.reload()
        page.wait_for_selector(".notice-shared")
    assert len(watched.posts) == sent
    assert count_invites(SURVEY, database) == (3, 1)
    watched.open(f"/invited?lang={language}")
    page.wait_for_selector(".outcome-already")


@pytest.mark.parametrize(
    ("language", "slip"), [("en", "not a whole code"), ("ja", "正しくありません")]
)
def test_an_empty_code_is_said_at_the_field(
    watched: object, codes: list[str], language: str, slip: str
) -> None:
    page = watched.page
    watched.open(f"/invited?lang={language}")
    assert page.locator("#invite-problem").is_hidden()
    for typed in ("", "   "):
        assert slip in refuse(page, typed)
        assert page.evaluate("document.activeElement.id") == "invite"
        assert page.locator("#invite").get_attribute("aria-invalid") == "true"
    assert watched.posts == []
    page.locator("#invite").fill(codes[1])
    page.keyboard.press("Enter")
    assert len(items(page)) == 1


def test_a_code_spent_meanwhile_is_refused(
    watched: object, codes: list[str], database: Path
) -> None:
    page = watched.page
    watched.open(f"/invited?lang=en#{codes[0]}")
    (item,) = items(page)
    other = Client(SURVEY)
    tickets = other.admit(watched.origin, codes[0])
    other.send(other.answer({"teas": {item: 1}}, tickets), watched.origin)
    answer(page)
    page.wait_for_selector(".outcome-refused")
    assert "used for another report" in page.locator(".outcome").inner_text()
    page.locator("#again").click()
    page.wait_for_selector("#invite")
    assert "has been used" in page.locator("#invite-problem").inner_text()
    assert count_invites(SURVEY, database) == (3, 1)


def test_a_lost_acknowledgement_is_made_good(
    watched: object, codes: list[str], database: Path
) -> None:
    page = watched.page
    page.route("**/reports", lambda route: (route.fetch(), route.abort()))
    watched.open(f"/invited?lang=en#{codes[0]}")
    items(page)
    answer(page)
    page.wait_for_selector(".outcome-pending")
    assert count_invites(SURVEY, database) == (3, 1)
    page.unroute("**/reports")
    page.reload()
    page.wait_for_selector(".outcome-sent")
    (kept,) = page.evaluate(KEPT)["submissions"]
    assert (kept["state"], kept["invite"]) == ("accepted", codes[0])
    assert watched.counts("invited")["n"] == 1


def test_an_unreachable_collector_is_said_and_asked_again(
    watched: object, codes: list[str]
) -> None:
    page = watched.page
    page.route("**/admission", lambda route: route.abort())
    watched.open(f"/invited?lang=en#{codes[0]}")
    assert "cannot be reached" in page.locator("#invite-problem").inner_text()
    assert page.locator("#invite").input_value() == codes[0]
    page.unroute("**/admission")
    page.locator(".invite button").click()
    assert len(items(page)) == 1
