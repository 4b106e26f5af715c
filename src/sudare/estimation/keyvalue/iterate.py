"""EM for the states of every key at once, from the uniform start, with a certificate at its end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

CERTIFICATE = 1e-8
"""Most that the log-likelihood a report may lie below its maximum, when the iteration ends."""

_MOST = 1_000_000


def em(counts: Floats, channel: Floats, tolerance: float | None = None) -> tuple[Floats, int]:
    """Return the states' shares of each key, and the largest number of steps a key took.

    ::

        θ_x <- Σ_z (c_z / N) θ_x M[z, x] / (Mθ)_z       from θ = 1/3

    A key is done when ``max_x Σ_z (c_z / N) M[z, x] / (Mθ)_z - 1 < 1e-8``, which bounds what the
    log-likelihood a report can still gain; or, for the source's early stop, when no share moves by
    ``tolerance`` or more. NaN where a key has no report.

    Args:
        counts: (d, 3) reports of each kind.
        channel: (3, 3), ``M[report, state]``.
        tolerance: stop early instead.
    """
    total = counts.sum(axis=1, keepdims=True)
    out = np.full(counts.shape, np.nan)
    left = np.flatnonzero(total[:, 0] > 0)
    shares = counts[left] / total[left]
    states = np.full(shares.shape, 1 / 3)
    steps = 0
    while left.size and steps < _MOST:
        gains = (shares / (states @ channel.T)) @ channel
        steps += 1
        if tolerance is None:
            done = gains.max(axis=1) - 1 < CERTIFICATE
            moved = states
        else:
            moved = states * gains
            done = np.abs(moved - states).max(axis=1) < tolerance
        if done.any():
            out[left[done]] = moved[done]
            left, shares, states, gains = left[~done], shares[~done], states[~done], gains[~done]
        states = states * gains
    out[left] = states
    return out, steps
