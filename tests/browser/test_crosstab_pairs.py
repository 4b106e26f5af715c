"""Crosstabs of pairs and margins in a real browser: a part is drawn, sent, named and shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from serving import CONTRAST, payload
from surveys import MARGINS
from test_crosstab import radio

import sudare as sd
from sudare.collection import Client, Collection
from sudare.collector import issue_invites

ANSWER = {"age": "old", "often": "daily", "where": "onsen", "salt": "no", "sing": "yes"}
SURVEY = Collection.from_toml(MARGINS)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "collector.sqlite3"


def collect(watched: object, n: int = 4000) -> dict[str, object]:
    """Send a seeded crowd's reports; return the results."""
    mechanism = watched.compiled("pairs").questions[0].mechanism
    rng = sd.Entropy.seeded(b"pairs of the bath")
    dice = rng.generator()
    age = dice.integers(3, size=n)
    often = np.where(dice.random(n) < 0.7, age, dice.integers(4, size=n))
    where, salt = dice.integers(3, size=n), dice.integers(2, size=n)
    rows = np.stack([age, often, where, salt, (salt + (dice.random(n) < 0.2)) % 2], axis=1)
    reports = mechanism.perturb(rows, rng=rng)
    return watched.deliver("pairs", [one.tobytes() for one in reports])


@pytest.mark.parametrize("language", ["en", "ja"])
def test_answered_sent_and_shown(watched: object, language: str) -> None:
    page = watched.page
    watched.open(f"/pairs?lang={language}")
    tells = page.locator("body").inner_text()
    assert {"en": "One of 10 pairs of parts", "ja": "10 組のうち一組"}[language] in tells
    for attribute, choice in ANSWER.items():
        radio(page, attribute, choice).check()
    watched.send()
    (post,) = watched.posts
    program = watched.compiled("pairs").questions[0].mechanism.program
    report = payload(post)
    program.check_wire(report)
    shown = page.locator(".outcome-sent").inner_text()
    drawn = watched.compiled("pairs").questions[0].tables.drawn[report[0]]
    texts = page.evaluate(
        """async (lang) => {
      const url = location.pathname.replace(/^/, "/api/v1/collections");
      const found = await (await fetch(url)).json();
      return Object.values(found.texts.questions.habit.attributes).map((one) => one.text[lang]);
    }""",
        language,
    )
    assert " × ".join(texts[axis] for axis in drawn) in shown
    assert {"en": "The pair drawn:", "ja": "選ばれた組："}[language] in shown
    assert watched.counts("pairs")["n"] == 1
    watched.check_small()


def test_pairs_parts_and_the_joint_table_are_shown(watched: object) -> None:
    page = watched.page
    results = collect(watched)["questions"][0]
    for language, about in (
        ("en", "about one pair, drawn at random"),
        ("ja", "無作為に選ばれた一組"),
    ):
        watched.open(f"/pairs/results?lang={language}")
        page.wait_for_selector(".heat td[tabindex='0']")
        assert about in page.locator(".result .technical p").first.text_content()
        expect(page.locator(".attribute .bars li")).to_have_count(4 + 4 + 3 + 2 + 2)
        assert page.evaluate(CONTRAST) == []
    watched.open("/pairs/results?lang=en")
    page.wait_for_selector(".heat td[tabindex='0']")
    page.locator("select[id^=pair]").select_option("9")
    last = results["pairs"][9]
    expect(page.get_by_role("grid").locator("tbody td")).to_have_count(4)
    assert (
        f"{last['n']} reports are about just these two parts"
        in page.locator(".result").inner_text()
    )
    assert f"{last['dependence']['value']:.2f}" in page.locator(".dependence").inner_text()
    joint = page.locator(".joint-table")
    assert "as far as pairs tell" in joint.inner_text()
    assert "it has no intervals" in joint.inner_text()
    joint.locator("summary").click()
    expect(joint.locator("tbody tr")).to_have_count(100)
    largest = max(cell["share"] for cell in results["joint"]["cells"])
    assert f"{100 * largest:.2f}" in joint.locator("tbody tr").first.inner_text()
    watched.check_small()


def test_pairs_without_a_report_say_so(watched: object) -> None:
    page = watched.page
    mechanism = watched.compiled("pairs").questions[0].mechanism
    reports = mechanism.perturb([[0] * 5] * 400, rng=sd.Entropy.seeded(b"one"))
    watched.deliver("pairs", [reports[reports[:, 0] == 0][0].tobytes()])
    watched.draw_few()
    watched.open("/pairs/results?lang=en")
    page.get_by_text("1 report is about just these two parts.").wait_for()
    assert page.locator(".warnings:visible").first.inner_text().startswith("Few reports: each of")
    assert "*" not in page.locator("table.joint").inner_text()
    expect(page.locator("p:visible", has_text="No report is about this part yet.")).to_have_count(3)
    expect(page.locator(".attribute .chart:visible")).to_have_count(2)
    page.locator("select[id^=pair]").select_option("9")
    page.get_by_text("No report is about these two parts yet.").wait_for()
    expect(page.locator(".heat:visible")).to_have_count(0)
    expect(page.locator(".joint-table:visible")).to_have_count(0)
    watched.open("/pairs/results?lang=ja")
    none = page.locator("p:visible", has_text="この項目についての報告はまだありません。")
    none.first.wait_for()
    expect(none).to_have_count(3)
    watched.check_small()


