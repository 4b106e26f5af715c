"""What all mechanisms share that randomise each attribute on its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.alignment import hold_numbers
from sudare.arrays import Floats
from sudare.channels import Kronecker
from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.estimation import Counts, histogram
from sudare.estimation.caution import FEW, not_certain
from sudare.estimation.channel_law import ChannelLaw
from sudare.estimation.conclude import EstimateRequest, MethodResult
from sudare.estimation.counts import check_axes
from sudare.estimation.dependence import Dependence, cramers_v
from sudare.estimation.em import CERTAIN, Progress, Seldom, maximise, stop_early
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.memory import require_memory
from sudare.estimation.simplex import clip_and_normalise, project
from sudare.estimation.sparse import DENSE_LIMIT, INDEX_LIMIT, SparseCounts
from sudare.exact import as_integer
from sudare.exact.entropy import Entropy, Randomness, as_entropy
from sudare.frozen import set_fields
from sudare.mechanisms.base import OneValue
from sudare.mechanisms.bulk import in_blocks, in_parts
from sudare.mechanisms.frequency.direct import Direct
from sudare.mechanisms.joint.estimate import JointEstimate
from sudare.mechanisms.joint.rows import (
    ROWS,
    as_reports,
    as_row,
    as_values,
    check_number,
    draw_columns,
)
from sudare.mechanisms.values import as_shares, as_true_counts
from sudare.samplers import Product
from sudare.samplers.base import index_dtype

_BLOCK = 1 << 17
_BYTES, _BYTES_ITERATED = 64, 96  # of memory a cell, at the peak of an estimate


class Joint(OneValue):
    """Several attributes of one respondent, each randomised on its own.

    Cells are in row-major order: the last attribute fastest, as in ``numpy.unravel_index``.

    Must implement: ``part``, the frequency oracle of one attribute, which reports one category;
    ``parameters``, a constructor, and ``_build``, which hands those of all to ``_settle``.
    """

    part: ClassVar[type[Direct]]
    methods: ClassVar[tuple[str, ...]] = ("unbiased", "projected", "clipped", "em", "mle")

    conformance: ClassVar[str] = "sudare.testing.joint"
    covers: ClassVar[str] = "one submission: the answers to all attributes together"
    __slots__ = ("_parts", "sizes")
    _parts: tuple[Any, ...]
    sizes: tuple[int, ...]
    program: Product

    def _settle(self, parts: tuple[Any, ...]) -> None:
        set_fields(
            self,
            sizes=tuple(part.k for part in parts),
            _parts=parts,
            program=Product(tuple(part.program for part in parts)),
            requested_epsilon=sum((part.requested_epsilon for part in parts), start=Fraction(0)),
        )

    @classmethod
    def of(cls, parts: Sequence[Any]) -> Self:
        """Return the joint mechanism of these.

        Raises:
            WrongTypeError, DomainError: not 1 to 1,000 mechanisms of one attribute each.
        """
        self = cls.__new__(cls)
        self._settle(as_parts(parts, cls.part))
        return self

    @property
    def parts(self) -> tuple[Any, ...]:
        """The mechanism of each attribute."""
        return self._parts

    def subset(self, axes: Sequence[int]) -> Self:
        """Return the mechanism of some attributes alone, in the order named."""
        return self.of([self._parts[i] for i in check_axes(axes, len(self.sizes))])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (self._parts,)

    # -- the guarantee -----------------------------------------------------------------------

    @property
    def attribute_epsilons(self) -> tuple[float, ...]:
        """Realised ε of each attribute alone, rounded down."""
        return tuple(part.epsilon for part in self.parts)

    @property
    def attribute_gammas(self) -> tuple[float, ...]:
        """Realised γ of each attribute alone: its largest ratio of two probabilities."""
        return tuple(part.gamma for part in self.parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the attributes."""
        return self.sizes

    @property
    def cells(self) -> int:
        """Number of cells Δ: the product of the sizes."""
        return prod(self.sizes)

    @property
    def channel(self) -> Kronecker:
        """``(x) (a_i I + b_i J)``, applied axis by axis to arrays of the shape :attr:`sizes`."""
        return Kronecker(tuple(part.channel for part in self.parts))

    # -- the respondent's side ---------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return as_values(values, self.sizes)

    def _value(self, value: Any) -> list[int]:
        return as_row(value, self.sizes)

    def perturb(self, values: npt.ArrayLike, *, rng: Randomness = None) -> npt.NDArray[Any]:
        """Randomise the rows of n respondents, each attribute with its own randomness.

        Args:
            values: (n, attributes) whole numbers, column i in ``[0, sizes[i])``.
            rng: a seed, NumPy generator or Entropy to repeat a simulation; else the system's.

        Returns:
            (n, attributes) reports in the smallest dtype that holds them.

        Raises:
            WrongTypeError, DomainError: a value is outside its attribute; nothing is randomised,
                and the message never shows the value.
        """
        programs = [part.program for part in self.parts]

        def draw(rows: npt.ArrayLike, rng: Entropy) -> npt.NDArray[Any]:
            return draw_columns(rows, self.sizes, programs, rng)

        return in_blocks(draw, rng, values, report_bytes=self.report_bytes)

    # -- the analyst's side ------------------------------------------------------------------

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts | SparseCounts:
        """Count how often each cell is reported.

        Args:
            reports: (n, attributes) whole numbers, column i in ``[0, sizes[i])``.

        Returns:
            Counts of the shape :attr:`sizes`; above 1e8 cells
            :class:`~sudare.estimation.SparseCounts`, for sub-tables by :meth:`marginal`.

        Raises:
            WrongTypeError, ReportError: not this mechanism's reports.
        """
        rows = as_reports(reports, self.sizes)
        if self.cells > INDEX_LIMIT:
            raise EstimationError("counts", "have more than 2**62 cells", "tally fewer attributes")
        places = np.empty(rows.shape[0], dtype=index_dtype(self.cells))
        for start in range(0, rows.shape[0], ROWS):
            part = places[start : start + ROWS]
            part[:] = rows[start : start + ROWS, 0]
            for i, size in enumerate(self.sizes[1:], start=1):
                part *= part.dtype.type(size)
                part += rows[start : start + ROWS, i].astype(part.dtype)
        if self.cells > DENSE_LIMIT:
            cells, support = np.unique(places.astype(np.int64), return_counts=True)
            return SparseCounts(cells, support, self.sizes, self.to_json())
        if self.cells > _BLOCK:
            support = np.bincount(places, minlength=self.cells)
        else:
            support = histogram(places, self.cells)
        return self._counts(support.reshape(self.sizes), rows.shape[0])

    def marginal(self, counts: Counts | SparseCounts, axes: Any) -> Counts:
        """Return the counts of some attributes, tagged as those of ``subset(axes)``.

        Raises:
            EstimationError: counts of another mechanism.
            WrongTypeError, DomainError: not distinct attributes.
        """
        kept = check_axes(axes, len(self.sizes))
        if isinstance(counts, SparseCounts):
            self._check_sparse(counts)
        else:
            self.check_counts(counts)
        some = counts.marginal(kept)
        return Counts(some.support, some.n, self.subset(kept).to_json())

    def check_counts(self, counts: Counts) -> None:
        """As every mechanism; sparse counts are for :meth:`marginal` alone."""
        if isinstance(counts, SparseCounts):
            raise EstimationError(
                "counts", "are too many cells for one table", "estimate marginal(counts, axes)"
            )
        super().check_counts(counts)

    def _check_sparse(self, counts: SparseCounts) -> None:
        if counts.mechanism is not None and counts.mechanism != self.to_json():
            raise EstimationError("counts", "must come from this mechanism")
        if counts.shape != self.sizes:
            raise EstimationError("counts.shape", f"must be {self.sizes}")
        if counts.n == 0:
            raise EstimationError("counts", "must hold at least one report", "collect some first")

    def estimate(
        self,
        counts: Counts,
        method: str = "unbiased",
        target: Target = "population",
        *,
        progress: Progress | None = None,
    ) -> JointEstimate:
        """Estimate the joint shares of all cells.

        ::

            x = M^-1 y,   y = support / n
            var x = ( (M^-1 o M^-1) M x - x ) / n        (respondents)
                    ( (M^-1 o M^-1) M x - x^2 ) / n      (population)

        the variance at the plausible x: the estimated shares moved to the simplex.

        Args:
            counts: tally of the reports, at most 1e8 cells.
            method: ``"unbiased"``: the inverse, not clipped; ``"projected"``, ``"clipped"``: the
                same moved to the simplex; ``"em"``: EM maps from the product of the estimated
                marginals, as many as predict reports left out; ``"mle"``: the maximum of the
                likelihood.
            target: whose shares the standard errors are about.
            progress: called in a search of more than two seconds, about once a second, with the
                EM maps taken and the log-likelihood.

        Returns:
            Shares in the shape :attr:`sizes`; those of some attributes alone by
            :meth:`~sudare.mechanisms.joint.estimate.JointEstimate.marginal`.

        Raises:
            EstimationError: no reports, counts of another mechanism or of too many cells.
            DomainError: unknown method or target.

        Source: Sei, Ohsuga 2014, for the inverse; the variances follow from the multinomial law
        of the reports.
        """
        asked = self._asked(counts, method, target)
        iterated = method in ("em", "mle")
        require_memory(
            self.cells * (_BYTES_ITERATED if iterated else _BYTES),
            "counts",
            "estimate marginal(counts, axes), or on a larger machine",
        )
        if iterated:
            return self._conclude(asked, self._fitted(counts, method, progress), counts)
        law = ChannelLaw(self.channel, counts.support, counts.n, asked.target)
        few = counts.support < FEW
        if method == "unbiased":
            return self._conclude(asked, MethodResult(law.shares, few, law), counts)
        moved = project if method == "projected" else clip_and_normalise
        shares = moved(law.shares.reshape(-1)).reshape(self.sizes)
        return self._conclude(asked, MethodResult(shares, few), counts)

    def _fitted(self, counts: Counts, method: str, progress: Progress | None) -> MethodResult:
        channel, support = self.channel, counts.support
        seldom = None if progress is None else Seldom(progress)
        if method == "em":
            fit = stop_early(channel, support, self.independent, progress=seldom)
        else:
            fit = maximise(channel, support, self.independent(support), progress=seldom)
        cautions = (not_certain(fit.gap),) if method == "mle" and fit.gap > CERTAIN else ()
        return MethodResult(fit.shares, counts.support < FEW, rule=fit.rule, cautions=cautions)

    def _conclude(
        self, asked: EstimateRequest, found: MethodResult, counts: Counts
    ) -> JointEstimate:
        return asked.conclude(found, JointEstimate, _mechanism=self, _counts=counts)

    def independent(self, support: npt.NDArray[np.int64]) -> Floats:
        """Return the product of the estimated marginals, each share at least 1/n: EM's start."""
        n = int(support.sum())
        out: Floats = np.ones(())
        for axis, part in enumerate(self.parts):
            others = tuple(i for i in range(support.ndim) if i != axis)
            share = np.maximum(project(part.channel.solve(support.sum(axis=others) / n)), 1 / n)
            out = np.multiply.outer(out, share / share.sum())
        return out

    def dependence(
        self, counts: Counts | SparseCounts, axes: Any = (0, 1), target: Target = "population"
    ) -> Dependence:
        """Estimate how strongly two attributes depend on each other: Cramér's V, with an interval.

        Args:
            counts: tally of the reports.
            axes: the two attributes.
            target: of whom.

        Raises:
            EstimationError: counts of another mechanism, or of fewer than two reports.
            WrongTypeError, DomainError: not two distinct attributes, or an unknown target.

        Source: :func:`~sudare.estimation.dependence.cramers_v`.

        Examples:
            >>> from sudare.mechanisms import JointRR
            >>> j = JointRR([2, 3], gamma=9)
            >>> v = j.dependence(j.simulate([[500, 0, 300], [100, 900, 200]]))
            >>> v.interval(0.9999)[0] < 0.7592 < v.interval(0.9999)[1]
            True
        """
        kept = check_axes(axes, len(self.sizes))
        if len(kept) != 2:
            raise DomainError("axes", "must be two attributes", got=len(kept))
        pair = self.marginal(counts, kept)
        return cramers_v(self.subset(kept).channel, pair.support, target)

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Expected mean squared error of the Δ estimated shares, before anything is collected.

        ::

            (A - 1) / (n Δ)           (respondents)
            (A - Σ x^2) / (n Δ)       (population)
            A = Π_i [ (F_i - 2 + p_i)^2 + (F_i - 1) (1 - p_i)^2 ] / (p_i F_i - 1)^2

        Exact for any true shares x, and without a table: Δ may be 1e12 and more.

        Args:
            n: number of respondents.
            shares: true shares x; None stands for uniform ones, Σ x² = 1/Δ.
            target: whose shares the error is about.

        Raises:
            WrongTypeError, DomainError: n < 1, or shares that do not sum to 1.

        Source: Sei, Ohsuga 2014, equations 8 and 29, with their slips corrected.
        """
        people = as_integer(n, "n", low=1, high=2**62)
        spread = prod((_spread(part) for part in self.parts), start=Fraction(1))
        taken: Fraction | float = Fraction(1)
        if check_target(target) == "population":
            own = None if shares is None else as_shares(shares, *self.sizes)
            taken = Fraction(1, self.cells) if own is None else float(np.vdot(own, own))
        try:
            return float((spread - Fraction(taken)) / (people * self.cells))
        except OverflowError:  # beyond all floats
            return math.inf

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Randomness = None) -> Counts:
        """Draw the counts that respondents with these true counts would produce.

        The exact law of the aggregate, one attribute after the other: of each cell a binomial
        number keeps the attribute, and those of a line that do not are spread by one
        multinomial.

        Args:
            true_counts: whole numbers >= 0 of the shape :attr:`sizes`.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not counts of that shape.
        """
        truth = cells = as_true_counts(true_counts, *self.sizes)
        generator = as_entropy(rng).generator()
        for axis, part in enumerate(self.parts):
            lines = np.moveaxis(cells, axis, -1)
            cells = np.moveaxis(part._simulate(lines, generator), -1, axis)
        return self._counts(np.ascontiguousarray(cells), int(truth.sum()))


def as_parts(parts: object, part: type[Direct]) -> tuple[Any, ...]:
    """Return 1 to 1,000 mechanisms of one attribute each."""
    if not isinstance(parts, Sequence) or not all(type(one) is part for one in parts):
        raise WrongTypeError("parts", f"must be a list of {part.__name__}")
    check_number(len(parts))
    if any(one.labels is not None and hold_numbers(one.labels) for one in parts):
        remedy = "say how many categories an attribute has: its answers are whole numbers"
        raise DomainError("parts", "must have no labels that are numbers", remedy)
    return tuple(parts)


def _spread(part: Any) -> Fraction:
    """Return ``Σ_j Minv_ij^2`` summed over a row, times k: the A_i of the source."""
    own: Fraction = part.support_probabilities[0]
    k: int = part.k
    return ((k - 2 + own) ** 2 + (k - 1) * (1 - own) ** 2) / (own * k - 1) ** 2
