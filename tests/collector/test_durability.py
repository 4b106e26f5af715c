"""Acknowledged means on the disk; commits are shared; a disk that fails acknowledges nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import threading
import time

import pytest

from sudare.collector import BackgroundCollector, Store, schema
from sudare.collector.jobs import StoreUnavailable
from sudare.errors import CollectionError, ReportError, StorageError


class Disk:
    """A disk that can be slow, stopped or broken."""

    def __init__(self) -> None:
        self.broken = False
        self.seconds = 0.0
        self.turning = threading.Event()
        self.turning.set()


@pytest.fixture
def disk(monkeypatch):
    disk = Disk()

    class Connection(schema.Connection):
        def execute(self, statement, *arguments):
            if statement == "COMMIT":
                disk.turning.wait(20)
                time.sleep(disk.seconds)
                if disk.broken:
                    raise sqlite3.OperationalError("disk I/O error")
            return super().execute(statement, *arguments)

    monkeypatch.setattr(schema, "Connection", Connection)
    return disk


def test_no_acknowledgement_before_the_commit(disk, tea, database, connect, message):
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)
        disk.turning.clear()
        answers = []
        thread = threading.Thread(target=lambda: answers.append(api.send(message())))
        thread.start()
        thread.join(0.4)
        assert thread.is_alive()
        assert answers == []
        disk.turning.set()
        thread.join(20)
        assert answers[0].status == 202


def test_a_failing_commit_is_not_acknowledged_and_not_counted(
    disk, tea, database, connect, message, batch, item, caplog
):
    kept, lost = message(), message()
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)
        assert api.send(kept).status == 202
        disk.broken = True
        for body in (lost, batch([item(), item()])):
            answer = api.send(body)
            assert answer.status == 503
            assert int(answer.headers["retry-after"]) > 0
            assert answer.json["error"]["type"] == "StoreUnavailable"
        assert api.n() == 1  # what is public stays so
        disk.broken = False
        assert api.n() == 1
        assert api.send(lost).status == 202
        assert api.n() == 2
    assert "a commit failed: OperationalError" in caplog.text
    with Store(database, [tea]) as store:
        assert store.counts(tea.fingerprint).result()[0].n == 2


def test_a_full_disk_acknowledges_nothing_more(tea, database, connect, batch, item, monkeypatch):
    configure = schema.configure

    def small(connection: sqlite3.Connection) -> None:
        configure(connection)
        connection.execute("PRAGMA max_page_count=40")

    monkeypatch.setattr(schema, "configure", small)
    accepted = 0
    statuses = []
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)
        for _ in range(10):
            answer = api.send(batch([item() for _ in range(1000)]))
            statuses.append(answer.status)
            accepted += answer.json.get("accepted", 0)
    assert set(statuses) == {202, 503}
    monkeypatch.setattr(schema, "configure", configure)
    with Store(database, [tea]) as store:
        assert store.counts(tea.fingerprint).result()[0].n == accepted


def test_commits_are_shared(disk, tea, database):
    async def many(store: Store) -> None:
        disk.turning.clear()
        added = [store.add_soon(tea.fingerprint, os.urandom(16), b"\x00\x00") for _ in range(500)]
        disk.turning.set()
        await asyncio.gather(*added)

    with Store(database, [tea]) as store:
        asyncio.run(many(store))
        assert 1 <= store.commits <= 3
        assert store.counts(tea.fingerprint).result()[0].n == 500


def test_a_full_queue_refuses(disk, tea, database):
    with Store(database, [tea], queue_bytes=2_000) as store:
        disk.turning.clear()
        added = [store.add(tea.fingerprint, os.urandom(16), b"\x00\x00") for _ in range(7)]
        with pytest.raises(StoreUnavailable, match="too many"):
            store.add(tea.fingerprint, os.urandom(16), b"\x00\x00")
        disk.turning.set()
        for future in added:
            future.result(20)
        store.add(tea.fingerprint, os.urandom(16), b"\x00\x00").result(20)
        assert store.counts(tea.fingerprint).result()[0].n == len(added) + 1


def test_whoever_stops_waiting_does_not_stop_the_writer(disk, tea, database):
    with Store(database, [tea]) as store:
        disk.turning.clear()
        cancelled = store.add(tea.fingerprint, bytes(16), b"\x02\x05")
        cancelled.cancel()

        async def leave() -> None:
            waiting = store.add_soon(tea.fingerprint, bytes(15) + b"\1", b"\x02\x05")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(waiting, 0.05)

        asyncio.run(leave())  # its loop is closed when the commit comes
        disk.turning.set()
        store.add(tea.fingerprint, bytes(15) + b"\2", b"\x02\x05").result(20)
        assert store.counts(tea.fingerprint).result(20)[0].n == 3


def test_closing_writes_what_is_queued(disk, tea, database):
    disk.seconds = 0.02
    store = Store(database, [tea])
    added = [store.add(tea.fingerprint, os.urandom(16), b"\x00\x00") for _ in range(100)]
    store.close()
    store.close()
    assert all(future.done() and future.exception() is None for future in added)
    assert not store.ready
    assert store.ready.reason == "is closed"
    with pytest.raises(StoreUnavailable, match="closed"):
        store.add(tea.fingerprint, os.urandom(16), b"\x00\x00")
    with pytest.raises(StoreUnavailable, match="closed"):
        store.counts(tea.fingerprint)
    connection = sqlite3.connect(database)
    assert connection.execute("SELECT count(*) FROM report").fetchone() == (100,)
    connection.close()
    assert not database.with_name(database.name + "-inbox").exists()


def test_an_idle_store_folds_by_itself(tea, database, inbox):
    with Store(database, [tea], idle=0.05) as store:
        store.add(tea.fingerprint, os.urandom(16), b"\x00\x00").result()
        connection = sqlite3.connect(database, timeout=5)
        deadline = time.monotonic() + 60
        while inbox(database):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        rows = connection.execute("SELECT question, n FROM tally").fetchall()
        assert sorted(rows) == [("brand", 1), ("place", 1), ("place/bits", 1)]
        connection.close()


def test_recount_finds_the_same_and_would_find_a_difference(tea, database):
    with Store(database, [tea]) as store:
        ids = b"".join(os.urandom(16) for _ in range(600))
        payloads = b"".join(bytes([i % 6, i % 32]) for i in range(600))
        store.add(tea.fingerprint, ids, payloads).result()
        assert store.counts(tea.fingerprint).result() == tea.tally(payloads)
        assert store.recount(tea.fingerprint).result() == tea.tally(payloads)
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("DELETE FROM report WHERE id = ?", (ids[:16],))
    connection.close()
    with Store(database, [tea]) as store:
        try:
            assert store.counts(tea.fingerprint).result() != store.recount(tea.fingerprint).result()
        except StorageError as noticed:  # the recount of the start, behind it, came first
            assert "a tally that is not that of its reports" in str(noticed)


def test_misuse_of_the_store_is_typed(tea, other, database):
    with Store(database, [tea]) as store:
        with pytest.raises(CollectionError):
            store.add(other.fingerprint, os.urandom(16), b"\x00\x00")
        for ids, payloads in [(b"", b""), (b"\x00" * 15, b"\x00\x00"), (b"\x00" * 16, b"\x00")]:
            with pytest.raises(ReportError):
                store.add(tea.fingerprint, ids, payloads)
