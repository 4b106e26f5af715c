"""What devices report in several rounds, what is estimated of it, and what an observer guesses."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import sudare as sd
from sudare.exact import floor_float, log_bounds
from sudare.mechanisms.repeated import KINDS, Memory, Repeated
from sudare.poisoning import averaging
from sudare.testing import repeated as checks
from sudare.testing.conformance import judge
from sudare.testing.suite import BrokenRuleError
from tests.cases import cases

SMALL = [sd.LGRR(3, 1.0, 2.0), sd.LSUE(2, 1.0, 2.0), sd.LOSUE(2, 1.0, 2.0), sd.LOLOHA(3, 1, 2, 2)]
ANSWERS = [(0, 0), (0, 1)]
WRONG = {"mechanism": "", "drawn": "xy", "answers": {}}
FALSE_ALARMS = 1e-6  # of each comparison, were the stream not the same each time


def program_laws(m: Any, v: int, w: int, permanent: bool) -> Any:
    """Return the joint law of the reports of two rounds, (outputs, outputs), from the programs."""
    if isinstance(m, sd.LOLOHA):
        family, out = m.program.family, np.zeros((m.program.outputs, m.program.outputs))
        inner = sd.LGRR(m.g, m.requested_epsilon, m.requested_permanent)
        for a in range(family.functions):
            hashes = [int(family.hashes(a, one)) for one in (v, w)]
            own = slice(a * m.g, (a + 1) * m.g)
            out[own, own] = program_laws(inner, *hashes, permanent) / family.functions
        return out
    settled = np.array(m.permanent.matrix(), dtype=float)  # [symbol, value]
    if isinstance(m, sd.LGRR):
        told = np.array(m.instant.matrix(), dtype=float)
    else:
        flip = m.instant.other / (1 << m.instant.width)
        ones = [[(x ^ y).bit_count() for x in range(1 << m.k)] for y in range(1 << m.k)]
        told = flip ** np.array(ones) * (1 - flip) ** (m.k - np.array(ones))
    if v == w and permanent:
        return np.einsum("yx,zx,x->yz", told, told, settled[:, v])
    first, second = (told @ settled[:, one] for one in (v, w))
    return np.outer(first, second)


def numbers(m: Any, reports: Any) -> Any:
    return reports[:, 0] if reports.ndim == 2 else reports


def fits(m: Any, v: int, w: int, permanent: bool) -> float:
    """Return how probable so large a distance from a law is, were it the law."""
    n = 30_000
    rng = sd.Entropy.seeded(b"two rounds")
    first, second = (numbers(m, one) for one in m.perturb_rounds([(v, w)] * n, rng=rng))
    law = program_laws(m, v, w, permanent)
    seen = np.zeros(law.shape)
    np.add.at(seen, (first, second), 1)
    cells = law > 0
    assert not seen[~cells].any()
    return float(stats.chisquare(seen[cells], n * law[cells]).pvalue)


@cases("m", SMALL)
def test_two_rounds_follow_their_whole_law(m: Any) -> None:
    for v, w in ANSWERS:
        assert fits(m, v, w, True) > FALSE_ALARMS
    assert fits(m, 0, 0, False) < FALSE_ALARMS  # no memory at all


@cases("m", [SMALL[0], SMALL[2], SMALL[3]])
def test_one_device_follows_the_same_law(m: Any) -> None:
    rng, n = sd.Entropy.seeded(b"devices"), 1000
    law, seen = program_laws(m, 0, 0, True), np.zeros((m.program.outputs, m.program.outputs))
    for _ in range(n):
        memory = m.remember(entropy=rng)
        told = []
        for _round in range(2):
            report, memory = m.report(0, memory, entropy=rng)
            told.append(report[0] if isinstance(report, bytes) else report)
        seen[tuple(told)] += 1
    cells = law > 0
    assert stats.chisquare(seen[cells], n * law[cells]).pvalue > FALSE_ALARMS


@cases("name", KINDS)
def test_the_memory_keeps_each_answer_once(name: str) -> None:
    m = getattr(sd, name)(6, 1.0, 2.0)
    rng = sd.Entropy.seeded(b"memory")
    memory = start = m.remember(entropy=rng)
    for value in (3, 5, 3, 3, 5):
        _, after = m.report(value, memory, entropy=rng)
        assert all(after.answers[key] == one for key, one in memory.answers.items())
        memory = after
    assert start.answers == {}
    assert 1 <= len(memory.answers) <= min(2, m.states)
    assert Memory.from_json(json.loads(json.dumps(memory.to_json()))) == memory
    assert not any(str(one) in repr(memory) for one in (3, 5))


def test_bad_input_is_refused_without_showing_it() -> None:
    m, hashed = sd.LGRR(6, 1.0, 2.0), sd.LOLOHA(6, 1.0, 2.0)
    for bad in (7, -1, 1.5, "3", None):
        with pytest.raises(sd.SudareError) as caught:
            m.report(bad, m.remember())
        assert "7" not in str(caught.value)
    for of, other in ((m, hashed.remember()), (hashed, m.remember())):
        with pytest.raises(sd.DomainError):
            of.report(1, other)
    loud, many = sd.LGRR(6, 1.0, 9.0), sd.LGRR(10, 1.0, 2.0)
    for other in (loud, many, sd.LSUE(6, 1.0, 2.0)):  # it would tell another's permanent answers
        with pytest.raises(sd.DomainError):
            m.report(1, other.report(1, other.remember())[1])
    with pytest.raises(sd.WrongTypeError):
        m.report(1, {})
    for data in (None, {}, {"mechanism": "", "drawn": None, "answers": []}, WRONG):
        with pytest.raises(sd.CollectionError):
            Memory.from_json(data)
    for table in ([0, 1], [[0, 6]], [[]], [[0.5]], [[1], [1, 2]]):
        with pytest.raises(sd.SudareError):
            m.perturb_rounds(table)
    for rounds in (0, 1001, 1.5):
        with pytest.raises((sd.DomainError, sd.WrongTypeError)):
            m.total_epsilon(rounds)


FOREIGN = {
    "LGRR": (6, -1, True, b"\x01", 10**9),
    "LSUE": (1, b"", b"\xff", b"\x01\x00"),
    "LOSUE": (1, b"", b"\xff", b"\x01\x00"),
    "LOLOHA": (3, -1, True, b"\x01"),
    "DBitFlipPM": (1, b"", b"\xff", b"\x03"),
}


@cases("name", FOREIGN)
def test_a_permanent_answer_that_nobody_draws_is_not_told(name: str) -> None:
    """It would be this device's alone, in each report."""
    m = sd.DBitFlipPM(6, 1.0, d=1) if name == "DBitFlipPM" else getattr(sd, name)(6, 1.0, 2.0)
    _, memory = m.report(1, m.remember())
    (key,) = memory.answers
    for one in FOREIGN[name]:
        with pytest.raises(sd.DomainError):
            m.report(1, memory.with_answer(key, one))


