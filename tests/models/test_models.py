"""What all regressions share: tests, tables, formulas, refusals, and how far intervals hold."""

from __future__ import annotations

import sys
from fractions import Fraction

import model_coverage as coverage
import numpy as np
import pytest
from scipy import stats

import sudare as sd
from sudare.models.search import _along, maximise
from sudare.models.significance import chi_squared_beyond
from tests.cases import cases

M = sd.GRR(2, 1.5)


def survey(n: int = 600) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(8)
    age, region = rng.normal(size=n), rng.integers(0, 3, n)
    eta = -0.4 + 0.8 * age + 0.5 * (region == 2)
    values = (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(np.int64)
    columns = {"age": age, "region": np.array(["east", "north", "south"])[region]}
    return M.perturb(values, rng=sd.Entropy.seeded(b"survey")), columns


def test_tails_are_those_of_the_chi_squared_law() -> None:
    for df in (1, 2, 3, 4, 7, 20):
        for x in (0.0, 1e-9, 0.3, 4.0, 30.0, 400.0):
            assert chi_squared_beyond(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-10)


def test_tests_of_coefficients() -> None:
    reports, columns = survey()
    fit = sd.models.logistic(reports, M, {"age": columns["age"], "odd": np.arange(600) % 2})
    b, v = fit.coefficients, fit.covariance
    assert fit.wald("odd", "age").statistic == pytest.approx(
        b[1:] @ np.linalg.inv(v[1:, 1:]) @ b[1:]
    )
    assert (fit.wald().df, fit.wald("age").df) == (2, 1)
    assert fit.wald("age").p_value == pytest.approx(fit.p_values[1])
    less = sd.models.logistic(reports, M, {"age": columns["age"]})
    ratio = 2 * (fit.log_likelihood - less.log_likelihood)
    assert fit.likelihood_ratio("odd").statistic == pytest.approx(ratio)
    assert sd.models.logistic(reports, M).likelihood_ratio("const").df == 1
    low, high = fit.interval(0.9)
    assert high - low == pytest.approx(2 * 1.6448536 * fit.stderr)
    assert fit.aic == pytest.approx(6 - 2 * fit.log_likelihood)
    with pytest.raises(sd.DomainError, match="names must be one of"):
        fit.wald("height")


def test_the_table_is_laid_out_as_statsmodels_does() -> None:
    reports, columns = survey()
    fit = sd.models.logistic(reports, M, {"age": columns["age"]})
    lines = fit.summary().splitlines()
    assert lines[1] == "=" * 78
    assert lines[8].split() == ["coef", "std", "err", "z", "P>|z|", "[0.025", "0.975]"]
    assert lines[11].split()[:3] == ["age", f"{fit.coefficients[1]:.4f}", f"{fit.stderr[1]:.3f}"]
    assert max(map(len, lines[:13])) == 78
    frame = fit.to_frame("pandas")
    assert frame["name"].tolist() == ["const", "age"]
    assert frame["coefficient"].to_numpy() == pytest.approx(fit.coefficients)


def test_formulas() -> None:
    reports, columns = survey()
    fit = sd.models.logistic(reports, M, columns, formula="age + C(region)")
    assert fit.names == ("Intercept", "age", "C(region)[T.north]", "C(region)[T.south]")
    by_hand = {"age": columns["age"]}
    by_hand |= {name: columns["region"] == name for name in ("north", "south")}
    same = sd.models.logistic(reports, M, by_hand)
    assert fit.coefficients == pytest.approx(same.coefficients, abs=1e-9)
    assert fit.wald().df == 3

    other = sd.GRR(2, 3.0)
    habit = other.perturb(np.arange(600) % 2, rng=sd.Entropy.seeded(b"habit"))
    beside = {"randomised": {"habit": (habit, other)}}
    plain = sd.models.logistic(reports, M, {"age": columns["age"]}, **beside)
    told = sd.models.logistic(reports, M, {"age": columns["age"]}, formula="age + habit", **beside)
    assert told.coefficients == pytest.approx(plain.coefficients, abs=1e-8)
    crossed = sd.models.logistic(
        reports, M, {"age": columns["age"]}, formula="age * habit", **beside
    )
    assert crossed.names == ("Intercept", "age", "habit[T.1]", "age:habit[T.1]")
    assert crossed.log_likelihood > told.log_likelihood
    for formula in ("age", "y ~ age + habit", "age + (habit", "age + habit + height"):
        with pytest.raises(sd.DomainError, match=r"^formula"):
            sd.models.logistic(reports, M, {"age": columns["age"]}, formula=formula, **beside)
    with pytest.raises(sd.WrongTypeError, match=r"^formula"):
        sd.models.logistic(reports, M, columns, formula=3)
    with pytest.raises(sd.DomainError, match="finite"):
        sd.models.logistic(
            reports, M, {"age": np.where(columns["age"] > 2, np.nan, 0)}, formula="age"
        )


def test_a_formula_without_formulaic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "formulaic", None)
    reports, columns = survey()
    with pytest.raises(sd.MissingExtraError, match=r'pip install "sudare\[models\]"'):
        sd.models.logistic(reports, M, columns, formula="age")


