"""``sudare new`` and ``sudare check``: a survey file to begin with, and what to look at in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.cli.main import main
from sudare.collection.checking import advice
from sudare.collection.drafting import draft
from sudare.collection.questions import question_types
from tests.cases import cases

TYPES = [name for name, cls in question_types().items() if cls.__module__.startswith("sudare.")]


def run(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@cases("languages", [["en"], ["ja"], ["ja", "en"], ["de", "en", "ar"]], parts=2)
@cases("kind", TYPES)
def test_each_type_has_a_template_that_can_be_served(kind: str, languages: list[str]) -> None:
    survey = sd.Collection.from_toml(draft("tea", [kind], languages=languages))
    (question,) = survey.questions
    assert question.type == kind
    assert sd.Collection.from_compiled(survey.compiled()).fingerprint == survey.fingerprint
    assert not [one for one in advice(survey) if one.code == "untranslated"]
    assert survey.fingerprint == sd.Collection.from_toml(draft("tea", [kind])).fingerprint


def test_all_types_in_one_and_one_twice() -> None:
    survey = sd.Collection.from_toml(draft("all", [*TYPES, TYPES[0]], epsilon=3, respondents=50))
    assert [one.type for one in survey.questions] == [*TYPES, TYPES[0]]
    assert survey.submission_epsilon <= 3
    assert survey.expected_respondents == 50


def test_places_alone_have_no_epsilon_of_the_collection() -> None:
    assert sd.Collection.from_toml(draft("walk", ["place"])).epsilon == 0


def test_check_tells_the_epsilon_of_places(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "walk.toml"
    for types, told in ((["place"], ""), (["choice", "place"], "ε = 2.0, ")):
        path.write_text(draft("walk", types), encoding="utf-8")
        out = run(capsys, "check", str(path))[1]
        assert f", {told}ε = 0.01 for each metre (where), en;" in out


def test_words_that_are_not_at_hand_are_marked() -> None:
    text = draft("tea", ["choice"], languages=["ja", "de"])
    assert "text.en" not in text
    assert 'text.de = "Which tea do you like best?"  # translate' in text
    assert 'text.ja = "いちばん好きなお茶は？"' in text


@cases(
    "given, word",
    [
        ({"types": []}, "types must be at least one"),
        ({"types": ["scale"]}, "types must be one of"),
        ({"name": "Tea"}, "name must be 1 to 64"),
        ({"languages": ["EN"]}, r"languages\[0\] must be a language tag"),
        ({"respondents": 0}, "expected_respondents"),
        ({"epsilon": 100}, "epsilon"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], word: str) -> None:
    asked: dict[str, Any] = {"name": "tea", "types": ["choice"]} | given
    with pytest.raises(sd.SudareError, match=word):
        draft(asked.pop("name"), asked.pop("types"), **asked)


def test_written_checked_and_not_written_twice(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "tea.toml"
    options = ("--question", "choice", "--question", "number", "--languages", "en,ja")
    status, out, err = run(capsys, "new", str(path), *options)
    assert (status, err) == (0, "")
    assert f"sudare check {path}" in out
    assert [one.type for one in sd.Collection.load(path).questions] == ["choice", "number"]
    before = path.read_bytes()
    status, _, err = run(capsys, "new", str(path))
    assert status == 2
    assert "must not exist yet" in err
    assert path.read_bytes() == before

    status, out, err = run(capsys, "check", str(path))
    assert status == 0
    assert "tea: 2 questions, ε = 2.0, en, ja" in out
    assert err == (
        "sudare check: warning: closes is not stated: it stays open until it is closed by hand\n"
    )


def test_the_types_are_named_by_the_option(capsys: Any, tmp_path: Path) -> None:
    status, _, err = run(capsys, "new", str(tmp_path / "x.toml"), "--question", "scale")
    assert status == 2
    assert "--question must be one of ['choice'," in err
    assert not (tmp_path / "x.toml").exists()


def test_a_check_finds_what_a_reader_would_stumble_on(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "tea.toml"
    text = draft("tea", ["choice"], languages=["en", "ja"], epsilon=9)
    lines = [line for line in text.split("\n") if not line.startswith(("labels.ja", "auto"))]
    path.write_text("\n".join(lines).replace("# closes", "closes"), encoding="utf-8")
    status, out, err = run(capsys, "check", str(path), "--json")
    assert (status, err) == (0, "")
    told = "\n".join(json.loads(out)["warnings"])
    assert "questions.tea.labels.green is not written in ja: en is shown" in told
    assert "ε = 9" in told
    assert "auto = 1 ranks fewer mechanisms" in told
    assert "closes" not in told


def test_a_check_refuses_in_one_line(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "tea.toml"
    path.write_text(draft("tea", ["choice"]).replace("choices =", "choice ="), encoding="utf-8")
    status, out, err = run(capsys, "check", str(path))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "question[0].choice is not a field" in err


def test_rounds_are_written_too(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "weekly.toml"
    assert run(capsys, "new", str(path), "--rounds", "3", "--epsilon", "1.5")[0] == 0
    survey = sd.Collection.load(path)
    assert survey.repeats is not None
    assert (survey.repeats.rounds, survey.epsilon_cap, survey.round) == (3, 3, None)
    assert run(capsys, "check", str(path))[0] == 0
    for wrong in (("--rounds", "999"), ("--rounds", "3", "--question", "place")):
        assert run(capsys, "new", str(tmp_path / "no.toml"), *wrong)[0] == 2
    assert not (tmp_path / "no.toml").exists()
