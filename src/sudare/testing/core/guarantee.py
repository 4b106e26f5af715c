"""Exact checks of the law, in rationals: its columns, and its largest ratio."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sudare.exact.entropy import Entropy
from sudare.testing.law import Law, law_of
from sudare.testing.suite import demand, of


@of(law_of)
def has_an_exact_law(law: Law, _: Entropy) -> None:
    """The law of each answer sums to exactly 1, and has a cell for each report."""
    outputs = law.m.program.outputs
    for own in law.exact:
        demand(len(own) == outputs, "must have a law of a cell a report")
        demand(min(own) >= 0 and sum(own) == 1, "must have columns that sum to exactly 1")
    demand(len(set(law.wires)) == outputs, "must write each report in its own way")


@of(law_of)
def states_its_largest_ratio(law: Law, _: Entropy) -> None:
    """No report is likelier under one answer than under another by more than the ratio stated."""
    largest, stated = Fraction(1), law.m.program.ratio
    for row in zip(*law.exact, strict=True):
        if any(row):
            demand(min(row) > 0, "must be able to send each report whatever the value")
            largest = max(largest, max(row) / min(row))
    demand(
        largest == stated if law.family.attains(law.m) else largest <= stated,
        "must state its largest ratio of probabilities",
    )


@of(law_of)
def tallies_each_report(law: Law, rng: Entropy) -> None:
    """The tally of a batch is the sum of the tallies of its reports, each of which supports a
    cell once or not at all."""
    demand(set(np.unique(law.supports).tolist()) <= {0, 1}, "must tally a report once a cell")
    index = rng.generator().integers(len(law.answers), size=300)
    reports = law.family.perturb(law.m, law.batch(index), rng)
    total = law.m.aggregate(reports)
    expected = law.supports[law.rows(reports)].sum(axis=0)
    demand(
        total.n == 300 and np.array_equal(total.support.reshape(-1), expected),
        "must tally a batch as the sum of its reports",
    )


@of(law_of)
def has_a_channel(law: Law, _: Entropy) -> None:
    """What is stated as the channel is the law."""
    for stated, expected in law.family.channels(law.m, law):
        demand(
            stated.shape == expected.shape and np.allclose(stated, expected, atol=1e-12, rtol=1e-9),
            "must have the channel of its program",
        )
