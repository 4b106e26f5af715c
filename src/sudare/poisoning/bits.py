"""Fake reports betray themselves by how many bits they set."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.errors import WrongTypeError
from sudare.estimation import histogram
from sudare.mechanisms import Mechanism, SetUnary
from sudare.mechanisms.frequency.unary import Unary
from sudare.mechanisms.reports import as_packed
from sudare.poisoning.false_alarms import FOUR_SIGMA
from sudare.poisoning.feasible import HonestRates, infeasible, tail_bound

_MOST_STEPS = 1 << 28
_BITS = np.array([one.bit_count() for one in range(256)])


def bit_count_law(mechanism: Unary | SetUnary, own: int = 1) -> Floats:
    """Return the law of the number of ones of an honest report: (k + 1,).

    One bit of each category that the respondent holds is 1 with p and each other one with q: the
    sum of two independent binomial numbers. Whatever the answer, for one of k categories.

    Args:
        own: how many categories the respondent holds.

    Examples:
        >>> import sudare as sd
        >>> bit_count_law(sd.SUE(k=2, epsilon=2.0)).round(3).tolist()
        [0.197, 0.607, 0.197]
    """
    p, q = (float(x) for x in mechanism.support_probabilities)
    return np.convolve(_binomial(own, p), _binomial(mechanism.k - own, q))


def _binomial(n: int, rate: float) -> Floats:
    successes = np.arange(1, n + 1, dtype=np.float64)
    steps = np.log((n + 1 - successes) / successes) + np.log(rate) - np.log1p(-rate)
    out: Floats = np.exp(n * np.log1p(-rate) + np.concatenate([[0.0], np.cumsum(steps)]))
    return out


@singledispatch
def bit_count_rates(mechanism: Mechanism) -> HonestRates | None:
    """Return how often a report may have 0, 1, ... ones; None where a report is no row of bits."""
    return None


@bit_count_rates.register(Unary)
def _of_one_answer(mechanism: Unary) -> HonestRates:
    law = bit_count_law(mechanism)
    return HonestRates(law, law)


@bit_count_rates.register(SetUnary)
def _of_a_set(mechanism: SetUnary) -> HonestRates | None:
    if mechanism.k**2 * mechanism.most > _MOST_STEPS:
        return None
    laws = np.stack([bit_count_law(mechanism, own) for own in range(mechanism.most + 1)])
    return HonestRates(laws.min(axis=0), laws.max(axis=0))


def count_bits(reports: npt.ArrayLike, k: int) -> Integers:
    """Return how many of some packed reports set 0, 1, ... k bits: (k + 1,).

    Raises:
        WrongTypeError, ReportError: not packed reports of k bits.
    """
    return histogram(_BITS[as_packed(reports, k)].sum(axis=1), k + 1)


def bit_counts(mechanism: Unary | SetUnary, reports: npt.ArrayLike) -> dict[str, Any]:
    """Test whether packed reports set as many bits as honest ones do, as JSON data.

    Each number of ones is counted and held against its exact law (of sets: the nearest law of a
    set that is allowed) by :func:`~sudare.poisoning.feasible.tail_bound`. The alarm is raised where
    the least of the 2 (k + 1) bounds, times their number (Bonferroni), is at most 3.2e-5: honest
    reports raise it no more often, at any n. It finds MGA, whose reports all have the same number
    of ones, and RPA, and is blind to RIA, whose reports are honest ones.

    Args:
        mechanism: a unary encoding, of one category or of sets.
        reports: (n, ceil(k / 8)) packed bits.

    Returns:
        ``raised``, ``p`` (a bound, after Bonferroni), ``false_alarm``, ``ones`` (how many reports
        set 0, 1, ... k bits) and ``expected`` (how many would at most).

    Raises:
        WrongTypeError, ReportError: not a unary encoding, or not its reports.

    Examples:
        >>> import sudare as sd
        >>> m = sd.OUE(k=20, epsilon=1.0)
        >>> honest = m.perturb([3] * 2000, rng=sd.Entropy.seeded(b"bits"))
        >>> fakes = sd.poisoning.MGA([7]).reports(m, 400)
        >>> [sd.poisoning.bit_counts(m, r)["raised"] for r in (honest, [*honest, *fakes])]
        [False, True]
    """
    rates = bit_count_rates(mechanism)
    if rates is None:
        raise WrongTypeError("mechanism", "must be a unary encoding", "such as OUE")
    ones = count_bits(reports, mechanism.k)
    n = int(ones.sum())
    bounds = [
        tail_bound(ones, n, rate, above=above).min()
        for rate, above in ((rates.high, True), (rates.low, False))
    ]
    return {
        "raised": infeasible(rates, ones, n, FOUR_SIGMA).raised,
        "p": min(1.0, float(min(bounds)) * 2 * ones.size),
        "false_alarm": FOUR_SIGMA,
        "ones": ones.tolist(),
        "expected": (n * rates.high).tolist(),
    }
