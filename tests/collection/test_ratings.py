"""Ratings: read, answered, remembered, tallied, published."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.collection import Ratings
from sudare.collection.canonical import fingerprint
from sudare.planning.survey import plan_collection
from tests.cases import cases

SHELF = """
[collection]
name = "shelf"
epsilon = 2.0
epsilon_cap = 8.0
languages = ["en", "ja"]
[[question]]
id = "teas"
type = "ratings"
text = { en = "Which teas do you have?", ja = "お茶はどれですか？" }
items = ["green", "black", "oolong"]
labels = { ja = ["緑茶", "紅茶", "烏龍茶"] }
scale = 5
"""
ALL = {"green": 5, "black": 1, "oolong": None}
NONE = 2**31 + 1


def collection(text: str = SHELF) -> sd.Collection:
    return sd.Collection.from_toml(text)


def teas(text: str = SHELF) -> Ratings:
    question = collection(text).questions[0]
    assert isinstance(question, Ratings)
    return question


# -- the file ------------------------------------------------------------------------------------


def test_it_is_read_and_compiled() -> None:
    c, question = collection(), teas()
    assert question.mechanism == sd.StateRR(3, 2.0)
    assert (question.items, question.scale, question.widget) == (tuple(ALL), 5, "stars")
    assert c.program.report_bytes == 2
    document = json.loads(json.dumps(c.compiled()))
    told = document["definition"]["questions"][0]
    assert (told["items"], told["scale"], told["epsilon"]) == (list(ALL), 5, "2.0")
    assert (told["program"]["kind"], len(told["program"]["parts"])) == ("pick", 3)
    assert document["texts"]["questions"]["teas"]["labels"]["black"] == {"ja": "紅茶"}
    again = sd.Collection.from_compiled(document)
    assert again == c
    assert again.compiled() == c.compiled()


def test_the_mechanism_and_the_widget_can_be_chosen() -> None:
    assert teas(SHELF + 'mechanism = "StateRR"\n').mechanism == sd.StateRR(3, 2.0)
    assert teas(SHELF + 'mechanism = "auto"\n').mechanism == sd.StateRR(3, 2.0)
    assert teas(SHELF + 'widget = "slider"\n').widget == "slider"
    assert teas(SHELF.replace("scale = 5", "scale = 11")).widget == "slider"
    slider = collection(SHELF + 'widget = "slider"\n')
    assert sd.Collection.from_compiled(slider.compiled()) == slider
    for scale in (2, 101):
        assert teas(SHELF.replace("scale = 5", f"scale = {scale}")).scale == scale


def test_the_wording_of_having_it_can_be_chosen() -> None:
    c = collection(SHELF + 'held = { en = ["Not seen", "Seen"], ja = ["観ていない", "観た"] }\n')
    assert c.questions[0].texts()["held"] == {
        "no": {"en": "Not seen", "ja": "観ていない"},
        "yes": {"en": "Seen", "ja": "観た"},
    }
    assert sd.Collection.from_compiled(json.loads(json.dumps(c.compiled()))) == c
    assert c.fingerprint == collection().fingerprint


def test_how_it_looks_is_outside_the_fingerprint() -> None:
    base = collection().fingerprint
    assert collection(SHELF + 'widget = "slider"\n').fingerprint == base
    assert collection(SHELF.replace("紅茶", "こうちゃ")).fingerprint == base
    for change in (("scale = 5", "scale = 6"), ('"oolong"]', '"white"]'), ("= 2.0", "= 2.1")):
        assert collection(SHELF.replace(*change)).fingerprint != base
    assert collection(SHELF + 'mechanism = "PrivKV"\n').fingerprint != base


ITEMS = '["green", "black", "oolong"]'
LABELS = 'labels = { ja = ["緑茶", "紅茶", "烏龍茶"] }'


@cases(
    "change, argument",
    [
        ((ITEMS, '["green"]'), "question[0].items"),
        ((ITEMS, '["green", "green", "oolong"]'), "question[0].items"),
        ((ITEMS, '["green", "A b", "oolong"]'), "question[0].items[1]"),
        ((ITEMS, "3"), "question[0].items"),
        ((f"items = {ITEMS}\n", ""), "question[0].items"),
        (("scale = 5", "scale = 1"), "question[0].scale"),
        (("scale = 5", "scale = 102"), "question[0].scale"),
        (("scale = 5", "scale = true"), "question[0].scale"),
        (("scale = 5", "scale = 5.0"), "question[0].scale"),
        (("scale = 5", 'scale = "5"'), "question[0].scale"),
        (("scale = 5", 'widget = "dial"'), "question[0].widget"),
        (("scale = 5", "widget = 3"), "question[0].widget"),
        (("scale = 5", 'scale = 11\nwidget = "stars"'), "question.teas.widget"),
        (("scale = 5", 'mechanism = "GRR"'), "question[0].mechanism"),
        (("scale = 5", 'mechanism = "PrivKVM"'), "question[0].mechanism"),
        (("scale = 5", 'mechanism = "PCKVUE"'), "question[0].mechanism"),
        (("scale = 5", "mechanism = 3"), "question[0].mechanism"),
        (("scale = 5", "prefer_not_to_say = true"), "question[0].prefer_not_to_say"),
        (("scale = 5", 'choices = ["a", "b"]'), "question[0].choices"),
        (("scale = 5", "epsilon = 3.0"), "question.epsilon"),
        (('"紅茶", ', ""), "question[0].labels.ja"),
        (("scale = 5", 'held = { en = ["Seen"] }'), "question[0].held.en"),
        (("scale = 5", 'held = { fr = ["Non", "Oui"] }'), "question[0].held.fr"),
        (("scale = 5", "held = 3"), "question[0].held"),
        (('text = { en = "Which teas do you have?", ja = "お茶はどれですか？" }\n', ""),
         "question[0].text"),
        (('id = "teas"\n', ""), "question[0].id"),
    ])  # fmt: skip
def test_broken_definitions_name_the_field(change: tuple[str, str], argument: str) -> None:
    text = SHELF.replace(*change)
    assert text != SHELF
    with pytest.raises(sd.SudareError) as caught:
        collection(text)
    assert caught.value.argument == argument


def many(items: int) -> str:
    names = ", ".join(f'"i{i}"' for i in range(items))
    return SHELF.replace(ITEMS, f"[{names}]").replace(
        'labels = { ja = ["緑茶", "紅茶", "烏龍茶"] }', ""
    )


def test_up_to_five_hundred_items() -> None:
    c = collection(many(500))
    assert sd.Collection.from_compiled(json.loads(json.dumps(c.compiled()))) == c
    assert c.program.report_bytes == 3
    with pytest.raises(sd.CollectionError, match="must be 2 to 500") as caught:
        collection(many(501))
    assert caught.value.argument == "question.teas.items"


@cases(
    "path, value",
    [
        (("items",), None),
        (("items",), ["green", "black"]),
        (("items",), ["green", "black", "NOT A SLUG"]),
        (("items",), 3),
        (("scale",), 1),
        (("scale",), "5"),
        (("scale",), None),
        (("epsilon",), "1.9"),
        (("epsilon",), 2.0),
        (("mechanism", "name"), "GRR"),
        (("mechanism", "name"), "PrivKVM"),
        (("mechanism", "d"), 4),
        (("mechanism", "split"), "third"),
        (("mechanism", "epsilon"), "9.0"),
        (("mechanism",), None),
        (("program", "kind"), "product"),
        (("program", "parts", 0, "steps"), "40000000"),
        (("program", "parts", 0, "part", "rows", 0, 0), "1"),
        (("program", "parts"), []),
        (("id",), 3),
    ],
)
def test_a_tampered_document_is_refused(path: tuple[Any, ...], value: Any) -> None:
    of_tables = SHELF + 'mechanism = "PrivKV"\n'
    document = json.loads(json.dumps(collection(of_tables).compiled()))
    inner = document["definition"]["questions"][0]
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.SudareError):
        sd.Collection.from_compiled(document)


@cases("words", [3, None, {"widget": "dial"}, {"widget": []}, {"labels": 3}, {"held": 3}])
def test_tampered_wordings_are_refused(words: Any) -> None:
    document = json.loads(json.dumps(collection().compiled()))
    document["texts"]["questions"]["teas"] = words
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(document)


# -- answers -------------------------------------------------------------------------------------


def test_a_level_is_a_position_from_the_top() -> None:
    question = teas()
    assert question.encode(ALL) == [0, 2**31, NONE]
    assert question.encode({"oolong": 2, "black": 3, "green": 4}) == [2**29, 2**30, 3 * 2**29]


def test_positions_are_those_of_the_exact_values() -> None:
    """The mechanism takes the value itself, an exact rational, and finds the same position."""
    for scale in range(2, 102):
        question = teas(SHELF.replace("scale = 5", f"scale = {scale}"))
        for level in range(1, scale + 1):
            value = -1 + Fraction(2 * (level - 1), scale - 1)
            ours = question.encode({"green": level, "black": None, "oolong": 1})
            assert ours == question.mechanism._value([value, None, Fraction(-1)])


def test_under_a_ticket_one_item_is_answered() -> None:
    question = teas()
    assert question.encode({"black": 4}, 1) == [NONE, 2**29, NONE]
    assert question.encode({"black": None}, 1) == [NONE] * 3
    program = question.mechanism.program
    for seed in range(40):
        entropy = sd.Entropy.seeded(bytes([seed]))
        wire = question.randomise(question.encode({"oolong": 5}, 2), entropy, 2)
        program.check_wire(wire)
        assert wire[0] == 2


@cases("index", [-1, 3, 2**70, True, 1.0, "1"])
def test_bad_tickets_are_refused(index: Any) -> None:
    question = teas()
    for use in (lambda: question.encode({"black": 4}, index),
                lambda: question.randomise(question.encode(ALL), None, index)):  # fmt: skip
        with pytest.raises(sd.DomainError) as caught:
            use()
        assert caught.value.argument == "index"


def test_a_ticket_is_refused_by_questions_that_draw_nothing() -> None:
    choice = '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    question = collection(SHELF + choice).questions[1]
    with pytest.raises(sd.DomainError, match="index must be left out"):
        question.randomise(question.encode("a"), None, 0)


def test_the_same_answer_is_the_same_report(tmp_path: Path) -> None:
    for memo in (None, tmp_path / "memo.sqlite3"):
        client = sd.Client(collection(), memo)
        first = client.answer({"teas": ALL})
        assert client.answer({"teas": dict(reversed(ALL.items()))}) == first
        assert client.spent == 2
        other = client.answer({"teas": {**ALL, "black": 2}})
        assert other.id != first.id
        assert client.spent == 4


@cases(
    "answer",
    [None, 5, "green", True, float("nan"), [], [5, 1, None], {}, {"green": 5}, {**ALL, "more": 1},
     {**ALL, "green": 0}, {**ALL, "green": 6}, {**ALL, "green": -4444}, {**ALL, "green": 1.0},
     {**ALL, "green": True}, {**ALL, "green": "SECRET"}, {**ALL, "green": [1]},
     {**ALL, "green": float("nan")}, {**ALL, "green": 10**400}, np.array([5, 1, 0]),
     {0: 5, 1: 1, 2: None}])  # fmt: skip
def test_bad_answers_cost_nothing_and_are_never_shown(answer: Any) -> None:
    client = sd.Client(collection())
    with pytest.raises(sd.CollectionError, match=r"answers\.teas(\.green)? must") as caught:
        client.answer({"teas": answer})
    assert "SECRET" not in str(caught.value)
    assert "4444" not in str(caught.value)
    assert client.spent == 0


# -- counts and results --------------------------------------------------------------------------


def test_a_tally_counts_the_states_beside_other_questions() -> None:
    more = '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    c = collection(SHELF + more)
    shelf, choice = c.tally(bytes([2, 1, 0, 0, 0, 1, 2, 1, 1, 1, 2, 1]))
    assert shelf.support.tolist() == [[1, 0, 0], [0, 0, 1], [0, 2, 0]]
    assert choice.support.tolist() == [1, 3, 0]
    assert c.tally(b"")[0].n == 0
    for wire in (bytes([3, 1, 0]), bytes([2, 3, 0]), bytes([2, 1])):
        with pytest.raises(sd.ReportError):
            c.tally(wire)
        with pytest.raises(sd.ReportError):
            c.program.check_wire(wire)


@cases("target", ["population", "respondents"])
@cases("mechanism", ["PrivKV", "StateRR"])
def test_results_are_those_of_the_mechanism(mechanism: str, target: Any) -> None:
    question = teas(SHELF + f'mechanism = "{mechanism}"\n')
    kv = question.mechanism
    counts = kv.simulate(9000, [0.7, 0.4, 0.1], [0.5, -0.2, 0.0], rng=sd.Entropy.seeded(b"r"))
    told = question.results(counts, target, 0.9)
    json.dumps(told, allow_nan=False)
    assert (told["method"], told["warnings"]) == ("mle", [])
    estimate = kv.estimate(counts, "mle", target)
    columns = {
        "frequency": (estimate.frequency, estimate.stderr_frequency,
                      *estimate.interval_frequency(0.9)),
        "mean": (estimate.mean, estimate.stderr_mean, *estimate.interval_mean(0.9)),
    }  # fmt: skip
    for i, item in enumerate(told["items"]):
        assert (item["item"], item["n"]) == (question.items[i], counts.support[i].sum())
        for name, column in columns.items():
            assert list(item[name].values()) == [float(one[i]) for one in column]
        for name in ("value", "low", "high"):
            assert item["level"][name] == pytest.approx(1 + (item["mean"][name] + 1) * 2)
        assert item["level"]["stderr"] == pytest.approx(item["mean"]["stderr"] * 2)
        for figure in ("frequency", "mean", "level"):
            assert item[figure]["low"] <= item[figure]["value"] <= item[figure]["high"]


def test_items_without_reports_and_without_holders() -> None:
    question = teas()
    counts = sd.Counts([[0, 0, 0], [0, 0, 30], [20, 5, 4]], 59)
    told = question.results(counts, "population", 0.95)
    json.dumps(told, allow_nan=False)
    nothing = {"value": None, "stderr": None, "low": None, "high": None}
    unseen, nobody, held = told["items"]
    assert unseen == {"item": "green", "n": 0, "frequency": nothing, "mean": nothing,
                      "level": nothing}  # fmt: skip
    assert (nobody["frequency"]["value"], nobody["mean"]) == (0, nothing)
    assert nobody["frequency"]["high"] > 0
    assert held["mean"]["value"] is not None
    assert told["warnings"] == [
        {"code": "few-reports", "items": ["green", "oolong"]},
        {"code": "no-mean", "items": ["black"]},
        {"code": "no-stderr", "items": []},
    ]


@cases("n", [0, 1, 2])
def test_hardly_any_reports(n: int) -> None:
    question = teas()
    told = question.results(collection().tally(bytes([1, 0]) * n)[0], "respondents", 0.95)
    json.dumps(told, allow_nan=False)
    assert [item["n"] for item in told["items"]] == [0, n, 0]
    assert (told["items"][1]["level"]["value"] is None) == (n == 0)
    assert bool(told["warnings"]) == bool(n)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 60), min_size=9, max_size=9), st.sampled_from([0.5, 0.95]))
def test_any_counts_can_be_published(cells: list[int], confidence: float) -> None:
    question = teas()
    told = question.results(
        sd.Counts(np.reshape(cells, (3, 3)), sum(cells)), "population", confidence
    )
    json.dumps(told, allow_nan=False)
    for item in told["items"]:
        for figure, low, high in (("frequency", 0, 1), ("mean", -1, 1), ("level", 1, 5)):
            one = item[figure]
            assert (one["low"] is None) == (one["value"] is None)
            if one["value"] is not None:
                assert low <= one["low"] <= one["high"] <= high
                assert low <= one["value"] <= high


def test_whole_answers_are_estimated() -> None:
    """3000 devices, n = 1000 reports an item; within 4.5 standard errors (false alarms < 1e-4)."""
    c = collection(SHELF.replace("epsilon = 2.0", "epsilon = 5.0"))
    entropy = sd.Entropy.seeded(b"whole")
    question, program = c.questions[0], c.program.parts[0]
    assert isinstance(question, Ratings)
    wires = []
    for person in range(3000):
        held = {"green": 4, "black": 1 if person % 2 else None, "oolong": 2 + 3 * (person % 3 == 0)}
        wires.append(question.randomise(question.encode(held), entropy))
    assert all(len(wire) == program.report_bytes for wire in wires)
    told = question.results(c.tally(b"".join(wires))[0], "population", 0.95)
    for item, f, level in zip(told["items"], (1, 0.5, 1), (4, 1, 3), strict=True):
        of_f, of_m = question.mechanism.expected_stderr(3000, [f] * 3, [(level - 3) / 2] * 3)
        assert abs(item["frequency"]["value"] - f) < 4.5 * of_f[0]
        assert abs(item["level"]["value"] - level) < 4.5 * 2 * of_m[0]


# -- plans ---------------------------------------------------------------------------------------


def test_a_plan_shows_it() -> None:
    question = teas()
    (plan,) = plan_collection(collection(), 4000)
    assert (plan.type, plan.mechanism, plan.report_bytes) == ("ratings", "StateRR", 2)
    assert plan.stderr == pytest.approx(math.sqrt(question.mechanism.expected_mse(4000)))
    _, of_m = question.mechanism.expected_stderr(4000, [0.5, 0.2, 0.05], [0, 0, 0])
    assert list(plan.level_stderr.values()) == pytest.approx((2 * of_m).tolist())
    needed = plan.respondents_for[0.02]
    assert plan_collection(collection(), needed)[0].half_width <= 0.02 * (1 + 1e-9)
    assert plan_collection(collection(), needed - 1)[0].half_width > 0.02 * (1 - 1e-9)
    data = plan.to_json()
    assert set(data["expected_level_stderr"]) == {"0.5", "0.2", "0.05"}
    json.dumps(data, allow_nan=False)


@cases("target", ["population", "respondents"])
@cases("make", [sd.PrivKV, sd.StateRR])
def test_the_expected_error_is_that_of_the_estimates(make: Any, target: Any) -> None:
    """The error bars of counts that are just the expected ones are the expected errors."""
    kv = make(2, 3.0)
    f, m, n = np.array([0.5, 0.25]), np.array([0.5, -0.25]), 4 * 10**8
    states = np.stack([f * (1 + m) / 2, f * (1 - m) / 2, 1 - f], axis=1)
    support = np.rint(states @ kv.channel.dense().T * n / 2).astype(np.int64)
    estimate = kv.estimate(sd.Counts(support, int(support.sum())), target=target)
    of_f, of_m = kv.expected_stderr(n, f, m, target)
    np.testing.assert_allclose(estimate.stderr_frequency, of_f, rtol=1e-6)
    np.testing.assert_allclose(estimate.stderr_mean, of_m, rtol=1e-6)
    assert kv.expected_mse(n, f, target) == pytest.approx((of_f**2).mean())


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("kv", [sd.PrivKV(2, 0.1), sd.StateRR(7, 1.0), sd.PrivKV(3, 20.0)], ids=str)
def test_the_default_is_the_worst_share(kv: Any, target: Any) -> None:
    worst = max(kv.expected_mse(9, np.full(kv.d, f), target) for f in np.linspace(0, 1, 401))
    assert worst <= kv.expected_mse(9, None, target) * (1 + 1e-12)
    assert worst == pytest.approx(kv.expected_mse(9, None, target), rel=1e-4)


@cases(
    "arguments, name",
    [
        ((0, [0.5, 0.5], [0, 0]), "n"),
        ((True, [0.5, 0.5], [0, 0]), "n"),
        ((9, [0.5], [0, 0]), "frequency"),
        ((9, [0.5, 2], [0, 0]), "frequency"),
        ((9, [0.5, math.nan], [0, 0]), "frequency"),
        ((9, [0.5, 0.5], "xy"), "mean"),
        ((9, [0.5, 0.5], [0, -2]), "mean"),
        ((9, [0.5, 0.5], [0, 0], "all"), "target"),
    ],
)
def test_bad_plans_are_refused(arguments: tuple[Any, ...], name: str) -> None:
    with pytest.raises(sd.SudareError) as caught:
        sd.PrivKV(2, 1.0).expected_stderr(*arguments)
    assert caught.value.argument == name
