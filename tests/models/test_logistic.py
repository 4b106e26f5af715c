"""Logistic regression on reports: against other libraries, and another search of the likelihood."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

import sudare as sd
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.registry import registered
from sudare.mechanisms.scores import scores
from sudare.models.answers import Answers
from sudare.models.likelihood import Likelihood
from tests.cases import cases


def people(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an age, a group and an outcome that depends on both."""
    rng = np.random.default_rng(seed)
    age, group = rng.normal(size=n), rng.integers(0, 2, n)
    eta = -0.6 + 0.8 * age + 0.5 * group
    return age, group, (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(np.int64)


def top_by_another_search(minus_log_likelihood, size: int) -> np.ndarray:
    """Return where SciPy finds the least value without derivatives of ours."""
    x = np.zeros(size)
    for method in ("BFGS", "Nelder-Mead", "BFGS"):
        tight = {"gtol": 1e-10} if method == "BFGS" else {"xatol": 1e-11, "fatol": 1e-14}
        x = minimize(minus_log_likelihood, x, method=method, options=tight | {"maxiter": 20_000}).x
    return x


def test_coefficients_are_those_of_another_search() -> None:
    age, group, outcome = people(1500)
    m = sd.GRR(2, 1.5)
    reports = m.perturb(outcome, rng=sd.Entropy.seeded(b"another search"))
    p, q = (float(one) for one in m.support_probabilities)
    x = np.column_stack((np.ones(1500), age, group))

    def minus(beta: np.ndarray) -> float:
        s = 1 / (1 + np.exp(-x @ beta))
        yes = p * s + q * (1 - s)
        return -float(np.log(np.where(reports == 1, yes, 1 - yes)).sum())

    fit = sd.models.logistic(reports, m, {"age": age, "group": group})
    assert fit.coefficients == pytest.approx(top_by_another_search(minus, 3), abs=1e-6)
    assert fit.log_likelihood == pytest.approx(-minus(fit.coefficients), abs=1e-9)
    assert fit.names == ("const", "age", "group")


def test_the_gradient_and_the_hessian_are_those_of_the_likelihood() -> None:
    age, _, outcome = people(400)
    m, other = sd.GRR(2, 3.0), sd.OUE(3, 3.0)
    reports = m.perturb(outcome, rng=sd.Entropy.seeded(b"slopes"))
    regions = other.perturb(np.arange(400) % 3, rng=sd.Entropy.seeded(b"regions"))
    fit = sd.models.logistic(
        reports, m, {"age": age}, randomised={"region": (regions, other)}, independent=True
    )
    given = fit._likelihood
    assert given is not None
    likelihood = Likelihood(
        given.design, given.family, given.seen, np.column_stack((np.ones(400), age))
    )
    theta = np.random.default_rng(2).normal(size=likelihood.size) * 0.4
    here, step = likelihood.at(theta), 1e-5
    for place, one in enumerate(step * np.eye(likelihood.size)):
        up, down = likelihood.at(theta + one), likelihood.at(theta - one)
        assert (up.value - down.value) / (2 * step) == pytest.approx(here.gradient[place], abs=1e-5)
        turn = (up.gradient - down.gradient) / (2 * step)
        assert turn == pytest.approx(here.hessian[place], abs=1e-5)


def test_in_clear_it_is_the_usual_regression() -> None:
    age, group, outcome = people(500)
    fit = sd.models.logistic(outcome, None, np.column_stack((age, group)))
    x = np.column_stack((np.ones(500), age, group))
    s = 1 / (1 + np.exp(-x @ fit.coefficients))
    assert x.T @ (outcome - s) == pytest.approx(np.zeros(3), abs=1e-8)
    information = x.T @ ((s * (1 - s))[:, None] * x)
    assert fit.covariance == pytest.approx(np.linalg.inv(information), rel=1e-9)
    assert fit.names == ("const", "x1", "x2")
    assert fit.randomised == ()


@cases("cls", registered(FrequencyOracle))
def test_any_mechanism_of_two_categories(cls: type[FrequencyOracle]) -> None:
    """The intercept alone says the share that maximum likelihood finds from the same channel."""
    m = cls(2) if cls.studies_only else cls(2, 1.5)
    values = (np.arange(400) % 10 < 3).astype(np.int64)
    reports = m.perturb(values, rng=sd.Entropy.seeded(b"any mechanism"))
    fit = sd.models.logistic(reports, m)
    share = 1 / (1 + np.exp(-fit.coefficients[0]))
    seen = Answers.read(reports, m, "mechanism").likelihood
    mixed = seen @ np.array([1 - share, share])
    assert (seen / mixed[:, None]).mean(axis=0) == pytest.approx([1, 1], abs=1e-9)
    assert m.estimate(m.aggregate(reports)).shares[1] == pytest.approx(share, abs=0.08)


@cases("cls", [sd.GRR, sd.OUE, sd.LinearHashing])
def test_one_category_of_several_is_an_outcome_of_two(cls: type[FrequencyOracle]) -> None:
    """As by a channel that is written out: does the report support the category, or not?"""
    rng, m = np.random.default_rng(3), cls(4, 2.0)
    x = rng.normal(size=600)
    reports = m.perturb(rng.integers(0, 4, 600), rng=sd.Entropy.seeded(b"four"))
    p, q = Fraction(m.law.p), Fraction(m.law.q)
    channel = sd.Dense.from_matrix([[1 - q, 1 - p], [q, p]])
    supported = (scores(m, reports)[:, 2] > 0).astype(int)
    ours = sd.models.logistic(reports, m, {"x": x}, category=2)
    theirs = sd.models.logistic(supported, channel, {"x": x})
    assert ours.coefficients == pytest.approx(theirs.coefficients, abs=1e-9)
    assert ours.stderr == pytest.approx(theirs.stderr, abs=1e-9)
    named = sd.models.logistic(reports, cls(["a", "b", "c", "d"], 2.0), {"x": x}, category="c")
    assert named.coefficients.tolist() == ours.coefficients.tolist()


@cases("yes, share, stderr", [(640, 0.266667, 0.025311), (611, 0.315000, 0.025708)])
def test_the_prevalences_that_rrreg_prints(yes: int, share: float, stderr: float) -> None:
    """RRreg's vignettes of 2017 and 2018 (RRuni, Warner's design with p = .2, n = 1000).

    The numbers of yes are those that its estimates come from; its errors divide by n - 1. Its
    regressions are of data that R drew without a seed, and cannot be made again.
    """
    warner = sd.Dense.from_matrix(
        [[Fraction(1, 5), Fraction(4, 5)], [Fraction(4, 5), Fraction(1, 5)]]
    )
    fit = sd.models.logistic(np.repeat([1, 0], [yes, 1000 - yes]), warner)
    found = 1 / (1 + np.exp(-fit.coefficients[0]))
    assert found == pytest.approx(share, abs=5e-7)
    error = fit.stderr[0] * found * (1 - found) * np.sqrt(1000 / 999)
    assert error == pytest.approx(stderr, abs=5e-7)
    assert fit.wald("const").statistic == pytest.approx((fit.coefficients[0] / fit.stderr[0]) ** 2)
