"""Above ε = 4 the owner and the readers are warned: plan, serve, the results."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from maps import SMALL

from sudare.cli.main import main
from sudare.collection import Collection
from sudare.collection.cautions import HIGH, cautions, code_of, in_words, owner_cautions
from sudare.exact import exp_bounds
from tests.cases import cases

TOML = """
[collection]
name = "tea"
epsilon = {epsilon}
{flag}
[[question]]
id = "brand"
type = "choice"
text = "Which?"
choices = ["a", "b"]
"""
RATE = "epsilon_per_metre = {rate}\n"


def toml(epsilon: str, rate: str) -> str:
    flag = "accept_high_epsilon = true" if float(epsilon) > 10 else ""
    head = TOML.format(epsilon=epsilon, flag=flag)
    return head + SMALL + RATE.format(rate=rate)


@cases(
    "epsilon, rate, codes",
    [
        ("0.5", "0.01", []),
        ("4.0", "0.04", []),
        ("4.000001", "0.01", [("high-epsilon", None)]),
        ("10.0", "0.040001", [("high-epsilon", None), ("high-epsilon", "where")]),
        ("20.0", "0.1", [("very-high-epsilon", None), ("high-epsilon", "where")]),
    ],
)
def test_cautions_start_above_four(epsilon: str, rate: str, codes: list[Any]) -> None:
    found = cautions(Collection.from_toml(toml(epsilon, rate)))
    assert [(one["code"], one.get("question")) for one in found] == codes
    for one in found:
        high = exp_bounds(Fraction(one["epsilon"]))[1]
        assert Fraction(one["belief"]) >= high / (1 + high) - Fraction(1, 10**15)
        assert one["belief"] <= 1.0
        assert "100" not in in_words(one).replace("50:50", "")


def test_a_code_has_its_limits() -> None:
    assert code_of(Fraction(HIGH)) is None
    assert code_of(Fraction(HIGH) + Fraction(1, 10**12)) == "high-epsilon"
    assert code_of(Fraction(10)) == "high-epsilon"
    assert code_of(Fraction(10) + Fraction(1, 10**12)) == "very-high-epsilon"


@cases(
    "rule, when",
    [
        ("", None),
        ("publish_at = 2", None),
        ("publish_every = 2", None),
        ("publish_at = 1", "steps"),
        ("publish_every = 1", "steps"),
        ("publish_at = 1\npublish_every = 50", "steps"),
        ('publish = "end"\ncloses = 2030-01-01T00:00:00Z', None),
        ('publish = "end"\ncloses = 2030-01-01T00:00:00Z\npublish_at = 1', "end"),
    ],
)
def test_steps_of_one_report_are_warned_of(
    rule: str,
    when: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = tmp_path / "survey.toml"
    survey.write_text(TOML.format(epsilon="2.0", flag=rule), "utf-8")
    collection = Collection.load(survey)
    assert cautions(collection) == []
    expected = [] if when is None else [{"code": "single-reports", "when": when}]
    assert owner_cautions(collection) == expected
    monkeypatch.setattr("sudare.collector.serve", lambda *_, **__: None, raising=False)
    told = {None: "", "steps": "may be of one report", "end": "if one person alone answers"}[when]
    for command in (["plan"], ["serve", "--database", str(tmp_path / "a.sqlite3")]):
        assert main([*command, str(survey)]) == 0
        said = capsys.readouterr().err
        assert (told in said) if when else ("warning" not in said)
    assert main(["plan", str(survey), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cautions"] == expected


@pytest.mark.parametrize(("epsilon", "warned"), [("4", False), ("6", True), ("20", True)])
def test_plan_warns(
    epsilon: str, warned: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey = tmp_path / "survey.toml"
    survey.write_text(toml(f"{epsilon}.0", "0.01"), "utf-8")
    for arguments in (
        [str(survey)],
        ["-k", "4", "-n", "100", "--epsilon", epsilon],
        ["--sizes", "2,3", "-n", "100", "--epsilon", epsilon],
    ):
        assert main(["plan", *arguments]) == 0
        said = capsys.readouterr().err
        assert ("% sure of an answer that seemed 50:50" in said) is warned
        assert "100 %" not in said
    assert main(["plan", str(survey), "--json"]) == 0
    codes = [one["code"] for one in json.loads(capsys.readouterr().out)["cautions"]]
    assert bool(codes) is warned


@cases("epsilon, warned", [("4.0", False), ("6.0", True)])
def test_serve_warns(
    epsilon: str,
    warned: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sudare.collector.server.serve", lambda *_, **__: None)
    monkeypatch.setattr("sudare.collector.serve", lambda *_, **__: None, raising=False)
    survey = tmp_path / "survey.toml"
    survey.write_text(toml(epsilon, "0.01"), "utf-8")
    assert main(["serve", str(survey), "--database", str(tmp_path / "a.sqlite3")]) == 0
    assert ("warning: tea: ε = 6.0 is high" in capsys.readouterr().err) is warned


def test_an_owner_learns_of_a_language_without_words():
    """The questions would be in it, all around them in another one."""
    survey = """
[collection]
name = "tea"
epsilon = 1.0
languages = ["de-AT", "fr", "tlh"]
[[question]]
id = "brand"
type = "choice"
text = "Welche?"
choices = ["a", "b"]
"""
    (told,) = owner_cautions(Collection.from_toml(survey))
    assert told == {"code": "no-catalogue", "languages": ["fr", "tlh"]}
    assert "fr, tlh" in in_words(told)
    assert owner_cautions(Collection.from_toml(survey.replace(', "fr", "tlh"', ""))) == []
