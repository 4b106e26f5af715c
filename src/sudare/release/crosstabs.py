"""``agreeing``: tables of several columns whose common margins agree. It costs nothing."""

from __future__ import annotations

import itertools
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.release.consistency import check_answers, of_each_once
from sudare.release.dataset import Dataset
from sudare.release.errors_together import Together, variance
from sudare.release.released import Released

MOST_COLUMNS = 12
"""Of a table: its parts are all sets of its columns."""

Columns = frozenset[str]

AGREEING = (
    "counts after post-processing: weighted least squares over all tables whose columns have the "
    "same keys, so that their common margins agree; unbiased where every row has one of the given "
    "keys in each column; they may be below 0 and are not whole"
)


def agreeing(db: Dataset, answers: Sequence[Released[Any]]) -> list[Released[Any]]:
    """Return answers whose tables agree: sums over any columns are the same in all that have them.

    Counts y of tables with noise of variances v become

    ::

        argmin  Σ (x_c - y_c)² / v_c   over   tables x that are margins of one table of all columns

    which may have cells below 0: estimates stay unbiased, and sums of any of them too. Where n is
    public their sum is n. Every row must have one of the keys given in each column: keys are all
    that there are, of columns without missing values. That is what the holder says by calling it;
    other rows would be a bias. Only answers are read: this is post-processing, at no cost.

    Each count of groups (``group_by(...).count()``, and a ``count`` of all rows) has ``raw``, the
    answer as it was drawn, and a bound from all noises that its number now has. Others stay as they
    are.

    Args:
        db: what was asked.
        answers: of this data set.

    Raises:
        WrongTypeError, DomainError: no answers, or those of another data set; other keys of a
            column in one table than in another.

    Source: Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar 2007 (margins by their parts); least
    squares for such parts: ``docs/proofs/tables-together.md``, 1.

    Examples:
        >>> frame = {"sex": ["f", "m"] * 500, "town": ["a"] * 600 + ["b"] * 400}
        >>> db = Dataset({**frame, "age": ["old", "young"] * 500})
        >>> tables = [db.group_by(["sex", "town"], [["f", "m"], ["a", "b"]]).count(epsilon=1)]
        >>> tables += [db.group_by(["age", "sex"], [["old", "young"], ["f", "m"]]).count(epsilon=1)]
        >>> one, other = agreeing(db, tables)
        >>> women = one.value["f", "a"] + one.value["f", "b"]
        >>> abs(women - other.value["old", "f"] - other.value["young", "f"]) < 1e-9
        True
    """
    check_answers(db, answers)
    return of_each_once(answers, lambda some: _agreeing(db, some))


def _agreeing(db: Dataset, answers: Sequence[Released[Any]]) -> list[Released[Any]]:
    apart: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(answers):
        query = one.query
        whole = query["query"] == "count" and "by" not in query and query.get("column") is None
        if whole or (query["query"] == "count" and "by" in query):
            apart[json.dumps(query.get("where"))].append(place)
    out = list(answers)
    for where, places in apart.items():
        n = db.n if db.size_is_public and where == "null" else None
        found = _agreed([answers[place] for place in places], n)
        for place, one in zip(places, found, strict=True):
            out[place] = one
    return out


@dataclass(frozen=True, eq=False)
class _Table:
    """Counts of groups, a place for each column.

    Attributes:
        columns: in the order of the counts.
        keys: of each column.
        counts: an array with an axis for each column.
        variance: of each count.
    """

    columns: tuple[str, ...]
    keys: tuple[tuple[Any, ...], ...]
    counts: Floats
    variance: float

    @classmethod
    def of(cls, answer: Released[Any]) -> _Table:
        if not isinstance(answer.value, Mapping):
            return cls((), (), np.array(answer.value, dtype=float), variance(answer))
        by, keys = answer.query["by"], answer.query["keys"]
        columns, keys = ((by,), (keys,)) if isinstance(by, str) else (tuple(by), tuple(keys))
        if len(columns) > MOST_COLUMNS:
            raise DomainError("answers", f"must be of at most {MOST_COLUMNS} columns", "ask fewer")
        shape = tuple(map(len, keys))
        counts = np.array(list(answer.value.values()), dtype=float).reshape(shape)
        return cls(columns, tuple(map(tuple, keys)), counts, variance(answer))

    def parts(self) -> list[Columns]:
        """Return all sets of its columns."""
        sizes = range(len(self.columns) + 1)
        return [frozenset(one) for k in sizes for one in itertools.combinations(self.columns, k)]

    def part(self, of: Columns, order: Mapping[str, Sequence[Any]]) -> Floats:
        """Return what a set of columns adds to its margins: the margin, less all smaller parts.

        With an axis for each column of ``order``, of size 1 where it is not in the set, and keys in
        that order.
        """
        found = self.counts
        for axis, column in enumerate(self.columns):
            if column in of:
                mine = {key: place for place, key in enumerate(self.keys[axis])}
                found = found.take([mine[key] for key in order[column]], axis=axis)
                found = found - found.mean(axis=axis, keepdims=True)
            else:
                found = found.sum(axis=axis, keepdims=True)
        kept = [column for column in order if column in self.columns]
        found = found.transpose([self.columns.index(column) for column in kept])
        return found.reshape([found.shape[kept.index(c)] if c in of else 1 for c in order])


