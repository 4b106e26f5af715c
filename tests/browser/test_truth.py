"""No page says more than is so: every kind of question at ε = 0.5, 4 and 20, in both languages."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
import serving

from sudare.collection import Collection
from sudare.collection.cautions import cautions
from sudare.collection.questions.chances import sure

HEAD = """
[collection]
name = "{name}"
epsilon = {epsilon}
{flag}
publish_at = 1
languages = ["en", "ja"]
"""
CHOICE = """
[[question]]
id = "{id}"
type = "choice"
text = "Which?"
choices = ["a", "b", "c"]
mechanism = "{mechanism}"
"""
PLACE = """
[[question]]
id = "where"
type = "place"
text = "Where?"
mesh = 53394611
rows = 3
columns = 4
epsilon_per_metre = {rate}
"""
EPSILONS = ("0.5", "4.0", "20.0")
DENIALS = re.compile(
    "may be your answer or it may not|makes nobody sure|can be sure of yours|only you can tell"
    "|never a face"
    "|かもしれませんし|確信を持てません|確信を持つことはできません|あなたにしか|顔は見えません"
)
CERTAIN = re.compile(r"(?<![0-9.,])100(\.0+)? %|probability 1(\.0*)?[ .;]|確率 1(\.0*)? ")
SUMS = re.compile(r"[^.。\n]*(\badd|合計)[^.。\n]*", re.IGNORECASE)
"""What shares add up to is certain."""


def named(epsilon: str, kind: str) -> str:
    return f"{kind}-{epsilon.replace('.', '-')}"


def surveys() -> tuple[Collection, ...]:
    out = []
    for epsilon in EPSILONS:
        flag = "accept_high_epsilon = true" if float(epsilon) > 10 else ""
        place = PLACE.format(rate=f"{float(epsilon) / 116:.6f}")
        texts = {
            "grr": CHOICE.format(id="one", mechanism="GRR"),
            "two": CHOICE.format(id="one", mechanism="GRR")
            + CHOICE.format(id="bits", mechanism="OUE"),
            "place": CHOICE.format(id="one", mechanism="SUE") + place,
        }
        for kind, text in texts.items():
            head = HEAD.format(name=named(epsilon, kind), epsilon=epsilon, flag=flag)
            out.append(Collection.from_toml(head + text))
    return tuple(out)


@pytest.fixture
def origin(tmp_path: Path) -> object:
    with serving.serve(surveys(), tmp_path / "collector.sqlite3") as address:
        yield address


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_page_is_false(watched: serving.Watched, epsilon: str, language: str) -> None:
    page = watched.page
    page.set_default_timeout(90_000)  # several pages a test, on a machine that may be busy
    warning = {"en": "Please note", "ja": "ご注意"}[language]
    for kind in ("grr", "two", "place"):
        watched.open(f"/{named(epsilon, kind)}?lang={language}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        said = page.locator("body").inner_text()
        survey = watched.compiled(named(epsilon, kind))
        for question in survey.questions:
            for key, value in question.chances().items():
                assert key not in ("even", "listed") or f"{sure(value)} %" in said
        check(said, epsilon)
        assert (warning in said) is bool(cautions(survey))
        page.goto(f"{watched.origin}/{named(epsilon, kind)}/results?lang={language}")
        page.wait_for_selector("h1")
        assert (page.locator(".caution").count() > 0) is bool(cautions(survey))
        check(page.locator("body").inner_text(), epsilon)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_an_outcome_says_what_this_report_tells(
    watched: serving.Watched, epsilon: str, language: str
) -> None:
    page = watched.page
    page.set_default_timeout(90_000)  # several pages a test, on a machine that may be busy
    page.set_viewport_size({"width": 390, "height": 844})
    watched.open(f"/{named(epsilon, 'grr')}?lang={language}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("input[value=a]").check()
    watched.send()
    said = page.locator(".outcome").inner_text()
    check(said, epsilon)
    assert bool(DENIALS.search(said)) is (float(epsilon) <= 2)
    kept = watched.compiled(named(epsilon, "grr")).questions[0].chances()["kept"]
    assert f"{sure(kept)} %" in said
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    watched.check_names()
    assert page.evaluate(serving.CONTRAST) == []


def check(said: str, epsilon: str) -> None:
    """Nothing is certain, and nobody is told to be safe above ε = 2."""
    assert not CERTAIN.search(SUMS.sub("", said))
    assert not re.search(r"\b([0-9][0-9,]+) of \1\b", said)
    if Fraction(epsilon) > 2:
        assert not DENIALS.search(said)
