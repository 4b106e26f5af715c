"""Frequencies and means: right on average, their errors and intervals, and where there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.estimation.keyvalue import bayes
from sudare.estimation.keyvalue.bayes import FREQUENCIES, MEANS, STEPS, posterior
from sudare.mechanisms.keyvalue.base import states_of
from tests.cases import cases

KEYS = 10_000
SOME = [(0.0, 0.0), (0.001, 0.9), (0.01, -0.3), (0.05, -0.9), (0.05, 1), (0.3, 0.2), (0.9, 0.95),
        (1, 1), (1, 0)]  # fmt: skip


def many(m: Any, f: float, mean: float, each: int, label: str) -> sd.Counts:
    """Counts of very many keys that are all alike."""
    rng = sd.Entropy.seeded(label.encode())
    return m.simulate(each * m.d, np.full(m.d, f), np.full(m.d, mean), rng=rng)


@cases("m", [
    sd.PrivKV(4, 1.0), sd.PrivKV(4, 1.0, "half"), sd.StateRR(4, 1.0), sd.PCKVUE(4, 1.0, 4),
    sd.PCKVGRR(4, 1.0, 4),
])  # fmt: skip
def test_exact_counts_give_the_truth_back(m: Any) -> None:
    f, mean = np.array([0.1, 0.4, 0.9, 0.5]), np.array([-1, 0.25, 0.5, 0])
    n = 2**50
    states = states_of(f / m.padding, mean)
    each = n if m.padding > 1 else n // 4
    support = np.round(each * states @ m.channel.dense().T).astype(np.int64)
    support[:, 2] += each - support.sum(axis=1)
    for method in ("unbiased", "mle"):
        est = m.estimate(sd.Counts(support, n), method)
        np.testing.assert_allclose(est.frequency, f, atol=1e-9)
        np.testing.assert_allclose(est.mean, mean, atol=1e-9)
    if "privkv" in m.methods:
        est = m.estimate(sd.Counts(support, n), "privkv")
        a, b, _ = m._rates
        share = f / m.padding
        pull = a * share / (a * share + b * (1 - share))
        np.testing.assert_allclose(est.frequency, f, atol=1e-9)
        np.testing.assert_allclose(est.mean, pull * mean, atol=1e-9)


@cases("kind", [sd.PrivKV, sd.StateRR])
def test_standard_errors_are_those_of_many_keys(kind: Any) -> None:
    m = kind(KEYS, 2.0)
    for f, mean in ((0.3, 0.5), (0.8, -0.2)):
        counts = many(m, f, mean, 4_000, "stderr")
        for method in m.methods[:2]:
            est = m.estimate(counts, method)
            inside = ~np.isnan(est.stderr_frequency)
            assert est.frequency[inside].std() == pytest.approx(
                est.stderr_frequency[inside].mean(), rel=0.05
            )
            assert est.mean[inside].std() == pytest.approx(est.stderr_mean[inside].mean(), rel=0.1)
            if method == "unbiased":
                error = est.frequency.std() / KEYS**0.5
                assert est.frequency.mean() == pytest.approx(f, abs=6 * error)


def test_errors_of_pckv_are_those_of_many_collections() -> None:
    for m in (sd.PCKVUE(3, 2.0, 2), sd.PCKVGRR(3, 2.0, 2)):
        rng = sd.Entropy.seeded(b"pckv errors")
        found = [
            m.estimate(m.simulate(5_000, [0.6, 0.4, 0.2], [0.5, 0, -0.5], rng=rng))
            for _ in range(250)
        ]
        spread = np.std([one.frequency for one in found], axis=0)
        stated = np.mean([one.stderr_frequency for one in found], axis=0)
        np.testing.assert_allclose(spread, stated, rtol=0.2)  # s.e. 3 %
        spread = np.std([one.mean for one in found], axis=0)[:2]
        stated = np.mean([one.stderr_mean for one in found], axis=0)[:2]
        np.testing.assert_allclose(spread, stated, rtol=0.35)


@pytest.mark.parametrize(("epsilon", "each"), [
    (1.0, 2_000), *(pytest.param(e, n, marks=pytest.mark.slow) for e, n in (
        (0.5, 200), (0.5, 2_000), (1.0, 200), (4.0, 200), (4.0, 2_000), (4.0, 20_000)))
])  # fmt: skip
def test_intervals_cover_in_every_population(epsilon: float, each: int) -> None:
    """95 % intervals cover at least 94 % of 10,000 keys, less 4 standard errors of that share."""
    least = 0.94 - 4 * np.sqrt(0.94 * 0.06 / KEYS)
    m = sd.PrivKV(KEYS, epsilon)
    for f, mean in SOME:
        est = m.estimate(many(m, f, mean, each, "coverage"))
        low, high = est.interval_frequency()
        assert ((low <= f + 1e-9) & (f - 1e-9 <= high)).mean() >= least
        assert (low < high).all()
        if f:
            low, high = est.interval_mean()
            assert ((low <= mean + 1e-9) & (mean - 1e-9 <= high)).mean() >= least
            assert (low < high).all()
            assert low.min() >= -1
            assert high.max() <= 1


def test_intervals_are_no_wider_than_they_must_be() -> None:
    m = sd.PrivKV(KEYS, 2.0)
    counts = many(m, 0.5, 0.3, 20_000, "width")
    est = m.estimate(counts)
    for confidence, z in ((0.5, 0.6745), (0.95, 1.96), (0.999, 3.2905)):
        for (low, high), stderr in (
            (est.interval_frequency(confidence), est.stderr_frequency),
            (est.interval_mean(confidence), est.stderr_mean),
        ):
            np.testing.assert_allclose((high - low).mean(), 2 * z * stderr.mean(), rtol=0.02)
    wrong = m.estimate(many(m, 0.5, 0.3, 20_000, "control"))
    low, high = wrong.interval_mean(0.8)
    assert ((low <= 0.3) & (high >= 0.3)).mean() < 0.83  # a narrow one misses as often as it says


@cases("n", [7, 300, 10**6])
def test_the_ends_of_a_frequencys_interval_leave_half_the_misses(n: int) -> None:
    """Both tails of the reports that name the key, seen from the frequency."""
    from scipy import stats

    m = sd.PrivKV(2, 3.0)
    shares = ((1, 1, 5), (2, 2, 3))
    support = [[n * x // 7 for x in row] for row in shares]
    est = m.estimate(sd.Counts(support, sum(map(sum, support))))
    own, other = (float(m.channel.dense()[:2, i].sum()) for i in (0, 2))
    ends = np.transpose(est.interval_frequency(0.95))
    for (low, high), row in zip(other + (own - other) * ends, support, strict=True):
        named, reports = row[0] + row[1], sum(row)
        if low > other + 1e-6:
            assert stats.binom.sf(named - 1, reports, low) == pytest.approx(0.025, rel=1e-3)
        assert stats.binom.cdf(named, reports, high) == pytest.approx(0.025, rel=1e-3)


def test_the_mean_of_a_key_that_nobody_may_hold_is_anything() -> None:
    m = sd.PrivKV(3, 1.0)
    none = np.round(30_000 * m.channel.dense()[:, 2]).astype(int).tolist()
    est = m.estimate(sd.Counts([none, [0, 0, 0], [1, 0, 0]], sum(none) + 1), "mle")
    low, high = est.interval_mean()
    assert low.tolist()[:2] == [-1, -1]
    assert high.tolist() == [1, 1, 1]
    assert low[2] < -0.7
    low, high = est.interval_frequency()
    assert (low[1], high[1]) == (0, 1)
    assert high[0] < 0.1


def test_the_mean_of_nobody_is_not_a_number_and_says_so() -> None:
    m = sd.PrivKV(3, 1.0, "half")
    counts = sd.Counts([[45, 15, 140], [40, 30, 50], [0, 0, 0]], 320)
    est = m.estimate(counts, "mle")
    assert est.frequency[0] == 0
    assert np.isnan(est.mean[[0, 2]]).all()
    assert np.isnan(est.frequency[2])
    assert not np.isnan(est.mean[1])
    caution = next(w for w in est.warnings if w.code == "no-mean")
    assert "of 1 of 3 keys" in caution
    assert caution.cells == (0,)
    caution = next(w for w in est.warnings if w.code == "no-reports")
    assert caution == "nobody has reported about 1 of 3 keys: 2"
    unbiased = m.estimate(counts)
    assert unbiased.frequency[0] < 0
    assert np.isnan(unbiased.mean[2])
    assert m.estimate(sd.Counts([[0, 0, 5], [1, 1, 1], [9, 9, 9]], 35), "privkv").warnings


def test_at_the_border_there_are_intervals_but_no_standard_errors() -> None:
    m = sd.PrivKV(2, 1.0, "half")
    est = m.estimate(sd.Counts([[300, 700, 1000], [420, 400, 1180]], 4000), "mle")
    assert np.isnan(est.stderr_frequency[0])
    assert any("use the intervals" in w for w in est.warnings)
    low, high = est.interval_frequency()
    assert (low[0], high[0]) != (0, 1)
    both = (m.estimate(sd.Counts([[300, 700, 1000], [420, 400, 1180]], 4000), method)
            for method in ("unbiased", "privkv", "mle", "em"))  # fmt: skip
    intervals = [np.array([e.interval_frequency(), e.interval_mean()]) for e in both]
    for other in intervals[1:]:
        np.testing.assert_array_equal(intervals[0], other)


def test_of_respondents_only_the_randomisation_and_the_draw_of_keys_vary() -> None:
    """People of whom 1 in 2 is asked about either key: the formula by simulation."""
    m = sd.PrivKV(2, 6.0)
    n = 400
    held = np.arange(n)[:, None] % 10 < [5, 2]
    values = np.where(np.arange(n)[:, None] % 4 < 3, 1.0, -1.0) * np.ones((1, 2))
    rng = sd.Entropy.seeded(b"respondents")
    found = [m.aggregate(m.perturb(held, values, rng=rng)) for _ in range(500)]
    fixed = [m.estimate(c, target="respondents") for c in found]
    free = [m.estimate(c) for c in found]
    spread = np.std([e.frequency for e in fixed], axis=0)
    stated = np.mean([e.stderr_frequency for e in fixed], axis=0)
    np.testing.assert_allclose(spread, stated, rtol=0.2)  # s.e. 3 %
    assert (np.mean([e.stderr_frequency for e in free], axis=0) > 1.15 * stated).all()
    means = np.std([e.mean[0] for e in fixed])
    assert 0.6 < means / np.mean([e.stderr_mean[0] for e in fixed]) < 1.1  # at most so much
    assert fixed[0].target == "respondents"
    np.testing.assert_array_equal(fixed[0].frequency, free[0].frequency)


# -- empirical Bayes ----------------------------------------------------------------------------


def direct(counts: np.ndarray, m: np.ndarray, padding: int) -> tuple[np.ndarray, ...]:
    """The posterior by loops over the grid, in logarithms."""
    grid = [(f, mean) for f in FREQUENCIES for mean in MEANS]
    laws = np.array([m @ states_of(np.array([f / padding]), np.array([mean]))[0]
                     for f, mean in grid])  # fmt: skip
    prior = np.full(len(grid), 1 / len(grid))
    for step in range(STEPS + 1):
        posteriors = []
        for c in counts:
            logs = np.log(laws) @ c + np.log(prior + 1e-300)
            weights = np.exp(logs - logs.max())
            posteriors.append(weights / weights.sum())
        if step < STEPS:
            prior = np.mean(posteriors, axis=0)
    f, mean = np.array(grid).T
    p = np.array(posteriors)
    return p @ f, p @ mean


@cases("m", [sd.PrivKV(40, 1.0), sd.PCKVUE(40, 1.0, 3)])
def test_empirical_bayes_is_the_direct_computation(m: Any) -> None:
    dice = np.random.default_rng(11)
    counts = m.simulate(20_000, dice.random(40), 2 * dice.random(40) - 1)
    est = m.estimate(counts, "bayes")
    known = direct(counts.support.astype(float), m.channel.dense(), m.padding)
    for one, other in zip((est.frequency, est.mean), known, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    raw = m.estimate(counts)
    for one, other in (
        (est.interval_frequency(), raw.interval_frequency()),
        (est.interval_mean(0.9), raw.interval_mean(0.9)),
    ):
        np.testing.assert_array_equal(one, other)
    assert np.isnan(est.stderr_frequency).all()
    assert any("use the intervals" in w for w in est.warnings)


def test_a_key_without_reports_has_the_prior() -> None:
    m = sd.StateRR(3, 3.0)
    est = m.estimate(sd.Counts([[900, 50, 50], [880, 60, 60], [0, 0, 0]], 2000), "bayes")
    assert 0.7 < est.frequency[2] <= 1
    assert est.mean[2] > 0.5
    assert not np.isnan(est.mean).any()


def test_the_prior_of_very_many_keys_is_fitted_to_some_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m = sd.PrivKV(3_000, 1.0)
    dice = np.random.default_rng(2)
    f = dice.beta(2, 5, 3_000)
    mean = dice.uniform(-1, 1, 3_000)
    counts = m.simulate(3_000_000, f, mean, rng=sd.Entropy.seeded(b"many"))
    full = m.estimate(counts, "bayes")
    monkeypatch.setattr(bayes, "FITTED", 1_000)
    some = m.estimate(counts, "bayes")
    apart = np.sqrt(((full.mean - some.mean) ** 2).mean())
    assert 0 < apart < 0.15 * np.sqrt(((full.mean - mean) ** 2).mean())
    assert np.quantile(np.abs(full.frequency - some.frequency), 0.99) < 0.1


def test_huge_and_tiny_counts_are_no_trouble() -> None:
    big = 2**60 // 9
    for epsilon in (0.001, 1.0, 20.0):
        m = sd.PrivKV(4, epsilon)
        for support in (
            [[big, big, big], [3 * big, 0, 0], [0, 3 * big, 0], [0, 0, 0]],
            [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
            [[0, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]],
        ):
            counts = sd.Counts(support, sum(map(sum, support)))
            for method in m.methods:
                for target in ("population", "respondents"):
                    est = m.estimate(counts, method, target)
                    assert not np.isinf(est.frequency).any()
                    for low, high in (est.interval_frequency(), est.interval_mean()):
                        assert (low <= high).all()
                    if method in ("mle", "em", "bayes"):
                        f = est.frequency[~np.isnan(est.frequency)]
                        assert f.min() >= 0
                        assert f.max() <= 1 + 1e-12
    found = posterior(np.array([[2.0**60, 0, 0], [0, 0, 2.0**60]]), m.channel.dense(), 1)
    assert not np.isnan(found).any()


def test_a_key_unlike_all_that_the_prior_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayes, "FITTED", 2)
    counts = np.array([[0, 0, 2.0**50], [0, 0, 2.0**50], [2.0**50, 0, 0], [0, 2.0**50, 0]])
    found = posterior(counts, sd.PrivKV(4, 8.0).channel.dense(), 1)
    assert not np.isnan(found).any()


def test_frames() -> None:
    m = sd.PrivKV(3, 1.0)
    est = m.estimate(sd.Counts([[42, 38, 120], [30, 70, 100], [45, 15, 140]], 600), "mle")
    frame = est.to_frame()
    assert frame["key"].tolist() == [0, 1, 2]
    assert frame["reports"].tolist() == [200, 200, 200]
    assert (frame["frequency_low"] <= frame["frequency_high"]).all()
    assert list(frame.columns)[-2:] == ["mean_low", "mean_high"]
    with pytest.raises(sd.SudareError, match="confidence"):
        est.interval_mean(1.5)
    with pytest.raises(sd.SudareError, match="confidence"):
        est.interval_frequency("x")


@cases("epsilon", [0.5, 4.0])
def test_intervals_of_shares_are_about_the_target(epsilon: float) -> None:
    """Of all respondents half report about either key: their shares are known better."""
    m = sd.PrivKV(2, epsilon)
    counts = m.simulate(40_000, [0.3, 0.6], [0.2, -0.4], rng=sd.Entropy.seeded(b"target"))
    for target in ("population", "respondents"):
        est = m.estimate(counts, target=target)
        low, high = est.interval_frequency(0.95)
        half = est.stderr_frequency * 1.959964
        assert np.allclose((high - low) / 2, half, rtol=1e-2)
        assert np.allclose((high + low) / 2, est.frequency, atol=4e-2 * half.max())


def test_keys_that_nobody_reported_about_are_named() -> None:
    est = sd.PrivKV(3, 1.0).estimate(sd.Counts([[9, 8, 30], [0, 0, 0], [1, 1, 40]], 89), "mle")
    told = {one.code: one.cells for one in est.warnings}
    assert told["no-reports"] == (1,)
    assert 1 not in told.get("no-mean", ())
