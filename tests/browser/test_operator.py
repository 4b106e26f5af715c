"""The operators' pages in a browser: all that an operator does, for everybody who does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import serving
from playwright.sync_api import expect
from surveys import INVITED, TEA
from test_axe import AXE, FOUND

from sudare import Entropy
from sudare.collection import Collection
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

SCOPES = ["read", "run", "export", "admin"]
SEVERAL = [
    "/operator",
    "/operator/new",
    "/operator/c/tea",
    "/operator/c/tea/edit",
    "/operator/c/tea/results",
    "/operator/c/invited/invites",
    "/operator/tokens",
    "/operator/sessions",
    "/operator/log",
]
LOOKS = [("en", "light", 1920), ("ja", "dark", 320), ("de", "light", 390)]
DRAFT = """
[collection]
name = "cups"
epsilon = 2.0
expected_respondents = 1000
languages = ["en", "ja"]
title = { en = "Cups", ja = "茶わん" }

[[question]]
id = "cups"
type = "choice"
text = { en = "How many cups?", ja = "何杯ですか？" }
choices = ["none", "one", "more"]
labels = { en = ["None", "One", "More"], ja = ["なし", "一杯", "それ以上"] }
"""
READY = """() => {
  const waits = [".findings", ".accuracy", ".qr"];
  return waits.every((one) => document.querySelector(one)?.childElementCount !== 0);
}"""
MISSED = """() => {
  const seen = window.seen;
  const all = [...document.querySelectorAll(
    "a[href], button, input, textarea, summary, select, [tabindex='0']")]
    .filter((one) => one.checkVisibility() && !one.disabled && !one.closest("[inert]"))
    .filter((one) => one.type !== "radio" || one.checked);
  return all.filter((one) => !seen.has(one)).map((one) => one.outerHTML.slice(0, 120));
}"""


@dataclass
class Desk:
    """A collector with two surveys, and what signs in to it."""

    origin: str
    database: Path
    token: str

    def issue(self, name: str, *scopes: str, collections: list[str] | None = None) -> str:
        with open_register(self.database) as register:
            return Tokens(register).issue(name, list(scopes), collections)

    def sign_in(self, watched: serving.Watched, token: str = "", language: str = "en") -> None:
        """Sign in as a person would, by keyboard."""
        watched.open(f"/operator?lang={language}")
        page = watched.page
        page.locator("#token").focus()
        page.keyboard.type(token or self.token)
        page.keyboard.press("Enter")
        page.wait_for_selector(".desk-bar")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One collector for all tests of this file: each leaves it as it found it, or works apart."""
    database = tmp_path_factory.mktemp("desk") / "desk.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", SCOPES)
    collections = Collection.from_toml(TEA), Collection.from_toml(INVITED)
    with serving.serve(collections, database) as origin:
        yield Desk(origin, database, token)


@pytest.fixture
def watched(browser: Any, desk: Desk) -> Iterator[serving.Watched]:
    with serving.fresh(browser, desk.origin) as page:
        page.page.on("dialog", lambda dialog: dialog.dismiss())
        yield page


@pytest.fixture
def signed(watched: serving.Watched, desk: Desk) -> serving.Watched:
    desk.sign_in(watched)
    return watched