def test_the_wide_account_is_that_of_the_ratio() -> None:
    m = sd.LSUE(5, 1.0, 2.0)
    assert m.total_epsilon(1) == floor_float(log_bounds(m.total_ratio(1))[0])
    low, high = m.wide_bounds(7)
    assert low <= high
    assert floor_float(low) == pytest.approx(floor_float(log_bounds(m.total_ratio(7))[0]))
    low, high = sd.LSUE(100, 1.0).wide_bounds(1000)
    assert 1000 < low < high  # its ratio has six million bits


@cases("name", KINDS)
def test_parameters_are_checked_and_written(name: str) -> None:
    cls: type[Repeated] = getattr(sd, name)
    for m in cls.examples():
        assert cls.from_json(json.loads(json.dumps(m.to_json()))) == m
    for bad in cls.bad_values():
        with pytest.raises(bad.error):
            cls(**bad.arguments)


class Forgetful(sd.LGRR):
    """Draws a permanent answer in each round."""

    def perturb_rounds(self, values: Any, *, rng: Any = None) -> Any:
        return [self.perturb(column, rng=rng) for column in np.asarray(values).T]


class Restless(sd.LGRR):
    """Settles an answer that is settled."""

    def report(self, value: Any, memory: Any, *, entropy: Any = None) -> Any:
        report, settled = super().report(value, memory, entropy=entropy)
        moved = (settled.answers[value] + 1) % self.k
        return report, settled.with_answer(value, moved) if memory.answers else settled


