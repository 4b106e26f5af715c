"""What ``mechanism = "auto"`` ranks: a list of candidates under a version, and the best of them.

A survey file states a version, ``auto = 1`` where it states none, and is ranked among that
version's candidates for ever: a mechanism that ships later is a candidate of a later version alone
(``docs/decisions/auto-versions.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sudare.collection import schema
from sudare.errors import CollectionError, OutOfReachError
from sudare.mechanisms import Mechanism
from sudare.mechanisms.ordering import best_first
from sudare.mechanisms.registry import OR_AUTO, lookup

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

    Raises:
        CollectionError: there is no such mechanism.
    """
    wanted = table["mechanism"]
    if not isinstance(wanted, Auto):
        try:
            kind = lookup(wanted, family, OR_AUTO)
        except CollectionError as error:
            spot = f"{where}.mechanism" if where else "mechanism"
            raise CollectionError(spot, error.rule, error.remedy, got=wanted) from None
        return make(kind)
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
