"""Hadamard response: a report is one of the fewest reports that are a power of two and above k."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare import samplers
from sudare.arrays import Floats
from sudare.errors import OutOfReachError
from sudare.estimation.support import Places, SupportLaw
from sudare.exact import exp_bounds, log_bounds
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.frequency.numbered import Numbered
from sudare.mechanisms.registry import register


@dataclass(frozen=True)
class HadamardLaw(SupportLaw):
    """The law of reports that support the half where a category's Hadamard row is +1.

    Rows multiply as their numbers add without carry: the product of rows a and b is row
    ``a xor b``. Two categories are supported together as by independent coins, but where the value
    is one of them, or the third whose row is the product of theirs.
    """

    def pair_probability(self, i: Places, j: Places, value: Places) -> Floats:
        """As every law: ``p / 2`` where the value is i, j or their third, else 1/4."""
        a, b, own = (np.asarray(place) + 1 for place in (i, j, value))
        known = (a == own) | (b == own) | (a ^ b == own)
        return np.where(known, float(self.p) / 2, 0.25)

    def noise(self, weights: Floats, shares: Floats) -> float:
        """As every law, by two fast transforms, with d = 2 p - 1::

        ( mean_r (H w)_r^2 (1 + d (H x)_r) ) / d^2 - Σ x_v w_v^2
        """
        gap = float(2 * self.p - 1)
        sums, means = (transformed(_in_rows(one)) for one in (weights, shares))
        square = float(sums**2 @ (1 + gap * means)) / sums.size
        return square / gap**2 - float(shares @ weights**2)


@register
class HadamardResponse(Numbered):
    """Report one of K numbers: with p one where the category's Hadamard row is +1, else another.

    ::

        K = 2^b > k,   H[r, s] = (-1)^(ones of r and s),   category i has row i + 1
        p = e^ε / (e^ε + 1),   q = 1/2

    Half of a row is +1 and half of it -1; a report is even within each half, and supports the
    categories in whose row it is +1.

    Guarantee: ε-local differential privacy of one answer (any two values are neighbours).
    Reports: (n,) numbers in [0, K) of the smallest unsigned dtype. Source: Acharya, Sun,
    Zhang 2019, the scheme for small ε; their one for large ε is not built.

    Integers: a report of the half of -1 has ``other = ceil(2^(w+1) / (K (e^ε + 1)))`` of 2^w, one
    of the half of +1 ``own = 2^(w+1) / K - other``.

    Raises:
        OutOfReachError: more than 255 categories: a device gets the whole table.

    Examples:
        >>> import sudare as sd
        >>> m = sd.HadamardResponse(k=5, epsilon=1.0)
        >>> m.program.outputs, float(m.support_probabilities[1])
        (8, 0.5)
        >>> m.aggregate([0, 0, 3]).support.tolist()
        [2, 2, 3, 3, 2]
    """

    name: ClassVar[str] = "HadamardResponse"
    max_k: ClassVar[int] = 255
    __slots__ = ()
    program: samplers.Table

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> samplers.Table:
        gamma = exp_bounds(epsilon)[0]  # a rational below e^ε: never too little noise
        signs = (rows(1 << k.bit_length())[1 : k + 1] > 0).tolist()
        for width in (32, 64, 128):
            both = (2 << width) >> k.bit_length()
            other = math.ceil(both / (gamma + 1))
            own = both - other
            if own <= other or epsilon - log_bounds(Fraction(own, other))[0] > TOLERANCE:
                continue
            weights = [[own if sign else other for sign in row] for row in signs]
            return samplers.Table.from_weights(weights, width)
        raise OutOfReachError("epsilon", f"is out of reach at k = {k}", got=float(epsilon))

    @property
    def law(self) -> HadamardLaw:
        """Probabilities of supporting the true category and each other one, which is 1/2."""
        reports, width = self.program.outputs, self.program.width
        own = self.program.rows[0][0]  # every row is +1 at the first report
        return HadamardLaw(Fraction(own * reports, 2 << width), Fraction(1, 2))

    def _support(self, tally: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        sums = transformed(tally)  # reports at +1 less those at -1; the first is all of them
        return np.asarray((sums[0] + sums[1 : self.k + 1]) // 2)

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        # one multinomial a category, over the K reports
        reports = self.program.outputs
        laws = 1 + float(2 * self.law.p - 1) * rows(reports)[1 : self.k + 1]
        return self._support(generator.multinomial(truth, laws / reports).sum(axis=0))


@lru_cache(16)
def rows(size: int) -> npt.NDArray[np.int64]:
    """Return Sylvester's matrix of this size, a power of two: 1 and -1. Read only."""
    out = transformed(np.eye(size, dtype=np.int64))
    out.setflags(write=False)
    return out


def transformed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return ``H values`` along the first axis, a power of two long, in K log K steps."""
    out, half = values, 1
    while half < len(values):
        pairs = out.reshape(-1, 2, half, *values.shape[1:])
        out = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), axis=1)
        half *= 2
    return out.reshape(values.shape)


def _in_rows(values: Floats) -> Floats:
    """Return numbers of k categories at the places of their rows, the others 0."""
    k = values.size
    out = np.zeros(1 << k.bit_length())
    out[1 : k + 1] = values
    return out
