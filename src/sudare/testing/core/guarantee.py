"""Exact checks of the law, in rationals: its columns, and its largest ratio."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sudare.arrays import Floats
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism
from sudare.testing.law import law_of
from sudare.testing.suite import demand


def has_an_exact_law(m: Mechanism, _: Entropy) -> None:
    """The law of each answer sums to exactly 1, and has a cell for each report."""
    law = law_of(m)
    if law is None:
        return
    for own in law.exact:
        demand(len(own) == m.program.outputs, "must have a law of a cell a report")
        demand(min(own) >= 0 and sum(own) == 1, "must have columns that sum to exactly 1")
    demand(len(set(law.wires)) == m.program.outputs, "must write each report in its own way")


def states_its_largest_ratio(m: Mechanism, _: Entropy) -> None:
    """No report is likelier under one answer than under another by more than the ratio stated."""
    law = law_of(m)
    if law is None:
        return
    largest = Fraction(1)
    for row in zip(*law.exact, strict=True):
        if any(row):
            demand(min(row) > 0, "must be able to send each report whatever the value")
            largest = max(largest, max(row) / min(row))
    stated = m.program.ratio
    demand(
        largest == stated if law.family.attains(m) else largest <= stated,
        "must state its largest ratio of probabilities",
    )


def tallies_each_report(m: Mechanism, rng: Entropy) -> None:
    """The tally of a batch is the sum of the tallies of its reports, each of which supports a
    cell once or not at all."""
    law = law_of(m)
    if law is None:
        return
    demand(set(np.unique(law.supports).tolist()) <= {0, 1}, "must tally a report once a cell")
    index = rng.generator().integers(len(law.answers), size=300)
    reports = law.family.perturb(m, law.batch(index), rng)
    total = m.aggregate(reports)
    expected = law.supports[law.rows(reports)].sum(axis=0)
    demand(
        total.n == 300 and np.array_equal(total.support.reshape(-1), expected),
        "must tally a batch as the sum of its reports",
    )


def has_a_channel(m: Mechanism, _: Entropy) -> None:
    """What is stated as the channel is the law."""
    law = law_of(m)
    for stated, expected in () if law is None else law.family.channels(m, law):
        same_law(stated, expected)


def same_law(stated: Floats, expected: Floats) -> None:
    """Demand that a channel is the law."""
    demand(
        stated.shape == expected.shape and np.allclose(stated, expected, atol=1e-12, rtol=1e-9),
        "must have the channel of its program",
    )
