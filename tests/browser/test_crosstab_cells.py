"""Crosstabs of cells in a real browser: the whole answer sent as one, and the table it gives."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect
from serving import CONTRAST, payload
from test_crosstab import TRUE, fill

import sudare as sd


def collect(watched: object) -> dict[str, object]:
    """Send a seeded crowd's reports; return the results."""
    mechanism = watched.compiled("whole").questions[0].mechanism
    values = np.repeat(np.arange(TRUE.size), TRUE.ravel())
    reports = mechanism.perturb(values, rng=sd.Entropy.seeded(b"whole"))
    program = mechanism.program
    wires = [program.encode_one(report) for report in program.decode(reports.tobytes())]
    return watched.deliver("whole", wires)


def test_answered_sent_and_shown(watched: object) -> None:
    page = watched.page
    watched.open("/whole?lang=en")
    tells = page.locator("body").inner_text()
    assert "taken together as one answer, out of 32 that are possible" in tells
    fill(page)
    watched.send()
    (post,) = watched.posts
    program = watched.compiled("whole").questions[0].mechanism.program
    report = payload(post)
    assert len(report) == program.report_bytes
    program.check_wire(report)
    shown = page.locator(".outcome-sent").inner_text()
    assert " × " in shown
    assert watched.counts("whole")["n"] == 1


def test_the_language_switch_says_the_same(watched: object) -> None:
    watched.open("/whole?lang=ja")
    assert "まとめて一つの回答（全部で 32 通り）" in watched.page.locator("body").inner_text()


def test_tables_and_parts_are_shown(watched: object) -> None:
    page = watched.page
    results = collect(watched)["questions"][0]
    for language, about in (("en", "randomised together"), ("ja", "まとめてランダム化")):
        watched.open(f"/whole/results?lang={language}")
        page.wait_for_selector(".heat td[tabindex='0']")
        assert about in page.locator(".result .technical p").first.text_content()
        expect(page.locator(".attribute .bars li")).to_have_count(10)
        assert page.evaluate(CONTRAST) == []
    v = results["pairs"][0]["dependence"]
    assert f"{v['value']:.2f}" in page.locator(".dependence").inner_text()
    expect(page.get_by_role("grid").locator("tbody td")).to_have_count(16)
    page.set_viewport_size({"width": 320, "height": 640})
    watched.check_small()
