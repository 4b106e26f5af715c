"""Linear regression on reports: least squares on unbiased numbers, mixtures of normal laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import sudare as sd
from tests.cases import cases


def test_numbers_are_fitted_by_least_squares_with_errors_that_allow_for_the_noise() -> None:
    rng = np.random.default_rng(3)
    rooms = rng.integers(1, 6, 800)
    m = sd.Piecewise(2.0, low=0, high=20)
    reports = m.perturb(2.0 * rooms + rng.uniform(0, 4, 800), rng=sd.Entropy.seeded(b"rent"))
    fit = sd.models.linear(reports, m, {"rooms": rooms})
    x, u = np.column_stack((np.ones(800), rooms)), m.numbers[reports]
    bread = np.linalg.inv(x.T @ x)
    expected = np.linalg.lstsq(x, u, rcond=None)[0]
    off = u - x @ expected
    meat = x.T @ (off[:, None] ** 2 * x) * 800 / 798
    assert fit.coefficients == pytest.approx(expected, rel=1e-12)
    assert fit.covariance == pytest.approx(bread @ meat @ bread, rel=1e-9)
    with pytest.raises(sd.EstimationError, match="use wald"):
        fit.likelihood_ratio("rooms")


@cases(
    "m", [sd.GRR(4, 1.5), sd.OUE(4, 1.5), sd.HadamardResponse(4, 1.5), sd.SubsetSelection(4, 0.5)]
)
def test_a_report_of_a_category_stands_for_its_score_without_bias(m: sd.GRR) -> None:
    """All reports, as often as their law has them: the line is the one through the scores."""
    scores = np.array([-1.0, 0.0, 2.0, 7.0])
    law = m.channel.dense()
    reports = m.perturb(np.repeat(np.arange(4), 400), rng=sd.Entropy.seeded(b"scores"))
    each, first = np.unique(reports, axis=0, return_index=True)
    from sudare.models.answers import places
    from sudare.models.lines import _numbers

    stand = _numbers(m, each, scores)
    at = places(each, m)
    assert law[at].sum(axis=0) == pytest.approx(np.ones(4))  # every report has come
    assert law[at].T @ stand == pytest.approx(scores)
    assert len(first) == len(each)


def test_a_randomised_covariate_is_the_mixture_that_another_search_finds() -> None:
    rng = np.random.default_rng(4)
    age = rng.normal(size=700)
    habit = (rng.random(700) < 1 / (1 + np.exp(-0.7 * age))).astype(np.int64)
    y = 1 + 0.5 * age + 1.2 * habit + rng.normal(size=700)
    m = sd.GRR(2, 2.0)
    reports = m.perturb(habit, rng=sd.Entropy.seeded(b"habit"))
    seen = m.channel.dense()[reports]

    def minus(theta: np.ndarray) -> float:
        (b0, b1, b2, tau), gamma = theta[:4], theta[4:]
        share = 1 / (1 + np.exp(-gamma[0] - gamma[1] * age))
        sigma = np.exp(tau)
        each = [
            np.exp(-((y - b0 - b1 * age - b2 * value) ** 2) / (2 * sigma**2)) / sigma
            for value in (0, 1)
        ]
        mixed = seen[:, 0] * (1 - share) * each[0] + seen[:, 1] * share * each[1]
        return -float(np.log(mixed).sum()) + 350 * np.log(2 * np.pi)

    fit = sd.models.linear(y, None, {"age": age}, randomised={"habit": (reports, m)})
    x = np.array([1, 0, 0, 0, 0, 0.0])
    for method in ("BFGS", "Nelder-Mead", "BFGS"):
        tight = {"gtol": 1e-9} if method == "BFGS" else {"xatol": 1e-10, "fatol": 1e-13}
        x = minimize(minus, x, method=method, options=tight | {"maxiter": 20_000}).x
    assert fit.names == ("const", "age", "habit[1]")
    assert fit.coefficients == pytest.approx(x[:3], abs=1e-6)
    assert fit.scale == pytest.approx(np.exp(x[3]), abs=1e-6)
    assert fit.log_likelihood == pytest.approx(-minus(x), abs=1e-8)
    share = 1 / (1 + np.exp(-x[4] - x[5] * age))
    assert fit.shares == pytest.approx([1 - share.mean(), share.mean()], abs=1e-6)


def test_in_clear_it_is_least_squares() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(60, 2))
    y = 1 + x @ [2, -1] + rng.normal(size=60)
    fit = sd.models.linear(y, None, x, names=["a", "b"])
    whole = np.column_stack((np.ones(60), x))
    expected, squares, *_ = np.linalg.lstsq(whole, y, rcond=None)
    assert fit.coefficients == pytest.approx(expected, abs=1e-9)
    assert fit.scale == pytest.approx(np.sqrt(squares[0] / 60), rel=1e-9)
    assert fit.covariance == pytest.approx(
        squares[0] / 60 * np.linalg.inv(whole.T @ whole), rel=1e-8
    )
    less = sd.models.linear(y, None, {"a": x[:, 0]})
    ratio = 2 * (fit.log_likelihood - less.log_likelihood)
    assert fit.likelihood_ratio("b").statistic == pytest.approx(ratio, rel=1e-9)


def test_numbers_far_from_0_have_the_same_slopes() -> None:
    rng = np.random.default_rng(6)
    age, habit = rng.normal(size=300), rng.integers(0, 2, 300)
    y = 1 + 0.8 * age + habit + 0.5 * rng.normal(size=300)
    m = sd.GRR(2, 3.0)
    told = {"habit": (m.perturb(habit, rng=sd.Entropy.seeded(b"far")), m)}
    near = sd.models.linear(y, None, {"age": age}, randomised=told)
    for far in (100.0, -1e6):
        fit = sd.models.linear(y + far, None, {"age": age}, randomised=told)
        assert fit.coefficients == pytest.approx(
            near.coefficients + np.array([far, 0, 0]), abs=1e-7
        )
        assert fit.stderr == pytest.approx(near.stderr, rel=1e-6)
        plain = sd.models.linear(y + far, None, {"age": age}, intercept=False)
        expected = age @ (y + far) / (age @ age)
        assert plain.coefficients == pytest.approx([expected], rel=1e-9)
    flat = sd.models.linear(y + 1e6, None, {"age": age}).likelihood_ratio("age")
    assert flat.statistic == pytest.approx(
        sd.models.linear(y, None, {"age": age}).likelihood_ratio("age").statistic, rel=1e-6
    )
