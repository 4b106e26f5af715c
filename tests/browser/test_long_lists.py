"""A hundred thousand choices: the page holds a few of them, finds any, and shows their results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import fresh, serve
from test_axe import AXE, FOUND

from sudare.collection import Collection

K = 100_000
FEW = 1_500
"""Elements of a page; with every choice there are four for each."""

NODES = "document.querySelectorAll('*').length"


@pytest.fixture(scope="module")
def towns() -> Collection:
    choices = [f"town-{i}" for i in range(K)]
    labels = [f"Town {i}" for i in range(K)], [f"{i}番の町" for i in range(K)]
    en, ja = (json.dumps(one, ensure_ascii=False) for one in labels)
    return Collection.from_toml(
        '[collection]\nname = "towns"\nepsilon = 4\nlanguages = ["en", "ja"]\npublish_at = 10\n'
        '[[question]]\nid = "town"\ntype = "choice"\nmechanism = "GRR"\n'
        'text = { en = "Which town?", ja = "どの町？" }\n'
        f"choices = {json.dumps(choices)}\n[question.labels]\nen = {en}\nja = {ja}\n"
    )


@pytest.fixture(scope="module")
def origin(towns: Collection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One collector for the whole module."""
    database: Path = tmp_path_factory.mktemp("long") / "collector.sqlite3"
    with serve((towns,), database) as address:
        yield address


def test_any_of_a_hundred_thousand_is_found_and_sent(browser: object, origin: str) -> None:
    with fresh(browser, origin, bypass_csp=True) as watched:
        page = watched.page
        watched.open("/towns?lang=ja")
        page.wait_for_selector(".choices-many input")
        assert page.evaluate(NODES) < FEW
        page.locator(".finder input").focus()
        page.keyboard.type("９９９９８番")  # as an input method writes it
        page.wait_for_function("document.querySelectorAll('.choices-many input').length <= 2")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        chosen = page.locator(".choices-many input:checked")
        assert chosen.input_value() == "town-99998"
        if AXE.exists():
            page.evaluate(AXE.read_text("utf-8"))
            assert page.evaluate(FOUND) == []
        with page.expect_request("**/reports") as sent:
            page.keyboard.press("Enter")
        page.wait_for_selector(".outcome-sent")
        assert sent.value.method == "POST"


def test_results_of_a_hundred_thousand_are_few_at_a_time(
    browser: object, origin: str, towns: Collection
) -> None:
    mechanism = towns.questions[0].mechanism
    with fresh(browser, origin, bypass_csp=True) as watched:
        page = watched.page
        rows = mechanism.perturb([7] * 600)  # fewer say nothing, and are not drawn
        watched.deliver("towns", (mechanism.program.encode_one(int(row)) for row in rows))
        with page.expect_response("**/results?*") as first:
            watched.open("/towns/results?lang=en")
        assert first.value.headers["content-encoding"] == "gzip"
        page.wait_for_selector(".bars li")
        with page.expect_response(lambda one: "/results?" in one.url and one.status == 304):
            pass  # it has them already
        assert page.evaluate(NODES) < FEW
        page.locator(".alarms details summary").click()
        box = page.locator(".alarms .finder input")
        box.fill("town 99998")
        page.wait_for_function(
            "document.querySelectorAll('.alarms tbody tr').length === 1"
            " && document.querySelector('.alarms tbody th').textContent === 'Town 99998'"
        )
        watched.check_names()
        if AXE.exists():
            page.evaluate(AXE.read_text("utf-8"))
            assert page.evaluate(FOUND) == []
