"""A mechanism in a comparison: what it errs on some tables, and how long it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import process_time

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.collection.questions.tables import tables_of
from sudare.errors import ReportError
from sudare.estimation import Counts
from sudare.estimation.counts import margin
from sudare.estimation.simplex import largest_remainders
from sudare.exact.entropy import Entropy, as_entropy
from sudare.mechanisms.table_errors import table_errors
from sudare.planning.budget_split import TableMechanism

Axes = tuple[int, ...]

_TIMED = 100_000  # respondents whose reports are timed
_TIMED_BYTES = 1 << 26  # of their reports
_PASSES, _LONG = 5, 0.5  # passes at most, and seconds after which there is no further one


@dataclass(frozen=True, eq=False)
class Wanted:
    """Respondents, and what is wanted of them.

    Attributes:
        truth: how many hold each cell, of the shape of the attributes' sizes.
        tables: the wanted ones, each by its attributes.
    """

    truth: Integers
    tables: tuple[Axes, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of categories of each attribute."""
        return self.truth.shape

    @cached_property
    def n(self) -> int:
        """Number of respondents."""
        return int(self.truth.sum())

    @cached_property
    def shares(self) -> list[Floats]:
        """True shares of the wanted tables."""
        return [margin(self.truth, axes) / self.n for axes in self.tables]

    def error_of(self, mechanism: TableMechanism) -> float:
        """Return the expected mean squared error over the cells of all wanted tables."""
        errors = table_errors(
            mechanism, self.sizes, self.tables, self.n, "respondents", self.truth / self.n
        )
        return float(np.average(errors, weights=[own.size for own in self.shares]))

    def squared(self, found: Sequence[Floats]) -> float:
        """Return the mean squared error of estimated tables."""
        squares = [
            np.square(one - own).ravel() for one, own in zip(found, self.shares, strict=True)
        ]
        return float(np.concatenate(squares).mean())

    def batch(self, size: int) -> Integers:
        """Return so many respondents in proportion, in random order: (size, attributes) places."""
        many = largest_remainders(size * (self.truth.ravel() / self.n), size)
        cells = as_entropy(None).generator().permutation(np.repeat(np.arange(many.size), many))
        return np.stack(np.unravel_index(cells, self.sizes), axis=1)


@dataclass(frozen=True, eq=False)
class Contender:
    """A mechanism that gives the wanted tables.

    Attributes:
        mechanism: ready to use.
        wanted: what is asked of it.
    """

    mechanism: TableMechanism
    wanted: Wanted

    def measured(self, repetitions: int, rng: Entropy) -> tuple[float, float]:
        """Return the mean squared error over so many collections, and its standard error."""
        how = tables_of(self.mechanism, self.wanted.sizes)
        squares = [
            self.wanted.squared(self.estimate(how.simulate(self.wanted.truth, rng)))
            for _ in range(repetitions)
        ]
        return float(np.mean(squares)), float(np.std(squares, ddof=1) / math.sqrt(repetitions))

    def estimate(self, counts: Counts) -> list[Floats]:
        """Return the wanted tables of these counts."""
        if len(self.wanted.sizes) == 1:
            return [self.mechanism.estimate(counts).shares]  # type: ignore[union-attr]
        figures = tables_of(self.mechanism, self.wanted.sizes).figures(counts, "respondents")
        return [figures.table(axes).shares for axes in self.wanted.tables]

    def seconds(self) -> tuple[float, float]:
        """Return the processor's seconds for one respondent of a batch: to randomise, and to count.

        Of several passes the fastest: what else the machine does only adds. Their entropy is the
        system's: how many there are depends on the clock.
        """
        m = self.mechanism
        size = max(1, min(self.wanted.n, _TIMED, _TIMED_BYTES // m.report_bytes))
        batch = tables_of(m, self.wanted.sizes).values(self.wanted.batch(size))
        passes: list[tuple[float, float]] = []
        while len(passes) < _PASSES and sum(map(sum, passes)) < _LONG:
            started = process_time()
            reports = m.perturb(batch)
            between = process_time()
            self.estimate(m.aggregate(reports))  # type: ignore[arg-type]
            passes.append((between - started, process_time() - between))
        perturb, estimate = (min(seconds) / size for seconds in zip(*passes, strict=True))
        return perturb, estimate

    def guess_probability(self) -> float | None:
        """Return how probably the best guess from one report is right, all cells alike."""
        program = self.mechanism.program
        try:
            # a sampled pair is a value of its own to the program: there are fewer answers
            return program.guess_probability * (program.inputs / self.wanted.truth.size)
        except ReportError:
            return None
