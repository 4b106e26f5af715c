"""A collection's book: its number in the file, its tallies, and the fold that keeps them.

The inbox may hold a report more than once, because a client that saw no acknowledgement sends it
again. The fold moves a slice of the inbox into the deduplicated table and adds what was new to
the tallies, in one transaction: the tallies always equal the stored reports. Of two payloads
under one id the first stays.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.arrays import Integers
from sudare.collection import Collection
from sudare.collection.canonical import canonical_json
from sudare.collector import invites
from sudare.collector.schema import transaction
from sudare.collector.tickets import TicketOffice
from sudare.estimation import Counts
from sudare.poisoning.bits import bit_count_rates, count_bits

ID_BYTES = 16
SLICE_REPORTS = 65_536
SLICE_BYTES = 16 << 20
LATEST = 3
"""An earlier tally is replaced where so many times its reports are public."""
BITS = "/bits"
"""What follows a question's id in the name of the tally of its reports' numbers of ones."""

_INSERT = "INSERT OR IGNORE INTO report (collection, id, payload) VALUES (?, ?, ?)"
_STORED = "SELECT 1 FROM report WHERE collection = ? AND id = ?"
_KNOWN = """
WITH RECURSIVE place (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM place WHERE i + 1 < ?3)
SELECT substr(?2, 16 * i + 1, 16) AS given FROM place
WHERE EXISTS (SELECT 1 FROM report WHERE collection = ?1 AND id = given)
"""
"""Which of so many ids, one after the other, are stored: one statement, twice as fast as many."""


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
    """

    counts: tuple[Counts, ...]
    bits: tuple[Integers | None, ...]
    invites: invites.InviteCounts | None
    last: bool
    earlier: tuple[Counts, ...]

    @property
    def n(self) -> int:
        """Return the number of reports that are public."""
        return int(self.counts[0].n)


