"""The checks of trips: cells one after the other in, four tables of shares out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Grid, Trajectories
from sudare.testing.core import Checked, resized, simulations
from sudare.testing.family import Batch

_CELLS = 3
_SMALL = 3


class _Trips(Checked[Trajectories]):
    """Trips; a small map of two cells stands for larger ones."""

    exact = tuple(one for one in Checked.exact if one.__name__ != "has_a_channel")
    sampled = tuple(one for one in Checked.sampled if one not in simulations.SAMPLED)

    def subjects(self, m: Trajectories) -> tuple[Trajectories, ...]:
        if m.program.outputs <= 1 << 10:
            return (m,)
        grid = Grid(1, 2, m.grid.cell_height, m.grid.cell_width)
        longest = _SMALL if m.oracle == "GRR" else 2  # reports of bits are many more
        return resized(m, grid=m.parameters[0].write(grid), longest=min(m.longest, longest)), m

    def answers(self, m: Trajectories) -> Sequence[Any]:
        """Return all trips of a few cells, or some that are spread over the map."""
        cells = np.unique(np.linspace(0, m.grid.cells - 1, _CELLS).astype(np.int64)).tolist()
        longest = _SMALL if m.grid.cells < _CELLS else 2
        some = {
            tuple(row[row >= 0].tolist())
            for length in range(1, min(m.longest, longest) + 1)
            for row in m.trips(list(product(cells, repeat=length)))
        }
        return [list(trip) for trip in sorted(some, key=lambda trip: (len(trip), trip))]

    def batch(self, m: Trajectories, answers: Sequence[Any]) -> Batch:
        return (m.trips(answers),)

    def wire(self, m: Trajectories, report: Any) -> bytes:
        return bytes(report)

    def report(self, m: Trajectories, wire: bytes) -> Any:
        return np.frombuffer(wire, dtype=np.uint8)

    def bad_answers(self, m: Trajectories) -> Iterator[Any]:
        """Yield what is no trip: none of lists, no cell, or one off the map."""
        yield from super().bad_answers(m)
        for bad in (*super().bad_answers(m), m.grid.cells):
            yield from ([bad], [0, bad])
        yield []

    def attains(self, m: Trajectories) -> bool:
        """Whether two trips differ in all four answers: on a map of two cells some of three do."""
        return max(m.longest, m.grid.cells) > 2

    def truth(self, m: Trajectories, answers: Sequence[Any], weights: Floats) -> Floats:
        each = [np.concatenate([own / own.sum() for own in m.truth([one])]) for one in answers]
        out: Floats = weights @ np.array(each)
        return out

    def estimated(self, m: Trajectories, estimate: Any) -> tuple[Floats, Floats]:
        both = zip(*((one.shares, one.stderr) for one in estimate), strict=True)
        shares, stderr = map(np.concatenate, both)
        return shares, stderr

    def exact_errors(self, m: Trajectories, target: Target) -> npt.NDArray[np.bool_]:
        """Return all but the moves of the respondents: which one is asked about is chance too."""
        out = np.ones(m.shape, dtype=np.bool_)
        out[sum(part.k for part in m.parts[:-1]) :] = target == "population"
        return out

    def simulate(self, m: Trajectories, answers: Sequence[Any], truth: Any, rng: Entropy) -> Counts:
        return m.simulate(answers, truth, rng=rng)

    def bad_simulations(self, m: Trajectories) -> Iterator[tuple[Any, ...]]:
        """Yield what are no trips, or no numbers of people."""
        good = self.answers(m)[:2]
        for bad in (None, [[m.grid.cells]]):
            yield (bad,)
        for times in ([1], [-1, 1], [0.5, 1], [0, 0]):
            yield good, times


FAMILY = _Trips()
