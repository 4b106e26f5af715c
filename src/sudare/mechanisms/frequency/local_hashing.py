"""Optimised local hashing: a drawn hash function, and a randomised response about the hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.estimation import Counts
from sudare.exact import exp_bounds
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.linear_hash import LinearHash, digits_of, primes
from sudare.exact.uniform import uniform, uniform_one
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.frequency.hashed import Hashed
from sudare.mechanisms.registry import register
from sudare.mechanisms.reports import as_indices
from sudare.samplers import Keep, base

_MOST_REPORTS = 1 << 24
_BASES = 1 << 12  # the ranges of hashes are smaller
_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class LocalHash(base.Unsent, base.Indexed):
    """Draw a function uniformly, and randomise the value's hash. A report: function times g + hash.

    One report consumes little-endian words of 32 bits for the function, as
    :func:`~sudare.exact.uniform.uniform_one` does, then what ``part`` consumes.
    """

    refusal: ClassVar[tuple[str, str]] = (
        "must be of a kind that devices run",
        "OLH is there to be compared with; use SubsetSelection instead",
    )
    first: ClassVar[int] = 0
    size: ClassVar[int] = 1
    family: LinearHash
    part: Keep

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.family.k

    @property
    def outputs(self) -> int:
        """``g^(t+1)``."""
        return self.family.functions * self.family.g

    @property
    def ratio(self) -> Fraction:
        """That of the hash: the function does not depend on the value."""
        return self.part.ratio

    @property
    def guess_probability(self) -> float:
        """Any value of the reported hash is as good a guess as another."""
        covered, total = self.family.covered(), 1 << self.part.width
        most = covered * (self.part.keep + self.part.step)
        most += (self.outputs - covered) * self.part.step
        return most / (total * self.family.functions * self.family.k)

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``: of each function the law of the hash."""
        each = self.part.laws(range(self.family.g))
        scaled = [[cell / self.family.functions for cell in own] for own in each]
        functions = np.arange(self.family.functions)
        return [
            [cell for own in self.family.hashes(functions, v).tolist() for cell in scaled[own]]
            for v in values
        ]

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise values in blocks that stay in cache."""
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.outputs))
        for start in range(0, out.size, _BLOCK):
            own = values[start : start + _BLOCK]
            functions = uniform(own.size, self.family.functions, rng).astype(np.int64)
            told = self.part.draw(self.family.hashes(functions, own), rng)
            out[start : start + _BLOCK] = functions * self.family.g + told
        return out

    def draw_one(self, value: int, entropy: EntropySource) -> int:
        """Randomise one value."""
        function = uniform_one(self.family.functions, entropy)
        told = self.part.draw_one(int(self.family.hashes(function, value)), entropy)
        return function * self.family.g + told


@register
class OLH(Hashed):
    """Optimised local hashing: a report is a hash function and a randomised hash in [0, g).

    ::

        p = e^ε / (e^ε + g - 1),   q = 1 / g,   g near e^ε + 1

    The functions are all linear ones over the field of g elements, g a prime
    (:class:`~sudare.exact.linear_hash.LinearHash`): two values are hashed alike by
    exactly one in g. A report supports all values of its hash.

    Guarantee: ε-local differential privacy of one answer (any two values are neighbours).
    Reports: (n,) numbers ``function g + hash`` in [0, g^(t+1)) of the smallest unsigned dtype, with
    the least ``g^t >= k``. Source: Wang et al. 2017, section 4.4; the family: Carter and Wegman
    1979; its decoding in one pass: as in Feldman, Nelson, Nguyen, Talwar 2022.

    Integers: those of :class:`~sudare.GRR` of g values; the function is drawn exactly uniformly.

    Raises:
        OutOfReachError: more than 65,536 categories.

    Examples:
        >>> import sudare as sd
        >>> m = sd.OLH(k=1000, epsilon=1.0)
        >>> m.program.family.g, m.program.family.t, m.report_bytes
        (3, 7, 2)
        >>> m.support_probabilities[1]
        Fraction(1, 3)
    """

    name: ClassVar[str] = "OLH"
    max_k: ClassVar[int] = 1 << 16
    dominated_by: ClassVar[str] = "SubsetSelection"
    __slots__ = ()
    program: LocalHash

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> LocalHash:
        g = best_prime(k, epsilon)
        return LocalHash(LinearHash(k, g), GRR(g, epsilon).program)

    @property
    def _kept(self) -> Fraction:
        part = self.program.part
        return Fraction(part.keep + part.step, 1 << part.width)

    def aggregate_published(self, reports: npt.ArrayLike) -> Counts:
        """Count as :meth:`aggregate` does, by asking of each report and each category.

        The decoding that the source gives: n k hashes. For comparisons of time.
        """
        return self._one_by_one(as_indices(reports, self.program.outputs))


@lru_cache(256)
def best_prime(k: int, epsilon: Fraction) -> int:
    """Return the g of the least expected squared error, of those with a table of reports that fits.

    The error of all categories together is ``(p (1 - p) + (k - 1) q (1 - q)) / (p - q)^2``.
    """
    gamma = float(exp_bounds(epsilon)[0])

    def error(g: int) -> float:
        p, q = gamma / (gamma + g - 1), 1 / g
        return (p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2

    fit = (g for g in primes(_BASES) if g ** (digits_of(k, g) + 1) <= _MOST_REPORTS)
    return min(fit, key=error)
