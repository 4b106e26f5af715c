"""Local hashing: its family of functions, both ways to decode, and what dominates it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import sudare as sd
from sudare.errors import CollectionError, OutOfReachError
from sudare.exact.linear_hash import LinearHash, primes
from sudare.mechanisms.frequency.local_hashing import best_prime
from sudare.samplers import Program
from tests.cases import cases

FAMILIES = [LinearHash(*one) for one in ((2, 2), (5, 2), (9, 3), (20, 3), (6, 7), (30, 5), (5, 5))]


def table(family: LinearHash) -> np.ndarray:
    """The hash of each value under each function, by the definition."""
    g, t = family.g, family.t

    def digits(number: int) -> list[int]:
        return [number // g**i % g for i in range(t)]

    return np.array(
        [
            [sum(a * v for a, v in zip(digits(f), digits(x), strict=True)) % g
             for x in range(family.k)]
            for f in range(g**t)
        ]
    )  # fmt: skip


@cases("family", FAMILIES)
def test_collisions_are_exactly_those_of_the_law(family: LinearHash) -> None:
    hashes = table(family)
    functions = np.arange(family.functions)
    assert np.array_equal(family.hashes(functions[:, None], np.arange(family.k)), hashes)
    for i, j in combinations(range(family.k), 2):
        assert (hashes[:, i] == hashes[:, j]).sum() * family.g == family.functions
    for i, j, v in combinations(range(min(family.k, 9)), 3):
        alike = ((hashes[:, i] == hashes[:, j]) & (hashes[:, i] == hashes[:, v])).sum()
        power = 1 if family.multiple(i, j, v) else 2
        assert alike * family.g**power == family.functions
    for size in range(1, family.g):
        held = [{(h - x) % family.g for h in row for x in range(size)} for row in hashes.tolist()]
        assert family.covered(size) == sum(map(len, held))


@cases("family", FAMILIES)
def test_sums_over_all_functions_are_those_of_the_definition(family: LinearHash) -> None:
    draws, hashes = np.random.default_rng(3), table(family)
    tally = draws.integers(0, 1 << 40, size=(family.functions, family.g))
    rows = np.arange(family.functions)
    functions, starts = np.divmod(np.arange(tally.size), family.g)
    for size in range(1, family.g):
        named = [
            tally[rows, (hashes[:, v] - x) % family.g] for v in range(family.k) for x in range(size)
        ]
        expected = np.sum(named, axis=1).reshape(-1, size).sum(axis=1)
        counted = family.tally(functions, starts, size, tally.reshape(-1))
        assert np.array_equal(family.supports(counted), expected)
        few = draws.integers(tally.size, size=300)
        parts = functions[few], starts[few], size
        one_by_one = family.supports_one_by_one(*parts)
        assert np.array_equal(one_by_one, family.supports(family.tally(*parts)))
    numbers = draws.integers(-9, 9, size=family.k)
    sums = np.zeros((family.functions, family.g), dtype=np.int64)
    for v, number in enumerate(numbers.tolist()):
        sums[rows, hashes[:, v]] += number
    found = np.concatenate(
        [family.sums(numbers)[:, a * np.arange(family.g) % family.g] for a in range(1, family.g)]
    )  # of all multiples: each function but 0
    assert sorted(found.tolist()) == sorted(sums[1:].tolist())


@cases("k, epsilon", [(2, 1.0), (43, 1.0), (300, 2.0), (1024, 1.0), (90, 9)])
def test_both_ways_to_decode_agree(k: int, epsilon: float, rng: sd.Entropy) -> None:
    m = sd.OLH(k, epsilon)
    reports = m.perturb(np.arange(700) % k, rng=rng)
    support = m.aggregate_published(reports).support
    assert np.array_equal(support, m.program.family.supports(m._tally(reports)))
    assert m.aggregate(reports).support.tolist() == support.tolist()
    assert m.aggregate_published(reports[:1]).n == 1


@cases("k, epsilon", [(2, 0.5), (3, 1.0), (6, 2.0), (9, 1.1), (5, 3.0)])
def test_the_best_guess_is_that_of_the_whole_law(k: int, epsilon: float) -> None:
    program = sd.OLH(k, epsilon).program
    whole = float(sum(map(max, program.matrix()), Fraction(0)) / k)
    assert program.guess_probability == pytest.approx(whole, rel=1e-14)
    assert type(program).guess_probability is not Program.guess_probability


@cases("epsilon", [0.05, 0.5, 1.0, 2.0, 3.5])
@cases("k", [12, 1000, 65_536])
def test_its_error_is_that_of_the_best_real_g(k: int, epsilon: float) -> None:
    ideal = sd.OUE(k, epsilon).expected_mse(1000, target="respondents")  # from k = 12 on about it
    assert sd.OLH(k, epsilon).expected_mse(1000, target="respondents") < 1.026 * ideal


@cases("epsilon", [0.01, 0.3, 1.0, 1.6, 2.0, 3.0, 5.0, 8.0])
@cases("k", [2, 3, 7, 43, 255, 1000, 4096])
def test_a_dominated_mechanism_never_errs_less(k: int, epsilon: float) -> None:
    best = sd.SubsetSelection(k, epsilon).expected_mse(1000, target="respondents")
    assert sd.OLH.dominated_by == "SubsetSelection"
    assert best <= sd.OLH(k, epsilon).expected_mse(1000, target="respondents") * (1 + 1e-5)


@cases("k", [3, 43, 5000, 65_536])
def test_a_plan_names_what_dominates_and_takes_another(k: int) -> None:
    for epsilon in (0.5, 1.0, float(np.log(4)), 4.0):
        plan = sd.plan(k, 1000, epsilon)
        assert not plan.best.dominated_by
        (olh,) = (option for option in plan if option.mechanism.name == "OLH")
        assert olh.dominated_by == ("SubsetSelection" if k <= 4096 else plan.best.name)
        assert olh.to_json()["dominated_by"] == olh.dominated_by


def test_more_categories_than_a_table_holds_are_refused() -> None:
    assert sd.OLH(65_536, 20.0).program.outputs <= 1 << 24
    with pytest.raises(OutOfReachError, match="at most 65536 for OLH"):
        sd.OLH(65_537, 1.0)


def test_primes_and_the_one_of_the_least_error() -> None:
    assert primes(30) == (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)
    found = [best_prime(1000, Fraction(e)) for e in (Fraction(1, 10), 1, 2, 3, 4)]
    assert found == [2, 3, 7, 19, 53]


def test_no_device_runs_it() -> None:
    survey = (
        '[collection]\nname = "t"\nepsilon = 1\n[[question]]\nid = "q"\ntype = "choice"\n'
        'text = "?"\nchoices = ["a", "b", "c"]\nmechanism = "OLH"\n'
    )
    with pytest.raises(CollectionError, match="use SubsetSelection instead"):
        sd.Collection.from_toml(survey)
