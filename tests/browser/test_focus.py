"""After each action the focus is on the page, and a live region has said what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import serving
from surveys import INVITED, TEA
from test_operator import DRAFT, SCOPES, Desk

from sudare.collection import Collection
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

SETTLED = """() => {
  const now = document.activeElement;
  const said = [...document.querySelectorAll("[role=status], [role=alert]")]
    .some((one) => one.textContent.trim() !== "");
  return now !== null && now !== document.body && now.checkVisibility() && said;
}"""
TOLD = """() => document.querySelector("#news").textContent !== ""
  || [...document.querySelectorAll("[role=alert]")].some((one) => one.checkVisibility())"""
HUSH = "() => { document.querySelector('#news').textContent = ''; }"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    database = tmp_path_factory.mktemp("focus") / "desk.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", SCOPES)
    collections = Collection.from_toml(TEA), Collection.from_toml(INVITED)
    with serving.serve(collections, database) as origin:
        yield Desk(origin, database, token)


def settles(page: Any, what: str, act: Callable[[], object]) -> None:
    """Do something by keyboard, and wait until the focus is on the page and something was said."""
    page.evaluate(HUSH)
    act()
    page.wait_for_timeout(150)
    try:
        page.wait_for_function(SETTLED, timeout=10_000)
        page.wait_for_function(TOLD, timeout=10_000)
    except Exception as error:
        now = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        raise AssertionError(f"{what}: {now}") from error


def press(page: Any, locator: Any) -> Callable[[], None]:
    """Return an act: the keyboard's way to press a button."""

    def act() -> None:
        locator.focus()
        page.keyboard.press("Enter")

    return act


def test_every_action_of_the_operators_pages(browser: Any, desk: Desk) -> None:
    with serving.fresh(browser, desk.origin) as watched:
        page = watched.page
        watched.open("/operator?lang=en")
        page.locator("#token").fill(desk.token)
        settles(page, "sign in", lambda: page.keyboard.press("Enter"))
        headers = {"Authorization": f"Bearer {desk.token}"}
        url = f"{desk.origin}/api/v1/operator/collections/cups/definition"
        page.request.put(url, data={"text": DRAFT}, headers=headers)
        watched.open("/operator/c/cups?lang=en")
        dialog = page.locator("dialog button[type=submit]")
        for act in ("publish", "close", "open", "extend"):
            page.locator(f"#act-{act}").focus()
            page.keyboard.press("Enter")
            dialog.wait_for()
            if act == "extend":
                page.locator("dialog #until").fill("2099-01-31T18:00")
            settles(page, act, press(page, dialog))
        for value in ("private", "unlisted", "public"):
            chosen = page.locator(f"input[name=visibility][value={value}]")
            if not chosen.is_checked():
                settles(page, value, lambda chosen=chosen: chosen.check(force=True))
                assert page.evaluate("document.activeElement.value") == value
        page.locator("#act-close").focus()
        page.keyboard.press("Enter")
        dialog.wait_for()
        page.keyboard.press("Escape")
        page.wait_for_function("document.activeElement.id === 'act-close'")
        page.locator("#act-close").focus()
        page.keyboard.press("Enter")
        settles(page, "close", press(page, dialog))
        page.locator("#act-delete").focus()
        page.keyboard.press("Enter")
        page.locator("#typed-name").fill("cups")
        settles(page, "delete", press(page, dialog))

        watched.open("/operator/tokens?lang=en")
        page.get_by_label("Name", exact=True).fill("bob")
        settles(page, "token", press(page, page.get_by_role("button", name="Make the token")))
        revoke = page.get_by_role("button", name="Revoke the token of bob")
        revoke.focus()
        page.keyboard.press("Enter")
        settles(page, "revoke", press(page, dialog))
        assert "bob is revoked" in page.locator("#news").inner_text()

        watched.open("/operator/c/invited/invites?lang=en")
        settles(page, "invites", press(page, page.get_by_role("button", name="Make invites")))
        watched.open("/operator/c/tea/results?lang=en")
        settles(page, "again", press(page, page.locator("#again")))
        assert page.evaluate("document.activeElement.id") == "again"
        for one in range(3):
            settles(page, f"language {one}", press(page, page.locator("#languages a").nth(one)))


def test_every_action_of_a_survey(browser: Any, origin: str) -> None:
    with serving.fresh(browser, origin) as watched:
        page = watched.page
        watched.open("/paged?lang=en")
        steps = 0
        while page.locator(".next").is_visible():
            field = page.locator("fieldset.question:visible").first
            field.locator("input").first.check()
            settles(page, f"next {steps}", press(page, page.locator(".next")))
            steps += 1
            assert steps < 20
        assert page.evaluate("document.activeElement.id") == "tells-title"
        back = page.locator(".pager .plain")
        settles(page, "back", press(page, back))
        settles(page, "next", press(page, page.locator(".next")))
        settles(page, "send", press(page, page.locator("button[type=submit]:visible")))
        assert page.evaluate("document.activeElement.id") == "outcome-title"


def test_every_action_around_a_survey(browser: Any, origin: str) -> None:
    with serving.fresh(browser, origin) as watched:
        page = watched.page
        watched.open("/invited?lang=en")
        page.locator("#invite").fill("nothing of ours")
        settles(page, "no code", lambda: page.keyboard.press("Enter"))
        watched.open("/two?lang=en")
        page.locator("fieldset input").first.check()
        watched.open("/two?lang=en")
        settles(page, "clear", press(page, page.locator(".draft button")))
        for field in page.locator("fieldset.question").all():
            field.locator("input").first.check()
        settles(page, "send", press(page, page.locator("button[type=submit]")))
        settles(page, "again", press(page, page.locator("#again")))
        page.locator("fieldset.question input").nth(1).check()
        watched.open("/my/reports?lang=en")
        settles(page, "clear all", press(page, page.locator(".drafts button").first))


def test_a_click_on_bare_paper_is_nobodys_loss(browser: Any, origin: str) -> None:
    """Whoever leaves a control that stays is not pulled back by what changes elsewhere."""
    with serving.fresh(browser, origin) as watched:
        page = watched.page
        watched.open("/tea?lang=en")
        page.locator("fieldset input").first.focus()
        page.mouse.click(5, 5)
        page.evaluate("document.querySelector('.page-head').append('more')")
        page.wait_for_timeout(200)
        assert page.evaluate("document.activeElement === document.body")


def test_whatever_takes_the_focus_away_gives_it_back(browser: Any, origin: str) -> None:
    """Removed, hidden, put out of use, replaced: the focus finds the next place."""
    take = {
        "removed": "one.remove()",
        "hidden": "one.closest('fieldset').hidden = true",
        "disabled": "one.disabled = true",
        "inert": "one.closest('fieldset').inert = true",
        "all of it": "document.querySelector('form').remove()",
    }
    with serving.fresh(browser, origin) as watched:
        page = watched.page
        for what, how in take.items():
            watched.open("/tea?lang=en")
            box = page.locator("fieldset input").first
            settles(
                page,
                what,
                lambda box=box, how=how: (
                    box.focus(),
                    page.evaluate(f"() => {{ const one = document.activeElement; {how}; }}"),
                ),
            )
