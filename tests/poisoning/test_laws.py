"""The exact law of a fake report: reports, counts and rates agree, and look like honest ones."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency.unary import Unary
from sudare.poisoning import M2GA, MGA, RIA, RKVA, RMA, RPA, Attack
from sudare.poisoning.positions import set_sums
from sudare.testing.fit import binomial_pvalues
from tests.cases import cases

KEYED: list[Mechanism] = [
    sd.PrivKV(5, 1.0),
    sd.PrivKV(5, 2.0, split="half"),
    sd.StateRR(5, 1.0),
    sd.PrivKVM(5, 2.0, rounds=3),
]
PADDED: list[Mechanism] = [sd.PCKVUE(5, 1.0, padding=2), sd.PCKVGRR(5, 1.0, padding=3)]
CHOICE: list[Mechanism] = [sd.GRR(6, 1.0), sd.OUE(13, 1.0), sd.SUE(6, 0.5), sd.DyadicUnary(6, 1.0)]
TARGETS = (1, 3)
PAIRS = [
    *((m, a(TARGETS), control) for m in KEYED for a in (M2GA, RMA, RKVA) for control in (0, 1)),
    *((m, a(TARGETS), 0) for m in PADDED for a in (M2GA, RMA, RKVA)),
    *((m, a(TARGETS), 0) for m in CHOICE for a in (MGA, RPA, RIA)),
]
MISS = 1e-9
"""False-alarm rate of one sampling test of one law."""


@cases("mechanism, attack, control", PAIRS)
def test_reports_and_counts_follow_the_rates(
    mechanism: Mechanism, attack: Attack, control: int
) -> None:
    given: dict[str, Any] = {"index_control": bool(control)}
    m = 40_000
    rates = attack.law(mechanism, **given).rates
    assert rates.shape == mechanism.shape
    rng = sd.Entropy.seeded(repr((mechanism, attack, control)).encode())
    drawn = [
        mechanism.aggregate(attack.reports(mechanism, m, rng=rng, **given)),
        attack.simulate(mechanism, m, rng=rng, **given),
    ]
    for counts in drawn:
        mechanism.check_counts(counts)
        assert counts.n == m
        p = binomial_pvalues(counts.support.ravel(), np.array([m]), rates.ravel())
        sure = (rates.ravel() == 0) | (rates.ravel() == 1)
        assert (p[sure] == 1).all()
        assert p.min() * p.size > MISS
        wrong = binomial_pvalues(
            counts.support.ravel(), np.array([m]), np.roll(rates, 1, axis=-1).ravel()
        )
        even = np.allclose(rates, np.roll(rates, 1, axis=-1))
        assert even or wrong.min() * wrong.size < MISS  # negative control


@cases("mechanism", [*KEYED, *PADDED, *CHOICE])
def test_reports_look_as_those_of_perturb(mechanism: Mechanism) -> None:
    if isinstance(mechanism, FrequencyOracle):
        honest = mechanism.perturb([0, 1, 2])
        attacks: list[Attack] = [MGA([0]), RPA([0]), RIA([0])]
    else:
        honest = mechanism.perturb(np.ones((3, 5), dtype=bool), np.zeros((3, 5)))
        attacks = [M2GA([0]), RMA([0]), RKVA([0])]
    for attack in attacks:
        fake = attack.reports(mechanism, 3)
        assert (fake.dtype, fake.shape) == (honest.dtype, honest.shape)


@cases("mechanism, attack, control", PAIRS)
def test_rates_are_a_law(mechanism: Mechanism, attack: Attack, control: int) -> None:
    rates = attack.law(mechanism, index_control=bool(control)).rates
    assert (rates >= 0).all()
    if isinstance(mechanism, sd.PCKVUE | sd.PCKVGRR):
        sums = rates.sum(axis=1)
    elif isinstance(mechanism, sd.PrivKVM):
        sums = rates.sum(axis=(1, 2))
    elif isinstance(mechanism, Unary):
        sums = np.ones(1)  # any bits may be set
    else:
        sums = rates.sum(keepdims=True)
    assert np.allclose(sums, 1, atol=1e-12)


def test_m2ga_is_what_the_source_says() -> None:
    privkv, grr, ue = sd.PrivKV(5, 1.0), sd.PCKVGRR(5, 1.0, padding=2), sd.PCKVUE(5, 1.0)
    reports = M2GA(TARGETS).reports(privkv, 500)
    assert set(reports[:, 0].tolist()) == set(TARGETS)
    assert not reports[:, 1].any()
    assert set(M2GA(TARGETS).reports(grr, 500).tolist()) == {2, 6}
    assert not M2GA(TARGETS).reports(ue, 500)[:, TARGETS].any()
    rest = M2GA(TARGETS).law(ue).rates[[0, 2, 4]]
    assert np.array_equal(rest, np.tile(ue.channel.dense()[:, 2], (3, 1)))
    rounds = M2GA([2]).reports(sd.PrivKVM(5, 1.0, rounds=4), 50)
    assert (rounds == [2, 0]).all()


def test_a_key_drawn_by_the_collector_is_not_chosen() -> None:
    m = sd.PrivKV(5, 1.0)
    own, other = m.channel.dense()[:, 0], m.channel.dense()[:, 2]
    for attack, state in ((M2GA([2]), [1, 0, 0]), (RKVA([2]), own)):
        rates = attack.law(m, index_control=True).rates
        assert np.allclose(rates.sum(axis=1), 0.2)
        assert np.allclose(5 * rates[2], state)
        assert np.allclose(5 * rates[[0, 1, 3, 4]], other)
    random = RMA([2])
    assert np.array_equal(random.law(m).rates, random.law(m, index_control=True).rates)


def test_rkva_is_an_honest_report_of_a_target() -> None:
    channel = sd.StateRR(5, 1.0).channel.dense()
    rates = RKVA(TARGETS).law(sd.StateRR(5, 1.0)).rates
    assert np.allclose(rates[list(TARGETS)], channel[:, 0] / 2)
    ue = sd.PCKVUE(5, 1.0)
    rates = RKVA(TARGETS).law(ue).rates
    mixed = (ue.channel.dense()[:, 0] + ue.channel.dense()[:, 2]) / 2
    assert np.allclose(rates[list(TARGETS)], mixed)
    grr = sd.PCKVGRR(5, 1.0, padding=2)
    law = np.array(grr.program._law(1, 0), dtype=float)
    assert np.allclose(RKVA([1]).law(grr).rates[:, 0], law[:10:2])


@cases("oracle", [sd.OUE(40, 1.0), sd.SUE(9, 0.3), sd.DyadicUnary(40, 3.0)])
def test_mga_sets_as_many_bits_as_an_honest_report(oracle: Any) -> None:
    p, q = (float(x) for x in oracle.support_probabilities)
    expected = max(2, math.floor(p + (oracle.k - 1) * q))
    bits = np.unpackbits(MGA(TARGETS).reports(oracle, 300), axis=1, bitorder="little")
    assert (bits.sum(axis=1) == expected).all()
    assert bits[:, TARGETS].all()


def test_mga_with_more_targets_than_bits_sets_only_them() -> None:
    oracle = sd.OUE(6, 4.0)
    law = MGA([0, 1, 2, 3]).law(oracle)
    assert law.rates.tolist() == [1, 1, 1, 1, 0, 0]
    assert MGA(range(6)).law(oracle).rates.tolist() == [1.0] * 6


def test_column_sums_of_random_sets_have_their_exact_law() -> None:
    """All pairs of 1-sets, and of 2-sets, of 3: enumerated joint laws of the sums."""
    generator = np.random.default_rng(11)
    trials = 5_000
    for ones in (1, 2):
        sets = list(itertools.combinations(range(3), ones))
        law: dict[tuple[int, ...], float] = {}
        for pair in itertools.product(sets, repeat=2):
            sums = tuple(sum(i in one for one in pair) for i in range(3))
            law[sums] = law.get(sums, 0.0) + 1 / len(sets) ** 2
        seen = [tuple(set_sums(2, ones, 3, generator).tolist()) for _ in range(trials)]
        assert set(seen) <= set(law)
        observed = np.array([seen.count(sums) for sums in law])
        p = binomial_pvalues(observed, np.array([trials]), np.array(list(law.values())))
        assert p.min() * len(law) > MISS


def test_kinds_of_fakes_are_drawn_together() -> None:
    """RIA on two targets: bits of the two come from different fakes, so they are correlated."""
    oracle = sd.SUE(4, 6.0)
    attack = RIA([0, 1])
    bits = np.unpackbits(attack.reports(oracle, 20_000, rng=sd.Entropy.seeded(b"k")), axis=1,
                         bitorder="little")[:, :2].astype(float)  # fmt: skip
    p, q = (float(x) for x in oracle.support_probabilities)
    covariance = p * q - ((p + q) / 2) ** 2
    assert abs(np.cov(bits.T)[0, 1] - covariance) < 0.02
    assert covariance < -0.1
    rng = sd.Entropy.seeded(b"kinds")
    sums = np.array([attack.simulate(oracle, 40, rng=rng).support[:2] for _ in range(3000)])
    assert abs(np.cov(sums.T)[0, 1] / 40 - covariance) < 0.03


def test_seeded_attacks_repeat() -> None:
    one, two = (RMA([0]).reports(sd.PrivKV(5, 1.0), 9, rng=sd.Entropy.seeded(b"s")) for _ in "ab")
    assert np.array_equal(one, two)


def test_attacks_are_values() -> None:
    assert M2GA([1, 2]) == M2GA((1, 2)) == M2GA(np.array([1, 2])) == M2GA(range(1, 3))
    assert hash(M2GA([1])) == hash(M2GA((1,)))
    assert M2GA([1]) != RKVA([1])
    assert M2GA([1]).name == "M2GA"
    assert repr(M2GA([1])) == "M2GA(targets=(1,))"
    with pytest.raises(AttributeError):
        M2GA([1]).targets = (2,)


NUMBERS: list[Any] = [[], [1, 1], [-1], [1.5], [float("nan")], [True], [1 << 40], [10**400], 3]
OTHERS: list[Any] = ["1", b"1", None, [None], [[1]], np.ma.masked_array([1], [True])]


@cases("attack", [M2GA, RMA, RKVA, MGA, RPA, RIA])
@cases("targets", [*NUMBERS, *OTHERS])
def test_bad_targets(attack: type[Attack], targets: Any) -> None:
    with pytest.raises(sd.SudareError):
        attack(targets)


@cases("attack", [M2GA, RMA, RKVA])
def test_keys_are_no_labels(attack: type[Attack]) -> None:
    with pytest.raises(sd.WrongTypeError, match="targets"):
        attack(["1"])


@cases("make", ["reports", "simulate"])
def test_bad_input(make: str) -> None:
    keyed, choice = sd.PrivKV(5, 1.0), sd.GRR(5, 1.0)
    wrong: list[tuple[Attack, Any]] = [
        *((M2GA([5]), m) for m in (keyed, None, "PrivKV")),
        *((M2GA([0]), m) for m in (choice, sd.NegativeSurvey(5), 3)),
        *((MGA([5]), m) for m in (choice, sd.OUE(5, 1.0))),
        *((MGA([0]), m) for m in (keyed, sd.NegativeSurvey(5), sd.SetUnary(5, 1.0, 2))),
    ]
    for attack, mechanism in wrong:
        with pytest.raises(sd.SudareError):
            getattr(attack, make)(mechanism, 3)
    for m in (0, -1, 1.5, None, "3", True, float("nan"), 10**30):
        with pytest.raises(sd.SudareError):
            getattr(M2GA([0]), make)(keyed, m)
    for control in (1, None, "yes"):
        with pytest.raises(sd.WrongTypeError):
            getattr(M2GA([0]), make)(keyed, 3, index_control=control)
    for attack, mechanism in ((M2GA([0]), sd.PCKVUE(5, 1.0)), (MGA([0]), choice)):
        with pytest.raises(sd.DomainError, match="no key is drawn"):
            getattr(attack, make)(mechanism, 3, index_control=True)
    with pytest.raises(sd.SudareError):
        getattr(M2GA([0]), make)(keyed, 3, rng="1")


def test_each_maximal_gain_report_to_a_unary_encoding_has_as_many_ones() -> None:
    """Drawn one by one or as counts at once."""
    m = sd.OUE(30, 1.0)
    attack = MGA([3, 4])
    p, q = (float(x) for x in m.support_probabilities)
    ones = int(p + 29 * q)
    rng = sd.Entropy.seeded(b"ones")
    bits = np.unpackbits(attack.reports(m, 500, rng=rng), axis=1)
    assert set(bits.sum(axis=1).tolist()) == {ones}
    assert int(attack.simulate(m, 500, rng=rng).support.sum()) == 500 * ones
