"""The negative survey: exact law, right estimates, and every door to people shut."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.cli import main
from sudare.mechanisms import FrequencyOracle, from_json, names
from sudare.mechanisms.registry import lookup
from tests.cases import cases

ALPHA = 1e-8


def test_the_law_is_zero_and_one_in_k_minus_one() -> None:
    law = sd.NegativeSurvey(4).program.matrix()
    third = Fraction(1, 3)
    assert law == [[Fraction(0) if r == v else third for v in range(4)] for r in range(4)]
    assert all(sum(column) == 1 for column in zip(*law, strict=True))
    np.testing.assert_allclose(
        sd.NegativeSurvey(4).channel.dense(), [[float(c) for c in row] for row in law]
    )


def test_there_is_no_guarantee() -> None:
    m = sd.NegativeSurvey(4)
    assert m.epsilon == m.gamma == m.channel.epsilon == math.inf
    assert m.estimate(sd.Counts((1, 1, 1, 1), 4)).epsilon == math.inf
    for act in (lambda: m.program.ratio, m.program.to_json, lambda: m.program.from_json({})):
        with pytest.raises(sd.PrivacyError):
            act()


@cases("k", [2, 3, 5, 43, 257])
def test_bulk_reports_follow_the_law(k: int) -> None:
    value = k // 2
    observed = np.bincount(sd.NegativeSurvey(k).perturb(np.full(200_000, value)), minlength=k)
    assert observed[value] == 0
    law = np.full(k, 1 / (k - 1))
    law[value] = 0
    assert sd.testing.chi_square_pvalue(observed, law) > ALPHA
    if k > 2:  # a control: one category in the place of its neighbour
        assert sd.testing.chi_square_pvalue(np.roll(observed, 1), law) < ALPHA


def test_single_reports_follow_the_law_and_redraw_exactly() -> None:
    m = sd.NegativeSurvey(4)

    class Words:
        def __init__(self, *words: int) -> None:
            self._words = list(words)

        def take(self, n: int) -> bytes:
            return self._words.pop(0).to_bytes(n, "little")

    fair = (1 << 64) - (1 << 64) % 3
    assert m.perturb_one(1, entropy=Words(fair, 1)) == 2
    assert [m.perturb_one(1, entropy=Words(w)) for w in (0, 1, 2, fair - 1)] == [0, 2, 3, 3]
    drawn = np.bincount([m.perturb_one(3) for _ in range(30_000)], minlength=4)
    assert sd.testing.chi_square_pvalue(drawn, [1 / 3, 1 / 3, 1 / 3, 0]) > ALPHA


def test_estimate_and_variance_are_those_of_the_law() -> None:
    m, n = sd.NegativeSurvey(4), 100
    estimate = m.estimate(sd.Counts((30, 20, 40, 10), n), target="respondents")
    np.testing.assert_allclose(estimate.shares, [0.1, 0.4, -0.2, 0.7])
    plausible = np.clip(estimate.shares, 0, 1)
    np.testing.assert_allclose(estimate.stderr**2, (1 - plausible) * 2 / n)
    shares = np.array([0.5, 0.3, 0.2, 0.0])
    assert m.expected_mse(n, shares, "respondents") == pytest.approx(3 * 2 / 4 / n)
    assert m.expected_mse(n, shares) == pytest.approx((6 + (shares * (1 - shares)).sum()) / 4 / n)


def test_simulation_has_the_law_of_the_aggregate() -> None:
    m, truth = sd.NegativeSurvey(4), np.array([5000, 3000, 2000, 0])
    rng, n = sd.Entropy.seeded(b"negative"), 10_000
    drawn = np.array([m.simulate(truth, rng=rng).support for _ in range(4000)])
    np.testing.assert_allclose(drawn.sum(axis=1), n)
    assert (drawn[:, 0] <= 5000).all()
    q = 1 / 3
    mean = (n - truth) * q
    assert (np.abs(drawn.mean(axis=0) - mean) < 6 * np.sqrt(mean / 4000)).all()
    covariance = np.cov(drawn.T)
    others = np.ones((4, 4)) - np.eye(4)
    expected = others @ np.diag(truth) @ others  # n_t for both of a pair unlike t
    expected = -(expected * q * q)
    np.fill_diagonal(expected, (n - truth) * q * (1 - q))
    np.testing.assert_allclose(covariance, expected, atol=0.12 * n * q * q)


def test_perturbing_and_simulating_agree_with_the_truth() -> None:
    m, n = sd.NegativeSurvey(6), 200_000
    shares = np.array([0.4, 0.3, 0.1, 0.1, 0.1, 0.0])
    people = np.repeat(np.arange(6), (shares * n).astype(int))
    estimate = m.estimate(m.aggregate(m.perturb(people)), target="respondents")
    assert (np.abs(estimate.shares - shares) < 6.5 * np.maximum(estimate.stderr, 1e-4)).all()
    difference = estimate.difference(0, 5)
    assert abs(difference.value - 0.4) < 6.5 * difference.stderr


@cases(
    "values", [[0, float("nan")], [0, None], [0, 5], [-1], ["0"], [True], [], np.ma.array([0, 1])]
)
def test_values(values: Any) -> None:
    with pytest.raises(sd.SudareError, match="values must"):
        sd.NegativeSurvey(5).perturb(values)


@cases("reports", [[0, 5], [-1], [0.5], ["a"], [[0]], [None]])
def test_reports(reports: Any) -> None:
    with pytest.raises(sd.SudareError, match="reports must"):
        sd.NegativeSurvey(5).aggregate(reports)
    with pytest.raises(sd.ReportError):
        sd.NegativeSurvey(5).program.check_wire(b"\x05")


# -- no way to people ----------------------------------------------------------------------------

SURVEY = """
[collection]
name = "tea"
epsilon = 2.0
[[question]]
id = "brand"
type = "choice"
text = "Which?"
choices = ["a", "b", "c"]
mechanism = "{}"
"""


def test_no_plan_names_it() -> None:
    assert "NegativeSurvey" not in names(FrequencyOracle)
    listed = [option.mechanism.name for option in sd.plan(k=3, n=10**9, epsilon=0.001)]
    assert "NegativeSurvey" not in listed
    assert "GRR" in listed


def test_no_lookup_gives_it() -> None:
    for act in (
        lambda: lookup("NegativeSurvey", FrequencyOracle),
        lambda: from_json(sd.NegativeSurvey(3).to_json(), FrequencyOracle),
        lambda: sd.Collection.from_toml(SURVEY.format("NegativeSurvey")),
    ):
        with pytest.raises(sd.CollectionError, match="local privacy guarantee"):
            act()


def test_no_collection_takes_the_object_itself() -> None:
    good = sd.Collection.from_toml(SURVEY.format("GRR"))
    question = replace(good.questions[0], mechanism=sd.NegativeSurvey(4))
    with pytest.raises(sd.CollectionError, match="local privacy guarantee"):
        replace(good, questions=(question,))


def test_no_command_takes_it(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "people.csv"
    table.write_text("region\n" + "a\nb\nc\n" * 5)
    arguments = ["simulate", str(table), "--column", "region", "--epsilon", "1"]
    assert main([*arguments, "--mechanism", "NegativeSurvey"]) == 2
    assert "local privacy guarantee" in capsys.readouterr().err
