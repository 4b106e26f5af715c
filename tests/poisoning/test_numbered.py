"""Fake reports that are numbers: what they support, by enumeration of all reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms import FrequencyOracle, Mechanism
from sudare.mechanisms.registry import registered
from sudare.poisoning import MGA, RIA, RPA, alarms, gain, numbered, recover, simulate_gain
from tests.cases import cases

MECHANISMS: list[Any] = [
    sd.LinearHashing(7, 1.0),
    sd.LinearHashing(30, 2.0),
    sd.OLH(12, 1.0),
    sd.HadamardResponse(6, 1.0),
    sd.ProjectiveGeometry(13, 1.0),
    sd.LOLOHA(9, 1.0, 2.0, g=3),
]
TARGETS = [1, 2, 5]
REFUSED = {"SHE", "DBitFlipPM", "NegativeSurvey"}


def table(m: Any) -> np.ndarray:
    """Return which categories each report supports, by the mechanism's own count of it."""
    return np.stack([m.aggregate([one]).support for one in range(m.program.outputs)])


@cases("m", MECHANISMS)
def test_the_laws_are_those_of_all_reports(m: Any) -> None:
    supports = table(m)
    most = supports[:, TARGETS].sum(axis=1).max()
    law = MGA(TARGETS).law(m)
    assert law.rates[TARGETS].sum() == pytest.approx(most)
    assert set(law.reports(50, np.random.default_rng(1)).tolist()) <= set(
        np.flatnonzero(supports[:, TARGETS].sum(axis=1) == most).tolist()
    )
    np.testing.assert_allclose(RPA(TARGETS).law(m).rates, supports.mean(axis=0), atol=1e-9)
    laws = np.array([[float(one) for one in row] for row in m.program.laws(TARGETS)])
    np.testing.assert_allclose(RIA(TARGETS).law(m).rates, laws.mean(axis=0) @ supports, atol=1e-6)
    p, q = (float(one) for one in m.support_probabilities)
    expected = 0.1 * (most - len(TARGETS) * q) / (p - q) - 0.1 * len(TARGETS) / m.k
    assert gain(m, MGA(TARGETS), 0.1).total_frequency == pytest.approx(expected, abs=1e-6)


@cases("m", MECHANISMS)
def test_drawn_fakes_follow_their_laws(m: Any) -> None:
    """5 standard deviations of 100,000 reports: a false alarm in 10^6 a category and law."""
    people = 100_000
    for attack in (MGA(TARGETS), RPA(TARGETS), RIA(TARGETS)):
        law = attack.law(m)
        counted = m.aggregate(attack.reports(m, people, rng=sd.Entropy.seeded(b"reports"))).support
        drawn = attack.simulate(m, people, rng=sd.Entropy.seeded(b"counts")).support
        allowed = 5 * np.sqrt(people * law.rates * (1 - law.rates)) + 1e-6 * people
        for support in (counted, drawn):
            assert (np.abs(support - people * law.rates) <= allowed).all(), (m, attack)


def test_the_gain_of_a_simulation_is_the_computed_one() -> None:
    """4 standard errors: a false alarm in 16,000."""
    m, attack = sd.LinearHashing(30, 1.0), MGA(TARGETS)
    found = simulate_gain(m, attack, 0.05, n=20_000, trials=20, rng=sd.Entropy.seeded(b"gain"))
    exact = gain(m, attack, 0.05).total_frequency
    assert found.stderr_total_frequency is not None
    assert abs(found.total_frequency - exact) < 4 * found.stderr_total_frequency


def test_ten_neighbours_are_lifted_as_much_as_by_unary_encoding() -> None:
    attack = MGA(range(10))
    mine, theirs = (gain(one(100, 1.0), attack, 0.05).total_frequency
                    for one in (sd.LinearHashing, sd.OUE))  # fmt: skip
    assert (round(mine, 3), round(theirs, 3)) == (1.573, 1.577)


def test_every_frequency_mechanism_has_all_attacks_or_a_reason() -> None:
    refused = set()
    for cls in registered(Mechanism):
        if not issubclass(cls, FrequencyOracle):
            continue
        for attack in (MGA([0, 2]), RPA([0, 2]), RIA([0, 2])):
            m = cls.examples()[-1]
            try:
                law = attack.law(m)
            except sd.WrongTypeError as error:
                assert cls.__name__ in error.remedy, error
                refused.add(cls.__name__)
                continue
            assert law.rates.shape == (m.k,)
            assert attack.simulate(m, 50, rng=sd.Entropy.seeded(b"all")).n == 50
            assert m.aggregate(attack.reports(m, 50, rng=sd.Entropy.seeded(b"all"))).n == 50
    assert refused == REFUSED


def test_what_is_drawn_of_a_large_family_is_improved(monkeypatch: pytest.MonkeyPatch) -> None:
    m = sd.LinearHashing(1000, 1.0)
    whole = MGA(range(0, 900, 90)).law(m).rates[range(0, 900, 90)].sum()
    monkeypatch.setattr(numbered, "MOST_TRIED", 20_000)
    part = MGA(range(0, 900, 90)).law(m).rates[range(0, 900, 90)].sum()
    assert 5 <= part <= whole


@cases("m", MECHANISMS[:5])
def test_recovery_and_alarms_know_these_reports(m: Any) -> None:
    attack = MGA([1])
    truth = np.full(m.k, 2000)
    rng = sd.Entropy.seeded(b"recover")
    counts = m.simulate(truth, rng=rng) + attack.simulate(m, int(truth.sum() // 9), rng=rng)
    est = m.estimate(counts)
    shares = recover(m, est, attack, beta=0.1)
    assert abs(shares[1] - 1 / m.k) < 5 * est.stderr[1] < est.shares[1]
    assert alarms(m, counts)["tested"]
