"""A full disk: nothing acknowledged is lost, reads go on, and it recovers."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from sudare.collector import BackgroundCollector, Store, own_view
from sudare.collector.databases import open_store
from sudare.collector.jobs import StoreUnavailable

SIZE = 3 << 20


@contextmanager
def mounted(folder: Path):
    """Make a file system of three megabytes."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if os.name != "posix" or ctypes.sizeof(ctypes.c_void_p) < 8 or os.geteuid() != 0:
        pytest.skip("only root can mount")
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def small(tmp_path: Path):
    with mounted(tmp_path / "small") as folder:
        yield folder


def fill(path: Path) -> None:
    """Take what is free, to the last byte."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 4096, 1):
            while True:
                try:
                    file.write(bytes(size))
                except OSError:
                    break


def test_a_full_disk_loses_nothing_and_recovers(small, tea, connect, batch, item, monkeypatch):
    monkeypatch.setattr("sudare.collector.merge_thread.PAUSE_AFTER_FAILURE", 0.1)
    monkeypatch.setattr("sudare.collector.grouping.PROBE_SECONDS", 0.1)
    database, ballast = small / "tea.sqlite3", small / "ballast"
    acknowledged: set[str] = set()
    statuses = []
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)

        def send(number: int) -> int:
            items = [item() for _ in range(number)]
            status = api.send(batch(items)).status
            statuses.append(status)
            if status == 202:
                acknowledged.update(one["id"] for one in items)
            return status

        for _ in range(3):
            assert send(300) == 202
            before = api.get("/api/collections/tea/results")
            fill(ballast)
            deadline = time.monotonic() + 60
            # until neither the log nor a page has room, nor what the writer tries by itself
            while send(300) == 202 or api.get("/health").status != 503:
                assert time.monotonic() < deadline
            assert api.get("/api/collections/tea/results").status == before.status == 200
            assert own_view(tea, database).stored.n == len(acknowledged)
            ballast.unlink()
            deadline = time.monotonic() + 60
            while api.get("/health").status != 200:  # without a report
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert send(300) == 202
    assert set(statuses) == {202, 503}
    with Store(database, [tea]) as store:
        counts = store.counts(tea.fingerprint).result()
        assert counts[0].n == len(acknowledged)
        assert store.recount(tea.fingerprint).result() == counts


def test_an_end_on_a_full_disk_leaves_the_inbox_for_the_next_start(small, tea):
    database, ballast = small / "tea.sqlite3", small / "ballast"
    ids = os.urandom(16 * 20_000)
    with Store(database, [tea], idle=60) as store:
        store._book(tea.fingerprint).stepping = True  # nothing is folded before the end
        store.add(tea.fingerprint, ids, bytes(2 * 20_000)).result()
        fill(ballast)
    assert database.with_name("tea.sqlite3-inbox").exists()
    ballast.unlink()
    with Store(database, [tea]) as store:
        counts = store.counts(tea.fingerprint).result()
        assert counts[0].n == 20_000
        assert store.recount(tea.fingerprint).result() == counts


def test_a_full_disk_of_postgresql_loses_nothing_and_recovers(cluster, address, tea, monkeypatch):
    """Its tables lie in a tablespace without room; its log lies elsewhere, and has some."""
    monkeypatch.setattr("sudare.collector.postgres.merge_thread.PAUSE_AFTER_FAILURE", 0.1)
    monkeypatch.setattr("sudare.collector.grouping.PROBE_SECONDS", 0.1)
    with mounted(cluster.home / "small") as small, psycopg.connect(address, autocommit=True) as it:
        if cluster.owner:
            shutil.chown(small, cluster.owner["user"])
        (small / "tables").mkdir()
        if cluster.owner:
            shutil.chown(small / "tables", cluster.owner["user"])
        it.execute(f"CREATE TABLESPACE small LOCATION '{small}/tables'")
        place = address + "?options=-c%20default_tablespace%3Dsmall"
        try:
            fill_and_free(place, small / "ballast", tea)
        finally:
            it.execute("DROP SCHEMA sudare_collector CASCADE")
            it.execute("CHECKPOINT")  # the files of dropped tables go with it
            it.execute("DROP TABLESPACE small")


def fill_and_free(place, ballast, tea):
    acknowledged = 0

    def send() -> bool:
        nonlocal acknowledged
        try:
            store.add(tea.fingerprint, os.urandom(16 * 300), b"\x02\x05" * 300).result(30)
        except StoreUnavailable:
            return False
        acknowledged += 300
        return True

    def until(holds) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    with open_store(place, [tea]) as store:
        for _ in range(2):
            assert send()
            fill(ballast)
            until(lambda: not send())
            assert not store.ready
            assert own_view(tea, place).stored.n == acknowledged  # reads go on
            assert store.public(tea.fingerprint).n <= acknowledged
            ballast.unlink()
            until(lambda: store.ready)  # without a report
            until(send)
        counts = store.counts(tea.fingerprint).result()
        assert counts[0].n == acknowledged
        assert store.recount(tea.fingerprint).result() == counts
