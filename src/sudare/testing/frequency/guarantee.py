"""Exact checks of the law, in rationals: what support forces, the channel, what reports support."""

from __future__ import annotations

from fractions import Fraction

from sudare.errors import DomainError
from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core.guarantee import same_law
from sudare.testing.law import law_of
from sudare.testing.suite import demand

_DENSE = 12  # k up to which every mechanism must give its channel


def supports_the_true_value(m: FrequencyOracle, _: Entropy) -> None:
    """``0 <= q < p <= 1``, and the ratio stated is at least the one that p and q force."""
    demand(m.program.inputs == m.k, "must have a program of k values")
    p, q = m.support_probabilities
    demand(0 <= q < p <= 1, "must support the true value more often than another one")
    forced = max(p / q if q else Fraction(0), (1 - q) / (1 - p) if p < 1 else Fraction(0))
    demand(forced <= m.program.ratio, "must state its largest ratio of probabilities")


def has_a_channel(m: FrequencyOracle, _: Entropy) -> None:
    """The channel is the program's law, and shows the same ε."""
    law = law_of(m)
    if law is None:
        return
    try:
        channel = m.channel
    except DomainError:
        demand(m.k > _DENSE, f"must have a channel at k <= {_DENSE}")
        return
    same_law(channel.dense(), law.table)
    demand(channel.shape == law.table.shape, "must have the channel of its program")
    same = channel.epsilon == m.epsilon or abs(channel.epsilon - m.epsilon) < 1e-12
    demand(same, "must have a channel of the same ε")


def supports_as_stated(m: FrequencyOracle, _: Entropy) -> None:
    """Under the law, what ``aggregate`` tallies has the stated probabilities of support."""
    law = law_of(m)
    if law is None:
        return
    p, q = m.support_probabilities
    for value, own in enumerate(law.exact):
        for category, supports in enumerate(law.supports.T.tolist()):
            total = sum((cell for cell, s in zip(own, supports, strict=True) if s), Fraction(0))
            demand(
                total == (p if category == value else q),
                "must support values with its support_probabilities",
            )
