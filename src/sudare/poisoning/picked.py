"""Fake reports that are about one drawn part of the answer: a table, or a level of bins."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.alignment import align
from sudare.arrays import Floats, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.mechanisms import HierarchicalHistogram, SampledTables
from sudare.mechanisms.picked import Picked
from sudare.mechanisms.values import as_shares
from sudare.poisoning.choice import CategoriesSurface
from sudare.poisoning.laws import FakeLaw
from sudare.poisoning.surface import MANY, Fakes, Population, register, surface
from sudare.samplers.base import index_bytes

NO_MEAN = np.zeros(0)


@dataclass(frozen=True, eq=False)
class AboutPart(FakeLaw):
    """A report about one of several parts of the answer, of one of several kinds.

    Args:
        mechanism: says how reports look.
        chances: (kinds,) how many of the fakes are of each.
        about: (kinds,) the part that each is about.
        laws: of each kind's report about it.
    """

    mechanism: Picked
    chances: Floats
    about: tuple[int, ...]
    laws: tuple[FakeLaw, ...]

    @property
    def rates(self) -> Floats:
        """Of each part its reports, then its categories."""
        out = [np.zeros(1 + part.k) for part in self.mechanism.parts]
        for chance, index, law in zip(self.chances, self.about, self.laws, strict=True):
            out[index] += chance * np.append(1.0, law.rates)
        return np.concatenate(out)

    def _drawn(self, m: int, generator: np.random.Generator) -> Iterator[tuple[int, int, FakeLaw]]:
        """Yield how many of m fakes are of each kind, with its part and its law."""
        people = generator.multinomial(m, self.chances).tolist()
        yield from zip(people, self.about, self.laws, strict=True)

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m, bytes) uint8, in their wire form."""
        out, start = np.zeros((m, self.mechanism.report_bytes), np.uint8), 0
        at = index_bytes(len(self.mechanism.parts))
        for people, index, law in self._drawn(m, generator):
            own = law.reports(people, generator)
            wire = own if own.ndim == 2 else own.astype("<u4").view(np.uint8).reshape(people, 4)
            width = min(wire.shape[1], self.mechanism.parts[index].report_bytes)
            rows = out[start : start + people]
            rows[:, :at] = np.frombuffer(index.to_bytes(at, "little"), np.uint8)
            rows[:, at : at + width] = wire[:, :width]
            start += people
        return generator.permutation(out)

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """One multinomial of the kinds, and the supports of each."""
        out = [np.zeros(1 + part.k, np.int64) for part in self.mechanism.parts]
        for people, index, law in self._drawn(m, generator):
            out[index] += np.append(people, law.support(people, generator)).astype(np.int64)
        return np.concatenate(out)


class PickedSurface(CategoriesSurface):
    """A report is about one of several parts. Must implement: ``fakes``, ``parts_of``."""

    together: ClassVar[bool] = False
    instead: ClassVar[str] = ""

    def __init__(self, mechanism: Picked, size: int) -> None:
        super().__init__(mechanism)
        self.size, self.draws_key = size, True
        self._views = [surface(part, CategoriesSurface) for part in mechanism.parts]

    @abstractmethod
    def parts_of(self, shares: Floats) -> list[Floats]:
        """Return the shares of each part's categories, of those of what can be targets."""

    def _anything(self) -> AboutPart:
        """Return any report about any part, evenly."""
        each = tuple(view.fakes([0], False).random for view in self._views)
        return self._about(np.full(len(each), 1 / len(each)), each)

    def _about(self, chances: Floats, laws: tuple[FakeLaw, ...]) -> AboutPart:
        """Return fakes of one kind for each part."""
        return AboutPart(self.mechanism, chances, tuple(range(len(laws))), laws)

    def honest(self, truth: Population) -> Floats:
        """A part evenly; then as its oracle."""
        parts = self.parts_of(truth[0])
        out = [
            np.append(1.0, view.honest((part, NO_MEAN))) / len(parts)
            for view, part in zip(self._views, parts, strict=True)
        ]
        return np.concatenate(out)

    def expected(self, truth: Population, fakes: Floats, beta: float) -> Counts:
        """As every surface; the reports about all parts are all people."""
        rates = self.rates(truth, fakes, beta)
        support = np.rint(rates * MANY).astype(np.int64)
        heads = np.cumsum([0, *(1 + view.size for view in self._views[:-1])])
        support[heads[0]] += MANY - support[heads].sum()
        return Counts(support, MANY, self.mechanism.to_json())


