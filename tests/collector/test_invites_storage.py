"""What the file tells about invites, how an older file gets them, and what a crash leaves."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from invited import SHELF, TEXT, entry

from sudare.collection import Collection
from sudare.collection.canonical import canonical_json
from sudare.collection.invite import read_code
from sudare.collector import Store, count_invites, issue_invites, merge_thread, schema
from sudare.collector.invites import InviteError
from sudare.collector.tallies import CollectionTally
from sudare.errors import StorageError


def tables(database):
    """Return what the file holds of invites and reports."""
    with closing(sqlite3.connect(database)) as connection:
        invites = dict(connection.execute("SELECT mark, spent FROM invite"))
        reports = dict(connection.execute("SELECT id, payload FROM report"))
    return invites, reports


def test_codes_are_not_in_the_file_and_spending_moves_nothing(database):
    """The pages of the invites before and after differ in one byte a spent invite, in its place.

    Whoever takes the file cannot tell which were spent first, or by which report.
    """
    codes = issue_invites(SHELF, database, 300)
    order = random.Random(1).sample(codes, 120)
    before = database.read_bytes()
    with Store(database, [SHELF], idle=0.001) as store:
        for place, code in enumerate(order):
            store.add(*entry(store, code)).result()
            if place % 10 == 0:
                time.sleep(0.01)  # so that some are folded one by one
    after = database.read_bytes()
    assert not database.with_name(database.name + "-wal").exists()
    for code in codes:
        assert code.encode() not in after
        assert read_code(code) not in after
    marks, reports = tables(database)
    assert len(reports) == sum(marks.values()) == 120
    size = 4096
    changed = 0
    for start in range(0, len(before), size):
        old, new = before[start : start + size], after[start : start + size]
        if any(mark in old for mark in marks):
            differing = [i for i in range(size) if old[i] != new[i]]
            changed += len(differing)
            assert all((old[i], new[i]) == (8, 9) for i in differing)  # SQLite's types of 0 and 1
            assert not any(report_id in new for report_id in reports)
    assert changed == 120


def test_the_places_of_new_marks_do_not_tell_the_order_of_the_codes(database):
    """They come sorted: whoever has the list of codes cannot hold its lines against the file's."""
    codes = issue_invites(SHELF, database, 60)
    written = database.read_bytes()
    with Store(database, [SHELF]) as store:
        office = store._book(SHELF.fingerprint).office
    marks = [office.mark(read_code(code)) for code in codes]
    by_place = sorted(marks, key=written.index)
    assert sorted(marks) in (by_place, by_place[::-1])


def test_the_log_of_writes_is_gone_once_idle(database):
    codes = issue_invites(SHELF, database, 3)
    log = database.with_name(database.name + "-wal")
    with Store(database, [SHELF], idle=0.02) as store:
        fingerprint, report_id, payload, raw = entry(store, codes[0])
        mark = store._book(fingerprint).office.mark(raw)
        store.add(fingerprint, report_id, payload, raw).result()
        deadline = time.monotonic() + 60
        while log.stat().st_size:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        written = database.read_bytes()
        assert written.count(report_id) == written.count(mark) == 1


