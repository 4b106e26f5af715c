"""Numbers whose distribution is wanted: read, answered, tallied, published."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Number
from sudare.collection.canonical import fingerprint
from sudare.collection.questions.bins import of_bins
from sudare.mechanisms.number.choose import rank_distributions
from sudare.planning.survey import plan_collection
from tests.cases import cases

WAY = """
[collection]
name = "way"
epsilon = 2.0
expected_respondents = 5000
languages = ["en", "ja"]
[[question]]
id = "minutes"
type = "number"
wanted = "distribution"
bins = 16
text = { en = "How many minutes?", ja = "何分？" }
low = 0
high = 120
"""
WAVE = WAY + 'mechanism = "SquareWave"\n'
TREE = WAY + 'mechanism = "HierarchicalHistogram"\n'
SURVEYS = {"auto": WAY, "wave": WAVE, "tree": TREE}


def minutes(text: str = WAY) -> Number:
    question = sd.Collection.from_toml(text).questions[0]
    assert isinstance(question, Number)
    return question


def test_a_mean_stays_as_it_was() -> None:
    plain = WAY.replace('wanted = "distribution"\nbins = 16\n', "")
    said = WAY.replace('"distribution"\nbins = 16', '"mean"')
    assert sd.Collection.from_toml(plain).fingerprint == sd.Collection.from_toml(said).fingerprint
    assert "wanted" not in minutes(said).definition()
    assert minutes(plain).mechanism == sd.Hybrid(2.0, 0, 120)


@cases("name", list(SURVEYS))
def test_it_is_read_and_compiled(name: str) -> None:
    c = sd.Collection.from_toml(SURVEYS[name])
    document = json.loads(json.dumps(c.compiled()))
    told = document["definition"]["questions"][0]
    assert told["wanted"] == "distribution"
    assert told["mechanism"]["bins"] == 16
    assert told["program"]["kind"] == ("table" if name == "wave" else "pick")
    again = sd.Collection.from_compiled(document)
    assert again == c
    assert again.compiled() == c.compiled()


def test_the_least_error_of_the_share_below_a_number_is_taken() -> None:
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        question = minutes(WAY.replace("= 2.0", f"= {epsilon}"))
        ranked = rank_distributions(0.0, 120.0, Fraction(str(epsilon)), 5000, 16)
        least = min(error for error, _ in ranked)
        assert question.mechanism.expected_cdf_mse(5000) <= 1.005 * least
        wave = minutes(WAVE.replace("= 2.0", f"= {epsilon}")).mechanism
        tree = minutes(TREE.replace("= 2.0", f"= {epsilon}")).mechanism
        assert (wave.name, tree.name) == ("SquareWave", "HierarchicalHistogram")
        assert question.mechanism in (wave, tree)


def test_bins_are_as_many_as_can_be_told_apart() -> None:
    found = [minutes(WAY.replace("bins = 16\n", "").replace("5000", n)).mechanism
             for n in ("200", "20000", "100000000")]  # fmt: skip
    assert [m.bins for m in found] == [32, 128, 256]
    errors = [m.bins**2 * m.expected_cdf_mse(n) for m, n in zip(found, (200, 20_000), strict=False)]
    assert all(error > 0.9 for error in errors)  # not of the binary tree, maybe


@cases(
    "old, new",
    [
        ('"distribution"', '"all"'),
        ('"distribution"', "3"),
        ('"distribution"', '["distribution"]'),
        ('"distribution"', '"mean"'),  # which has no bins
        ("bins = 16", "bins = 1"),
        ("bins = 16", "bins = 257"),
        ("bins = 16", "bins = true"),
        ("bins = 16", 'bins = "16"'),
        ("bins = 16", "bins = 16.0"),
        ("bins = 16", 'bins = 16\nmechanism = "Duchi"'),
        ("bins = 16", 'bins = 16\nmechanism = "GRR"'),
        ("bins = 16", "bins = 16\nmechanism = 3"),
        ("bins = 16", "bins = 16\nbranching = 4"),
        ("high = 120", "high = 0"),
    ],
)
def test_broken_tables_are_refused(old: str, new: str) -> None:
    with pytest.raises(sd.SudareError):
        minutes(WAY.replace(old, new))


@cases("name", ["wave", "tree"])
def test_a_changed_definition_is_refused(name: str) -> None:
    document = json.loads(json.dumps(sd.Collection.from_toml(SURVEYS[name]).compiled()))
    own = document["definition"]["questions"][0]
    changes: list[dict[str, Any]] = [
        {"wanted": "mean"},
        {"wanted": None},
        {"low": "1.0"},
        {"mechanism": {**own["mechanism"], "bins": 15}},
        {"mechanism": {**own["mechanism"], "bins": 5000}},
        {"mechanism": {**own["mechanism"], "epsilon": "2.1"}},
        {"mechanism": {**own["mechanism"], "high": "121.0"}},
        {"mechanism": sd.Hybrid(2.0, 0, 120).to_json()},
        {"mechanism": sd.GRR(16, 2.0).to_json()},
        {"program": sd.GRR(16, 2.0).program.to_json()},
    ]
    for change in changes:
        definition = json.loads(json.dumps(document["definition"]))
        definition["questions"][0].update(change)
        changed = {**document, "definition": definition, "fingerprint": fingerprint(definition)}
        with pytest.raises(sd.SudareError):
            sd.Collection.from_compiled(changed)
    del own["wanted"]
    with pytest.raises(sd.SudareError):
        sd.Collection.from_compiled(
            {**document, "fingerprint": fingerprint(document["definition"])}
        )


def test_answers_become_bins() -> None:
    wave, tree = minutes(WAVE), minutes(TREE)
    numbers = [0, 7.4999, 7.5, 60, 119.9999, 120, Fraction(15, 2)]
    bins = [0, 0, 1, 8, 15, 15, 1]
    assert [wave.encode(x) for x in numbers] == bins
    assert [tree.encode(x)[-1] for x in numbers] == bins
    levels = len(tree.mechanism.program.parts)
    assert tree.encode(120, levels - 1) == tree.encode(120)
    for bad in (-0.001, 120.001, None, "7", True, math.nan, [7.5]):
        for question in (wave, tree):
            with pytest.raises(sd.CollectionError, match=r"answers.minutes must be a number"):
                question.encode(bad)
    report = tree.randomise(tree.encode(7), sd.Entropy.seeded(b"one"), levels - 1)
    assert tree.mechanism.program.index_of(report) == levels - 1
    with pytest.raises(sd.DomainError, match="index"):
        wave.randomise(3, index=0)


@cases("name", list(SURVEYS))
def test_the_same_bin_is_the_same_report(name: str) -> None:
    client = sd.Client(
        sd.Collection.from_toml(SURVEYS[name].replace("2.0\n", "2.0\nepsilon_cap = 6.0\n", 1))
    )
    first = client.answer({"minutes": 31})
    assert client.answer({"minutes": 31}) == first
    client.answer({"minutes": 90})
    assert float(client.spent) == 4.0
    assert client.collection.tally(first.payload)[0].n == 1


def test_invites_fix_the_level() -> None:
    c = sd.Collection.from_toml(TREE.replace('name = "way"', 'name = "way"\nadmission = "invited"'))
    levels = len(c.questions[0].mechanism.program.parts)
    for level in range(levels):
        tickets = sd.collection.Tickets("code", {"minutes": level})
        report = sd.Client(c).answer({"minutes": 31}, tickets)
        assert report.payload[0] == level


@cases("target", ["population", "respondents"])
@cases("name", ["wave", "tree"])
def test_results_are_those_of_the_distribution(name: str, target: Any) -> None:
    question = minutes(SURVEYS[name])
    mechanism = question.mechanism
    counts = mechanism.simulate([500] * 8 + [100] * 8, rng=sd.Entropy.seeded(b"results"))
    told = json.loads(json.dumps(question.results(counts, target, 0.9), allow_nan=False))
    found = mechanism.distribution(counts, target)
    mean = found.estimate.mean(mechanism.centres)
    assert told["mean"]["value"] == mean.value
    assert (told["mean"]["low"], told["mean"]["high"]) == mean.interval(0.9)
    assert told["rounding"] == 3.75
    assert told["median"] == told["deciles"][4] == found.quantile(0.5, 0.9).to_json()
    assert [one["p"] for one in told["deciles"]] == [i / 10 for i in range(1, 10)]
    shown = found.histogram(0.9)
    assert [one["share"] for one in told["histogram"]] == shown.shares.tolist()
    assert [one["raw"] for one in told["histogram"]] == shown.raw.tolist()
    assert [one["high"] for one in told["histogram"]] == shown.high.tolist()
    ranges = told["ranges"]
    assert ranges["edges"] == mechanism.edges.tolist()
    assert ranges["below"][-1] == pytest.approx(1)
    for i, j in ((0, 1), (0, 16), (3, 12), (15, 16)):
        one = found.range(ranges["edges"][i], ranges["edges"][j])
        assert ranges["below"][j] - ranges["below"][i] == pytest.approx(one.value, abs=2e-6)
        ends = ranges["low"][i][j - i - 1], ranges["high"][i][j - i - 1]
        assert ends == pytest.approx(one.interval(0.9), abs=1e-6)
    assert [len(row) for row in ranges["low"]] == list(range(16, 0, -1))


def test_many_bins_are_published_as_few_bars_and_edges() -> None:
    for bins, bars, edges in ((64, 32, 65), (100, 25, 51), (250, 25, 64), (61, 61, 62)):
        question = minutes(TREE.replace("bins = 16", f"bins = {bins}"))
        counts = question.mechanism.simulate(np.full(bins, 50), rng=sd.Entropy.seeded(b"many"))
        told = question.results(counts, "population", 0.95)
        assert len(told["histogram"]) == bars
        assert len(told["ranges"]["edges"]) == edges
        assert told["ranges"]["edges"][-1] == 120
        assert sum(one["share"] for one in told["histogram"]) == pytest.approx(1)


def test_no_report_about_the_bins() -> None:
    question = minutes(TREE)
    wires = [question.randomise(question.encode(5), None, 0) for _ in range(60)]
    (counts,) = sd.Collection.from_toml(TREE).tally(b"".join(wires))
    told = question.results(counts, "population", 0.95)
    assert (told["mean"]["value"], told["median"]["value"], told["ranges"]) == (None, None, None)
    assert sd.poisoning.alarms(question.mechanism, counts)["bands"] == []


@cases("n", [0, 1, 2, 5])
@cases("name", ["wave", "tree"])
def test_hardly_any_reports(name: str, n: int) -> None:
    question = minutes(SURVEYS[name])
    client = [question.randomise(question.encode(x)) for x in range(n)]
    (counts,) = sd.Collection.from_toml(SURVEYS[name]).tally(b"".join(client))
    told = question.results(counts, "population", 0.95)
    json.dumps([told, sd.poisoning.alarms(question.mechanism, counts)], allow_nan=False)
    if n == 0:
        assert told["median"] == {"p": 0.5, "value": None, "low": None, "high": None}
        assert told["mean"]["value"] is None
        assert (told["histogram"], told["ranges"]) == ([], None)


def test_it_is_planned_in_shares_of_people() -> None:
    for text in SURVEYS.values():
        (plan,) = plan_collection(sd.Collection.from_toml(text), n=1000)
        assert plan.stderr**2 == pytest.approx(minutes(text).mechanism.expected_cdf_mse(1000))
        assert plan.respondents_for[0.05] > 1


@pytest.mark.parametrize(
    "m",
    [
        sd.SquareWave(0.5, bins=10),
        sd.SquareWave(4.0, bins=7),
        sd.HierarchicalHistogram(1.0, bins=10, branching=3),
        sd.HierarchicalHistogram(3.0, bins=8, branching=2, oracle="GRR"),
        sd.HierarchicalHistogram(1.0, bins=7, branching=7, oracle="OUE"),
        pytest.param(
            sd.HierarchicalHistogram(1.0, bins=9, branching=2, oracle="OUE"), marks=pytest.mark.slow
        ),
    ],
    ids=repr,
)
def test_chances_are_those_of_every_report(m: Any) -> None:
    """Independent of how they are worked out: the law of every bin, report by report."""
    chances = of_bins(m.program, m.bins, getattr(m, "branching", 1))
    numbers = m.low + (m.high - m.low) * (np.arange(m.bins) + 0.5) / m.bins
    laws = m.program.laws([m._value(float(x)) for x in numbers])
    fine = [law for law in laws for _ in range(10)]  # tenths of bins: parts of 1 / (10 bins)
    columns = [column for column in zip(*fine, strict=True) if any(column)]
    for name, size in (("half", 5 * m.bins), ("tenth", m.bins)):
        beliefs = [
            sum(column[i : i + size]) / sum(column)
            for column in columns
            for i in range(0, 10 * m.bins, size)
        ]
        assert chances[name] == max(beliefs)
    assert chances["even"] == m.program.ratio / (m.program.ratio + 1)


@cases("oracle", ["SubsetSelection", "GRR", "OUE"])
def test_how_often_the_own_part_is_named(oracle: str) -> None:
    m = sd.HierarchicalHistogram(2.0, bins=9, branching=3, oracle=oracle)
    chances = of_bins(m.program, 9, 3)
    each = [part.support_probabilities for part in m.parts]
    assert chances["own"] == min(p for p, _ in each)
    assert chances["other"] == max(q for _, q in each)
    wave = sd.SquareWave(2.0, bins=9)
    rows = wave.program.weights()
    near = [
        sum(w for w, column in zip(row, zip(*rows, strict=True), strict=True)
            if 2 * w >= max(column) + min(column))
        for row in rows
    ]  # fmt: skip
    found = of_bins(wave.program, 9)
    assert found["own"] == Fraction(min(near), 1 << 64)
    assert "other" not in found


# -- bins that are not equal ---------------------------------------------------------------------

EDGES = WAY.replace("bins = 16", "edges = [0, 10, 20, 45.5, 120]").replace(
    "low = 0\nhigh = 120\n", ""
)


def test_stated_edges_are_read_compiled_and_published() -> None:
    c = sd.Collection.from_toml(EDGES)
    (question,) = c.questions
    assert isinstance(question, Number)
    assert (question.low, question.high) == (0, 120)
    assert question.mechanism.edges.tolist() == [0, 10, 20, 45.5, 120]
    document = json.loads(json.dumps(c.compiled()))
    told = document["definition"]["questions"][0]
    assert told["mechanism"]["edges"] == ["0.0", "10.0", "20.0", "45.5", "120.0"]
    assert sd.Collection.from_compiled(document) == c
    again = sd.Collection.from_toml(EDGES + "low = 0\nhigh = 120\n")  # said twice, and the same
    assert again.fingerprint == c.fingerprint
    assert sd.Client(c).answer({"minutes": 45.5}).payload
    assert question.encode(45.5)[-1] == 3
    counts = question.mechanism.simulate([900, 700, 300, 100], rng=sd.Entropy.seeded(b"edges"))
    results = question.results(counts, "population", 0.95)
    assert [one["to"] for one in results["histogram"]] == [10, 20, 45.5, 120]
    assert results["ranges"]["edges"] == [0, 10, 20, 45.5, 120]
    assert results["rounding"] == 74.5 / 2
    assert {one["high"] for one in results["deciles"]} <= {10, 20, 45.5, 120}


def test_equal_edges_are_another_definition_than_bins() -> None:
    equal = WAY.replace("bins = 16", "bins = 4")
    stated = WAY.replace("bins = 16", "edges = [0, 30, 60, 90, 120]")
    marks = {sd.Collection.from_toml(text).fingerprint for text in (equal, stated)}
    assert len(marks) == 2


@cases(
    "old, new, named",
    [
        ("[0, 10, 20, 45.5, 120]", "[0, 10, 10, 120]", "edges"),
        ("[0, 10, 20, 45.5, 120]", "[0, 20, 10, 120]", "edges"),
        ("[0, 10, 20, 45.5, 120]", "[0, 120]", "edges"),
        ("[0, 10, 20, 45.5, 120]", "[]", "edges"),
        ("[0, 10, 20, 45.5, 120]", '"0,10"', "edges"),
        ("[0, 10, 20, 45.5, 120]", '[0, "10", 120]', "edges"),
        ("[0, 10, 20, 45.5, 120]", "[0, true, 120]", "edges"),
        ("[0, 10, 20, 45.5, 120]", "[0, nan, 120]", "edges"),
        ("[0, 10, 20, 45.5, 120]", f"{list(range(258))}", "edges"),
        ("edges = ", "bins = 4\nedges = ", "bins"),
        ("edges = ", "low = 5\nedges = ", "low"),
        ("edges = ", "high = 100\nedges = ", "high"),
        ("edges = ", 'mechanism = "SquareWave"\nedges = ', "mechanism"),
        ('wanted = "distribution"\n', "", "edges"),
    ],
)
def test_what_cannot_be_edges_is_refused_by_name(old: str, new: str, named: str) -> None:
    assert old in EDGES
    with pytest.raises(sd.CollectionError, match=f"minutes.{named}|question.*{named}"):
        sd.Collection.from_toml(EDGES.replace(old, new))


def test_a_document_with_other_edges_is_refused() -> None:
    document = json.loads(json.dumps(sd.Collection.from_toml(EDGES).compiled()))
    mechanism = document["definition"]["questions"][0]["mechanism"]
    for wrong in (
        ["0.0", "20.0", "10.0", "45.5", "120.0"],
        ["0.0", "10.0", "120.0"],
        [0, 1, 2],
        "0",
    ):
        mechanism["edges"] = wrong
        document["fingerprint"] = fingerprint(document["definition"])
        with pytest.raises(sd.SudareError):
            sd.Collection.from_compiled(document)


def test_bins_between_stated_edges_are_planned() -> None:
    edges = [0, 10, 20, 50, 100, 1000]
    plan = sd.plan_distribution(0, 1000, 5000, 1.0, edges=edges)
    assert plan.best.edges.tolist() == edges
    assert all(option.mechanism.name == "HierarchicalHistogram" for option in plan)
    equal = sd.plan_distribution(0, 1000, 5000, 1.0, bins=5)
    trees = [one.cdf_mse for one in equal if one.mechanism.name == "HierarchicalHistogram"]
    assert sorted(trees) == sorted(one.cdf_mse for one in plan)
    for wrong in ({"bins": 5}, {"edges": [0, 10, 900]}, {"edges": [0, 10, 5, 1000]}):
        with pytest.raises(sd.DomainError):
            sd.plan_distribution(0, 1000, 5000, 1.0, **{"edges": edges, **wrong})
