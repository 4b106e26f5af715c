"""What holds of every store, in a SQLite file and in PostgreSQL."""

from __future__ import annotations

import json
import os
import threading
import time
from concurrent.futures import wait
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from invited import SHELF
from teas import TEA

from sudare.collection import Collection
from sudare.collection.invite import read_code
from sudare.collector import (
    change_life,
    count_invites,
    issue_invites,
    own_reports,
    own_view,
)
from sudare.collector.databases import open_store
from sudare.collector.invites import InviteError
from sudare.collector.issuing import issuing
from sudare.collector.lifecycle_table import NotTakenError
from sudare.collector.previous_versions import earlier_definitions
from sudare.collector.tallies import CollectionTally
from sudare.errors import CollectionError, ReportError, StorageError

PAYLOADS = [b"\x02\x05", b"\x00\x1f", b"\x04\x00"]


def test_what_is_acknowledged_is_counted_once(place, tea) -> None:
    """Single reports and batches, repeated in every way; the first payload under an id stays."""
    ids = [os.urandom(16) for _ in range(300)]
    sent = [PAYLOADS[i % 3] for i in range(300)]
    with open_store(place, [tea]) as store:
        own = tea.fingerprint
        waiting = [store.add(own, i, p) for i, p in zip(ids[:100], sent[:100], strict=True)]
        waiting.append(store.add(own, b"".join(ids[50:]), b"".join(sent[50:])))
        for each in waiting:
            each.result()
        assert store.add(own, ids[0], b"\x05\x01").result() is None  # the same id again
        counts = store.counts(own).result()
        truth = tea.tally(b"".join(sent))
        assert list(counts) == list(truth) == list(store.recount(own).result())
        store.add(own, b"".join(ids), b"".join(sent)).result()
        assert store.counts(own).result() == counts
        last = os.urandom(16)
        store.add(own, last, PAYLOADS[0]).result()
        assert own_view(tea, place).stored.n == 301  # folded or not
        assert store.ready
    with open_store(place, [tea]) as store:
        assert store.counts(own).result()[0].n == 301
        assert store.recount(own).result()[0].n == 301
    joined = own_reports(tea, place)
    rows = sorted(joined[at : at + 2] for at in range(0, len(joined), 2))
    assert rows == sorted([*sent, PAYLOADS[0]])


def test_numbers_of_invites_are_whole_numbers_of_json(place) -> None:
    """PostgreSQL's sums of whole numbers are ``numeric``: as ``Decimal`` no JSON has them."""
    with issuing(SHELF, place, 3) as (codes, counts):
        assert json.loads(json.dumps(counts)) == [len(codes), 0] == [3, 0]
    assert json.loads(json.dumps(count_invites(SHELF, place))) == [3, 0]
    with pytest.raises(ZeroDivisionError), issuing(SHELF, place, 3):
        1 / 0  # noqa: B018
    assert count_invites(SHELF, place) == (3, 0)


def test_a_fold_ends_and_reports_are_acknowledged_while_they_keep_coming(
    place, tea, monkeypatch
) -> None:
    """With each slice that is folded a report comes: it waits for the next fold, its sender not."""
    slices, late, fold = [], [], CollectionTally.fold

    def meanwhile(book, connection, rows):
        slices.append(len(rows))
        if feeding.is_set() and len(slices) < 50:
            sent = store.add(tea.fingerprint, os.urandom(16), PAYLOADS[0])
            late.extend(wait([sent], 1).not_done)
        return fold(book, connection, rows)

    feeding = threading.Event()
    monkeypatch.setattr(CollectionTally, "fold", meanwhile)
    with open_store(place, [tea]) as store:
        store.counts(tea.fingerprint).result()
        store.add(tea.fingerprint, os.urandom(16 * 3), bytes(2 * 3)).result()
        feeding.set()
        store.add(tea.fingerprint, os.urandom(16 * 3), bytes(2 * 3)).result()
        n = store.counts(tea.fingerprint).result()[0].n
        feeding.clear()
        assert n >= 6
        assert len(slices) < 10
        assert not late
        assert store.counts(tea.fingerprint).result()[0].n >= n


