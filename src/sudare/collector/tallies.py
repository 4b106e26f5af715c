"""A collection's book: its number in the file, its tallies, and the fold that keeps them.

The inbox may hold a report more than once, because a client that saw no acknowledgement sends it
again. The fold takes a slice of the inbox into the deduplicated table and adds what was new to
the tallies, in one transaction: the tallies always equal the stored reports. Of two payloads
under one id the first stays.

Two threads use a book: the one that acknowledges notes what waits, the one that folds takes it
away once the database has it. So whatever is neither waiting nor in the database, looked for in
this order, is not there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.arrays import Integers
from sudare.collection import Collection, Question
from sudare.collection.questions.words import MOST
from sudare.collector import invites
from sudare.collector.database import Database, Reader, transaction
from sudare.collector.inbox import ID_BYTES, Row
from sudare.collector.tickets import MARK_BYTES, TicketOffice
from sudare.collector.timeline import Position, Timeline
from sudare.estimation import Counts
from sudare.mechanisms.text.counts_with_reports import CountsWithReports
from sudare.poisoning.bits import bit_count_rates, count_bits
from sudare.samplers.base import wire_rows

SLICE_REPORTS = 65_536
SLICE_BYTES = 16 << 20
LATEST = 3
"""An earlier tally is replaced where so many times its reports are public."""
BITS = "/bits"
"""What follows a question's id in the name of the tally of its reports' numbers of ones."""
TOLD = "/told"
"""What follows a question's id in the name of its public reports, where counts are not enough."""

_REPLACING = (
    "ON CONFLICT (collection, question) DO UPDATE SET n = excluded.n, support = excluded.support"
)
_TALLY = f"INSERT INTO tally (collection, question, n, support) VALUES (?, ?, ?, ?) {_REPLACING}"  # noqa: S608
_COPY = f"""
INSERT INTO {{target}} SELECT * FROM {{source}}
WHERE collection = ? AND replace(question, '{TOLD}', '') = question {_REPLACING}
"""  # noqa: S608
_PUBLIC = _TALLY.replace("tally", "public", 1)
_STEP = """
INSERT INTO step (collection, last, issued)
SELECT ?1, ?2, (SELECT count(*) FROM invite WHERE collection = ?1) WHERE true
ON CONFLICT (collection) DO UPDATE SET last = excluded.last, issued = excluded.issued
"""
_BASE = """
SELECT coalesce(
    (SELECT (SELECT max(n) FROM tally WHERE collection = ?1) FROM timeline WHERE id IS NULL),
    (SELECT n FROM base WHERE collection = ?1), 0)
"""
"""Of a copy that was not served yet everything counts."""
_KEEP = "INSERT INTO inbox (collection, ids, payloads) VALUES (?, ?, ?)"
_STORED = "SELECT 1 FROM report WHERE collection = ? AND id = ?"
_KNOWN = """
WITH RECURSIVE place (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM place WHERE i + 1 < ?3)
SELECT substr(?2, 16 * i + 1, 16) AS given FROM place
WHERE EXISTS (SELECT 1 FROM report WHERE collection = ?1 AND id = given)
"""
"""Which of so many ids, one after the other, are stored: one statement, twice as fast as many."""
_INSERT = """
WITH RECURSIVE place (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM place WHERE i + 1 < ?4)
INSERT INTO report (collection, id, payload)
SELECT ?1, substr(?2, 16 * i + 1, 16), substr(?3, ?5 * i + 1, ?5) FROM place
"""
"""One statement for a slice, so that other threads run meanwhile."""


class Snapshot(NamedTuple):
    """What the public sees of a collection: it stays as it is until the next step.

    Attributes:
        counts: one for each question.
        bits: how many reports to each question have 0, 1, ... ones; None where they are no rows of
            bits, or some were counted by an earlier version.
        invites: how many there were and how many of them gave these reports; None where everybody
            is admitted, or nothing is public.
        last: whether the collection was ended: nothing follows, unless the clock was wrong.
        earlier: counts that were public before, more than a third of these or the last ones; of no
            reports where these are the first.
        base: how many reports an older copy held that was put back: they count as if they had been
            public, as others that are lost may have completed a batch with them; 0 for none.
    """

    counts: tuple[Counts, ...]
    bits: tuple[Integers | None, ...]
    invites: invites.InviteCounts | None
    last: bool
    earlier: tuple[Counts, ...]
    base: int = 0

    @property
    def n(self) -> int:
        """Return the number of reports that are public."""
        return int(self.counts[0].n)

    @property
    def since(self) -> int:
        """Return from which number of reports the next batch counts."""
        return max(self.n, self.base)


