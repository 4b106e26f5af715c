"""Encodings whose report is a linear hash function and the first of the hashes that it names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.channels import Dense
from sudare.estimation import Counts, histogram
from sudare.estimation.support import PairLaw, Places, SupportLaw
from sudare.exact.linear_hash import LinearHash
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.reports import as_indices
from sudare.samplers import Program

_BLOCK = 1 << 18
_MOST_DRAWN = 1 << 24  # reports that one multinomial draws
_PERSON = 4  # cells of a multinomial in the time of a person who is drawn


class HashProgram(Protocol):
    """What is asked of its program: functions from ``first`` on, ``size`` hashes a report.

    A report is the number of a function after the first one, times g, and the first hash.
    """

    @property
    def family(self) -> LinearHash:
        """The functions."""

    @property
    def first(self) -> int:
        """The number of the first function that is drawn: 0, or 1."""

    @property
    def size(self) -> int:
        """How many hashes a report names."""

    @property
    def outputs(self) -> int:
        """Number of reports."""


@dataclass(frozen=True)
class HashedLaw(SupportLaw):
    """The law of reports that support all values of ``size`` hashes, one behind the other.

    Which two values are supported together depends on whether they lie on a line with the true one.
    Each probability is that over all ``g^t`` functions, less the function 0 where it is left out
    (``first`` is 1): there all values have the same hash, and any are supported with p.
    """

    family: LinearHash
    size: int
    first: int

    @classmethod
    def of(cls, p: Fraction, program: HashProgram) -> SupportLaw:
        """Return the law of a program whose reports name the true value's hash with p."""
        family, size, first = program.family, program.size, program.first
        n, g = family.functions, family.g

        def drawn(probability: Fraction) -> Fraction:
            return (n * probability - first * p) / (n - first)

        q = drawn(Fraction(size, g))
        if family.t == size == 1:  # two have the same hash under the function 0 alone
            return PairLaw(p, q, with_own=drawn(p / g), without=drawn(p / g))
        return cls(p, q, family, size, first)

    def _each(self) -> tuple[float, float]:
        """Return the probability of each hash that is named, and of each other one."""
        return float(self.p / self.size), float((1 - self.p) / (self.family.g - self.size))

    def pair_probability(self, i: Places, j: Places, value: Places) -> Floats:
        """As every law; over all functions ``p d / g`` where the value is one of them, ``(d / g)²``
        off its lines."""
        p, d, g, n = float(self.p), self.size, self.family.g, self.family.functions
        i, j, value = (np.asarray(place) for place in (i, j, value))
        own, other = self._each()
        on_lines = (own * triples(g, d) + other * (d * d - triples(g, d))) / g
        c = self.family.multiple(i, j, value)
        out = np.where(c > 0, on_lines[c], (d / g) ** 2)
        out = np.where((i == value) | (j == value), p * d / g, out)
        return np.asarray((n * out - self.first * p) / (n - self.first))

    def noise(self, weights: Floats, shares: Floats) -> float:
        """As every law, by the sums W and X of weights and of shares over the hashes of a report::

        mean_a Σ_y (W[a, y] - q Σ w)^2 (other + (own - other) X[a, y]) / (p - q)^2 - Σ x_v w_v^2
        """
        family, d, q = self.family, self.size, float(self.q)
        g, (own, other), total = family.g, self._each(), float(weights.sum())
        sums, means = (family.sums(one) for one in (weights, shares))
        kinds = range(1, 2 if d == 1 else g // 2 + 1)  # multiples of a function that differ
        square = 0.0
        for times in kinds:
            turned = times * np.arange(g) % g
            w, x = (_windows(one[:, turned], d) for one in (sums, means))
            square += float(((w - q * total) ** 2 * (other + (own - other) * x)).sum())
        square *= (g - 1) / len(kinds)
        if not self.first:
            alike = d * own * (1 - q) ** 2 + (g - d) * other * q**2
            square += alike * total**2
        square /= (family.functions - self.first) * float(self.p - self.q) ** 2
        return square - float(shares @ weights**2)


def _windows(table: Floats, size: int) -> Floats:
    """Return the sums of each so many columns, one behind the other and around."""
    if size == 1:
        return table
    ends = np.cumsum(np.concatenate((table, table[:, :size]), axis=1), axis=1)
    return np.asarray(np.roll(ends[:, size:] - ends[:, :-size], 1, axis=1))


@lru_cache(64)
def triples(g: int, size: int) -> npt.NDArray[np.int64]:
    """Return for each c how many x and y of the first numbers have ``x + c (y - x)`` among them."""
    x = np.arange(size)
    apart = x - x[:, None]
    counts = [int(((x[:, None] + c * apart) % g < size).sum()) for c in range(g)]
    return np.array(counts, dtype=np.int64)


class Hashed(FrequencyOracle):
    """What they share: the law, and all that follows from the functions.

    Must implement: ``_compile`` and ``_kept``.
    """

    __slots__ = ()
    program: Any

    @property
    @abstractmethod
    def _kept(self) -> Fraction:
        """The probability that a report names the hash of the value."""

    @property
    def law(self) -> SupportLaw:
        """Probabilities of supporting the true category and each other one, and what together."""
        return HashedLaw.of(self._kept, self.program)

    @property
    def channel(self) -> Dense:
        """One row a report, one column a category."""
        return Dense.from_matrix(self._program.matrix())

    @property
    def _program(self) -> Program:
        program: Program = self.program
        return program

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the reports that support each category; reports: (n,) whole numbers.

        Over all functions at once, or report by report where that is less work.
        """
        array, family = as_indices(reports, self.program.outputs), self.program.family
        if array.size * family.k < family.geometry.points * family.g:
            return self._one_by_one(array)
        return self._counts(family.supports(self._tally(array)), array.size)

    def _one_by_one(self, array: npt.NDArray[Any]) -> Counts:
        functions, starts = self._parts(array)
        support = self.program.family.supports_one_by_one(functions, starts, self.program.size)
        return self._counts(support, array.size)

    def _parts(self, reports: npt.NDArray[Any]) -> tuple[Integers, Integers]:
        """Return the functions and the first hashes of reports."""
        functions, starts = np.divmod(reports.astype(np.int64), self.program.family.g)
        return functions + self.program.first, starts

    def _tally(self, reports: npt.NDArray[Any]) -> Integers:
        """Count reports where they are decoded, each kind once where there are few kinds."""
        if reports.size < self.program.outputs:
            parts = (self._parts(own) for own in _blocks(reports))
            return self._sum(self._counted(*part) for part in parts)
        return self._of_all(histogram(reports, self.program.outputs))

    def _of_all(self, numbers: Integers) -> Integers:
        """Count reports of which it is known how many there are of each kind."""
        cells = np.arange(numbers.size)
        pairs = zip(_blocks(cells), _blocks(numbers), strict=True)
        return self._sum(self._counted(*self._parts(own), many) for own, many in pairs)

    def _counted(
        self, functions: Integers, starts: Integers, numbers: Integers | None = None
    ) -> Integers:
        out: Integers = self.program.family.tally(functions, starts, self.program.size, numbers)
        return out

    def _sum(self, tallies: Iterator[Integers]) -> Integers:
        out = next(tallies)
        for one in tallies:
            out += one
        return out

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw respondent by respondent, or how many send each report where that is less."""
        if self._is_crowd(truth):
            tally = self._of_all(self._by_digits(truth, generator))
        else:
            tally = self._each(truth, generator)
        return np.asarray(self.program.family.supports(tally))

    def _is_crowd(self, truth: Integers) -> bool:
        """Tell whether there are so many respondents that the states of :meth:`_by_digits` are
        fewer."""
        program, family = self.program, self.program.family
        held = int(np.count_nonzero(truth)) * program.size
        states = (min(held * family.g**digit, family.functions) for digit in range(family.t))
        work = program.outputs + family.g * sum(states)
        return bool(program.outputs <= _MOST_DRAWN and work < _PERSON * int(truth.sum()))

    def _by_digits(self, truth: Integers, generator: np.random.Generator) -> Integers:
        """Draw how many send each report: a mixture of those that name the value's hash, and all.

        ``P(report | value) = other + (own - other) [the value's hash is named]``. Of the first part
        all ``outputs`` reports are equally likely. Of the second the function is uniform and so is
        the place of the hash: digit by digit, respondents are divided among the function's digits,
        and those become one whose values agree in the digits to come and in the hash so far. Their
        further digits are of one law, so this is the law of the counts, in ``t g^(t+2)`` cells.
        """
        program, family, kept = self.program, self.program.family, float(self._kept)
        g, size = family.g, program.size
        named = (kept / size - (1 - kept) / (g - size)) * size
        own = generator.binomial(truth, named)
        numbers = generator.multinomial(
            int((truth - own).sum()), np.full(program.outputs, 1 / program.outputs)
        )
        counts = np.zeros((1, family.functions, g), dtype=np.int64)
        places = generator.multinomial(own, np.full(size, 1 / size))
        counts[0, : family.k, -np.arange(size) % g] = places.T
        for digit in range(family.t):
            counts = _divided(counts, g, g ** (family.t - digit - 1), program.first, generator)
        return np.asarray(numbers + counts.reshape(-1)[program.first * g :])

    def _each(self, truth: Integers, generator: np.random.Generator) -> Integers:
        program, family, kept = self.program, self.program.family, float(self._kept)
        ends = np.cumsum(truth)

        def drawn() -> Iterator[Integers]:
            for start in range(0, max(1, int(ends[-1])), _BLOCK):
                people = np.arange(start, min(start + _BLOCK, int(ends[-1])))
                functions = generator.integers(program.first, family.functions, size=people.size)
                x = generator.integers(program.size, family.g, size=people.size)
                own = np.flatnonzero(generator.random(people.size) < kept)
                x[own] = generator.integers(program.size, size=own.size)
                values = np.searchsorted(ends, people, side="right")
                told = (family.hashes(functions, values) + family.g - x) % family.g
                yield self._counted(functions, told)

        return self._sum(drawn())


def _divided(
    counts: Integers, g: int, rest: int, first: int, generator: np.random.Generator
) -> Integers:
    """Draw the function's next digit: ``[function so far, value to come, hash so far]`` before, and
    after.

    Args:
        counts: of respondents; the value's next digit is its least.
        rest: how many functions agree in the digits up to this one.
        first: 1 where no function is 0: as long as all digits are, 0 is less likely by one.
    """
    before, values = len(counts), counts.shape[1] // g
    out = np.zeros((g, before, values, g), dtype=np.int64)
    even = np.full(g, 1 / g)
    zero = np.full(g, rest / (g * rest - first))
    zero[0] = (rest - first) / (g * rest - first)
    for digit in range(g):
        own = counts.reshape(before, values, g, g)[:, :, digit]
        function, value, start = np.nonzero(own)
        drawn = np.empty((function.size, g), dtype=np.int64)
        for some, law in ((function == 0, zero), (function > 0, even)):
            drawn[some] = generator.multinomial(own[function, value, start][some], law)
        for a in range(g):
            out[a, function, value, (start + a * digit) % g] += drawn[:, a]
    return out.reshape(g * before, values, g)


def _blocks(array: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    return (array[start : start + _BLOCK] for start in range(0, max(1, array.size), _BLOCK))