class Modest(sd.LGRR):
    """Accounts for nothing after the first round."""

    def steady_epsilon(self, rounds: int) -> float:
        return super().steady_epsilon(1) if rounds > 2 else super().steady_epsilon(rounds)


@cases(
    "wrong, check",
    [
        (Forgetful, "settles_each_answer_once"),
        (Restless, "remembers"),
        (Modest, "accounts_for_all_rounds"),
    ],
)
def test_what_forgets_is_refused_by_the_check_that_looks(wrong: Any, check: str) -> None:
    for cls, fine in ((wrong, False), (sd.LGRR, True)):
        m, run = cls(3, 1.0, 2.0), getattr(checks, check)
        try:
            judge(run(m, sd.Entropy.seeded(b"memory")) or (), 1e-9)
        except BrokenRuleError:
            assert not fine
        else:
            assert fine


def collections(m: Repeated, answers: Any, people: int, many: int) -> list[list[sd.Estimate]]:
    """Return the estimates of both rounds of many collections, from one large simulation."""
    rng = sd.Entropy.seeded(b"collections")
    rounds = m.perturb_rounds(answers(rng.generator(), people * many), rng=rng)
    return [
        [m.estimate(m.aggregate(part)) for part in np.split(reports, many)] for reports in rounds
    ]


def everybody_changes(generator: Any, n: int) -> Any:
    first = generator.integers(3, size=n)
    return np.stack([first, (first + 1) % 3], axis=1)


def nobody_changes(generator: Any, n: int) -> Any:
    return np.repeat(generator.integers(3, size=n)[:, None], 2, axis=1)


def coverage(m: Repeated, answers: Any, people: int, many: int) -> float:
    before, after = collections(m, answers, people, many)
    held = []
    for one, other in zip(before, after, strict=True):
        low, high = sd.change(one, other).interval(0.95)
        held.append((low <= 0) & (high >= 0))  # shares stay a third each
    return float(np.mean(held))


@pytest.mark.slow
def test_changes_are_covered_whoever_changed() -> None:
    m = sd.LGRR(3, 2.0, 4.0)
    # nobody keeps an answer: the covariance is the one that is assumed
    assert 0.94 <= coverage(m, everybody_changes, 300, 3000) <= 0.96
    # nobody changes: intervals are too wide, and by how much cannot be known
    assert coverage(m, nobody_changes, 300, 1000) > 0.96


def test_the_covariance_of_changes_is_the_least_possible() -> None:
    """All couplings of two binary answers: the bound is below each, and one attains it."""
    tenths = [Fraction(i, 10) for i in range(11)]
    for x, y in product(tenths, tenths):
        stays = [s for s in tenths if max(Fraction(0), x + y - 1) <= s <= min(x, y)]
        assert min(s - x * y for s in stays) == max(Fraction(0), x + y - 1) - x * y
    m = sd.GRR(2, 1.0)
    one, other = (m.estimate(sd.Counts((c, 1000 - c), 1000)) for c in (700, 650))
    apart = sd.change(one, other, both=0)
    x, y = (np.clip(e.shares, 0, 1) for e in (one, other))
    assert np.allclose(apart.stderr**2, one.stderr**2 + other.stderr**2)
    more = sd.change(one, other).stderr ** 2 - apart.stderr**2
    assert np.allclose(more, 2 * (x * y - np.maximum(0, x + y - 1)) / 1000)
    assert "covariance" in sd.change(one, other).bound


