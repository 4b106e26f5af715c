"""The writer: one thread that commits a group of submissions by one statement.

A row of the inbox is what one commit brings for one collection, its reports in the order of their
random ids. Whether the collection takes reports is asked in the same statement; whoever changes a
stage waits until none is under way (:func:`sudare.collector.lifecycle_table.append`). Invites are
spent by a unique key: of several processes that bring one, all but the first wait for that one's
commit.
"""

from __future__ import annotations

from sudare.collector.faults import log_fault
from sudare.collector.grouping import GroupWriter, Submission, resolve
from sudare.collector.health import Health
from sudare.collector.inbox import ID_BYTES
from sudare.collector.invites import InviteError
from sudare.collector.jobs import Job, StoreUnavailable
from sudare.collector.lifecycle_table import NotTakenError
from sudare.collector.postgres.connection import PostgresConnection
from sudare.collector.postgres.copy_detection import CopyDetection
from sudare.collector.postgres.merge_thread import PostgresMergeThread
from sudare.collector.postgres.tally import PostgresTally
from sudare.collector.tallies import first_payloads
from sudare.errors import CollectionError

_TAKES = """
coalesce((SELECT state FROM life WHERE life.collection = {number} ORDER BY seq DESC LIMIT 1),
         'published') = 'published'
"""
_APPEND = f"""
INSERT INTO inbox (collection, ids, payloads, marks)
SELECT * FROM unnest(?::bigint[], ?::bytea[], ?::bytea[], ?::bytea[]) AS one (number, a, b, c)
WHERE {_TAKES.format(number="one.number")}
RETURNING collection
"""  # noqa: S608
_APPEND_ONE = f"""
INSERT INTO inbox (collection, ids, payloads, marks)
SELECT ?1::bigint, ?2::bytea, ?3::bytea, ?4::bytea WHERE {_TAKES.format(number="?1")}
RETURNING collection
"""
"""The same for a group of one collection, in less than half the time of both sides."""
_SPEND = f"""
INSERT INTO taken (collection, mark)
SELECT collection, mark FROM invite
WHERE collection = ?1 AND mark = ANY(?2) AND spent = 0 AND {_TAKES.format(number="?1")}
ORDER BY mark
ON CONFLICT DO NOTHING RETURNING mark
"""  # noqa: S608
_INVITES = "SELECT mark, spent FROM invite WHERE collection = ? AND mark = ANY(?)"

Refused = dict[Submission, CollectionError]


class PostgresWriter(GroupWriter):
    """Own a connection, and store what is queued until told to stop.

    Args:
        connection: for this thread alone.
        folder: is told what has come.
        health: what this thread finds and minds.
        witness: holds what it knows against the database.
        queue_bytes: how much may wait.
    """

    def __init__(
        self,
        connection: PostgresConnection,
        folder: PostgresMergeThread,
        health: Health,
        witness: CopyDetection,
        *,
        queue_bytes: int,
    ) -> None:
        super().__init__(health, queue_bytes=queue_bytes)
        connection.verify = witness.verify
        self._connection = connection
        self._witness = witness
        self._latest: tuple[PostgresTally, bytes] | None = None
        self._folder = folder

    def _answer(self, job: Job) -> None:
        job.answer(self._connection)

    def _end(self) -> None:
        self._connection.close()

    def _commit(self, group: list[Submission]) -> None:
        failure: StoreUnavailable | None = None
        refused: Refused = {}
        try:
            refused = self._store(group)
        except StoreUnavailable as error:
            if not self._health.ended:
                log_fault("a commit", error)
            failure = StoreUnavailable(error.rule)
        else:
            self.commits += 1
            if self._latest is not None:
                self._witness.stored(*self._latest)
            self._folder.arrived()
        self._note(failing=failure is not None)
        self._release(group)
        for submission, refusal in refused.items():
            resolve([submission], refusal)
        admitted = [one for one in group if one not in refused] if refused else group
        resolve(admitted, failure)

    def _store(self, group: list[Submission]) -> Refused:
        """Store a group in one transaction; return whom it was refused, and why."""
        if self._health.ended:
            raise StoreUnavailable(self._health.reason() or "")
        books: dict[PostgresTally, list[Submission]] = {}
        for submission in group:
            books.setdefault(submission.book, []).append(submission)  # type: ignore[arg-type]
        if all(book.office is None for book in books):
            return self._append(books, {})
        connection = self._connection
        connection.begin("ISOLATION LEVEL READ COMMITTED")
        try:
            connection.execute("LOCK TABLE inbox IN ROW EXCLUSIVE MODE")  # no stage changes
            refused: Refused = {}
            marks: dict[PostgresTally, set[bytes]] = {}
            for book in sorted(books, key=lambda book: book.number):
                if book.office is not None:
                    books[book], marks[book] = self._admit(book, books[book], refused)
            refused |= self._append({book: some for book, some in books.items() if some}, marks)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
        return refused

    def _append(
        self, books: dict[PostgresTally, list[Submission]], marks: dict[PostgresTally, set[bytes]]
    ) -> Refused:
        """Add a row for each collection to the inbox; return those that take nothing."""
        rows: list[tuple[int, bytes, bytes, bytes]] = []
        for book, some in books.items():
            joined = (
                b"".join([submission.ids for submission in some]),
                b"".join([submission.payloads for submission in some]),
            )
            if len(joined[0]) > ID_BYTES:  # in an order that tells nothing
                sorted_ = dict(first_payloads(*joined, book.width))
                joined = b"".join(sorted_), b"".join(sorted_.values())
            spent = b"".join(sorted(marks.get(book, ())))
            rows.append((book.number, *joined, spent))
        if not rows:
            return {}
        if len(rows) == 1:
            found = self._connection.execute(_APPEND_ONE, rows[0])
        else:
            found = self._connection.execute(_APPEND, list(map(list, zip(*rows, strict=True))))
        taken = {number for (number,) in found}
        stored = [(book, row[1]) for book, row in zip(books, rows, strict=True) if row[0] in taken]
        self._latest = stored[-1] if stored else None
        return {
            one: NotTakenError()
            for book, some in books.items()
            if book.number not in taken
            for one in some
        }

    def _admit(
        self, book: PostgresTally, some: list[Submission], refused: Refused
    ) -> tuple[list[Submission], set[bytes]]:
        """Spend invites; return the submissions that are new, each once, and their marks."""
        connection = self._connection
        asked = sorted({submission.mark for submission in some})
        taken = {
            bytes(mark) for (mark,) in connection.execute(_SPEND, (book.number, asked)).fetchall()
        }
        # a statement of its own: what was folded while the first one waited is seen
        known = {
            bytes(mark): bool(spent)
            for mark, spent in connection.execute(_INVITES, (book.number, asked)).fetchall()
        }
        fresh: dict[bytes, Submission] = {}
        for submission in some:
            mark = submission.mark
            if mark not in known:
                refused[submission] = InviteError(spent=False)
            elif mark in taken and not known[mark]:
                taken.discard(mark)
                fresh[mark] = submission
            elif mark in fresh and fresh[mark].ids == submission.ids:
                continue  # the same again, within the group
            elif not book.holds(connection, submission.ids):
                refused[submission] = InviteError(spent=True)
        return list(fresh.values()), set(fresh)

    def _probe(self) -> None:
        try:
            self._connection.execute("SELECT 1")
        except StoreUnavailable:
            return
        self._note(failing=False)