def _agreed(answers: Sequence[Released[Any]], n: int | None) -> list[Released[Any]]:
    tables = list(map(_Table.of, answers))
    order: dict[str, tuple[Any, ...]] = {}
    for table in tables:
        for column, keys in zip(table.columns, table.keys, strict=True):
            known = order.setdefault(column, keys)
            if {*map(repr, known)} != {*map(repr, keys)}:
                rule = f"must have the same keys of {column} in all tables"
                raise DomainError("answers", rule, "ask each with all keys that there are")
    sizes = {column: len(keys) for column, keys in order.items()}
    shares: dict[Columns, list[float]] = {}
    parts: dict[Columns, Floats] = {}
    for of in dict.fromkeys(part for table in tables for part in table.parts()):
        exact = n is not None and not of
        weights = [
            0.0 if exact or not of <= {*table.columns}
            else 1 / (table.variance * math.prod(sizes[c] for c in table.columns if c not in of))
            for table in tables
        ]  # fmt: skip
        whole = sum(weights)
        shares[of] = [one / whole if whole else 0.0 for one in weights]
        pairs = [(one, table) for one, table in zip(shares[of], tables, strict=True) if one]
        parts[of] = sum(
            (one * table.part(of, order) for one, table in pairs),
            start=np.full([1] * len(order), float(n or 0) if exact else 0.0),
        )
    return [
        _told(
            answer,
            table,
            _margin(table, parts, order),
            _errors(table, tables, answers, shares, sizes),
        )
        for answer, table in zip(answers, tables, strict=True)
    ]


def _margin(table: _Table, parts: Mapping[Columns, Floats], order: Mapping[str, Any]) -> Floats:
    """Return the counts of a table as the sum of its parts, in its own order."""
    total = np.zeros([len(order[c]) if c in table.columns else 1 for c in order])
    for of in table.parts():
        total = total + parts[of] / math.prod(len(order[c]) for c in table.columns if c not in of)
    kept = [column for column in order if column in table.columns]
    found = total.reshape([len(order[c]) for c in kept])
    found = found.transpose([kept.index(column) for column in table.columns])
    for axis, (column, keys) in enumerate(zip(table.columns, table.keys, strict=True)):
        place = {key: at for at, key in enumerate(order[column])}
        found = found.take([place[key] for key in keys], axis=axis)
    return found


def _errors(
    table: _Table,
    tables: Sequence[_Table],
    answers: Sequence[Released[Any]],
    shares: Mapping[Columns, Sequence[float]],
    sizes: Mapping[str, int],
) -> Together:
    """Return the law of the error of a count, which is the same for all of a table.

    The weight of another table's count depends on the columns in which both have the same key.
    """
    weights, times = [], []
    for place, other in enumerate(tables):
        common = [column for column in table.columns if column in other.columns]
        rest = math.prod(sizes[c] for c in other.columns if c not in common)
        own, often = [], []
        for same in itertools.product((True, False), repeat=len(common)):
            alike = dict(zip(common, same, strict=True))
            many = rest * math.prod(sizes[c] - 1 for c in common if not alike[c])
            weight = sum(
                shares[of][place]
                * math.prod(alike[c] - 1 / sizes[c] for c in of)
                / math.prod(sizes[c] for c in table.columns if c not in of)
                for of in map(frozenset, _subsets(common))
            )
            if many:
                own.append(weight)
                often.append(float(many))
        weights.append(np.array([own]))
        times.append(np.array(often))
    return Together.of(answers, weights, times)


def _subsets(columns: Sequence[str]) -> list[tuple[str, ...]]:
    sizes = range(len(columns) + 1)
    return [one for k in sizes for one in itertools.combinations(columns, k)]


def _told(answer: Released[Any], table: _Table, found: Floats, errors: Together) -> Released[Any]:
    value: Any = float(found) if not table.columns else dict(
        zip(answer.value, found.ravel().tolist(), strict=True)
    )  # fmt: skip

    def reach(miss: float) -> float:
        return float(errors.reach(miss)[0])

    return replace(
        answer,
        value=value,
        raw=answer,
        notes=(*answer.notes, AGREEING),
        _reach=reach,
        _reaches=None,
    )
