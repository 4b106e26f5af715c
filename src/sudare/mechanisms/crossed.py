"""Questions that were randomised apart, crossed afterwards: the product of their channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.alignment import check_rows
from sudare.arrays import Floats, Integers
from sudare.errors import DomainError, EstimationError, WrongTypeError, counted
from sudare.estimation import Estimate, TableEstimate, as_table
from sudare.estimation.caution import FEW, few_reports
from sudare.estimation.covariance import Covariance
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.simplex import project
from sudare.estimation.spread import Spread
from sudare.estimation.student import Studentised, StudentLaw, onto
from sudare.estimation.support import SupportLaw
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.scores import supports
from sudare.samplers import Product

TOGETHER = "the answers to these questions together"

MOST_CELLS = 1024
"""Most cells of a table: all their covariances are kept."""

MOST_CATEGORIES = 128
"""Most categories of a question: the products of each two are written out for each value."""

_NUMBERS = 1 << 22
"""Numbers of a block of reports."""


@dataclass(frozen=True, eq=False)
class MomentLaw(StudentLaw):
    """How shares vary, by the second and third moments of what reports say of the cells.

    Attributes:
        matrix: (cells, cells) covariances of the shares, in row-major order.
        third: (cells,) their third central moments.
        along: (cells,) covariances of the shares and their estimated variances.
        step: between two values that a share can take; 0 where they lie close together.
        slopes: (cells,) how much each variance grows with its share, of the respondents' where few
            reports support it; else 0.
    """

    matrix: Floats
    third: Floats
    along: Floats
    step: float
    slopes: Floats

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        out: Floats = np.sqrt(np.maximum(np.diag(self.matrix), 0)).reshape(self.shares.shape)
        return out

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        w = weights.reshape(-1)
        return float(w @ self.matrix @ w)

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how a weighted sum varies; without weights how each share does."""
        if weights is not None:
            return Studentised.of(max(self.variance(weights), 0.0), 0.0, self.freedom)
        third, along, slopes = (
            one.reshape(self.shares.shape) for one in (self.third, self.along, self.slopes)
        )
        return Studentised.of(self.stderr**2, third, self.freedom, along, self.step, slopes)

    def covariance(self) -> Covariance:
        """Return the covariances of all shares."""
        size = self.shares.size
        return Covariance(np.zeros(size), np.eye(size), self.matrix)

    def summed(self, places: npt.NDArray[np.intp], shares: Floats) -> MomentLaw:
        """Return the law of sums of the shares: ``places`` says to which each belongs."""
        to = onto(places, shares.size)
        alone = shares.size == places.size
        matrix, none = to.T @ self.matrix @ to, np.zeros(shares.size)
        if not alone:
            return MomentLaw(shares, self.freedom, matrix, none, none, 0.0, none)
        third, along, slopes = (one @ to for one in (self.third, self.along, self.slopes))
        return MomentLaw(shares, self.freedom, matrix, third, along, self.step, slopes)


@dataclass(frozen=True, eq=False)
class Crossed:
    """A joint table of questions that were answered and randomised apart.

    Attributes:
        pairs: how many reports support each combination of categories: whole numbers in the shape
            of the table (sums of numbers where reports say such).
        estimate: shares of the cells with standard errors, intervals, ``marginal`` and
            ``dependence`` (Cramér's V); its ε is that of all these answers together.
    """

    pairs: Integers
    estimate: TableEstimate


