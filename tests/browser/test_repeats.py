"""A survey in rounds in a real browser: settled once, told in each round, charged as it is said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import serving
from playwright.sync_api import expect
from test_axe import AXE, FOUND

from sudare import Entropy
from sudare.collection import Collection
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens
from tests.vectors.make import MIXED

TEXT = """
[collection]
name = "weekly"
epsilon = 2.0
epsilon_cap = {cap}
publish_at = 1
expected_respondents = 5000
closes = {closes}
repeats = {{ every = [{starts}] }}
languages = ["en", "ja", "de"]
title = {{ en = "The weekly tea", ja = "毎週のお茶", de = "Der Tee der Woche" }}
[[question]]
id = "brand"
type = "choice"
mechanism = "LGRR"
prefer_not_to_say = false
text = {{ en = "Which tea?", ja = "どのお茶？", de = "Welcher Tee?" }}
choices = ["oi-ocha", "iyemon", "ayataka"]
labels = {{ en = ["Oi Ocha", "Iyemon", "Ayataka"], ja = ["お〜いお茶", "伊右衛門", "綾鷹"] }}
"""
HALF = timedelta(minutes=31)
KEPT = """() => new Promise((resolve) => {
  indexedDB.open("sudare").onsuccess = ({ target: { result } }) => {
    const tx = result.transaction(["memo", "ledger", "submissions"]);
    const all = ["memo", "ledger", "submissions"].map((name) => tx.objectStore(name).getAll());
    tx.oncomplete = () => resolve(all.map((one) => one.result));
  };
})"""


class Weeks:
    """A collector that takes three rounds at once, as clocks may differ by an hour; a browser's
    clock is set to one of them.
    """

    def __init__(self, watched: serving.Watched, middle: datetime) -> None:
        self.watched, self.middle = watched, middle
        self.page = watched.page

    def go(self, number: int, language: str = "en") -> None:
        """Open the survey in a round."""
        now = self.middle + (number - 2) * 2 * HALF
        self.page.context.clock.set_fixed_time(now)
        self.watched.open(f"/weekly?lang={language}")

    def answer(self, place: int) -> None:
        self.page.locator("form input").nth(place).check()
        self.watched.send()

    def kept(self) -> Any:
        """Return what is on the disk: memories, charges, submissions."""
        return self.page.evaluate(KEPT)


def survey(cap: str) -> tuple[Collection, datetime]:
    """Return a survey of three rounds of which the second is now, and the middle of that."""
    now = datetime.now(UTC).replace(microsecond=0)
    moments = [now + i * HALF for i in (-3, -1, 1, 3)]
    *starts, closes = (one.isoformat() for one in moments)
    text = TEXT.format(cap=cap, closes=closes, starts=", ".join(starts))
    return Collection.from_toml(text), now


@pytest.fixture
def weeks(browser: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Weeks]:
    collection, now = survey(getattr(request, "param", "6.0"))
    with (
        serving.serve((collection,), tmp_path / "weekly.sqlite3") as origin,
        serving.fresh(browser, origin) as watched,
    ):
        yield Weeks(watched, now)


def fill(page: Any) -> None:
    """Answer every question of MIXED, each on a page of its own."""
    told = ("word", "c0"), ("many", 1), ("number", "3"), ("bins", "4"), ("rated", None)
    for name, answer in (*told, ("both", "c1"), ("free", "abc")):
        question = page.locator(f'fieldset[data-question="{name}"]')
        if name == "rated":
            for held in question.locator("input[value=no]").all()[1:]:
                held.check()
            question.locator("input[value=yes]").first.check()
            question.locator(".item-rating input").nth(2).check()
        elif name == "both":
            for part in question.locator(f"input[value={answer}]").all():
                part.check()
        elif isinstance(answer, str):
            question.locator("input[type=text]").fill(answer)
        else:
            question.locator("input").nth(answer).check()
        page.get_by_role("button", name="Next question").click()


def test_every_type_of_question_over_two_rounds(browser: Any, tmp_path: Path) -> None:
    """One form of them all is sent in each round, and charged once."""
    now = datetime.now(UTC).replace(microsecond=0)
    *starts, closes = ((now + i * HALF).isoformat() for i in (-3, -1, 1, 3))
    text = MIXED.replace("STARTS", ", ".join(starts)).replace("2026-05-01T00:00:00Z", closes)
    with (
        serving.serve((Collection.from_toml(text),), tmp_path / "weeks.sqlite3") as origin,
        serving.fresh(browser, origin) as watched,
    ):
        for number in (1, 2):
            watched.page.context.clock.set_fixed_time(now + (number - 2) * 2 * HALF)
            watched.open("/weeks")
            fill(watched.page)
            watched.send()
        assert [post["round"] for post in watched.posts] == [1, 2]
        _, ledger, _ = watched.page.evaluate(KEPT)
        assert sum(float(one["epsilon"]) for one in ledger) == pytest.approx(4)


def look(watched: serving.Watched) -> None:
    watched.check_names()
    if AXE.exists():
        watched.page.evaluate(AXE.read_text("utf-8"))
        assert watched.page.evaluate(FOUND) == []
    watched.check_small()


def test_three_rounds_of_one_person(weeks: Weeks) -> None:
    """The same answer costs nothing more, another one does; each page says so before."""
    page = weeks.page
    weeks.go(1, "ja")
    expect(page.locator(".round")).to_contain_text("第 1 回（全 3 回）")
    weeks.go(1)
    expect(page.locator(".how")).to_contain_text("All 3 rounds together")
    expect(page.locator(".how tbody tr")).to_have_count(3)
    look(weeks.watched)
    weeks.answer(2)
    expect(page.locator(".rounds")).to_contain_text("Round 2 of 3 opens on")
    expect(page.locator("form")).to_have_count(0)
    look(weeks.watched)
    weeks.go(1, "de")
    expect(page.locator(".rounds")).to_contain_text("Runde 2 von 3 öffnet")

    weeks.go(2)
    expect(page.locator(".rounds")).to_contain_text("The same answer as before costs nothing more.")
    look(weeks.watched)
    weeks.answer(2)
    memories, ledger, _ = weeks.kept()
    assert [one["epsilon"] for one in ledger] == ["2.0"]
    assert list(memories[0]["memory"]["answers"]) == ["2"]
    settled = memories[0]["memory"]["answers"]["2"]

    weeks.go(3)
    weeks.answer(0)
    expect(page.locator(".rounds")).to_contain_text("last round")
    memories, ledger, submissions = weeks.kept()
    (total,) = weeks.watched.api("weekly")["definition"]["questions"][0]["totals"][2:]
    assert sum(float(one["epsilon"]) for one in ledger) == pytest.approx(float(total))
    assert memories[0]["memory"]["answers"]["2"] == settled
    assert [one["round"] for one in submissions] == [1, 2, 3]
    assert [post["round"] for post in weeks.watched.posts] == [1, 2, 3]
    assert len({post["id"] for post in weeks.watched.posts}) == 3


def test_four_tabs_settle_and_report_once_a_round(weeks: Weeks) -> None:
    """Each chooses another answer or the same, and all send at once."""
    for number in (1, 2):
        weeks.go(number)
        tabs = [weeks.watched, *(weeks.watched.tab() for _ in range(3))]
        for place, tab in enumerate(tabs):
            tab.page.locator("form input").nth(place % 3).check()
        for tab in tabs:
            tab.page.evaluate("document.querySelector('form').requestSubmit()")
        for tab in tabs:
            tab.page.wait_for_selector(".outcome")
        memories, ledger, submissions = weeks.kept()
        sent = [*memories[0]["rounds"].values()][-1]["answer"]
        for place, tab in enumerate(tabs):
            reason = tab.page.get_by_role("alert").filter(has_text="another one in this round")
            expect(reason).to_have_count(int(str(place % 3) != sent))
        for tab in tabs[1:]:
            tab.page.close()
        assert (len(memories), len(submissions)) == (1, number)
        assert len(memories[0]["rounds"]) == number
        assert len({post["id"] for post in weeks.watched.posts}) == number
        assert len(ledger) == len(memories[0]["memory"]["answers"])


def test_a_page_that_stays_open_shows_the_next_round(weeks: Weeks) -> None:
    """After a report the questions come back when the round is over, without a reload."""
    page = weeks.page
    weeks.go(1)
    weeks.answer(2)
    expect(page.locator("form")).to_have_count(0)
    page.context.clock.set_fixed_time(weeks.middle)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("form")).to_have_count(1)
    expect(page.locator(".round")).to_contain_text("Round 2 of 3")
    weeks.answer(2)
    assert [post["round"] for post in weeks.watched.posts] == [1, 2]


@pytest.mark.parametrize("weeks", ["2.0"], indirect=True)
def test_a_changed_answer_beyond_the_limit_is_refused(weeks: Weeks) -> None:
    """Nothing is drawn for it, and the answer of before still goes."""
    page = weeks.page
    weeks.go(1)
    weeks.answer(1)
    weeks.go(2)
    expect(page.locator(".rounds")).to_contain_text("may not be sent")
    before = weeks.kept()
    page.locator("form input").nth(0).check()
    page.locator("button[type=submit]").click()
    expect(page.get_by_role("alert")).to_contain_text("this device's limit")
    assert weeks.kept() == before
    look(weeks.watched)
    weeks.answer(1)
    assert [one["epsilon"] for one in weeks.kept()[1]] == ["2.0"]


def test_operators_see_the_rounds_of_what_is_stored(browser: Any, tmp_path: Path) -> None:
    database = tmp_path / "weekly.sqlite3"
    collection, now = survey("6.0")
    with open_register(database) as register:
        token = Tokens(register).issue("ann", ["read"])
    with (
        serving.serve((collection,), database) as origin,
        serving.fresh(browser, origin) as watched,
    ):
        weeks, page = Weeks(watched, now), watched.page
        for number in (1, 2):
            weeks.go(number)
            weeks.answer(number)
        watched.open("/operator?lang=en")
        page.locator("#token").fill(token)
        page.keyboard.press("Enter")
        page.wait_for_selector(".desk-bar")
        watched.draw_few()
        watched.open("/operator/c/weekly/results?lang=en")
        expect(page.locator(".round")).to_have_text("Round 2 of 3")
        expect(page.locator(".rounds-lines li")).to_have_count(3)
        expect(page.locator(".rounds-change h3")).to_contain_text("from round 1 to round 2")
        watched.check_names()


NUMBER = """
[[question]]
id = "cups"
type = "number"
text = { en = "How many cups?", ja = "何杯？", de = "Wie viele Tassen?" }
low = 0
high = 10
"""


def test_a_number_is_answered_afresh_in_each_round(browser: Any, tmp_path: Path) -> None:
    """Whatever is answered, later rounds cost nothing more: the page says so, and charges so."""
    tea, now = survey("2.0")
    head = TEXT[: TEXT.index("[[question]]")].replace("{cap}", "2.0")
    moments = [*tea.repeats.starts, tea.repeats.ends] if tea.repeats else []
    *starts, closes = (one.isoformat() for one in moments)
    text = head.replace("{closes}", closes).replace("{starts}", ", ".join(starts))
    collection = Collection.from_toml(text.replace("{{", "{").replace("}}", "}") + NUMBER)
    with (
        serving.serve((collection,), tmp_path / "weekly.sqlite3") as origin,
        serving.fresh(browser, origin) as watched,
    ):
        weeks, page = Weeks(watched, now), watched.page
        for number, cups in ((1, "2"), (2, "9")):
            weeks.go(number)
            if number == 1:
                expect(page.locator(".how")).to_contain_text("your answer is randomised anew")
            else:
                expect(page.locator(".rounds")).to_contain_text("costs nothing more, whatever you")
                look(watched)
            page.locator("form input").first.fill(cups)
            watched.send()
        memories, ledger, submissions = weeks.kept()
        assert len({one["answer"] for one in memories[0]["rounds"].values()}) == 2
        assert [one["epsilon"] for one in ledger] == ["2.0"]
        assert [one["round"] for one in submissions] == [1, 2]


def test_the_results_show_a_line_a_choice_and_the_change(weeks: Weeks) -> None:
    watched, page = weeks.watched, weeks.page
    weeks.go(2)
    collection = watched.compiled("weekly")
    (question,) = collection.questions
    people = [[0, 0, 1]] * 300 + [[1, 1, 1]] * 200 + [[2, 0, 0]] * 100
    mechanism: Any = question.mechanism
    rounds = mechanism.perturb_rounds(people, rng=Entropy.seeded(b"weeks"))
    for number, reports in enumerate(rounds, 1):
        wires = [mechanism.program.encode_one(int(one)) for one in reports]
        watched.deliver("weekly", wires, round=number)
    for language, change in (("en", "Change from round"), ("ja", "への変化")):
        watched.open(f"/weekly/results?lang={language}")
        card = page.locator(".rounds-result")
        expect(card.locator(".rounds-lines li")).to_have_count(3)
        expect(card.locator(".rounds-change h3")).to_contain_text(change)
        expect(card.locator(".rounds-change tbody tr")).to_have_count(3)
        card.locator("summary").click()
        look(watched)
