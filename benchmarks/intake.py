"""The collector's intake beside a handler that does nothing, and batches beside single reports.

Both servers run in processes of their own and are asked in turns by one client process: 128
connections that are kept, one request at a time on each. The handler that does nothing is the
least ASGI application that reads a body and answers 202, under stock uvicorn with its fastest
parts. The collector decodes, checks, writes to its database and answers when the disk has it.

    python benchmarks/intake.py            # the table, about half a minute
    python benchmarks/intake.py --json     # the same for a program
    python benchmarks/intake.py --database postgresql://…    # another store than a SQLite file
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

TEA = """
[collection]
name = "tea"
epsilon = 2.0
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
mechanism = "GRR"
choices = ["oi-ocha", "iyemon", "ayataka", "nama-cha", "meidai-cha"]
"""
NOTHING = """
import socket, uvicorn
async def app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-type", b"application/json"), (b"content-length", b"14")]
    await send({"type": "http.response.start", "status": 202, "headers": headers})
    await send({"type": "http.response.body", "body": b'{"accepted":1}'})
listener = socket.create_server(("127.0.0.1", 0))
print("http://127.0.0.1:%d" % listener.getsockname()[1], flush=True)
config = uvicorn.Config(app, lifespan="off", log_level="error", access_log=False)
uvicorn.Server(config).run([listener])
"""
COLLECTOR = """
import sys
from sudare.collection import Collection
from sudare.collector import serve
serve([Collection.load(sys.argv[1])], sys.argv[2], port=0, on_ready=lambda u: print(u, flush=True))
"""
CONNECTIONS = 128
BATCH = 1000


@dataclass(frozen=True)
class Server:
    """A server in a process of its own."""

    address: tuple[str, int]
    process: int

    def processor(self) -> float:
        """Return the seconds of processor time that it has taken, in all its threads."""
        threads = Path(f"/proc/{self.process}/task").iterdir()
        return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9


@contextmanager
def server(program: str, *arguments: str) -> Iterator[Server]:
    """Run a server that prints its address."""
    child = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    try:
        parts = urlsplit(child.stdout.readline().strip())
        yield Server((parts.hostname or "", parts.port or 0), child.pid)
    finally:
        child.terminate()
        child.wait()
        child.stdout.close()


def request(path: str, body: bytes) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Client(asyncio.Protocol):
    """One connection: the next request as soon as the last one is answered."""

    def __init__(self, requests: Iterator[bytes], done: asyncio.Future[None]) -> None:
        self._requests, self._done, self.statuses = requests, done, set[bytes]()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._buffer = transport, b""
        self._next()

    def _next(self) -> None:
        found = next(self._requests, None)
        if found is None:
            self._transport.close()
            if not self._done.done():
                self._done.set_result(None)
        else:
            self._transport.write(found)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) >= length:
            self.statuses.add(head[9:12])
            self._buffer = b""
            self._next()


async def answered(server: Server, requests: list[bytes]) -> tuple[float, float]:
    """Return the seconds that the requests took, and those of the server's processor."""
    loop = asyncio.get_running_loop()
    shared, dones, clients = iter(requests), [], []
    start, used = time.perf_counter(), server.processor()
    for _ in range(CONNECTIONS):
        done: asyncio.Future[None] = loop.create_future()
        client = Client(shared, done)
        await loop.create_connection(lambda client=client: client, *server.address)
        clients.append(client)
        dones.append(done)
    await asyncio.gather(*dones)
    spent, used = time.perf_counter() - start, server.processor() - used
    assert set().union(*(client.statuses for client in clients)) == {b"202"}
    return spent, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=3000, help="single reports a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--database", default="", help="address of PostgreSQL; else a new file")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    from sudare.collection import Collection

    run = asyncio.run
    try:
        import uvloop

        run = uvloop.run
    except ImportError:
        pass
    fingerprint = Collection.from_toml(TEA).fingerprint
    report = base64.urlsafe_b64encode(b"\x02").decode().rstrip("=")

    def item() -> dict[str, str]:
        return {"id": os.urandom(16).hex(), "report": report}

    def single() -> bytes:
        body = json.dumps({"fingerprint": fingerprint, **item()}).encode()
        return request("/api/v1/collections/tea/reports", body)

    def batch() -> bytes:
        body = json.dumps({"fingerprint": fingerprint, "reports": [item() for _ in range(BATCH)]})
        return request("/api/v1/collections/tea/reports/batch", body.encode())

    spent: dict[str, list[tuple[float, float]]] = {"nothing": [], "single": [], "batch": []}
    with tempfile.TemporaryDirectory() as folder:
        survey = Path(folder, "tea.toml")
        survey.write_text(TEA)
        database = given.database or str(Path(folder, "tea.sqlite3"))
        with server(NOTHING) as least, server(COLLECTOR, str(survey), database) as collector:
            for _ in range(given.rounds):
                singles = [single() for _ in range(given.n)]
                batches = [batch() for _ in range(max(CONNECTIONS, given.n // 100))]
                spent["nothing"].append(run(answered(least, singles)))
                spent["single"].append(run(answered(collector, singles)))
                spent["batch"].append(run(answered(collector, batches)))
                time.sleep(0.5)
    each = {
        name: [min(seconds) / number for seconds in zip(*rounds, strict=True)]
        for (name, rounds), number in zip(
            spent.items(), (given.n, given.n, len(batches) * BATCH), strict=True
        )
    }
    found = {
        f"{name}, {what}": value * scale
        for name, both in each.items()
        for what, value, scale in zip(("µs", "µs of processor"), both, (1e6, 1e6), strict=True)
    }
    for i, what in enumerate(("time", "processor time")):
        found[f"ratio of nothing to single, {what}"] = each["nothing"][i] / each["single"][i]
        found[f"ratio of single to batch, {what}"] = each["single"][i] / each["batch"][i]
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:45} {value:10,.3f}")


if __name__ == "__main__":
    main()
