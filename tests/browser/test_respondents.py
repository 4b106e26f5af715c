"""What makes answering easy: on a phone, half filled, over many pages, in one's own writing."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect
from serving import fresh

PHONE = {"width": 390, "height": 844}
DRAFTS = "Object.keys(localStorage).map((key) => localStorage[key])"


@pytest.mark.parametrize("path", ["/tea?lang=en", "/tea?lang=ja", "/long?lang=de"])
def test_on_a_phone_the_question_is_above_the_fold(watched: object, path: str) -> None:
    page = watched.page
    page.set_viewport_size(PHONE)
    watched.open(path)
    assert page.locator(".question-text").first.bounding_box()["y"] < 700
    expect(page.locator(".steps")).to_be_hidden()
    page.locator(".how summary").click()
    expect(page.locator(".steps")).to_be_visible()
    page.set_viewport_size({"width": 1100, "height": 900})
    page.reload()
    page.wait_for_selector("form")
    expect(page.locator(".steps")).to_be_visible()


def test_a_half_filled_form_is_kept_here_until_it_is_sent(watched: object) -> None:
    """It is sent by nobody, it is not another version's, and it can be cleared."""
    page = watched.page
    watched.open("/two")
    expect(page.locator(".draft")).to_have_count(0)
    page.get_by_role("radio", name="three", exact=True).check()
    page.reload()
    page.wait_for_selector(".draft")
    assert page.locator("input:checked").get_attribute("value") == "three"
    page.locator(".draft button").click()
    expect(page.locator("input:checked, .draft")).to_have_count(0)
    assert page.evaluate(DRAFTS) == []
    page.get_by_role("radio", name="four", exact=True).check()
    page.get_by_role("radio", name="no", exact=True).check()
    (draft,) = page.evaluate(DRAFTS)
    assert json.loads(draft)["answers"] == {"cups": "four", "sugar": "no"}
    page.reload()
    page.wait_for_selector(".draft")
    watched.send()
    assert page.evaluate(DRAFTS) == []
    assert set(watched.posts[0]) == {"fingerprint", "id", "report"}


def test_an_old_draft_and_one_of_another_version_are_forgotten(watched: object) -> None:
    page = watched.page
    for change in ("at -= 25 * 3600 * 1000", "owner = 'ff:'"):
        watched.open("/two")
        page.get_by_role("radio", name="three", exact=True).check()
        page.evaluate(
            "() => { const key = Object.keys(localStorage)[0];"
            f"const kept = JSON.parse(localStorage[key]); kept.{change};"
            "localStorage[key] = JSON.stringify(kept); }"
        )
        page.reload()
        page.wait_for_selector("form")
        expect(page.locator("input:checked, .draft")).to_have_count(0)
        assert page.evaluate(DRAFTS) == []


def begun(watched: object) -> None:
    """Choose in two surveys, and send neither."""
    for path, answer in (("/two", "three"), ("/tea", "Ayataka")):
        watched.open(f"{path}?lang=en")
        watched.page.get_by_role("radio", name=answer, exact=True).check()
    assert len(watched.page.evaluate(DRAFTS)) == 2


def test_any_page_removes_drafts_of_a_day_ago(browser: object, origin: str) -> None:
    """Two drafts, the clock 25 hours on, a page of another survey or of none: nothing is left."""
    for path in ("/", "/my/reports", "/long", "/two/results", "/nope", "/tea", "/embedded"):
        with fresh(browser, origin) as watched:
            watched.page.clock.install()
            begun(watched)
            watched.open("/")
            assert len(watched.page.evaluate(DRAFTS)) == 2, "a page leaves those of today"
            watched.page.clock.fast_forward("25:00:00")
            watched.page.goto("about:blank")
            watched.open(path)
            assert watched.page.evaluate(DRAFTS) == [], path
            watched.open("/two")
            expect(watched.page.locator("input:checked, .draft")).to_have_count(0)


def test_a_page_that_stays_open_removes_and_forgets_them_too(browser: object, origin: str) -> None:
    for path in ("/my/reports", "/tea"):
        with fresh(browser, origin) as watched:
            watched.page.clock.install()
            begun(watched)
            watched.open(path)
            watched.page.clock.fast_forward("23:00:00")
            expect(watched.page.locator("input:checked, .drafts li")).not_to_have_count(0)
            watched.page.clock.fast_forward("02:00:00")
            expect(watched.page.locator("input:checked, .drafts")).to_have_count(0)
            assert watched.page.evaluate(DRAFTS) == []


def test_the_page_of_this_device_lists_drafts_and_clears_them(watched: object) -> None:
    begun(watched)
    page = watched.page
    for language, title in (("en", "The tea survey"), ("ja", "お茶の調査")):
        watched.open(f"/my/reports?lang={language}")
        page.wait_for_selector(".drafts")
        shown = page.locator(".drafts").inner_text()
        assert title in shown
        assert "Ayataka" not in shown, "others may share this screen"
        watched.check_small()
    page.locator(".drafts li button").first.click()
    expect(page.locator(".drafts li")).to_have_count(1)
    assert len(page.evaluate(DRAFTS)) == 1
    begun(watched)
    watched.open("/my/reports")
    page.locator(".drafts > button").click()
    expect(page.locator(".drafts")).to_have_count(0)
    assert page.evaluate(DRAFTS) == []


