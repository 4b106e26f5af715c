"""PostgreSQL that goes away, comes back as another copy, is changed by hand, has no room."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
import time
from contextlib import closing, contextmanager

import psycopg
import pytest

from sudare.collection import Collection
from sudare.collector import BackgroundCollector, own_view
from sudare.collector.databases import await_start as await_start_of, open_store
from sudare.collector.jobs import StoreUnavailable
from sudare.collector.postgres import recounting
from sudare.collector.postgres.connection import PostgresConnection, await_start
from sudare.errors import StorageError


@contextmanager
def asking(address: str):
    options = "-c search_path=sudare_collector"
    with psycopg.connect(address, autocommit=True, options=options) as connection:
        yield connection


def until(holds, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def one(store, tea: Collection, report_id: bytes = b""):
    return store.add(tea.fingerprint, report_id or os.urandom(16), b"\x02\x05").result(30)


def refusal(store, tea: Collection) -> BaseException | None:
    """Return why a report is not taken."""
    try:
        one(store, tea)
    except StoreUnavailable as error:
        return error
    raise AssertionError


def fill(address: str, tea: Collection, number: int = 2_000) -> None:
    with open_store(address, [tea]) as store:
        until(lambda: store._recounting.done)
        payloads = b"".join(bytes([i % 6, i % 32]) for i in range(number))
        store.add(tea.fingerprint, os.urandom(16 * number), payloads).result()


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setattr("sudare.collector.postgres.merge_thread.PAUSE_AFTER_FAILURE", 0.05)
    monkeypatch.setattr("sudare.collector.grouping.PROBE_SECONDS", 0.05)
    monkeypatch.setattr("sudare.collector.postgres.recounting.PAUSE", 0.02)


# -- changed by hand ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE tally SET n = n + 1 WHERE question = 'brand'", ["'brand'"]),
        ("DELETE FROM tally", ["'brand'", "'place'"]),
        ("DELETE FROM report WHERE id = (SELECT id FROM report LIMIT 1)", ["'brand'", "'place'"]),
        ("UPDATE report SET payload = '\\xFFFF' WHERE id = (SELECT id FROM report LIMIT 1)",
         ["every"]),
    ],
)  # fmt: skip
def test_what_was_changed_by_hand_is_found_by_one_and_learnt_by_all(
    address, tea, caplog, monkeypatch, change, named
) -> None:
    monkeypatch.setattr("sudare.collector.checking.SLICE_REPORTS", 300)
    fill(address, tea)
    with open_store(address, [tea]) as early, asking(address) as beside:
        until(lambda: early._recounting.done)
        before = beside.execute("SELECT times FROM recounted").fetchone()[0]
        beside.execute(change)
        assert early.lives().result()
        assert early.ready
        with open_store(address, [tea]) as store:
            until(lambda: not store.ready)
            assert "tally" in store.ready.reason
            until(lambda: store._recounting.done)
            assert beside.execute("SELECT times FROM recounted").fetchone() == (before + 1,)
            early.lives().result()
            for each in (store, early):
                with pytest.raises(StoreUnavailable, match="tally"):
                    one(each, tea)
            assert early.public(tea.fingerprint).n >= 2_000  # reads go on
        with open_store(address, [tea]) as later:
            assert "tally" in later.ready.reason  # nobody takes it up unseen
        beside.execute("TRUNCATE fault")
    assert "the reports stored to 'tea'" in caplog.text
    assert all(name in caplog.text for name in named)
    assert "sudare_collector.fault" in caplog.text


def test_one_recounts_and_the_next_goes_on_where_it_dies(address, tea) -> None:
    fill(address, tea, 10)
    with closing(PostgresConnection(address)) as other, asking(address) as beside:
        held = (recounting.LOCK_CLASS, 1)
        other.execute("SELECT pg_advisory_lock(?::int4, ?::int4)", held)  # it recounts
        (times,) = beside.execute("SELECT times FROM recounted").fetchone()
        with open_store(address, [tea]) as store:
            time.sleep(0.2)
            assert not store._recounting.done
            beside.execute("UPDATE recounted SET times = times + 1")
            until(lambda: store._recounting.done)  # it has found nothing
        with open_store(address, [tea]) as store:
            time.sleep(0.1)
            assert not store._recounting.done
            other.close()  # it has died
            until(lambda: store._recounting.done)
            assert store.ready
        assert beside.execute("SELECT times FROM recounted").fetchone() == (times + 2,)


def test_the_recount_agrees_while_reports_are_folded(address, tea, monkeypatch, caplog) -> None:
    monkeypatch.setattr("sudare.collector.checking.SLICE_REPORTS", 50)
    fill(address, tea, 4_000)
    with open_store(address, [tea]) as store:
        while not store._recounting.done:
            number = 1 + os.urandom(1)[0] % 9
            store.add(tea.fingerprint, os.urandom(16 * number), b"\x02\x05" * number).result()
            store.counts(tea.fingerprint).result()
        assert store.ready
    assert not caplog.records


# -- away and back -----------------------------------------------------------------------------


def test_a_restart_of_postgresql_loses_and_doubles_nothing(
    cluster, address, tea, connect, batch, item
) -> None:
    """Killed as by ``kill -9`` (``immediate``), and ended as an update does (``fast``)."""
    acknowledged, unsure = set(), []
    with BackgroundCollector([tea], address) as running:
        api = connect(running.url)

        def send(items) -> int:
            status = api.send(batch(items)).status
            (acknowledged.update if status == 202 else unsure.extend)(
                [one["id"] for one in items] if status == 202 else items
            )
            return status

        for how in ("immediate", "fast"):
            assert send([item() for _ in range(50)]) == 202
            shown = api.get("/api/v1/collections/tea/counts")
            cluster.stop(how)
            try:
                assert {send([item()]) for _ in range(3)} == {503}
                assert api.get("/readyz").status == 503
                assert api.get("/healthz").status == 200
                again = api.get("/api/v1/collections/tea/counts")
                assert again.status == shown.status == 200  # reads go on
            finally:
                cluster.start()
            until(lambda: api.get("/readyz").status == 200)  # by itself
            until(lambda: send([unsure.pop()]) == 202 and not unsure)
    with open_store(address, [tea]) as store:
        counts = store.counts(tea.fingerprint).result()
        assert counts[0].n == len(acknowledged) == 106
        assert store.recount(tea.fingerprint).result() == counts


def swap(cluster, one, other) -> None:
    """Put another folder of data in the place of the server's."""
    cluster.data.rename(one)
    other.rename(cluster.data)


