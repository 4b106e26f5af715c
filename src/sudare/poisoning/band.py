"""How far fake reports can have moved an estimate: the manipulation band."""

from __future__ import annotations

from itertools import product
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError, WrongTypeError, as_one_of
from sudare.estimation import Estimate
from sudare.estimation.keyvalue import KeyValueEstimate
from sudare.estimation.keyvalue.law import HOLDS, SIGN, StateLaw
from sudare.estimation.shares import ShareLaw
from sudare.exact import as_integer
from sudare.mechanisms import PrivKVM
from sudare.mechanisms.values import MAX_CATEGORIES
from sudare.poisoning.validation import as_beta, as_betas

Quantity = Literal["frequency", "mean"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)

_ROUNDING = 1e-12


def manipulation_band(
    est: Estimate | KeyValueEstimate, beta: npt.ArrayLike, of: Quantity = "frequency"
) -> tuple[Floats, Floats]:
    """Return ``(low, high)``: what honest reports alone can say if a share β of all is fake.

    Whatever the fakes reported, inversion of the honest reports alone gives a value in this band,
    and every end is reached by some fakes (but for β n no whole number)::

        frequency   padding (g - b) / (a - b)      g in [(P - β) / (1 - β), P / (1 - β)] and [0, 1]
        mean        extremes of (θ+ - θ-) / (θ+ + θ-) over all shares of honest reports that are
                    possible; all of [-1, 1] where these leave open whether anybody holds the key

    P is the share of the reports that name the key, a and b the chances that an honest report of a
    holder and of another one does. Beside the band stands the standard error: the band is not about
    chance.

    Args:
        est: from ``mechanism.estimate``: of keys (any method), or of categories
            (``"unbiased"``). The band is that of the inversion.
        beta: share of fakes among the reports *about the key*, at least 0 and below 1: a number, or
            one for each key or category (a dict or pandas Series: by label). Where the collector
            draws the keys it is their share of all reports; where devices do, see
            :func:`targeted_share`.
        of: ``"frequency"`` (shares, for categories), or ``"mean"``. Frequencies and shares are
            not moved into [0, 1]; means are within [-1, 1].

    Raises:
        WrongTypeError, DomainError: an argument is out of range.
        EstimationError: the estimate does not tell its reports.

    Source: ``docs/poisoning.md``.

    Examples:
        >>> import sudare as sd
        >>> m = sd.PrivKV(d=2, epsilon=2.0)
        >>> est = m.estimate(sd.Counts([[300, 100, 600], [200, 200, 600]], 2000))
        >>> low, high = sd.poisoning.manipulation_band(est, beta=0.01)
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([0.328, 0.328], [0.344, 0.344])
    """
    as_one_of(of, "of", QUANTITIES)
    if isinstance(est, KeyValueEstimate):
        shares = as_betas(beta, est.frequency.size)
        if of == "mean":
            if est.covers == PrivKVM.covers:
                remedy = "the band of its frequencies is there"
                raise EstimationError("est", "must be of one round for a band of means", remedy)
            return mean_band(est._law, shares)
        return frequency_band(est._law, shares)
    if not isinstance(est, Estimate):
        raise WrongTypeError("est", "must be an estimate", "from mechanism.estimate(counts)")
    if of == "mean":
        raise DomainError("of", 'must be "frequency" for categories', got=of)
    law = est._law
    if not isinstance(law, ShareLaw):
        rule = "must be of one question with one answer, and unbiased"
        raise EstimationError("est", rule, 'estimate by "unbiased"')
    shares = as_betas(beta, est.shares.size, est.labels)
    return _inverted(law.support / law.n, shares, float(law.report.p), float(law.report.q))


def targeted_share(beta: float, d: int, targets: int = 1) -> float:
    """Return the share of fakes among the reports about a target, if they choose their keys.

    ::

        φ = β d / (β d + (1 - β) r)

    Args:
        beta: β, share of fakes among all reports.
        d: number of keys.
        targets: r, on which all fakes report.

    Raises:
        WrongTypeError, DomainError: an argument is out of range.

    Examples:
        >>> round(targeted_share(0.01, d=50), 3)
        0.336
    """
    share = as_beta(beta)
    keys = as_integer(d, "d", low=1, high=MAX_CATEGORIES)
    r = as_integer(targets, "targets", low=1, high=keys)
    return share * keys / (share * keys + (1 - share) * r)


def frequency_band(law: StateLaw, beta: Floats) -> tuple[Floats, Floats]:
    """Return the band of each key's frequency; NaN without a report."""
    own, other = (float(law.channel[:2, i].sum()) for i in (0, 2))
    with np.errstate(invalid="ignore"):
        named = law.counts[:, :2].sum(axis=1) / law.total
    low, high = _inverted(named, beta, own, other)
    return law.padding * low, law.padding * high


def _inverted(named: Floats, beta: Floats, own: float, other: float) -> tuple[Floats, Floats]:
    least = ((named - beta) / (1 - beta)).clip(0, 1)
    most = (named / (1 - beta)).clip(0, 1)
    return (least - other) / (own - other), (most - other) / (own - other)


def mean_band(law: StateLaw, beta: Floats) -> tuple[Floats, Floats]:
    """Return the band of each key's mean: [-1, 1] without a report.

    The possible laws z of the fakes are a polygon, ``z >= 0, Σz = 1, β z <= P``; the mean of what
    is left is a ratio of two linear functions of z, and therefore extreme at a corner.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = law.counts / law.total[:, None]
        most = shares / beta[:, None]
    most = np.where(beta[:, None] == 0, np.inf, most)
    inverse = np.linalg.inv(law.channel)
    low, high = np.full(beta.shape, np.inf), np.full(beta.shape, -np.inf)
    open_ended = law.total == 0
    for free, sides in product(range(3), product((False, True), repeat=2)):
        corner = np.zeros_like(shares)
        for i, full in zip([i for i in range(3) if i != free], sides, strict=True):
            corner[:, i] = np.minimum(most[:, i], 2.0) if full else 0.0
        corner[:, free] = 1 - corner.sum(axis=1)
        fits = ((corner >= -_ROUNDING) & (corner <= most + _ROUNDING)).all(axis=1)
        honest = (shares - beta[:, None] * corner) / (1 - beta[:, None])
        states = honest @ inverse.T
        holds, sign = states @ HOLDS, states @ SIGN
        open_ended |= fits & ~(holds > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(fits, sign / holds, np.nan)
        low, high = np.fmin(low, mean), np.fmax(high, mean)
    low, high = low.clip(-1, 1), high.clip(-1, 1)
    return np.where(open_ended, -1.0, low), np.where(open_ended, 1.0, high)