@register(SampledTables)
class SampledTablesSurface(PickedSurface):
    """A report is about one group; the targets are cells of all of them, in their order."""

    def __init__(self, mechanism: SampledTables) -> None:
        super().__init__(mechanism, sum(part.k for part in mechanism.parts))
        self._ends = np.cumsum([part.k for part in mechanism.parts])

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return the fakes of each group's oracle, for its own targets.

        Where devices draw the group they are about those with targets alone; where the collector
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
        chances = even if index_control else aimed
        return Fakes(self._about(chances, maximal), self._anything(), self._about(chances, honest))

    def parts_of(self, shares: Floats) -> list[Floats]:
        """Those of each group's cells."""
        return np.split(shares, self._ends[:-1])

    def truth(self, frequency: object, mean: object) -> Population:
        """Return the shares of each group's cells, one after the other; there is no mean."""
        if mean is not None:
            raise WrongTypeError("mean", "must be left out", "categories have no values")
        if frequency is None:
            even = [np.full(view.size, 1 / view.size) for view in self._views]
            return np.concatenate(even), NO_MEAN
        flat = np.asarray(align(frequency, (self.size,), "frequency"), dtype=np.float64)
        if flat.shape != (self.size,):
            raise DomainError("frequency", f"must hold {self.size} shares", "those of all groups")
        shares = [as_shares(one, one.size, argument="frequency") for one in self.parts_of(flat)]
        return np.concatenate(shares), NO_MEAN

    def draw(self, truth: Population, people: int, rng: Entropy) -> Counts:
        """Draw the true counts of each group, and what they report."""
        generator = rng.generator()
        drawn = [generator.multinomial(people, one / one.sum()) for one in self.parts_of(truth[0])]
        counts: Counts = self.mechanism.simulate(drawn, rng=rng)
        return counts

    def found(self, estimate: Any, targets: list[int]) -> Floats:
        """Return the targets' shares: (1, r)."""
        shares = np.concatenate([one.shares.ravel() for one in estimate])
        return shares[None, targets]


@register(HierarchicalHistogram)
class BinsSurface(PickedSurface):
    """A report is about a level of a tree; the targets are bins."""

    usual: ClassVar[str] = "HierarchicalHistogram"

    def __init__(self, mechanism: HierarchicalHistogram) -> None:
        super().__init__(mechanism, mechanism.bins)

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return the fakes of a level's oracle, for the nodes in which targets lie.

        Those of the maximal gain are about the level from which a report moves the targets most;
        where the collector draws it, about any. Honest ones draw their level.
        """
        m = self.mechanism
        held = m.tree.nodes(np.array(targets))
        maximal = [
            view.fakes(np.unique(nodes).tolist(), False).maximal
            for view, nodes in zip(self._views, held.T, strict=True)
        ]
        even = np.full(len(maximal), 1 / len(maximal))
        chances = even if index_control else np.eye(len(maximal))[self._worst(targets, maximal)]
        claims = [
            (level, view.fakes([int(node)], False).honest)
            for level, view in enumerate(self._views)
            for node in held[:, level]
        ]
        honest = AboutPart(
            m,
            np.full(len(claims), 1 / len(claims)),
            tuple(level for level, _ in claims),
            tuple(law for _, law in claims),
        )
        return Fakes(self._about(chances, tuple(maximal)), self._anything(), honest)

    def _worst(self, targets: list[int], maximal: list[FakeLaw]) -> int:
        """Return the level from which such reports move the sum of the targets most."""
        wanted = np.zeros(self.size)
        wanted[targets] = 1.0
        gains = []
        for view, law, weights in zip(
            self._views, maximal, self.mechanism.level_weights(wanted), strict=True
        ):
            p, q = view.support
            gains.append(float(weights @ law.rates) / (p - q))
        return int(np.argmax(gains))

    def parts_of(self, shares: Floats) -> list[Floats]:
        """Those of each level's nodes."""
        out: list[Floats] = self.mechanism.tree.sums(shares)
        return out
