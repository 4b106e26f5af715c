"""The runner: one false-alarm rate, typed errors, a family's own list of checks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms import Mechanism, registry
from sudare.testing import conformance, frequency
from sudare.testing.fit import binomial_pvalues
from sudare.testing.frequency import Frequency
from sudare.testing.suite import Comparison, Total, demand
from tests.cases import cases


@pytest.mark.parametrize("k", [2, 4, pytest.param(20, marks=pytest.mark.slow)])
def test_all_levels_add_up_to_the_stated_rate(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = []

    def judge(comparisons: Any, level: float) -> None:
        sizes = [comparison.size for comparison in comparisons]
        spent.extend(level / len(sizes) / size for size in sizes for _ in range(size))

    monkeypatch.setattr(conformance, "judge", judge)
    sd.testing.check_mechanism(sd.OUE(k, 1))
    assert len(spent) > 100
    assert sum(spent) <= conformance.FALSE_ALARM * (1 + 1e-9)
    assert conformance.FALSE_ALARM == 1e-6


@pytest.mark.slow
def test_p_values_are_as_rare_as_they_say(
    mechanism_class: type[sd.GRR], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seeded, except for what is drawn without an rng: left out."""
    worst = []

    def judge(comparisons: Any, level: float) -> None:
        found = [comparison.worst()[0] * comparison.size for comparison in comparisons]
        worst.extend(found)

    monkeypatch.setattr(conformance, "judge", judge)
    fresh = ("perturbs_call_after_call", "perturbs_respondents_alone", "perturbs_one_at_a_time")
    own = frequency.Frequency
    seeded = tuple(check for check in own.sampled if check.__name__ not in fresh)
    monkeypatch.setattr(own, "exact", ())
    monkeypatch.setattr(own, "sampled", seeded)
    for seed in range(2):
        sd.testing.check_mechanism(
            mechanism_class(min(9, mechanism_class.max_k), 1), rng=sd.Entropy.seeded(b"%d" % seed)
        )
    p_values = np.array(worst)
    alone = p_values.size / 10  # they share their reports: of SHE a run of 457 spreads like 23
    for level in (0.2, 0.02):  # Bonferroni's bound, and five standard errors
        assert (p_values <= level).mean() <= level + 5 * np.sqrt(level / alone)


def test_binomial_p_values_are_the_exact_tails() -> None:
    n, q = 30, Fraction(3, 16)
    law = [comb(n, x) * q**x * (1 - q) ** (n - x) for x in range(n + 1)]
    exact = [min(1.0, float(2 * min(sum(law[: x + 1]), sum(law[x:])))) for x in range(n + 1)]
    p_values = binomial_pvalues(np.arange(n + 1), np.array(n), np.array(float(q)))
    np.testing.assert_allclose(p_values, exact, rtol=1e-12)
    for level in exact:  # honest at every level
        assert sum(x for x, p in zip(law, exact, strict=True) if p <= level) <= Fraction(level)


@cases(
    "x, n, q, expected",
    [(0, 10, 0.0, 1), (1, 10, 0.0, 0), (10, 10, 1.0, 1), (9, 10, 1.0, 0), (0, 0, 0.3, 1),
     (1, 10, -1e-19, 0), (0, 10, -1e-19, 1)])  # fmt: skip
def test_certain_events(x: int, n: int, q: float, expected: float) -> None:
    assert binomial_pvalues(np.array([x]), np.array([n]), np.array([q]))[0] == expected


def test_a_total_is_bounded_by_bernstein() -> None:
    generator = np.random.default_rng(3)
    sums = generator.binomial(4096, 0.1, size=20_000)
    p_values = np.array([Total("", int(x), 409.6, 4096 * 0.09, 1).worst()[0] for x in sums])
    for level in (0.3, 0.1, 0.01):
        assert (p_values <= level).mean() <= level
    assert Total("", 700, 409.6, 4096 * 0.09, 1).worst()[0] < 1e-30
    assert Total("", 5, 5.0, 0.0, 1).worst()[0] == 1


