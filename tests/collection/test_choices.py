"""Questions with several answers: read, answered, remembered, tallied, published."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection.canonical import fingerprint
from sudare.collection.questions import Choices
from tests.cases import cases

TEAS = """
[collection]
name = "teas"
epsilon = 3.0
epsilon_cap = 9.0
languages = ["en", "ja"]
[[question]]
id = "teas"
type = "choices"
text = { en = "Which do you drink?", ja = "どれを飲みますか？" }
choices = ["green", "black", "white", "oolong"]
labels = { ja = ["緑茶", "紅茶", "白茶", "烏龍茶"] }
most = 2
[[question]]
id = "daily"
type = "choice"
text = "Every day?"
choices = ["yes", "no"]
"""
PREFER = "prefer-not-to-say"


def collection(text: str = TEAS) -> sd.Collection:
    return sd.Collection.from_toml(text)


def test_it_is_read_and_compiled() -> None:
    c = collection()
    teas = c.questions[0]
    assert isinstance(teas, Choices)
    assert teas.choices == ("green", "black", "white", "oolong", PREFER)
    assert teas.listed == teas.choices[:4]
    assert teas.mechanism == sd.SetUnary(5, 1.5, 2)
    assert (teas.most, c.program.report_bytes) == (2, 2)
    document = json.loads(json.dumps(c.compiled()))
    assert document["definition"]["questions"][0]["most"] == 2
    again = sd.Collection.from_compiled(document)
    assert again.compiled() == c.compiled()
    assert c.epsilon - 1e-5 < c.program.epsilon <= c.epsilon


def test_all_are_allowed_unless_it_says_otherwise() -> None:
    plain = collection(TEAS.replace("most = 2\n", ""))
    assert plain.questions[0].mechanism == sd.SetUnary(5, 1.5, 4)
    strict = collection(TEAS.replace("most = 2\n", "prefer_not_to_say = false\n"))
    assert strict.questions[0].mechanism == sd.SetUnary(4, 1.5, 4)
    named = collection(TEAS.replace("most = 2\n", 'most = 2\nmechanism = "SetUnary"\n'))
    assert named.fingerprint == collection().fingerprint


def test_the_guarantee_covers_every_pair_of_answers() -> None:
    question = collection().questions[0]
    answers = [list(a) for size in range(3) for a in combinations(question.listed, size)] + [
        [PREFER]
    ]
    law = question.mechanism.program.matrix()
    columns = [question.mechanism.program.sets().index(question.encode(a)) for a in answers]
    largest = max(max(row[c] for c in columns) / min(row[c] for c in columns) for row in law)
    assert largest == question.mechanism.program.ratio  # here no slack at all


def test_wording_is_outside_the_fingerprint_and_the_limit_inside() -> None:
    base = collection().fingerprint
    assert collection(TEAS.replace("Which do you drink?", "Which?")).fingerprint == base
    for change in (("most = 2", "most = 3"), ("most = 2", ""), ('"choices"', '"choice"'),
                   ("most = 2", "most = 2\nprefer_not_to_say = false")):  # fmt: skip
        text = TEAS.replace(*change)
        if change[1] == '"choice"':
            text = text.replace("most = 2\n", "")
        assert collection(text).fingerprint != base


@cases(
    "change, argument",
    [
        (("most = 2", "most = 0"), "question[0].most"),
        (("most = 2", "most = 5"), "question[0].most"),
        (("most = 2", "most = 1.5"), "question[0].most"),
        (("most = 2", "most = true"), "question[0].most"),
        (("most = 2", 'most = "2"'), "question[0].most"),
        (("most = 2", "most = nan"), "question[0].most"),
        (("most = 2", 'mechanism = "OUE"'), "question[0].mechanism"),
        (("most = 2", 'mechanism = "NegativeSurvey"'), "question[0].mechanism"),
        (("most = 2", "mechanism = 3"), "question[0].mechanism"),
        (("most = 2", "fewest = 1"), "question[0].fewest"),
        (("most = 2", "scores = [1, 2, 3, 4]"), "question[0].scores"),
        (('"oolong"]', f'"{PREFER}"]'), "question[0].choices"),
        (('["green", "black", "white", "oolong"]', '["green"]'), "question[0].choices"),
        (('["green", "black", "white", "oolong"]', '"green"'), "question[0].choices"),
        (('"白茶", ', ""), "question[0].labels.ja"),
        (('id = "daily"\ntype = "choice"', 'id = "daily"\ntype = "choice"\nmost = 1'),
         "question[1].most"),
    ])  # fmt: skip
def test_broken_definitions_name_the_field(change: tuple[str, str], argument: str) -> None:
    text = TEAS.replace(*change, 1)
    assert text != TEAS
    with pytest.raises(sd.SudareError) as caught:
        collection(text)
    assert caught.value.argument == argument


def test_too_many_choices_for_a_set() -> None:
    many = ", ".join(f'"c{i}"' for i in range(1024))
    text = TEAS.replace('"green", "black", "white", "oolong"', many).replace("labels", "# labels")
    with pytest.raises(sd.DomainError, match="k must be <= 1024"):
        collection(text)


@cases(
    "path, value",
    [
        (("most",), 3),
        (("most",), None),
        (("most",), "2"),
        (("most",), 0),
        (("mechanism", "most"), 1),
        (("mechanism", "most"), "x"),
        (("mechanism", "k"), 6),
        (("mechanism", "name"), "OUE"),
        (("mechanism",), {"name": "GRR", "k": 5, "epsilon": "1.5"}),
        (("mechanism", "epsilon"), "9"),
        (("program", "own"), "ffffffff"),
        (("program", "most"), 5),
        (("program", "kind"), "bits"),
        (("prefer_not_to_say",), False),
        (("choices",), [PREFER, "green", "black", "white", "oolong"]),
        (("choices",), 5),
    ],
)
def test_a_tampered_document_is_refused(path: tuple[str, ...], value: Any) -> None:
    document = collection().compiled()
    inner = document["definition"]["questions"][0]
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.SudareError):
        sd.Collection.from_compiled(document)


# -- answers -------------------------------------------------------------------------------------


def test_the_same_set_in_any_order_is_the_same_answer(tmp_path: Path) -> None:
    for memo in (None, tmp_path / "memo.sqlite3"):
        client = sd.Client(collection(), memo, cap=9)
        first = client.answer({"teas": ["black", "green"], "daily": "yes"})
        for same in (("green", "black"), {"black", "green"}, frozenset({"green", "black"})):
            assert client.answer({"teas": same, "daily": "yes"}) == first
        assert client.spent == 3
        none = client.answer({"teas": [], "daily": "yes"})
        assert none.id != first.id
        assert none.payload[1] == first.payload[1]
        declined = client.answer({"teas": [PREFER], "daily": "yes"})
        assert len({first.id, none.id, declined.id}) == 3
        assert client.spent == 6


def test_sets_of_two_questions_are_not_taken_for_one_another() -> None:
    text = TEAS.split('[[question]]\nid = "daily"')[0]
    second = text.split("[[question]]")[1].replace('id = "teas"', 'id = "more"')
    c = collection(text + "[[question]]" + second)
    client = sd.Client(c, cap=9)
    one = client.answer({"teas": ["green"], "more": ["black", "white"]})
    two = client.answer({"teas": ["green", "black"], "more": ["white"]})
    assert one.id != two.id


@cases(
    "answer",
    [None, "green", "", 0, float("nan"), True, {"green": 1}, ["SECRET"], [0], [None], [["green"]],
     ["green", "green"], ["green", "black", "white"], ["green", PREFER], [PREFER, PREFER],
     [float("nan")], [True], b"green", np.array(["green"])])  # fmt: skip
def test_bad_answers_cost_nothing_and_are_never_shown(answer: Any) -> None:
    client = sd.Client(collection())
    with pytest.raises(sd.CollectionError, match=r"answers\.teas must") as caught:
        client.answer({"teas": answer, "daily": "yes"})
    assert "SECRET" not in str(caught.value)
    assert client.spent == 0


# -- results -------------------------------------------------------------------------------------


def test_results_are_the_mechanisms_estimate() -> None:
    c = collection()
    teas = c.questions[0]
    empty = teas.results(c.tally(b"")[0], "population", 0.95)
    assert [cell["choice"] for cell in empty["cells"]] == list(teas.choices)
    assert empty["cells"][0]["share"] is None
    held = np.array([900, 400, 100, 50, 30])
    counts = teas.mechanism.simulate(held, 1000, rng=sd.Entropy.seeded(b"teas"))
    cells = teas.results(counts, "respondents", 0.9)["cells"]
    estimate = teas.mechanism.estimate(counts, target="respondents")
    low, high = estimate.interval(0.9)
    assert [cell["share"] for cell in cells] == estimate.shares.tolist()
    assert [cell["low"] for cell in cells] == low.tolist()
    assert [cell["high"] for cell in cells] == high.tolist()
    assert (np.abs(estimate.shares - held / 1000) < 6 * estimate.stderr).all()


def test_devices_to_shares() -> None:
    """Three thousand devices, one seeded stream; shares within six standard errors."""
    c = collection(TEAS.replace("epsilon = 3.0", "epsilon = 8.0").replace("9.0", "8.0"))
    entropy = sd.Entropy.seeded(b"devices")
    groups = [["green"], ["green", "black"], [], [PREFER], ["white", "oolong"]]
    payload = b"".join(
        sd.Client(c, entropy=entropy).answer({"teas": groups[i % 5], "daily": "no"}).payload
        for i in range(3000)
    )
    counts, _ = c.tally(payload)
    estimate = c.questions[0].mechanism.estimate(counts, target="respondents")
    truth = np.array([0.4, 0.2, 0.2, 0.2, 0.2])
    assert (np.abs(estimate.shares - truth) < 6 * estimate.stderr).all()
    assert estimate.stderr.max() < 0.05
