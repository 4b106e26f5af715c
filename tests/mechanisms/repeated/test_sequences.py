"""ε of any two sequences of answers: enumerated over few rounds, bounded over many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import log, prod
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.repeated import sequences
from sudare.mechanisms.repeated.direct import rates
from sudare.mechanisms.repeated.sequences import Settled
from tests.cases import cases

RATES = ((1.0, 2.0), (0.1, 20.0), (1.9, 2.0), (0.5, 6.0))


def laws_of(m: Any, rounds: int) -> Iterator[np.ndarray]:
    """Yield of each independent part log P(reports | answers): a row a sequence of answers."""
    if isinstance(m, sd.LGRR):
        settled = np.array([[float(x) for x in row] for row in m.permanent.laws(range(m.k))])
        told = np.array([[float(x) for x in row] for row in m.instant.laws(range(m.k))])
        parts = [settled]
    else:
        p, q = (one / (1 << m.permanent.width) for one in (m.permanent.own, m.permanent.other))
        flip = m.instant.other / (1 << m.instant.width)
        told = np.array([[1 - flip, flip], [flip, 1 - flip]])
        own = p * np.eye(m.k) + q * (1 - np.eye(m.k))
        parts = [np.stack([1 - own[:, j], own[:, j]], axis=1) for j in range(m.k)]
    answers = list(product(range(m.k), repeat=rounds))
    reports = np.array(list(product(range(len(told)), repeat=rounds)))
    for settled in parts:
        rows = []
        for v in answers:
            row = np.ones(len(reports))
            for one in set(v):
                when = [t for t in range(rounds) if v[t] == one]
                row *= (settled[one] * told[:, reports[:, when]].prod(axis=2).T).sum(axis=1)
            rows.append(np.log(row))
        yield np.array(rows)


def enumerated(m: Any, rounds: int) -> float:
    """Return the largest loss over all pairs of sequences and all reports."""
    worst: Any = 0.0
    for table in laws_of(m, rounds):
        worst = worst + np.array([(own - table).max(axis=1) for own in table])
    return float(worst.max())


SMALL = ((2, 1), (2, 2), (2, 4), (2, 5), (3, 2), (3, 3), (4, 2), (5, 2), (6, 2))


@cases("kind", [sd.LGRR, sd.LSUE, sd.LOSUE])
def test_a_few_rounds_spend_what_an_enumeration_of_all_sequences_finds(kind: Any) -> None:
    for epsilon, permanent in RATES:
        for k, rounds in SMALL:
            m = kind(k, epsilon, permanent=permanent)
            low, high = (float(one) for one in m.total_bounds(rounds))
            found = enumerated(m, rounds)
            assert low - 1e-9 < found < high + 1e-9, (m, rounds, found)
            assert high - low < 2e-6


@pytest.mark.slow  # 256 x 256 sequences, each with all reports
@pytest.mark.parametrize("kind", [sd.LGRR, sd.LSUE, sd.LOSUE])
def test_four_rounds_of_four_answers_too(kind: Any) -> None:
    m = kind(4, 1.0, permanent=2.0)
    assert enumerated(m, 4) == pytest.approx(m.total_epsilon(4), abs=1e-6)


def test_what_the_known_cases_spend() -> None:
    assert sd.LGRR(4, 1.0, permanent=2.0).total_epsilon(3) == pytest.approx(3.443, abs=1e-3)
    assert sd.LOSUE(3, 1.0, permanent=2.0).total_epsilon(2) == pytest.approx(2.453, abs=1e-3)
    assert sd.LSUE(2, 1.0, permanent=2.0).total_epsilon(4) == pytest.approx(4.069, abs=1e-3)


def test_a_function_onto_all_hashes_is_the_worst_of_loloha() -> None:
    a, b = sd.LOLOHA(50, 1.0, 2.0, g=3), sd.LGRR(3, 1.0, 2.0)
    for rounds in (2, 4, 9):
        assert a.total_epsilon(rounds) == b.total_epsilon(rounds)


@cases(
    "k, epsilon, permanent, g, rounds",
    [(2, 1, 2, 3, 3), (2, 1.9, 2, 5, 3), (2, 2, 4, 3, 3), (3, 0.5, 1.5, 5, 3), (2, 3, 6, 5, 4)],
)
def test_fewer_categories_than_hashes_spend_what_all_their_sequences_and_reports_say(
    k: int, epsilon: float, permanent: float, g: int, rounds: int
) -> None:
    m = sd.LOLOHA(k, epsilon, permanent=permanent, g=g)
    own, other = map(float, rates(m.permanent))
    rho = float(m.instant.ratio)

    def probability(answers: tuple[int, ...], reports: tuple[int, ...]) -> float:
        """Of reports of g symbols where each answer has a hash of its own, but for a factor."""
        blocks: dict[int, list[int]] = {}
        for answer, report in zip(answers, reports, strict=True):
            blocks.setdefault(answer, []).append(report)
        return prod(
            sum((own if y == answer else other) * rho ** told.count(y) for y in range(g))
            for answer, told in blocks.items()
        )

    sequences_of = list(product(range(k), repeat=rounds))
    worst = max(
        max(each) / min(each)
        for reports in product(range(g), repeat=rounds)
        if (each := [probability(answers, reports) for answers in sequences_of])
    )
    assert m.total_epsilon(rounds) == pytest.approx(log(worst), abs=1e-6)
    law = Settled.of(g, k, *rates(m.permanent), m.instant.ratio)
    assert sequences._symbols_bound(law, rounds) >= log(worst) - 1e-9


def settled(m: Any) -> Settled:
    if isinstance(m, sd.LGRR):
        return Settled.of(m.k, m.k, *rates(m.permanent), m.instant.ratio)
    return Settled.of(m.k, m.k, *m._bits)


@pytest.mark.parametrize("kind", [sd.LGRR, sd.LSUE, sd.LOSUE])
def test_the_bounds_of_many_rounds_are_above_what_few_rounds_spend(kind: Any) -> None:
    bound = sequences._symbols_bound if kind is sd.LGRR else sequences._bits_bound
    exact = sequences._symbols_exactly if kind is sd.LGRR else sequences._bits_exactly
    for epsilon, permanent in RATES:
        for k in (2, 3, 7):
            law = settled(kind(k, epsilon, permanent=permanent))
            for rounds in (1, 2, 3, 4):
                assert bound(law, rounds) >= exact(law, rounds) - 1e-9, (kind, k, rounds)


def test_two_symbols_are_one_bit_exactly() -> None:
    for epsilon, permanent in RATES:
        law = settled(sd.LGRR(2, epsilon, permanent=permanent))
        for rounds in range(1, 7):
            exact = sequences._symbols_exactly(law, rounds)
            assert sequences._bit_bound(law, rounds) == pytest.approx(exact, abs=1e-9)


@cases("kind", [sd.LGRR, sd.LSUE, sd.LOSUE, sd.LOLOHA])
def test_a_total_grows_with_the_rounds_and_stays_within_the_wide_bound(kind: Any) -> None:
    m = kind(6, 1.0, permanent=2.0)
    totals = [m.total_epsilon(rounds) for rounds in (1, 2, 3, 5, 6, 7, 9, 52, 366)]
    assert totals == sorted(totals)
    assert totals[-1] > 100  # who changes is seen to have changed
    for rounds in (2, 7, 52):
        assert m.total_bounds(rounds)[1] <= m.wide_bounds(rounds)[1]
        assert m.total_epsilon(rounds) >= m.steady_epsilon(rounds)


def test_sixty_rounds_of_a_hundred_answers_are_quick() -> None:
    for kind in (sd.LGRR, sd.LOSUE):
        m = kind(100, 1.0, permanent=2.0)
        assert log(100) < m.total_epsilon(60) < float(m.wide_bounds(60)[0])


def test_the_best_pairs_are_those_that_all_choices_give() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        gains = rng.normal(size=(3, 4))
        for least in range(4):
            best = max(
                sum(gains[a, b] for a, b in enumerate(choice) if b is not None)
                for choice in product([None, *range(4)], repeat=3)
                if len({b for b in choice if b is not None}) == sum(b is not None for b in choice)
                if sum(b is not None for b in choice) >= least
            )
            assert sequences.matched(gains.tolist(), least) == pytest.approx(best)
    assert sequences.matched([[1.0], [2.0]], 2) == -np.inf
