"""χ²: uniform under the law, as honest as it says, typed errors for what is not counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, chi2

import sudare as sd
from sudare.testing import chi_square_pvalue
from tests.cases import cases


def test_p_values_are_uniform_under_the_law() -> None:
    generator = np.random.default_rng(5)
    law = generator.dirichlet(np.ones(20))
    values = np.array(
        [chi_square_pvalue(generator.multinomial(5000, law), law) for _ in range(2000)]
    )
    for level in (0.01, 0.1, 0.5):
        share = (values < level).mean()
        assert abs(share - level) < 5 * np.sqrt(level * (1 - level) / 2000) + 0.005


@cases("rare", [1e-4, 0.001, 0.01, 0.1, 0.5])
@cases("level, factor", [(1e-3, 1.3), (1e-6, 3), (1e-9, 12)])
def test_small_p_values_are_as_honest_as_stated(rare: float, level: float, factor: float) -> None:
    n = round(100 / rare)
    counts = np.arange(min(n, 700) + 1)
    expected = n * rare
    p_values = chi2.sf((counts - expected) ** 2 / (expected * (1 - rare)), 1)
    for x in (0, 60, 90, 100, 170):  # the formula is the function's
        p_value = chi_square_pvalue([x, n - x], [rare, 1 - rare])
        assert p_value == pytest.approx(p_values[x], rel=1e-9)
    assert binom.pmf(counts[p_values <= level], n, rare).sum() <= factor * level


def test_a_fifth_too_much_is_noticed_among_rare_cells() -> None:
    law = np.full(1000, 1e-3)
    tilted = law * np.where(np.arange(1000) < 500, 1.2, 0.8)
    assert chi_square_pvalue(np.round(tilted * 100_000), law) < 1e-9


def test_cells_are_pooled_by_the_law_alone() -> None:
    # Expected 1, 2, 200, 797: the pools are {1, 2, 200} and {797}.
    law = [0.001, 0.002, 0.2, 0.797]
    pooled = chi_square_pvalue([203 + 40, 797 - 40], [0.203, 0.797])
    assert chi_square_pvalue([3, 40, 200, 757], law) == pytest.approx(pooled, rel=1e-12)
    assert chi_square_pvalue([1000, 1, 0, 0], [0.9985, 0.0005, 0.0005, 0.0005]) == 1


def test_the_impossible_is_impossible() -> None:
    assert chi_square_pvalue([10, 1], [1.0, 0.0]) == 0
    assert chi_square_pvalue([10, 0], [1.0, 0.0]) == 1


@cases(
    "observed",
    [[1, 2, 3], [], [[1, 2]], 3, [-1, 3], [0, 0], [1.5, 2], [1, float("nan")], [1, float("inf")]],
)
def test_counts_are_checked(observed: object) -> None:
    with pytest.raises(sd.DomainError, match="observed"):
        chi_square_pvalue(observed, [0.5, 0.5])


@cases("law", [[0.5, 0.4], [1.5, -0.5], [float("nan"), 0.5], [0.2, 0.3, 0.5], [[0.5, 0.5]], 1.0])
def test_the_law_is_checked(law: object) -> None:
    with pytest.raises(sd.DomainError):
        chi_square_pvalue([5, 5], law)


@cases(
    "wrong", [None, "12", ["1", "2"], [True, False], [1, None], [[1], [2, 3]], [1j, 2],
              np.ma.masked_array([1, 2], [True, False])])  # fmt: skip
def test_what_is_not_numbers_is_refused(wrong: object) -> None:
    with pytest.raises(sd.WrongTypeError):
        chi_square_pvalue(wrong, [0.5, 0.5])
    with pytest.raises(sd.WrongTypeError):
        chi_square_pvalue([5, 5], wrong)
