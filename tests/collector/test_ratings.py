"""Ratings over HTTP: stored, tallied and published; foreign reports refused."""

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
id = "teas"
type = "ratings"
text = "Which teas?"
items = ["green", "black", "oolong", "barley"]
epsilon = 6.0
[[question]]
id = "taste"
type = "choice"
text = "How is it?"
mechanism = "GRR"
choices = ["bad", "good"]
"""
"""Wire: three bytes, below 4, 3 and 3."""


@pytest.fixture(scope="module")
def survey() -> Collection:
    return Collection.from_toml(SURVEY)


@pytest.fixture
def shelf(survey, database, connect):
    with BackgroundCollector([survey], database) as running:
        yield connect(running.url)


def item(payload: bytes) -> dict[str, str]:
    text = base64.urlsafe_b64encode(payload).decode().rstrip("=")
    return {"id": os.urandom(16).hex(), "report": text}


@pytest.mark.parametrize(
    "payload",
    [
        b"\x04\x00\x00",
        b"\x00\x03\x00",
        b"\x00\x00\x03",
        b"\xff\xff\xff",
        b"\x00\x00",
        bytes(4),
        b"",
    ],
)
def test_foreign_reports_are_refused(shelf, survey, payload):
    foreign = {"fingerprint": survey.fingerprint, **item(payload)}
    both = {"fingerprint": survey.fingerprint, "reports": [item(b"\0\0\0"), item(payload)]}
    for body in (foreign, both):
        answer = shelf.send(body)
        assert answer.status == 400, answer.body
        assert answer.json["error"]["type"] == "ReportError"
    assert shelf.n() == 0


def test_results_are_those_of_the_questions(shelf, survey):
    draw = np.random.default_rng(1)
    rows = draw.integers(0, [4, 3, 3], size=(900, 3), dtype=np.uint8)
    rows[:500, 1] = rows[:500, 0] // 2
    items = [item(row.tobytes()) for row in rows]
    assert shelf.send({"fingerprint": survey.fingerprint, "reports": items}).status == 202
    tallies = survey.tally(rows.tobytes())
    for target in ("population", "respondents"):
        told = shelf.get(f"/api/collections/tea/results?target={target}&confidence=0.9").json
        part, question = told["questions"][0], survey.questions[0]
        assert (part["type"], part["n"], part["method"]) == ("ratings", 900, "mle")
        assert 6 - 1e-5 < part["epsilon"] <= 6
        assert part["mechanism"] == question.mechanism.to_json()
        expected = question.results(tallies[0], target, 0.9)
        assert (part["items"], part["warnings"]) == (expected["items"], expected["warnings"])
        assert sum(one["n"] for one in part["items"]) == 900
    counts = shelf.get("/api/collections/tea/counts").json["questions"]["teas"]
    assert sd.Counts(counts["support"], counts["n"]).support.tolist() == tallies[0].support.tolist()


def test_no_reports_no_figures(shelf):
    told = shelf.get("/api/collections/tea/results").json["questions"][0]
    nothing = {"value": None, "stderr": None, "low": None, "high": None}
    figures = {"frequency": nothing, "mean": nothing, "level": nothing}
    assert told["items"][0] == {"item": "green", "n": 0, **figures}
    assert told["warnings"] == []


def test_a_device_answers_from_the_compiled_document(shelf):
    device = Client(Collection.from_compiled(shelf.get("/api/collections/tea").json), cap=20)
    url = f"http://{shelf.host}"
    for level in (5, None, 5):
        answer = {"teas": {"green": level, "black": 1, "oolong": None, "barley": 3}}
        device.send(device.answer({**answer, "taste": "good"}), url)
    assert shelf.n() == 2


def test_the_largest_question():
    names = ", ".join(f'"i{i}"' for i in range(500))
    survey = Collection.from_toml(SURVEY.replace('"green", "black", "oolong", "barley"', names))
    question, program = survey.questions[0], survey.program
    program.check_wire(b"\x07\x00\x01\x02")
    with pytest.raises(sd.ReportError):
        program.check_wire(b"\xf4\x01\x01\x02")
    counts = question.mechanism.simulate(50_000, np.full(500, 0.3), np.zeros(500))
    assert len(question.results(counts, "population", 0.95)["items"]) == 500
