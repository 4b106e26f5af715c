"""Crosstabs: read, answered, remembered, tallied, published."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Crosstab
from sudare.collection.canonical import fingerprint
from sudare.planning.survey import plan_collection
from tests.cases import cases

BATH = """
[collection]
name = "bath"
epsilon = 4.0
epsilon_cap = 12.0
accept_high_epsilon = true
languages = ["en", "ja"]
[[question]]
id = "habit"
type = "crosstab"
text = { en = "You and your bath", ja = "あなたとお風呂" }
[[question.attributes]]
id = "age"
text = { en = "Your age", ja = "あなたの年齢" }
choices = ["young", "middle", "old"]
labels = { ja = ["若い", "中年", "高齢"] }
[[question.attributes]]
id = "often"
text = "How often?"
choices = ["daily", "rarely"]
prefer_not_to_say = false
epsilon = 2.5
"""
PREFER = "prefer-not-to-say"


def collection(text: str = BATH) -> sd.Collection:
    return sd.Collection.from_toml(text)


def habit(text: str = BATH) -> Crosstab:
    question = collection(text).questions[0]
    assert isinstance(question, Crosstab)
    return question


def test_it_is_read_and_compiled() -> None:
    c = collection()
    question = habit()
    assert question.mechanism == sd.JointRR([4, 2], epsilon=[1.5, 2.5])
    assert [one.choices for one in question.attributes] == [
        ("young", "middle", "old", PREFER),
        ("daily", "rarely"),
    ]
    assert c.program.report_bytes == 2
    document = json.loads(json.dumps(c.compiled()))
    told = document["definition"]["questions"][0]
    assert [one["epsilon"] for one in told["attributes"]] == ["1.5", "2.5"]
    assert (told["epsilon"], told["program"]["kind"]) == ("4.0", "product")
    words = document["texts"]["questions"]["habit"]["attributes"]
    assert words["age"]["labels"]["old"] == {"ja": "高齢"}
    again = sd.Collection.from_compiled(document)
    assert again == c
    assert again.compiled() == c.compiled()


def test_the_guarantee_is_the_sum_of_the_attributes() -> None:
    question = habit()
    assert 4 - 1e-5 < sum(question.mechanism.attribute_epsilons) <= question.epsilon
    law = question.mechanism.program.matrix()
    ratio = max(max(row) / min(row) for row in law)
    assert ratio == question.mechanism.program.ratio
    assert question.mechanism.epsilon < math.log(ratio) * (1 + 1e-12) <= 4 + 1e-12


def test_how_the_epsilon_is_shared() -> None:
    even = habit(BATH.replace("epsilon = 2.5\n", ""))
    assert [float(one.epsilon) for one in even.attributes] == [2.0, 2.0]
    own = BATH.replace('choices = ["young"', 'epsilon = 1.0\nchoices = ["young"')
    assert [float(one.epsilon) for one in habit(own).attributes] == [1.0, 2.5]
    assert habit(own).epsilon == 3.5  # what the answer really spends
    more = '[[question.attributes]]\nid = "x"\ntext = "x"\nchoices = ["a", "b"]\n'
    third = habit(BATH.replace("epsilon = 2.5", "").replace("= 4.0", "= 1.0", 1) + more)
    shares = [one.epsilon for one in third.attributes]
    assert [str(float(one)) for one in shares] == ["0.333333333333"] * 3
    assert sum(shares) <= third.epsilon == 1


SECOND = '[[question]]\nid = "tea"\ntype = "choice"\ntext = "Tea?"\nchoices = ["yes", "no"]\n'


def own(first: str, second: str) -> str:
    """The crosstab with an ε for each attribute, and a question without."""
    text = BATH.replace('choices = ["young"', f'epsilon = {first}\nchoices = ["young"')
    return text.replace("epsilon = 2.5", f"epsilon = {second}") + SECOND


@cases(
    "first, second, expected",
    [("1.0", "2.0", [3, 1]), ("1.0", "1.0", [2, 2]), ("0.25", "0.75", [1, 3])],
)
def test_attributes_with_their_own_epsilon_leave_the_rest_to_other_questions(
    first: str, second: str, expected: list[int]
) -> None:
    shared = collection(own(first, second))
    assert [question.epsilon for question in shared.questions] == expected
    assert sum(expected) == shared.epsilon


def test_a_question_may_repeat_the_sum_of_its_attributes() -> None:
    text = own("1.0", "2.0").replace('type = "crosstab"', 'type = "crosstab"\nepsilon = SUM')
    assert collection(text.replace("SUM", "3.0")) == collection(own("1.0", "2.0"))
    for other in ("2.9", "3.1"):
        with pytest.raises(sd.CollectionError) as caught:
            collection(text.replace("SUM", other))
        assert caught.value.argument == "question[0].epsilon"
        for part in ("attributes", "= 3.0", f"got '{other}'"):
            assert part in str(caught.value)


def test_errors_of_shares_name_what_was_written() -> None:
    for first, second in (("2.0", "2.0"), ("2.0", "1.9999"), ("2.0", "3.0")):
        with pytest.raises(sd.CollectionError, match=r"collection\.epsilon = 4\.0") as caught:
            collection(own(first, second))
        assert caught.value.argument == "question.epsilon"
    with pytest.raises(sd.CollectionError, match=r"share of collection\.epsilon = 2\.0") as caught:
        collection(BATH.replace("epsilon = 2.5", "epsilon = 2.0") + SECOND)
    assert caught.value.argument == "question[0].attributes.epsilon"
    text = BATH.replace('type = "crosstab"', 'type = "crosstab"\nepsilon = 3.0')
    with pytest.raises(sd.CollectionError, match=r"question\[0\].epsilon = 3.0 at least 0.001"):
        collection(text.replace("epsilon = 2.5", "epsilon = 2.9999"))


def test_wording_is_outside_the_fingerprint() -> None:
    base = collection().fingerprint
    assert collection(BATH.replace("You and your bath", "Bath")).fingerprint == base
    assert collection(BATH.replace("How often?", "Often?")).fingerprint == base
    for change in (
        ("epsilon = 2.5", "epsilon = 2.4"),
        ('"rarely"]', '"never"]'),
        ('id = "often"', 'id = "how"'),
        ("prefer_not_to_say = false", ""),
    ):
        assert collection(BATH.replace(*change)).fingerprint != base


AGE = '["young", "middle", "old"]'


@cases(
    "change, argument",
    [
        (('id = "often"', 'id = "age"'), "question.habit.attributes"),
        (('id = "often"', 'id = "A B"'), "question[0].attributes[1].id"),
        (('id = "often"\n', ""), "question[0].attributes[1].id"),
        ((AGE, '["young"]'), "question[0].attributes[0].choices"),
        ((AGE, f'["young", "{PREFER}"]'), "question[0].attributes[0].choices"),
        (("epsilon = 2.5", "epsilon = 4.0"), "question[0].attributes.epsilon"),
        (("epsilon = 2.5", "epsilon = 5.0"), "question[0].attributes.epsilon"),
        (("epsilon = 2.5", "epsilon = nan"), "question[0].attributes[1].epsilon"),
        (("epsilon = 2.5", 'epsilon = "x"'), "question[0].attributes[1].epsilon"),
        (("epsilon = 2.5", "epsilon = -1"), "question[0].attributes[1].epsilon"),
        (("epsilon = 2.5", 'mechanism = "OUE"'), "question[0].attributes[1].mechanism"),
        (("prefer_not_to_say = false", "prefer_not_to_say = 0"),
         "question[0].attributes[1].prefer_not_to_say"),
        (('"中年", ', ""), "question[0].attributes[0].labels.ja"),
        (('type = "crosstab"', 'type = "crosstab"\nchoices = ["a", "b"]'), "question[0].choices"),
        (('text = "How often?"\n', ""), "question[0].attributes[1].text"),
    ])  # fmt: skip
def test_broken_definitions_name_the_field(change: tuple[str, str], argument: str) -> None:
    text = BATH.replace(*change)
    assert text != BATH
    with pytest.raises(sd.SudareError) as caught:
        collection(text)
    assert caught.value.argument == argument


@cases("attributes", ["", "attributes = 3", "attributes = []",
                                        "attributes = [1, 2]", 'attributes = "ab"',
                                        "attributes = {a = 1}"])  # fmt: skip
def test_attributes_must_be_tables(attributes: str) -> None:
    head = BATH.split("[[question.attributes]]")[0]
    with pytest.raises(sd.CollectionError) as caught:
        collection(head + attributes)
    assert caught.value.argument == "question[0].attributes"


def many(*sizes: int) -> str:
    head = BATH.split("[[question.attributes]]")[0].replace("4.0", "12.0")
    for i, size in enumerate(sizes):
        choices = ", ".join(f'"c{c}"' for c in range(size))
        head += f'[[question.attributes]]\nid = "a{i}"\ntext = "x"\nchoices = [{choices}]\n'
        head += "prefer_not_to_say = false\n"
    return head


@cases("sizes", [(101, 100), (2,) * 14, (5,), (22, 22, 22)])
def test_a_table_that_no_page_can_show_is_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(sd.CollectionError) as caught:
        collection(many(*sizes))
    assert caught.value.argument == "question[0].attributes"
    assert caught.value.remedy


def test_the_largest_tables() -> None:
    for sizes in ((100, 100), (2,) * 13):
        assert habit(many(*sizes)).mechanism.sizes == sizes


@cases(
    "path, value",
    [
        (("attributes",), None),
        (("attributes",), []),
        (("attributes",), {"age": 1}),
        (("attributes", 0), None),
        (("attributes", 0, "id"), "often"),
        (("attributes", 0, "id"), "NOT A SLUG"),
        (("attributes", 0, "id"), ["x"]),
        (("attributes", 0, "epsilon"), "1.6"),
        (("attributes", 0, "epsilon"), 1.5),
        (("attributes", 0, "choices"), ["young", "old"]),
        (("attributes", 0, "choices"), 4),
        (("attributes", 0, "prefer_not_to_say"), False),
        (("attributes", 1, "prefer_not_to_say"), True),
        (("epsilon",), "3.9"),
        (("mechanism", "name"), "GRR"),
        (("mechanism", "attributes", 0, "epsilon"), "9.0"),
        (("program", "kind"), "keep"),
        (("program", "parts", 0, "keep"), "ffffffff"),
        (("id",), 3),
    ],
)
def test_a_tampered_document_is_refused(path: tuple[Any, ...], value: Any) -> None:
    document = json.loads(json.dumps(collection().compiled()))
    inner = document["definition"]["questions"][0]
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.SudareError):
        sd.Collection.from_compiled(document)


@cases("words", [3, {"attributes": 3}, {"attributes": {"age": 3}}, None])
def test_tampered_wordings_are_refused(words: Any) -> None:
    document = json.loads(json.dumps(collection().compiled()))
    document["texts"]["questions"]["habit"] = words
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(document)


# -- answers -------------------------------------------------------------------------------------


def test_the_same_answer_is_the_same_report(tmp_path: Path) -> None:
    for memo in (None, tmp_path / "memo.sqlite3"):
        client = sd.Client(collection(), memo, cap=12)
        first = client.answer({"habit": {"age": "old", "often": "daily"}})
        assert client.answer({"habit": {"often": "daily", "age": "old"}}) == first
        assert client.spent == 4
        other = client.answer({"habit": {"age": PREFER, "often": "daily"}})
        assert other.id != first.id
        assert client.spent == 8  # both attributes are drawn anew


@cases(
    "answer",
    [None, "old", 0, True, float("nan"), [], ["old", "daily"], {}, {"age": "old"},
     {"age": "old", "often": "daily", "more": "x"}, {"age": "SECRET", "often": "daily"},
     {"age": 2, "often": 0}, {"age": ["old"], "often": "daily"}, {"age": None, "often": "daily"},
     {"age": "old", "often": PREFER}, {0: "old", 1: "daily"}, np.array([2, 0])])  # fmt: skip
def test_bad_answers_cost_nothing_and_are_never_shown(answer: Any) -> None:
    client = sd.Client(collection())
    with pytest.raises(sd.CollectionError, match=r"answers\.habit(\.age|\.often)? must") as caught:
        client.answer({"habit": answer})
    assert "SECRET" not in str(caught.value)
    assert client.spent == 0


# -- counts and results --------------------------------------------------------------------------


def test_a_tally_counts_the_cells_beside_other_questions() -> None:
    more = '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    c = collection(BATH.replace("epsilon = 4.0", "epsilon = 4.0", 1).replace(
        'type = "crosstab"', 'type = "crosstab"\nepsilon = 3.0') + more)  # fmt: skip
    table, choice = c.tally(bytes([2, 1, 0, 3, 0, 1, 2, 1, 1]))
    assert table.support.tolist() == [[0, 0], [0, 0], [0, 2], [1, 0]]
    assert choice.support.tolist() == [1, 2, 0]
    assert c.tally(b"")[0].n == 0
    for wire in (bytes([4, 1, 0]), bytes([2, 2, 0]), bytes([2, 1])):
        with pytest.raises(sd.ReportError):
            c.tally(wire)


@cases("target", ["population", "respondents"])
def test_results_are_those_of_the_mechanism(target: Any) -> None:
    question = habit()
    j = question.mechanism
    counts = j.simulate([[500, 90], [400, 300], [80, 700], [20, 10]], rng=sd.Entropy.seeded(b"r"))
    told = question.results(counts, target, 0.9)
    json.dumps(told, allow_nan=False)
    estimate = j.estimate(counts, target=target)
    low, high = estimate.interval(0.9)
    assert [cell["choices"] for cell in told["cells"]][:3] == [
        ("young", "daily"), ("young", "rarely"), ("middle", "daily"),
    ]  # fmt: skip
    for name, expected in (("share", estimate.shares), ("stderr", estimate.stderr),
                           ("low", low), ("high", high)):  # fmt: skip
        assert [cell[name] for cell in told["cells"]] == expected.ravel().tolist()
    assert told["pairs"][0]["cells"] == told["cells"]
    for axis, part in enumerate(told["attributes"]):
        margin = estimate.shares.sum(axis=1 - axis)
        assert [cell["share"] for cell in part["cells"]] == pytest.approx(margin.tolist())
        assert part["epsilon"] == pytest.approx([1.5, 2.5][axis], abs=1e-5)
    v = j.dependence(counts, (0, 1), target)
    strength = told["pairs"][0]["dependence"]
    assert (strength["value"], strength["low"], strength["high"]) == (v.value, *v.interval(0.9))
    assert strength["left_out"] == [[PREFER], []]


def test_three_attributes_have_three_pairs() -> None:
    question = habit(many(2, 3, 4))
    j = question.mechanism
    counts = j.simulate(np.full((2, 3, 4), 200), rng=sd.Entropy.seeded(b"three"))
    told = question.results(counts, "population", 0.95)
    assert [pair["attributes"] for pair in told["pairs"]] == [
        ["a0", "a1"], ["a0", "a2"], ["a1", "a2"],
    ]  # fmt: skip
    assert [len(pair["cells"]) for pair in told["pairs"]] == [6, 8, 12]
    assert len(told["cells"]) == 24
    joint = np.reshape([cell["share"] for cell in told["cells"]], (2, 3, 4))
    pair = [cell["share"] for cell in told["pairs"][1]["cells"]]
    assert pair == pytest.approx(joint.sum(axis=1).ravel().tolist())


@cases("n", [0, 1, 2])
def test_hardly_any_reports(n: int) -> None:
    question = habit()
    counts = question.tally([np.array([0] * n, dtype=np.uint8)] * 2)
    told = question.results(counts, "population", 0.95)
    json.dumps(told, allow_nan=False)
    assert told["pairs"][0]["dependence"]["value"] is None
    assert (told["cells"][0]["share"] is None) == (n == 0)
    codes = [warning["code"] for warning in told["warnings"]]
    assert codes == (["few-reports"] if n else [])


def test_every_cell_of_few_reports_is_named_by_its_place() -> None:
    question = habit(many(60, 40))
    true = np.zeros((60, 40), dtype=np.int64)
    true[7, 9] = 3000
    counts = question.mechanism.simulate(true, rng=sd.Entropy.seeded(b"few"))
    told = question.results(counts, "population", 0.95)
    few = np.flatnonzero(counts.support.ravel() < 30).tolist()
    assert len(few) > 2000
    for part in (told, told["pairs"][0]):
        (warning,) = part["warnings"]
        assert warning == {"code": "few-reports", "cells": few}
    assert len(json.dumps(told["warnings"])) < 10 * len(few)  # not the names of the choices


def test_a_plan_shows_it() -> None:
    (plan,) = plan_collection(collection(), 1000)
    assert plan.mechanism == "JointRR"
    assert plan.stderr == pytest.approx(math.sqrt(habit().mechanism.expected_mse(1000)))
    assert plan.report_bytes == 2


def test_a_crosstab_is_of_two_attributes_and_their_own_mechanism() -> None:
    one, two = habit().attributes
    good = {"id": "x", "attributes": (one, two), "epsilon": habit().epsilon}
    assert Crosstab(**good, mechanism=habit().mechanism).attributes == (one, two)
    weaker = sd.JointRR([4, 2], epsilon=[3.0, 2.5])
    for change, mechanism in (
        ({}, weaker),
        ({}, sd.JointRR.of([two.mechanism, one.mechanism])),
        ({"attributes": (one,)}, sd.JointRR.of([one.mechanism])),
        ({"attributes": (one, one)}, sd.JointRR.of([one.mechanism] * 2)),
    ):
        with pytest.raises(sd.CollectionError):
            Crosstab(**{**good, **change}, mechanism=mechanism)


def test_cells_of_few_reports_are_named() -> None:
    question = habit()
    counts = sd.Counts([[29, 30], [300, 29], [40, 400], [30, 31]], 889)
    told = question.results(counts, "population", 0.95)
    few = [{"code": "few-reports", "cells": [0, 3]}]
    assert told["warnings"] == told["pairs"][0]["warnings"] == few
