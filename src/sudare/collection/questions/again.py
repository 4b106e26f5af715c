"""The mechanism of a question that is asked in each of some rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from sudare.collection.questions.auto import Auto, mechanism_of
from sudare.collection.questions.base import OFFERS, question_type
from sudare.collection.repeats import Repeats
from sudare.errors import CollectionError
from sudare.exact.parameters import EPSILON_MIN
from sudare.mechanisms import FrequencyOracle, from_json, repeated


def mechanism_of_rounds(
    table: Mapping[str, Any],
    repeats: Repeats,
    k: int,
    epsilon: Fraction,
    cost: Callable[[FrequencyOracle], Any],
    where: str,
) -> FrequencyOracle:
    """Return the mechanism that the table names, or that of the least error of a round.

    Those with a permanent answer are ranked beside a new answer in each round by what is ranked for
    a question that is asked once, at ε / rounds.

    Args:
        table: of the question, from ``expand_auto``.
        repeats: the rounds, and whom ``epsilon`` covers.
        k: number of categories.
        epsilon: of all rounds together.
        cost: what is least of the best one.
        where: of the question, for an error.

    Raises:
        CollectionError: there is no such mechanism.
        OutOfReachError: it cannot be had at this ε over so many rounds.
    """
    from sudare.mechanisms.repeated.within import within

    wanted = table["mechanism"]
    ranked = isinstance(wanted, Auto)
    kinds = [kind for kind in repeated.KINDS if ranked or kind == wanted]
    found: list[FrequencyOracle] = []
    for kind in kinds:
        cls = getattr(repeated, kind)
        m = within(cls, k, epsilon, repeats.rounds, repeats.covers, wide=repeats.wide)
        if m is not None:
            found.append(m)
    if (ranked or not kinds) and epsilon >= repeats.rounds * EPSILON_MIN:
        each = repeats.each(epsilon)
        afresh = mechanism_of(
            table, FrequencyOracle, lambda kind: kind(k, each), cost, where, repeated.KINDS
        )
        found.append(afresh)
    if not found:
        raise repeats.out_of_reach(epsilon)
    return min(found, key=cost)


def restored_mechanism(data: Any) -> FrequencyOracle:
    """Return the mechanism of a definition: also one with a permanent answer."""
    name = data.get("name") if isinstance(data, Mapping) else None
    if name in repeated.KINDS:
        cls: type[FrequencyOracle] = getattr(repeated, name)
        return cls.from_json(data)
    return from_json(data, FrequencyOracle)


def require_repeatable(questions: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Refuse questions that cannot be asked again.

    Args:
        questions: where each stands, and its table.
    """
    for where, table in questions:
        if question_type(table.get("type"), where).unit.own_budget:
            raise CollectionError(
                f"{where}.type",
                "must have its ε in the submission's where questions are asked again",
                "ask it once, in a collection of its own, or leave repeats out",
                got=table.get("type"),
            )
        parts = table.get("attributes")
        apart = isinstance(parts, list) and any("epsilon" in one for one in parts if one)
        for own in [*sorted(OFFERS & table.keys()), *(["attributes.epsilon"] if apart else [])]:
            raise CollectionError(
                f"{where}.{own}",
                "must not stand where questions are asked again",
                "state one epsilon, of all rounds together",
            )
        if "ask_if" in table:
            raise CollectionError(
                f"{where}.ask_if",
                "must be left out where questions are asked again",
                "ask everybody: an answer such as does-not-apply is an answer too",
            )
