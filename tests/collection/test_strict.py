"""A hostile collector: Python and the browser refuse the same compiled documents.

The browser does not derive thresholds from a mechanism's name. What it alone may accept is thus a
program of other integers than Python derives: exactly those of which it has shown that they spend
no more than is stated. The test holds them against the exact law once more.
"""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction
from typing import Any

import pytest
from in_node import MODULES, ask
from maps import SMALL

import sudare as sd
from sudare.collection.canonical import fingerprint
from sudare.collection.compiled import rules
from sudare.errors import SudareError
from sudare.exact import exp_bounds
from sudare.samplers.base import from_json
from tests.cases import cases

MUTATIONS = 2600

HEAD = """
[collection]
name = "tea"
epsilon = 4.0
epsilon_cap = 8.0
languages = ["en", "ja"]
opens = 2026-01-01T00:00:00Z
closes = 2027-01-01T00:00:00Z
title = { en = "Tea", ja = "お茶" }
intro = { en = "Which?" }
"""
CHOICE = """
[[question]]
id = "brand"
type = "choice"
text = { en = "Which?", ja = "どれ？" }
choices = ["a", "b", "c"]
labels = { en = ["A", "B", "C"] }
"""
DISTRIBUTION = """
[[question]]
id = "cups"
type = "number"
text = "How many?"
low = -0.5
high = 12
wanted = "distribution"
bins = 9
mechanism = "{mechanism}"
"""
QUESTIONS = {
    "grr": CHOICE + 'mechanism = "GRR"\nscores = [1, -2.5, 3]\n',
    "oue": CHOICE + 'mechanism = "OUE"\nprefer_not_to_say = false\nepsilon = 1.5\n',
    "two": CHOICE + 'mechanism = "SUE"\n' + CHOICE.replace('"brand"', '"other"'),
    "text": CHOICE.replace('"choice"', '"text"').replace("choices", "known"),
    "choices": CHOICE.replace('"choice"', '"choices"') + "most = 2\n",
    "crosstab": """
[[question]]
id = "both"
type = "crosstab"
text = "Both?"
[[question.attributes]]
id = "one"
text = "One?"
choices = ["a", "b"]
labels = { en = ["A", "B"] }
[[question.attributes]]
id = "two"
text = "Two?"
choices = ["a", "b", "c"]
""",
    "levels": CHOICE + 'mechanism = "GRR"\nlevels = [0.5, 1.5, 4]\nscores = [1, 2, 3]\n',
    "levels of a table": """
[[question]]
id = "both"
type = "crosstab"
text = "Both?"
levels = [1, 4]
[[question.attributes]]
id = "one"
text = "One?"
choices = ["a", "b"]
[[question.attributes]]
id = "two"
text = "Two?"
choices = ["a", "b", "c"]
""",
    "levels of a map": """
[[question]]
id = "where"
type = "place"
text = "Where?"
mesh = "53394611"
level = "1/8"
rows = 2
columns = 3
levels = ["0.005", "0.01"]
""",
    "levels of roads": """
[[question]]
id = "where"
type = "place"
text = "Where?"
origin = [35.65, 139.7]
cell_height = 200
cell_width = 180
rows = 2
columns = 2
roads = [[[35.651, 139.701], [35.653, 139.701]], [[35.653, 139.701], [35.653, 139.703]]]
levels = ["0.005", "0.01"]
""",
    "pairs": """
[[question]]
id = "three"
type = "crosstab"
wanted = "pairs"
text = "Three?"
[[question.attributes]]
id = "one"
text = "One?"
choices = ["a", "b"]
prefer_not_to_say = false
[[question.attributes]]
id = "two"
text = "Two?"
choices = ["a", "b"]
[[question.attributes]]
id = "three"
text = "Three?"
choices = ["a", "b"]
prefer_not_to_say = false
""",
    "margins": """
[[question]]
id = "two"
type = "crosstab"
wanted = "margins"
text = "Two?"
[[question.attributes]]
id = "one"
text = "One?"
choices = ["a", "b"]
[[question.attributes]]
id = "two"
text = "Two?"
choices = ["a", "b", "c"]
""",
    "duchi": """
[[question]]
id = "cups"
type = "number"
text = "How many?"
low = -0.5
high = 12
mechanism = "Duchi"
""",
    "piecewise": """
[[question]]
id = "cups"
type = "number"
text = "How many?"
low = 0
high = 0.00001
mechanism = "Piecewise"
""",
    "wave": DISTRIBUTION.format(mechanism="SquareWave"),
    "tree": DISTRIBUTION.format(mechanism="HierarchicalHistogram"),
    "privkv": """
[[question]]
id = "teas"
type = "ratings"
text = "Which?"
items = ["a", "b", "c"]
labels = { en = ["A", "B", "C"] }
held = { en = ["never", "had"] }
mechanism = "PrivKV"
""",
    "staterr": """
[[question]]
id = "teas"
type = "ratings"
text = "Which?"
items = ["a", "b"]
scale = 50
mechanism = "StateRR"
""",
    "place": """
[[question]]
id = "where"
type = "place"
text = "Where?"
mesh = 53394611
rows = 2
columns = 3
epsilon_per_metre = 0.005
epsilon_per_metre_cap = 0.01
land = ["##.", "###"]
[[question.places]]
at = [35.6764, 139.7637]
name = { en = "Here" }
""",
    "tight": SMALL + 'epsilon_per_metre = 0.01\nmechanism = "TightGrid"\n',
    "flows": SMALL + 'epsilon_per_metre = 0.005\nat = "home,work"\n',
    "elastic": SMALL + "epsilon_per_metre = 0.01\nelastic = [[1, 2], [3, 4], [5, 6]]\n",
    "roads": SMALL
    + "epsilon_per_metre = 0.01\n"
    + "roads = [[[35.6004, 139.7004], [35.6022, 139.7004], [35.6022, 139.702]]]\n",
}
QUESTIONS["rounds"] = CHOICE + 'mechanism = "LOSUE"\n'
QUESTIONS["hashed-rounds"] = CHOICE + 'mechanism = "LOLOHA"\n'
ROUNDS = "repeats = { every = [2026-01-01T00:00:00Z, 2026-06-01T00:00:00Z]"
MORE = {
    "rounds": ROUNDS + " }\n",
    "hashed-rounds": ROUNDS + ', covers = "any" }\n',
    "privkv": 'admission = "invited"\n',
    "grr": "publish_at = 20\npublish_every = 30\n",
    "oue": 'publish = "end"\n',
    "duchi": "publish_at = 1\nsend_delay = 30\n",
}
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 21, 50, 630, 1.5, 2**31, 2**53, 10**12 + 1, "", "a", "0",
    "1", "01", "0.0", "1.0", "1.50", "-0.0", "-1.0", "20.0", "20.000000000001", "21.0", "630.0",
    "0.001", "0.0009", "1e1", "1/2", "NaN", "1.0000000000001", "ffffffff", "invited", "open", "end",
    "prefer-not-to-say", "A", "café", "\u3000", "x" * 4001, "2026-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z", "2028-01-01T00:00:00Z", "2026-01-01", "GRR", "OUE", "StateRR", "keep",
    "table", "__proto__", "constructor", "api", "choice", "slider", "stars", [], [1], ["a", "a"],
    {}, {"en": "x"}, {"fr": "x"},
)  # fmt: skip
NAMES = (
    "mark", "epsilon", "scores", "most", "auto", "admission", "publish", "publish_at",
    "publish_every", "labels", "weights", "toString",
)  # fmt: skip
DERIVED = ("does not compile to its own program", "mechanism must be one of ['", "this law spends",
           "totals must be those")  # fmt: skip
