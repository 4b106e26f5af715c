"""Health, readiness and totals: what those who run the service see, and nothing about anybody."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import re
import threading
import time
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

import pytest
from teas import TEA

from sudare.collection import Collection
from sudare.collection.definition import RESERVED_NAMES, SERVICE_NAMES
from sudare.collector import BackgroundCollector, Store, create_app
from sudare.collector.postgres.tables import open_tables
from sudare.collector.postgres.telling import PostgresTelling
from sudare.collector.previous_versions import load_survey
from sudare.collector.settings import Settings
from sudare.collector.webhooks import Webhooks, deliver, post
from sudare.errors import CollectionError, DomainError

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


def test_names_that_the_service_needs_are_those_of_its_routes(tea, database):
    """Each first part of an address that could be a survey's name, and no other."""
    app = create_app([tea], database, settings=Settings(operators=True))
    firsts = {route.path.split("/")[1] for route in app.routes}
    assert {"embed.js", "openapi.json"} < firsts
    assert {one for one in firsts if re.fullmatch("[a-z0-9_-]+", one)} == SERVICE_NAMES


def test_new_surveys_of_such_names_are_refused_and_published_ones_keep_their_page(
    database, tmp_path, connect, caplog
):
    """By ``check``, files and definitions that are served; devices read what was published."""
    path = tmp_path / "survey.toml"
    refused = r"collection\.name must not be .* \(api, .* static\), got '{0}'; .* {0}-survey"
    for name in SERVICE_NAMES:
        text = TEA.replace('name = "tea"', f'name = "{name}"')
        path.write_text(text, "utf-8")
        for work in (Collection.load, partial(load_survey, database=database)):
            with pytest.raises(CollectionError, match=refused.format(name)):
                work(path)
    published = [
        Collection.from_toml(TEA.replace('name = "tea"', f'name = "{name}"'), served=True)
        for name in SERVICE_NAMES - RESERVED_NAMES
    ]
    for own in published:
        assert Collection.from_compiled(own.compiled()).fingerprint == own.fingerprint
        with pytest.raises(CollectionError, match=refused.format(own.name)):
            create_app([own], database)
    with Store(database, published):
        pass
    path.write_text(TEA.replace('name = "tea"', 'name = "my"'), "utf-8")
    assert load_survey(path, database).name == "my"
    assert "'my' goes on, but should be mended" in caplog.text
    with BackgroundCollector(published, database) as running:
        for own in published:
            answer = connect(running.url).get(f"/{own.name}")
            kind = answer.headers["content-type"]
            assert (answer.status, kind) == (200, "text/html; charset=utf-8")
            assert connect(running.url).get(f"/{own.name}/results").status == 200
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
        [json.loads(one.body).get("reached") for one in hooks.news(tea, n, last=last)]
        for n, last in asked
    ]
    assert found == [[], [], [10], [], [100, 1000], [None]]


def test_what_is_not_taken_is_told_again_and_not_for_ever(tea):
    sent = []

    async def public(collection):
        return type("Public", (), {"n": len(sent) + 1, "last": False})

    async def refuse(address: str, body: bytes, headers: dict[str, str]) -> bool:
        sent.append((body, headers["webhook-id"]))
        return False

    hooks = Webhooks(("http://127.0.0.1/",), (), public, send=refuse, pauses=(0.01, 0.01))
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


def test_a_message_carries_an_id_and_a_signature(listener, database, connect, monkeypatch, item):
    """As receivers check it (Standard Webhooks 1.0), at each try."""
    server, address = listener
    server.statuses, server.awaited = [500], 2
    monkeypatch.setattr("sudare.collector.webhooks.LOOK_SECONDS", 0.05)
    monkeypatch.setattr("sudare.collector.webhooks.Webhooks.pauses", (0.05,))
    secret = "whsec_" + base64.b64encode(bytes(range(32))).decode()
    tea = Collection.from_toml(TEA)
    settings = Settings(webhooks=(address,), webhooks_secret=secret)
    assert secret not in repr(settings)
    with BackgroundCollector([tea], database, settings=settings) as running:
        connect(running.url).send({"fingerprint": tea.fingerprint, **item()})
        assert server.done.wait(20)
    ids = set()
    for headers, told in server.told[:2]:
        id, moment = headers["webhook-id"], headers["webhook-timestamp"]
        assert abs(int(moment) - time.time()) < 60
        body = json.dumps(told, separators=(",", ":"))
        made = hmac.new(bytes(range(32)), f"{id}.{moment}.{body}".encode(), "sha256").digest()
        assert headers["webhook-signature"] == f"v1,{base64.b64encode(made).decode()}"
        ids.add(id)
    assert len(ids) == 1, "the same news"
    assert re.fullmatch("msg_[0-9a-f]{32}", ids.pop())