def test_separation_is_said() -> None:
    z = np.random.default_rng(1).normal(size=300)
    outcome = (z > 0).astype(np.int64)
    few = np.zeros(300, dtype=np.int64)  # fewer yes than the randomisation alone brings
    reports = M.perturb(outcome, rng=sd.Entropy.seeded(b"told"))
    for args in ((outcome, None, {"z": z}), (few, M), (outcome, M, {"z": outcome})):
        with pytest.raises(sd.EstimationError, match="separation"):
            sd.models.logistic(*args)
    with pytest.raises(sd.EstimationError, match="on the line"):
        sd.models.linear(3 * z + 1, None, {"z": z})
    with pytest.raises(sd.EstimationError, match="on the line"):
        sd.models.linear(2.0 * outcome, None, randomised={"x": (reports, M)})


REPORTS = M.perturb(np.arange(40) % 2, rng=sd.Entropy.seeded(b"forty"))
X = np.linspace(-1, 1, 40)


@cases(
    "error, named, args, options",
    [
        (sd.DomainError, "covariates", (REPORTS, M, {"x": np.full(40, np.nan)}), {}),
        (sd.DomainError, "covariates", (REPORTS, M, {"x": np.full(40, np.inf)}), {}),
        (sd.DomainError, "covariates", (REPORTS, M, {"x": X[:39]}), {}),
        (sd.WrongTypeError, "covariates", (REPORTS, M, {"x": ["a"] * 40}), {}),
        (sd.WrongTypeError, "covariates", (REPORTS, M, {3: X}), {}),
        (sd.DomainError, "covariates", (REPORTS, M, X), {}),
        (sd.WrongTypeError, "covariates", (REPORTS, M, "x"), {}),
        (sd.DomainError, "covariates", (REPORTS, M, {"const": X}), {}),
        (sd.DomainError, "covariates", (REPORTS, M), {"intercept": False}),
        (sd.EstimationError, "covariates", (REPORTS, M, {"x": X, "y": 2 * X}), {}),
        (sd.EstimationError, "covariates", (REPORTS, M, {"x": np.ones(40)}), {}),
        (sd.EstimationError, "covariates", (REPORTS[:2], M, {"x": X[:2]}), {}),
        (sd.DomainError, "names", (REPORTS, M, X[:, None]), {"names": ["a", "b"]}),
        (sd.DomainError, "mechanism", (REPORTS, sd.GRR(3, 1.0)), {}),
        (sd.WrongTypeError, "mechanism", (REPORTS, "GRR"), {}),
        (sd.WrongTypeError, "mechanism", (X,), {"category": 1}),
        (sd.DomainError, "mechanism", (sd.SHE(3, 1.0).perturb([0] * 40), sd.SHE(3, 1.0)),
         {"category": 1}),
        (sd.DomainError, "category", (REPORTS, sd.GRR(3, 1.0)), {"category": 3}),
        (sd.WrongTypeError, "category", (REPORTS, sd.GRR(3, 1.0)), {"category": "yes"}),
        (sd.ReportError, "reports", (REPORTS[:0], sd.GRR(3, 1.0)), {"category": 1}),
        (sd.WrongTypeError, "mechanism", (REPORTS, sd.JointRR([2, 2], gamma=3)), {}),
        (sd.ReportError, "reports", (REPORTS + 1, M), {}),
        (sd.ReportError, "reports", (REPORTS[:0], M), {}),
        (sd.WrongTypeError, "reports", (X, M), {}),
        (sd.ReportError, "reports", (REPORTS, sd.OUE(2, 1.0)), {}),
        (sd.WrongTypeError, "reports", (["yes"] * 40,), {}),
        (sd.DomainError, "reports", (X,), {}),
        (sd.DomainError, "reports", (np.full(40, np.nan),), {}),
        (sd.WrongTypeError, "randomised", (REPORTS, M), {"randomised": [REPORTS]}),
        (sd.WrongTypeError, "randomised", (REPORTS, M), {"randomised": {"x": REPORTS}}),
        (sd.DomainError, "randomised", (REPORTS, M), {"randomised": {"x": (REPORTS[:9], M)}}),
        (
            sd.DomainError,
            "randomised",
            (REPORTS, M),
            {"randomised": {str(one): (REPORTS, M) for one in range(9)}},
        ),
    ])  # fmt: skip
