"""Older copies of a database: two public bodies never differ by less than a batch."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings, strategies as st
from teas import QUESTIONS, eventually

from sudare.cli import main
from sudare.collection import Collection
from sudare.collector import BackgroundCollector, Store, change_life, own_view, timeline
from sudare.collector.backup import back_up, restore
from sudare.collector.databases import open_store
from sudare.collector.inbox import Row
from sudare.collector.operator_api.opening import open_register
from sudare.collector.schema import open_database
from sudare.collector.timeline import Timeline
from sudare.collector.versions import register
from sudare.errors import StorageError
from sudare.estimation import Counts
from sudare.operators import Sessions, Tokens
from tests.cases import cases

NOW = datetime(2026, 2, 1, tzinfo=UTC)
CLOSES = NOW + timedelta(days=1)
RULES = {
    "": 50,
    "publish_at = 20\npublish_every = 30": 20,
    "publish_at = 50\npublish_every = 7": 7,
    f'publish = "end"\ncloses = {CLOSES.isoformat()}': 50,
}
"""Rules of publication, and the fewest reports of a batch."""


def survey(rule: str = "", name: str = "tea") -> Collection:
    return Collection.from_toml(
        f'[collection]\nname = "{name}"\nepsilon = 2.0\n{rule}\n{QUESTIONS}'
    )


class World:
    """One place of a database, everything that was ever public of it, and copies."""

    def __init__(self, collection: Collection, folder: Path) -> None:
        self.collection, self.folder, self.path = collection, folder, folder / "tea.sqlite3"
        self.numbers = itertools.count(1)
        self.bodies: list[frozenset[bytes]] = [frozenset()]
        self.copies: list[tuple[str, Path]] = []

    @contextmanager
    def serve(self) -> Iterator[None]:
        """Do what a start does, in one thread."""
        with closing(open_database(self.path)) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            self.connection, self.book = connection, register(connection, self.collection)
            stands = self.book.timeline = Timeline(f"{self.path}-anchor", connection)
            connection.begin()
            stands.verify(connection)
            connection.commit()
            stands.begin(stands.position(connection))
            self.book.open(connection)
            self.stored = {id for (id,) in connection.execute("SELECT id FROM report")}
            self.look()
            yield

    def look(self) -> None:
        """Note what is public: all that is stored, or what was public before."""
        if self.book.public.n == len(self.stored):
            self.bodies.append(frozenset(self.stored))
        assert self.book.public.n in map(len, self.bodies)

    def send(self, number: int) -> None:
        ids = b"".join(next(self.numbers).to_bytes(16, "big") for _ in range(number))
        self.connection.begin()
        folded = self.book.fold(
            self.connection, [Row(0, self.book.number, ids, b"\x02\x05" * number, b"")]
        )
        self.connection.commit()
        self.book.settle(folded)
        self.stored |= {ids[at : at + 16] for at in range(0, len(ids), 16)}
        self.look()

    def send_until_public(self) -> int:
        """Send reports until another body is public, the last one by itself; return how many."""
        rule, before = self.collection.publishing, self.book.public.n
        most = rule.next(self.book.public.since) - len(self.stored)
        self.send(most - 1)
        assert self.book.public.n == before
        self.send(1)
        assert self.book.public.n == len(self.stored)
        return most

    def end(self) -> None:
        self.book.finish(self.connection)
        self.look()

    def resume(self) -> None:
        self.book.resume(self.connection)
        self.look()

    def copy(self, way: str) -> None:
        target = self.folder / f"copy-{len(self.copies)}"
        if way == "backup":
            back_up(self.path, target)
        elif way in OVER:
            target.mkdir()
            for path in self.folder.glob("tea.sqlite3*"):
                shutil.copy2(path, target)
        else:
            with closing(open_database(self.path)) as file:  # with what its log holds
                assert file.wipe()
            shutil.copy(self.path, target)
        self.copies.append((way, target))

    def put_back(self, number: int) -> None:
        """Put one of the copies in the database's place."""
        way, copy = self.copies[number % len(self.copies)]
        if way == "in place":  # the same inode: only what was public since tells
            self.path.write_bytes(copy.read_bytes())
        elif way in OVER:
            before = os.stat(self.path).st_ino
            for path in copy.iterdir():
                OVER[way](path, self.folder / path.name)
            assert os.stat(self.path).st_ino == before
        else:
            self.path.unlink()
            restore(copy, self.path) if way == "backup" else shutil.copy(copy, self.path)

    def least(self) -> int:
        """Return by how many reports any two public bodies differ, at the least."""
        pairs = itertools.combinations(set(self.bodies), 2)
        return min((max(len(a - b), len(b - a)) for a, b in pairs), default=10**9)


