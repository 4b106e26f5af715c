"""Negative surveys on several attributes: no local privacy, for studies alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sudare.mechanisms.frequency.negative import NegativeSurvey, NoGuarantee
from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.joint.rows import SIZES
from sudare.mechanisms.parameters import Parameter
from sudare.mechanisms.registry import register


@register
class JointNegativeSurvey(NoGuarantee, Joint):
    """Report of every attribute a category that is *not* the true one; the joint distribution out.

    ::

        M = (x) (J - I) / (F_i - 1),   M^-1 = (x) (J - (F_i - 1) I)
        n Δ MSE = Π_i [ (F_i - 2)^2 + F_i - 1 ] - 1          (respondents)

    **No local privacy guarantee**: a report rules out one category of each attribute, so that
    ε = ∞. It is a baseline of the literature ("Multi-NS"), for studies: no collection takes it.
    Reports: (n, attributes) indices.

    Args:
        sizes: number of categories of each attribute, at least 2. With 2 a report gives the
            attribute away.

    Raises:
        WrongTypeError, DomainError: sizes are not whole numbers in their range.

    Source: Groat et al.: Application and analysis of multidimensional negative surveys in
    participatory sensing applications, 2013.

    Examples:
        >>> import sudare as sd
        >>> m = sd.JointNegativeSurvey([16, 5])
        >>> m.epsilon
        inf
        >>> round(m.expected_mse(45_222, target="respondents"), 6)
        0.000758
    """

    name: ClassVar[str] = "JointNegativeSurvey"
    part = NegativeSurvey
    parameters: ClassVar[tuple[Parameter, ...]] = (SIZES,)
    __slots__ = ()

    def __init__(self, sizes: Sequence[int]) -> None:
        self._take(sizes=sizes)

    def _build(self) -> None:
        self._settle(tuple(NegativeSurvey(size) for size in self.sizes))
