"""What polling gives away: the whole of what is public, before and after each submission."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from teas import QUESTIONS, eventually

from sudare.collection import Client, Collection
from sudare.collection.memo import MemoryMemo
from sudare.collector import BackgroundCollector, Store, change_life, schema
from sudare.collector.app import create_app
from sudare.collector.database import Database
from sudare.collector.tallies import CollectionTally
from sudare.estimation import Counts

CLOSES = datetime(2026, 3, 1, tzinfo=UTC)
PUBLIC = (
    "/api/collections/tea/results",
    "/api/collections/tea/results?target=respondents&confidence=0.9",
    "/api/collections/tea/counts",
    "/api/collections/tea/versions",
    "/api/v1/collections/tea/export",
    "/api/v1/collections/tea/export?what=counts&format=json",
    "/api/collections/tea",
    "/api/collections",
    "/datasets",
    "/datasets/tea",
    "/openapi.json",
    "/health",
    "/healthz",
    "/readyz",
    "/metrics",
    "/",
    "/tea",
    "/tea/results",
    "/my/reports",
)


def survey(rule: str = "", closes: bool = False) -> Collection:
    end = f"closes = {CLOSES.isoformat()}\n" if closes else ""
    head = f'[collection]\nname = "tea"\nepsilon = 2.0\n{rule}\n{end}'
    return Collection.from_toml(head + QUESTIONS)


def payloads(number: int) -> list[bytes]:
    """Reports of which most differ from each other: GRR below 6, five bits of OUE."""
    return [bytes([value % 6, value % 32]) for value in os.urandom(number)]


class Watcher:
    """Whoever may ask for everything that is public, at any time, and adds reports of its own."""

    def __init__(self, api, collection: Collection) -> None:
        self.api, self.collection = api, collection

    def send(self, *some: bytes) -> None:
        assert self.takes(*some)

    def takes(self, *some: bytes) -> bool:
        """Tell whether reports are taken; 403 where not."""
        reports = [{"id": os.urandom(16).hex(), "report": encode(payload)} for payload in some]
        body = {"fingerprint": self.collection.fingerprint, "reports": reports}
        answer = self.api.send(body)
        assert answer.status == 403 or (answer.status, answer.json) == (
            202,
            {"accepted": len(some)},
        )
        return bool(answer.status == 202)

    def counts(self) -> tuple[int, list[np.ndarray]]:
        body = self.api.get("/api/collections/tea/counts").json
        told = [Counts.from_json(json.dumps(one)).support for one in body["questions"].values()]
        return body["n"], told

    def all(self) -> list[tuple[object, ...]]:
        """Return every public answer, byte for byte; headers but for the time of the day."""
        asked = self.api.post("/datasets/tea/queries", {"query": "estimate"})
        found = [answered(one) for one in (*map(self.api.get, PUBLIC), asked)]
        assert {status for status, *_ in found} == {200}
        return found


def answered(answer) -> tuple[object, ...]:
    headers = {name: value for name, value in answer.headers.items() if name != "date"}
    return answer.status, headers, answer.body


def encode(payload: bytes) -> str:
    return base64.urlsafe_b64encode(payload).decode().rstrip("=")


def difference(before, after) -> bytes | None:
    """Return the report that two public tallies tell apart, if they do."""
    if after[0] - before[0] != 1:
        return None
    grr, oue = (b - a for a, b in zip(before[1], after[1], strict=True))
    return bytes([int(grr.argmax()), int(np.dot(oue, 1 << np.arange(5)))])


def read_off(watcher: Watcher, own: int) -> int:
    """Poll before and after each of 20 submissions, with reports of one's own in between."""
    found = 0
    for payload in payloads(20):
        before = watcher.counts()
        watcher.send(payload)
        found += difference(before, watcher.counts()) == payload
        for mine in payloads(own):
            watcher.send(mine)
    return found


@pytest.mark.parametrize(
    ("rule", "own", "single"),
    [("publish_at = 1", 0, 20), ("publish_at = 1", 2, 20), ("", 0, 0), ("", 2, 0), ("", 5, 0)],
)
def test_polling_between_submissions_reads_no_report(database, connect, rule, own, single) -> None:
    """With ``publish_at = 1``, the control, all of them; with the usual rule none."""
    collection = survey(rule)
    with BackgroundCollector([collection], database) as running:
        assert read_off(Watcher(connect(running.url), collection), own) == single


