"""What is counted: the reports of a mechanism, or whole submissions of a collection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from sudare.collection import Collection
from sudare.collection.canonical import canonical_json, fingerprint
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Counts, SparseCounts
from sudare.exact.parameters import is_list
from sudare.files.wire import is_bytes, rows_of, tally_cells, wire_of
from sudare.mechanisms import Mechanism, from_json

AnyCounts: TypeAlias = Counts | SparseCounts

COLUMN = "report"


@dataclass(frozen=True, slots=True)
class Job:
    """What is counted, as text: can be pickled, and a worker elsewhere rebuilds it.

    Make it by :meth:`of` or :meth:`of_collection`.

    Attributes:
        text: JSON of the mechanism, or the compiled collection.
        columns: where the reports are: one column, one for each attribute, or one a question.
        whole: whether rows are whole submissions of a collection.

    Examples:
        >>> import sudare as sd
        >>> job = Job.of(sd.GRR(3, 1.0))
        >>> job.columns, job.mechanism
        (('report',), GRR(k=3, epsilon=1.0))
    """

    text: str
    columns: tuple[str, ...]
    whole: bool = False

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
        return fingerprint([self.text, *self.columns])

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
        """Count rows: one Counts, or one for each question of a collection.

        Args:
            cells: an Arrow array for each of :attr:`columns`, equally long.

        Raises:
            ReportError, WrongTypeError: a cell that is none of this job's reports.
        """
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


@lru_cache(16)
def _mechanism(text: str) -> Mechanism:
    return from_json(json.loads(text), Mechanism)


@lru_cache(4)
def _collection(text: str) -> Collection:
    return Collection.from_compiled(json.loads(text))
