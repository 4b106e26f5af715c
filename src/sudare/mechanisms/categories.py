"""What all mechanisms of k categories share, whether one of them holds or several do."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy.typing as npt

from sudare.alignment import align
from sudare.arrays import Floats
from sudare.channels import Dense
from sudare.errors import DomainError
from sudare.estimation import Counts, packed_sums
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.support import PairLaw, SupportLaw
from sudare.exact import as_integer
from sudare.mechanisms.base import OneValue
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.reports import as_packed
from sudare.mechanisms.values import as_numbers
from sudare.samplers.packed import Packed


class Categories(OneValue):
    """A mechanism whose report supports some of k categories.

    Must implement: ``law``, and what every mechanism must.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def k(self) -> int:
        """Number of categories."""

    @property
    def shape(self) -> tuple[int, ...]:
        """``(k,)``."""
        return (self.k,)

    @property
    @abstractmethod
    def law(self) -> SupportLaw:
        """What one report supports: p, q, and what it supports together. Exact."""

    @property
    def support_probabilities(self) -> tuple[Fraction, Fraction]:
        """``(p, q)``: a report supports a category that holds, or one that does not. Exact."""
        return self.law.p, self.law.q

    def _adds_up(self, counts: Counts) -> bool:
        return not self.law.single or super()._adds_up(counts)

    def variance(self, shares: Floats, n: int, target: Target = "population") -> Floats:
        """Exact variance of each estimated share for true ``shares`` x::

        ( x p(1-p) + (1-x) q(1-q) ) / (n (p-q)^2)     (respondents)
        ... + x (1-x) / n                             (population)

        Raises:
            WrongTypeError, DomainError: not finite numbers, n < 1, or an unknown target; shares by
                label of other categories than the mechanism's.
        """
        size = as_integer(n, "n", low=1, high=2**62)
        labels = getattr(self, "labels", None) or self.shape[0]
        numbers = as_numbers(align(shares, (labels,), "shares"), "shares")
        return self.law.variance(numbers, size, check_target(target))


class Bitwise(Categories):
    """A mechanism whose report is one bit a category, packed; given the value, independent ones."""

    most_written: ClassVar[int]
    """Most categories whose channel is written out."""
    __slots__ = ()
    program: Packed

    @property
    def law(self) -> PairLaw:
        """Probabilities that the bit of a category that holds, or does not, is 1. Exact.

        Given the value, the bits are independent.
        """
        total = 1 << self.program.width
        p, q = Fraction(self.program.own, total), Fraction(self.program.other, total)
        return PairLaw.independent(p, q)

    @property
    def channel(self) -> Dense:
        """The channel to the 2**k reports, of a few categories (DomainError beyond)."""
        if self.k > self.most_written:
            raise DomainError(
                "channel",
                f"has 2**k reports and is written out for k <= {self.most_written} only",
                "use support_probabilities, which the estimates need",
                got=self.k,
            )
        return Dense.from_matrix(self.program.matrix())

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Sum the bits of each category; reports: packed (n, ceil(k/8)) uint8."""
        rows = as_packed(reports, self.k)
        return self._counts(packed_sums(rows, self.k), rows.shape[0])
