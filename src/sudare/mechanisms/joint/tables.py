"""All cross-tables of a wide survey in one pass over its reports."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Counts, Estimate
from sudare.estimation.estimate import Target, check_target
from sudare.exact import as_integer
from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.joint.grouped import Axes, Grouped, columns_of, table_counts
from sudare.mechanisms.joint.rows import Sizes, as_reports

THREADS = 2
TABLE_LIMIT = 1 << 24
"""Most cells of one table."""
BATCH_CELLS = 1 << 22
"""Most cells of the tables that a thread makes at once; a larger table is made alone."""

_MOST_TABLES = 10**7


@dataclass(frozen=True, slots=True)
class Table:
    """One cross-table.

    Attributes:
        axes: its attributes.
        counts: of the reports, in the shape of these attributes.
        estimate: shares of the cells with standard errors.
    """

    axes: tuple[int, ...]
    counts: Counts
    estimate: Estimate


def table_count(mechanism: Joint, order: object) -> int:
    """Return how many tables of ``order`` attributes there are.

    Raises:
        WrongTypeError: not a joint mechanism, or not a whole number.
        DomainError: an order that the attributes do not allow, a table of more than 2**24
            cells, or more than 10**7 tables.
    """
    if not isinstance(mechanism, Joint):
        raise WrongTypeError("mechanism", "must be a joint mechanism", "such as sudare.JointRR")
    sizes = mechanism.sizes
    depth = as_integer(order, "order", low=1, high=len(sizes))
    if prod(sorted(sizes)[-depth:]) > TABLE_LIMIT:
        raise DomainError(
            "order",
            f"must give tables of at most {TABLE_LIMIT} cells",
            "take fewer attributes a table, or merge categories",
            got=depth,
        )
    count = comb(len(sizes), depth)
    if count > _MOST_TABLES:
        raise DomainError("order", f"must give at most {_MOST_TABLES} tables", got=depth)
    return count


def joint_tables(
    mechanism: Joint, reports: npt.ArrayLike, order: int = 2, target: Target = "population"
) -> Iterator[Table]:
    """Estimate the joint distribution of every choice of ``order`` attributes.

    The reports are grouped by one attribute; codes of the others within a group count into a
    slice of the table that stays in cache. Two threads; a table is made when it is asked for,
    some ahead (at most ``BATCH_CELLS`` cells a batch, three batches), so that memory is bounded by
    the reports and these tables.

    Args:
        mechanism: that made the reports.
        reports: (n, attributes) whole numbers.
        order: attributes of a table.
        target: whose shares the standard errors are about.

    Yields:
        :class:`Table`, in the order of :func:`itertools.combinations`.

    Raises:
        WrongTypeError, ReportError: not this mechanism's reports.
        DomainError: an order that the attributes do not allow, a table of more than 2**24
            cells, or more than 10**7 tables; before any work is done.

    Examples:
        >>> import sudare as sd
        >>> j = sd.JointRR([3, 2, 4], gamma=5)
        >>> reports = j.perturb([[0, 1, 3], [2, 0, 1], [0, 0, 0]])
        >>> [table.axes for table in joint_tables(j, reports, order=2)]
        [(0, 1), (0, 2), (1, 2)]
    """
    table_count(mechanism, order)
    check_target(target)
    rows = as_reports(reports, mechanism.sizes)
    if rows.shape[0] == 0:
        raise DomainError("reports", "must not be empty", "collect some first")
    return _stream(mechanism, rows, order, target)


def _stream(
    mechanism: Joint, rows: npt.NDArray[Any], order: int, target: Target
) -> Iterator[Table]:
    attributes = range(len(mechanism.sizes))
    columns = columns_of(rows, mechanism.sizes)
    with ThreadPoolExecutor(THREADS, "sudare-tables") as pool:
        ahead: deque[Future[list[Table]]] = deque()
        try:
            for first in attributes[: len(attributes) - order + 1]:
                cells = mechanism.sizes[first] * prod(
                    sorted(mechanism.sizes[first + 1 :])[len(mechanism.sizes) - first - order :]
                )
                grouped = Grouped(mechanism.sizes, columns, first, cells)
                prefixes = combinations(attributes[first + 1 :], max(0, order - 2))
                for prefix in prefixes:
                    head = (first, *prefix)
                    for lasts in _batches(mechanism.sizes, head, order):
                        ahead.append(pool.submit(_tables, mechanism, grouped, head, lasts, target))
                        if len(ahead) > THREADS:
                            yield from ahead.popleft().result()
            while ahead:
                yield from ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()


def _batches(sizes: Sizes, head: tuple[int, ...], order: int) -> Iterator[tuple[int, ...]]:
    """Yield the last attributes of the tables that begin with ``head``, some at a time.

    The tables of a batch have at most ``BATCH_CELLS`` cells together, or there is only one.
    """
    if order == 1:
        yield ()
        return
    rows = prod(sizes[i] for i in head)
    batch: list[int] = []
    cells = 0
    for last in range(max(head) + 1, len(sizes)):
        cells += rows * sizes[last]
        if batch and cells > BATCH_CELLS:
            yield tuple(batch)
            batch, cells = [], rows * sizes[last]
        batch.append(last)
    if batch:
        yield tuple(batch)


def _tables(
    mechanism: Joint, grouped: Grouped, head: Axes, lasts: Axes, target: Target
) -> list[Table]:
    """Return the tables of the attributes of a head and each of these last ones."""
    tables = [(*head, last) for last in lasts] or [head]
    supports = [np.zeros(prod(mechanism.sizes[i] for i in one), np.int64) for one in tables]
    grouped.add(head[1:], lasts, supports)
    each = zip(tables, supports, strict=True)
    return [
        estimated(mechanism, axes, table_counts(mechanism, axes, support, grouped.n), target)
        for axes, support in each
    ]


def estimated(mechanism: Joint, axes: Axes, counts: Counts, target: Target) -> Table:
    """Return a table with its estimate."""
    return Table(axes, counts, mechanism.subset(axes).estimate(counts, target=target))
