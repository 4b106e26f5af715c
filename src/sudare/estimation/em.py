"""Maximum likelihood through a channel: EM, its acceleration, and when to stop.

The log-likelihood of value shares x is ``Σ_r c_r log (M x)_r``: concave, so that its gradient
bounds how far below the maximum a point can be::

    max l - l(x) <= n (max_v g_v - 1),   g = M^T ( c / (n M x) )

One *map* is one EM step ``x_v g_v``: one apply and one adjoint of the channel.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, dot
from sudare.channels import Channel
from sudare.errors import EstimationError
from sudare.estimation.memory import keep_freed
from sudare.estimation.newton import LARGEST, newton
from sudare.exact.entropy import Entropy, Randomness, as_entropy

Progress: TypeAlias = Callable[[int, float], object]

_FLOOR = 1e-3
FEWEST_LEFT_OUT = 100
"""Reports of which one in ten can be left out."""

_HELD_OUT = 0.1
_ERRORS = 2.0
_GROWTH = 1.25
_PATIENCE = 6
_STALL = 500
_FACTOR = 4.0
_LEAST_GAIN = 0.01
_PATIENT, _EVERY = 2.0, 1.0  # seconds

CERTAIN = 1e-3
"""Nats below the maximum at which a search ends."""


@dataclass(frozen=True)
class Fit:
    """Shares found by maximising the likelihood, and how far they are from the maximum.

    Attributes:
        shares: in the shape of the start; none below 0, sum 1.
        log_likelihood: ``Σ c log(M x)`` in nats.
        gap: at most this many nats below the maximum.
        maps: EM maps taken.
        rule: what ended the search, in words.
    """

    shares: Floats
    log_likelihood: float
    gap: float
    maps: int
    rule: str


@dataclass
class Seldom:
    """Progress of a long search alone: told of nothing for two seconds, then about once a second.

    The log-likelihood takes as long as half a map, and is worked out only where it is told.
    """

    tell: Progress
    _next: float = field(default_factory=lambda: time.monotonic() + _PATIENT)

    def due(self) -> bool:
        """Whether it is time to tell."""
        return time.monotonic() >= self._next

    def __call__(self, maps: int, log_likelihood: float) -> None:
        """Tell, and not again for a second."""
        self.tell(maps, log_likelihood)
        self._next = time.monotonic() + _EVERY


@dataclass(frozen=True)
class Step:
    """One EM map: of x to ``mapped``; what is known of x is worked out when it is asked for.

    Attributes:
        target: the likelihood.
        reported: M x.
        mapped: x g.
        steepest: the largest g_v.
    """

    target: Likelihood
    reported: Floats
    mapped: Floats
    steepest: float

    @cached_property
    def log_likelihood(self) -> float:
        """Of x."""
        return self.target.at_reports(self.reported)

    @property
    def gap(self) -> float:
        """x is at most that far below the maximum, in nats."""
        if not self.target.allows(self.reported):
            return math.inf
        return max(0.0, self.target.n * (self.steepest - 1))

    def is_above(self, other: Step) -> bool:
        """Whether the log-likelihood of x is at least that of another: one logarithm a report."""
        if self.reported.min() > 0 and other.reported.min() > 0:
            return self.target.at_reports(self.reported / other.reported) >= 0
        return self.log_likelihood >= other.log_likelihood

    def told(self, progress: Progress | None) -> None:
        """Tell how many maps were taken, and the log-likelihood."""
        if progress is not None and (not isinstance(progress, Seldom) or progress.due()):
            progress(self.target.maps, self.log_likelihood)


class Likelihood:
    """The log-likelihood of counts under a channel; counts its maps.

    Values that are not ``inside`` hold no share: they are left out of the distance to the maximum.
    """

    def __init__(
        self,
        channel: Channel,
        counts: npt.NDArray[np.int64],
        inside: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        self.n = int(counts.sum())
        if self.n < 1:
            raise EstimationError("counts", "must hold at least one report", "collect some first")
        keep_freed(counts.nbytes)
        self._channel = channel
        self._shares = counts / self.n
        self._seen = np.flatnonzero(counts)
        self._weights = counts.reshape(-1)[self._seen].astype(np.float64)
        self._inside = None if inside is None or inside.all() else inside
        self.maps = 0

    @property
    def is_small(self) -> bool:
        """Whether Newton steps are possible: SciPy, and a channel that can be written out."""
        outputs, inputs = self._channel.shape
        return outputs * inputs <= LARGEST and find_spec("scipy") is not None

    @property
    def law(self) -> Floats:
        """The channel, written out."""
        return self._channel.dense()

    @property
    def shares(self) -> Floats:
        """The shares of the reports."""
        return self._shares.reshape(-1)

    def _of_seen(self, y: Floats) -> Floats:
        flat = y.reshape(-1)
        return flat if self._seen.size == flat.size else flat[self._seen]

    def allows(self, y: Floats) -> bool:
        """Whether report shares exclude none of the reports."""
        return bool(y.min() > 0 or self._of_seen(y).min() > 0)

    def at_reports(self, y: Floats) -> float:
        """Return the log-likelihood of report shares; minus infinity where they exclude one."""
        if not self.allows(y):
            return -math.inf
        return dot(self._weights, np.log(self._of_seen(y)))

    def step(self, x: Floats) -> Step:
        """Return the EM map of x."""
        self.maps += 1
        y = self._channel.apply(x)
        if y.min() > 0:
            ratio = self._shares / y
        else:
            possible = (self._shares > 0) & (y > 0)
            ratio = np.divide(self._shares, y, out=np.zeros_like(y), where=possible)
        gradient = self._channel.adjoint(ratio)
        steepest = gradient.max() if self._inside is None else gradient[self._inside].max()
        gradient *= x
        return Step(self, y, gradient, float(steepest))


def em(
    channel: Channel,
    counts: npt.NDArray[np.int64],
    start: Floats,
    *,
    maps: int,
    progress: Progress | None = None,
) -> Fit:
    """Take a number of EM maps: the iterative Bayesian update.

    Args:
        channel: of the mechanism; acts on arrays shaped like ``counts`` and ``start``.
        counts: reports of each kind, whole numbers.
        start: positive shares, sum 1.
        maps: how many.
        progress: called with the maps taken and the log-likelihood.

    Raises:
        EstimationError: no reports.

    Source: Dempster, Laird, Rubin 1977; Agrawal, Srikant, Thomas 2005 (iterative Bayesian
    update).

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=3, epsilon=2.0)
        >>> em(m.channel, np.array([3, 2, 5]), np.full(3, 1 / 3), maps=500).shares.round(4).tolist()
        [0.2843, 0.1374, 0.5783]
    """
    target = Likelihood(channel, counts)
    x = start
    for _ in range(maps):
        step = target.step(x)
        step.told(progress)
        x = step.mapped
    last = target.step(x)
    return Fit(x, last.log_likelihood, last.gap, maps, f"{maps} EM maps")


def maximise(
    channel: Channel,
    counts: npt.NDArray[np.int64],
    start: Floats,
    *,
    gap: float = CERTAIN,
    most_maps: int = 20_000,
    progress: Progress | None = None,
) -> Fit:
    """Maximise the likelihood by EM maps accelerated three at a time (SQUAREM).

    With ``r = x1 - x0`` and ``v = x2 - x1 - r`` the next point is the map of
    ``x0 - 2 a r + a^2 v``, ``a = -|r| / |v|``; where that is not above 0, a thousandth of x2
    stands in. It is taken only if its likelihood is at least that of x1, so that the likelihood
    never falls. |a| has a bound: a quarter of a step that was not taken, and four times as much
    after one that reached it and was.

    Args:
        channel: of the mechanism.
        counts: reports of each kind.
        start: shares, sum 1; what starts at 0 stays there.
        gap: nats below the maximum at which to stop, or where 500 maps gain less than
            0.01 nats: then Newton steps follow where the channel has at most 2**18 entries, and
            elsewhere the certificate is loose. The result says what is certain.
        most_maps: stop after as many at most (one is always taken).
        progress: called with the maps taken and the log-likelihood.

    Raises:
        EstimationError: no reports.

    Source: Varadhan, Roland 2008, scheme S3; the guards are ours.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=3, epsilon=2.0)
        >>> maximise(m.channel, np.array([0, 2, 8]), np.full(3, 1 / 3)).gap < 1e-3
        True
    """
    target = Likelihood(channel, counts, start > 0)
    x0 = start
    mark, before_mark, longest = _STALL, -math.inf, math.inf
    while True:
        first = target.step(x0)
        first.told(progress)
        distance, stalled = first.gap, False
        if target.maps >= mark:
            stalled = first.log_likelihood - before_mark < _LEAST_GAIN
            mark, before_mark = target.maps + _STALL, first.log_likelihood
        if stalled and distance > gap and target.is_small:
            return _polished(target, x0, gap, start > 0)
        if distance <= gap or stalled or target.maps + 4 > most_maps:
            rule = f"{target.maps} EM maps, accelerated; at most {distance:.2g} nats to the maximum"
            return Fit(x0, first.log_likelihood, distance, target.maps, rule)
        second = target.step(first.mapped)
        there, length = _extrapolate(x0, first.mapped, second.mapped, longest)
        far = target.step(there)
        if far.is_above(second):
            x0, longest = far.mapped, longest * (_FACTOR if length == longest else 1)
        else:
            x0, longest = target.step(second.mapped).mapped, max(1.0, length / _FACTOR)


def _polished(target: Likelihood, x: Floats, gap: float, inside: npt.NDArray[np.bool_]) -> Fit:
    """Return where Newton steps end from x: EM creeps where the maximum lies on a border."""
    shares = np.zeros_like(x)
    law = target.law[:, inside.reshape(-1)]
    shares[inside] = newton(law, target.shares, x[inside], gap / target.n)
    last = target.step(shares)
    rule = f"{target.maps} EM maps and Newton steps; at most {last.gap:.2g} nats to the maximum"
    return Fit(shares, last.log_likelihood, last.gap, target.maps, rule)


def _extrapolate(x0: Floats, x1: Floats, x2: Floats, longest: float) -> tuple[Floats, float]:
    """Return the point that a step of three maps leads to, and the length of the step."""
    far: Floats = x1 - x0  # r
    bent = x2 - x1
    bent -= far  # v
    bend = dot(bent, bent)
    if bend == 0:
        return x2, 1.0
    a = min(longest, max(1.0, math.sqrt(dot(far, far) / bend)))
    far *= 2 * a
    far += x0
    bent *= a * a
    far += bent
    np.maximum(far, np.multiply(x2, _FLOOR, out=bent), out=far)
    far /= far.sum()
    return far, a


def stop_early(
    channel: Channel,
    counts: npt.NDArray[np.int64],
    start: Callable[[npt.NDArray[np.int64]], Floats],
    *,
    rng: Randomness = None,
    most_maps: int = 1_000,
    progress: Progress | None = None,
) -> Fit:
    """Take EM maps for as long as reports that were left out are predicted better.

    One report in ten is left out by a draw. The rest is fitted, and the number of maps that
    predicts those left out best is taken for all reports. With many cells the converged maximum
    fits the noise. Where the best prediction is not better than that of the start by two
    standard errors (compared report by report), nothing speaks against the start, and it stays.

    Args:
        channel: of the mechanism.
        counts: reports of each kind, whole numbers.
        start: makes positive starting shares from counts.
        rng: who is left out; default a fixed stream, so that the same counts give the same
            estimate.
        most_maps: look no further.
        progress: called with the maps taken and the log-likelihood.

    Raises:
        EstimationError: fewer than 100 reports.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=3, epsilon=2.0)
        >>> fit = stop_early(m.channel, np.array([300, 200, 500]), lambda c: np.full(3, 1 / 3))
        >>> fit.rule
        '... EM maps, by the likelihood of one report in ten left out'
    """
    if counts.sum() < FEWEST_LEFT_OUT:
        raise EstimationError(
            "counts", f"must hold at least {FEWEST_LEFT_OUT} reports", "use another method"
        )
    generator = as_entropy(
        Entropy.seeded(b"sudare: reports left out") if rng is None else rng
    ).generator()
    left_out = generator.binomial(counts, _HELD_OUT)
    maps = _best_maps(channel, counts - left_out, left_out, start, most_maps, progress)
    fit = em(channel, counts, start(counts), maps=maps, progress=progress)
    rule = f"{maps} EM maps, by the likelihood of one report in ten left out"
    return Fit(fit.shares, fit.log_likelihood, fit.gap, maps, rule)


def _best_maps(
    channel: Channel,
    fitted: npt.NDArray[np.int64],
    left_out: npt.NDArray[np.int64],
    start: Callable[[npt.NDArray[np.int64]], Floats],
    most_maps: int,
    progress: Progress | None,
) -> int:
    target = Likelihood(channel, fitted)
    seen = left_out > 0
    weights = left_out[seen].astype(np.float64)
    if not weights.size:
        return 0
    x = start(fitted)
    tried: list[int] = []
    predictions: list[Floats] = []
    values: list[float] = []
    best, maps = 0, 0
    while len(tried) - 1 - best < _PATIENCE and maps <= most_maps:
        while target.maps < maps:
            step = target.step(x)
            step.told(progress)
            x = step.mapped
        tried.append(maps)
        predictions.append(np.log(channel.apply(x)[seen]))
        values.append(dot(weights, predictions[-1]))
        best = int(np.argmax(values))
        maps = max(maps + 1, int(maps * _GROWTH))
    better = predictions[best] - predictions[0]
    total = dot(weights, better)
    spread = dot(weights, (better - total / weights.sum()) ** 2)
    return tried[best] if total > _ERRORS * math.sqrt(spread) else 0
