"""``top_down``: counts of towns, regions and countries that add up, with known totals held."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import project
from sudare.estimation.simplex import largest_remainders
from sudare.exact import as_integer
from sudare.release.consistency import check_answers, of_each_once
from sudare.release.dataset import Dataset
from sudare.release.errors_together import Together, is_gaussian, variance
from sudare.release.released import Released

MOST_WEIGHTS = 1 << 22
"""So many weights of noises are worked out for bounds; with more of them bounds are wider."""

ADDED_UP = (
    "counts after post-processing: weighted least squares over all levels, which add up, with "
    "known totals held; unbiased where every row has one of the given keys; they may be below 0 "
    "and are not whole"
)
ADDED_UP_WHOLE = (
    "counts after post-processing: of weighted least squares over all levels the nearest whole "
    "numbers from the top down, at least 0, which add up, with known totals held; small ones are "
    "pulled up and large ones down; the raw ones are unbiased"
)


_SUCH = 'such as {"region": ["south", "north"], "town": {"Bath": "south", "York": "north"}}'


def top_down(
    db: Dataset,
    answers: Sequence[Released[Any]],
    within: Mapping[str, Any],
    *,
    known: Mapping[str, Mapping[Any, int]] | None = None,
    whole: bool = False,
) -> list[Released[Any]]:
    """Return counts of groups in groups that add up at each level, with known totals held exactly.

    ::

        argmin  Σ (x_g - y_g)² / v_g   over   x_parent = Σ x_child,  x_g = known

    for counts y with noise of variances v; with ``whole``, from the top down, the nearest
    whole numbers of each parent's children, at least 0 (or what is known below), of its sum. Where
    n is public the top adds up to n. Keys are all that there are, and every row of a group is in
    one of those within it: the holder says so by calling it. Only answers are read: it costs
    nothing.

    Each answer has ``raw``, as it was drawn, and bounds from all noises that a number now has, with
    how far whole numbers are from it: they hold for each group as raw ones do.

    Args:
        db: what was asked.
        answers: of this data set, ``group_by(column, keys).count()`` of one column each: some
            levels, always the lowest.
        within: from the column of each level, from the top: to its keys; of levels below to the
            group of the level above that each key is in.
        known: from a column to whole totals that are public, of some of its keys.
        whole: True for whole numbers, none below 0.

    Raises:
        WrongTypeError, DomainError: no such levels, answers or totals; totals that do not add up.

    Source: Hay, Rastogi, Miklau, Suciu 2010 (trees by two passes); Abowd and others 2022 (from the
    top down). Proof: ``docs/proofs/tables-together.md``, 3 and 4.

    Examples:
        >>> frame = {"town": ["Bath"] * 600 + ["York"] * 300 + ["Leeds"] * 100}
        >>> frame["region"] = ["south"] * 600 + ["north"] * 400
        >>> db = Dataset(frame)
        >>> regions = db.group_by("region", ["south", "north"]).count(epsilon=1)
        >>> towns = db.group_by("town", ["Bath", "York", "Leeds"]).count(epsilon=1)
        >>> within = {"region": ["south", "north"]}
        >>> within["town"] = {"Bath": "south", "York": "north", "Leeds": "north"}
        >>> above, below = top_down(db, [regions, towns], within, known={"region": {"north": 400}})
        >>> above.value, below.value["Bath"], round(below.value["York"] + below.value["Leeds"])
        ({'south': 600.0, 'north': 400.0}, 600.0, 400)
    """
    check_answers(db, answers)
    if not isinstance(whole, bool):
        raise WrongTypeError("whole", "must be True or False")
    levels = _levels(within)
    wheres = {json.dumps(one.query.get("where")) for one in answers}
    asked = [one.query.get("by") for one in answers]
    counts = all(one.query["query"] == "count" for one in answers)
    if not counts or not all(isinstance(one, str) and one in levels for one in asked):
        rule = f"must be counts of groups of one of {list(levels)} each"
        raise DomainError("answers", rule, "such as db.group_by(column, keys).count(epsilon=1)")
    if list(levels)[-1] not in asked or len(wheres) != 1:
        rule = f"must be about the same rows, with groups of the lowest level, {list(levels)[-1]}"
        raise DomainError("answers", rule, "ask for it")
    n = db.n if db.size_is_public and wheres == {"null"} else None
    totals = _totals(levels, {} if known is None else known)
    return of_each_once(answers, lambda some: _Tree.of(levels, totals, some, n).told(some, whole))


def _levels(within: object) -> dict[str, dict[Any, Any]]:
    """Return from the column of each level its keys, each with the key above; None at the top."""
    if not isinstance(within, Mapping) or not within:
        raise WrongTypeError("within", "must be a mapping", _SUCH)
    out: dict[str, dict[Any, Any]] = {}
    above: set[Any] = set()
    for column, groups in within.items():
        fits = isinstance(groups, Mapping if out else list | tuple)
        if not fits or not groups or not isinstance(column, str):
            rule = "must list the keys at the top, and have the group above each key below"
            raise WrongTypeError("within", rule, _SUCH)
        out[column] = dict(groups) if isinstance(groups, Mapping) else dict.fromkeys(groups)
        if above and set(out[column].values()) != above:
            rule = f"must have a key of {column} in each group above it, and groups that are there"
            raise DomainError("within", rule, "give levels from above")
        above = set(out[column])
    return out


def _totals(levels: Mapping[str, Any], known: object) -> dict[str, dict[Any, int]]:
    if not isinstance(known, Mapping) or not all(isinstance(o, Mapping) for o in known.values()):
        raise WrongTypeError("known", "must be a mapping", 'such as {"region": {"north": 400}}')
    for column, totals in known.items():
        if column not in levels or not set(totals) <= set(levels[column]):
            raise DomainError("known", "must be of groups that there are", "see within")
        for one in totals.values():
            as_integer(one, "known", low=0, high=1 << 53)
    return {column: dict(totals) for column, totals in known.items()}


@dataclass(frozen=True, eq=False)
class _Level:
    """Groups of one level.

    Attributes:
        keys: of the groups.
        above: the place of the group above each.
        known: totals, NaN where there is none.
        variance: of what was asked of each; infinite where nothing was.
        told: for each answer about this level its place among all, and its part of the mean.
    """

    keys: tuple[Any, ...]
    above: Integers
    known: Floats
    variance: Floats
    told: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, eq=False)
class _Tree:
    """Levels from the top, below one that has a single group: all rows."""

    levels: tuple[_Level, ...]
    columns: tuple[str, ...]
    values: tuple[Floats, ...]

    @classmethod
    def of(
        cls,
        levels: Mapping[str, Mapping[Any, Any]],
        known: Mapping[str, Mapping[Any, int]],
        answers: Sequence[Released[Any]],
        n: int | None,
    ) -> _Tree:
        """Return the tree of levels with what was asked of each."""
        top = np.array([np.nan if n is None else float(n)])
        nothing = np.zeros(1, dtype=np.int64)
        out = [_Level((None,), nothing, top, np.array([np.inf]))]
        values = [np.zeros(1)]
        for column, parents in levels.items():
            places = {key: place for place, key in enumerate(out[-1].keys)}
            keys, totals = tuple(parents), known.get(column, {})
            mine = [i for i, one in enumerate(answers) if one.query["by"] == column]
            rates = [1 / variance(answers[i]) for i in mine]
            value, whole = np.zeros(len(keys)), sum(rates)
            for i, rate in zip(mine, rates, strict=True):
                if set(answers[i].value) != set(keys):
                    rule = f"must be of all keys of {column} that there are, and no others"
                    raise DomainError("answers", rule, "give within the same keys")
                value += rate / whole * np.array([answers[i].value[key] for key in keys])
            out.append(
                _Level(
                    keys,
                    np.array([places[one] for one in parents.values()]),
                    np.array([float(totals.get(key, np.nan)) for key in keys]),
                    np.full(len(keys), 1 / whole if mine else np.inf),
                    tuple((i, rate / whole) for i, rate in zip(mine, rates, strict=True)),
                )
            )
            values.append(value)
        return cls(tuple(out), tuple(levels), tuple(values))

    def told(self, answers: Sequence[Released[Any]], whole: bool) -> list[Released[Any]]:
        """Return the answers with what was found.

        Raises:
            DomainError: known totals do not add up.
        """
        spread = self._spread()
        found = self._solved(self.values, [one.known for one in self.levels], spread)
        least, most = self._limits(found, spread)
        errors = self._errors(answers, spread)
        given = self._rounded(found, spread, least) if whole else found
        out = list(answers)
        for depth, level in enumerate(self.levels):
            at = {key: place for place, key in enumerate(level.keys)}
            for i, _ in level.told:
                places = [at[key] for key in answers[i].value]
                ends = (least[depth], most[depth]) if whole else None
                some = found[depth], given[depth], errors[depth]
                out[i] = _answered(answers[i], places, some, ends)
        return out

    def _pairs(self) -> list[tuple[_Level, _Level, int]]:
        """Return each level with the one below and that one's depth, from the top."""
        return [(*pair, i) for i, pair in enumerate(itertools.pairwise(self.levels), start=1)]

    def _spread(self) -> list[Floats]:
        """Return the variance of each group's number from itself and what is below."""
        out = [one.variance.copy() for one in self.levels]
        with np.errstate(divide="ignore"):
            for above, below, depth in reversed(self._pairs()):
                out[depth][~np.isnan(below.known)] = 0
                out[depth - 1] = 1 / (1 / above.variance + 1 / _added(out[depth], above, below))
        out[0][~np.isnan(self.levels[0].known)] = 0
        return out

    def _solved(
        self, values: Sequence[Floats], known: Sequence[Floats], spread: Sequence[Floats]
    ) -> list[Floats]:
        """Return the least squares: up with means by precision, down with what is left over.

        Args:
            values: of each level, (groups, ...).
            known: totals, NaN where there is none, of the same for all that comes after.
            spread: as of :meth:`_spread`.
        """
        out, sums = [one.copy() for one in values], [np.zeros(0)] * len(values)

        def hold(depth: int) -> None:
            there = ~np.isnan(known[depth])
            out[depth][there] = _along(known[depth][there], out[depth])

        hold(len(values) - 1)
        for above, below, depth in reversed(self._pairs()):
            own, rest = above.variance, _added(spread[depth], above, below)
            sums[depth] = _added(out[depth], above, below)
            share = np.where(np.isinf(own), 0, rest / np.where(np.isinf(own), 1, own + rest))
            share = _along(share, sums[depth])
            out[depth - 1] = share * out[depth - 1] + (1 - share) * sums[depth]
            hold(depth - 1)
        for above, below, depth in self._pairs():
            gain = _along(_gain(spread[depth], above, below), out[depth])
            out[depth] = out[depth] + gain * (out[depth - 1] - sums[depth])[below.above]
        return out

    def _limits(
        self, found: Sequence[Floats], spread: Sequence[Floats]
    ) -> tuple[list[Floats], list[Floats]]:
        """Return between what the true numbers lie, as is known without any answer."""
        least = [np.where(one == 0, x, 0) for x, one in zip(found, spread, strict=True)]
        most = [np.where(one == 0, x, np.inf) for x, one in zip(found, spread, strict=True)]
        for above, below, depth in reversed(self._pairs()):
            low, high = (_added(one[depth], above, below) for one in (least, most))
            if (low > most[depth - 1]).any() or (high < least[depth - 1]).any():
                rule = (
                    "must add up: those below are no more than that above, and all of them as much"
                )
                raise DomainError("known", rule, "check the totals")
            least[depth - 1] = np.maximum(least[depth - 1], low)
        for _, below, depth in self._pairs():
            most[depth] = np.minimum(most[depth], most[depth - 1][below.above])
        return least, most

    def _rounded(
        self, found: Sequence[Floats], spread: Sequence[Floats], least: Sequence[Floats]
    ) -> list[Floats]:
        """Return whole numbers from the top down, none below what is known, that add up."""
        out = [np.maximum(least[0], np.round(found[0]))]
        for above, below, depth in self._pairs():
            given = least[depth].copy()
            left = np.round(out[-1] - _added(given, above, below)).astype(np.int64)
            order = np.argsort(below.above, kind="stable")
            ends = np.cumsum(np.bincount(below.above, minlength=len(above.keys)))[:-1]
            for parent, own in enumerate(np.split(order, ends)):
                free, rest = own[spread[depth][own] > 0], int(left[parent])
                if rest and free.size:
                    share = (found[depth] - given)[free] / rest
                    near = rest * np.asarray(project(share, spread[depth][free]))
                    given[free] += largest_remainders(near, rest)
            out.append(given)
        return out

    def _errors(self, answers: Sequence[Released[Any]], spread: Sequence[Floats]) -> list[Together]:
        """Return the law of each number's error, by level."""
        told = [(depth, *one) for depth, level in enumerate(self.levels) for one in level.told]
        groups = [len(one.keys) for one in self.levels]
        noises = sum(groups[depth] for depth, _, _ in told)
        if sum(groups) * noises > MOST_WEIGHTS:
            return self._wide(answers, spread)
        held = [np.where(np.isnan(one.known), np.nan, 0) for one in self.levels]
        weights = []
        for depth, _, share in told:
            unit = [np.zeros((size, groups[depth])) for size in groups]
            unit[depth] = share * np.eye(groups[depth])
            weights.append(self._solved(unit, held, spread))
        used = [answers[i] for _, i, _ in told]
        times = [np.ones(groups[depth]) for depth, _, _ in told]
        return [
            Together.of(used, [one[depth] for one in weights], times)
            for depth in range(len(groups))
        ]

    def _wide(self, answers: Sequence[Released[Any]], spread: Sequence[Floats]) -> list[Together]:
        """Return laws that reach no less, from the variances alone."""
        out = [spread[0]]
        for above, below, depth in self._pairs():
            gain = _gain(spread[depth], above, below)
            out.append(spread[depth] * (1 - gain) + gain**2 * out[-1][below.above])
        used = [answers[i] for level in self.levels for i, _ in level.told]
        if all(map(is_gaussian, used)):
            return [Together(0 * one, 0 * one, 0 * one, one) for one in out]
        least = min(map(variance, used))
        return [Together(one, one, np.sqrt(one / least), 0 * one) for one in out]


