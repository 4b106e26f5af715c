"""Prefix extension: its channel enumerated, its decoding against a dense oracle, what is found."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sudare as sd
from sudare.exact import exp_bounds
from sudare.mechanisms.text.alphabet import END
from sudare.mechanisms.text.decoding import Supports
from tests.cases import cases

SMALL = [
    sd.PEM(2, 1.0, "ab"),
    sd.PEM(3, 0.5, "ab", lengths=(1, 2, 3)),
    sd.PEM(1, 3.0, "abc"),
    sd.PEM(1, 1.5, "abcdef"),
]


def words_of(m: sd.PEM) -> list[str]:
    own = m.alphabet.characters
    assert own is not None
    lengths = range(1, m.longest + 1)
    return ["".join(one) for length in lengths for one in product(own, repeat=length)]


@cases("m", SMALL)
def test_no_report_tells_two_words_apart_by_more_than_epsilon(m: sd.PEM) -> None:
    """The whole channel: each column sums to 1, and the largest ratio in a row is the stated ε."""
    laws = [m.law(word) for word in words_of(m)]
    assert all(sum(law.values()) == 1 and law.keys() == laws[0].keys() for law in laws)
    ratio = max(max(row) / min(row) for row in zip(*(law.values() for law in laws), strict=True))
    assert ratio == m.part.ratio <= exp_bounds(m.requested_epsilon)[1]
    assert m.requested_epsilon - Fraction(1, 10**6) <= m.epsilon <= m.requested_epsilon


@cases("m", SMALL)
def test_the_length_is_drawn_whatever_the_word(m: sd.PEM) -> None:
    for law in map(m.law, words_of(m)):
        for which, part in enumerate(m.parts):
            drawn = sum(own for report, own in law.items() if report[0] == which)
            assert drawn == Fraction(part, sum(m.parts))


@cases("m", SMALL)
def test_a_report_supports_its_prefix_with_p_and_any_other_with_q(m: sd.PEM) -> None:
    p, q = m.support_probabilities
    which, length = len(m.lengths) - 1, m.longest
    rows = [m.alphabet.encode(word, length) for word in words_of(m)]
    for held, law in zip(rows[:5], map(m.law, words_of(m)), strict=False):
        reports = np.array(list(law))
        last = reports[:, 0] == which
        for other in rows[-5:] + rows[:5]:
            hashes = m.family.hashes(reports[:, 1:-1], other).sum(axis=1) % m.g
            same = last & (hashes == reports[:, -1])
            chance = sum(own for own, one in zip(law.values(), same, strict=True) if one)
            chance *= Fraction(sum(m.parts), m.parts[-1])
            assert chance == (p if (other == held).all() else q)


def distance(m: sd.PEM, reports: list[tuple[int, ...]], word: str) -> float:
    """Return χ² of reports under a word's law, in standard deviations from its mean."""
    law, n = m.law(word), len(reports)
    places = {report: i for i, report in enumerate(law)}
    counts = np.bincount([places[one] for one in reports], minlength=len(law))
    expected = n * np.array([float(one) for one in law.values()])
    square = float(((counts - expected) ** 2 / expected).sum())
    return (square - (len(law) - 1)) / (2 * (len(law) - 1)) ** 0.5


@cases("m", SMALL[:3])
def test_reports_follow_the_law(m: sd.PEM) -> None:
    """Of many at once and of one alone; the law of another word is refused."""
    entropy = sd.Entropy.seeded(b"law of words")
    many = [tuple(row) for row in m.perturb(["ab"[: m.longest]] * 8_000, rng=entropy).tolist()]
    single = [tuple(m.perturb_one("ab"[: m.longest], entropy=entropy)) for _ in range(800)]
    for reports in (many, single):
        assert abs(distance(m, reports, "ab"[: m.longest])) < 6
        assert distance(m, reports, "b") > 6


@cases("m", [sd.PEM(3, 4.0, "kana"), sd.PEM(3, 1.0), sd.PEM(4, 6.0, "abc", lengths=(2, 4))])
def test_supports_are_those_of_asking_each_report(m: sd.PEM) -> None:
    generator = np.random.default_rng(7)
    n, length = 300, m.longest
    functions = generator.integers(m.family.functions, size=(n, length)).astype(np.uint16)
    told = generator.integers(m.g, size=n).astype(np.uint16)
    supports = Supports(m.family, functions, told)
    for prefix in generator.integers(m.alphabet.size, size=(3, length - 1)).astype(np.uint8):
        for symbol, own in enumerate(supports.after(prefix).tolist()):
            hashes = m.family.hashes(functions, np.array([*prefix, symbol])).sum(axis=1) % m.g
            assert own == int((hashes == told).sum())