class Published(NamedTuple):
    """What a transaction has found or left public.

    Attributes:
        public: what the public sees.
        n: number of reports that are stored.
        position: where the database stands with it.
    """

    public: Snapshot
    n: int
    position: Position


class Folded(NamedTuple):
    """What a fold has done.

    Attributes:
        ids, payloads: of the reports that were new, sorted by id.
        handled: ids of everything that was folded, copies too.
        marks: of the invites that were spent.
        found: what is public, and the number of reports.
    """

    ids: bytes
    payloads: bytes
    handled: set[bytes]
    marks: set[bytes]
    found: Published


@dataclass(slots=True, eq=False)
class CollectionTally:
    """What one collection has in the file.

    Attributes:
        number: the collection's number in this file.
        collection: what is collected.
        office: marks and tickets of its invites; None where everybody is admitted.
        timeline: of the database.
        width: bytes of a payload.
        zero: empty counts, one for each question.
        public: what the public sees.
        n: number of reports that have been folded.
        waiting: ids in the inbox that are no stored report's.
        marks: of invites that are spent in the inbox.
        stepping: whether a fold that completes a step is under way.
    """

    number: int
    collection: Collection
    office: TicketOffice | None = None
    timeline: Timeline = field(default_factory=Timeline, repr=False)
    width: int = field(init=False)
    zero: tuple[Counts, ...] = field(init=False)
    public: Snapshot = field(init=False)
    n: int = field(init=False, default=0)
    waiting: set[bytes] = field(init=False, default_factory=set)
    marks: set[bytes] = field(init=False, default_factory=set)
    stepping: bool = field(init=False, default=False)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self.width = self.collection.program.report_bytes
        self.zero = tuple(self.collection.tally(b""))
        self.public = Snapshot(self.zero, (None,) * len(self.zero), None, False, self.zero)

    @property
    def full(self) -> bool:
        """Whether a step is complete with what waits in the inbox.

        Exactly then: reports that are sent again must not make the writer fold, which takes time
        and would tell how many new ones there are.
        """
        with self._lock:
            return self._due(self.public, self.n + len(self.waiting), ended=False)

    def expect(self, connection: Reader, ids: bytes) -> set[bytes]:
        """Count as waiting those of ids to be appended that are no stored report's.

        Returns:
            Those that were not waiting before, to be given to :meth:`forget` if the commit fails.
        """
        some = _each(ids, ID_BYTES)
        with self._lock:
            added = some - self.waiting
            self.waiting |= added
        asked = (self.number, b"".join(sorted(added)), len(added))
        known = {known for (known,) in connection.execute(_KNOWN, asked)} if added else set()
        with self._lock:
            self.waiting -= known
        return added - known

    def forget(self, ids: Iterable[bytes], marks: Iterable[bytes]) -> None:
        """Count ids and marks as waiting no more: their commit failed, or they are folded."""
        with self._lock:
            self.waiting.difference_update(ids)
            self.marks.difference_update(marks)

    def admit(self, connection: Reader, mark: bytes, report_id: bytes) -> bool:
        """Spend the invite under which a report comes: its mark waits from here on.

        Returns:
            Whether the report is new. False where it has been stored under a spent invite before:
            whoever saw no acknowledgement sends it again.

        Raises:
            InviteError: there is no such invite, or another report came under it.
        """
        if not self.is_spent(connection, mark):
            self.marks.add(mark)
            return True
        if not self._holds(connection, report_id):
            raise invites.InviteError(spent=True)
        return False

    def refresh(self, connection: Reader) -> None:
        """Take up what another process has published; of a file there is none."""

    def is_spent(self, connection: Reader, mark: bytes) -> bool:
        """Tell whether an invite is spent, folded or not.

        Raises:
            InviteError: there is no such invite.
        """
        return mark in self.marks or invites.is_spent(connection, self.number, mark)

    def open(self, connection: Database) -> None:
        """Take up what the database holds, with what an earlier version left in its inbox."""
        with transaction(connection):
            rows = connection.execute(
                "SELECT ids, payloads FROM inbox WHERE collection = ? ORDER BY seq", (self.number,)
            ).fetchall()
            if rows:
                self.insert(connection, *(b"".join(row[i] for row in rows) for i in (0, 1)))
                connection.execute("DELETE FROM inbox WHERE collection = ?", (self.number,))
            found = self._publish(connection, ended=False)
        self._note(found)

    def await_rows(self, connection: Reader, rows: Iterable[Row]) -> None:
        """Take up what a crash has left in the inbox."""
        for row in rows:
            self.expect(connection, row.ids)
            self.marks.update(row.marked)

    def fold(self, connection: Database, rows: list[Row]) -> Folded:
        """Fold rows of the inbox (within the caller's transaction)."""
        ids, payloads = b"".join(row.ids for row in rows), b"".join(row.payloads for row in rows)
        marks = _each(b"".join(row.marks for row in rows), MARK_BYTES)
        fresh = self.insert(connection, ids, payloads)
        for mark in sorted(marks):
            invites.spend(connection, self.number, mark)
        return Folded(*fresh, _each(ids, ID_BYTES), marks, self._publish(connection, ended=False))

    def settle(self, folded: Folded) -> None:
        """Take what is folded as stored, once it is on the disk."""
        with self._lock:
            self._note(folded.found)
            self.waiting -= folded.handled
            self.marks -= folded.marks

    def insert(self, connection: Database, ids: bytes, payloads: bytes) -> tuple[bytes, bytes]:
        """Store and tally what is new, the first payload of each id (caller's transaction).

        Returns:
            Ids, sorted, and payloads of what was new.
        """
        firsts = dict(first_payloads(ids, payloads, self.width))
        asked = (self.number, b"".join(firsts), len(firsts))
        for (known,) in connection.execute(_KNOWN, asked).fetchall():
            del firsts[known]
        fresh = b"".join(firsts), b"".join(firsts.values())
        if firsts:
            connection.execute(_INSERT, (self.number, *fresh, len(firsts), self.width))
            self._add(connection, fresh[1])
        return fresh

    def finish(self, connection: Database) -> None:
        """Publish what is left at the end, if it is enough, and nothing after it."""
        with transaction(connection):
            found = self._publish(connection, ended=True)
        self._note(found)

    def resume(self, connection: Database) -> None:
        """Take up the steps again: the collection is not over, although it was taken to be."""
        with transaction(connection):
            connection.execute("UPDATE step SET last = 0 WHERE collection = ?", (self.number,))
            found = self._publish(connection, ended=False)
        self._note(found)

    def present(self, connection: Reader, waiting: Iterable[Row]) -> Snapshot:
        """Return everything that is stored, folded or not, in the form of what is public.

        Args:
            connection: to the database, in a transaction.
            waiting: what lay in the inbox a moment before.
        """
        own, fresh = self._unfolded(connection, waiting)
        stored = self._stored(connection) | self._sums(connection, fresh)
        issued = None
        if self.collection.invited:
            issued = invites.invite_counts(connection, self.number, own)
        told = self._decoded(self._columns(self.reports(connection, waiting)))
        return self._snapshot(connection, stored, issued, told)

    def reports(self, connection: Reader, waiting: Iterable[Row]) -> bytes:
        """Return all reports, folded or not, concatenated; arguments as of :meth:`present`."""
        rows = connection.execute(
            "SELECT payload FROM report WHERE collection = ?", (self.number,)
        ).fetchall()
        return b"".join(row[0] for row in rows) + self._unfolded(connection, waiting)[1]

    def _unfolded(self, connection: Reader, waiting: Iterable[Row]) -> tuple[list[Row], bytes]:
        """Return this collection's rows that wait, and the payloads in the inbox that are new."""
        (folded,) = connection.execute("SELECT folded FROM fold").fetchone()
        own = [row for row in waiting if row.collection == self.number and row.seq > folded]
        rows = connection.execute(
            "SELECT ids, payloads FROM inbox WHERE collection = ? ORDER BY seq", (self.number,)
        ).fetchall() + [(row.ids, row.payloads) for row in own]
        ids, payloads = (b"".join(row[i] for row in rows) for i in (0, 1))
        fresh = b"".join(
            payload
            for report_id, payload in first_payloads(ids, payloads, self.width)
            if not connection.execute(_STORED, (self.number, report_id)).fetchone()
        )
        return own, fresh

    def counts(self, connection: Reader, table: str = "tally") -> tuple[Counts, ...]:
        """Return the tallies of what has been folded, or of what is public, by question."""
        return self._counts(self._stored(connection, table))

    def _counts(
        self, stored: dict[str, tuple[int, Integers]], told: Mapping[str, Any] | None = None
    ) -> tuple[Counts, ...]:
        found = []
        for question, zero in zip(self.collection.questions, self.zero, strict=True):
            n, support = stored.get(question.id, (0, zero.support))
            counts = Counts(support.reshape(zero.support.shape), n, zero.mechanism)
            if told and question.id in told:
                counts = CountsWithReports(counts.support, n, zero.mechanism, told[question.id])
            found.append(counts)
        return tuple(found)

    @property
    def _heard(self) -> list[Question]:
        """The questions whose public counts go with their reports."""
        each = zip(self.collection.questions, self.zero, strict=True)
        return [question for question, zero in each if isinstance(zero, CountsWithReports)]

    def _columns(self, payloads: bytes) -> dict[str, bytes]:
        """Return what submissions report to those questions, in an order that tells nothing."""
        heard, out = self._heard, {}
        columns = self.collection.program.split(payloads[: MOST * self.width]) if heard else ()
        for question, wire in zip(self.collection.questions, columns, strict=bool(heard)):
            if question in heard:
                rows = wire_rows(wire, question.mechanism.program.report_bytes)
                out[question.id] = rows[np.lexsort(rows.T)].tobytes()
        return out

    def _decoded(self, wires: Mapping[str, bytes]) -> dict[str, Any]:
        """Return the reports to those questions."""
        return {one.id: one.mechanism.program.decode(wires.get(one.id, b"")) for one in self._heard}

    def _told(self, connection: Reader, n: int) -> dict[str, Any]:
        """Return the reports of the last step to those questions."""
        if n == self.public.n:
            each = zip(self.collection.questions, self.public.counts, strict=True)
            return {one.id: own.reports for one, own in each if isinstance(own, CountsWithReports)}
        asked = "SELECT question, support FROM public WHERE collection = ?"
        rows = connection.execute(asked, (self.number,))
        return self._decoded(
            {name.removesuffix(TOLD): bytes(wire) for name, wire in rows if name.endswith(TOLD)}
        )

    def _stored(self, connection: Reader, table: str = "tally") -> dict[str, tuple[int, Integers]]:
        rows = connection.execute(
            f"SELECT question, n, support FROM {table} "  # noqa: S608
            f"WHERE collection = ? AND replace(question, '{TOLD}', '') = question",
            (self.number,),
        )
        return {
            question: (n, np.frombuffer(blob, dtype="<i8").astype(np.int64))
            for question, n, blob in rows
        }

    def recount(self, connection: Reader) -> tuple[Counts, ...]:
        """Tally the stored reports anew, to be compared with :meth:`counts`."""
        total = self.zero
        rows = connection.execute(
            "SELECT payload FROM report WHERE collection = ? ORDER BY id", (self.number,)
        )
        while chunk := rows.fetchmany(SLICE_REPORTS):
            part = self.collection.tally(b"".join(payload for (payload,) in chunk))
            total = tuple(a + b for a, b in zip(total, part, strict=True))
        return total

    def _publish(self, connection: Database, *, ended: bool) -> Published:
        """Take the next step if it is complete; return what is public, and n (in a transaction).

        The whole tally becomes public, never a part of what a transaction has folded.
        """
        (n,) = connection.execute(
            "SELECT coalesce(max(n), 0) FROM tally WHERE collection = ?", (self.number,)
        ).fetchone()
        self.timeline.check(connection)
        public = self.published(connection)
        due = self._due(public, n, ended=ended)
        if due:
            if public.n and n >= LATEST * public.earlier[0].n:
                connection.execute(_COPY.format(source="public", target="earlier"), (self.number,))
            connection.execute(_COPY.format(source="tally", target="public"), (self.number,))
            self._tell(connection, n)
            self.timeline.advance(connection)
        if due or (ended and not public.last):
            connection.execute(
                _STEP,
                (self.number, int(ended)),
            )
            public = self.published(connection)
        return Published(public, n, self.timeline.position(connection))

    def _tell(self, connection: Database, n: int) -> None:
        """Let the reports of this step be public, of questions whose counts are not enough."""
        if not self._heard:
            return
        asked = "SELECT payload FROM report WHERE collection = ? ORDER BY id LIMIT ?"
        rows = connection.execute(asked, (self.number, MOST)).fetchall()
        columns = self._columns(b"".join([payload for (payload,) in rows]))
        connection.executemany(
            _PUBLIC, [(self.number, name + TOLD, n, wire) for name, wire in columns.items()]
        )

    def _due(self, public: Snapshot, n: int, *, ended: bool) -> bool:
        return not public.last and self.collection.publishing.due(public.since, n, ended=ended)

    def published(self, connection: Reader) -> Snapshot:
        """Return what the file says is public."""
        stored = self._stored(connection, "public")
        told = self._told(connection, max((n for n, _ in stored.values()), default=0))
        found = self._snapshot(connection, stored, None, told)
        if not self.collection.invited or not found.n:
            return found
        (issued,) = connection.execute(
            "SELECT issued FROM step WHERE collection = ?", (self.number,)
        ).fetchone()
        return found._replace(invites=invites.InviteCounts(issued, found.n))

    def _snapshot(
        self,
        connection: Reader,
        stored: dict[str, tuple[int, Integers]],
        issued: invites.InviteCounts | None,
        told: Mapping[str, Any],
    ) -> Snapshot:
        counts = self._counts(stored, told)
        counted = [stored.get(one.id + BITS, (0, None)) for one in self.collection.questions]
        bits = tuple(
            ones if n == one.n else None for one, (n, ones) in zip(counts, counted, strict=True)
        )
        (last,) = connection.execute(
            "SELECT last FROM step WHERE collection = ?", (self.number,)
        ).fetchone() or (False,)
        earlier = self.counts(connection, "earlier")
        (base,) = connection.execute(_BASE, (self.number,)).fetchone()
        return Snapshot(counts, bits, issued, bool(last), earlier, base)

    def _note(self, found: Published) -> None:
        """Let the public see it, once it is on the disk; what has not changed stays the same.

        The anchor comes first: whatever the public has seen, a start on an older copy knows of.
        """
        public, self.n, position = found
        before = self.public
        changed = (public.n, public.last, public.base) != (before.n, before.last, before.base)
        if changed and self.timeline.note(position):
            self.public = public

    def _holds(self, connection: Reader, report_id: bytes) -> bool:
        """Tell whether a report is stored, folded or not; it takes no longer where many wait."""
        waiting = report_id in self.waiting
        stored = connection.execute(_STORED, (self.number, report_id)).fetchone()
        return stored is not None or waiting

    def _add(self, connection: Database, payloads: bytes) -> None:
        connection.executemany(
            _TALLY,
            [
                (self.number, name, n, support.astype("<i8").tobytes())
                for name, (n, support) in self._sums(connection, payloads).items()
            ],
        )

    def _sums(self, connection: Reader, payloads: bytes) -> dict[str, tuple[int, Integers]]:
        """Return the stored tallies with those of more reports."""
        stored = self._stored(connection)
        totals: dict[str, tuple[int, Integers]] = {}
        reports = self.collection.program.decode(payloads)
        for question, part in zip(self.collection.questions, reports, strict=True):
            counts = question.tally(part)
            totals[question.id] = (counts.n, counts.support.ravel())
            if bit_count_rates(question.mechanism) is not None:
                totals[question.id + BITS] = (counts.n, count_bits(part, counts.support.size))
        return {
            name: (n + before, support + earlier)
            for name, (n, support) in totals.items()
            for before, earlier in [stored.get(name, (0, np.int64(0)))]
        }


