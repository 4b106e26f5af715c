"""Alarms and bands of every question: bounds held against exact tails, power, false alarms."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

import sudare as sd
from sudare.mechanisms import Mechanism
from sudare.mechanisms.registry import registered
from sudare.poisoning import MGA, RIA, RPA, alarms
from sudare.poisoning.band_limits import linear_estimate
from sudare.poisoning.bits import bit_count_law, count_bits
from sudare.poisoning.feasible import honest_rates, infeasible, tail_bound
from sudare.testing.law import law_of
from tests.cases import cases

OUE = sd.OUE(43, 1.0)


@cases("n", [1, 7, 300, 10_000])
@cases("rate", [0.001, 0.3, 0.5, 0.97])
def test_tails_are_bounded(n: int, rate: float) -> None:
    x = np.unique(np.linspace(0, n, 200).astype(int))
    law = stats.binom(n, rate)
    assert (tail_bound(x, n, rate, above=True) >= law.sf(x - 1) * (1 - 1e-9)).all()
    assert (tail_bound(x, n, rate, above=False) >= law.cdf(x) * (1 - 1e-9)).all()
    assert tail_bound(0, 0, rate, above=True) == 1


def test_tails_of_unequal_trials_are_bounded() -> None:
    """Hoeffding: of independent trials the bound holds with their mean rate; all laws of six."""
    for rates in itertools.combinations_with_replacement([0.05, 0.2, 0.5, 0.9], 6):
        law = np.ones(1)
        for rate in rates:
            law = np.convolve(law, [1 - rate, rate])
        tails = law[::-1].cumsum()[::-1]
        assert (tail_bound(np.arange(7), 6, np.mean(rates), above=True) >= tails - 1e-12).all()


def small() -> list[Mechanism]:
    found = [m for cls in registered(Mechanism) for m in cls.examples()]
    return [m for m in found if honest_rates(m) is not None]


LONG = (sd.SampledPairs, sd.SampledTables)


@pytest.mark.parametrize(
    "m",
    [
        pytest.param(m, marks=[pytest.mark.slow] if isinstance(m, LONG) else [], id=repr(m))
        for m in small()
    ],
)
def test_rates_are_the_ends_of_the_law(m: Any) -> None:
    """Each answer's chance to be supported lies between the ends, and some answer reaches each."""
    rates = honest_rates(m)
    assert rates is not None
    if hasattr(m, "support_probabilities") and not isinstance(m, sd.MarginalRR):
        p, q = (float(x) for x in m.support_probabilities)
        assert (rates.low[0], rates.high[0]) == (min(p, q), max(p, q))
        return
    if isinstance(m, sd.SampledTables | sd.MarginalRR | sd.HierarchicalHistogram):
        found = law_of(m, 1 << 24)
        assert found is not None, "few enough reports to be written out"
        law = found.supports.T @ found.table
    else:
        law = m.channel.dense()
    assert np.allclose(rates.low, law.min(axis=1), atol=1e-12)
    assert np.allclose(rates.high, law.max(axis=1), atol=1e-12)


def test_honest_counts_raise_nothing_however_far_from_even() -> None:
    """With everybody in one cell, the worst case, at a rate of 1 %: 400 collections, 4 expected at
    most; 20 happen with less than 1e-8."""
    rng = sd.Entropy.seeded(b"worst")
    for m in (sd.GRR(5, 1.0), sd.OUE(5, 1.0)):
        truth = [2000, 0, 0, 0, 0]
        found = [
            infeasible(honest_rates(m), m.simulate(truth, rng=rng).support, 2000, 0.01)
            for _ in range(400)
        ]
        assert sum(one.raised for one in found) < 20


def test_all_ones_are_seen() -> None:
    """5 % of reports with all bits 1: the shares add up to far more than 1."""
    rng = sd.Entropy.seeded(b"ones")
    honest = OUE.simulate([221] * 43, rng=rng)
    fakes = sd.Counts(np.full(43, 500), 500, OUE.to_json())
    assert OUE.estimate(honest + fakes).shares.sum() > 2
    told = alarms(OUE, honest + fakes)
    assert told["raised"]
    assert told["ones"] == "many"
    assert not alarms(OUE, honest)["raised"]
    assert alarms(OUE, honest + sd.Counts(np.zeros(43, int), 500, OUE.to_json()))["ones"] == "few"


@cases(
    "attack, seen", [(MGA([3]), True), (MGA([1, 2, 3]), True), (RPA([3]), True), (RIA([3]), False)]
)
def test_bits_show_attacks_that_do_not_answer_honestly(attack: Any, seen: bool) -> None:
    """5 % of 10,000 reports: all of 20 collections, or none of them."""
    rng = sd.Entropy.seeded(b"bits")
    for _ in range(20):
        honest = OUE.perturb(np.arange(9_500) % 43, rng=rng)
        reports = np.concatenate([honest, attack.reports(OUE, 500, rng=rng)])
        told = alarms(OUE, OUE.aggregate(reports), bits=count_bits(reports, 43), false_alarm=1e-4)
        assert told["raised"] is seen


