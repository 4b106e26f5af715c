"""Checks of the parameters that every mechanism shares: ε, sizes, exact decimals."""

from __future__ import annotations

import math
import numbers
import operator
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, TypeGuard

import numpy as np

from sudare.errors import DomainError, PrivacyError, WrongTypeError

EPSILON_MIN = Fraction(1, 1000)
EPSILON_MAX = Fraction(20)
_EXACT = re.compile(r"-?[0-9]{1,60}(\.[0-9]{1,60}|/[1-9][0-9]{0,59})?", re.ASCII)
_WRITTEN = re.compile(
    r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?"
    r"|[+-]?[0-9]{1,40}/0*[1-9][0-9]{0,39}",
    re.ASCII,
)
_MOST_DIGITS = 400
_MOST_BITS = 1400


def as_epsilon(epsilon: object, argument: str = "epsilon") -> Fraction:
    """Return ε as an exact rational after checking ``0.001 <= ε <= 20``.

    A float stands for the decimal it prints as: ``0.1`` is 1/10.

    Raises:
        WrongTypeError: not a number (text, None, a boolean).
        PrivacyError: NaN, infinite or outside the accepted range.

    Examples:
        >>> as_epsilon(0.1)
        Fraction(1, 10)
    """
    remedy = "give a number between 0.001 and 20"
    number = exactly(epsilon, argument, remedy)
    if number is None:
        raise PrivacyError(argument, "must be finite", remedy, got=epsilon)
    if number <= 0:
        raise PrivacyError(argument, "must be > 0", remedy, got=epsilon)
    if not EPSILON_MIN <= number <= EPSILON_MAX:
        raise PrivacyError(argument, "must lie between 0.001 and 20", remedy, got=epsilon)
    return Fraction(number)


def exactly(value: object, argument: str, remedy: str) -> Fraction | Decimal | None:
    """Return a number exactly, a float as the decimal that it prints as; None if it is not finite.

    A decimal may have so large an exponent that it must be compared before it is made a fraction.
    """
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if not is_real(value):
        raise WrongTypeError(argument, "must be a number", remedy, got=value)
    if isinstance(value, numbers.Rational):
        return as_fraction(value)
    number = float(value)
    return Decimal(repr(number)) if math.isfinite(number) else None


def is_real(value: object) -> TypeGuard[numbers.Real]:
    """Whether something is a real number: no boolean, and no span of time, as NumPy has it.

    Examples:
        >>> import numpy as np
        >>> is_real(1), is_real(np.float32(1)), is_real(True), is_real(np.timedelta64(1, "s"))
        (True, True, False, False)
    """
    if isinstance(value, bool | np.bool_ | np.timedelta64):
        return False
    return isinstance(value, numbers.Real)


def as_fraction(number: numbers.Rational) -> Fraction:
    """Return a rational number in Python's own integers: NumPy's would overflow, or wrap around.

    Examples:
        >>> import numpy as np
        >>> as_fraction(np.int8(100)) * 100
        Fraction(10000, 1)
    """
    return Fraction(int(number.numerator), int(number.denominator))


def as_float(number: numbers.Real) -> float:
    """Return the nearest float; infinity for whole numbers that are too large for one.

    Examples:
        >>> as_float(3), as_float(10**400), as_float(-(10**400))
        (3.0, inf, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return -math.inf if number < 0 else math.inf


def as_number(value: object, argument: str, remedy: str = "") -> float:
    """Return a real number as a float; infinite where no float is so large.

    Raises:
        WrongTypeError: not a number.
    """
    if not is_real(value):
        raise WrongTypeError(argument, "must be a number", remedy, got=value)
    return as_float(value)


def is_list(values: object) -> TypeGuard[Sequence[Any]]:
    """Whether something is a list of things: a sequence that is no text, or an array with an axis.

    Examples:
        >>> is_list([16, 5]), is_list(b"16"), is_list(16)
        (True, False, False)
    """
    if isinstance(values, np.ndarray):
        return values.ndim > 0 and not hasattr(type(values), "mask")
    return isinstance(values, Sequence) and not isinstance(values, str | bytes | bytearray)


def epsilon_from_text(text: str, argument: str = "epsilon") -> Fraction:
    """Return ε from decimal text, exactly as written.

    Examples:
        >>> epsilon_from_text("0.1")
        Fraction(1, 10)
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise WrongTypeError(
            argument, "must be a number", "give a number between 0.001 and 20", got=text
        ) from None
    return as_epsilon(number, argument)