def test_bad_input_to_logistic(error: type, named: str, args: tuple, options: dict) -> None:
    with pytest.raises(error) as told:
        sd.models.logistic(*args, **options)
    assert told.value.argument.startswith(named)
    assert "nan" not in str(told.value).lower()


@cases(
    "error, named, args, options",
    [
        (sd.DomainError, "reports", (np.full(40, np.nan),), {}),
        (sd.DomainError, "reports", (np.ones(40),), {}),
        (sd.DomainError, "scores", (X,), {"scores": [0, 1]}),
        (sd.WrongTypeError, "scores", (REPORTS, M), {}),
        (sd.DomainError, "scores", (REPORTS, M), {"scores": [0, 1, 2]}),
        (sd.DomainError, "scores", (REPORTS, M), {"scores": [0, np.nan]}),
        (sd.DomainError, "scores", (REPORTS, sd.Duchi(1.0)), {"scores": [0, 1]}),
        (sd.WrongTypeError, "mechanism", (REPORTS, sd.SquareWave(1.0)), {}),
        (
            sd.DomainError,
            "randomised",
            (REPORTS, M),
            {"scores": [0, 1], "randomised": {"x": (REPORTS, M)}},
        ),
    ],
)
def test_bad_input_to_linear(error: type, named: str, args: tuple, options: dict) -> None:
    with pytest.raises(error) as told:
        sd.models.linear(*args, **options)
    assert told.value.argument.startswith(named)


def test_frames_and_arrays_are_the_same_covariates() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    reports, columns = survey()
    own = {"age": columns["age"], "south": columns["region"] == "south"}
    expected = sd.models.logistic(reports, M, own)
    frames = (pd.DataFrame(own), pl.DataFrame(own), pa.table(own))
    for frame in frames:
        fit = sd.models.logistic(reports, M, frame)
        assert fit.names == expected.names
        assert fit.coefficients.tolist() == expected.coefficients.tolist()
    array = np.column_stack(list(own.values()))
    fit = sd.models.logistic(reports, M, array)
    assert fit.coefficients.tolist() == expected.coefficients.tolist()


def in_clear(k: int) -> sd.Dense:
    return sd.Dense.from_matrix([[Fraction(int(i == j)) for j in range(k)] for i in range(k)])


@cases("linear", [False, True])
def test_covariates_that_nothing_was_done_to_are_indicators(linear: bool) -> None:
    """Two of them, of two and of three categories: a combination is the one that is meant."""
    rng = np.random.default_rng(11)
    age, habit, region = rng.normal(size=500), rng.integers(0, 2, 500), rng.integers(0, 3, 500)
    y = 0.5 * age + habit - (region == 2) + rng.normal(size=500)
    outcome = y if linear else (y > 0).astype(np.int64)
    fit = sd.models.linear if linear else sd.models.logistic
    both = {"habit": (habit, in_clear(2)), "region": (region, in_clear(3))}
    found = fit(outcome, None, {"age": age}, randomised=both)
    marks = {"habit[1]": habit == 1, "region[1]": region == 1, "region[2]": region == 2}
    expected = fit(outcome, None, {"age": age, **marks})
    assert found.names == expected.names
    assert found.coefficients == pytest.approx(expected.coefficients, abs=1e-8)
    assert found.stderr == pytest.approx(expected.stderr, abs=1e-8)
    counts = np.array([[((habit == i) & (region == j)).sum() for j in range(3)] for i in range(2)])
    assert found.shares == pytest.approx(counts / 500, abs=1e-8)