def test_a_wrong_token_is_refused_and_signing_out_ends_it(
    watched: serving.Watched, desk: Desk
) -> None:
    page = watched.page
    watched.open("/operator/tokens?lang=en")
    page.get_by_label("Your token").fill("sudare_op_wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    expect(page.locator(".desk-bar")).to_have_count(0)
    page.get_by_label("Your token").fill(desk.token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Tokens", exact=True).wait_for()
    expect(page.get_by_text("Signed in as ann")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Your token").wait_for()
    watched.open("/operator/log?lang=en")
    expect(page.get_by_label("Your token")).to_be_visible()


def test_from_nothing_to_published_and_deleted(signed: serving.Watched, desk: Desk) -> None:
    page = signed.page
    page.get_by_role("link", name="New survey").click()
    page.get_by_text("a new survey").wait_for()
    text = page.get_by_role("textbox", name="The survey's text (TOML)")
    assert 'languages = ["en"]' in text.input_value()
    text.fill(DRAFT.replace('"more"]', '"one"]'))
    page.locator("#findings .caution").wait_for()
    assert page.locator("#preview").get_attribute("inert") is not None
    text.fill(DRAFT)
    page.get_by_text("No end is stated (closes)").wait_for()

    page.locator("#slider-epsilon").focus()
    page.wait_for_function("document.querySelector('#slider-epsilon + output').textContent !== ''")
    assert page.locator("#slider-epsilon + output").inner_text() == "ε = 2"
    width = page.locator(".accuracy tbody td").first.inner_text()
    page.keyboard.press("Home")
    page.wait_for_function(
        "(old) => document.querySelector('.accuracy tbody td').textContent !== old", arg=width
    )
    assert page.locator("#slider-epsilon").get_attribute("aria-valuetext") == "ε = 0.1"
    expect(page.locator(".accuracy .tells")).to_be_visible()
    page.locator("#apply").click()
    assert "epsilon = 0.1\n" in text.input_value()
    text.fill(DRAFT)
    page.get_by_text("It can be saved: a new survey.").wait_for()

    with page.context.expect_page() as opened:
        page.locator("#preview").click()
    preview = opened.value
    preview.wait_for_selector("form")
    expect(preview.locator(".languages a")).to_have_count(2)
    preview.get_by_label("One", exact=True).check()
    preview.locator("button[type=submit]").click()
    preview.wait_for_selector(".outcome-preview")
    preview.close()

    page.locator("#save").click()
    page.wait_for_url("**/operator/c/cups*")
    page.get_by_text("Nobody else can see it.").wait_for()
    assert page.request.get(f"{desk.origin}/cups").status == 404
    page.locator("#act-publish").click()
    frozen = page.locator("dialog")
    assert "ε = 2" in frozen.inner_text()
    assert "the mechanism of each question" in frozen.inner_text()
    frozen.get_by_role("button", name="Publish").click()
    page.get_by_text("Reports are taken.").wait_for()
    page.locator(".qr svg").wait_for()
    assert page.locator("#public-link").get_attribute("href") == f"{desk.origin}/cups"
    assert page.request.get(f"{desk.origin}/cups").status == 200

    page.get_by_text("Unlisted", exact=True).click()
    page.get_by_text("whoever knows the address sees its results").wait_for()
    listed = page.request.get(f"{desk.origin}/api/v1/collections").json()["collections"]
    assert "cups" not in [one["name"] for one in listed]

    page.locator("#act-extend").click()
    page.locator("dialog #until").fill("2099-01-31T18:00")
    page.locator("dialog").get_by_role("button", name="Extend").click()
    page.get_by_text("31 January 2099").first.wait_for()
    page.locator("#act-close").click()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    page.locator("#act-close").click()
    page.locator("dialog").get_by_role("button", name="Close").click()
    page.get_by_text("No report is taken any more.").wait_for()

    page.locator("#act-delete").click()
    page.locator("#typed-name").fill("tea")
    page.locator("dialog").get_by_role("button", name="Delete").click()
    page.locator("dialog").get_by_text("Nothing was deleted").wait_for()
    page.locator("#typed-name").fill("cups")
    page.locator("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("heading", name="Deleted").wait_for()
    assert page.request.get(f"{desk.origin}/cups").status == 410


def test_results_before_the_public_sees_them(signed: serving.Watched, desk: Desk) -> None:
    page = signed.page
    signed.open("/operator/c/tea?lang=en")
    page.wait_for_selector(".plan-bar")
    expect(page.locator("dd a[download]")).to_have_count(0)  # files of nothing are refused
    survey = Collection.from_toml(TEA)
    mechanism = survey.questions[0].mechanism
    values = np.repeat(np.arange(5), 40)
    reports = mechanism.perturb(values, rng=Entropy.seeded(b"desk"))
    signed.deliver("tea", [bytes([int(one)]) for one in reports])
    signed.open("/operator/c/tea/results?lang=en")
    page.wait_for_selector(".bars li")
    assert "200 reports" in page.locator(".n").inner_text()
    expect(page.get_by_text("No question shows signs")).to_be_visible()
    page.get_by_text("The respondents", exact=True).click()
    page.wait_for_function(
        "document.querySelector('input[value=respondents]').checked"
        " && document.activeElement.value === 'respondents'"
    )
    expect(page.locator(".bars li")).to_have_count(6)
    signed.open("/operator/c/tea?lang=en")
    assert "200 reports of 5,000 expected" in page.locator(".plan-bar").inner_text()
    links = [one.get_attribute("href") for one in page.locator("dd a[download]").all()]
    assert links, "all that is offered is there"
    for href in links:
        assert page.request.get(f"{desk.origin}{href}").status == 200, href
    with page.expect_download() as saved:
        page.locator("dd a[href*='format=svg']").first.click()
    assert saved.value.suggested_filename == "tea.svg"
    page.route("**/export*", lambda route: route.fulfill(status=400, json={"error": {
        "argument": "format", "message": "format draws at most 300 figures"}}))  # fmt: skip
    page.locator("dd a[href*='format=svg']").first.click()
    page.get_by_role("alert").get_by_text("draws at most 300 figures").wait_for()


def test_invites_are_printed_as_slips(signed: serving.Watched, desk: Desk) -> None:
    page = signed.page
    signed.open("/operator/c/invited/invites?lang=en")
    page.get_by_label("How many").fill("3")
    page.get_by_role("button", name="Make invites").click()
    page.locator(".slips li").nth(2).wait_for()
    assert page.evaluate("document.activeElement.id") == "slips"
    codes = [one.inner_text() for one in page.locator(".slips code").all()]
    assert len(set(codes)) == 3
    expect(page.locator(".slips svg path")).to_have_count(3)
    assert "3 invites issued" in page.locator(".page-head").inner_text()
    assert stays(page, page.get_by_role("link", name="Overview")) == ["beforeunload"]
    page.get_by_role("link", name="日本語").click()
    page.get_by_text("まだ保存されていません").wait_for()
    page.get_by_role("link", name="English").click()
    page.get_by_label("How many").fill("1")
    page.get_by_role("button", name="Make invites").click()
    page.locator(".slips li").nth(3).wait_for()  # those that nobody has kept are still there
    assert [one.inner_text() for one in page.locator(".slips code").all()][:3] == codes
    page.get_by_role("button", name="Sign out").click()
    page.locator("dialog").get_by_text("nobody can show them again").wait_for()
    page.locator("dialog").get_by_role("button", name="Cancel").click()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download").click()
    assert len(Path(started.value.path()).read_text("utf-8").split()) == 4
    page.get_by_text("Kept: you can leave this page.").wait_for()
    page.emulate_media(media="print")
    for gone in (".desk-bar", ".page-head", "#print"):
        expect(page.locator(gone)).to_be_hidden()
    expect(page.locator(".slips li").first).to_be_visible()
    page.emulate_media(media="screen")
    signed.check_small()
    assert stays(page, page.get_by_role("link", name="Overview")) == []
    page.wait_for_url("**/operator/c/invited?*")
    code = page.request.post(
        f"{desk.origin}/api/v1/collections/invited/admission",
        data={"fingerprint": Collection.from_toml(INVITED).fingerprint, "invite": codes[0]},
    )
    assert code.status == 200


def stays(page: Any, link: Any) -> list[str]:
    """The questions before the page is left by a link; each is answered with no."""
    asked: list[str] = []

    def note(dialog: Any) -> None:
        asked.append(dialog.type)

    page.on("dialog", note)
    link.click(no_wait_after=True)
    page.wait_for_timeout(300)
    page.remove_listener("dialog", note)
    return asked


def test_a_token_is_shown_once_and_revoked(
    signed: serving.Watched, desk: Desk, browser: Any
) -> None:
    page = signed.page
    signed.open("/operator/tokens?lang=en")
    page.get_by_label("Name", exact=True).fill("bob")
    page.get_by_role("textbox", name="Collections").fill("tea")
    page.get_by_role("button", name="Make the token").click()
    token = page.locator("#made-token").inner_text()
    assert token.startswith("sudare_op_")
    assert stays(page, page.get_by_role("link", name="Sessions")) == ["beforeunload"]
    assert page.locator("#made-token").inner_text() == token
    page.get_by_role("button", name="I have it").click()
    page.get_by_text("Kept: you can leave this page.").wait_for()
    page.reload()
    page.get_by_role("rowheader", name="bob").wait_for()
    assert token not in page.content()
    with serving.fresh(browser, desk.origin) as other:
        desk.sign_in(other, token)
        expect(other.page.locator(".collections li")).to_have_count(1)
        expect(other.page.get_by_role("link", name="Tokens")).to_have_count(0)
        other.open("/operator/c/tea?lang=en")
        expect(other.page.locator(".acts, input[name=visibility]")).to_have_count(0)
        other.open("/operator/c/invited?lang=en")
        expect(other.page.get_by_role("alert")).to_be_visible()
        page.get_by_role("button", name="Revoke the token of bob").click()
        page.locator("dialog").get_by_role("button", name="Revoke").click()
        page.get_by_text("revoked", exact=True).wait_for()
        other.open("/operator?lang=en")
        expect(other.page.get_by_label("Your token")).to_be_visible()
    signed.open("/operator/log?lang=en")
    page.get_by_role("cell", name="Revoked a token").first.wait_for()
    expect(page.get_by_role("cell", name="Made a token").first).to_be_visible()
    by_session = re.compile(r"\(session [0-9a-f]{12}\)$")
    expect(page.get_by_role("cell", name=by_session).first).to_be_visible()
    assert token not in page.content()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
def test_every_page_is_for_everybody(browser: Any, desk: Desk) -> None:
    """axe, contrast, names, widths; and each control of each page is reached by keyboard."""
    source = AXE.read_text("utf-8")
    for language, scheme, width in LOOKS:
        look = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
        with serving.fresh(browser, desk.origin, bypass_csp=True, **look) as one:
            page = one.page
            one.open(f"/operator?lang={language}")
            check(one, source, "sign in", language, width)
            desk.sign_in(one, language=language)
            for path in SEVERAL:
                one.open(f"{path}?lang={language}")
                page.wait_for_function(READY)
                check(one, source, path, language, width)
            one.open(f"/operator/c/tea?lang={language}")
            page.locator("#act-close").click()
            page.evaluate(source)
            assert page.evaluate(FOUND) == [], language


def check(one: serving.Watched, source: str, path: str, language: str, width: int) -> None:
    page, where = one.page, (path, language, width)
    assert page.locator("html").get_attribute("lang") == language
    assert "operator." not in page.locator("body").inner_text(), where
    assert page.evaluate("document.documentElement.scrollWidth") <= width, where
    assert page.evaluate(serving.CONTRAST) == [], where
    one.check_names()
    page.evaluate(source)
    assert page.evaluate(FOUND) == [], where
    if language == "en":
        assert reached(page) == [], where


def reached(page: Any) -> list[str]:
    """Return what pressing Tab does not reach."""
    page.evaluate("document.activeElement.blur(); window.seen = new Set(); window.last = null")
    for _ in range(120):
        page.keyboard.press("Tab")
        over = page.evaluate("""() => {
          const one = document.activeElement, known = window.seen.has(one);
          const inside = one === window.last;  // a date has fields of its own
          window.seen.add(one);
          window.last = one;
          return (known && !inside) || one === document.body;
        }""")
        if over:
            break
    missed: list[str] = page.evaluate(MISSED)
    return missed
