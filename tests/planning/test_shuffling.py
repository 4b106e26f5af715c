"""The ε of a tally: against its whole law, by other code, over compositions of the others."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.signal import convolve2d
from scipy.stats import binom

import sudare as sd
from sudare.arrays import Floats
from sudare.planning.shuffling import clone_excess, shuffled_epsilon, tally

DELTA = 1e-6


def hockey_stick(told: Floats, untold: Floats, epsilon: float) -> float:
    return float(np.maximum(told - math.exp(epsilon) * untold, 0).sum())


def least(told: Floats, untold: Floats, delta: float) -> float:
    low, high = 0.0, 21.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if hockey_stick(told, untold, middle) <= delta else (middle, high)
    return high


def convolved(columns: list[Floats]) -> dict[tuple[int, ...], float]:
    """The law of a sum of independent vectors, each given as {vector: chance} in a list."""
    law = {(0,) * 3: 1.0}
    for column in columns:
        new: dict[tuple[int, ...], float] = {}
        for (total, weight), (vector, chance) in itertools.product(
            law.items(), zip(itertools.product((0, 1), repeat=3), column, strict=True)
        ):
            key = tuple(a + b for a, b in zip(total, vector, strict=True))
            new[key] = new.get(key, 0.0) + weight * chance
        law = new
    return law


def unary_report(value: int, p: float, q: float) -> Floats:
    chances = [
        math.prod(
            (p if i == value else q) if bit else 1 - (p if i == value else q)
            for i, bit in enumerate(bits)
        )
        for bits in itertools.product((0, 1), repeat=3)
    ]
    return np.array(chances)


def direct_report(value: int, p: float, q: float) -> Floats:
    column = np.zeros(8)
    for category, place in enumerate((4, 2, 1)):  # one-hot vectors in the order of the product
        column[place] = p if category == value else q
    return column


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("kind", [sd.GRR, sd.OUE, sd.SUE])
def test_no_composition_of_the_others_is_worse(kind: type[sd.GRR], epsilon: float) -> None:
    m = kind(3, epsilon)
    p, q = map(float, m.support_probabilities)
    report = direct_report if kind is sd.GRR else unary_report
    for n in (2, 4, 6):
        stated = {e: max(excess(e) for excess in tally(m, n)) for e in (0.1, 0.4, 0.8 * epsilon)}
        worst = dict.fromkeys(stated, 0.0)
        for others in itertools.combinations_with_replacement(range(3), n - 1):
            base = [report(v, p, q) for v in others]
            laws = [convolved([*base, report(v, p, q)]) for v in (0, 1)]
            keys = sorted(laws[0] | laws[1])
            told, untold = (np.array([law.get(key, 0.0) for key in keys]) for law in laws)
            for e in worst:
                worst[e] = max(worst[e], hockey_stick(told, untold, e))
        for e, found in worst.items():
            above = 1.25 if kind is sd.GRR else 1.0001  # the blanket tells who stood in it
            assert found <= stated[e] <= found * above + 2e-11


def power(cell: Floats, n: int) -> Floats:
    law = np.ones((1, 1))
    for _ in range(n):
        law = convolve2d(law, cell)
    return law


def among_reports(p: float, q: float, n: int, holders: int) -> tuple[Floats, Floats]:
    """Counts of two categories where ``holders`` of the others hold the first, the rest neither."""

    def cell(a: float, b: float) -> Floats:
        return np.array([[1 - a - b, b], [a, 0.0]])

    base = convolve2d(power(cell(p, q), holders), power(cell(q, q), n - 1 - holders))
    return convolve2d(base, cell(p, q)), convolve2d(base, cell(q, p))


def among_clones(own: float, clone: float, n: int) -> tuple[Floats, Floats]:
    """Clones of both kinds, each with that chance; the person sends one of the two."""
    still = power(np.array([[1 - 2 * clone, clone], [clone, 0.0]]), n - 1)
    base = np.pad(still, ((0, 1), (0, 1)))
    up, right = np.roll(base, 1, axis=0), np.roll(base, 1, axis=1)
    return own * up + (1 - own) * right, (1 - own) * up + own * right


def among_bits(p: float, q: float, n: int, first: int, second: int) -> tuple[Floats, Floats]:
    sums = []
    for holders in (first, second):
        a, b = (binom.pmf(np.arange(n), *law) for law in ((holders, p), (n - 1 - holders, q)))
        base = np.append(np.convolve(a, b)[:n], 0.0)
        sums.append([c * np.roll(base, 1) + (1 - c) * base for c in (p, q)])
    return np.outer(sums[0][0], sums[1][1]), np.outer(sums[0][1], sums[1][0])


POINTS = [
    pytest.param(*point, marks=() if number % 5 == 0 else pytest.mark.slow)
    for number, point in enumerate(itertools.product((50, 120), (0.5, 1.0, 2.0, 4.0), (1e-4, 1e-6)))
]


@pytest.mark.parametrize(("n", "epsilon", "delta"), POINTS)
def test_little_above_the_whole_law(n: int, epsilon: float, delta: float) -> None:
    for m in (sd.GRR(12, epsilon), sd.OUE(12, epsilon), sd.SUE(12, epsilon)):
        p, q = map(float, m.support_probabilities)
        if isinstance(m, sd.GRR):
            laws = [among_reports(p, q, n, holders) for holders in (0, 6 * n // 7, n - 1)]
        else:
            ends = [(0, 0), (n - 1, 0), (0, n - 1), (n // 2, 0), (n // 2, n - 1 - n // 2)]
            laws = [among_bits(p, q, n, *holders) for holders in ends]
        truth = min(max(least(*law, delta) for law in laws), m.epsilon)
        above = 1.05 if truth < epsilon / 2 else 1.12
        assert truth - 1e-9 <= shuffled_epsilon(m, n, delta) <= above * truth


def test_every_other_mechanism_is_bounded_by_its_largest_ratio() -> None:
    m = sd.JointRR([2, 2], epsilon=[0.5, 0.5])
    assert 0.17 < shuffled_epsilon(m, 1000, DELTA) <= 0.185  # ε = 1
    e = math.exp(2)
    assert clone_excess(0.159, e / (e + 1), 1 / (e + 1), 0.5 / e, 10_000) < DELTA
    for n in (50, 200):
        ratio = float(m.program.ratio)
        truth = least(*among_clones(ratio / (ratio + 1), 0.5 / ratio, n), DELTA)
        assert truth - 1e-9 <= shuffled_epsilon(m, n, DELTA) <= 1.001 * truth


def clones_excess(ratio: float, n: int, growth: float) -> float:
    """Excess over all numbers (c, a) of clones and of first ones among them, term by term.

    Feldman, McMillan, Talwar 2021, Lemma 3.5: C ~ Bin(n - 1, 1/R), A ~ Bin(C, 1/2); one person adds
    1 to A or to C - A. Nothing is taken to be monotone. Terms beyond 9 standard deviations are left
    out: what is found is a lower bound of the excess.
    """
    reach = 9 * math.sqrt(n / ratio * (1 - 1 / ratio)) + 30
    middle = (n - 1) / ratio
    found = 0.0
    for c in range(max(0, math.floor(middle - reach)), min(n - 1, math.ceil(middle + reach)) + 1):
        chance = binom.pmf(c, n - 1, 1 / ratio)
        half = 9 * math.sqrt(c) / 2 + 2
        a = np.arange(max(0, math.floor(c / 2 - half)), min(c + 1, math.ceil(c / 2 + half)) + 1)
        up, stay = binom.pmf(a - 1, c, 0.5), binom.pmf(a, c, 0.5)
        own = ratio / (ratio + 1)
        told, untold = own * up + (1 - own) * stay, (1 - own) * up + own * stay
        found += chance * float(np.maximum(told - growth * untold, 0).sum())
    return found


THIRTY = [
    pytest.param(*point, marks=() if number % 7 == 0 else pytest.mark.slow)
    for number, point in enumerate(
        itertools.product((100, 1000, 10_000), (0.25, 0.5, 1.0, 2.0, 4.0), (1e-5, 1e-8))
    )
]


@pytest.mark.parametrize(("n", "epsilon", "delta"), THIRTY)
def test_at_thirty_points_between_an_independent_bound_and_five_per_cent_above(
    n: int, epsilon: float, delta: float
) -> None:
    """Of any mechanism of that ratio; GRR and unary encodings are never above it."""
    m = sd.StateRR(d=2, epsilon=epsilon)
    ratio = float(m.program.ratio)
    found = shuffled_epsilon(m, n, delta)
    if found < m.epsilon:
        assert clones_excess(ratio, n, math.exp(found / 1.05)) > delta
    assert found >= m.epsilon or clones_excess(ratio, n, math.exp(found)) <= delta
    for law in (sd.GRR(12, epsilon), sd.OUE(12, epsilon)):
        assert shuffled_epsilon(law, n, delta) <= found


def test_reports_themselves_are_bounded_by_the_largest_ratio() -> None:
    """Of unary reports more than the counts is public, and a collection says the larger ε."""
    m = sd.OUE(5, 1.0)
    reports = shuffled_epsilon(m, 500, 1e-6, reports=True)
    by_ratio = shuffled_epsilon(sd.SetUnary(5, 1.0, 1), 500, 1e-6)
    assert reports == pytest.approx(by_ratio, rel=1e-6)
    assert shuffled_epsilon(m, 500, 1e-6) < reports < m.epsilon
    survey = sd.Collection.from_toml(
        """
        [collection]
        name = "tea"
        epsilon = 1.0
        [[question]]
        id = "tea"
        type = "choice"
        text = "Which?"
        mechanism = "OUE"
        choices = ["a", "b", "c", "d"]
        """
    )
    (question,) = survey.questions
    told = sd.planning.tally_guarantee(survey, 500)
    assert told is not None
    own = shuffled_epsilon(question.mechanism, 500, 1e-6, reports=True)
    assert own <= told.epsilon < own + 1e-5


def test_two_answers_are_one_sum() -> None:
    m, n = sd.GRR(2, 1.0), 200
    p, q = map(float, m.support_probabilities)
    found = shuffled_epsilon(m, n, DELTA)
    for holders in range(n):
        a, b = (binom.pmf(np.arange(n), *law) for law in ((holders, p), (n - 1 - holders, q)))
        base = np.append(np.convolve(a, b)[:n], 0.0)
        own, other = (c * np.roll(base, 1) + (1 - c) * base for c in (p, q))
        assert least(own, other, DELTA) <= found


def test_one_report_alone_has_what_the_device_spent() -> None:
    m = sd.OUE(5, 1.5)
    alone = shuffled_epsilon(m, 1, DELTA)
    assert Fraction(alone) > Fraction(m.epsilon)
    assert alone == pytest.approx(m.epsilon)
    assert shuffled_epsilon(m, 2, 1e-10) <= alone


@pytest.mark.slow
def test_more_people_hide_more() -> None:
    for m in (sd.GRR(5, 1.0), sd.SUE(5, 1.0), sd.JointRR([2, 2], epsilon=[0.5, 0.5])):
        found = [shuffled_epsilon(m, n, DELTA) for n in (10, 100, 1000, 10**4, 10**5)]
        assert found == sorted(found, reverse=True)
        assert 3 < found[-2] / found[-1] < 3.7  # as 1 / sqrt(n), and a little faster


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((sd.OUE, 10, 1e-6), sd.WrongTypeError),
        ((sd.OUE(3, 1), 0, 1e-6), sd.DomainError),
        ((sd.OUE(3, 1), 10.0, 1e-6), sd.WrongTypeError),
        ((sd.OUE(3, 1), 10, 0), sd.DomainError),
        ((sd.OUE(3, 1), 10, math.nan), sd.DomainError),
        ((sd.OUE(3, 1), 10, "1e-6"), sd.WrongTypeError),
    ],
)
def test_bad_arguments_are_named(arguments: tuple[object, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        shuffled_epsilon(*arguments)
