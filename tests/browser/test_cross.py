"""An operator crosses questions that nobody planned to cross."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import serving
from playwright.sync_api import expect
from surveys import TWO
from test_axe import AXE, FOUND

from sudare import Entropy
from sudare.collection import Collection
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

THREE = Collection.from_toml(
    TWO
    + """
[[question]]
id = "where"
type = "choice"
mechanism = "GRR"
text = { en = "Where?", ja = "どこで？" }
choices = ["home", "work"]
labels = { en = ["At home", "At work"], ja = ["家", "職場"] }
prefer_not_to_say = false
"""
)


def wires(n: int) -> list[bytes]:
    """Return submissions of people who take sugar at home alone."""
    rng, drawn = Entropy.seeded(b"cross"), []
    for question, values in zip(
        THREE.questions, (np.arange(n) % 8, np.arange(n) % 2, np.arange(n) % 2), strict=True
    ):
        mechanism: Any = question.mechanism
        reports = np.asarray(mechanism.perturb(values, rng=rng), np.uint8).reshape(n, -1)
        drawn.append(reports)
    return [bytes(row) for row in np.concatenate(drawn, axis=1)]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_questions_are_crossed_on_the_page(browser: Any, tmp_path: Path, language: str) -> None:
    database = tmp_path / "cross.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", ["read"])
    with serving.serve((THREE,), database) as origin, serving.fresh(browser, origin) as watched:
        page = watched.page
        watched.deliver("two", wires(100))
        watched.open(f"/operator?lang={language}")
        page.locator("#token").fill(token)
        page.keyboard.press("Enter")
        page.wait_for_selector(".desk-bar")
        watched.open(f"/operator/c/two/results?lang={language}")
        part = page.locator("section[aria-labelledby=operator-cross]")
        picks = part.locator("select")
        expect(picks).to_have_count(3)
        picks.nth(0).select_option("cups")
        picks.nth(1).select_option("sugar")
        picks.nth(2).select_option("where")
        part.locator("button[type=submit]").click()
        few = [f"{'about' if language == 'en' else 'およそ'} {least}" for least in (188, 372)]
        for least in few:  # a table of two, and that of all three
            expect(part.get_by_text(least)).to_be_visible()
        expect(part.locator("table:visible, .dependence:visible")).to_have_count(0)
        part.locator(".pair select").select_option("2")  # sugar and where: 60 are enough
        expect(part.locator(".dependence")).to_contain_text("95")
        expect(part.get_by_text(few[0])).to_have_count(0)
        watched.deliver("two", wires(300))
        page.reload()
        picks.nth(0).select_option("sugar")
        picks.nth(1).select_option("where")
        part.locator("button[type=submit]").click()
        expect(part.locator("table.joint tbody tr")).to_have_count(4)
        expect(part.locator(".dependence")).to_contain_text("95")
        picks.nth(2).select_option("cups")
        part.locator("button[type=submit]").click()
        expect(part.locator("table.joint tbody").last.locator("tr")).to_have_count(36)
        picks.nth(2).select_option("where")  # twice the same
        part.locator("button[type=submit]").click()
        expect(part.get_by_role("alert")).to_be_visible()
        watched.check_names()
        if AXE.exists():
            page.evaluate(AXE.read_text("utf-8"))
            assert page.evaluate(FOUND) == []
        watched.check_small()


COMMUTE = Collection.from_toml("""
[collection]
name = "commute"
languages = ["en", "ja"]
[[question]]
id = "where"
type = "place"
text = { en = "Where?", ja = "どこ？" }
origin = [35.65, 139.7]
cell_height = 200
cell_width = 180
rows = 2
columns = 3
epsilon_per_metre = "0.02"
land = ["###", "##."]
at = "home,work"
""")


def test_flows_between_two_places_are_listed(browser: Any, tmp_path: Path) -> None:
    """All live in the north-west and work in the south: the first line says so."""
    database, rng = tmp_path / "flows.sqlite3", Entropy.seeded(b"flows")
    with open_register(database) as register:
        token = Tokens(register).issue("ann", ["read"])
    ends = zip(COMMUTE.questions, (0, 4), strict=True)
    sent = [one.mechanism.perturb([cell] * 300, rng=rng).tolist() for one, cell in ends]
    with serving.serve((COMMUTE,), database) as origin, serving.fresh(browser, origin) as watched:
        page = watched.page
        wires = [bytes(one) for one in zip(*sent, strict=True)]
        watched.deliver("commute", wires[:3])
        watched.open("/operator?lang=en")
        page.locator("#token").fill(token)
        page.keyboard.press("Enter")
        page.wait_for_selector(".desk-bar")
        watched.open("/operator/c/commute/results?lang=en")
        part = page.locator("section[aria-labelledby=operator-flows]")
        part.locator("button[type=submit]").click()
        expect(part.get_by_text("3 answers so far")).to_be_visible()
        expect(part.locator("table")).to_have_count(0)
        watched.deliver("commute", wires[3:])
        page.reload()
        part.locator("button[type=submit]").click()
        rows = part.locator("tbody tr")
        expect(rows).to_have_count(20)
        expect(part.locator("thead th").first).to_have_text("Where? – Home")
        first = rows.first.locator("th").all_inner_texts()
        assert first == ["row 1, column 1", "row 2, column 2"]
        watched.check_names()
        watched.check_small()