@pytest.mark.slow  # 60 seconds of batches without a pause, for each store
def test_no_acknowledgement_takes_two_seconds_while_batches_come_without_a_pause(place, tea):
    took, sent, size = [], 0, 100
    room = threading.Semaphore(8)
    with open_store(place, [tea]) as store:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if room.acquire(timeout=0.1):
                start = time.monotonic()
                one = store.add(tea.fingerprint, os.urandom(16 * size), bytes(2 * size))
                one.add_done_callback(
                    lambda _, start=start: (took.append(time.monotonic() - start), room.release())
                )
                sent += size
        for _ in range(8):
            assert room.acquire(timeout=10)
        assert len(took) * size == sent > 100_000
        assert max(took) < 2
        assert store.counts(tea.fingerprint).result()[0].n == sent


def test_several_collections_are_kept_apart(place, tea, other) -> None:
    with open_store(place, [tea, other]) as store:
        for one, n in ((tea, 3), (other, 5)):
            store.add(one.fingerprint, os.urandom(16 * n), bytes(2 * n)).result()
        assert [store.counts(one.fingerprint).result()[0].n for one in (tea, other)] == [3, 5]
    with open_store(place, [other]) as store:
        assert store.counts(other.fingerprint).result()[0].n == 5
        with pytest.raises(CollectionError):
            store.counts(tea.fingerprint)


def test_an_invite_is_spent_once(place) -> None:
    codes = [read_code(code) for code in issue_invites(SHELF, place, 4)]
    with open_store(place, [SHELF]) as store:
        own = SHELF.fingerprint
        parts = [store.tickets(own, code).result()["teas"] for code in codes]
        assert parts == [store.tickets(own, code).result()["teas"] for code in codes]
        report_id, payload = os.urandom(16), bytes([parts[0], 1])
        assert count_invites(SHELF, place) == (4, 0)
        for _ in range(2):  # the same again is no error, folded or not
            store.add(own, report_id, payload, codes[0]).result()
            store.add(own, report_id, payload, codes[0]).result()
            assert count_invites(SHELF, place) == (4, 1)
            with pytest.raises(InviteError, match="must not have been used"):
                store.add(own, os.urandom(16), payload, codes[0]).result()
            with pytest.raises(InviteError, match="must not have been used"):
                store.tickets(own, codes[0]).result()
            assert store.counts(own).result()[0].n == 1
        part = store._book(own).office.tickets(bytes(16))["teas"]
        with pytest.raises(InviteError, match="one of this collection"):
            store.add(own, os.urandom(16), bytes([part, 0]), bytes(16)).result()
        wrong = bytes([(parts[1] + 1) % 5, 1])
        with pytest.raises(ReportError, match="what its invite fixes"):
            store.add(own, os.urandom(16), wrong, codes[1])
        some = [
            store.add(own, os.urandom(16), bytes([parts[1], 1]), codes[1]) for _ in range(20)
        ]  # at once: one is admitted
        assert sum(one.exception() is None for one in some) == 1
        assert store.recount(own).result()[0].n == 2
    assert count_invites(SHELF, place) == (4, 2)
    assert own_view(SHELF, place).stored.invites == (4, 2)


