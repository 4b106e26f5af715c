"""Questions that not everybody is asked: what is refused, what is sent, what is published."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from in_node import ask
from test_strict import sealed

import sudare as sd
from sudare.collection.checking import advice
from sudare.collector.results import question_json
from sudare.estimation.conditional import ConditionalShare, among_asked
from sudare.exact import Entropy
from sudare.planning import plan_collection
from tests.cases import cases

SMOKING = """
[collection]
name = "smoking"
epsilon = 4.0
closes = 2030-01-01T00:00:00Z
auto = 3
[[question]]
id = "smokes"
type = "choice"
text = "?"
choices = ["yes", "no"]
mechanism = "GRR"
[[question]]
id = "tried"
type = "choice"
text = "?"
choices = ["never", "once", "often"]
prefer_not_to_say = false
mechanism = "GRR"
ask_if = { question = "smokes", is = ["yes"] }
"""
MORE = """
[[question]]
id = "more"
type = "choice"
text = "?"
choices = ["a", "b"]
ask_if = { question = "tried", is = ["once"] }
"""


def smoking(old: str = "", new: str = "") -> sd.Collection:
    assert old in SMOKING
    return sd.Collection.from_toml(SMOKING.replace(old, new, 1))


@cases(
    "old, new, field",
    [
        ('question = "smokes"', 'question = "tried"', "tried.ask_if.question"),
        ('question = "smokes"', 'question = "later"', "tried.ask_if.question"),
        ('is = ["yes"]', 'is = ["maybe"]', "tried.ask_if.is"),
        ('is = ["yes"]', 'is = ["yes", "no", "prefer-not-to-say"]', "tried.ask_if.is"),
        ('is = ["yes"]', "is = []", r"question\[1\].ask_if.is"),
        ('is = ["yes"]', 'is = ["yes", "yes"]', r"question\[1\].ask_if.is"),
        ('is = ["yes"]', 'is = "yes"', r"question\[1\].ask_if.is"),
        (', is = ["yes"]', "", r"question\[1\].ask_if.is is missing"),
        (', is = ["yes"]', ', is = ["yes"], not = ["no"]', r"question\[1\].ask_if.not"),
        ('ask_if = { question = "smokes", is = ["yes"] }', "ask_if = 3", r"question\[1\].ask_if"),
    ],
)
def test_what_is_refused(old: str, new: str, field: str) -> None:
    with pytest.raises(sd.CollectionError, match=field):
        smoking(old, new)


def test_the_browser_refuses_what_python_refuses() -> None:
    good = smoking().compiled()
    documents = [good]
    for rule in (
        {"question": "smokes", "is": ["maybe"]},
        {"question": "smokes", "is": ["yes", "no", "prefer-not-to-say"]},
        {"question": "smokes", "is": []},
        {"question": "tried", "is": ["once"]},
        {"question": "smokes", "is": ["yes"], "not": ["no"]},
        {"question": "smokes"},
        None,
    ):
        document = copy.deepcopy(good)
        document["definition"]["questions"][1]["ask_if"] = rule
        documents.append(sealed(document))
    for document in documents[1:]:
        with pytest.raises(sd.CollectionError):
            sd.Collection.from_compiled(document)
    assert [one["accepted"] for one in ask("judge.js", documents)] == [
        True,
        *[False] * (len(documents) - 1),
    ]


def test_of_whom_it_is_asked_is_in_the_fingerprint() -> None:
    asked, everybody = smoking(), smoking('ask_if = { question = "smokes", is = ["yes"] }')
    assert (
        asked.fingerprint != everybody.fingerprint != smoking('["yes"] }', '["no"] }').fingerprint
    )
    assert "ask_if" not in str(everybody.definition())
    assert sd.Collection.from_compiled(asked.compiled()) == asked
    marks = asked.question_fingerprints, everybody.question_fingerprints
    assert marks[0]["smokes"] == marks[1]["smokes"]
    assert marks[0]["tried"] != marks[1]["tried"]


def test_what_is_to_be_answered() -> None:
    client = sd.Client(smoking())
    for answers in (
        {"smokes": "yes"},
        {"smokes": "no", "tried": "once"},
        {"tried": "once"},
        {"smokes": "no", "tried": None},
        {},
    ):
        with pytest.raises(sd.CollectionError, match=r"that is asked once: smokes, tried") as error:
            client.answer(answers)
        assert "is not asked" not in str(error.value)
    assert client.spent == 0
    first = client.answer({"smokes": "no"})
    assert client.answer({"smokes": "no"}) == first
    assert client.spent == 4


def test_what_is_sent_where_it_is_not_asked_depends_on_nothing() -> None:
    """Exactly the mean of the laws of all answers, and so within their bounds."""
    question = smoking().questions[1]
    program = question.mechanism.program
    laws = program.laws(list(program.every()))
    mean = [sum(column, Fraction(0)) / len(laws) for column in zip(*laws, strict=True)]
    assert mean == [Fraction(1, 3)] * 3
    ratio = max(m / law[r] for law in laws for r, m in enumerate(mean))
    assert ratio <= program.ratio
    drawn = {question.unasked(Entropy.seeded(b"%d" % i)) for i in range(60)}
    assert drawn == {0, 1, 2}


@cases("target", ["population", "respondents"])
def test_the_standard_error_is_that_of_one_person_summed_over_all_reports(target: Any) -> None:
    """Of ``(g - u - q f) / a``, whatever one is and sends, at the true shares; f, g: inversions."""
    first, second, n = sd.GRR(2, 1.0), sd.GRR(3, 0.7), 10**9
    a, p, u = 0.3, np.array([0.5, 0.3, 0.2]), 1 / 3
    laws = [
        np.array([[float(x) for x in law] for law in m.program.laws(list(m.program.every()))])
        for m in (first, second)
    ]
    inverses = [np.linalg.inv(law) for law in laws]  # [report, answer]
    means, squares = np.zeros((4, 3)), np.zeros((4, 3))
    weights = np.array([*(a * p), 1 - a])  # three kinds of people who are asked, and the others
    for kind, (r, s) in product(range(4), product(range(2), range(3))):
        sent = laws[1][kind] if kind < 3 else laws[1].mean(axis=0)
        chance = laws[0][int(kind == 3)][r] * sent[s]
        value = (inverses[1][s] - u - (p - u) * inverses[0][r][0]) / a
        means[kind] += chance * value
        squares[kind] += chance * value**2
    within = weights @ (squares - means**2)
    between = weights @ means**2 - (weights @ means) ** 2
    assert weights @ means == pytest.approx(np.zeros(3), abs=1e-9)
    shares = np.array([a, 1 - a]) @ laws[0], (a * p + (1 - a) * u) @ laws[1]
    estimates = []
    for mechanism, one in zip((first, second), shares, strict=True):
        support = np.round(n * one).astype(int)
        support[-1] += n - support.sum()
        estimates.append(mechanism.estimate(sd.Counts(support, n), target=target))
    found = among_asked(estimates[1], ConditionalShare.of(estimates[0], [0]))
    assert found.shares == pytest.approx(p, abs=1e-6)
    wanted = within + between if target == "population" else within
    assert found.stderr == pytest.approx(np.sqrt(wanted / n), rel=1e-6)


@cases("target", ["population", "respondents"])
def test_intervals_hold_the_truth(target: str) -> None:
    """Of 600 intervals about 570 hold it; fewer than 545 or more than 592 in 1e-4 of all runs."""
    smokes, tried = sd.GRR(2, 1.5), sd.GRR(3, 1.5)
    rng, draws = Entropy.seeded(target.encode()), np.random.default_rng(7)
    n, a, p = 3000, 0.25, np.array([0.6, 0.3, 0.1])
    held, errors, wanted = 0, [], []
    for _ in range(200):
        asked = draws.binomial(n, a) if target == "population" else round(n * a)
        own = draws.multinomial(asked, p) if target == "population" else (asked * p).astype(int)
        others = draws.multinomial(n - own.sum(), np.full(3, 1 / 3))
        filtered = smokes.estimate(
            smokes.simulate([own.sum(), n - own.sum()], rng=rng), target=target
        )
        found = among_asked(
            tried.estimate(tried.simulate(own + others, rng=rng), target=target),
            ConditionalShare.of(filtered, [0]),
        )
        low, high = found.interval(0.95)
        held += int(((low <= p) & (p <= high)).sum())
        errors.append(found.shares - p)
        wanted.append(found.stderr)
    assert 545 <= held <= 592
    spread = np.std(errors, axis=0) / np.mean(wanted, axis=0)
    assert np.all((spread > 0.8) & (spread < 1.25))


def test_with_all_asked_it_is_the_estimate_itself() -> None:
    mechanism = sd.GRR(3, 2.0)
    estimate = mechanism.estimate(sd.Counts([500, 300, 200], 1000))
    sure = sd.GRR(2, 20.0)
    found = among_asked(
        estimate, ConditionalShare.of(sure.estimate(sd.Counts([1000, 0], 1000)), [0])
    )
    assert found.shares == pytest.approx(estimate.shares, abs=1e-6)
    assert found.stderr == pytest.approx(estimate.stderr, rel=1e-6)
    low, high = estimate.interval(0.95, kind="normal")
    assert found.interval(0.95)[0] == pytest.approx(np.maximum(low, 0), abs=1e-6)
    assert found.interval(0.95)[1] == pytest.approx(high, abs=1e-6)
    with pytest.raises(sd.DomainError, match="same respondents"):
        among_asked(estimate, ConditionalShare.of(sure.estimate(sd.Counts([10, 0], 10)), [0]))


def published(*counts: list[int]) -> Any:
    given = tuple(sd.Counts(one, sum(counts[0])) for one in counts)
    return question_json(smoking(), 1, given, target="population", confidence=0.95)


def test_what_is_published() -> None:
    found = published([600, 300, 100], [500, 300, 200])
    assert found["method"] == "among-asked"
    assert found["asked"]["question"] == "smokes"
    assert 0 < found["asked"]["low"] < found["asked"]["share"] < found["asked"]["high"] < 1
    assert sum(cell["share"] for cell in found["cells"]) == pytest.approx(1)
    assert sum(cell["projected"] for cell in found["cells"]) == pytest.approx(1)
    assert all(cell["low"] < cell["share"] < cell["high"] for cell in found["cells"][:2])
    few = published([110, 750, 140], [500, 300, 200])
    assert [one["code"] for one in few["warnings"]] == ["few-asked"]
    assert few["asked"]["share"] is not None
    assert {cell["share"] for cell in few["cells"]} == {None}
    none = published([0, 0, 0], [0, 0, 0])
    assert none["asked"]["share"] is None
    assert [cell["share"] for cell in none["cells"]] == [None] * 3


def test_plan_and_check_say_what_it_costs() -> None:
    plan = plan_collection(smoking(), 60)
    assert plan[0].half_width_among == {}
    assert plan[1].half_width_among[0.05] == pytest.approx(20 * plan[1].half_width)
    assert set(plan[1].to_json()["half_width_95_among_asked"]) == {"0.5", "0.2", "0.05"}
    assert plan.to_frame().shape[0] == 2
    assert any(
        "asked of those alone who answer smokes with yes" in one.text for one in advice(smoking())
    )
