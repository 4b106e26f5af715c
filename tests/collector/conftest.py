"""A small collection, a collector on a real socket, and a plain HTTP client."""

from __future__ import annotations

import base64
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sudare.collection import Collection
from sudare.collector import BackgroundCollector
from sudare.collector.inbox import Row, read_inbox

sys.path.insert(0, str(Path(__file__).parent))

from teas import TEA, Api


def encode(payload: bytes) -> str:
    return base64.urlsafe_b64encode(payload).decode().rstrip("=")


@pytest.fixture(scope="session")
def tea() -> Collection:
    return Collection.from_toml(TEA)


@pytest.fixture(scope="session")
def other() -> Collection:
    return Collection.from_toml(TEA.replace('name = "tea"', 'name = "coffee"'))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "collector.sqlite3"


@pytest.fixture
def address(postgres: str) -> str:
    """Return the address of a database in PostgreSQL without a collector's tables."""
    import psycopg

    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS sudare_collector CASCADE")
    return f"{postgres}/postgres"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, database: Path) -> str:
    """Where a collector keeps everything: what holds of one store holds of the other."""
    if request.param == "sqlite":
        return str(database)
    return str(request.getfixturevalue("address"))


@pytest.fixture
def api(tea: Collection, database: Path):
    with BackgroundCollector([tea], database) as running:
        yield Api(running.url)


@pytest.fixture(scope="session")
def connect():
    """The client class, for tests that start a collector themselves."""
    return Api


@pytest.fixture
def item():
    """Make one report: ``item(payload=..., id=...)``; valid and fresh unless told otherwise."""

    def make(payload: bytes = b"\x02\x05", id: str | None = None) -> dict[str, str]:
        return {"id": id or os.urandom(16).hex(), "report": encode(payload)}

    return make


@pytest.fixture
def message(tea: Collection, item):
    """Make the body of a single report."""

    def make(payload: bytes = b"\x02\x05", id: str | None = None) -> dict[str, str]:
        return {"fingerprint": tea.fingerprint, **item(payload, id)}

    return make


@pytest.fixture
def batch(tea: Collection):
    """Make the body of a batch."""

    def make(reports: list[dict[str, str]]) -> dict[str, Any]:
        return {"fingerprint": tea.fingerprint, "reports": reports}

    return make


@pytest.fixture
def inbox():
    """Return what lies in the inbox beside a database, a row a commit."""

    def read(database: Path) -> list[Row]:
        with closing(sqlite3.connect(database)) as connection:
            (folded,) = connection.execute("SELECT folded FROM fold").fetchone()
        return [row for row in read_inbox(database) if row.seq > folded]

    return read


@pytest.fixture
def file_bytes(database: Path):
    """Return every byte of the database and of the files beside it."""

    def read() -> bytes:
        return b"".join(path.read_bytes() for path in database.parent.glob(database.name + "*"))

    return read
