"""The survey page: answered, remembered, refused and delivered in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from serving import payload

KEPT = """() => new Promise((resolve, reject) => {
  const request = indexedDB.open("sudare");
  request.onerror = () => reject(request.error);
  request.onsuccess = () => {
    const tx = request.result.transaction(["memo", "ledger", "submissions"]);
    const out = {};
    for (const store of ["memo", "ledger", "submissions"]) {
      tx.objectStore(store).getAll().onsuccess = (event) => { out[store] = event.target.result; };
    }
    tx.oncomplete = () => { request.result.close(); resolve(out); };
  };
})"""


def choose(page: object, label: str) -> None:
    page.get_by_role("radio", name=label, exact=True).check()


def send(page: object) -> None:
    page.locator("button[type=submit]").click()


@pytest.mark.parametrize(
    ("language", "heading", "thanks"),
    [
        ("en", "The tea survey", "Thank you. Your report is in."),
        ("ja", "お茶の調査", "ありがとうございました。報告が届きました。"),
    ],
)
def test_answered_by_keyboard_alone(
    watched: object, language: str, heading: str, thanks: str
) -> None:
    page = watched.page
    watched.open(f"/tea?lang={language}")
    assert page.locator("h1").inner_text() == heading
    assert page.locator("html").get_attribute("lang") == language
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "radio":
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator("input:checked").get_attribute("value") == "ayataka"
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "submit":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(".outcome-sent")
    assert page.evaluate("document.activeElement.id") == "outcome-title"
    assert page.locator("#outcome-title").inner_text() == thanks
    assert len(watched.posts) == 1
    assert watched.counts("tea")["n"] == 1


def test_what_is_posted_is_the_remembered_report(watched: object) -> None:
    page = watched.page
    watched.open("/two")
    choose(page, "three")
    choose(page, "no")
    watched.send()
    (post,) = watched.posts
    kept = page.evaluate(KEPT)
    assert set(post) == {"fingerprint", "id", "report"}
    assert payload(post).hex() == "".join(memo["wire"] for memo in kept["memo"])
    assert kept["submissions"][0]["id"] == post["id"]
    assert kept["submissions"][0]["state"] == "accepted"
    assert page.locator("[data-report]").get_attribute("data-report") == payload(post).hex()
    assert page.locator("#report-id").inner_text() == post["id"]
    assert [event["epsilon"] for event in kept["ledger"]] == ["1.2", "1.2"]


def test_reports_are_randomised_and_not_the_answer(watched: object, browser: object) -> None:
    """Eight fresh devices answer alike: their reports differ; two or one of all eight: 1e-6."""
    reports = set()
    for _ in range(8):
        context = browser.new_context()
        page = context.new_page()
        page.on("request", lambda r: reports.add(r.post_data) if r.method == "POST" else None)
        page.goto(watched.origin + "/two")
        choose(page, "three")
        choose(page, "no")
        send(page)
        page.wait_for_selector(".outcome-sent")
        context.close()
    bodies = {body.split('"report":')[1] for body in reports}
    assert len(reports) == 8
    assert len(bodies) > 2


def test_the_same_answer_sends_the_same_report_once_counted(watched: object) -> None:
    page = watched.page
    watched.open("/two")
    choose(page, "three")
    choose(page, "no")
    watched.send()
    page.reload()
    page.wait_for_selector(".outcome-already")
    expect(page.locator("input:checked")).to_have_count(0)
    page.locator("#again").click()
    expect(page.locator("input:checked")).to_have_count(0)
    choose(page, "three")
    choose(page, "no")
    watched.send()
    assert len(watched.posts) == 2
    assert watched.posts[0] == watched.posts[1]
    assert watched.counts("two")["n"] == 1


@pytest.mark.parametrize(
    ("language", "first", "second", "title"),
    [
        ("en", "Ayataka", "Iyemon", "A different answer was not sent"),
        ("ja", "綾鷹", "伊右衛門", "異なる回答は送信しませんでした"),
    ],
)
def test_another_answer_in_a_second_tab_is_refused_at_the_cap(
    watched: object, language: str, first: str, second: str, title: str
) -> None:
    """Both tabs show the form; the second learns why nothing is sent from it."""
    page = watched.page
    watched.open(f"/tea?lang={language}")
    other = watched.tab().page
    choose(other, second)
    choose(page, first)
    watched.send()
    before = page.evaluate(KEPT)
    expect(page.locator("#again")).to_have_count(0)
    expect(page.locator(".full")).to_have_count(1)
    send(other)
    other.wait_for_selector(".outcome-capped")
    assert other.locator("#outcome-title").inner_text() == title
    assert other.locator("#report-id").inner_text() == watched.posts[0]["id"]
    expect(other.locator("#again, form")).to_have_count(0)
    assert other.evaluate(KEPT) == before
    assert watched.counts("tea")["n"] == len(watched.posts) == 1


def test_below_the_cap_a_changed_answer_is_charged_for_its_question(watched: object) -> None:
    page = watched.page
    watched.open("/two")
    for cups in ("three", "four"):
        choose(page, cups)
        choose(page, "no")
        watched.send()
        page.wait_for_selector("button[type=submit]", state="detached")
        if cups == "three":
            page.locator("#again").click()
    expect(page.locator("#again")).to_have_count(0)
    first, second = watched.posts
    assert first["id"] != second["id"]
    assert payload(first)[2:] == payload(second)[2:]
    assert [event["question"] for event in page.evaluate(KEPT)["ledger"]] == [
        "cups",
        "sugar",
        "cups",
    ]


def test_the_ledger_is_written_before_anything_is_sent(watched: object) -> None:
    page = watched.page
    seen = []
    held = []
    page.route("**/reports", lambda route: held.append(route))
    watched.open("/tea")
    choose(page, "Ayataka")
    send(page)
    while not held:
        page.wait_for_timeout(20)
    seen.append(page.evaluate(KEPT))
    held[0].abort()
    page.wait_for_selector(".outcome-pending")
    (kept,) = seen
    assert len(kept["memo"]) == len(kept["ledger"]) == len(kept["submissions"]) == 1
    assert kept["submissions"][0]["state"] == "pending"
    assert watched.counts("tea")["n"] == 0
    page.unroute("**/reports")
    page.reload()
    page.wait_for_selector(".outcome-sent")
    assert watched.posts[0] == watched.posts[1]
    assert watched.counts("tea")["n"] == 1


@pytest.mark.parametrize(
    ("status", "words"),
    [(403, "not open"), (409, "changed"), (413, "not counted")],
)
def test_a_refusal_is_said_clearly(watched: object, status: int, words: str) -> None:
    page = watched.page
    page.route("**/reports", lambda route: route.fulfill(status=status, body="{}"))
    watched.open("/tea")
    choose(page, "Ayataka")
    send(page)
    page.wait_for_selector(".outcome-refused")
    assert words in page.locator(".outcome").inner_text()
    assert "not counted" in page.locator(".outcome").inner_text()


@pytest.mark.parametrize(
    ("language", "brand", "unknown", "denied", "title"),
    [
        (
            "en",
            "Ayataka",
            "whether it was counted then is not known",
            "was not counted",
            "The collector did not take the report this time",
        ),
        (
            "ja",
            "綾鷹",
            "数えられたかどうかは分かりません",
            "数えられていません",
            "報告は今回は受け付けられませんでした",
        ),
    ],
)
def test_after_a_lost_answer_a_refusal_does_not_say_that_nothing_was_counted(
    watched: object, language: str, brand: str, unknown: str, denied: str, title: str
) -> None:
    page = watched.page
    page.route("**/reports", lambda route: (route.fetch(), route.abort()))
    watched.open(f"/tea?lang={language}")
    choose(page, brand)
    send(page)
    page.wait_for_selector(".outcome-pending")
    assert watched.counts("tea")["n"] == 1
    page.unroute("**/reports")
    statuses = [403, 404, 413]
    page.route("**/reports", lambda route: route.fulfill(status=statuses.pop(), body="{}"))
    while statuses:
        with page.expect_response("**/reports"):
            if page.locator("#retry").count():
                page.locator("#retry").click()
            else:
                page.locator("#again").click()
                choose(page, brand)
                send(page)
        page.wait_for_selector(".outcome-refused")
        said = page.locator(".outcome").inner_text()
        assert unknown in said
        assert denied not in said
        assert page.locator("#outcome-title").inner_text() == title
        page.reload()
        page.wait_for_selector(".outcome-refused")
        assert unknown in page.locator(".outcome").inner_text()
    watched.check_small()
    assert len({post["id"] for post in watched.posts}) == 1
    assert len(page.evaluate(KEPT)["ledger"]) == 1


def test_a_busy_collector_is_tried_again_under_the_same_id(watched: object) -> None:
    page = watched.page
    page.route("**/reports", lambda route: route.fulfill(status=503, body="{}"))
    watched.open("/tea")
    choose(page, "Ayataka")
    send(page)
    page.wait_for_selector(".outcome-pending")
    page.unroute("**/reports")
    page.locator("#retry").click()
    page.wait_for_selector(".outcome-sent")
    assert watched.posts[0] == watched.posts[1]


def test_a_document_that_lies_is_refused(watched: object) -> None:
    page = watched.page

    def lie(route: object) -> None:
        body = route.fetch().text()
        route.fulfill(body=body.replace('"epsilon_cap":"2.0"', '"epsilon_cap":"9.0"'))

    page.route("**/api/v1/collections/tea", lie)
    watched.open("/tea")
    assert "does not match its own promises" in page.locator("main").inner_text()
    expect(page.locator("form")).to_have_count(0)


def test_nothing_is_sent_while_a_question_is_open(watched: object) -> None:
    page = watched.page
    watched.open("/two")
    choose(page, "three")
    send(page)
    expect(page.locator(".missing:visible")).to_have_count(1)
    assert page.evaluate("document.activeElement.value") == "yes"
    assert watched.posts == []


@pytest.mark.parametrize(
    ("language", "all_open", "one_open"),
    [
        ("en", "questions 1, 2.", "question 2."),
        ("ja", "回答が済んでいない質問：1、2。", "回答が済んでいない質問：2。"),
    ],
)
def test_the_button_names_the_questions_that_are_open(
    watched: object, language: str, all_open: str, one_open: str
) -> None:
    page = watched.page
    watched.open(f"/two?lang={language}")
    send(page)
    problem = page.locator(".send .problem")
    assert all_open in problem.inner_text()
    choose(page, "three")
    assert problem.is_hidden()
    send(page)
    assert one_open in problem.inner_text()
    watched.open(f"/tea?lang={language}")
    send(page)
    assert one_open[:9] not in problem.inner_text()  # there is but one
    assert watched.posts == []


def test_the_language_switch_keeps_the_chosen_answer(watched: object) -> None:
    page = watched.page
    watched.open("/tea?lang=en")
    choose(page, "Ayataka")
    page.get_by_role("link", name="日本語").click()
    page.wait_for_selector("html[lang=ja]")
    assert page.locator("h1").inner_text() == "お茶の調査"
    assert page.url.endswith("/tea?lang=ja")
    assert page.locator("input:checked").get_attribute("value") == "ayataka"


def test_many_choices_can_be_found(watched: object) -> None:
    page = watched.page
    watched.open("/many")
    page.get_by_label("Find a choice").fill("model-1")
    expect(page.locator("label.choice:visible")).to_have_count(11)
    page.keyboard.press("Enter")
    assert watched.posts == []
    choose(page, "model-17")
    watched.send()


def test_a_closed_survey_says_so(watched: object) -> None:
    watched.open("/closed?lang=ja")
    assert "この調査は終了しました" in watched.page.locator("main").inner_text()
    expect(watched.page.locator("form")).to_have_count(0)
