"""``auto`` keeps its word: what it ranks has a version, and a survey file keeps its version."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.cli.main import main
from sudare.collection import Choice
from sudare.collection.questions import newest_auto
from sudare.mechanisms import FrequencyOracle, registry

SURVEY = """
[collection]
name = "tea"
epsilon = 4.0
{auto}
[[question]]
id = "brand"
type = "choice"
text = "Which?"
choices = ["a", "b", "c"]
[[question]]
id = "all"
type = "choices"
text = "Which?"
choices = ["a", "b", "c"]
[[question]]
id = "rated"
type = "ratings"
text = "Which?"
items = ["a", "b", "c"]
[[question]]
id = "hours"
type = "number"
text = "How long?"
low = 0
high = 24
"""
FINGERPRINT = "5656d22772175f1835bed324c6be88ba014cc41622afe9fab7de8624e588c3ff"
NAMES = ["GRR", "SetUnary", "StateRR", "Hybrid"]


def survey(auto: str = "") -> sd.Collection:
    return sd.Collection.from_toml(SURVEY.replace("{auto}", auto))


def names(collection: sd.Collection) -> list[str]:
    return [question.mechanism.name for question in collection.questions]


@pytest.fixture
def better(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A later Sudare: a mechanism that ships with it and errs less than all of version 1."""

    class Better(sd.GRR):
        name = "Better"

        def variance(self, shares: Any, *args: Any) -> Any:
            return 0.01 * super().variance(shares, *args)

    Better.__module__ = "sudare.mechanisms.frequency.better"
    registry.register(Better)
    monkeypatch.setattr(Choice, "candidates", {1: Choice.candidates[1], 2: ("GRR", "Better")})
    yield
    del registry._MECHANISMS["Better"]


def test_version_1_is_what_a_file_means_that_states_none() -> None:
    assert (newest_auto(), survey().auto) == (1, 1)
    assert names(survey()) == NAMES
    assert survey().fingerprint == survey("auto = 1").fingerprint == FINGERPRINT
    assert "auto" not in survey().definition()


@pytest.mark.usefixtures("better")
def test_a_better_mechanism_changes_no_file_that_asks_for_none() -> None:
    assert sd.plan(4, 1000, 1.0).best.name == "Better"  # whoever asks today is told of it
    for same in (survey(), survey("auto = 1")):
        assert names(same) == NAMES
        assert same.fingerprint == FINGERPRINT


@pytest.mark.usefixtures("better")
def test_the_next_version_is_asked_for_and_written_down() -> None:
    assert newest_auto() == 2
    later = survey("auto = 2")
    assert names(later) == ["Better", *NAMES[1:]]  # types without a newer list keep theirs
    assert later.definition()["auto"] == 2
    assert later.fingerprint != FINGERPRINT
    assert sd.Collection.from_compiled(json.loads(json.dumps(later.compiled()))) == later


@pytest.mark.usefixtures("better")
@pytest.mark.parametrize(("auto", "told"), [("", True), ("auto = 1", True), ("auto = 2", False)])
def test_the_plan_of_a_file_says_that_there_is_a_newer_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], auto: str, told: bool
) -> None:
    path = tmp_path / "survey.toml"
    path.write_text(SURVEY.replace("{auto}", auto))
    assert main(["plan", str(path)]) == 0
    assert ("auto = 2 in a new survey" in " ".join(capsys.readouterr().out.split())) is told


@pytest.mark.parametrize("auto", ["2", "0", "-1", "true", '"1"', "1.0", "10000000000"])
def test_an_unknown_version_is_refused(auto: str) -> None:
    with pytest.raises(sd.CollectionError, match=r"^collection\.auto must be a"):
        survey(f"auto = {auto}")


def test_a_definition_names_its_mechanisms_and_so_any_version() -> None:
    compiled = json.loads(json.dumps(survey().compiled()))
    from sudare.collection.canonical import fingerprint

    def with_auto(value: object) -> dict[str, Any]:
        definition = {**compiled["definition"], "auto": value}
        return {**compiled, "definition": definition, "fingerprint": fingerprint(definition)}

    assert sd.Collection.from_compiled(with_auto(7)).auto == 7
    for wrong in (1, 0, "2", None, True):  # version 1 has one spelling: none
        with pytest.raises(sd.CollectionError):
            sd.Collection.from_compiled(with_auto(wrong))


def test_every_candidate_is_known_and_gives_a_guarantee() -> None:
    from sudare.collection.questions.base import _TYPES

    for kind in _TYPES.values():
        for listed in kind.candidates.values():
            assert len(set(listed)) == len(listed) > 0
            for name in listed:
                registry.lookup(name, sd.mechanisms.Mechanism)


@pytest.mark.parametrize("k", [2, 5, 30, 300])
@pytest.mark.parametrize("epsilon", ["0.5", "1.5", "3.0", "6.0"])
def test_version_1_ranks_all_oracles_of_the_first_release(k: int, epsilon: str) -> None:
    text = f"""
[collection]
name = "tea"
epsilon = {epsilon}
[[question]]
id = "brand"
type = "choice"
text = "Which?"
prefer_not_to_say = false
choices = {json.dumps([f"c{i}" for i in range(k)])}
"""
    taken: Any = sd.Collection.from_toml(text).questions[0].mechanism
    first = [sd.GRR, sd.OUE, sd.SUE, sd.DyadicUnary]
    errors = [kind(k, float(epsilon)).expected_mse(1000) for kind in first]
    assert isinstance(taken, FrequencyOracle)
    assert np.isclose(taken.expected_mse(1000), min(errors), rtol=1e-12)