def test_an_older_copy_in_its_place_is_noticed_by_whoever_was_told_more(
    cluster, address, tea, caplog
) -> None:
    """A base backup that was put back, or a standby that took over without the end."""
    old, newer = cluster.home / "old", cluster.home / "newer"
    fill(address, tea, 100)
    own = tea.fingerprint
    cluster.stop("fast")
    subprocess.run(["cp", "-a", cluster.data, old], check=True)
    cluster.start()
    with open_store(address, [tea]) as store, open_store(address, [tea]) as idle:
        until(lambda: store._recounting.done and idle._recounting.done)
        one(store, tea)
        cluster.stop("fast")
        swap(cluster, newer, old)
        cluster.start()
        try:
            until(lambda: isinstance(error := refusal(store, tea), StoreUnavailable)
                  and "another copy" in str(error))  # fmt: skip
            assert "another copy" in store.ready.reason
            assert store.public(own).n == 100  # reads go on
            with contextlib.suppress(StoreUnavailable):
                idle.lives().result()
            until(  # which had nothing to miss
                lambda: (
                    idle.lives().exception() is None and "another copy" in (idle.ready.reason or "")
                )
            )
            with asking(address) as beside:
                assert beside.execute("SELECT count(*) FROM inbox").fetchone() == (0,)
        finally:
            cluster.stop("fast")
            swap(cluster, old, newer)
            cluster.start()
    assert "put back a copy of the database" in caplog.text
    shutil.rmtree(old)
    with open_store(address, [tea]) as store:  # the sound one
        assert store.counts(own).result()[0].n == 101
        one(store, tea)


def test_tables_that_were_put_back_in_a_running_server_are_noticed(address, tea) -> None:
    """As by ``pg_restore --clean``: the connections stay."""
    fill(address, tea, 10)
    with open_store(address, [tea]) as store, asking(address) as beside:
        one(store, tea)
        assert store.counts(tea.fingerprint).result()[0].n == 11
        store.lives().result()
        assert store.ready
        beside.execute("UPDATE fold SET folds = folds - 1")
        store.lives().result()
        assert "another copy" in store.ready.reason
        with pytest.raises(StoreUnavailable, match="another copy"):
            one(store, tea)


