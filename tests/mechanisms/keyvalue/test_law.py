"""Reports of key-value mechanisms: bulk and single draws, and simulations, against exact laws."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.keyvalue.padded import reciprocal_sizes
from sudare.mechanisms.keyvalue.validation import NOT_HELD, STEPS, as_holding, as_holdings
from tests.cases import cases

ALPHA = 1e-8
ONE: list[Any] = [0.5, None, -1]


SAMPLED = [sd.PrivKV(3, 1.0), sd.PrivKV(3, 3.0, "half"), sd.StateRR(3, 2.0)]


@cases("m", SAMPLED)
def test_a_ticket_fixes_the_key(m: Any) -> None:
    rng = sd.Entropy.seeded(b"ticket")
    drawn = [m.program.draw_one(as_holding(ONE, 3), rng, index=2) for _ in range(8_000)]
    assert {key for key, _ in drawn} == {2}
    law = m.channel.dense()[:, 1]
    seen = np.bincount([state for _, state in drawn], minlength=3)
    assert sd.testing.chi_square_pvalue(seen, law) > ALPHA


def test_the_program_of_a_small_grid_has_the_law_of_the_mechanism() -> None:
    """The same program on a grid of 4 steps, written out in Fractions."""
    from fractions import Fraction

    from sudare.samplers import Pick, Round

    m = sd.PrivKV(2, 1.0)
    program = Pick(parts=(Round(steps=4, cells=1, part=m.state_program),) * 2)
    law, state = program.matrix(), m.state_program.matrix()
    for column, (x, y) in enumerate(product(range(6), repeat=2)):
        for key, place in ((0, x), (1, y)):
            minus = Fraction(place, 4) if place <= 4 else None
            for report in range(3):
                own = state[report]
                wanted = own[2] if minus is None else own[0] * (1 - minus) + own[1] * minus
                assert law[3 * key + report][column] == wanted / 2
    assert program.ratio == m.program.ratio


# -- PCKV ----------------------------------------------------------------------------------------


def test_people_of_different_sizes_keep_apart() -> None:
    """At ε = 20 a report is the drawn pair: everybody's is one of their own."""
    m = sd.PCKVGRR(6, 20.0)
    dice = np.random.default_rng(4)
    held = dice.random((40_000, 6)) < 0.5
    held[:, 5] |= ~held.any(axis=1)
    values = np.where(dice.random(held.shape) < 0.5, 1.0, -1.0)
    reports = m.perturb(held, values)
    keys, minus = reports // 2, reports % 2
    rows = np.arange(len(held))
    own = (keys < 6) & held[rows, keys.clip(0, 5)]
    assert own.mean() > 0.9999
    assert (values[rows, keys.clip(0, 5)][own] < 0)[:100].tolist() == (minus[own] == 1)[
        :100
    ].tolist()
    several = held.sum(axis=1) == 3
    place = (np.cumsum(held, axis=1)[rows, keys.clip(0, 5)] - 1)[several & own]
    assert sd.testing.chi_square_pvalue(np.bincount(place, minlength=3), [1 / 3] * 3) > ALPHA


@cases("kind", [sd.PCKVUE, sd.PCKVGRR])
def test_many_keys_in_blocks(kind: Any) -> None:
    m = kind(3000, 20.0, 2)
    held = np.zeros((900, 3000), dtype=bool)
    held[np.arange(900), np.arange(900)] = held[np.arange(900), 2999] = True
    counts = m.aggregate(m.perturb(held, np.ones(held.shape)))
    est = m.estimate(counts)
    assert est.frequency[2999] == pytest.approx(1, abs=0.2)
    assert counts.support[2999, 1] <= 2


# -- positions -----------------------------------------------------------------------------------


