"""Questions crossed afterwards: dense channels, the joint mechanism, and simulated coverage."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms import crossed
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.registry import registered
from sudare.mechanisms.scores import scores
from tests.cases import cases

SEED = sd.Entropy.seeded(b"crossed")
ORACLES = [kind for kind in registered(FrequencyOracle) if not kind.studies_only]


def test_of_grr_it_is_the_joint_mechanism() -> None:
    parts = [sd.GRR(2, 2.0), sd.GRR(3, 1.5)]
    j: Any = sd.JointRR.of(parts)
    rows = j.perturb(np.stack([np.arange(900) % 2, np.arange(900) % 9 % 3], axis=1), rng=SEED)
    columns = [np.ascontiguousarray(one) for one in rows.T]
    counts = j.aggregate(rows)
    for target in ("population", "respondents"):
        found = sd.cross(parts, columns, target=target)
        expected = j.estimate(counts, target=target)
        assert found.pairs.tolist() == counts.support.tolist()
        assert found.estimate.shares == pytest.approx(expected.shares)
        assert found.estimate.stderr == pytest.approx(expected.stderr, rel=0.05)
        v, w = found.estimate.dependence(), j.dependence(counts, target=target)
        assert (v.value, *v.interval()) == pytest.approx((w.value, *w.interval()), abs=0.03)
    assert found.estimate.epsilon == pytest.approx(3.5, abs=1e-5)
    assert found.estimate.epsilon <= 3.5
    assert found.estimate.n == 900


@cases("kind", ORACLES)
def test_every_oracle_crosses_with_every_other_as_its_law_says(kind: Any) -> None:
    """The mean over the whole alphabet of both reports, by their exact laws, is the pair asked."""
    one, other = kind.examples()[0], sd.GRR(3, 1.0)
    reports = one.perturb(np.arange(60) % one.k, rng=SEED)
    rest = other.perturb(np.arange(60) % 3, rng=SEED)
    found = sd.cross([one, other], [reports, rest])
    # summed over all answers of the second, whose scores add up to 1, the first one is left
    alone = one.estimate(one.aggregate(reports)).shares
    assert found.estimate.marginal(0).shares == pytest.approx(alone, abs=1e-9)
    again = sd.cross([other, one], [rest, reports])
    assert again.pairs.T.tolist() == found.pairs.tolist()


def test_unbiased_by_enumerating_all_reports() -> None:
    parts = [sd.GRR(2, 1.0), sd.OUE(2, 1.0)]
    laws = [m.channel.dense() for m in parts]
    alphabets = [np.arange(2), np.arange(4, dtype=np.uint8)[:, None]]
    for truth in product(range(2), range(2)):
        mean = np.zeros((2, 2))
        for (i, x), (j, y) in product(enumerate(alphabets[0]), enumerate(alphabets[1])):
            pair = [np.array([x, x]), np.array([y, y])]
            chance = laws[0][i, truth[0]] * laws[1][j, truth[1]]
            mean += chance * sd.cross(parts, pair).estimate.shares
        expected = np.zeros((2, 2))
        expected[truth] = 1
        assert mean == pytest.approx(expected)


def test_moments_are_those_of_all_reports() -> None:
    parts = [sd.GRR(3, 1.0), sd.OUE(2, 1.0)]
    alphabets: list[Any] = [np.arange(3), np.arange(4, dtype=np.uint8)[:, None]]
    true = np.array([[0.3, 0.1], [0.2, 0.15], [0.05, 0.2]])
    each = [scores(m, every) for m, every in zip(parts, alphabets, strict=True)]
    y = np.einsum("ri,sj->rsij", *each).reshape(12, 6)
    chance = np.einsum("rv,sw,vw->rs", *(m.channel.dense() for m in parts), true).ravel()
    laws = [m.law for m in parts]
    assert crossed._squares(laws, true) == pytest.approx((y * chance[:, None]).T @ y)
    assert crossed._cubes(laws, true) == pytest.approx(chance @ y**3)


def test_respondents_have_moments_about_their_own_cells() -> None:
    """Of every report of each value: the third moment, and how the stated variance goes along."""
    parts, n = [sd.GRR(3, 1.0), sd.OUE(2, 1.0)], 50
    alphabets: list[Any] = [np.arange(3), np.arange(4, dtype=np.uint8)[:, None]]
    true = np.array([[0.3, 0.1], [0.2, 0.15], [0.05, 0.2]])
    each = [scores(m, every) for m, every in zip(parts, alphabets, strict=True)]
    y = np.einsum("ri,sj->rsij", *each).reshape(12, 6)
    chance = np.einsum("rv,sw->rsvw", *(m.channel.dense() for m in parts)).reshape(12, 6)
    left = y[:, None, :] - np.eye(6)  # report, value, cell
    given = (y**2).T @ chance - np.eye(6)  # cell, value: the variance of a report
    stated = np.einsum("cd,rvd->rvc", given, left)
    rare = np.ones(6, bool)
    law = crossed._law([m.law for m in parts], true.ravel(), true, n, "respondents", rare)
    joint = chance * true.ravel() / n**2
    assert law.third == pytest.approx(np.einsum("rv,rvc->c", joint, left**3))
    assert law.along == pytest.approx(np.einsum("rv,rvc->c", joint, left * stated))
    assert np.diag(law.matrix) == pytest.approx(given @ true.ravel() / n)
    assert law.step * n == pytest.approx(np.ptp(each[0]) * np.ptp(each[1]))
    assert law.slopes * n == pytest.approx(np.diag(given) - given @ true.ravel())


def test_of_respondents_whose_reports_are_hardly_randomised() -> None:
    m, truth = sd.GRR(2, 8.0), np.repeat([0, 1, 2, 3], [8500, 500, 500, 500])
    rng = sd.Entropy.seeded(b"1")
    reports = [m.perturb(truth // 2, rng=rng), m.perturb(truth % 2, rng=rng)]
    est = sd.cross([m, m], reports, target="respondents").estimate
    low, high = est.interval()
    share = np.array([[0.85, 0.05], [0.05, 0.05]])
    assert ((low <= share) & (share <= high)).all()
    assert (high - low < 8 * est.stderr).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "n", "few"),
    [
        (sd.GRR(2, 4.0), 60, 3),
        (sd.GRR(2, 4.0), 1000, 50),
        (sd.GRR(2, 8.0), 60, 3),
        (sd.GRR(2, 8.0), 1000, 50),
        (sd.OUE(2, 4.0), 60, 1),  # three of four reports say nothing of a cell of one person
    ],
    ids=str,
)
def test_coverage_of_each_cell_of_the_respondents(m: Any, n: int, few: int) -> None:
    """Of 600 collections: coverage of 95 % scatters by .9 %, the least of four cells is 0.91."""
    rounds, rng = 600, sd.Entropy.seeded(b"each cell")
    many = np.array([n - 3 * few, few, few, few])
    truth = np.tile(np.repeat(np.arange(4), many), rounds)
    sent = [m.perturb(own, rng=rng) for own in (truth // 2, truth % 2)]
    sent = [one.reshape(rounds, n, *one.shape[1:]) for one in sent]
    found = [
        sd.cross([m, m], [one[i] for one in sent], target="respondents").estimate
        for i in range(rounds)
    ]
    ends, share = np.array([est.interval() for est in found]), (many / n).reshape(2, 2)
    covered = ((ends[:, 0] <= share) & (share <= ends[:, 1])).mean(axis=0)
    assert covered.min() > 0.91, covered


@cases("kind", ORACLES)
def test_the_products_given_a_value_are_the_covariances_of_the_law(kind: Any) -> None:
    for m in kind.examples():
        true = np.arange(1, m.k + 1) / (m.k * (m.k + 1) / 2)
        given = np.tensordot(true, crossed._given(m.law, m.k), axes=1)
        noise = m.law.covariance(true).dense() + np.diag(true)
        assert given == pytest.approx(noise, abs=1e-9), m


def test_three_questions() -> None:
    parts = [sd.GRR(2, 4.0), sd.OUE(3, 4.0), sd.SubsetSelection(4, 4.0)]
    truth = [np.arange(3000) % 2, np.arange(3000) % 3, np.arange(3000) % 2]
    reports = [m.perturb(own, rng=SEED) for m, own in zip(parts, truth, strict=True)]
    found = sd.cross(parts, reports)
    assert found.estimate.shares.shape == (2, 3, 4)
    expected = np.zeros((2, 3, 4))
    np.add.at(expected, tuple(truth), 1 / 3000)
    assert (np.abs(found.estimate.shares - expected) < 5 * found.estimate.stderr).all()
    assert found.estimate.dependence((0, 2)).value > 0.9
    assert found.estimate.dependence((0, 1)).interval()[0] == 0


def test_what_is_rare_is_said() -> None:
    m = sd.GRR(3, 8.0)
    found = sd.cross([m, m], [[0, 0, 1], [0, 0, 2]])
    assert [one.code for one in found.estimate.warnings] == ["few-reports"]
    assert found.pairs.tolist() == [[2, 0, 0], [0, 0, 1], [0, 0, 0]]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_coverage_and_stated_error(target: Any) -> None:
    """Of 700 collections of 12 cells: the ratio scatters by .8 %, coverage by .3 %; fixed seeds."""
    parts, truth = [sd.GRR(3, 2.0), sd.OUE(4, 2.0)], np.arange(1, 13).reshape(3, 4) / 78
    dice, rounds, n = np.random.default_rng(8), 700, 800
    rng = sd.Entropy.seeded(b"coverage of cells")
    cells = dice.choice(12, (rounds, n), p=truth.ravel())
    if target == "respondents":
        cells[:] = np.repeat(
            np.arange(12), np.diff(np.floor(np.cumsum([0, *truth.ravel()]) * n + 0.5).astype(int))
        )
        truth = np.bincount(cells[0], minlength=12).reshape(3, 4) / n
    values = [cells // 4, cells % 4]
    sent = [m.perturb(own.ravel(), rng=rng) for m, own in zip(parts, values, strict=True)]
    found = [
        sd.cross(
            parts, [one.reshape(rounds, n, *one.shape[1:])[i] for one in sent], target=target
        ).estimate
        for i in range(rounds)
    ]
    ends = np.array([est.interval() for est in found])
    covered = ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()
    stated = np.mean([est.stderr**2 for est in found], axis=0)
    seen = np.var([est.shares for est in found], axis=0)
    assert 0.94 <= covered <= 0.96
    assert np.sqrt(stated.mean() / seen.mean()) == pytest.approx(1, abs=0.02)
    wrong = np.array([est.stderr for est in found]) * 0.8  # the control
    shares = np.array([est.shares for est in found])
    assert (np.abs(shares - truth) <= 1.96 * wrong).mean() < 0.93


M = sd.GRR(3, 1.0)


@cases(
    "error, words, mechanisms, reports",
    [
        (sd.WrongTypeError, "list", M, [[0], [0]]),
        (sd.WrongTypeError, "categories", [M, sd.Duchi(1.0)], [[0, 1], [0, 1]]),
        (sd.DomainError, "two or three", [M], [[0, 1]]),
        (sd.DomainError, "2 questions", [M, M], [[0, 1]]),
        (sd.WrongTypeError, "reports", [M, M], None),
        (sd.WrongTypeError, "reports", [M, M], "ab"),
        (sd.WrongTypeError, "reports", [M, M], {0: [0, 1], 1: [0, 1]}),
        (sd.DomainError, "same respondents", [M, M], [[0, 1], [0]]),
        (sd.EstimationError, "two", [M, M], [[0], [0]]),
        (sd.ReportError, "reports", [M, M], [[0, 7], [0, 1]]),
        (sd.EstimationError, "1024 cells", [sd.GRR(40, 1.0)] * 2, [[0, 1], [0, 1]]),
    ],
)
def test_bad_input_is_refused(error: Any, words: str, mechanisms: Any, reports: Any) -> None:
    with pytest.raises(error, match=words):
        sd.cross(mechanisms, reports)
    with pytest.raises(sd.DomainError, match="target"):
        sd.cross([M, M], [[0, 1], [0, 1]], target="all")
