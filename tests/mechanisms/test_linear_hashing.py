"""Linear hashing: its draws, its error and its decoding, beside what all are tested for."""

from __future__ import annotations

import math
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

import sudare as sd
from sudare.errors import CollectionError, OutOfReachError
from sudare.mechanisms.frequency.linear_hashing import best_hashes
from sudare.samplers import Hash, Program
from tests.cases import cases

SMALL = [(2, 2, 1), (5, 5, 2), (7, 3, 2), (9, 3, 1), (20, 5, 3), (4, 2, 1)]


class Tape:
    """Hands out these words of 32 bits."""

    def __init__(self, *words: int) -> None:
        self.words = list(words)

    def take(self, n: int) -> bytes:
        return self.words.pop(0).to_bytes(n, "little")


def program(k: int, g: int, size: int, width: int = 32) -> Hash:
    return Hash(k=k, g=g, size=size, width=width, own=((size << width) // g + (1 << width)) // 2)


@cases("k, g, size", SMALL)
def test_every_report_of_a_value_is_drawn_once(k: int, g: int, size: int) -> None:
    one = program(k, g, size)
    for value in range(k):
        (law,) = one.laws([value])
        for first, places in ((0, size), ((1 << 32) - 1, g - size)):
            drawn = Counter(
                one.draw_one(value, Tape(first, a, x))
                for a in range(one.outputs // g)
                for x in range(places)
            )
            likely = max(law) if first == 0 else min(law)
            assert drawn == dict.fromkeys((r for r, p in enumerate(law) if p == likely), 1)


@cases("width", [32, 64])
@cases("k, g, size", SMALL)
def test_batches_follow_the_law(k: int, g: int, size: int, width: int) -> None:
    one, value = program(k, g, size, width), k - 1
    counts = np.bincount(one.draw(np.full(60_000, value), sd.Entropy.system()))
    counts = np.append(counts, np.zeros(one.outputs - counts.size, dtype=np.int64))
    law = np.array([float(p) for p in one.laws([value])[0]])
    assert sd.testing.chi_square_pvalue(counts, law) > 1e-8
    assert sd.testing.chi_square_pvalue(counts, np.roll(law, 1)) < 1e-8 or (law == law[0]).all()


@cases("k, g, size", SMALL)
def test_the_best_guess_is_that_of_the_whole_law(k: int, g: int, size: int) -> None:
    one = program(k, g, size)
    whole = float(sum(map(max, one.matrix()), Fraction(0)) / k)
    assert one.guess_probability == pytest.approx(whole, rel=1e-14)
    assert type(one).guess_probability is not Program.guess_probability


def subset_selection(k: int, epsilon: float) -> float:
    """n times the squared error of all categories together, of the best d of k."""
    gamma = math.exp(epsilon)

    def error(d: int) -> float:
        p = gamma * d / (gamma * d + k - d)
        q = (d - p) / (k - 1)
        return (p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2

    return min(error(max(1, int(k / (gamma + 1)) + more)) for more in (0, 1))


@cases("epsilon", [0.25, 0.283, 0.35, 0.41, 0.5, 1.0, 1.7, 2.0, 3.0, 5.0, 6.0])
@cases("k", [20_000, 65_536, 100_000, 1 << 20])
def test_its_error_is_that_of_subset_selection(k: int, epsilon: float) -> None:
    m = sd.LinearHashing(k, epsilon)
    error = k * m.expected_mse(1, target="respondents")
    assert error <= subset_selection(k, epsilon) * (1.01 if k == 20_000 else 1.003)
    assert m.report_bytes <= 4


@cases("k", [2, 3, 5, 7])
def test_of_as_many_categories_as_hashes_it_is_subset_selection(k: int) -> None:
    for epsilon in (0.3, 1.0, 3.0):
        g, d = best_hashes(k, math.exp(epsilon))
        assert (g, d) == (k, sd.SubsetSelection(k, epsilon).program.size)
        errors = [m(k, epsilon).expected_mse(9) for m in (sd.LinearHashing, sd.SubsetSelection)]
        assert errors[0] == pytest.approx(errors[1], rel=1e-5)


@cases("k, epsilon", [(65_536, 0.35), (70_000, 5.0), (1 << 20, 2.0)])
def test_many_categories(k: int, epsilon: float) -> None:
    m, truth = sd.LinearHashing(k, epsilon), np.zeros(k, dtype=np.int64)
    truth[[0, 7, k - 1]] = 20_000, 1, 9_999
    values = np.repeat(np.arange(k), truth)
    for counts in (m.aggregate(m.perturb(values)), m.simulate(truth)):
        assert counts.n == 30_000
        z = (m.estimate(counts, target="respondents").counts - truth) / np.sqrt(
            30_000**2 * m.variance(truth / 30_000, 30_000, "respondents")
        )
        assert np.abs(z).max() < 8  # by chance less than once in 10**8 times
        assert 0.9 < z.std() < 1.1


@cases("k, epsilon", [(1000, 0.35), (5000, 6.0)])
def test_the_noise_of_two_shares_is_that_of_their_pairs(k: int, epsilon: float) -> None:
    law = sd.LinearHashing(k, epsilon).law
    p, q, values = float(law.p), float(law.q), np.arange(k)
    shares = np.random.default_rng(k).dirichlet(np.ones(k))
    own, other = (np.where(values == i, p, q) for i in (17, 40))
    together = law.pair_probability(17, 40, values)
    spread = (own + other - 2 * together - (own - other) ** 2) @ shares / (p - q) ** 2
    weights = (values == 17) - 1.0 * (values == 40)
    assert law.noise(weights, shares) == pytest.approx(spread, rel=1e-9)


def test_simulated_crowds_and_single_people_are_of_one_law() -> None:
    m, truth = sd.LinearHashing(9, 1.0), np.array([10**12, 0, 1, 3, 10**6, 0, 2, 0, 40])
    counts = m.simulate(truth)
    estimate = m.estimate(counts, target="respondents")
    assert np.abs((estimate.counts - truth) / (counts.n * estimate.stderr)).max() < 7


class Expected:
    """Draws what is expected, in whole numbers: of many respondents the law, to nine digits."""

    def binomial(self, n, p):
        return np.floor(n * p).astype(np.int64)

    def multinomial(self, n, p):
        return np.floor(np.asarray(n)[..., None] * np.asarray(p)).astype(np.int64)


ENCODINGS = (
    sd.LinearHashing(3, 1.0), sd.LinearHashing(7, 0.5), sd.LinearHashing(10, 1.5),
    sd.LinearHashing(30, 4.0), sd.LinearHashing(70, 0.7), sd.OLH(6, 1.0), sd.OLH(30, 2.0),
    sd.LinearHashing(1000, 1.0),
)  # fmt: skip


def test_a_crowd_sends_each_report_as_often_as_the_channel_says() -> None:
    """Also of OLH, whose functions have the one that is 0; of every category by itself."""
    assert {m.program.family.t for m in ENCODINGS} == {1, 2, 3}
    assert {m.program.size for m in ENCODINGS} >= {1, 2}
    for m in ENCODINGS:
        for value in sorted({0, 1, m.k // 2, m.k - 1}):
            (exact,) = m._program.laws([value])
            truth = np.zeros(m.k, dtype=np.int64)
            truth[value] = 10**15
            law = m._by_digits(truth, Expected()) / 1e15
            assert np.allclose(law, [float(one) for one in exact], atol=1e-9), m


def test_a_crowd_of_two_sends_all_pairs_of_reports_as_two_people_do() -> None:
    """The whole law of the counts; by chance beyond the limit less than once in 10**6 times."""
    m, generator = sd.LinearHashing(3, 1.0), sd.Entropy.seeded(5).generator()
    first, second = (
        np.array([float(row[value]) for row in m._program.matrix()]) for value in (0, 2)
    )
    size = first.size
    pairs = np.outer(first, second)
    low, high = np.triu_indices(size)
    exact = np.where(low == high, pairs[low, high], pairs[low, high] + pairs[high, low])
    draws, seen = 2_000, np.zeros((size, size))
    for _ in range(draws):
        numbers = m._by_digits(np.array([1, 0, 1]), generator)
        assert numbers.sum() == 2
        one, other = np.repeat(np.arange(size), numbers)
        seen[one, other] += 1
    square = ((seen[low, high] - draws * exact) ** 2 / (draws * exact)).sum()
    assert square < chi2.ppf(1 - 1e-6, exact.size - 1)


def test_a_simulation_does_not_hang_on_how_many_there_are() -> None:
    m, truth = sd.LinearHashing(1000, 1.0), np.arange(1000) * 10**9
    start = time.process_time()
    counts = m.simulate(truth)
    assert time.process_time() - start < 1  # 40 ms; person by person hours
    z = (m.estimate(counts, target="respondents").counts - truth) / np.sqrt(
        float(truth.sum()) ** 2 * m.variance(truth / truth.sum(), int(truth.sum()), "respondents")
    )
    assert np.abs(z).max() < 7
    assert 0.9 < z.std() < 1.1


@cases("k, epsilon", [(7, 0.5), (43, 1.0), (300, 4.0), (900, 1.5)])
def test_few_reports_and_many_are_counted_alike(k: int, epsilon: float) -> None:
    m = sd.LinearHashing(k, epsilon)
    reports = m.perturb(np.arange(400) % k)
    each = m._one_by_one(reports)
    assert np.array_equal(m.program.family.supports(m._tally(reports)), each.support)
    many = np.resize(reports, m.program.outputs + 1)
    assert np.array_equal(m.aggregate(many).support, m._one_by_one(many).support)
    assert np.array_equal(m.aggregate(reports).support, each.support)


@cases(
    "wrong",
    [{"g": 4}, {"g": 9}, {"size": 0}, {"size": 5}, {"own": 102}, {"own": 256}, {"width": 9},
     {"k": 1 << 20, "g": 1291}])  # fmt: skip
def test_a_program_of_no_law_is_refused(wrong: dict[str, int]) -> None:
    good = {"k": 7, "g": 5, "size": 2, "width": 8, "own": 110}
    data = Hash(**good).to_json()
    with pytest.raises(CollectionError):
        Hash(**{**good, **wrong})
    with pytest.raises(CollectionError):
        Hash.from_json({**data, **wrong, "own": f"{wrong.get('own', 110):x}"})


def test_how_many_categories() -> None:
    assert sd.LinearHashing(1 << 20, 6.0).report_bytes == 4
    with pytest.raises(OutOfReachError, match="at most 1048576 for LinearHashing"):
        sd.LinearHashing((1 << 20) + 1, 1.0)
