"""The front: what clients do to connections, on both kinds of them, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from sudare.collector import BackgroundCollector, background, connection_limits, connections, server
from sudare.collector.decoding import Decoder

HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
WEB = Path(str(files("sudare") / "web"))
LARGEST = max(WEB.rglob("*.js"), key=lambda path: path.stat().st_size).relative_to(WEB)
LARGE = b"GET /static/%b HTTP/1.1\r\nHost: x\r\n\r\n" % LARGEST.as_posix().encode()
OK = b'{"status":"ok"}'


def fast():
    from sudare.collector.http_protocol import FastConnection

    return FastConnection


@pytest.fixture(params=["httptools", "h11"])
def kind(request, monkeypatch):
    chosen = fast() if request.param == "httptools" else connections.PlainConnection
    monkeypatch.setattr(server, "connection_class", lambda: chosen)
    return request.param


def listen_with_little_room(host: str, port: int) -> socket.socket:
    """The system itself keeps little of what a client does not read."""
    listener = server.listen(host, port)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    return listener


@pytest.fixture
def waits():
    """Seconds for the next request, and for one exchange."""
    return 3, 2


@pytest.fixture
def address(kind, tea, database, monkeypatch, waits):
    """A collector that takes 16 connections and is not patient."""
    monkeypatch.setattr(server, "connection_limit", lambda: 16)
    monkeypatch.setattr(server, "WAIT_SECONDS", waits[0])
    monkeypatch.setattr(connection_limits, "EXCHANGE_SECONDS", waits[1])
    monkeypatch.setattr(background, "listen", listen_with_little_room)
    with BackgroundCollector([tea], database) as running:
        parts = urlsplit(running.url)
        yield parts.hostname, parts.port


@pytest.fixture
def talk(address):
    """Send bytes and return everything that comes until the server closes."""

    def say(*parts: bytes, half: bool = False) -> bytes:
        with socket.create_connection(address, timeout=60) as client:
            for part in parts:
                client.sendall(part)
                if len(parts) > 1:
                    time.sleep(0.05)
            if half:
                client.shutdown(socket.SHUT_WR)
            return everything(client)

    return say


def everything(client: socket.socket) -> bytes:
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(1 << 16):
            found += part
    return found


def heads(answers: bytes) -> list[int]:
    """The statuses of answers one after the other, whose bodies are JSON in one line."""
    return [int(part[:3]) for part in answers.split(b"HTTP/1.1 ")[1:]]


def closing(request: bytes) -> bytes:
    return request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)


def post(body: bytes, *more: bytes) -> bytes:
    lines = [
        b"POST /api/collections/tea/reports HTTP/1.1",
        b"Host: x",
        b"Content-Type: application/json",
        *(more or [b"Content-Length: %d" % len(body)]),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


# -- what is understood ------------------------------------------------------------------------


def test_requests_that_come_together_are_answered_in_their_order(talk, message):
    body = json.dumps(message()).encode()
    found = talk(HEALTH + post(body) + HEALTH + closing(post(b"{")))
    assert heads(found) == [200, 202, 200, 400]


def test_requests_in_crumbs(address, message):
    whole = post(json.dumps(message()).encode()) + closing(HEALTH)
    with socket.create_connection(address, timeout=60) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, len(whole), 7):
            client.sendall(whole[start : start + 7])
            time.sleep(0.001)
        assert heads(everything(client)) == [202, 200]


def test_bodies_in_chunks(talk, message):
    body = json.dumps(message()).encode()
    chunked = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in (body[:9], body[9:])) + b"0\r\n\r\n"
    request = post(b"", b"Transfer-Encoding: chunked") + chunked
    assert heads(talk(request + closing(HEALTH))) == [202, 200]


def test_a_client_that_waits_to_be_asked_for_the_body(address, message):
    body = json.dumps(message()).encode()
    request = post(b"", b"Content-Length: %d" % len(body), b"Expect: 100-continue")
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(request)
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(body)
        assert client.recv(4096).startswith(b"HTTP/1.1 202 ")


def test_no_body_for_head_and_not_modified(talk):
    found = talk(closing(HEALTH.replace(b"GET", b"HEAD")))
    assert heads(found) == [200]
    assert found.endswith(b"\r\n\r\n")
    assert b"content-length: 15\r\n" in found
    request = b"GET / HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n"
    found = talk(request + closing(HEALTH))
    assert heads(found) == [304, 200]
    assert b"transfer-encoding" not in found


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET /health HTTP/1.0\r\n\r\n", 200),
        (b"GET http://x/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200),
        (b"GET /he%61lth HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200),
        (b"GET /health?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200),
        (b"PUT /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405),
    ],
)
def test_other_forms_of_a_request(talk, kind, request_line, status):
    if kind == "h11" and b"http://" in request_line:
        status = 404
    assert heads(talk(request_line)) == [status]


def test_a_client_that_has_said_everything_still_reads(kind, talk):
    if kind == "httptools":
        assert heads(talk(HEALTH + HEALTH, half=True)) == [200, 200]


def test_no_other_protocol_is_spoken(talk):
    upgrade = (
        b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n"
    )
    assert heads(talk(upgrade)) == [200]


# -- what is not -------------------------------------------------------------------------------

MALFORMED = {
    "nothing of HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(200),
    "blank": b"  \r\n\r\n",
    "no version": b"GET /health\r\nHost: x\r\n\r\n",
    "no host and a bad header": b"GET / HTTP/1.1\r\nHo st: x\r\n\r\n",
    "address that is not ASCII": b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    "two lengths": post(b"{}", b"Content-Length: 2", b"Content-Length: 3"),
    "length and chunks": post(b"", b"Content-Length: 5", b"Transfer-Encoding: chunked")
    + b"0\r\n\r\n",
    "a length below nothing": post(b"", b"Content-Length: -5"),
    "chunks of no length": post(b"", b"Transfer-Encoding: chunked") + b"zz\r\n",
    "unknown coding": post(b"", b"Transfer-Encoding: gzip"),
    "a long head": b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Y: z\r\n" * 9000,
    "a long header": b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 60_000,
    "a long address": b"GET /" + b"y" * 60_000,
    "no host": b"GET /health HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    "the same host twice": b"GET /health HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n",
    "two hosts of an older client": b"GET /health HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n",
    "two hosts before a body": post(b"{}", b"Content-Length: 2", b"Host: y"),
    "two hosts before a large body": post(b"{" * (4 << 20), b"Content-Length: 4194304", b"Host: y"),
}


@pytest.mark.parametrize("waits", [(60, 60)])  # seconds after which nobody waits here
@pytest.mark.parametrize("name", MALFORMED)
def test_what_cannot_be_understood_closes_the_connection(talk, name, kind):
    if kind == "h11" and name == "two hosts before a large body":
        return
    found = talk(MALFORMED[name])
    if kind == "h11" and not found:  # a reset may overtake the answer to more than was read
        return
    (status,) = heads(found)
    assert 400 <= status < 500 or (status == 501 and name == "unknown coding")
    head, _, body = found.partition(b"\r\n\r\n")
    assert b"content-security-policy: default-src 'none'" in head
    assert b"content-type: application/json" in head
    assert b"connection: close" in head
    assert set(json.loads(body)) == {"error"}


NO_HOSTS = [
    *(
        b"a b",
        b"..",
        b".",
        b"a..b",
        b".a",
        b"a..",
        b"[::1",
        b"::1]",
        b"::1",
        b"[]",
        b"[::1]x",
        b"[::g]",
    ),
    *(b"host:99999", b"host:65536", b"host:-1", b"host:80:80", b"host:x", b":80", b"user@host"),
    *(b"http://host", b"host/a", b"host?a", b"host#a", b"a,b", b"a\\b", b'a"b', b"a<b", b"a%00b"),
    *(
        b"a" * 64,
        b"a." * 128 + b"a",
        b"a" * 300,
        b"a\tb",
        b"a\x00b",
        b"a\x01",
        b"a\x7f",
        b"\xe3\x81\x82",
    ),
]
HOSTS = [
    *(
        b"x",
        b"x:",
        b"x:1",
        b"x:65535",
        b"x.",
        b"a.b-c.d_e:80",
        b"127.0.0.1:80",
        b"[::1]",
        b"[::1]:80",
    ),
    *(b"localhost ", b"localhost:80\t", b" \t[::1] \t ", b" "),
    *(b"", b"xn--l8j.example", b"A" * 63, b"a." * 127 + b"a", b"[::ffff:127.0.0.1]:8000"),
]


@pytest.mark.parametrize("waits", [(60, 60)])
def test_what_can_be_no_host_is_refused(talk):
    for host in NO_HOSTS:
        found = talk(b"GET /health HTTP/1.1\r\nHost: %b\r\n\r\n" % host)
        assert heads(found) == [400], host
    for host in HOSTS:
        asked = b"GET /health HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n" % host
        assert heads(talk(asked)) == [200], host


@pytest.mark.parametrize("waits", [(60, 60)])
def test_a_client_that_sends_before_it_reads_learns_that_its_body_is_too_large(address, tea):
    limit = Decoder(tea).batch_limit
    path = "/api/v1/collections/tea/reports"
    for size in (limit + 1, limit + (3 << 20), limit + (20 << 20)):
        for place in (f"{path}/batch", path):
            for body in (b"x" * size, iter([b"x" * (1 << 20)] * ((size >> 20) + 1))):
                client = http.client.HTTPConnection(*address, timeout=60)
                with contextlib.closing(client):
                    kind = {"Content-Type": "application/json"}
                    client.request("POST", place, body, kind)
                    answer = client.getresponse()
                    assert answer.status == 413, (size, place)
                    assert json.loads(answer.read())["error"]["argument"] == "body"


def test_what_is_dropped_has_a_bound(address, monkeypatch, kind):
    if kind == "h11":
        return
    monkeypatch.setattr("sudare.collector.http_protocol.REST_BYTES", 1 << 20)
    head = post(b"", b"Content-Length: 1000000000000")
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(head)
        with pytest.raises(ConnectionError):
            client.sendall(b"x" * (64 << 20))


def test_what_came_before_is_answered_first(talk, message):
    body = json.dumps(message()).encode()
    assert heads(talk(post(body) + HEALTH + b"nonsense\r\n\r\n")) == [202, 200, 400]


def test_trailers_are_bounded(kind, talk, message):
    body = json.dumps(message()).encode()
    request = post(b"", b"Transfer-Encoding: chunked") + b"%x\r\n%b\r\n0\r\n" % (len(body), body)
    found = talk(request + b"X-Y: z\r\n" * 9000)
    assert not found or heads(found)[-1] in (400, 202)


# -- who takes long ----------------------------------------------------------------------------


def never_reads(address, request: bytes, times: int) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(5)
    client.connect(address)
    client.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(times):
            client.send(request)
    return client


def served(address) -> int:
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(HEALTH)
        return heads(client.recv(4096))[0]


def test_who_never_reads_keeps_nobody_out(address, talk):
    assert heads(talk(closing(LARGE)))[0] == 200
    with contextlib.ExitStack() as stack:
        never = [stack.enter_context(never_reads(address, LARGE, 2000)) for _ in range(16)]
        time.sleep(1.5)  # beyond the grace that everybody has
        for _ in range(20):
            assert served(address) == 200
        time.sleep(3)
        assert served(address) == 200
        for client in never:
            client.setblocking(True)
            client.settimeout(10)
            everything(client)  # ends: each was closed


def test_who_sends_a_body_for_ever_keeps_nobody_out(address):
    part = post(b"", b"Content-Length: 500") + b"{"
    with contextlib.ExitStack() as stack:
        for _ in range(16):
            client = stack.enter_context(socket.create_connection(address, timeout=60))
            client.sendall(part)
        assert served(address) in (200, 503)
        time.sleep(1.5)
        for _ in range(20):
            assert served(address) == 200


@pytest.mark.parametrize("waits", [(60, 60)])
def test_a_full_house_says_so(address, monkeypatch):
    monkeypatch.setattr(connection_limits, "GRACE_SECONDS", 60)
    part = post(b"", b"Content-Length: 500") + b"{"
    with contextlib.ExitStack() as stack:
        for _ in range(16):
            client = stack.enter_context(socket.create_connection(address, timeout=60))
            client.sendall(part)
        time.sleep(0.3)
        with socket.create_connection(address, timeout=60) as late:
            late.sendall(HEALTH)
            found = everything(late)
    head, _, body = found.partition(b"\r\n\r\n")
    assert heads(found) == [503]
    for line in (b"retry-after: ", b"connection: close", b"content-security-policy: "):
        assert line in head
    assert json.loads(body)["error"]["argument"] == "connections"


def test_who_takes_long_for_a_body_is_told_or_closed(address):
    with socket.create_connection(address, timeout=60) as slow:
        slow.sendall(post(b"", b"Content-Length: 500") + b"{")
        start = time.monotonic()
        everything(slow)
        assert 1 < time.monotonic() - start < 15


def test_who_reads_slowly_gets_everything(address):
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.settimeout(20)
        slow.connect(address)
        slow.sendall(closing(b"GET /static/css/sudare.css HTTP/1.1\r\nHost: x\r\n\r\n"))
        found = b""
        while part := slow.recv(2048):
            found += part
            time.sleep(0.02)
        head, _, body = found.partition(b"\r\n\r\n")
        (length,) = [line for line in head.split(b"\r\n") if line.startswith(b"content-length")]
        assert int(length.split()[1]) == len(body)


def test_pipelines_are_bounded_and_answered(tea, database, monkeypatch):
    chosen = fast()
    longest = []

    class Watched(chosen):
        def on_headers_complete(self) -> None:
            super().on_headers_complete()
            longest.append(len(self._queue))

    monkeypatch.setattr(server, "connection_class", lambda: Watched)
    with BackgroundCollector([tea], database) as running:
        parts = urlsplit(running.url)
        with socket.create_connection((parts.hostname, parts.port), timeout=60) as client:
            many = HEALTH * 4999 + closing(HEALTH)
            sender = threading.Thread(target=client.sendall, args=(many,))
            sender.start()
            assert heads(everything(client)) == [200] * 5000
            sender.join()
    assert len(longest) == 5000
    assert max(longest) <= 32 + 2048 // len(HEALTH) + 1


def test_who_hangs_up_is_told_to_who_works_for_them(kind):
    """Closed, ended on their side alone, or with so much behind it that no end would be read."""
    ended = []

    async def wait(scope, receive, send):
        while (await receive())["type"] != "http.disconnect":
            pass
        ended.append(scope["path"])

    async def work():
        listener = server.listen("127.0.0.1", 0)
        app = Starlette(routes=[Mount("/", app=wait)])
        running = server.CollectorServer(app, listener, lambda _: None)
        running.config.load()
        running.lifespan = running.config.lifespan_class(running.config)
        await running.startup([listener])
        clients = []
        for number in range(3 if kind == "httptools" else 2):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % number)
            clients.append((reader, writer))
        await asyncio.sleep(0.05)
        assert ended == []
        (_, closes), (_, ends), *more = clients
        closes.close()
        ends.write_eof()
        for _, sends in more:
            sends.write(HEALTH)
        async with asyncio.timeout(10):
            while len(ended) < len(clients):
                await asyncio.sleep(0.005)
        for _, writer in clients:
            writer.close()
        await running.shutdown([listener])

    asyncio.run(work())
    assert sorted(ended) == [f"/{number}" for number in range(len(ended))]


PROGRAM = """
import sys
from sudare.collection import Collection
from sudare.collector import serve
collection = Collection.load(sys.argv[1])
serve([collection], sys.argv[2], port=0, on_ready=lambda url: print(url, flush=True))
"""
TEA = (
    '[collection]\nname = "tea"\nepsilon = 2.0\npublish_at = 1\n'
    '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
)


@pytest.fixture
def child(tmp_path, database):
    """A collector in a process of its own: (process, address)."""
    survey = tmp_path / "tea.toml"
    survey.write_text(TEA)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(survey), str(database)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        parts = urlsplit(process.stdout.readline().strip())
        yield process, (parts.hostname, parts.port)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_who_never_reads_does_not_delay_the_end(child):
    process, address = child
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(never_reads(address, LARGE, 2000))
        time.sleep(0.5)
        start = time.monotonic()
        process.terminate()
        process.wait(20)
        assert time.monotonic() - start < 15


def memory(process) -> int:
    with open(f"/proc/{process.pid}/status") as status:
        (line,) = [line for line in status if line.startswith("VmRSS")]
    return int(line.split()[1]) << 10


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux alone tells")
def test_ten_thousand_idle_connections_stop_nobody(child):
    process, address = child
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    number = min(10_000, hard - 500)
    before = memory(process)
    try:
        with contextlib.ExitStack() as stack:
            slowest = 0.0
            for i in range(number):
                idle = stack.enter_context(socket.create_connection(address, timeout=60))
                if i % 2:
                    idle.sendall(b"GET /health HTTP/1.1\r\nHos")
                if i % 500 == 0:
                    start = time.monotonic()
                    assert served(address) == 200
                    slowest = max(slowest, time.monotonic() - start)
            assert slowest < 8  # a fraction of a second on a machine that is not shared
            assert memory(process) - before < 100 << 20
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux alone tells")
def test_nonsense_gives_no_fault_and_bounded_memory(child):
    process, address = child
    draw = random.Random(20261123)
    good = post(json.dumps({"fingerprint": "0" * 64, "id": "0" * 32, "report": "AA"}).encode())
    before, statuses = memory(process), set()
    for _ in range(20_000):
        raw = bytearray(good)
        for _ in range(draw.randrange(1, 6)):
            raw[draw.randrange(len(raw))] = draw.randrange(256)
        raw = raw[: draw.randrange(1, len(raw) + 1)]
        with socket.create_connection(address, timeout=60) as client:
            client.sendall(raw)
            client.shutdown(socket.SHUT_WR)
            statuses.update(heads(everything(client)))
    assert statuses
    assert max(statuses) < 500
    assert memory(process) - before < 60 << 20
    assert served(address) == 200
