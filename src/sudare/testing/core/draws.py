"""Which answers respondents give in the sampled checks, by number, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.exact.entropy import Entropy
from sudare.testing.suite import Comparison

FOCUS = 8
NEAR = range(1, 17)
"""Respondents so many places apart."""

_LAGS = 4

Values = npt.NDArray[np.int64]


def focus(k: int, rng: Entropy) -> Values:
    """Return a few of k answers, chosen afresh: the first, the last, others."""
    inner = rng.generator().permutation(np.arange(1, k - 1))[: FOCUS - 2]
    return np.concatenate([[0, k - 1], inner]).astype(np.int64)


def mixed(k: int, n: int, rng: Entropy) -> Values:
    """Return shuffled answers: half of them spread over all k, half over a few."""
    generator = rng.generator()
    spread = generator.permutation(k)[np.arange(n - n // 2) % k]
    few = focus(k, rng)[np.arange(n // 2) % min(k, FOCUS)]
    values: npt.NDArray[Any] = np.concatenate([spread, few]).astype(np.int64)
    generator.shuffle(values)
    return values


def lags(n: int, rng: Entropy) -> list[int]:
    """Return distances of respondents: 1 to 16, powers of two, and a few chosen afresh."""
    far: list[int] = rng.generator().integers(1, max(2, n // 2), _LAGS).tolist()
    return sorted({*NEAR, *powers_of_two(n), *far})


def powers_of_two(stop: int) -> list[int]:
    """Return 1, 2, 4, ... below ``stop``."""
    return [1 << i for i in range(max(stop - 1, 0).bit_length())]


def compare_pairs(
    what: str, events: Booleans, probability: float | Floats, apart: Iterable[int]
) -> Iterator[Comparison]:
    """Compare pairs of independent events, so many places apart: both, or neither.

    Where the probabilities differ, the tails are no heavier than those of the binomial law of
    their average (Hoeffding 1956).

    Args:
        what: the event, as it reads in a failure.
        events: (n,) whether it happened.
        probability: of each event, or of all.
        apart: how many places.
    """
    places, chance = np.arange(events.size), np.broadcast_to(probability, events.shape)
    for lag in apart:
        within = places + lag < events.size
        for parity in (0, 1):  # disjoint pairs, so that their counts are binomial
            first = places[within & (places // lag % 2 == parity)]
            a, b = events[first], events[first + lag]
            x, y = chance[first], chance[first + lag]
            pairs = max(first.size, 1)
            yield Comparison(
                f"{what}, or did not, {lag} apart,",
                np.array([(a & b).sum(), (~a & ~b).sum()]),
                first.size,
                [float(x @ y) / pairs, float((1 - x) @ (1 - y)) / pairs],
            )
