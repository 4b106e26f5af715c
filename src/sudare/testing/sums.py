"""The law of a sum of many small independent steps, by its characteristic function."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_SPREAD = 12  # standard deviations kept on each side, and as many whole steps more
_ERROR = 1e-9  # of the probabilities, for up to a million steps


@dataclass(frozen=True, slots=True)
class Middle:
    """The middle half of a law of whole numbers, ``low <= x <= high``.

    Attributes:
        low, high: the quartiles.
        below, within, above: probabilities of the three parts.
    """

    low: int
    high: int
    below: float
    within: float
    above: float


def law_of_sum(groups: Sequence[tuple[int, Mapping[int, float]]]) -> Middle:
    """Return the middle half of the law of a sum of independent steps.

    ::

        P(X = x mod M) = 1/M sum_t e^(2 pi i x t / M) prod_g phi_g(t)^(n_g),
        phi_g(t) = sum_s P_g(s) e^(-2 pi i s t / M)

    M reaches so far beyond the mean on each side that what is folded is below 1e-25
    (Bernstein); the floats are right to about n 2^-53, so that the probabilities are given within
    1e-9 and never nearer than that to 0 or 1.

    Args:
        groups: ``(n_g, law of one step)``; steps are whole numbers from -2 to 2. A probability
            that is negative by a rounding error counts as 0.

    Examples:
        >>> middle = law_of_sum([(2, {0: 0.5, 1: 0.5})])
        >>> middle.low, middle.high, round(middle.within, 12)
        (0, 1, 0.75)
    """
    mean = sum(n * sum(s * w for s, w in law.items()) for n, law in groups)
    variance = sum(
        n * (sum(s * s * w for s, w in law.items()) - sum(s * w for s, w in law.items()) ** 2)
        for n, law in groups
    )
    half = _SPREAD * math.ceil(math.sqrt(max(variance, 0.0)) + _SPREAD)
    size = 1 << (2 * half).bit_length()
    start = round(mean) - size // 2
    angle = 2 * math.pi * np.arange(size) / size
    transform = np.exp(1j * ((start * np.arange(size)) % size) * (2 * math.pi / size))
    for n, law in groups:
        phi = sum(max(w, 0.0) * np.exp(-1j * s * angle) for s, w in law.items())
        transform *= phi**n
    mass: npt.NDArray[np.float64] = np.clip(np.fft.ifft(transform).real, 0, None)
    total = np.cumsum(mass)
    low, high = (int(np.searchsorted(total, x)) for x in (0.25, 0.75))
    below = float(total[low - 1])
    above = float(mass[high + 1 :].sum())
    below, within, above = (
        min(max(x, _ERROR), 1 - _ERROR) for x in (below, 1 - below - above, above)
    )
    return Middle(start + low, start + high, below, within, above)
