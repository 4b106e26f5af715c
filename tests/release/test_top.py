"""The most frequent categories: exact laws of the order, prices, and what is refused."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, bound_of
from sudare.release.queries.top import Peeling
from tests.release.test_neighbours import peeled_odds

SHOPS = {"shop": ["tea"] * 500 + ["rice"] * 300 + ["books"] * 200 + ["shoes"] * 10}
GIVEN = ["books", "rice", "shoes", "tea", "none"]


def test_the_order_of_large_counts() -> None:
    db = Dataset(SHOPS)
    for price in ({"epsilon": 30}, {"rho": 100}):
        found = db.top("shop", GIVEN, 4, **price)
        assert list(found.value.items()) == [("tea", 1), ("rice", 2), ("books", 3), ("shoes", 4)]
        assert (found.bound_in, found.noise[0]["times"]) == ("rows", 4)
    assert Ask.parse("top:shop=2,books,rice,tea").to(db, Cost.of(epsilon=90)).value == {
        "tea": 1, "rice": 2,
    }  # fmt: skip


@pytest.mark.parametrize("cost", [Cost.of(epsilon=1.5), Cost.of(rho=0.4)], ids=["epsilon", "rho"])
def test_what_is_drawn_has_the_law(cost: Cost) -> None:
    """A false alarm has a probability of 1e-6; the law of another price is found."""
    counts = np.array([5, 4, 2])
    drawn, size = Counter[tuple[int, ...]](), 20_000
    rng = sd.Entropy.seeded(b"top " + cost.unit.encode())
    peeling = Peeling.of(cost, 2, 2)
    for _ in range(size):
        drawn[tuple(peeling.drawn(counts, rng))] += 1

    def distance(law: Peeling) -> float:
        orders = list(itertools.permutations(range(3), 2))
        chances = [math.exp(peeled_odds(law, counts, one)) for one in orders]
        assert sum(chances) == pytest.approx(1)
        pairs = zip(orders, chances, strict=True)
        return sum((drawn[one] - size * p) ** 2 / (size * p) for one, p in pairs)

    assert distance(peeling) < 36  # chi-square with 5 degrees of freedom
    assert distance(Peeling.of(Cost(cost.unit, cost.amount * 2), 2, 2)) > 100


def test_prices_in_both_units(tmp_path: Any) -> None:
    """ε / k for each; ρ / k for each by ε'²/8, rounded down."""
    for k in (1, 3, 7):
        assert Peeling.of(Cost.of(epsilon=1), k, 2).rate == Fraction(1, 2 * k)
        each = Peeling.of(Cost.of(rho=0.3), k, 1).rate
        assert 0 <= Fraction(3, 10) - k * each**2 / 8 < Fraction(1, 10**20)
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("rho", rho=1)
        db = Dataset(SHOPS, ledger=ledger, name="rho")
        db.top("shop", GIVEN, 2, rho=0.1)
        assert ledger.account("rho").spent == Fraction(1, 10)
        db.top("shop", GIVEN, 2, epsilon=0.2)
        assert ledger.account("rho").spent == Fraction(12, 100)
    wide = [bound_of("top", rho=0.1, categories=5, k=k) for k in (1, 4)]
    assert wide[1] / wide[0] == pytest.approx(2 * math.log(400) / math.log(100))
    assert bound_of("top", epsilon=1, categories=5, k=1) == bound_of(
        "mode", epsilon=1, categories=5
    )


def test_what_is_refused() -> None:
    db = Dataset(SHOPS)
    for k in (0, 6, 1.5, -1, True, "two"):
        with pytest.raises(sd.SudareError):
            db.top("shop", GIVEN, k, epsilon=1)
    for text in ("top:shop=2", "top:shop=a,b", "top:shop=3,a,b", "top:shop=1,a,a", "top:shop"):
        with pytest.raises(sd.SudareError):
            Ask.parse(text).to(db, Cost.of(epsilon=1))
