from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.collection.memo import FileMemo, MemoryMemo
from tests.cases import cases

TWO = """
[collection]
name = "two"
epsilon = 2.0
epsilon_cap = {cap}
[[question]]
id = "a"
type = "choice"
text = "?"
choices = ["x", "y", "z"]
[[question]]
id = "b"
type = "choice"
text = "?"
choices = ["x", "y", "z"]
"""


def collection(cap: str = "4.0") -> sd.Collection:
    return sd.Collection.from_toml(TWO.format(cap=cap))


@pytest.fixture(params=["memory", "file"])
def memo(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "memory":
        yield MemoryMemo()
        return
    kept = FileMemo(tmp_path / "memo.sqlite3")
    yield kept
    kept.close()


def test_the_same_answer_sends_the_same_report(memo: Any) -> None:
    client = sd.Client(collection(), memo)
    first = client.answer({"a": "x", "b": "y"})
    assert all(client.answer({"b": "y", "a": "x"}) == first for _ in range(20))
    assert client.spent == 2


def test_a_changed_answer_is_charged_for_its_question_alone(memo: Any) -> None:
    client = sd.Client(collection(), memo)
    first = client.answer({"a": "x", "b": "y"})
    second = client.answer({"a": "z", "b": "y"})
    assert client.spent == 3
    assert second.id != first.id
    assert second.payload[1] == first.payload[1]
    assert client.answer({"a": "x", "b": "y"}) == first
    assert client.spent == 3


def test_the_cap_refuses_and_nothing_changes(memo: Any) -> None:
    client = sd.Client(collection("2.0"), memo)
    first = client.answer({"a": "x", "b": "y"})
    with pytest.raises(sd.BudgetExceeded) as caught:
        client.answer({"a": "z", "b": "y"})
    assert (caught.value.requested, caught.value.remaining) == ("1.0", "0.0")
    assert caught.value.short_by == "1.0"
    assert "z" not in str(caught.value).replace("zero", "")
    assert client.spent == 2
    assert client.answer({"a": "x", "b": "y"}) == first


def test_a_device_may_set_a_lower_cap_but_not_a_higher(memo: Any) -> None:
    with pytest.raises(sd.BudgetExceeded):
        sd.Client(collection(), memo, cap=Fraction(1)).answer({"a": "x", "b": "y"})
    assert sd.Client(collection(), memo, cap=Fraction(9)).cap == 4


def test_memory_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite3"
    first = sd.Client(collection(), path).answer({"a": "x", "b": "y"})
    again = sd.Client(collection(), path)
    assert again.answer({"a": "x", "b": "y"}) == first
    assert again.spent == 2


def test_an_interrupted_answer_is_neither_charged_nor_remembered(memo: Any) -> None:
    class Broken:
        def take(self, n: int) -> bytes:
            raise OSError("no entropy")

    client = sd.Client(collection(), memo, entropy=Broken())
    with pytest.raises(OSError, match="no entropy"):
        client.answer({"a": "x", "b": "y"})
    assert client.spent == 0
    assert not memo.charges()


def overspend(path: str, choice: str, out: Any) -> None:
    try:
        sd.Client(collection("3.0"), path).answer({"a": choice, "b": "y"})
        out.put("answered")
    except sd.BudgetExceeded:
        out.put("refused")


def test_two_processes_of_one_device_cannot_overspend(tmp_path: Path) -> None:
    path = str(tmp_path / "memo.sqlite3")
    sd.Client(collection("3.0"), path).answer({"a": "x", "b": "y"})
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    workers = [context.Process(target=overspend, args=(path, c, out)) for c in ("y", "z")]
    for worker in workers:
        worker.start()
    results = sorted(out.get(timeout=60) for _ in workers)
    for worker in workers:
        worker.join()
    assert results == ["answered", "refused"]
    assert sd.Client(collection("3.0"), path).spent == 3


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"a": "x"},
        {"a": "x", "b": "y", "c": "z"},
        {"a": "SECRET", "b": "y"},
        {"a": None, "b": "y"},
        {"a": 0, "b": "y"},
        {"a": float("nan"), "b": "y"},
        {"a": True, "b": "y"},
        {"a": ["x"], "b": "y"},
        None,
        "x",
        ["x", "y"],
    ],
    ids=repr,
)
def test_bad_answers_cost_nothing_and_are_never_shown(answers: Any, memo: Any) -> None:
    client = sd.Client(collection(), memo)
    with pytest.raises(sd.CollectionError) as caught:
        client.answer(answers)
    assert "SECRET" not in str(caught.value)
    assert client.spent == 0