OVER = {"all in place": shutil.copyfile, "all in place, with times": shutil.copy2}
"""All files over those that are there, as ``cp`` and ``cp -p`` write them."""
WAYS = ("backup", "another file", "in place", *OVER)


def sweep(tmp_path: Path, way: str, when: Iterable[int]) -> None:
    """Copy one database at several numbers of reports; put each copy back, and go on."""
    world, when = World(survey(), tmp_path), sorted(when)
    with world.serve():
        world.send(50)
        for k in range(51, when[-1] + 52):
            if k - 1 in when:
                world.copy(way)
            world.send(1)
    at_first = set(world.bodies)
    for number, k in enumerate(when):
        world.put_back(number)
        with world.serve():
            assert world.book.public.n == k // 50 * 50, k
            assert world.send_until_public() == 50, k
    assert world.least() >= 50
    assert len(set(world.bodies)) == len(at_first) + len(when)


@cases("way", WAYS)
def test_whenever_a_copy_is_made_the_next_batch_is_a_whole_one_beyond_it(way, tmp_path) -> None:
    sweep(tmp_path, way, (50, 51, 98, 99, 100, 149))


@pytest.mark.slow  # a hundred copies
def test_a_copy_of_any_moment(tmp_path) -> None:
    sweep(tmp_path, "backup", range(50, 150))


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(1, 60)),
        st.tuples(st.just("copy"), st.sampled_from(WAYS)),
        st.tuples(st.just("put_back"), st.integers(0, 9)),
        st.tuples(st.just("end")),
        st.tuples(st.just("resume")),
    ),
    max_size=14,
)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=12)
@given(actions=ACTIONS)
def test_whatever_is_put_back_bodies_differ_by_a_batch(tmp_path_factory, rule, actions) -> None:
    world = World(survey(rule), tmp_path_factory.mktemp("world"))
    with world.serve():
        world.send(30)
    for name, *given_ in actions:
        if name in ("copy", "put_back"):
            if name == "copy" or world.copies:
                getattr(world, name)(*given_)
            continue
        with world.serve():
            getattr(world, name)(*given_)
    for number in range(len(world.copies)):  # each once more, up to the next body
        world.put_back(number)
        with world.serve():
            world.resume()
            if not world.collection.publishing.once:
                world.send_until_public()
            world.end()
    assert world.least() >= RULES[rule]


def add(store: Store, collection: Collection, number: int) -> tuple[int, int]:
    """Send reports one by one; return how many are public, and from which the next batch counts."""
    for _ in range(number):
        store.add(collection.fingerprint, os.urandom(16), b"\x02\x05").result()
    public = store.public(collection.fingerprint)
    return public.n, public.since


def test_a_restart_or_a_crash_is_no_copy(tmp_path, caplog) -> None:
    """Where nothing was put back the batches go on as they were."""
    tea, home = survey("publish_at = 5\npublish_every = 5"), tmp_path / "home"
    home.mkdir()
    database = home / "tea.sqlite3"
    for number in (7, 3, 4, 1):
        with Store(database, [tea]) as store:
            seen = add(store, tea, number)
    assert seen == (15, 15)
    moved = tmp_path / "moved"
    home.rename(moved)
    with Store(moved / "tea.sqlite3", [tea]) as store:
        assert add(store, tea, 5) == (20, 20)
    assert "put back" not in caplog.text


def test_a_crash_costs_a_batch_only_between_the_anchor_and_its_mark(tmp_path, monkeypatch) -> None:
    """Before the anchor nobody was told; what a copy may look like too counts as one."""
    tea, database = survey("publish_at = 5\npublish_every = 5"), tmp_path / "tea.sqlite3"
    with Store(database, [tea]) as store:
        add(store, tea, 6)
        with monkeypatch.context() as ending:
            ending.setattr(Timeline, "note", lambda *_: False)
            assert add(store, tea, 4) == (5, 5)
    with Store(database, [tea]) as store:
        assert add(store, tea, 0) == (10, 10)
        with monkeypatch.context() as ending:
            ending.setattr(timeline, "_MARKED", "UPDATE absent SET mark = ?")
            assert add(store, tea, 6) == (10, 10)
            assert json.loads(Path(f"{database}-anchor").read_bytes())["steps"] == 3
    with Store(database, [tea]) as store:
        assert add(store, tea, 0) == (15, 16)
        assert add(store, tea, 1) == (15, 16)
    os.link(f"{database}-anchor", tmp_path / "linked")
    with Store(database, [tea]) as store:
        assert add(store, tea, 4) == (15, 17), "its times are others: it may be a copy"
        assert add(store, tea, 1) == (22, 22)


