"""Fakes for subset selection, sampled pairs and trees: their laws, and what they gain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.poisoning import MGA, RIA, RPA
from tests.cases import cases

SS = sd.SubsetSelection(9, 1.0)
PAIRS = [sd.SampledPairs((3, 2, 2), 1.0, name) for name in ("SubsetSelection", "GRR", "OUE")]
TREES = [
    sd.HierarchicalHistogram(1.0, bins=9, branching=3, oracle=name)
    for name in ("SubsetSelection", "GRR", "OUE")
]
TARGETS = ([0], [1, 4], [0, 1, 2, 3, 4, 8])


@cases("controlled", [False, True], parts=2)
@cases("kind", [MGA, RPA, RIA])
@cases("m", [SS, *PAIRS, *TREES])
def test_reports_and_supports_follow_the_rates(m: Any, kind: Any, controlled: bool) -> None:
    """Means of 20,000: within five standard errors, of some hundred numbers."""
    if controlled and m is SS:
        with pytest.raises(sd.DomainError, match="index_control"):
            kind([0]).law(m, index_control=True)
        return
    for targets in TARGETS:
        attack, n = kind(targets), 20_000
        rng = sd.Entropy.seeded(f"{kind.__name__} {targets}".encode())
        law = attack.law(m, index_control=controlled)
        reports = attack.reports(m, n, rng=rng, index_control=controlled)
        counted = m.aggregate(reports).support
        drawn = attack.simulate(m, n, rng=rng, index_control=controlled).support
        error = 5 * np.sqrt(law.rates * (1 - law.rates) / n) + 1e-9
        assert (abs(counted / n - law.rates) <= error).all()
        assert (abs(drawn / n - law.rates) <= error).all()
        if m is not SS and controlled:
            heads = np.cumsum([0, *(1 + part.k for part in m.parts)])[:-1]
            assert law.rates[heads] == pytest.approx(1 / len(m.parts))


def test_as_many_targets_as_fit_are_named() -> None:
    d = SS.program.size
    for targets in TARGETS:
        rates = MGA(targets).law(SS).rates
        assert rates[targets] == pytest.approx(min(1, d / len(targets)))
        assert rates.sum() == pytest.approx(d)
    p, q = map(float, SS.support_probabilities)
    assert RIA([3]).law(SS).rates == pytest.approx(np.where(np.arange(9) == 3, p, q))


@pytest.mark.parametrize(
    "m", [SS, TREES[1], *(pytest.param(m, marks=pytest.mark.slow) for m in PAIRS)], ids=repr
)
def test_a_simulated_gain_is_the_exact_one(m: Any) -> None:
    """100 collections each: within four standard errors, 24 gains."""
    for attack in (MGA([0, 5]), RIA([0, 5])):
        exact = sd.poisoning.gain(m, attack, 0.05)
        found = sd.poisoning.simulate_gain(
            m, attack, 0.05, n=20_000, trials=100, rng=sd.Entropy.seeded(b"gain")
        )
        assert exact.total_frequency > 0
        error = 4 * found.stderr_total_frequency + 2e-3  # of E[1 / n] over random groups
        assert abs(found.total_frequency - exact.total_frequency) <= error


def test_where_the_collector_draws_the_pairs_fakes_gain_less() -> None:
    for m in (*PAIRS, *TREES):
        free = sd.poisoning.gain(m, MGA([0]), 0.02).total_frequency
        drawn = sd.poisoning.gain(m, MGA([0]), 0.02, index_control=True).total_frequency
        assert 0 < drawn < free
    for bad in ([0.5] * 3, [1 / 6] * 15 + [0.9]):
        with pytest.raises(sd.SudareError):
            sd.poisoning.gain(PAIRS[0], MGA([0]), 0.02, bad)
    with pytest.raises(sd.SudareError):
        sd.poisoning.gain(PAIRS[0], MGA([0]), 0.02, None, 0.1)
    with pytest.raises(sd.DomainError, match="targets"):
        MGA([16]).law(PAIRS[0])


def test_shares_are_recovered_of_one_answer_alone() -> None:
    counts = SS.simulate([2000] * 9, rng=sd.Entropy.seeded(b"r")) + MGA([3]).simulate(SS, 1000)
    est = SS.estimate(counts)
    found = sd.poisoning.recover(SS, est, MGA([3]), 1000 / counts.n)
    assert abs(found[3] - 1 / 9) < abs(est.shares[3] - 1 / 9)
    with pytest.raises(sd.WrongTypeError, match="one of k categories"):
        sd.poisoning.recover(PAIRS[0], est, None, 0.1)


def test_no_report_moves_a_bin_more_than_the_maximal_gain() -> None:
    """Of a tree by GRR: every report there is, sent by all fakes."""
    m = TREES[1]
    honest = m.simulate([200_000] * 9, rng=sd.Entropy.seeded(b"worst"))
    before = m.estimate(honest).shares
    for target in (0, 4, 8):
        gains = []
        for wire in m.program.wires():
            try:
                m.program.check_wire(wire)
            except sd.ReportError:
                continue
            fakes = m.aggregate(np.tile(np.frombuffer(wire, np.uint8), (20_000, 1)))
            gains.append(float((m.estimate(honest + fakes).shares - before)[target]))
        mga = m.estimate(honest + MGA([target]).simulate(m, 20_000)).shares - before
        assert mga[target] == pytest.approx(max(gains), rel=1e-9)


def test_weights_of_levels_are_those_of_the_estimate() -> None:
    m = TREES[0]
    counts = m.simulate([500, 400, 300, 200, 100, 50, 20, 10, 5], rng=sd.Entropy.seeded(b"w"))
    law = m.consistent(counts)
    for wanted in (np.eye(9)[4], np.arange(9.0)):
        weights = m.level_weights(wanted)
        told = sum(float(u @ level.shares) for u, level in zip(weights, law.levels, strict=True))
        assert told + float(wanted.mean()) == pytest.approx(float(wanted @ law.shares))
