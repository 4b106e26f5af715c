"""Questions that come and go, choices by the thousand, and pages in a survey's own words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect
from serving import fresh, payload, serve
from surveys import RIDES

import sudare as sd
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

SHOWN = ".question:visible"


def test_a_question_comes_and_goes_with_an_earlier_answer(watched: object) -> None:
    """By keyboard; what came is said aloud, and what is not asked is not needed."""
    page = watched.page
    watched.open("/smoking?lang=en")
    expect(page.locator(SHOWN)).to_have_count(1)
    page.get_by_role("radio", name="Yes").focus()
    page.keyboard.press("Space")
    expect(page.locator(SHOWN)).to_have_count(2)
    expect(page.get_by_role("status").filter(has_text="Question 2 is asked")).to_have_count(1)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.value") == "never"
    page.keyboard.press("Space")
    page.reload()
    page.wait_for_selector(".draft")
    expect(page.locator(SHOWN)).to_have_count(2)
    page.get_by_role("radio", name="No", exact=True).check()
    said = page.locator(".news").inner_text()
    assert "2 is no longer asked" in said
    assert "3 is asked" in said
    expect(page.get_by_role("group", name="Have you tried")).to_have_count(0)
    watched.check_small()
    page.locator("button[type=submit]").click()
    assert "What do you take breaks for?" in page.locator(".is-missing").inner_text()
    assert page.evaluate("document.activeElement.value") == "tea"
    page.keyboard.press("Space")
    assert "draws an answer at random" in page.locator(".tells").inner_text()
    watched.send()
    (sent,) = watched.posts
    collection = watched.compiled("smoking")
    client = sd.Client(collection)
    assert len(payload(sent)) == len(client.answer({"smokes": "yes", "tried": "once"}).payload)
    expect(page.locator(".report-list dt")).to_have_count(4)  # as many as of anybody else


def test_pages_of_questions_that_are_not_asked_are_passed_over(watched: object) -> None:
    page = watched.page
    watched.open("/paged")

    def answer(label: str) -> None:
        page.locator(SHOWN).get_by_role("radio", name=label, exact=True).check()
        page.locator(".next").click()

    def number() -> str:
        return page.locator(SHOWN).locator(".question-text").inner_text()

    answer("no")
    assert number() == "Question number 3?"
    page.get_by_role("button", name="Back").click()
    assert number() == "Question number 1?"
    answer("yes")
    assert number() == "Question number 2?"
    page.get_by_role("button", name="Back").click()
    answer("no")
    for i in range(3, 7):
        assert number() == f"Question number {i}?"
        answer("yes")
    expect(page.locator(SHOWN)).to_have_count(0)
    page.get_by_role("button", name="Back").click()
    assert number() == "Question number 6?"
    page.locator(".next").click()
    watched.send()
    assert watched.counts("paged")["n"] == 1


def drawn(collection: sd.Collection, people: list[dict[str, Any]]) -> list[bytes]:
    """Return their reports from one stream of entropy: the page's own reports alone are fresh."""
    entropy = sd.Entropy.seeded(b"asked of " + collection.name.encode())
    return [sd.Client(collection, entropy=entropy).answer(one).payload for one in people]


def test_results_are_of_those_who_were_asked(watched: object) -> None:
    page, collection = watched.page, watched.compiled("smoking")
    people = [{"smokes": "yes", "tried": "often"}] * 240
    people += [{"smokes": "no", "breaks": ["tea"]}] * 160
    found = watched.deliver("smoking", drawn(collection, people))
    assert found["questions"][1]["alarms"]["bands"] == []
    often = found["questions"][1]["cells"][2]
    assert often["low"] <= 1
    assert often["share"] > 0.6  # 40 % would be it with the drawn answers
    watched.open("/smoking/results?lang=en")
    page.wait_for_selector(".among")
    notes = page.locator(".among").all_inner_texts()
    assert len(notes) == 2
    assert "answered question 1 with “Yes”" in notes[0]
    assert "with “No”, “Prefer not to say”" in notes[1]
    watched.check_small()


