"""Where a random group of the respondents answers: its size, and what that tells."""

from __future__ import annotations

import numpy as np

from sudare.estimation.estimate import Target


def known_part(group: int, people: int, target: Target) -> float:
    """Return ``known`` of a :class:`~sudare.estimation.shares.ShareLaw` for such a group."""
    if target == "population":
        return 0.0
    return (group - 1) / (people - 1) if people > 1 else 1.0


def mean_reciprocal(n: int, parts: int) -> float:
    """Return ``E[1/N | N >= 1]`` for ``N ~ Binomial(n, 1/parts)``, to double precision.

    ::

        E[1/N; N >= 1] = Σ_{i=0}^{n-1} (r^i - r^n) / (n - i),   r = 1 - 1/parts

    (integrate ``(E[t^N] - r^n) / t``). Terms below e^-45 of the first one are left out.

    Examples:
        >>> mean_reciprocal(2, 2), 2 / 3 * 1 + 1 / 3 * 1 / 2
        (0.8333..., 0.8333...)
    """
    if parts == 1:
        return 1 / n
    rest = 1 - 1 / parts
    i = np.arange(min(n, int(-45 / np.log(rest)) + 1), dtype=np.float64)
    none = rest ** min(n, 2**52)
    return float(((rest**i - none) / (n - i)).sum()) / (1 - none)
