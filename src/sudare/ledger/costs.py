"""What a release costs: pure ε or ρ (zero-concentrated privacy), in exact rationals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, get_args

from sudare.errors import DomainError, PrivacyError, WrongTypeError, as_one_of
from sudare.exact import as_rational, exact_text, log_bounds

Unit = Literal["epsilon", "rho"]
UNITS: tuple[Unit, ...] = get_args(Unit)
Law = Literal["any", "choice", "gaussian"]
LAWS: tuple[Law, ...] = get_args(Law)

LEAST, MOST = Fraction(1, 10**15), Fraction(10**6)
_SLIP = 1e-14  # more than rounding may move a sum of three floats, relative to its parts


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of privacy, to spend or to have.

    ``epsilon``: pure differential privacy; amounts add up. ``rho``: zero-concentrated differential
    privacy; amounts add up too, and what is pure ε costs ``ρ = ε^2 / 2``, a choice by the
    exponential mechanism ``ε^2 / 8``.

    Attributes:
        unit: ``"epsilon"`` or ``"rho"``.
        amount: exact, > 0.
        delta: beside it, where an answer keeps (ε, δ) only, such as one about keys that nobody
            listed; accounts pay it from a part of their own. Amounts add up.
        law: what else is known of what is paid for: ``"choice"``, the exponential mechanism, whose
            privacy loss has a range of ε (pure ε alone: 2 ε; permute-and-flip has no more);
            ``"gaussian"``, discrete Gaussian noise for ρ; ``"any"``, nothing. Costs are equal where
            unit, amount and δ are.

    Raises:
        WrongTypeError, DomainError, PrivacyError: another unit, amount or law.

    Source: Bun, Steinke 2016, proposition 1.4 and lemma 2.3; Cesar, Rogers 2021.
    Proof: ``docs/proofs/composition.md``, item 1.

    Examples:
        >>> Cost.of(epsilon=0.1)
        Cost(unit='epsilon', amount=Fraction(1, 10))
        >>> Cost.of(epsilon=0.1).within("rho").amount
        Fraction(1, 200)
        >>> Cost.of(epsilon=0.1).by("choice").within("rho").amount
        Fraction(1, 800)
    """

    unit: Unit
    amount: Fraction
    law: Law = field(default="any", repr=False, compare=False)
    delta: Fraction = field(default=Fraction(0), repr=False)

    def __post_init__(self) -> None:
        as_one_of(self.unit, "unit", UNITS)
        if not isinstance(self.amount, Fraction):
            raise WrongTypeError("amount", "must be a Fraction", "or use Cost.of(epsilon=0.1)")
        if not self.amount > 0:  # a negative one would fill a budget up
            raise PrivacyError("amount", "must be > 0", "such as Fraction(1, 10)", got=self.amount)
        as_one_of(self.law, "law", LAWS)
        if self.law != "any" and (self.law == "choice") != (self.unit == "epsilon"):
            raise PrivacyError("law", "must fit: a choice costs ε, Gaussian noise ρ", got=self.law)
        if not isinstance(self.delta, Fraction) or not 0 <= self.delta < 1:
            raise PrivacyError("delta", "must be a Fraction from 0 to below 1", "such as 1e-6")

    @classmethod
    def of(cls, *, epsilon: object = None, rho: object = None, delta: object = None) -> Cost:
        """Return the cost of one of the two, with δ if given.

        Raises:
            WrongTypeError, PrivacyError: not one positive finite number.
        """
        if (epsilon is None) == (rho is None):
            raise PrivacyError("epsilon", "or rho must be given, one of them")
        beside = Fraction(0) if delta is None else as_delta(delta)
        if rho is None:
            return cls("epsilon", as_amount(epsilon, "epsilon"), delta=beside)
        return cls("rho", as_amount(rho, "rho"), delta=beside)

    def by(self, law: Law) -> Cost:
        """Return the same amount, paid for what has this law.

        Raises:
            DomainError, PrivacyError: no such law, or not of this unit.
        """
        return replace(self, law=law)

    @property
    def for_noise(self) -> Cost:
        """The same amount, paid for discrete noise alone: Laplace for ε, Gaussian for ρ."""
        return self.by("gaussian") if self.unit == "rho" else self

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
        amount = self.amount**2 / (8 if self.law == "choice" else 2)
        return Cost("rho", amount, delta=self.delta)

    @property
    def exact(self) -> dict[str, str]:
        """The amounts as JSON data, exactly."""
        beside = {"delta": exact_text(self.delta)} if self.delta else {}
        return {self.unit: exact_text(self.amount), **beside}


