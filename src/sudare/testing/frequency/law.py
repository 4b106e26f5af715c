"""Sampled: every report of every value, and every pair of neighbours, where the law is small."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.frequency.draws import mixed_values
from sudare.testing.frequency.subjects import enumerable
from sudare.testing.suite import Comparison, demand

_DRAWS = 1 << 16
_PAIRED = 1 << 6  # most cells of a law whose pairs are counted: their number is its square


def follows_its_whole_law(m: FrequencyOracle, rng: Entropy) -> Iterator[Comparison]:
    """Each report under each value; in the smallest laws, each pair of them too."""
    if not enumerable(m):
        return
    law = np.array([[float(cell) for cell in row] for row in m.program.matrix()])
    outputs, k = law.shape
    values = mixed_values(m, _DRAWS, rng)
    reports = m.perturb(values, rng=rng)
    demand(len(reports) == _DRAWS, "must give one report a respondent")
    _, first, inverse = np.unique(reports, axis=0, return_index=True, return_inverse=True)
    wires = [bytes(m.program.encode_one(reports[i])) for i in first]
    number = np.array([int.from_bytes(wire, "little") for wire in wires])
    index = number[inverse.reshape(-1)]

    cells = index * k + values
    yield Comparison(
        "sent one report for one value",
        np.bincount(cells, minlength=outputs * k).reshape(outputs, k),
        np.bincount(values, minlength=k),
        law,
    )
    if outputs * k > _PAIRED:
        return
    for start in (0, 1):  # disjoint pairs, so that their counts are binomial
        left, right = slice(start, _DRAWS - 1, 2), slice(start + 1, None, 2)
        side = outputs * k
        pairs = np.bincount(cells[left] * side + cells[right], minlength=side * side)
        trials = np.bincount(values[left] * k + values[right], minlength=k * k)
        yield Comparison(
            "sent two reports for the values of two neighbours",
            pairs.reshape(outputs, k, outputs, k),
            trials.reshape(k, 1, k),
            law[:, :, None, None] * law,
        )