def test_shares_of_few_reports_are_marked(watched: object) -> None:
    page = watched.page
    pair = collect(watched, 1200)["questions"][0]["pairs"][0]
    rough = {cell for one in pair["warnings"] for cell in one["cells"]}
    assert 0 < len(rough) < len(pair["cells"])
    watched.open("/pairs/results?lang=en")
    page.wait_for_selector(".heat td[tabindex='0']")
    shares = page.locator("table.joint tbody tr td:nth-of-type(1)").all_text_contents()
    assert {i for i, text in enumerate(shares) if text.endswith(" *")} == rough
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("details.table summary").first.click()
    seen = "(one) => one.checkVisibility() && one.getBoundingClientRect().right < 370"
    intervals = page.locator("table.joint tbody tr td:nth-of-type(2)").all()
    assert all(one.evaluate(seen) for one in intervals)
    assert "in the table with *" in page.locator(".warnings").first.inner_text()


def test_an_invite_asks_about_one_part(watched: object, origin: str, database: Path) -> None:
    page = watched.page
    (code,) = issue_invites(SURVEY, database, 1)
    tickets = Client(SURVEY).admit(watched.origin, code)
    (axis,) = SURVEY.questions[0].tables.drawn[tickets.index["habit"]]
    asked = list(ANSWER)[axis]
    watched.open(f"/margins?lang=en#{code}")
    page.wait_for_selector("[data-attribute]")
    shown = page.locator("[data-attribute]").evaluate_all(
        "all => all.map((a) => a.dataset.attribute)"
    )
    assert shown == [asked]
    assert "One part of this question was drawn for you" in page.locator("body").inner_text()
    tells = page.locator(".tells").inner_text()
    assert "Your invitation has drawn one of 5 parts" in tells
    assert "at random" not in tells
    radio(page, asked, ANSWER[asked]).check()
    watched.send()
    assert payload(watched.posts[-1])[0] == axis
    assert "The part drawn:" in page.locator(".outcome-sent").inner_text()
    watched.draw_few()
    watched.open("/margins/results?lang=en")
    page.wait_for_selector(".attribute .bars li")
    expect(page.locator(".heat")).to_have_count(0)
    watched.check_small()


@pytest.mark.parametrize(
    ("name", "drawn", "sent", "others", "n"),
    [
        ("alone", "5 個の項目のうち一つ", "選ばれた項目：", "選ばれた項目への答えを（単独で", 1),
        (
            "triples",
            "10 組のうち一組（三つの項目）",
            "選ばれた三項目：",
            "選ばれた三つの項目への",
            3,
        ),
    ],
)
def test_drawn_parts_and_groups_of_three(
    watched: object, name: str, drawn: str, sent: str, others: str, n: int
) -> None:
    """By subset selection, in Japanese: answered, sent, and shown without a scroll at 390 px."""
    page = watched.page
    watched.open(f"/{name}?lang=ja")
    page.wait_for_selector("[data-attribute]")
    tells = page.locator(".tells").inner_text()
    assert drawn in tells
    assert others in tells
    for attribute, choice in ANSWER.items():
        radio(page, attribute, choice).check()
    watched.send()
    mechanism = watched.compiled(name).questions[0].mechanism
    assert isinstance(mechanism, sd.SampledTables)
    mechanism.program.check_wire(payload(watched.posts[-1]))
    assert sent in page.locator(".outcome-sent").inner_text()
    rng = sd.Entropy.seeded(b"groups of the bath")
    rows = rng.generator().integers((4, 4, 3, 2, 2), size=(2000, 5))
    found = watched.deliver(name, [one.tobytes() for one in mechanism.perturb(rows, rng=rng)])
    result = found["questions"][0]
    assert sum(one["n"] for one in result["attributes"]) == n * 2001
    page.set_viewport_size({"width": 390, "height": 844})
    watched.open(f"/{name}/results?lang=ja")
    page.wait_for_selector(".attribute .bars li")
    expect(page.locator(".attribute .bars li")).to_have_count(4 + 4 + 3 + 2 + 2)
    assert page.locator(".heat").count() == (n > 1)
    if n > 1:
        count = result["pairs"][0]["n"]
        assert f"三項目についての報告は {count:,} 件" in page.locator(".result").inner_text()
        assert "四つ以上の項目" in page.locator(".joint-table").inner_text()
        page.locator("details.table summary").first.click()
        lines = "(one) => one.getClientRects().length && getComputedStyle(one).overflowWrap"
        shares = page.locator("table.joint tbody td:nth-of-type(1)").all()
        assert {one.evaluate(lines) for one in shares} == {"normal"}  # no figure is broken
    wide = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
    assert page.locator(".scroll:visible").evaluate_all(wide) == 0
    assert page.evaluate(CONTRAST) == []
    watched.check_small()
