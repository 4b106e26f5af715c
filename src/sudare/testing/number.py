"""The checks of mechanisms for a number in a range, on a grid of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Binned, HierarchicalHistogram
from sudare.testing.core import Checked, resized, value
from sudare.testing.family import NOT_NUMBERS, OUTSIDE, Exact
from sudare.testing.law import Law

_LEAST = 9  # numbers of a grid
_SMALL = 4  # bins of a tree whose law is written out


class _Numbers(Checked[Any]):
    """Numbers from one end of the range to the other; the means, or the shares of bins."""

    exact: ClassVar[tuple[Exact, ...]] = (*Checked.exact, value.spends_all_of_it)

    def answers(self, m: Any) -> Sequence[Any]:
        """Return a grid that holds each node, or the middle of each bin, and numbers between."""
        if isinstance(m, HierarchicalHistogram):
            return list(m.centres.tolist())
        nodes = m.channel.shape[1]
        between = max(2, (_LEAST - 1) // (nodes - 1))
        if self._binned(m):
            grid = np.interp(
                np.arange((nodes - 1) * between + 1) / between, np.arange(nodes), m.centres
            )
        else:
            grid = np.linspace(m.low, m.high, (nodes - 1) * between + 1)
        return list(grid.tolist())

    def _binned(self, m: Any) -> bool:
        return isinstance(m, Binned)

    def subjects(self, m: Any) -> tuple[Any, ...]:
        small = not isinstance(m, HierarchicalHistogram) or m.bins <= 2 * _SMALL
        return (m,) if small else (resized(m, bins=_SMALL), m)

    def wire(self, m: Any, report: Any) -> bytes:
        return bytes(report) if isinstance(m, HierarchicalHistogram) else super().wire(m, report)

    def report(self, m: Any, wire: bytes) -> Any:
        if isinstance(m, HierarchicalHistogram):
            return np.frombuffer(wire, dtype=np.uint8)
        return super().report(m, wire)

    def bad_answers(self, m: Any) -> Iterable[Any]:
        width = m.high - m.low
        return (*NOT_NUMBERS, m.low - width / 100, m.high + width, float("inf"), -float(OUTSIDE))

    def channels(self, m: Any, law: Law) -> Iterator[tuple[Floats, Floats]]:
        if isinstance(m, HierarchicalHistogram):
            return
        nodes = m.channel.shape[1]
        yield m.channel.dense(), law.table[:, :: (len(law.answers) - 1) // (nodes - 1)]

    def tally(self, m: Any, answers: Sequence[Any], weights: Any) -> Any:
        if self._binned(m):
            bins = [m.bin_of(one) for one in answers]
            return np.bincount(bins, weights, m.bins).astype(weights.dtype)
        return weights @ np.array(answers)

    def estimated(self, m: Any, estimate: Any) -> tuple[Floats, Floats]:
        if self._binned(m):
            return super().estimated(m, estimate)
        return np.array([estimate.mean.value]), np.array([estimate.mean.stderr])

    def exact_errors(self, m: Any, target: Target) -> bool:
        """Return True for shares; a report does not tell how far the respondents lie apart."""
        return self._binned(m) or target == "population"

    def simulate(self, m: Any, answers: Sequence[Any], truth: Any, rng: Entropy) -> Counts:
        if self._binned(m):
            return super().simulate(m, answers, truth, rng)
        counts: Counts = m.simulate(answers, truth, rng=rng)
        return counts

    def bad_simulations(self, m: Any) -> Iterator[tuple[Any, ...]]:
        for bad in (None, "01", [OUTSIDE], [float("nan")], []):
            yield (bad,)
        for counts in ([1], [-1, 2], [0.5, 1]) if not self._binned(m) else ():
            yield [m.low, m.high], counts


FAMILY = _Numbers()