def cross(
    mechanisms: Sequence[FrequencyOracle],
    reports: Sequence[npt.ArrayLike],
    *,
    target: Target = "population",
) -> Crossed:
    """Estimate the joint table of two or three questions from reports that were sent together.

    ::

        y_r[i, j] = (supports_r i - q) / (p - q) * (supports'_r j - q') / (p' - q')
        x = Σ_r y_r / n,   E[y y^T] = Σ_v x_v (product over the questions of E[a a^T | v])
        Cov x = (E[y y^T] - x x^T) / n          (population)
                (E[y y^T] - diag x) / n         (respondents)

    with the exact laws of the mechanisms, at the plausible x: moved to the simplex.
    Each question has its own randomness, so that a submission's channel is the product of theirs
    and y_r is unbiased for its cell. ε stays what it is: whatever is computed from reports
    costs nobody more than the reports did (post-processing).

    Args:
        mechanisms: of two or three questions, each of one of k categories.
        reports: of each question, of the same n respondents in the same order.
        target: whose shares the standard errors are about.

    Raises:
        WrongTypeError, ReportError: not such mechanisms, or not their reports.
        DomainError: not two or three questions, unlike numbers of reports, or an unknown target.
        EstimationError: fewer than two reports, more than 128 categories, or 1,024 cells.

    Source: Sei, Ohsuga 2014 (the product of the channels); the covariances follow from the
        laws of one report.

    Examples:
        >>> import sudare as sd
        >>> tea, age = sd.GRR(2, 3.0), sd.OUE(3, 3.0)
        >>> rng = sd.Entropy.seeded(b"cross")
        >>> found = cross(
        ...     [tea, age],
        ...     [tea.perturb([0] * 600 + [1] * 400, rng=rng),
        ...      age.perturb([0] * 600 + [1] * 300 + [2] * 100, rng=rng)],
        ... )
        >>> found.estimate.shares.round(2).tolist()
        [[0.62, -0.01, -0.0], [-0.02, 0.3, 0.09]]
        >>> bool(found.estimate.dependence().interval()[0] > 0.9)
        True
    """
    own, rows, whose = as_questions(mechanisms, reports), list(reports), check_target(target)
    counts = [m.aggregate(part) for m, part in zip(own, rows, strict=True)]  # checks them
    n, shape = counts[0].n, tuple(m.k for m in own)
    if len({one.n for one in counts}) > 1:
        raise DomainError("reports", "must be of the same respondents", got=[c.n for c in counts])
    if n < 2:
        raise EstimationError("reports", "must be at least two", "collect some first")
    cells = prod(shape)
    if cells > MOST_CELLS or max(shape) > MOST_CATEGORIES:
        rule = f"must have at most {MOST_CATEGORIES} categories each, {MOST_CELLS} cells together"
        raise EstimationError("mechanisms", rule, "cross fewer questions", got=shape)
    pairs, first = _sums(own, [np.asarray(part) for part in rows])
    x = first.ravel() / n
    laws, true = [m.law for m in own], project(x)
    rare = pairs.ravel() < FEW
    law, few = _law(laws, x, true.reshape(shape), n, whose, rare), np.flatnonzero(rare)
    flat = Estimate(
        shares=x,
        stderr=law.stderr,
        n=n,
        epsilon=Product(tuple(m.program for m in own)).epsilon,
        covers=TOGETHER,
        method="crossed",
        target=whose,
        _law=law,
    )
    table = as_table(flat, shape)
    cautions = (few_reports(few, shape),) if few.size else ()
    return Crossed(np.rint(pairs).astype(np.int64), replace(table, warnings=cautions))


def _law(
    laws: list[SupportLaw], x: Floats, true: Floats, n: int, whose: Target, rare: npt.NDArray[Any]
) -> MomentLaw:
    """Return how the shares x of n reports vary, where the cells have the plausible shares true.

    Per report, with c the cell::

        third = E[y_c³] - 3 x_c E[y_c²] + 2 x_c³                (population)
                E[y_c³] - 3 x_c E[y_c² | c] + 2 x_c             (respondents)

    The respondents' reports vary about what each of them holds, by a variance that is linear in the
    shares of all cells and varies with them; often of a few that went to other cells: whole ones.
    """
    flat = true.reshape(-1)
    square, cube = _squares(laws, true), _cubes(laws, true)
    if whose == "population":
        third = (cube - 3 * flat * np.diag(square) + 2 * flat**3) / n**2
        covariances, none = (square - np.outer(flat, flat)) / n, np.zeros(flat.size)
        return MomentLaw(x, float(n - 1), covariances, third, third, 0.0, none)
    matrix = (square - np.diag(flat)) / n
    each = np.ones((1, 1))  # E[y_c² | v]
    for axis, m in enumerate(laws):
        own, other = m.cells(np.array([1.0, 0.0]))
        k = true.shape[axis]
        each = np.kron(each, np.full((k, k), other) + (own + 1 - other) * np.eye(k))
    third = (cube - 3 * flat * np.diag(each) + 2 * flat) / n**2
    along = ((each - np.eye(flat.size)) * matrix).sum(axis=0) / n
    step = 1 / (n * prod(float(m.p - m.q) for m in laws)) if all(m.counted for m in laws) else 0.0
    slopes = rare * ((np.diag(each) - 1) / n - np.diag(matrix))
    return MomentLaw(x, float(n - 1), matrix, third, along, step, slopes)


