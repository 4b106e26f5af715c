"""What an owner is told before a survey is served: in English, and by codes that pages say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import sudare
from sudare.collection import Collection
from sudare.collection.checking import CODES, advice
from sudare.collection.drafting import draft

WORDS = Path(sudare.__file__).parent / "web" / "i18n-operator"
ASKED = """
[collection]
name = "smokes"
epsilon = 5
publish_at = 1
languages = ["en", "ar"]
[[question]]
id = "smokes"
type = "choice"
text = { en = "Do you?" }
choices = ["yes", "no"]
[[question]]
id = "much"
type = "choice"
text = { en = "Much?", ar = "?" }
choices = ["some", "more"]
ask_if = { question = "smokes", is = ["yes", "no"] }
"""


FEW_WORDS = """
[collection]
name = "dishes"
epsilon = 4
expected_respondents = 50
[[question]]
id = "dish"
type = "text"
text = "What did you eat last?"
longest = 3
alphabet = "kana"
"""


def surveys() -> list[str]:
    partly = ASKED.replace("[[question]]", '[collection.texts.ar]\nsubmit = "x"\n[[question]]', 1)
    ends = 'closes = 2030-01-31T00:00:00Z\npublish = "end"\n'
    once = ASKED.replace("publish_at = 1\n", "publish_at = 1\n" + ends)
    sure = once.replace("epsilon = 5", "epsilon = 12\naccept_high_epsilon = true")
    places = [
        draft("map", ["place"]).replace('"0.01"', f'"{epsilon}"') for epsilon in ("0.02", "0.06")
    ]
    places[1] = places[1].replace("[collection]", "[collection]\naccept_high_epsilon = true")
    ends = 'opens = 2026-10-12T09:00:00Z\ncloses = 2026-10-20T09:00:00Z\nrepeats = "weekly"\n'
    rounds = draft("tea", ["choice"]).replace("[[question]]", f"{ends}[[question]]", 1)
    return [partly, sure, ASKED, *places, FEW_WORDS, rounds]


def test_every_code_is_told_with_what_pages_need_to_say_it() -> None:
    found = [one for text in surveys() for one in advice(Collection.from_toml(text))]
    assert {one.code for one in found} == set(CODES)
    for path in sorted(WORDS.glob("*.json")):
        words = json.loads(path.read_text("utf-8"))
        assert {key for key in words if key.startswith("operator.warning.")} == {
            f"operator.warning.{code}" for code in CODES
        }
        for one in found:
            places = set(re.findall(r"\{(\w+)\}", words[f"operator.warning.{one.code}"]))
            assert places <= set(one.parameters), (path.name, one.code)
    told = [one.to_json() for one in found]
    assert json.loads(json.dumps(told)) == told
    assert all(set(one) == {"code", "parameters", "text"} for one in told)


def test_a_place_says_which_cells() -> None:
    told = advice(Collection.from_toml(surveys()[3]))
    (high,) = [one for one in told if one.code == "high-epsilon.place"]
    assert high.parameters == {"question": "where", "epsilon": "5.0", "sure": "99.34"}
    assert high.text.startswith("ε = 5.0 between the nearest cells of where is high: a report can")
    assert "99.34 % sure" in high.text
