"""A collector with a held data set and a collection, on a real socket, and a real HTTP client."""

from __future__ import annotations

import http.client
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import sudare as sd
from sudare.collector import BackgroundCollector
from sudare.ledger import Ledger, Tokens
from sudare.release.api import Limit, Queries, openapi
from sudare.release.definition import Definition

sys.path.insert(0, str(Path(__file__).parents[1] / "collector"))

from described import Description

CANARY = "kanarienvogel"
"""A name in the data that no answer, error or log may show."""

SCORES = """
name = "scores"
title = "Scores of a school"
file = "scores.csv"
[budget]
epsilon = 1
[bounds]
score = [0, 100]
height = [100, 220]
[categories]
sex = ["f", "m"]
[columns]
score = "whole"
"""

TEA = """
[collection]
name = "tea"
epsilon = 2.0
publish_at = 1
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
choices = ["green", "black"]
"""


@dataclass(frozen=True)
class Reply:
    """A response, read to its end."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Service:
    """A running collector, its ledger, and a token of ann's for the scores."""

    url: str
    ledger: Ledger
    tokens: Tokens
    secret: str
    collection: sd.Collection
    description: Description = field(default_factory=lambda: Description(openapi()))

    def request(
        self, method: str, path: str, body: Any = None, secret: str | None = "", **headers: str
    ) -> Reply:
        """Send a request; the token is ann's unless another one, or None, is given."""
        token = self.secret if secret == "" else secret
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            named.setdefault("authorization", f"Bearer {token}")
        raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if raw is not None:
            named.setdefault("content-type", "application/json")
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        try:
            connection.request(method, path, raw, named)
            answer = connection.getresponse()
            given = {name.lower(): value for name, value in answer.getheaders()}
            body = answer.read()
            place = path if path.startswith("/api") else f"/api/v1{path}"
            if "/datasets" in place:  # whatever is answered is as described
                self.description.check(method, place, answer.status, given["content-type"], body)
            return Reply(answer.status, given, body.decode())
        finally:
            connection.close()

    def ask(self, query: Any, name: str = "scores", secret: str | None = "") -> Reply:
        return self.request("POST", f"/datasets/{name}/queries", query, secret)

    def spent(self) -> dict[str, Any]:
        return {one.name: one.spent for one in self.ledger.accounts()}


def write_scores(folder: Path) -> Definition:
    """Write a thousand people, one of whom has a telling name and a telling number."""
    rows = [f"{i % 101},{150 + i % 40 + 0.5},{'fm'[i % 2]}" for i in range(999)]
    lines = ["score,height,sex", *rows, f"31337,1234.5,{CANARY}"]
    (folder / "scores.csv").write_text("\n".join(lines) + "\n")
    (folder / "scores.toml").write_text(SCORES)
    return Definition.load(folder / "scores.toml")


@pytest.fixture
def rate() -> int:
    """Return how many requests a minute a token has."""
    return 100_000


@pytest.fixture
def service(tmp_path: Path, rate: int) -> Iterator[Service]:
    """Run it, with a ledger in a file."""
    with running(str(tmp_path / "ledger.db"), tmp_path, rate) as one:
        yield one


@contextmanager
def running(where: str, folder: Path, rate: int) -> Iterator[Service]:
    """Run it with a ledger somewhere."""
    with Ledger(where) as ledger:
        ledger.open("ann", epsilon=0.5)
        tokens = Tokens(ledger)
        queries = Queries([write_scores(folder)], ledger, limit=Limit(rate))
        collection = sd.Collection.from_toml(TEA)
        with BackgroundCollector([collection], folder / "reports.db", queries=queries) as collector:
            secret = tokens.issue("ann", ["query:scores"])
            yield Service(collector.url, ledger, tokens, secret, collection)


@pytest.fixture
def anywhere(where: str, tmp_path: Path) -> Iterator[Service]:
    """Run it, with a ledger in a file and with one in PostgreSQL."""
    with running(where, tmp_path, 100_000) as one:
        yield one
