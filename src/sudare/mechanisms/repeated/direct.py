"""L-GRR: generalised randomised response, twice."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.estimation.support import SingleLaw
from sudare.frozen import set_fields
from sudare.mechanisms.frequency.direct import Direct
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.registry import register
from sudare.mechanisms.repeated.base import Repeated
from sudare.mechanisms.repeated.composing import keep_twice, second_of
from sudare.mechanisms.repeated.memory import Permanent
from sudare.mechanisms.repeated.sequences import Settled, symbols_epsilon
from sudare.mechanisms.repeated.totals import as_rounds, changing, steady
from sudare.samplers import Keep


def programs(k: int, epsilon: Fraction, permanent: Fraction) -> tuple[Keep, Keep]:
    """Return the permanent and the instantaneous randomised response of k symbols."""
    first = GRR(k, permanent).program

    def make(width: int, step: int) -> tuple[Keep, Keep]:
        second = Keep(k=k, width=width, keep=(1 << width) - k * step, step=step)
        return second, keep_twice(first, second)

    return first, second_of(make, lambda width: (1 << width) // k, epsilon)


def rates(program: Keep) -> tuple[Fraction, Fraction]:
    """Return the probabilities of the symbol itself and of another one."""
    own, other = program.laws([0])[0][:2]
    return own, other


class Twice(Repeated):
    """What both share that keep a symbol twice: the exact ε of several rounds."""

    __slots__ = ()
    permanent: Keep
    instant: Keep

    def _is_settled(self, one: Permanent, drawn: Any) -> bool:
        return type(one) is int and 0 <= one < self.permanent.k

    def steady_ratio(self, rounds: int) -> Fraction:
        """Return the exact largest ratio of two constant answers: r reports of one symbol."""
        return steady(*rates(self.permanent), self.instant.ratio ** as_rounds(rounds))

    def total_ratio(self, rounds: int) -> Fraction:
        """Return a wide bound on the ratio of any two sequences of answers; exact for one round."""
        return changing(*rates(self.permanent), self.instant.ratio, as_rounds(rounds))

    def _changing(self, rounds: int) -> float:
        symbols = self.permanent.k
        answers = min(self.k, symbols)  # of one person, whose hash function stays
        law = Settled.of(symbols, answers, *rates(self.permanent), self.instant.ratio)
        return symbols_epsilon(law, rounds)


@register
class LGRR(Twice, Direct):
    """Permanent and instantaneous generalised randomised response (L-GRR).

    ::

        permanent: GRR at ε_∞;   each round: the outcome is kept with T' / 2^w', else uniform over k

    A report is the true category with ``p = p_1 p_2 + (k - 1) q_1 q_2``; the second step is the
    weakest for which one report spends at most ``epsilon``.

    Guarantee: one report ``epsilon``, all reports about one answer ``permanent``
    (:meth:`~Repeated.steady_epsilon`); answers that change :meth:`~Repeated.total_epsilon`.
    Reports: (n,) indices in [0, k). Source: Arcolezi, Couchot, Al Bouna, Xiao 2022, section 3.

    Integers: two programs ``keep``; in one report both keep with ``T T' / 2^(w + w')``.

    Examples:
        >>> import sudare as sd
        >>> m = sd.LGRR(k=4, epsilon=1.0, permanent=2.0)
        >>> m
        LGRR(k=4, epsilon=1.0, permanent=2.0)
        >>> round(m.epsilon, 5), round(m.permanent_epsilon, 5)
        (1.0, 2.0)
    """

    name: ClassVar[str] = "LGRR"
    __slots__ = ()
    program: Keep

    def _build(self) -> None:
        first, second = programs(self.k, self.requested_epsilon, self.requested_permanent)
        set_fields(self, permanent=first, instant=second, program=keep_twice(first, second))

    @property
    def states(self) -> int:
        """k: one permanent answer a category."""
        return self.k

    @property
    def law(self) -> SingleLaw:
        """Probabilities of reporting the true category and each other one."""
        return SingleLaw(*rates(self.program))

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        kept = generator.binomial(truth, self.program.keep / (1 << self.program.width))
        moved = (truth - kept).sum(axis=-1)
        return np.asarray(kept + generator.multinomial(moved, np.full(self.k, 1 / self.k)))
