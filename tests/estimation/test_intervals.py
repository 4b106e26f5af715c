"""Intervals for few reports and for all categories at once: coverage, most of it exact."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.estimation import score
from sudare.estimation.confidence import cell_miss, two_sided
from sudare.mechanisms import FrequencyOracle, registry
from tests.cases import cases

TARGETS = ("population", "respondents")
SHIPPED = [getattr(sd, name) for name in registry.names(FrequencyOracle, plugins=False)]
COUNTING = [cls for cls in SHIPPED if cls.examples()[0].law.counted]


@functools.cache
def _choose(n: int) -> list[float]:
    return [float(math.comb(n, j)) for j in range(n + 1)]


def binomial(n: int, chance: float) -> np.ndarray:
    return np.array(_choose(n)) * chance ** np.arange(n + 1) * (1 - chance) ** np.arange(n, -1, -1)


def exact_coverage(m: sd.GRR, n: int, target: str, kind: str, level: float = 0.95) -> float:
    """The least coverage over many true shares, by the whole law of one support count."""
    p, q = (float(x) for x in m.support_probabilities)
    law = m.estimate(supported(m, 0, n))._law
    law = replace(law, support=np.arange(n + 1), target=target)
    low, high = law.interval(1 - level, kind, False)
    least = 1.0
    for held in range(n + 1) if target == "respondents" else np.linspace(0, n, 141):
        if target == "respondents":
            chances = np.convolve(binomial(held, p), binomial(n - held, q))
        else:
            chances = binomial(n, q + (p - q) * held / n)
        inside = (low <= held / n + 1e-12) & (held / n <= high + 1e-12)
        least = min(least, float(chances[inside].sum()))
    return least


def supported(m: sd.GRR, first: int, n: int) -> sd.Counts:
    rest = np.zeros(m.k, dtype=np.int64)
    rest[0], rest[1] = first, n - first
    return sd.Counts(rest, n)


@cases("target", TARGETS)
@cases("epsilon", [0.5, 1, 2, 3, 4])
@cases("kind", ["score", "auto"])
def test_14_reports_of_5_categories(
    counting_class: type[sd.GRR], epsilon: float, target: str, kind: str
) -> None:
    assert exact_coverage(counting_class(5, epsilon), 14, target, kind) >= 0.95 - 1e-9


@cases("target", TARGETS)
@cases("level", [0.5, 0.9, 0.99, 0.999])
def test_other_levels_are_kept_too(counting_class: type[sd.GRR], level: float, target: str) -> None:
    assert exact_coverage(counting_class(5, 3), 14, target, "score", level) >= level - 1e-9


@cases("target", TARGETS)
@cases("epsilon", [1, 4])
def test_hundreds_of_reports(counting_class: type[sd.GRR], epsilon: float, target: str) -> None:
    """Tails by summation below, the score test above: neither is far from 95 %."""
    assert exact_coverage(counting_class(5, epsilon), 400, target, "score") >= 0.94


def test_the_normal_interval_would_not_do() -> None:
    """Negative control: what the score interval is there for."""
    assert exact_coverage(sd.GRR(5, 4), 14, "population", "normal") < 0.8


def test_tails_are_those_of_scipy() -> None:
    from scipy import stats

    counts, n = np.arange(15), 14
    low, high = score.limits(counts, n, 1 - 1e-12, 1e-12, 0.05, sampled=True)
    for c in counts:
        expected = stats.binomtest(int(c), n).proportion_ci(0.95, "exact")
        # with next to no noise the share is the chance of the binomial law
        assert (low[c], high[c]) == pytest.approx((expected.low, expected.high), abs=1e-6)


@cases("miss", [0.05, 0.001])
def test_the_saddlepoint_is_as_good_as_summation(miss: float) -> None:
    """Limits of more than 24 reports: tails of both laws to a thousandth of themselves."""
    from scipy import stats

    n, p, q = 1000, 0.6, 0.1
    counts = np.arange(120, 600, 40)  # of fewer than n q one standard error is left
    for sampled in (True, False):
        low, high = score.limits(counts, n, p, q, miss, sampled=sampled)
        for c, x, y in zip(counts.tolist(), low, high, strict=True):
            for end, beyond in ((x, slice(c, None)), (y, slice(0, c + 1))):
                if not 0 < end < 1:
                    continue
                m = round(end * n)
                law = (
                    stats.binom.pmf(np.arange(n + 1), n, q + (p - q) * end)
                    if sampled
                    else np.convolve(binomial(m, p), binomial(n - m, q))
                )
                slack = 2e-3 if sampled else 0.2  # of respondents a whole number holds it
                assert law[beyond].sum() == pytest.approx(miss / 2, rel=slack)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 3000),
    st.sampled_from(COUNTING),
    st.sampled_from([0.1, 1.0, 4.0, 12.0]),
    st.sampled_from([2, 5, 300]),
    st.sampled_from([0.5, 0.95, 0.999999]),
    st.booleans(),
)
def test_score_intervals_are_sensible(
    n: int, cls: type[sd.GRR], epsilon: float, k: int, level: float, sampled: bool
) -> None:
    p, q = (float(x) for x in cls(min(k, cls.max_k), epsilon).support_probabilities)
    counts = np.unique(np.linspace(0, n, 40).astype(np.int64))
    low, high = score.limits(counts, n, p, q, 1 - level, sampled=sampled)
    assert np.isfinite([low, high]).all()
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()
    inside = np.clip((counts / n - q) / (p - q), 0, 1)
    assert ((low <= inside + 1e-9) & (inside <= high + 1e-9)).all()
    # the other categories' side of the same question
    lows, highs = score.limits(n - counts, n, 1 - q, 1 - p, 1 - level, sampled=sampled)
    np.testing.assert_allclose(low, 1 - highs, atol=1e-6)
    np.testing.assert_allclose(high, 1 - lows, atol=1e-6)


def test_an_answer_that_speaks_against_its_value() -> None:
    n, counts = 30, np.arange(31)
    low, high = score.limits(counts, n, 0.1, 0.7, 0.05, sampled=True)
    lows, highs = score.limits(n - counts, n, 0.9, 0.3, 0.05, sampled=True)
    np.testing.assert_allclose([low, high], [lows, highs], atol=1e-9)


def test_respondents_at_a_high_epsilon() -> None:
    """Hardly any report is changed: the counts are not normal, however many there are."""
    m, n, held = sd.GRR(5, 10.0), 1000, 300
    p, q = (float(x) for x in m.support_probabilities)
    chances = np.convolve(binomial(held, p), binomial(n - held, q))
    inside = 0.0
    for c in range(280, 321):
        low, high = m.estimate(supported(m, c, n), target="respondents").interval()
        inside += chances[c] * (low[0] <= held / n <= high[0])
    assert inside >= 0.95


@cases("kind", ["wald", None, 3, b"auto", ["auto"]])
def test_kinds_are_checked(kind: object) -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10))
    with pytest.raises(sd.DomainError, match="kind must be one of"):
        est.interval(kind=kind)


@cases("flag", ["yes", None, 1, 0.5, [True]])
def test_simultaneous_is_true_or_false(flag: object) -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((3, 2, 5), 10))
    for quantity in (est, est - est):
        with pytest.raises(sd.WrongTypeError, match="simultaneous must be"):
            quantity.interval(simultaneous=flag)


@cases("rho", [0.0, 0.3, -0.7, 0.95, -0.999, 1.0, -1.0])
def test_two_cells_share_by_their_correlation(rho: float) -> None:
    from scipy import stats

    miss = cell_miss(0.05, 2, rho)
    z = two_sided(miss)
    pair = stats.multivariate_normal([0, 0], [[1, rho], [rho, 1]], allow_singular=True)
    inside = 1 - miss if abs(rho) == 1 else pair.cdf([z, z], lower_limit=[-z, -z])
    assert inside == pytest.approx(0.95, abs=1e-4)


def coverage(
    m: sd.GRR, shares: np.ndarray, n: int, target: str, runs: int, kinds: tuple[str, ...]
) -> dict[str, float]:
    """How often all intervals of a survey hold at once, by kind, on the same surveys."""
    generator = sd.Entropy.seeded(f"{m!r}{n}{target}".encode()).generator()
    fixed = np.round(shares * n).astype(np.int64)
    fixed[0] += n - fixed.sum()
    true = shares if target == "population" else fixed / n
    hits = dict.fromkeys(kinds, 0)
    for _ in range(runs):
        truth = generator.multinomial(n, shares) if target == "population" else fixed
        est = m.estimate(sd.Counts(m._simulate(truth, generator), n), target=target)
        for kind in kinds:
            low, high = est.interval(0.95, simultaneous=True, kind=kind)
            hits[kind] += bool(((low <= true + 1e-12) & (true <= high + 1e-12)).all())
    return {kind: count / runs for kind, count in hits.items()}


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("k", [2, 3, 100])
@pytest.mark.parametrize("epsilon", [2])
@pytest.mark.parametrize("cls", [sd.GRR, sd.OUE])
def test_all_at_once(cls: type[sd.GRR], epsilon: float, k: int, target: str) -> None:
    """94 to 97 %, and 1.8 % for 700 runs (95 ± 3.3 %: 4 standard errors)."""
    kinds = ("normal", "score", "auto")
    got = coverage(cls(k, epsilon), np.full(k, 1 / k), 200_000, target, 700, kinds)
    assert all(0.917 <= one <= 0.988 for one in got.values()), got


@pytest.mark.parametrize("cls", [sd.GRR, sd.SUE])
def test_two_categories_at_once_in_brief(cls: type[sd.GRR]) -> None:
    """Bonferroni would give 97.5 %; 1500 runs, 3.5 standard errors."""
    m, shares = cls(2, 8), np.array([0.4, 0.6])
    (got,) = coverage(m, shares, 10_000, "population", 1500, ("normal",)).values()
    assert 0.93 <= got <= 0.97


@cases("miss", [0.05, 1e-3, 1e-6])
@cases("p, q", [(1.0, 1 / 6), (0.9, 0.1), (0.5, 1e-9), (1 - 1e-9, 0.4)])
def test_few_reports_leave_half_the_misses_in_each_tail(p: float, q: float, miss: float) -> None:
    """Up to 24 reports: each end is where the tail is half the misses, or an end of [0, 1]."""
    from scipy import stats

    n = 48
    counts = np.arange(n + 1)
    low, high = score.limits(counts, n, p, q, miss, sampled=True)
    last, first = (math.sqrt(y * (1 - y) / n) / (p - q) for y in (p, q))  # so much is always left
    some = (low > 0) & (low < 1 - last - 1e-9)
    tail = stats.binom.sf(counts - 1, n, q + (p - q) * low)
    np.testing.assert_allclose(tail[some], miss / 2, rtol=1e-6)
    some = (high < 1) & (high > first + 1e-9)
    tail = stats.binom.cdf(counts, n, q + (p - q) * high)
    np.testing.assert_allclose(tail[some], miss / 2, rtol=1e-6)


@cases("miss", [0.05, 1e-4, 1e-10])
def test_respondents_whose_reports_are_next_to_certain(miss: float) -> None:
    """ε = 12 and 20: all numbers of holders at which neither tail is rare, and no other."""
    from scipy import stats

    for epsilon, n in ((12.0, 100), (20.0, 2000)):
        p, q = (float(x) for x in sd.GRR(2, epsilon).support_probabilities)
        counts = np.array([30, n // 2, n - 40])
        low, high = score.limits(counts, n, p, q, miss, sampled=False)
        for c, x, y in zip(counts.tolist(), np.rint(low * n), np.rint(high * n), strict=True):
            for held in range(c - 12, c + 13):
                gone, new = np.arange(held, held - 13, -1)[::-1], np.arange(13)
                moves = np.convolve(
                    stats.binom.pmf(gone, held, p), stats.binom.pmf(new, n - held, q)
                )
                tails = moves[: 13 + c - held].sum(), moves[12 + c - held :].sum()
                assert (x <= held <= y) == (min(tails) > miss / 2 * (1 + 1e-4))
