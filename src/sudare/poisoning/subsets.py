"""Fake reports that name d of k categories, or that are about one of several pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.mechanisms import SampledPairs, SubsetSelection
from sudare.mechanisms.values import as_shares
from sudare.poisoning.choice import CategoriesSurface
from sudare.poisoning.laws import FakeLaw
from sudare.poisoning.positions import set_sums
from sudare.poisoning.surface import MANY, Fakes, Population, register, surface
from sudare.samplers.base import index_bytes


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


@dataclass(frozen=True, eq=False)
class AboutPairs(FakeLaw):
    """A report about one of several pairs: what is reported to sampled pairs.

    Args:
        mechanism: says how reports look.
        chances: (pairs,) how many of the fakes are about each.
        laws: of the report about each pair.
    """

    mechanism: SampledPairs
    chances: Floats
    laws: tuple[FakeLaw, ...]

    @property
    def rates(self) -> Floats:
        """Of each pair its reports, then its cells."""
        each = zip(self.chances, self.laws, strict=True)
        return np.concatenate([np.append(one, one * law.rates) for one, law in each])

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m, bytes) uint8, in their wire form."""
        out, start, at = np.zeros((m, self.mechanism.report_bytes), np.uint8), 0, self._index
        for index, people in enumerate(generator.multinomial(m, self.chances).tolist()):
            own = self.laws[index].reports(people, generator)
            wire = own if own.ndim == 2 else own.astype("<u4").view(np.uint8).reshape(people, 4)
            width = min(wire.shape[1], self.mechanism.parts[index].report_bytes)
            rows = out[start : start + people]
            rows[:, :at] = np.frombuffer(index.to_bytes(at, "little"), np.uint8)
            rows[:, at : at + width] = wire[:, :width]
            start += people
        return generator.permutation(out)

    @property
    def _index(self) -> int:
        return index_bytes(len(self.laws))

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """One multinomial of the pairs, and the supports of each."""
        people = generator.multinomial(m, self.chances).tolist()
        return np.concatenate(
            [
                np.append(some, law.support(some, generator)).astype(np.int64)
                for some, law in zip(people, self.laws, strict=True)
            ]
        )


@register(SampledPairs)
class SampledPairsSurface(CategoriesSurface):
    """A report is about one pair; the targets are cells of all pairs, in their order."""

    together = False
    instead = ""

    def __init__(self, mechanism: SampledPairs) -> None:
        super().__init__(mechanism)
        self.size = sum(part.k for part in mechanism.parts)
        self.draws_key = True
        self._views = [surface(part, CategoriesSurface) for part in mechanism.parts]
        self._ends = np.cumsum([part.k for part in mechanism.parts])

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return the fakes of each pair's oracle, for its own targets.

        Where devices draw the pair they are about those with targets alone; where the collector
        does, about any, and anything is said of those without.
        """
        starts = self._ends - [view.size for view in self._views]
        own = [
            [one - start for one in targets if start <= one < end]
            for start, end in zip(starts.tolist(), self._ends.tolist(), strict=True)
        ]
        even = np.full(len(own), 1 / len(own))
        aimed = np.array([len(some) for some in own]) / len(targets)
        each = [view.fakes(some or [0], False) for view, some in zip(self._views, own, strict=True)]
        maximal, honest = (
            tuple(
                getattr(one, way) if some else one.random
                for one, some in zip(each, own, strict=True)
            )
            for way in ("maximal", "honest")
        )
        m, chances = self.mechanism, even if index_control else aimed
        return Fakes(
            AboutPairs(m, chances, maximal),
            AboutPairs(m, even, tuple(one.random for one in each)),
            AboutPairs(m, chances, honest),
        )

    def truth(self, frequency: object, mean: object) -> Population:
        """Return the shares of each pair's cells, one after the other; there is no mean."""
        if mean is not None:
            raise WrongTypeError("mean", "must be left out", "categories have no values")
        if frequency is None:
            return np.concatenate([np.full(view.size, 1 / view.size) for view in self._views]), (
                np.zeros(0)
            )
        flat = np.asarray(frequency, dtype=np.float64)
        if flat.shape != (self.size,):
            raise DomainError("frequency", f"must hold {self.size} shares", "those of all pairs")
        parts = np.split(flat, self._ends[:-1])
        shares = [as_shares(one, one.size, argument="frequency") for one in parts]
        return np.concatenate(shares), np.zeros(0)

    def honest(self, truth: Population) -> Floats:
        """A pair evenly; then as its oracle."""
        parts = np.split(truth[0], self._ends[:-1])
        out = [
            np.append(1.0, view.honest((part, np.zeros(0)))) / len(parts)
            for view, part in zip(self._views, parts, strict=True)
        ]
        return np.concatenate(out)

    def expected(self, truth: Population, fakes: Floats, beta: float) -> Counts:
        """As every surface; the reports about all pairs are all people."""
        rates = self.rates(truth, fakes, beta)
        support = np.rint(rates * MANY).astype(np.int64)
        heads = np.concatenate([[0], self._ends[:-1]]) + np.arange(len(self._views))
        support[heads[0]] += MANY - support[heads].sum()
        return Counts(support, MANY, self.mechanism.to_json())

    def draw(self, truth: Population, people: int, rng: Entropy) -> Counts:
        """Draw the true counts of each pair, and what they report."""
        generator = rng.generator()
        parts = np.split(truth[0], self._ends[:-1])
        drawn = [generator.multinomial(people, one / one.sum()) for one in parts]
        counts: Counts = self.mechanism.simulate(drawn, rng=rng)
        return counts

    def found(self, estimate: Any, targets: list[int]) -> Floats:
        """Return the targets' shares: (1, r)."""
        shares = np.concatenate([one.shares.ravel() for one in estimate])
        return shares[None, targets]