# -- settings ----------------------------------------------------------------------------------


def test_a_server_that_may_lose_what_it_commits_is_refused(address, tea) -> None:
    with asking(address) as beside:
        for setting in ("synchronous_commit", "fsync", "full_page_writes"):
            role = setting == "synchronous_commit"
            what = "ALTER ROLE sudare" if role else "ALTER SYSTEM"
            beside.execute(f"{what} SET {setting} = off")
            beside.execute("SELECT pg_reload_conf()")
            try:
                until(lambda name=setting, role=role: role or beside.execute(
                    "SELECT current_setting(%s)", (name,)).fetchone() == ("off",))  # fmt: skip
                with pytest.raises(StorageError, match=f"has {setting} off; set it on"):
                    open_store(address, [tea])
                with pytest.raises(StorageError, match=f"has {setting} off"):
                    BackgroundCollector([tea], address)
            finally:
                beside.execute(f"{what} RESET {setting}")
                beside.execute("SELECT pg_reload_conf()")
            until(lambda name=setting: beside.execute(
                "SELECT current_setting(%s)", (name,)).fetchone() == ("on",))  # fmt: skip
        with open_store(address, [tea]) as store:
            one(store, tea)
            beside.execute("ALTER SYSTEM SET fsync = off")
            beside.execute("SELECT pg_reload_conf()")
            try:
                until(lambda: store.lives().result() and not store.ready)
                assert store.ready.reason == "finds fsync off in its database"
                with pytest.raises(StoreUnavailable, match="fsync off"):
                    one(store, tea)
            finally:
                beside.execute("ALTER SYSTEM RESET fsync")
                beside.execute("SELECT pg_reload_conf()")
            until(lambda: store.lives().result() and store.ready)
            one(store, tea)
            assert own_view(tea, address).stored.n == 2


@pytest.fixture
def recovering(cluster, address):
    """A server that reads its log and takes no connections yet; yields what ends that."""
    log = cluster.home / "recovering.log"
    signal_file = cluster.data / "standby.signal"
    options = f"-p {cluster.port} -k {cluster.home} -c listen_addresses=127.0.0.1"
    cluster.stop("fast")
    signal_file.touch()
    if cluster.owner:
        shutil.chown(signal_file, "postgres")
    try:
        more = f"{options} -c hot_standby=off -c max_connections=60"
        cluster._run("pg_ctl", "-W", "-l", str(log), "-o", more, "start")
        yield lambda: cluster._run("pg_ctl", "-w", "promote")
    finally:
        signal_file.unlink(missing_ok=True)
        with contextlib.suppress(subprocess.CalledProcessError):
            cluster.stop("immediate")
        cluster.start()


def refusing(address: str) -> bool:
    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError as error:
        return "refused" not in str(error)
    return False


@pytest.mark.slow  # a server is stopped, started and promoted: five seconds
def test_a_server_that_recovers_is_waited_for(tea, address, recovering, caplog, message, connect):
    until(lambda: refusing(address))
    began = time.monotonic()
    with pytest.raises(StorageError, match=r"within 0\.5 seconds; it is starting"):
        await_start(address, 0.5)
    assert 0.4 < time.monotonic() - began < 5
    timer = threading.Timer(1.0, recovering)
    timer.start()
    with BackgroundCollector([tea], address) as running:
        assert connect(running.url).send(message()).status == 202
    timer.join()
    told = [one for one in caplog.messages if "waiting for it" in one]
    assert told[-1] == "PostgreSQL is starting or recovering: waiting for it, 600 seconds at most"


def test_nobody_is_waited_for_where_nobody_answers(tmp_path):
    began = time.monotonic()
    await_start("postgresql://sudare@127.0.0.1:1/postgres")
    await_start_of("postgresql://sudare@127.0.0.1:1/x", str(tmp_path / "a.db"), "sqlite:///a", "")
    with pytest.raises(StorageError, match="must be an address of PostgreSQL"):
        await_start("postgresql://[")
    assert time.monotonic() - began < 5
