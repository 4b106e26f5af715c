"""One code, one report: redrawing, reporting twice and spending twice are tried, and fail."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing

import pytest
from invited import SHELF, TEXT, entry
from teas import eventually

from sudare.collection import Client, Collection, Submission
from sudare.collection.invite import read_code, write_code
from sudare.collector import BackgroundCollector, Store, count_invites, issue_invites, schema
from sudare.collector.invites import InviteError
from sudare.collector.tallies import CollectionTally
from sudare.errors import CollectionError, ReportError, SudareError

ITEMS = SHELF.questions[0].items
STRANGER = write_code(bytes(range(16)))
API = "/api/collections/shelf"


@pytest.fixture
def codes(database):
    return issue_invites(SHELF, database, 20)


@pytest.fixture
def shelf(database, codes, connect):
    with BackgroundCollector([SHELF], database) as running:
        yield connect(running.url)


def admission(code, fingerprint=SHELF.fingerprint):
    return {"fingerprint": fingerprint, "invite": code}


def ask(api, code):
    return api.post(f"{API}/admission", admission(code))


def index(api, code):
    return ask(api, code).json["tickets"]["teas"]


def report(code, index, state=0, id=None):
    """Return the body of a report about an item; its author may be a liar."""
    sent = Submission(
        "shelf", SHELF.fingerprint, id or os.urandom(16).hex(), bytes([index, state]), code
    )
    return sent.to_json()


def refused(answer, status, argument="invite"):
    assert answer.status == status, answer.body
    error = answer.json["error"]
    assert set(error) == {"type", "argument", "rule", "remedy", "message"}
    assert error["type"].endswith("Error")
    assert error["argument"] == argument
    return True


def n(api):
    return int(api.get(f"{API}/counts").json["n"])


def standing(api):
    found = api.get(f"{API}/results").json["invites"]
    return None if found is None else (found["issued"], found["spent"])


# -- one by one --------------------------------------------------------------------------------


def test_admitted_answered_counted(shelf, codes, database):
    for place, code in enumerate(codes[:2]):
        client = Client(SHELF)
        tickets = client.admit(f"http://{shelf.host}", code)
        item = ITEMS[tickets.index["teas"]]
        client.send(client.answer({"teas": {item: 4}}, tickets), f"http://{shelf.host}")
        assert n(shelf) == place + 1
        assert standing(shelf) == (20, place + 1) == count_invites(SHELF, database)
        with pytest.raises(CollectionError, match="must not have been used"):
            client.admit(f"http://{shelf.host}", code)


def test_whoever_asks_again_is_told_the_same(shelf, codes, database):
    """Nothing draws again: not asking, not waiting, not another spelling, not a restart."""
    told = {code: index(shelf, code) for code in codes}
    assert len(set(told.values())) > 1
    for _ in range(20):
        assert {code: index(shelf, code) for code in codes} == told
    for code in codes:
        assert index(shelf, code.lower().replace("-", "")) == told[code]
        assert index(shelf, code.replace("0", "O").replace("1", "l")) == told[code]
    assert n(shelf) == 0
    assert count_invites(SHELF, database) == (20, 0)


def test_a_restart_does_not_draw_again(database, codes, connect):
    told = []
    for _ in range(2):
        with BackgroundCollector([SHELF], database) as running:
            told.append([index(connect(running.url), code) for code in codes])
    assert told[0] == told[1]


def test_another_item_than_the_invites_is_refused(shelf, codes, database):
    for code in codes[:5]:
        own = index(shelf, code)
        for other in set(range(5)) - {own}:
            assert refused(shelf.send(report(code, other), "shelf"), 400, "report")
    assert n(shelf) == 0
    assert count_invites(SHELF, database) == (20, 0)
    assert shelf.send(report(codes[0], index(shelf, codes[0])), "shelf").status == 202


def test_a_second_report_is_refused(shelf, codes, database):
    own = index(shelf, codes[0])
    first = report(codes[0], own, 0)
    assert shelf.send(first, "shelf").status == 202
    for state in range(3):
        assert refused(shelf.send(report(codes[0], own, state), "shelf"), 409)
        assert refused(shelf.send(report(codes[0], (own + 1) % 5, state), "shelf"), 409)
    assert refused(ask(shelf, codes[0]), 409)
    assert n(shelf) == 1
    assert count_invites(SHELF, database) == (20, 1)
    assert refused(shelf.send(report(codes[0], own), "shelf"), 409)  # folded by now


def test_the_same_report_again_is_acknowledged_and_counted_once(shelf, codes, database):
    own = report(codes[0], index(shelf, codes[0]))
    for _ in range(3):
        assert shelf.send(own, "shelf").status == 202  # from the inbox
    assert n(shelf) == 1
    for _ in range(3):
        assert shelf.send(own, "shelf").status == 202  # folded
    assert n(shelf) == 1
    assert count_invites(SHELF, database) == (20, 1)


def test_one_report_under_two_codes_counts_once(shelf, codes, database):
    told = {code: index(shelf, code) for code in codes}
    a, b = next(
        (a, b) for a in codes for b in codes if a != b and told[a] == told[b]
    )  # 20 codes, 5 items
    own = report(a, told[a])
    assert shelf.send(own, "shelf").status == 202
    assert shelf.send(own | {"invite": b}, "shelf").status == 202
    assert n(shelf) == 1
    assert count_invites(SHELF, database) == (20, 2)


def test_two_codes_are_two_reports_on_the_two_items(shelf, codes):
    for code in codes[:2]:
        assert shelf.send(report(code, index(shelf, code)), "shelf").status == 202
    assert n(shelf) == 2


def test_a_strangers_code(shelf, codes, database):
    assert refused(ask(shelf, STRANGER), 404)
    for item in range(5):
        assert refused(shelf.send(report(STRANGER, item), "shelf"), 404)
    assert n(shelf) == 0
    assert count_invites(SHELF, database) == (20, 0)


def test_refusals_have_one_wording_each(shelf, codes):
    shelf.send(report(codes[0], index(shelf, codes[0])), "shelf")
    shelf.send(report(codes[1], index(shelf, codes[1])), "shelf")
    for one, other in ((codes[0], codes[1]), (STRANGER, write_code(bytes(16)))):
        assert ask(shelf, one).body == ask(shelf, other).body
        assert shelf.send(report(one, 0), "shelf").body == ask(shelf, other).body


def test_a_code_of_another_collection_is_a_strangers(database, codes, connect):
    twin = Collection.from_toml(TEXT.replace('"shelf"', '"twin"'))
    (own,) = issue_invites(twin, database, 1)
    with BackgroundCollector([SHELF, twin], database) as running:
        api = connect(running.url)
        assert refused(ask(api, own), 404)
        assert refused(
            api.post("/api/collections/twin/admission", admission(codes[0], twin.fingerprint)), 404
        )
        assert (
            api.post("/api/collections/twin/admission", admission(own, twin.fingerprint)).status
            == 200
        )
    changed = Collection.from_toml(TEXT.replace("2.0", "1.0"))  # another definition, other codes
    with BackgroundCollector([changed], database) as running:
        answer = connect(running.url).post(
            f"{API}/admission", admission(codes[0], changed.fingerprint)
        )
        assert refused(answer, 404)


CANARY = "canary7f3acanary"


@pytest.mark.parametrize(
    ("path", "changes", "status"),
    [
        *[
            ("reports", {"invite": bad}, 400)
            for bad in ("", CANARY, "0" * 27 + "1", STRANGER[:-1], "é")
        ],
        *[("reports", {"invite": bad}, 400) for bad in (None, 5, True, ["x"], {}, CANARY * 9)],
        ("reports", {"invite": "0" * 400_000}, 413),
        ("reports", {CANARY: "x"}, 400),
        ("reports", {"fingerprint": "0" * 64}, 409),
        ("admission", {"invite": CANARY}, 400),
        ("admission", {"invite": None}, 400),
        ("admission", {"id": "0" * 32}, 400),
        ("admission", {"fingerprint": "0" * 64}, 409),
        ("admission", {"invite": "0" * 2000}, 413),
        ("reports/batch", {}, 400),
    ],
)
def test_bad_input_is_refused_and_stores_nothing(
    shelf, codes, file_bytes, path, changes, status, database
):
    good = report(codes[0], index(shelf, codes[0])) if path == "reports" else admission(codes[0])
    answer = shelf.post(f"{API}/{path}", good | changes)
    assert answer.status == status, answer.body
    assert answer.json["error"]["type"].endswith("Error")
    assert CANARY.encode() not in answer.body
    assert CANARY.encode() not in file_bytes()
    assert n(shelf) == 0
    assert count_invites(SHELF, database) == (20, 0)


def test_missing_and_repeated_invites(shelf, codes):
    good = report(codes[0], index(shelf, codes[0]))
    bare = {name: text for name, text in good.items() if name != "invite"}
    assert refused(shelf.send(bare, "shelf"), 400, "body")
    twice = b'{"invite":"' + codes[1].encode() + b'",' + json.dumps(good).encode()[1:]
    assert refused(shelf.post(f"{API}/reports", twice), 400, "body")
    assert n(shelf) == 0


def test_an_open_collection_takes_no_invites(api, message, tea, codes):
    assert refused(api.send(message() | {"invite": codes[0]}), 400, "body")
    answer = api.post("/api/collections/tea/admission", admission(codes[0], tea.fingerprint))
    assert refused(answer, 400, "admission")
    assert api.get("/api/collections/tea/results").json["invites"] is None
    assert api.n() == 0


def test_outside_the_window_nobody_is_told(database, connect):
    late = Collection.from_toml(
        TEXT.replace("[[question]]", "closes = 2020-01-01T00:00:00Z\n[[question]]")
    )
    (code,) = issue_invites(late, database, 1)
    with BackgroundCollector([late], database) as running:
        answer = connect(running.url).post(f"{API}/admission", admission(code, late.fingerprint))
        assert refused(answer, 403, "collection")


def test_any_collection_can_ask_those_invited(database, connect):
    plain = Collection.from_toml(
        TEXT[: TEXT.index("[[question]]")]
        + '[[question]]\nid = "q"\ntype = "choice"\ntext = "?"\nchoices = ["a", "b"]\n'
    )
    codes = issue_invites(plain, database, 2)
    with BackgroundCollector([plain], database) as running:
        client = Client(plain)
        tickets = client.admit(running.url, codes[0])
        assert tickets.index == {}
        client.send(client.answer({"q": "a"}, tickets), running.url)
        again = Client(plain).answer({"q": "b"}, tickets)
        with pytest.raises(CollectionError, match="must not have been used"):
            client.send(again, running.url)
        assert n(connect(running.url)) == 1
        assert standing(connect(running.url)) == (2, 1)


# -- all at once -------------------------------------------------------------------------------


def at_once(work: Callable[[int], None], threads: int) -> None:
    ready = threading.Barrier(threads)

    def run(number: int) -> None:
        ready.wait(30)
        work(number)

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def test_a_code_spent_by_many_at_once_admits_one(shelf, codes, database):
    for code in codes[:4]:
        own, statuses = index(shelf, code), []
        at_once(
            lambda i, c=code, o=own, s=statuses: s.append(
                shelf.send(report(c, o, i % 3), "shelf").status
            ),
            12,
        )
        assert sorted(statuses) == [202] + [409] * 11
    assert n(shelf) == 4
    assert count_invites(SHELF, database) == (20, 4)


def test_retries_at_once_are_all_acknowledged(shelf, codes, database):
    bodies = [report(code, index(shelf, code)) for code in codes]
    statuses = []
    at_once(
        lambda i: statuses.extend(
            shelf.send(bodies[(i + k) % 20], "shelf").status for k in range(20)
        ),
        8,
    )
    assert set(statuses) == {202}
    eventually(lambda: n(shelf) == 20)  # what comes during a fold is counted by the next
    assert count_invites(SHELF, database) == (20, 20)


# -- in the store ------------------------------------------------------------------------------


class Disk:
    """A disk that waits for a word, or breaks."""

    def __init__(self) -> None:
        self.turning = threading.Event()
        self.turning.set()
        self.asked = threading.Event()
        self.broken = False


@pytest.fixture
def disk(monkeypatch, codes):
    disk = Disk()

    class Connection(schema.Connection):
        def execute(self, statement, *arguments):
            if statement == "COMMIT":
                if threading.current_thread().name == "sudare-writer":
                    disk.asked.set()
                disk.turning.wait(20)
                if disk.broken:
                    raise sqlite3.OperationalError("disk I/O error")
            return super().execute(statement, *arguments)

    monkeypatch.setattr(schema, "Connection", Connection)
    return disk


def test_one_bad_invite_in_a_group_does_not_hurt_the_others(disk, database, codes, tea):
    with Store(database, [SHELF, tea]) as store:
        good = [entry(store, code) for code in codes[:6]]
        raw = read_code(STRANGER)
        own = store._book(SHELF.fingerprint).office.tickets(raw)["teas"]  # what it would fix
        unknown = (SHELF.fingerprint, os.urandom(16), bytes([own, 0]), raw)
        before = store.commits
        disk.turning.clear()
        disk.asked.clear()
        first = store.add(*good[5])  # holds the writer: the rest is one group
        assert disk.asked.wait(20)
        added = [store.add(*one) for one in good[:5]]
        stranger = store.add(*unknown)
        copied = store.add(unknown[0], good[2][1], *unknown[2:])  # under a stored report's id
        double = store.add(good[0][0], os.urandom(16), good[0][2], good[0][3])
        again = store.add(*good[1])
        other = store.add(tea.fingerprint, os.urandom(16), b"\x00\x00")
        disk.turning.set()
        for future in [first, *added, again, other]:
            assert future.result(20) is None
        for future, spent in ((stranger, False), (copied, False), (double, True)):
            with pytest.raises(InviteError) as caught:
                future.result(20)
            assert caught.value.spent is spent
        assert store.commits == before + 2
        assert store.counts(SHELF.fingerprint).result()[0].n == 6
        assert store.counts(tea.fingerprint).result()[0].n == 1
        assert count_invites(SHELF, database) == (20, 6)


def test_of_two_reports_under_one_id_in_a_group_the_first_stays(disk, database, codes):
    with Store(database, [SHELF]) as store:
        holds, first, second = (entry(store, code) for code in codes[:3])
        disk.turning.clear()
        disk.asked.clear()
        added = [store.add(*holds)]  # holds the writer: the rest is one group
        assert disk.asked.wait(20)
        added.append(store.add(*first))
        added.append(store.add(second[0], first[1], bytes([second[2][0], 2]), second[3]))
        disk.turning.set()
        for future in added:
            assert future.result(20) is None
        store.counts(SHELF.fingerprint).result()
        with closing(sqlite3.connect(database)) as connection:
            stored = dict(connection.execute("SELECT id, payload FROM report"))
        assert stored == {holds[1]: holds[2], first[1]: first[2]}
        assert count_invites(SHELF, database) == (20, 3)


def test_a_failing_commit_spends_nothing(disk, database, codes, caplog):
    with Store(database, [SHELF]) as store:
        one, other = entry(store, codes[0]), entry(store, codes[0])
        disk.broken = True
        for future in (store.add(*one), store.add(*other)):
            with pytest.raises(SudareError, match="disk"):
                future.result(20)
        disk.broken = False
        assert count_invites(SHELF, database) == (20, 0)
        assert store.add(*one).result(20) is None
        with pytest.raises(InviteError):
            store.add(*other).result(20)
        assert count_invites(SHELF, database) == (20, 1)


def test_commits_are_shared_by_those_invited(database):
    codes = issue_invites(SHELF, database, 400)

    async def many(store: Store) -> None:
        entries = [entry(store, code) for code in codes]
        await asyncio.gather(*(store.add_soon(*one) for one in entries))

    with Store(database, [SHELF]) as store:
        asyncio.run(many(store))
        assert store.commits <= 20
        assert count_invites(SHELF, database) == (400, 400)
        assert store.recount(SHELF.fingerprint).result()[0].n == 400


def test_misuse_of_the_store_is_typed(database, codes, tea):
    with Store(database, [SHELF, tea]) as store:
        fingerprint, report_id, payload, raw = entry(store, codes[0])
        with pytest.raises(ReportError, match="invite"):
            store.add(fingerprint, report_id, payload)
        with pytest.raises(ReportError, match="invite"):
            store.add(fingerprint, report_id * 2, payload * 2, raw)
        with pytest.raises(CollectionError, match="invite"):
            store.add(tea.fingerprint, report_id, b"\x00\x00", raw)
        with pytest.raises(CollectionError, match="invite"):
            store.tickets(tea.fingerprint, raw)
        assert count_invites(SHELF, database) == (20, 0)


def test_a_spent_code_does_not_probe_how_many_reports_wait(database, codes, monkeypatch):
    """Whether its report is there, the table of reports and memory say, not the inbox."""
    asked: list[list[str]] = []
    original = CollectionTally._holds

    def watched(book, connection, report_id):
        seen: list[str] = []
        connection.set_trace_callback(seen.append)
        try:
            return original(book, connection, report_id)
        finally:
            connection.set_trace_callback(None)
            asked.append(seen)

    monkeypatch.setattr(CollectionTally, "_holds", watched)
    with Store(database, [SHELF]) as store:
        fingerprint, report_id, payload, raw = entry(store, codes[0])
        store.add(fingerprint, report_id, payload, raw).result()
        for code in codes[1:]:
            with pytest.raises(InviteError):  # another report under the spent code
                store.add(fingerprint, os.urandom(16), payload, raw).result()
            store.add(fingerprint, report_id, payload, raw).result()  # its own is there
            store.add(*entry(store, code)).result()
    assert len(asked) == 2 * len(codes[1:])
    assert all(len(seen) == 1 and "inbox" not in seen[0] for seen in asked)


# -- the operator ------------------------------------------------------------------------------


def test_invites_made_beside_a_running_collector_hold_at_once(shelf, codes, database):
    assert count_invites(SHELF, database) == (20, 0)
    (more,) = issue_invites(SHELF, database, 1)
    assert shelf.send(report(more, index(shelf, more)), "shelf").status == 202
    assert count_invites(SHELF, database) == standing(shelf) == (21, 1)
    issue_invites(SHELF, database, 4)
    assert count_invites(SHELF, database) == (25, 1)
    assert standing(shelf) == (21, 1)  # the public sees them with the next report


@pytest.mark.parametrize("number", [0, -1, 100_001, 1.5, float("nan"), True, None, "3"])
def test_a_number_that_is_none(database, number):
    with pytest.raises(SudareError, match="number"):
        issue_invites(SHELF, database, number)


def test_other_misuse_is_typed(tea, database, tmp_path):
    with pytest.raises(CollectionError, match="admission"):
        issue_invites(tea, database, 1)
    with pytest.raises(CollectionError, match="admission"):
        count_invites(tea, database)
    for wrong in (None, "survey.toml", 5):
        with pytest.raises(SudareError, match="collection"):
            issue_invites(wrong, database, 1)
    for place in (tmp_path / "absent", tmp_path, None, 5, "a\0b"):
        with pytest.raises(SudareError, match="database"):
            count_invites(SHELF, place)
    assert not database.exists()


def test_a_locked_file_is_said_so(database, codes, monkeypatch):
    configure = schema.configure

    def impatient(connection: sqlite3.Connection) -> None:
        configure(connection)
        connection.execute("PRAGMA busy_timeout=50")

    monkeypatch.setattr(schema, "configure", impatient)
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(SudareError, match="database must be free"):
            issue_invites(SHELF, database, 1)
    finally:
        other.close()
    assert count_invites(SHELF, database) == (20, 0)
