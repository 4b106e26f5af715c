"""Words that every object of a script has a member of, as names in a survey of every type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import serving
from playwright.sync_api import expect

import sudare as sd
from sudare.cli.answering import HonestReports
from sudare.collection import Collection, send_batch
from sudare.collector.operator_api.opening import open_register
from sudare.operators import Tokens

WORD = "constructor"
"""The one that may be a name: the others have capitals, or begin with a line."""

TEXTS = ("__proto__", "constructor", "toString", "hasOwnProperty")
"""What words of a survey may be besides."""

KINDS = {
    "choice": 'type = "choice"\nchoices = ["{word}", "green"]\n',
    "scored": 'type = "choice"\nchoices = ["{word}", "green"]\nscores = [1, 2]\n',
    "ordered": 'type = "choice"\nchoices = ["{word}", "green"]\nlevels = [1, 2]\n',
    "choices": 'type = "choices"\nmost = 2\nchoices = ["{word}", "green", "black"]\n',
    "ratings": 'type = "ratings"\nitems = ["{word}", "green"]\n',
    "text": 'type = "text"\nknown = ["{word}", "green"]\nlabels.en = ["{text}", "Green"]\n',
    "words": 'type = "text"\nlongest = 4\n',
    "number": 'type = "number"\nlow = 0\nhigh = 10\nwanted = "distribution"\n',
    "mean": 'type = "number"\nlow = 0\nhigh = 10\n',
    "place": 'type = "place"\nmesh = "53394611"\nlevel = "1/8"\nrows = 3\ncolumns = 3\n'
    'epsilon_per_metre = "0.01"\n',
    "crosstab": 'type = "crosstab"\nwanted = "pairs"\n'
    '[[question.attributes]]\nid = "{word}"\ntext = "A"\nchoices = ["{word}", "green"]\n'
    '[[question.attributes]]\nid = "other"\ntext = "B"\nchoices = ["{word}", "black"]\n'
    '[[question.attributes]]\nid = "third"\ntext = "C"\nchoices = ["{word}", "white"]\n',
}
FAULTS = "() => document.querySelectorAll('.loading, [role=alert].message').length"


def surveys() -> dict[str, str]:
    """Return the text of a survey of each type, by its name."""
    found = {}
    for i, (kind, body) in enumerate(KINDS.items()):
        text = TEXTS[i % len(TEXTS)]
        name = WORD if kind == "ratings" else f"{WORD}-{kind}"
        found[name] = (
            f'[collection]\nname = "{name}"\nepsilon = 4\npublish_at = 1\nlanguages = ["en"]\n'
            f'title = "{text}"\naccept_high_epsilon = true\n'
            f'[[question]]\nid = "{WORD}"\ntext = "{text}?"\n'
            + body.replace("{word}", WORD).replace("{text}", text)
        )
    return found


@pytest.fixture(scope="module")
def served(tmp_path_factory: Any) -> Iterator[tuple[str, str]]:
    """Serve them with answers of 20 people each; yields the origin and an operator's token."""
    database = Path(tmp_path_factory.mktemp("named")) / "named.sqlite3"
    with open_register(database) as register:
        token = Tokens(register).issue("ann", ["read", "run", "export", "admin"])
    made = [Collection.from_toml(text) for text in surveys().values()]
    with serving.serve(tuple(made), database) as origin:
        for one in made:
            crowd = HonestReports(one, sd.Entropy.seeded(b"named"))
            send_batch(origin, [crowd.submission() for _ in range(20)])
        yield origin, token


def test_no_page_stumbles_over_a_word(browser: Any, served: Any) -> None:
    origin, token = served
    with serving.fresh(browser, origin) as watched:
        page = watched.page
        watched.open("/operator?lang=en")
        page.locator("#token").fill(token)
        page.keyboard.press("Enter")
        page.wait_for_selector(".desk-bar")
        for name, text in surveys().items():
            for path, wanted in (
                (f"/{name}", "form fieldset"),
                (f"/{name}/results", ".result"),
                (f"/operator/c/{name}/results", ".result"),
            ):
                page.goto(f"{origin}{path}?lang=en")
                page.wait_for_selector(wanted)
                page.wait_for_load_state("networkidle")
                assert page.evaluate(FAULTS) == 0, path
                assert watched.complaints == [], path
            page.goto(f"{origin}/operator/new?lang=en")
            page.locator("#definition").fill(text.replace(f'"{name}"', f'"{name}-new"', 1))
            page.locator("#findings").get_by_text(f"{name}-new").wait_for()
            expect(page.locator("#preview")).not_to_have_attribute("inert", "")
            page.locator(".accuracy > *").first.wait_for(state="attached")
            assert watched.complaints == [], name


def test_such_answers_are_sent(browser: Any, served: Any) -> None:
    """The items of a rating and the choices of a crosstab are answered as all others."""
    origin, _ = served
    with serving.fresh(browser, origin) as watched:
        page = watched.page
        for name in ("constructor", "constructor-crosstab", "constructor-choices"):
            watched.open(f"/{name}?lang=en")
            page.wait_for_selector("form fieldset")
            for group in page.locator("form fieldset:not(:has(fieldset))").all():
                group.locator("input").first.check()
            watched.send()
