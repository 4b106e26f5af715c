"""Our exact samplers against OpenDP's: two samples, one law.

Both draw fresh entropy. False alarms: each of eight comparisons at 1e-7, less than 1e-6 for all.
A control, such as a scale 6 % too large, is missed with a probability below 1e-9.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from two_samples import pvalue

import sudare as sd
from sudare.exact.noise import discrete_gaussian, discrete_laplace
from sudare.exact.selection import exponential, permute_and_flip

pytestmark = pytest.mark.oracle

N = 150_000
CHOICES = 20_000
FALSE_ALARM = 1e-7
WIDER = Fraction(53, 50)
"""Of a scale that must be told from the right one."""


def ours(kind: str, scale: Fraction) -> Any:
    rng = sd.Entropy.system()
    return (
        discrete_laplace(N, scale, rng)
        if kind == "laplace"
        else discrete_gaussian(N, scale * scale, rng)
    )


def theirs(opendp: Any, kind: str, scale: float) -> Any:
    space = opendp.vector_domain(opendp.atom_domain(T=int))
    measurement = (
        opendp.m.make_laplace(space, opendp.l1_distance(T=int), scale=scale)
        if kind == "laplace"
        else opendp.m.make_gaussian(space, opendp.l2_distance(T=int), scale=scale)
    )
    return np.array(measurement([0] * N))


@pytest.mark.parametrize("scale", [1, 10, 1000])
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_noise(opendp: Any, kind: str, scale: int) -> None:
    drawn = theirs(opendp, kind, float(scale))
    assert pvalue(ours(kind, Fraction(scale)), drawn) > FALSE_ALARM
    assert pvalue(ours(kind, scale * WIDER), drawn) < FALSE_ALARM


# OpenDP's noisy max: with exponential noise it is permute-and-flip in law (Ding et al. 2021), with
# Gumbel noise, which it takes for zCDP, the exponential mechanism. Its scale is one over our rate.

RATE = Fraction(1, 2)
LOSSES, TIMES = np.array([0, 1, 2, 5, 9]), np.array([1, 2, 1, 4, 3])
EACH = np.repeat(LOSSES, TIMES)
KIND = np.repeat(np.arange(LOSSES.size), TIMES)


def choices(mechanism: str, rate: Fraction) -> Any:
    rng = sd.Entropy.system()
    if mechanism == "exponential":
        drawn = [exponential(LOSSES, rate, rng, times=TIMES) for _ in range(CHOICES)]
        return np.array(drawn)
    return KIND[[permute_and_flip(EACH, rate, rng) for _ in range(CHOICES)]]


@pytest.fixture(scope="module", params=["permute and flip", "exponential"])
def chosen(opendp: Any, request: pytest.FixtureRequest) -> Any:
    """Return OpenDP's choices, and the name of the mechanism."""
    measure = (
        opendp.max_divergence()
        if request.param == "permute and flip"
        else opendp.zero_concentrated_divergence()
    )
    space = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.linf_distance(T=int)
    select = opendp.m.make_noisy_max(*space, measure, scale=float(1 / RATE), negate=True)
    losses = EACH.tolist()
    return request.param, KIND[[select(losses) for _ in range(CHOICES)]]


def test_choices(chosen: Any) -> None:
    mechanism, drawn = chosen
    assert pvalue(choices(mechanism, RATE), drawn) > FALSE_ALARM
    assert pvalue(choices(mechanism, RATE * Fraction(6, 5)), drawn) < FALSE_ALARM
    other = {"exponential": "permute and flip"}.get(mechanism, "exponential")
    assert pvalue(choices(other, RATE), drawn) < FALSE_ALARM


# -- the test itself -------------------------------------------------------------------------------


def test_false_alarms_are_as_rare_as_stated() -> None:
    generator = np.random.default_rng(3)
    alike = [
        pvalue(*np.rint(generator.laplace(scale=20, size=(2, 5_000))).astype(np.int64))
        for _ in range(500)
    ]
    for level in (0.2, 0.05, 0.01):
        share = float(np.mean(np.array(alike) <= level))
        assert share <= level + 4 * (level / 500) ** 0.5


@pytest.mark.parametrize("fault", ["a number never drawn", "an even number more often", "shifted"])
def test_faults_are_noticed(fault: str) -> None:
    rng = sd.Entropy.seeded(b"faults")
    right, wrong = (discrete_laplace(N, Fraction(100), rng) for _ in range(2))
    if fault == "a number never drawn":
        wrong[wrong == 70] = 71
    elif fault == "an even number more often":
        odd = np.flatnonzero(wrong & 1)[::10]
        wrong[odd] += np.where(np.arange(odd.size) & 1, 1, -1)
    else:
        wrong += 4
    assert pvalue(right, wrong) < FALSE_ALARM
