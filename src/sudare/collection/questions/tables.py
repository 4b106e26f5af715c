"""How the answer to a crosstab is reported, and how its tables come back: one class a way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from sudare.arrays import Integers
from sudare.collection.questions.chances import Chances, even, of_choice, of_drawn
from sudare.errors import DomainError, EstimationError
from sudare.estimation import Counts, Estimate
from sudare.estimation.association import table_dependence
from sudare.estimation.conditional import ConditionalLaw, ConditionalShare, among_asked
from sudare.estimation.consistent import subsets
from sudare.estimation.counts import margin
from sudare.estimation.covariance import Covariance
from sudare.estimation.dependence import Dependence
from sudare.estimation.estimate import Target
from sudare.estimation.maximum_entropy import JointTable
from sudare.estimation.pair_covariance import covariance_apart
from sudare.estimation.table import TableEstimate, as_table
from sudare.exact.entropy import Entropy
from sudare.mechanisms import (
    FrequencyOracle,
    JointRR,
    MarginalRR,
    Mechanism,
    SampledPairs,
    SampledTables,
)
from sudare.mechanisms.table_errors import table_errors

TableMechanism: TypeAlias = JointRR | MarginalRR | SampledTables | FrequencyOracle
"""What a crosstab can be collected by."""

Axes = tuple[int, ...]


WANTED = ("cells", "pairs", "margins")
"""What a crosstab may be asked for; without it each attribute is randomised on its own."""

ORDERS = {"pairs": 2, "margins": 1}
"""Attributes of the tables that are wanted, where these are not all."""


def wanted_axes(wanted: str | None, attributes: int) -> tuple[Axes, ...]:
    """Return the tables that are wanted of so many attributes."""
    return tuple(combinations(range(attributes), ORDERS.get(wanted or "", attributes)))


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


class Varying(Figures, Protocol):
    """The same, where it is known how the cells of two attributes vary together."""

    def covariance(self, axes: Axes) -> Covariance:
        """Return those of a pair's cells, in row-major order; EstimationError likewise."""
        ...


@dataclass(frozen=True)
class AmongAsked:
    """The tables among those asked, where all others have drawn each attribute's choice.

    Attributes:
        mixed: the tables of all reports.
        asked: the share of those asked.
    """

    mixed: Varying
    asked: ConditionalShare

    def table(self, axes: Axes) -> Estimate:
        """Return the estimate of some attributes; EstimationError as of all reports."""
        return among_asked(self.mixed.table(axes), self.asked)

    def dependence(self, axes: Axes) -> Dependence:
        """Estimate it from the table's covariances; EstimationError as of all reports."""
        table = self.table(axes)
        law = cast(ConditionalLaw, table._law)
        return table_dependence(table.shares, law.covariance(self.mixed.covariance(axes)))


@dataclass(frozen=True)
class OfLevels:
    """The tables of several levels of ε together, however people have picked them.

    Attributes:
        each: the tables of the levels with reports.
    """

    each: Sequence[Figures]

    def table(self, axes: Axes) -> Estimate:
        """Return the estimate of some attributes."""
        from sudare.estimation.combining import combine  # of the analyst's side alone

        return combine([one.table(axes) for one in self.each], chosen=True)

    def dependence(self, axes: Axes) -> Dependence:
        """Refuse: it is known of each level alone."""
        raise EstimationError("levels", "have no Cramér's V together", "look at each level")


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
    def most(self) -> int | None:
        """Of how many attributes its largest tables are; None: of all."""
        return None

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

    def values(self, rows: Integers) -> Integers:
        """Return what the mechanism's ``perturb`` takes of (n, attributes) places."""
        return rows

    @abstractmethod
    def simulate(self, truth: Integers, rng: Entropy) -> Counts:
        """Draw the counts of respondents with this table of true counts, of the shape sizes.

        Each table that :meth:`figures` gives follows its exact law.
        """

    @abstractmethod
    def tally(self, reports: Any) -> Counts:
        """Count decoded reports."""

    @abstractmethod
    def figures(self, counts: Counts, target: Target) -> Varying:
        """Return the tables of these counts."""

    def reports(self, counts: Counts) -> Mapping[Axes, int] | None:
        """Return how many reports tell the table of some attributes; None where all do."""
        return None

    def joint(self, counts: Counts) -> JointTable | None:
        """Work out the joint table from those of the groups, where these are of two or more."""
        return None

    @abstractmethod
    def chances(self, ids: Sequence[str]) -> Chances:
        """Return what becomes of the whole answer, and of each attribute by its id."""


