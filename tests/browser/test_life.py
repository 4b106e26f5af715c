"""A survey's stages and times as its pages show them, while a collector runs; in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import serving

from sudare.collection import Collection
from sudare.collector import Store, change_life
from sudare.operators import Register, Texts

TEXT = """
[collection]
name = "tea"
epsilon = 2.0
publish_at = 1
draft = true
opens = {opens}
languages = ["en", "ja"]
title = {{ en = "The tea survey", ja = "お茶の調査" }}
[[question]]
id = "brand"
type = "choice"
text = {{ en = "Which tea?", ja = "どのお茶？" }}
mechanism = "GRR"
choices = ["oi-ocha", "iyemon", "ayataka"]
"""
NOW = datetime.now(UTC).replace(microsecond=0)
OPENS = NOW + timedelta(days=40)
WORDS = {
    "missing": ("There is no survey under this address.", "このアドレスの調査はありません。"),
    "deleted": (
        "This survey was deleted by its owner.",
        "この調査は、実施者によって削除されました。",
    ),
    "private": ("The results of this survey are not public", "この調査の結果は公開されていません"),
    "early": ("Not open yet", "まだ始まっていません"),
    "open": ("Which tea?", "どのお茶？"),
    "closed": ("This survey is closed", "この調査は終了しました"),
}


@pytest.fixture
def drafted(browser: Any, tmp_path: Path) -> Iterator[tuple[serving.Watched, Path]]:
    database = tmp_path / "collector.sqlite3"
    draft = Collection.from_toml(TEXT.format(opens=OPENS.isoformat()))
    with serving.serve((draft,), database) as origin, serving.fresh(browser, origin) as watched:
        yield watched, database


def shows(watched: serving.Watched, stage: str, *years: datetime, path: str = "tea") -> None:
    """Reload until the page is in a stage, and look at both languages."""
    for language, words in zip(("en", "ja"), WORDS[stage], strict=True):
        for _ in range(40):
            watched.page.goto(f"{watched.origin}/{path}?lang={language}")
            watched.page.wait_for_selector("main h1, main h2")
            text = watched.page.locator("main").inner_text()
            if words in text:
                break
            watched.page.wait_for_timeout(100)
        assert words in text
        assert all(str(one.year) in text for one in years)


def test_pages_follow_the_commands(drafted: tuple[serving.Watched, Path]) -> None:
    watched, database = drafted
    shows(watched, "missing")
    change_life("tea", database, "publish")
    shows(watched, "early", OPENS)
    change_life("tea", database, "open")
    shows(watched, "open")
    until = NOW + timedelta(days=800)
    change_life("tea", database, "extend", until)
    watched.page.wait_for_timeout(1000)
    shows(watched, "open", until)
    with Register(database) as register:
        Texts(register).show("tea", "private")
    shows(watched, "private", path="tea/results")
    shows(watched, "open", until)
    change_life("tea", database, "close")
    shows(watched, "closed", NOW)
    change_life("tea", database, "delete")
    shows(watched, "deleted")


def test_a_draft_of_a_survey_that_has_ended_is_removed_by_any_page(
    drafted: tuple[serving.Watched, Path],
) -> None:
    watched, database = drafted
    page = watched.page
    change_life("tea", database, "publish")
    for act in ("close", "delete"):
        change_life("tea", database, "open")
        shows(watched, "open")
        page.locator("input[type=radio]").first.check()
        watched.open("/my/reports?lang=en")
        page.wait_for_selector(".drafts li")
        change_life("tea", database, "close")
        if act == "delete":
            change_life("tea", database, "delete")
        for _ in range(40):
            watched.open("/nope")  # the survey itself is not opened again
            if page.evaluate("Object.keys(localStorage)") == []:
                break
            page.wait_for_timeout(100)
        assert page.evaluate("Object.keys(localStorage)") == [], act


def test_earlier_versions_are_listed_and_shown(browser: Any, tmp_path: Path) -> None:
    database = tmp_path / "collector.sqlite3"
    first = replace(Collection.from_toml(TEXT.format(opens="2020-01-01T00:00:00Z")), draft=False)
    second = replace(first, epsilon_cap=first.epsilon_cap + Fraction(1))
    with Store(database, [first]) as store:
        store.add(first.fingerprint, bytes(16), b"\x01").result()
    with serving.serve((second,), database) as origin, serving.fresh(browser, origin) as watched:
        for language, title in (("en", "Versions of this survey"), ("ja", "この調査の版")):
            watched.open(f"/tea/results?lang={language}")
            watched.page.get_by_text(title).wait_for()
            watched.page.locator(".versions a").click()
            watched.page.wait_for_selector(".few-answers-text:visible")
            assert first.fingerprint[:16] in watched.page.locator(".versions strong").inner_text()
            assert f"version={first.fingerprint[:16]}" in watched.page.url
            watched.check_small()
