"""A text question without known words: its fields, what is sent, what is found, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Collection, checking
from sudare.collection.questions import Words
from sudare.collection.questions.words import FEW, visible
from sudare.collector.figures import figures
from sudare.estimation import Counts
from sudare.mechanisms.text.counts_with_reports import CountsWithReports
from tests.cases import cases

SURVEY = """
[collection]
name = "dishes"
epsilon = 5.0
accept_high_epsilon = true
expected_respondents = 2000
[[question]]
id = "dish"
type = "text"
text = "What did you eat last?"
longest = 3
"""


def survey(lines: str = 'alphabet = "kana"') -> Collection:
    return Collection.from_toml(SURVEY + lines)


def asked(lines: str = 'alphabet = "kana"') -> Words:
    (question,) = survey(lines).questions
    assert isinstance(question, Words)
    return question


def heard(question: Words, words: list[str], label: bytes) -> CountsWithReports:
    rows = np.array([question.encode(word) for word in words], dtype=np.uint8)
    program = question.mechanism.program
    return question.mechanism.aggregate(program.draw(rows, sd.Entropy.seeded(label)))


def test_its_definition_comes_back() -> None:
    for lines in ('alphabet = "kana"', "fold = false\nprefer_not_to_say = false", 'alphabet="ab"'):
        own = survey(lines)
        assert Collection.from_compiled(own.compiled()) == own
        assert own.questions[0].type == "words"
    words = SURVEY.replace('type = "text"', 'type = "words"')
    assert Collection.from_toml(words) == survey("")
    assert {survey(one).fingerprint for one in ("", "fold = false", 'alphabet = "kana"')} - {
        survey("").fingerprint
    }


def test_words_are_alike_as_people_write_them() -> None:
    kana = asked()
    assert kana.encode(" ｽｼ\u3000") == kana.encode("すし") == kana.encode("スシ")
    own, exact = asked("longest=6".replace("longest=6", "")), asked("fold = false")
    assert own.encode("ＴＥＡ") == own.encode("tea") == list(b"tea")
    assert exact.encode("TEA") != exact.encode("tea")
    assert own.encode("prefer-not-to-say") == [0, 0, 0]


@cases("word", ["", " \u3000", "すしやさん", "寿司", None, 3, "tea", ["すし"]])
def test_what_cannot_be_sent_is_refused_and_never_shown(word: object) -> None:
    with pytest.raises(sd.CollectionError) as refused:
        sd.Client(survey()).answer({"dish": word})
    assert "answers.dish" in str(refused.value)
    assert not isinstance(word, str) or not word.strip() or word not in str(refused.value)
    with pytest.raises(sd.CollectionError):
        asked('alphabet="あい"\nprefer_not_to_say = false').encode("prefer-not-to-say")


@cases(
    "lines, told",
    [
        ("longest = 65", "longest"),
        ("longest = 0", "longest"),
        ('longest = "3"', "longest"),
        ('alphabet = "aa"', "alphabet"),
        ('alphabet = "AB"', "alphabet must have characters as they are once written alike"),
        ('alphabet = "ｱ"', "alphabet must have characters"),
        ("alphabet = 3", "alphabet"),
        ("fold = 1", "fold"),
        ("labels = {}", "labels is not a field"),
        ('mechanism = "GRR"', "mechanism is not a field"),
        ('ask_if = { question = "dish", is = ["a"] }', "ask_if is not a field"),
        ("longest = 64\nepsilon = 0.01", "longest must let a word be found"),
    ],
)
def test_fields_that_are_no_question_are_refused(lines: str, told: str) -> None:
    base = SURVEY.replace("longest = 3\n", "") if "longest" in lines else SURVEY
    with pytest.raises(sd.SudareError, match=r"question\[0\]") as refused:
        Collection.from_toml(base + lines)
    assert told in str(refused.value)


def test_without_longest_both_ways_are_named() -> None:
    with pytest.raises(sd.CollectionError, match=r"longest is missing.*without known"):
        Collection.from_toml(SURVEY.replace("longest = 3\n", ""))


def test_a_definition_of_another_program_is_refused() -> None:
    document = survey().compiled()
    (question,) = document["definition"]["questions"]
    for change in (
        {"program": {**question["program"], "k": 87}},
        {"mechanism": {**question["mechanism"], "epsilon": "6.0"}},
        {"mechanism": {**question["mechanism"], "lengths": [3]}},
        {"fold": "yes"},
    ):
        with pytest.raises(sd.CollectionError):
            Collection.from_compiled(
                {
                    **document,
                    "definition": {**document["definition"], "questions": [question | change]},
                }
            )


def test_what_many_wrote_is_published_and_what_few_did_is_not() -> None:
    """Of twelve seeded collections of 600, none shows what ten people wrote, and all the rest."""
    question = asked()
    for run in range(6):
        words = ["すし"] * 400 + ["そば"] * 190 + ["ひみつ"[:3]] * FEW
        counts = heard(question, words, b"few %d" % run)
        told = question.results(counts, "population", 0.95)
        assert [one["word"] for one in told["words"]] == ["すし", "そば"]
        assert all(one["low"] < one["share"] < one["high"] for one in told["words"])
        assert 0 < told["threshold"] < 190 / 600


def test_few_or_no_reports_tell_nothing() -> None:
    question = asked()
    for words in ([], ["すし"], ["すし"] * 5):
        told = question.results(heard(question, [*words], b"n") if words else question.tally(
            question.mechanism.program.decode(b"")), "population", 0.95)  # fmt: skip
        assert told["words"] == []
    bare = Counts([500, 500], 1000, question.mechanism.to_json())
    assert question.results(bare, "population", 0.95)["words"] == []


def test_declining_is_never_published() -> None:
    question = asked()
    counts = heard(question, ["prefer-not-to-say"] * 500 + ["すし"] * 200, b"none")
    assert [one["word"] for one in question.results(counts, "population", 0.95)["words"]] == [
        "すし"
    ]


def test_sums_hold_the_reports_of_both() -> None:
    question = asked()
    one, two = heard(question, ["すし"] * 30, b"1"), heard(question, ["そば"] * 20, b"2")
    both = one + two
    assert (both.n, len(both.reports)) == (50, 50)
    assert question.mechanism.find(both).n == 50
    assert (question.tally(question.mechanism.program.decode(b"")) + one).n == 30
    with pytest.raises(sd.EstimationError):
        one + Counts(two.support, 20, two.mechanism)
    with pytest.raises(sd.EstimationError, match="find"):
        question.mechanism.estimate(one)


def test_it_is_planned_and_advised() -> None:
    (plan,) = sd.planning.plan_collection(survey()).questions
    assert 0 < plan.found_from[0.5] < plan.found_from[0.9] < plan.found_from[0.99] < 1
    assert plan.to_json()["found_from"]["0.9"] == plan.found_from[0.9]
    few = Collection.from_toml(SURVEY.replace("= 2000", "= 50"))
    assert "no-word-found" in [one.code for one in checking.advice(few)]
    assert "no-word-found" not in [one.code for one in checking.advice(survey())]
    assert sd.planning.plan_collection(few).to_json()["questions"][0]["found_from"]["0.9"] is None


def test_it_cannot_be_crossed() -> None:
    more = SURVEY + '[[question]]\nid="tea"\ntype="choice"\ntext="?"\nchoices=["a","b"]\n'
    with pytest.raises(sd.DomainError, match="of tea"):
        Collection.from_toml(more).cross(["dish", "tea"], b"")


def test_words_of_anybody_are_shown_without_harm() -> None:
    assert visible("a\u202eb\x1b[1m\u200b") == "a⟨U+202E⟩b⟨U+001B⟩[1m⟨U+200B⟩"
    one = {"low": 0.1, "high": 0.2, "share": 0.15}
    told = {"words": [{"word": "=1+1", **one}, {"word": "\u202eab", **one}]}
    assert [names for names, _ in figures(told)] == [("“=1+1”",), ("“⟨U+202E⟩ab”",)]