def test_beyond_six_each_question_has_a_page(watched: object) -> None:
    """By keyboard alone; an open question stays, and all is sent from the last page."""
    page = watched.page
    watched.open("/long?lang=en")
    for i in range(1, 9):
        shown = page.locator(".question:visible")
        expect(shown).to_have_count(1)
        assert f"Question number {i}?" in shown.inner_text()
        expect(page.locator("button.submit")).to_be_hidden()
        page.keyboard.press("Tab")
        page.locator(".next").focus()
        page.keyboard.press("Enter")
        assert f"Question number {i}?" in page.locator(".question:visible").inner_text()
        expect(page.locator(".missing:visible")).to_have_count(1)
        if i == 8:
            page.keyboard.type("1,234.5")
        else:
            page.keyboard.press("Space")
        page.locator(".next").focus()
        page.keyboard.press("Enter")
    expect(page.locator(".question:visible")).to_have_count(0)
    expect(page.locator(".tells")).to_be_visible()
    page.get_by_role("button", name="Back").click()
    assert "Question number 8?" in page.locator(".question:visible").inner_text()
    page.locator(".next").click()
    watched.send()
    assert watched.counts("long")["n"] == 1


@pytest.mark.parametrize(
    ("language", "typed", "answer"),
    [
        ("de", "1,5", 1.5),
        ("de", "1.234,5", 1234.5),
        ("de", "1.5", 1.5),
        ("en", "1,234.5", 1234.5),
        ("en", "1,5", 1.5),
        ("en", "１２", 12),
        ("en", "1.2.3", None),
        ("en", "9999", 9999),
    ],
)
def test_decimals_are_read_as_they_are_written(
    watched: object, language: str, typed: str, answer: float | None
) -> None:
    page = watched.page
    watched.open(f"/long?lang={language}")
    page.evaluate(
        """async ([typed, language]) => {
          const { numberOf } = await import("/static/js/questions/number/index.js");
          const point = language === "de" ? "," : ".";
          window.found = numberOf(typed, point) ?? null;
        }""",
        [typed, language],
    )
    assert page.evaluate("window.found") == answer


def test_an_intro_has_paragraphs_and_links(watched: object) -> None:
    page = watched.page
    watched.open("/long?lang=en")
    paragraphs = page.locator("p.intro").all_inner_texts()
    assert paragraphs == [
        "About tea.",
        "More at https://example.org/tea?a=1. <b>Thanks</b> http://example.org",
    ]
    links = page.locator("p.intro a").evaluate_all("all => all.map((one) => [one.href, one.rel])")
    assert links == [["https://example.org/tea?a=1", "external noopener noreferrer"]]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("Object.defineProperty(crypto, 'subtle', { value: undefined })", "https://"),
        ("Object.defineProperty(window, 'indexedDB', { get() { throw Error(); } })", "site data"),
        ("IDBFactory.prototype.open = () => { throw Error(); }", "site data"),
    ],
)
def test_a_message_names_the_cause(watched: object, script: str, said: str) -> None:
    page = watched.page
    page.add_init_script(script)
    watched.open("/tea?lang=en")
    page.get_by_role("alert").wait_for()
    assert said in page.get_by_role("alert").inner_text()
    watched.check_small()


@pytest.mark.parametrize("language", ["en", "ja", "de"])
def test_my_reports_are_all_that_this_device_has_sent(watched: object, language: str) -> None:
    page = watched.page
    watched.open(f"/my/reports?lang={language}")
    expect(page.locator("section")).to_have_count(0)
    for path, label in (("/two", "three"), ("/tea", "Ayataka")):
        watched.open(f"{path}?lang=en")
        page.get_by_role("radio", name=label, exact=True).check()
        if path == "/two":
            page.get_by_role("radio", name="no", exact=True).check()
        watched.send()
    page.locator("#mine").click()
    page.wait_for_selector("section.card")
    watched.open(f"/my/reports?lang={language}")
    numbers = page.locator("code.report-number").all_inner_texts()
    assert numbers == [post["id"] for post in watched.posts] or numbers == [
        post["id"] for post in reversed(watched.posts)
    ]
    point = "," if language == "de" else "."
    said = page.locator("main").inner_text()
    for spent in ("2.4", "2", "4.4"):
        assert f"ε = {spent.replace('.', point)}" in said
    watched.check_small()


@pytest.mark.parametrize("path", ["/long", "/long/results", "/", "/my/reports"])
def test_german_pages_are_german(browser: object, origin: str, path: str) -> None:
    """The language comes from the browser; no key is shown in the place of words."""
    with fresh(browser, origin, locale="de-CH") as watched:
        watched.open(path)
        assert watched.page.locator("html").get_attribute("lang") == "de"
        said = watched.page.locator("body").inner_text()
        assert not [word for word in said.split() if word.count(".") == 1 and word.islower()
                    and word.replace(".", "").isalpha() and word.split(".")[1]]  # fmt: skip
        watched.check_small()


@pytest.mark.parametrize("path", ["/two", "/bath", "/tea/results", "/"])
def test_pages_can_be_read_from_right_to_left(watched: object, path: str) -> None:
    """What stands at the beginning of a line stands at its right; nothing is cut off."""
    page = watched.page
    watched.open(path)
    page.evaluate("document.documentElement.dir = 'rtl'")
    brand, languages = (page.locator(one).bounding_box()["x"] for one in (".brand", ".languages"))
    assert brand > languages
    if path == "/two":
        label, box = (
            page.locator(f".choice {one}").first.bounding_box() for one in ("span", "input")
        )
        assert box["x"] > label["x"]
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
