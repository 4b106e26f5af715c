"""``bits``: one independent bit a category, likelier where the category is the value."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.exact.bernoulli import bernoulli_columns, dyadic_planes
from sudare.exact.entropy import Entropy
from sudare.samplers import packed

_BLOCK_ROWS = 1 << 18  # a multiple of 8: whole 64-bit words in every block
_OWN_ROWS = 1 << 17  # whose own bits are put in place together
_BLOCK_CELLS = 1 << 18
_PLANES_MOST = 8  # beyond this many planes a byte a cell is cheaper


@dataclass(frozen=True, slots=True)
class Bits(packed.Packed):
    """Set bit i where a word is below ``own`` (i is the value) or ``other`` (it is not).

    Examples:
        >>> Bits(k=3, width=8, own=128, other=64).ratio     # p = 1/2, q = 1/4
        Fraction(3, 1)
    """

    kind: ClassVar[str] = "bits"

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.k

    @property
    def ratio(self) -> Fraction:
        """``p (1 - q) / (q (1 - p))``: two values differ in two bits."""
        total = 1 << self.width
        return Fraction(self.own * (total - self.other), self.other * (total - self.own))

    @property
    def guess_probability(self) -> float:
        """Any of the bits that are 1 is as good a guess as another; without one, any category::

            ( (p / q) (1 - (1 - q)^k) + (1 - p) (1 - q)^(k - 1) ) / k

        The power has 60 digits.
        """
        total = 1 << self.width
        rest = total - self.other
        none = _power(Fraction(rest, total), self.k)
        ones = Fraction(self.own, self.other) * (1 - none)
        return float((ones + Fraction(total - self.own, rest) * none) / self.k)

    def _held(self, value: int) -> tuple[int]:
        return (value,)

    def _dyadic(self) -> tuple[int, int]:
        """Return ``(j, b)`` with ``other / 2**width = j / 2**b`` in lowest terms."""
        zeros = (self.other & -self.other).bit_length() - 1
        return self.other >> zeros, self.width - zeros

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.uint8]:
        """Randomise values into packed rows; the own bit is drawn apart and put in place."""
        n, size = values.shape[0], self.report_bytes
        if self.width not in (32, 64):
            wire = b"".join(self.draw_one(v, rng) for v in values.tolist())
            return np.frombuffer(wire, dtype=np.uint8).reshape(n, size)
        out = np.empty((n, size), dtype=np.uint8)
        heads = np.arange(0, min(_OWN_ROWS, n) * size, size, dtype=np.intp)  # where rows begin
        scratch = np.empty_like(heads), np.empty((2, heads.size), dtype=np.uint8)
        for start in range(0, n, _BLOCK_ROWS):
            end = min(start + _BLOCK_ROWS, n)
            self._draw_others(out[start:end], rng)
            for first in range(start, end, _OWN_ROWS):
                stop = min(first + _OWN_ROWS, end)
                part = out[first:stop].reshape(-1)
                self._place_own(part, values[first:stop], heads, scratch, rng)
        return out

    def _draw_others(self, out: npt.NDArray[np.uint8], rng: Entropy) -> None:
        numerator, planes = self._dyadic()
        if planes <= _PLANES_MOST:
            dyadic_planes(out, numerator, planes, rng)
            if self.k % 8:
                out[:, -1] &= np.uint8((1 << self.k % 8) - 1)
            return
        rows = max(1, _BLOCK_CELLS // self.k)
        for start in range(0, out.shape[0], rows):
            part = out[start : start + rows]
            cells = bernoulli_columns(part.shape[0] * self.k, self.other, self.width, rng)
            part[:] = packed.pack(cells.reshape(-1, self.k))

    def _place_own(
        self,
        out: npt.NDArray[np.uint8],
        values: npt.NDArray[Any],
        heads: npt.NDArray[np.intp],
        scratch: tuple[npt.NDArray[np.intp], npt.NDArray[np.uint8]],
        rng: Entropy,
    ) -> None:
        n = values.size
        place, bit, cells = scratch[0][:n], scratch[1][0, :n], scratch[1][1, :n]
        np.right_shift(values, 3, out=place, casting="unsafe")
        place += heads[:n]
        out.take(place, out=cells, mode="clip")
        np.bitwise_and(values, 7, out=bit, casting="unsafe")
        np.left_shift(np.uint8(1), bit, out=bit)
        cells |= bit
        bit *= ~bernoulli_columns(n, self.own, self.width, rng)
        cells ^= bit
        out[place] = cells


def _power(base: Fraction, exponent: int) -> Fraction:
    """Return ``base**exponent`` to 60 digits: in full it has millions at a million categories."""
    wide = Context(prec=60)
    return Fraction(wide.power(wide.divide(base.numerator, base.denominator), exponent))
