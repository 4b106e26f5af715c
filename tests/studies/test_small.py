"""Exact errors at n = 14, k = 5: against the formula, and against simulation."""

from __future__ import annotations

import numpy as np
import pytest

import sudare as sd
from sudare.studies.grr_oue import small
from sudare.studies.grr_oue.repairs import REPAIRS, simulated_shares


@pytest.mark.parametrize("kind", [sd.GRR, sd.OUE])
@pytest.mark.parametrize("skew", small.SKEWS)
def test_laws_are_laws_with_the_right_mean(kind: type[sd.GRR], skew: str) -> None:
    m, truth = kind(small.K, 0.7), small.SKEWS[skew]
    law, every = small.tally_law(m, truth), small.outcomes(m.name)
    assert law.min() >= 0
    assert law.sum() == pytest.approx(1, abs=1e-12)
    p, q = (float(x) for x in m.support_probabilities)
    counts = every.ranked.reshape(-1)[every.place]
    expected = [f * p + (small.N - f) * q for f in truth]
    assert counts @ law == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("epsilon", [0.2, 0.5])
def test_unrepaired_errors_are_the_formula(epsilon: float) -> None:
    errors = small.exact_errors(epsilon)
    for kind in (sd.GRR, sd.OUE):
        exact = kind(small.K, epsilon).expected_mse(small.N, target="respondents")
        for skew in small.SKEWS:
            assert errors[kind.name, "raw", skew] == pytest.approx(exact, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("repair", REPAIRS)
def test_repaired_errors_agree_with_simulation(repair: str, rng: sd.Entropy) -> None:
    truth = np.array(small.SKEWS["mild"])
    for kind in (sd.GRR, sd.OUE):
        drawn = REPAIRS[repair](simulated_shares(kind(small.K, 0.5), truth, 4000, rng))
        errors = ((drawn - truth / small.N) ** 2).mean(axis=1)
        exact = small.exact_errors(0.5)[kind.name, repair, "mild"]
        # |z| < 4.5: a false alarm in 1 of 7e4 comparisons with another seed
        assert abs(errors.mean() - exact) < 4.5 * errors.std() / np.sqrt(errors.size)


def test_draws_are_estimates(rng: sd.Entropy) -> None:
    m, truth = sd.OUE(small.K, 1.0), np.array(small.SKEWS["mild"])
    drawn = simulated_shares(m, truth, 3, sd.Entropy.seeded(b"draws"))
    again = sd.Entropy.seeded(b"draws")
    for line in drawn:
        assert line == pytest.approx(m.estimate(m.simulate(truth, rng=again)).shares, abs=1e-12)


@pytest.mark.parametrize(
    ("repair", "wins", "loses"),
    [
        ("clip", 0.15, 0.16),
        ("normalise", 0.2, 0.22),
        ("shift", 0.38, 0.4),
        ("project", 0.6, 0.75),
    ],
)
def test_where_oue_wins_on_dataset1(repair: str, wins: float, loses: float) -> None:
    for skew in small.SKEWS:
        assert small.oue_over_grr(wins, repair, skew) < 1 < small.oue_over_grr(loses, repair, skew)


def test_the_last_win_is_between_its_neighbours() -> None:
    assert small.last_win("raw", "mild", (0.38, 0.4)) is None
    assert small.last_win("shift", "mild", (0.38, 0.4)) == pytest.approx(0.3903, abs=1e-3)
    assert small.last_win("shift", "mild", (0.2, 0.38)) == 0.38


def test_chance_alone_does_not_explain_the_source() -> None:
    assert 0.08 < small.chance_of_oue(0.2, "mild", 100) < 0.12
    assert small.chance_of_oue(0.5, "mild", 100) < 0.002
    assert small.chance_of_oue(0.2, "mild", 10_000) < 1e-6
