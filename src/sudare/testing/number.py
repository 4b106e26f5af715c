"""The checks of mechanisms for the mean of a number in a range, on a grid of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact.entropy import Entropy
from sudare.testing.core import Checked, value
from sudare.testing.family import NOT_NUMBERS, OUTSIDE, Exact
from sudare.testing.law import Law

_LEAST = 9  # numbers of a grid


class Numbers(Checked[Any]):
    """Numbers from one end of the range to the other, and what they tell of its nodes."""

    exact: ClassVar[tuple[Exact, ...]] = (*Checked.exact, value.spends_all_of_it)

    def answers(self, m: Any) -> Sequence[Any]:
        """Return a grid that holds each node, and numbers between."""
        nodes = m.channel.shape[1]
        places = np.linspace(0, nodes - 1, (nodes - 1) * max(2, (_LEAST - 1) // (nodes - 1)) + 1)
        return list(self.at(m, places).tolist())

    def at(self, m: Any, places: Floats) -> Floats:
        """Return the numbers at some places among the nodes."""
        out: Floats = np.linspace(m.low, m.high, places.size)
        return out

    def bad_answers(self, m: Any) -> Iterable[Any]:
        """Return what is no number of the range."""
        width = m.high - m.low
        return (*NOT_NUMBERS, m.low - width / 100, m.high + width, float("inf"), -float(OUTSIDE))

    def channels(self, m: Any, law: Law) -> Iterator[tuple[Floats, Floats]]:
        """Yield the channel of the nodes, beside their part of the law."""
        nodes = m.channel.shape[1]
        yield m.channel.dense(), law.table[:, :: (len(law.answers) - 1) // (nodes - 1)]

    def bad_simulations(self, m: Any) -> Iterator[tuple[Any, ...]]:
        """Yield what no truth is."""
        for bad in (None, "01", [OUTSIDE], [float("nan")], []):
            yield (bad,)


class _Means(Numbers):
    def tally(self, m: Any, answers: Sequence[Any], weights: Any) -> Any:
        return weights @ np.array(answers)

    def estimated(self, m: Any, estimate: Any) -> tuple[Floats, Floats]:
        return np.array([estimate.mean.value]), np.array([estimate.mean.stderr])

    def exact_errors(self, m: Any, target: Target) -> bool:
        """Return whether it is the population: no report tells how far respondents lie apart."""
        return target == "population"

    def simulate(self, m: Any, answers: Sequence[Any], truth: Any, rng: Entropy) -> Counts:
        counts: Counts = m.simulate(answers, truth, rng=rng)
        return counts

    def bad_simulations(self, m: Any) -> Iterator[tuple[Any, ...]]:
        yield from super().bad_simulations(m)
        for counts in ([1], [-1, 2], [0.5, 1]):
            yield [m.low, m.high], counts


FAMILY = _Means()