@cases("wrong", [5, None, "GRR", sd.GRR, object(), [sd.GRR(3, 1)]])
def test_what_is_not_a_mechanism_is_refused(wrong: Any) -> None:
    with pytest.raises(sd.WrongTypeError, match="mechanism must be of a family"):
        sd.testing.check_mechanism(wrong)


@cases("rng", ["5", b"seed", object()])
def test_what_is_not_entropy_is_refused(rng: Any) -> None:
    with pytest.raises(sd.WrongTypeError, match="rng"):
        sd.testing.check_mechanism(sd.GRR(3, 1), rng=rng)


def test_what_is_too_large_to_sample_is_refused() -> None:
    with pytest.raises(sd.DomainError, match="65536"):
        sd.testing.check_mechanism(sd.GRR(2**16 + 1, 1))


def test_a_failure_names_mechanism_check_and_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(sd.GRR):
        """Sends the value itself."""

        name = "Plain"

        def perturb(self, values: Any, *, rng: Any = None) -> Any:
            return np.asarray(values).astype(super().perturb(values, rng=rng).dtype)

    monkeypatch.setitem(registry._MECHANISMS, "Plain", Plain)
    with pytest.raises(
        sd.ConformanceError,
        match=r"^Plain\(k=2, epsilon=1.0\) must follow its law: sent one report for one value "
        r"\d+ times in \d+, .* expected \(p = 0.0e\+00\); the check is follows_its_whole_law$",
    ):
        sd.testing.check_mechanism(Plain(2, 1))


def has_two_sides(coin: Any, _: sd.Entropy) -> None:
    demand(0 < coin.bias < 1, "must have two sides")


def is_fair(coin: Any, rng: sd.Entropy) -> Iterator[Comparison]:
    heads = rng.generator().binomial(1000, coin.bias)
    yield Comparison("showed heads", np.array([heads]), 1000, 0.5)


class Coins(Frequency):
    exact = (has_two_sides,)
    sampled = (is_fair,)


class Coin(sd.GRR):
    conformance = "coins"
    bias: float

    def __repr__(self) -> str:
        return f"Coin({self.bias})"


def test_another_family_brings_its_own_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("coins")
    module.FAMILY = Coins()
    monkeypatch.setitem(sys.modules, "coins", module)

    def check(bias: Any) -> Any:
        coin = type("Tossed", (Coin,), {"bias": bias})(2, 1.0)
        return sd.testing.check_mechanism(coin, rng=sd.Entropy.seeded(b"coin"))

    assert check(0.5).passed == ("has_two_sides", "is_fair")
    with pytest.raises(sd.ConformanceError, match=r"Coin\(1\) must have two sides; .*has_two_sid"):
        check(1)
    with pytest.raises(sd.ConformanceError, match=r"showed heads \d+ times in 1000, 500 expected"):
        check(0.7)
    with pytest.raises(sd.ConformanceError, match="must not fail on good input, by TypeError"):
        check("x")


def test_a_family_without_checks_is_refused() -> None:
    class Unchecked(Mechanism):
        pass

    assert Unchecked.conformance == ""
    lonely = type("Lonely", (sd.GRR,), {"conformance": ""})(3, 1.0)
    with pytest.raises(sd.WrongTypeError, match="must be of a family that has checks"):
        sd.testing.check_mechanism(lonely)


def test_nothing_is_judged_that_was_not_compared() -> None:
    conformance.judge([], 1e-6)
    conformance.judge([Comparison("", np.zeros(0, dtype=np.int64), 5, 0.5)], 1e-6)


@pytest.mark.parametrize("m", [sd.NegativeSurvey(5), sd.JointNegativeSurvey([3, 4])], ids=repr)
def test_a_baseline_passes_what_asks_for_no_guarantee(m: Any) -> None:
    passed = sd.testing.check_mechanism(m).passed
    assert "follows_its_whole_law" in passed
    assert not {"spends_what_it_says", "states_its_largest_ratio"} & set(passed)
