"""The guide's way by pages alone, in both languages: its printed words are what is pressed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import serving
from playwright.sync_api import expect

from sudare import Entropy
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

DOCS = Path(__file__).resolve().parents[2] / "docs"
SECTION = re.compile(r"^## 9\. .*?(?=^## )", re.MULTILINE | re.DOTALL)
SURVEY = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
STAGES = {
    "en": (
        "Nobody else can see it.",
        "Reports are taken.",
        "No report is taken any more.",
        "Deleted",
    ),
    "ja": (
        "ほかの人には見えません",
        "報告を受け付けています",
        "報告はもう受け付けていません",
        "削除しました",
    ),
}


def guide(language: str) -> tuple[list[str], str]:
    """Return what the section says to press, in order, and the survey that the guide writes."""
    text = (DOCS / {"en": "guide.md", "ja": "guide.ja.md"}[language]).read_text("utf-8")
    section, survey = SECTION.search(text), SURVEY.search(text)
    assert section is not None
    assert survey is not None
    return re.findall(r"\*\*(.+?)\*\*", section[0]), survey[1]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A collector without a survey, and its operator's token."""
    database = tmp_path_factory.mktemp("pages") / "pages.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("me", ["read", "run", "export", "admin"])
    with serving.serve((), database) as origin:
        yield origin, token


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_guide_leads_over_the_pages_from_nothing_to_nothing(
    browser: Any, empty: tuple[str, str], language: str
) -> None:
    origin, token = empty
    words, survey = guide(language)
    sign_in, new, preview, save, publish, save_code, close, extend, csv, delete = words
    draft, taking, over, deleted = STAGES[language]
    name = f"lunch-{language}"
    survey = survey.replace('name = "lunch" ', f'name = "{name}" ')
    with serving.fresh(browser, origin, viewport={"width": 390, "height": 844}) as watched:
        page = watched.page

        def press(word: str, inside: str = "main, .desk-bar") -> None:
            named = re.compile(rf"^{re.escape(word)}$")
            page.locator(f":is({inside}) :is(a, button)").filter(has_text=named).first.click()

        def confirm(word: str) -> None:
            press(word)
            press(word, "dialog")

        watched.open(f"/operator?lang={language}")
        page.locator("#token").fill(token)
        press(sign_in)
        press(new)
        page.locator("#definition").fill(survey)
        page.locator("#findings").get_by_text(name).wait_for()
        page.locator("#preview:not([inert])").wait_for()
        with page.context.expect_page() as opened:
            press(preview)
        opened.value.get_by_role("link", name="日本語").click()
        opened.value.get_by_label("社員食堂・学食").wait_for()
        opened.value.close()
        press(save)
        page.get_by_text(draft).wait_for()
        assert page.request.get(f"{origin}/{name}").status in (404, 410)
        confirm(publish)
        page.get_by_text(taking).wait_for()
        with page.expect_download() as code:
            press(save_code)
        assert code.value.suggested_filename == f"{name}-qr.svg"
        assert b"<svg" in Path(code.value.path()).read_bytes()

        answer(browser, f"{origin}/{name}", language)
        deliver(watched, name)
        confirm(close)
        page.get_by_text(over).wait_for()
        press(extend)
        page.locator("#until").fill("2039-01-31T18:00")
        press(extend, "dialog")
        page.get_by_text(taking).wait_for()
        confirm(close)
        page.get_by_text(over).wait_for()
        with (
            page.expect_request(lambda asked: "figures=public" in asked.url),
            page.expect_download() as figures,
        ):
            press(csv)
        table = Path(figures.value.path()).read_text("utf-8")
        assert ("自宅" if language == "ja" else "At home") in table
        press(delete)
        page.locator("#typed-name").fill(name)
        press(delete, "dialog")
        page.get_by_role("heading", name=deleted).wait_for()
        expect(page.locator("main li")).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        watched.open(f"/operator/new?lang={language}")
        page.locator("#definition").fill(survey)
        gone = "ここで削除された" if language == "ja" else "was deleted here"
        page.locator("#findings").get_by_text(gone).wait_for()


def answer(browser: Any, address: str, language: str) -> None:
    """Answer as a respondent on a device of their own."""
    with serving.fresh(browser, address.rpartition("/")[0]) as other:
        other.open(f"/{address.rpartition('/')[2]}?lang={language}")
        other.page.locator("input[type=radio]").first.check()
        other.send()


def deliver(watched: serving.Watched, name: str) -> None:
    """Send a crowd's reports, and look at the page again."""
    mechanism = watched.compiled(name).questions[0].mechanism
    drawn = mechanism.perturb(np.arange(120) % 5, rng=Entropy.seeded(b"guide"))
    watched.deliver(name, [bytes([int(one)]) for one in drawn])
    watched.page.reload()
    watched.page.locator("#act-close").wait_for()
