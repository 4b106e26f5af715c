"""Recovery: a known attack's bias is taken away; an unknown one's is hardly touched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.estimation import project
from sudare.poisoning import MGA, RIA, RPA, recover
from tests.cases import cases

TRUTH = np.array([0.3, 0.25, 0.2, 0.12, 0.08, 0.05])
ORACLES: list[Any] = [
    sd.GRR(6, 1.0), sd.OUE(6, 1.0), sd.SUE(6, 2.0), sd.DyadicUnary(6, 1.0),
    sd.SubsetSelection(6, 1.0), sd.OLH(6, 1.0), sd.LinearHashing(6, 1.0),
    sd.HadamardResponse(6, 1.0), sd.ProjectiveGeometry(6, 1.0),
]  # fmt: skip


def poisoned(oracle: Any, attack: Any, beta: float) -> Any:
    """Return the estimate in the limit of many respondents."""
    rates = attack.law(oracle).rates
    return oracle.estimate(attack.surface(oracle).expected((TRUTH, np.zeros(0)), rates, beta))


@cases("oracle", ORACLES)
@cases("attack", [MGA([5]), MGA([4, 5]), RPA([5]), RIA([4, 5])])
def test_a_known_attack_leaves_no_bias(oracle: Any, attack: Any) -> None:
    est = poisoned(oracle, attack, 0.1)
    assert np.abs(est.shares - TRUTH).max() > 0.01
    assert np.allclose(recover(oracle, est, attack, 0.1), TRUTH, atol=1e-9)


@cases("oracle", ORACLES)
def test_wrong_assumptions_leave_some(oracle: Any) -> None:
    est = poisoned(oracle, MGA([5]), 0.1)
    for attack, beta in ((MGA([4]), 0.1), (RPA([5]), 0.1), (MGA([5]), 0.05)):
        assert np.abs(recover(oracle, est, attack, beta) - TRUTH).max() > 0.01


@cases("oracle", ORACLES)
def test_a_guess_does_little_against_a_targeted_attack(oracle: Any) -> None:
    """What the documentation says of LDPRecover without knowledge of the attack."""
    est = poisoned(oracle, MGA([5]), 0.1)
    guessed = recover(oracle, est, None, 0.1)
    assert guessed.sum() == pytest.approx(1)
    assert guessed.min() >= 0
    assert guessed[5] - TRUTH[5] > 0.4 * min(est.shares[5] - TRUTH[5], 1)


@cases("oracle", ORACLES)
def test_a_simulated_attack(oracle: Any) -> None:
    """With noise, the recovered shares are nearer the truth than those without recovery."""
    rng = sd.Entropy.seeded(b"recover" + oracle.name.encode())
    truth = (TRUTH * 190_000).astype(np.int64)
    attack = MGA([5])
    with_it, without = 0.0, 0.0
    for _ in range(20):
        est = oracle.estimate(
            oracle.simulate(truth, rng=rng) + attack.simulate(oracle, 10_000, rng=rng)
        )
        with_it += ((recover(oracle, est, attack, 0.05) - TRUTH) ** 2).mean()
        without += ((project(est.shares) - TRUTH) ** 2).mean()
    assert with_it < without / 5


def test_bad_input() -> None:
    oracle = sd.OUE(6, 1.0)
    est = poisoned(oracle, MGA([5]), 0.1)
    counts = sd.Counts([3, 4, 5], 12)
    wrong: list[tuple[Any, ...]] = [
        *((oracle, est, MGA([5]), x) for x in (0, 1, float("nan"), None, "x", True)),
        *((oracle, est, x, 0.1) for x in (MGA([6]), "MGA", sd.poisoning.M2GA([0]), MGA)),
        *((oracle, x, MGA([5]), 0.1) for x in (None, TRUTH, sd.GRR(3, 1.0).estimate(counts))),
        (oracle, sd.SUE(6, 1.0).estimate(sd.Counts([1] * 6, 6)), MGA([5]), 0.1),
        (oracle, oracle.estimate(sd.Counts([1] * 6, 6), "projected"), MGA([5]), 0.1),
        *((x, est, MGA([5]), 0.1) for x in (None, sd.PrivKV(6, 1.0), sd.NegativeSurvey(6))),
    ]
    for one in wrong:
        with pytest.raises(sd.SudareError):
            recover(*one)