def as_questions(mechanisms: Any, reports: Any) -> list[FrequencyOracle]:
    """Return the mechanisms of two or three questions, each with reports.

    Raises:
        WrongTypeError, DomainError: not such mechanisms, not as many lists of reports, or columns
            of pandas with different indices.
    """
    remedy = "give two or three mechanisms of categories"
    if not isinstance(mechanisms, Sequence):
        raise WrongTypeError("mechanisms", "must be a list", remedy)
    if not all(isinstance(m, FrequencyOracle) for m in mechanisms):
        raise WrongTypeError("mechanisms", "must each be of one of k categories", remedy)
    if len(mechanisms) not in (2, 3):
        raise DomainError("mechanisms", "must be two or three", got=len(mechanisms))
    if isinstance(reports, str | bytes | Mapping) or not hasattr(reports, "__len__"):
        raise WrongTypeError("reports", "must be a list", "give the reports of each question")
    if len(reports) != len(mechanisms):
        raise DomainError(
            "reports", f"must be of {counted(len(mechanisms), 'question')}", got=len(reports)
        )
    check_rows({f"reports[{at}]": one for at, one in enumerate(reports)})
    return list(mechanisms)


def _sums(own: list[FrequencyOracle], rows: list[npt.NDArray[Any]]) -> tuple[Floats, Floats]:
    """Return the sums over the reports of what they support together, and of what they say."""
    many = np.ones(len(rows[0]))
    if all(part.ndim == 1 for part in rows):  # numbers: alike ones are taken once
        alike, counted = np.unique(np.stack(rows, axis=1), axis=0, return_counts=True)
        rows, many = [np.ascontiguousarray(one) for one in alike.T], counted.astype(np.float64)
    shape = tuple(m.k for m in own)
    pairs, first = np.zeros(shape), np.zeros(shape)
    size = max(1, _NUMBERS // prod(shape[:-1]))
    for start in range(0, len(many), size):
        some = slice(start, start + size)
        held = [supports(m, part[some]) for m, part in zip(own, rows, strict=True)]
        said = [
            (one - float(m.law.q)) / float(m.law.p - m.law.q)
            for m, one in zip(own, held, strict=True)
        ]
        pairs += _product(many[some], held).reshape(shape)
        first += _product(many[some], said).reshape(shape)
    return pairs, first


def _product(many: Floats, each: list[Floats]) -> Floats:
    """Return the sum over the reports of the products of their numbers."""
    out = many[:, None]
    for one in each[:-1]:
        out = (out[:, :, None] * one[:, None, :]).reshape(len(out), -1)
    return out.T @ each[-1]


def _squares(laws: list[SupportLaw], true: Floats) -> Floats:
    """Return (cells, cells) ``E[y_c y_d]`` where the cells have these shares.

    Given the values it is the product over the questions of ``E[a_i a_j | v]``, of which the mean
    over the values of all is taken.
    """
    out = true
    for axis, law in enumerate(laws):
        k = true.shape[axis]
        given = _given(law, k).reshape(k, k * k)
        out = np.moveaxis(np.tensordot(out, given, axes=([axis], [0])), -1, axis)
    out = out.reshape([k for size in true.shape for k in (size, size)])  # i, j of each question
    ahead, behind = range(0, 2 * true.ndim, 2), range(1, 2 * true.ndim, 2)
    return np.transpose(out, (*ahead, *behind)).reshape(true.size, true.size)


def _given(law: SupportLaw, k: int) -> Floats:
    """Return (k, k, k) ``E[a_i a_j | v]`` of what a report says, at [v, i, j]."""
    q, gap = float(law.q), float(law.p - law.q)
    v, i, j = np.indices((k, k, k))
    both = law.pair_probability(i, j, v)
    out = (both - q * q - q * gap * ((i == v) + 1.0 * (j == v))) / gap**2
    own, other = law.cells(np.array([1.0, 0.0]))
    places = np.arange(k)
    out[:, places, places] = other + (own + 1 - other) * np.eye(k)
    return np.asarray(out)


def _cubes(laws: list[SupportLaw], true: Floats) -> Floats:
    """Return (cells,) ``E[y_c³]`` where the cells have these shares."""
    out, ends = true, np.array([1.0, 0.0])
    for axis, law in enumerate(laws):
        own, other = law.third_of_cells(ends, False)
        own += 3 * law.cells(ends)[0] + 1  # the third moment of a number whose mean is 1
        given = other + (own - other) * np.eye(true.shape[axis])
        out = np.moveaxis(np.tensordot(out, given, axes=([axis], [0])), -1, axis)
    return out.reshape(-1)
