"""What is in the file and in the logs, and what is not."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import time

import pytest

from sudare.collector import BackgroundCollector, Store
from sudare.collector.schema import SCHEMA_VERSION, open_database
from sudare.errors import StorageError

AGENT = "CanaryBrowser/9.87"


def test_neither_address_nor_agent_is_stored_or_logged(
    tea, database, connect, message, file_bytes, caplog, capfd
):
    caplog.set_level(logging.DEBUG)
    seen = b""
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)
        for _ in range(20):
            answer = api.post(
                "/api/collections/tea/reports",
                message(),
                user_agent=AGENT,
                x_forwarded_for="203.0.113.77",
                cookie="who=canary-cookie",
                referer="http://canary.example/",
            )
            assert answer.status == 202
            assert "set-cookie" not in answer.headers
        seen += file_bytes()
        assert api.n() == 20
        api.get("/tea/unknown", **{"user-agent": AGENT})
        seen += file_bytes()
    logged = " ".join(str(vars(record)) for record in caplog.records if record.name != "asyncio")
    out = capfd.readouterr()
    for trace in (AGENT, "203.0.113.77", "canary", "127.0.0.1"):
        assert trace.encode() not in seen + file_bytes()
        assert trace not in logged + out.out + out.err


def test_tables_hold_nothing_but_ids_and_payloads(tea, database):
    with Store(database, [tea]):
        pass
    connection = sqlite3.connect(database)
    columns = {
        table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    }
    connection.close()
    assert columns == {
        "schema": ["version"],
        "collection": ["number", "fingerprint", "name", "definition", "texts", "former"],
        "life": ["seq", "collection", "state", "opens", "closes", "act", "at"],
        "inbox": ["seq", "collection", "ids", "payloads"],
        "report": ["collection", "id", "payload"],
        "tally": ["collection", "question", "n", "support"],
        "secret": ["collection", "key"],
        "invite": ["collection", "mark", "spent"],
        "step": ["collection", "last", "issued"],
        "public": ["collection", "question", "n", "support"],
        "earlier": ["collection", "question", "n", "support"],
        "fold": ["inbox", "folded", "settled"],
        "timeline": ["id", "steps", "mark"],
        "base": ["collection", "n"],
    }


def test_order_of_arrival_does_not_outlive_the_fold(tea, database, file_bytes):
    ids = [os.urandom(16) for _ in range(50)]
    with Store(database, [tea]) as store:
        for each in ids:
            store.add(tea.fingerprint, each, b"\x00\x00").result()
        store.add(tea.fingerprint, b"".join(ids), b"\x00\x00" * 50).result()
        assert b"".join(ids[:3]) in file_bytes()
    written = file_bytes()
    assert all(written.count(each) == 1 for each in ids)
    by_place = sorted(ids, key=written.index)
    assert sorted(ids) in (by_place, by_place[::-1])  # a page is filled from its end


def test_reports_folded_one_by_one_do_not_keep_their_order(tea, database, file_bytes):
    """Every report is folded alone; soon after the last one no place in the file tells when."""
    ids = [os.urandom(16) for _ in range(40)]

    def in_order() -> bool:
        written = file_bytes()
        by_place = sorted(ids, key=written.index)
        return sorted(ids) in (by_place, by_place[::-1])

    with Store(database, [tea], idle=0.2) as store:
        for each in ids:
            store.add(tea.fingerprint, each, b"\x00\x00").result()
            store.counts(tea.fingerprint).result()  # folds
        assert not in_order()
        deadline = time.monotonic() + 60
        while not in_order():
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert in_order()


def test_the_end_leaves_no_order_either(tea, database, file_bytes):
    ids = [os.urandom(16) for _ in range(40)]
    with Store(database, [tea], idle=60) as store:
        for each in ids:
            store.add(tea.fingerprint, each, b"\x00\x00").result()
            store.counts(tea.fingerprint).result()  # folds
    written = file_bytes()
    by_place = sorted(ids, key=written.index)
    assert sorted(ids) in (by_place, by_place[::-1])


def test_the_file_is_its_owners_alone(tea, database):
    with Store(database, [tea]):
        modes = {stat.S_IMODE(path.stat().st_mode) for path in database.parent.iterdir()}
    assert modes == {0o600}


def test_every_commit_is_synced(database):
    connection = open_database(database)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_newer_file_is_refused_and_left_alone(tea, database):
    with Store(database, [tea]):
        pass
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("UPDATE schema SET version = ?", (SCHEMA_VERSION + 1,))
    connection.close()
    before = database.read_bytes()
    with pytest.raises(StorageError, match=f"version {SCHEMA_VERSION + 1}"):
        BackgroundCollector([tea], database)
    assert database.read_bytes() == before


def test_a_file_of_something_else_is_refused(tea, database, tmp_path):
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    text = tmp_path / "text.sqlite3"
    text.write_bytes(b"not a database, but long enough to have a header of one" * 9)
    for path in (database, text, tmp_path, tmp_path / "absent" / "x.sqlite3"):
        with pytest.raises(StorageError):
            Store(path, [tea])
    assert text.read_bytes().startswith(b"not a database")
