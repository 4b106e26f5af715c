"""Where falling functions cross 0: how far an interval reaches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sudare.arrays import Booleans, Floats, Integers

_CLOSE = 2.0**-44
_MOST = 100  # many more than halving the bracket takes


def crossing(falls: Callable[[Floats], Floats], x: Floats, slope: Floats) -> Floats:
    """Return where functions that fall on [0, 1] cross 0, an end where they do not, to 2^-44.

    Secants; the middle of what is known where one leaves that, or halves the value no more.

    Args:
        falls: from an x for each function to their values; what is no number counts as below 0.
        x: where to start.
        slope: of each function about there, below 0.

    Examples:
        >>> crossing(lambda x: 0.25 - x * x, np.array([0.3]), np.array([-1.0])).round(6).tolist()
        [0.5]
    """
    inside, outside = np.full_like(x, -1.0), np.full_like(x, 2.0)
    x, done, known = x.clip(0, 1), *np.zeros((2, *x.shape), np.bool_)
    last, before = x, np.full_like(x, np.inf)
    for _ in range(_MOST):
        y = falls(x)
        held = y >= 0
        inside, outside = np.where(held, x, inside), np.where(held, outside, x)
        with np.errstate(all="ignore"):
            steep = (y - before) / (x - last)
            secant = (steep < 0) & np.isfinite(steep) & (np.abs(x - last) > _CLOSE)
            slope, known = np.where(secant, steep, slope), known | secant
            ahead = x - y / slope
            good = (inside < ahead) & (ahead < outside) & (np.abs(y) < np.abs(before) / 2)
        near = (np.abs(ahead - x) <= _CLOSE) & (known | (y == 0))
        ahead = np.where(near | good, ahead, (inside + outside) / 2).clip(0, 1)
        last, before, x = x, y, np.where(done, x, ahead)
        done |= (np.abs(x - last) <= _CLOSE) | (outside - inside <= _CLOSE)
        if done.all():
            break
    return x


def reach(kept: Callable[[Floats], Floats], inside: Floats, end: Floats) -> Floats:
    """Return how far one can go from the inside towards the end before ``kept`` falls below 0.

    The end where it is kept there. What is no number is kept.

    Examples:
        >>> reach(lambda x: 9 - x * x, np.zeros(2), np.array([-2.0, 5.0])).round(6).tolist()
        [-2.0, 3.0]
    """
    way = end - inside

    def falls(part: Floats) -> Floats:
        return np.nan_to_num(kept(inside + way * part), nan=0.0)

    first, last = falls(np.zeros_like(way)), falls(np.ones_like(way))
    slope = np.minimum(last - first, -1e-300)
    part = crossing(falls, -first / slope, slope)
    return np.where(last >= 0, end, inside + way * part)


def last_step(holds: Callable[[Integers], Booleans], steps: Integers, guess: Integers) -> Integers:
    """Return the last of the steps from 0 on at which ``holds``; -1 where there is none.

    From a guess in strides that double, until the step is passed; then by halves.

    Examples:
        >>> last_step(lambda i: i * i <= 50, np.array([100]), np.array([6])).tolist()
        [7]
    """
    inside, outside = np.full_like(steps, -1), steps + 1
    at, stride = guess.clip(0, steps), 1
    while (outside - inside > 1).any():
        held = holds(at)
        inside = np.where(held, np.maximum(inside, at), inside)
        outside = np.where(held, outside, np.minimum(outside, at))
        at = np.where(outside > steps, inside + stride, outside - stride)
        at = np.where((inside >= 0) & (outside <= steps), (inside + outside) // 2, at)
        at = np.minimum(np.maximum(at, inside + 1), outside - 1).clip(0, steps)
        stride *= 2
    return inside
