"""Clients that send to servers which are killed under them."""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from teas import TEA

CLIENTS = 8

PROGRAM = """
import os, signal, sys
from sudare.collection import Collection
from sudare.collector import serve
collection = Collection.from_toml(sys.argv[2])
def ready(url):
    print(os.getpid(), url, flush=True)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if not os.fork():
        serve([collection], sys.argv[1], port=0, on_ready=ready)
        os._exit(1)
"""
"""Loads everything once, then starts a server for each line."""


class Servers:
    """Starts servers, each to be killed."""

    def __init__(self, place: str, survey: str = TEA) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, place, survey],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self) -> tuple[int, str]:
        """Start a server; return its process and its address."""
        print("start", file=self._parent.stdin, flush=True)
        server, url = self._parent.stdout.readline().split()
        return int(server), url

    def kill(self, server: int) -> None:
        """Kill one, and wait until it is gone."""
        os.kill(server, signal.SIGKILL)
        with suppress(ProcessLookupError):
            while True:
                os.kill(server, 0)
                time.sleep(0.001)

    def end(self) -> None:
        """Start no more."""
        self._parent.stdin.close()
        self._parent.wait(20)
        self._parent.stdout.close()


class Crowd:
    """Clients that send, remember what was acknowledged, and repeat what was not."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.urls: list[str] = []
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
            connection = http.client.HTTPConnection(
                urlsplit(draw.choice(self.urls)).netloc, timeout=60
            )
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
            connection = http.client.HTTPConnection(urlsplit(self.urls[0]).netloc, timeout=60)
            try:
                while not self.ending.is_set():
                    connection.request("GET", "/api/collections/tea/results")
                    connection.getresponse().read()
                    time.sleep(0.03)
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)
            finally:
                connection.close()

    @contextmanager
    def living(self) -> Iterator[None]:
        """Send while the block lasts, whenever servers run."""
        threads = [threading.Thread(target=self.live, args=(seed,)) for seed in range(CLIENTS)]
        threads.append(threading.Thread(target=self.watch))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.ending.set()
            self.running.set()
            for thread in threads:
                thread.join()
