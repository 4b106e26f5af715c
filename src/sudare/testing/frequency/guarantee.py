"""Exact checks in rationals: another k or ε is another mechanism; what support forces."""

from __future__ import annotations

from fractions import Fraction

from sudare.errors import OutOfReachError
from sudare.exact.entropy import Entropy
from sudare.exact.parameters import EPSILON_MAX
from sudare.mechanisms import FrequencyOracle
from sudare.testing.law import Law, law_of
from sudare.testing.suite import demand, of


def builds_what_is_asked(m: FrequencyOracle, _: Entropy) -> None:
    """Another ε or k gives another mechanism, with that ε and that k."""
    asked = m.requested_epsilon
    others = (asked, asked * 2 if asked * 2 <= EPSILON_MAX else asked / 2, asked + Fraction(1, 999))
    for epsilon in others:
        if epsilon > EPSILON_MAX:
            continue
        for k in (m.k, m.k + 1):
            try:
                built = type(m)(k, epsilon)
            except OutOfReachError:
                continue
            demand(built.requested_epsilon == epsilon, "must take the ε that it is asked for")
            demand(built.k == k and built.program.inputs == k, "must take the k it is asked for")
            same = k == m.k and built.program == m.program
            demand((built == m) == same, "must differ from a mechanism of another k or law")
            demand(
                (repr(built) == repr(m)) == (k == m.k and float(epsilon) == float(asked)),
                "must have a repr that names k and ε",
            )


def supports_the_true_value(m: FrequencyOracle, _: Entropy) -> None:
    """``0 <= q < p <= 1``, and the ratio stated is at least the one that p and q force."""
    demand(m.program.inputs == m.k, "must have a program of k values")
    p, q = m.support_probabilities
    demand(0 <= q < p <= 1, "must support the true value more often than another one")
    forced = max(p / q if q else Fraction(0), (1 - q) / (1 - p) if p < 1 else Fraction(0))
    demand(forced <= m.program.ratio, "must state its largest ratio of probabilities")


@of(law_of)
def supports_as_stated(law: Law, _: Entropy) -> None:
    """Under the law, what ``aggregate`` tallies has the stated probabilities of support."""
    p, q = law.m.support_probabilities
    for value, own in enumerate(law.exact):
        for category, supports in enumerate(law.supports.T.tolist()):
            total = sum((cell for cell, s in zip(own, supports, strict=True) if s), Fraction(0))
            demand(
                total == (p if category == value else q),
                "must support values with its support_probabilities",
            )
