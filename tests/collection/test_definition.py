from __future__ import annotations

import json
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from tests.cases import cases

TEA = """
[collection]
name = "tea"
epsilon = 2.0
expected_respondents = 5000
opens = 2026-12-01T00:00:00+09:00
closes = 2027-01-31T00:00:00+09:00
languages = ["en", "ja"]
title = { en = "Tea", ja = "お茶" }

[[question]]
id = "brand"
type = "choice"
text = { en = "Which?", ja = "どれ？" }
choices = ["oi-ocha", "iyemon", "ayataka"]
labels = { ja = ["お〜いお茶", "伊右衛門", "綾鷹"] }

[[question]]
id = "often"
type = "choice"
text = "How often?"
choices = ["daily", "weekly"]
epsilon = 0.5
mechanism = "OUE"
prefer_not_to_say = false
"""


def collection(text: str = TEA) -> sd.Collection:
    return sd.Collection.from_toml(text)


def test_a_collection_is_read_and_compiled() -> None:
    c = collection()
    brand, often = c.questions
    assert brand.choices == ("oi-ocha", "iyemon", "ayataka", "prefer-not-to-say")
    assert (brand.epsilon, often.epsilon) == (Fraction(3, 2), Fraction(1, 2))
    assert brand.mechanism == sd.GRR(4, 1.5)
    assert often.mechanism == sd.OUE(2, 0.5)
    assert c.opens == datetime(2026, 11, 30, 15, tzinfo=UTC)
    assert c.program.report_bytes == 2


