"""Fourteen answers about five teas: exact errors, by enumeration of every possible outcome.

No simulation: all 3,060 tallies that GRR can give and all 759,375 that OUE can give are
weighted with their probabilities, for the raw estimate and for three ways to repair it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from sudare.arrays import Booleans, Floats, Integers
from sudare.mechanisms import GRR, OUE, FrequencyOracle
from sudare.studies.grr_oue.repairs import REPAIRS

N, K = 14, 5
SKEWS: dict[str, tuple[int, ...]] = {
    "even": (3, 3, 3, 3, 2),
    "mild": (5, 4, 3, 1, 1),
    "strong": (8, 3, 1, 1, 1),
    "one tea": (14, 0, 0, 0, 0),
}


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Every possible tally. Repairs treat all categories alike, so sorted tallies are enough.

    ``ranked``: (u, 5) the different tallies, each sorted. ``place``: (5, v) where the count of a
    category of each of the v tallies stands in ``ranked`` read line by line.
    """

    ranked: Integers
    place: Integers


@cache
def exact_errors(epsilon: float) -> dict[tuple[str, str, str], float]:
    """Return the mean squared error of the five shares by (mechanism, repair, skew)."""
    found: dict[tuple[str, str, str], float] = {}
    for mechanism in (GRR(K, epsilon), OUE(K, epsilon)):
        every = outcomes(mechanism.name)
        shares = {repair: act(_shares(mechanism)) for repair, act in REPAIRS.items()}
        for skew, truth in SKEWS.items():
            x, law = np.array(truth) / N, tally_law(mechanism, truth)
            weight = np.bincount(every.place[0] // K, weights=law)
            cross = np.zeros(every.ranked.size)
            for share, place in zip(x, every.place, strict=True):
                cross += np.bincount(place, weights=share * law, minlength=cross.size)
            for repair, estimate in shares.items():
                squares = weight @ (estimate**2).sum(axis=1) - 2 * cross @ estimate.reshape(-1)
                found[mechanism.name, repair, skew] = float(squares + x @ x) / K
    return found


def _shares(mechanism: FrequencyOracle) -> Floats:
    """Return the unbiased shares of each sorted tally."""
    p, q = (float(x) for x in mechanism.support_probabilities)
    return np.asarray((outcomes(mechanism.name).ranked / N - q) / (p - q))


def chance_of_oue(epsilon: float, skew: str, repetitions: int) -> float:
    """Return how probably unbiased OUE has the smaller mean error over so many repetitions.

    Exact mean and variance of one squared error; the mean of many is taken as normal.
    """
    gap = variance = 0.0
    for mechanism, sign in ((OUE(K, epsilon), 1), (GRR(K, epsilon), -1)):
        law = tally_law(mechanism, SKEWS[skew])
        shares = _shares(mechanism).reshape(-1)[outcomes(mechanism.name).place]
        squared = ((shares - np.array(SKEWS[skew])[:, None] / N) ** 2).mean(axis=0)
        mean = float(law @ squared)
        gap += sign * mean
        variance += float(law @ (squared - mean) ** 2) / repetitions
    return NormalDist().cdf(-gap / math.sqrt(variance))


@cache
def outcomes(name: str) -> Outcomes:
    """Return the outcomes of GRR (counts with the sum 14) or OUE (any counts up to 14)."""
    tallies = np.indices((N + 1,) * K).reshape(K, -1)
    if name == "GRR":
        tallies = tallies[:, tallies.sum(axis=0) == N]
    order = np.argsort(tallies, axis=0, kind="stable")
    rank = np.argsort(order, axis=0, kind="stable")
    code = (N + 1) ** np.arange(K) @ np.sort(tallies, axis=0)
    codes, line = np.unique(code, return_inverse=True)
    ranked = np.column_stack([codes // (N + 1) ** i % (N + 1) for i in range(K)])
    return Outcomes(ranked, line * K + rank)


def tally_law(mechanism: FrequencyOracle, truth: tuple[int, ...]) -> Floats:
    """Return the probability of each possible tally of these respondents' reports."""
    p, q = (float(x) for x in mechanism.support_probabilities)
    if mechanism.name == "GRR":
        return _sums_law(truth, p, q)
    law = np.ones(1)
    for count in truth:  # given the answers, the columns are independent
        column = np.convolve(binomial(count, p), binomial(N - count, q))
        law = np.multiply.outer(law, column).reshape(-1)
    return law


def _sums_law(truth: tuple[int, ...], p: float, q: float) -> Floats:
    """Add one respondent after the other to the law of the first four counts."""
    law = np.zeros((N + 1,) * (K - 1))
    law[(0,) * (K - 1)] = 1.0
    for value, count in enumerate(truth):
        for _ in range(count):
            after = law * (p if value == K - 1 else q)
            for reported in range(K - 1):
                moved = np.moveaxis(after, reported, 0)
                moved[1:] += (p if value == reported else q) * np.moveaxis(law, reported, 0)[:-1]
            law = after
    return law[_simplex()]


def binomial(n: int, p: float) -> Floats:
    """Return the probabilities of 0 to n successes."""
    return np.array([math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)])


@cache
def _simplex() -> Booleans:
    total: Booleans = np.indices((N + 1,) * (K - 1)).sum(axis=0) <= N
    return total


def last_win(repair: str, skew: str, epsilons: Sequence[float]) -> float | None:
    """Return the ε below which OUE's exact error is the smaller one; None where it never is."""
    ratios = [oue_over_grr(epsilon, repair, skew) for epsilon in epsilons]
    for i, ratio in enumerate(ratios):
        if ratio >= 1:
            if i == 0:
                return None
            low, high = epsilons[i - 1 : i + 1]
            before, after = math.log(ratios[i - 1]), math.log(ratio)
            return low + (high - low) * before / (before - after)
    return epsilons[-1]


def oue_over_grr(epsilon: float, repair: str, skew: str) -> float:
    """Return OUE's exact error divided by GRR's."""
    errors = exact_errors(epsilon)
    return errors["OUE", repair, skew] / errors["GRR", repair, skew]
