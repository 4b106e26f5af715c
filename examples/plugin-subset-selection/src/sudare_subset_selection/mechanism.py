"""Subset selection with the subsets written out, for few categories."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.channels import Dense
from sudare.errors import OutOfReachError
from sudare.estimation import Counts, histogram
from sudare.estimation.support import PairLaw
from sudare.exact import exp_bounds, log_bounds
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.reports import as_indices
from sudare.samplers import Table
from sudare_subset_selection.subsets import best_size, choose, members

MOST_SUBSETS = 1000
"""A device gets the whole table, one threshold a subset and category."""


class ListedSubsets(FrequencyOracle):
    """Report d of the k categories: each subset with the true one e^ε times as often as others.

    ::

        d = round(k / (e^ε + 1)),   at least 1
        p = e^ε C(k-1, d-1) / Z,    Z = e^ε C(k-1, d-1) + C(k-1, d)
        q = (e^ε C(k-2, d-2) + C(k-2, d-1)) / Z

    Guarantee: ε-local differential privacy of one answer (any two values are neighbours).
    Reports: (n,) indices of subsets in the order of ``itertools.combinations``. Source: Ye and
    Barg 2018, section III; Wang et al. 2016 (arXiv:1607.08025).

    Integers: ``other = floor(2^w / Z)``, ``own = floor(e^ε other)``. What is left of 2^w goes to
    a last report that holds no category. It is equally likely under every value and costs no
    privacy; its probability is below 2^-20.

    Raises:
        OutOfReachError: more than 1000 subsets (from k = 13 on at ε near 0).

    Examples:
        >>> m = ListedSubsets(k=5, epsilon=1.0)
        >>> m.size, m.program.outputs, m.report_bytes
        (1, 6, 1)
        >>> ListedSubsets(k=10, epsilon=0.5).size
        4
    """

    name: ClassVar[str] = "ListedSubsets"
    __slots__ = ()
    program: Table

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Table:
        gamma = exp_bounds(epsilon)[0]  # a rational below e^ε: never too little noise
        size = best_size(k, gamma)
        if choose(k, size) > MOST_SUBSETS:
            raise OutOfReachError("k", f"must give at most {MOST_SUBSETS} subsets", got=k)
        held = members(k, size).T.tolist()
        with_own, without = choose(k - 1, size - 1), choose(k - 1, size)
        for width in (32, 64, 128):
            other = int((1 << width) / (gamma * with_own + without))
            own = int(gamma * other)
            blank = (1 << width) - own * with_own - other * without
            if own <= other:
                continue
            rows = [[own if bit else other for bit in row] + [blank] for row in held]
            program = Table.from_weights(rows, width)
            if epsilon - log_bounds(program.ratio)[0] <= TOLERANCE:
                return program
        raise OutOfReachError("epsilon", f"is out of reach at k = {k}", got=float(epsilon))

    @property
    def size(self) -> int:
        """Number d of categories in a report."""
        return best_size(self.k, exp_bounds(self.requested_epsilon)[0])

    @property
    def law(self) -> PairLaw:
        """Probabilities that the reported subset holds one category, or two of them."""
        return PairLaw(
            p=self._holds(own=True, others=0),
            q=self._holds(own=False, others=1),
            with_own=self._holds(own=True, others=1),
            without=self._holds(own=False, others=2),
        )

    def _holds(self, *, own: bool, others: int) -> Fraction:
        """Probability that the subset holds ``others`` given ones, and the true one if ``own``."""
        own_weight, other_weight = self._weights
        free = self.k - 1 - others
        weight = own_weight * choose(free, self.size - 1 - others)
        if not own:
            weight += other_weight * choose(free, self.size - others)
        return Fraction(weight, 1 << self.program.width)

    @property
    def _weights(self) -> tuple[int, int]:
        """Integers of a subset with the true category and of one without, from the program."""
        row = self.program.rows[0]
        return row[0], row[-1] - row[-2]  # the first subset holds category 0, the last does not

    @property
    def channel(self) -> Dense:
        """One row a subset, and a last one for the report that holds none."""
        return Dense.from_matrix(self.program.matrix())

    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the subsets that hold each category; reports: (n,) indices of subsets."""
        array = as_indices(reports, self.program.outputs)
        return self._counts(self._support(histogram(array, self.program.outputs)), array.size)

    def _support(self, tally: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.asarray(tally[:-1] @ members(self.k, self.size))

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        own, other = self._weights
        blank = (1 << self.program.width) - self.program.rows[0][-1]
        held = members(self.k, self.size)
        support = np.zeros(self.k, dtype=np.int64)
        for column, n in zip(held.T, truth.tolist(), strict=True):
            weights = np.append(np.where(column, float(own), float(other)), float(blank))
            support += self._support(generator.multinomial(n, weights / weights.sum()))
        return support
