"""Questions with several answers in a real browser: ticked, limited, exclusive, sent, shown."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from serving import payload


def box(page: object, label: str) -> object:
    return page.get_by_role("checkbox", name=label, exact=True)


def ticked(page: object, question: str) -> list[str]:
    inputs = page.locator(f"[data-question={question}] input:checked")
    return inputs.evaluate_all("all => all.map((one) => one.value)")


def status(page: object, question: str) -> str:
    return page.locator(f"[data-question={question}] [role=status]").inner_text()


def send(page: object) -> None:
    page.locator("button[type=submit]").click()


def test_ticked_sent_and_shown(watched: object) -> None:
    page = watched.page
    watched.open("/teas")
    box(page, "Green").check()
    box(page, "Oolong").check()
    box(page, "None of these").nth(1).check()
    watched.send()
    (post,) = watched.posts
    report = payload(post)
    assert len(report) == 2
    assert (report[0] >> 5, report[1] >> 2) == (0, 0)
    named = page.locator(".report-bits").nth(0).locator(".chips li").all_inner_texts()
    labels = ["Green", "Black", "White", "Oolong", "Prefer not to say"]
    assert named == [label for i, label in enumerate(labels) if report[0] >> i & 1]
    counts = watched.counts("teas")
    assert counts["n"] == 1
    assert counts["questions"]["teas"]["support"] == [report[0] >> i & 1 for i in range(5)]


def test_the_same_ticks_in_another_order_send_the_same_report(watched: object) -> None:
    watched.open("/teas")
    orders = (watched, ("Green", "White")), (watched.tab(), ("White", "Green"))
    for tab, order in orders:
        for label in (*order, "In the morning"):
            box(tab.page, label).check()
        tab.send()
    assert watched.posts[0] == watched.posts[1]


def test_one_tick_too_many_is_taken_back_and_said(watched: object) -> None:
    page = watched.page
    watched.open("/teas")
    assert "up to 2" in page.locator("[data-question=teas] .hint").inner_text()
    box(page, "Green").check()
    box(page, "Black").check()
    assert status(page, "teas") == ""
    box(page, "White").click()
    assert ticked(page, "teas") == ["green", "black"]
    assert "At most 2" in status(page, "teas")
    box(page, "Black").uncheck()
    assert status(page, "teas") == ""
    box(page, "White").check()
    assert ticked(page, "teas") == ["green", "white"]


def test_some_answers_stand_alone(watched: object) -> None:
    page = watched.page
    watched.open("/teas")
    box(page, "Green").check()
    box(page, "Black").check()
    box(page, "Prefer not to say").check()
    assert ticked(page, "teas") == ["prefer-not-to-say"]
    assert "“Prefer not to say” stands alone" in status(page, "teas")
    box(page, "None of these").nth(0).check()
    assert ticked(page, "teas") == [""]
    box(page, "Green").check()
    assert ticked(page, "teas") == ["green"]
    assert "“None of these” was unticked" in status(page, "teas")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_by_keyboard_alone(watched: object, language: str) -> None:
    page = watched.page
    watched.open(f"/teas?lang={language}")
    page.locator("input[value=black]").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert ticked(page, "teas") == ["black", "white"]
    page.locator("input[value=evening]").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_selector(".outcome-sent")
    assert len(watched.posts) == 1


def test_an_untouched_question_is_missing_and_unticking_makes_it_so(watched: object) -> None:
    page = watched.page
    watched.open("/teas")
    box(page, "Green").check()
    send(page)
    assert page.locator(".missing:visible").all_inner_texts() == [
        "Please tick what applies, or “None of these”."
    ]
    assert page.evaluate("document.activeElement.value") == "morning"
    box(page, "In the morning").check()
    box(page, "Green").uncheck()
    send(page)
    expect(page.locator("[data-question=teas] .missing")).to_be_visible()
    assert watched.posts == []


def test_the_language_switch_keeps_the_ticks(watched: object) -> None:
    page = watched.page
    watched.open("/teas?lang=en")
    box(page, "Black").check()
    box(page, "None of these").nth(1).check()
    page.get_by_role("link", name="日本語").click()
    page.wait_for_selector("html[lang=ja]")
    assert (ticked(page, "teas"), ticked(page, "when")) == (["black"], [""])
    expect(page.get_by_role("checkbox", name="どれもあてはまらない")).to_have_count(2)


def test_a_group_is_named_and_described(watched: object) -> None:
    page = watched.page
    watched.open("/teas")
    group = page.get_by_role("group", name="Which of these do you have at home?")
    expect(group.get_by_role("checkbox")).to_have_count(6)
    described = group.get_attribute("aria-describedby").split()
    assert "up to 2" in page.locator(f"#{described[0]}").inner_text()


def test_results_need_not_add_up(watched: object) -> None:
    page = watched.page
    results = watched.deliver("teas", (bytes([i % 32, i % 4]) for i in range(320)))
    watched.open("/teas/results")
    page.wait_for_selector(".bars li")
    first = page.locator(".result").first
    assert "need not add up to 100 %" in first.inner_text()
    expect(first.locator(".bars li")).to_have_count(5)
    expect(first.locator("tr[data-choice]")).to_have_count(5)
    (cell, *_), _ = (question["cells"] for question in results["questions"])
    shown = first.locator("tbody tr[data-choice=green] td").first.inner_text()
    assert float(shown) == pytest.approx(100 * cell["share"], abs=0.01)
