"""Results and counts: the API says what the mechanism says, on the same counts."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Collection
from sudare.estimation import Counts
from sudare.planning.respondents import least_answers
from sudare.poisoning.bits import count_bits

PAYLOADS = [bytes([i % 7 % 6, (3 * i) % 32]) for i in range(700)]


def test_no_reports_no_numbers(api, tea):
    body = api.get("/api/collections/tea/results").json
    assert body["n"] == 0
    assert body["fingerprint"] == tea.fingerprint
    cell = body["questions"][0]["cells"][0]
    names = ("share", "stderr", "low", "high", "projected")
    assert cell == {"choice": "oi-ocha", **dict.fromkeys(names)}
    assert [question["warnings"] for question in body["questions"]] == [[], []]
    assert [len(question["cells"]) for question in body["questions"]] == [6, 5]


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("confidence", [0.95, 0.5])
def test_results_equal_the_mechanisms_estimate(
    api, tea: Collection, batch, item, target, confidence
):
    assert api.send(batch([item(payload) for payload in PAYLOADS])).status == 202
    answer = api.get(f"/api/collections/tea/results?target={target}&confidence={confidence}")
    assert answer.headers["cache-control"] == "no-store"
    body = answer.json
    assert (body["n"], body["target"], body["confidence"]) == (700, target, confidence)
    assert body["epsilon"] == tea.definition()["epsilon"]
    assert (body["opens"], body["closes"]) == (None, None)
    assert "submission" in body["covers"]
    assert body["cautions"] == []
    tallies = tea.tally(b"".join(PAYLOADS))
    for question, counts, told in zip(tea.questions, tallies, body["questions"], strict=True):
        estimate = question.mechanism.estimate(counts, target=target)
        low, high = estimate.interval(confidence)
        cells = told.pop("cells")
        few = [question.choices[cell] for one in estimate.warnings for cell in one.cells]
        assert told.pop("warnings") == ([{"code": "few-reports", "choices": few}] if few else [])
        packed = np.frombuffer(b"".join(PAYLOADS), dtype=np.uint8).reshape(-1, 2)[:, 1:]
        bits = None if question.mechanism.name == "GRR" else count_bits(packed, 5)
        alarmed = sd.poisoning.alarms(question.mechanism, counts, bits=bits, false_alarm=1e-4 / 2)
        assert told.pop("alarms") == alarmed | {"changes": None}
        assert told == {
            "id": question.id,
            "type": "choice",
            "mechanism": question.mechanism.to_json(),
            "epsilon": question.mechanism.epsilon,
            "covers": "one answer to this question",
            "method": "unbiased",
            "least_answers": least_answers(question.mechanism, target),
            "n": 700,
        }
        assert [cell["choice"] for cell in cells] == list(question.choices)
        for name, column in [
            ("share", estimate.shares),
            ("stderr", estimate.stderr),
            ("low", low),
            ("high", high),
            ("projected", question.mechanism.estimate(counts, "projected", target).shares),
        ]:
            assert [cell[name] for cell in cells] == column.tolist()


def test_clients_of_before_have_their_addresses(api, tea: Collection, batch, item):
    first, second, third = (item(payload) for payload in PAYLOADS[:3])
    report = {"fingerprint": tea.fingerprint, **first}
    for body, place in ((report, ""), (batch([second, third]), "/batch")):
        for prefix in ("/api", "/api/v1"):  # the same id again is counted once
            path = f"{prefix}/collections/tea/reports{place}"
            assert api.post(path, body).status == 202
    for path in ("", "/tea", "/tea/results", "/tea/counts", "/tea/versions", "/nothing"):
        one, other = (api.get(f"{prefix}/collections{path}") for prefix in ("/api", "/api/v1"))
        assert (one.status, one.body) == (other.status, other.body)
    for path in ("/datasets", "/datasets/tea"):
        assert api.get(path).body == api.get(f"/api/v1{path}").body
    old, new = (api.get(f"{prefix}/openapi.json").json for prefix in ("", "/api/v1"))
    assert old == new | {"servers": old["servers"]}, "where the same paths begin, seen from each"
    assert api.get("/api/v1/collections/tea/counts").json["n"] == 3
    assert api.get("/api/v2/collections").status == 404


def test_few_reports_come_with_a_warning_and_their_intervals(api, batch, item):
    assert api.send(batch([item(payload) for payload in PAYLOADS[:14]])).status == 202
    for question in api.get("/api/collections/tea/results").json["questions"]:
        choices = [cell["choice"] for cell in question["cells"]]
        assert question["warnings"] == [{"code": "few-reports", "choices": choices}]
        assert all(0 <= cell["low"] < cell["high"] <= 1 for cell in question["cells"])


def test_counts_are_the_tally(api, tea: Collection, batch, item):
    assert api.send(batch([item(payload) for payload in PAYLOADS])).status == 202
    body = api.get("/api/collections/tea/counts").json
    told = [Counts.from_json(json.dumps(body["questions"][q.id])) for q in tea.questions]
    assert tuple(told) == tea.tally(b"".join(PAYLOADS))
    assert body["n"] == 700


def test_the_list_and_the_compiled_document(api, tea):
    listed = api.get("/api/collections").json
    assert listed == {
        "collections": [
            {
                "name": "tea",
                "fingerprint": tea.fingerprint,
                "survey": "/tea",
                "results": "/tea/results",
                "languages": ["en"],
                "title": {"en": "tea"},
                "opens": None,
                "closes": None,
                "closed": False,
            }
        ]
    }
    compiled = api.get("/api/collections/tea").json
    assert compiled == tea.compiled()
    assert Collection.from_compiled(compiled).fingerprint == tea.fingerprint
    assert api.get("/health").json == {"status": "ok"}
