"""A study's report in a real browser: opened from a file, small, dark, readable, alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import CONTRAST, REFERENCES

from sudare.studies import (
    Claim,
    Column,
    Figure,
    Report,
    Section,
    Setting,
    Study,
    Table,
    Text,
    Verdict,
    drawing,
    pages as written,
)
from sudare.studies.frame import Frame

WIDE = Text("A wide number", "とても横に長い列の見出し")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "figures").mkdir()
    figure = Figure("line", WIDE, WIDE, lambda canvas, say: canvas.subplots().plot([1, 2]), (7, 3))
    claims = [Claim("§1", WIDE, "1" * 80, "2", verdict, WIDE) for verdict in Verdict]
    columns = tuple(Column(WIDE, ".12f") for _ in range(9))
    table = Table("numbers", WIDE, columns, (("row", *[1 / 3] * 8),))
    report = Report((WIDE,), (Section(WIDE, (*claims, table, figure, WIDE)),))
    study = Study("toy", Text("Toy", "おもちゃ"), WIDE, 2, lambda setting: report)
    drawing.save(figure, folder / "figures", "ja")
    frame = Frame(study, report, Setting(2, "x"), "ja", same_letters=True)
    path = folder / "report.html"
    path.write_text(written.html(frame, folder), encoding="utf-8")
    return path


@pytest.fixture(params=[(1200, "light"), (1200, "dark"), (320, "light"), (320, "dark")])
def page(request: Any, browser: Any, page_file: Path) -> Iterator[Any]:
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    opened = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    opened.on("request", lambda one: asked.append(one.url))
    opened.on("console", lambda message: complaints.append(message.text))
    opened.goto(page_file.as_uri())
    yield opened
    context.close()
    assert [url for url in asked if not url.startswith("data:")] == [page_file.as_uri()]
    assert complaints == []


def test_it_fits_and_can_be_read(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("[...document.images].every((one) => one.naturalWidth > 0)")
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(REFERENCES) == []


def test_what_is_wider_than_the_screen_scrolls_by_keyboard(page: Any) -> None:
    wide = page.locator(".wide").first
    wide.focus()
    page.keyboard.press("ArrowRight")
    if wide.evaluate("one => one.scrollWidth > one.clientWidth"):
        for _ in range(200):
            if wide.evaluate("one => one.scrollLeft > 0"):
                return
            page.wait_for_timeout(50)
        pytest.fail("the arrow key did not scroll")