def test_who_sends_all_but_one_report_of_a_step_isolates_that_one(database, connect) -> None:
    """The bound of every step: docs/sharp-edges.md says so."""
    collection = survey()
    with BackgroundCollector([collection], database) as running:
        watcher = Watcher(connect(running.url), collection)
        for victim in payloads(20):
            before = watcher.counts()
            mine = payloads(watcher.api.get(PUBLIC[0]).json["publication"]["next"] - 1)
            watcher.send(victim)
            watcher.send(*mine)
            n, told = watcher.counts()
            own = collection.tally(b"".join(mine))
            rest = [a - b.support for a, b in zip(told, own, strict=True)]
            assert difference(before, (n - len(mine), rest)) == victim


def test_versions_answered_by_the_same_people_but_few_tell_those_few(database, connect) -> None:
    """A device sends one report to both: docs/sharp-edges.md says so."""
    versions = [survey(f"expected_respondents = {n}") for n in (1000, 1001)]
    memos = [MemoryMemo() for _ in range(51)]
    told, sent = [], []
    for collection, those in zip(versions, (memos[:50], memos[1:]), strict=True):
        answers = {"brand": "iyemon", "place": "train"}
        reports = [Client(collection, memo).answer(answers).payload for memo in those]
        sent.append((reports[0], reports[-1]))
        with BackgroundCollector([collection], database) as running:
            watcher = Watcher(connect(running.url), collection)
            watcher.send(*reports)
            n, supports = watcher.counts()
            told.append(supports)
            assert n == 50
    gone, come = versions[0].tally(sent[0][0]), versions[0].tally(sent[1][1])
    for before, after, one, other in zip(*told, gone, come, strict=True):
        assert (after - before == other.support - one.support).all()


def test_nothing_public_changes_within_a_step(database, connect) -> None:
    collection = survey()
    with BackgroundCollector([collection], database) as running:
        watcher = Watcher(connect(running.url), collection)
        for before, step in ((0, 50), (50, 50), (100, 50)):
            still = watcher.all()
            for payload in payloads(step - 1):
                watcher.send(payload)
            time.sleep(0.6)  # folded meanwhile
            assert watcher.all() == still
            assert watcher.counts()[0] == before
            watcher.send(*payloads(1))
            assert watcher.counts()[0] == before + step
            assert watcher.all() != still


def test_a_snapshot_is_no_tally_in_between(database, connect) -> None:
    """Each published tally is that of whole batches: of exactly those reports that came first."""
    collection, sent = survey("publish_at = 20\npublish_every = 30"), payloads(120)
    seen = []
    with BackgroundCollector([collection], database) as running:
        watcher = Watcher(connect(running.url), collection)
        for payload in sent:
            watcher.send(payload)
            n, told = watcher.counts()
            if n not in seen:
                seen.append(n)
            first = collection.tally(b"".join(sent[:n]))
            assert all((a == b.support).all() for a, b in zip(told, first, strict=True))
    assert seen == [0, 20, 50, 80, 110]


def test_steps_grow_with_what_is_public(database, connect) -> None:
    collection = survey("publish_at = 10")
    with BackgroundCollector([collection], database) as running:
        watcher = Watcher(connect(running.url), collection)
        watcher.send(*payloads(205))
        assert watcher.counts()[0] == 205
        assert watcher.api.get(PUBLIC[0]).json["publication"]["next"] == 21
        watcher.send(*payloads(20))
        assert watcher.counts()[0] == 205
        watcher.send(*payloads(1))
        assert watcher.counts()[0] == 226


def test_a_step_survives_restarts_and_is_not_begun_anew(database, connect) -> None:
    collection = survey()
    bodies = []
    for number in (60, 20, 29, 1):
        with BackgroundCollector([collection], database) as running:
            watcher = Watcher(connect(running.url), collection)
            watcher.send(*payloads(number))
            bodies.append((watcher.counts()[0], watcher.all()))
        with BackgroundCollector([collection], database) as running:
            assert Watcher(connect(running.url), collection).all() == bodies[-1][1]
    assert [n for n, _ in bodies] == [60, 60, 60, 110]
    with Store(database, [collection]) as store:  # the operator's own view
        assert store.counts(collection.fingerprint).result()[0].n == 110