WORDS = ["らあめ", "すし", "かれえ", "そば", "うど", "ぱん", "にく", "さかな", "たまご", "めし"]


def zipf(n: int, words: list[str]) -> list[str]:
    shares = 1 / np.arange(1, len(words) + 1)
    held = np.random.default_rng(3).multinomial(n, shares / shares.sum())
    return [word for word, many in zip(words, held, strict=True) for _ in range(many)]


@cases(
    "m, words",
    [
        (sd.PEM(4, 4.0, "kana"), ["すし", "らーめん", "うどん", "そば", "ぴざ", "かれー", "え"]),
        (sd.PEM(4, 4.0, lengths=(1, 2, 3, 4)), ["tea", "簾", "é", "cafe", "木"]),
        (sd.PEM(4, 4.0, "abcdefgh", lengths=(2, 4)), ["abba", "cafe", "a", "hah"]),
    ],
)
def test_words_are_found_with_their_shares(m: sd.PEM, words: list[str]) -> None:
    people = zipf(12_000, words)
    found = m.find(m.perturb(people, rng=sd.Entropy.seeded(b"found")), beam=24)
    assert set(words[:4]) <= set(found.words) <= set(words)
    assert len(found) == len(found.words)
    assert found.n == len(people)
    for word, share, error in zip(found.words, found.shares, found.stderr, strict=True):
        assert abs(share - people.count(word) / len(people)) < 5 * error
    assert (found.shares >= found.threshold).all()
    rows = found.to_json()["words"]
    told = zip(found.words, found.shares, found.stderr, strict=True)
    assert [tuple(row.values()) for row in rows] == list(told)
    assert list(found.shares) == sorted(found.shares, reverse=True)


def alarms(m: sd.PEM, runs: int, false: float) -> int:
    """Return in how many runs a word of nobody is published, where all hold the same."""
    entropy = sd.Entropy.seeded(b"false words")
    reports = (m.perturb(["ba"] * 500, rng=entropy) for _ in range(runs))
    return sum(set(m.find(own, false=false).words) > {"ba"} for own in reports)


def judged(runs: int) -> None:
    """The rate stays below what is stated, and a rate that is not stated is noticed."""
    from sudare.estimation.tails import least_count

    m = sd.PEM(2, 3.0, "abcdefg", lengths=(1, 2))
    most = least_count(runs, 0.1, 1e-6)  # the false-alarm rate of this test
    assert 0 < alarms(m, runs, 0.1) < most
    assert alarms(m, runs, 0.999) >= most


def test_false_words_are_as_rare_as_stated() -> None:
    judged(40)


@pytest.mark.slow
def test_false_words_are_as_rare_as_stated_in_many_runs() -> None:
    judged(200)


def test_words_of_few_are_false_where_that_is_asked() -> None:
    m = sd.PEM(2, 4.0, "abc")
    words = ["ab"] * 6_000 + ["b"] * 3_000 + ["ca"] * 1_000
    reports = m.perturb(words, rng=sd.Entropy.seeded(b"above"))
    assert m.find(reports).words == ("ab", "b", "ca")
    above = m.find(reports, above=0.2)
    assert above.words == ("ab", "b")
    assert above.threshold > 0.2


def found_rate(runs: int) -> tuple[float, float]:
    m = sd.PEM(3, 4.0, "abcd", lengths=(2, 3))
    entropy = sd.Entropy.seeded(b"chances")
    share = m.least_share(1_000, 0.5)
    words = ["abc"] * round(share * 1_000) + ["dad"] * (1_000 - round(share * 1_000))
    found = sum("abc" in m.find(m.perturb(words, rng=entropy)).words for _ in range(runs))
    return found / runs, m.chance(round(share * 1_000) / 1_000, 1_000)


@pytest.mark.slow
def test_a_word_is_found_as_often_as_is_told_before() -> None:
    runs = 150
    rate, told = found_rate(runs)
    assert rate > told - 5 * (0.25 / runs) ** 0.5  # a bound: false with 3e-7
    assert rate < told + 0.25  # and it says something