def test_other_starts_lead_to_the_same_top() -> None:
    rng = np.random.default_rng(12)
    age, region, m = rng.normal(size=400), rng.integers(0, 3, 400), sd.GRR(3, 2.0)
    reports = m.perturb(region, rng=sd.Entropy.seeded(b"starts"))
    y = 0.5 * age + (region == 1) + rng.normal(size=400)
    fit = sd.models.linear(y, None, {"age": age}, randomised={"region": (reports, m)})
    assert fit._likelihood is not None
    for _ in range(8):
        top = maximise(fit._likelihood, rng.normal(size=fit.parameters))
        assert top.theta[:4] == pytest.approx(fit.coefficients, abs=1e-7)
    start = np.zeros(fit.parameters)
    far = np.full(fit.parameters, -1e30)  # beyond all floats: halved, without a warning
    here = fit._likelihood.at(start)
    assert _along(fit._likelihood, start, here, far)[1].value >= here.value


@pytest.mark.slow
@pytest.mark.parametrize("name", coverage.SCENARIOS)
def test_intervals_hold_the_truth(name: str) -> None:
    """Seeded. With fresh seeds a false alarm comes in one of 10^4 runs: rates and ratios are
    allowed 4.5 standard errors, of 17 coefficients. The control, reports taken for answers,
    misses."""
    scenario = coverage.SCENARIOS[name]
    surveys = scenario.surveys[0]
    held = coverage.held(scenario, surveys)
    assert np.abs(held.rate - 0.95).max() <= 4.5 * np.sqrt(0.95 * 0.05 / surveys)
    assert np.abs(held.ratio - 1).max() <= 4.5 / np.sqrt(2 * surveys)
    assert held.naive < 0.8


def test_what_was_randomised_may_depend_on_all_that_is_in_clear() -> None:
    """Also where a formula has a covariate beside the randomised one alone."""
    told, age = {"tea": (REPORTS, M)}, {"age": X}
    for formula in ("tea + age", "tea + tea:age", "0 + tea:age", "age * tea"):
        fit = sd.models.linear(np.sin(9 * X), None, age, randomised=told, formula=formula)
        assert fit._likelihood is not None
        given = fit._likelihood.given
        assert given.shape == (40, 2)
        assert np.linalg.lstsq(given, X, rcond=None)[1] == pytest.approx([0], abs=1e-12)


def test_indicators_of_all_categories_stand_for_an_intercept() -> None:
    told, half = {"tea": (REPORTS, M)}, np.arange(40) % 4 < 2
    y = np.sin(9 * X)
    fit = sd.models.linear(y, None, {"a": half, "b": ~half}, randomised=told, intercept=False)
    same = sd.models.linear(y, None, {"b": ~half}, randomised=told)
    a, b, tea = fit.coefficients
    assert [a, b - a, tea] == pytest.approx(same.coefficients, abs=1e-7)
    assert fit.log_likelihood == pytest.approx(same.log_likelihood, abs=1e-9)


def test_names_of_columns() -> None:
    both = np.column_stack((X, X**2))
    fit = sd.models.logistic(REPORTS, M, both, names=np.array(["a", "b"]))
    assert fit.names == ("const", "a", "b")
    for names, error in (
        ("ab", sd.WrongTypeError),
        (5, sd.WrongTypeError),
        ([1, 2], sd.WrongTypeError),
        (["a", "a"], sd.DomainError),
    ):
        with pytest.raises(error, match=r"^names"):
            sd.models.logistic(REPORTS, M, both, names=names)
