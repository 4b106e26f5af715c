"""Counts that honest respondents cannot have given, whatever their answers are."""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.channels import Channel, Kronecker
from sudare.mechanisms import (
    FrequencyOracle,
    Joint,
    MarginalRR,
    Mechanism,
    Number,
    Place,
    SetUnary,
)
from sudare.mechanisms.frequency.unary import Unary
from sudare.mechanisms.picked import Picked
from sudare.mechanisms.place.base import MOST_DENSE


class HonestRates(NamedTuple):
    """Between which chances an honest report supports each cell, over all answers.

    Attributes:
        low, high: in the shape of the counts, flat.
        marks: how many of the cells are a respondent's own at least and at most, where a report
            supports each cell independently of the others; else None.
    """

    low: Floats
    high: Floats
    marks: tuple[int, int] | None = None


@singledispatch
def honest_rates(mechanism: Mechanism) -> HonestRates | None:
    """Return the rates of a mechanism's honest reports; None where nothing is known of them."""
    return None


@honest_rates.register(FrequencyOracle)
def _of_one_answer(mechanism: FrequencyOracle) -> HonestRates | None:
    if mechanism.shape != (mechanism.k,):
        return None  # of a few drawn categories alone: DBitFlipPM
    return _even(mechanism, None)


@honest_rates.register(Unary)
def _of_bits(mechanism: Unary) -> HonestRates:
    return _even(mechanism, (1, 1))


@honest_rates.register(SetUnary)
def _of_a_set(mechanism: SetUnary) -> HonestRates:
    return _even(mechanism, (0, mechanism.most))


def _even(mechanism: FrequencyOracle | SetUnary, marks: tuple[int, int] | None) -> HonestRates:
    low, high = sorted(float(rate) for rate in mechanism.support_probabilities)
    return HonestRates(np.full(mechanism.k, low), np.full(mechanism.k, high), marks)


@honest_rates.register(Picked)
def _of_parts(mechanism: Picked) -> HonestRates:
    """A part is drawn evenly; then its oracle's rates."""
    drawn, low, high = 1 / len(mechanism.parts), list[Floats](), list[Floats]()
    for part in mechanism.parts:
        rates = _even(part, None)
        low.append(np.append(drawn, drawn * rates.low))
        high.append(np.append(drawn, drawn * rates.high))
    return HonestRates(np.concatenate(low), np.concatenate(high))


@honest_rates.register(MarginalRR)
def _of_attributes(mechanism: MarginalRR) -> HonestRates | None:
    """An attribute is drawn evenly; then the rates of its GRR."""
    if mechanism.strategy != "sample":
        return None
    ends = [sorted(float(rate) for rate in part.support_probabilities) for part in mechanism.parts]
    low, high = np.repeat(np.array(ends), mechanism.sizes, axis=0).T / len(ends)
    return HonestRates(low, high)


@honest_rates.register(Place)
def _of_a_map(mechanism: Place) -> HonestRates | None:
    return None if mechanism.cells > MOST_DENSE else _by_channel(mechanism)


@honest_rates.register(Joint)
@honest_rates.register(Number)
def _by_channel(mechanism: Joint | Number | Place) -> HonestRates:
    return HonestRates(*_row_ends(mechanism.channel))


def _row_ends(channel: Channel) -> tuple[Floats, Floats]:
    """Return the least and largest entry of each row, flat; of a product, the products of those."""
    if not isinstance(channel, Kronecker):
        rows = channel.dense()
        return rows.min(axis=1), rows.max(axis=1)
    low, high = np.ones(1), np.ones(1)
    for part in channel.parts:
        least, most = _row_ends(part)
        low, high = np.outer(low, least).ravel(), np.outer(high, most).ravel()
    return low, high


def tail_bound(
    successes: npt.ArrayLike, trials: npt.ArrayLike, rate: npt.ArrayLike, *, above: bool
) -> Floats:
    """Return a bound of the chance of so many successes or more (or fewer, if not ``above``).

    ::

        P(X >= x) <= exp(-n KL(x/n || p)),   KL(a || p) = a ln(a/p) + (1-a) ln((1-a)/(1-p))

    for x/n beyond p, else 1. It holds for independent trials of different rates too, of the mean p,
    and of a mean that is nearer.

    Source: Hoeffding 1963, theorem 1.

    Examples:
        >>> tail_bound(10, 10, 0.5, above=True).round(6).tolist()
        0.000977
    """
    x, n, p = (np.asarray(one, dtype=np.float64) for one in (successes, trials, rate))
    with np.errstate(divide="ignore", invalid="ignore"):
        a = x / n
        own = np.where(a > 0, a * np.log(a / p), 0.0)
        other = np.where(a < 1, (1 - a) * np.log((1 - a) / (1 - p)), 0.0)
        beyond = (a > p) if above else (a < p)
        return np.where(beyond, np.exp(-n * np.maximum(own + other, 0.0)), 1.0)


class Findings(NamedTuple):
    """What of some counts is hardly honest.

    Attributes:
        above, below: flags of the cells with too many, or too few, supports.
        ones: ``"many"`` or ``"few"`` where the reports support too many or few cells in all.
    """

    above: Booleans
    below: Booleans
    ones: str | None

    @property
    def raised(self) -> bool:
        """Whether anything is."""
        return bool(self.above.any() or self.below.any() or self.ones)


def infeasible(rates: HonestRates, support: npt.ArrayLike, n: int, false_alarm: float) -> Findings:
    """Compare counts with what honest reports can give.

    A cell's support is a sum of independent trials with rates between ``low`` and ``high``: it is
    held against the nearer end by :func:`tail_bound`, all supports together likewise. Whatever the
    answers are, honest reports raise anything with at most ``false_alarm`` (Bonferroni).
    """
    counted = np.asarray(support, dtype=np.float64).ravel()
    size = counted.size
    level = false_alarm / (2 * size + (2 if rates.marks else 0))
    above = tail_bound(counted, n, rates.high, above=True) <= level
    below = tail_bound(counted, n, rates.low, above=False) <= level
    ones = None
    if rates.marks:
        total, low, high = counted.sum(), rates.low[0], rates.high[0]
        fewest, most = (low + own / size * (high - low) for own in rates.marks)
        if tail_bound(total, n * size, most, above=True) <= level:
            ones = "many"
        elif tail_bound(total, n * size, fewest, above=False) <= level:
            ones = "few"
    return Findings(above, below, ones)
