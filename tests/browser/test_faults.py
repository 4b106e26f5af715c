"""A page that goes wrong says so, with what to do, and never stays at "Opening…"."""

from __future__ import annotations

from typing import Any

import pytest
import serving
from playwright.sync_api import expect
from surveys import TEA
from test_operator import SCOPES

from sudare.collection import Collection
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

BREAK = """(() => {
  const make = Document.prototype.createElement;
  Document.prototype.createElement = function (tag, ...more) {
    if (tag === "%s") throw new TypeError("a true answer");
    return make.call(this, tag, ...more);
  };
})();"""
VIEWS = {
    "/tea": "fieldset",
    "/my/reports": "h1",
    "/": "ul",
    "/operator": "nav",
    "/operator/new": "textarea",
    "/operator/tokens": "table",
    "/operator/c/tea": "dl",
}
VIOLATED = """addEventListener("securitypolicyviolation", (event) =>
  console.error("Content Security Policy", event.violatedDirective, event.sample))"""


@pytest.fixture
def signed(browser: Any, tmp_path: Any) -> Any:
    """Somebody who is signed in at a collector of one survey."""
    database = tmp_path / "desk.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", SCOPES)
    collections = (Collection.from_toml(TEA),)
    with serving.serve(collections, database) as origin, serving.fresh(browser, origin) as page:
        page.open("/operator?lang=en")
        page.page.fill("#token", token)
        page.page.keyboard.press("Enter")
        page.page.wait_for_selector(".desk-bar")
        yield page


def test_a_view_that_throws_says_what_to_do(signed: serving.Watched) -> None:
    for language, said in (("en", "Please reload it"), ("ja", "読み込み直してください")):
        for path, tag in VIEWS.items():
            page = signed.tab()
            page.page.add_init_script(BREAK % tag)
            page.page.goto(f"{page.origin}{path}?lang={language}")
            expect(page.page.locator("main"), path).to_contain_text(said)
            expect(page.page.locator(".loading"), path).to_have_count(0)
            if tag != "h1":
                assert "true answer" not in page.page.locator("main").inner_text()
            page.page.close()


def test_a_page_that_cannot_begin_says_so(signed: serving.Watched) -> None:
    for path in ("/tea", "/tea/results", "/operator/c/tea/edit", "/my/reports", "/"):
        page = signed.tab()
        page.page.add_init_script("delete Intl.PluralRules")
        page.page.goto(f"{page.origin}{path}?lang=en")
        expect(page.page.locator("main"), path).to_contain_text("Please reload it")
        expect(page.page.locator(".loading"), path).to_have_count(0)
        page.page.close()
    assert signed.complaints
    signed.complaints.clear()


def test_what_fails_later_is_said_above_a_page_that_stands(signed: serving.Watched) -> None:
    for path in ("/tea", "/operator/new"):
        signed.open(f"{path}?lang=en")
        signed.page.wait_for_selector("fieldset, textarea")
        for _ in range(2):
            signed.page.evaluate("setTimeout(() => { throw new Error('late'); })")
            signed.page.evaluate("void Promise.reject(new Error('later'))")
        expect(signed.page.locator(".fault")).to_have_count(1)
        expect(signed.page.locator(".fault")).to_contain_text("Please reload the page")
        expect(signed.page.locator("fieldset, textarea").first).to_be_visible()
    signed.complaints.clear()


def test_addresses_that_are_not_well_written_have_a_sentence(signed: serving.Watched) -> None:
    for path in ("/%ff", "/%ff/results", "/operator/c/%ff", "/operator/c/%ff/edit"):
        signed.page.goto(signed.origin + path)
        expect(signed.page.get_by_role("alert"), path).to_be_visible()


def test_no_page_needs_a_trusted_type(signed: serving.Watched) -> None:
    """What would be violated is recorded as a complaint, which the fixture refuses."""
    page = signed.page
    page.context.add_init_script(VIOLATED)
    answer = page.goto(f"{signed.origin}/operator/c/tea/edit?lang=ja")
    assert "require-trusted-types-for 'script'" in answer.headers["content-security-policy"]
    with page.context.expect_page() as opened:
        page.locator("#preview").click()
    preview = serving.Watched(opened.value, signed.origin)
    preview.complaints = signed.complaints
    preview.page.reload()
    preview.page.wait_for_selector("form")
    for path in ("/", "/tea", "/tea/results", "/my/reports", "/operator", "/operator/tokens",
                 "/operator/log", "/operator/c/tea", "/operator/c/tea/results"):  # fmt: skip
        signed.open(path)
        page.wait_for_load_state("networkidle" if "results" not in path else "load")
    assert signed.complaints == []


def test_a_note_describes_only_while_it_is_shown(browser: Any, origin: str) -> None:
    with serving.fresh(browser, origin) as watched:
        page = watched.page
        for path in ("/two", "/commute", "/teas", "/films", "/shelf", "/bath"):
            watched.open(f"{path}?lang=en")
            assert page.evaluate(serving.REFERENCES) == [], path
            page.locator("button[type=submit]:visible, .next:visible").first.click()
            page.locator(".is-missing").first.wait_for()
            assert page.evaluate(serving.REFERENCES) == [], path
            described = page.locator(".is-missing").first.get_attribute("aria-describedby") or ""
            assert "-missing" in described, path
        watched.open("/two?lang=en")
        page.locator("button[type=submit]").click()
        field = page.locator("fieldset.question").first
        field.locator("input").first.check()
        assert "-missing" not in (field.get_attribute("aria-describedby") or "")


FORCED = """() => [...document.querySelectorAll(".switch, .languages")].map((one) =>
  [...one.querySelectorAll("input + span, a")].map((option) => [
    Boolean(option.previousElementSibling?.checked || option.getAttribute("aria-current")),
    getComputedStyle(option).backgroundColor,
  ]))"""


def test_with_forced_colours_what_is_chosen_looks_chosen(signed: serving.Watched) -> None:
    page = signed.page
    for scheme in ("light", "dark"):
        page.emulate_media(forced_colors="active", color_scheme=scheme)
        for path in ("/operator/c/tea", "/tea/results"):
            signed.open(path)
            groups = page.evaluate(FORCED)
            assert groups
            for options in groups:
                chosen = {color for is_chosen, color in options if is_chosen}
                others = {color for is_chosen, color in options if not is_chosen}
                assert len(chosen) == 1, (path, options)
                assert not chosen & others, (path, options)
