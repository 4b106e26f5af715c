"""Summation with histogram encoding: its noise in integers, its exact law, what dominates it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import sudare as sd
from sudare.errors import DomainError, PrivacyError, ReportError, WrongTypeError
from sudare.exact import log_bounds
from sudare.mechanisms.frequency.summation import NoisyHistogram, noisy
from sudare.samplers import Program, Table
from tests.cases import cases

EPSILONS = [0.001, 0.05, 0.5, 1.0, 2.0, 5.0, 11.0, 20.0]


@cases("epsilon", EPSILONS)
def test_the_noise_is_the_discrete_laplace_law_cut_off(epsilon: float) -> None:
    part = noisy(Fraction(epsilon))
    other, own = part.weights()
    assert own == other[::-1]
    reach = part.outputs // 2 - 1
    assert reach == math.ceil(16 / epsilon)
    a, total = math.exp(-epsilon / 2), 1 << 64
    for j in range(-reach + 1, reach + 1, max(1, reach // 50)):
        law = a ** abs(j) * (1 - a) / (1 + a)
        assert other[j + reach] / total == pytest.approx(law, rel=1e-5 + 4e-7 * reach)
    ends = a**reach / (1 + a), a ** (reach + 1) / (1 + a)
    assert (other[0] / total, other[-1] / total) == pytest.approx(ends, rel=1e-5 + 4e-7 * reach)


@cases("epsilon", EPSILONS)
def test_epsilon_is_that_of_two_numbers(epsilon: float) -> None:
    m = sd.SHE(3, epsilon)
    other, own = m.program.part.weights()
    up = max(Fraction(a, b) for a, b in zip(own, other, strict=True))
    down = max(Fraction(b, a) for a, b in zip(own, other, strict=True))
    assert m.program.ratio == up * down
    assert epsilon - 1e-6 <= float(log_bounds(up * down)[0]) <= epsilon


@cases("k, epsilon", [(2, 11.0), (3, 20.0), (2, 2.5)])
def test_law_and_best_guess_are_those_of_all_reports(k: int, epsilon: float) -> None:
    m = sd.SHE(k, epsilon)
    matrix = m.program.matrix()
    assert all(sum(column) == 1 for column in zip(*matrix, strict=True))
    assert max(max(row) / min(row) for row in matrix) == m.program.ratio
    guess = float(sum(map(max, matrix), Fraction(0)) / k)
    assert m.program.guess_probability == pytest.approx(guess, rel=1e-12)
    assert type(m.program).guess_probability is not Program.guess_probability


def test_moments_are_those_of_the_table() -> None:
    law = sd.SHE(4, 1.0).law
    other, own = (np.array(row, dtype=float) / 2.0**64 for row in noisy(Fraction(1)).weights())
    numbers = np.arange(own.size)
    mean = own @ numbers
    assert float(law.p) == pytest.approx(mean)
    assert float(law.q) == pytest.approx(other @ numbers)
    assert float(law.square) == pytest.approx(own @ (numbers - mean) ** 2)
    assert float(law.cube) == pytest.approx(own @ (numbers - mean) ** 3)
    for x in (0.0, 0.3, 1.0):  # of people of whom a part has the category, drawn or not
        mixed = x * own + (1 - x) * other
        middle, gap = mixed @ numbers, float(law.p - law.q)
        third = mixed @ (numbers - middle) ** 3 / gap**3
        assert law.third_of_cells(np.array([x]), True)[0] == pytest.approx(third)
        fixed = (2 * x - 1) * float(law.cube) / gap**3
        assert law.third_of_cells(np.array([x]), False)[0] == pytest.approx(fixed)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_simulated_errors_are_the_stated_ones(target: str) -> None:
    """Fresh entropy; 1,500 squared errors of each of 6 cells: six standard errors, below 1e-8."""
    m, truth, rng = sd.SHE(6, 1.0), np.array([400, 300, 200, 60, 30, 10]), sd.Entropy.system()
    generator, shares = rng.generator(), np.array([400, 300, 200, 60, 30, 10]) / 1000
    squares = []
    for _ in range(1500):
        people = generator.multinomial(1000, shares) if target == "population" else truth
        squares.append(np.square(m.estimate(m.simulate(people, rng=rng)).shares - shares))
    found, spread = np.mean(squares, axis=0), np.std(squares, axis=0) / math.sqrt(1500)
    assert (np.abs(found - m.variance(shares, 1000, target)) < 6 * spread).all()


@pytest.mark.slow
def test_reports_and_simulations_have_one_law() -> None:
    """Fresh entropy; means and variances of 8,000 sums of 5 people: five standard errors each."""
    m, truth, rng = sd.SHE(3, 2.0), np.array([3, 2, 0]), sd.Entropy.system()
    values = np.repeat([0, 1], [3, 2])
    drawn = m.perturb(np.tile(values, 8_000), rng=rng).reshape(8_000, 5, 3).sum(axis=1)
    simulated = np.array([m.supports(m.simulate(truth, rng=rng).support) for _ in range(8_000)])
    for moment in (np.mean, np.var):
        here, there = (moment(one.astype(float), axis=0) for one in (drawn, simulated))
        scale = 5 * np.sqrt(2 * 5 * float(m.law.square) * (1 if moment is np.mean else 60) / 8e3)
        assert (np.abs(here - there) < scale).all()


@pytest.mark.slow
def test_intervals_hold_the_truth() -> None:
    """Fresh entropy; 1,200 collections, each interval in 95 %: within six standard errors.

    Score intervals end at 0 and 1: of a share near 0 they hold it more often.
    """
    m, truth, rng = sd.SHE(5, 1.0), np.array([500, 300, 190, 10, 0]), sd.Entropy.system()
    held = np.zeros((2, 5))
    for _ in range(1200):
        est = m.estimate(m.simulate(truth, rng=rng), target="respondents")
        for row, kind in zip(held, ("auto", "normal"), strict=True):
            low, high = est.interval(0.95, kind=kind)
            row += (low <= truth / 1000) & (truth / 1000 <= high)
    assert (np.abs(held[1] / 1200 - 0.95) < 0.038).all()
    assert (held[0] >= held[1]).all()


@cases("epsilon", [0.01, 0.3, 1.0, 2.0, 5.0, 8.0])
@cases("k", [2, 3, 43, 1000])
def test_a_dominated_mechanism_never_errs_less(k: int, epsilon: float) -> None:
    error = sd.SHE(k, epsilon).expected_mse(1000, target="respondents")
    best = sd.SubsetSelection(k, epsilon).expected_mse(1000, target="respondents")
    assert best <= error
    sue = sd.SUE(k, epsilon).expected_mse(1000, target="respondents")
    assert error == pytest.approx(2 * sue, rel=0.02)


def test_a_sample_is_sized_by_its_own_variance() -> None:
    m = sd.SHE(4, 1.0)
    n = sd.sample_size(m, stderr=0.01)
    worst = max(m.variance(np.linspace(0, 1, 101), n))
    assert math.sqrt(worst) <= 0.01 < math.sqrt(worst * n / (n - 1))


def test_foreign_reports_are_refused() -> None:
    m = sd.SHE(3, 2.0)
    assert m.perturb([0, 1]).shape == (2, 3)
    assert m.program.decode(m.program.encode_one([0, 17, 3])).tolist() == [[0, 17, 3]]
    for bad, error in (
        ([[0, 1]], ReportError),
        ([0, 1, 2], ReportError),
        ([[0, 1, 18]], ReportError),
        ([[0, 1, -1]], ReportError),
        ([[0.5, 1, 2]], WrongTypeError),
    ):
        with pytest.raises(error, match=r"^reports "):
            m.aggregate(bad)
    with pytest.raises(ReportError, match="3 numbers"):
        m.program.encode_one([1, 2])
    with pytest.raises(DomainError, match="written out"):
        _ = sd.SHE(9, 1.0).channel


def test_no_device_runs_it() -> None:
    with pytest.raises(PrivacyError, match="use SubsetSelection instead"):
        NoisyHistogram(3, Table(8, ((192,), (64,)))).to_json()
