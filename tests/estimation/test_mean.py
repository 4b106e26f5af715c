"""The mean score of those who have one: the ratio, and its error by the delta method."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sudare as sd

NAN = math.nan
SCORES = [1.0, 2.0, 3.0, NAN]
TRUTH = np.array([5000, 2000, 1000, 2000])
MEAN = (5 + 4 + 3) / 8


def test_the_ratio_by_hand() -> None:
    m = sd.GRR(4, 3.0)
    estimate = m.estimate(m.simulate(TRUTH, rng=sd.Entropy.seeded(b"mean")))
    x = estimate.shares
    mean = estimate.mean(SCORES)
    assert mean.value == pytest.approx((x[0] + 2 * x[1] + 3 * x[2]) / (x[0] + x[1] + x[2]))
    everybody = estimate.mean([0, 1, 2, 3])
    assert everybody.value == pytest.approx((x @ np.arange(4)) / x.sum())


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("cls", [sd.GRR, sd.OUE])
def test_intervals_hold_the_truth_as_often_as_they_say(cls: type[sd.GRR], target: Any) -> None:
    m, rng, dice = cls(4, 2.0), sd.Entropy.seeded(b"coverage"), np.random.default_rng(3)
    n, held, values = 8000, 0, []
    for _ in range(250):
        truth = dice.multinomial(n, TRUTH / 10_000) if target == "population" else TRUTH * 8 // 10
        estimate = m.estimate(m.simulate(truth, rng=rng), target=target)
        low, high = estimate.mean(SCORES).interval(0.9)
        held += low <= MEAN <= high
        values.append(estimate.mean(SCORES).value)
    assert abs(held / 250 - 0.9) < 5 * 0.019
    assert np.std(values) == pytest.approx(estimate.mean(SCORES).stderr, rel=0.2)
