"""The two worked examples of sections 2.2 and 2.3, recomputed."""

from __future__ import annotations

import math

import numpy as np

from sudare.mechanisms import OUE, FrequencyOracle
from sudare.studies.grr_oue.small import binomial
from sudare.studies.study_text import Row

K, N, EPSILON = 3, 10, 2.0
TRUTH = (3, 2, 5)
GRR_REPORTS, OUE_REPORTS = (3, 2, 5), (6, 4, 7)
GRR_PRINTED = ((2.843, -0.157), (1.374, -0.626), (5.78, 0.78))
OUE_PRINTED = ((12.32, 9.32), (7.374, 5.374), (15.25, 10.52))


def law(mechanism: FrequencyOracle) -> tuple[float, float]:
    """Return p and q by the source's formulas, in floating point.

    Sudare's integers differ from them by less than a millionth.
    """
    e = math.exp(EPSILON)
    return (e / (e + K - 1), 1 / (e + K - 1)) if mechanism.name == "GRR" else (0.5, 1 / (e + 1))


def estimates(mechanism: FrequencyOracle, reports: tuple[int, ...]) -> list[float]:
    """Return the estimated true counts by the source's formulas."""
    p, q = law(mechanism)
    return [(count - N * q) / (p - q) for count in reports]


def deviations(mechanism: FrequencyOracle) -> list[float]:
    """Return the standard error of each estimated count for these ten respondents."""
    shares = np.array(TRUTH) / N
    found: list[float] = (N * np.sqrt(mechanism.variance(shares, N, "respondents"))).tolist()
    return found


def as_many_ones(reports: tuple[int, ...]) -> float:
    """Return the probability that OUE gives each category at least so many ones."""
    p, q = law(OUE(K, EPSILON))
    return math.prod(
        float(np.convolve(binomial(true, p), binomial(N - true, q))[reported:].sum())
        for true, reported in zip(TRUTH, reports, strict=True)
    )


def example_rows(
    mechanism: FrequencyOracle,
    reports: tuple[int, ...],
    printed: tuple[tuple[float, float], ...],
) -> list[Row]:
    """Return an example as rows: printed, recomputed, and how much it varies."""
    found, spread = estimates(mechanism, reports), deviations(mechanism)
    columns = zip("ABC", TRUTH, reports, printed, found, spread, strict=True)
    return [(name, t, r, p[0], x, p[1], x - t, s) for name, t, r, p, x, s in columns]
