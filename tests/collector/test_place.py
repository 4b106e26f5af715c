"""Places over HTTP: stored, tallied and published; foreign reports refused; who may ask where."""

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
epsilon = 1.0
publish_at = 1
[[question]]
id = "where"
type = "place"
text = "Where?"
origin = [35.0, 139.0]
rows = 15
columns = 20
cell_height = 200
cell_width = 200.0
epsilon_per_metre = 0.01
land = [%s]
[[question]]
id = "often"
type = "choice"
text = "How often?"
choices = ["daily", "rarely"]
"""
ROWS = ["#" * (20 - i) + "." * i for i in range(15)]
OTHER = """
[collection]
name = "other"
epsilon = 1.0
publish_at = 1
[[question]]
id = "often"
type = "choice"
text = "How often?"
choices = ["daily", "rarely"]
"""


@pytest.fixture(scope="module")
def survey() -> Collection:
    return Collection.from_toml(SURVEY % ", ".join(f'"{row}"' for row in ROWS))


@pytest.fixture
def places(survey, database, connect):
    with BackgroundCollector([survey, Collection.from_toml(OTHER)], database) as running:
        yield connect(running.url)


def item(payload: bytes) -> dict[str, str]:
    text = base64.urlsafe_b64encode(payload).decode().rstrip("=")
    return {"id": os.urandom(16).hex(), "report": text}


@pytest.mark.parametrize(
    "payload",
    [
        *(cell.to_bytes(2, "little") + b"\x00" for cell in (39, 299)),  # the sea
        *(cell.to_bytes(2, "little") + b"\x00" for cell in (300, 65535)),  # no map
        bytes(2),
        bytes(4),
        b"",
    ],
)
def test_foreign_reports_are_refused(places, survey, payload):
    answer = places.send({"fingerprint": survey.fingerprint, **item(payload)})
    assert answer.status == 400, answer.body
    assert answer.json["error"]["type"] == "ReportError"


def test_results_are_those_of_the_question(places, survey):
    question = survey.questions[0]
    people = np.repeat(np.flatnonzero(question.on_land), 20)
    reports = question.mechanism.perturb(people, rng=sd.Entropy.seeded(b"walk"))
    payloads = [int(one).to_bytes(2, "little") + b"\x01" for one in reports]
    body = {"fingerprint": survey.fingerprint, "reports": [item(one) for one in payloads]}
    assert places.send(body).status == 202
    counts = survey.tally(b"".join(payloads))[0]
    for target in ("population", "respondents"):
        path = f"/api/collections/tea/results?target={target}&confidence=0.9"
        told = places.get(path).json["questions"][0]
        assert (told["type"], told["n"]) == ("place", people.size)
        assert "epsilon" not in told
        assert told["epsilon_per_metre"] == 0.01
        expected = question.results(counts, target, 0.9)
        assert told["cells"] == expected["cells"]
        assert told["map_method"] == expected["map_method"]
        assert len(told["cells"]) == int(question.on_land.sum())
    stored = places.get("/api/collections/tea/counts").json["questions"]["where"]
    assert stored["support"] == counts.support.tolist()


def test_no_reports_no_figures(places):
    told = places.get("/api/collections/tea/results").json["questions"][0]
    figures = ("share", "stderr", "low", "high", "map")
    assert [told["cells"][0][name] for name in figures] == [None] * 5


def test_a_device_answers_from_the_compiled_document(places):
    device = Client(Collection.from_compiled(places.get("/api/collections/tea").json))
    for cell in (0, (35.001, 139.001), 0):
        try:
            submission = device.answer({"where": cell, "often": "daily"})
        except sd.BudgetExceeded:
            assert cell != 0  # another cell: the cap is spent
        else:
            device.send(submission, f"http://{places.host}")
    assert places.n() == 1


def test_positions_are_allowed_on_the_page_that_asks_for_them(places):
    for path, allowed in (("/tea", "(self)"), ("/other", "()"), ("/tea/results", "()")):
        policy = places.get(path).headers["permissions-policy"]
        assert f"geolocation={allowed}" in policy