def test_files_that_cp_writes_over_those_that_are_there_are_known_for_copies(tmp_path) -> None:
    """Copied at rest or while a collector runs, with its log or without."""
    tea = survey("publish_at = 5\npublish_every = 5")
    for at_rest, log, options in ((True, False, ()), (False, True, ("-p",)), (False, False, ())):
        home = tmp_path / "-".join(map(str, (at_rest, log, *options)))
        (copy := home / "copy").mkdir(parents=True)
        database, wal = home / "tea.sqlite3", home / "tea.sqlite3-wal"

        def cp(source: Path, target: Path, options: tuple[str, ...] = options) -> None:
            subprocess.run(["cp", *options, *source.glob("tea.sqlite3*"), target], check=True)

        with Store(database, [tea], idle=60 if log else 0.01) as store:
            add(store, tea, 9)
            if not at_rest:
                if not log:
                    eventually(lambda wal=wal: not wal.stat().st_size)
                cp(home, copy)
                (copy / "tea.sqlite3-lock").unlink()
                if not log:
                    (copy / wal.name).unlink()
        if at_rest:
            cp(home, copy)
        with Store(database, [tea]) as store:
            assert add(store, tea, 1) == (10, 10)
        files = {path.name: path.stat().st_ino for path in home.glob("tea.sqlite3*")}
        cp(copy, home)
        assert all((home / name).stat().st_ino == inode for name, inode in files.items())
        with Store(database, [tea]) as store:
            assert add(store, tea, 4) == (5, 9), home.name
            assert add(store, tea, 1) == (14, 14), home.name


def test_files_that_come_to_another_place_are_known_for_copies(tmp_path, caplog) -> None:
    """With the anchor too, with reports in an inbox, over what was there."""
    tea = survey("publish_at = 5\npublish_every = 5")
    home = tmp_path / "home"
    home.mkdir()
    with Store(home / "tea.sqlite3", [tea], idle=60) as store:
        add(store, tea, 7)
        store._book(tea.fingerprint).stepping = True  # what follows stays in the inbox
        add(store, tea, 2)
        shutil.copytree(home, tmp_path / "copy")
        image = {path.name: path.read_bytes() for path in home.iterdir()}
        (tmp_path / "copy" / "tea.sqlite3-lock").unlink()
    with Store(tmp_path / "copy" / "tea.sqlite3", [tea]) as store:
        assert store.public(tea.fingerprint).since == 9
        assert add(store, tea, 4) == (5, 9)
        assert add(store, tea, 1) == (14, 14)
    assert "put back, copied or moved" in caplog.text
    for name, data in image.items():
        if not name.endswith("-lock"):
            (home / name).write_bytes(data)
    with Store(home / "tea.sqlite3", [tea]) as store:
        assert store.public(tea.fingerprint).since == 9


def test_an_anchor_elsewhere_knows_a_disk_s_image_too(tmp_path) -> None:
    tea, database, anchor = survey("publish_at = 5"), tmp_path / "tea", str(tmp_path / "anchor")
    with Store(database, [tea], anchor=anchor) as store:
        add(store, tea, 6)
    image = database.read_bytes()
    with Store(database, [tea], anchor=anchor) as store:
        assert add(store, tea, 6) == (10, 10)
    database.write_bytes(image)
    with Store(database, [tea], anchor=anchor) as store:
        assert add(store, tea, 4) == (5, 6)
        assert add(store, tea, 1) == (11, 11)
    Path(anchor).write_text("{")
    with Store(database, [tea], anchor=anchor) as store:
        assert store.public(tea.fingerprint).since == 11
    with pytest.raises(StorageError, match="anchor"):
        Store(database, [tea], anchor=str(tmp_path / "absent" / "anchor"))


