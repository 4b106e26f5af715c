"""The operator's view: everything that is stored, beside what is public of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from sudare.collection import Collection
from sudare.collector import lifecycle_table
from sudare.collector.database import Place, Reader
from sudare.collector.databases import reading
from sudare.collector.inbox import Row
from sudare.collector.lifecycle import Standing
from sudare.collector.tallies import CollectionTally, Snapshot
from sudare.collector.versions import find
from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.exact.entropy import as_entropy


class OperatorView(NamedTuple):
    """What a file holds of a collection.

    Attributes:
        stored: the counts of every acknowledged report, and all invites, whatever is public.
        public: what everybody sees.
        standing: where it stands in its life.
        history: all its changes, oldest first.
    """

    stored: Snapshot
    public: Snapshot
    standing: Standing
    history: tuple[Standing, ...] = ()


def own_view(collection: Collection, database: Place) -> OperatorView:
    """Read what is stored of a collection, for its operator alone: steps do not hold here.

    Whoever sees it twice, with one report between, sees that report.

    Args:
        collection: what was served, under this very definition.
        database: the collector's SQLite file or ``postgresql://`` address. A collector may run;
            nothing is changed.

    Raises:
        WrongTypeError: no collection.
        StorageError: there is no such file, it is of another version, or does not hold the
            collection.

    Examples:
        >>> own_view(collection, "tea.sqlite3").stored.n        # doctest: +SKIP
        73
    """
    with _book(collection, database) as (book, connection, waiting):
        stands = lifecycle_table.standing(connection, book.number) or Standing("draft")
        changes = tuple(lifecycle_table.history(connection, book.number))
        stored, public = book.present(connection, waiting), book.published(connection)
        return OperatorView(stored, public, stands, changes)


def own_reports(collection: Collection, database: Place) -> bytes:
    """Return the submissions themselves, in random order, for the operator alone.

    Args:
        collection, database: as of :func:`own_view`.

    Returns:
        The submissions' bytes, one after another: what :meth:`~sudare.Collection.tally` counts.
        Neither their ids nor the order in which they came.

    Raises:
        WrongTypeError, StorageError: as of :func:`own_view`; the reports have been deleted.
    """
    with _book(collection, database) as (book, connection, waiting):
        if lifecycle_table.is_emptied(connection, book.number):
            raise StorageError("reports", "must be kept, and were deleted", "export the counts")
        joined = book.reports(connection, waiting)
    rows = np.frombuffer(joined, dtype=np.uint8).reshape(-1, collection.program.report_bytes)
    return as_entropy(None).generator().permutation(rows).tobytes()


def shown_round(collection: Collection, database: Place, number: int | None = None) -> Collection:
    """Return what is shown of a collection: of one in rounds one of these, as it is kept.

    Args:
        collection, database: as of :func:`own_view`.
        number: of the round; None takes the last one with reports.

    Raises:
        DomainError: there is no such round.
    """
    rounds = collection.rounds
    if number is not None and not 1 <= number <= len(rounds):
        rule = f"must be from 1 to {len(rounds)}" if rounds else "is of surveys in rounds alone"
        raise DomainError("round", rule, got=number)
    if number is not None:
        return rounds[number - 1]
    held = (one for one in reversed(rounds) if own_view(one, database).stored.n)
    return next(held, rounds[0] if rounds else collection)


@contextmanager
def _book(
    collection: Collection, database: Place
) -> Iterator[tuple[CollectionTally, Reader, list[Row]]]:
    if not isinstance(collection, Collection):
        raise WrongTypeError("collection", "must be a sudare.Collection", "load it first")
    with reading(database) as (connection, waiting):
        number = find(connection, collection)
        if number is None:
            raise StorageError(
                "database",
                f"must hold the collection {collection.name!r} under this definition",
                "give the survey file as it was served, or another database",
            )
        yield CollectionTally(number, collection), connection, waiting
