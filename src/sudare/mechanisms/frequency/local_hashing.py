"""Optimised local hashing: a drawn hash function, and a randomised response about the hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.channels import Dense
from sudare.estimation import Counts, histogram
from sudare.estimation.support import PairLaw, Places, SupportLaw
from sudare.exact import exp_bounds
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.uniform import uniform, uniform_one
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.frequency.linear_hash import LinearHash, digits_of, primes
from sudare.mechanisms.registry import register
from sudare.mechanisms.reports import as_indices
from sudare.samplers import Keep, base

_MOST_REPORTS = 1 << 24
_BLOCK = 1 << 18


@dataclass(frozen=True)
class HashedLaw(SupportLaw):
    """The law of reports that support all values of one hash.

    Two values are supported together as two of three are hashed alike: that depends on whether they
    lie on a line with the true one.
    """

    family: LinearHash

    def _other(self) -> float:
        """Return the probability of each hash that is not the true value's."""
        return float((1 - self.p) / (self.family.g - 1))

    def pair_probability(self, i: Places, j: Places, value: Places) -> Floats:
        """As every law: ``p / g`` where the value is one of them."""
        p, g = float(self.p), self.family.g
        i, j, value = (np.asarray(place) for place in (i, j, value))
        alike = np.where(self.family.on_a_line(i, j, value), 1 / g, 1 / g**2)
        without = p * alike + self._other() * (1 / g - alike)
        return np.where((i == value) | (j == value), p / g, without)

    def noise(self, weights: Floats, shares: Floats) -> float:
        """As every law, by the sums of weights and of shares over each hash, with d = p - q'::

        mean_a Σ_y (W[a, y] - q Σ w)^2 (q' + d X[a, y]) / (p - q)^2 - Σ x_v w_v^2
        """
        other, gap = self._other(), float(self.p - self.q)
        sums, means = (self.family.sums(one) for one in (weights, shares))
        sums -= float(self.q) * weights.sum()
        square = float((sums**2 * (other + (float(self.p) - other) * means)).sum())
        return square / self.family.functions / gap**2 - float(shares @ weights**2)


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
        covered, total = self.family.covered, 1 << self.part.width
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
class OLH(FrequencyOracle):
    """Optimised local hashing: a report is a hash function and a randomised hash in [0, g).

    ::

        p = e^ε / (e^ε + g - 1),   q = 1 / g,   g near e^ε + 1

    The functions are all linear ones over the field of g elements, g a prime
    (:class:`~sudare.mechanisms.frequency.linear_hash.LinearHash`): two values are hashed alike by
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
    def law(self) -> SupportLaw:
        """Probabilities of supporting the true category and each other one, which is 1/g."""
        part, family = self.program.part, self.program.family
        p, q = Fraction(part.keep + part.step, 1 << part.width), Fraction(1, family.g)
        if family.t == 1:  # two are hashed alike by the function 0 alone, as all are
            return PairLaw(p, q, with_own=p * q, without=p * q)
        return HashedLaw(p, q, family)

    @property
    def channel(self) -> Dense:
        """One row a report, one column a category."""
        return Dense.from_matrix(self.program.matrix())

    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the reports that support each category; reports: (n,) whole numbers.

        Over all functions at once, or report by report where that is less work.
        """
        array = as_indices(reports, self.program.outputs)
        family = self.program.family
        if array.size * family.k * family.t < self.program.outputs * (family.t * family.g) // 4:
            return self._one_by_one(array)
        tally = histogram(array, self.program.outputs)
        return self._counts(family.supports(tally), array.size)

    def aggregate_published(self, reports: npt.ArrayLike) -> Counts:
        """Count as :meth:`aggregate` does, by asking of each report and each category.

        The decoding that the source gives: n k hashes. For comparisons of time.
        """
        return self._one_by_one(as_indices(reports, self.program.outputs))

    def _one_by_one(self, array: npt.NDArray[Any]) -> Counts:
        functions, hashes = np.divmod(array.astype(np.int64), self.program.family.g)
        supports = self.program.family.supports_one_by_one(functions, hashes)
        return self._counts(supports, array.size)

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw respondent by respondent, or a multinomial a category where that is less."""
        family, outputs = self.program.family, self.program.outputs
        if family.t == 1:
            return self._of_one_digit(truth, generator)
        held = np.flatnonzero(truth)
        if truth.sum() < held.size * outputs:
            return self._each(truth, generator)
        own, part = np.arange(family.functions), self.program.part
        law = np.empty((family.functions, family.g))
        tally = np.zeros(outputs, dtype=np.int64)
        for value in held.tolist():
            law[:] = part.step
            law[own, family.hashes(own, value)] = part.keep + part.step
            chances = law.reshape(-1) / (family.functions << part.width)
            tally += generator.multinomial(truth[value], chances)
        return family.supports(tally)

    def _of_one_digit(self, truth: Integers, generator: np.random.Generator) -> Integers:
        """Draw who has the function 0, whose report supports all or none; of any other function
        each hash is that of one of g values, and the report a randomised response about those."""
        g, p = self.program.family.g, float(self.law.p)
        alike = generator.binomial(truth, 1 / g)
        rest = truth - alike
        kept = generator.binomial(rest, p - (1 - p) / (g - 1))
        anywhere = generator.multinomial((rest - kept).sum(), np.full(g, 1 / g))
        all_of_them = generator.binomial(alike.sum(), p)
        return np.asarray(kept + anywhere[: self.k] + all_of_them)

    def _each(self, truth: Integers, generator: np.random.Generator) -> Integers:
        family, kept = self.program.family, float(self.law.p)
        support, ends = np.zeros(self.k, dtype=np.int64), np.cumsum(truth)
        for start in range(0, int(ends[-1]), _BLOCK):
            people = np.arange(start, min(start + _BLOCK, int(ends[-1])))
            functions = generator.integers(family.functions, size=people.size)
            told = family.hashes(functions, np.searchsorted(ends, people, side="right"))
            moved = generator.random(people.size) >= kept
            told[moved] += generator.integers(1, family.g, size=int(moved.sum()), dtype=np.uint32)
            support += self.aggregate(functions * family.g + told % family.g).support
        return support


@lru_cache(256)
def best_prime(k: int, epsilon: Fraction) -> int:
    """Return the g of the least expected squared error, of those with a table of reports that fits.

    The error of all categories together is ``(p (1 - p) + (k - 1) q (1 - q)) / (p - q)^2``.
    """
    gamma = float(exp_bounds(epsilon)[0])

    def error(g: int) -> float:
        p, q = gamma / (gamma + g - 1), 1 / g
        return (p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2

    fit = (g for g in _PRIMES if g ** (digits_of(k, g) + 1) <= _MOST_REPORTS)
    return min(fit, key=error)


_PRIMES = primes(1 << 12)
