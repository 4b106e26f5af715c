"""What takes long: made in a process of its own, and nobody waits for it who can have earlier."""

from __future__ import annotations

import asyncio
import base64
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from sudare.collection import Collection
from sudare.collector import BackgroundCollector, live, results, worker_process

RESULTS = "/api/collections/tea/results"
WIDE = """
[collection]
name = "wide"
epsilon = 1.0
publish_at = 1
[[question]]
id = "where"
type = "place"
text = "Where?"
origin = [35.0, 139.0]
rows = 32
columns = 32
cell_height = 200
cell_width = 200.0
epsilon_per_metre = 0.005
"""


def test_earlier_figures_are_told_while_newer_ones_are_made(
    tea, database, connect, message, monkeypatch
):
    original, held, freed = results.results_json, threading.Event(), threading.Event()

    def slow(collection, figures, **named):
        assert not held.is_set() or freed.wait(60)
        return original(collection, figures, **named)

    async def nothing(*_: object, **__: object) -> None:
        """No process: bodies are made in the thread."""

    monkeypatch.setattr(results, "results_json", slow)
    monkeypatch.setattr(results, "_wide", lambda collection: True)
    monkeypatch.setattr(worker_process.FigureWorker, "run", nothing)
    monkeypatch.setattr(live, "REST", 0.0)
    monkeypatch.setattr(live, "PATIENCE_SECONDS", 0.2)
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)
        assert api.get(RESULTS).json["n"] == 0
        held.set()
        for _ in range(4):
            assert api.send(message()).status == 202
            assert api.get(RESULTS).json["n"] == 0
        freed.set()
        deadline = time.monotonic() + 60
        while api.get(RESULTS).json["n"] != 4:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_what_was_slow_once_goes_to_the_process(tea, database, connect, message, monkeypatch):
    asked = []

    async def noted(self, make, about, *, odd):
        asked.append((type(make).__name__, odd))

    monkeypatch.setattr(worker_process.FigureWorker, "run", noted)  # None: it could not
    monkeypatch.setattr(live, "SLOW_SECONDS", 0.0)
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)
        assert api.get(RESULTS).status == 200
        assert not asked
        assert api.send(message()).status == 202
        assert api.get(RESULTS).json["n"] == 1
        assert api.get(RESULTS + "?confidence=0.9").json["n"] == 1
    assert ("ResultsBody", False) in asked
    assert ("ResultsBody", True) in asked


def test_the_process_makes_the_same(tea, database, connect, message, monkeypatch):
    bodies = []
    for slow in (False, True):
        monkeypatch.setattr(results, "_wide", lambda collection, slow=slow: slow)
        with BackgroundCollector([tea], database) as running:
            api = connect(running.url)
            if not slow:
                assert api.send(message()).status == 202
            bodies.append(api.get(RESULTS).body)
            bodies.append(api.get(RESULTS.replace("results", "counts")).body)
    assert bodies[0] == bodies[2]
    assert bodies[1] == bodies[3]


def test_a_process_that_dies_is_started_again_and_missed_by_nobody(tea, monkeypatch):
    started, popen = [], subprocess.Popen

    def counted(*positional, **named):
        started.append(popen(*positional, **named))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", counted)
    own, given = worker_process.FigureWorker(), results.CountsBody(tea)

    async def run() -> list[object]:
        own.open()
        found: list[object] = [await own.run(given, None, odd=False)]  # no figures: it cannot
        found.append(await own.run(bytes.upper, b"abc", odd=False))
        started[0].kill()
        started[0].wait()
        found.append(await own.run(bytes.upper, b"abc", odd=True))
        own.close()
        found.append(await own.run(bytes.upper, b"abc", odd=True))
        return found

    assert asyncio.run(run()) == [None, b"ABC", b"ABC", None]
    assert len(started) == 2
    assert all(child.returncode is not None for child in started)


def test_the_process_ends_with_its_pipe():
    child = subprocess.Popen(
        [sys.executable, "-m", "sudare.collector.worker_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    child.stdin.close()
    assert child.stdout.read() == b""
    assert child.wait(30) == 0
    child.stdout.close()


@pytest.fixture
def patience(monkeypatch):
    """As a collector has it that no test waits for."""
    monkeypatch.setattr(live, "PATIENCE_SECONDS", 0.7)


@pytest.mark.slow
def test_a_map_of_a_thousand_cells_is_read_within_a_second(tmp_path, connect, patience):
    own = Collection.from_toml(WIDE)
    (question,) = own.questions
    draw = np.random.default_rng(20261123)
    centres = np.clip(draw.normal(16, 6, (12_000, 2)).round(), 0, 31).astype(np.int64)
    codes = question.mechanism.perturb(centres[:, 0] * 32 + centres[:, 1])
    width = own.program.report_bytes
    payloads = b"".join(int(code).to_bytes(width, "little") for code in codes)
    with BackgroundCollector([own], tmp_path / "wide.sqlite3") as running:
        api = connect(running.url)
        path = "/api/collections/wide/results"
        assert api.get(path).json["n"] == 0
        slowest = 0.0
        for start in range(0, 12_000, 3_000):
            reports = [
                {
                    "id": os.urandom(16).hex(),
                    "report": base64.urlsafe_b64encode(payloads[i * width : (i + 1) * width])
                    .decode()
                    .rstrip("="),
                }
                for i in range(start, start + 3_000)
            ]
            body = {"fingerprint": own.fingerprint, "reports": reports}
            assert api.send(body, "wide").status == 202
            for _ in range(5):
                begun = time.monotonic()
                assert api.get(path).status == 200
                slowest = max(slowest, time.monotonic() - begun)
        print(f"slowest read: {slowest:.2f} s")
        assert slowest < 10, slowest  # a second on a machine that is not shared
        deadline = time.monotonic() + 60
        while api.get(path).json["n"] != 12_000:
            assert time.monotonic() < deadline
            time.sleep(0.5)