def test_a_survey_of_a_copy_that_is_served_later_is_counted_so_too(tmp_path) -> None:
    """Versions, rounds and surveys that the first start does not serve; a copy of a copy."""
    rule = "publish_at = 5"
    some = [survey(rule), survey(rule, "coffee")]
    database, copy = tmp_path / "a", tmp_path / "copy"
    with Store(database, some) as store:
        for one in some:
            add(store, one, 8)
        back_up(database, copy)
    again = tmp_path / "again"
    shutil.copy(copy, again)  # as it is, without sudare restore
    assert own_view(some[0], again).public.since == 8
    with Store(again, some[:1]) as store:
        assert add(store, some[0], 4) == (5, 8)
        store.adopt(some[1]).result()
        assert add(store, some[1], 4) == (5, 8)
        back_up(again, tmp_path / "second")
    restore(tmp_path / "second", tmp_path / "third")
    with Store(tmp_path / "third", some) as store:
        assert [add(store, one, 4) for one in some] == [(5, 12)] * 2
        assert [add(store, one, 1) for one in some] == [(17, 17)] * 2


def test_a_file_of_an_earlier_version_goes_on_where_it_lies_and_is_a_copy_if_put_back(
    tmp_path,
) -> None:
    """Where an anchor knows more it is a copy too, also without ``sudare restore``."""
    tea, database = survey("publish_at = 5\npublish_every = 5"), tmp_path / "tea"
    with Store(database, [tea]) as store:
        add(store, tea, 7)
    with closing(open_database(database)) as file:
        for table in ("timeline", "base"):
            file.execute(f"DROP TABLE {table}")
        file.execute("UPDATE schema SET version = 6")
    restore(database, tmp_path / "restored")
    shutil.copy(database, tmp_path / "moved")
    for name, beside, since in (("restored", False, 7), ("tea", True, 7), ("moved", False, 5)):
        assert (tmp_path / f"{name}-anchor").exists() == beside
        with Store(tmp_path / name, [tea]) as store:
            assert store.public(tea.fingerprint).since == since, name


def test_an_anchor_that_cannot_be_written_at_a_start_is_told_by_the_error_alone(
    tmp_path, caplog
) -> None:
    with pytest.raises(StorageError, match="anchor must be a file that can be written"):
        Store(tmp_path / "tea.sqlite3", [], anchor=str(tmp_path / "nope" / "anchor"))
    assert caplog.records == []


def test_what_cannot_be_noted_is_not_told(tmp_path) -> None:
    """A full disk of the anchor keeps figures back, and no report."""
    tea, database, anchor = survey("publish_at = 5"), tmp_path / "tea", tmp_path / "kept" / "anchor"
    anchor.parent.mkdir()
    with Store(database, [tea], anchor=str(anchor)) as store:
        anchor.parent.rename(tmp_path / "gone")
        assert add(store, tea, 6)[0] == 0
        assert store.counts(tea.fingerprint).result()[0].n == 6
        (tmp_path / "gone").rename(anchor.parent)
        assert add(store, tea, 1)[0] == 5, "as it was when the batch was complete"


# -- a whole collector ---------------------------------------------------------------------------


class Poller:
    """Whoever reads what is public, and sends reports."""

    def __init__(self, api, collection: Collection) -> None:
        self.api, self.collection = api, collection

    def send(self, *payloads: bytes) -> None:
        reports = [
            {"id": os.urandom(16).hex(), "report": base64.urlsafe_b64encode(one).decode()[:3]}
            for one in payloads
        ]
        body = {"fingerprint": self.collection.fingerprint, "reports": reports}
        assert self.api.send(body).status == 202

    def body(self) -> tuple[int, np.ndarray]:
        told = self.api.get("/api/collections/tea/counts").json
        counts = [Counts.from_json(json.dumps(one)) for one in told["questions"].values()]
        return told["n"], np.concatenate([one.support for one in counts])

    def next(self) -> int | None:
        return self.api.get("/api/collections/tea/results").json["publication"]["next"]