def test_a_crash_before_the_fold_loses_no_step(database, connect) -> None:
    collection = survey()
    Store(database, [collection]).close()
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute(
            "INSERT INTO inbox (collection, ids, payloads) VALUES (1, ?, ?)",
            (os.urandom(16 * 50), b"".join(payloads(50))),
        )
    with BackgroundCollector([collection], database) as running:
        deadline = time.monotonic() + 60
        while Watcher(connect(running.url), collection).counts()[0] == 0:
            assert time.monotonic() < deadline
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT last FROM step").fetchall() == [(0,)]


def test_reports_sent_again_complete_no_step(database, connect) -> None:
    collection, (payload,) = survey(), payloads(1)
    body = {"fingerprint": collection.fingerprint, "id": "00" * 16, "report": encode(payload)}
    with BackgroundCollector([collection], database) as running:
        watcher = Watcher(connect(running.url), collection)
        watcher.send(*payloads(48))
        for _ in range(30):
            assert watcher.api.send(body).status == 202
        assert watcher.counts()[0] == 0
        watcher.send(*payloads(1))
        assert watcher.counts()[0] == 50


@pytest.mark.parametrize("others", [0, 1, 48])
def test_reports_sent_again_do_not_probe_how_many_there_are(database, inbox, others) -> None:
    """A fold within a request takes time: with copies it would tell that 50 - copies are there."""
    collection, (mine,) = survey(), payloads(1)
    report_id = os.urandom(16)
    with Store(database, [collection], idle=60) as store:

        def waits() -> bool:
            return bool(inbox(database))

        for number, payload in ((60, mine), (others, b""), (60, mine)):
            ids = report_id * number if payload else os.urandom(16 * number)
            some = payload * number or b"".join(payloads(number))
            if number:
                store.add(collection.fingerprint, ids, some).result()
            assert waits()
        rest = 49 - others
        store.add(collection.fingerprint, os.urandom(16 * rest), mine * rest).result()
        assert not waits()
        store.add(collection.fingerprint, report_id * 60, mine * 60).result()
        assert waits()
        assert store.public(collection.fingerprint).n == 50


def test_what_an_earlier_version_showed_at_once_is_no_step(database, connect) -> None:
    """Of 49 reports that everybody has seen and one more the difference is that one."""
    collection = survey()
    with Store(database, [collection]) as store:
        store.add(collection.fingerprint, os.urandom(16 * 49), b"".join(payloads(49))).result()
    with closing(sqlite3.connect(database, isolation_level=None)) as file:
        tables = "".join(
            f"DROP TABLE {name}; "
            for name in ("public", "step", "earlier", "fold", "life", "timeline", "base")
        )
        for column in ("texts", "former"):
            tables += f"ALTER TABLE collection DROP COLUMN {column}; "
        file.executescript(tables + "UPDATE schema SET version = 2")
    with BackgroundCollector([collection], database) as running:
        watcher = Watcher(connect(running.url), collection)
        assert watcher.counts()[0] == 49
        watcher.send(*payloads(49))
        assert watcher.counts()[0] == 49
        watcher.send(*payloads(1))
        assert watcher.counts()[0] == 99