def test_what_a_person_spends_is_at_most_the_collection_epsilon() -> None:
    thirds = TEA.replace("epsilon = 0.5\n", "") + (
        '[[question]]\nid = "x"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    )
    c = collection(thirds)
    assert sum(q.epsilon for q in c.questions) <= c.epsilon
    assert Fraction(c.program.epsilon) <= c.epsilon
    assert c.epsilon - Fraction(c.program.epsilon) < Fraction(4, 10**6)


def test_the_compiled_form_rebuilds_the_collection() -> None:
    c = collection()
    document = json.loads(json.dumps(c.compiled()))
    again = sd.Collection.from_compiled(document)
    assert again.fingerprint == c.fingerprint == document["fingerprint"]
    assert again.compiled() == c.compiled()


def test_wording_is_outside_the_fingerprint_and_everything_else_inside() -> None:
    base = collection().fingerprint
    for change in (
        ('title = { en = "Tea", ja = "お茶" }', 'title = "Green tea"'),
        ('text = "How often?"', 'text = "How often do you?"'),
        ('labels = { ja = ["お〜いお茶", "伊右衛門", "綾鷹"] }', ""),
        ("2027-01-31", "2027-02-01"),
        ("opens = 2026-12-01T00:00:00+09:00\n", ""),
        ("epsilon = 2.0", "epsilon = 2.0\nkeep_reports_days = 30"),
        ("epsilon = 2.0", "epsilon = 2.0\ndraft = true"),
    ):
        assert collection(TEA.replace(*change)).fingerprint == base
    for change in (
        ('name = "tea"', 'name = "tea2"'),
        ("epsilon = 2.0", "epsilon = 2.1"),
        ("epsilon = 0.5", "epsilon = 0.4"),
        ('"ayataka"]\n', '"nama-cha"]\n'),
        ('mechanism = "OUE"', 'mechanism = "SUE"'),
        ("prefer_not_to_say = false", "prefer_not_to_say = true"),
        ("epsilon = 2.0", "epsilon = 2.0\nepsilon_cap = 4"),
    ):
        assert collection(TEA.replace(*change)).fingerprint != base, change


def test_spelling_of_numbers_does_not_matter() -> None:
    assert (
        collection(TEA.replace("epsilon = 2.0", "epsilon = 2")).fingerprint
        == collection(TEA.replace("epsilon = 2.0", "epsilon = 2.000")).fingerprint
    )


def test_auto_takes_the_least_expected_error() -> None:
    many = ", ".join(f'"c{i}"' for i in range(60))
    c = collection(TEA.replace('"oi-ocha", "iyemon", "ayataka"', many).split("labels")[0])
    (question, *_) = c.questions
    ranked = [option.mechanism for option in sd.plan(61, 5000, 2.0).options]
    known = type(question).candidates[c.auto]  # what later versions know does not change it
    assert question.mechanism == next(one for one in ranked if one.name in known)


@cases(
    "change, argument",
    [
        (("[collection]", "[collection"), "toml"),
        (("[collection]", "[other]"), "file.other"),
        (('name = "tea"', ""), "collection.name"),
        (('name = "tea"', 'name = "Tea party"'), "collection.name"),
        (('name = "tea"', 'name = "api"'), "collection.name"),
        (("epsilon = 2.0", ""), "collection.epsilon"),
        (("epsilon = 2.0", "epsilon = -1"), "collection.epsilon"),
        (("epsilon = 2.0", "epsilon = nan"), "collection.epsilon"),
        (("epsilon = 2.0", "epsilon = inf"), "collection.epsilon"),
        (("epsilon = 2.0", 'epsilon = "much"'), "collection.epsilon"),
        (("epsilon = 2.0", 'epsilon = "2.0"'), "collection.epsilon"),
        (('mechanism = "OUE"', 'mechanism = ["OUE"]'), "question[1].mechanism"),
        (("2026-12-01", "0001-01-01"), "collection.opens"),
        (("epsilon = 2.0", "epsilon = 10000"), "collection.epsilon"),
        (("epsilon = 2.0", "epsilon = 1e99999999"), "collection.epsilon"),
        (("epsilon = 2.0", "epsilon = 1e-99999999"), "collection.epsilon"),
        (("epsilon = 2.0", "epsilon = " + "9" * 5000), "toml"),
        (('["en", "ja"]', '["en", "en"]'), "collection.languages"),
        (('text = "How often?"', "text = {}"), "question[1].text"),
        (("epsilon = 2.0", "epsilon = true"), "collection.epsilon"),
        (("epsilon = 2.0", "epsilon = 1.0000000000001"), "collection.epsilon"),
        (("epsilon = 2.0", "epsilom = 2.0"), "collection.epsilom"),
        (("epsilon = 2.0", "epsilon = 0.5"), "question.epsilon"),
        (("epsilon = 2.0", "epsilon = 2.0\nepsilon_cap = 1"), "collection.epsilon_cap"),
        (("= 5000", "= 0"), "collection.expected_respondents"),
        (("= 5000", "= 1.5"), "collection.expected_respondents"),
        (("+09:00\ncloses", "\ncloses"), "collection.opens"),
        (("2027-01-31", "2025-01-31"), "collection.closes"),
        (('["en", "ja"]', "[]"), "collection.languages"),
        (('["en", "ja"]', '["english!"]'), "collection.languages[0]"),
        (('type = "choice"\ntext = {', 'type = "chioce"\ntext = {'), "question[0].type"),
        (('id = "brand"', ""), "question[0].id"),
        (('id = "brand"', 'id = "often"'), "question.id"),
        (('text = "How often?"', ""), "question[1].text"),
        (('text = "How often?"', "text = 3"), "question[1].text"),
        (('text = "How often?"', 'text = { fr = "?" }'), "question[1].text.fr"),
        (('["daily", "weekly"]', '["daily"]'), "question[1].choices"),
        (('["daily", "weekly"]', '["daily", "daily"]'), "question[1].choices"),
        (('["daily", "weekly"]', '["daily", 3]'), "question[1].choices[1]"),
        (('["daily", "weekly"]', '["daily", "prefer-not-to-say"]'), "question[1].choices"),
        (('mechanism = "OUE"', 'mechanism = "XYZ"'), "question[1].mechanism"),
        (("prefer_not_to_say = false", "prefer_not_to_say = 0"), "question[1].prefer_not_to_say"),
        (('"伊右衛門", "綾鷹"]', '"伊右衛門"]'), "question[0].labels.ja"),
    ],
)
def test_broken_definitions_name_the_field(change: tuple[str, str], argument: str) -> None:
    text = TEA.replace(*change, 1)
    assert text != TEA
    with pytest.raises(sd.SudareError) as caught:
        collection(text)
    assert caught.value.argument == argument
    assert caught.value.rule


def test_no_questions_no_collection() -> None:
    with pytest.raises(sd.CollectionError, match="question is missing"):
        collection(TEA.split("[[question]]")[0])
    with pytest.raises(sd.CollectionError, match="collection is missing"):
        collection("[[question]]\nid = 'x'")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(sd.CollectionError, match="cannot be read"):
        sd.Collection.load(tmp_path / "none.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(sd.CollectionError, match="not UTF-8"):
        sd.Collection.load(binary)


def edit(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


@cases(
    "path, value",
    [
        (("format",), "sudare-compiled/9"),
        (("fingerprint",), "0" * 64),
        (("definition", "epsilon"), "9.0"),
        (("definition", "questions", 0, "program", "step"), "1"),
        (("definition",), None),
        (("definition", "questions"), []),
        (("definition", "expected_respondents"), "x"),
        (("definition", "more"), "x"),
        (("texts", "languages"), []),
        (("definition", "name"), "\ud800"),
        (("definition", "questions", 0, "mechanism", "epsilon"), "1/0"),
        (("texts",), None),
    ],
)
def test_a_tampered_document_is_refused(path: tuple[Any, ...], value: Any) -> None:
    from sudare.collection.canonical import fingerprint

    document = edit(collection().compiled(), path, value)
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(document)
    if path not in {("fingerprint",), ("definition", "epsilon"), ("definition", "name")}:
        document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.SudareError):
        sd.Collection.from_compiled(document)


def test_a_document_with_a_matching_fingerprint_but_weaker_thresholds_is_refused() -> None:
    from sudare.collection.canonical import fingerprint

    document = collection().compiled()
    weaker = sd.GRR(4, 9.0).program.to_json()
    edit(document, ("definition", "questions", 0, "program"), weaker)
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.CollectionError, match="its own program"):
        sd.Collection.from_compiled(document)


@cases(
    "mechanism, rule",
    [(sd.GRR(4, 20), "at most the question's epsilon"), (sd.GRR(9, 1.5), "k = 4")],
)
def test_a_mechanism_of_another_epsilon_or_size_is_refused(mechanism: sd.GRR, rule: str) -> None:
    from sudare.collection.canonical import fingerprint

    document = collection().compiled()
    question = document["definition"]["questions"][0]
    question["mechanism"] = mechanism.to_json()
    question["program"] = mechanism.program.to_json()
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.CollectionError, match=rule):
        sd.Collection.from_compiled(document)