def test_who_polls_before_and_after_a_restoration_reads_no_report(
    tmp_path, connect, capsys
) -> None:
    """Backed up at 99 of which 50 are public, one more makes 100 public, restored, one more."""
    tea, database, copy = survey(), tmp_path / "tea.sqlite3", tmp_path / "copy.sqlite3"
    with BackgroundCollector([tea], database) as running:
        poller = Poller(connect(running.url), tea)
        poller.send(*[b"\1\1"] * 50)
        poller.send(*[b"\2\2"] * 49)
        assert main(["backup", "--database", str(database), "--out", str(copy)]) == 0
        poller.send(b"\3\3")
        before = poller.body()
    assert before[0] == 100
    database.unlink()
    assert main(["restore", str(copy), "--database", str(database)]) == 0
    assert "whole batch" in capsys.readouterr().out
    with BackgroundCollector([tea], database) as running:
        poller = Poller(connect(running.url), tea)
        assert poller.next() == 99  # 49 that the copy holds, and 50
        for number in (1, 48):
            poller.send(*[b"\4\4"] * number)
            assert poller.body()[0] == 50
        poller.send(b"\4\4")
        n, support = poller.body()
        assert n == 149
        assert np.abs(support - before[1]).max() == 50
        assert poller.next() == 50


def test_a_restoration_while_a_survey_ends_and_is_opened_again(tmp_path, connect) -> None:
    """What the end has told of a lost report is not told again without it."""
    tea = survey(f'publish = "end"\ncloses = {CLOSES.isoformat()}')
    database, copy, now = tmp_path / "tea.sqlite3", tmp_path / "copy", [NOW]
    with BackgroundCollector([tea], database, clock=lambda: now[0]) as running:
        poller = Poller(connect(running.url), tea)
        poller.send(*[b"\1\1"] * 120)
        back_up(database, copy)
        poller.send(b"\3\3")
        now[0] = CLOSES
        assert poller.body()[0] == 121
    database.unlink()
    restore(copy, database)
    with BackgroundCollector([tea], database, clock=lambda: now[0]) as running:
        poller = Poller(connect(running.url), tea)
        assert poller.body()[0] == 0
        now[0] = NOW
        change_life("tea", database, "open", CLOSES, clock=lambda: now[0])
        eventually(
            lambda: poller.api.get("/api/collections/tea").json["life"].get("closed") is not True
        )
        poller.send(*[b"\4\4"] * 50)
        now[0] = CLOSES
        eventually(lambda: poller.body()[0] == 170)
        told = poller.api.get("/api/collections/tea/results").json["publication"]
        assert told["tally"]["n"] == 50, "121 and 170 differ by 50 reports, less one"


# -- PostgreSQL ----------------------------------------------------------------------------------


def fold(store, collection: Collection, *numbers: int) -> tuple[int, int]:
    """Send reports; a batch is public with the fold that completes it."""
    for number in numbers:
        add(store, collection, number)
        store.counts(collection.fingerprint).result()
    return add(store, collection, 0)