@pytest.mark.parametrize(
    ("rule", "number", "during", "after", "resumed", "again"),
    [
        ("", 170, 170, 170, 170, 230),
        ("", 30, 0, 0, 70, 70),
        ('publish = "end"', 170, 0, 170, 170, 230),
        ('publish = "end"', 160, 0, 160, 160, 220),
        ('publish = "end"', 49, 0, 0, 0, 109),
        ('publish = "end"\npublish_at = 10', 49, 0, 49, 49, 109),
        ('publish = "end"\npublish_at = 61', 170, 0, 170, 170, 170),
    ],
)
def test_the_end_publishes_the_rest_and_a_clock_that_jumped_opens_nothing(
    database, connect, caplog, rule, number, during, after, resumed, again
) -> None:
    """Two publications differ by a step at least, also of what its owner has opened again."""
    collection, now = survey(rule, closes=True), [CLOSES - timedelta(days=1)]
    with BackgroundCollector([collection], database, clock=lambda: now[0]) as running:
        watcher = Watcher(connect(running.url), collection)
        watcher.send(*payloads(number))
        assert watcher.counts()[0] == during
        now[0] = CLOSES
        assert watcher.counts()[0] == after
        told = watcher.api.get(PUBLIC[0]).json["publication"]
        assert (told["last"], told["next"]) == (True, None)
        assert "'tea' has ended by this machine's clock" in caplog.text
        now[0] = CLOSES - timedelta(days=1)  # the clock is set back: it was wrong
        assert not watcher.takes(*payloads(40))
        assert watcher.counts()[0] == after
        change_life("tea", database, "open", CLOSES, clock=lambda: now[0])
        eventually(lambda: watcher.takes(*payloads(40)))
        eventually(lambda: watcher.counts()[0] == resumed)
        watcher.send(*payloads(20))
        now[0] = CLOSES
        assert watcher.counts()[0] == again
        assert len(caplog.records) == 2


def test_a_step_completed_while_the_steps_are_taken_up_again_is_public_with_that(
    database, monkeypatch
) -> None:
    """Its reports come between the fold and the moment from which they complete steps."""
    collection, now = survey(closes=True), CLOSES - timedelta(days=1)
    resume = CollectionTally.resume
    with Store(database, [collection]) as store:
        fingerprint = collection.fingerprint
        store.add(fingerprint, os.urandom(16 * 30), b"".join(payloads(30))).result()
        store.settle(fingerprint, CLOSES).result()
        change_life("tea", database, "open", CLOSES, clock=lambda: now)

        def late(book: CollectionTally, connection: Database) -> None:
            store.add(fingerprint, os.urandom(16 * 40), b"".join(payloads(40))).result()
            resume(book, connection)

        monkeypatch.setattr(CollectionTally, "resume", late)
        store.settle(fingerprint, now).result()
        assert store.public(fingerprint).n == 70


@pytest.mark.parametrize(("left", "n"), [(49, 1000), (50, 1050), (99, 1099)])
def test_the_rest_at_the_end_is_public_if_it_hides_who_is_in_it(database, connect, left, n) -> None:
    """Ten of a hundred are not enough before the end; fewer than 50 are not at the end either."""
    collection, now = survey("", closes=True), [CLOSES - timedelta(days=1)]
    with BackgroundCollector([collection], database, clock=lambda: now[0]) as running:
        watcher = Watcher(connect(running.url), collection)
        watcher.send(*payloads(1000))
        watcher.send(*payloads(left))
        assert watcher.counts()[0] == 1000
        now[0] = CLOSES
        assert watcher.counts()[0] == n


def test_how_long_an_answer_takes_does_not_depend_on_what_is_not_public(
    database, connect, monkeypatch
) -> None:
    """No public request reaches the store's thread, which reports make busy.

    The thread is held: whoever asks is answered all the same, from what stands in memory.
    """
    monkeypatch.setattr(schema, "BUSY_MILLISECONDS", 60_000)
    collection = survey()
    with Store(database, [collection]) as store:
        store.add(collection.fingerprint, os.urandom(16 * 50), b"".join(payloads(50))).result()
    with BackgroundCollector([collection], database) as running:
        watcher = Watcher(connect(running.url), collection)
        still = watcher.all()
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # the writer waits for this one, up to a minute
            started = time.monotonic()
            assert watcher.all() == still
            assert time.monotonic() - started < 25
            other.execute("ROLLBACK")


def test_the_list_of_addresses_is_whole(database) -> None:
    """Whoever adds a public address adds it to the attack; operators' are none."""

    def common(path: str) -> str:
        return path.removeprefix("/api/v1").removeprefix("/api")

    app = create_app([survey()], database)
    paths = Counter(route.path for route in app.routes if "GET" in route.methods)
    asked = {common(path.partition("?")[0]) for path in PUBLIC}
    asked |= {"/static/{path:path}", "/embed.js", "/datasets/tea/dummy"}  # asks for a token
    known = {common(p.replace("{name}", "tea").replace("{id}", "tea")) for p in paths}
    known = {path for path in known if not path.startswith("/operator")}
    assert known == asked