"""How Python says that integers are not those that it derives, or that it has no such mechanism;
then of an inner ε of places, which the browser does not read, and of totals over rounds, of which
the browser proves that they are enough."""


def documents() -> dict[str, Any]:
    """Return a valid compiled document for each kind of question."""
    out = {}
    for name, text in QUESTIONS.items():
        head = HEAD + MORE.get(name, "")
        out[name] = json.loads(json.dumps(sd.Collection.from_toml(head + text).compiled()))
    return out


def spots(node: Any) -> list[tuple[Any, Any]]:
    """Return all members of nested objects and lists, a list's first three alone."""
    keys = list(node) if isinstance(node, dict) else range(min(len(node), 3))
    found: list[tuple[Any, Any]] = []
    for key in keys:
        found.append((node, key))
        if isinstance(node[key], dict | list):
            found += spots(node[key])
    return found


def mutate(document: Any, dice: random.Random) -> None:
    """Change one place of a document: drop, rename, add, retype, or change a value a little."""
    part = dice.choice(("definition", "definition", "definition", "texts"))
    node, key = dice.choice(spots({part: document[part]}))
    if key == part:
        node, key = document, part
    value, way = node[key], dice.randrange(6)
    if way == 0:
        del node[key]
    elif way == 1 and isinstance(node, dict):
        node[dice.choice(NAMES)] = node.pop(key)
    elif way == 2 and isinstance(node, dict):
        node[dice.choice(NAMES)] = dice.choice(VALUES)
    elif way == 3 and isinstance(node, list):
        node.insert(0, copy.deepcopy(value))
    elif way <= 4 and isinstance(value, int | str) and not isinstance(value, bool):
        node[key] = nearby(value, dice)
    else:
        node[key] = copy.deepcopy(dice.choice(VALUES))


