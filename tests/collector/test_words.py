"""Unlisted words over HTTP: reports are kept, and what many wrote is found at each step."""

from __future__ import annotations

import base64
import os
import time

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Collection
from sudare.collector import BackgroundCollector, own_view
from sudare.collector.databases import open_store

SURVEY = """
[collection]
name = "dishes"
epsilon = 8.0
accept_high_epsilon = true
publish_at = 400
publish_every = 400
expected_respondents = 1200
[[question]]
id = "dish"
type = "text"
text = "What did you eat last?"
longest = 3
alphabet = "kana"
epsilon = 5.0
[[question]]
id = "often"
type = "choice"
text = "How often?"
choices = ["daily", "rarely"]
"""
HELD = ["すし"] * 5 + ["そば"] * 3 + ["ぴざ", "prefer-not-to-say"]


@pytest.fixture(scope="module")
def survey() -> Collection:
    return Collection.from_toml(SURVEY)


def submissions(survey: Collection, n: int, label: bytes) -> list[bytes]:
    dish, often = survey.questions
    entropy = sd.Entropy.seeded(label)
    rows = np.array([dish.encode(HELD[i % len(HELD)]) for i in range(n)], dtype=np.uint8)
    program = dish.mechanism.program
    return [
        program.encode_one(report) + often.randomise(i % 3, entropy)
        for i, report in enumerate(program.draw(rows, entropy).tolist())
    ]


def batch(survey: Collection, payloads: list[bytes]) -> dict[str, object]:
    def text(payload: bytes) -> str:
        return base64.urlsafe_b64encode(payload).decode().rstrip("=")

    reports = [{"id": os.urandom(16).hex(), "report": text(one)} for one in payloads]
    return {"fingerprint": survey.fingerprint, "reports": reports}


def results(api, n: int) -> dict[str, object]:
    """Return the question's figures of n reports, once they are public and worked out."""
    for _ in range(600):
        told = api.get("/api/v1/collections/dishes/results").json["questions"][0]
        if told["n"] == n:
            return told
        time.sleep(0.1)
    raise AssertionError(f"no figures of {n} reports: {told['n']}")


def test_what_many_wrote_is_found_at_each_step_and_stays(survey, place, connect) -> None:
    sent = submissions(survey, 1300, b"dishes")
    with BackgroundCollector([survey], place) as running:
        api = connect(running.url)
        assert results(api, 0)["words"] == []
        api.send(batch(survey, sent[:400]), "dishes")
        assert "すし" in [one["word"] for one in results(api, 400)["words"]]
        api.send(batch(survey, sent[400:1200]), "dishes")
        found = results(api, 1200)
        api.send(batch(survey, sent[1200:]), "dishes")  # too few for a step
        counts = api.get("/api/v1/collections/dishes/counts").json["questions"]["dish"]
    assert [one["word"] for one in found["words"]][:2] == ["すし", "そば"]
    for one in found["words"]:
        share = HELD.count(one["word"]) / len(HELD)
        assert abs(one["share"] - share) < 5 * one["stderr"]
        assert one["low"] < one["share"] < one["high"]
        assert one["share"] >= found["threshold"]
    assert (found["false"], found["few"]) == (0.05, 10)
    assert len(counts["support"]) == 2
    assert sum(counts["support"]) == counts["n"] == 1200
    with BackgroundCollector([survey], place) as running:  # its reports of the step are kept
        assert results(connect(running.url), 1200) == found


def test_figures_are_of_the_step_although_more_is_stored(survey, place) -> None:
    """The public sees the reports of its step, the operator all of them."""
    first, second = submissions(survey, 450, b"first"), submissions(survey, 150, b"second")
    own, program = survey.fingerprint, survey.program
    with open_store(place, [survey]) as store:
        store.add(own, os.urandom(16 * len(first)), b"".join(first)).result()
        store.counts(own).result()
        public = store.public(own)
        assert public.n == 450
        heard = public.counts[0].reports
        told = program.decode(b"".join(first))[0]
        assert sorted(heard.tolist()) == sorted(told.tolist()) != told.tolist()
        store.add(own, os.urandom(16 * len(second)), b"".join(second)).result()
        stored = own_view(survey, place).stored
        assert (stored.n, len(stored.counts[0].reports)) == (600, 600)
        store.counts(own).result()
        assert store.public(own).counts[0] is public.counts[0]
        assert list(store.recount(own).result()) == list(store.counts(own).result())
    with open_store(place, [survey]) as store:
        assert (store.public(own).counts[0].reports == heard).all()
