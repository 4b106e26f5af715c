"""The checks of offered levels: a level and a value in, the table of all levels out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.exact.entropy import Entropy
from sudare.mechanisms.levels import Levels
from sudare.testing.core import Checked, guarantee
from sudare.testing.family import OUTSIDE, Exact
from sudare.testing.law import Law, law_of
from sudare.testing.suite import demand, of


@of(law_of)
def states_the_largest_ratio_of_a_level(law: Law, _: Entropy) -> None:
    """Of two values of one level no report is likelier by more than its ratio; it names its level,
    and no other."""
    largest = []
    for level, part in enumerate(law.m.parts):
        own = [law.exact[i] for i, (picked, _) in enumerate(law.answers) if picked == level]
        ratio = Fraction(1)
        for wire, row in zip(law.wires, zip(*own, strict=True), strict=True):
            if any(row):
                demand(min(row) > 0, "must be able to send each report whatever the value")
                demand(wire[0] == level, "must tell the level that was picked")
                ratio = max(ratio, max(row) / min(row))
        demand(ratio == part.program.ratio, "must spend the ε of its level")
        largest.append(ratio)
    demand(max(largest) == law.m.program.ratio, "must state its largest ratio of probabilities")


class _Levels(Checked[Levels]):
    """Pairs of a level and a value of its mechanism."""

    exact: ClassVar[tuple[Exact, ...]] = tuple(
        states_the_largest_ratio_of_a_level if one is guarantee.states_its_largest_ratio else one
        for one in Checked.exact
    )

    def answers(self, m: Levels) -> Sequence[Any]:
        """Return every value at every level."""
        shape = m.parts[0].shape
        values: list[Any] = [list(row) for row in product(*map(range, shape))]
        if len(shape) == 1 and not hasattr(m.parts[0], "sizes"):
            values = list(range(shape[0]))
        return [(level, value) for level in range(len(m.parts)) for value in values]

    def batch(self, m: Levels, answers: Sequence[Any]) -> tuple[npt.NDArray[Any], ...]:
        return np.array([one[1] for one in answers]), np.array([one[0] for one in answers])

    def distances(self, m: Levels, answers: Sequence[Any]) -> Floats:
        """Return 1 for two answers at one level: ε is for these; infinity for others."""
        levels = np.array([one[0] for one in answers])
        return np.where(levels[:, None] == levels, 1.0, np.inf)

    def wire(self, m: Levels, report: Any) -> bytes:
        return bytes(report)

    def report(self, m: Levels, wire: bytes) -> Any:
        return np.frombuffer(wire, dtype=np.uint8)

    def bad_answers(self, m: Levels) -> Iterator[Any]:
        """Yield what is no pair, or has one bad entry."""
        level, good = self.answers(m)[0]
        for bad in super().bad_answers(m):
            yield (level, bad)
            yield (bad, good)
        yield from (None, good, (level,), (level, good, good), (len(m.parts), good), OUTSIDE)

    def bad_batches(self, m: Levels) -> Iterator[tuple[Any, ...]]:
        """Yield one bad value, one bad level, and lists that are not as long."""
        level, good = self.answers(m)[0]
        for bad in super().bad_answers(m):
            yield ([bad], [level])
            yield ([good], [bad])
            yield ([good, good], [level, bad])
        yield from (([good], [level, level]), ([], []), ([good], [len(m.parts)]), (None, [level]))

    def tally(self, m: Levels, answers: Sequence[Any], weights: Any) -> Any:
        """Return what is true of the people of each level."""
        return np.reshape(weights, (len(m.parts), *m.parts[0].shape))

    def truth(self, m: Levels, answers: Sequence[Any], weights: Floats) -> Floats:
        """Return the shares of all people together."""
        whole: Floats = self.tally(m, answers, weights).sum(axis=0).reshape(-1)
        return whole

    def simulated(self, m: Levels) -> list[npt.NDArray[np.int64]]:
        """Return the cells of each level: they are drawn apart."""
        ends = np.cumsum([0, *(1 + int(np.prod(part.shape)) for part in m.parts)])
        return [np.arange(ends[i], ends[i + 1]) for i in range(len(m.parts))]

    def bad_simulations(self, m: Levels) -> Iterator[tuple[Any, ...]]:
        """Yield what is no table of counts, or of one level alone."""
        shape = (len(m.parts), *m.parts[0].shape)
        for bad in (None, [1], np.full(shape, -1), np.full(shape, 0.5), np.ones(shape[1:], int)):
            yield (bad,)


FAMILY = _Levels()
