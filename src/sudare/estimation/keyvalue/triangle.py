"""The exact maximum of a three-state likelihood: where EM would end, in microseconds a key.

Counts c of three reports, ``P(report z | state x) = M[z, x]``, shares θ of three states: the
log-likelihood ``Σ c_z ln (Mθ)_z`` is concave on the triangle of the θ. Its maximum is

- ``M⁻¹ c / N`` where that lies in the triangle: it fits the counts perfectly;
- else on an edge ``θ_i = t, θ_j = 1 - t``, at a root in [0, 1] of ``A t² + B t + Q``, with
  ``b = M[:, j]`` and ``D = M[:, i] - M[:, j]``::

      A = N D0 D1 D2
      B = c0 D0 (D1 b2 + D2 b1) + c1 D1 (D0 b2 + D2 b0) + c2 D2 (D0 b1 + D1 b0)
      Q = c0 D0 b1 b2 + c1 D1 b0 b2 + c2 D2 b0 b1

- or at a corner. The best of these is taken.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sudare.arrays import Floats


def invert(counts: Floats, channel: Floats) -> Floats:
    """Return ``M⁻¹ c / N`` for each row of counts; NaN where a row has none.

    Args:
        counts: (d, 3) reports of each kind.
        channel: (3, 3), ``M[report, state]``.
    """
    with np.errstate(invalid="ignore"):
        shares = counts / counts.sum(axis=1, keepdims=True)
    out: Floats = shares @ np.linalg.inv(channel).T
    return out


def likelihood(counts: Floats, channel: Floats, states: Floats) -> Floats:
    """Return ``Σ c_z ln (Mθ)_z`` for each row, a count of 0 adding nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = counts * np.log(states @ channel.T)
    total: Floats = np.where(counts == 0, 0.0, terms).sum(axis=-1)
    return total


def maximise(counts: Floats, channel: Floats) -> Floats:
    """Return the states' shares of largest likelihood for each row; NaN where a row has no report.

    Examples:
        >>> channel = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])
        >>> maximise(np.array([[3.0, 1.0, 1.0], [8.0, 1.0, 1.0]]), channel).round(3).tolist()
        [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    out = invert(counts, channel)
    outside = np.flatnonzero((out < 0).any(axis=1))
    if outside.size:
        out[outside] = _on_the_border(counts[outside], channel)
    return out


def _on_the_border(counts: Floats, channel: Floats) -> Floats:
    best = np.zeros_like(counts)
    most = np.full(counts.shape[0], -np.inf)
    for i, j in combinations(range(3), 2):
        for t in (*_roots(counts, channel, i, j), np.zeros(len(counts)), np.ones(len(counts))):
            states = np.zeros_like(counts)
            states[:, i], states[:, j] = t, 1 - t
            value = likelihood(counts, channel, states)
            better = value > most
            best[better], most[better] = states[better], value[better]
    return best


def _roots(counts: Floats, channel: Floats, i: int, j: int) -> tuple[Floats, Floats]:
    """Return both roots of the quadratic, moved into [0, 1]; 0 where there is none."""
    b0, b1, b2 = channel[:, j]
    d0, d1, d2 = channel[:, i] - channel[:, j]
    c0, c1, c2 = counts.T
    lead = (c0 + c1 + c2) * d0 * d1 * d2
    middle = (
        c0 * d0 * (d1 * b2 + d2 * b1)
        + c1 * d1 * (d0 * b2 + d2 * b0)
        + c2 * d2 * (d0 * b1 + d1 * b0)
    )
    last = c0 * d0 * b1 * b2 + c1 * d1 * b0 * b2 + c2 * d2 * b0 * b1
    square = np.maximum(middle**2 - 4 * lead * last, 0.0)
    half = -0.5 * (middle + np.copysign(np.sqrt(square), middle))  # no cancellation
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = np.nan_to_num([half / lead, last / half], nan=0.0, posinf=1.0, neginf=0.0)
    return np.clip(roots[0], 0, 1), np.clip(roots[1], 0, 1)
