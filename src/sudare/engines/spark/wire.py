"""What travels between driver and executors: work by value, and answers as text.

Work is a function that carries all it needs, so that an executor without Sudare can say so; its
arguments are bytes, which it opens once it has found the driver's version. An answer is a row: the
place of what was counted, and either its counts or a refusal. Nothing is summed outside of these
rows: of a task that runs twice Spark keeps the rows of one attempt.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from sudare import errors
from sudare._version import __version__
from sudare.engines.jobs import AnyCounts
from sudare.errors import EngineError, EstimationError, SudareError
from sudare.estimation import Counts, SparseCounts
from sudare.estimation.counts import SPARSE_FORMAT

SCHEMA = "place long, counted binary, refused string"

ANSWERS_BYTES = 1 << 18

Work = Callable[[Iterable[Any]], Iterator[Any]]
Answer = tuple[int, str | bytes | None, str | None]
"""A row of :data:`SCHEMA`."""
Counted = tuple[int, tuple[Any, ...]]
"""Rows, and their counts: one, or one for each question of a collection; none without rows."""


def work(entry: str, *given: Any) -> Work:
    """Return the function that executors run over Arrow batches.

    Args:
        entry: the function of :mod:`sudare.engines.spark.worker` that does it.
        given: its arguments before the batches; they are pickled.
    """
    payload, version = pickle.dumps(given), __version__

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
            row = {"place": [-1], "counted": [None], "refused": [found]}
            kinds = {"place": "int64", "counted": "binary", "refused": "string"}
            yield pyarrow.RecordBatch.from_pydict(row, schema=pyarrow.schema(kinds.items()))

    return run


def answer(place: int, counted: Callable[[], Counted]) -> Answer:
    """Return the answer for one part: its counts, or why there are none."""
    try:
        rows, counts = counted()
    except SudareError as error:
        return refusal(place, error)
    return place, json.dumps([rows, [one.to_json() for one in counts]]), None


def refusal(place: int, error: SudareError) -> Answer:
    """Return the answer that says why there are no counts."""
    kind = type(error).__name__
    return place, None, json.dumps([kind, error.argument, error.rule, error.remedy, str(error)])


def batched(answers: Iterable[Answer]) -> Iterator[Any]:
    """Yield Arrow batches of answers: a batch costs Spark as much as counting 100,000 reports."""
    kept: list[Answer] = []
    held = 0
    for one in answers:
        kept.append(one)
        held += len(one[1] or b"")
        if held >= ANSWERS_BYTES:
            yield _batch(kept)
            kept, held = [], 0
    if kept:
        yield _batch(kept)


def _batch(answers: Sequence[Answer]) -> Any:
    import pyarrow as pa

    places, counted, refused = zip(*answers, strict=True)
    kinds = [("place", pa.int64()), ("counted", pa.binary()), ("refused", pa.string())]
    row = {"place": places, "counted": counted, "refused": refused}
    return pa.RecordBatch.from_pydict(row, schema=pa.schema(kinds))


def _counts(text: str) -> AnyCounts:
    sparse = json.loads(text)["format"] == SPARSE_FORMAT
    return SparseCounts.from_json(text) if sparse else Counts.from_json(text)


def read_answers(
    rows: Iterable[Any], read: Callable[[str], Any] = _counts
) -> Iterator[tuple[int, Counted]]:
    """Yield the place and the counts of each answer.

    Args:
        rows: answers.
        read: makes one of the counts of its text.

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
            raise _refused(*json.loads(refused))
        try:
            number, texts = json.loads(counted)
        except (ValueError, TypeError):
            raise EstimationError("parts", "must be answers of executors of Sudare") from None
        yield place, (number, tuple(map(read, texts)))


def _refused(kind: str, argument: str, rule: str, remedy: str, message: str) -> SudareError:
    error: SudareError = getattr(errors, kind)(argument, rule, remedy)
    error.args = (message,)  # with the path or the setting that it names
    return error
