"""Malformed, truncated, foreign and replayed requests, a great many: no fault, nothing stored.

``SUDARE_ATTACKS`` says how many; a million took 15 minutes beside other work.
"""

from __future__ import annotations

import json
import os
import random
import re
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from sudare.collector import BackgroundCollector

NUMBER = int(os.environ.get("SUDARE_ATTACKS", "3000"))
TOGETHER = 30
"""Requests that are sent before an answer is read."""

SINGLE = "/api/v1/collections/tea/reports"
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


def request(path: str, body: bytes, method: str = "POST", kind: str = "application/json") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body


class Attacker:
    """Draws requests; each leaves the connection usable."""

    def __init__(self, stored: list[dict[str, str]], seed: int) -> None:
        self.draw = random.Random(seed)
        self.stored = [json.dumps(one).encode() for one in stored]
        self.kinds = [
            *(self.replayed, self.changed, self.truncated, self.flipped, self.foreign),
            *(self.misplaced, self.elsewhere, self.mistyped, self.nonsense, self.batched),
        ]

    def one(self) -> bytes:
        return self.draw.choice(self.kinds)(self.draw.choice(self.stored))

    def replayed(self, good: bytes) -> bytes:
        """The very same report once more: acknowledged again, and not counted."""
        return request(SINGLE, good)

    def changed(self, good: bytes) -> bytes:
        """Another report under a known id."""
        message = json.loads(good)
        return request(SINGLE, json.dumps({**message, "report": "BgU"}).encode())

    def truncated(self, good: bytes) -> bytes:
        return request(SINGLE, good[: self.draw.randrange(len(good))])

    def flipped(self, good: bytes) -> bytes:
        """Bytes of what is not the id: another id would be another person's report."""
        raw = bytearray(good)
        raw[0] = 0x7C
        for _ in range(self.draw.randrange(1, 6)):
            raw[self.draw.randrange(len(raw))] = self.draw.randrange(256)
        raw[0] = 0x7C
        return request(SINGLE, bytes(raw))

    def foreign(self, good: bytes) -> bytes:
        message = json.loads(good)
        other = self.draw.randbytes(32).hex()
        fresh = self.draw.randbytes(16).hex()
        return request(SINGLE, json.dumps({**message, "id": fresh, "fingerprint": other}).encode())

    def misplaced(self, good: bytes) -> bytes:
        paths = ("/tea", "/", SINGLE + "x", f"{SINGLE}/batch", "/api/v1/collections/tea/results")
        return request(self.draw.choice(paths), good)

    def elsewhere(self, good: bytes) -> bytes:
        name = self.draw.randbytes(6).hex()
        return request(f"/api/v1/collections/{name}/reports", good)

    def mistyped(self, good: bytes) -> bytes:
        kinds = ("text/plain", "application/xml", "application/json; charset=utf-16", "")
        return request(SINGLE, good, kind=self.draw.choice(kinds))

    def nonsense(self, good: bytes) -> bytes:
        methods = ("POST", "PUT", "DELETE", "PATCH", "GET", "OPTIONS")
        body = self.draw.randbytes(self.draw.randrange(200))
        return request(SINGLE, body, self.draw.choice(methods))

    def batched(self, good: bytes) -> bytes:
        """A batch in which one report is wrong: none of it is taken."""
        message = json.loads(good)
        one = {"id": self.draw.randbytes(16).hex(), "report": message["report"]}
        wrong = {**one, "id": self.draw.randbytes(16).hex(), "report": "////"}
        body = {"fingerprint": message["fingerprint"], "reports": [one, wrong]}
        return request(f"{SINGLE}/batch", json.dumps(body).encode())


def statuses(client: socket.socket, number: int) -> Iterator[int]:
    """Yield the statuses of so many answers, read to their ends."""
    kept = b""
    for _ in range(number):
        while (end := kept.find(b"\r\n\r\n")) < 0:
            kept += received(client)
        size = int(_LENGTH.search(kept[: end + 2])[1])
        while len(kept) < end + 4 + size:
            kept += received(client)
        yield int(kept[9:12])
        kept = kept[end + 4 + size :]
    assert not kept


def received(client: socket.socket) -> bytes:
    part = client.recv(1 << 16)
    assert part, "the connection was closed"
    return part


def memory() -> int:
    with open("/proc/self/status") as status:
        (line,) = [line for line in status if line.startswith("VmRSS")]
    return int(line.split()[1]) << 10


def attack(address: tuple[str, int], attacker: Attacker, number: int) -> Counter[int]:
    found: Counter[int] = Counter()
    with socket.create_connection(address, timeout=60) as client:
        for start in range(0, number, TOGETHER):
            some = [attacker.one() for _ in range(min(TOGETHER, number - start))]
            client.sendall(b"".join(some))
            found.update(statuses(client, len(some)))
    return found


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux alone tells")
def test_a_great_many_attacks_store_nothing(tea, database, connect, message, capsys):
    stored = [message() for _ in range(50)]
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)
        assert all(api.send(one).status == 202 for one in stored)
        parts = urlsplit(running.url)
        address = (parts.hostname, parts.port)
        attacker = Attacker(stored, seed=20261123)
        found = attack(address, attacker, 1000)  # what is made once is made
        before, size = memory(), bytes_on_disk(database)
        found += attack(address, attacker, NUMBER - 1000)
        grown = memory() - before
        assert api.n() == len(stored)
    assert max(found) < 500
    assert {202, 400, 404, 405, 409, 415} <= set(found)
    assert found.total() == NUMBER
    assert grown < 40 << 20
    # an id that is known is written once more before it is known to be: it goes with the next fold
    assert bytes_on_disk(database) <= size + (8 << 20)
    with BackgroundCollector([tea], database) as running:  # as the disk has it
        assert connect(running.url).n() == len(stored)
    if "SUDARE_ATTACKS" in os.environ:
        with capsys.disabled():
            print(
                f"\n{NUMBER:,} attacks: {dict(found)}, {grown / 2**20:.1f} MiB more",
                file=sys.stderr,
            )


def bytes_on_disk(database) -> int:
    return sum(path.stat().st_size for path in database.parent.glob(f"{database.name}*"))
