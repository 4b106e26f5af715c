"""Several answers and scales over HTTP: stored, tallied and published; foreign sets refused."""

from __future__ import annotations

import base64
import os

import pytest

from sudare.collection import Client, Collection
from sudare.collector import BackgroundCollector

SURVEY = """
[collection]
name = "tea"
epsilon = 4.0
publish_at = 1
epsilon_cap = 8.0
[[question]]
id = "teas"
type = "choices"
text = "Which?"
choices = ["green", "black", "white", "oolong", "other", "herbal", "fruit", "iced"]
most = 3
[[question]]
id = "taste"
type = "choice"
text = "How is it?"
mechanism = "GRR"
choices = ["bad", "fair", "good"]
scores = [-1, 0.5, 2]
"""
"""Wire: nine bits of a set and seven padding bits, one byte below 4."""


@pytest.fixture(scope="module")
def survey() -> Collection:
    return Collection.from_toml(SURVEY)


@pytest.fixture
def sets(survey, database, connect):
    with BackgroundCollector([survey], database) as running:
        yield connect(running.url)


def body(survey: Collection, payload: bytes) -> dict[str, str]:
    text = base64.urlsafe_b64encode(payload).decode().rstrip("=")
    return {"fingerprint": survey.fingerprint, "id": os.urandom(16).hex(), "report": text}


@pytest.mark.parametrize(
    "payload",
    [
        b"\x00\x02\x00",  # the first padding bit
        b"\x00\x80\x00",  # the last one
        b"\xff\xff\x00",
        b"\x00\x00\x04",  # no such category
        b"\x00\x00",
        b"\x00\x00\x00\x00",
        b"",
    ],
)
def test_foreign_sets_are_refused(sets, survey, payload):
    answer = sets.send(body(survey, payload))
    assert answer.status == 400, answer.body
    assert answer.json["error"]["type"] == "ReportError"
    assert sets.n() == 0


def test_one_foreign_set_refuses_the_batch(sets, survey):
    def item(payload: bytes) -> dict[str, str]:
        told = body(survey, payload)
        return {"id": told["id"], "report": told["report"]}

    reports = [item(b"\x07\x00\x01"), item(b"\x07\x02\x01"), item(b"\x07\x00\x01")]
    answer = sets.send({"fingerprint": survey.fingerprint, "reports": reports})
    assert answer.status == 400
    assert answer.json["error"]["argument"] == "reports[1].report"
    assert sets.n() == 0


def test_any_set_of_bits_is_a_report_however_many_may_be_ticked(sets, survey):
    assert sets.send(body(survey, b"\xff\x01\x03")).status == 202
    assert sets.n() == 1


def test_results_are_those_of_the_questions(sets, survey):
    payloads = [bytes([i % 256, i % 2, i % 3]) for i in range(600)]
    items = [
        {"id": os.urandom(16).hex(), "report": base64.urlsafe_b64encode(p).decode()}
        for p in payloads
    ]
    assert sets.send({"fingerprint": survey.fingerprint, "reports": items}).status == 202
    tallies = survey.tally(b"".join(payloads))
    for target in ("population", "respondents"):
        told = sets.get(f"/api/collections/tea/results?target={target}&confidence=0.9").json
        for question, counts, part in zip(
            survey.questions, tallies, told["questions"], strict=True
        ):
            assert part["type"] == question.type
            assert part["mechanism"] == question.mechanism.to_json()
            expected = question.results(counts, target, 0.9)
            assert {name: part[name] for name in expected} == expected
    assert "mean" in told["questions"][1]
    counts = sets.get("/api/collections/tea/counts").json["questions"]["teas"]
    assert counts["support"] == tallies[0].support.tolist()


def test_no_reports_no_mean(sets):
    mean = sets.get("/api/collections/tea/results").json["questions"][1]["mean"]
    assert mean == {"value": None, "stderr": None, "low": None, "high": None}


def test_a_device_answers_from_the_compiled_document(sets, survey):
    device = Client(Collection.from_compiled(sets.get("/api/collections/tea").json), cap=20)
    url = f"http://{sets.host}"
    for answer in (["green", "iced"], [], ["green", "iced"]):
        device.send(device.answer({"teas": answer, "taste": "good"}), url)
    assert sets.n() == 2
