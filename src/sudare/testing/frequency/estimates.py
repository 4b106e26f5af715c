"""Exact checks of estimates from few and many reports: shares, methods, intervals."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation import Counts, clip_and_normalise, project, score
from sudare.estimation.caution import FEW
from sudare.estimation.confidence import two_sided
from sudare.estimation.estimate import TARGETS
from sudare.estimation.likelihood import single_support_mle
from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core.look import mixed
from sudare.testing.frequency.accuracy import close, variance_of_one
from sudare.testing.suite import demand

_FEW = (1, 14, 900)  # reports
_TIMES = 1 << 20  # most copies of the last of them: an estimate is the same from each
_CONFIDENCES = (0.95, 0.999)


def estimates_at_every_n(m: FrequencyOracle, rng: Entropy) -> None:
    """Shares are ``(support / n - q) / (p - q)``, standard errors those of the plausible ones."""
    for counts in _tallies(m, rng):
        raw = _raw(m, counts)
        for target in TARGETS:
            estimate = m.estimate(counts, target=target)
            demand(_same(m, estimate.shares, raw), "must estimate by (support / n - q) / (p - q)")
            variance = variance_of_one(m, raw.clip(0, 1), target) / counts.n
            demand(
                close(estimate.stderr**2, variance),
                f"must state the standard errors of few and many reports for the {target}",
            )


def estimates_by_each_method(m: FrequencyOracle, rng: Entropy) -> None:
    """The other methods are those of their names, from the same counts."""
    for counts in _tallies(m, rng):
        raw = _raw(m, counts)
        expected = {"projected": project(raw), "clipped": clip_and_normalise(raw)}
        if m.law.single:
            p, q = (float(x) for x in m.support_probabilities)
            expected["mle"] = single_support_mle(counts.support, p, q)
        for method, shares in expected.items():
            estimate = m.estimate(counts, method)
            demand(_same(m, estimate.shares, shares), f"must estimate as {method!r} says")
            demand(
                (estimate.n, estimate.method) == (counts.n, method),
                f"must put n and the method into the estimate of {method!r}",
            )
            demand(
                bool(np.isnan(estimate.stderr).all()),
                f"must not state standard errors for {method!r}: no formula is known",
            )


def states_its_intervals(m: FrequencyOracle, rng: Entropy) -> None:
    """Intervals are the normal ones, or those of the test of the count; ``auto`` is one of them."""
    p, q = (float(x) for x in m.support_probabilities)
    for counts, confidence in zip(_tallies(m, rng), cycle(_CONFIDENCES), strict=False):
        raw, miss = _raw(m, counts), 1 - confidence
        expected = q + (p - q) * raw.clip(0, 1)
        few = counts.n * np.minimum(expected, 1 - expected) < FEW * (1 - 1e-9)
        for target in TARGETS:
            interval = m.estimate(counts, target=target).interval
            deviation = np.sqrt(variance_of_one(m, raw.clip(0, 1), target) / counts.n)
            normal = raw + np.outer((-1, 1), two_sided(miss) * deviation)
            shown = np.stack(interval(confidence, kind="normal"))
            demand(_same(m, shown, normal), "must state normal intervals of z standard errors")
            sampled = target == "population"
            tested = np.stack(score.limits(counts.support, counts.n, p, q, miss, sampled=sampled))
            shown = np.stack(interval(confidence, kind="score"))
            demand(_same(m, shown, tested), "must state the intervals of the score test")
            shown = np.stack(interval(confidence))
            demand(
                bool((_equal(m, shown, tested) | _equal(m, shown, normal) & ~few).all()),
                "must state score intervals for few reports, else score or normal ones",
            )
            if m.k > 2:
                normal = raw + np.outer((-1, 1), two_sided(miss / m.k) * deviation)
                shown = np.stack(interval(confidence, kind="normal", simultaneous=True))
                demand(
                    _same(m, shown, normal),
                    "must share the chance of a miss among simultaneous intervals",
                )


def _tallies(m: FrequencyOracle, rng: Entropy) -> Iterator[Counts]:
    """Yield the counts of few reports, and of many copies of them."""
    reports = m.perturb(mixed(m.k, _FEW[-1], rng), rng=rng)
    for n in _FEW:
        counts = m.aggregate(reports[:n])
        yield counts
    times = int(rng.generator().integers(2, _TIMES))
    for factor in (32, times):
        yield Counts(counts.support * factor, counts.n * factor, counts.mechanism)


def _raw(m: FrequencyOracle, counts: Counts) -> Floats:
    p, q = m.support_probabilities
    raw: Floats = (counts.support / counts.n - float(q)) / float(p - q)
    return raw


def _equal(m: FrequencyOracle, stated: Floats, expected: Floats) -> npt.NDArray[np.bool_]:
    """Return per cell whether both sides of an interval agree, but for rounding."""
    p, q = m.support_probabilities
    equal = np.isclose(stated, expected, rtol=1e-6, atol=1e-9 / abs(float(p - q)))
    both: npt.NDArray[np.bool_] = np.logical_and.reduce(equal, axis=0)
    return both


def _same(m: FrequencyOracle, stated: Floats, expected: Floats) -> bool:
    shape = np.shape(stated) == expected.shape
    return shape and bool(_equal(m, np.atleast_2d(stated), np.atleast_2d(expected)).all())
