"""Results while they are hammered: made once for all, never behind their step."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sudare.collector import BackgroundCollector, live, results

RESULTS = "/api/collections/tea/results"


@pytest.fixture
def made(monkeypatch):
    """Count how often results are estimated."""
    calls = []
    original = results.results_json

    def counted(*positional, **named):
        calls.append(time.monotonic())
        return original(*positional, **named)

    monkeypatch.setattr(results, "results_json", counted)
    return calls


def test_many_who_ask_at_once_cost_one_estimate(api, message, made):
    assert api.send(message()).status == 202
    with ThreadPoolExecutor(16) as crowd:
        answers = list(crowd.map(lambda _: api.get(RESULTS), range(100)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    assert len(made) == 1
    assert api.get(RESULTS + "?target=respondents").status == 200
    assert len(made) == 2


def test_where_each_report_is_published_everyone_reads_what_was_acknowledged(api, message):
    stop = threading.Event()

    def hammer() -> None:
        while not stop.is_set():
            api.get(RESULTS)

    with ThreadPoolExecutor(4) as crowd:
        for _ in range(3):
            crowd.submit(hammer)
        try:
            for count in range(1, 5):
                assert api.send(message()).status == 202
                assert api.get(RESULTS).json["n"] == count
                assert api.n() == count
        finally:
            stop.set()


def test_a_repeated_report_makes_nothing_new(api, message, made):
    sent = message()
    for _ in range(2):
        assert api.send(sent).status == 202
        assert api.get(RESULTS).json["n"] == 1
    assert len(made) == 1


def test_unusual_requests_are_bounded_and_keep_nobody_else_away(
    tea, database, connect, monkeypatch
):
    entered, release = threading.Event(), threading.Event()
    original = results.results_json

    def slow(*positional, **named):
        if named["confidence"] != 0.95:
            entered.set()
            assert release.wait(20)
        return original(*positional, **named)

    monkeypatch.setattr(results, "results_json", slow)
    asked = live.WAITING + 5
    with BackgroundCollector([tea], database) as running, ThreadPoolExecutor(asked) as crowd:
        api = connect(running.url)
        ways = [f"{RESULTS}?confidence=0.{11 + i}" for i in range(asked)]
        told = [crowd.submit(api.get, way) for way in ways]
        try:
            assert entered.wait(20)
            deadline = time.monotonic() + 60
            while sum(one.done() for one in told) < 5 and time.monotonic() < deadline:
                time.sleep(0.01)
            for way in ("", "?confidence=0.95", "?target=respondents"):
                assert api.get(RESULTS + way).status == 200
            assert api.n() == 0
        finally:
            release.set()
        statuses = sorted(one.result().status for one in told)
    assert statuses == [200] * live.WAITING + [503] * 5


def test_a_failure_is_not_remembered(tea, database, connect, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    with BackgroundCollector([tea], database) as running:
        with monkeypatch.context() as broken:
            broken.setattr(results, "results_json", fail)
            assert connect(running.url).get(RESULTS).status == 500
        assert connect(running.url).get(RESULTS).status == 200
