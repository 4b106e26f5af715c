"""Health, readiness and totals: what those who run the service see, and nothing about anybody."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from teas import TEA

from sudare.collection import Collection
from sudare.collector import BackgroundCollector
from sudare.collector.settings import Settings
from sudare.collector.webhooks import Webhooks, post

SAMPLE = re.compile(r'(?P<name>[a-z_]+)(\{reason="[a-z_]+"\})? (?P<value>[0-9]+)')


def samples(text: str) -> dict[str, int]:
    """Read the text format strictly: each family with its help and its type before its samples."""
    found, family = {}, ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = line.split()[2]
        elif line.startswith("# TYPE "):
            assert line.split()[2] == family
            assert line.split()[3] in ("counter", "gauge")
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match["name"] == family
            found[line.rpartition(" ")[0]] = int(match["value"])
    return found


@pytest.mark.parametrize("path", ["/health", "/healthz", "/readyz"])
def test_a_service_that_runs_says_so(api, path):
    answer = api.get(path)
    assert (answer.status, answer.json) == (200, {"status": "ok"})
    assert answer.headers["cache-control"] == "no-store"


def test_totals_tell_of_refusals_by_reason(api, tea, message):
    for _ in range(3):
        assert api.post("/api/collections/tea/reports", b"{canary").status == 400
    assert api.send(message() | {"fingerprint": "0" * 64}).status == 409
    answer = api.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = samples(answer.body.decode())
    assert found['sudare_refusals_total{reason="malformed"}'] == 3
    assert found['sudare_refusals_total{reason="conflict"}'] == 1
    assert found["sudare_ready"] == 1
    assert found["sudare_public_reports"] == 0
    for word in ("canary", "127.0.0.1", "tea", tea.fingerprint):
        assert word not in answer.body.decode()


def test_of_reports_totals_tell_what_is_public(database, connect, item):
    rare = Collection.from_toml(TEA.replace("publish_at = 1", "publish_at = 200"))
    with BackgroundCollector([rare], database) as running:
        api = connect(running.url)
        for number, public in ((199, 0), (1, 200), (49, 200)):
            many = {"fingerprint": rare.fingerprint, "reports": [item() for _ in range(number)]}
            assert api.send(many).status == 202
            found = samples(api.get("/metrics").body.decode())
            assert found["sudare_public_reports"] == public


def test_totals_can_be_left_out(tea, database, connect):
    with BackgroundCollector([tea], database, settings=Settings(metrics=False)) as running:
        assert connect(running.url).get("/metrics").status == 404


@pytest.mark.parametrize("name", ["healthz", "readyz", "metrics"])
def test_a_collection_of_that_name_keeps_its_page(database, connect, name):
    own = Collection.from_toml(TEA.replace('name = "tea"', f'name = "{name}"'))
    with BackgroundCollector([own], database) as running:
        answer = connect(running.url).get(f"/{name}")
        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert connect(running.url).get("/health").json == {"status": "ok"}


# -- webhooks ----------------------------------------------------------------------------------


class Told(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.told.append((dict(self.headers), json.loads(body)))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        if len(self.server.told) >= self.server.awaited:
            self.server.done.set()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def listener():
    server = HTTPServer(("127.0.0.1", 0), Told)
    server.told, server.statuses, server.awaited, server.done = [], [], 1, threading.Event()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server, f"http://127.0.0.1:{server.server_port}/told?by=sudare"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_publication_is_told_and_nothing_that_is_not_public(
    listener, database, connect, monkeypatch, item
):
    server, address = listener
    monkeypatch.setattr("sudare.collector.webhooks.LOOK_SECONDS", 0.05)
    tea = Collection.from_toml(TEA.replace("publish_at = 1", "publish_at = 20"))
    with BackgroundCollector([tea], database, settings=Settings(webhooks=(address,))) as running:
        api = connect(running.url)
        many = [item() for _ in range(21)]
        for some in (many[:19], many[19:]):
            assert not server.told
            assert api.send({"fingerprint": tea.fingerprint, "reports": some}).status == 202
        assert server.done.wait(20)
        public = api.get("/api/collections/tea/results").json["n"]
    ((headers, told),) = server.told
    assert told == {
        "collection": "tea",
        "fingerprint": tea.fingerprint,
        "n": public,
        "last": False,
    }
    assert headers["Content-Type"] == "application/json"


def test_thresholds_are_told_once_each_when_a_publication_passes_them(tea):
    async def nobody(collection):
        raise AssertionError

    hooks = Webhooks(("http://127.0.0.1/",), (100, 10, 1000), nobody)
    asked = [(5, False), (9, False), (12, False), (99, False), (1200, False), (1300, True)]
    found = [
        [json.loads(body).get("reached") for body in hooks.news(tea, n, last=last)]
        for n, last in asked
    ]
    assert found == [[], [], [10], [], [100, 1000], [None]]


def test_what_is_not_taken_is_told_again_and_not_for_ever(tea):
    sent = []

    async def public(collection):
        return type("Public", (), {"n": len(sent) + 1, "last": False})

    def refuse(address: str, body: bytes) -> bool:
        sent.append(body)
        return False

    hooks = Webhooks(("http://127.0.0.1/",), (), public, refuse, pauses=(0.01, 0.01))
    hooks._known[tea.name] = (0, False)

    async def run() -> None:
        task = asyncio.create_task(hooks.run(lambda: [tea]))
        while len(sent) < 3:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)  # twenty pauses
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    assert len(sent) == 3
    assert len(set(sent)) == 1


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_redirect_is_not_followed_and_a_refusal_is_none_taken(listener, status):
    server, address = listener
    server.statuses.append(status)
    assert not post(address, b"{}")
    assert len(server.told) == 1
    assert post(address, b"{}")
    assert not post("http://127.0.0.1:9/", b"{}")
