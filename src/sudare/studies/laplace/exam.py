"""The source's example: 100,000 scores, and noise of whole points on their sum.

The grid is one point on the sum, 1/n on the mean: scores are whole numbers, so nothing is rounded.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr

from sudare.arrays import Floats, Integers
from sudare.exact import uniform
from sudare.release import Dataset
from sudare.studies.parts import Setting

N = 100_000
LOW, HIGH = 0, 100
EPSILON = Fraction(1, 10)
DELTA = 0.05
"""Share of the answers whose error may exceed the bound."""

WIDTH = HIGH - LOW
STATED = 1 / EPSILON
"""The source's scale 1/(n ε), in steps."""
RIGHT = WIDTH / EPSILON
"""The scale 100/(n ε) of a mean of scores from 0 to 100, in steps."""


def scores(setting: Setting) -> Integers:
    """Return the run's scores, uniform on 0..100."""
    return uniform(N, HIGH + 1, setting.rng("scores")).astype(np.int64) + LOW


def as_dataset(scores: Integers, setting: Setting, purpose: str) -> Dataset:
    """Return the scores as the package's trusted holder has them: it answers with noise."""
    rng = setting.rng(purpose)
    return Dataset({"score": scores}, bounds={"score": (LOW, HIGH)}, rng=rng)


def standard_error(share: float, trials: int) -> float:
    """Return the standard error of a share of trials."""
    return math.sqrt(share * (1 - share) / trials)


def beyond(steps: int, scale: Fraction) -> float:
    """Return the probability that discrete Laplace noise is above ``steps`` in size.

    ``2 q^(steps + 1) / (1 + q)``, ``q = exp(-1 / scale)``.
    """
    return 2 * math.exp(-(steps + 1) / float(scale)) / (1 + math.exp(-1 / float(scale)))


def laplace_bound(scale: Fraction, delta: float = DELTA) -> int:
    """Return the least steps that discrete Laplace noise exceeds with at most ``delta``."""
    steps = max(0, math.floor(float(scale) * math.log(1 / delta)) - 2)
    while beyond(steps, scale) > delta:
        steps += 1
    return steps


def laplace_law(steps: Integers, scale: Fraction) -> Floats:
    """Return the probabilities of discrete Laplace noise."""
    q = math.exp(-1 / float(scale))
    law: Floats = (1 - q) / (1 + q) * np.exp(-np.abs(steps) / float(scale))
    return law


def gaussian_law(steps: Integers, variance: Fraction) -> Floats:
    """Return the probabilities of discrete Gaussian noise."""
    far = np.arange(-math.ceil(12 * math.sqrt(variance)) - 1, 0, dtype=np.float64)
    total = 1 + 2 * np.exp(-(far**2) / (2 * float(variance))).sum()
    law: Floats = np.exp(-(steps.astype(np.float64) ** 2) / (2 * float(variance))) / total
    return law


def gaussian_bound(variance: Fraction, delta: float = DELTA) -> int:
    """Return the least number of steps that discrete Gaussian noise exceeds with at most ``delta``.

    Examples:
        >>> gaussian_bound(Fraction(1_000_000))
        1960
    """
    reach = math.ceil(12 * math.sqrt(variance)) + 1
    law = gaussian_law(np.arange(reach + 1), variance)
    above = 2 * np.cumsum(law[::-1])[::-1]  # above[t]: P(|noise| >= t), t > 0
    return int(np.argmax(np.append(above[1:], 0.0) <= delta))


def gaussian_delta(rho: float, epsilon: float) -> float:
    """Return the δ of Gaussian noise at ε, ``ρ = sensitivity² / (2 variance)``: exact.

    ::

        Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ),   μ = sqrt(2 ρ)

    Answers with noise of their own add up their ρ. Noise in steps a thousandth of its deviation
    agrees with it to all digits shown.

    Source: Balle, Wang 2018, theorem 8.
    """
    mu = math.sqrt(2 * rho)
    first, second = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return float(np.exp(first) * -np.expm1(second - first))


def gaussian_epsilon(rho: Fraction, delta: float) -> float:
    """Return the least ε of Gaussian noise at this δ.

    Examples:
        >>> round(gaussian_epsilon(Fraction(1, 200), 1e-6), 3)
        0.397
    """
    return float(brentq(lambda e: gaussian_delta(float(rho), e) - delta, 0, 50, xtol=1e-12))


def gaussian_rho(epsilon: Fraction, delta: float) -> Fraction:
    """Return the largest ρ of Gaussian noise that is (ε, δ) private."""
    found = brentq(lambda rho: gaussian_delta(rho, float(epsilon)) - delta, 1e-12, 100, xtol=1e-15)
    return Fraction(float(found))
