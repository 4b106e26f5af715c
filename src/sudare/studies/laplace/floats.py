"""Laplace noise in floats, and which answers it can give at all.

A uniform number of so many bits goes through the inverse of the distribution function, as
``VGAM::rlaplace`` does it: there are only as many noises as uniform numbers, and which floats
``truth + noise`` can be depends on the truth (Mironov 2012).
"""

from __future__ import annotations

import numpy as np

from sudare.arrays import Booleans, Floats, Integers

_AROUND = 8


def noise(words: Integers, bits: int, scale: float) -> Floats:
    """Return Laplace noise from uniform numbers ``words / 2^bits``, words not 0.

    Examples:
        >>> noise(np.array([1, 2, 3]), 2, 1.0).round(4).tolist()
        [-0.6931, -0.0, 0.6931]
    """
    u = words * 2.0**-bits
    with np.errstate(divide="ignore"):
        logs = np.log(2.0) + np.where(u < 0.5, np.log(u), np.log1p(-u))
    out: Floats = -np.sign(u - 0.5) * scale * logs
    return out


def possible(answers: Floats, truth: float, bits: int, scale: float) -> Booleans:
    """Tell for each answer whether the truth and some noise add up to it, bit for bit.

    The uniform numbers around the one that the answer comes from are tried.

    Examples:
        >>> given = 50.0 + noise(np.arange(1, 1 << 10), 10, 1.0)
        >>> bool(possible(given, 50.0, 10, 1.0).all())
        True
    """
    away = (answers - truth) / scale
    u = np.where(away < 0, 0.5 * np.exp(np.minimum(away, 0)), 1 - 0.5 * np.exp(-np.abs(away)))
    guess = np.rint(u * 2.0**bits).astype(np.int64)
    found = np.zeros(answers.size, dtype=np.bool_)
    for step in range(-_AROUND, _AROUND + 1):
        words = np.clip(guess + step, 1, (1 << bits) - 1)
        found |= truth + noise(words, bits, scale) == answers
    return found
