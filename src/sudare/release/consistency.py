"""Counts that agree: none below 0, the sum the public number of rows. It costs nothing."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import project
from sudare.estimation.simplex import largest_remainders
from sudare.release.dataset import Dataset
from sudare.release.released import Released

Part = tuple[str, Any]
"""Rows of a column: ``("is", category)``, or ``("none of", categories)``."""

_LEAST = 1e-300  # a variance that floats do not tell from 0

SUMMING = (
    "counts after post-processing: at least 0, whole, with all other rows the public number of "
    "rows; small ones are pulled up and large ones down; the raw ones are unbiased"
)
POSITIVE = (
    "counts after post-processing: at least 0 and whole; the number of rows is private, and sums "
    "are left as they are; small ones are pulled up; the raw ones are unbiased"
)


def consistent(
    db: Dataset, answers: Sequence[Released[Any]], *, whole: bool = True
) -> list[Released[Any]]:
    """Return answers whose counts agree with each other and with the public number of rows.

    Counts y of one column with the variances v of their noise become, where n is public,

    ::

        argmin  Σ (x_i - y_i)² / v_i   over   x_i >= 0,  Σ x_i = n
        = max(0, y_i - λ v_i)   with the one λ that makes the sum n

    (``Σ x_i <= n`` where the rows outside the groups were not counted), then whole numbers of the
    same sum by largest remainders. Where several answers count the same category of a column, y is
    their mean with weights 1 / v and ``1 / v`` the sum of theirs. "All others" of a histogram whose
    categories are not all those asked of the column is n less the rest. Where n is private counts
    below 0 become 0, nothing else. Only answers are read: this is post-processing, at no cost.

    Each answer that counts has ``raw``, the unbiased answer as it was drawn, and a ``bound`` that
    holds for all its groups at once (``docs/proofs/consistency.md``). Other answers stay as they
    are. Small counts are pulled up on average, and large ones down: sum raw values, not these.

    Args:
        db: what was asked.
        answers: of this data set, such as those of :func:`batch`.
        whole: False for the projection itself, not rounded.

    Raises:
        WrongTypeError, DomainError: no answers, or those of another data set.

    Source: Hay, Rastogi, Miklau, Suciu 2010 (consistency as post-processing); the projection:
    :func:`sudare.estimation.project`.

    Examples:
        >>> db = Dataset({"tea": ["black"] * 7 + ["green"] * 3})
        >>> (found,) = consistent(db, [db.histogram("tea", ["black", "green"], epsilon=0.5)])
        >>> sum(found.value.values()), min(found.value.values()) >= 0
        (10.0, True)
    """
    check_answers(db, answers)
    if not isinstance(whole, bool):
        raise WrongTypeError("whole", "must be True or False")
    return of_each_once(answers, lambda some: _consistent(db, some, whole))


def _consistent(db: Dataset, answers: Sequence[Released[Any]], whole: bool) -> list[Released[Any]]:
    columns: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, one in enumerate(answers):
        if holds_counts(one):
            columns[_about(one)].append(place)
    out = list(answers)
    for (_, where), of_one in columns.items():
        n = db.n if db.size_is_public and not where else None  # of all rows alone it is known
        agreed = _Agreed.of([answers[place] for place in of_one], n, whole)
        for place in of_one:
            out[place] = agreed.applied(answers[place])
    return out


def check_answers(db: object, answers: object) -> None:
    """Check that answers are those of a data set, as they were drawn.

    Raises:
        WrongTypeError, DomainError: they are not.
    """
    if not isinstance(db, Dataset):
        raise WrongTypeError("db", "must be a Dataset", "such as sudare.release.Dataset(frame)")
    if not isinstance(answers, list | tuple) or not all(isinstance(a, Released) for a in answers):
        raise WrongTypeError("answers", "must be a list of answers", "such as those of batch")
    rows_of = [db.held.asked.get(name) for name in ("from", "join")]
    for one in answers:
        asked = (one.query.get("dataset"), one.query.get("neighbours"))
        of = [one.query.get(name) for name in ("from", "join")]
        if asked != (db.held.name, db.neighbours) or of != rows_of:
            raise DomainError("answers", "must be of this data set", "ask it")
        if one.raw is not None:
            raise DomainError("answers", "must be as they were drawn", "give those under raw")


def of_each_once(
    answers: Sequence[Released[Any]],
    made: Callable[[list[Released[Any]]], list[Released[Any]]],
) -> list[Released[Any]]:
    """Return what is made of answers where one that is given twice counts once: it has one noise.

    Args:
        answers: as they were drawn; one of the record may be here several times.
        made: makes answers of those that differ, in their order.
    """
    drawn = [
        (one.event, json.dumps(one.query, default=str), repr(one.value)) if one.event else id(one)
        for one in answers
    ]
    first: dict[Any, Released[Any]] = {}
    for key, one in zip(drawn, answers, strict=True):
        first.setdefault(key, one)
    found = dict(zip(first, made(list(first.values())), strict=True))
    out = []
    for key, one in zip(drawn, answers, strict=True):
        new = found[key]
        if new.raw is None:
            new = one  # as it was
        elif one is not new.raw:
            told: dict[str, Any] = {"value": new.value, "notes": new.notes, "raw": one}
            new = replace(one, **told, _reach=new._reach, _reaches=new._reaches)
        out.append(new)
    return out


def _about(answer: Released[Any]) -> tuple[str, str]:
    """Return which column a count is of, and which rows."""
    query = answer.query
    where = json.dumps(query["where"]) if "where" in query else ""
    bins = [query.get(name) for name in ("edges", "every", "zone", "beyond")]
    return json.dumps([query.get("by", query.get("column")), *bins]), where


def holds_counts(answer: Released[Any]) -> bool:
    """Return whether an answer is a count, or several of groups that share no row."""
    return answer.query["query"] in ("count", "histogram", "bins")


def count_parts(answer: Released[Any]) -> dict[Part, float]:
    """Return the counts of an answer, each with the rows that it is about."""
    if not isinstance(answer.value, Mapping):  # a count of all rows: of none of no categories
        column, equals = answer.query["column"], answer.query["equals"]
        return {("none of", frozenset()) if column is None else ("is", equals): answer.value}
    others = ("none of", frozenset(one for one in answer.value if one is not None))
    return {others if c is None else ("is", c): value for c, value in answer.value.items()}


@dataclass(frozen=True)
class _Agreed:
    """What the answers about one column agree on.

    Attributes:
        found: a count for each part.
        far: from a probability to how far each may be off, all at once.
        n: number of rows, where it is public.
    """

    found: dict[Part, float]
    far: Callable[[float], dict[Part, float]]
    n: int | None

    @classmethod
    def of(cls, answers: Sequence[Released[Any]], n: int | None, whole: bool) -> _Agreed:
        told = [(part, value, one) for one in answers for part, value in count_parts(one).items()]
        known = {part: None for part, _, _ in told if part[0] == "is"}
        rest: Part = ("none of", frozenset(category for _, category in known))
        if n is None:
            order = list(dict.fromkeys(part for part, _, _ in told))
        else:
            order = [*known, *([rest] if any(part == rest for part, _, _ in told) else [])]
        place = {part: i for i, part in enumerate(order)}
        used = [(place[part], value, one) for part, value, one in told if part in place]
        variance = [max(one.noise[0]["stderr"] ** 2, _LEAST) for _, _, one in used]
        precision, mean = np.zeros(len(order)), np.zeros(len(order))
        least = min(variance)
        for (i, _, _), v in zip(used, variance, strict=True):
            precision[i] += least / v
        shares = [least / v / precision[i] for (i, _, _), v in zip(used, variance, strict=True)]
        for (i, value, _), share in zip(used, shares, strict=True):
            mean[i] += share * value
        closed = n is not None and rest in place
        near = _nearest(mean, 1 / precision, n, closed)
        final = near if not whole else _rounded(near, n, closed)
        moved = float(np.abs(final - near).max())

        def far(miss: float) -> dict[Part, float]:
            each = miss / len(used)
            reach = np.zeros(len(order))
            for (i, _, one), share in zip(used, shares, strict=True):
                reach[i] += share * one._reach(each)
            wide = reach if n is None else _widened(reach, 1 / precision, closed)
            most = np.inf if n is None else n  # both lie between 0 and n
            return dict(zip(order, np.minimum(wide + moved, most).tolist(), strict=True))

        found = dict(zip(order, final.tolist(), strict=True))
        return cls(_with_others(found, told, n), far, n)

    def applied(self, answer: Released[Any]) -> Released[Any]:
        """Return an answer with what was agreed."""
        its = list(count_parts(answer))
        values = [self.found[part] for part in its]
        named: Any = values[0]
        if isinstance(answer.value, Mapping):
            named = dict(zip(answer.value, values, strict=True))

        def reach(miss: float) -> float:
            far = self.far(miss)
            direct = [far[part] for part in its if part in far]
            if len(direct) < len(its):  # n less the others: their errors add up
                direct.append(sum(direct))
            return max(direct) if self.n is None else min(max(direct), float(self.n))

        notes = (*answer.notes, POSITIVE if self.n is None else SUMMING)
        return replace(answer, value=named, raw=answer, notes=notes, _reach=reach)


def _nearest(counts: Floats, variances: Floats, n: int | None, closed: bool) -> Floats:
    """Return the nearest counts that can be; ``closed``: they are of all rows."""
    positive = np.maximum(counts, 0.0)
    if n is None or (not closed and positive.sum() <= n):
        return positive
    return np.asarray(n * project(counts / n, variances))


def _widened(reach: Floats, variances: Floats, closed: bool) -> Floats:
    """Return how far projected counts may be off where those before are not beyond ``reach``.

    ``2 t v_i (1 - v_i / Σ v)`` with ``t = max reach_j / v_j``; ``docs/proofs/consistency.md``, 3.
    """
    level = (reach / variances).max() * variances
    wide = 2 * level * (1 - variances / variances.sum())
    return np.asarray(wide if closed else np.maximum(level, wide))


def _rounded(counts: Floats, n: int | None, closed: bool) -> Floats:
    """Return whole counts; where n is known of the same sum, rows that nobody counted included."""
    if n is None:
        return np.floor(counts + 0.5)
    if not closed:
        counts = np.append(counts, max(0.0, n - counts.sum()))
    whole = largest_remainders(counts, n).astype(np.float64)
    return whole if closed else whole[:-1]


def _with_others(
    found: dict[Part, float], told: Sequence[tuple[Part, float, Any]], n: int | None
) -> dict[Part, float]:
    """Return the counts with those of all others, where they follow from the rest."""
    out = dict(found)
    for part, _, _ in told:
        if part not in out and n is not None:
            out[part] = float(n - sum(found["is", category] for category in part[1]))
    return out
