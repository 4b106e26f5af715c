"""``Spread``: a table whose rows Spark reads, for each question again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sudare.arrays import Booleans
from sudare.engines.formats import FORMATS
from sudare.engines.planning import UNIT_ROWS, files_of
from sudare.engines.spark.sessions import spoken
from sudare.engines.spark.wire import SCHEMA, opened, schema_of, work
from sudare.engines.units import Unit, stamp_of
from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.release.column import Column
from sudare.release.elsewhere import Elsewhere
from sudare.release.kinds import TIMES
from sudare.release.spark import rows
from sudare.release.spark.rows import DIGEST, PIECES, Task
from sudare.release.spark.sums import Sum, added
from sudare.release.stored import Stored, stored

if TYPE_CHECKING:
    from sudare.release.held import Held

PART_ROWS = 1 << 21
"""About so many rows one task has in memory, where persons have several."""

BUCKETS = 8
"""For each of these tasks: Spark puts them into tasks by a hash."""

_DIGEST = (
    "sha2(to_json(struct({}), map('ignoreNullFields', 'false', 'timeZone', 'UTC', "
    "'timestampFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX\", "
    "'timestampNTZFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS\")), 256)"
)


@dataclass(frozen=True, eq=False)
class Spread(Elsewhere):
    """A table that Spark reads: Parquet files by units, or a data frame by its partitions.

    Attributes:
        session: of Spark.
        heads: its columns without their rows.
        units: of files.
        frame: the data frame; None for files.
        here: the same files as this process reads them, which sees whether they change.
        size: how many rows there are, counting or not.
        whose, most: the column of persons, and how many rows of each count.
        only, needs: which rows are wanted.
    """

    session: Any
    heads: Mapping[str, Column]
    units: tuple[Unit, ...] = ()
    frame: Any = None
    here: Stored | None = None
    size: int = 0
    whose: str | None = None
    most: int = 1
    only: Callable[[Mapping[str, Column]], Booleans] | None = None
    needs: tuple[str, ...] = field(default=())
    is_ordered = True

    @classmethod
    def of(cls, frame: Any, session: Any) -> Spread:
        """Return the table of a Parquet file, of a folder of such, or of a data frame of Spark.

        Raises:
            WrongTypeError, DomainError: none of these, or no session.
            StorageError: a file that cannot be read.
        """
        if not hasattr(session, "range") or not hasattr(session, "createDataFrame"):
            raise WrongTypeError("engine", "must be a session of Spark", "see sudare.spark.session")
        if callable(getattr(frame, "mapInArrow", None)):
            from pyspark.sql.pandas.types import to_arrow_schema

            with spoken("could not read the data frame"):
                names, schema = frame.columns, to_arrow_schema(frame.schema)
            if DIGEST in names:
                raise DomainError("frame", "must not have a column of this name", got=DIGEST)
            about = Stored.of(lambda names, coded: iter(()), schema)
            return cls(session, about.heads, frame=frame)
        if not isinstance(frame, str | os.PathLike):
            rule = "must be the path of Parquet files, or a data frame of Spark"
            raise WrongTypeError("frame", rule, "leave engine out for data in memory")
        here = stored(frame)
        assert here is not None  # noqa: S101 - as of every path
        names = files_of(frame) if Path(frame).is_dir() else [os.fspath(frame)]
        form = FORMATS[".parquet"]
        units = [
            unit
            for name in names
            for unit in form.divide(name, stamp_of(name, ".parquet"), UNIT_ROWS)
        ]
        return cls(session, here.heads, tuple(units), here=here)

    def timed(self, bounded: Mapping[str, Any]) -> Spread:
        """Refuse text between bounds that are dates or times: all of it would have to be read.

        Raises:
            WrongTypeError: there is such a column.
        """
        for name, limits in bounded.items():
            head = self.heads.get(name)
            if head is not None and head.kind == "text" and head.timed(limits).kind in TIMES:
                remedy = "make it a column of dates or times first"
                raise WrongTypeError(f"column {name}", "must not hold dates as text", remedy)
        return self

    def checked(self) -> Spread:
        """Return the table with its number of rows, if it has any, and a value in each column.

        Raises:
            DomainError, WrongTypeError: it has no row, or a column without a value.
        """
        if self.here is not None:
            return replace(self, size=int(self.here.checked().rows or 0))
        names = list(self.heads)
        with spoken("could not read the data frame"):
            counted = self.frame.selectExpr("count(1)", *map(self._there, names))
            (size, *there), *_ = map(tuple, counted.collect())
        if not size:
            raise DomainError("frame", "must have at least one row", "there is nobody to count")
        for name, some in zip(names, there, strict=True):
            if not some:
                raise WrongTypeError(f"column {name}", "must hold a value somewhere", "leave it out")
        return replace(self, size=size)

    def _there(self, name: str) -> str:
        """Return the expression of Spark that counts the values of a column."""
        cell = _quoted(name)
        is_float = self.heads[name].values.dtype.kind == "f"
        return f"count(if(isnan({cell}), null, {cell}))" if is_float else f"count({cell})"

    def kept(self, whose: str, most: int) -> Spread:
        """Return the table with the rows that count: the first so many of each person."""
        return replace(self, whose=whose, most=most)

    def total(self, of: Held, work: Callable[[Held], Any], names: Sequence[str]) -> Any:
        """Return a sum over all rows, as :meth:`Elsewhere.total`.

        Raises:
            SudareError: what an executor refused.
            EstimationError: a part that came back twice or not at all, or with other rows.
            EngineError: Spark could not finish, or an executor lacks this version of Sudare.
        """
        wanted = dict.fromkeys([*names, *self.needs, *filter(None, [self.whose])])
        heads = {name: self.heads[name] for name in wanted or list(self.heads)[:1]}
        parts = max(_cores(self.session), -(-self.size // PART_ROWS))
        task = Task(
            replace(of.emptied(), rng=None),
            work,
            heads,
            self.only,
            self.needs,
            self.whose,
            self.most,
            parts * BUCKETS,
            self.units,
        )
        self._check_unchanged()
        with spoken():
            answers = self._answers(task, parts).collect()
        self._check_unchanged()
        return self._added(answers)

    def _answers(self, task: Task, parts: int) -> Any:
        """Return the data frame of answers."""
        if self.frame is None:
            tasks = min(len(self.units), parts)
            source, pieces = self.session.range(0, len(self.units), 1, tasks), rows.unit_pieces
            plain = rows.of_units
        else:
            columns = list(map(_quoted, task.heads))
            if self.whose is not None:
                every = ", ".join(map(_quoted, self.heads))
                columns.append(f"{_DIGEST.format(every)} AS {_quoted(DIGEST)}")
            source, pieces = self.frame.selectExpr(*columns), rows.frame_pieces
            plain = rows.of_partition
        if self.whose is None:
            return source.mapInArrow(_work(plain, task), SCHEMA)
        cut = source.mapInArrow(_work(pieces, task, kinds=PIECES), schema_of(PIECES))
        return cut.repartition(parts, "bucket").mapInArrow(_work(rows.of_pieces, task), SCHEMA)

    def _added(self, answers: Sequence[Any]) -> Any:
        seen: set[int] = set()
        sums, n = [], 0
        for place, (number, own) in opened(answers, Sum.from_json):
            if place in seen:
                raise EstimationError("parts", "must come back once each", "ask again")
            seen.add(place)
            n += number
            sums += [one.value for one in own]
            if self.whose is None and self.units and number != self.units[place].rows:
                raise EstimationError("parts", "must have the rows that files say", "ask again")
        if n != self.size:
            raise EstimationError("parts", "must be of all rows, each once", "open the data again")
        return added(sums)

    def _check_unchanged(self) -> None:
        if self.here is not None:
            self.here.check()


def _work(function: Callable[..., Iterator[Any]], task: Task, **more: Any) -> Any:
    """Return the work of a function of :mod:`sudare.release.spark.rows`."""
    from pyspark import cloudpickle

    return work("run", cloudpickle.dumps((function, task)), **more)


def _cores(session: Any) -> int:
    """Return how many tasks run at once; 2 where that is not told."""
    try:
        return int(session.sparkContext.defaultParallelism)
    except Exception as error:
        if not type(error).__module__.startswith("pyspark"):
            raise
        return 2


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
