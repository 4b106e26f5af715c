"""``Spread``: a table of Parquet files whose rows Spark reads, for each question again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sudare.engines.formats import FORMATS
from sudare.engines.planning import UNIT_ROWS
from sudare.engines.spark.plans import context_of
from sudare.engines.spark.sessions import spoken
from sudare.engines.spark.wire import SCHEMA, read_answers, work
from sudare.engines.units import Unit, stamp_of
from sudare.errors import EstimationError, WrongTypeError
from sudare.files.stores import opened_store
from sudare.release.kinds import TIMES
from sudare.release.remote_table import RemoteTable
from sudare.release.spark import rows
from sudare.release.spark.rows import Task
from sudare.release.spark.sums import Sum, added
from sudare.release.stored import Stored, parquet_files, stored

if TYPE_CHECKING:
    from sudare.release.private_data import PrivateData

PART_ROWS = 1 << 21
"""About so many rows one task has in memory, where persons have several."""

BUCKETS = 8
"""For each of these tasks: Spark puts them into tasks by a hash."""


@dataclass(frozen=True, eq=False)
class Spread(RemoteTable):
    """A table of Parquet files that executors of Spark read by units.

    Attributes:
        session: of Spark.
        units: of the files.
        whose, most: the column of persons, and how many rows of each count.
    """

    session: Any = None
    units: tuple[Unit, ...] = ()
    whose: str | None = None
    most: int = 1

    @classmethod
    def opened(cls, frame: Any, session: Any) -> Spread:
        """Return the table of a Parquet file or of a folder of such.

        Raises:
            WrongTypeError, DomainError: none of these, or no session.
            StorageError: a file that cannot be read.
        """
        if not hasattr(session, "range") or not hasattr(session, "createDataFrame"):
            raise WrongTypeError("engine", "must be a session of Spark", "see sudare.spark.session")
        frame = opened_store(frame)
        if not isinstance(frame, str | os.PathLike):
            remedy = "write the rows there, or leave engine out"
            raise WrongTypeError("frame", "must be the path of Parquet files", remedy)
        here = stored(frame)
        names = parquet_files(frame)
        units = (
            unit
            for name in names
            for unit in FORMATS[".parquet"].divide(name, stamp_of(name, ".parquet"), UNIT_ROWS)
            if unit.rows  # engines write files without rows too
        )
        return cls(**vars(here), session=session, units=tuple(units))

    def typed(self, types: Mapping[str, str]) -> Stored:
        """Refuse text that is to be read as another type: executors read what the schema says.

        Raises:
            WrongTypeError: there is such a column.
        """
        out = super().typed(types)
        for name, head in self.heads.items():
            if out.heads[name].kind != head.kind:
                what = "dates" if out.heads[name].kind in TIMES else out.heads[name].kind
                remedy = f"make it a column of {out.heads[name].kind} first"
                raise WrongTypeError(f"column {name}", f"must not hold {what} as text", remedy)
        return out

    def kept(self, whose: str, most: int) -> Spread:
        """Return the table with the rows that count: the first so many of each person."""
        return replace(self, whose=whose, most=most)

    def total(
        self, of: PrivateData, work: Callable[[PrivateData], Any], names: Sequence[str]
    ) -> Any:
        """Return a sum over all rows, as :meth:`RemoteTable.total`.

        Raises:
            SudareError: what an executor refused.
            EstimationError: a part that came back twice or not at all, or with other rows.
            EngineError: Spark could not finish, or an executor lacks this version of Sudare.
        """
        wanted = dict.fromkeys([*names, *self.needs, *filter(None, [self.whose])])
        heads = {name: self.heads[name] for name in wanted or list(self.heads)[:1]}
        context = context_of(self.session)
        cores = 2 if context is None else int(context.defaultParallelism)
        parts = max(cores, -(-self.size // PART_ROWS))
        bare = replace(self, scan=_nothing, check=lambda: None, session=None, heads=heads)
        task = Task(replace(of.emptied(), rng=None), work, bare, parts * BUCKETS)
        self.check()
        with spoken():
            found = self.session.range(0, len(self.units), 1, min(len(self.units), parts))
            if self.whose is None:
                found = found.mapInArrow(_work(rows.of_units, task), SCHEMA)
            else:
                cut = found.mapInArrow(_work(rows.cut_units, task), SCHEMA)
                cut = cut.selectExpr("*", f"pmod(place, {task.buckets}) as bucket")
                found = cut.repartition(parts, "bucket")
                found = found.mapInArrow(_work(rows.of_pieces, task), SCHEMA)
            answers = found.collect()
        self.check()
        return self._added(answers)

    def _added(self, answers: Sequence[Any]) -> Any:
        sizes: dict[int, int] = {}
        sums = []
        for place, (number, own) in read_answers(answers, Sum.from_json):
            if place in sizes:
                raise EstimationError("parts", "must come back once each", "ask again")
            sizes[place] = number
            sums += [one.value for one in own]
        there = {place: unit.rows for place, unit in enumerate(self.units)}
        if sum(sizes.values()) != self.rows or (self.whose is None and sizes != there):
            raise EstimationError("parts", "must be of all rows, each once", "open the data again")
        return added(sums)


def _work(function: Callable[[Task, Any], Iterator[Any]], task: Task) -> Any:
    """Return the work of a function of :mod:`sudare.release.spark.rows`."""
    from pyspark import cloudpickle

    return work("run", cloudpickle.dumps((function, task)))


def _nothing(names: list[str], coded: bool) -> Iterator[Any]:
    return iter(())
