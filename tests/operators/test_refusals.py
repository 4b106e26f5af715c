"""What operators read where a survey file is refused: the words of the service in Japanese."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import sudare as sd
from tests.cases import cases

SOURCE = Path(sd.__file__).parent
WORDS = json.loads((SOURCE / "web" / "i18n-operator" / "ja.json").read_text("utf-8"))
KEYS = [key for key in WORDS if key.startswith(("rule: ", "remedy: "))]
SURVEY = """[collection]
name = "tea"
epsilon = 2
languages = ["en"]
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
choices = ["green", "black"]
"""
NUMBER = 'type = "number"\nlow = 10\nhigh = 1'
SLIPS = [
    ("epsilon = 2", "epsilon = 0"),
    ("epsilon = 2", "epsilon = 50"),
    ("epsilon = 2", 'epsilon = "two"'),
    ("epsilon = 2", ""),
    ("epsilon = 2", "epsilom = 2"),
    ("epsilon = 2", "epsilon = 2\nepsilon_cap = 1"),
    ("epsilon = 2", "epsilon = 2\nauto = 9"),
    ("epsilon = 2", 'epsilon = 2\ncloses = "soon"'),
    ("epsilon = 2", "epsilon = 2\ncloses = 2026-01-01"),
    ("epsilon = 2", "epsilon = 2\npublish_at = 0"),
    ("epsilon = 2", 'epsilon = 2\npublish = "end"'),
    ("epsilon = 2", "epsilon = 2\naccept_high_epsilon = 1"),
    ('"tea"', '"Tea time"'),
    ('"tea"', '"operator"'),
    ('["en"]', '"en"'),
    ('["en"]', '["en", "en"]'),
    ('["en"]', '["english!"]'),
    ('id = "brand"', ""),
    ('type = "choice"', 'type = "chioce"'),
    ('type = "choice"', NUMBER),
    ('text = "Which tea?"', 'text = ""'),
    ('["green", "black"]', '["green"]'),
    ('["green", "black"]', '["green", "green"]'),
    ('["green", "black"]', '["green" "black"]'),
    ('["green", "black"]', '["green", "black"]\nepsilon = 3'),
    ('["green", "black"]', '["green", "black"]\nmechanism = "GRRR"'),
    ('["green", "black"]', '["green", "black"]\nscores = [1]'),
    ('["green", "black"]', '["green", "black"]\nask_if = {question = "x", is = ["y"]}'),
    ('["en"]', '["en"]\ntexts.en = { "how.chance" = "None." }'),
    ('["green", "black"]', '["green", "black"]\nlabels.en = ["Tea", "tea"]'),
    ("[collection]", "[colection]"),
]


def pattern(key: str, *, more: str = ".+") -> str:
    return more.join(map(re.escape, re.split(r"\{\w+\}", key.partition(": ")[2])))


@cases("right, wrong", SLIPS)
def test_a_slip_in_a_survey_file_is_told_in_japanese(right: str, wrong: str) -> None:
    assert right in SURVEY
    with pytest.raises(sd.SudareError) as caught:
        sd.Collection.from_toml(SURVEY.replace(right, wrong, 1))
    told = caught.value.to_json()
    for part in ("rule", "remedy"):
        known = [key for key in KEYS if key.startswith(f"{part}: ")]
        assert told[part] == "" or any(re.fullmatch(pattern(key), told[part]) for key in known)


def test_every_phrase_is_one_that_the_service_says() -> None:
    rooms = ("collection", "collector", "operators", "exact", "samplers", "mechanisms", "shapes")
    texts = [path.read_text("utf-8") for room in rooms for path in (SOURCE / room).rglob("*.py")]
    source = "\n".join(
        [(SOURCE / name).read_text("utf-8") for name in ("errors.py", "definitions.py")]
    )
    source = re.sub(r'"\s*\n\s*f?"', "", source + "\n".join(texts)).replace('\\"', '"')
    for key in KEYS:
        assert re.search(pattern(key, more=".{1,90}?"), source), key