@dataclass(slots=True, eq=False)
class CollectionTally:
    """What one collection has in the file.

    Attributes:
        number: the collection's number in this file.
        collection: what is collected.
        office: marks and tickets of its invites; None where everybody is admitted.
        width: bytes of a payload.
        zero: empty counts, one for each question.
        public: what the public sees.
        n: number of reports that have been folded.
        waiting: ids in the inbox that are no stored report's.
    """

    number: int
    collection: Collection
    office: TicketOffice | None = None
    width: int = field(init=False)
    zero: tuple[Counts, ...] = field(init=False)
    public: Snapshot = field(init=False)
    n: int = field(init=False, default=0)
    waiting: set[bytes] = field(init=False, default_factory=set)

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
        return self._due(self.public, self.n + len(self.waiting), ended=False)

    def append(self, connection: sqlite3.Connection, ids: bytes, payloads: bytes) -> None:
        """Add acknowledged-to-be reports to the inbox (within the caller's transaction)."""
        connection.execute(
            "INSERT INTO inbox (collection, ids, payloads) VALUES (?, ?, ?)",
            (self.number, ids, payloads),
        )

    def expect(self, connection: sqlite3.Connection, ids: bytes) -> None:
        """Count as waiting those of appended ids that are no stored report's."""
        some = _each(ids)
        asked = (self.number, b"".join(sorted(some)), len(some))
        self.waiting |= some
        self.waiting.difference_update(known for (known,) in connection.execute(_KNOWN, asked))

    def admit(self, connection: sqlite3.Connection, mark: bytes, report_id: bytes) -> bool:
        """Spend the invite under which a report comes (within the caller's transaction).

        Returns:
            Whether the report is new. False where it has been stored under a spent invite before:
            whoever saw no acknowledgement sends it again.

        Raises:
            InviteError: there is no such invite, or another report came under it.
        """
        if not invites.is_spent(connection, self.number, mark):
            invites.spend(connection, self.number, mark)
            return True
        if not self._holds(connection, report_id):
            raise invites.InviteError(spent=True)
        return False

    def open(self, connection: sqlite3.Connection) -> int:
        """Take up what the file holds; return how many reports lie in the inbox."""
        with transaction(connection):
            found = self._publish(connection, ended=False)
        self._note(found)
        rows = connection.execute(
            "SELECT ids FROM inbox WHERE collection = ?", (self.number,)
        ).fetchall()
        for (ids,) in rows:
            self.expect(connection, ids)
        return sum(len(ids) for (ids,) in rows) // ID_BYTES

    def fold(self, connection: sqlite3.Connection) -> int:
        """Fold one slice of the inbox and return how many of its reports were handled."""
        with transaction(connection):
            last, ids, payloads = self._slice(connection)
            if not ids:
                return 0
            fresh = self._insert(connection, ids, payloads)
            if fresh:
                self._add(connection, fresh)
            connection.execute(
                "DELETE FROM inbox WHERE collection = ? AND seq <= ?", (self.number, last)
            )
            found = self._publish(connection, ended=False)
        self._note(found)
        self.waiting -= _each(ids)
        return len(ids) // ID_BYTES

    def finish(self, connection: sqlite3.Connection) -> None:
        """Publish what is left at the end, if it is enough, and nothing after it."""
        with transaction(connection):
            found = self._publish(connection, ended=True)
        self._note(found)

    def resume(self, connection: sqlite3.Connection) -> None:
        """Take up the steps again: the collection is not over, although it was taken to be."""
        with transaction(connection):
            connection.execute("UPDATE step SET last = 0 WHERE collection = ?", (self.number,))
            found = self._publish(connection, ended=False)
        self._note(found)

    def present(self, connection: sqlite3.Connection) -> Snapshot:
        """Return everything that is stored, folded or not, in the form of what is public."""
        rows = connection.execute(
            "SELECT ids, payloads FROM inbox WHERE collection = ? ORDER BY seq", (self.number,)
        ).fetchall()
        ids, payloads = (b"".join(row[i] for row in rows) for i in (0, 1))
        fresh = b"".join(
            payload
            for report_id, payload in self._firsts(ids, payloads)
            if not connection.execute(_STORED, (self.number, report_id)).fetchone()
        )
        stored = self._stored(connection) | self._sums(connection, fresh)
        issued = None
        if self.collection.invited:
            issued = invites.invite_counts(connection, self.number)
        return self._snapshot(connection, stored, issued)

    def counts(self, connection: sqlite3.Connection, table: str = "tally") -> tuple[Counts, ...]:
        """Return the tallies of what has been folded, or of what is public, by question."""
        return self._counts(self._stored(connection, table))

    def _counts(self, stored: dict[str, tuple[int, Integers]]) -> tuple[Counts, ...]:
        found = []
        for question, zero in zip(self.collection.questions, self.zero, strict=True):
            n, support = stored.get(question.id, (0, zero.support))
            found.append(Counts(support.reshape(zero.support.shape), n, zero.mechanism))
        return tuple(found)

    def _stored(
        self, connection: sqlite3.Connection, table: str = "tally"
    ) -> dict[str, tuple[int, Integers]]:
        rows = connection.execute(
            f"SELECT question, n, support FROM {table} WHERE collection = ?",  # noqa: S608
            (self.number,),
        )
        return {
            question: (n, np.frombuffer(blob, dtype="<i8").astype(np.int64))
            for question, n, blob in rows
        }

    def recount(self, connection: sqlite3.Connection) -> tuple[Counts, ...]:
        """Tally the stored reports anew, to be compared with :meth:`counts`."""
        total = self.zero
        rows = connection.execute(
            "SELECT payload FROM report WHERE collection = ? ORDER BY id", (self.number,)
        )
        while chunk := rows.fetchmany(SLICE_REPORTS):
            part = self.collection.tally(b"".join(payload for (payload,) in chunk))
            total = tuple(a + b for a, b in zip(total, part, strict=True))
        return total

    def _publish(self, connection: sqlite3.Connection, *, ended: bool) -> tuple[Snapshot, int]:
        """Take the next step if it is complete; return what is public, and n (in a transaction).

        The whole tally becomes public, never a part of what a transaction has folded.
        """
        (n,) = connection.execute(
            "SELECT coalesce(max(n), 0) FROM tally WHERE collection = ?", (self.number,)
        ).fetchone()
        public = self.published(connection)
        due = self._due(public, n, ended=ended)
        if due:
            if public.n and n >= LATEST * public.earlier[0].n:
                connection.execute(
                    "INSERT OR REPLACE INTO earlier SELECT * FROM public WHERE collection = ?",
                    (self.number,),
                )
            connection.execute(
                "INSERT OR REPLACE INTO public SELECT * FROM tally WHERE collection = ?",
                (self.number,),
            )
        if due or (ended and not public.last):
            connection.execute(
                "INSERT OR REPLACE INTO step (collection, last, issued) SELECT ?, ?, count(*) "
                "FROM invite WHERE collection = ?",
                (self.number, ended, self.number),
            )
            public = self.published(connection)
        return public, n

    def _due(self, public: Snapshot, n: int, *, ended: bool) -> bool:
        return not public.last and self.collection.publishing.due(public.n, n, ended=ended)

    def published(self, connection: sqlite3.Connection) -> Snapshot:
        """Return what the file says is public."""
        found = self._snapshot(connection, self._stored(connection, "public"), None)
        if not self.collection.invited or not found.n:
            return found
        (issued,) = connection.execute(
            "SELECT issued FROM step WHERE collection = ?", (self.number,)
        ).fetchone()
        return found._replace(invites=invites.InviteCounts(issued, found.n))

    def _snapshot(
        self,
        connection: sqlite3.Connection,
        stored: dict[str, tuple[int, Integers]],
        issued: invites.InviteCounts | None,
    ) -> Snapshot:
        counts = self._counts(stored)
        counted = [stored.get(one.id + BITS, (0, None)) for one in self.collection.questions]
        bits = tuple(
            ones if n == one.n else None for one, (n, ones) in zip(counts, counted, strict=True)
        )
        (last,) = connection.execute(
            "SELECT last FROM step WHERE collection = ?", (self.number,)
        ).fetchone() or (False,)
        return Snapshot(counts, bits, issued, bool(last), self.counts(connection, "earlier"))

    def _note(self, found: tuple[Snapshot, int]) -> None:
        """Let the public see it, once it is on the disk; what has not changed stays the same."""
        public, self.n = found
        if (public.n, public.last) != (self.public.n, self.public.last):
            self.public = public

    def _holds(self, connection: sqlite3.Connection, report_id: bytes) -> bool:
        """Tell whether a report is stored, folded or not."""
        stored = connection.execute(_STORED, (self.number, report_id)).fetchone()
        return stored is not None or report_id in self.waiting  # at once, however many wait

    def _slice(self, connection: sqlite3.Connection) -> tuple[int, bytes, bytes]:
        last, reports, size = 0, 0, 0
        ids: list[bytes] = []
        payloads: list[bytes] = []
        rows = connection.execute(
            "SELECT seq, ids, payloads FROM inbox WHERE collection = ? ORDER BY seq",
            (self.number,),
        )
        for seq, some_ids, some_payloads in rows:
            last = seq
            ids.append(some_ids)
            payloads.append(some_payloads)
            reports += len(some_ids) // ID_BYTES
            size += len(some_payloads)
            if reports >= SLICE_REPORTS or size >= SLICE_BYTES:
                break
        rows.close()
        return last, b"".join(ids), b"".join(payloads)

    def _insert(self, connection: sqlite3.Connection, ids: bytes, payloads: bytes) -> bytes:
        """Insert sorted by id, first payload first, and return the payloads that were new."""
        fresh: list[bytes] = []
        cursor = connection.cursor()
        for report_id, payload in self._firsts(ids, payloads):
            if cursor.execute(_INSERT, (self.number, report_id, payload)).rowcount:
                fresh.append(payload)
        cursor.close()
        return b"".join(fresh)

    def _firsts(self, ids: bytes, payloads: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield each id, sorted, with the payload that came under it first."""
        width = self.width
        for row in first_occurrences(ids).tolist():
            yield (
                ids[row * ID_BYTES : (row + 1) * ID_BYTES],
                payloads[row * width : (row + 1) * width],
            )

    def _add(self, connection: sqlite3.Connection, payloads: bytes) -> None:
        connection.executemany(
            "INSERT OR REPLACE INTO tally (collection, question, n, support) VALUES (?, ?, ?, ?)",
            [
                (self.number, name, n, support.astype("<i8").tobytes())
                for name, (n, support) in self._sums(connection, payloads).items()
            ],
        )

    def _sums(
        self, connection: sqlite3.Connection, payloads: bytes
    ) -> dict[str, tuple[int, Integers]]:
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


def register(connection: sqlite3.Connection, collection: Collection) -> CollectionTally:
    """Find or give the collection's number in this file; another fingerprint is another number."""
    with transaction(connection):
        connection.execute(
            "INSERT OR IGNORE INTO collection (fingerprint, name, definition) VALUES (?, ?, ?)",
            (
                collection.fingerprint,
                collection.name,
                canonical_json(collection.definition()),
            ),
        )
        (number,) = connection.execute(
            "SELECT number FROM collection WHERE fingerprint = ?", (collection.fingerprint,)
        ).fetchone()
        office = invites.open_office(connection, number, collection) if collection.invited else None
    return CollectionTally(number, collection, office)


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


def _each(ids: bytes) -> set[bytes]:
    """Return several ids, one after the other, each once."""
    return {ids[place : place + ID_BYTES] for place in range(0, len(ids), ID_BYTES)}
