"""Maps that offer levels of ε per metre: read, answered, paid for and published."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from in_node import ask

import sudare as sd
from sudare.collection.canonical import fingerprint
from tests.cases import cases

WALK = """
[collection]
name = "walk"
[[question]]
id = "where"
type = "place"
text = "Where do you walk?"
origin = [35.65, 139.7]
cell_height = 200
cell_width = 180
rows = 2
columns = 3
land = ["###", "##."]
levels = ["0.006", "0.02"]
"""
LEVELS = 'levels = ["0.006", "0.02"]'
TRUTH = np.array([[0.6, 0.1, 0.1, 0.1, 0.1, 0], [0, 0.1, 0.1, 0.2, 0.6, 0]])
"""Where the people of each level are."""
PICKED = np.array([0.5, 0.5])


def walk(old: str = "", new: str = "") -> sd.Collection:
    assert old in WALK
    return sd.Collection.from_toml(WALK.replace(old, new) if old else WALK)


def test_the_device_pays_each_metre_of_what_was_picked() -> None:
    survey = walk(LEVELS, f'{LEVELS}\nepsilon_per_metre_cap = "0.026"')
    assert survey.submission_epsilon == 0
    assert sd.Collection.from_compiled(json.loads(json.dumps(survey.compiled()))) == survey
    client = sd.Client(survey)
    first = client.answer({"where": {"level": 0, "answer": 4}})
    assert first.payload[0] == 0
    assert client.answer({"where": {"level": 0, "answer": 4}}) == first
    assert client.spent_per_metre == {"where": Fraction("0.006")}
    client.answer({"where": {"level": 1, "answer": 4}})
    assert client.spent_per_metre == {"where": Fraction("0.026")}
    with pytest.raises(sd.BudgetExceeded):
        client.answer({"where": {"level": 0, "answer": 3}})
    for wrong in (4, {"level": 2, "answer": 4}, {"level": 0, "answer": 5}):
        with pytest.raises(sd.CollectionError):
            sd.Client(survey).answer({"where": wrong})


@cases(
    "old, new, rule",
    [
        (LEVELS, 'levels = ["0.02", "0.006"]', "must rise"),
        (LEVELS, 'levels = ["0.006", "2"]', "at most 1 per metre"),
        (LEVELS, f'{LEVELS}\nepsilon_per_metre = "0.02"', "beside epsilon_per_metre"),
        (LEVELS, f'{LEVELS}\nepsilon_per_metre_cap = "0.019"', "must cover one report"),
        (LEVELS, f"{LEVELS}\nelastic = [[1, 1, 1], [1, 1, 1]]", "beside elastic"),
        (LEVELS, f'{LEVELS}\nat = "home,work"', "beside at"),
        (LEVELS, f'{LEVELS}\nask_if = {{ question = "a", is = ["b"] }}', "beside ask_if"),
    ],
)
def test_what_cannot_be_offered_is_refused(old: str, new: str, rule: str) -> None:
    with pytest.raises(sd.SudareError, match=rule):
        walk(old, new)


def swap(one: dict[str, Any], other: sd.Collection) -> None:
    """Put the first level of another map in the place of this one's."""
    own = json.loads(json.dumps(other.compiled()))["definition"]["questions"][0]
    one["mechanism"]["mechanisms"][0] = own["mechanism"]["mechanisms"][0]
    one["program"]["parts"][0] = own["program"]["parts"][0]


HOSTILE: list[Callable[[dict[str, Any]], Any]] = [
    lambda one: one["levels"].reverse(),
    lambda one: one["levels"][0].update(epsilon_per_metre="0.005"),
    lambda one: one["levels"][0].update(epsilon_per_metre_cap="0.006"),
    lambda one: one["program"]["parts"].reverse(),
    lambda one: one.update(epsilon_per_metre_cap="0.019"),
    lambda one: one["mechanism"]["mechanisms"][0]["grid"].__setitem__(0, 3),
    lambda one: one.update(at={"question": "wh", "place": "ere"}),
    lambda one: swap(one, walk("cell_height = 200", "cell_height = 200.1")),
]


def test_both_sides_refuse_levels_that_are_not_those_of_the_map() -> None:
    good, changed = json.loads(json.dumps(walk().compiled())), []
    for change in HOSTILE:
        one = json.loads(json.dumps(good))
        change(one["definition"]["questions"][0])
        one["fingerprint"] = fingerprint(one["definition"])
        changed.append(one)
        with pytest.raises(sd.SudareError):
            sd.Collection.from_compiled(one)
    assert not any(one["accepted"] for one in ask("judge.js", changed))


NW, NE, SE, SW = [35.6525, 139.701], [35.6525, 139.703], [35.6509, 139.703], [35.6509, 139.701]


