"""Exact: another k or another ε gives another mechanism."""

from __future__ import annotations

from fractions import Fraction

from sudare.errors import OutOfReachError
from sudare.exact.entropy import Entropy
from sudare.exact.parameters import EPSILON_MAX
from sudare.mechanisms import FrequencyOracle
from sudare.testing.suite import demand


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
