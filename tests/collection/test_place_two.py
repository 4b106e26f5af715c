"""Two places of one person: asked apart, paid together, and crossed to flows."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Place
from sudare.collection.canonical import fingerprint
from sudare.collection.crossing import cross_questions
from sudare.collector.crossing import cross_json
from tests.cases import cases

COMMUTE = """
[collection]
name = "commute"
languages = ["en", "ja"]
[[question]]
id = "where"
type = "place"
text = { en = "Where are you most?", ja = "どこに一番いますか？" }
origin = [35.65, 139.7]
cell_height = 200
cell_width = 180
rows = 2
columns = 3
epsilon_per_metre = "0.008"
land = ["###", "##."]
at = "home,work"
"""
AT = 'at = "home,work"'
PEOPLE = np.array(
    [[6, 1, 0, 0, 3], [0, 2, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 2], [1, 0, 0, 0, 0]]
)


def commute(old: str = "", new: str = "") -> sd.Collection:
    assert old in COMMUTE
    return sd.Collection.from_toml(COMMUTE.replace(old, new) if old else COMMUTE)


def reports(collection: sd.Collection, people: Any, rng: sd.Entropy) -> bytes:
    """Return the submissions of so many people, by home and work among the cells of the land."""
    home, work = (question.mechanism for question in collection.questions)
    cells = np.repeat(np.arange(people.size), people.ravel())
    each = [home.perturb(cells // 5, rng=rng), work.perturb(cells % 5, rng=rng)]
    return np.stack(each, axis=1).astype(np.uint8).tobytes()


def test_one_table_is_two_questions_that_share_an_account() -> None:
    collection = commute()
    home, work = collection.questions
    assert isinstance(home, Place)
    assert [one.id for one in collection.questions] == ["where-home", "where-work"]
    assert home.text == {"en": "Where are you most? – Home", "ja": "どこに一番いますか？ – 自宅"}
    assert work.text["ja"].endswith(" – 職場")
    assert home.epsilon == Fraction("0.008")
    assert home.epsilon_cap == work.epsilon_cap == Fraction("0.016")
    document = json.loads(json.dumps(collection.compiled()))
    assert sd.Collection.from_compiled(document).compiled() == collection.compiled()
    client = sd.Client(collection)
    first = client.answer({"where-home": 0, "where-work": 4})
    assert len(first.payload) == 2
    assert client.spent_per_metre == dict.fromkeys(("where-home", "where-work"), home.epsilon)
    with pytest.raises(sd.BudgetExceeded):  # the sum of both is all that there is
        client.answer({"where-home": 1, "where-work": 4})


def test_a_device_may_use_what_the_cap_leaves_for_either_place() -> None:
    collection = commute(AT, f'{AT}\nepsilon_per_metre_cap = "0.024"')
    client = sd.Client(collection)
    client.answer({"where-home": 0, "where-work": 4})
    client.answer({"where-home": 0, "where-work": 3})
    with pytest.raises(sd.BudgetExceeded):
        client.answer({"where-home": 1, "where-work": 3})


def test_other_places_have_names_of_their_own() -> None:
    names = 'at_names = { gym = { en = "Gym", ja = "ジム" } }'
    home, gym = commute(AT, f'at = ["home", "gym"]\n{names}').questions
    assert (home.id, gym.id) == ("where-home", "where-gym")
    assert gym.text == {"en": "Where are you most? – Gym", "ja": "どこに一番いますか？ – ジム"}


BAD = {
    'at = "home"': "at must name two places",
    'at = "home,home"': "at must name two places",
    'at = "home,work,school"': "at must name two places",
    "at = 3": "at must name two places",
    'at = "home,gym"': "at_names must name gym",
    'at = "home,a b"': "at must be 1 to 64 of a-z",
    f"{AT}\nat_names = 3": "at_names must be a table",
    'at_names = { home = "Home" }': "at_names must stand beside at",
    f"{AT}\nepsilon_per_metre_cap = 0.0159": "cap must cover both reports",
    "sequence = 5": "sequence is not for collections",
}


@cases("more", list(BAD))
def test_what_is_wrong_is_said(more: str) -> None:
    with pytest.raises(sd.CollectionError) as caught:
        commute(AT, more)
    assert BAD[more] in str(caught.value)


HOSTILE: list[Callable[[list[dict[str, Any]]], Any]] = [
    lambda some: some.pop(),
    lambda some: some[0].pop("at"),
    lambda some: some[0].update(at={"question": "where", "place": "work"}),
    lambda some: [one.update(epsilon_per_metre_cap="0.0159") for one in some],
    lambda some: some[0].update(epsilon_per_metre_cap="0.02"),
    lambda some: some[0].update(land=None),
]


def test_hostile_definitions_are_refused() -> None:
    def changed(change: Callable[[list[dict[str, Any]]], Any]) -> sd.Collection:
        document = json.loads(json.dumps(commute().compiled()))
        change(document["definition"]["questions"])
        document["fingerprint"] = fingerprint(document["definition"])
        return sd.Collection.from_compiled(document)

    assert changed(lambda some: None) == commute()
    for change in HOSTILE:
        with pytest.raises(sd.CollectionError):
            changed(change)


def test_flows_are_found_again_with_their_errors() -> None:
    """Squared errors in units of their variances, over 40 seeded surveys: near 1 in each cell."""
    collection, rng = commute(), sd.Entropy.seeded(b"flows")
    shares, total = PEOPLE / PEOPLE.sum(), np.zeros(PEOPLE.shape)
    for _ in range(40):
        submissions = reports(collection, PEOPLE * 300, rng)
        found = collection.cross(["where-home", "where-work"], submissions, target="respondents")
        assert found.pairs.sum() == found.estimate.n == PEOPLE.sum() * 300
        total += ((found.estimate.shares - shares) / found.estimate.stderr) ** 2
    assert ((total > 0.3 * 40) & (total < 2.2 * 40)).all(), total / 40
    home = collection.questions[0]
    counts = home.tally(np.frombuffer(submissions, np.uint8)[::2])
    alone = home.mechanism.estimate(counts, mask=home.on_land)
    assert found.estimate.shares.sum(axis=1) == pytest.approx(alone.shares[:5], abs=1e-9)
    assert found.estimate.epsilon == pytest.approx(2 * home.mechanism.epsilon)


@cases("target", ["population", "respondents"])
def test_intervals_of_rare_flows_hold_none(target: Any) -> None:
    """All go one way: intervals of the others, of a few rare reports, hold 0 mostly."""
    text = COMMUTE.replace("0.008", "0.02")
    collection, rng = sd.Collection.from_toml(text), sd.Entropy.seeded(b"one way")
    alone, held = np.zeros(PEOPLE.shape, dtype=int), np.zeros(PEOPLE.shape)
    alone[0, 4] = 300
    for _ in range(80):
        sent = reports(collection, alone, rng)
        found = collection.cross(["where-home", "where-work"], sent, target=target)
        low, high = found.estimate.interval(0.95)
        held += (low <= alone / 300) & (alone / 300 <= high)
    assert held.min() > 0.75 * 80, held


def test_flows_as_json_name_the_cells() -> None:
    collection = commute()
    submissions = reports(collection, PEOPLE * 10, sd.Entropy.seeded(b"json"))
    told = cross_json(collection, ["where-home", "where-work"], submissions, "population", 0.95)
    assert told["cells"][4]["choices"] == ("0", "4")
    assert sum(one["reports"] for one in told["cells"]) == PEOPLE.sum() * 10


def test_flows_of_too_many_pairs_are_refused() -> None:
    small = 'rows = 2\ncolumns = 3\nepsilon_per_metre = "0.008"\nland = ["###", "##."]'
    collection = commute(small, 'rows = 6\ncolumns = 6\nepsilon_per_metre = "0.008"')
    with pytest.raises(sd.EstimationError, match="at most 1,024 pairs of cells"):
        cross_questions(collection, ["where-home", "where-work"], bytes(20))
