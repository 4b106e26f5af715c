"""EM for the states of every key at once, from the uniform start, with a certificate at its end."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Floats

CERTIFICATE = 1e-8
"""Most that the log-likelihood a report may lie below its maximum, when the iteration ends."""

MOST_STEPS = 1_000_000


def em(counts: Floats, channel: Floats, tolerance: float | None = None) -> tuple[Floats, int]:
    """Return the states' shares of each key, and how many steps the slowest key took.

    ::

        θ_x <- Σ_z (c_z / N) θ_x M[z, x] / (Mθ)_z       from θ = 1/3

    A key is done when ``max_x Σ_z (c_z / N) M[z, x] / (Mθ)_z - 1 < 1e-8``, which bounds what the
    log-likelihood a report can still gain; three steps at a time are taken together where that
    gains more (SQUAREM). Or, for the source's early stop, when no share moves by ``tolerance`` or
    more; then every step is a plain one. NaN where a key has no report, and where it is not done
    after a million steps.

    Args:
        counts: (d, 3) reports of each kind.
        channel: (3, 3), ``M[report, state]``.
        tolerance: stop early instead.

    Source: Ye, Hu, Meng, Zheng 2019 have the protocol; Dempster, Laird, Rubin 1977 the steps;
    Varadhan, Roland 2008 (scheme S3) their acceleration.
    """
    left = np.flatnonzero(counts.any(axis=1))
    out = np.full(counts.shape, np.nan)
    shares = (counts[left] / counts[left].sum(axis=1, keepdims=True)).T
    states = np.full(shares.shape, 1 / 3)
    reach = np.ones(left.size)
    steps = 0
    while left.size and steps < MOST_STEPS:
        gains = _gains(states, shares, channel)
        after = states * gains
        steps += 1
        if tolerance is None:
            done, found = gains.max(axis=0) - 1 < CERTIFICATE, states
        else:
            done, found = np.abs(after - states).max(axis=0) < tolerance, after
        if done.any():
            out[left[done]] = found[:, done].T
            left, reach = left[~done], reach[~done]
            shares, states, after = (rows[:, ~done] for rows in (shares, states, after))
        if tolerance is None:
            states, reach = _leap(states, after, reach, shares, channel)
            steps += 2
        else:
            states = after
    return out, steps


def _gains(states: Floats, shares: Floats, channel: Floats) -> Floats:
    """Return the factor of each share in one step; all arrays (3, keys)."""
    out: Floats = channel.T @ (shares / (channel @ states))
    return out


def _leap(
    states: Floats, after: Floats, reach: Floats, shares: Floats, channel: Floats
) -> tuple[Floats, Floats]:
    """Return the shares after two more steps, or after a leap where it is likelier, and its reach.

    Where the leap is taken the next may be four times as long; where it is not, a quarter.
    """
    twice = after * _gains(after, shares, channel)
    first = after - states
    second = twice - after - first
    with np.errstate(divide="ignore", invalid="ignore"):
        length = np.sqrt((first**2).sum(axis=0) / (second**2).sum(axis=0))
    length = np.minimum(np.nan_to_num(length, nan=1.0), reach)
    far = states + 2 * length * first + length**2 * second
    far = np.where(far > 0, far, twice / 1000)
    far /= far.sum(axis=0)
    better = (shares * np.log((channel @ far) / (channel @ after))).sum(axis=0) >= 0
    leapt = far * _gains(far, shares, channel)
    reach = np.where(better, np.where(length < reach, reach, 4 * reach), np.maximum(reach / 4, 1))
    return np.where(better, leapt, twice), reach