def keep(connection: Database, rows: Iterable[Row]) -> None:
    """Keep rows for the collector that serves their collection again (caller's transaction).

    They are put together in the order of the ids, which does not tell when each came.
    """
    by_collection: dict[int, list[Row]] = {}
    for row in rows:
        by_collection.setdefault(row.collection, []).append(row)
    for number, own in by_collection.items():
        ids, payloads = b"".join(row.ids for row in own), b"".join(row.payloads for row in own)
        firsts = dict(first_payloads(ids, payloads, len(payloads) * ID_BYTES // len(ids)))
        connection.execute(_KEEP, (number, b"".join(firsts), b"".join(firsts.values())))
        for mark in sorted(mark for row in own for mark in row.marked):
            invites.spend(connection, number, mark)


def first_payloads(ids: bytes, payloads: bytes, width: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield each id, sorted, with the payload that came under it first."""
    for row in first_occurrences(ids).tolist():
        yield (
            ids[row * ID_BYTES : (row + 1) * ID_BYTES],
            payloads[row * width : (row + 1) * width],
        )


def first_occurrences(ids: bytes) -> NDArray[np.int64]:
    """Return the positions of the first occurrence of each id, sorted by id.

    Args:
        ids: n ids of 16 bytes, one after the other.
    """
    halves = np.frombuffer(ids, dtype=">u8").reshape(-1, 2)
    order = np.lexsort((halves[:, 1], halves[:, 0]))
    ordered = halves[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return order[first].astype(np.int64)


def _each(joined: bytes, size: int) -> set[bytes]:
    """Return several ids or marks, one after the other, each once."""
    return {joined[place : place + size] for place in range(0, len(joined), size)}
