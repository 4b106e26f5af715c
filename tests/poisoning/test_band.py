"""The manipulation band: its ends are reached, and nothing lies outside, by brute force."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.poisoning import manipulation_band, targeted_share
from tests.cases import cases

MECHANISMS: list[Any] = [
    sd.PrivKV(2, 3.0),
    sd.PrivKV(2, 1.0, split="half"),
    sd.StateRR(2, 2.0),
    sd.PCKVUE(2, 2.0, padding=3),
    sd.PCKVGRR(2, 4.0),
]


def honest_parts(counts: tuple[int, ...], fakes: int) -> np.ndarray[Any, Any]:
    """Return what is left of the counts for every choice of what the fakes reported."""
    parts = [
        [c - j for c, j in zip(counts, removed, strict=True)]
        for removed in product(*(range(min(c, fakes) + 1) for c in counts))
        if sum(removed) == fakes
    ]
    return np.array(parts, dtype=np.float64)


def inverted(mechanism: Any, parts: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    shares = parts / parts.sum(axis=1, keepdims=True)
    states = shares @ np.linalg.inv(mechanism.channel.dense()).T
    holds = states[:, 0] + states[:, 1]
    return mechanism.padding * holds, (states[:, 0] - states[:, 1], holds)


COUNTS = st.tuples(*[st.integers(0, 14)] * 3).filter(lambda c: sum(c) >= 4)


@settings(deadline=None, max_examples=150)
@given(mechanism=st.sampled_from(MECHANISMS), counts=COUNTS, data=st.data())
def test_by_brute_force(mechanism: Any, counts: tuple[int, ...], data: Any) -> None:
    n = sum(counts)
    fakes = data.draw(st.integers(0, n - 1))
    both = np.array([counts, counts])
    total = n if isinstance(mechanism, sd.PCKVUE | sd.PCKVGRR) else 2 * n
    est = mechanism.estimate(sd.Counts(both, total))
    f, (sign, holds) = inverted(mechanism, honest_parts(counts, fakes))
    low, high = manipulation_band(est, fakes / n)
    assert np.allclose(low, f.min(), atol=1e-9)
    assert np.allclose(high, f.max(), atol=1e-9)
    low, high = manipulation_band(est, fakes / n, of="mean")
    if (np.abs(holds) < 1e-9).any():
        return  # a rounding error decides
    if (holds < 0).any():
        assert low.tolist() == [-1, -1]
        assert high.tolist() == [1, 1]
        return
    means = (sign / holds).clip(-1, 1)
    assert np.allclose(low, means.min(), atol=1e-7)
    assert np.allclose(high, means.max(), atol=1e-7)


@cases("oracle", [sd.GRR(3, 1.0), sd.OUE(3, 2.0), sd.DyadicUnary(3, 0.5)])
def test_one_answer_by_brute_force(oracle: Any) -> None:
    n, support = 20, np.array([12, 5, 3])
    est = oracle.estimate(sd.Counts(support, n))
    p, q = (float(x) for x in oracle.support_probabilities)
    for fakes in (0, 1, 4, 13):
        low, high = manipulation_band(est, fakes / n)
        for i, c in enumerate(support.tolist()):
            least = max(0, fakes - (n - c))
            values = [
                ((c - j) / (n - fakes) - q) / (p - q) for j in range(least, min(fakes, c) + 1)
            ]
            assert low[i] == pytest.approx(min(values), abs=1e-9)
            assert high[i] == pytest.approx(max(values), abs=1e-9)


def test_the_formula_of_the_notes() -> None:
    m, beta = sd.PrivKV(3, 1.0, split="half"), 0.05
    counts = sd.Counts([[300, 200, 500], [250, 250, 500], [400, 300, 300]], 3000)
    p = float(sum(row[0] for row in m.channel.rows[:2]))
    share = counts.support[:, :2].sum(axis=1) / 1000
    for method in ("unbiased", "privkv", "mle", "em", "bayes"):
        low, high = manipulation_band(m.estimate(counts, method), beta)
        assert np.allclose(low, ((share - beta) / (1 - beta) - (1 - p)) / (2 * p - 1), atol=1e-9)
        assert np.allclose(high, (share / (1 - beta) - (1 - p)) / (2 * p - 1), atol=1e-9)


def test_it_holds_what_honest_reports_say_under_every_attack() -> None:
    m = sd.PrivKV(10, 2.0)
    rng = sd.Entropy.seeded(b"band")
    honest = m.simulate(50_000, [0.4] * 10, [0.3] * 10, rng=rng)
    before = m.estimate(honest)
    for attack in (sd.poisoning.M2GA([1]), sd.poisoning.RKVA([1]), sd.poisoning.RMA([1])):
        fakes = attack.simulate(m, 2000, rng=rng)
        est = m.estimate(honest + fakes)
        share = fakes.support.sum(axis=1) / est.reports
        for of, truth in (("frequency", before.frequency), ("mean", before.mean)):
            low, high = manipulation_band(est, share, of)
            assert (low <= truth + 1e-9).all()
            assert (truth <= high + 1e-9).all()
            wider = manipulation_band(est, share + 0.01, of)
            assert (wider[0] <= low).all()
            assert (wider[1] >= high).all()
    shifted = manipulation_band(m.estimate(honest + sd.poisoning.M2GA([1]).simulate(m, 2000)), 0.01)
    assert shifted[0][1] > before.frequency[1]  # negative control: a band of too few fakes


def test_no_fakes_no_band() -> None:
    m = sd.PrivKV(2, 2.0)
    est = m.estimate(sd.Counts([[300, 100, 600], [200, 200, 600]], 2000))
    for of, value in (("frequency", est.frequency), ("mean", est.mean)):
        low, high = manipulation_band(est, 0, of)
        assert np.allclose(low, value)
        assert np.allclose(high, value)


def test_without_a_report_everything_is_open() -> None:
    m = sd.PrivKV(2, 2.0)
    est = m.estimate(sd.Counts([[3, 1, 6], [0, 0, 0]], 10))
    low, high = manipulation_band(est, 0.1, of="mean")
    assert (low[1], high[1]) == (-1, 1)
    assert np.isnan(manipulation_band(est, 0.1)[0][1])


def test_bad_input() -> None:
    m, oracle = sd.PrivKV(2, 2.0), sd.GRR(3, 1.0)
    counts = sd.Counts([[3, 1, 6], [2, 2, 6]], 20)
    est, shares = m.estimate(counts), oracle.estimate(sd.Counts([3, 4, 5], 12))
    rounds = sd.PrivKVM(2, 2.0)
    told = rounds.estimate(sd.Counts(np.stack([counts.support] * 2), 20))
    manipulation_band(told, 0.1)
    wrong: list[tuple[Any, ...]] = [
        *((est, x) for x in (-0.1, 1, 2, float("nan"), [0.1] * 3, [[0.1]], 10**400)),
        *((est, x) for x in (None, "x", True)),
        *((est, 0.1, x) for x in ("f", None, 3)),
        *((x, 0.1) for x in (None, "est", [0.1], counts)),
        (shares, 0.1, "mean"), (told, 0.1, "mean"),
        (oracle.estimate(sd.Counts([3, 4, 5], 12), "projected"), 0.1),
        (sd.JointRR([2, 2], gamma=3).estimate(sd.Counts([[3, 1], [1, 1]], 6)), 0.1),
        (est, np.ma.masked_array([0.1, 0.1], [True, False])),
    ]  # fmt: skip
    for one in wrong:
        with pytest.raises(sd.SudareError):
            manipulation_band(*one)
    for bad in ((0, 5), (1, 5), (None, 5), (0.1, 0), (0.1, 5, 6), (0.1, 5, 0), (0.1, "5")):
        with pytest.raises(sd.SudareError):
            targeted_share(*bad)
