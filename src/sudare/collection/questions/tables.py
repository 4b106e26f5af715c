"""How the answer to a crosstab is reported, and how its tables come back: one class a way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from sudare.collection.questions.chances import Chances, even, of_choice, of_drawn
from sudare.errors import DomainError, EstimationError
from sudare.estimation import Counts, Estimate
from sudare.estimation.dependence import Dependence
from sudare.estimation.estimate import Target
from sudare.estimation.maximum_entropy import JointTable
from sudare.estimation.table import TableEstimate, as_table
from sudare.mechanisms import FrequencyOracle, JointRR, MarginalRR, Mechanism, SampledPairs
from sudare.mechanisms.table_errors import table_errors

TableMechanism: TypeAlias = JointRR | MarginalRR | SampledPairs | FrequencyOracle
"""What a crosstab can be collected by."""

Axes = tuple[int, ...]


WANTED = ("cells", "pairs", "margins")
"""What a crosstab may be asked for; without it each attribute is randomised on its own."""


def wanted_axes(wanted: str | None, attributes: int) -> tuple[Axes, ...]:
    """Return the tables that are wanted of so many attributes."""
    sizes = {"pairs": 2, "margins": 1}
    return tuple(combinations(range(attributes), sizes.get(wanted or "", attributes)))


@dataclass(frozen=True)
class WantedTables:
    """Tables that a mechanism is wanted for, and how much they err.

    Attributes:
        mechanism: what the answers are collected by.
        sizes: number of choices of each attribute.
        axes: of each table.
    """

    mechanism: TableMechanism
    sizes: tuple[int, ...]
    axes: tuple[Axes, ...]

    def expected_mse(self, n: int, shares: None = None, target: Target = "population") -> float:
        """Return the mean over the cells of all tables of the expected squared error of a share.

        Raises:
            DomainError: shares are given: only uniform ones are known.
        """
        if shares is not None:
            raise DomainError("shares", "must be left out", "uniform ones are assumed")
        errors = table_errors(self.mechanism, self.sizes, self.axes, n, target)
        cells = [prod(self.sizes[axis] for axis in axes) for axes in self.axes]
        return float(np.average(errors, weights=cells))


class Figures(Protocol):
    """The tables of some reports, at least one."""

    def table(self, axes: Axes) -> Estimate:
        """Return the estimate of some attributes, or one of them alone.

        Raises:
            EstimationError: nobody reported what it takes.
        """
        ...

    def dependence(self, axes: Axes) -> Dependence:
        """Estimate how strongly two attributes depend on each other; EstimationError likewise."""
        ...


class Tables(ABC):
    """A mechanism as a crosstab uses it.

    Attributes:
        mechanism: what randomises an answer.
        sizes: number of choices of each attribute.
    """

    most: ClassVar[int | None] = None
    """Of how many attributes its largest tables are; None: of all."""

    def __init__(self, mechanism: Any, sizes: Sequence[int]) -> None:
        self.mechanism = mechanism
        self.sizes = tuple(sizes)

    @property
    def drawn(self) -> tuple[Axes, ...]:
        """The groups of attributes of which one is drawn, and reported alone; else empty."""
        return ()

    @property
    @abstractmethod
    def alone(self) -> tuple[float, ...]:
        """Realised ε of each attribute alone."""

    @abstractmethod
    def value(self, places: tuple[int, ...]) -> Any:
        """Return the program's value of the places of the choices."""

    @abstractmethod
    def tally(self, reports: Any) -> Counts:
        """Count decoded reports."""

    @abstractmethod
    def figures(self, counts: Counts, target: Target) -> Figures:
        """Return the tables of these counts."""

    def reports(self, axes: Axes, counts: Counts) -> int | None:
        """Return how many reports are about just these attributes; None where all are."""
        return None

    def joint(self, counts: Counts) -> JointTable | None:
        """Work out the joint table from those of the pairs, where these are the largest."""
        return None

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

    def figures(self, counts: Counts, target: Target) -> Figures:
        """By the mechanism of the attributes asked for, from their own reports."""
        return _Apart(self.mechanism, counts, target)

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


