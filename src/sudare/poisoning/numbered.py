"""Fake reports that are numbers, each of which supports a set of categories: hashes and planes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.errors import WrongTypeError
from sudare.exact.entropy import Entropy
from sudare.mechanisms import HadamardResponse, ProjectiveGeometry
from sudare.mechanisms.frequency.hadamard import rows
from sudare.mechanisms.frequency.hashed import Hashed
from sudare.poisoning.choice import CategoriesSurface
from sudare.poisoning.laws import FakeLaw
from sudare.poisoning.surface import Fakes, register

MOST_TRIED = 1 << 25
"""Hashes of targets up to which every report is looked at; of more, so many are drawn."""
_BLOCK = 1 << 20
_MOST_KEPT = 64
_MOST_AT_ONCE = 1 << 22
_CLIMBS = 8


@dataclass(frozen=True, eq=False)
class Chosen(FakeLaw):
    """One of a few reports, each as often as the others.

    Args:
        mechanism: what they are reported to.
        numbers: (b,) of the reports.
    """

    mechanism: Any
    numbers: Integers

    @property
    def _supports(self) -> Integers:
        each = [self.mechanism.aggregate(one[None]).support for one in self.numbers]
        return np.stack(each)

    @property
    def rates(self) -> Floats:
        """(k,)."""
        return np.asarray(self.mechanism.aggregate(self.numbers).support / self.numbers.size)

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m,) numbers."""
        return generator.choice(self.numbers, m).astype(_dtype(self.mechanism))

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """One multinomial over the reports."""
        drawn = generator.multinomial(m, np.full(self.numbers.size, 1 / self.numbers.size))
        return np.asarray(drawn @ self._supports)


@dataclass(frozen=True, eq=False)
class Anything(FakeLaw):
    """Any report, each as likely as another."""

    mechanism: Any

    @property
    def rates(self) -> Floats:
        """(k,): the part of all reports that support a category, from its two probabilities.

        A report that supports the true category is e^ε times as likely as one that does not.
        """
        m = self.mechanism
        kept = float(getattr(m, "_kept", m.support_probabilities[0]))
        own = kept / float(m.program.ratio)
        return np.full(m.k, own / (own + 1 - kept))

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m,) numbers."""
        drawn = generator.integers(self.mechanism.program.outputs, size=m)
        return drawn.astype(_dtype(self.mechanism))

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """Report by report in blocks, or a multinomial over all reports where that is less."""
        outputs, out = self.mechanism.program.outputs, np.zeros(self.mechanism.k, dtype=np.int64)
        if m > outputs and outputs <= _MOST_AT_ONCE:
            tally = generator.multinomial(m, np.full(outputs, 1 / outputs))
            return _supports_of(self.mechanism, tally)
        for start in range(0, m, _MOST_AT_ONCE):
            drawn = self.reports(min(_MOST_AT_ONCE, m - start), generator)
            out += self.mechanism.aggregate(drawn).support
        return out


@dataclass(frozen=True, eq=False)
class Honest(FakeLaw):
    """An honest report of somebody who holds one of some categories, each as likely.

    Args:
        mechanism: what it is reported to.
        targets: the categories.
        rates_: (k,) probabilities of supporting each category.
    """

    mechanism: Any
    targets: list[int]
    rates_: Floats

    @property
    def rates(self) -> Floats:
        """As ``rates_``."""
        return self.rates_

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m,) numbers."""
        values = generator.choice(np.array(self.targets), m)
        return np.asarray(self.mechanism.perturb(values, rng=_entropy(generator)))

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """As the mechanism simulates its counts."""
        truth = np.zeros(self.mechanism.k, dtype=np.int64)
        truth[self.targets] = generator.multinomial(
            m, np.full(len(self.targets), 1 / len(self.targets))
        )
        counts = self.mechanism.simulate(truth, rng=_entropy(generator))
        return np.asarray(counts.support)


def _entropy(generator: np.random.Generator) -> Entropy:
    return Entropy.seeded(generator.bytes(32))


def _dtype(mechanism: Any) -> Any:
    return np.min_scalar_type(mechanism.program.outputs - 1)


@singledispatch
def _supports_of(mechanism: Any, tally: Integers) -> Integers:
    """Return the supports of reports of which so many came of each number."""
    return np.asarray(mechanism._support(tally))


