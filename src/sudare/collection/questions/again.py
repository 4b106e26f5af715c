"""The mechanism of a question that is asked in each of some rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from sudare.collection.questions.auto import Auto, mechanism_of
from sudare.collection.questions.base import OFFERS
from sudare.collection.repeats import Repeats
from sudare.errors import CollectionError, OutOfReachError
from sudare.exact.parameters import EPSILON_MIN
from sudare.mechanisms import FrequencyOracle, from_json, repeated

_SHORT = 10**12


def mechanism_of_rounds(
    table: Mapping[str, Any],
    repeats: Repeats,
    k: int,
    epsilon: Fraction,
    cost: Callable[[FrequencyOracle], Any],
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
        m = within(getattr(repeated, kind), k, epsilon, repeats.rounds, repeats.covers)
        if m is not None:
            found.append(m)
    each = Fraction(int(epsilon / repeats.rounds * _SHORT), _SHORT)
    if (ranked or not kinds) and each >= EPSILON_MIN:
        found.append(mechanism_of(table, FrequencyOracle, lambda kind: kind(k, each), cost))
    if not found:
        raise OutOfReachError(
            "question.epsilon",
            f"is out of reach over {repeats.rounds} rounds",
            "raise it, or ask in fewer rounds",
            got=float(epsilon),
        )
    return min(found, key=cost)


def restored_mechanism(data: Any) -> FrequencyOracle:
    """Return the mechanism of a definition: also one with a permanent answer."""
    name = data.get("name") if isinstance(data, Mapping) else None
    if name in repeated.KINDS:
        cls: type[FrequencyOracle] = getattr(repeated, name)
        return cls.from_json(data)
    return from_json(data, FrequencyOracle)


def require_types(questions: list[Mapping[str, Any]], types: tuple[str, ...]) -> None:
    """Refuse questions that cannot be asked again."""
    for i, table in enumerate(questions):
        if table.get("type") not in types:
            raise CollectionError(
                f"question[{i}].type",
                f"must be {' or '.join(types)} where questions are asked again",
                "ask it once, in a collection of its own, or leave repeats out",
                got=table.get("type"),
            )
        for own in sorted(OFFERS & table.keys()):
            raise CollectionError(
                f"question[{i}].{own}",
                "must not stand where questions are asked again",
                "state one epsilon: what is remembered is of one",
            )
        if "ask_if" in table:
            raise CollectionError(
                f"question[{i}].ask_if",
                "must be left out where questions are asked again",
                "ask everybody: an answer such as does-not-apply is an answer too",
            )
