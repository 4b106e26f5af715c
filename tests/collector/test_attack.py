"""M2GA on a running collection: an open one raises the alarm, one that draws the item does not."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Client, Collection
from sudare.collector import BackgroundCollector, issue_invites

SHELF = """
[collection]
name = "shelf"
epsilon = 2.0
publish_at = 1
%s
[[question]]
id = "teas"
type = "ratings"
text = "Which of these do you have, and how do you like them?"
items = ["green", "black", "oolong", "barley", "herbal"]
"""
OPEN = Collection.from_toml(SHELF.replace("%s", ""))
INVITED = Collection.from_toml(SHELF.replace("%s", 'admission = "invited"'))
TARGET = 2
HONEST, FAKES = 400, 80


def people(question: Any, n: int, seed: bytes) -> np.ndarray[Any, Any]:
    """Return honest reports of people of whom half have each item."""
    held = np.random.default_rng(7).random((n, 5)) < 0.5
    reports: np.ndarray[Any, Any] = question.mechanism.perturb(
        held, np.zeros((n, 5)), rng=sd.Entropy.seeded(seed)
    )
    return reports


def wires(question: Any, reports: np.ndarray[Any, Any]) -> list[bytes]:
    return [question.mechanism.program.encode_one((key, state)) for key, state in reports.tolist()]


def results(client: Any) -> dict[str, Any]:
    (question,) = client.get("/api/collections/shelf/results").json["questions"]
    found: dict[str, Any] = question
    return found


def test_an_open_collection_raises_the_alarm(database: Path, connect: Any, item: Any) -> None:
    (question,) = OPEN.questions
    honest = wires(question, people(question, HONEST, b"open"))
    attack = sd.poisoning.M2GA(targets=[TARGET])
    fakes = wires(question, attack.reports(question.mechanism, FAKES))
    with BackgroundCollector([OPEN], database) as running:
        client = connect(running.url)
        gains = []
        for part, raised in ((honest, False), (fakes, True)):
            body = {"fingerprint": OPEN.fingerprint, "reports": [item(wire) for wire in part]}
            assert client.send(body, "shelf").status == 202
            told = results(client)
            assert told["alarms"]["raised"] is raised
            assert told["alarms"]["many"] == ([TARGET] if raised else [])
            gains.append(told["items"][TARGET]["frequency"]["value"])
        assert gains[1] - gains[0] > 0.2


def test_an_admitted_collection_refuses_the_attack(database: Path, connect: Any, item: Any) -> None:
    (question,) = INVITED.questions
    codes = issue_invites(INVITED, database, HONEST + FAKES)
    rng = np.random.default_rng(8)
    source = sd.Entropy.seeded(b"invited")
    with BackgroundCollector([INVITED], database) as running:
        client, device = connect(running.url), Client(INVITED)

        def send(wire: bytes, code: str) -> int:
            body = {"fingerprint": INVITED.fingerprint, "invite": code, **item(wire)}
            return int(client.send(body, "shelf").status)

        for code in codes[:HONEST]:
            index = device.admit(running.url, code).index["teas"]
            level = None if rng.random() < 0.5 else 3
            value = question.encode({question.items[index]: level}, index)
            assert send(question.randomise(value, source, index), code) == 202
        before = results(client)
        assert not before["alarms"]["raised"]
        honest = before["items"][TARGET]["frequency"]["value"]

        reports = sd.poisoning.M2GA([TARGET]).reports(question.mechanism, FAKES)
        (wished,) = set(wires(question, reports))  # what it sends to an open collection
        drawn = 0
        for code in codes[HONEST:]:
            index = device.admit(running.url, code).index["teas"]
            status = send(wished, code)
            assert status == (202 if index == TARGET else 400)
            drawn += index == TARGET
            if index != TARGET:  # as the attack goes on where the collector draws the item
                own = question.encode({question.items[index]: None}, index)
                assert send(question.randomise(own, source, index), code) == 202
            assert send(wished, code) == 409
        after = results(client)
        assert after["n"] == HONEST + FAKES
        assert after["items"][TARGET]["n"] == before["items"][TARGET]["n"] + drawn
        # by chance alone the draw of items raises it in 1.6e-4 of all runs
        assert after["alarms"]["many"] == []
        assert after["alarms"]["index_control"] is True
        share = drawn / after["items"][TARGET]["n"]
        low, high = sd.poisoning.manipulation_band(
            question.mechanism.estimate(counts(client, question)), np.full(5, share)
        )
        assert low[TARGET] - 1e-9 <= honest <= high[TARGET] + 1e-9


def counts(client: Any, question: Any) -> sd.Counts:
    data = client.get("/api/collections/shelf/counts").json["questions"]["teas"]
    return sd.Counts(np.array(data["support"]), data["n"])


@pytest.mark.parametrize("collection", [OPEN, INVITED], ids=["open", "invited"])
def test_alarms_are_there_before_the_first_report(
    collection: Collection, database: Path, connect: Any
) -> None:
    with BackgroundCollector([collection], database) as running:
        alarms = results(connect(running.url))["alarms"]
        assert not alarms["raised"]
        assert alarms["index_control"] is collection.invited
        assert alarms["bands"][0]["frequency_low"] == [0.0] * 5
        assert alarms["bands"][0]["frequency_high"] == [1.0] * 5


BREWS = Collection.from_toml(
    """
