"""Subset selection: d of the k categories, the true one more often among them."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare import samplers
from sudare.channels import Dense
from sudare.errors import DomainError, OutOfReachError, ReportError, counted
from sudare.estimation import Counts, packed_sums
from sudare.estimation.support import PairLaw, SingleLaw
from sudare.exact import exp_bounds, log_bounds
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.base import TOLERANCE, FrequencyOracle
from sudare.mechanisms.registry import register
from sudare.mechanisms.reports import as_packed
from sudare.samplers.packed import all_have

_MOST_WRITTEN = 12
_MOST_SPLIT = 10**9  # people that NumPy's hypergeometric draws take at most


@register
class SubsetSelection(FrequencyOracle):
    """Report d of the k categories: the true one is among them with p, the others are even.

    ::

        d = k / (e^ε + 1)   rounded up or down, whichever errs less; at least 1
        p = e^ε d / (e^ε d + k - d),   q = (d - p) / (k - 1)

    Every set that holds the true category is e^ε times as likely as every one that does not.

    Guarantee: ε-local differential privacy of one answer (any two values are neighbours).
    Reports: packed bits as in :class:`~sudare.OUE`, d of them 1. Source: Ye and Barg 2018, section
    III; Wang et al. 2016 (arXiv:1607.08025).

    Integers: ``own = floor(2^w p)`` from a lower bound on e^ε, and one word for it; the others are
    drawn one by one without replacement (the program ``choose``).

    Raises:
        OutOfReachError: more than 4096 categories.

    Examples:
        >>> import sudare as sd
        >>> m = sd.SubsetSelection(k=10, epsilon=1.0)
        >>> m.program.size, m.report_bytes
        (3, 2)
        >>> float(m.law.p + 9 * m.law.q)
        3.0
    """

    name: ClassVar[str] = "SubsetSelection"
    max_k: ClassVar[int] = 4096
    __slots__ = ()
    program: samplers.Choose

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> samplers.Choose:
        gamma = exp_bounds(epsilon)[0]  # a rational below e^ε: never too little noise
        size = best_size(k, gamma)
        for width in (32, 64):
            own = int(gamma * size * (1 << width) // (gamma * size + k - size))
            if not size << width < own * k < k << width:
                continue
            program = samplers.Choose(k=k, width=width, own=own, size=size)
            if epsilon - log_bounds(program.ratio)[0] <= TOLERANCE:
                return program
        raise OutOfReachError("epsilon", f"is out of reach at k = {k}", got=float(epsilon))

    @property
    def law(self) -> PairLaw:
        """Probabilities that a reported set holds one category, or two of them."""
        k, d = self.k, self.program.size
        p = Fraction(self.program.own, 1 << self.program.width)
        q = (d - p) / (k - 1)
        if d == 1:
            return SingleLaw(p, q)
        pairs = (k - 1) * max(k - 2, 1)
        without = p * Fraction((d - 1) * (d - 2), pairs) + (1 - p) * Fraction(d * (d - 1), pairs)
        return PairLaw(p, q, with_own=p * Fraction(d - 1, k - 1), without=without)

    @property
    def channel(self) -> Dense:
        """The channel to the 2**k rows of bits, of a few categories (DomainError beyond)."""
        if self.k > _MOST_WRITTEN:
            rule = f"has 2**k reports and is written out for k <= {_MOST_WRITTEN} only"
            raise DomainError("channel", rule, "use law, which the estimates need", got=self.k)
        return Dense.from_matrix(self.program.matrix())

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Sum the bits of each category; reports: packed (n, ceil(k/8)) uint8, d ones each."""
        rows = as_packed(reports, self.k)
        if not all_have(rows, self.program.size):
            rule = f"must have {counted(self.program.size, 'one')} each"
            raise ReportError("reports", rule, "use this mechanism's reports")
        return self._counts(packed_sums(rows, self.k), rows.shape[0])

    @property
    def supported(self) -> int:
        """The size of the subsets."""
        return self.program.size

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Go through the categories once, with how many people still need r of the rest.

        Before its own category and after it a respondent has another number of others to come. Who
        comes to it is any of those who have not, and who has it in the set, or not.
        """
        if truth.sum() >= _MOST_SPLIT:
            half = truth // 2
            return self._simulate(half, generator) + self._simulate(truth - half, generator)
        k, d = self.k, self.program.size
        if d == 1:  # kept, or any one of all categories
            kept = generator.binomial(truth, float(self.law.p - self.law.q))
            return np.asarray(kept + generator.multinomial((truth - kept).sum(), np.full(k, 1 / k)))
        own = generator.binomial(truth, float(self.law.p))
        support, needed = own.copy(), np.arange(d + 1)
        left = np.zeros((3, d + 1), dtype=np.int64)  # own ahead, not in the set or in it; behind
        left[0, d], left[1, d - 1] = (truth - own).sum(), own.sum()
        for i in range(k):
            here = np.zeros((2, d + 1), dtype=np.int64)
            for row, people in enumerate((truth[i] - own[i], own[i])):
                if people:
                    here[row] = generator.multivariate_hypergeometric(
                        left[row], people, method="marginals"
                    )
            left[:2] -= here
            rest = np.array([[k - 1 - i], [k - 1 - i], [k - i]])
            taken = generator.binomial(left, np.minimum(needed / rest.clip(1), 1))
            support[i] += taken.sum()
            left -= taken
            left[:, :-1] += taken[:, 1:]
            left[2] += here.sum(axis=0)
        return support


def best_size(k: int, gamma: Fraction) -> int:
    """Return the d of the least expected squared error: ``k / (e^ε + 1)`` rounded up or down.

    The error of all categories together is ``(p (1 - p) + (k - 1) q (1 - q)) / (p - q)^2``.
    """

    def error(d: int) -> Fraction:
        p = gamma * d / (gamma * d + k - d)
        q = (d - p) / (k - 1)
        return (p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2

    below = int(k / (gamma + 1))
    return min({min(max(d, 1), k - 1) for d in (below, below + 1)}, key=lambda d: (error(d), d))
