"""Large arrays of respondents and of reports, in blocks over threads.

Randomness: block i of an array draws from substream i of the ``rng`` given, so that a seed gives
the same reports whatever the number of threads. Counts are whole numbers: their sum does not
depend on how reports are divided.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence, Sized
from functools import reduce, wraps
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sudare.errors import SudareError
from sudare.exact.entropy import Randomness, as_entropy
from sudare.mechanisms.values import as_array
from sudare.threads import in_threads, in_threads_ahead, threads

if TYPE_CHECKING:
    from sudare.mechanisms.base import Mechanism

_ROWS = 1 << 19  # of a block
_REPORT_BYTES = 1 << 22  # that a block's reports fill: they are copied while in the cache
_CELLS = 1 << 25  # that a block's respondents give
_LEAST_BYTES = 1 << 22  # of reports that are worth a thread's start
_MOST_BYTES = (
    1 << 23
)  # of reports that are tallied at once: decoded they are up to 30 times as much
_MOST_ROWS = 1 << 20

Reports = npt.NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])


def in_blocks(
    draw: Callable[..., Reports], rng: Randomness, *given: Any, report_bytes: int
) -> Reports:
    """Return the reports of n respondents: of few those of one draw, of many block by block.

    Args:
        draw: takes what is given of some respondents, then an ``rng``; it checks them.
        rng: as that of :meth:`~sudare.mechanisms.base.Mechanism.perturb`.
        given: arrays or lists, respondents on axis 0.
        report_bytes: of one report.

    Raises:
        SudareError: as ``draw`` of them all does, so that positions are those of whole arrays.
    """
    entropy = as_entropy(rng)
    rows = [_divisible(one) for one in given]
    blocks = _blocks(rows, report_bytes)
    if blocks < 2:
        return draw(*given, entropy)
    n = len(rows[0])
    ends = [n * i // blocks for i in range(blocks + 1)]
    streams = entropy.substreams()
    lock = threading.Lock()
    out: list[Reports] = []

    def fill(i: int) -> None:
        start, stop = ends[i : i + 2]
        with streams.stream(i) as own:
            reports = draw(*(one[start:stop] for one in rows), own)
        with lock:
            if not out:
                out.append(np.empty((n, *reports.shape[1:]), dtype=reports.dtype))
        out[0][start:stop] = reports

    try:
        in_threads(fill, range(blocks))
    except SudareError:
        return draw(*given, entropy)  # refused as a whole
    return out[0]


def in_parts(aggregate: F) -> F:
    """Let a method that tallies an array of reports tally parts of a large one by threads.

    What a tally takes of memory beside the reports does not grow with their number.
    """

    @wraps(aggregate)
    def over_threads(self: Mechanism, reports: Any) -> Any:
        rows = _divisible(reports)
        parts = _parts(self, rows) if isinstance(rows, np.ndarray) else 1
        if parts < 2:
            return aggregate(self, reports)
        ends = [len(rows) * i // parts for i in range(parts + 1)]

        def tally(i: int) -> Any:
            return aggregate(self, rows[ends[i] : ends[i + 1]])

        try:
            return reduce(add, in_threads_ahead(tally, range(parts)))
        except SudareError:
            return aggregate(self, reports)  # refused as a whole

    return cast(F, over_threads)


def _divisible(given: Any) -> Any:
    """Return what can be sliced by respondents; None where only the whole can be judged."""
    if isinstance(given, list | tuple):
        return given
    if isinstance(given, np.ndarray):
        return given if given.ndim and not hasattr(type(given), "mask") else None
    array = as_array(given) if hasattr(type(given), "__array__") else None
    return None if array is None else _divisible(array)


def _blocks(rows: Sequence[Any], report_bytes: int) -> int:
    """Return into how many blocks respondents are divided: by their number and width alone."""
    if any(one is None or len(one) != len(rows[0]) for one in rows):
        return 1
    n, cells = len(rows[0]), sum(_width(one) for one in rows)
    most = max(1, min(_ROWS, _REPORT_BYTES // report_bytes, _CELLS // cells))
    return -(-n // most)


def _width(rows: Any) -> int:
    """Return how many cells a respondent's row has."""
    if isinstance(rows, np.ndarray):
        return max(1, int(math.prod(rows.shape[1:])))
    first = rows[0] if rows else None
    if not isinstance(first, Sized) or getattr(first, "shape", None) == ():
        return 1
    return max(1, len(first))


def _parts(mechanism: Mechanism, reports: npt.NDArray[Any]) -> int:
    """Return into how many parts reports are divided: none smaller than what it is tallied in."""
    cells, bytes_, rows = math.prod(mechanism.shape), int(reports.nbytes), len(reports)
    whole = max(-(-bytes_ // max(_MOST_BYTES, 4 * cells)), -(-rows // max(_MOST_ROWS, cells)))
    if bytes_ < 2 * _LEAST_BYTES:
        return whole
    least = max(_LEAST_BYTES, 4 * cells)
    return min(rows, max(whole, min(threads(), bytes_ // least)))
