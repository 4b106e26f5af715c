"""LOLOHA: one hash function for good, and two randomised responses about the hash."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.linear_hash import LinearHash, primes
from sudare.exact.uniform import uniform, uniform_one
from sudare.frozen import set_fields
from sudare.mechanisms.frequency.hashed import Hashed
from sudare.mechanisms.frequency.local_hashing import OLH, LocalHash, best_prime
from sudare.mechanisms.parameters import Parameter
from sudare.mechanisms.registry import register
from sudare.mechanisms.repeated.base import Repeated, not_of_this
from sudare.mechanisms.repeated.composing import keep_twice
from sudare.mechanisms.repeated.direct import Twice, programs
from sudare.mechanisms.repeated.memory import Memory

_MOST = 1 << 12


def _prime(value: Any, m: Any) -> int:
    if value is None:
        return best_prime(m.k, m.requested_epsilon)
    g = as_integer(value, "g", low=2, high=_MOST)
    if g not in primes(g + 1):
        raise DomainError("g", "must be a prime", "such as 2", got=g)
    return g


_G = Parameter(
    name="g",
    read=_prime,
    examples=(2, None, 3),
    bad=((1, DomainError), (4, DomainError)),
)


@register
class LOLOHA(Twice, Hashed):
    """Longitudinal local hashing: a hash function drawn once, L-GRR about the hash (LOLOHA).

    ::

        p = that of LGRR(g, ε, ε_∞),   q = 1 / g

    The function is part of each report. Answers with the same hash have the same permanent answer:
    there are g of them, not k. ``g = 2`` is BiLOLOHA; default is the prime of the least error at
    this ``epsilon``, as of :class:`~sudare.OLH` (OLOLOHA).

    Args:
        k: number of categories, 2 to 65,536.
        epsilon: ε of one report.
        permanent: ε of the permanent answer; default twice as much.
        g: number of hashes, a prime.

    Guarantee: one report ``epsilon``, all reports about one answer ``permanent``
    (:meth:`~Repeated.steady_epsilon`); answers that change :meth:`~Repeated.total_epsilon`.
    Reports: (n,) numbers ``function g + hash``. Source: Arcolezi, Pinzón, Palamidessi, Gambs 2023
    (arXiv:2210.00262).

    Integers: those of :class:`~sudare.LGRR` of g symbols.

    Raises:
        OutOfReachError: more than 65,536 categories.

    Examples:
        >>> import sudare as sd
        >>> m = sd.LOLOHA(k=100, epsilon=1.0, permanent=2.0, g=2)
        >>> m.states, round(m.epsilon, 5), m.support_probabilities[1]
        (2, 1.0, Fraction(1, 2))
    """

    name: ClassVar[str] = "LOLOHA"
    parameters: ClassVar[tuple[Parameter, ...]] = (*Repeated.parameters, _G)
    max_k: ClassVar[int] = OLH.max_k
    __slots__ = ("g",)
    g: int
    program: LocalHash

    def __init__(
        self,
        k: int,
        epsilon: float | Fraction,
        permanent: float | Fraction | None = None,
        g: int | None = None,
    ) -> None:
        self._take(k=k, epsilon=epsilon, permanent=permanent, g=g)

    def _build(self) -> None:
        self._check_k()
        first, second = programs(self.g, self.requested_epsilon, self.requested_permanent)
        whole = LocalHash(LinearHash(self.k, self.g), keep_twice(first, second))
        set_fields(self, permanent=first, instant=second, program=whole)

    @property
    def states(self) -> int:
        """g: one permanent answer a hash."""
        return self.g

    @property
    def _kept(self) -> Fraction:
        part = self.program.part
        return Fraction(part.keep + part.step, 1 << part.width)

    @property
    def _hash(self) -> dict[str, Any]:
        return {"functions": {"k": self.k, "g": self.g}}

    def _drawn(self, entropy: EntropySource) -> int:
        return uniform_one(self.program.family.functions, entropy)

    def _drawn_many(self, n: int, rng: Entropy) -> npt.NDArray[Any]:
        return uniform(n, self.program.family.functions, rng).astype(np.int64)

    def _check_drawn(self, memory: Memory) -> None:
        drawn = memory.drawn
        if type(drawn) is not int or not 0 <= drawn < self.program.family.functions:
            raise not_of_this()

    def _key(self, value: int, drawn: Any) -> int:
        return int(self.program.family.hashes(drawn, value))

    def _keys(self, values: npt.NDArray[Any], drawn: Any) -> npt.NDArray[Any]:
        return self.program.family.hashes(drawn, values)

    def _tell(self, settled: Any, drawn: Any, entropy: EntropySource) -> int:
        return int(drawn * self.g + self.instant.draw_one(settled, entropy))

    def _tell_many(self, settled: npt.NDArray[Any], drawn: Any, rng: Entropy) -> npt.NDArray[Any]:
        told: npt.NDArray[Any] = drawn * self.g + self.instant.draw(settled, rng)
        return told
