"""Exact checks of the law, in rationals: its largest ratio, its channel, what reports support."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sudare.errors import DomainError
from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.frequency.subjects import enumerable, report, supports_of
from sudare.testing.suite import demand

_DENSE = 12  # k up to which every mechanism must give its channel


def has_an_exact_law(m: FrequencyOracle, _: Entropy) -> None:
    """Columns sum to exactly 1, and the ratio that is stated is the largest one.

    Where the law is too large to write out, the ratio is at least the ones that the
    probabilities of support force.
    """
    demand(m.program.inputs == m.k, "must have a program of k values")
    p, q = m.support_probabilities
    demand(0 <= q < p <= 1, "must support the true value more often than another one")
    forced = max(p / q if q else Fraction(0), (1 - q) / (1 - p) if p < 1 else Fraction(0))
    demand(forced <= m.program.ratio, "must state its largest ratio of probabilities")
    if not enumerable(m):
        return
    law = m.program.matrix()
    demand(
        len(law) == m.program.outputs and all(len(row) == m.k for row in law),
        "must have a law of outputs x k cells",
    )
    demand(
        all(sum(column) == 1 for column in zip(*law, strict=True)),
        "must have columns that sum to exactly 1",
    )
    rows = [row for row in law if any(row)]
    demand(all(min(row) > 0 for row in rows), "must be able to send each report whatever the value")
    largest = max(max(row) / min(row) for row in rows)
    demand(largest == m.program.ratio, "must state its largest ratio of probabilities")


def has_a_channel(m: FrequencyOracle, _: Entropy) -> None:
    """The channel is the program's law, and shows the same ε."""
    if not enumerable(m):
        return
    try:
        channel = m.channel
    except DomainError:
        demand(m.k > _DENSE, f"must have a channel at k <= {_DENSE}")
        return
    dense = channel.dense()
    law = np.array([[float(cell) for cell in row] for row in m.program.matrix()])
    demand(
        dense.shape == channel.shape == law.shape and np.allclose(dense, law, atol=1e-14, rtol=0),
        "must have the channel of its program",
    )
    demand(abs(channel.epsilon - m.epsilon) < 1e-12, "must have a channel of the same ε")


def supports_as_stated(m: FrequencyOracle, _: Entropy) -> None:
    """Under the law, what ``aggregate`` tallies has the stated probabilities of support."""
    if not enumerable(m):
        return
    p, q = m.support_probabilities
    law = m.program.matrix()
    supports = [supports_of(m, report(m, index))[0] for index in range(len(law))]
    for value in range(m.k):
        for category in range(m.k):
            total = sum(
                (row[value] for row, s in zip(law, supports, strict=True) if s[category]),
                start=Fraction(0),
            )
            demand(
                total == (p if category == value else q),
                "must support values with its support_probabilities",
            )
