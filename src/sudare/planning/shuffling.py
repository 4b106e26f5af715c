"""``shuffled_epsilon``: what a tally of reports gives away that has neither order nor time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache, singledispatch
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, MissingExtraError, WrongTypeError
from sudare.exact import as_integer
from sudare.exact.parameters import as_float, is_real
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency.direct import Direct
from sudare.mechanisms.frequency.unary import Unary
from sudare.mechanisms.place.base import Place

Excess = Callable[[float], float]

MOST_REPORTS = 1 << 40
LEAST_DELTA = 1e-10
_SPREAD = 8.0
_SLACK = 1e-12
_CLOSE = 1e-4
_LATTICE = 40
_BLANKETS = 24


def shuffled_epsilon(mechanism: Mechanism, n: int, delta: float, *, reports: bool = False) -> float:
    """Return the ε that holds, with δ, for a tally of n reports that is published as a whole.

    ::

        P(tally | one person answers v) <= e^ε P(tally | the same person answers v') + δ

    for any two answers, whatever the other n - 1 people answer. A tally has no order: one report
    hides among those of the others that look alike, and ε shrinks about as ``1 / sqrt(n)``. For
    direct encodings (GRR) and for unary encodings it is computed from the law of the tally, for
    every other mechanism from its largest ratio alone (an upper bound). Never above the ε of the
    device; rounded up.

    It assumes that the collector keeps single reports to itself, that the other n - 1 people are
    honest, and that one tally is published: of two, n is the number of reports in between.

    Args:
        mechanism: what randomised each of the reports.
        n: number of reports in the tally, 1 to 2**40.
        delta: δ, 1e-10 to 0.1.
        reports: of the shuffled reports themselves, and so of whatever is computed from them, such
            as how many ones each has: from the largest ratio alone.

    Raises:
        WrongTypeError, DomainError: no mechanism, one of places, whose ε is not one for an answer,
            or n or δ out of range.

    Source: Feldman, McMillan, Talwar 2021, Theorem 3.1 and Lemma 3.5 (clones); the law of each
    family: docs/proofs/shuffling.md.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=5, epsilon=1.0)
        >>> round(sd.planning.shuffled_epsilon(m, n=10_000, delta=1e-6), 3)
        0.032
    """
    if not isinstance(mechanism, Mechanism):
        raise WrongTypeError("mechanism", "must be a mechanism", "such as GRR(k=5, epsilon=1)")
    if isinstance(mechanism, Place):
        raise DomainError("mechanism", "must have an ε for an answer, not for a metre")
    people = as_integer(n, "n", low=1, high=MOST_REPORTS)
    if not is_real(delta):
        raise WrongTypeError("delta", "must be a number", "such as 1e-6", got=delta)
    chance = as_float(delta)
    if not LEAST_DELTA <= chance <= 0.1:
        raise DomainError("delta", "must lie between 1e-10 and 0.1", "such as 1e-6", got=delta)
    local = math.nextafter(mechanism.epsilon, math.inf)
    found = 0.0
    for excess in [_clones(mechanism, people)] if reports else tally(mechanism, people):
        if excess(found) > chance:
            found = _least(excess, chance, found, local)
    return found


def _least(excess: Excess, delta: float, low: float, high: float) -> float:
    """Return the least ε with ``excess(ε) <= delta``, at most 1e-4 above it; at most ``high``."""
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) <= delta else (middle, high)
    return high


@singledispatch
def tally(mechanism: Mechanism, n: int) -> Iterator[Excess]:
    """Yield δ(ε) of the tally of n reports, for each kind of neighbours that may be the worst.

    A family whose tally has a known law registers its own: ``tally.register(Family)``.
    """
    yield _clones(mechanism, n)


def _clones(mechanism: Mechanism, n: int) -> Excess:
    """Return δ(ε) of any mechanism, from its largest ratio alone."""
    ratio = float(mechanism.program.ratio)
    own = ratio / (ratio + 1)
    return lambda epsilon: clone_excess(epsilon, own, 1 - own, 0.5 / ratio, n)


@tally.register
def _direct(mechanism: Direct, n: int) -> Iterator[Excess]:
    own, other = map(float, mechanism.support_probabilities)
    if mechanism.k > 2:
        blanket, clones = _blanket_excess(own, other, mechanism.k, n), _clones(mechanism, n)
        yield lambda epsilon: min(blanket(epsilon), clones(epsilon))  # both are upper bounds
        return
    for holders, rest in _compositions(n - 1, 2):  # nobody answers anything else: one sum
        mine, not_mine = _one_more(_sum_law(holders, rest, own, other), own, other)
        yield sums_excess(mine, not_mine, np.ones(1), np.ones(1))


@tally.register
def _unary(mechanism: Unary, n: int) -> Iterator[Excess]:
    own, other = map(float, mechanism.support_probabilities)

    @cache
    def law(holders: int, rest: int) -> tuple[Floats, Floats]:
        return _one_more(_sum_law(holders, rest, own, other), own, other)

    for first, second, rest in _compositions(n - 1, 3):
        yield sums_excess(*law(first, second + rest), *law(second, first + rest))


def _compositions(others: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """Yield how many of the others hold each kind of answer, at the least, over all compositions.

    All compositions of few people; of many, those rounded down to a lattice: whoever is left out
    could only have added noise.
    """
    step = max(1, others // _LATTICE)
    most = others // step
    for head in itertools.product(range(most + 1), repeat=kinds - 1):
        rest = others - sum(head) * step - (kinds - 1) * (step - 1)
        if others - sum(head) * step >= 0:
            yield (*(part * step for part in head), max(rest, 0))


def _blanket_excess(own: float, other: float, k: int, n: int) -> Excess:
    """Return δ(ε) of a direct encoding: N ~ Bin(n - 1, k q) of the others report uniformly.

    What the others report is taken as known (the privacy blanket of Balle et al. 2019). Fewer
    uniform reports hide less: N is rounded down to the lower end of a group.
    """
    mean, spread = (n - 1) * k * other, math.sqrt((n - 1) * k * other * (1 - k * other))
    low, high = max(0, int(mean - 7 * spread)), min(n - 1, int(mean + 5 * spread) + 1)
    groups = min(high + 2 - low, _BLANKETS if n < 10_000 else _BLANKETS // 4)
    ends = np.unique(np.linspace(low, high + 1, groups).astype(np.int64))
    ends[-1] = n  # the last group has no end
    chances = np.diff(_binomial().cdf(ends - 1, n - 1, k * other))
    beyond = float(_binomial().cdf(low - 1, n - 1, k * other))

    def excess(epsilon: float) -> float:
        parts = (
            chance * clone_excess(epsilon, own, other, 1 / k, int(size) + 1)
            for size, chance in zip(ends[:-1], chances, strict=True)
            if chance > 0
        )
        return sum(parts, beyond) + _SLACK

    return excess


def clone_excess(epsilon: float, own: float, other: float, clone: float, n: int) -> float:
    """Return δ(ε) for reports that are own, other or neutral, among clones of both.

    One person sends "a" with probability ``own`` and "b" with ``other`` (answering v), or the
    other way round (answering v'), something neutral otherwise. Each of the n - 1 others sends
    "a" and "b" with probability ``clone`` each. With m = a + b given, v is the likelier the more
    "a" there are: the sum of the excess is one of binomial tails over m.
    """
    both, rest = 2 * clone, max(0.0, 1 - own - other)
    middle, reach = (n - 1) * both, _SPREAD * math.sqrt(n * both) + 40
    low, high = max(0, math.floor(middle - reach)), min(n - 1, math.ceil(middle + reach))
    m = np.arange(low, high + 2, dtype=np.float64)
    still, more = _binomial().pmf(m, n - 1, both), _binomial().pmf(m - 1, n - 1, both)
    shared = rest * (n - m) * clone / (1 - both) if rest else 0.0
    growth = math.exp(epsilon)
    least = np.ceil(
        ((growth * own - other) * m + (growth - 1) * shared) / ((own - other) * (1 + growth))
    )
    mine = more * _half_tail(least - 1, m - 1)
    not_mine = more * _half_tail(least, m - 1)
    neutral = still * rest * _half_tail(least, m)
    told = own * mine + other * not_mine + neutral
    untold = other * mine + own * not_mine + neutral
    lost = float(_binomial().sf(high, n - 1, both) + _binomial().cdf(low - 1, n - 1, both))
    return float(np.maximum(told - growth * untold, 0).sum()) * (1 + 1e-9) + lost + _SLACK


def _half_tail(least: Floats, m: Floats) -> Floats:
    """P(Bin(m, 1/2) >= least); nothing for m < 0."""
    return np.where(m < 0, 0.0, np.asarray(_binomial().sf(least - 1, np.maximum(m, 0), 0.5)))


def sums_excess(mine: Floats, not_mine: Floats, yours: Floats, not_yours: Floats) -> Excess:
    """Return δ(ε) of two independent sums, with and without a person's own category in them.

    Told apart are ``mine × not_yours`` (answering v) and ``not_mine × yours`` (answering v'). Each
    likelihood ratio grows with its sum: for each value of one sum, the other one counts up to a
    threshold.
    """
    with np.errstate(divide="ignore"):
        gain = np.log(mine) - np.log(not_mine)
        loss = np.maximum.accumulate(np.log(yours) - np.log(not_yours))
    below_told = np.concatenate(([0.0], np.cumsum(not_yours)))
    below_untold = np.concatenate(([0.0], np.cumsum(yours)))

    def excess(epsilon: float) -> float:
        up_to = np.searchsorted(loss, gain - epsilon, side="right")
        told, untold = mine * below_told[up_to], not_mine * below_untold[up_to]
        parts = np.maximum(told - math.exp(epsilon) * untold, 0)
        return float(parts.sum()) * (1 + 1e-9) + _SLACK

    return excess


@cache
def _binomial() -> Any:
    try:
        from scipy.stats import binom
    except ImportError:
        raise MissingExtraError("scipy", "analysis", "for the law of a tally") from None
    return binom


def _convolve(a: Floats, b: Floats) -> Floats:
    from scipy.signal import fftconvolve

    return np.asarray(fftconvolve(a, b))


def _sum_law(holders: int, rest: int, own: float, other: float) -> Floats:
    """Return the law of ``Bin(holders, own) + Bin(rest, other)``, without its far tails."""
    a, b = _window(holders, own), _window(rest, other)
    return np.convolve(a, b) if a.size * b.size < 1 << 22 else np.maximum(_convolve(a, b), 0)


def _window(trials: int, chance: float) -> Floats:
    reach = _SPREAD * math.sqrt(trials * chance * (1 - chance)) + 40
    low = max(0, math.floor(trials * chance - reach))
    high = min(trials, math.ceil(trials * chance + reach))
    return np.asarray(_binomial().pmf(np.arange(low, high + 1), trials, chance))


def _one_more(law: Floats, own: float, other: float) -> tuple[Floats, Floats]:
    """Return the law with one more bit: of the person's own category, and of another one."""
    up, stay = np.concatenate(([0.0], law)), np.concatenate((law, [0.0]))
    certain = (up > 1e-16) | (stay > 1e-16)
    mine, not_mine = own * up + (1 - own) * stay, other * up + (1 - other) * stay
    return mine[certain], not_mine[certain]
