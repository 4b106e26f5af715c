"""Laws of one report against the whole law, written out: Hadamard response among them.

The covariance of its categories i and j depends on the share of a third one, whose row is the
product of theirs: no two numbers tell it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.errors import ConformanceError
from sudare.estimation import Counts
from sudare.estimation.support import PairLaw
from sudare.mechanisms import FrequencyOracle, registry
from sudare.mechanisms.frequency import linear_hashing
from tests.cases import cases

TARGETS = ("population", "respondents")
MANY = 1 << 50


class Paired(sd.HadamardResponse):
    """Wrong on purpose: two numbers stand for its law."""

    name = "PairedHadamardInTests"
    __slots__ = ()

    @property
    def law(self) -> Any:
        p, q = super().law.p, super().law.q
        return PairLaw(p, q, p / 2, Fraction(1, 4))


def hashing(k: int, g: int, size: int) -> sd.LinearHashing:
    """Linear hashing of so many hashes, whichever err least."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_hashing, "best_hashes", lambda *_: (g, size))
        return sd.LinearHashing(k, 1.0)


ORACLES = [
    *(sd.HadamardResponse(k, e) for k, e in ((2, 1.0), (3, 0.1), (3, 4.0), (6, 1.0), (7, 2.0))),
    *(sd.GRR(k, e) for k, e in ((2, 0.5), (3, 4.0), (6, 1.0))),
    *(kind(k, 1.5) for kind in (sd.OUE, sd.SUE, sd.DyadicUnary) for k in (2, 5)),
    *(sd.SubsetSelection(k, e) for k, e in ((2, 1.0), (4, 0.1), (6, 0.2), (7, 1.0))),
    *(sd.LinearHashing(k, e) for k, e in ((2, 1.0), (5, 0.3), (9, 1.0), (7, 2.0))),
    *(hashing(k, g, d) for k, g, d in ((6, 3, 2), (8, 5, 2), (7, 7, 3), (11, 5, 3))),
    *(sd.OLH(k, e) for k, e in ((2, 1.0), (3, 0.1), (6, 0.7), (7, 2.0), (10, 1.0))),
    sd.NegativeSurvey(3),
    sd.NegativeSurvey(6),
]
LONG = [m for m in ORACLES if isinstance(m, sd.LinearHashing | sd.OLH) and m.k > 6]
"""Half the time of all: thousands of reports in fractions."""


@cache
def written_out(m: FrequencyOracle) -> tuple[list[list[Fraction]], np.ndarray]:
    """Return the law ``[report][value]`` and what each report supports, (reports, k)."""
    whole = m.program.matrix()
    sent = [i for i, row in enumerate(whole) if any(row)]
    law = [whole[i] for i in sent]
    each = [m.program.decode(i.to_bytes(m.report_bytes, "little")) for i in sent]
    return law, np.array([m.aggregate(report).support for report in each])


def exact_covariance(m: FrequencyOracle, x: list[Fraction], target: str) -> np.ndarray:
    """n times the covariance of the estimated shares, in rationals."""
    law, supports = written_out(m)
    p, q = m.support_probabilities
    k, out = m.k, np.zeros((m.k, m.k), dtype=object)
    mean = [sum(x[v] * (p if v == i else q) for v in range(k)) for i in range(k)]
    for i in range(k):
        for j in range(k):
            rows = [row for row, s in zip(law, supports, strict=True) if s[i] and s[j]]
            for v in range(k):
                both = sum((row[v] for row in rows), start=Fraction(0))
                known = (p if v == i else q) * (p if v == j else q)
                out[i, j] += x[v] * (both - (known if target == "respondents" else 0))
            if target == "population":
                out[i, j] -= mean[i] * mean[j]
    return out / (p - q) ** 2


def shares_of(k: int) -> list[list[Fraction]]:
    rising = [Fraction(2 * (i + 1), k * (k + 1)) for i in range(k)]
    two = [Fraction(1, 4), *[Fraction(0)] * (k - 2), Fraction(3, 4)]
    return [[Fraction(1, k)] * k, rising, two]


def expected_counts(m: FrequencyOracle, x: list[Fraction]) -> Counts:
    p, q = m.support_probabilities
    support = [round(MANY * (q + (p - q) * share)) for share in x]
    support[-1] += MANY - sum(support) if m.law.single else 0
    return Counts(support, MANY)