def test_a_reader_delays_the_end_of_the_log_and_nothing_else(database, monkeypatch):
    """The log is emptied once the reader is gone; meanwhile no report waits for it."""
    monkeypatch.setattr(merge_thread, "PAUSE_AFTER_FAILURE", 0.05)
    monkeypatch.setattr(schema, "BUSY_MILLISECONDS", 60_000)
    codes = issue_invites(SHELF, database, 3)
    log = database.with_name(database.name + "-wal")
    with Store(database, [SHELF], idle=0.02) as store:
        with closing(sqlite3.connect(database, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM invite").fetchall()
            store.add(*entry(store, codes[0])).result()
            while not log.stat().st_size:
                time.sleep(0.01)
            time.sleep(0.2)  # idle: the log cannot be emptied
            assert log.stat().st_size
            started = time.monotonic()
            store.add(*entry(store, codes[1])).result()
            assert time.monotonic() - started < 30  # the database itself would wait for 60
            reader.execute("COMMIT")
        deadline = time.monotonic() + 60
        while log.stat().st_size:
            assert time.monotonic() < deadline
            time.sleep(0.02)


# -- an older file -----------------------------------------------------------------------------


@pytest.fixture
def version_1(database, tea):
    """Write a file as the first version did: two reports are folded and one is not."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        for statement in schema._STEPS[0].split(";"):
            connection.execute(statement)
        assert connection.execute("SELECT version FROM schema").fetchall() == [(1,)]
        connection.execute(
            "INSERT INTO collection (fingerprint, name, definition) VALUES (?, ?, ?)",
            (tea.fingerprint, tea.name, canonical_json(tea.definition())),
        )
        book = CollectionTally(1, tea)
        book.insert(connection, os.urandom(32), bytes(4))
        connection.execute(
            "INSERT INTO inbox (collection, ids, payloads) VALUES (1, ?, ?)",
            (os.urandom(16), b"\x01\x01"),
        )


def test_a_file_of_the_first_version_is_brought_up_to_date(version_1, database, tea):
    with Store(database, [tea, SHELF]) as store:
        assert store.counts(tea.fingerprint).result()[0].n == 3
        assert store.recount(tea.fingerprint).result() == store.counts(tea.fingerprint).result()
    codes = issue_invites(SHELF, database, 2)
    with Store(database, [tea, SHELF]) as store:
        store.add(*entry(store, codes[0])).result()
        assert store.counts(tea.fingerprint).result()[0].n == 3
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT version FROM schema").fetchall() == [
            (schema.SCHEMA_VERSION,)
        ]
        old = connection.execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall()
    fresh = database.with_name("fresh.sqlite3")
    schema.open_database(fresh).close()
    with closing(sqlite3.connect(fresh)) as connection:
        assert connection.execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall() == old
        assert connection.execute("SELECT version FROM schema").fetchall() == [
            (schema.SCHEMA_VERSION,)
        ]


def test_a_step_that_fails_leaves_the_file_as_it_was(version_1, database, tea, monkeypatch):
    with monkeypatch.context() as patch:
        broken = schema._STEPS[1] + "; CREATE TABLE invite (x)"
        patch.setattr(schema, "_STEPS", (schema._STEPS[0], broken, *schema._STEPS[2:]))
        with pytest.raises(StorageError):
            Store(database, [tea])
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT version FROM schema").fetchall() == [(1,)]
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    assert not names & {"invite", "secret"}
    with Store(database, [tea]) as store:
        assert store.counts(tea.fingerprint).result()[0].n == 3


@pytest.mark.parametrize("version", [0, -1, None, "x", 4])
def test_a_version_that_is_none_is_refused(version_1, database, tea, version):
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("DROP TABLE schema")
        connection.execute("CREATE TABLE schema (version)")
        connection.execute("INSERT INTO schema VALUES (?)", (version,))
    with pytest.raises(StorageError, match="database"):
        Store(database, [tea])


# -- a crash -----------------------------------------------------------------------------------

FAULT = """
import os, signal, sqlite3, sys, time
from sudare.collection import Collection
from sudare.collector import Store, schema

database, toml, point, nth, *entries = sys.argv[1:]
seen = 0

class Connection(schema.Connection):
    def execute(self, statement, *arguments):
        global seen
        word = statement.split()[0]
        hit = armed and word == point.split()[1]
        seen += hit
        if hit and seen == int(nth) and point.startswith("before"):
            os.kill(os.getpid(), signal.SIGKILL)
        out = super().execute(statement, *arguments)
        if hit and seen == int(nth) and point.startswith("after"):
            os.kill(os.getpid(), signal.SIGKILL)
        return out

armed = False
schema.Connection = Connection
shelf = Collection.from_toml(toml)
store = Store(database, [shelf], idle=0.01)
armed = True
for entry in entries:
    report_id, payload, code = map(bytes.fromhex, entry.split(":"))
    store.add(shelf.fingerprint, report_id, payload, code).result()
    print(report_id.hex(), flush=True)
    time.sleep(0.05)  # and it is folded
store.close()
print("closed", flush=True)
"""

POINTS = [
    *[f"{when} {word}" for when in ("before", "after") for word in ("BEGIN", "UPDATE", "COMMIT")],
    "after INSERT",
    "before DELETE",
]
FIRST = [
    one if one in ("after UPDATE", "before COMMIT") else pytest.param(one, marks=pytest.mark.slow)
    for one in POINTS
]


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("nth", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("point", FIRST)
def test_killed_at_any_point_a_spent_invite_has_its_report(database, point, nth):
    """An invite is spent if and only if its report is stored; retried it is taken, else refused."""
    codes = issue_invites(SHELF, database, 3)
    with Store(database, [SHELF]) as store:
        entries = [entry(store, code) for code in codes]
    texts = [":".join(part.hex() for part in one[1:]) for one in entries]
    done = subprocess.run(
        [sys.executable, "-c", FAULT, str(database), TEXT, point, str(nth), *texts],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    acknowledged = {bytes.fromhex(line) for line in done.stdout.split()}
    with Store(database, [SHELF]) as store:
        office = store._book(SHELF.fingerprint).office
        store.counts(SHELF.fingerprint).result()
        spent, stored = tables(database)
        assert acknowledged <= stored.keys()
        for fingerprint, report_id, payload, raw in entries:
            assert spent[office.mark(raw)] == (report_id in stored)
            if report_id in stored:
                with pytest.raises(InviteError):
                    store.add(fingerprint, os.urandom(16), payload, raw).result()
            store.add(fingerprint, report_id, payload, raw).result()
        counts = store.counts(SHELF.fingerprint).result()
        assert counts[0].n == 3
        assert store.recount(SHELF.fingerprint).result() == counts
    assert count_invites(SHELF, database) == (3, 3)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_kill_9_under_load_ten_times(database):
    """Clients repeat until acknowledged, and liars try the same codes with reports of their own."""
    codes = issue_invites(SHELF, database, 4_000)
    with Store(database, [SHELF]) as store:
        entries = {code: entry(store, code) for code in codes}
    honest = {one[1] for one in entries.values()}
    waiting = list(entries.values())
    draw = random.Random(2)
    for _ in range(10):
        texts = [":".join(part.hex() for part in one[1:]) for one in waiting[:400]]
        child = subprocess.Popen(
            [sys.executable, "-c", LOAD, str(database), TEXT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        child.stdin.write("\n".join(texts) + "\n")
        child.stdin.close()
        lines = [child.stdout.readline()]
        time.sleep(0.05 + draw.random() / 5)
        child.send_signal(signal.SIGKILL)
        assert child.wait(20) == -signal.SIGKILL
        lines += child.stdout.read().split("\n")
        child.stdout.close()
        done = {bytes.fromhex(line.strip()) for line in lines if len(line.strip()) == 32}
        waiting = [one for one in waiting if one[1] not in done]
        spent, stored = folded(database)
        assert done
        assert done <= stored
        assert len(stored) == spent
    with Store(database, [SHELF]) as store:
        for one in waiting:
            try:
                store.add(*one).result()
            except InviteError as error:
                assert error.spent  # a liar was first
        assert store.recount(SHELF.fingerprint).result()[0].n == len(codes)
    _, reports = tables(database)
    assert len(reports) == len(codes)
    assert honest & reports.keys()
    assert count_invites(SHELF, database) == (4_000, 4_000)


LOAD = """
import os, random, sys, threading
from concurrent.futures import wait
from sudare.collection import Collection
from sudare.collector import Store
shelf = Collection.from_toml(sys.argv[2])
store = Store(sys.argv[1], [shelf], idle=0.01)
def tell(future, text):
    if future.exception() is None:
        print(text, flush=True)
for line in sys.stdin:
    report_id, payload, code = map(bytes.fromhex, line.strip().split(":"))
    for own in random.sample([report_id, os.urandom(16), report_id], 3):
        future = store.add(shelf.fingerprint, own, payload, code)
        future.add_done_callback(lambda f, t=own.hex(): tell(f, t))
    if random.random() < 0.1:
        future.exception()
while True:
    store.counts(shelf.fingerprint).result()
"""


def folded(database):
    """Return how many invites are spent and which reports are stored, after a crash."""
    with Store(database, [SHELF]) as store:
        counts = store.counts(SHELF.fingerprint).result()
        assert store.recount(SHELF.fingerprint).result() == counts
    return count_invites(SHELF, database).spent, set(tables(database)[1])


def test_another_collection_keeps_its_own_key(database):
    twin = Collection.from_toml(TEXT.replace('"shelf"', '"twin"'))
    with Store(database, [SHELF, twin]) as store:
        keys = [store._book(one.fingerprint).office._key for one in (SHELF, twin)]
    with Store(database, [SHELF, twin]) as store:
        again = [store._book(one.fingerprint).office._key for one in (SHELF, twin)]
    assert keys == again
    assert len({*keys, bytes(32)}) == 3
