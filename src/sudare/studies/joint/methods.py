"""The five methods that the source compares, each simulated by the exact law of its counts."""

from __future__ import annotations

import math
from functools import cache
from math import prod

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.estimation.em import em
from sudare.exact import Entropy
from sudare.mechanisms import GRR, JointNegativeSurvey, JointRR, NegativeSurvey
from sudare.studies.palette import BLUE, GOLD, GREEN, GREY, RED
from sudare.studies.repetitions import StandardError

METHODS = ("Single-NS", "Multi-NS", "Single-RR", "Iterative", "Joint RR")
STYLES = dict(
    zip(METHODS, ((GREY, "v"), (GOLD, "^"), (RED, "o"), (GREEN, "D"), (BLUE, "s")), strict=True)
)
"""Colour and mark of each."""
MAPS = 100
"""Where the iterative reconstruction stops: after so many EM maps from uniform shares."""


@cache
def mechanism(
    method: str, sizes: tuple[int, ...], gamma: float
) -> NegativeSurvey | JointNegativeSurvey | GRR | JointRR:
    """Return what randomises in a method."""
    if method == "Single-NS":
        return NegativeSurvey(prod(sizes))
    if method == "Multi-NS":
        return JointNegativeSurvey(sizes)
    if method == "Single-RR":
        return GRR(prod(sizes), math.log(gamma))
    return JointRR(sizes, gamma=gamma)


def reports(method: str, truth: Integers, gamma: float, rng: Entropy) -> Integers:
    """Return the counts of the reports of respondents with these true counts."""
    m = mechanism(method, truth.shape, gamma)
    flat = method.startswith("Single")
    support = m.simulate(truth.reshape(-1) if flat else truth, rng=rng).support
    return support.reshape(truth.shape)


def reconstruct(method: str, support: Integers, gamma: float, maps: int = MAPS) -> Floats:
    """Return the estimated shares of all cells, not clipped."""
    m = mechanism(method, support.shape, gamma)
    if method == "Iterative":
        uniform = np.full(support.shape, 1 / support.size)
        return em(m.channel, support, uniform, maps=maps).shares
    observed = support / support.sum()
    flat = observed.reshape(-1) if method.startswith("Single") else observed
    return m.channel.solve(flat).reshape(support.shape)


def errors(
    method: str, truth: Integers, gamma: float, repetitions: int, rng: Entropy, maps: int = MAPS
) -> Floats:
    """Return the MSE of each repetition against the respondents' own shares."""
    shares, found = truth / truth.sum(), []
    for _ in range(repetitions):
        estimated = reconstruct(method, reports(method, truth, gamma, rng), gamma, maps)
        found.append(((estimated - shares) ** 2).mean())
    return np.array(found)


def scatter(values: npt.ArrayLike) -> StandardError:
    """Return the relative standard error of the mean; infinite for a single value.

    Examples:
        >>> scatter([1.0, 2.0, 3.0]), scatter([1.0])
        (0.288..., inf)
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size < 2:
        return StandardError(math.inf)
    return StandardError(array.std(ddof=1) / math.sqrt(array.size) / array.mean())


def repetitions_for(method: str, cells: int, repetitions: int) -> int:
    """Return how often to repeat: less for the iterative one where there are many cells.

    The mean over many cells hardly varies from one repetition to the next.
    """
    if method != "Iterative":
        return repetitions
    return min(repetitions, max(10, repetitions * 100 // cells))