def test_a_whole_life(place) -> None:
    draft = Collection.from_toml(TEA.replace("publish_at = 1", "draft = true\npublish_at = 5"))
    own, now = draft.fingerprint, datetime.now(UTC)
    with open_store(place, [draft]) as store:
        with pytest.raises(NotTakenError):
            store.add(own, os.urandom(16), b"\1\1").result()
        assert change_life("tea", place, "publish").standing.state == "published"
        store.add(own, os.urandom(16 * 7), bytes(14)).result()
        store.counts(own).result()
        assert store.public(own).n == 7
        store.add(own, os.urandom(16 * 3), bytes(6)).result()
        change_life("tea", place, "close")
        with pytest.raises(NotTakenError):
            store.add(own, os.urandom(16), b"\1\1").result()
        assert store.lives().result()[own][0].state == "closed"
        assert store.settle(own, now).result().act == "close"
        assert (store.public(own).n, store.public(own).last) == (7, True)
        change_life("tea", place, "extend", now + timedelta(days=1))
        assert store.settle(own, now).result().act == "extend"
        store.add(own, os.urandom(16 * 2), bytes(4)).result()
        store.counts(own).result()
        assert (store.public(own).n, store.public(own).last) == (12, False)
        assert own_view(draft, place).stored.n == 12
        change_life("tea", place, "close")
        changed = change_life("tea", place, "delete")
        assert changed.deleted == {"reports": 12, "invites": 0}
        acts = [one.act for one in changed.history]
        assert acts == ["created", "publish", "close", "extend", "close", "delete"]
        assert store.erase(own).result()
        assert own_view(draft, place).stored.n == 0
        with pytest.raises(StorageError, match="were deleted"):
            own_reports(draft, place)


def test_versions_are_known(place, tea) -> None:
    changed = Collection.from_toml(TEA.replace('"oi-ocha"', '"oi-ochas"'))
    for one in (tea, changed):
        with open_store(place, [one]) as store:
            store.add(one.fingerprint, os.urandom(16), b"\1\1").result()
    with open_store(place, [changed]) as store:
        known = [one.fingerprint for one in store.versions("tea")]
        assert known == [tea.fingerprint, changed.fingerprint]
        assert store.counts(tea.fingerprint).result()[0].n == 1
    assert earlier_definitions(changed, place) == [tea.fingerprint]
    assert own_view(tea, place).standing.act == "superseded"
    with pytest.raises(StorageError, match="under this definition"):
        own_view(Collection.from_toml(TEA.replace("oi-ocha", "ocha")), place)


def test_reports_of_collections_not_served_wait(place, tea, other) -> None:
    """One process serves one survey, another one the other: nobody's reports are lost."""
    ids = os.urandom(16 * 40)
    with open_store(place, [tea, other]) as store:
        store.add(tea.fingerprint, ids, bytes(80)).result()
    with open_store(place, [other]) as store:
        store.add(other.fingerprint, os.urandom(16), b"\1\1").result()
        store.counts(other.fingerprint).result()
    with open_store(place, [tea]) as store:
        assert np.array_equal(
            store.counts(tea.fingerprint).result()[0].support, tea.tally(bytes(80))[0].support
        )


def test_the_commands_take_it(place, tea, tmp_path, capsys) -> None:
    from sudare.cli.main import main

    survey, own = tmp_path / "tea.toml", ["--database", place]
    survey.write_text(TEA)
    with open_store(place, [tea]) as store:
        store.add(tea.fingerprint, os.urandom(16 * 9), bytes(18)).result()
        assert main(["results", str(survey), "--json", *own]) == 0
        assert json.loads(capsys.readouterr().out)["n"] == 9
        for what, name in (("figures", "a.csv"), ("counts", "b.json"), ("reports", "c.parquet")):
            out = str(tmp_path / name)
            assert main(["export", str(survey), "--out", out, "--what", what, *own]) == 0
        capsys.readouterr()
        assert main(["audit", "--limit", "1", "--json", *own]) == 0
        (act,) = json.loads(capsys.readouterr().out)["entries"]
        assert (act["act"], act["collection"]) == ("export", "tea")
        assert act["detail"] == {"what": "reports", "format": "parquet"}
    assert main(["close", "tea", *own]) == 0
    capsys.readouterr()
    copies = main(["backup", "--out", str(tmp_path / "copy"), *own])
    assert copies == (2 if "://" in place else 0)
    assert ("pg_dump" in capsys.readouterr().err) == bool(copies)