def test_every_type_is_asked_of_some_and_shown_of_them(browser: Any, tmp_path: Path) -> None:
    """A chain in the form; the results are of those asked, for everybody and for operators."""
    collection, database = sd.Collection.from_toml(RIDES), tmp_path / "rides.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", ["read", "run"])
    with serve((collection,), database) as origin, fresh(browser, origin) as watched:
        page = watched.page
        watched.open("/rides?lang=en")

        def answer(label: str) -> None:
            page.locator(SHOWN).get_by_role("radio", name=label, exact=True).check()
            page.locator(".next").click()

        def number() -> str:
            return page.locator(SHOWN).locator(".question-text").inner_text()

        answer("Yes")
        answer("Mine")
        assert number() == "How old is it, in years?"
        for _ in range(2):
            page.get_by_role("button", name="Back").click()
        answer("No")  # what stands for the question in between asks nothing any more
        expect(page.locator(SHOWN)).to_have_count(0)
        watched.send()
        (sent,) = watched.posts
        assert len(payload(sent)) == collection.program.report_bytes
        assert page.locator(".report-list dt").count() >= 7

        found = watched.deliver("rides", drawn(collection, [{"rides": "no"}] * 40))
        assert {one["warnings"][0]["code"] for one in found["questions"][1:]} == {"few-asked"}
        watched.open("/rides/results?lang=en")
        page.locator(".among").nth(5).wait_for()
        expect(page.get_by_text("Too few people were asked this")).to_have_count(6)
        expect(page.locator(".few-asked :is(svg, table):visible")).to_have_count(0)

        rider = {"rides": "yes", "own": "mine", "age": 15, "way": 75, "home": 4}
        rider |= {"parts": {"bell": 5, "lamp": None}, "when": {"week": "daily", "end": "never"}}
        found = watched.deliver("rides", drawn(collection, [rider] * 200))
        assert all(one["method"] == "among-asked" for one in found["questions"][1:])
        mean = found["questions"][2]["mean"]
        assert mean["low"] < 15 < mean["high"]
        for path in ("/rides/results?lang=en", "/operator/c/rides/results?lang=en"):
            watched.open(path)
            if path.startswith("/operator"):
                page.locator("#token").fill(token)
                page.keyboard.press("Enter")
            page.locator(".among").nth(5).wait_for()
            page.wait_for_function("!document.querySelector('.few-asked')")
            notes = page.locator(".among").all_inner_texts()
            assert "answered question 1 with “Yes”" in notes[0], path
            assert "answered question 2 with “Mine”" in notes[1], path
            assert page.locator(".result svg:visible").count() >= 5
        watched.check_small()


def test_of_thousands_of_choices_one_is_found_by_typing(watched: object) -> None:
    page = watched.page
    watched.open("/words?lang=en")
    expect(page.locator(".choice")).to_have_count(101)  # and "prefer not to say"
    assert page.get_by_role("status").first.inner_text() == "101 of 5,001 shown"
    page.get_by_role("searchbox", name="Find a choice").fill("W４９９")
    assert page.locator(".choice").all_inner_texts() == [
        *("w499", *(f"w499{i}" for i in range(10)), "Prefer not to say")
    ]
    page.get_by_role("radio", name="w4993").check()
    page.get_by_role("searchbox").fill("w12")
    assert page.locator("input:checked").get_attribute("value") == "w4993"
    page.get_by_role("button", name="Show 11 more").press("Enter")
    assert page.evaluate("document.activeElement.value") == "w1289"
    expect(page.locator(".choice")).to_have_count(113)
    expect(page.get_by_role("button", name="more")).to_be_hidden()
    page.get_by_role("searchbox").fill("no such word")
    expect(page.locator(".choice")).to_have_count(2)
    watched.check_small()
    watched.send()
    assert watched.counts("words")["n"] == 1


def test_a_survey_in_words_of_its_own(browser: object, origin: str) -> None:
    """A language without a catalogue, from right to left; what it leaves out is English."""
    with fresh(browser, origin, locale="ar-EG") as watched:
        page = watched.page
        watched.open("/shay")
        html = page.locator("html")
        assert (html.get_attribute("lang"), html.get_attribute("dir")) == ("ar", "rtl")
        assert page.locator("button.submit").inner_text() == "إرسال الإجابة"
        expect(page.get_by_role("radio", name="أفضّل عدم الإجابة")).to_have_count(1)
        first = page.locator(".choice").first
        box, label = (first.locator(one).bounding_box() for one in ("input", "span"))
        assert box["x"] > label["x"]
        watched.check_small()
        page.locator("#languages a[lang=en]").click()
        page.wait_for_selector("html[lang=en]")
        assert (html.get_attribute("lang"), html.get_attribute("dir")) == ("en", "ltr")
        assert page.locator("button.submit").inner_text() == "Randomise and send"
        assert page.locator("#languages a").all_inner_texts() == ["العربية", "English"]
        page.locator("#languages a[lang=ar]").click()
        page.wait_for_selector("html[lang=ar]")
        assert page.locator("button.submit").inner_text() == "إرسال الإجابة"
        page.get_by_role("radio", name="أسود").check()
        watched.send()
        page.set_viewport_size({"width": 320, "height": 640})
        watched.open("/shay/results?lang=ar")
        page.wait_for_selector(".result")
        assert html.get_attribute("dir") == "rtl"
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
