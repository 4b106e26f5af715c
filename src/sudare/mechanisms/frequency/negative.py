"""The negative survey: a category that is not the true one. No local privacy: for studies alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import PrivacyError
from sudare.estimation.support import SingleLaw
from sudare.exact import uniform
from sudare.exact.entropy import Entropy, EntropySource
from sudare.frozen import set_fields
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency.direct import Direct
from sudare.mechanisms.labels import CATEGORIES
from sudare.mechanisms.parameters import Parameter
from sudare.mechanisms.registry import register
from sudare.samplers import Program, base

_WIDTH = 64


class NoGuarantee(Mechanism):
    """A baseline of the literature, for studies alone: ε is infinite."""

    studies_only: ClassVar[bool] = True
    __slots__ = ()

    @property
    def epsilon(self) -> float:
        """Infinite: there is no local privacy guarantee."""
        return math.inf

    @property
    def gamma(self) -> float:
        """Infinite."""
        return math.inf


@register
class NegativeSurvey(NoGuarantee, Direct):
    """Report one of the k - 1 categories that is *not* the true one, uniformly.

    ::

        p = 0,   q = 1 / (k - 1)
        share_i = 1 - (k - 1) c_i / n
        Var = (1 - x_i) (k - 2) / n          (respondents; + x_i (1 - x_i) / n: population)

    **No local privacy guarantee**: a report rules its own category out, so that ε = ∞. It is a
    baseline of the literature, for studies: no plan ranks it, no command and no collection takes
    it. Reports: (n,) indices in [0, k) of the smallest unsigned dtype.

    Exact: the probabilities are 0 and 1 / (k - 1) to the last digit. That is no dyadic fraction,
    so that a word is drawn again where it would spoil the evenness.

    Args:
        k: number of categories, 2 to 2**24. With k = 2 a report gives the answer away.

    Raises:
        WrongTypeError, DomainError: k is not a whole number in its range.

    Source: Esponda, Guerrero: Surveys with negative questions for sensitive items, 2009.

    Examples:
        >>> import sudare as sd
        >>> m = sd.NegativeSurvey(k=4)
        >>> m.epsilon
        inf
        >>> m.estimate(sd.Counts((30, 20, 40, 10), 100)).shares.round(3).tolist()
        [0.1, 0.4, -0.2, 0.7]
    """

    name: ClassVar[str] = "NegativeSurvey"
    parameters: ClassVar[tuple[Parameter, ...]] = (CATEGORIES,)
    __slots__ = ()

    def __init__(self, k: int | Sequence[str]) -> None:
        self._take(k=k)

    def _build(self) -> None:
        set_fields(self, requested_epsilon=math.inf, program=_Others(self.k))

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Program:
        return _Others(k)  # whatever ε

    @property
    def law(self) -> SingleLaw:
        """Probabilities of reporting the true category (0) and each other one."""
        return SingleLaw(Fraction(0), Fraction(1, self.k - 1))

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        # one multinomial a category, or one draw a respondent where those are fewer
        if truth.sum() < truth.size * self.k:
            return self._each(truth, generator)
        support = np.zeros(truth.shape, dtype=np.int64)
        even = np.full(self.k - 1, 1 / (self.k - 1))
        for value in range(self.k):
            spread = generator.multinomial(truth[..., value], even)
            support[..., :value] += spread[..., :value]
            support[..., value + 1 :] += spread[..., value:]
        return support

    def _each(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        line, value = np.divmod(np.repeat(np.arange(truth.size), truth.reshape(-1)), self.k)
        moves = generator.integers(0, self.k - 1, size=value.size)
        moves += moves >= value
        return np.bincount(line * self.k + moves, minlength=truth.size).reshape(truth.shape)


@dataclass(frozen=True, slots=True)
class _Others(base.Unsent, base.Indexed):
    """Uniform over the other categories. Of no kind: it has no place on a device."""

    refusal: ClassVar[tuple[str, str]] = "must not leave the studies", "it gives no guarantee"
    k: int

    @property
    def inputs(self) -> int:
        return self.k

    @property
    def outputs(self) -> int:
        return self.k

    @property
    def ratio(self) -> Fraction:
        raise PrivacyError(
            "program", "has no largest ratio: a report rules a value out", "ε is infinite"
        )

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        other = Fraction(1, self.k - 1)
        return [[Fraction(0) if r == v else other for r in range(self.k)] for v in values]

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        moves = uniform(values.shape[0], self.k - 1, rng)
        moves += moves >= values  # skip the true one
        return moves.astype(base.index_dtype(self.k))

    def draw_one(self, value: int, entropy: EntropySource) -> int:
        fair = (1 << _WIDTH) - (1 << _WIDTH) % (self.k - 1)
        while (w := base.word(entropy, _WIDTH)) >= fair:
            pass
        other = w % (self.k - 1)
        return other + (other >= value)