def test_changes_refuse_what_does_not_fit() -> None:
    m = sd.GRR(2, 1.0)
    one = m.estimate(sd.Counts((60, 40), 100))
    with pytest.raises(sd.WrongTypeError):
        sd.change(one, None)
    for other in (
        m.estimate(sd.Counts((60, 40), 100), target="respondents"),
        m.estimate(sd.Counts((60, 40), 100), method="projected"),
        sd.GRR(3, 1.0).estimate(sd.Counts((60, 40, 0), 100)),
    ):
        with pytest.raises(sd.EstimationError):
            sd.change(one, other)
    with pytest.raises(sd.DomainError):
        sd.change(one, one, both=101)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["LGRR", "LOSUE", "LOLOHA"])
def test_stated_errors_are_those_of_simulated_rounds(name: str) -> None:
    m = getattr(sd, name)(3, 1.0, 2.0)
    n, many, rng = 40, 6000, sd.Entropy.seeded(b"errors")
    first = m.perturb_rounds(everybody_changes(rng.generator(), n * many), rng=rng)[1]
    p, q = (float(one) for one in m.support_probabilities)
    support = np.array([m.aggregate(part).support for part in np.split(first, many)])
    shares = (support / n - q) / (p - q)
    stated = m.expected_mse(n)
    assert abs(float(((shares - 1 / 3) ** 2).mean()) / stated - 1) < 0.02


def test_averaging_refuses_what_it_has_no_view_of() -> None:
    from sudare.poisoning.averaging import _watched

    unknown: Any = object()
    with pytest.raises(sd.WrongTypeError, match="mechanism must be one whose answers are guessed"):
        _watched(unknown, np.zeros(1, int), sd.Entropy.seeded(b"a"), np.random.default_rng(1), True)


@cases("m", [one for one in SMALL if one.name != "LSUE"])
def test_averaging_a_thousand_rounds_tells_the_permanent_answer_alone(m: Any) -> None:
    found = averaging(m, [1, 1000], people=2000, rng=sd.Entropy.seeded(b"averaging"))
    assert found[0].guessed < found[1].guessed <= found[1].bound + 4 * found[1].stderr
    assert found[1].guessed >= found[1].bound - 4 * found[1].stderr  # the attack is the best one
    assert found[0].bound == found[1].bound
    if not isinstance(m, sd.LOLOHA):  # which keeps its function, and tells no more than a hash
        assert found[1].afresh > 0.99 > found[1].bound + 0.1


def test_plans_rank_by_error_at_one_total() -> None:
    for covers in ("steady", "any"):
        found = sd.plan_repeated(4, 1000, 2.0, 6, covers=covers)
        assert [one.expected_mse for one in found] == sorted(one.expected_mse for one in found)
        for one in found:
            total = one.total_epsilon if covers == "any" else one.steady_epsilon
            assert total <= 2.0
            assert one.mechanism.expected_mse(1000) == one.expected_mse
        assert {one.mechanism.name for one in found if one.remembers} == set(KINDS)
        assert found[0].remembers == (covers == "steady")
    m = sd.plan_repeated(4, 1000, 2.0, 6, covers="any")
    for one in m:  # the largest that stays within: a thousandth more does not
        if one.remembers:
            more = Fraction(one.mechanism.requested_epsilon) + Fraction(1, 1000)
            kind: Any = type(one.mechanism)
            assert kind(4, more, 20).total_epsilon(6) > 2.0
    with pytest.raises(sd.PrivacyError):
        sd.plan_repeated(4, 1000, 1.0, 6, report=1.0)
    with pytest.raises(sd.DomainError):
        sd.plan_repeated(4, 1000, 1.0, 6, covers="all")
