"""What travels between driver and executors: work by value, and answers as text.

Work is a function that carries all it needs, so that an executor without Sudare can say so; its
arguments are bytes, which it opens once it has found the driver's version. An answer is a row: the
place of what was counted, and either its counts or a refusal. Nothing is summed outside of these
rows: of a task that runs twice Spark keeps the rows of one attempt.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sudare import errors
from sudare._version import __version__
from sudare.engines.jobs import AnyCounts
from sudare.errors import EngineError, EstimationError, SudareError
from sudare.estimation import Counts, SparseCounts
from sudare.estimation.counts import SPARSE_FORMAT

KINDS = {"place": "int64", "counted": "string", "refused": "string"}

ANSWERS_BYTES = 1 << 18
_SPARK = {"int64": "long"}


def schema_of(kinds: Mapping[str, str]) -> str:
    """Return columns with the types of Arrow as Spark names them."""
    return ", ".join(f"{name} {_SPARK.get(kind, kind)}" for name, kind in kinds.items())


SCHEMA = schema_of(KINDS)

Work = Callable[[Iterable[Any]], Iterator[Any]]
Answer = tuple[int, str | None, str | None]
"""A row of :data:`SCHEMA`."""
Counted = tuple[int, tuple[Any, ...]]
"""Rows, and their counts: one, or one for each question of a collection; none without rows. Or
whatever else has ``to_json``."""


def work(entry: str, *given: Any, kinds: Mapping[str, str] = KINDS) -> Work:
    """Return the function that executors run over Arrow batches.

    Args:
        entry: the function of :mod:`sudare.engines.spark.worker` that does it.
        given: its arguments before the batches; they are pickled.
        kinds: the columns of what it yields, with ``place`` and ``refused``.
    """
    payload, version, kinds = pickle.dumps(given), __version__, dict(kinds)

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import contextlib  # nothing of this module is there: an executor gets this function alone
        import os
        import pickle

        import pyarrow

        os.environ.setdefault("SUDARE_THREADS", "1")  # Spark gives a task a core
        found = "none"
        with contextlib.suppress(ImportError):
            from sudare._version import __version__ as found
        if found == version:
            from sudare.engines.spark import worker

            yield from getattr(worker, entry)(*pickle.loads(payload), batches)  # noqa: S301
        else:
            row = dict.fromkeys(kinds) | {"place": -1, "refused": found}
            yield pyarrow.RecordBatch.from_pylist([row], schema=pyarrow.schema(kinds.items()))

    return run


def answer(place: int, counted: Callable[[], Counted]) -> Answer:
    """Return the answer for one part: its counts, or why there are none."""
    try:
        rows, counts = counted()
    except SudareError as error:
        kind = type(error).__name__
        told = [kind, error.argument, error.rule, error.remedy, str(error)]
        return place, None, json.dumps(told)
    return place, json.dumps([rows, [one.to_json() for one in counts]]), None


def batched(answers: Iterable[Answer]) -> Iterator[Any]:
    """Yield Arrow batches of answers: a batch costs Spark as much as counting 100,000 reports."""
    kept: list[Answer] = []
    held = 0
    for one in answers:
        kept.append(one)
        held += len(one[1] or "")
        if held >= ANSWERS_BYTES:
            yield _batch(kept)
            kept, held = [], 0
    if kept:
        yield _batch(kept)


def _batch(answers: Sequence[Answer]) -> Any:
    import pyarrow as pa

    places, counted, refused = zip(*answers, strict=True)
    row = {"place": places, "counted": counted, "refused": refused}
    return pa.RecordBatch.from_pydict(row, schema=pa.schema(KINDS.items()))


def opened(
    rows: Iterable[Any], read: Callable[[str], Any] | None = None
) -> Iterator[tuple[int, Counted]]:
    """Yield the place and the counts of each answer.

    Args:
        rows: answers.
        read: reads the text of one count; default those of reports.

    Raises:
        EngineError: an executor has no Sudare, or another version.
        SudareError: what an executor refused, as the embedded engine would have raised it.
        EstimationError: an answer that none of Sudare's executors gives.
    """
    for place, counted, refused in rows:
        if place < 0:
            raise EngineError(
                "executors",
                f"must have Sudare {__version__} as the driver has, found {refused}",
                "install it in their Python, or send an environment along: docs/engines.md",
            )
        if refused is not None:
            raise _refusal(*json.loads(refused))
        try:
            number, texts = json.loads(counted)
        except (ValueError, TypeError):
            raise EstimationError("parts", "must be answers of executors of Sudare") from None
        yield place, (number, tuple(map(read or _counts, texts)))


def _refusal(kind: str, argument: str, rule: str, remedy: str, message: str) -> SudareError:
    error: SudareError = getattr(errors, kind)(argument, rule, remedy)
    error.args = (message,)  # with the path or the setting that it names
    return error


def _counts(text: str) -> AnyCounts:
    sparse = json.loads(text)["format"] == SPARSE_FORMAT
    return SparseCounts.from_json(text) if sparse else Counts.from_json(text)
