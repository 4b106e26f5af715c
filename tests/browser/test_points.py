"""A report that names no choice, answered in a browser: a point of a geometry, or hashes."""

from __future__ import annotations

from pathlib import Path

import pytest
import serving

from sudare.collection import Collection
from sudare.collection.questions.chances import sure

SURVEY = """
[collection]
name = "points"
epsilon = 1
publish_at = 1
languages = ["en"]
[[question]]
id = "one"
type = "choice"
text = "Which?"
choices = ["a", "b", "c", "d", "e", "f", "g"]
mechanism = "{mechanism}"
"""


@pytest.fixture(params=["ProjectiveGeometry", "LinearHashing"])
def origin(request: pytest.FixtureRequest, tmp_path: Path) -> object:
    survey = Collection.from_toml(SURVEY.replace("{mechanism}", request.param))
    with serving.serve((survey,), tmp_path / "collector.sqlite3") as address:
        yield address


def test_a_point_is_sent_and_told(watched: serving.Watched) -> None:
    page = watched.page
    watched.open("/points")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    said = page.locator("body").inner_text()
    (question,) = watched.compiled("points").questions
    points = question.mechanism.program.outputs
    assert f"One of {points} possible reports is sent." in said
    assert f"{sure(question.chances()['even'])} %" in said
    page.locator("input[value=c]").check()
    watched.send()
    said = page.locator(".outcome").inner_text()
    assert "Of all possible reports, the one numbered" in said
    assert said.count("Report number") == 1  # that under which it travels
    watched.check_names()
    page.goto(f"{watched.origin}/points/results")
    page.wait_for_selector("h1")
