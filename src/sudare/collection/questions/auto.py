"""What ``mechanism = "auto"`` ranks: a list of candidates under a version, and the best of them.

A survey file states a version, ``auto = 1`` where it states none, and is ranked among that
version's candidates for ever: a mechanism that ships later is a candidate of a later version alone
(``docs/decisions/auto-versions.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from sudare.collection import schema
from sudare.errors import CollectionError, OutOfReachError, PrivacyError, nearest
from sudare.mechanisms import FrequencyOracle, Mechanism, repeated
from sudare.mechanisms.ordering import best_first
from sudare.mechanisms.registry import OR_AUTO, lookup, names

FIRST = 1
"""The version of a survey file that states none."""

Candidates = Mapping[int, tuple[str, ...]]
"""From the version in which a list came into force to the mechanisms' names."""

M = TypeVar("M", bound=Mechanism)


@dataclass(frozen=True, slots=True)
class Auto:
    """What stands for ``"auto"``: the candidates, by the version in which they came into force."""

    version: int
    names: tuple[str, ...]


def version(value: Any, newest: int) -> int:
    """Read ``auto``, one of the versions up to the newest."""
    where = "collection.auto"
    number = schema.whole(value, where, FIRST, schema.MOST_VERSION)
    if number > newest:
        rule = f"must be a version that is known here, {FIRST} to {newest}"
        raise CollectionError(where, rule, "update Sudare, or leave it out for 1", got=number)
    return number


def expand_auto(table: Mapping[str, Any], candidates: Candidates, auto: int) -> Mapping[str, Any]:
    """Return a question's table with the candidates of this version in place of ``"auto"``."""
    if not candidates or table.get("mechanism", "auto") != "auto":
        return table
    version = max(v for v in candidates if v <= auto)
    return {**table, "mechanism": Auto(version, candidates[version])}


def mechanism_of(
    table: Mapping[str, Any],
    family: type[M],
    make: Callable[[type[M]], M],
    cost: Callable[[M], Any],
    where: str = "",
    more: tuple[str, ...] = (),
) -> M:
    """Return the mechanism that the table names, or the candidate of the least cost.

    Candidates that cannot reach the ε are left out; of equal ones the first is taken. Lists of
    version 2 or later go by expected errors, and of nearly equal ones the shortest report is taken
    (:mod:`sudare.mechanisms.ordering`).

    Args:
        table: from :func:`expand_auto`.
        family: what it must be.
        make: gives a class its parameters.
        cost: expected error, such as ``lambda m: m.expected_mse(n)``; or, where a list is longer
            than one, that error and what else decides between equal ones.
        where: of the question, for an error.
        more: further names that the table may have had.

    Raises:
        CollectionError: there is no such mechanism, or no device runs it.
    """
    wanted = table["mechanism"]
    if not isinstance(wanted, Auto):
        spot = f"{where}.mechanism" if where else "mechanism"
        return named_mechanism(wanted, family, make, spot, more=more)
    within, unreached = [], None
    for name in wanted.names:
        try:
            within.append(make(lookup(name, family)))
        except OutOfReachError as error:
            unreached = error
    if not within and unreached is not None:
        raise unreached
    if wanted.version == FIRST:
        return min(within, key=cost)
    return best_first([(cost(mechanism)[0], mechanism) for mechanism in within])[0][1]


def named_mechanism(
    name: object,
    family: type[M],
    make: Callable[[type[M]], M],
    spot: str,
    other: str = OR_AUTO,
    more: tuple[str, ...] = (),
) -> M:
    """Return the mechanism of that name.

    Args:
        name: as the table has it.
        family: what it must be.
        make: gives a class its parameters.
        spot: the field, for an error.
        other: what an error says that may be written instead.
        more: names beside those of the family.

    Raises:
        CollectionError: it is none of the question's, or no device runs it.
    """
    try:
        mechanism = make(lookup(name, family))
        mechanism.sent  # noqa: B018
    except CollectionError as error:
        if error.argument != "mechanism":
            raise
        if "must be one of" not in error.rule:
            raise CollectionError(spot, error.rule, error.remedy, got=name) from None
        known = [*_run_by_devices(family), *more]
        remedy = nearest(name, known, other)
        if name in repeated.KINDS and family is FrequencyOracle:
            remedy = f"{name} is for questions that are asked in rounds: state repeats, {other}"
        elif name in names(Mechanism):
            remedy = other
        raise CollectionError(spot, f"must be one of {known}", remedy, got=name) from None
    except PrivacyError as error:
        if error.argument != "program":
            raise
        remedy = f"{error.remedy}, {other}"
        raise CollectionError(spot, "must be one that devices run", remedy, got=name) from None
    return mechanism


def _run_by_devices(family: type[Mechanism]) -> list[str]:
    return [name for name in names(family) if _is_run(lookup(name, family))]


@lru_cache(256)
def _is_run(kind: type[Mechanism]) -> bool:
    try:
        kind.examples()[0].sent  # noqa: B018
    except PrivacyError:
        return False
    return True
