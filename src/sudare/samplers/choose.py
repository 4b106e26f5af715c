"""``choose``: d of k categories; the value is among them by one threshold, the others are even."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, ReportError, counted
from sudare.exact.bernoulli import bernoulli, dyadic_planes
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.subsets import quickest
from sudare.exact.uniform import uniform, uniform_one
from sudare.samplers import base, packed
from sudare.samplers.fields import WIDTH, Field, threshold, whole

MAX_CHOOSE_CATEGORIES = 4096

_BLOCK_BYTES = 1 << 20
_PLANE_COST = 1 / 1000  # of a packed random bit, beside one step of the correction
_STEP_COST = 25  # of one step, in nanoseconds
_MOST_WITH_TAILS = 512


@dataclass(frozen=True, slots=True)
class Choose(packed.Row):
    """Set ``size`` of k bits: the value's with ``own / 2**width``, the others evenly.

    One report consumes a little-endian word of ``width`` bits, w: the value is in it where
    w < own. Then the rest of the set, m of the k - 1 other categories (in their order, without the
    value), by Floyd's algorithm: for j from k - 1 - m to k - 2 a number t is drawn from 0..j as
    :func:`~sudare.exact.uniform.uniform_one` does; t is taken, or j where t is taken already. Every
    set of m is equally likely, exactly.

    Examples:
        >>> Choose(k=4, width=8, own=192, size=2).ratio     # own / (256 - own), as d = k - d
        Fraction(3, 1)
    """

    kind: ClassVar[str] = "choose"
    fields: ClassVar[Mapping[str, Field]] = {
        "k": whole(2, MAX_CHOOSE_CATEGORIES),
        "width": WIDTH,
        "own": threshold(),
        "size": whole(1, MAX_CHOOSE_CATEGORIES - 1),
    }
    k: int
    width: int
    own: int
    size: int

    def __post_init__(self) -> None:
        base.check_width(self.width)
        if not 1 <= self.size < self.k:
            raise CollectionError("program.size", "must be a whole number from 1 to k - 1")
        if not self.size << self.width < self.own * self.k < self.k << self.width:
            raise CollectionError("program.own", "must be above size / k of 2**width, and below it")

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.k

    @property
    def ratio(self) -> Fraction:
        """``p (k - d) / ((1 - p) d)``: of a set that holds one of two values and not the other."""
        lost = (1 << self.width) - self.own
        return Fraction(self.own * (self.k - self.size), lost * self.size)

    @property
    def guess_probability(self) -> float:
        """``p / d``: the guess is any of the set."""
        return self.own / (self.size << self.width)

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: 0 where a report has not ``size`` ones."""
        total, others = 1 << self.width, self.k - 1
        own = Fraction(self.own, total * comb(others, self.size - 1))
        lost = Fraction(total - self.own, total * comb(others, self.size))
        none, reports = Fraction(0), range(1 << self.k)
        sets = [report.bit_count() == self.size for report in reports]
        return [
            [(own if r >> value & 1 else lost) if sets[r] else none for r in reports]
            for value in values
        ]

    def draw_one(self, value: int, entropy: EntropySource) -> bytes:
        """Randomise one value: a word, and one or a few of 32 bits for each other category."""
        own = base.word(entropy, self.width) < self.own
        taken: set[int] = set()
        for j in range(self.k - 1 - self.size + own, self.k - 1):
            t = uniform_one(j + 1, entropy)
            taken.add(j if t in taken else t)
        bits = sum(1 << i + (i >= value) for i in taken) | own << value
        return bits.to_bytes(self.report_bytes, "little")

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.uint8]:
        """Randomise values into packed rows.

        Sets of few categories are drawn by :mod:`~sudare.exact.subsets`. Else independent bits of
        one probability are drawn for the other categories; while a row has too many or too few,
        one at a random place falls away or comes in. Whatever that probability is, every set of the
        right size stays equally likely.
        """
        n, size = values.shape[0], self.report_bytes
        if self.width not in (32, 64):
            wire = b"".join(self.draw_one(v, rng) for v in values.tolist())
            return np.frombuffer(wire, dtype=np.uint8).reshape(n, size)
        if self.k <= _MOST_WITH_TAILS:
            sets = quickest(self.k, self.size, self.own, (1 << self.width) - self.own)
            if sets.cost < _STEP_COST * self.size:
                return sets.draw(values, rng)
        out = np.zeros((n, size), dtype=np.uint8)
        rows = max(8, _BLOCK_BYTES // size // 8 * 8)
        for start in range(0, n, rows):
            self._draw_block(out[start : start + rows], values[start : start + rows], rng)
        return out

    def _draw_block(
        self, out: npt.NDArray[np.uint8], values: npt.NDArray[Any], rng: Entropy
    ) -> None:
        own = bernoulli(len(out), self.own, self.width, rng)
        numerator, planes = _nearest(self.k, self.size)
        if numerator:
            dyadic_planes(out, numerator, planes, rng)
            if self.k % 8:
                out[:, -1] &= np.uint8((1 << self.k % 8) - 1)
        at = values.astype(np.intp)
        rows = np.arange(len(out))
        out[rows, at >> 3] &= ~_bit(at)
        missing = self.size - own - packed.ones(out).astype(np.intp)
        self._correct(out.reshape(-1), at, missing, rng)
        out[rows, at >> 3] |= _bit(at) * own

    def _correct(
        self,
        flat: npt.NDArray[np.uint8],
        values: npt.NDArray[np.intp],
        missing: npt.NDArray[np.intp],
        rng: Entropy,
    ) -> None:
        """Add what is missing to each row, or take what it has too many, at random places."""
        left = np.flatnonzero(missing)
        values, missing = values[left], missing[left]
        while left.size:
            place = uniform(left.size, self.k, rng).astype(np.intp)
            byte, bit = left * self.report_bytes + (place >> 3), _bit(place)
            held = (flat[byte] & bit) != 0
            fits = (held == (missing < 0)) & (place != values)
            flat[byte[fits]] ^= bit[fits]  # one place a row: no byte twice
            missing = missing - fits * np.sign(missing)
            more = np.flatnonzero(missing)
            left, values, missing = left[more], values[more], missing[more]

    def encode_one(self, report: bytes | npt.NDArray[np.uint8]) -> bytes:
        """Return the packed bits, checked to be ``size`` ones."""
        wire = bytes(report)
        self.check_wire(wire)
        return wire

    def decode(self, wire: bytes) -> npt.NDArray[np.uint8]:
        """Return packed rows ``(n, ceil(k / 8))`` of ``size`` ones each."""
        rows = super(Choose, self).decode(wire)
        if not packed.all_have(rows, self.size):
            raise self._of_another_size()
        return rows

    def check_wire(self, wire: bytes) -> None:
        """Check one set."""
        super(Choose, self).check_wire(wire)
        if int.from_bytes(wire, "little").bit_count() != self.size:
            raise self._of_another_size()

    def _of_another_size(self) -> ReportError:
        return ReportError("report", f"must have {counted(self.size, 'one')}")


def _bit(place: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
    return np.left_shift(np.uint8(1), (place & 7).astype(np.uint8))


@lru_cache(256)
def _nearest(k: int, size: int) -> tuple[int, int]:
    """Return ``(j, b)``: bits of probability ``j / 2^b`` from which sets are made soonest."""

    def steps(j: int, b: int) -> float:
        q = j / (1 << b)
        mean, deviation = k * q, math.sqrt(k * q * (1 - q))
        z = (size - mean) / deviation if deviation else 0.0
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        above = (size - mean) * (1 + math.erf(z / math.sqrt(2))) / 2 + deviation * density
        few = max(above, 0.0) if deviation else size - mean
        return few * k / (k - size) + (few - size + mean) * k / size + b * k * _PLANE_COST

    options = [(j, b) for b in range(1, 9) for j in range(1, 2**b, 2)]
    return min([(0, 0), *options], key=lambda one: steps(*one))