def nearby(value: int | str, dice: random.Random) -> Any:
    """Return a value of the same form."""
    if isinstance(value, int):
        return value + dice.choice((-1, 1, 1000))
    if value.strip("0123456789abcdef") == "" and len(value) > 3:
        return f"{max(0, int(value, 16) + dice.choice((-1, 1, -(1 << 20), 1 << 20))):x}"
    if "." in value and value.strip("-0123456789.") == "":
        return dice.choice(
            (value + "0", "0" + value, f"{float(value) * 2}", f"{float(value) / 2}", "630.0")
        )
    return value + dice.choice((" ", "\n", "x", "é"))


def refusal(document: Any) -> str:
    """Return why Python refuses a document, or nothing."""
    try:
        sd.Collection.from_compiled(document)
    except SudareError as error:
        return str(error)
    return ""


def sealed(document: Any) -> Any:
    """Return the document under the fingerprint of its definition, as a hostile owner would."""
    try:
        document["fingerprint"] = fingerprint(document.get("definition"))
    except ValueError:  # what has no UTF-8
        document["fingerprint"] = "0" * 64
    return document


def spends_as_stated(question: Any) -> bool:
    """Whether the exact law of a question's integers keeps the ε that the question states."""
    if question["type"] == "place":
        return True  # held per metre: tests/js/place.test.js
    if question["program"]["kind"] == "repeat":
        return True  # held over all rounds: tests/js/repeats.test.js
    ratio = from_json(question["program"]).ratio
    return ratio <= exp_bounds(Fraction(question["epsilon"]))[1]


def test_both_sides_take_what_is_compiled() -> None:
    found = documents()
    assert [refusal(one) for one in found.values()] == [""] * len(found)
    assert [one["why"] for one in ask("judge.js", list(found.values()))] == [""] * len(found)


@pytest.mark.slow
def test_both_sides_refuse_the_same_mutations() -> None:
    dice, found, valid = random.Random(20), [], documents()
    for i in range(MUTATIONS):
        document = copy.deepcopy(list(valid.values())[i % len(valid)])
        mutate(document, dice)
        found.append(sealed(document))
    verdicts = ask("judge.js", found)
    refused = 0
    for document, verdict in zip(found, verdicts, strict=True):
        why = refusal(document)
        refused += bool(why)
        if not verdict["accepted"]:
            assert why, f"the browser alone refuses: {verdict['why']}\n{document}"
        elif why:
            assert any(one in why for one in DERIVED), f"Python alone refuses: {why}\n{document}"
            assert all(map(spends_as_stated, document["definition"]["questions"])), why
    assert refused > MUTATIONS * 0.6


LIMITS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 60, 61, 2**31, 2**53, 2**53 + 1, 10**12, 10**12 + 1, 1.5, "",
    " ", "x" * 64, "x" * 65, "x" * 4000, "x" * 4001, "0.0", "-0.0", "0.001", "0.0009", "10.0",
    "10.000000000001", "20.0", "20.000000000001", "1.0", "1.000000000001", "1e5", "1e-7", "NaN",
    "0.000000000001", "0.0000000000001", "1000000000.0", "0000-01-01T00:00:00Z", "\ud800",
    "9999-12-31T23:59:59Z", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "é", "A", "a-b", "-a",
    "toString", "__proto__", [], {}, ["a"], ["a", "a"], [[]], {"en": "x"}, {"xx": "y"}, "1/3",
    "\u0663",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", list(QUESTIONS))
def test_both_sides_have_the_same_limits_everywhere(name: str) -> None:
    """Each place of a document in turn holds values at the edge of some limit."""
    good, found = documents()[name], []
    parts = ("definition", "texts")
    for i in range(len(spots({part: good[part] for part in parts}))):
        for value in random.Random(i).sample(LIMITS, 20):
            document = copy.deepcopy(good)
            node, key = spots({part: document[part] for part in parts})[i]
            (document if key in parts else node)[key] = copy.deepcopy(value)
            found.append(sealed(document))
    for document, verdict in zip(found, ask("judge.js", found), strict=True):
        why = refusal(document)
        assert verdict["accepted"] or why, f"the browser alone refuses: {verdict['why']}"
        if verdict["accepted"] and why:
            assert any(one in why for one in DERIVED), f"Python alone refuses: {why}\n{document}"


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_no_question_spends_more_than_twenty(name: str) -> None:
    """ε = 630 sends "no" in clear: both sides refuse it wherever it stands."""
    good, found = documents()[name], []
    for node, key in spots(good["definition"]):
        if "epsilon" in str(key) and "metre" not in str(key):
            document = copy.deepcopy(good)
            again = next(
                at for at in spots(document["definition"]) if at[1] == key and at[0] == node
            )
            for huge in ("20.000000000001", "630.0"):
                again[0][key] = huge
                found.append(sealed(copy.deepcopy(document)))
    assert all(map(refusal, found))
    assert not any(one["accepted"] for one in ask("judge.js", found))


