"""``kill -9`` under load, twenty times: no acknowledged report lost, none counted twice."""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from teas import TEA

from sudare.collection import Collection
from sudare.collector import Store

ROUNDS = 20
CLIENTS = 8

PROGRAM = """
import sys
from sudare.collection import Collection
from sudare.collector import serve
collection = Collection.from_toml(sys.stdin.read())
serve([collection], sys.argv[1], port=0, on_ready=lambda url: print(url, flush=True))
"""


class Crowd:
    """Clients that send, remember what was acknowledged, and repeat what was not."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.url = ""
        self.running = threading.Event()
        self.ending = threading.Event()
        self.sent: dict[str, bytes] = {}
        self.acknowledged: set[str] = set()
        self.repeated = 0

    def live(self, seed: int) -> None:
        draw = random.Random(seed)
        waiting: dict[str, bytes] = {}
        while not self.ending.is_set():
            if not self.running.wait(0.1):
                continue
            connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=10)
            try:
                while not self.ending.is_set():
                    if waiting:
                        self.repeated += len(waiting)
                    else:
                        size = 1 if draw.random() < 0.8 else draw.randrange(2, 400)
                        for _ in range(size):
                            payload = bytes([draw.randrange(6), draw.randrange(32)])
                            waiting[os.urandom(16).hex()] = payload
                        self.sent.update(waiting)
                    self.post(connection, waiting)
                    self.acknowledged.update(waiting)
                    if draw.random() < 0.05:  # an acknowledgement that the client did not see
                        self.post(connection, waiting)
                    waiting = {}
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)
            finally:
                connection.close()

    def post(self, connection: http.client.HTTPConnection, reports: dict[str, bytes]) -> None:
        items = [
            {"id": i, "report": base64.urlsafe_b64encode(p).decode().rstrip("=")}
            for i, p in reports.items()
        ]
        path = "/api/collections/tea/reports"
        if len(items) == 1:
            body = {"fingerprint": self.fingerprint, **items[0]}
        else:
            path += "/batch"
            body = {"fingerprint": self.fingerprint, "reports": items}
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 202, text

    def watch(self) -> None:
        """Read results all the time, so that crashes meet folds as well as commits."""
        while not self.ending.is_set():
            if not self.running.wait(0.1):
                continue
            connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=10)
            try:
                while not self.ending.is_set():
                    connection.request("GET", "/api/collections/tea/results")
                    connection.getresponse().read()
                    time.sleep(0.03)
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)
            finally:
                connection.close()


def _start(database: Path) -> tuple[subprocess.Popen[str], str]:
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    child.stdin.write(TEA)
    child.stdin.close()
    return child, child.stdout.readline().strip()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_kill_9_loses_nothing_and_counts_nothing_twice(database):
    tea = Collection.from_toml(TEA)
    crowd = Crowd(tea.fingerprint)
    threads = [threading.Thread(target=crowd.live, args=(seed,)) for seed in range(CLIENTS)]
    threads.append(threading.Thread(target=crowd.watch))
    for thread in threads:
        thread.start()
    draw = random.Random(1)
    pending = []
    try:
        for _ in range(ROUNDS):
            child, crowd.url = _start(database)
            before = len(crowd.acknowledged)
            crowd.running.set()
            time.sleep(0.5 + draw.random())
            child.send_signal(signal.SIGKILL)
            crowd.running.clear()
            assert child.wait(20) == -signal.SIGKILL
            child.stdout.close()
            assert len(crowd.acknowledged) > before
            pending.append(_inbox(database))
    finally:
        crowd.ending.set()
        crowd.running.set()
        for thread in threads:
            thread.join()

    with Store(database, [tea]) as store:
        counts = store.counts(tea.fingerprint).result()
        assert store.recount(tea.fingerprint).result() == counts
    connection = sqlite3.connect(database)
    stored = {i.hex(): p for i, p in connection.execute("SELECT id, payload FROM report")}
    (rows,) = connection.execute("SELECT count(*) FROM report").fetchone()
    (intact,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    assert intact == "ok"
    assert crowd.acknowledged <= stored.keys() <= crowd.sent.keys()
    assert rows == len(stored) == counts[0].n
    assert all(crowd.sent[i] == payload for i, payload in stored.items())
    assert tea.tally(b"".join(stored.values())) == counts
    assert crowd.repeated > 0
    assert max(pending) > 0  # a crash left something to fold


def _inbox(database: Path) -> int:
    connection = sqlite3.connect(database)
    (n,) = connection.execute("SELECT count(*) FROM inbox").fetchone()
    connection.close()
    return int(n)
