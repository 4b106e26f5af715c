"""L-SUE and L-OSUE: a permanent bit a category, and each bit flipped again in each round."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.exact import log_bounds
from sudare.exact.entropy import Entropy, EntropySource
from sudare.frozen import set_fields
from sudare.mechanisms.frequency.unary import OUE, SUE, Unary
from sudare.mechanisms.registry import register
from sudare.mechanisms.repeated.base import Repeated
from sudare.mechanisms.repeated.composing import bits_twice, second_of
from sudare.mechanisms.repeated.memory import Permanent
from sudare.mechanisms.repeated.sequences import Settled, bits_epsilon
from sudare.mechanisms.repeated.totals import as_rounds, changing, mixed, steady
from sudare.samplers import Bits, Subset
from sudare.samplers.subset import MAX_SET_CATEGORIES


class Flipped(Repeated, Unary):
    """What both share: an encoding kept for good, and a symmetric flip of each bit in each round.

    Must implement: ``encoding``.
    """

    encoding: ClassVar[type[Unary]]
    """The encoding of the permanent answer."""
    max_k: ClassVar[int] = MAX_SET_CATEGORIES
    __slots__ = ()
    program: Bits
    permanent: Bits
    instant: Subset

    @classmethod
    def _thresholds(cls, epsilon: Fraction, width: int) -> tuple[int, int]:
        return cls.encoding._thresholds(epsilon, width)

    def _build(self) -> None:
        self._check_k()
        k, first = self.k, self.encoding(self.k, self.requested_permanent).program

        def make(width: int, flip: int) -> tuple[Subset, Bits]:
            second = Subset(k=k, width=width, own=(1 << width) - flip, other=flip, most=k)
            return second, bits_twice(first, second)

        second = second_of(make, lambda width: (1 << width) // 2 - 1, self.requested_epsilon)
        set_fields(self, permanent=first, instant=second, program=bits_twice(first, second))

    @property
    def states(self) -> int:
        """k: one permanent answer a category."""
        return self.k

    @property
    def _bits(self) -> tuple[Fraction, Fraction, Fraction]:
        """Probabilities of a permanent bit, of the value and of others; how a flip tells them."""
        total = 1 << self.permanent.width
        each = Fraction(self.instant.own, self.instant.other)
        return Fraction(self.permanent.own, total), Fraction(self.permanent.other, total), each

    def steady_ratio(self, rounds: int) -> Fraction:
        """Return the exact largest ratio of two constant answers: of the two bits that differ."""
        own, other, each = self._bits
        power = each ** as_rounds(rounds)
        return steady(own, other, power) * mixed(1 - other, power) / mixed(1 - own, power)

    def total_ratio(self, rounds: int) -> Fraction:
        """Return a wide bound on the ratio of any two sequences of answers; exact for one round."""
        return self.program.ratio if as_rounds(rounds) == 1 else self._bit_ratio(rounds) ** self.k

    def _changing(self, rounds: int) -> float:
        return bits_epsilon(Settled.of(self.k, self.k, *self._bits), rounds)

    def wide_bounds(self, rounds: int) -> tuple[Fraction, Fraction] | None:
        """Return rationals just below and above the logarithm: k times that of one bit."""
        if rounds == 1:
            return super().wide_bounds(rounds)
        low, high = log_bounds(self._bit_ratio(rounds))
        return self.k * low, self.k * high

    def _bit_ratio(self, rounds: int) -> Fraction:
        own, other, each = self._bits
        ends = (own, 1 - own, other, 1 - other)
        return changing(max(ends), min(ends), each, rounds)

    def _is_settled(self, one: Permanent, drawn: Any) -> bool:
        return isinstance(one, bytes) and is_packed(one, self.k)

    def _tell(self, settled: Any, drawn: Any, entropy: EntropySource) -> bytes:
        row = np.frombuffer(settled, dtype=np.uint8)[None]
        return self.instant.draw_one(np.flatnonzero(unpacked(row, self.k)[0]).tolist(), entropy)

    def _tell_many(self, settled: npt.NDArray[Any], drawn: Any, rng: Entropy) -> npt.NDArray[Any]:
        return self.instant.draw(unpacked(settled, self.k), rng)


def is_packed(bits: bytes, k: int) -> bool:
    """Tell whether these are k packed bits, and none beyond."""
    return len(bits) == -(-k // 8) and int.from_bytes(bits, "little") >> k == 0


def unpacked(rows: npt.NDArray[np.uint8], k: int) -> npt.NDArray[np.bool_]:
    """Return packed rows as (n, k) booleans."""
    return np.unpackbits(rows, axis=1, count=k, bitorder="little").astype(np.bool_)


@register
class LSUE(Flipped):
    """Permanent and instantaneous symmetric unary encoding (L-SUE, basic RAPPOR).

    ::

        permanent: SUE at ε_∞, p_1 + q_1 = 1;   each round: every bit flips with q_2
        p = p_1 (1 - q_2) + (1 - p_1) q_2,   q = 1 - p

    Guarantee: one report ``epsilon``, all reports about one answer ``permanent``
    (:meth:`~Repeated.steady_epsilon`); answers that change :meth:`~Repeated.total_epsilon`.
    Reports: packed bits as of :class:`~sudare.OUE`. Source: Erlingsson, Pihur, Korolova 2014;
    Arcolezi, Couchot, Al Bouna, Xiao 2022, section 3.

    Integers: programs ``bits`` and ``subset``; the flip is the least one over 2^w' for which one
    report spends at most ``epsilon``.

    Examples:
        >>> import sudare as sd
        >>> m = sd.LSUE(k=5, epsilon=1.0, permanent=2.0)
        >>> p, q = m.support_probabilities
        >>> p + q == 1, round(m.steady_epsilon(10), 3)
        (True, 2.0)
    """

    name: ClassVar[str] = "LSUE"
    encoding: ClassVar[type[Unary]] = SUE
    __slots__ = ()


@register
class LOSUE(Flipped):
    """Permanent optimised and instantaneous symmetric unary encoding (L-OSUE).

    ::

        permanent: OUE at ε_∞, p_1 = 1/2;   each round: every bit flips with q_2
        p = 1/2,   q = q_1 (1 - q_2) + (1 - q_1) q_2

    Guarantee and reports: those of :class:`~sudare.LSUE`. Source: Arcolezi, Couchot, Al Bouna,
    Xiao 2022, section 3 (L-OSUE).

    Integers: programs ``bits`` and ``subset``.

    Examples:
        >>> import sudare as sd
        >>> m = sd.LOSUE(k=5, epsilon=1.0, permanent=2.0)
        >>> m.support_probabilities[0]
        Fraction(1, 2)
    """

    name: ClassVar[str] = "LOSUE"
    encoding: ClassVar[type[Unary]] = OUE
    __slots__ = ()