def test_what_is_no_secret_of_webhooks(tmp_path, database, tea):
    good = "whsec_" + base64.b64encode(bytes(24)).decode()
    file = tmp_path / "secret"
    file.write_text(f"{good}\n")
    for told in ({"webhooks_secret": good}, {"webhooks_secret_file": str(file)}):
        create_app([tea], database, settings=Settings(webhooks=("https://a.example",), **told))
    short = "whsec_" + base64.b64encode(bytes(23)).decode()
    for wrong in ("secret", good[6:], short, good + "!", "whsec_", "whsec_" + "A" * 200):
        with pytest.raises(DomainError, match="webhooks_secret must be whsec_"):
            create_app([tea], database, settings=Settings(webhooks_secret=wrong))
    both = Settings(webhooks_secret=good, webhooks_secret_file=str(file))
    with pytest.raises(DomainError, match="one of the two"):
        create_app([tea], database, settings=both)


@contextmanager
def dripping():
    """Serve addresses that answer a byte of a head at a time, without end."""
    taken, ends = [], threading.Event()

    class Dripping(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(self.path)
            with suppress(OSError):
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not ends.wait(0.1):
                    self.wfile.write(b"x")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", taken
    finally:
        ends.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_receivers_that_drip_keep_nobody_waiting(database, connect, monkeypatch, item):
    monkeypatch.setattr("sudare.collector.webhooks.LOOK_SECONDS", 0.05)
    tea = Collection.from_toml(TEA)
    with dripping() as (url, taken):
        told = tuple(f"{url}/{number}" for number in range(20))
        running = BackgroundCollector([tea], database, settings=Settings(webhooks=told))
        with running:
            api = connect(running.url)
            body = {"fingerprint": tea.fingerprint, "reports": [item() for _ in range(100)]}
            assert api.send(body).status == 202
            end = time.monotonic() + 20
            while len(set(taken)) < 20 and time.monotonic() < end:
                time.sleep(0.02)
            assert len(set(taken)) == 20
            start = time.monotonic()
            body["reports"] = [item() for _ in range(100)]
            assert api.send(body).status == 202
            assert time.monotonic() - start < 1
            start = time.monotonic()
        assert time.monotonic() - start < 5


def test_one_deadline_is_for_all_of_a_delivery(monkeypatch):
    monkeypatch.setattr("sudare.collector.webhooks.SECONDS", 0.5)
    with dripping() as (url, taken):
        start = time.monotonic()
        assert not asyncio.run(deliver(url, b"{}", {}))
        assert time.monotonic() - start < 2
        end = time.monotonic() + 10
        while any(one.name == "sudare-webhook" for one in threading.enumerate()):
            assert time.monotonic() < end, "nobody goes on to read"
            time.sleep(0.02)
    assert taken


def test_several_processes_tell_once(address, tea):
    """Whichever sees it first; where that one dies, another one after its lease."""
    open_tables(address).close()
    told = []

    async def public(collection):
        return type("Public", (), {"n": 7, "last": False})

    async def take(address: str, body: bytes, headers: dict[str, str]) -> bool:
        told.append((address, headers["webhook-id"]))
        return True

    async def run() -> None:
        places = ("http://127.0.0.1/a", "http://127.0.0.1/b")
        hooks = [
            Webhooks(places, (), public, shared=PostgresTelling(address), send=take)
            for _ in range(3)
        ]
        for one in hooks:
            one._known[tea.name] = (0, False)
        tasks = [asyncio.create_task(one.run(lambda: [tea])) for one in hooks]
        await asyncio.sleep(2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())
    assert len(told) == len(set(told)) == 2
    first, second = PostgresTelling(address), PostgresTelling(address)
    assert (first.take("m", "x"), second.take("m", "x"), second.take("m", "y")) == (
        True,
        None,
        True,
    )
    assert first.take("m", "x"), "it tries again"
    with closing(open_tables(address)) as connection:
        connection.execute("UPDATE told SET until = now() - interval '1 second'")
    assert second.take("m", "x"), "the first has died"
    second.finish("m", "x")
    assert (first.take("m", "x"), second.take("m", "x")) == (False, False)
