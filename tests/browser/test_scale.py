"""A scale on the results page: its mean in words and as a mark, equal to the API's."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

BOXES = """names => names.map(name => {
  const { x, width } = document.querySelector(name).getBoundingClientRect();
  return { x, width };
})"""
"""At one moment: the page is drawn anew when it has asked again."""


def fill(watched: object, reports: list[int]) -> dict[str, float]:
    results = watched.deliver("scale", (bytes([report]) for report in reports))
    return results["questions"][0]["mean"]


@pytest.mark.parametrize(
    ("language", "start"), [("en", "Mean score of those"), ("ja", "回答した人の平均点")]
)
def test_the_mean_is_said_and_drawn(watched: object, language: str, start: str) -> None:
    page = watched.page
    mean = fill(watched, [i % 6 for i in range(240)] + [4] * 120)
    watched.open(f"/scale/results?lang={language}")
    page.wait_for_selector(".mean-mark")
    text = page.locator(".mean-text").inner_text()
    assert text.startswith(start)
    numbers = [float(n) for n in re.findall(r"\d+\.\d\d", text)]
    expected = [mean["value"], mean["low"], mean["high"], mean["stderr"]]
    assert numbers == pytest.approx(expected, abs=0.0051)
    scale = page.locator(".mean-scale")
    assert scale.get_attribute("aria-hidden") == "true"
    box, mark, interval = page.evaluate(BOXES, [".mean-scale", ".mean-mark", ".mean-scale .bar"])
    place = (mark["x"] + mark["width"] / 2 - box["x"]) / box["width"]
    assert 1 + 4 * place == pytest.approx(mean["value"], abs=0.05)
    assert 4 * interval["width"] / box["width"] == pytest.approx(
        mean["high"] - mean["low"], abs=0.05
    )


def test_where_nobody_answered_there_is_no_mark(watched: object) -> None:
    mean = fill(watched, [5] * 40)
    watched.open("/scale/results")
    watched.page.wait_for_selector(".bars li")
    assert mean["value"] is None
    assert "cannot be given" in watched.page.locator(".mean-text").inner_text()
    expect(watched.page.locator(".mean-mark")).to_have_count(0)


def test_a_question_without_scores_has_no_mean(watched: object) -> None:
    watched.open("/tea/results")
    expect(watched.page.locator(".mean")).to_have_count(0)
