"""How the answer to a crosstab is reported, and how its tables come back: one class a way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any, TypeAlias

import numpy as np

from sudare.collection.questions.chances import Chances, even, of_choice
from sudare.estimation import Counts, Estimate
from sudare.estimation.dependence import Dependence
from sudare.estimation.estimate import Target
from sudare.estimation.table import TableEstimate, as_table
from sudare.mechanisms import FrequencyOracle, JointRR, Mechanism

TableMechanism: TypeAlias = JointRR | FrequencyOracle
"""What a crosstab can be collected by."""


class Tables(ABC):
    """A mechanism as a crosstab uses it.

    Attributes:
        mechanism: what randomises an answer.
        sizes: number of choices of each attribute.
    """

    def __init__(self, mechanism: Any, sizes: Sequence[int]) -> None:
        self.mechanism = mechanism
        self.sizes = tuple(sizes)

    @property
    @abstractmethod
    def alone(self) -> tuple[float, ...]:
        """Realised ε of each attribute alone."""

    @abstractmethod
    def value(self, places: tuple[int, ...]) -> Any:
        """Return the mechanism's value of the places of the choices."""

    @abstractmethod
    def tally(self, reports: Any) -> Counts:
        """Count decoded reports."""

    @abstractmethod
    def estimate(self, axes: tuple[int, ...], counts: Counts, target: Target) -> Estimate:
        """Estimate the table of some attributes, or one of them alone."""

    @abstractmethod
    def dependence(self, pair: tuple[int, ...], counts: Counts, target: Target) -> Dependence:
        """Estimate how strongly two attributes depend on each other."""

    @abstractmethod
    def chances(self, ids: Sequence[str]) -> Chances:
        """Return what becomes of the whole answer, and of each attribute by its id."""


class Apart(Tables):
    """Each attribute by GRR, on its own: :class:`~sudare.JointRR`."""

    mechanism: JointRR

    @property
    def alone(self) -> tuple[float, ...]:
        """That of its own GRR."""
        return self.mechanism.attribute_epsilons

    def value(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """As they are."""
        return places

    def tally(self, reports: Any) -> Counts:
        """Count a column for each attribute."""
        return self.mechanism.aggregate(np.stack(reports, axis=1))  # type: ignore[return-value]

    def estimate(self, axes: tuple[int, ...], counts: Counts, target: Target) -> Estimate:
        """By the mechanism of these attributes, from their own reports."""
        some = counts.marginal(axes)
        if len(axes) == 1:
            alone: Estimate = self.mechanism.parts[axes[0]].estimate(some, target=target)
            return alone
        return self.mechanism.subset(axes).estimate(some, target=target)

    def dependence(self, pair: tuple[int, ...], counts: Counts, target: Target) -> Dependence:
        """By the product of two channels."""
        return self.mechanism.dependence(counts, pair, target)

    def chances(self, ids: Sequence[str]) -> Chances:
        """That each part is kept, and all are."""
        kept = {
            f"kept.{name}": of_choice(part.program, part.k)["kept"]
            for name, part in zip(ids, self.mechanism.parts, strict=True)
        }
        return {
            "even": even(self.mechanism.program.ratio),
            "kept": prod(kept.values(), start=Fraction(1)),
            **kept,
        }


class Cells(Tables):
    """The whole answer as one of all cells, by any frequency oracle."""

    mechanism: FrequencyOracle

    @property
    def alone(self) -> tuple[float, ...]:
        """That of the whole answer: an attribute has none of its own."""
        return (self.mechanism.epsilon,) * len(self.sizes)

    def value(self, places: tuple[int, ...]) -> int:
        """Return the cell: the last attribute fastest."""
        return int(np.ravel_multi_index(places, self.sizes))

    def tally(self, reports: Any) -> Counts:
        """Count how many support each cell."""
        return self.mechanism.aggregate(reports)

    def estimate(self, axes: tuple[int, ...], counts: Counts, target: Target) -> TableEstimate:
        """By the sums of cells."""
        return self._table(counts, target).marginal(axes)

    def dependence(self, pair: tuple[int, ...], counts: Counts, target: Target) -> Dependence:
        """By the covariances of the cells."""
        return self._table(counts, target).dependence(pair)

    def _table(self, counts: Counts, target: Target) -> TableEstimate:
        return as_table(self.mechanism.estimate(counts, target=target), self.sizes)

    def chances(self, ids: Sequence[str]) -> Chances:
        """As of one of so many answers."""
        return of_choice(self.mechanism.program, prod(self.sizes))


def tables_of(mechanism: Mechanism, sizes: Sequence[int]) -> Tables:
    """Return the mechanism as a crosstab of these sizes uses it."""
    kind = Apart if isinstance(mechanism, JointRR) else Cells
    return kind(mechanism, sizes)
