"""Weighted intervals hold the truth as often as they say; the stated error is the simulated one.

Of 450 samples with 20 shares each. False alarms of the three together, were it all fresh entropy:
the ratio of errors scatters by 0.8 % (2 % is 2.5 of that), coverage by 0.2 % (1 % is 5), so about
4 %; the seeds are fixed. Small samples are in ``tests/estimation/coverage_weights.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd

K, ROUNDS = 20, 450
M = sd.GRR(K, 3.0)


def _two_laws(dice: np.random.Generator) -> Any:
    """Return shares that rise over the categories, and others that fall."""
    one, other = np.sort(dice.dirichlet(np.full(K, 4.0), 2))
    return np.array([one, other[::-1]])


def _poststratified(dice: np.random.Generator) -> tuple[Any, Any, Any]:
    laws = _two_laws(dice)
    codes = (dice.random((ROUNDS, 600)) < 0.3).astype(int)  # 70 % of the sample, 30 % of the people
    weights = [sd.weights.poststratify(own, {0: 30, 1: 70}) for own in codes]
    return laws[codes], weights, np.array([0.3, 0.7]) @ laws


def _raked(dice: np.random.Generator) -> tuple[Any, Any, Any]:
    # answers are additive in the margins, people come by the product of two chances
    people, first, second = (
        np.array([[0.2, 0.3], [0.4, 0.1]]),
        _two_laws(dice),
        _two_laws(dice)[::-1],
    )
    laws = ((first[:, None] + second) / 2).reshape(4, K)
    chance = (people * np.outer([1, 0.4], [0.5, 1])).ravel()
    cells = dice.choice(4, (ROUNDS, 800), p=chance / chance.sum())
    margins = {"i": {0: 0.5, 1: 0.5}, "j": {0: 0.6, 1: 0.4}}
    weights = [sd.weights.rake({"i": own // 2, "j": own % 2}, margins) for own in cells]
    return laws[cells], weights, people.ravel() @ laws


def _clustered(dice: np.random.Generator) -> tuple[Any, Any, Any]:
    laws = _two_laws(dice)
    village = np.repeat(np.arange(100), 10)
    own = np.array([dice.dirichlet(15 * laws[i % 2], ROUNDS) for i in range(100)])
    size = np.where(village % 2 == 0, 0.3, 0.7)
    w = sd.weights.design(weights=size, strata=village % 2, clusters=village)
    return own[village].swapaxes(0, 1), [w] * ROUNDS, np.array([0.3, 0.7]) @ laws


@pytest.mark.slow
@pytest.mark.parametrize("sample", [_poststratified, _raked, _clustered])
def test_coverage_and_stated_error(sample: Any) -> None:
    dice, rng = np.random.default_rng(5), sd.Entropy.seeded(b"coverage of weights")
    chances, weights, truth = sample(dice)
    answers = (dice.random((*chances.shape[:2], 1)) > chances.cumsum(axis=2)).sum(axis=2)
    reports = M.perturb(answers.clip(max=K - 1).ravel(), rng=rng).reshape(answers.shape)
    found: list[Any] = [w.estimate(M, own) for w, own in zip(weights, reports, strict=True)]
    plain = [M.estimate(M.aggregate(own)) for own in reports]

    def seen(estimates: list[Any]) -> tuple[float, float]:
        shares = np.array([est.shares for est in estimates])
        errors = np.array([est.stderr for est in estimates])
        ends = np.array([est.interval() for est in estimates])
        held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        return float(held.mean()), float(np.sqrt((errors**2).mean() / shares.var(axis=0).mean()))

    covered, ratio = seen(found)
    assert 0.94 <= covered <= 0.96
    assert ratio == pytest.approx(1, abs=0.02)
    covered, _ = seen(plain)  # the control: without weights, strata and clusters
    assert covered < 0.92
