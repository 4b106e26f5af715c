"""The question type ``text``: a written word is a known one or another, then a choice."""

from __future__ import annotations

from fractions import Fraction

import pytest

import sudare as sd
from sudare.collection.questions.text import Text
from tests.cases import cases

SURVEY = """
[collection]
name = "food"
epsilon = 2.0
languages = ["en", "ja"]
[[question]]
id = "food"
type = "text"
text = { en = "What do you like best?", ja = "何が好きですか？" }
known = ["sushi", "ramen"]
labels = { en = ["Sushi", "Ramen"], ja = ["寿司", "ラーメン"] }
"""


def question(text: str = SURVEY) -> Text:
    (found,) = sd.Collection.from_toml(text).questions
    assert isinstance(found, Text)
    return found


@cases(
    "written, choice",
    [
        ("sushi", "sushi"), (" SUSHI\n", "sushi"), ("寿司", "sushi"), ("ﾗｰﾒﾝ", "ramen"),
        ("ｒａｍｅｎ", "ramen"), ("カレー", "other"), ("ramen!", "other"), ("other", "other"),
        ("prefer-not-to-say", "prefer-not-to-say"),
    ])  # fmt: skip
def test_a_word_is_a_known_one_in_any_language_or_another(written: str, choice: str) -> None:
    own = question()
    assert own.choices[own.encode(written)] == choice


@cases("answer", [None, float("nan"), 1, b"sushi", ["sushi"], "", " \u3000"])
def test_what_is_no_word_is_refused_by_its_rule(answer: object) -> None:
    with pytest.raises(sd.CollectionError, match=r"answers\.food must be a word"):
        question().encode(answer)


def test_declining_is_another_word_where_it_is_not_offered() -> None:
    own = question(SURVEY + "prefer_not_to_say = false\n")
    assert own.choices == ("sushi", "ramen", "other")
    assert own.encode("prefer-not-to-say") == 2


def test_it_is_sent_as_a_choice_is_with_the_same_guarantee() -> None:
    """Enumerated: no report tells two written words apart by more than ε."""
    survey = sd.Collection.from_toml(SURVEY)
    own = survey.questions[0]
    laws = own.mechanism.program.laws(range(len(own.choices)))
    ratio = max(max(row) / min(row) for row in zip(*laws, strict=True))
    assert ratio == own.mechanism.program.ratio
    assert own.mechanism.requested_epsilon <= own.epsilon == Fraction(2)
    listed = SURVEY.replace('"text"', '"choice"').replace("known =", "choices =")
    listed = listed.replace('"ramen"]', '"ramen", "other"]').split("labels")[0]
    choice = sd.Collection.from_toml(listed).questions[0]
    assert choice.mechanism == own.mechanism
    for word in ("寿司", "ラーメン", "なべ"):
        index = own.encode(word)
        sent = own.randomise(index, sd.Entropy.seeded(b"word"))
        assert sent == choice.randomise(index, sd.Entropy.seeded(b"word"))


def test_an_unknown_word_is_nowhere_in_what_is_sent() -> None:
    survey = sd.Collection.from_toml(SURVEY)
    answer = sd.Client(survey).answer({"food": "鍋焼きうどん"})
    assert "鍋" not in repr(answer)
    counts, = survey.tally(answer.payload)  # fmt: skip
    assert counts.n == 1


def test_the_definition_and_back() -> None:
    survey = sd.Collection.from_toml(SURVEY)
    assert sd.Collection.from_compiled(survey.compiled()) == survey
    definition = survey.questions[0].definition()
    assert definition["choices"] == ["sushi", "ramen", "other", "prefer-not-to-say"]
    assert "labels" not in definition
    relabelled = sd.Collection.from_toml(SURVEY.replace('"寿司"', '"すし"'))
    assert relabelled.fingerprint == survey.fingerprint


@cases(
    "old, new, rule",
    [
        ('["sushi", "ramen"]', "[]", "list of identifiers, at least 1"),
        ('["sushi", "ramen"]', '["sushi", "sushi"]', "twice"),
        ('["sushi", "ramen"]', '["sushi", "other"]', "must not name other"),
        ('["sushi", "ramen"]', '["sushi", "prefer-not-to-say"]', "must not name other"),
        ('known = ["sushi", "ramen"]', "", "labels is not a field"),
        ('known = ["sushi", "ramen"]', 'choices = ["sushi", "ramen"]', "choices is not a field"),
        ('["寿司", "ラーメン"]', '["寿司"]', "list of 2 labels"),
        ('type = "text"', 'type = "text"\nscores = [1, 2]', "scores is not a field"),
    ],
)
def test_a_malformed_table_is_refused(old: str, new: str, rule: str) -> None:
    with pytest.raises(sd.CollectionError, match=rule):
        question(SURVEY.replace(old, new, 1))


def test_a_definition_without_another_word_is_refused() -> None:
    own = question()
    data = {**own.definition(), "choices": ["sushi", "ramen", "soba", "prefer-not-to-say"]}
    with pytest.raises(sd.CollectionError, match="must be the known words, then other"):
        Text.restore(data, own.texts(), "questions[0]")
