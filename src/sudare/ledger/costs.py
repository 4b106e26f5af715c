"""What a release costs: pure ε or ρ (zero-concentrated privacy), in exact rationals."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, get_args

from sudare.errors import DomainError, PrivacyError, WrongTypeError
from sudare.exact import as_rational, log_bounds

Unit = Literal["epsilon", "rho"]
UNITS: tuple[Unit, ...] = get_args(Unit)

LEAST, MOST = Fraction(1, 10**15), Fraction(10**6)
_STEPS = 10**15


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of privacy, to spend or to have.

    ``epsilon``: pure differential privacy; amounts add up. ``rho``: zero-concentrated differential
    privacy; amounts add up too, and what is pure ε costs ``ρ = ε^2 / 2``.

    Attributes:
        unit: ``"epsilon"`` or ``"rho"``.
        amount: exact, > 0.

    Source: Bun, Steinke 2016, proposition 1.4 and lemma 2.3.

    Examples:
        >>> Cost.of(epsilon=0.1)
        Cost(unit='epsilon', amount=Fraction(1, 10))
        >>> Cost.of(epsilon=0.1).within("rho").amount
        Fraction(1, 200)
    """

    unit: Unit
    amount: Fraction

    @classmethod
    def of(cls, *, epsilon: object = None, rho: object = None) -> Cost:
        """Return the cost of one of the two.

        Raises:
            WrongTypeError, PrivacyError: not one positive finite number.
        """
        if (epsilon is None) == (rho is None):
            raise PrivacyError("epsilon", "or rho must be given, one of them")
        if rho is None:
            return cls("epsilon", as_amount(epsilon, "epsilon"))
        return cls("rho", as_amount(rho, "rho"))

    def within(self, unit: Unit) -> Cost:
        """Return the same cost in the unit of an account.

        Raises:
            PrivacyError: ρ has no pure ε.
        """
        if unit == self.unit:
            return self
        if unit == "epsilon":
            raise PrivacyError(
                "rho",
                "has no pure ε: Gaussian noise keeps none",
                "use Laplace noise, or an account in rho",
            )
        return Cost("rho", self.amount**2 / 2)


def as_amount(value: object, argument: str) -> Fraction:
    """Return an amount of privacy, exactly as the decimal that it prints as.

    Raises:
        WrongTypeError, PrivacyError: no finite number from 1e-15 to a million.
    """
    remedy = "give a positive number, such as 0.1"
    try:
        exact = as_rational(value, argument, remedy)
    except DomainError as error:
        raise PrivacyError(argument, error.rule, remedy, got=value) from None
    if not LEAST <= exact <= MOST:
        raise PrivacyError(argument, "must be 1e-15 to 1,000,000", remedy, got=value)
    return exact


def epsilon_of(rho: Fraction, delta: float) -> float:
    """Return the ε of (ε, δ)-differential privacy that ρ gives: ``ρ + 2 sqrt(ρ ln(1 / δ))``.

    Rounded up.

    Raises:
        DomainError: δ is not between 0 and 1.

    Source: Bun, Steinke 2016, proposition 1.3.

    Examples:
        >>> round(epsilon_of(Fraction(1, 200), 1e-6), 4)
        0.5307
    """
    top = log_bounds(1 / as_delta(delta))[1]
    value = float(rho) + 2 * math.sqrt(float(rho * top))
    return value * (1 + 1e-12)


def rho_of(epsilon: object, delta: float) -> Fraction:
    """Return the largest ρ, rounded down, that gives no more than (ε, δ).

    Raises:
        WrongTypeError, PrivacyError, DomainError: no such ε or δ.

    Examples:
        >>> rho = rho_of(1, 1e-6)
        >>> round(float(rho), 5), epsilon_of(rho, 1e-6) <= 1
        (0.01747, True)
    """
    exact = as_amount(epsilon, "epsilon")
    top = log_bounds(1 / as_delta(delta))[1]
    guess = (math.sqrt(float(top + exact)) - math.sqrt(float(top))) ** 2
    steps = math.floor(guess * _STEPS) + 1000
    while True:
        rho = Fraction(steps, _STEPS)
        # ρ + 2 sqrt(ρ L) <= ε  <=>  4 ρ L <= (ε - ρ)^2, ρ <= ε
        if rho <= exact and 4 * rho * top <= (exact - rho) ** 2:
            if not rho > 0:
                raise PrivacyError("epsilon", "is too small for this δ", "give a larger one")
            return rho
        steps -= max(1, steps // 10**9)


def as_delta(delta: object) -> Fraction:
    """Return δ, exactly as the decimal that it prints as.

    Raises:
        WrongTypeError, DomainError: no number between 0 and 1.
    """
    if isinstance(delta, bool) or not isinstance(delta, numbers.Real):
        raise WrongTypeError("delta", "must be a number", "such as 1e-6", got=delta)
    if not 0 < float(delta) < 1:
        raise DomainError("delta", "must lie between 0 and 1", "such as 1e-6", got=delta)
    return Fraction(Decimal(repr(float(delta))))
