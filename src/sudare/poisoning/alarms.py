"""Alarms: what honest devices would hardly have sent, with how often that happens all the same."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arrays import Floats
from sudare.errors import EstimationError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.keyvalue.law import StateLaw
from sudare.mechanisms import KeyValue, Mechanism
from sudare.poisoning.band import frequency_band, mean_band
from sudare.poisoning.false_alarms import (
    FALSE_ALARM,
    FOUR_SIGMA,
    MOST_RATIO,
    MOST_TRIALS,
    critical_count,
    likelihood_ratios,
)

BETAS = (0.01, 0.02, 0.05, 0.1)
"""Shares of fakes among all reports that bands are made for."""

_DIGITS = 6


def alarms(mechanism: KeyValue, counts: Counts, *, index_control: bool = False) -> dict[str, Any]:
    """Return what looks poisoned in the counts of key-value reports, as JSON data.

    - **count** (where a report names a drawn key): the reports about a key against Bin(n, 1/d). The
      alarm is raised from the least count on whose exact upper tail is at most that of 4 standard
      deviations, 3.2e-5 a key.
    - **feasibility**: twice the log-likelihood ratio of any law of the key's reports against the
      most likely one of honest devices, above 22. Honest ones exceed it with at most 1.7e-5 a key
      in the limit of many reports, and in no enumerated case of few with more than 1e-4.
    - **bands**: see :func:`manipulation_band`, for 1, 2, 5 and 10 % of fakes among all n reports;
      within [0, 1] and [-1, 1]. Where devices draw the keys, all β n fakes may stand in any one
      key's reports; where the collector does, the share β of each key's. ``moved`` is the largest
      distance of an end of the bands of frequencies from the inversion of all reports, and
      ``moved_drawn`` what it were had the collector drawn the keys.

    No alarm does not say that there are no fakes, and an alarm not which reports are.

    Args:
        mechanism: what was collected by.
        counts: of all reports.
        index_control: the collector drew the keys.

    Returns:
        ``raised``; ``many`` and ``infeasible``, the keys of each alarm; ``reports``, ``z`` and
        ``ratio`` of each key; ``count`` and ``feasibility``, the rules with their false-alarm rates
        for a key and for any of d keys (Bonferroni); ``bands``; ``index_control``. Figures have six
        decimal places.

    Raises:
        WrongTypeError: not a mechanism of key-value data, or no flag.
        EstimationError: no counts of this mechanism, or of more than 2**40 reports.

    Examples:
        >>> import sudare as sd
        >>> m = sd.PrivKV(d=3, epsilon=1.0)
        >>> honest = m.simulate(3000, [0.5, 0.5, 0.5], [0, 0, 0], rng=sd.Entropy.seeded(b"a"))
        >>> sd.poisoning.alarms(m, honest)["raised"]
        False
        >>> fakes = sd.poisoning.M2GA([1]).simulate(m, 300)
        >>> sd.poisoning.alarms(m, honest + fakes)["many"]
        [1]
    """
    if not isinstance(index_control, bool):
        raise WrongTypeError("index_control", "must be True or False")
    found = known_alarms(mechanism, counts, index_control)
    if found is None:
        remedy = "unary reports have sudare.poisoning.bit_counts"
        raise WrongTypeError("mechanism", "must be of key-value data", remedy)
    return found


@singledispatch
def known_alarms(
    mechanism: Mechanism, counts: Counts, index_control: bool
) -> dict[str, Any] | None:
    """Return :func:`alarms` of a family that has some, else None."""
    return None


@known_alarms.register(KeyValue)
def _of_keys(mechanism: KeyValue, counts: Counts, index_control: bool) -> dict[str, Any]:
    if not isinstance(counts, Counts):
        raise EstimationError("counts", "must be sudare.Counts", "use aggregate(reports)")
    if counts.n > MOST_TRIALS:
        raise EstimationError("counts.n", "must be at most 2**40", "look at fewer reports")
    if counts.n:
        mechanism.check_counts(counts)
    elif counts.support.shape != mechanism.shape:
        raise EstimationError("counts.support", f"must have the shape {mechanism.shape}")
    first = counts.support.reshape(-1, mechanism.d, 3)[0].astype(np.float64)
    channel = mechanism.channel.dense()
    ratio = likelihood_ratios(first, channel)
    infeasible = np.flatnonzero(ratio > MOST_RATIO).tolist()
    found = _many(mechanism, counts)
    law = StateLaw(first, channel, mechanism.padding, np.zeros(mechanism.d))
    return {
        "raised": bool(found["many"] or infeasible),
        "index_control": index_control,
        **found,
        "infeasible": infeasible,
        "feasibility": {"ratio": MOST_RATIO, **_rates(FALSE_ALARM, mechanism.d)},
        "reports": law.total.astype(np.int64).tolist(),
        "ratio": ratio.round(_DIGITS).tolist(),
        "bands": [
            _band(law, beta, counts.n, index_control, mechanism.feeds_back) for beta in BETAS
        ],
    }


def _many(mechanism: KeyValue, counts: Counts) -> dict[str, Any]:
    """Compare the reports about each key, in the round of the most, with what draws give."""
    n, d = counts.n, mechanism.d
    if not (n and mechanism.draws_key):
        return {"count": None, "many": [], "z": None}
    reports = counts.support.sum(axis=-1).reshape(-1, d)
    least, rate = critical_count(n, 1 / d, FOUR_SIGMA)
    highest = reports.max(axis=0)
    z = (highest - n / d) / math.sqrt(n / d * (1 - 1 / d))
    return {
        "count": {"expected": n / d, "least": least, **_rates(rate * len(reports), d)},
        "many": np.flatnonzero(highest >= least).tolist(),
        "z": z.round(_DIGITS).tolist(),
    }


def _rates(rate: float, d: int) -> dict[str, float]:
    return {"false_alarm": rate, "false_alarm_any": min(1.0, d * rate)}


def _band(
    law: StateLaw, beta: float, n: int, index_control: bool, no_means: bool
) -> dict[str, Any]:
    """Return one band as JSON data; a key whose reports may all be fake has the widest."""
    share = np.full(law.total.shape, beta)
    if not index_control:
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.nan_to_num(beta * n / law.total, nan=1.0, posinf=1.0).clip(0, 1)
    lost = (share >= 1) | (law.total == 0)
    known = np.where(lost, 0.0, share)
    low, high = _frequencies(law, known, lost)
    drawn = _frequencies(law, np.full(share.shape, beta), law.total == 0)
    mean_low, mean_high = mean_band(law, known)
    sides = {"frequency_low": low, "frequency_high": high}
    if not no_means:
        sides["mean_low"] = np.where(lost, -1.0, mean_low)
        sides["mean_high"] = np.where(lost, 1.0, mean_high)
    return {
        "beta": beta,
        "moved": _moved(law, low, high),
        "moved_drawn": _moved(law, *drawn),
        **{name: side.round(_DIGITS).tolist() for name, side in sides.items()},
    }


def _frequencies(law: StateLaw, share: Floats, lost: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the band of frequencies within [0, 1]; all of it where it is lost."""
    low, high = (side.clip(0, 1) for side in frequency_band(law, share))
    return np.where(lost, 0.0, low), np.where(lost, 1.0, high)


def _moved(law: StateLaw, low: Floats, high: Floats) -> float:
    """Return the largest distance of the bands' ends from the inversion of all reports."""
    value = frequency_band(law, np.zeros(low.shape))[0].clip(0, 1)
    distance = np.maximum(value - low, high - value)[law.total > 0]
    return round(float(distance.max(initial=0.0)), _DIGITS)
