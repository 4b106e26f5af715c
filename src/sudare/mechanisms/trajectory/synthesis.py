"""Trips made up from estimates: a Markov chain, given how long a trip is and where it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudare.arrays import Integers
from sudare.estimation import project

if TYPE_CHECKING:
    from sudare.mechanisms.trajectory.estimate import TripEstimates

_WAYS = 8
_FAINT = 1e-9
"""Of every move and end: a trip that must go on where nothing is known goes anywhere."""


def walk(found: TripEstimates, n: int, generator: np.random.Generator) -> Integers:
    """Return n trips, (n, longest) cells, -1 behind the last one."""
    lengths, begins, ends, moves = (project(one.shares) for one in found)
    pairs, cells, longest = found.moves.pairs, begins.size, lengths.size
    # the moves of each cell side by side, the rest with weight 0
    first = np.searchsorted(pairs[:, 0], np.arange(cells))
    place = pairs[:, 0], np.arange(len(pairs)) - first[pairs[:, 0]]
    to, weight = np.zeros((cells, _WAYS), dtype=np.int64), np.zeros((cells, _WAYS))
    to[place], weight[place] = pairs[:, 1], moves[:-1] * found.moves.places + _FAINT
    at = ends + _FAINT + weight.sum(axis=1)
    reach, ways = (ends + _FAINT) / at, np.zeros((longest, cells, _WAYS))
    for togo in range(1, longest):
        ways[togo] = weight / at[:, None] * reach[to]
        reach = ways[togo].sum(axis=1)
    sums = ways.cumsum(axis=-1)

    out = np.full((n, longest), -1)
    out[:, 0] = generator.choice(cells, size=n, p=begins)
    left = generator.choice(longest, size=n, p=lengths)
    for step in range(1, longest):
        going = np.flatnonzero(left >= step)
        here = out[going, step - 1]
        own = sums[left[going] - step + 1, here]
        drawn = generator.random(going.size) * own[:, -1]
        out[going, step] = to[here, (drawn[:, None] >= own).sum(axis=1)]
    return out
