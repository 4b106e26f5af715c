"""The small collection of these tests, a plain HTTP client, and patience."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

QUESTIONS = """
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
mechanism = "GRR"
choices = ["oi-ocha", "iyemon", "ayataka", "nama-cha", "meidai-cha"]
[[question]]
id = "place"
type = "choice"
text = "Where?"
mechanism = "OUE"
choices = ["home", "office", "train", "park"]
"""
"""Wire: one byte below 6 (GRR), one byte of 5 bits and 3 padding bits (OUE)."""

TEA = (
    """
[collection]
name = "tea"
epsilon = 2.0
publish_at = 1
"""
    + QUESTIONS
)


def eventually(holds: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something holds, as a running collector sees changes after a moment."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.02)


@dataclass(frozen=True)
class Answer:
    """A response, read to its end."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Api:
    """One request a call, on a connection of its own."""

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection(self.host, timeout=120)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            given = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, given, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, headers=headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", path, raw, {"content-type": "application/json"} | named)

    def send(self, message: dict[str, Any], name: str = "tea") -> Answer:
        batch = "/batch" if "reports" in message else ""
        return self.post(f"/api/collections/{name}/reports{batch}", message)

    def n(self, name: str = "tea") -> int:
        return int(self.get(f"/api/collections/{name}/counts").json["n"])
