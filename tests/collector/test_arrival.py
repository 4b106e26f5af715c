"""Order of arrival: under steady traffic no file keeps it for longer than ten seconds."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from itertools import pairwise

import pytest

from sudare.collector import Store, merge_thread, page_erasure
from sudare.collector.page_erasure import PageErasure
from sudare.collector.schema import open_database, transaction, truncate_log
from sudare.collector.versions import register
from tests.cases import cases

PACE = 1 / 6


def unordered(ids: list[bytes], written: bytes) -> bool:
    """Tell whether each id stands once, in a place that follows from the ids alone."""
    by_place = sorted(ids, key=written.find)
    once = all(written.count(each) == 1 for each in ids)
    return once and sorted(ids) in (by_place, by_place[::-1])


@pytest.mark.parametrize(
    ("oldest", "within"),
    [(0.5, 30.0), pytest.param(None, 30.0, marks=pytest.mark.slow), (1e9, None)],
)
def test_steady_traffic_leaves_no_order_of_arrival(
    tea, database, file_bytes, inbox, monkeypatch, oldest, within
):
    """Six reports a second, without a pause; the last case is the control: it must keep order."""
    if oldest:
        monkeypatch.setattr(merge_thread, "OLDEST", oldest)
    ids: list[bytes] = []
    with Store(database, [tea], idle=0.4 if within else 60) as store:
        # reports that no step publishes: each completed step would fold
        monkeypatch.setattr(type(store._book(tea.fingerprint)), "full", False)

        def send() -> None:
            ids.append(os.urandom(16))
            store.add(tea.fingerprint, ids[-1], b"\x00\x00").result()
            time.sleep(PACE)

        for _ in range(12):
            send()
        first, started = ids[:12], time.monotonic()
        if within is None:
            while time.monotonic() < started + 2:
                send()
            assert not unordered(first, file_bytes())
            assert [row.ids for row in inbox(database)] == ids
            return
        while not unordered(first, file_bytes()):
            assert time.monotonic() < started + within
            send()
        assert len(ids) - len(first) <= 6 * within
        for path in (database, database.with_name(database.name + "-inbox")):
            log = path.with_name(path.name + "-wal")
            assert log.stat().st_size < 65_536


@cases("size, same", [(10_000, 1.0), (700, 0.5)])
def test_the_places_of_reports_are_those_of_their_ids(tea, tmp_path, monkeypatch, size, same):
    """The same reports in two orders of arrival: which lie beside each other, in which order?

    A table of one slice tells nothing; of a larger one the rims of slices keep its old shape.
    """
    monkeypatch.setattr(page_erasure, "SLICE", size)
    ids = [os.urandom(16) for _ in range(3_000)]
    found = []
    for order in (ids, sorted(ids, key=lambda each: each[::-1])):
        database = tmp_path / f"{len(found)}.sqlite3"
        with closing(open_database(database)) as connection:
            number = register(connection, tea).number
            with transaction(connection):
                for each in order:
                    connection.execute(
                        "INSERT INTO report VALUES (?, ?, ?)", (number, each, b"\x02\x05")
                    )
            truncate_log(connection)
            before = neighbours(database.read_bytes(), set(ids))
            settle(connection)
            found.append((before, neighbours(database.read_bytes(), set(ids))))
    (before, after), (other_before, other_after) = found
    assert len(before & other_before) < 0.3 * len(before)
    assert len(after & other_after) >= same * len(after)


def test_the_neighbours_of_few_new_reports_are_rewritten(tea, tmp_path):
    """Sixty reports, each a fold of its own, in two orders; the rest of the table stays.

    Over 25 draws of ids .11 to .26 of the neighbours were the same before, .97 to 1 after:
    those beside the rim of a page keep what was there.
    """
    old, new = ([os.urandom(16) for _ in range(number)] for number in (5_000, 60))
    found = []
    for order in (new, new[::-1]):
        database = tmp_path / f"{len(found)}.sqlite3"
        with closing(open_database(database)) as connection:
            number = register(connection, tea).number
            row = "INSERT INTO report VALUES (?, ?, ?)"
            with transaction(connection):
                connection.executemany(row, [(number, each, b"\x02\x05") for each in sorted(old)])
                connection.execute("UPDATE fold SET settled = 1")
            walk = PageErasure(connection)
            assert walk.done
            with transaction(connection):
                for each in order:
                    connection.execute(row, (number, each, b"\x02\x05"))
                    walk.scatter(connection, [(number, each)])
            truncate_log(connection)
            before = neighbours(database.read_bytes(), {*old, *new})
            rows = connection.execute("SELECT * FROM report").fetchall()
            assert connection.execute("SELECT settled FROM fold").fetchone() == (0,)
            walk.step(connection)
            assert walk.done
            assert PageErasure(connection).done
            assert connection.execute("SELECT * FROM report").fetchall() == rows
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            truncate_log(connection)
            found.append((before, neighbours(database.read_bytes(), {*old, *new})))
    (before, after), (other_before, other_after) = (
        [{pair for pair in each if not set(pair).isdisjoint(new)} for each in pairs]
        for pairs in found
    )
    assert len(before & other_before) < 0.5 * len(before)
    assert len(after & other_after) > 0.85 * len(after)


def settle(connection) -> None:
    """Walk through the whole table; nothing but places changes."""
    rows = connection.execute("SELECT * FROM report").fetchall()
    walk = PageErasure(connection)
    assert not walk.done
    steps = 0
    while not walk.done:
        walk.step(connection)
        steps += 1
        if steps == 2:  # in the middle of the walk: it has to come round once more
            walk.scatter(connection, [(1, bytes(16 * 300))])
    assert steps == (1 if len(rows) < page_erasure.SLICE else 5 + 5)
    assert connection.execute("SELECT * FROM report").fetchall() == rows
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert PageErasure(connection).done
    truncate_log(connection)


def neighbours(content: bytes, ids: set[bytes]) -> set[tuple[bytes, bytes]]:
    """Return the pairs of ids that lie beside each other on a page, in their order."""
    found = set()
    for start in range(0, len(content), 4096):
        page = content[start : start + 4096]
        here = [page[at : at + 16] for at in range(4081) if page[at : at + 16] in ids]
        found.update(pairwise(here))
    return found


def test_nothing_is_rewritten_without_a_report(tea, database):
    with Store(database, [tea]) as store:
        store.add(tea.fingerprint, os.urandom(16), b"\x00\x00").result()
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT inbox, folded, settled FROM fold").fetchone() == (
            None,
            1,
            1,
        )
    before = database.read_bytes()
    with Store(database, [tea], idle=0.01):
        time.sleep(0.2)
    after = database.read_bytes()
    changed = [
        i for i in range(0, len(before), 4096) if before[i : i + 4096] != after[i : i + 4096]
    ]
    assert len(changed) <= 2  # the name of the inbox, and the header's counters