def test_no_place_spends_more_than_twenty_over_a_cell_or_one_per_metre() -> None:
    good, found = documents()["place"], []
    good["definition"]["accept_high_epsilon"] = True
    grid: Any = sd.Collection.from_compiled(sealed(good)).questions[0].mechanism
    side = min(grid.grid.cell_height, grid.grid.cell_width)
    for field, value, fits in (
        ("epsilon_per_metre_cap", f"{19.9 / side:.6f}1", True),
        ("epsilon_per_metre_cap", f"{20.1 / side:.6f}1", False),
        ("epsilon_per_metre_cap", "1.000000000001", False),
        ("epsilon_per_metre", "1.000000000001", False),
        ("epsilon_per_metre", "630.0", False),
    ):
        document = copy.deepcopy(good)
        document["definition"]["questions"][0][field] = value
        found.append((sealed(document), fits))
    fit = [fits for _, fits in found]
    assert [not refusal(document) for document, _ in found] == fit
    assert [one["accepted"] for one in ask("judge.js", [document for document, _ in found])] == fit


def test_an_unknown_field_is_refused_everywhere() -> None:
    """A mark by person under a fingerprint of its own: no object takes it."""
    found = []
    for good in documents().values():
        number = sum(isinstance(node[key], dict) for node, key in spots({"all": good}))
        for i in range(number):
            document = copy.deepcopy(good)
            objects = [n[k] for n, k in spots({"all": document}) if isinstance(n[k], dict)]
            objects[i]["mark-of-one-person"] = "5"
            found.append(sealed(document))
    assert all(map(refusal, found))
    assert not any(one["accepted"] for one in ask("judge.js", found))


def test_the_browser_reads_the_same_table() -> None:
    """A choice's part and the rest, which differ in every rule, are the table together."""

    def table(name: str) -> Any:
        text = (MODULES / name).read_text("utf-8")
        return json.loads(text[text.index("= {") + 2 : text.index("\n};") + 2])

    def joined(some: Any, more: Any) -> Any:
        both = {key: joined(some[key], more[key]) for key in some.keys() & more.keys()}
        return {**some, **more, **both}

    assert joined(table("schema.js"), table("schema-rest.js")) == rules()


def _accepting(text: str, flag: object) -> Any:
    """Return the document of a survey, with the flag as it is given; None leaves it out."""
    stated = text.replace("\nlanguages", "\naccept_high_epsilon = true\nlanguages", 1)
    document = json.loads(json.dumps(sd.Collection.from_toml(stated).compiled()))
    del document["definition"]["accept_high_epsilon"]
    if flag is not None:
        document["definition"]["accept_high_epsilon"] = flag
    return sealed(document)


HIGH = HEAD.replace("4.0", "11.0").replace("8.0", "11.0") + QUESTIONS["grr"]
HIGH_CAP = HEAD.replace("8.0", "10.000000000001") + QUESTIONS["grr"]
HIGH_PLACE = HEAD + QUESTIONS["tight"].replace("0.01", "0.100000000001")
"""10.0000000001 for a cell of 100 m: just above ten between neighbours."""


@pytest.mark.parametrize("text", [HIGH, HIGH_CAP, HIGH_PLACE])
@pytest.mark.parametrize(
    ("flag", "right"), [(None, False), (False, False), (1, False), (True, True)]
)
def test_both_sides_ask_who_spends_more_than_ten(text: str, flag: object, right: bool) -> None:
    document = _accepting(text, flag)
    assert (refusal(document) == "") is right
    assert ask("judge.js", [document])[0]["accepted"] is right


@cases(
    "text",
    [
        HIGH_CAP.replace("10.000000000001", "10.0"),
        HIGH_PLACE.replace("0.100000000001", "0.1"),
        HEAD + QUESTIONS["grr"],
    ],
)
def test_ten_need_not_be_accepted_but_may_be(text: str) -> None:
    left_out, stated = _accepting(text, None), _accepting(text, True)
    assert [refusal(one) for one in (left_out, stated)] == ["", ""]
    assert all(one["accepted"] for one in ask("judge.js", [left_out, stated]))
    assert left_out["fingerprint"] == sd.Collection.from_toml(text).fingerprint
    assert sd.Collection.from_toml(
        text.replace("\nlanguages", "\naccept_high_epsilon = false\nlanguages", 1)
    ).fingerprint == left_out["fingerprint"]  # fmt: skip