def as_integer(value: object, argument: str, *, low: int, high: int) -> int:
    """Return ``value`` as an int after checking ``low <= value <= high``.

    Raises:
        WrongTypeError: not an integer (1.5, "3", True, None).
        DomainError: outside the range.

    Examples:
        >>> as_integer(3, "k", low=2, high=10)
        3
    """
    remedy = f"give a whole number from {low} to {high}"
    if isinstance(value, bool):
        raise WrongTypeError(argument, "must be a whole number", remedy, got=value)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise WrongTypeError(argument, "must be a whole number", remedy, got=value) from None
    if number < low:
        raise DomainError(argument, f"must be >= {low}", remedy, got=number)
    if number > high:
        raise DomainError(argument, f"must be <= {high}", remedy, got=number)
    return number


def as_rational(value: object, argument: str, remedy: str = "such as 0.1") -> Fraction:
    """Return a finite number exactly; a float as the decimal that it prints as.

    Raises:
        WrongTypeError: no number.
        DomainError: not finite, or of more than 400 digits.

    Examples:
        >>> as_rational(0.1, "step"), as_rational(3, "step")
        (Fraction(1, 10), Fraction(3, 1))
    """
    number = exactly(value, argument, remedy)
    if number is None:
        raise DomainError(argument, "must be finite", remedy, got=value)
    if isinstance(number, Fraction):
        if max(abs(number.numerator), number.denominator).bit_length() > _MOST_BITS:
            raise DomainError(argument, "must have at most 400 digits", remedy)
        return number
    if number and not -_MOST_DIGITS < number.adjusted() < _MOST_DIGITS:
        raise DomainError(argument, "must have at most 400 digits", remedy)
    return Fraction(number)


def rational_from_text(text: object, argument: str, remedy: str = "such as 0.1") -> Fraction:
    """Return the number that text writes: ``5``, ``-0.25``, ``1e-3`` or ``1/3``.

    Raises:
        DomainError: no such number, or one of too many digits.

    Examples:
        >>> rational_from_text("1e-3", "step"), rational_from_text("1/3", "step")
        (Fraction(1, 1000), Fraction(1, 3))
    """
    if not isinstance(text, str) or not _WRITTEN.fullmatch(text):
        raise DomainError(argument, "must be a number", remedy, got=text)
    return Fraction(text)


def exact_text(value: Fraction) -> str:
    """Return text that :class:`~fractions.Fraction` reads back exactly.

    Examples:
        >>> exact_text(Fraction("1.0986122886681098")), exact_text(Fraction(-1, 3))
        ('1.0986122886681098', '-1/3')
    """
    return str(value) if 10**40 % value.denominator else decimal_text(value, 40)


def read_exact(text: object) -> Fraction | None:
    """Return the number of :func:`exact_text`; None where the text is of another form.

    Examples:
        >>> read_exact("1/3"), read_exact("-0.5"), read_exact("inf"), read_exact(1)
        (Fraction(1, 3), Fraction(-1, 2), None, None)
    """
    return Fraction(text) if isinstance(text, str) and _EXACT.fullmatch(text) else None


def decimal_text(value: Fraction, places: int = 12) -> str:
    """Return an exact decimal of at most ``places`` places, rounded down (never above ``value``).

    Examples:
        >>> decimal_text(Fraction(2)), decimal_text(Fraction(2, 3), places=4)
        ('2.0', '0.6666')
        >>> decimal_text(Fraction(-1, 2)), decimal_text(Fraction(-2, 3), places=4)
        ('-0.5', '-0.6667')
    """
    scaled = value.numerator * 10**places // value.denominator
    whole, rest = divmod(abs(scaled), 10**places)
    digits = f"{rest:0{places}d}".rstrip("0") or "0"
    return f"{'-' if scaled < 0 else ''}{whole}.{digits}"
