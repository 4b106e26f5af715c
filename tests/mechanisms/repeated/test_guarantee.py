"""The ε of several rounds, enumerated: 3 rounds, 4 values, every sequence of answers and reports.

The laws here come from the two programs' own laws and nothing else: no formula of the source.
Floats find the largest ratios, rationals say what they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import log, prod
from typing import Any

import numpy as np
import pytest

import sudare as sd
from tests.cases import cases

K, ROUNDS = 4, 3
RATES = [
    pytest.param("0.5", "1", marks=pytest.mark.slow),
    ("1", "2"),
    pytest.param("1.9", "2", marks=pytest.mark.slow),
]
"""A weak, a usual and hardly any second step."""

Sequence = tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """Something that is settled for each value, and told of in each round: a symbol, or a bit.

    ``settled[v][x]`` and ``told[x][y]`` are exact probabilities.
    """

    settled: tuple[tuple[Fraction, ...], ...]
    told: tuple[tuple[Fraction, ...], ...]

    @property
    def answers(self) -> list[Sequence]:
        return list(product(range(len(self.settled)), repeat=ROUNDS))

    @property
    def reports(self) -> list[Sequence]:
        return list(product(range(len(self.told[0])), repeat=ROUNDS))

    def law(self, v: Sequence, y: Sequence, number: Callable[[Fraction], Any]) -> Any:
        """Return ``P(reports y | answers v)``: each value is settled once."""
        settled, told = _numbers(self, number)
        out = number(Fraction(1))
        for own in set(v):
            when = [t for t in range(ROUNDS) if v[t] == own]
            symbols = range(len(told))
            out *= sum(settled[own][x] * prod(told[x][y[t]] for t in when) for x in symbols)
        return out

    def table(self) -> Any:
        return np.array([[self.law(v, y, float) for y in self.reports] for v in self.answers])


@cache
def _numbers(part: Part, number: Any) -> Any:
    return tuple(
        [[number(one) for one in row] for row in rows] for rows in (part.settled, part.told)
    )


def parts_of(m: Any) -> list[Part]:
    """Return the parts of a mechanism: given the answers, they are independent."""
    if isinstance(m, sd.LGRR | sd.LOLOHA):  # a function that tells all hashes apart is the worst
        size = range(m.permanent.k)
        return [Part(*(tuple(map(tuple, one.laws(size))) for one in (m.permanent, m.instant)))]
    p, q = (Fraction(one, 1 << m.permanent.width) for one in (m.permanent.own, m.permanent.other))
    flip = Fraction(m.instant.other, 1 << m.instant.width)
    told = ((1 - flip, flip), (flip, 1 - flip))
    return [
        Part(tuple((1 - one, one) for one in (p if i == j else q for i in range(K))), told)
        for j in range(K)
    ]


class Worst:
    """The largest ratio over all reports, of any two sequences of answers."""

    def __init__(self, m: Any) -> None:
        self.parts = parts_of(m)
        self.answers = self.parts[0].answers
        tables = [part.table() for part in self.parts]
        assert all(np.allclose(table.sum(axis=1), 1) for table in tables)
        ratios = [table[:, None] / table for table in tables]
        self.at = [ratio.argmax(axis=2) for ratio in ratios]
        self.about = np.prod([ratio.max(axis=2) for ratio in ratios], axis=0)

    def exactly(self, i: int, j: int) -> Fraction:
        out = Fraction(1)
        for part, at in zip(self.parts, self.at, strict=True):
            y = part.reports[at[i, j]]
            laws = (part.law(self.answers[one], y, Fraction) for one in (i, j))
            out *= next(laws) / next(laws)
        return out

    def of(self, condition: Callable[[Sequence, Sequence], bool]) -> Fraction:
        """Return the largest of the pairs of answers that fulfil a condition, exactly."""
        fit = np.array([[condition(v, w) for w in self.answers] for v in self.answers])
        i, j = np.unravel_index(np.where(fit, self.about, 0).argmax(), fit.shape)
        return self.exactly(int(i), int(j))


def constant(v: Sequence, w: Sequence) -> bool:
    return len(set(v)) == len(set(w)) == 1


def alike(v: Sequence, w: Sequence) -> bool:
    """Whether both change in the same rounds."""
    return [v.index(own) for own in v] == [w.index(own) for own in w]


def stays_and_changes(v: Sequence, w: Sequence) -> bool:
    return len(set(v)) == 3 and len(set(w)) == 1


def anything(v: Sequence, w: Sequence) -> bool:
    return True


@pytest.mark.parametrize(
    "kind", [sd.LGRR, sd.LSUE, pytest.param(sd.LOSUE, marks=pytest.mark.slow), sd.LOLOHA]
)
@pytest.mark.parametrize(("epsilon", "permanent"), RATES)
def test_three_rounds_spend_what_is_stated(kind: Any, epsilon: str, permanent: str) -> None:
    more = {"g": 3} if kind is sd.LOLOHA else {}
    m = kind(K, Fraction(epsilon), Fraction(permanent), **more)
    found = Worst(m)
    assert found.of(constant) == m.steady_ratio(ROUNDS) < m.permanent.ratio
    assert found.of(anything) <= m.total_ratio(ROUNDS)  # who changes each round among them
    low, high = m.total_bounds(ROUNDS)
    assert low < log(found.of(anything)) < high < low + Fraction(1, 10**6)
    assert found.of(alike) <= m.permanent.ratio**ROUNDS
    assert m.steady_ratio(1) == m.total_ratio(1) == m.program.ratio


def test_the_account_by_answers_does_not_cover_that_an_answer_changed() -> None:
    """Three permanent answers cost three times ε_∞: not so where the second step is weak."""
    m = sd.LGRR(K, 1.999, 2.0)
    found = Worst(m)
    assert m.permanent.ratio**ROUNDS < found.of(anything) <= m.total_ratio(ROUNDS)
    assert found.of(stays_and_changes) > m.permanent.ratio**ROUNDS
    assert round(log(found.of(anything)), 1) == 18.4  # as docs/repeated.md says


def test_a_bound_that_is_too_small_is_noticed() -> None:
    m = sd.LGRR(K, 1.0, 2.0)
    found = Worst(m)
    most = found.of(anything)
    assert round(log(most), 2) == 3.44  # as docs/repeated.md says
    assert round(log(found.of(stays_and_changes)), 2) == 3.20
    assert most > m.instant.ratio ** (ROUNDS - 1)
    assert most > m.program.ratio**ROUNDS  # nor do the rounds' own ε add up


@cases("kind", [sd.LGRR, sd.LSUE, sd.LOSUE, sd.LOLOHA])
def test_one_answer_never_costs_more_than_the_permanent_one(kind: Any) -> None:
    m = kind(7, 1.0, 2.5)
    ratios = [m.steady_ratio(rounds) for rounds in (1, 2, 10, 1000)]
    assert ratios == sorted(ratios)
    assert ratios[-1] <= m.permanent.ratio
    assert m.epsilon <= 1.0 < m.permanent_epsilon <= 2.5
    assert m.states_epsilon(1) == pytest.approx(m.permanent_epsilon)
    assert m.states_epsilon(1000) == pytest.approx(m.states * m.permanent_epsilon)