class _Apart:
    def __init__(self, mechanism: JointRR, counts: Counts, target: Target) -> None:
        self.mechanism, self.counts, self.target = mechanism, counts, target

    def table(self, axes: Axes) -> Estimate:
        some = self.counts.marginal(axes)
        if len(axes) == 1:
            alone: Estimate = self.mechanism.parts[axes[0]].estimate(some, target=self.target)
            return alone
        return self.mechanism.subset(axes).estimate(some, target=self.target)

    def dependence(self, axes: Axes) -> Dependence:
        return self.mechanism.dependence(self.counts, axes, self.target)


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

    def figures(self, counts: Counts, target: Target) -> Figures:
        """By the sums of cells, and their covariances."""
        return _Cells(as_table(self.mechanism.estimate(counts, target=target), self.sizes))

    def chances(self, ids: Sequence[str]) -> Chances:
        """As of one of so many answers."""
        return of_choice(self.mechanism.program, prod(self.sizes))


class _Cells:
    def __init__(self, whole: TableEstimate) -> None:
        self.whole = whole

    def table(self, axes: Axes) -> TableEstimate:
        return self.whole.marginal(axes)

    def dependence(self, axes: Axes) -> Dependence:
        return self.whole.dependence(axes)


class Drawn(Tables):
    """One of several groups of attributes, drawn, by a frequency oracle of its cells."""

    @property
    def alone(self) -> tuple[float, ...]:
        """That of the whole answer: all of it is spent on what is drawn."""
        return (self.mechanism.epsilon,) * len(self.sizes)

    def value(self, places: tuple[int, ...]) -> list[int]:
        """Return the cell of each group: the last attribute fastest."""
        return [
            int(np.ravel_multi_index([places[i] for i in axes], [self.sizes[i] for i in axes]))
            for axes in self.drawn
        ]

    def chances(self, ids: Sequence[str]) -> Chances:
        """As of the group of which a report tells the most."""
        sizes = [prod(self.sizes[axis] for axis in axes) for axes in self.drawn]
        return of_drawn(self.mechanism.program.parts, sizes)


class Pairs(Drawn):
    """One pair of attributes, drawn: :class:`~sudare.SampledPairs`."""

    most = 2
    mechanism: SampledPairs

    @property
    def drawn(self) -> tuple[Axes, ...]:
        """Every two attributes."""
        return self.mechanism.pairs

    def tally(self, reports: Any) -> Counts:
        """Count each pair's reports, and how many support each of its cells."""
        return self.mechanism.tally(reports)

    def figures(self, counts: Counts, target: Target) -> Figures:
        """By the consistent tables."""
        return self.mechanism.tables(counts, target)

    def joint(self, counts: Counts) -> JointTable | None:
        """By maximum entropy."""
        return self.mechanism.tables(counts).joint()

    def reports(self, axes: Axes, counts: Counts) -> int:
        """Of a pair its own; of one attribute those of all pairs that it is in."""
        numbers = dict(zip(self.drawn, self.mechanism.reports(counts), strict=True))
        return sum(n for pair, n in numbers.items() if set(axes) <= set(pair))


class Margins(Drawn):
    """One attribute, drawn: :class:`~sudare.MarginalRR` by sampling."""

    most = 1
    mechanism: MarginalRR

    @property
    def drawn(self) -> tuple[Axes, ...]:
        """Each attribute."""
        return tuple((axis,) for axis in range(len(self.sizes)))

    def tally(self, reports: Any) -> Counts:
        """Count the categories of each attribute."""
        _, each = reports
        rows = [np.stack([np.full(own.size, axis), own], axis=1) for axis, own in enumerate(each)]
        return self.mechanism.aggregate(np.concatenate(rows))

    def figures(self, counts: Counts, target: Target) -> Figures:
        """Each attribute from the reports about it."""
        return _Margins(self.mechanism, counts, target)

    def reports(self, axes: Axes, counts: Counts) -> int:
        """The number of those about the attribute."""
        return self.mechanism.marginal(counts, axes[0]).n if counts.n else 0


class _Margins:
    def __init__(self, mechanism: MarginalRR, counts: Counts, target: Target) -> None:
        self.mechanism, self.counts, self.target = mechanism, counts, target

    def table(self, axes: Axes) -> Estimate:
        return self.mechanism.estimate_one(self.counts, axes[0], self.target)

    def dependence(self, axes: Axes) -> Dependence:
        raise EstimationError("counts", "must be of pairs of attributes", "ask for these")


def tables_of(mechanism: Mechanism, sizes: Sequence[int]) -> Tables:
    """Return the mechanism as a crosstab of these sizes uses it."""
    kinds: dict[type[Mechanism], type[Apart | Pairs | Margins]] = {
        JointRR: Apart,
        SampledPairs: Pairs,
        MarginalRR: Margins,
    }
    return kinds.get(type(mechanism), Cells)(mechanism, sizes)
