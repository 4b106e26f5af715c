"""Crosstabs over HTTP: stored, tallied and published; foreign reports refused."""

from __future__ import annotations

import base64
import os

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Client, Collection
from sudare.collector import BackgroundCollector

SURVEY = """
[collection]
name = "tea"
epsilon = 8.0
publish_at = 1
epsilon_cap = 20.0
accept_high_epsilon = true
[[question]]
id = "habit"
type = "crosstab"
text = "You and your bath"
epsilon = 6.0
[[question.attributes]]
id = "age"
text = "Your age"
choices = ["young", "middle", "old"]
[[question.attributes]]
id = "often"
text = "How often?"
choices = ["daily", "rarely"]
prefer_not_to_say = false
[[question]]
id = "taste"
type = "choice"
text = "How is it?"
mechanism = "GRR"
choices = ["bad", "good"]
"""
"""Wire: three bytes, below 4, 2 and 3."""


@pytest.fixture(scope="module")
def survey() -> Collection:
    return Collection.from_toml(SURVEY)


@pytest.fixture
def tables(survey, database, connect):
    with BackgroundCollector([survey], database) as running:
        yield connect(running.url)


def item(payload: bytes) -> dict[str, str]:
    text = base64.urlsafe_b64encode(payload).decode().rstrip("=")
    return {"id": os.urandom(16).hex(), "report": text}


@pytest.mark.parametrize(
    "payload",
    [
        b"\x04\x00\x00",
        b"\x00\x02\x00",
        b"\x00\x00\x03",
        b"\xff\xff\xff",
        b"\x00\x00",
        bytes(4),
        b"",
    ],
)
def test_foreign_reports_are_refused(tables, survey, payload):
    answer = tables.send({"fingerprint": survey.fingerprint, **item(payload)})
    assert answer.status == 400, answer.body
    assert answer.json["error"]["type"] == "ReportError"
    assert tables.n() == 0


def test_results_are_those_of_the_questions(tables, survey):
    rows = np.random.default_rng(1).integers(0, [4, 2, 3], size=(900, 3), dtype=np.uint8)
    rows[:500, 1] = rows[:500, 0] > 1
    items = [item(row.tobytes()) for row in rows]
    assert tables.send({"fingerprint": survey.fingerprint, "reports": items}).status == 202
    tallies = survey.tally(rows.tobytes())
    for target in ("population", "respondents"):
        told = tables.get(f"/api/collections/tea/results?target={target}&confidence=0.9").json
        part, question = told["questions"][0], survey.questions[0]
        assert (part["type"], part["n"]) == ("crosstab", 900)
        assert 6 - 1e-5 < part["epsilon"] <= 6
        assert part["mechanism"] == question.mechanism.to_json()
        expected = question.results(tallies[0], target, 0.9)
        assert part["cells"] == [
            {**cell, "choices": list(cell["choices"])} for cell in expected["cells"]
        ]
        assert part["attributes"] == expected["attributes"]
        assert part["pairs"][0]["dependence"] == expected["pairs"][0]["dependence"]
        assert part["pairs"][0]["dependence"]["low"] > 0
    counts = tables.get("/api/collections/tea/counts").json["questions"]["habit"]
    assert sd.Counts(counts["support"], counts["n"]).support.tolist() == tallies[0].support.tolist()


def test_no_reports_no_figures(tables):
    told = tables.get("/api/collections/tea/results").json["questions"][0]
    cell = dict.fromkeys(("share", "stderr", "low", "high", "projected"))
    assert told["cells"][0] == {"choices": ["young", "daily"], **cell}
    assert told["attributes"][0]["cells"][0] == {"choice": "young", **cell}
    assert told["pairs"][0]["dependence"]["value"] is None


def test_a_device_answers_from_the_compiled_document(tables):
    device = Client(Collection.from_compiled(tables.get("/api/collections/tea").json), cap=20)
    url = f"http://{tables.host}"
    for age in ("old", "prefer-not-to-say", "old"):
        answer = {"habit": {"age": age, "often": "daily"}, "taste": "good"}
        device.send(device.answer(answer), url)
    assert tables.n() == 2
