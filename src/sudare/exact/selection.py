"""Exact choices: the exponential mechanism and permute-and-flip.

Proofs: ``docs/proofs/noise.md``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np

from sudare.arrays import Integers
from sudare.exact.bounds import exp_bounds
from sudare.exact.entropy import Entropy
from sudare.exact.reals import flips_exp
from sudare.exact.uniform import uniform_one

_ROUNDING = 2.0**-50
"""Error of a float cumulative weight, as a share of all, for each choice and 4,096 more."""


def exponential(
    losses: Integers, rate: Fraction, rng: Entropy, *, times: Integers | None = None
) -> int:
    """Return an index drawn with ``P(i) ∝ times_i exp(-rate losses_i)``, exactly.

    One uniform number against the cumulative weights: floats decide where it is farther from a
    border than their error can be, else rational bounds of growing precision.

    Args:
        losses: (k,) whole numbers, the best the least.
        rate: ε / (2 sensitivity of a loss), or ε / sensitivity where all losses move one way.
        times: (k,) whole numbers >= 0, not all 0: how many choices each stands for.

    Source: McSherry, Talwar 2007.

    Examples:
        >>> draws = [exponential(np.array([0, 1, 9]), Fraction(1), Entropy.system()) for _ in "abc"]
        >>> set(draws) <= {0, 1, 2}
        True
    """
    many = np.ones(losses.size, dtype=np.int64) if times is None else times
    possible = np.flatnonzero(many)
    many, left = many[possible], losses[possible] - losses[possible].min()
    with np.errstate(under="ignore"):
        ends = np.cumsum(many * np.exp(-float(rate) * left))
    word, bits = int.from_bytes(rng.take(8), "little"), 64
    spot = float(word) * 2.0**-64 * ends[-1]
    margin = ends[-1] * (left.size + 4096) * _ROUNDING
    first, last = np.searchsorted(ends, [spot - margin, spot + margin], side="right").tolist()
    if first == last:
        return int(possible[first])
    return int(possible[_exactly(left, rate, many, word, bits, rng)])


def _exactly(
    left: Integers, rate: Fraction, many: Integers, word: int, bits: int, rng: Entropy
) -> int:
    """Return the position in whose share U lies, the first bits of U being ``word``."""
    kinds, of = np.unique(left, return_inverse=True)
    while True:
        digits = 30 + math.ceil(bits * 0.302)
        bounds = [exp_bounds(-rate * loss, digits) for loss in kinds.tolist()]
        own = [bounds[kind] for kind in of.tolist()]
        lows = list(accumulate(c * low for c, (low, _) in zip(many.tolist(), own, strict=True)))
        highs = list(accumulate(c * high for c, (_, high) in zip(many.tolist(), own, strict=True)))
        # the border after i lies between lows[i] / highs[-1] and highs[i] / lows[-1]
        unit = Fraction(1, 1 << bits)
        u, top = word * unit, (word + 1) * unit
        surely_after = sum(1 for high in highs[:-1] if high <= u * lows[-1])
        perhaps_after = sum(1 for low in lows[:-1] if low < top * highs[-1])
        if surely_after == perhaps_after:
            return surely_after
        word = word << 64 | int.from_bytes(rng.take(8), "little")
        bits += 64


def permute_and_flip(losses: Integers, rate: Fraction, rng: Entropy) -> int:
    """Return an index by permute-and-flip: never worse than the exponential mechanism.

    All flip a coin of probability ``exp(-rate (loss_i - least loss))``; one of the winners is
    drawn uniformly: the first winner of a random order.

    Args:
        losses, rate: as for :func:`exponential`.

    Source: McKenna, Sheldon 2020, algorithm 1.

    Examples:
        >>> permute_and_flip(np.array([0, 900, 900]), Fraction(1), Entropy.system())
        0
    """
    left = losses - losses.min()
    whole = left.tolist()
    won = np.flatnonzero(flips_exp(float(rate) * left, lambda i: rate * whole[i], rng))
    return int(won[uniform_one(won.size, rng)])
