"""Ordinal scales: scores in the definition, their mean and its interval in the results."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection.canonical import fingerprint
from tests.cases import cases

SCALE = """
[collection]
name = "scale"
epsilon = 2.0
[[question]]
id = "taste"
type = "choice"
text = "How does it taste?"
choices = ["bad", "fair", "good"]
scores = [-1, 0.5, 2]
"""


def question(text: str = SCALE) -> Any:
    return sd.Collection.from_toml(text).questions[0]


def test_scores_are_exact_and_under_the_fingerprint() -> None:
    c = sd.Collection.from_toml(SCALE)
    assert c.questions[0].scores == (-1, Fraction(1, 2), 2)
    told = c.definition()["questions"][0]
    assert told["scores"] == ["-1.0", "0.5", "2.0"]
    again = sd.Collection.from_compiled(json.loads(json.dumps(c.compiled())))
    assert again == c
    for other in ("[-1, 0.50, 2.0]", "[-1.0, 0.5, 2]"):
        assert (
            sd.Collection.from_toml(SCALE.replace("[-1, 0.5, 2]", other)).fingerprint
            == c.fingerprint
        )
    other = sd.Collection.from_toml(SCALE.replace("0.5", "0.4"))
    plain = sd.Collection.from_toml(SCALE.replace("scores", "# scores"))
    assert len({c.fingerprint, other.fingerprint, plain.fingerprint}) == 3
    assert "scores" not in plain.definition()["questions"][0]
    assert plain.questions[0].mechanism == c.questions[0].mechanism


@cases(
    "scores",
    ["[1, 2]", "[1, 2, 3, 4]", "[]", "5", '"1"', "[1, 2, nan]", "[1, 2, inf]", "[1, 2, true]",
     '[1, 2, "x"]', "[1, 2, [3]]", "[1, 2, 1e10]", "[1, 2, 1e-99999999]",
     '["1.0", "2.0", "3.0"]', "[1, 2, -1e99999999]", "[1, 2, 0.1234567890123]",
     "{ a = 1 }"])  # fmt: skip
def test_broken_scores_are_named(scores: str) -> None:
    with pytest.raises(sd.CollectionError) as caught:
        question(SCALE.replace("[-1, 0.5, 2]", scores))
    assert caught.value.argument.startswith("question[0].scores")


@cases(
    "scores",
    [None, [], ["1.0", "2.0"], ["-1.0", "0.5", 2.0], ["-1.0", "0.5", "nan"], ["-1", "0.5", "2.0"],
     ["-1.0", "0.50", "2.0"], ["-1.0", "0.5", "2.0", "3.0"], "123", ["-1.0", "0.5", "1e3"],
     ["-1.0", "-0.0", "2.0"], ["-1.0", "0.5", None], ["-1.0", "0.5", "\u0662.0"]])  # fmt: skip
def test_a_document_with_other_scores_is_refused(scores: Any) -> None:
    document = sd.Collection.from_toml(SCALE).compiled()
    document["definition"]["questions"][0]["scores"] = scores
    document["fingerprint"] = fingerprint(document["definition"])
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(document)


def test_the_mean_is_of_those_who_answered() -> None:
    q = question()
    truth = np.array([1000, 2000, 3000, 4000])
    counts = q.mechanism.simulate(truth, rng=sd.Entropy.seeded(b"scale"))
    result = q.results(counts, "respondents", 0.95)
    mean = result["mean"]
    exact = (-1000 + 1000 + 6000) / 6000
    assert abs(mean["value"] - exact) < 5 * mean["stderr"] < 0.5
    estimate = q.mechanism.estimate(counts, target="respondents").mean([-1, 0.5, 2, math.nan])
    low, high = estimate.interval(0.95)
    assert mean == {"value": estimate.value, "stderr": estimate.stderr, "low": low, "high": high}
    assert q.results(counts, "population", 0.95)["mean"]["stderr"] > mean["stderr"]
    assert [cell["choice"] for cell in result["cells"]] == list(q.choices)


def test_without_anybody_there_is_no_mean() -> None:
    q = question()
    nothing = dict.fromkeys(("value", "stderr", "low", "high"))
    assert q.results(sd.Counts((0, 0, 0, 0), 0), "population", 0.95)["mean"] == nothing
    assert q.results(sd.Counts((0, 0, 0, 9), 9), "population", 0.95)["mean"] == nothing
    plain = question(SCALE.replace("scores", "# scores"))
    assert "mean" not in plain.results(sd.Counts((1, 1, 1, 1), 4), "population", 0.95)


def test_everybody_may_have_to_answer() -> None:
    q = question(SCALE + "prefer_not_to_say = false\n")
    assert q.results(sd.Counts((5, 0, 5), 10), "population", 0.95)["mean"][
        "value"
    ] == pytest.approx(0.5)