@cases("path", ["a\0b", 5, None])
def test_paths_are_paths(path: Any) -> None:
    with pytest.raises(sd.SudareError):
        sd.Collection.load(path)


def test_years_are_written_in_full() -> None:
    early = collection(TEA.replace("2026-12-01T00:00:00+09:00", "0901-12-01T00:00:00Z"))
    assert early.compiled()["life"]["opens"] == "0901-12-01T00:00:00Z"
    assert sd.Collection.from_compiled(early.compiled()).opens == early.opens


def test_tallies_come_out_by_question() -> None:
    c = collection()
    wire = bytes([2, 0b10]) * 3 + bytes([0, 0b11])
    brand, often = c.tally(wire)
    assert (brand.support.tolist(), brand.n) == ([1, 0, 3, 0], 4)
    assert (often.support.tolist(), often.n) == ([1, 4], 4)
    with pytest.raises(sd.ReportError):
        c.tally(b"\x04\x00")
    with pytest.raises(sd.ReportError):
        c.tally(b"\x00")


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lunch.toml"
    path.write_text('[collection]\nname = "x"\n', "utf-8")
    with pytest.raises(sd.CollectionError) as caught:
        sd.Collection.load(path)
    assert str(caught.value).startswith("lunch.toml: ")
    assert caught.value.argument.startswith("lunch.toml: ")
    assert str(tmp_path) not in str(caught.value)


def test_errors_name_the_place_in_a_list() -> None:
    two, rows = 'type = "choice"\nchoices = ["a", "b"]\n', 'type = "ratings"\nitems = ["a", "b"]\n'
    for top, question, place in (
        ('languages = ["en", 5]', two, "collection.languages[1]"),
        ("", 'type = "choice"\nchoices = ["a", "B b"]\n', "question[0].choices[1]"),
        ("", two + 'scores = [1, "x"]', "question[0].scores[1]"),
        ("", two + 'labels = { en = ["A", ""] }', "question[0].labels.en[1]"),
        ("", two + "labels = { en = [7, 'B'] }", "question[0].labels.en[0]"),
        ("", rows + 'labels = { en = ["A", " "] }', "question[0].labels.en[1]"),
        ("", two + "[collection.texts.en]\nsubmit = ''", "collection.texts.en.submit"),
    ):
        head = f'[collection]\nname = "t"\nepsilon = 2\n{top}\n'
        with pytest.raises(sd.SudareError) as refused:
            sd.Collection.from_toml(f'{head}[[question]]\nid = "q"\ntext = "x"\n{question}')
        assert str(refused.value).startswith(f"{place} must "), str(refused.value)