def as_amount(value: object, argument: str) -> Fraction:
    """Return an amount of privacy, exactly as the decimal that it prints as."""
    remedy = "give a positive number, such as 0.1"
    try:
        exact = as_rational(value, argument, remedy)
    except DomainError as error:
        raise PrivacyError(argument, error.rule, remedy, got=value) from None
    if not LEAST <= exact <= MOST:
        raise PrivacyError(argument, "must be 1e-15 to 1,000,000", remedy, got=value)
    return exact


def epsilon_of(rho: object, delta: float | Fraction) -> float:
    """Return the ε of (ε, δ)-differential privacy that ρ gives, rounded up.

    ::

        ε = min over α > 1 of  α ρ + ln(1 - 1/α) + (ln(1/δ) - ln α) / (α - 1)

    Every α gives a guarantee; the best of those tried is taken, less than
    ``ρ + 2 sqrt(ρ ln(1/δ))``.

    Raises:
        WrongTypeError, PrivacyError, DomainError: no such ρ or δ.

    Source: Canonne, Kamath, Steinke 2020, corollary 13.

    Examples:
        >>> round(epsilon_of(0.005, 1e-6), 4)
        0.4299
    """
    spent, log = float(as_amount(rho, "rho")), _log_of(delta)

    def at(x: float) -> float:
        parts = ((1 + math.exp(x)) * spent, *_parts(x, log))
        return sum(parts) + _SLIP * sum(map(abs, parts))

    return max(0.0, _least(at))


def rho_of(epsilon: object, delta: float | Fraction) -> Fraction:
    """Return the largest ρ found, rounded down, that gives no more than (ε, δ).

    The inverse of :func:`epsilon_of`.

    Raises:
        WrongTypeError, PrivacyError, DomainError: no such ε or δ.

    Examples:
        >>> rho = rho_of(1, 1e-6)
        >>> round(float(rho), 5), epsilon_of(rho, 1e-6) <= 1
        (0.02436, True)
    """
    exact, log = as_amount(epsilon, "epsilon"), _log_of(delta)

    def at(x: float) -> float:
        parts = (float(exact), *(-part for part in _parts(x, log)))
        return (_SLIP * sum(map(abs, parts)) - sum(parts)) / (1 + math.exp(x))

    rho = -_least(at) * (1 - 1e-12)
    while rho >= LEAST and epsilon_of(Fraction(rho), delta) > exact:
        rho *= 1 - 1e-12
    if rho < LEAST:
        raise PrivacyError("epsilon", "is too small for this δ", "give a larger one")
    return Fraction(rho)


def _parts(x: float, log: float) -> tuple[float, float]:
    """Return ``ln(1 - 1/α)`` and ``(ln(1/δ) - ln α) / (α - 1)``, for ``α = 1 + exp(x)``."""
    beyond = math.exp(x)
    return -math.log1p(1 / beyond), (log - math.log1p(beyond)) / beyond


def _log_of(delta: object) -> float:
    return float(log_bounds(1 / as_delta(delta))[1]) * (1 + _SLIP)


def _least(of: Callable[[float], float]) -> float:
    """Return the least value found: a grid, then thirds around its best place."""
    low, high = -30.0, 60.0
    best = min((low + i * (high - low) / 180 for i in range(181)), key=of)
    low, high = best - 0.5, best + 0.5
    for _ in range(80):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if of(left) < of(right):
            high = right
        else:
            low = left
    return min(of(best), of((low + high) / 2))


def as_delta(delta: object, argument: str = "delta") -> Fraction:
    """Return δ exactly; a float as the decimal that it prints as."""
    number = as_rational(delta, argument, "such as 1e-6")
    if not 0 < number < 1:
        raise DomainError(argument, "must lie between 0 and 1", "such as 1e-6", got=delta)
    return number