def test_positions_are_the_same_in_bulk_and_one_by_one() -> None:
    dice = np.random.default_rng(9)
    values = np.concatenate(
        [dice.uniform(-1, 1, 500), np.linspace(-1, 1, 101), [0, 1, -1, 1 - 2**-31, -1 + 2**-31],
         1 - np.arange(1, 9) * 2.0**-31]
    )  # fmt: skip
    held = np.ones((1, values.size), dtype=bool)
    bulk = positions(held, values[None, :])[0]
    assert bulk == as_holding(values.tolist(), values.size)
    assert as_holding([1, -1, 0, None], 4) == [0, STEPS, STEPS // 2, NOT_HELD]
    from fractions import Fraction

    assert as_holding([Fraction(1, 2), Fraction(-1, 3)], 2) == [STEPS // 4, round(STEPS * 2 / 3)]
    whole = positions([[True, True, False]], np.array([[1, -1, 7]]))
    assert whole == [[0, STEPS, NOT_HELD]]
    rows = positions([[True, False]] * 3, [[0.5, 7], [-1, 1e300], [0, np.nan]])
    assert rows == [[STEPS // 4, NOT_HELD], [STEPS, NOT_HELD], [STEPS // 2, NOT_HELD]]


def positions(held: Any, values: Any) -> list[list[int]]:
    """Return the positions of all keys of some people, one person and key after the other."""
    n, d = np.shape(held)
    holdings = as_holdings(held, values, d)
    rows = [[holdings.positions(i, np.array([key])).tolist() for key in range(d)] for i in range(n)]
    columns = [holdings.positions(0, np.full(n, key)).tolist() for key in range(d)]
    assert rows == [[[row] for row in person] for person in zip(*columns, strict=True)]
    return [list(person) for person in zip(*columns, strict=True)]


# -- simulations ---------------------------------------------------------------------------------


def test_reciprocal_sizes_are_those_of_all_subsets() -> None:
    dice = np.random.default_rng(12)
    for d, padding in ((2, 1), (5, 1), (5, 3), (6, 9), (3, 2)):
        f = dice.random(d)
        f[0] = dice.choice([0.0, 1.0, f[0]])
        expected = np.zeros(d)
        for key in range(d):
            for held in product((0, 1), repeat=d):
                if held[key]:
                    others = [f[i] if h else 1 - f[i] for i, h in enumerate(held) if i != key]
                    expected[key] += np.prod(others) / max(sum(held), padding)
        np.testing.assert_allclose(reciprocal_sizes(f, padding), expected, rtol=1e-12)


KINDS: list[Any] = [
    sd.PrivKV(3, 2.0),
    sd.StateRR(3, 2.0),
    sd.PCKVUE(3, 2.0, 2),
    sd.PCKVGRR(3, 2.0, 2),
    sd.PrivKVM(3, 4.0, 2),
]


@pytest.mark.parametrize("m", KINDS, ids=repr)
def test_a_simulation_has_the_law_of_randomised_people(m: Any) -> None:
    """Means within 6 standard errors, variances and covariances of 300 collections alike."""
    f, mean, n, trials = np.array([0.7, 0.3, 0.1]), np.array([0.5, -0.8, 0.2]), 200, 300
    dice, rng = np.random.default_rng(6), sd.Entropy.seeded(b"simulated")
    people = []
    for _ in range(trials):
        held = dice.random((n, 3)) < f
        values = np.where(dice.random((n, 3)) < (1 + mean) / 2, 1.0, -1.0)
        people.append(m.aggregate(m.perturb(held, values, rng=rng)).support.ravel())
    simulated = [m.simulate(n, f, mean, rng=rng).support.ravel() for _ in range(trials)]
    a, b = np.array(people, dtype=float), np.array(simulated, dtype=float)
    spread = np.sqrt((a.var(axis=0) + b.var(axis=0)) / trials)
    assert np.abs((a.mean(axis=0) - b.mean(axis=0)) / spread).max() < 6
    np.testing.assert_allclose(a.var(axis=0), b.var(axis=0), rtol=0.6)  # s.e. 12 %
    if not isinstance(m, sd.PrivKVM):  # whose rounds are drawn of new people each
        apart = np.corrcoef(a.T) - np.corrcoef(b.T)
        assert np.abs(apart).max() < 6 * np.sqrt(2 / trials)


def test_a_simulation_may_be_repeated_and_sees_who_holds_nothing() -> None:
    for m in KINDS:
        once, twice = (
            m.simulate(500, [1, 0, 0.5], [1, np.nan, 0], rng=sd.Entropy.seeded(b"again"))
            for _ in range(2)
        )
        assert once == twice
        m.check_counts(once)
    everything = sd.PCKVUE(50, 1.0).simulate(10**6, np.ones(50), np.ones(50))
    assert everything.n == 10**6


@cases("kind", [sd.PCKVUE, sd.PCKVGRR])
def test_frequencies_beyond_the_padding_are_too_small(kind: Any) -> None:
    f = np.full(6, 0.5)
    n = 2_000_000
    rng = sd.Entropy.seeded(b"padding")
    for padding, right in ((6, True), (1, False)):
        m = kind(6, 4.0, padding)
        est = m.estimate(m.simulate(n, f, np.zeros(6), rng=rng))
        expected = padding * f * reciprocal_sizes(f, padding)
        assert (np.abs(est.frequency - expected) < 6 * est.stderr_frequency).all()
        assert (np.abs(est.frequency - f) < 6 * est.stderr_frequency).all() == right


# -- rounds --------------------------------------------------------------------------------------


def test_rounds_feed_the_means_back() -> None:
    """Who does not hold a key reports, in a later round, with the mean that is fed back."""
    m = sd.PrivKVM(2, 8.0, 3)
    n = 100_000
    held = np.tile([True, False], (n, 1))
    values = np.tile([-1.0, 1.0], (n, 1))
    reports = m.perturb_round(1, held, values, [0.9, 0.6])
    assert reports.shape == (n, 2)
    p = float(m._tables[1].matrix()[0][0]) * 2
    q = 1 - p
    minus = np.array([[q / 2, p / 2, 0.5], [(4 * p + q) / 10, (p + 4 * q) / 10, 0.5]])
    cells = reports[:, 0].astype(int) * 3 + reports[:, 1]
    law = (minus / 2).ravel()
    assert sd.testing.chi_square_pvalue(np.bincount(cells, minlength=6), law) > ALPHA
    none = m.perturb_round(2, held, values, [np.nan, np.nan])
    key = none[none[:, 0] == 1]
    seen = np.bincount(key[:, 1], minlength=3)
    assert sd.testing.chi_square_pvalue(seen, [0.25, 0.25, 0.5]) > ALPHA
    first = m.perturb_round(0, held, values)
    law = np.array([[0, 1, 0], [0, 0, 1]]) @ m.channel.dense().T / 2
    cells = first[:, 0].astype(int) * 3 + first[:, 1]
    assert sd.testing.chi_square_pvalue(np.bincount(cells, minlength=6), law.ravel()) > ALPHA


def test_means_of_rounds_come_near_the_truth_and_frequencies_from_the_first() -> None:
    m = sd.PrivKVM(2, 8.0, 4)
    n = 400_000
    dice = np.random.default_rng(7)
    held = dice.random((n, 2)) < [0.9, 0.3]
    values = np.tile([0.6, -0.4], (n, 1))
    counts = m.aggregate(m.perturb(held, values, rng=sd.Entropy.seeded(b"rounds")))
    est = m.estimate(counts)
    assert (np.abs(est.frequency - held.mean(axis=0)) < 5 * est.stderr_frequency).all()
    assert est.mean[0] == pytest.approx(0.6, abs=0.06)
    assert est.mean[1] < -0.2  # still drawn towards 0: the pull shrinks by 1 - f a round
    one = sd.PrivKV(2, 8.0, "half").estimate(sd.Counts(counts.support[0], n), "privkv")
    assert abs(one.mean[1]) < abs(est.mean[1]) + 0.2
    assert est.reports.sum() == n