def on_roads(*line: list[float]) -> sd.Collection:
    """Return a map of four cells with these roads."""
    map_ = WALK.replace("columns = 3", "columns = 2").replace('land = ["###", "##."]\n', "")
    return sd.Collection.from_toml(f"{map_}roads = {[list(line)]}\n")


def test_both_sides_refuse_levels_that_count_metres_along_other_roads() -> None:
    good = json.loads(json.dumps(on_roads(NW, NE, SE, SW, NW).compiled()))
    changed = json.loads(json.dumps(good))
    swap(changed["definition"]["questions"][0], on_roads(NW, NE, SE, SW))
    changed["fingerprint"] = fingerprint(changed["definition"])
    sd.Collection.from_compiled(good)
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(changed)
    assert [one["accepted"] for one in ask("judge.js", [good, changed])] == [True, False]


def _scores(method: Callable[[Any, sd.Counts], tuple[Any, Any]]) -> np.ndarray[Any, Any]:
    """Return the mean error of each cell of the land over 60 seeded surveys, in its error."""
    question, rng = walk().questions[0], sd.Entropy.seeded(b"levels of places")
    whole, total = (PICKED @ TRUTH)[:5], np.zeros(5)
    for _ in range(60):
        told = {"where": {"picked": PICKED, "truth": list(TRUTH)}}
        counts = sd.simulate(walk(), 4000, told, rng=rng)["where"].counts
        shares, stderr = method(question, counts)
        total += (shares - whole) / stderr
    return total / np.sqrt(60)


def _published(question: Any, counts: sd.Counts) -> tuple[Any, Any]:
    cells = question.results(counts, "population", 0.95)["cells"]
    return np.array([[one["share"], one["stderr"]] for one in cells]).T


def _pooled(question: Any, counts: sd.Counts) -> tuple[Any, Any]:
    """Take levels as if they said nothing of the place."""
    each = zip(question.mechanism.parts, question.mechanism.levels(counts), strict=True)
    land = [True] * 5 + [False]
    found = sd.combine([m.estimate(own, mask=land) for m, own in each], independent=True)
    return found.shares[:5], found.stderr[:5]


def test_the_whole_is_right_whoever_picks_a_level() -> None:
    """Mean errors are about standard normal; weighed by accuracy they are off, the control."""
    assert np.abs(_scores(_published)).max() < 4.5
    assert np.abs(_scores(_pooled)).max() > 40


def test_results_are_of_all_and_of_each_level() -> None:
    survey = walk()
    question = survey.questions[0]
    told = {"where": {"picked": PICKED, "truth": list(TRUTH)}}
    made = sd.simulate(survey, 40_000, told, rng=sd.Entropy.seeded(b"map"))["where"]
    found = question.results(made.counts, "population", 0.95)
    assert found["map_method"] == "levels"
    assert sum(one["map"] for one in found["cells"]) == pytest.approx(1)
    own = [[one["map"] for one in level["cells"]] for level in found["levels"]]
    sizes = np.array([level["n"] for level in found["levels"]]) / 40_000
    assert [one["map"] for one in found["cells"]] == pytest.approx(sizes @ np.array(own))
    assert [one["epsilon_per_metre"] for one in found["levels"]] == [0.006, 0.02]
    assert question.guarantee()["epsilon_per_metre"] == 0.02
    nobody = question.results(survey.tally(b"")[0], "population", 0.95)
    assert nobody["cells"][0]["share"] is None
    assert nobody["levels"][1]["cells"][0]["map"] is None


def test_the_plan_tells_what_each_level_gives() -> None:
    where = sd.planning.plan_collection(walk(), n=4000)[0]
    least, most = where.half_width_levels.values()
    assert list(where.half_width_levels) == [0.006, 0.02]
    assert least > where.half_width > most
    assert where.half_width**2 == pytest.approx((least**2 + most**2) / 2)
    mechanism: Any = walk().questions[0].mechanism
    with pytest.raises(sd.DomainError, match="must not be of places"):
        mechanism.expected_mse(100)


def test_places_of_one_grid_are_levels_in_python_too() -> None:
    grid = sd.Grid(2, 3, 200.0, 180.0)
    both = sd.Levels([sd.GridExponential(grid, e) for e in (0.01, 0.03)])
    assert both.epsilons == tuple(part.epsilon for part in both.parts)
    assert both.epsilon <= 0.03
    reports = both.perturb([4, 4, 5], [0, 1, 1], rng=sd.Entropy.seeded(b"levels"))
    assert both.aggregate(reports).n == 3
    counts = both.simulate([[300] * 6, [500] * 6], rng=sd.Entropy.seeded(b"many"))
    assert both.estimate(counts).shares == pytest.approx([1 / 6] * 6, abs=0.1)
    assert "for each metre" in both.estimate(counts).covers
    other = sd.Grid(3, 2, 200.0, 180.0)
    with pytest.raises(sd.DomainError, match="same places"):
        sd.Levels([sd.GridExponential(grid, 0.01), sd.GridExponential(other, 0.03)])