def _added(values: Floats, above: _Level, below: _Level) -> Floats:
    """Return the sum of what is below each group."""
    out = np.zeros((len(above.keys), *values.shape[1:]))
    np.add.at(out, below.above, values)
    return out


def _gain(spread: Floats, above: _Level, below: _Level) -> Floats:
    """Return which part of what a parent has over goes to each child."""
    whole = _added(spread, above, below)[below.above]
    return np.asarray(spread / np.where(whole == 0, 1, whole))


def _along(values: Floats, like: Floats) -> Floats:
    """Return a value for each group, beside arrays that have more axes."""
    return values.reshape(-1, *[1] * (like.ndim - 1))


def _answered(
    answer: Released[Any],
    places: list[int],
    some: tuple[Floats, Floats, Together],
    ends: tuple[Floats, Floats] | None,
) -> Released[Any]:
    """Return an answer with its numbers, and their bounds.

    Where a number was moved, the true one still lies as near to that before as its noises reach.
    """
    found, given, errors = some

    def reaches(miss: float) -> list[float]:
        wide = errors.reach(miss)
        far = wide
        if ends is not None:
            low, high = np.maximum(ends[0], found - wide), np.minimum(ends[1], found + wide)
            far = np.where(low > high, wide, np.maximum(given - low, high - given))
        return [float(far[place]) for place in places]

    values = dict(zip(answer.value, (float(given[place]) for place in places), strict=True))
    notes = (*answer.notes, ADDED_UP if ends is None else ADDED_UP_WHOLE)
    out = replace(answer, value=values, raw=answer, notes=notes)
    return replace(out, _reaches=reaches, _reach=lambda miss: max(reaches(miss)))
