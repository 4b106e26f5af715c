"""Entries of the table of coverage: one estimator in one case."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from coverage_laws import binomial, trinomial

import sudare as sd

LEVEL = 0.95
RUNS = 2000


@dataclass(frozen=True)
class Entry:
    """The coverage of one estimator in one case.

    ``silent`` is 1 less the chance of a miss without a caution on the result, ``flagged`` the
    chance of a caution, ``runs`` of a simulation, 0 where the law was enumerated.
    """

    estimator: str
    case: str
    coverage: float
    silent: float
    flagged: float
    runs: int = 0


def entry(
    name: str, case: str, inside: Any, chances: Any, flagged: Any, runs: int = 0, kinds: Any = None
) -> Entry:
    """An entry from what holds, the chance of it, and whether a reader is warned.

    Numbers of one kind have the same law, by symmetry: what is counted of them is one rate.
    """
    inside = inside.reshape(len(chances), -1)
    flagged = np.broadcast_to(np.asarray(flagged).reshape(len(chances), -1), inside.shape)
    hit, silent = chances @ inside, 1 - chances @ (~inside & ~flagged)
    kinds = np.arange(hit.size) if kinds is None else np.asarray(kinds)
    sizes = np.bincount(kinds)
    least = [float((np.bincount(kinds, one) / sizes).min()) for one in (hit, silent)]
    return Entry(name, case, *least, float((chances @ flagged).mean()), runs)


def holds(low: Any, high: Any, truth: Any) -> Any:
    slack = 1e-9 * np.maximum(1, np.abs(truth))
    return (low <= truth + slack) & (truth - slack <= high)


def simulated(name: str, case: str, held: Any, flagged: Any = False) -> Entry:
    runs = len(held)
    flags = np.broadcast_to(np.asarray(flagged).reshape(-1, *[1] * (held.ndim - 1)), held.shape)
    return entry(name, case, held, np.full(runs, 1 / runs), flags, runs)


def flagged_cells(est: Any) -> np.ndarray:
    few = np.zeros(est.shares.size, np.bool_)
    for one in est.warnings:
        few[list(one.cells)] = True
    return few


def of_cells(
    name: str, some: Iterator[Any], x: np.ndarray, case: str, kinds: np.ndarray
) -> Iterator[Entry]:
    """Cells one by one, and all at once."""
    held, every, flagged = [], [], []
    for est in some:
        held.append(holds(*est.interval(LEVEL), x).ravel())
        every.append(holds(*est.interval(LEVEL, simultaneous=True), x).all())
        flagged.append(flagged_cells(est))
    chances = np.full(len(held), 1 / len(held))
    labels = np.unique(kinds.ravel(), return_inverse=True)[1].reshape(-1)
    flags = np.array(flagged)
    yield entry(name, case, np.array(held), chances, flags, len(held), labels)
    yield entry(f"{name}, all", case, np.array(every), chances, flags.any(axis=1), len(held))


def counted(
    m: Any, n: int, x: np.ndarray, read: Callable[[Any], tuple[float, float]], truth: float,
    name: str, case: str,
) -> Entry:  # fmt: skip
    """An entry of something that follows from the counts of two or three categories."""
    if len(x) == 2:
        first = binomial(n, float(m.channel.apply(x)[0]))
        some = np.flatnonzero(first > 1e-9)
        cells, chances = np.stack([some, n - some], axis=1), first[some]
    else:
        cells, chances = trinomial(n, m.channel.apply(x))
        cells, chances = cells[chances > 1e-9], chances[chances > 1e-9]
    held, flagged = [], []
    for one in cells:
        est = m.estimate(sd.Counts(one, n))
        held.append(holds(*read_or_refused(read, est), truth))
        flagged.append(bool(est.warnings))
    return entry(name, case, np.array(held), chances, np.array(flagged))


def read_or_refused(read: Callable[[Any], Any], est: Any) -> Any:
    try:
        return read(est)
    except sd.EstimationError:  # refused: nothing false is said
        return -math.inf, math.inf
