"""The editor where something goes wrong: what is written stays, and what is said is true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import serving
from playwright.sync_api import expect
from surveys import TEA
from test_operator import DRAFT, SCOPES, Desk

from sudare.collection import Collection
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

TEXT = "#definition"
API = "/api/v1/operator/collections/cups"
RETURN = "document.dispatchEvent(new Event('visibilitychange'))"
"""Somebody comes back to the window."""
WRITTEN = DRAFT.replace('en = "Cups"', 'en = "More cups"')
REFUSALS = {
    "no answer of the collector": (403, None, "has refused this (status 403)"),
    "forbidden": (403, "scope", "Your token does not allow this"),
    "another address": (403, "origin", "under its own address"),
    "not there": (404, "collection", "was deleted, or your token is not for it"),
    "too slow": (408, "body", "took too long"),
    "another stage": (409, "collection", "the rule"),
    "too large": (413, "body", "larger than the collector takes"),
    "too large for a proxy": (413, None, "larger than the collector takes"),
    "too often": (429, "token", "in 9 seconds"),
    "a fault": (500, "request", "made a mistake"),
    "a part is missing": (501, "extra", "lacks a part"),
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    database = tmp_path_factory.mktemp("editor") / "desk.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", SCOPES)
    with serving.serve((Collection.from_toml(TEA),), database) as origin:
        yield Desk(origin, database, token)


@pytest.fixture
def editor(browser: Any, desk: Desk) -> Iterator[serving.Watched]:
    """The editor of a draft, with a line that is not saved."""
    with serving.fresh(browser, desk.origin) as watched:
        ask(watched, desk, "PUT", "/definition", {"text": DRAFT})
        desk.sign_in(watched)
        watched.open("/operator/c/cups/edit?lang=en")
        watched.page.locator("#findings .good").wait_for()
        watched.page.locator(TEXT).fill(WRITTEN)
        yield watched
        ask(watched, desk, "DELETE", "")


def ask(watched: serving.Watched, desk: Desk, method: str, path: str, body: Any = None) -> Any:
    """Ask the API as a program does, whatever the page is about."""
    headers = {"Authorization": f"Bearer {desk.token}"}
    url = f"{desk.origin}{API}{path}"
    return watched.page.request.fetch(url, method=method, headers=headers, data=body)


def refusing(status: int, argument: str | None) -> Any:
    """Return what answers in the place of the collector."""
    told = {"argument": argument, "rule": "the rule", "remedy": "the remedy", "message": "the rule"}
    body = "<html>" if argument is None else json.dumps({"error": told})

    def answer(route: Any) -> None:
        if route.request.method == "GET":
            route.continue_()
        else:
            route.fulfill(status=status, body=body, headers={"Retry-After": "9"})

    return answer


def test_each_refusal_has_its_sentence_and_nothing_is_lost(
    editor: serving.Watched, desk: Desk
) -> None:
    page = editor.page
    alert, found = page.locator(".editor [role=alert]"), page.locator("#findings")
    for what, (status, argument, said) in REFUSALS.items():
        for place in ("**/cups/definition", "**/operator/check", "**/operator/plan"):
            page.route(place, refusing(status, argument))
        page.locator("#save").click()
        expect(alert, what).to_contain_text(said)
        expect(alert, what).to_contain_text("What you wrote is kept in this window")
        expect(alert, what).not_to_contain_text("session")
        page.locator(TEXT).press("End")
        page.locator(TEXT).type(" ")
        expect(found, what).to_contain_text(said)
        expect(found, what).not_to_contain_text("session")
        assert page.locator(TEXT).input_value().strip() == WRITTEN.strip(), what
        assert "/operator/c/cups/edit" in page.url, what
        assert page.evaluate("document.activeElement.id") == "definition"
        page.unroute_all()
        page.locator(TEXT).fill(WRITTEN)
    page.locator("#save").click()
    page.wait_for_url("**/operator/c/cups?*")
    assert ask(editor, desk, "GET", "/definition").json()["text"] == WRITTEN


def test_signing_in_happens_over_the_page(editor: serving.Watched, desk: Desk) -> None:
    page = editor.page
    page.context.clear_cookies()
    page.locator(TEXT).type("#")
    expect(page.locator("#findings")).to_contain_text("Your session is over")
    expect(page.locator("dialog")).to_have_count(0)  # no question while somebody writes
    page.locator(TEXT).fill(WRITTEN)
    page.locator("#save").click()
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("the page behind stays as it is")
    page.keyboard.press("Escape")
    expect(page.locator(".editor [role=alert]")).to_contain_text("Your session is over")
    page.locator("#save").click()
    dialog.locator("#token").fill("sudare_op_wrong")
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This is no valid token")
    expect(dialog.get_by_role("alert")).not_to_contain_text("session")
    dialog.locator("#token").fill(desk.token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/operator/c/cups?*")
    assert ask(editor, desk, "GET", "/definition").json()["text"] == WRITTEN


def test_the_findings_go_on_under_a_new_session(editor: serving.Watched, desk: Desk) -> None:
    page = editor.page
    page.context.clear_cookies()
    page.locator(TEXT).fill(f"{WRITTEN}#")
    page.locator("#findings").get_by_role("button", name="Sign in").click()
    page.locator("dialog #token").fill(desk.token)
    page.keyboard.press("Enter")
    page.locator("#findings .good").wait_for()
    assert page.locator(TEXT).input_value() == f"{WRITTEN}#"


def test_another_window_may_sign_in_and_out(editor: serving.Watched, desk: Desk) -> None:
    page = editor.page
    other = editor.tab()
    other.page.on("dialog", lambda one: one.accept())
    other.open("/operator?lang=en")
    other.page.locator("#leave").click()
    other.page.locator("#token").fill(desk.token)
    other.page.keyboard.press("Enter")
    other.page.wait_for_selector(".desk-bar")  # another session of the same person
    page.locator("#save").click()
    page.wait_for_url("**/operator/c/cups?*")
    assert ask(editor, desk, "GET", "/definition").json()["text"] == WRITTEN


def test_nothing_is_done_under_a_name_that_its_sender_has_not_seen(
    editor: serving.Watched, desk: Desk
) -> None:
    page = editor.page
    other = editor.tab()
    other.open("/operator?lang=en")
    other.page.locator("#leave").click()
    other.page.locator("#token").fill(desk.issue("bob", "read", "run"))
    other.page.keyboard.press("Enter")
    other.page.wait_for_selector(".desk-bar")
    page.locator("#save").click()
    page.get_by_text("Signed in as bob").wait_for()
    assert page.locator(TEXT).input_value() == WRITTEN
    assert ask(editor, desk, "GET", "/definition").json()["text"] == DRAFT
    page.locator("#save").click()
    page.wait_for_url("**/operator/c/cups?*")


def test_leaving_asks_and_what_was_written_comes_back(editor: serving.Watched) -> None:
    page = editor.page
    asked: list[str] = []
    page.on("dialog", lambda one: (asked.append(one.type), one.dismiss()))
    ways = [
        "location.reload()",
        "history.back()",
        "document.querySelector('.desk-parts a').click()",
    ]
    for way in ways:
        page.evaluate(f"setTimeout(() => {way})")
        page.wait_for_timeout(300)
        assert page.locator(TEXT).input_value() == WRITTEN, way
    page.close(run_before_unload=True)
    assert asked == ["beforeunload"] * 3 or asked == ["beforeunload"] * 4
    page.locator("#leave").click()
    expect(page.locator("dialog")).to_contain_text("What you wrote is not saved")
    page.keyboard.press("Escape")


def test_what_was_written_comes_back_after_the_page_was_left(browser: Any, desk: Desk) -> None:
    with serving.fresh(browser, desk.origin) as watched:
        page = watched.page
        page.on("dialog", lambda one: one.accept())
        ask(watched, desk, "PUT", "/definition", {"text": DRAFT})
        desk.sign_in(watched)
        watched.open("/operator/c/cups/edit?lang=en")
        page.locator(TEXT).fill(WRITTEN)
        watched.open("/operator?lang=en")
        watched.open("/operator/c/cups/edit?lang=ja")
        assert page.locator(TEXT).input_value() == WRITTEN
        expect(page.locator("#come-back")).to_contain_text("保存していない内容")
        ask(watched, desk, "PUT", "/definition", {"text": f"{DRAFT}# another\n"})
        watched.open("/operator/c/cups/edit?lang=en")
        expect(page.locator("#come-back")).to_contain_text("The saved text was changed meanwhile")
        page.locator("#come-back button").click()
        page.locator("dialog button[type=submit]").click()
        assert page.locator(TEXT).input_value() == f"{DRAFT}# another\n"
        expect(page.locator("#come-back")).to_have_count(0)
        page.locator(TEXT).fill(WRITTEN)
        page.locator("#leave").click()
        page.locator("dialog button[type=submit]").click()
        page.locator("#token").wait_for()
        assert page.evaluate("sessionStorage.length") == 0
        ask(watched, desk, "DELETE", "")


def test_the_network_may_fail(editor: serving.Watched, desk: Desk) -> None:
    page = editor.page
    page.context.set_offline(True)
    page.locator("#save").click()
    expect(page.locator(".editor [role=alert]")).to_contain_text("cannot be reached")
    page.locator(TEXT).fill(f"{WRITTEN}# still writing\n")
    expect(page.locator("#findings")).to_contain_text("cannot be reached")
    page.context.set_offline(False)
    page.wait_for_url("**/operator/c/cups?*")
    assert ask(editor, desk, "GET", "/definition").json()["text"] == f"{WRITTEN}# still writing\n"


def test_a_survey_that_is_deleted_while_it_is_open(editor: serving.Watched, desk: Desk) -> None:
    page = editor.page
    alert = page.locator(".editor [role=alert]")
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    for published, text in ((False, WRITTEN), (True, WRITTEN.replace("2.0", "1.0"))):
        if published:
            ask(editor, desk, "POST", "/publish", {})
            ask(editor, desk, "POST", "/close", {})
            editor.open("/operator/c/cups/edit?lang=en")
            page.locator(TEXT).fill(text)
        page.get_by_text("It can be saved").wait_for()
        page.wait_for_load_state("networkidle")
        assert ask(editor, desk, "DELETE", "").status == 200
        page.evaluate(RETURN)
        expect(alert).to_contain_text("It was deleted" if published else "it was deleted, or")
        expect(alert).to_contain_text("press Save again")
        assert page.locator(TEXT).input_value() == text
        asked.clear()
        page.evaluate(RETURN)
        page.wait_for_timeout(1500)
        assert asked == []
        page.locator("#save").click()
        page.wait_for_url("**/operator/c/cups?*")
        assert ask(editor, desk, "GET", "/definition").json()["text"] == text


def test_a_form_whose_survey_is_deleted_says_so_and_asks_no_more(browser: Any, desk: Desk) -> None:
    with serving.fresh(browser, desk.origin) as watched:
        ask(watched, desk, "PUT", "/definition", {"text": DRAFT.replace("2.0", "1.5")})
        ask(watched, desk, "POST", "/publish", {})
        page = watched.page
        watched.open("/cups?lang=en")
        page.get_by_label("One", exact=True).check()
        other = watched.tab()
        ask(watched, desk, "POST", "/close", {})
        assert ask(watched, desk, "DELETE", "").status == 200
        page.locator("button[type=submit]").click()
        expect(page.locator(".outcome")).to_contain_text("This survey was deleted by its owner")
        expect(page.locator(".notice-deleted")).to_be_visible()
        expect(page.locator("form, #again")).to_have_count(0)
        other.page.evaluate("Date.now = () => 4e12")
        other.page.evaluate(RETURN)
        expect(other.page.locator(".notice-deleted")).to_be_visible()
        expect(other.page.locator("form")).to_have_count(0)
        asked: list[str] = []
        other.page.on("request", lambda one: asked.append(one.url))
        other.page.evaluate(RETURN)
        other.page.evaluate("dispatchEvent(new Event('online'))")
        page.wait_for_timeout(500)
        assert asked == []
