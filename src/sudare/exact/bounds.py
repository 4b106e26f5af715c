"""Rational bounds on ``exp`` and ``ln``, so that no rounding ever weakens a guarantee.

Python's :mod:`decimal` computes ``exp`` and ``ln`` correctly rounded at any precision. One unit
in the last place below and above that value therefore brackets the true one.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

PRECISION = 60
"""Significant decimal digits of the bounds (relative width about 1e-59)."""

_WIDE = Context(prec=PRECISION)
_FLOOR = Context(prec=PRECISION, rounding=ROUND_FLOOR)
_CEILING = Context(prec=PRECISION, rounding=ROUND_CEILING)


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def exp_bounds(x: Fraction, digits: int = PRECISION) -> tuple[Fraction, Fraction]:
    """Return rationals ``low < e**x < high`` (``low = high = 1`` for ``x = 0``).

    Args:
        x: exponent.
        digits: significant decimal digits.

    Examples:
        >>> low, high = exp_bounds(Fraction(1))
        >>> float(low), low < high
        (2.718281828459045, True)
    """
    if x == 0:
        return Fraction(1), Fraction(1)
    wide, floor, ceiling = _WIDE, _FLOOR, _CEILING
    if digits != PRECISION:
        wide = Context(prec=digits)
        floor = Context(prec=digits, rounding=ROUND_FLOOR)
        ceiling = Context(prec=digits, rounding=ROUND_CEILING)
    low = wide.next_minus(wide.exp(_decimal(x, floor)))
    high = wide.next_plus(wide.exp(_decimal(x, ceiling)))
    return Fraction(low), Fraction(high)


@lru_cache(1024)  # every estimate names the ε of its mechanism
def log_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals ``low < ln(x) < high`` for ``x > 0`` (both 0 for ``x = 1``).

    Examples:
        >>> low, high = log_bounds(Fraction(2))
        >>> float(low), low < high
        (0.6931471805599453, True)
    """
    if x <= 0:
        raise ValueError("log_bounds needs x > 0")
    if x == 1:
        return Fraction(0), Fraction(0)
    low = _WIDE.next_minus(_WIDE.ln(_decimal(x, _FLOOR)))
    high = _WIDE.next_plus(_WIDE.ln(_decimal(x, _CEILING)))
    return Fraction(low), Fraction(high)


def floor_float(x: Fraction) -> float:
    """Return the largest float that is not above ``x``.

    Examples:
        >>> floor_float(Fraction(1, 10)) <= Fraction(1, 10)
        True
    """
    nearest = float(x)
    return nearest if Fraction(nearest) <= x else math.nextafter(nearest, -math.inf)
