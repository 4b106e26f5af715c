"""What the pages say of steps: before the first one, between two, at the end; in both languages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import serving
from playwright.sync_api import expect

from sudare.collection import Collection
from sudare.collector import Store

QUESTION = """
languages = ["en", "ja"]
title = { en = "The tea survey", ja = "お茶の調査" }
[[question]]
id = "brand"
type = "choice"
text = { en = "Which tea?", ja = "どのお茶？" }
mechanism = "GRR"
choices = ["oi-ocha", "iyemon", "ayataka"]
"""
SOON = datetime.now(UTC) + timedelta(days=30)
PAST = datetime.now(UTC) - timedelta(days=30)


def survey(name: str, rule: str = "") -> Collection:
    return Collection.from_toml(f'[collection]\nname = "{name}"\nepsilon = 2.0\n{rule}{QUESTION}')


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Iterator[serving.Watched]:
    some = (
        survey("steps"),
        survey("once", f'publish = "end"\ncloses = {SOON.isoformat()}\n'),
        survey("few", f"closes = {PAST.isoformat()}\n"),
        survey("each", "publish_at = 1\n"),
        survey("later", "publish_every = 1\n"),
        survey("alone", f'publish = "end"\npublish_at = 1\ncloses = {SOON.isoformat()}\n'),
    )
    with serving.serve(some, tmp_path / "collector.sqlite3") as origin:  # noqa: SIM117
        with serving.fresh(browser, origin) as page:
            yield page


def seen(watched: serving.Watched, path: str, wanted: str) -> str:
    watched.open(path)
    watched.page.get_by_text(wanted).first.wait_for()
    folder = os.environ.get("SUDARE_SCREENSHOTS")
    for width in (390, 1280):
        watched.page.set_viewport_size({"width": width, "height": 900})
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
        if folder:
            name = path.strip("/").replace("/", "-").replace("?", "-")
            watched.page.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)
    return str(watched.page.locator("main").inner_text())


def test_before_the_first_step_nothing_is_told(shown: serving.Watched) -> None:
    shown.deliver("steps", [bytes([i % 3]) for i in range(49)])
    text = seen(shown, "/steps/results?lang=en", "Results appear when at least 50 have answered")
    assert "49" not in text
    assert "\n0 reports" not in text
    expect(shown.page.locator("#n")).to_be_hidden()
    text = seen(shown, "/steps/results?lang=ja", "50 人以上が回答すると結果が表示されます")
    assert "49" not in text
    shown.check_small()
    shown.deliver("steps", [b"\x00"])
    shown.page.wait_for_selector(".bars li")
    assert "50 件以上の報告がそろうごとに更新" in shown.page.locator("main").inner_text()
    text = seen(shown, "/steps/results?lang=en", "50 reports")
    assert "Changes in steps of at least 50 reports" in text
    told = shown.results("steps")["publication"]["tally"]
    assert told["n"] == 50
    assert f"ε = {told['epsilon'] + 0.0005:.3f} with δ = 0.000001" in text
    shown.check_small()


def test_a_collection_that_publishes_at_its_end_says_so(shown: serving.Watched) -> None:
    shown.deliver("once", [b"\x00"] * 60)
    text = seen(shown, "/once/results?lang=en", "Results appear when the survey has ended")
    assert "60" not in text
    assert str(SOON.year) in text
    seen(shown, "/once/results?lang=ja", "結果は調査の終了後に表示されます")
    assert "once, when the survey has ended" in seen(
        shown, "/once?lang=en", "Results become public"
    )


def test_a_survey_that_ended_with_too_few_shows_nothing(shown: serving.Watched) -> None:
    assert "from 50 reports on" in seen(shown, "/few/results?lang=en", "Too few have answered")
    seen(shown, "/few/results?lang=ja", "回答が少ないため結果を公開しません")


def test_an_end_that_a_wrong_clock_brought_is_not_said_to_have_passed(
    browser: Any, tmp_path: Path
) -> None:
    """Published once, by a clock that ran ahead; the end is still to come."""
    own = survey("once", f'publish = "end"\ncloses = {SOON.isoformat()}\n')
    database = tmp_path / "collector.sqlite3"
    with Store(database, [own]) as store:
        store.add(own.fingerprint, os.urandom(16 * 60), b"\x01" * 60).result()
        assert store.settle(own.fingerprint, SOON).result().act == "clock"
    with serving.serve((own,), database) as origin, serving.fresh(browser, origin) as page:
        text = seen(page, "/once/results?lang=en", "60 reports")
        assert "By the collector's clock the survey ended on" in text
        assert "Closed on" not in text
        assert "まだその時刻になっていません" in seen(page, "/once/results?lang=ja", "報告 60 件")
        page.check_small()


def test_what_may_stand_alone_is_said(shown: serving.Watched) -> None:
    """Steps of one report after the first, and one publication of however few."""
    seen(shown, "/later?lang=en", "may change with a single report")
    seen(shown, "/later?lang=ja", "一件の報告だけで変わる")
    seen(shown, "/later/results?lang=en", "After that a single report may change")
    seen(shown, "/later/results?lang=ja", "その後は一件の報告だけで")
    seen(shown, "/alone?lang=en", "if yours is the only report, everyone sees it")
    seen(shown, "/alone?lang=ja", "報告があなたの一件だけの場合は")
    seen(shown, "/alone/results?lang=en", "even if there is only one")
    shown.deliver("later", [b"\x00"] * 50)
    text = seen(shown, "/later/results?lang=en", "50 reports")
    assert "Changes with every new report: single reports may be shown" in text


def test_a_demonstration_says_that_it_shows_each_report(shown: serving.Watched) -> None:
    shown.deliver("each", [b"\x00"])
    assert "1 report\n" in seen(shown, "/each/results?lang=en", "every single report is shown")
    seen(shown, "/each/results?lang=ja", "報告は一件ずつ")
    seen(shown, "/each?lang=en", "sees yours, as it was sent")
    seen(shown, "/each?lang=ja", "送られたままの形で")
    seen(shown, "/steps?lang=en", "in steps of at least 50 reports")
    seen(shown, "/steps?lang=ja", "一件ずつ公開されることはありません")