class Separate(Tables):
    """Each attribute by GRR, on its own: :class:`~sudare.JointRR`."""

    mechanism: JointRR

    @property
    def alone(self) -> tuple[float, ...]:
        """That of its own GRR."""
        return self.mechanism.attribute_epsilons

    def value(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """As they are."""
        return places

    def simulate(self, truth: Integers, rng: Entropy) -> Counts:
        """By the mechanism."""
        return self.mechanism.simulate(truth, rng=rng)

    def tally(self, reports: Any) -> Counts:
        """Count a column for each attribute."""
        return self.mechanism.aggregate(np.stack(reports, axis=1))  # type: ignore[return-value]

    def figures(self, counts: Counts, target: Target) -> Varying:
        """By the mechanism of the attributes asked for, from their own reports."""
        return _SeparateTables(self.mechanism, counts, target)

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


class _SeparateTables:
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

    def covariance(self, axes: Axes) -> Covariance:
        channel = self.mechanism.subset(axes).channel
        return covariance_apart(channel, self.counts.marginal(axes).support, self.target)


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

    def values(self, rows: Integers) -> Integers:
        """Return the cells."""
        out: Integers = np.ravel_multi_index(tuple(rows.T), self.sizes)
        return out

    def simulate(self, truth: Integers, rng: Entropy) -> Counts:
        """By the mechanism, of the cells."""
        return self.mechanism.simulate(truth.ravel(), rng=rng)

    def tally(self, reports: Any) -> Counts:
        """Count how many support each cell."""
        return self.mechanism.aggregate(reports)

    def figures(self, counts: Counts, target: Target) -> Varying:
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

    def covariance(self, axes: Axes) -> Covariance:
        return self.whole.covariance(axes)


class GroupTables(Tables):
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


class Sampled(GroupTables):
    """A few attributes, drawn: :class:`~sudare.SampledTables`."""

    mechanism: SampledTables

    @property
    def most(self) -> int:
        """As many as are drawn."""
        return self.mechanism.order

    @property
    def drawn(self) -> tuple[Axes, ...]:
        """Every so many attributes."""
        return self.mechanism.groups

    def simulate(self, truth: Integers, rng: Entropy) -> Counts:
        """Draw who reports which group, cell by cell, and then each group's reports."""
        even = np.full(len(self.drawn), 1 / len(self.drawn))
        groups = np.moveaxis(rng.generator().multinomial(truth, even), -1, 0)
        each = []
        for axes, part, group in zip(self.drawn, self.mechanism.parts, groups, strict=True):
            counts = part.simulate(margin(group, axes).ravel(), rng=rng)
            each.append(np.append(counts.n, counts.support))
        return Counts(np.concatenate(each), int(truth.sum()), self.mechanism.to_json())

    def tally(self, reports: Any) -> Counts:
        """Count each group's reports, and how many support each of its cells."""
        return self.mechanism.tally(reports)

    def figures(self, counts: Counts, target: Target) -> Varying:
        """By the consistent tables."""
        return self.mechanism.tables(counts, target)

    def joint(self, counts: Counts) -> JointTable | None:
        """By maximum entropy."""
        return self.mechanism.tables(counts).joint() if self.most > 1 else None

    def reports(self, counts: Counts) -> Mapping[Axes, int]:
        """Those of all groups that the attributes are in."""
        found: dict[Axes, int] = {}
        for group, n in zip(self.drawn, self.mechanism.reports(counts), strict=True):
            for some in subsets(group):
                found[some] = found.get(some, 0) + n
        return found


class Margins(GroupTables):
    """One attribute, drawn: :class:`~sudare.MarginalRR` by sampling."""

    mechanism: MarginalRR

    @property
    def most(self) -> int:
        """One."""
        return 1

    @property
    def drawn(self) -> tuple[Axes, ...]:
        """Each attribute."""
        return tuple((axis,) for axis in range(len(self.sizes)))

    def simulate(self, truth: Integers, rng: Entropy) -> Counts:
        """By the mechanism, each attribute by itself: their tables do not meet."""
        margins = [margin(truth, axes) for axes in self.drawn]
        return self.mechanism.simulate(margins, rng=rng)

    def tally(self, reports: Any) -> Counts:
        """Count the categories of each attribute."""
        _, each = reports
        rows = [np.stack([np.full(own.size, axis), own], axis=1) for axis, own in enumerate(each)]
        return self.mechanism.aggregate(np.concatenate(rows))

    def figures(self, counts: Counts, target: Target) -> Varying:
        """Each attribute from the reports about it."""
        return _Margins(self.mechanism, counts, target)

    def reports(self, counts: Counts) -> Mapping[Axes, int]:
        """Those about each attribute."""
        if not counts.n:
            return dict.fromkeys(self.drawn, 0)
        return {(axis,): self.mechanism.marginal(counts, axis).n for (axis,) in self.drawn}


class _Margins:
    def __init__(self, mechanism: MarginalRR, counts: Counts, target: Target) -> None:
        self.mechanism, self.counts, self.target = mechanism, counts, target

    def table(self, axes: Axes) -> Estimate:
        return self.mechanism.estimate_one(self.counts, axes[0], self.target)

    def dependence(self, axes: Axes) -> Dependence:
        raise EstimationError("counts", "must be of pairs of attributes", "ask for these")

    def covariance(self, axes: Axes) -> Covariance:
        raise EstimationError("counts", "must be of pairs of attributes", "ask for these")


def tables_of(mechanism: Mechanism, sizes: Sequence[int]) -> Tables:
    """Return the mechanism as a crosstab of these sizes uses it."""
    kinds: dict[type[Mechanism], type[Separate | Sampled | Margins]] = {
        JointRR: Separate,
        SampledPairs: Sampled,
        SampledTables: Sampled,
        MarginalRR: Margins,
    }
    return kinds.get(type(mechanism), Cells)(mechanism, sizes)