@cases("m", ORACLES)
def test_two_supports_of_one_report(m: FrequencyOracle) -> None:
    law, supports = written_out(m)
    for i in range(m.k):
        for j in set(range(m.k)) - {i}:
            rows = [row for row, s in zip(law, supports, strict=True) if s[i] and s[j]]
            exact = [float(sum(row[v] for row in rows)) for v in range(m.k)]
            assert m.law.pair_probability(i, j, np.arange(m.k)) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "m",
    [pytest.param(m, marks=[pytest.mark.slow] if m in LONG else [], id=repr(m)) for m in ORACLES],
)
def test_errors_are_those_of_the_whole_law(m: FrequencyOracle, target: Any) -> None:
    generator = np.random.default_rng(m.k)
    for x in shares_of(m.k):
        exact = exact_covariance(m, x, target)
        floats, estimate = (
            np.array(x, dtype=float),
            m.estimate(expected_counts(m, x), target=target),
        )
        scale = float(max(abs(cell) for cell in exact.ravel()))
        for weights in [*np.eye(m.k), *generator.integers(-9, 9, (5, m.k)).astype(float)]:
            fractions = [Fraction(w) for w in weights.tolist()]
            variance = float(fractions @ exact @ fractions)
            slack = {"rel": 1e-9, "abs": 1e-9 * scale * float(weights @ weights)}
            assert MANY * estimate.linear(weights).stderr ** 2 == pytest.approx(variance, **slack)
            if target == "respondents":
                assert m.law.noise(weights, floats) == pytest.approx(variance, **slack)
        for i in range(m.k):
            own = {"rel": 1e-9, "abs": 1e-9 * scale}
            assert MANY * estimate.stderr[i] ** 2 == pytest.approx(float(exact[i, i]), **own)
            assert 7 * m.variance(floats, 7, target)[i] == pytest.approx(float(exact[i, i]), **own)
            for j in set(range(m.k)) - {i}:
                gap = float(exact[i, i] + exact[j, j] - 2 * exact[i, j])
                stated = MANY * estimate.difference(i, j).stderr ** 2
                assert stated == pytest.approx(gap, rel=1e-9, abs=1e-9 * scale)
        mean = float(sum(exact[i, i] for i in range(m.k))) / m.k
        assert 7 * m.expected_mse(7, floats, target) == pytest.approx(mean, rel=1e-12)
        if m.k == 2:
            wanted = float(exact[0, 1]) / math.sqrt(float(exact[0, 0] * exact[1, 1]))
            assert estimate._law.correlation == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@cases("m", ORACLES)
def test_shares_may_leave_a_rest(m: FrequencyOracle) -> None:
    x = np.arange(m.k) / (m.k * m.k)
    for i, unit in enumerate(np.eye(m.k)):
        assert m.law.spread(unit, x) == pytest.approx(m.law.cells(x)[i], rel=1e-12)


def test_the_covariance_depends_on_a_third_share() -> None:
    m = sd.HadamardResponse(7, 1.0)
    third, other = np.eye(7)[2], np.eye(7)[3]  # row 3 is the product of the rows 1 and 2
    pair = np.eye(7)[0] + np.eye(7)[1]
    assert m.law.noise(pair, third) > 1.1 * m.law.noise(pair, other)


@pytest.mark.parametrize("k", [7])
def test_two_numbers_do_not_tell_its_law(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._MECHANISMS, Paired.name, Paired)
    with pytest.raises(ConformanceError, match="covariance"):
        sd.testing.check_mechanism(Paired(k, 1.0))


def test_a_large_alphabet_needs_no_square_matrix() -> None:
    for m in (sd.GRR(1 << 20, 2.0), sd.OUE(1 << 16, 2.0)):
        support = np.full(m.k, 1000)
        estimate = m.estimate(Counts(support, support.size * 1000))
        assert estimate.difference(0, m.k - 1).stderr > 0
        assert estimate.linear(np.arange(m.k)).stderr > 0


def test_a_law_is_a_value() -> None:
    law = sd.OUE(5, 1.0).law
    assert law == sd.OUE(9, 1.0).law
    assert replace(law, without=Fraction(0)) != law
