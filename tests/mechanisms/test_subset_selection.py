"""Subset selection: its size, its sets and its error, beside what every mechanism is tested for."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

import sudare as sd
from sudare.errors import CollectionError, OutOfReachError, ReportError
from sudare.exact import exp_bounds
from sudare.mechanisms.frequency.subset import best_size
from sudare.samplers import Choose, choose
from tests.cases import cases

ALPHA = 1e-8


class Tape:
    """A word of 32 bits for the value, then these numbers."""

    def __init__(self, first: int, numbers: tuple[int, ...]) -> None:
        self.words = [word.to_bytes(4, "little") for word in (first, *numbers)]

    def take(self, n: int) -> bytes:
        assert n == 4
        return self.words.pop(0)


@cases("first", [0, (1 << 32) - 1])
@cases("k, size", [(5, 1), (5, 2), (6, 3), (7, 4), (6, 5)])
def test_every_set_of_the_others_is_drawn_equally_often(k: int, size: int, first: int) -> None:
    program = Choose(k=k, width=32, own=(1 << 32) - (1 << 20), size=size)
    own = first == 0
    more = size - own
    places = range(k - 1 - more, k - 1)
    drawn = Counter(
        program.draw_one(2, Tape(first, numbers))
        for numbers in product(*(range(j + 1) for j in places))
    )
    others = [i for i in range(k) if i != 2]
    sets = {sum(1 << i for i in s) | own << 2 for s in combinations(others, more)}
    assert {int.from_bytes(report, "little") for report in drawn} == sets
    assert len(set(drawn.values())) == 1


@cases("start", [(0, 0), (1, 1), (1, 3), (7, 3)])
@cases("width", [32, 64])
def test_any_first_draw_gives_the_same_law(
    start: tuple[int, int], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose, "_nearest", lambda *_: start)
    monkeypatch.setattr(choose, "_MOST_WITH_TAILS", 0)
    program = Choose(k=9, width=width, own=5 << width - 3, size=3)
    value, n = 8, 40_000
    rows = program.draw(np.full(n, value), sd.Entropy.system())
    counts = np.bincount(rows @ np.array([1, 256]), minlength=512)
    law = np.array([float(cell) for cell in program.laws([value])[0]])
    sent = law > 0
    assert sent.sum() == comb(9, 3)
    assert not counts[~sent].any()
    assert sd.testing.chi_square_pvalue(counts[sent], law[sent]) > ALPHA
    assert sd.testing.chi_square_pvalue(counts[sent], np.roll(law[sent], 1)) < ALPHA


@cases("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
@cases("k", [2, 3, 4, 5, 8, 10, 43])
def test_no_other_size_errs_less(k: int, epsilon: float) -> None:
    gamma = exp_bounds(Fraction(epsilon))[0]

    def error(d: int) -> Fraction:
        p = gamma * d / (gamma * d + k - d)
        q = (d - p) / (k - 1)
        return (p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2

    size = best_size(k, gamma)
    assert error(size) == min(map(error, range(1, k)))
    m = sd.SubsetSelection(k, epsilon)
    assert m.program.size == size
    stated = k * 7 * m.expected_mse(7, target="respondents")
    assert stated == pytest.approx(float(error(size)), rel=1e-4)


@cases("epsilon", [0.25, 1.0, 2.0, 6.0])
@cases("k", [3, 8, 20, 100, 1000])
def test_nothing_else_errs_less(k: int, epsilon: float) -> None:
    options = sd.plan(k, 10_000, epsilon)
    own = next(o for o in options if o.mechanism.name == "SubsetSelection")
    assert own.expected_mse <= options[0].expected_mse * (1 + 1e-5)


@cases("k, epsilon", [(128, 1.0), (4096, 3.0)])
def test_large_alphabets_follow_the_law(k: int, epsilon: float) -> None:
    m, n = sd.SubsetSelection(k, epsilon), 4_000
    rows = m.perturb(np.full(n, 77))
    bits = np.unpackbits(rows, axis=1, bitorder="little")[:, :k]
    assert (bits.sum(axis=1) == m.program.size).all()
    support = m.aggregate(rows).support
    assert np.array_equal(support, bits.sum(axis=0))
    for counts in (support, m.simulate(np.eye(k, dtype=int)[77] * n).support):
        rates = np.where(np.arange(k) == 77, float(m.law.p), float(m.law.q))
        z = (counts - n * rates) / np.sqrt(n * rates * (1 - rates))
        assert np.abs(z).max() < 8
        assert counts.sum() == n * m.program.size


def test_billions_of_respondents_are_simulated() -> None:
    m = sd.SubsetSelection(7, 0.5)
    truth = np.array([5, 0, 1, 0, 0, 3, 2]) * 10**9
    counts = m.simulate(truth)
    assert int(counts.support.sum()) == m.program.size * counts.n
    estimate = m.estimate(counts, target="respondents")
    assert np.abs((estimate.shares - truth / truth.sum()) / estimate.stderr).max() < 7


def test_reports_of_another_size_are_refused() -> None:
    m = sd.SubsetSelection(10, 1.0)
    assert m.program.size == 3
    good, bad = np.array([[7, 0]], dtype=np.uint8), np.array([[3, 0]], dtype=np.uint8)
    assert m.aggregate(good).support.tolist() == [1, 1, 1, *[0] * 7]
    with pytest.raises(ReportError, match="must have 3 ones"):
        m.aggregate(bad)
    with pytest.raises(ReportError, match="must have 3 ones"):
        m.program.check_wire(bad.tobytes())
    with pytest.raises(ReportError, match="padding"):
        m.program.check_wire(bytes([3, 128]))


@cases("wrong", [{"size": 0}, {"size": 5}, {"own": 51}, {"own": 256}, {"width": 9}, {"k": 1}])
def test_a_program_of_no_law_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(CollectionError):
        Choose(**{"k": 5, "width": 8, "own": 52, "size": 1, **wrong})


def test_more_categories_are_refused() -> None:
    assert sd.SubsetSelection(4096, 1.0).report_bytes == 512
    with pytest.raises(OutOfReachError, match="at most 4096 for SubsetSelection"):
        sd.SubsetSelection(4097, 1.0)


def test_one_of_k_is_all_of_the_data() -> None:
    m = sd.SubsetSelection(4, 2.0)
    assert m.program.size == 1
    assert m.law.single
    assert m.estimate(m.aggregate(m.perturb([0, 1, 2, 3] * 50)), "mle").shares.sum() == (
        pytest.approx(1)
    )


def test_a_survey_takes_it_by_name_and_auto_does_not() -> None:
    survey = (
        '[collection]\nname = "t"\nepsilon = 1\n[[question]]\nid = "q"\ntype = "choice"\n'
        'text = "?"\nchoices = ["a", "b", "c", "d", "e", "f", "g"]\nmechanism = "{}"\n'
    )
    named, auto = (
        sd.Collection.from_toml(survey.format(name)) for name in ("SubsetSelection", "auto")
    )
    assert named.questions[0].mechanism == sd.SubsetSelection(8, 1)
    assert auto.questions[0].mechanism.name != "SubsetSelection"
    assert sd.Collection.from_compiled(named.compiled()) == named
    assert len(sd.Client(named).answer({"q": "c"}).payload) == 1
