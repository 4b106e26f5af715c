"""What is counted in the limit of many people, some of them fake."""

from __future__ import annotations

import numpy as np

from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.estimate import Floats
from sudare.mechanisms import PCKVGRR, PCKVUE, FrequencyOracle, PrivKVM
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency.direct import Direct
from sudare.mechanisms.keyvalue import KeyValue
from sudare.mechanisms.keyvalue.base import states_of
from sudare.mechanisms.keyvalue.borders import as_population
from sudare.mechanisms.values import as_shares

MANY = 10**15
"""People who stand for infinitely many: their counts tell every share to 15 digits."""

Population = tuple[Floats, Floats]


def as_truth(mechanism: Mechanism, frequency: object, mean: object) -> Population:
    """Return the true frequencies and means; numbers stand for all keys alike.

    Of one of k categories the frequencies are shares, and there is no mean.
    """
    if isinstance(mechanism, FrequencyOracle):
        if mean is not None:
            raise WrongTypeError("mean", "must be left out", "categories have no values")
        return as_shares(frequency, mechanism.k, "frequency"), np.zeros(0)
    if not isinstance(mechanism, KeyValue):
        raise WrongTypeError("mechanism", "must be one that attacks are defined for")
    if frequency is None or mean is None:
        raise WrongTypeError("frequency and mean", "must be given", "a number, or d of them")
    return as_population(_each(frequency, mechanism.d), _each(mean, mechanism.d), mechanism.d)


def _each(numbers: object, d: int) -> object:
    one = isinstance(numbers, int | float | np.number) and not isinstance(numbers, bool)
    return np.full(d, numbers) if one else numbers


def expected_counts(mechanism: Mechanism, truth: Population, fakes: Floats, beta: float) -> Counts:
    """Return the counts of :data:`MANY` people of whom the share ``beta`` are fake.

    Args:
        mechanism: a key-value mechanism, or one of k categories.
        truth: from :func:`as_truth`.
        fakes: expected support of one fake report.
        beta: share of fake respondents.
    """
    rates = _rates(mechanism, truth, fakes, beta)
    if isinstance(mechanism, FrequencyOracle):
        lines = (1, -1) if isinstance(mechanism, Direct) else (-1, 1)
    elif isinstance(mechanism, PCKVUE | PCKVGRR):
        lines = (-1, 3)
    else:
        lines = (-1, 3 * mechanism.shape[-2])
    grouped = rates.reshape(lines)
    support = np.rint(grouped * MANY).astype(np.int64)
    if grouped.shape[1] > 1:  # these add up to all people: the rounding goes to the largest
        largest = grouped.argmax(axis=1)
        support[np.arange(len(support)), largest] += MANY - support.sum(axis=1)
    return Counts(support.reshape(rates.shape), MANY, mechanism.to_json())


def _rates(mechanism: Mechanism, truth: Population, fakes: Floats, beta: float) -> Floats:
    """Return the expected support of one person."""
    f, m = truth
    if isinstance(mechanism, PrivKVM):
        return _of_rounds(mechanism, truth, fakes, beta)
    if isinstance(mechanism, FrequencyOracle):
        p, q = (float(x) for x in mechanism.support_probabilities)
        honest = q + (p - q) * f
    elif isinstance(mechanism, PCKVUE | PCKVGRR):
        honest = mechanism._sampled(f, m) @ mechanism.channel.dense().T
    elif isinstance(mechanism, KeyValue):
        honest = states_of(f, m) @ mechanism.channel.dense().T / mechanism.d
    else:
        raise DomainError("mechanism", "must be one that attacks are defined for")
    out: Floats = (1 - beta) * honest + beta * fakes
    return out


def _of_rounds(mechanism: PrivKVM, truth: Population, fakes: Floats, beta: float) -> Floats:
    """The same round by round: fake reports are in the means that are fed back."""
    means = np.zeros(mechanism.d)
    rates = []
    for number in range(mechanism.rounds):
        honest = mechanism._reported(number, *truth, means) / mechanism.d
        rates.append((1 - beta) * honest + beta * fakes[number])
        means = mechanism._means(rates[-1])
    return np.stack(rates)
