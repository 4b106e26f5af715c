"""Unary encodings: one bit a category. Optimised (OUE) and symmetric (SUE, basic RAPPOR)."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import OutOfReachError
from sudare.exact import exp_bounds, log_bounds
from sudare.mechanisms.categories import Bitwise
from sudare.mechanisms.frequency.base import TOLERANCE, FrequencyOracle
from sudare.mechanisms.registry import register
from sudare.samplers import Bits


class Unary(Bitwise, FrequencyOracle):
    """What all unary encodings share: packed reports, column sums, independent bits.

    Must implement: ``_thresholds`` (ε and width to the integers of the two bits).
    """

    most_written: ClassVar[int] = 12
    by_line: ClassVar[bool] = True
    __slots__ = ()
    program: Bits

    @classmethod
    @abstractmethod
    def _thresholds(cls, epsilon: Fraction, width: int) -> tuple[int, int]:
        """Return ``(own, other)`` over ``2**width`` that spend at most ``epsilon``."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Bits:
        for width in (32, 64):
            own, other = cls._thresholds(epsilon, width)
            if not 0 < other < own < 1 << width:
                continue
            program = Bits(k=k, width=width, own=own, other=other)
            if 0 <= epsilon - log_bounds(program.ratio)[0] <= TOLERANCE:
                return program
        raise OutOfReachError("epsilon", f"is out of reach for {cls.name}", got=float(epsilon))

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        p, q = (float(x) for x in self.support_probabilities)
        others = truth.sum(axis=-1, keepdims=True) - truth
        return np.asarray(generator.binomial(truth, p) + generator.binomial(others, q))


@register
class OUE(Unary):
    """Optimised unary encoding: the true bit stays 1 with 1/2, others become 1 with q.

    ::

        p = 1/2,   q = 1 / (e^ε + 1)

    Guarantee: ε-local differential privacy of one answer. Reports: packed bits, (n, ceil(k/8))
    uint8, bit i at byte ``i >> 3``, position ``i & 7``. Source: Wang et al. 2017, section 4.3.

    Integers: ``own = 2^(w-1)``, ``other = ceil(2^w / (e^ε + 1))``.

    Examples:
        >>> import sudare as sd
        >>> m = sd.OUE(k=3, epsilon=2.0)
        >>> m.estimate(sd.Counts((6, 4, 7), 10)).counts.round(4).tolist()
        [12.6261, 7.3739, 15.2521]
    """

    name: ClassVar[str] = "OUE"
    __slots__ = ()

    @classmethod
    def _thresholds(cls, epsilon: Fraction, width: int) -> tuple[int, int]:
        top = 1 << width
        return top // 2, math.ceil(top / (exp_bounds(epsilon)[0] + 1))


@register
class SUE(Unary):
    """Symmetric unary encoding (basic one-time RAPPOR): every bit flips with probability q.

    ::

        p = e^(ε/2) / (e^(ε/2) + 1),   q = 1 - p

    Guarantee: ε-local differential privacy of one answer. Reports: packed bits as in
    :class:`OUE`. Source: Erlingsson, Pihur, Korolova 2014; Wang et al. 2017, section 4.3.

    Integers: ``other = ceil(2^w / (e^(ε/2) + 1))``, ``own = 2^w - other``.

    Examples:
        >>> import sudare as sd
        >>> p, q = sd.SUE(k=5, epsilon=1.0).support_probabilities
        >>> p + q == 1
        True
    """

    name: ClassVar[str] = "SUE"
    __slots__ = ()

    @classmethod
    def _thresholds(cls, epsilon: Fraction, width: int) -> tuple[int, int]:
        top = 1 << width
        other = math.ceil(top / (exp_bounds(epsilon / 2)[0] + 1))
        return top - other, other
