"""Budgets of held data on the operators' pages: who has what, what it was spent on, a curve."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import serving
from playwright.sync_api import expect
from surveys import TEA
from test_axe import AXE, FOUND
from test_operator import check

from sudare.collection import Collection
from sudare.collector import create_app
from sudare.collector.operator_api.opening import open_register
from sudare.ledger import Ledger, Tokens
from sudare.operators import Tokens as OperatorTokens
from sudare.release import Definition
from sudare.release.api import Queries

SCORES = """
name = "scores"
file = "scores.csv"
[budget]
epsilon = 20
[bounds]
score = [0, 100]
"""
LOOKS = [("en", "light", 1100), ("ja", "dark", 320), ("de", "light", 390)]


class Desk:
    """A collector with held data, and what signs in to it."""

    def __init__(self, origin: str, database: Path) -> None:
        self.origin, self.database, self.issued = origin, database, 0

    def sign_in(self, watched: serving.Watched, *scopes: str, language: str = "en") -> None:
        with open_register(self.database) as register:
            self.issued += 1
            named = f"operator-{self.issued}", list(scopes) or ["read", "admin"]
            token = OperatorTokens(register).issue(*named)
        watched.open(f"/operator?lang={language}")
        watched.page.locator("#token").fill(token)
        watched.page.keyboard.press("Enter")
        watched.page.wait_for_selector(".desk-bar")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """120 questions of ann's, five of bob's, whose account has a plan, and none of carol's."""
    folder = tmp_path_factory.mktemp("budgets")
    rows = "\n".join(f"{i % 101},{'fm'[i % 2]}" for i in range(100))
    (folder / "scores.csv").write_text(f"score,sex\n{rows}\n")
    with Ledger(folder / "ledger.db") as ledger:
        ledger.open("ann", epsilon=15)
        ledger.open("bob", delta=1e-6, plan="40 epsilon=0.1")
        ledger.open("carol", rho=0.5)
        definition = Definition.from_toml(SCORES, folder)
        db = definition.open(ledger)
        ann, bob = db.paid_by(["scores", "ann"]), db.paid_by(["scores", "bob"])
        for i in range(120):
            ann.mean("score", epsilon=0.1) if i % 3 else ann.count("sex", "f", epsilon=0.05)
        for _ in range(5):
            bob.where("sex in f,m and score >= 10").sum("score", epsilon=0.1)
        Tokens(ledger).issue("ann", ["query:scores"])
        queries = Queries([definition], ledger)
        app = create_app([Collection.from_toml(TEA)], folder / "desk.sqlite3", queries=queries)
        with serving.running(app) as origin:
            yield Desk(origin, folder / "desk.sqlite3")


@pytest.fixture
def watched(browser: Any, desk: Desk) -> Iterator[serving.Watched]:
    with serving.fresh(browser, desk.origin) as page:
        yield page


def test_what_each_has_and_what_it_was_spent_on(watched: serving.Watched, desk: Desk) -> None:
    """By keyboard alone: to the page, open an account, older payments, and close it."""
    page = watched.page
    desk.sign_in(watched)
    page.get_by_role("link", name="Budgets").press("Enter")
    expect(page.get_by_role("heading", level=1, name="Budgets")).to_be_visible()
    heads = page.locator("h2")
    expect(heads).to_have_text(["Analysts", "Data sets", "Parts of plans"])
    expect(page.get_by_role("heading", level=3)).to_have_text(
        ["ann", "bob", "carol", "scores", "bob: epsilon=0.1"]
    )
    card = page.locator("li.card").first
    expect(card).to_contain_text("10 of 15 ε spent (67 %), 5 left")
    expect(card).to_contain_text("120 answers paid for.")
    expect(card).to_contain_text("1 valid token.")
    bob = page.locator("li.card").nth(1)
    expect(bob).to_contain_text("5 of 40 questions spent (13 %), 35 left")
    expect(bob).to_contain_text("It keeps (ε, δ) = (2")
    carol = page.locator("li.card").nth(2)
    expect(carol).to_contain_text("0 of 0.5 ρ spent (0 %), 0.5 left")
    expect(carol.get_by_role("button")).to_have_count(0)

    opening = card.get_by_role("button", name="What it was spent on")
    expect(opening).to_have_attribute("aria-expanded", "false")
    opening.press("Enter")
    expect(page.get_by_role("heading", name="What ann was charged for")).to_be_focused()
    expect(card.locator("tbody tr")).to_have_count(100)
    first = card.locator("tbody tr").first
    expect(first).to_contain_text("mean:score")
    expect(first).to_contain_text("scores")
    expect(card.locator(".spent-line")).to_have_count(1)
    card.get_by_role("button", name="Older entries").press("Enter")
    expect(card.locator("tbody tr")).to_have_count(120)
    expect(card.get_by_role("button", name="Older entries")).to_have_count(0)
    expect(card.locator("tbody tr").last).to_contain_text("count:sex")
    bob.get_by_role("button", name="What it was spent on").press("Enter")
    expect(bob.locator("tbody tr")).to_have_count(5)
    expect(bob).to_contain_text("sum:score where score >= 10 and sex in f, m")
    expect(card.locator("tbody")).to_have_count(0)
    bob.get_by_role("button", name="Close").press("Enter")
    expect(page.locator("tbody")).to_have_count(0)
    expect(bob.get_by_role("button", name="What it was spent on")).to_be_focused()


def test_who_may_not_see_them_has_no_link(watched: serving.Watched, desk: Desk) -> None:
    desk.sign_in(watched, "read", "run", "export")
    expect(watched.page.get_by_role("link", name="Collections")).to_have_count(1)
    expect(watched.page.get_by_role("link", name="Budgets")).to_have_count(0)
    watched.open("/operator/budgets?lang=en")
    expect(watched.page.get_by_role("link", name="Budgets")).to_have_count(0)
    expect(watched.page.locator("tbody")).to_have_count(0)


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize(("language", "scheme", "width"), LOOKS)
def test_it_reads_in_each_language_narrow_and_dark(
    browser: Any, desk: Desk, language: str, scheme: str, width: int
) -> None:
    """axe, contrast, names, widths, each control by Tab: with an account that is open."""
    look: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    with serving.fresh(browser, desk.origin, bypass_csp=True, **look) as watched:
        desk.sign_in(watched, language=language)
        watched.open(f"/operator/budgets?lang={language}")
        page, source = watched.page, AXE.read_text("utf-8")
        expect(page.locator("li.card")).to_have_count(5)
        check(watched, source, "/operator/budgets", language, width)
        card = page.locator("li.card").nth(1)
        card.get_by_role("button").click()
        expect(card.locator("tbody tr")).to_have_count(5)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(serving.CONTRAST) == []
        watched.check_names()
        page.evaluate(source)
        assert page.evaluate(FOUND) == []
        assert "operator." not in page.locator("main").inner_text()
        if language == "ja":
            expect(page.locator("h1")).to_have_text("予算")
            expect(card).to_contain_text("使用")
