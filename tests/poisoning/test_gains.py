"""Gains: the sources' formulas, the golden numbers, and simulation against the exact law."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.keyvalue.padded import reciprocal_sizes
from sudare.poisoning import (
    M2GA,
    MGA,
    RIA,
    RKVA,
    RMA,
    RPA,
    Simulation,
    gain,
    simulate_gain,
    targeted_share,
)
from tests.cases import cases

HALF = sd.PrivKV(50, 1.0, split="half")
SETTING = (0.05, 0.3, 0.2)
TOLERANCE = 5e-4


def phi(beta: float, d: int, r: int) -> float:
    return beta * d / (beta * d + (1 - beta) * r)


def test_golden_numbers() -> None:
    attack = M2GA([0])
    raw = gain(HALF, attack, *SETTING)
    clipped = gain(HALF, attack, *SETTING, clipped=True)
    controlled = gain(HALF, attack, *SETTING, index_control=True)
    assert raw.total_frequency == pytest.approx(1.624, abs=TOLERANCE)
    assert clipped.total_frequency == pytest.approx(0.700, abs=TOLERANCE)
    assert controlled.total_frequency == pytest.approx(0.112, abs=TOLERANCE)
    means = {"privkv": (0.917, 0.418), "mle": (0.80, 0.73), "em": (0.80, 0.73)}
    for method, (free, drawn) in means.items():
        one, other = (
            gain(HALF, attack, *SETTING, method=method, index_control=c).total_mean
            for c in (False, True)
        )
        assert one == pytest.approx(free, abs=TOLERANCE if method == "privkv" else 5e-3)
        assert other == pytest.approx(drawn, abs=TOLERANCE if method == "privkv" else 5e-3)
    assert round(targeted_share(0.05, 50), 6) == round(phi(0.05, 50, 1), 6)


@cases("mechanism", [HALF, sd.PrivKV(20, 2.0), sd.PrivKVM(20, 3.0, rounds=2)])  # fmt: skip
@cases("r", [1, 3])
@cases("control", [False, True])
def test_frequency_of_privkv(mechanism: Any, r: int, control: bool) -> None:
    beta, f = 0.03, 0.4
    a = float(sum(row[0] for row in mechanism.channel.rows[:2]))
    share = beta if control else phi(beta, mechanism.d, r)
    expected = {M2GA: share * (a / (2 * a - 1) - f), RKVA: share * (1 - f), RMA: beta * (0.5 - f)}
    for attack, one in expected.items():
        found = gain(mechanism, attack(range(r)), beta, f, 0.5, index_control=control)
        assert np.allclose(found.frequency, one, atol=1e-9), attack
        assert found.total_frequency == pytest.approx(r * one, abs=1e-9)


@cases("control", [False, True])
def test_mean_of_privkv_is_the_mixed_law_through_the_estimator(control: bool) -> None:
    m, (beta, f, mean), r = HALF, SETTING, 2
    channel = m.channel.dense()
    theta = np.array([f * (1 + mean) / 2, f * (1 - mean) / 2, 1 - f])
    fakes = {M2GA: np.array([1.0, 0, 0]), RKVA: channel[:, 0], RMA: np.array([0.25, 0.25, 0.5])}
    second = 1 / (1 + math.exp(-0.5))

    def published(law: np.ndarray[Any, Any]) -> float:
        sides = (second - 1) * (law[0] + law[1]) + law[:2]
        n1, n2 = np.clip(sides / (2 * second - 1), 0, law[0] + law[1])
        return float((n1 - n2) / (law[0] + law[1]))

    for attack, z in fakes.items():
        share = beta if control or attack is RMA else phi(beta, 50, r)
        mixed = (1 - share) * channel @ theta + share * z
        expected = published(mixed) - published(channel @ theta)
        found = gain(m, attack([0, 4]), beta, f, mean, method="privkv", index_control=control)
        assert found.mean is not None
        assert np.allclose(found.mean, expected, atol=1e-9)


@cases("r", [1, 4])
@cases("padding", [1, 3])
def test_frequency_of_pckv(padding: int, r: int) -> None:
    d, beta, f = 12, 0.05, np.linspace(0.05, 0.6, 12)
    lost = padding * reciprocal_sizes(f, padding)  # what padding and sampling leave of f
    for cls in (sd.PCKVUE, sd.PCKVGRR):
        m = cls(d, 1.5, padding=padding)
        a, b = float(m.position.a), float(m.position.b)
        grr = cls is sd.PCKVGRR
        h = {
            M2GA: 1 / r if grr else 1.0,
            RKVA: a / r + b * (1 - 1 / r),
            RMA: 1 / (d + padding) if grr else 2 / 3,
        }
        for attack, support in h.items():
            found = gain(m, attack(range(r)), beta, f, 0.1)
            expected = beta * (padding * (support - b) / (a - b) - (f * lost)[:r])
            assert np.allclose(found.frequency, expected, atol=1e-9), (cls, attack)


@cases("epsilon", [0.5, 2.0])
@cases("r", [1, 3])
def test_formulas_of_cao_jia_and_gong(epsilon: float, r: int) -> None:
    k, beta = 16, 0.05
    shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
    held, e, targets = shares[:r].sum(), math.exp(epsilon), range(r)
    formulas = {
        (sd.GRR, RPA): beta * (r / k - held),
        (sd.GRR, RIA): beta * (1 - held),
        (sd.GRR, MGA): beta * (1 - held) + beta * (k - r) / (e - 1),
        (sd.OUE, RPA): beta * (r - held),
        (sd.OUE, RIA): beta * (1 - held),
        (sd.OUE, MGA): beta * (2 * r - held) + 2 * beta * r / (e - 1),
    }
    for (mechanism, attack), expected in formulas.items():
        found = gain(mechanism(k, epsilon), attack(targets), beta, shares)
        assert found.total_frequency == pytest.approx(expected, abs=2e-6)  # ε is rounded down
        assert found.mean is found.total_mean is None
    for cls in (sd.SUE, sd.DyadicUnary):  # by the supports of its own definition
        m = cls(k, epsilon)
        p, q = (float(x) for x in m.support_probabilities)
        for attack, support in ((MGA, 1.0), (RPA, 0.5), (RIA, p / r + q * (1 - 1 / r))):
            expected = beta * (r * (support - q) / (p - q) - held)
            assert gain(m, attack(targets), beta, shares).total_frequency == pytest.approx(expected)


def test_mga_gains_most_and_control_takes_most_of_it_away() -> None:
    for beta in (0.01, 0.05, 0.2):
        most, key, random = (gain(HALF, a([0]), beta, 0.3, 0.2) for a in (M2GA, RKVA, RMA))
        assert most.total_frequency > key.total_frequency > random.total_frequency
        drawn = gain(HALF, M2GA([0]), beta, 0.3, 0.2, index_control=True)
        assert drawn.total_frequency < most.total_frequency / 3


CASES: list[tuple[Any, Any, dict[str, Any]]] = [
    (HALF, M2GA([0]), {}),
    (HALF, M2GA([0]), {"clipped": True, "index_control": True}),
    (HALF, M2GA([0]), {"index_control": True, "method": "privkv"}),
    (sd.PrivKV(20, 2.0), RKVA([0, 3]), {"method": "privkv"}),
    (sd.StateRR(20, 2.0), RMA([0, 3]), {}),
    (sd.PrivKVM(20, 8.0, rounds=3), M2GA([2]), {}),
    (sd.PrivKVM(20, 8.0, rounds=3), RKVA([2]), {"index_control": True}),
    (sd.PCKVUE(20, 2.0, padding=2), RKVA([0, 1]), {"method": "privkv"}),
    (sd.PCKVGRR(20, 2.0, padding=2), M2GA([0, 1]), {}),
]


@pytest.mark.parametrize(("mechanism", "attack", "given"), CASES, ids=str)
def test_simulation_meets_the_exact_gain(mechanism: Any, attack: Any, given: Any) -> None:
    """Within 3 standard errors; a wrong β, of a fifth more fakes, is seen."""
    rng = sd.Entropy.seeded(repr((mechanism, attack, given)).encode())
    drawn = simulate_gain(mechanism, attack, *SETTING, n=1_000_000, trials=50, rng=rng, **given)
    exact = gain(mechanism, attack, *SETTING, **given)
    assert drawn.stderr_total_frequency is not None
    assert abs(drawn.total_frequency - exact.total_frequency) < 3 * drawn.stderr_total_frequency
    assert drawn.total_mean is not None
    assert drawn.stderr_total_mean is not None
    assert exact.total_mean is not None
    assert abs(drawn.total_mean - exact.total_mean) < 3.5 * drawn.stderr_total_mean + 2e-3
    wrong = gain(mechanism, attack, 0.06, 0.3, 0.2, **given)
    far = abs(drawn.total_frequency - wrong.total_frequency)
    assert given.get("clipped") or isinstance(attack, RMA) or far > 5 * drawn.stderr_total_frequency


@cases("attack", [MGA([0, 1]), RPA([0, 1]), RIA([0, 1])])
@cases("mechanism", [sd.GRR(16, 1.0), sd.OUE(16, 1.0), sd.SUE(16, 1.0)])
@cases("method", ["unbiased", "projected"])
def test_simulation_of_one_answer(mechanism: Any, attack: Any, method: str) -> None:
    rng = sd.Entropy.seeded(repr((mechanism, attack)).encode())
    given: dict[str, Any] = {"method": method}
    drawn = simulate_gain(mechanism, attack, 0.05, n=2_000_000, trials=40, rng=rng, **given)
    exact = gain(mechanism, attack, 0.05, **given)
    assert drawn.stderr_frequency is not None
    assert (np.abs(drawn.frequency - exact.frequency) < 4 * drawn.stderr_frequency).all()
    assert drawn.trials == 40
    assert drawn.method == method


def test_standard_errors_shrink_with_trials() -> None:
    rng = sd.Entropy.seeded(b"shrink")
    few, many = (
        simulate_gain(HALF, M2GA([0, 1]), *SETTING, n=20_000, trials=t, rng=rng) for t in (16, 144)
    )
    assert few.stderr_total_frequency is not None
    assert many.stderr_total_frequency is not None
    assert 1.5 < few.stderr_total_frequency / many.stderr_total_frequency < 6
    assert many.stderr_frequency is not None
    assert many.stderr_frequency.shape == (2,)


def test_standard_errors_are_those_of_the_trials() -> None:
    rng = sd.Entropy.seeded(b"trials")
    simulation = Simulation(HALF, M2GA([0, 1]), *SETTING, n=20_000, rng=rng)
    trials = np.stack([next(simulation) for _ in range(16)])
    found = simulation.summary(trials)
    each = trials.std(axis=0, ddof=1) / 4
    total = trials.sum(axis=2).std(axis=0, ddof=1) / 4
    assert np.allclose([found.stderr_frequency, found.stderr_mean], each)
    assert np.allclose([found.stderr_total_frequency, found.stderr_total_mean], total)
    assert not np.allclose(total, each.sum(axis=1))  # the two targets are not independent


def test_fakes_are_fed_back_in_rounds() -> None:
    """Non-holders of later rounds report with the poisoned mean: the gain grows with the rounds."""
    one, three = (
        gain(sd.PrivKVM(10, 8.0, rounds=c), M2GA([0]), 0.02, 0.1, 0.0).total_mean for c in (2, 4)
    )
    assert one is not None
    assert three is not None
    assert three > one > 0.3


def test_an_undefined_mean_counts_as_zero() -> None:
    found = gain(HALF, M2GA([0]), 0.05, 0.0, 0.0, method="mle")
    assert found.total_mean == pytest.approx(1.0)
    assert np.isfinite(gain(HALF, M2GA([0]), 0.05, 0.0, float("nan"), method="privkv").mean).all()


BAD: list[dict[str, Any]] = [
    *({"beta": x} for x in (0, 1, -0.1, 2, float("nan"), None, "0.1", True, 10**400, [0.1], 1j)),
    *({"frequency": x} for x in (-0.1, 1.1, float("nan"), None, "x", [0.1], True, 10**400)),
    *({"mean": x} for x in (-1.1, 1.5, float("nan"), None, "x", [0.1] * 3, [[0.1] * 50])),
    *({"method": x} for x in ("x", 3, "projected")),
    *({"clipped": x} for x in (1, None)),
    *({"index_control": x} for x in (0, "no")),
    *({"attack": x} for x in (None, "M2GA", MGA([0]), M2GA([50]), M2GA)),
    *({"mechanism": x} for x in (None, sd.GRR(5, 1.0), sd.SetUnary(5, 1.0, 2), "PrivKV")),
    {"frequency": np.ma.masked_array([0.1] * 50, [True] * 50)},
]


@cases("wrong", BAD)
@cases("simulated", [False, True])
def test_bad_input(wrong: dict[str, Any], simulated: bool) -> None:
    given = {"mechanism": HALF, "attack": M2GA([0]), "beta": 0.05, "frequency": 0.3, "mean": 0.2}
    more = {"n": 1000, "trials": 2} if simulated else {}
    with pytest.raises(sd.SudareError):
        (simulate_gain if simulated else gain)(**{**given, **more, **wrong})


TRIALS: list[dict[str, Any]] = [
    *({"n": x} for x in (1, 1.5, None, 10**30)),
    *({"trials": x} for x in (1, True, "5")),
    {"rng": "3"},
]


@cases("wrong", TRIALS)
def test_bad_trials(wrong: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        simulate_gain(HALF, M2GA([0]), *SETTING, **{"n": 1000, **wrong})


def test_bad_input_of_one_answer() -> None:
    m, attack = sd.GRR(4, 1.0), MGA([0])
    wrong: list[dict[str, Any]] = [
        {"frequency": [0.5] * 4}, {"frequency": 0.3}, {"mean": 0.1}, {"index_control": True},
        {"method": "privkv"}, {"frequency": [1, 0, 0]},
    ]  # fmt: skip
    for one in wrong:
        with pytest.raises(sd.SudareError):
            gain(m, attack, 0.05, **one)
