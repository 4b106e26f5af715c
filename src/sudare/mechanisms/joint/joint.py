"""Joint randomised response: GRR on each attribute, the joint distribution out."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from sudare.errors import CollectionError, DomainError, PrivacyError, WrongTypeError
from sudare.exact import as_epsilon, log_bounds
from sudare.exact.parameters import is_list
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.joint.base import Joint, as_parts
from sudare.mechanisms.joint.privacy import as_gamma
from sudare.mechanisms.joint.rows import MAX_ATTRIBUTES, SIZES, as_sizes
from sudare.mechanisms.parameters import NAN, Parameter
from sudare.mechanisms.registry import register

_PLACES = 10**15


def _read_parts(data: Any) -> list[GRR]:
    if not isinstance(data, list) or not 1 <= len(data) <= MAX_ATTRIBUTES:
        raise CollectionError("mechanism.attributes", "must list the GRR of each attribute")
    if not all(isinstance(part, Mapping) and part.get("name") == GRR.name for part in data):
        raise CollectionError("mechanism.attributes", "must list the GRR of each attribute")
    return [GRR.from_json(part) for part in data]


_ATTRIBUTES = Parameter(
    name="attributes",
    read=lambda parts, _: as_parts(parts, GRR),
    write=lambda parts: [part.to_json() for part in parts],
    parse=_read_parts,
    attribute="_parts",
)
_GAMMA = Parameter(
    name="gamma",
    examples=(3, 2, (2, Fraction(7, 2), 4)),
    bad=(
        *((gamma, PrivacyError) for gamma in (1, NAN, math.inf, -3, 0.5, 10**10, [2, 0])),
        *(
            (gamma, WrongTypeError)
            for gamma in (None, "22", b"22", True, {2: 3}, np.array(2.0), [2, None])
        ),
        ([2], DomainError),
    ),
)


@register
class JointRR(Joint):
    """Randomise every attribute by GRR, each with its own γ; estimate the joint distribution.

    ::

        p_i = γ_i / (γ_i + F_i - 1)   keeps attribute i, else one of the others uniformly
        M = (x) (a_i I + b_i J),   b_i = (1 - p_i) / (F_i - 1),   a_i = p_i - b_i

    Guarantee: attribute i alone ``ε_i = ln γ_i`` (:attr:`attribute_epsilons`), the whole
    submission their sum (:attr:`epsilon`): any two rows are neighbours. Reports: (n, attributes)
    indices. Source: Sei, Ohsuga 2014 (each attribute on its own, closed-form inverse); the
    parameter is the one of Kairouz, Bonawitz, Ramage 2016.

    Args:
        sizes: number of categories of each attribute, at least 2.
        gamma: γ of each attribute alone: one number for all, or one for each.
        epsilon: instead of ``gamma``, ε of each attribute alone.

    Raises:
        WrongTypeError, DomainError: sizes are not whole numbers in their range.
        WrongTypeError, PrivacyError: γ at most 1, ε out of range, or not as many as attributes.

    Examples:
        >>> j = JointRR([16, 5], gamma=10)
        >>> j.attribute_epsilons, round(j.epsilon, 4)
        ((2.30258..., 2.30258...), 4.6052)
        >>> round(j.expected_mse(45_222, target="respondents"), 8)
        4.03e-06
    """

    name: ClassVar[str] = "JointRR"
    part = GRR
    parameters: ClassVar[tuple[Parameter, ...]] = (_ATTRIBUTES,)
    arguments: ClassVar[tuple[Parameter, ...]] = (SIZES, _GAMMA)
    __slots__ = ()

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        gamma: float | Fraction | Sequence[float | Fraction] | None = None,
        epsilon: Sequence[float | Fraction] | None = None,
    ) -> None:
        numbers_ = as_sizes(sizes)
        epsilons = _epsilons(len(numbers_), gamma, epsilon)
        self._take(attributes=[GRR(k, e) for k, e in zip(numbers_, epsilons, strict=True)])

    def _build(self) -> None:
        self._settle(self._parts)

    def __repr__(self) -> str:
        epsilons = [float(part.requested_epsilon) for part in self._parts]
        whole = float(self.requested_epsilon)
        return f"JointRR({list(self.sizes)}, epsilon={epsilons})  # whole submission: {whole}"


def _epsilons(attributes: int, gamma: object, epsilon: object) -> list[Fraction]:
    if (gamma is None) == (epsilon is None):
        raise WrongTypeError("gamma", "or epsilon must be given, and not both", "such as gamma=10")
    argument, given = ("epsilon", epsilon) if gamma is None else ("gamma", gamma)
    if isinstance(given, numbers.Real | Decimal) and not isinstance(given, bool):
        if gamma is None:
            raise WrongTypeError(
                "epsilon",
                "must list one ε for each attribute",
                "their sum is what the submission spends; or give one gamma for all",
            )
        given = [given] * attributes
    if not is_list(given):
        raise WrongTypeError(argument, "must be numbers, one for each attribute")
    if len(given) != attributes:
        raise DomainError(argument, f"must list {attributes} numbers", got=len(given))
    if gamma is None:
        return [as_epsilon(one) for one in given]
    return [_log(as_gamma(one)) for one in given]


def _log(gamma: Fraction) -> Fraction:
    """Return ln γ, rounded down to 15 decimal places."""
    return Fraction(math.floor(log_bounds(gamma)[0] * _PLACES), _PLACES)
