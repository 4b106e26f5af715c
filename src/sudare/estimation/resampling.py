"""The bootstrap on the channel: standard errors of estimators that have no formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, is_masked
from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.estimation.caution import NO_STDERR, biased
from sudare.estimation.confidence import cell_miss, two_sided
from sudare.estimation.counts import Counts
from sudare.estimation.estimate import Estimate, Kind, Target, check_target
from sudare.estimation.simplex import largest_remainders, project
from sudare.estimation.spread import Spread
from sudare.exact import as_integer
from sudare.exact.entropy import Randomness, as_entropy

_MOST_NUMBERS = 1 << 27  # a gigabyte of replicates
_BATCH = 1 << 18  # shares that are drawn and estimated at once


@runtime_checkable
class Simulated(Protocol):
    """What the bootstrap needs of a mechanism."""

    def estimate(self, counts: Counts, method: str = ..., target: Target = ...) -> Any:
        """Estimate shares."""

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Randomness = None) -> Counts:
        """Draw the counts of respondents with these true counts."""


@runtime_checkable
class InBatches(Protocol):
    """A mechanism that simulates and estimates many collections at once."""

    def replicates(
        self, truth: npt.NDArray[np.int64], method: str, *, rng: Randomness = None
    ) -> Floats:
        """Return the shares that a method estimates of collections drawn anew, a line each."""


Method = Callable[[Any, Counts], npt.ArrayLike]


@dataclass(frozen=True, eq=False)
class Replicates:
    """The law of an estimate as a sample: (repetitions, ...) values and the estimate itself."""

    exclusive: ClassVar[bool] = True
    values: Floats
    center: Floats

    def at(self, shares: Floats) -> Replicates:
        """Return itself: a sample knows no other shares than its own."""
        return self

    @property
    def stderr(self) -> Floats:
        """Standard deviation of the replicates."""
        return np.asarray(self.values.std(axis=0, ddof=1))

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i values_i`` over the replicates."""
        flat = self.values.reshape(len(self.values), -1)
        return float((flat @ weights.ravel()).var(ddof=1))

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return a normal spread: the replicates are the law."""
        variance = self.stderr**2 if weights is None else self.variance(weights)
        return Spread.normal(variance)

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return the replicates' percentiles, or a normal interval.

        All at once: the same number of replicates is cut off at both ends of every cell, as many
        as leave the wanted part of the replicates with no cell cut off.
        """
        if kind == "score":
            raise EstimationError("kind", "must not be score for a bootstrap", "try auto", got=kind)
        if kind == "normal":
            shared = cell_miss(miss, max(3, self.center.size)) if simultaneous else miss
            half = two_sided(shared) * self.stderr
            return self.center - half, self.center + half
        if not simultaneous:
            ends = [miss / 2, 1 - miss / 2]  # of (repetitions + 1): the others lie too far in
            low, high = np.quantile(self.values, ends, axis=0, method="weibull")
            return low, high
        runs = len(self.values)
        ranks = self.values.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
        depth = np.minimum(ranks, runs - 1 - ranks).reshape(runs, -1).min(axis=1)
        cut = int(np.quantile(depth, miss, method="lower"))
        ordered = np.sort(self.values, axis=0)
        return ordered[cut], ordered[runs - 1 - cut]


