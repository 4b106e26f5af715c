"""One server a file, and a file that is not what it was: nothing is acknowledged beside it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from invited import SHELF, entry
from teas import TEA

from sudare.collector import BackgroundCollector, Store, count_invites, issue_invites, own_view
from sudare.collector.invites import InviteError
from sudare.collector.jobs import StoreUnavailable
from sudare.collector.store import examine
from sudare.errors import StorageError

HOLD = """
import sys, time
from sudare.collection import Collection
from sudare.collector import Store
store = Store(sys.argv[1], [Collection.from_toml(sys.argv[2])])
print("open", flush=True)
time.sleep(60)
"""


def until(what, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def fill(database, tea, number: int = 2_000) -> None:
    with Store(database, [tea]) as store:
        payloads = b"".join(bytes([i % 6, i % 32]) for i in range(number))
        store.add(tea.fingerprint, os.urandom(16 * number), payloads).result()
        store.counts(tea.fingerprint).result()  # they are in the file that is broken hereafter


def one(store, tea):
    return store.add(tea.fingerprint, os.urandom(16), b"\x02\x05").result(20)


# -- one server --------------------------------------------------------------------------------


def test_a_second_server_is_refused_and_readers_and_invites_are_not(tea, database, tmp_path):
    with Store(database, [tea, SHELF]) as store:
        one(store, tea)
        link = tmp_path / "link.sqlite3"
        link.symlink_to(database)
        for path in (database, link):
            with pytest.raises(StorageError, match="one process at a time"):
                Store(path, [tea])
            with pytest.raises(StorageError, match="one process at a time"):
                BackgroundCollector([tea], path)
        assert own_view(tea, database).stored.n == 1
        assert len(issue_invites(SHELF, database, 3)) == 3
        one(store, tea)
    examine(database, [tea])
    with Store(database, [tea]) as store:
        assert store.counts(tea.fingerprint).result()[0].n == 2
    left = [database.name, f"{database.name}-anchor", "link.sqlite3"]
    assert sorted(path.name for path in tmp_path.iterdir()) == left


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_the_lock_dies_with_its_process_and_is_not_kept_by_a_fork(tea, database):
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database), TEA], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "open\n"
        with pytest.raises(StorageError, match="one process at a time"):
            Store(database, [tea])
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    with Store(database, [tea]) as store:
        forked = os.fork()
        if not forked:
            time.sleep(5)
            os._exit(0)
        one(store, tea)
    try:
        with Store(database, [tea]) as store:
            assert store.counts(tea.fingerprint).result()[0].n == 1
    finally:
        os.kill(forked, signal.SIGKILL)
        os.waitpid(forked, 0)


# -- another file ------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="open files can be replaced")
@pytest.mark.parametrize("which", ["", "-inbox"])
@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_is_removed_or_replaced_is_noticed_at_once(
    tea, database, connect, message, caplog, which, how
):
    with BackgroundCollector([tea], database) as running:
        api = connect(running.url)
        assert api.send(message()).status == 202
        path = database.with_name(database.name + which)
        if how == "replaced":
            shutil.copy(path, path.with_name("copy"))
            os.replace(path.with_name("copy"), path)
        else:
            path.unlink()
        for answer in (api.send(message()), api.get("/health"), api.send(message())):
            assert answer.status == 503
            assert answer.json["error"]["type"] == "StoreUnavailable"
            assert "file" in answer.json["error"]["rule"]
            assert database.name not in answer.body.decode()
        assert api.n() == 1  # reads go on
    assert "no report is taken any more; end it, put back" in caplog.text


def test_an_older_copy_put_into_the_same_file_is_noticed(tea, database, caplog):
    """The inode stays: what the path leads to says less than this process has written."""
    fill(database, tea, 100)
    copy = database.read_bytes()
    with Store(database, [tea], idle=0.05) as store:
        one(store, tea)
        assert store.counts(tea.fingerprint).result()[0].n == 101
        log = database.with_name(database.name + "-wal")
        until(lambda: not log.stat().st_size)
        database.write_bytes(copy)
        before = database.read_bytes()
        with contextlib.suppress(StoreUnavailable):  # where it is noticed already
            one(store, tea)
        until(lambda: "another copy" in (store.ready.reason or ""))
        with pytest.raises(StoreUnavailable, match="another copy"):
            one(store, tea)
    assert database.read_bytes() == before
    assert "put back a copy" in caplog.text
    with pytest.raises(StorageError, match="newer copy"):
        Store(database, [tea])


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_files_that_do_not_belong_together_are_refused_at_the_start(tea, database):
    inbox = database.with_name(database.name + "-inbox")
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database), TEA], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "open\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    away = database.with_name("away")
    inbox.rename(away)
    for ending in ("-wal", "-shm"):
        inbox.with_name(inbox.name + ending).unlink(missing_ok=True)
    with pytest.raises(StorageError, match="make an empty file of that name"):
        Store(database, [tea])
    inbox.touch()
    with Store(database, [tea]) as store:
        one(store, tea)
    assert not inbox.exists()
    away.rename(inbox)
    with Store(database, [tea]) as store:  # of an earlier time, and empty
        assert store.counts(tea.fingerprint).result()[0].n == 1
    inbox.write_bytes(b"something else, long enough to be a file of its own" * 30)
    with pytest.raises(StorageError):
        Store(database, [tea])


def test_a_row_of_another_collection_waits_until_it_is_served(tea, other, database):
    """A crash leaves its reports in the inbox, and the next start serves something else."""
    code = issue_invites(SHELF, database, 2)[0]
    with Store(database, [tea, other, SHELF], idle=60) as store:
        for collection in (tea, other, SHELF):
            store._book(collection.fingerprint).stepping = True  # nothing is folded meanwhile
        one(store, tea)
        one(store, other)
        invited = entry(store, code)
        store.add(*invited).result()
        copies = {
            path: path.read_bytes()
            for path in database.parent.glob(database.name + "*")
            if not path.name.endswith(("-shm", "-lock"))
        }
    for path, content in copies.items():
        path.write_bytes(content)
    for path in database.parent.glob(database.name + "*-shm"):
        path.unlink()
    with Store(database, [tea]) as store:
        assert store.counts(tea.fingerprint).result()[0].n == 1
    assert count_invites(SHELF, database) == (2, 1)
    with Store(database, [other, SHELF]) as store:
        store.add(*invited).result()  # the same report again
        with pytest.raises(InviteError):
            store.add(SHELF.fingerprint, os.urandom(16), *invited[2:]).result()
        assert store.counts(SHELF.fingerprint).result()[0].n == 1
        assert store.counts(other.fingerprint).result()[0].n == 1
        assert store.recount(other.fingerprint).result() == store.counts(other.fingerprint).result()


# -- a damaged file ----------------------------------------------------------------------------


def break_page(database) -> None:
    """Overwrite a leaf page of `report`."""
    content = bytearray(database.read_bytes())
    size = 4096
    pages = [
        at for at in range(size, len(content), size) if content[at] == 10
    ]  # leaves of an index
    page = max(pages, key=lambda at: int.from_bytes(content[at + 3 : at + 5]))
    content[page : page + size] = os.urandom(size)
    database.write_bytes(content)


def test_a_broken_page_is_found_at_the_start(tea, database, monkeypatch):
    fill(database, tea)
    break_page(database)
    with pytest.raises(StorageError, match="sound"):
        Store(database, [tea])
    monkeypatch.setattr("sudare.collector.store.CHECK_SECONDS", 0.0)  # as if the file were large
    try:
        store = Store(database, [tea])
    except StorageError:
        return
    with store:
        until(lambda: not store.ready)
        with pytest.raises(StoreUnavailable, match="damaged"):
            one(store, tea)
        assert store.public(tea.fingerprint).n == 2_000


def test_a_fold_that_meets_a_broken_page_ends_the_intake(tea, database, caplog):
    fill(database, tea)
    with Store(database, [tea], idle=0.05) as store:
        one(store, tea)
        store.counts(tea.fingerprint).result()
        until(lambda: not database.with_name(database.name + "-wal").stat().st_size)
        store._folder._connection.execute("PRAGMA cache_size=0")
        break_page(database)
        for _ in range(200):  # the page is one of about fifteen
            try:
                one(store, tea)
            except StoreUnavailable:
                break
        until(lambda: not store.ready)
    assert "finds its file damaged" in caplog.text


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE tally SET n = n + 1 WHERE question = 'brand'", ["'brand'"]),
        (
            "UPDATE tally SET support = zeroblob(length(support)) WHERE question = 'place'",
            ["'place'"],
        ),
        ("DELETE FROM tally", ["'brand'", "'place'"]),
        ("DELETE FROM report WHERE id = (SELECT max(id) FROM report)", ["'brand'", "'place'"]),
        ("UPDATE report SET payload = x'FFFF' WHERE id = (SELECT min(id) FROM report)", ["every"]),
    ],
)
def test_a_file_changed_by_hand_is_found_by_the_recount(
    tea, database, caplog, monkeypatch, change, named
):
    monkeypatch.setattr("sudare.collector.checking.SLICE_REPORTS", 300)
    fill(database, tea)
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute(change)
    with Store(database, [tea]) as store:
        until(lambda: not store.ready)
        assert "tally" in store.ready.reason
        with pytest.raises(StoreUnavailable, match="tally"):
            one(store, tea)
    assert "the reports stored to 'tea'" in caplog.text
    assert all(name in caplog.text for name in named)
    assert "put back a copy" in caplog.text


def test_the_recount_agrees_while_reports_are_folded(tea, database, monkeypatch, caplog):
    monkeypatch.setattr("sudare.collector.checking.SLICE_REPORTS", 50)
    fill(database, tea, 4_000)
    n = 4_000
    with Store(database, [tea], idle=0.001) as store:
        recounted = False
        while not recounted:
            recounted = store._folder._recount.done
            number = 1 + os.urandom(1)[0] % 9
            store.add(tea.fingerprint, os.urandom(16 * number), b"\x02\x05" * number).result()
            n += number
            assert store.counts(tea.fingerprint).result()[0].n == n
        assert store.ready
    assert not caplog.records


def test_a_passing_fault_of_the_fold_refuses_and_mends(tea, database, monkeypatch):
    from sudare.collector import schema

    broken = False

    class Connection(schema.Connection):
        def execute(self, statement, *arguments):
            if broken and statement.startswith("UPDATE fold SET folded"):
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(statement, *arguments)

    monkeypatch.setattr(schema, "Connection", Connection)
    monkeypatch.setattr("sudare.collector.merge_thread.PAUSE_AFTER_FAILURE", 0.05)
    with Store(database, [tea], idle=0.05) as store:
        broken = True
        one(store, tea)  # publishes each report: the fold fails, the inbox has it
        until(lambda: not store.ready)
        assert store.ready.reason == "cannot take reports into its database"
        with pytest.raises(StoreUnavailable, match="cannot take"):
            one(store, tea)
        broken = False
        until(lambda: store.ready)
        one(store, tea)
        assert store.counts(tea.fingerprint).result()[0].n == 2
