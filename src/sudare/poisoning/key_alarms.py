"""What looks poisoned in the counts of key-value reports."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.keyvalue.law import StateLaw
from sudare.mechanisms import KeyValue
from sudare.poisoning.band import frequency_band, mean_band
from sudare.poisoning.false_alarms import (
    BETAS,
    DIGITS,
    FALSE_ALARM,
    FOUR_SIGMA,
    MOST_RATIO,
    critical_count,
    likelihood_ratios,
)


def key_alarms(mechanism: KeyValue, counts: Counts, index_control: bool) -> dict[str, Any]:
    """Return :func:`~sudare.poisoning.alarms` of keys; of checked counts."""
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
        "ratio": ratio.round(DIGITS).tolist(),
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
        "z": z.round(DIGITS).tolist(),
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
        **{name: side.round(DIGITS).tolist() for name, side in sides.items()},
    }


def _frequencies(law: StateLaw, share: Floats, lost: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the band of frequencies within [0, 1]; all of it where it is lost."""
    low, high = (side.clip(0, 1) for side in frequency_band(law, share))
    return np.where(lost, 0.0, low), np.where(lost, 1.0, high)


def _moved(law: StateLaw, low: Floats, high: Floats) -> float:
    """Return the largest distance of the bands' ends from the inversion of all reports."""
    value = frequency_band(law, np.zeros(low.shape))[0].clip(0, 1)
    distance = np.maximum(value - low, high - value)[law.total > 0]
    return round(float(distance.max(initial=0.0)), DIGITS)