def test_a_file_that_is_no_memo(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(sd.StorageError, match="device's memory"):
        sd.Client(collection(), path)


def test_the_memory_is_synced_to_the_disk(tmp_path: Path) -> None:
    memo = FileMemo(tmp_path / "memo.sqlite3")
    assert memo._db.execute("PRAGMA synchronous").fetchone() == (2,)
    memo.close()


def test_transactions_take_the_write_lock_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite3"
    memo, other = FileMemo(path), sqlite3.connect(path, isolation_level=None, timeout=0)
    with memo.transaction(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    memo.close()
    other.close()


def test_a_failure_in_one_thread_keeps_the_charges_of_another() -> None:
    memo, c = MemoryMemo(), collection()
    inside, answered = threading.Event(), threading.Event()

    class Slow:
        def take(self, n: int) -> bytes:
            inside.set()
            answered.wait(0.3)
            raise OSError("no entropy")

    def fail() -> None:
        with pytest.raises(OSError, match="no entropy"):
            sd.Client(c, memo, entropy=Slow()).answer({"a": "x", "b": "y"})

    thread = threading.Thread(target=fail)
    thread.start()
    inside.wait(10)
    good = sd.Client(c, memo)
    good.answer({"a": "x", "b": "y"})
    answered.set()
    thread.join()
    assert good.spent == 2


def test_a_client_draws_from_the_stream_of_the_thread_that_asks() -> None:
    c = collection()
    clients = [sd.Client(c) for _ in range(400)]
    failures: list[Exception] = []

    def work(mine: list[sd.Client]) -> None:
        try:
            for client in mine:
                client.answer({"a": "x", "b": "y"})
        except (sd.SudareError, RuntimeError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(clients[i::2],)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_charge_is_on_disk_before_anything_can_be_sent(tmp_path: Path) -> None:
    path = tmp_path / "memo.sqlite3"
    sd.Client(collection(), path).answer({"a": "x", "b": "y"})
    other = sqlite3.connect(path)
    try:
        rows = other.execute("SELECT purpose, epsilon FROM charge").fetchall()
        assert sorted(rows) == [("a", "1"), ("b", "1")]
        assert other.execute("SELECT count(*) FROM submission").fetchone() == (1,)
    finally:
        other.close()


def test_ids_are_random_and_bodies_hold_nothing_else() -> None:
    bodies = [sd.Client(collection()).answer({"a": "x", "b": "y"}).to_json() for _ in range(200)]
    assert len({body["id"] for body in bodies}) == 200
    assert all(len(body["id"]) == 32 for body in bodies)
    assert {tuple(body) for body in bodies} == {("fingerprint", "id", "report")}


def test_sending_to_nowhere_is_a_clear_error() -> None:
    client = sd.Client(collection())
    submission = client.answer({"a": "x", "b": "y"})
    with pytest.raises(sd.StorageError, match="cannot be reached"):
        client.send(submission, "http://127.0.0.1:9")
    with pytest.raises(sd.WrongTypeError, match="submission must"):
        sd.collection.send_batch("http://127.0.0.1:9", [5])
    with pytest.raises(sd.WrongTypeError, match="submission must"):
        client.send(5, "http://127.0.0.1:9")
    for bad in ("ftp://example", "http://127.0.0.1:99999", "http://[x", "", 5, "http://"):
        with pytest.raises(sd.CollectionError, match="http or https"):
            client.send(submission, bad)


@cases(
    "arguments",
    [
        {"cap": float("nan")},
        {"cap": "x"},
        {"cap": -1},
        {"cap": 0},
        {"memo": 5},
        {"memo": "a\0b"},
        {"entropy": 5},
        {"memo": []},
    ],
)
def test_bad_clients(arguments: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        sd.Client(collection(), **arguments)
    with pytest.raises(sd.WrongTypeError, match="collection must"):
        sd.Client("survey.toml")


def test_the_memo_file_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    sd.Client(collection(), tmp_path / "memo.sqlite3")
    assert (tmp_path / "memo.sqlite3").stat().st_mode & 0o777 == 0o600


def test_a_locked_memo_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memo.sqlite3"
    client = sd.Client(collection(), path)
    client._memo._db.execute("PRAGMA busy_timeout=50")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(sd.StorageError, match="memo cannot be written"):
        client.answer({"a": "x", "b": "y"})
    other.execute("ROLLBACK")
    other.close()
    assert client.spent == 0


def test_a_changed_answer_is_another_submission_even_where_the_report_is_the_same() -> None:
    c = collection()
    for _ in range(60):
        client = sd.Client(c)
        first, second = (client.answer({"a": a, "b": "y"}) for a in ("x", "z"))
        assert first.id != second.id


def test_outside_its_window_a_collection_costs_nothing() -> None:
    text = TWO.format(cap="4.0").replace(
        "[[question]]",
        "opens = 2026-12-01T00:00:00Z\ncloses = 2026-12-02T00:00:00Z\n[[question]]",
        1,
    )
    c = sd.Collection.from_toml(text)
    for day, rule in ((30, "not open yet"), (2, "is closed")):
        month = 11 if day == 30 else 12
        client = sd.Client(c, clock=lambda m=month, d=day: datetime(2026, m, d, tzinfo=UTC))
        with pytest.raises(sd.CollectionError, match=rule):
            client.answer({"a": "x", "b": "y"})
        assert client.spent == 0
    client = sd.Client(c, clock=lambda: datetime(2026, 12, 1, tzinfo=UTC))
    assert client.answer({"a": "x", "b": "y"}).id


VERSION = """
[collection]
name = "tea"
epsilon = 2.0
epsilon_cap = 10.0
expected_respondents = {n}
[[question]]
id = "{id}"
type = "choice"
text = "?"
choices = ["x", "y", "z"]
mechanism = "GRR"
"""
SITE = "https://tea.example"


def version(n: int, question: str = "q") -> sd.Collection:
    return sd.Collection.from_toml(VERSION.format(n=n, id=question))


def test_fifty_definitions_of_one_name_are_charged_once(memo: Any) -> None:
    clients = [sd.Client(version(100 + n), memo, origin=SITE) for n in range(50)]
    sent = [client.answer({"q": "x"}) for client in clients]
    assert {client.spent for client in clients} == {2}
    assert len({one.payload for one in sent}) == 1  # the question is the same, so is the report
    assert len({one.id for one in sent}) == len({one.fingerprint for one in sent}) == 50


def test_fifty_definitions_that_ask_anew_are_asked_for_and_end_at_the_limit(memo: Any) -> None:
    sd.Client(version(100), memo, origin=SITE).answer({"q": "x"})
    for n in range(1, 50):
        client = sd.Client(version(100, f"q{n}"), memo, origin=SITE)
        with pytest.raises(sd.EarlierAnswer if n == 1 else sd.BudgetExceeded):
            client.answer({f"q{n}": "x"})
        if n == 1:
            (bill,) = client.earlier
            assert (bill.spent, bill.cost, bill.together, bill.limit) == (2, 2, 4, 4)
            client.answer({f"q{n}": "x"}, again=True)
            continue
        with pytest.raises(sd.BudgetExceeded, match=r"device's limit of ε = 4\.0"):
            client.answer({f"q{n}": "x"}, again=True)
        assert client.spent == 4


def test_what_is_asked_for_is_said_in_full(memo: Any) -> None:
    sd.Client(version(100), memo).answer({"q": "x"})
    later = sd.Client(version(100, "SECRET".lower()), memo)
    before = memo.charges()
    with pytest.raises(sd.EarlierAnswer) as caught:
        later.answer({"secret": "y"})
    assert str(caught.value) == (
        "collection was answered in an earlier version: ε = 2.0 so far, 2.0 more now, together 4.0 "
        "of at most 4.0; agree with again=True, or let it be: nothing was drawn or charged"
    )
    assert caught.value.bills == later.earlier
    assert memo.charges() == before


def test_origins_and_names_are_apart_and_what_is_unknown_counts_for_both(memo: Any) -> None:
    here, there = (f"https://{name}.example" for name in ("here", "there"))
    first = sd.Client(version(100), memo, origin=f"{here}:443/teas")
    first.answer({"q": "x"})
    other = sd.Client(version(100), memo, origin=there)
    assert (first.origin, other.spent, other.earlier) == (here, 0, ())
    other.answer({"q": "x"})
    named = sd.Collection.from_toml(VERSION.format(n=9, id="q").replace('"tea"', '"coffee"'))
    coffee = sd.Client(named, memo, origin=here)
    coffee.answer({"q": "y"})
    assert (first.spent, coffee.spent, first.spent_at_origin, other.spent_at_origin) == (2, 2, 4, 2)
    anywhere = sd.Client(version(101), memo)
    assert (anywhere.spent, anywhere.spent_at_origin) == (4, 6)
    for call in (
        lambda: first.send(first.answer({"q": "x"}), there),
        lambda: first.admit(there, ""),
    ):
        with pytest.raises(sd.CollectionError):
            call()


def test_a_stated_cap_takes_the_place_of_the_devices(memo: Any) -> None:
    for n in range(3):
        sd.Client(version(100, f"q{n}"), memo, cap=6).answer({f"q{n}": "x"}, again=True)
    with pytest.raises(sd.BudgetExceeded, match=r"device's limit of ε = 6\.0"):
        sd.Client(version(100, "q3"), memo, cap=6).answer({"q3": "x"}, again=True)


OLD = """
CREATE TABLE memo (
    account TEXT NOT NULL, question TEXT NOT NULL, value TEXT NOT NULL, report BLOB NOT NULL,
    PRIMARY KEY (account, question, value)) WITHOUT ROWID;
CREATE TABLE charge (
    sequence INTEGER PRIMARY KEY, account TEXT NOT NULL, purpose TEXT NOT NULL,
    epsilon TEXT NOT NULL);
CREATE TABLE submission (
    account TEXT NOT NULL, answers TEXT NOT NULL, id TEXT NOT NULL,
    PRIMARY KEY (account, answers)) WITHOUT ROWID;
"""


def test_charges_of_an_old_memory_are_not_forgotten(tmp_path: Path) -> None:
    path, old = tmp_path / "memo.sqlite3", version(100).fingerprint
    db = sqlite3.connect(path)
    db.executescript(OLD)
    db.execute("INSERT INTO memo VALUES (?, 'q', '0', x'02')", (old,))
    db.execute("INSERT INTO charge VALUES (1, ?, 'q', '2')", (old,))
    db.commit()
    db.close()
    later = sd.Client(version(100, "q1"), path, origin=SITE)
    assert later.spent == 2
    with pytest.raises(sd.EarlierAnswer, match="open each collection that it has answered"):
        later.answer({"q1": "x"})
    coffee = sd.Collection.from_toml(VERSION.format(n=9, id="q").replace('"tea"', '"coffee"'))
    assert sd.Client(coffee, path, origin=SITE).spent == 2  # it may have been coffee
    first = sd.Client(version(100), path, origin=SITE)  # says what it was
    assert first.answer({"q": "x"}).payload == b"\x02"
    assert (first.spent, later.spent) == (2, 2)
    assert sd.Client(coffee, path, origin=SITE).spent == 0
    with pytest.raises(sd.EarlierAnswer, match="agree with again=True"):
        later.answer({"q1": "x"})