@_supports_of.register
def _(mechanism: Hashed, tally: Integers) -> Integers:
    return np.asarray(mechanism.program.family.supports(mechanism._of_all(tally)))


@singledispatch
def best_reports(mechanism: Any, targets: list[int]) -> Integers:
    """Return the reports that support as many targets as any, at most 64 of them.

    Every report is looked at where there are few; of families of hash functions with more than
    2^25 hashes of targets so many are drawn, and the best are improved digit by digit: as many
    targets as were found, and perhaps more could be.
    """
    rule = "must be a mechanism whose reports are numbers that support categories"
    raise WrongTypeError("mechanism", rule, "see MGA", got=type(mechanism).__name__)


@best_reports.register
def _(mechanism: HadamardResponse, targets: list[int]) -> Integers:
    signs = rows(mechanism.program.outputs)[np.array(targets) + 1]
    return _first(np.arange(mechanism.program.outputs), (signs > 0).sum(axis=0))


@best_reports.register
def _(mechanism: ProjectiveGeometry, targets: list[int]) -> Integers:
    geometry, planes = mechanism.program.geometry, np.array(targets)

    tried = _tried(geometry.points, len(targets))
    parts = np.array_split(tried, -(-tried.size * len(targets) // _BLOCK))
    return _best((own, geometry.on(planes, own).sum(axis=0)) for own in parts)[1]


@best_reports.register
def _(mechanism: Hashed, targets: list[int]) -> Integers:
    program, values = mechanism.program, np.array(targets)
    family, first = program.family, program.first
    number, least = family.functions - first, len(targets) ** 2

    def parts(functions: Integers) -> Iterator[tuple[Integers, Integers]]:
        for own in np.array_split(functions, -(-functions.size * least // _BLOCK)):
            yield from _hashed(program, own, values)

    tried = _tried(number, least)
    most, found = _best(parts(tried))
    units = family.g ** np.arange(family.t)
    for _ in range(_CLIMBS if tried.size < number else 0):  # each digit to each other one
        functions = found // family.g + first
        digits = functions[:, None] // units % family.g
        moved = (np.arange(family.g) - digits[:, :, None]) * units[:, None]
        near = np.unique(functions[:, None, None] + moved) - first
        better, reports = _best(parts(near[near >= 0]))
        if better <= most:
            break
        most, found = better, reports
    return found


def _hashed(
    program: Any, functions: Integers, values: Integers
) -> Iterator[tuple[Integers, Integers]]:
    """Yield reports of each function that name the hash of a target last, and what they support.

    Some report that supports most is among them: else it could name the next hash instead.
    """
    g = program.family.g
    hashes = program.family.hashes(functions[:, None] + program.first, values).astype(np.int64)
    for place in range(values.size):
        start = (hashes[:, place] + g - (program.size - 1)) % g
        named = (hashes + (g - start)[:, None]) % g < program.size
        yield functions * g + start, named.sum(axis=1)


def _tried(number: int, work: int) -> Integers:
    """Return all numbers below one, or as many of them at random as may be looked at."""
    most = max(MOST_TRIED // work, 1)
    if number <= most:
        return np.arange(number)
    return np.unique(np.random.default_rng(number).integers(number, size=most))


def _best(parts: Iterable[tuple[Integers, Integers]]) -> tuple[int, Integers]:
    """Return how many targets are supported at most, and reports that do."""
    most, found = -1, np.zeros(0, dtype=np.int64)
    for reports, numbers in parts:
        here = int(numbers.max(initial=-1))
        if here > most:
            most, found = here, np.zeros(0, dtype=np.int64)
        if here == most and found.size < _MOST_KEPT:
            found = np.unique(np.concatenate([found, reports[numbers == most]]))[:_MOST_KEPT]
    return most, found


def _first(reports: Integers, numbers: Integers) -> Integers:
    return np.asarray(reports[numbers == numbers.max()][:_MOST_KEPT])


@register(Hashed, HadamardResponse, ProjectiveGeometry)
class NumberedSurface(CategoriesSurface):
    """A report is a number, which supports a set of categories."""

    together = False

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return one of the reports that support most targets; any report; an honest report."""
        honest = self.supports(targets).mean(axis=0)
        return Fakes(
            Chosen(self.mechanism, best_reports(self.mechanism, targets)),
            Anything(self.mechanism),
            Honest(self.mechanism, targets, honest),
        )