def bootstrap(
    mechanism: Simulated,
    counts: Counts,
    method: str | Method | None = None,
    target: Target = "population",
    repetitions: int = 1000,
    rng: Randomness = None,
) -> Estimate:
    """Estimate, and find the standard errors by simulating the whole collection again.

    Parametric: the estimated shares (on the simplex) stand for the true ones. For the population
    each repetition draws the respondents' values from them (multinomial), for the respondents
    they stay fixed; the mechanism randomises; the method estimates. The replicates' standard
    deviation is ``stderr``, their percentiles are the intervals. (Raw shares off the simplex: the
    percentiles are moved by as much as the shares were.)

    Args:
        mechanism: the one that made the counts.
        counts: tally of the reports.
        method: the name of a method of ``mechanism.estimate``, or a function
            ``f(mechanism, counts)`` that returns an array of finite numbers; by default
            ``"projected"``, or the first of the mechanism's methods where that is none of them or
            does not fit the counts.
        target: ``"population"`` or ``"respondents"``.
        repetitions: 2 or more; 1000 give a standard error within 5 %.
        rng: a seed, NumPy generator or Entropy to repeat the result; else the system's.

    Returns:
        An estimate with the method named ``"mle, bootstrap"``. It bears a caution unless the
        method is ``"unbiased"``: percentiles know nothing of a bias.

    Raises:
        WrongTypeError, DomainError: an argument is out of range; the mechanism does not estimate
            the shares of one distribution, or cannot be drawn from true counts of it.
        EstimationError: the method does not fit the counts, or returns no finite numbers.

    Source: Efron and Tibshirani 1993, chapters 6 and 13.

    Examples:
        >>> import sudare as sd
        >>> m, counts = sd.GRR(k=3, epsilon=2.0), sd.Counts((600, 250, 150), 1000)
        >>> est = sd.bootstrap(m, counts, "mle", rng=sd.Entropy.seeded(b"demo"))
        >>> est.method, est.shares.round(3).tolist(), est.stderr.round(2).tolist()
        ('mle, bootstrap', [0.725, 0.211, 0.064], [0.02, 0.02, 0.02])
    """
    if isinstance(mechanism, type) or not hasattr(mechanism, "estimate"):
        raise WrongTypeError(
            "mechanism", "must be a mechanism", "give the one that made the counts"
        )
    if not isinstance(mechanism, Simulated):
        raise _not_drawn()
    runs = as_integer(repetitions, "repetitions", low=2, high=10**7)
    sampled, entropy = check_target(target) == "population", as_entropy(rng)
    start, method = _start(mechanism, counts, method, target)
    name, compute = _method(method)
    if not isinstance(start, Estimate):
        remedy = "its estimates have standard errors: see mechanism.estimate(counts)"
        raise WrongTypeError("mechanism", "must estimate the shares of one distribution", remedy)
    if start._law is not None and not start._law.exclusive:
        raise EstimationError(
            "mechanism",
            "must be one of categories of which each person has one",
            'its shares have exact standard errors: estimate with method="unbiased"',
        )
    center = compute(mechanism, counts)
    if runs * max(center.size, start.shares.size) > _MOST_NUMBERS:
        raise DomainError("repetitions", "are too many for so many categories", got=runs)
    shares = project(start.shares.ravel()).reshape(start.shares.shape)
    truths = _Truths(shares, counts.n, sampled, entropy.generator())
    values = np.empty((runs, *center.shape))
    if isinstance(method, str) and isinstance(mechanism, InBatches):
        step = max(1, _BATCH // shares.size)
        for first in range(0, runs, step):
            batch = values[first : first + step]
            batch[:] = mechanism.replicates(truths.draw(len(batch)), method, rng=entropy)
    else:
        for run in range(runs):
            try:
                drawn = mechanism.simulate(truths.draw(1)[0], rng=entropy)
            except (WrongTypeError, DomainError) as error:
                raise _not_drawn() if error.argument == "true_counts" else error from None
            value = compute(mechanism, drawn)
            if value.shape != center.shape:
                raise EstimationError("method", "must return arrays of one shape", "see the counts")
            values[run] = value
    if isinstance(method, str):
        values += center - shares  # as far from the estimate as they are from their own truth
    law = Replicates(values, center)
    cautions = [one for one in start.warnings if one.code != NO_STDERR]
    if name != "unbiased":
        cautions.append(biased(name))
    return Estimate(
        shares=center,
        stderr=law.stderr,
        n=counts.n,
        epsilon=start.epsilon,
        covers=start.covers,
        method=f"{name}, bootstrap",
        target=target,
        warnings=tuple(cautions),
        labels=start.labels if center.shape == start.shares.shape else None,
        _law=law,
    )


def _start(mechanism: Simulated, counts: Counts, method: object, target: Target) -> tuple[Any, Any]:
    """Return the estimate that stands for the truth, and the method that is asked for."""
    if method is not None:
        named = method if isinstance(method, str) else "unbiased"
        return mechanism.estimate(counts, named, target), method
    known: tuple[str, ...] = getattr(mechanism, "methods", ("projected",))
    first = [one for one in known if one == "projected"]
    usual = [*first, *(one for one in known if one not in first)]
    for one in usual[:-1]:
        try:
            return mechanism.estimate(counts, one, target), one
        except EstimationError as error:
            if error.argument != "method":
                raise
    return mechanism.estimate(counts, usual[-1], target), usual[-1]


def _not_drawn() -> WrongTypeError:
    rule = "must draw the counts of a collection from the true counts of one distribution"
    remedy = "its estimates have standard errors: see mechanism.estimate(counts)"
    return WrongTypeError("mechanism", rule, remedy)


@dataclass(frozen=True)
class _Truths:
    """What the respondents hold in each repetition: drawn from the shares, or as near to them as
    whole numbers are."""

    shares: Floats
    n: int
    sampled: bool
    generator: np.random.Generator

    def draw(self, many: int) -> npt.NDArray[np.int64]:
        """Return (many, ...) true counts."""
        shape = (many, *self.shares.shape)
        if self.sampled:
            flat = self.generator.multinomial(self.n, self.shares.ravel(), size=many)
            return flat.reshape(shape)
        return np.broadcast_to(largest_remainders(self.n * self.shares, self.n), shape)


def _method(method: object) -> tuple[str, Callable[[Any, Counts], Floats]]:
    """Return a method's name, and the function from counts to finite numbers."""
    if isinstance(method, str):
        return method, lambda mechanism, counts: mechanism.estimate(counts, method).shares
    if not callable(method):
        raise WrongTypeError("method", "must be a name or a function", "see estimate", got=method)

    def compute(mechanism: Any, counts: Counts) -> Floats:
        try:
            returned = method(mechanism, counts)
            array = np.asarray(None if is_masked(returned) else returned)
        except ValueError as error:
            if isinstance(error, EstimationError | DomainError):
                raise
            array = np.empty(0, dtype=object)
        if array.dtype.kind not in "iuf" or array.size == 0 or not np.isfinite(array).all():
            raise EstimationError(
                "method", "must return an array of finite numbers", "check f(mechanism, counts)"
            )
        return array.astype(np.float64)

    return getattr(method, "__name__", type(method).__name__), compute
