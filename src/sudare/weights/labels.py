"""The border: labels of respondents, weights, and what is known of the population."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.alignment import as_mapping, is_labelled
from sudare.arrays import Floats, is_missing
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer
from sudare.mechanisms.values import as_array

Codes = npt.NDArray[np.intp]

_LARGEST = 1e100


def as_codes(labels: Any, argument: str) -> tuple[Codes, list[Any]]:
    """Return which of the distinct labels each respondent has, and these.

    Raises:
        WrongTypeError: not a sequence of labels, each of which can be a key.
        DomainError: a label is missing (None or NaN), or there is none at all.
    """
    remedy = "give one label a respondent"
    if isinstance(labels, str | bytes | Mapping):
        raise WrongTypeError(argument, "must be a list or an array of labels", remedy)
    try:
        each = labels.tolist() if hasattr(labels, "tolist") else list(labels)
        places: dict[Any, int] = {}
        codes = [places.setdefault(one, len(places)) for one in each]
    except Exception:  # noqa: BLE001 - any object may be given, and may raise anything
        raise WrongTypeError(argument, "must be a list or an array of labels", remedy) from None
    if not codes:
        raise DomainError(argument, "must not be empty", remedy)
    if any(map(is_missing, places)):
        raise DomainError(argument, "must not be missing", "give such respondents a stratum")
    return np.array(codes, dtype=np.intp), list(places)


def as_positive(weights: Any, argument: str) -> Floats:
    """Return (n,) finite numbers above 0.

    Raises:
        WrongTypeError, DomainError: not such numbers.
    """
    array = as_array(weights)
    if array is None or array.dtype.kind not in "iuf":
        raise WrongTypeError(argument, "must be numbers", "one a respondent")
    if array.ndim != 1 or not array.size:
        raise DomainError(argument, "must be a list of numbers", "one a respondent")
    values = array.astype(np.float64)
    if not ((values > 0) & (values <= _LARGEST)).all():  # NaN is neither
        raise DomainError(
            argument, "must be above 0 and finite", "leave out who does not count, with the report"
        )
    return values


def as_population(population: Any, argument: str) -> dict[Any, float]:
    """Return how many people, or which share of them, each label has.

    Raises:
        WrongTypeError, DomainError: not a mapping from labels to finite numbers above 0.
    """
    remedy = 'such as {"north": 0.3, "south": 0.7}'
    if is_labelled(population) and not hasattr(population, "columns"):
        population = as_mapping(population, argument)
    if not isinstance(population, Mapping) or not population:
        raise WrongTypeError(argument, "must map each label to its share or number", remedy)
    for value in population.values():
        if isinstance(value, bool | np.bool_) or not isinstance(
            value, int | float | np.integer | np.floating
        ):
            raise WrongTypeError(argument, "must map each label to a number", remedy)
        if not 0 < value <= _LARGEST:
            raise DomainError(
                argument, "must be above 0 and finite", "merge empty strata", got=value
            )
    return {label: float(value) for label, value in population.items()}


def in_order(labels: list[Any], population: Mapping[Any, float], argument: str) -> Floats:
    """Return the population of the labels that occur.

    Raises:
        DomainError: a label occurs that the population lacks, or one of the population does not.
    """
    if any(label not in population for label in labels):
        raise DomainError(argument, "must name every label that occurs", "add the missing ones")
    absent = [label for label in population if label not in set(labels)]
    if absent:
        raise DomainError(
            argument, "must name strata with respondents only", "merge empty strata", got=absent[0]
        )
    return np.array([population[label] for label in labels])


def one_length(n: object, arrays: Mapping[str, npt.NDArray[Any] | None]) -> int:
    """Return how many respondents all of these are about.

    Raises:
        WrongTypeError: nothing tells it.
        DomainError: they differ.
    """
    known = {name: len(array) for name, array in arrays.items() if array is not None}
    if n is not None:
        known["n"] = as_integer(n, "n", low=2, high=2**62)
    if not known:
        raise WrongTypeError("n", "must be given where nothing else is", "the number of reports")
    if len(set(known.values())) > 1:
        name = next(iter(known))
        raise DomainError(name, "must be as long as the others", got=known)
    return next(iter(known.values()))