def test_the_power_of_bits_exactly() -> None:
    """500 fakes of MGA among 10,000 are seen with more than 0.99: by the law of one count."""
    law = bit_count_law(OUE)
    ones = 11  # of each fake: floor(p + 42 q)
    rate = law[ones]
    counts = np.arange(10_001)
    level = 1e-4 / 2 / (2 * law.size)
    least = int(np.argmax(tail_bound(counts, 10_000, rate, above=True) <= level))
    assert stats.binom(9_500, rate).sf(least - 500 - 1) > 0.999
    assert int(OUE.aggregate(MGA([3]).reports(OUE, 1)).support.sum()) == ones


def test_sets_have_bits_too() -> None:
    m, rng = sd.SetUnary(12, 2.0, 3), sd.Entropy.seeded(b"sets")
    values = np.zeros((4000, 12), dtype=bool)
    values[:, 0] = True
    honest = m.perturb(values, rng=rng)
    assert not alarms(m, m.aggregate(honest), bits=count_bits(honest, 12))["raised"]
    ones = np.concatenate([honest, np.tile(m.perturb(values[:1], rng=rng), (400, 1))])
    assert alarms(m, m.aggregate(ones), bits=count_bits(ones, 12))["raised"]


PLAIN = [m for m in small() if not isinstance(m, sd.SampledTables | sd.HierarchicalHistogram)]
"""Those that draw a part have counts of another form: ``test_drawn.py``, ``test_levels.py``."""


@cases("m", PLAIN[:60])
def test_bands_hold_what_fakes_can_do(m: Any) -> None:
    """Whatever tenth of the reports was fake, the honest ones' estimate lies within the ends."""
    generator = np.random.default_rng(5)
    cells = int(np.prod(m.shape))
    single = honest_rates(m).marks is None and not isinstance(m, sd.SetUnary)
    for trial in range(20):
        even = generator.dirichlet(np.full(cells, 0.5))
        rates = honest_rates(m)
        assert rates is not None
        if single:
            honest = generator.multinomial(900, even)
            fakes = np.bincount([trial % cells] * 100, minlength=cells)
        else:
            honest = generator.binomial(900, (rates.low + rates.high) / 2)
            fakes = np.where(np.arange(cells) == trial % cells, 100, 0)
        total = sd.Counts((honest + fakes).reshape(m.shape), 1000, m.to_json())
        estimate = linear_estimate(m, total)
        if estimate is None:
            return
        ends = estimate.band(0.1)
        alone = linear_estimate(m, sd.Counts(honest.reshape(m.shape), 900, m.to_json()))
        assert alone is not None
        value = alone.value.clip(alone.start, alone.stop)
        assert (ends.low <= value + 1e-9).all()
        assert (value <= ends.high + 1e-9).all()
        assert np.abs(alone.value - estimate.value).max() <= ends.moved + 1e-9


def test_recovered_shares_stand_beside_an_alarm_alone() -> None:
    m = sd.GRR(4, 1.0)
    honest = m.simulate([100_000, 0, 0, 0])
    assert alarms(m, honest)["recovered"] is None  # but in 3.2e-5 of all runs
    few = honest + sd.Counts([11_112, 0, 0, 0], 11_112, m.to_json())  # more than p of all
    found = alarms(m, few)
    assert found["above"] == [0]
    assert [one["beta"] for one in found["recovered"]] == [0.01, 0.02, 0.05, 0.1]
    for one in found["recovered"]:
        expected = sd.poisoning.recover(m, m.estimate(few), None, one["beta"])
        assert np.abs(np.array(one["shares"]) - expected).max() < 1e-6
    assert alarms(sd.SetUnary(4, 1.0, 2), sd.Counts([900] * 4, 900))["recovered"] is None


def test_everything_is_json_and_says_what_was_tested() -> None:
    for m in small()[:40]:
        told = alarms(m, sd.Counts(np.zeros(m.shape, dtype=np.int64), 0))
        assert told["tested"]
        assert not told["raised"]
        assert told["bands"] == []
        json.dumps(told, allow_nan=False)
    m = sd.MarginalRR((3, 4), 1.0)
    assert not alarms(m, m.aggregate([[0, 1]]))["tested"]


def test_bad_input() -> None:
    counts = OUE.simulate([10] * 43)
    bad: list[tuple[Any, ...]] = [
        (None, counts, {}), (OUE, None, {}), (sd.OUE(43, 2.0), counts, {}),
        (OUE, counts, {"bits": [1, 2]}), (OUE, counts, {"bits": np.ones(44)}),
        (OUE, counts, {"false_alarm": 0}), (OUE, counts, {"false_alarm": "1"}),
    ]  # fmt: skip
    for mechanism, given, more in bad:
        with pytest.raises(sd.SudareError):
            alarms(mechanism, given, **more)
