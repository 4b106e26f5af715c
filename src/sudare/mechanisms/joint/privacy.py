"""ρ1-to-ρ2 privacy: what a bound on the ratio of probabilities does to anybody's belief."""

from __future__ import annotations

import sys
from fractions import Fraction

from sudare.errors import DomainError, PrivacyError
from sudare.exact import as_rational, exp_bounds, floor_float
from sudare.exact.parameters import EPSILON_MAX, EPSILON_MIN, exactly


def as_gamma(gamma: object, argument: str = "gamma") -> Fraction:
    """Return γ as an exact rational after checking that ``ln γ`` is an accepted ε.

    Raises:
        WrongTypeError: not a number.
        PrivacyError: NaN, at most 1, or outside ``e**0.001`` to ``e**20``.
    """
    number = exactly(gamma, argument, "give a number above 1; e**epsilon")
    if number is None or number <= 1:
        raise PrivacyError(argument, "must be finite and above 1", "take e**epsilon", got=gamma)
    if not exp_bounds(EPSILON_MIN)[0] <= number <= exp_bounds(EPSILON_MAX)[1]:
        raise PrivacyError(argument, "must lie between e**0.001 and e**20", got=gamma)
    return Fraction(number)


def gamma_for(rho1: float | Fraction, rho2: float | Fraction) -> float:
    """Return the largest γ under which no belief of at most ρ1 can rise above ρ2, rounded down.

    ::

        γ = (ρ2 / ρ1) (1 - ρ1) / (1 - ρ2)

    Args:
        rho1: belief in a property before a report is seen, above 0.
        rho2: belief after it, above ``rho1`` and below 1.

    Raises:
        WrongTypeError, DomainError: not probabilities with ``rho1 < rho2``.

    Source: Evfimievski, Gehrke, Srikant 2003 (amplification); Sei, Ohsuga 2014.

    Examples:
        >>> round(gamma_for(0.05, 0.5), 9)
        19.0
    """
    before, after = _probability(rho1, "rho1"), _probability(rho2, "rho2")
    if not before < after:
        raise DomainError("rho2", "must be above rho1", got=rho2)
    gamma = after / before * (1 - before) / (1 - after)
    return floor_float(min(gamma, Fraction(sys.float_info.max)))


def posterior_ceiling(gamma: float | Fraction, rho: float | Fraction) -> float:
    """Return the highest belief that a report can leave in a property believed with ``rho``.

    ::

        γ ρ / (γ ρ + 1 - ρ)

    Args:
        gamma: largest ratio of two probabilities of one report, at least 1.
        rho: belief before the report.

    Raises:
        WrongTypeError, DomainError: γ below 1, or ρ not a probability.

    Examples:
        >>> [round(posterior_ceiling(gamma, 0.05), 3) for gamma in (5, 10, 19, 100)]
        [0.208, 0.345, 0.5, 0.84]
    """
    ratio = as_rational(gamma, "gamma", "take e**epsilon")
    if ratio < 1:
        raise DomainError("gamma", "must be at least 1", "take e**epsilon", got=gamma)
    before = _probability(rho, "rho")
    return float(ratio * before / (ratio * before + 1 - before))


def _probability(value: object, argument: str) -> Fraction:
    number = as_rational(value, argument, "give a number between 0 and 1")
    if not 0 < number < 1:
        raise DomainError(argument, "must lie between 0 and 1", got=value)
    return number
