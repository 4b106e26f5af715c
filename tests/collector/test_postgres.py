"""Several processes on one PostgreSQL: each report once, each invite once, whoever folds."""

from __future__ import annotations

import base64
import json
import os
import random
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest
from crowd import Crowd, Servers
from invited import SHELF
from teas import TEA
from within import Within

from sudare.cli.main import main
from sudare.collection import Collection
from sudare.collection.invite import read_code
from sudare.collector import change_life, count_invites, create_app, issue_invites, own_view
from sudare.collector.backup import back_up, restore
from sudare.collector.databases import open_store, reading
from sudare.collector.invites import InviteError
from sudare.collector.postgres import merge_thread, tables
from sudare.collector.postgres.connection import (
    SCHEMA,
    DatabaseFault,
    PostgresConnection,
    numbered,
)
from sudare.collector.postgres.order_erasure import EVERY, rewrite
from sudare.errors import CollectionError, DomainError, StorageError
from sudare.operators import Register, Tokens, tables as operators


@contextmanager
def asking(address: str):
    options = "-c search_path=sudare_collector"
    with psycopg.connect(address, autocommit=True, options=options) as connection:
        yield connection


def eventually(holds, seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# -- two stores --------------------------------------------------------------------------------


def test_two_processes_take_the_same_reports_once(address, tea) -> None:
    """Two stores share nothing but the database: what holds of them holds of two hosts."""
    ids = [os.urandom(16) for _ in range(150)]
    sent = [bytes([i % 6, i % 32]) for i in range(150)]
    own = tea.fingerprint
    with open_store(address, [tea]) as one, open_store(address, [tea]) as two:

        def send(store, seed: int) -> None:
            draw = random.Random(seed)
            order = draw.sample(range(150), 150)
            for i in order:
                store.add(own, ids[i], sent[i]).result()
                if draw.random() < 0.02:
                    store.counts(own).result()

        threads = [
            threading.Thread(target=send, args=(store, seed))
            for seed, store in enumerate((one, two, one, two))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        truth = list(tea.tally(b"".join(sent)))
        assert list(one.counts(own).result()) == list(two.recount(own).result()) == truth
        eventually(lambda: one.lives().result() and one.public(own).n == 150)
        eventually(lambda: two.lives().result() and two.public(own).n == 150)


def test_an_invite_is_spent_by_one_of_two_processes(address) -> None:
    codes = [read_code(code) for code in issue_invites(SHELF, address, 40)]
    own, admitted = SHELF.fingerprint, []
    with open_store(address, [SHELF]) as one, open_store(address, [SHELF]) as two:
        parts = [one.tickets(own, code).result()["teas"] for code in codes]
        assert parts == [two.tickets(own, code).result()["teas"] for code in codes]
        entries = [(own, os.urandom(16), bytes([part, 1]), code)
                   for part, code in zip(parts, codes, strict=True)]  # fmt: skip
        waiting = [
            (store, (entry[0], report_id, *entry[2:]))
            for entry in entries
            for report_id in (entry[1], os.urandom(16), entry[1])
            for store in (one, two)
        ]
        random.Random(1).shuffle(waiting)
        futures = [(entry, store.add(*entry)) for store, entry in waiting]
        for entry, future in futures:
            error = future.exception()
            if error is None:
                admitted.append(entry[1])
            else:
                assert isinstance(error, InviteError)
                assert error.spent
        assert one.counts(own).result()[0].n == 40
        assert two.recount(own).result()[0].n == 40
        assert len(set(admitted)) == 40
        assert count_invites(SHELF, address) == (40, 40)
        for entry, _ in futures:  # folded: still known
            again = two.add(*entry).exception()
            assert (again is None) == (entry[1] in admitted)


def test_each_process_sees_what_another_has_changed(address) -> None:
    collection = Collection.from_toml(TEA.replace("publish_at = 1", "publish_at = 5"))
    own = collection.fingerprint
    with open_store(address, [collection]) as one, open_store(address, [collection]) as two:
        one.add(own, os.urandom(16 * 6), bytes(12)).result()
        one.counts(own).result()
        two.lives().result()
        assert two.public(own).n == 6
        change_life("tea", address, "close")
        assert two.settle(own, datetime.now(UTC)).result().state == "closed"
        assert one.lives().result()[own][0].act == "close"
        assert one.public(own).last


def test_a_process_with_an_older_file_serves_what_others_do(address, tea) -> None:
    old = replace(tea, keep_reports_days=9)
    new = Collection.from_toml(TEA.replace('"oi-ocha"', '"oi-ochas"'))
    path = "/api/v1/collections/tea"

    def entry(collection: Collection) -> dict[str, str]:
        report = base64.urlsafe_b64encode(b"\1\1").decode().rstrip("=")
        return {
            "fingerprint": collection.fingerprint, "id": os.urandom(16).hex(), "report": report
        }  # fmt: skip

    with Within(create_app([old], address)) as first:
        assert first.request("POST", f"{path}/reports", entry(old)).status == 202
        with Within(create_app([new], address)) as second:
            served = second.request("GET", path).json
            first.until(lambda: first.request("GET", path).json == served)
            assert first.request("POST", f"{path}/reports", entry(new)).status == 202
            assert first.request("POST", f"{path}/reports", entry(old)).status == 409
            assert own_view(new, address).stored.n == 1
            listed = first.request("GET", f"{path}/versions").json["versions"]
            assert [(one["served"], one["stage"]) for one in listed] == [
                (False, "closed"), (True, "open")
            ]  # fmt: skip
            with pytest.raises(CollectionError, match="sudare close tea"):
                create_app([old], address)
            with pytest.raises(CollectionError, match="sudare close tea"):
                open_store(address, [old])
    acts = [one.act for one in own_view(new, address).history]
    assert acts == ["created"], "following changes no life"


def test_whoever_lives_folds_what_the_dead_have_left(address, tea, monkeypatch) -> None:
    monkeypatch.setattr(merge_thread, "OLDEST", 0.2)
    with open_store(address, [tea]) as store:
        with asking(address) as other:  # as a process that was killed has left it
            other.execute(
                "INSERT INTO inbox (collection, ids, payloads) VALUES (1, %s, %s)",
                (os.urandom(48), bytes(6)),
            )
        eventually(lambda: store.lives().result() and store.public(tea.fingerprint).n == 3)
        with asking(address) as other:
            eventually(lambda: other.execute("SELECT pg_relation_size('inbox')").fetchone() == (0,))


def test_one_folds_at_a_time_and_the_next_goes_on(address, tea) -> None:
    with open_store(address, [tea]) as store, closing(PostgresConnection(address)) as other:
        other.begin()  # a fold that is under way, elsewhere
        store.add(tea.fingerprint, os.urandom(16), b"\1\1").result()  # waits for none
        asked = store.counts(tea.fingerprint)
        time.sleep(0.1)
        assert not asked.done()
        other.rollback()
        assert asked.result()[0].n == 1


# -- servers that are killed -------------------------------------------------------------------

ROUNDS = int(os.environ.get("SUDARE_KILLS", "6"))


@pytest.mark.parametrize("rounds", [2, pytest.param(ROUNDS, marks=pytest.mark.slow)])
def test_kill_9_of_either_process_loses_and_doubles_nothing(address, tea, rounds) -> None:
    crowd, draw, pending = Crowd(tea.fingerprint), random.Random(rounds), []
    servers = Servers(address)
    try:
        running = [servers.start() for _ in range(2)]
        with crowd.living(), asking(address) as beside:
            crowd.urls = [url for _, url in running]
            crowd.running.set()
            for _ in range(rounds):
                time.sleep(0.1 + 0.4 * draw.random())
                place = draw.randrange(2)
                servers.kill(running[place][0])
                pending += beside.execute("SELECT count(*) FROM inbox").fetchone()
                running[place] = servers.start()
                crowd.urls = [url for _, url in running]
            for server, _ in running:
                servers.kill(server)
    finally:
        servers.end()
    with open_store(address, [tea]) as store:
        counts = store.counts(tea.fingerprint).result()
        assert store.recount(tea.fingerprint).result() == counts
    with asking(address) as connection:
        rows = connection.execute("SELECT id, payload FROM report").fetchall()
    stored = {bytes(i).hex(): bytes(p) for i, p in rows}
    assert crowd.acknowledged <= stored.keys() <= crowd.sent.keys()
    assert len(rows) == len(stored) == counts[0].n
    assert all(crowd.sent[i] == payload for i, payload in stored.items())
    assert tea.tally(b"".join(stored.values())) == counts
    assert crowd.repeated > 0
    assert max(pending) > 0


@pytest.mark.slow
def test_an_owners_whole_path_with_two_servers(
    address, connect, batch, item, tmp_path, capsys
) -> None:
    """Publish, answers through both, results, close, export, delete: by the commands."""
    survey, own = tmp_path / "tea.toml", ["--database", address]
    survey.write_text(TEA.replace("publish_at = 1", "draft = true\npublish_at = 1"))
    servers = Servers(address, survey.read_text())

    def says(*words: str) -> str:
        capsys.readouterr()
        assert main([*words, *own]) == 0
        return capsys.readouterr().out

    def both(path: str) -> list[int]:
        return [api.get(path).status for api in apis]

    started = [servers.start() for _ in range(2)]
    try:
        apis = [connect(url) for _, url in started]
        assert both("/api/v1/collections/tea") == [404, 404]
        says("publish", "tea")
        eventually(lambda: both("/api/v1/collections/tea") == [200, 200])
        sent = [item(bytes([i % 6, i % 32])) for i in range(60)]
        for some in (sent[:20], sent[20:40], sent[10:30], sent[40:]):  # some of them twice
            for api in apis:
                assert api.send(batch(some)).status == 202
        eventually(lambda: [api.n() for api in apis] == [60, 60])
        told = [api.get("/api/v1/collections/tea/counts").json for api in apis]
        assert told[0] == told[1]
        assert json.loads(says("results", str(survey), "--json"))["n"] == 60
        says("close", "tea")
        eventually(lambda: {api.send(batch([item()])).status for api in apis} == {403})
        for what, name in (("figures", "a.csv"), ("counts", "b.json"), ("reports", "c.parquet")):
            says("export", str(survey), "--out", str(tmp_path / name), "--what", what)
            assert (tmp_path / name).stat().st_size
        gone = json.loads(says("delete", "tea", "--yes", "--json"))
        assert gone["deleted"] == {"reports": 60, "invites": 0}
        eventually(lambda: both("/api/v1/collections/tea/results") == [410, 410])
    finally:
        for server, _ in started:
            servers.kill(server)
        servers.end()


# -- what stays --------------------------------------------------------------------------------


def test_the_order_of_arrival_does_not_stay(address, tea, monkeypatch) -> None:
    """One transaction wrote every report, in the order of the ids; the inbox has no page."""
    ids = [os.urandom(16) for _ in range(30)]
    with open_store(address, [tea]) as store, asking(address) as beside:
        for each in ids:
            store.add(tea.fingerprint, each, b"\1\1").result()
            store.counts(tea.fingerprint).result()  # folded one by one

        def settled() -> bool:
            rows = beside.execute("SELECT id, xmin::text FROM report ORDER BY ctid").fetchall()
            (left,) = beside.execute("SELECT pg_relation_size('inbox')").fetchone()
            in_order = [bytes(one) for one, _ in rows] == sorted(ids)
            return in_order and len({number for _, number in rows}) == 1 and not left

        assert not settled()
        monkeypatch.setattr(merge_thread, "OLDEST", 0.2)
        ids.append(os.urandom(16))
        store.add(tea.fingerprint, ids[-1], b"\1\1").result()  # the folder wakes
        eventually(settled)


def test_a_reader_delays_that_and_nothing_else(address, tea, monkeypatch) -> None:
    monkeypatch.setattr(merge_thread, "WIPE_PAUSE", 0.05)
    with open_store(address, [tea]) as store, asking(address) as reader:
        with reader.transaction():
            reader.execute("SELECT count(*) FROM inbox")  # as pg_dump does, for long
            for _ in range(3):
                store.add(tea.fingerprint, os.urandom(16), b"\1\1").result(5)
                assert store.counts(tea.fingerprint).result(5)
            assert reader.execute("SELECT pg_relation_size('inbox')").fetchone() != (0,)
            with closing(PostgresConnection(address)) as other:
                assert not rewrite(other, EVERY)
        eventually(lambda: reader.execute("SELECT pg_relation_size('inbox')").fetchone() == (0,))
        assert store.ready


def test_nothing_is_rewritten_under_a_reader(address, tea) -> None:
    """A table that is emptied after the reader's snapshot would seem to have no rows."""
    with open_store(address, [tea]) as store:
        store.add(tea.fingerprint, os.urandom(16 * 9), bytes(18)).result()
        store.counts(tea.fingerprint).result()
        with reading(address), closing(PostgresConnection(address)) as other:
            for table in EVERY:
                assert not rewrite(other, (table,))
        for _ in range(40):
            with closing(PostgresConnection(address)) as other:
                rewriting = threading.Thread(target=rewrite, args=(other, ("report",)))
                rewriting.start()
                assert own_view(tea, address).stored.n == 9
                rewriting.join()


def test_tables_hold_nothing_but_ids_and_payloads(address, tea) -> None:
    with open_store(address, [tea]), asking(address) as beside:
        rows = beside.execute(
            "SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position) "
            "FROM information_schema.columns WHERE table_schema = 'sudare_collector' GROUP BY 1"
        ).fetchall()
    assert dict(rows) == {
        "schema": ["version"],
        "collection": ["number", "fingerprint", "name", "definition", "texts", "former"],
        "life": ["seq", "collection", "state", "opens", "closes", "act", "at"],
        "inbox": ["seq", "collection", "ids", "payloads", "marks"],
        "taken": ["collection", "mark"],
        "report": ["collection", "id", "payload"],
        "tally": ["collection", "question", "n", "support"],
        "secret": ["collection", "key"],
        "invite": ["collection", "mark", "spent"],
        "step": ["collection", "last", "issued"],
        "public": ["collection", "question", "n", "support"],
        "earlier": ["collection", "question", "n", "support"],
        "fold": ["folded", "fresh", "folds"],
        "timeline": ["id", "steps", "place", "written"],
        "base": ["collection", "n"],
        "fault": ["why"],
        "told": ["news", "teller", "until", "finished"],
        "recounted": ["collection", "times"],
        "rate": ["mark", "count"],
        "rate_key": ["hour", "key"],
    }


# -- what goes wrong ---------------------------------------------------------------------------


def test_a_lost_connection_is_made_again(address, tea) -> None:
    report_id = os.urandom(16)

    def takes() -> bool:
        try:
            store.add(tea.fingerprint, report_id, b"\1\1").result(5)
        except StorageError:
            return False
        return bool(store.ready)

    with open_store(address, [tea]) as store, asking(address) as other:
        for _ in range(2):
            assert takes()
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND application_name = 'sudare'"
            )
            eventually(takes)
        counts = store.counts(tea.fingerprint).result(5)
        assert counts == store.recount(tea.fingerprint).result(5)
        assert counts[0].n == 1


def test_a_transaction_whose_connection_is_lost_is_not_taken_as_done(address, tea) -> None:
    with open_store(address, [tea]), closing(PostgresConnection(address)) as own:
        own.begin()
        own.execute("UPDATE fold SET fresh = 7")
        with asking(address) as other:
            other.execute(
                "SELECT pg_terminate_backend(?)".replace("?", str(own._raw.info.backend_pid))
            )
        for _ in range(2):
            with pytest.raises(DatabaseFault):
                own.commit()
        own.rollback()
        assert own.execute("SELECT fresh FROM fold").fetchone() == (0,)
        own.begin()
        with pytest.raises(DatabaseFault):
            own.execute("SELECT 1 / 0")
        with pytest.raises(DatabaseFault):
            own.commit()
        own.rollback()


def test_wrong_databases_are_refused_by_name_and_without_the_password(
    address, tea, tmp_path
) -> None:
    nobody = address.replace("sudare@", "sudare:canary@").rpartition("/")[0] + "/nothing"
    for wrong in (nobody, "postgresql://me:canary@127.0.0.1:1/x?connect_timeout=2"):
        for use in (lambda at: open_store(at, [tea]), lambda at: own_view(tea, at)):
            with pytest.raises(StorageError, match="must be reached") as caught:
                use(wrong)
            assert "canary" not in str(caught.value)
            assert caught.value.__cause__ is None
    with pytest.raises(StorageError, match="an address of PostgreSQL"):
        open_store("postgresql://?nonsense=1", [tea])
    with pytest.raises(DomainError, match="must be a file or a postgresql://"):
        open_store("mysql://127.0.0.1/x", [tea])
    with pytest.raises(StorageError, match="schema version"):
        own_view(tea, address)  # there, and empty
    for copy in (
        lambda: back_up(address, tmp_path / "x"),
        lambda: restore(tmp_path / "x", address),
    ):
        with pytest.raises(StorageError, match="pg_dump"):
            copy()


def test_a_newer_version_and_strange_tables_are_refused(address, tea) -> None:
    with open_store(address, [tea]):
        pass
    with asking(address) as other:
        other.execute("UPDATE schema SET version = %s", (tables.SCHEMA_VERSION + 1,))
        for use in (lambda: open_store(address, [tea]), lambda: own_view(tea, address)):
            with pytest.raises(StorageError, match="at most schema version"):
                use()
        other.execute("DROP TABLE schema")
        with pytest.raises(StorageError, match="no schema sudare_collector"):
            open_store(address, [tea])


def test_values_are_numbered() -> None:
    assert numbered("a = ? AND b = ?") == b"a = $1 AND b = $2"
    assert numbered("a = ?2 AND b = ?1") == b"a = $2 AND b = $1"


def test_a_role_that_may_make_no_schema_uses_one_with_operators_beside(address, tea) -> None:
    """One schema has everything, whoever comes first."""
    server = address.rpartition("/")[0]
    with psycopg.connect(address, autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS little")
        admin.execute("CREATE ROLE little LOGIN")
        admin.execute("CREATE SCHEMA sudare_collector AUTHORIZATION little")
        try:
            own = server.replace("sudare@", "little@") + "/postgres"
            with Register(own) as register:
                assert not register.is_begun()
                Tokens(register).issue("ann", ["run"])
            with open_store(own, [tea]) as store:
                store.add(tea.fingerprint, os.urandom(16), b"\1\1").result()
                store.counts(tea.fingerprint).result()
            with Register(own) as register:
                assert register.is_begun()
            found = admin.execute(
                "SELECT DISTINCT schemaname FROM pg_tables WHERE tableowner = 'little'"
            ).fetchall()
            assert found == [(operators.SCHEMA,)] == [(SCHEMA,)]
        finally:
            admin.execute("DROP OWNED BY little")
            admin.execute("DROP ROLE little")
