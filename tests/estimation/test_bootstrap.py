"""The bootstrap on the channel: right where the answer is known, and named in the result."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.estimation.likelihood import single_support_mle
from sudare.estimation.resampling import Replicates
from sudare.estimation.simplex import largest_remainders
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import registered
from tests.cases import cases

TARGETS = ("population", "respondents")


def seeded() -> sd.Entropy:
    return sd.Entropy.seeded(b"bootstrap")


@pytest.mark.parametrize(
    "target", ["population", pytest.param("respondents", marks=pytest.mark.slow)]
)
def test_the_unbiased_estimator_has_its_formula(mechanism_class: type[sd.GRR], target: str) -> None:
    m = mechanism_class(4, 2.0)
    counts = m.simulate([500, 300, 150, 50], rng=seeded())
    formula = m.estimate(counts, target=target)
    est = sd.bootstrap(m, counts, "unbiased", target, 1000, seeded())
    # a standard deviation of 1000 draws: 2.2 % off; 5 standard errors
    np.testing.assert_allclose(est.stderr, formula.stderr, rtol=0.11)
    assert est.difference(0, 1).stderr == pytest.approx(formula.difference(0, 1).stderr, rel=0.11)
    middle = est._law.values.mean(axis=0)  # around the raw shares, not around projected ones
    np.testing.assert_allclose(middle, est.shares, atol=5 * formula.stderr.max() / 1000**0.5)
    low, high = est.interval(0.95)
    np.testing.assert_allclose(low, formula.shares - 1.96 * formula.stderr, atol=0.02)
    np.testing.assert_allclose(high, formula.shares + 1.96 * formula.stderr, atol=0.02)


@cases(
    "m",
    [
        sd.GRR(4, 1.0),
        sd.NegativeSurvey(4),
        sd.OUE(4, 1.0),
        sd.OLH(4, 1.0),
        sd.HadamardResponse(4, 1.0),
        sd.SubsetSelection(4, 1.0),
        sd.SHE(4, 1.0),
    ],
)
def test_collections_in_batches_are_those_one_by_one(m: sd.FrequencyOracle) -> None:
    truth = np.array([[500, 300, 150, 50], [0, 900, 0, 100]])
    methods = ("unbiased", "projected", "clipped", "shrunk", *(("mle",) if m.law.single else ()))
    for method in methods:
        for line in truth:
            mine = m.replicates(line[None], method, rng=seeded())
            theirs = m.estimate(m.simulate(line, rng=seeded()), method).shares
            assert np.array_equal(mine, theirs[None])
    many = m.replicates(np.repeat(truth, 150, axis=0), "unbiased", rng=seeded())
    spread = m.estimate(m.simulate(truth[0], rng=seeded()), target="respondents").stderr.max()
    for line, own in zip(truth, (many[:150], many[150:]), strict=True):
        np.testing.assert_allclose(own.mean(axis=0), line / 1000, atol=5.5 * spread / 150**0.5)
        assert 0.5 * spread < own.std(axis=0).max() < 1.5 * spread


def test_the_most_likely_shares_of_many_lines_are_those_of_each() -> None:
    support = np.random.default_rng(2).integers(0, 40, (60, 5))
    support[0] = [0, 0, 0, 0, 9]
    for p, q in ((0.4, 0.15), (0.0, 0.25)):  # of both signs
        lines = single_support_mle(support, p, q)
        assert np.array_equal(lines, [single_support_mle(line, p, q) for line in support])
        y = q + (p - q) * lines
        gradient = (p - q) * support / np.where(y > 0, y, 1)
        inside = lines > 1e-9
        for slope, held in zip(gradient, inside, strict=True):  # the conditions of the maximum
            assert slope[held].max() - slope[held].min() < 1e-6 * (1 + abs(slope[held]).max())
            assert slope.max() <= slope[held].max() + 1e-6


def test_the_respondents_do_not_vary() -> None:
    m = sd.GRR(3, 12.0)  # next to no noise
    counts = m.simulate([500, 300, 200], rng=seeded())
    for method in ("unbiased", "mle"):
        mine = sd.bootstrap(m, counts, method, "respondents", 200, seeded())
        assert mine.stderr.max() < 0.001
        theirs = sd.bootstrap(m, counts, method, "population", 200, seeded())
        assert theirs.stderr.min() > 0.01


@cases("method", ["projected", "clipped", "mle"])
def test_it_tells_the_error_that_there_is(method: str) -> None:
    """Against estimates of collections that were simulated over and over."""
    m, shares, n = sd.GRR(6, 1.0), np.array([0.4, 0.3, 0.2, 0.1, 0, 0]), 1000
    generator, rng = seeded().generator(), seeded()
    seen = [
        m.estimate(m.simulate(generator.multinomial(n, shares), rng=rng), method).shares
        for _ in range(1000)
    ]
    ideal = m.simulate(np.round(n * shares).astype(int), rng=rng)
    p, q = (float(x) for x in m.support_probabilities)
    support = np.round(n * (q + (p - q) * shares)).astype(int)
    support[0] += n - support.sum()
    est = sd.bootstrap(m, sd.Counts(support, n, ideal.mechanism), method, rng=seeded())
    np.testing.assert_allclose(est.stderr, np.std(seen, axis=0), rtol=0.2)


def test_the_result_says_what_it_is() -> None:
    m, counts = sd.GRR(3, 2.0), sd.Counts((60, 30, 10), 100)
    est = sd.bootstrap(m, counts, "mle", rng=seeded(), repetitions=50)
    assert (est.method, est.target, est.n) == ("mle, bootstrap", "population", 100)
    assert (est.epsilon, est.covers) == (m.epsilon, "one answer")
    assert [one.code for one in est.warnings] == ["few-reports", "biased"]
    plain = sd.bootstrap(m, counts, "unbiased", rng=seeded(), repetitions=50)
    assert [one.code for one in plain.warnings] == ["few-reports"]
    assert est.shares.tolist() == m.estimate(counts, "mle").shares.tolist()
    again = sd.bootstrap(m, counts, "mle", rng=seeded(), repetitions=50)
    assert again.stderr.tolist() == est.stderr.tolist()
    assert np.isfinite(est.mean([1, 2, 3]).interval()).all()
    assert np.isfinite((est - est).interval(simultaneous=True)).all()
    low, high = est.interval(kind="normal")
    np.testing.assert_allclose((high - low) / 2, 1.959964 * est.stderr, rtol=1e-6)
    with pytest.raises(sd.EstimationError, match="kind must not be score"):
        est.interval(kind="score")


def test_intervals_of_shares_stay_on_the_simplex_and_nest() -> None:
    m, counts = sd.GRR(5, 1.0), sd.Counts((40, 30, 20, 5, 5), 100)
    est = sd.bootstrap(m, counts, "projected", rng=seeded())
    low, high = est.interval(0.95)
    wide, wider = est.interval(0.95, simultaneous=True)
    assert (wide >= 0).all()
    assert (wide <= low).all()
    assert (high <= wider).all()
    assert (wider <= 1).all()
    values = est._law.values
    inside = ((wide <= values) & (values <= wider)).all(axis=1).mean()
    assert 0.95 <= inside <= 0.99


def test_any_function_of_the_counts() -> None:
    def largest(mechanism: sd.OUE, counts: sd.Counts) -> np.ndarray:
        return mechanism.estimate(counts).shares.max()

    m = sd.OUE(4, 2.0)
    counts = m.simulate([400, 100, 100, 100], rng=seeded())
    est = sd.bootstrap(m, counts, largest, rng=seeded(), repetitions=300)
    assert est.method == "largest, bootstrap"
    assert est.shares.shape == ()
    assert float(est.stderr) == pytest.approx(m.estimate(counts).stderr.max(), rel=0.2)
    assert len(est.to_frame()) == 1


@cases("repetitions", [50, 99, 1000])
def test_few_repetitions_do_not_shorten_the_percentiles(repetitions: int) -> None:
    """Ordered draws of one law lie at i / (R + 1) on average: 93.1 % of it at R = 99 otherwise."""
    drawn = np.arange(1, repetitions + 1)[:, None] / (repetitions + 1)
    low, high = Replicates(drawn, np.array([0.5])).interval(0.05, "auto", False)
    assert (low[0], high[0]) == pytest.approx((0.025, 0.975))


def test_rounding_keeps_the_sum() -> None:
    assert largest_remainders(10 * np.array([0.5, 0.26, 0.24]), 10).tolist() == [5, 3, 2]
    assert largest_remainders(np.full((3, 1), 2**50 / 3), 2**50).sum() == 2**50


def test_43_categories_in_about_a_second() -> None:
    m = sd.GRR(43, 1.0)
    counts = m.simulate(np.full(43, 1000), rng=seeded())
    start = time.perf_counter()
    sd.bootstrap(m, counts, rng=seeded())
    assert time.perf_counter() - start < 10  # a bound for a machine that is busy


COUNTS = sd.Counts((60, 30, 10), 100)


@cases(
    "change, error, match",
    [
        ({"mechanism": None}, sd.WrongTypeError, "mechanism must"),
        ({"mechanism": sd.GRR}, sd.WrongTypeError, "mechanism must"),
        ({"counts": [60, 30, 10]}, sd.EstimationError, "counts must"),
        ({"counts": sd.Counts((1, 1), 2)}, sd.EstimationError, "shape"),
        ({"method": "magic"}, sd.DomainError, "method must be one of"),
        ({"method": 3}, sd.WrongTypeError, "method must"),
        ({"mechanism": sd.OUE(3, 1.0), "method": "mle"}, sd.EstimationError, "not sufficient"),
        ({"mechanism": sd.SetUnary(3, 1.0)}, sd.SudareError, "must be one of"),
        ({"mechanism": sd.SetUnary(3, 1.0), "method": len}, sd.EstimationError, "categories"),
        ({"target": "everybody"}, sd.DomainError, "target must"),
        ({"repetitions": 1}, sd.DomainError, "repetitions must"),
        ({"repetitions": 1.5}, sd.WrongTypeError, "repetitions must"),
        ({"repetitions": None}, sd.WrongTypeError, "repetitions must"),
        ({"repetitions": True}, sd.WrongTypeError, "repetitions must"),
        ({"repetitions": 10**12}, sd.DomainError, "repetitions must"),
        ({"rng": "1"}, sd.WrongTypeError, "rng must"),
        ({"method": lambda m, c: None}, sd.EstimationError, "finite numbers"),
        ({"method": lambda m, c: "text"}, sd.EstimationError, "finite numbers"),
        ({"method": lambda m, c: []}, sd.EstimationError, "finite numbers"),
        ({"method": lambda m, c: [[1], [1, 2]]}, sd.EstimationError, "finite numbers"),
        ({"method": lambda m, c: float("nan")}, sd.EstimationError, "finite numbers"),
        ({"method": lambda m, c: np.zeros(int(c.support[0]))}, sd.EstimationError, "one shape"),
        ({"method": lambda m, c: np.zeros(10**6), "repetitions": 1000}, sd.DomainError, "too many"),
    ],
)
def test_bad_input(change: dict[str, object], error: type[Exception], match: str) -> None:
    arguments = {
        "mechanism": sd.GRR(3, 1.0),
        "counts": COUNTS,
        "repetitions": 100,
        "rng": seeded(),
        **change,
    }
    with pytest.raises(error, match=match):
        sd.bootstrap(**arguments)


REFUSED = {
    *("Duchi", "Hybrid", "Piecewise", "PrivKV", "PrivKVM", "StateRR", "PCKVGRR", "PCKVUE"),
    *("MarginalRR", "SampledPairs", "SampledTables", "SetUnary", "Trajectories", "PEM", "Levels"),
}
"""Those whose estimates are no shares of one distribution, or that are not drawn from one."""


def reports_of(m: Any) -> Any:
    """Return two hundred reports of a mechanism of any family."""
    family = import_module(m.conformance).FAMILY
    answers = (list(family.answers(m))[:50] * 200)[:200]
    return m.perturb(*family.batch(m, answers), rng=seeded())


def test_every_mechanism_has_a_default_that_works_or_is_refused_with_a_remedy() -> None:
    refused = set()
    for cls in registered(Mechanism):
        for m in {*cls.examples()[:1], *cls.examples()[-1:]}:
            counts = m.aggregate(reports_of(m))
            try:
                est = sd.bootstrap(m, counts, repetitions=2, rng=seeded())
            except (sd.WrongTypeError, sd.EstimationError) as error:
                assert error.argument == "mechanism", (m, error)
                assert "estimate" in error.remedy, (m, error)
                refused.add(cls.__name__)
            else:
                assert est.method.removesuffix(", bootstrap") in m.methods
                assert np.isfinite(est.stderr).all()
    assert refused == REFUSED & {cls.__name__ for cls in registered(Mechanism)}
