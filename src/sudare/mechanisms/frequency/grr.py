"""Generalised randomised response (GRR, direct encoding)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import OutOfReachError
from sudare.estimation.support import SingleLaw
from sudare.exact import exp_bounds, log_bounds
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.frequency.direct import Direct
from sudare.mechanisms.registry import register
from sudare.samplers import Keep


@register
class GRR(Direct):
    """Report the true category with probability p, each other one with probability q.

    ::

        p = e^ε / (e^ε + k - 1),   q = 1 / (e^ε + k - 1)

    Guarantee: ε-local differential privacy of one answer (any two values are neighbours).
    Reports: (n,) indices in [0, k) of the smallest unsigned dtype. Source: Wang et al. 2017,
    section 4.1 (direct encoding); Kairouz, Bonawitz, Ramage 2016.

    Integers: ``m = ceil(2^w / (e^ε + k - 1))``, ``T = 2^w - k m`` and one word a value (the
    program ``keep``); realised ``ε = ln((T + m) / m)``, never above the one asked for.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=3, epsilon=2.0)
        >>> m.estimate(sd.Counts((3, 2, 5), 10)).counts.round(4).tolist()
        [2.8435, 1.3739, 5.7826]
    """

    name: ClassVar[str] = "GRR"
    __slots__ = ()
    program: Keep

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Keep:
        gamma = exp_bounds(epsilon)[0]
        for width in (32, 64, 128):
            step = math.ceil((1 << width) / (gamma + k - 1))
            keep = (1 << width) - k * step
            if keep <= 0:
                continue
            program = Keep(k=k, width=width, keep=keep, step=step)
            if epsilon - log_bounds(program.ratio)[0] <= TOLERANCE:
                return program
        raise OutOfReachError("epsilon", f"is out of reach at k = {k}", got=float(epsilon))

    @property
    def law(self) -> SingleLaw:
        """Probabilities of reporting the true category and each other one."""
        total = 1 << self.program.width
        other = Fraction(self.program.step, total)
        return SingleLaw(Fraction(self.program.keep, total) + other, other)

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        # keep with T / 2^w, else uniform over all k: a binomial a category, one multinomial
        kept = generator.binomial(truth, self.program.keep / (1 << self.program.width))
        moved = (truth - kept).sum(axis=-1)
        return np.asarray(kept + generator.multinomial(moved, np.full(self.k, 1 / self.k)))
