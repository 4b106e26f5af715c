"""The last nats of a likelihood: Newton steps with signs kept, where the channel is small."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Floats

LARGEST = 1 << 18
"""Most entries of a channel that is written out for these steps."""

_STEPS = 60
_HALVINGS = 30
_SUM_TO_ONE = 1e3


def newton(law: Floats, shares: Floats, start: Floats, gap: float) -> Floats:
    """Return the point that maximises ``Σ_r c_r log (M x)_r`` over ``x >= 0``, ``Σ x = 1``.

    Each step maximises the quadratic model of the log-likelihood at x over the whole simplex, as
    non-negative least squares with ``A = diag(sqrt(c) / y) M``::

        A x = sqrt(c),   gradient A^T sqrt(c):   minimise |A z - 2 sqrt(c)|^2

    and goes towards it by halves until the log-likelihood has grown. Where EM creeps along a
    border of the simplex, a few steps suffice.

    Args:
        law: (reports, values), the channel.
        shares: (reports,) of the reports, sum 1.
        start: (values,) above 0, sum 1.
        gap: stop where ``max_v g_v - 1`` is at most that, g = M^T (c / (M x)).

    Source: Kim, Carbonetto, Stephens, Anitescu 2020 (sequential quadratic programming for
    mixtures).

    Examples:
        >>> law = np.array([[0.6, 0.4], [0.4, 0.6]])
        >>> newton(law, np.array([0.45, 0.55]), np.array([0.5, 0.5]), 1e-12).round(6).tolist()
        [0.25, 0.75]
    """
    from scipy.optimize import nnls

    seen = shares > 0
    law, root = law[seen], np.sqrt(shares[seen])
    x = start
    for _ in range(_STEPS):
        y = law @ x
        rows = (root / y)[:, None] * law
        if float((rows.T @ root).max()) - 1 <= gap:
            break
        system = np.vstack([rows, np.full(x.size, _SUM_TO_ONE)])
        best = nnls(system, np.append(2 * root, _SUM_TO_ONE))[0]
        total = best.sum()
        x, moved = _towards(law, root * root, x, best / total if total > 0 else x)
        if not moved:
            break
    return x


def _towards(law: Floats, weights: Floats, x: Floats, best: Floats) -> tuple[Floats, bool]:
    """Return the first of best, half the way, a quarter, … whose likelihood is above that of x."""
    here, there, part = law @ x, law @ best, 1.0
    for _ in range(_HALVINGS):
        between = here + part * (there - here)
        if between.min() > 0 and float(weights @ np.log(between / here)) > 0:
            return x + part * (best - x), True
        part /= 2
    return x, False
