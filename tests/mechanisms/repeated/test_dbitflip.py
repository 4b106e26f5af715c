"""dBitFlipPM: its one report by enumeration, and that it is the same one in each round."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import sudare as sd
from sudare.mechanisms.repeated import Memory
from sudare.poisoning import averaging

SMALL = [sd.DBitFlipPM(4, 1.0, d) for d in (1, 2, 4)]
ids = pytest.mark.parametrize("m", SMALL, ids=lambda m: f"d={m.d}")


@ids
def test_one_report_has_the_law_that_is_stated(m: Any) -> None:
    program = m.program
    rows, laws = list(program.rows()), program.laws(range(m.k))
    assert len(rows) == len(set(rows)) == program.outputs
    assert all(sum(law) == 1 for law in laws)
    worst = max(max(one) / min(one) for one in zip(*laws, strict=True))
    assert worst == program.ratio == m.steady_ratio(7) == m.total_ratio(1)
    assert 1 - 1e-6 <= m.epsilon <= 1
    guessed = sum(map(max, zip(*laws, strict=True)), Fraction(0)) / m.k
    assert program.guess_probability == pytest.approx(float(guessed))


@ids
def test_estimates_have_the_moments_that_are_stated(m: Any) -> None:
    """Mean, variance, covariance and third moment of one person's estimate, by enumeration."""
    rows = list(m.program.rows())
    tallies = np.array([m.aggregate([row]).support for row in rows])
    law = m.law
    each = np.array([m.supports(one) / float(law.p) for one in tallies])  # (reports, k)
    for v, chances in enumerate(m.program.laws(range(m.k))):
        weights, truth = np.array(chances, dtype=float), np.eye(m.k)[v]
        mean = weights @ each
        assert np.allclose(mean, truth)
        apart = each - mean
        covariance = (weights[:, None] * apart).T @ apart
        assert np.allclose(np.diag(covariance), law.cells(truth))
        assert np.allclose(covariance - np.diag(np.diag(covariance)), 0, atol=1e-12)
        assert np.allclose(weights @ apart**3, law.third_of_cells(truth, False))
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    mixed = shares @ np.array(m.program.laws(range(m.k)), dtype=float)
    assert np.allclose(mixed @ (each - shares) ** 3, law.third_of_cells(shares, True))


@ids
def test_a_respondent_tells_the_same_in_each_round(m: Any) -> None:
    rng, n = sd.Entropy.seeded(b"rounds"), 10_000
    first, again, other = m.perturb_rounds([(1, 1, 3)] * n, rng=rng)
    assert (first == again).all()
    assert ((first == 0) == (other == 0)).all()  # the same categories are asked about
    unseen = (first[:, 1] == 0) & (first[:, 3] == 0)
    assert (first[unseen] == other[unseen]).all()
    rows = {row: i for i, row in enumerate(m.program.rows())}
    for reports, value in ((first, 1), (other, 3)):
        kinds, numbers = np.unique(reports, axis=0, return_counts=True)
        seen = np.zeros(len(rows))
        seen[[rows[tuple(row)] for row in kinds.tolist()]] = numbers
        law = np.array(m.program.laws([value])[0], dtype=float)
        assert stats.chisquare(seen, n * law).pvalue > 1e-6
        assert stats.chisquare(seen, n * np.roll(law, 1)).pvalue < 1e-6


@ids
def test_a_device_keeps_its_set_and_its_answers(m: Any) -> None:
    rng = sd.Entropy.seeded(b"device")
    memory = m.remember(entropy=rng)
    told = []
    for value in (0, 1, 2, 3) * 2:
        report, memory = m.report(value, memory, entropy=rng)
        told.append(m.program.encode_one(report))
    assert told[:4] == told[4:]
    assert len(memory.answers) == m.states
    assert Memory.from_json(json.loads(json.dumps(memory.to_json()))) == memory
    with pytest.raises(sd.DomainError):
        m.report(0, Memory(memory.mechanism))


@ids
def test_averaging_tells_nothing_more(m: Any) -> None:
    found = averaging(m, [1, 1000], people=2000, rng=sd.Entropy.seeded(b"dbit"))
    for one in found:
        assert abs(one.guessed - one.bound) < 4 * one.stderr
    assert found[1].afresh > 0.99


@pytest.mark.slow
def test_errors_of_a_collection_are_those_stated() -> None:
    m = sd.DBitFlipPM(5, 2.0, 2)
    n, many, rng = 50, 3000, sd.Entropy.seeded(b"errors")
    values = rng.generator().integers(5, size=n * many)
    reports = m.perturb(values, rng=rng)
    found = [m.estimate(m.aggregate(part)) for part in np.split(reports, many)]
    shares = np.array([one.shares for one in found])
    assert abs(((shares - 0.2) ** 2).mean() / m.expected_mse(n) - 1) < 0.03
    intervals = (one.interval(0.95) for one in found[:1500])
    held = np.array([(low <= 0.2) & (high >= 0.2) for low, high in intervals])
    assert 0.94 <= held.mean() <= 0.96


def test_all_asked_errs_as_symmetric_unary_encoding() -> None:
    ours, theirs = sd.DBitFlipPM(6, 1.5), sd.SUE(6, 1.5)
    assert ours.expected_mse(100) == pytest.approx(theirs.expected_mse(100), rel=1e-5)
    assert sd.DBitFlipPM(6, 1.5, 3).expected_mse(100) > ours.expected_mse(100)


def test_bad_values_are_refused() -> None:
    m = SMALL[1]
    assert sd.DBitFlipPM.from_json(m.to_json()) == m
    for bad in sd.DBitFlipPM.bad_values():
        with pytest.raises(bad.error):
            sd.DBitFlipPM(**bad.arguments)
    for reports in ([[0, 1, 2, 1]], [[0, 1, 3, 0]], [[0, 1, 2]], [0, 1]):
        with pytest.raises(sd.ReportError):
            m.aggregate(reports)
    with pytest.raises(sd.WrongTypeError):
        m.aggregate([[0.0, 1.0, 2.0, 0.0]])
    with pytest.raises(sd.ReportError):
        m.program.decode(bytes([1, 1, 1, 0]))
    with pytest.raises(sd.PrivacyError):
        m.program.to_json()
