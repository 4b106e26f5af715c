"""``Estimate``: shares with standard errors, intervals and the ε that they cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from sudare import frames
from sudare.alignment import as_index
from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError, WrongTypeError, as_one_of, counted
from sudare.estimation.caution import Caution
from sudare.estimation.confidence import (
    check_confidence as check_confidence,
    check_flag,
    normal_quantile as normal_quantile,
    pair_correlation,
)
from sudare.estimation.counts import Counts
from sudare.estimation.quantity import REMEDY, Quantity
from sudare.estimation.spread import Ratio, Spread
from sudare.estimation.weights import as_scores, as_weights
from sudare.exact import as_integer
from sudare.guesses import Guessed

Target = Literal["population", "respondents"]
TARGETS: tuple[Target, ...] = ("population", "respondents")
Kind = Literal["auto", "normal", "score"]
KINDS: tuple[Kind, ...] = ("auto", "normal", "score")


def check_target(target: object) -> Target:
    """Return ``target`` if it is one of the two; DomainError otherwise."""
    return as_one_of(target, "target", TARGETS)


def check_kind(kind: object) -> Kind:
    """Return ``kind`` if it is a kind of interval; DomainError otherwise."""
    return as_one_of(kind, "kind", KINDS)


class Law(Protocol):
    """How the shares of an estimate vary; what standard errors and intervals come from."""

    @property
    def exclusive(self) -> bool:
        """Whether each respondent is in exactly one cell."""
        ...

    @property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        ...

    def at(self, shares: Floats) -> Law:
        """Return the law of as many reports if these were the true shares."""
        ...

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        ...

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how ``Σ weights_i shares_i`` varies; without weights how each share does."""
        ...

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``; ``miss`` is 1 less the confidence."""
        ...


@dataclass(frozen=True, eq=False)
class Estimate(Guessed):
    """Estimated shares of the categories.

    Attributes:
        shares: float64 in the shape of the domain. The unbiased ones may lie below 0 or above 1
            and are not clipped.
        stderr: standard error of each share under ``target``; NaN where no formula is known.
        n: number of reports.
        epsilon: ε that each respondent spent on this answer.
        covers: what that ε covers, in words.
        method: how the shares were computed.
        target: ``"population"`` (the people that the respondents are a random sample of) or
            ``"respondents"`` (these people: only the randomisation varies).
        warnings: sentences that a reader should know, each with a ``code`` and ``cells``
            (:class:`~sudare.estimation.Caution`); empty where all is well.
        labels: what the categories are called, where the mechanism has labels; else None.
    """

    shares: Floats
    stderr: Floats
    n: int
    epsilon: float
    covers: str
    method: str
    target: Target
    warnings: tuple[Caution, ...] = ()
    labels: tuple[str, ...] | None = None
    _law: Law | None = field(default=None, repr=False)
    _made: tuple[Counts, str] | None = field(default=None, repr=False)

    __array_ufunc__ = None  # an array has nothing to subtract from an estimate

    @property
    def counts(self) -> Floats:
        """Estimated number of the ``n`` respondents in each category: ``n * shares``."""
        return self.n * self.shares

    def interval(
        self, confidence: float = 0.95, *, simultaneous: bool = False, kind: Kind = "auto"
    ) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` arrays of intervals for the shares.

        Args:
            confidence: coverage of each interval, or of all at once if ``simultaneous``.
            simultaneous: all categories at once.
            kind: ``"normal"``; ``"score"``, from a test of the report count, inside [0, 1] and
                right for a handful of reports; ``"auto"``, the score interval, however many
                there are.

        Raises:
            WrongTypeError, DomainError: an argument is out of range.
            EstimationError: the method has no known standard errors: use the bootstrap.

        Examples:
            >>> import sudare as sd
            >>> est = sd.GRR(k=3, epsilon=2.0).estimate(sd.Counts((9, 4, 1), 14))
            >>> [side.round(2).tolist() for side in est.interval(0.95)]
            [[0.36, 0.0, 0.0], [1.0, 0.7, 0.34]]
            >>> [side.round(2).tolist() for side in est.interval(0.95, kind="normal")]
            [[0.42, -0.08, -0.29], [1.16, 0.61, 0.19]]
        """
        miss = 1 - check_confidence(confidence)
        together, sort = check_flag(simultaneous, "simultaneous"), check_kind(kind)
        if self._law is None:
            raise EstimationError("stderr", f"is not known for the method {self.method!r}", REMEDY)
        return self._law.interval(miss, sort, together)

    def linear(self, weights: npt.ArrayLike) -> Quantity[float]:
        """Return ``Σ weights_i shares_i`` with its standard error.

        Args:
            weights: one number a category, in the shape of the shares; or a dict or pandas
                Series, by label.

        Raises:
            WrongTypeError, DomainError: not finite numbers of that shape.

        Examples:
            >>> import sudare as sd
            >>> est = sd.GRR(k=3, epsilon=2.0).estimate(sd.Counts((600, 250, 150), 1000))
            >>> at_least_one = est.linear([0, 1, 1])
            >>> round(at_least_one.value, 3), round(at_least_one.stderr, 3)
            (0.275, 0.023)
        """
        return self._linear(as_weights(weights, self.shares.shape, labels=self.labels))

    def difference(
        self, i: int | str | Sequence[int], j: int | str | Sequence[int]
    ) -> Quantity[float]:
        """Return ``shares[i] - shares[j]`` with the standard error of the difference.

        Args:
            i: a category, by its label or its index (where a label reads as a number, a number
                is the label that it is written like); of several attributes a category of each, or
                the cell's flat index.
            j: likewise.

        Raises:
            WrongTypeError, DomainError: no category of the shares.

        Examples:
            >>> import sudare as sd
            >>> m = sd.JointRR([2, 2], epsilon=[3.0, 3.0])
            >>> est = m.estimate(sd.Counts([[400, 100], [200, 300]], 1000))
            >>> round(est.difference((0, 0), (1, 1)).value, 3)
            0.11
        """
        weights = np.zeros(self.shares.size)
        weights[self._cell(i, "i")] += 1
        weights[self._cell(j, "j")] -= 1
        return self._linear(weights.reshape(self.shares.shape))

    def _cell(self, place: object, argument: str) -> int:
        """Return the flat index of a cell that is named by it, or by a category of each axis."""
        shape = self.shares.shape
        place = as_index(place, self.labels, argument)
        if not isinstance(place, list | tuple):
            return as_integer(place, argument, low=0, high=self.shares.size - 1)
        if len(place) != len(shape):
            raise DomainError(
                argument, f"must name {counted(len(shape), 'category')}", got=len(place)
            )
        out = 0
        for one, size in zip(place, shape, strict=True):
            out = out * size + as_integer(one, argument, low=0, high=size - 1)
        return out

    def mean(self, scores: npt.ArrayLike) -> Quantity[float]:
        """Return the mean score: an ordinal scale's mean, with its standard error.

        ::

            mean = c + Σ (s_i - c) x_i / A,     A = 1 - Σ shares of categories without a score

        with c the average of the scores, which makes the mean of ``scores + 1`` 1 more even where
        the shares do not add up to 1 (unary encodings); where they do (GRR) it is
        ``Σ s_i x_i / Σ x_i`` over the scored categories. The standard error of the ratio is by
        the delta method; without a missing score A = 1 and it is exact.

        Args:
            scores: one number a category, as of :meth:`linear`; NaN or None for those that do not
                count, such as "prefer not to say": the mean is then over those who answered.

        Raises:
            WrongTypeError, DomainError: not numbers of that shape, or no score at all.
            EstimationError: the estimated share of the scored categories is not above 0, or
                a person may be in several categories.

        Examples:
            >>> import sudare as sd
            >>> est = sd.GRR(k=4, epsilon=2.0).estimate(sd.Counts((300, 400, 200, 100), 1000))
            >>> answered = est.mean([1, 2, 3, None])
            >>> round(answered.value, 2), round(answered.stderr, 2)
            (1.84, 0.04)
        """
        if self._law is not None and not self._law.exclusive:
            raise EstimationError("scores", "need categories of which each person has one")
        values, counted = as_scores(scores, self.shares.shape, self.labels)
        answered = 1.0 - float(self.shares[~counted].sum())
        if not answered > 0:
            raise EstimationError(
                "scores", "must belong to a share of people above 0", "collect more reports"
            )
        center = float(values[counted].mean())
        about = np.where(counted, values - center, 0.0)
        beyond = float((about * self.shares).sum()) / answered
        stderr = self._stderr(np.where(counted, about, beyond) / answered)
        if self._law is None:
            return Quantity(center + beyond, stderr)
        ends = float(about[counted].min()), float(about[counted].max())
        ratio = Ratio(self._law.spread, self.shares, about, ~counted, center, ends)
        return Quantity(center + beyond, stderr, _bounds=ratio)

    def __sub__(self, other: Estimate) -> Quantity[Floats]:
        """Return the differences of two groups' shares, category by category.

        The groups share no respondent. Both estimates have one domain, target and method; the
        mechanisms and their ε may differ.

        Raises:
            WrongTypeError: the other is not an estimate.
            EstimationError: the estimates do not fit.

        Examples:
            >>> import sudare as sd
            >>> m = sd.GRR(k=2, epsilon=1.0)
            >>> here = m.estimate(sd.Counts((60, 40), 100))
            >>> there = m.estimate(sd.Counts((50, 50), 100))
            >>> (here - there).value.round(3).tolist()
            [0.216, -0.216]
        """
        if not isinstance(other, Estimate):
            raise WrongTypeError("other", "must be an Estimate", "estimate the other group too")
        check_alike(self, other)
        stderr = np.hypot(self.stderr, other.stderr)
        mine, theirs = self._law, other._law
        if mine is None or theirs is None:
            return Quantity(self.shares - other.shares, stderr)
        pair = pair_correlation(lambda w: mine.variance(w) + theirs.variance(w), stderr)
        both = mine.spread() + theirs.spread().scaled(-1)
        return Quantity(self.shares - other.shares, stderr, pair, both)

    def to_frame(self, library: str = "pandas", *, confidence: float = 0.95) -> Any:
        """Return a data frame (``"pandas"``, ``"polars"`` or ``"pyarrow"``), a row a category.

        Of several attributes a row is a cell: ``attribute_0``, ``attribute_1``, ... hold its
        category of each, ``category`` its row-major index. Where there are labels, ``label`` is
        that of the category.

        Examples:
            >>> import sudare as sd
            >>> est = sd.GRR(["tea", "coffee"], 2.0).estimate(sd.Counts((6, 4), 10))
            >>> est.to_frame("pandas")["label"].tolist()
            ['tea', 'coffee']
        """
        check_confidence(confidence)
        unknown = np.full_like(self.shares, np.nan)
        low, high = (unknown, unknown) if self._law is None else self.interval(confidence)
        return frames.build(
            {
                "category": np.arange(self.shares.size),
                **({} if self.labels is None else {"label": list(self.labels)}),
                **self._attributes(),
                "share": self.shares.ravel(),
                "count": self.counts.ravel(),
                "stderr": self.stderr.ravel(),
                "low": low.ravel(),
                "high": high.ravel(),
            },
            library,
        )

    def plot(
        self,
        ax: Any = None,
        *,
        confidence: float = 0.95,
        true_shares: npt.ArrayLike | None = None,
    ) -> Any:
        """Draw the shares with their intervals, a place a category.

        Args:
            ax: axes of matplotlib; None for those of a new figure.
            confidence: of the intervals.
            true_shares: bars behind the estimates, as weights of :meth:`linear`.

        Returns:
            The axes.

        Raises:
            MissingExtraError: matplotlib is not installed.
            WrongTypeError, DomainError: no axes, no confidence, or other true shares.
        """
        from sudare import fonts, plots  # asked for by few

        check_confidence(confidence)
        known = (
            None
            if true_shares is None
            else as_weights(true_shares, self.shares.shape, "true_shares", self.labels)
        )
        axes = plots.axes_for(ax, self.shares.size)
        plots.draw_shares(axes, self._names(), self, known, confidence=confidence)
        fonts.fit_given(axes)
        return axes

    def _repr_html_(self) -> str:
        """Return a table for notebooks: 95 % intervals, the first 60 categories."""
        from sudare.estimation import notebook_view

        return notebook_view.html(self)

    def to_json(self) -> str:
        """Return the estimate as JSON text: its numbers, and the counts that it was made of.

        Examples:
            >>> import sudare as sd
            >>> est = sd.GRR(["tea", "coffee"], 2.0).estimate(sd.Counts((6, 4), 10))
            >>> again = sd.Estimate.from_json(est.to_json())
            >>> again.labels, bool((again.interval()[0] == est.interval()[0]).all())
            (('tea', 'coffee'), True)
        """
        from sudare.estimation import stored  # asked for by few

        return stored.write(self)

    @classmethod
    def from_json(cls, text: str) -> Estimate:
        """Rebuild an estimate from :meth:`to_json`.

        What a frequency oracle estimated is estimated again from its counts, and is the same in
        all it says. Of others (several attributes, combined, bootstrapped, weighted) JSON keeps
        shares and standard errors: intervals are then normal ones, and differences are not known.

        Raises:
            ReportError: the text is not an estimate of this format.
        """
        from sudare.estimation import stored

        return stored.read(text)

    def _names(self) -> list[str]:
        """Return what each cell is called."""
        if self.labels is not None:
            return list(self.labels)
        if self.shares.ndim < 2:
            return [str(i) for i in range(self.shares.size)]
        return [str(one) for one in np.ndindex(self.shares.shape)]

    def _attributes(self) -> dict[str, npt.NDArray[np.intp]]:
        shape = self.shares.shape
        if len(shape) < 2:
            return {}
        places = np.unravel_index(np.arange(self.shares.size), shape)
        return {f"attribute_{axis}": codes for axis, codes in enumerate(places)}

    def _linear(self, weights: Floats) -> Quantity[float]:
        bounds = None if self._law is None else self._law.spread(weights)
        value = float((weights * self.shares).sum())
        return Quantity(value, self._stderr(weights), _bounds=bounds)

    def _stderr(self, weights: Floats) -> float:
        if self._law is None:
            return math.nan
        return math.sqrt(max(0.0, self._law.variance(weights)))


def check_alike(one: Estimate, other: Estimate) -> None:
    """Raise EstimationError unless the shares of both mean the same place by place."""
    for name, ours, others in (
        ("shape", one.shares.shape, other.shares.shape),
        ("target", one.target, other.target),
        ("method", one.method, other.method),
        ("labels", one.labels, other.labels),
    ):
        if ours != others:
            remedy = "estimate both alike"
            raise EstimationError(f"estimates' {name}", "must agree", remedy, got=others)
