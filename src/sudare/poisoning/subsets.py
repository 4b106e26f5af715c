"""Fake reports that name d of k categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.mechanisms import SubsetSelection
from sudare.poisoning.choice import CategoriesSurface
from sudare.poisoning.laws import FakeLaw
from sudare.poisoning.positions import set_sums
from sudare.poisoning.surface import Fakes, register


class Kind(NamedTuple):
    """One kind of fake report.

    Attributes:
        weight: how many of the fakes are of it.
        fixed: categories that all of them name.
        pool: of which each names so many others, drawn evenly.
        number: how many.
    """

    weight: float
    fixed: list[int]
    pool: npt.NDArray[np.intp]
    number: int


@dataclass(frozen=True, eq=False)
class Subsets(FakeLaw):
    """d of k categories, packed: what is reported to subset selection."""

    k: int
    kinds: tuple[Kind, ...]

    @property
    def rates(self) -> Floats:
        """(k,)."""
        out = np.zeros(self.k)
        for weight, fixed, pool, number in self.kinds:
            out[fixed] += weight
            out[pool] += weight * number / max(pool.size, 1)
        return out

    def _people(self, m: int, generator: np.random.Generator) -> list[int]:
        people: list[int] = generator.multinomial(m, [one.weight for one in self.kinds]).tolist()
        return people

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m, ceil(k / 8)) packed bits."""
        bits = np.zeros((m, self.k), dtype=bool)
        start = 0
        for one, people in zip(self.kinds, self._people(m, generator), strict=True):
            rows = bits[start : start + people]
            rows[:, one.fixed] = True
            order = generator.random((people, one.pool.size)).argsort(axis=1)[:, : one.number]
            rows[np.arange(people)[:, None], one.pool[order]] = True
            start += people
        return np.packbits(generator.permutation(bits), axis=1, bitorder="little")

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """Column sums, kind by kind."""
        out = np.zeros(self.k, dtype=np.int64)
        for one, people in zip(self.kinds, self._people(m, generator), strict=True):
            out[one.fixed] += people
            if one.number:
                out[one.pool] += set_sums(people, one.number, one.pool.size, generator)
        return out


@register(SubsetSelection)
class SubsetSurface(CategoriesSurface):
    """A report names d of k categories."""

    together = False

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return as many targets as fit, with any others; any d; an honest report of a target."""
        d, every = self.mechanism.program.size, np.arange(self.size)
        own = float(self.mechanism.support_probabilities[0])
        others = np.setdiff1d(every, targets)
        most = Kind(1.0, targets, others, d - len(targets))
        if len(targets) > d:
            most = Kind(1.0, [], np.array(targets), d)
        honest = []
        for one in targets:
            rest, weight = np.delete(every, one), 1 / len(targets)
            honest += [
                Kind(own * weight, [one], rest, d - 1),
                Kind((1 - own) * weight, [], rest, d),
            ]
        laws = ((most,), (Kind(1.0, [], every, d),), tuple(honest))
        return Fakes(*(Subsets(self.size, kinds) for kinds in laws))
