"""What is counted: reports of a mechanism, some of its tables, or whole submissions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sudare.collection import Collection
from sudare.collection.canonical import canonical_json, fingerprint
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Counts, SparseCounts
from sudare.estimation.counts import check_axes
from sudare.exact.parameters import is_list
from sudare.files.wire import (
    holds_bytes,
    holds_numbers,
    holds_reports,
    is_bytes,
    rows_of,
    tally_cells,
    wire_of,
)
from sudare.mechanisms import Mechanism, from_json
from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.joint.grouped import TableTally
from sudare.mechanisms.joint.rows import as_reports
from sudare.samplers.base import index_dtype

AnyCounts: TypeAlias = Counts | SparseCounts

COLUMN = "report"


@dataclass(frozen=True, slots=True)
class Job:
    """What is counted, as text: can be pickled, and a worker elsewhere rebuilds it.

    Make it by :meth:`of`, :meth:`of_tables` or :meth:`of_collection`.

    Attributes:
        text: JSON of the mechanism, or the compiled collection.
        columns: where the reports are: one column, one for each attribute, or one a question.
        whole: whether rows are whole submissions of a collection.
        tables: the attributes of each table that is counted; none for all reports together.

    Examples:
        >>> import sudare as sd
        >>> job = Job.of(sd.GRR(3, 1.0))
        >>> job.columns, job.mechanism
        (('report',), GRR(k=3, epsilon=1.0))
    """

    text: str
    columns: tuple[str, ...]
    whole: bool = False
    tables: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, mechanism: Mechanism, column: str | Sequence[str] = COLUMN) -> Job:
        """Return the job of counting reports of a mechanism.

        Args:
            mechanism: of any family, with a registered name.
            column: where its reports are, whole numbers or bytes in their wire form; a list of
                columns for reports of several numbers.

        Raises:
            WrongTypeError, DomainError: no mechanism, or no names of columns, each once.
        """
        if not isinstance(mechanism, Mechanism):
            raise WrongTypeError("mechanism", "must be a mechanism", "such as sudare.GRR(3, 1.0)")
        names = (column,) if isinstance(column, str) else column
        if not is_list(names) or not all(isinstance(name, str) for name in names):
            raise WrongTypeError("column", "must be a name, or a list of names")
        if not names or len(set(names)) < len(names):
            raise DomainError("column", "must name columns, each once")
        return cls(canonical_json(mechanism.to_json()), tuple(names))

    @classmethod
    def of_tables(
        cls, mechanism: Joint, columns: Sequence[str], tables: Iterable[Sequence[int]]
    ) -> Job:
        """Return the job of counting tables of some attributes, all in one pass.

        Args:
            mechanism: of all attributes.
            columns: where the reports of each are.
            tables: the attributes of each table.

        Raises:
            WrongTypeError, DomainError: another mechanism, not a column for each attribute, or
                not distinct attributes of it.

        Examples:
            >>> import sudare as sd
            >>> Job.of_tables(sd.JointRR([2, 3, 2], gamma=3), "abc", [(0, 1), (0, 2)]).tables
            ((0, 1), (0, 2))
        """
        if not isinstance(mechanism, Joint):
            raise WrongTypeError("mechanism", "must be a joint mechanism", "such as sudare.JointRR")
        job, number = cls.of(mechanism, list(columns)), len(mechanism.sizes)
        if len(job.columns) != number:
            raise DomainError("columns", f"must be {number}, one for each attribute")
        return replace(job, tables=tuple(check_axes(axes, number) for axes in tables))

    @classmethod
    def of_collection(cls, collection: Collection) -> Job:
        """Return the job of counting whole submissions: all questions in one pass."""
        if not isinstance(collection, Collection):
            raise WrongTypeError("collection", "must be a sudare.Collection")
        names = tuple(question.id for question in collection.questions)
        return cls(canonical_json(collection.compiled()), names, whole=True)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism, rebuilt once in a process."""
        if self.whole:
            raise DomainError("job", "is about a collection", "use .collection")
        return _mechanism(self.text)

    @property
    def collection(self) -> Collection:
        """The collection, rebuilt once in a process."""
        if not self.whole:
            raise DomainError("job", "is about a mechanism", "use .mechanism")
        return _collection(self.text)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of what is counted and where, as hexadecimal text."""
        return fingerprint([self.text, *self.columns, *(list(axes) for axes in self.tables)])

    @property
    def binary(self) -> bool:
        """Whether cells are bytes, which text files have in hexadecimal."""
        return self.whole or (len(self.columns) == 1 and is_bytes(self.mechanism))

    @property
    def report_bytes(self) -> int:
        """Bytes of a row, about: to choose how many are read at once."""
        if self.whole:
            return self.collection.program.report_bytes
        return max(8 * len(self.columns), self.mechanism.program.report_bytes)

    def count(self, cells: Sequence[Any]) -> tuple[AnyCounts, ...]:
        """Count rows: one Counts, or one for each table, or for each question of a collection.

        Args:
            cells: an Arrow array for each of :attr:`columns`, equally long.

        Raises:
            ReportError, WrongTypeError: a cell that is none of this job's reports.
        """
        if self.tables:
            tally = self.tally()
            tally.add(self.rows(cells))
            return tally.counts()
        if not self.whole:
            mechanism = self.mechanism
            return (tally_cells(mechanism, rows_of(cells, mechanism)),)
        questions = self.collection.questions
        return tuple(
            question.tally(program.decode(wire_of(own, program.report_bytes)))
            for question, program, own in zip(
                questions, self.collection.program.parts, cells, strict=True
            )
        )

    def takes(self, column: str, kind: Any) -> bool:
        """Tell whether a column may be of a type of Arrow."""
        if self.whole:
            programs = self.collection.program.parts
            return holds_bytes(kind, programs[self.columns.index(column)].report_bytes)
        if len(self.columns) > 1:
            return holds_numbers(kind)
        return holds_reports(kind, self.mechanism)

    def tally(self) -> TableTally:
        """Return what rows of the job's tables are added to."""
        return TableTally(self.joint, self.tables)

    def rows(self, cells: Sequence[Any]) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Return the checked rows in Arrow arrays: (n, columns) in the smallest dtype.

        Raises:
            WrongTypeError: of another mechanism than :class:`~sudare.JointRR`.
            ReportError: a cell that is none of its reports.
        """
        sizes = self.joint.sizes
        rows = np.asarray(rows_of(cells, self.mechanism)).reshape(-1, len(sizes))
        return as_reports(rows, sizes).astype(self.no_rows.dtype)

    @property
    def no_rows(self) -> npt.NDArray[np.unsignedinteger[Any]]:
        """What :meth:`rows` returns of nothing."""
        sizes = self.joint.sizes
        return np.zeros((0, len(sizes)), dtype=index_dtype(max(sizes)))

    @property
    def joint(self) -> Joint:
        """The mechanism, of several attributes."""
        if not isinstance(self.mechanism, Joint):
            raise WrongTypeError("mechanism", "must be sudare.JointRR", "count others by tally")
        return self.mechanism


@lru_cache(16)
def _mechanism(text: str) -> Mechanism:
    return from_json(json.loads(text), Mechanism)


@lru_cache(4)
def _collection(text: str) -> Collection:
    return Collection.from_compiled(json.loads(text))