[collection]
name = "brews"
epsilon = 1.0
publish_at = 1
[[question]]
id = "brew"
type = "choice"
text = "Which?"
mechanism = "OUE"
choices = [{}]
""".format(", ".join(f'"b{i}"' for i in range(43)))
)


def test_fakes_of_one_answer_are_seen_by_their_ones(
    database: Path, connect: Any, item: Any
) -> None:
    """950 honest people, 150 fakes of the maximal gain: by how many ones the reports have, which
    the collector counts; after a restart too, and not where an earlier version counted some."""
    (question,) = BREWS.questions
    m: Any = question.mechanism
    parts = (
        m.perturb(np.arange(950) % 43, rng=sd.Entropy.seeded(b"brews")),
        sd.poisoning.MGA([3]).reports(m, 150),
    )

    def alarms(client: Any) -> Any:
        return client.get("/api/collections/brews/results").json["questions"][0]["alarms"]

    p, q = m.support_probabilities
    ones = [math.floor(p + (m.k - 1) * q)]  # of each fake
    with BackgroundCollector([BREWS], database) as running:
        client = connect(running.url)
        for part, raised in zip(parts, (False, True), strict=True):
            some = [item(row.tobytes()) for row in part]
            message = {"fingerprint": BREWS.fingerprint, "reports": some}
            assert client.send(message, "brews").status == 202
            assert alarms(client)["raised"] is raised
        assert alarms(client)["bits"] == ones
        assert [band["beta"] for band in alarms(client)["bands"]] == [0.01, 0.02, 0.05, 0.1]
    with BackgroundCollector([BREWS], database) as running:
        assert alarms(connect(running.url))["bits"] == ones
    file = sqlite3.connect(database)
    with file:
        file.execute("UPDATE public SET n = n - 1 WHERE question LIKE '%/bits'")
    file.close()
    with BackgroundCollector([BREWS], database) as running:
        found = alarms(connect(running.url))
    assert found["bits"] is None
    assert not found["raised"]


def test_later_reports_are_compared_with_what_was_public(
    database: Path, connect: Any, item: Any
) -> None:
    """The earlier tally stands until three times as many are public, and over a restart."""
    since, row = [], bytes(-(-43 // 8))
    with BackgroundCollector([BREWS], database) as running:
        client = connect(running.url)
        for number in (2, 3, 1, 9, 30):
            reports = [item(row) for _ in range(number)]
            message = {"fingerprint": BREWS.fingerprint, "reports": reports}
            assert client.send(message, "brews").status == 202
            told = client.get("/api/collections/brews/results").json["questions"][0]["alarms"]
            since.append(None if told["changes"] is None else told["changes"]["since"])
    assert since == [None, 2, 5, 6, 15]
    with BackgroundCollector([BREWS], database) as running:
        client = connect(running.url)
        told = client.get("/api/collections/brews/results").json["questions"][0]["alarms"]
        assert told["changes"]["since"] == 15
        ones = b"\xff" * 5 + b"\x07"
        message = {"fingerprint": BREWS.fingerprint, "reports": [item(ones) for _ in range(15)]}
        assert client.send(message, "brews").status == 202
        told = client.get("/api/collections/brews/results").json["questions"][0]["alarms"]
        assert told["changes"]["since"] == 45
        assert told["changes"]["more"] == list(range(43))