@pytest.mark.slow
def test_intervals_of_words_that_are_shown_hold_their_shares() -> None:
    """Also of words near the threshold, which are shown where they came out large.

    Of 50 surveys with about 9 words each: coverage of 95 % scatters by 1 %.
    """
    m = sd.PEM(3, 4.0, "kana")
    truth = dict(
        zip(WORDS, (0.25, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.04, 0.04, 0.03), strict=True)
    )
    dice, entropy = np.random.default_rng(0), sd.Entropy.seeded(b"words that are shown")
    held, control = [], []
    for _ in range(50):
        people = dice.choice(WORDS, 5_000, p=list(truth.values()))
        found = m.find(m.perturb(people.tolist(), rng=entropy))
        for word, share, error in zip(found.words, found.shares, found.stderr, strict=True):
            off = abs(share - truth.get(word, 0.0)) / error
            held.append(off <= 1.96)
            control.append(off <= 1.96 * 0.8)
    assert len(held) > 440
    assert 0.93 < np.mean(held) < 0.98
    assert np.mean(control) < 0.91


def test_what_can_be_found_grows_with_people_and_privacy_lost() -> None:
    m = sd.PEM(6, 4.0, "kana")
    shares = [m.least_share(n) for n in (1_000, 10_000, 100_000, 1_000_000)]
    assert shares == sorted(shares, reverse=True)
    assert sd.PEM(6, 2.0, "kana").least_share(10_000) > shares[1]
    assert m.least_share(10) == float("inf")
    assert m.chance(shares[1], 10_000) >= 0.9 > m.chance(shares[1] * 0.99, 10_000)
    assert m.least_share(10_000, false=0.001) > shares[1]


@cases(
    "arguments, error",
    [
        ({"false": 0}, sd.DomainError),
        ({"false": 1}, sd.DomainError),
        ({"false": float("nan")}, ValueError),
        ({"above": 1}, sd.DomainError),
        ({"above": -0.1}, sd.DomainError),
        ({"beam": 0}, sd.DomainError),
        ({"beam": 1.5}, sd.WrongTypeError),
    ],
)
def test_what_is_asked_is_checked(arguments: dict[str, float], error: type[Exception]) -> None:
    m = sd.PEM(2, 2.0, "ab")
    for ask in (
        lambda: m.find(m.perturb(["ab"] * 9), **arguments),
        lambda: m.chance(0.1, 100, **arguments),
        lambda: m.least_share(100, **arguments),
    ):
        with pytest.raises(error):
            ask()


def test_reports_of_another_mechanism_are_refused() -> None:
    m = sd.PEM(3, 1.0, "ab", lengths=(1, 3))
    good = m.perturb(["ab"] * 50, rng=sd.Entropy.seeded(b"good")).astype(np.int64)
    assert len(m.find(good).words) <= 1
    short = int(np.flatnonzero(good[:, 0] == 0)[0])
    for column, wrong in ((0, 2), (0, -1), (1, m.family.functions), (-1, m.g), (2, 1)):
        bad = good.copy()
        bad[short, column] = wrong
        with pytest.raises(sd.ReportError):
            m.find(bad)
    with pytest.raises(sd.ReportError):
        m.find(good[:, 1:])
    with pytest.raises(sd.WrongTypeError):
        m.find(good.astype(float))
    with pytest.raises(sd.EstimationError, match="each length"):
        m.find(good[good[:, 0] == 0])


@cases("last", [0, 1])
def test_made_up_reports_do_not_put_thousands_of_words_there(last: int) -> None:
    """Functions of zeros alone support every word, those of one other than 0 one word in g."""
    m, rng = sd.PEM(4, 4.0, "kana"), sd.Entropy.seeded(b"flood")
    honest = m.perturb(["すし"] * 1500 + ["そば"] * 1500, rng=rng)
    fakes = np.zeros((600, 6), dtype=np.uint16)
    fakes[:, 0] = np.arange(600) % len(m.lengths)
    for row, which in zip(fakes, fakes[:, 0].tolist(), strict=True):
        row[m.lengths[which]] = last
    assert set(m.find(honest, above=0.01).words) == {"すし", "そば"}
    found = m.find(np.concatenate([honest, fakes]), above=0.01)
    assert (found.flooded, len(found)) == ((True, 0) if last else (False, 2))


def test_a_frozen_value_with_a_clear_text() -> None:
    m = sd.PEM(4, 2.0, "kana")
    assert m == sd.PEM(4, 2, "kana", lengths=(2, 3, 4)) != sd.PEM(4, 2.0, "kana", fold=True)
    assert eval(repr(m), {"PEM": sd.PEM}) == m
    assert END == 0
    assert m.report_bytes == len(m.program.encode_one(m.perturb_one("え"))) == 10
    with pytest.raises(AttributeError):
        m.longest = 3