def database_of(cluster, name: str) -> str:
    """Make an empty database; return its address."""
    with psycopg.connect(f"{cluster.url}/postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(f"CREATE DATABASE {name}")
    return f"{cluster.url}/{name}"


_TRUNCATE = """
DO $$ BEGIN EXECUTE (SELECT 'TRUNCATE ' || string_agg('sudare_collector.' || tablename, ', ')
FROM pg_tables WHERE schemaname = 'sudare_collector'); END $$
"""


def dump(cluster, address: str, path: Path) -> Path:
    made = [cluster.programs / "pg_dump", "-Fc", "-f", path, address]
    subprocess.run(made, check=True)
    return path


def put_back(cluster, address: str, path: Path, *options: str) -> None:
    made = [cluster.programs / "pg_restore", *options, "-d", address, path]
    subprocess.run(made, check=True, capture_output=True)


def test_a_dump_that_is_put_back_is_known_for_a_copy(cluster, address, tmp_path, caplog) -> None:
    """Over the tables that were there, and into another database; several processes serve it."""
    tea = survey("publish_at = 5\npublish_every = 5")
    with open_store(address, [tea]) as store:
        assert fold(store, tea, 5, 4) == (5, 5)
        copy = dump(cluster, address, tmp_path / "copy")
        assert fold(store, tea, 1) == (10, 10)
    with open_store(address, [tea]) as store:
        assert store.public(tea.fingerprint).base == 0, "a start is no copy"
    other = database_of(cluster, "other")
    ways = (address, "--data-only"), (address, "--clean"), (other, "-e")
    for target, how in ways:
        if how == "--data-only":
            with psycopg.connect(target, autocommit=True) as connection:
                connection.execute(_TRUNCATE)
        put_back(cluster, target, copy, how)
        with open_store(target, [tea]) as store, open_store(target, [tea]) as beside:
            assert add(store, tea, 0) == add(beside, tea, 0) == (5, 9)
            assert fold(store, tea, 4) == (5, 9)
            assert fold(beside, tea, 1) == (14, 14)
            store.lives().result()
            assert store.public(tea.fingerprint).n == 14
    assert caplog.text.count("put back, copied or moved") == 3


def test_what_the_page_says_to_run_makes_a_copy_of_any_database(address) -> None:
    """Also while processes serve it, and for a role that may ask the server for nothing."""
    tea = survey("publish_at = 5\npublish_every = 5")
    with psycopg.connect(address, autocommit=True) as beside:
        beside.execute("DROP SCHEMA IF EXISTS sudare_collector CASCADE")
        beside.execute("DROP ROLE IF EXISTS plain")
        beside.execute("CREATE ROLE plain LOGIN")
        beside.execute("CREATE SCHEMA sudare_collector AUTHORIZATION plain")
        for name in ("pg_control_system()", "pg_walfile_name(pg_lsn)"):
            beside.execute(f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC")
        try:
            plain = address.replace("sudare@", "plain@")
            with open_store(plain, [tea]) as store:
                assert fold(store, tea, 5, 2) == (5, 5)
                beside.execute("UPDATE sudare_collector.timeline SET id = NULL")
                assert fold(store, tea, 1, 4) == (5, 8)
                assert fold(store, tea, 1) == (13, 13)
        finally:
            for name in ("pg_control_system()", "pg_walfile_name(pg_lsn)"):
                beside.execute(f"GRANT EXECUTE ON FUNCTION {name} TO PUBLIC")
            beside.execute("DROP SCHEMA sudare_collector CASCADE; DROP ROLE plain")


def test_in_a_copy_of_a_database_no_operator_is_signed_in(address) -> None:
    """Said by hand, tokens end too; a copy that is only known by its signs keeps them."""
    tea = survey()
    with open_store(address, [tea]):
        pass
    for said, sign in ((False, "written = 0"), (True, "id = NULL")):
        with open_register(address) as register:
            secret = Tokens(register).issue("ann", ["admin"])
            cookie, _ = Sessions(register).begin(Tokens(register).check(secret), secure=True)
            with psycopg.connect(address, autocommit=True) as beside:
                beside.execute(f"UPDATE sudare_collector.timeline SET {sign}")
            for _ in range(2):
                with open_store(address, [tea]):
                    assert not Sessions(register).find(cookie, secure=True)
                    assert bool(Tokens(register).check(secret)) is not said
            for token in Tokens(register).all():
                if not token.revoked:
                    Tokens(register).revoke(token.rights.token)


@pytest.mark.slow  # a server is ended and started seven times
def test_a_standby_that_takes_over_and_a_disk_s_image(cluster, address, tmp_path) -> None:
    """A standby begins a timeline of PostgreSQL's own; an image is told by an anchor elsewhere."""
    tea, anchor = survey("publish_at = 5\npublish_every = 5"), str(tmp_path / "anchor")
    old, newer = cluster.home / "old", cluster.home / "newer"
    with open_store(address, [tea], anchor=anchor) as store:
        assert fold(store, tea, 5, 4) == (5, 5)
    cluster.stop("fast")
    subprocess.run(["cp", "-a", cluster.data, old], check=True)
    cluster.start()
    with open_store(address, [tea], anchor=anchor) as store:
        assert fold(store, tea, 1) == (10, 10)
    cluster.stop("fast")
    cluster.data.rename(newer)
    try:
        for standby, known, since in ((False, None, 5), (False, anchor, 9), (True, None, 9)):
            subprocess.run(["cp", "-a", old, cluster.data], check=True)
            if standby:  # it takes over at the end of what it has
                (cluster.data / "standby.signal").touch()
                if cluster.owner:
                    shutil.chown(cluster.data / "standby.signal", **cluster.owner)
            cluster.start()
            if standby:
                with psycopg.connect(address, autocommit=True) as connection:
                    assert connection.execute("SELECT pg_promote()").fetchone() == (True,)
            with open_store(address, [tea], anchor=known) as store:
                assert store.public(tea.fingerprint).since == since
            cluster.stop("fast")
            shutil.rmtree(cluster.data)
    finally:
        if cluster.data.exists():
            cluster.stop("fast")
            shutil.rmtree(cluster.data)
        newer.rename(cluster.data)
        cluster.start()
        shutil.rmtree(old)
