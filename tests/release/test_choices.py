"""What choices cost in an account of ρ: by exact laws of all small data sets, and their ranges."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.ledger import Cost, Ledger, Tokens
from sudare.refusal import Refusal
from sudare.release import Dataset
from sudare.release.api import Queries
from sudare.release.definition import Definition
from sudare.release.grid import Scale
from sudare.release.protection import NeighbourRelation
from sudare.release.queries import KINDS
from sudare.release.queries.ranks import LossPieces
from tests.cases import cases

EPSILON = 1.5
ORDERS = (1.001, 1.5, 2.0, 3.0, 8.0, 50.0)


def quantile_law(values: Sequence[int], share: Fraction, rate: float) -> np.ndarray:
    """Return the law of a quantile over the grid 0 .. 3."""
    scale = Scale(Fraction(0), Fraction(3), Fraction(1))
    found = np.unique(np.array(values, dtype=np.int64), return_counts=True)
    pieces = LossPieces.of(*found, scale, share * len(values))
    weights = np.zeros(4)
    for start, size, loss in zip(pieces.starts, pieces.sizes, pieces.losses, strict=True):
        weights[start : start + size] = math.exp(-rate * loss / pieces.parts)
    return weights / weights.sum()


def test_a_value_that_many_have_stands_out_by_both_ends_of_its_ranks() -> None:
    scale, found = Scale(Fraction(0), Fraction(3), Fraction(1)), np.array([[0, 1, 3], [1, 3, 1]])
    pieces = LossPieces.of(*found, scale, Fraction(5, 2))
    assert pieces.starts.tolist() == [0, 1, 2, 3]
    assert (pieces.losses / pieces.parts).tolist() == [1.5, -1.5, 1.5, 1.5]


def flip_law(losses: Sequence[int], rate: float) -> np.ndarray:
    """Return the law of permute-and-flip: the winners are enumerated, one of them is uniform."""
    coins = [math.exp(-rate * (one - min(losses))) for one in losses]
    law = np.zeros(len(losses))
    for won in itertools.product([False, True], repeat=len(losses)):
        p = math.prod(coin if one else 1 - coin for one, coin in zip(won, coins, strict=True))
        law += p * np.array(won) / max(1, sum(won))
    return law


def range_of(first: np.ndarray, second: np.ndarray) -> float:
    loss = np.log(first / second)
    return float(loss.max() - loss.min())


def rho_needed(first: np.ndarray, second: np.ndarray) -> float:
    """Return the ρ of two laws: the most of their Rényi divergences over the orders."""
    moments = [(first**a * second ** (1 - a)).sum() for a in ORDERS]
    return max(math.log(m) / (a - 1) / a for a, m in zip(ORDERS, moments, strict=True))


@cases("relation", ["replace-one", "add-remove"])
@cases("share", [Fraction(1, 2), Fraction(1, 10), Fraction(1)])
def test_quantiles_have_a_range_of_epsilon(relation: str, share: Fraction) -> None:
    protection = NeighbourRelation(relation)
    rate = EPSILON / (2 * float(protection.of_rank(share)))
    ranges, rhos = [], []
    for data in itertools.product(range(4), repeat=3):
        shorter = relation == "add-remove"
        others = [data[:2]] if shorter else [(*data[:2], last) for last in range(4)]
        one = quantile_law(data, share, rate)
        for other in others:
            two = quantile_law(other, share, rate)
            ranges += [range_of(one, two)]
            rhos += [rho_needed(one, two), rho_needed(two, one)]
    assert max(ranges) <= EPSILON * (1 + 1e-12)
    assert max(ranges) >= EPSILON * 0.5, "the search finds something"
    charged = float(Cost.of(epsilon=EPSILON).by("choice").within("rho").amount)
    assert max(rhos) <= charged * (1 + 1e-9)


def test_permute_and_flip_has_a_wider_range() -> None:
    """The control: its range is above ε, and its ρ above ε² / 8; so it is charged ε² / 2."""
    rate, ranges, rhos = EPSILON / 2, [], []
    for losses in itertools.product(range(3), repeat=3):
        for moves in itertools.product((-1, 0, 1), repeat=3):
            one = flip_law(losses, rate)
            two = flip_law([a + b for a, b in zip(losses, moves, strict=True)], rate)
            ranges.append(range_of(one, two))
            rhos.append(rho_needed(one, two))
    assert max(ranges) > 1.2 * EPSILON
    assert EPSILON**2 / 8 * 1.1 < max(rhos) <= EPSILON**2 / 2


def test_what_each_question_costs_an_account_of_rho(tmp_path: Path) -> None:
    data = {"x": [1, 2, 3, 4] * 50, "g": ["a", "b"] * 100}
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", rho=10)
        db = Dataset(data, bounds={"x": (0, 5)}, ledger=ledger)
        asked = {
            "quantile": (lambda: db.quantile("x", 0.2, epsilon=1), Fraction(1, 8)),
            "median": (lambda: db.median("x", epsilon=1), Fraction(1, 8)),
            "max": (lambda: db.max("x", epsilon=1), Fraction(1, 8)),
            "min": (lambda: db.min("x", epsilon=1), Fraction(1, 8)),
            "mode": (lambda: db.mode("g", ["a", "b"], epsilon=1), Fraction(1, 2)),
            "mean": (lambda: db.mean("x", epsilon=1), Fraction(1, 2)),
            "gaussian": (lambda: db.mean("x", rho=1), Fraction(1)),
        }
        before = Fraction(0)
        for name, (ask, rho) in asked.items():
            answer = ask()
            after = ledger.account("data").spent
            assert (after - before, answer.rho) == (rho, float(rho)), name
            before = after
        laws = [one["body"].get("law") for one in ledger.events()[1:]]
        assert laws == ["choice"] * 4 + [None, None, "gaussian"]


@cases(
    "tag", [one for one, kind in KINDS.items() if kind.noisy and one != "top"]
)  # which chooses for ρ too, and no plan pays for it
def test_what_rho_pays_for_is_known_as_gaussian_noise(tag: str) -> None:
    """Each kind says so of what it draws; a kind that does not is no part of a plan."""
    data = {
        "x": [1, 2, 3, 4] * 50,
        "g": ["a", "b"] * 100,
        "y": [1, 2] * 100,
        "t": [True, False] * 100,
    }
    db = Dataset(
        data,
        bounds={"x": (0, 5), "y": (0, 5)},
        neighbours="add-remove",
        budget=Cost.of(rho=9, delta=1e-3),
    )
    fields = {"column": "x", "equals": 1, "by": "g", "keys": ["a"], "categories": [1, 2],
              "edges": [1, 2, 3], "others": ["y"], "delta": 1e-6, "limit": 2}  # fmt: skip
    kind = KINDS[tag]
    given = {name: fields[name] for name in kind.fields() if name in fields or kind.needs(name)}
    given |= {"discover": {"column": "g"}, "logistic": {"column": "t"}}.get(tag, {})
    answer = db.ask(kind(**given), Cost.of(rho=0.1))
    assert answer.cost.law == "gaussian"
    assert {one["law"] for one in answer.noise} == {"discrete Gaussian"}
    assert {one["law"] for one in db.ask(kind(**given), Cost.of(epsilon=1)).noise} == {
        "discrete Laplace"
    }


def test_a_law_fits_its_unit() -> None:
    with pytest.raises(sd.PrivacyError, match="a choice costs"):
        Cost.of(rho=1).by("choice")
    with pytest.raises(sd.PrivacyError, match="a choice costs"):
        Cost.of(epsilon=1).by("gaussian")
    with pytest.raises(sd.SudareError):
        Cost.of(epsilon=1).by("laplace")


def test_a_data_set_with_a_plan_over_http(tmp_path: Path) -> None:
    """A definition opens it; analysts see what is left of each price, and pay from it."""
    (tmp_path / "people.csv").write_text("x\n" + "1\n2\n3\n" * 50)
    text = """
name = "people"
file = "people.csv"
[budget]
epsilon = 1
delta = 1e-6
plan = "2 epsilon=0.1, 1 choice=0.1, 1 rho=0.005"
[bounds]
x = [0, 5]
"""
    definition = Definition.from_toml(text, tmp_path)
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("ann", epsilon=3, delta=1e-6)
        service = Queries([definition], ledger)
        secret = "Bearer " + Tokens(ledger).issue("ann", ["query:people"])
        told = service.describe(secret, "people").budgets
        assert [(one.account, one.unit, one.remaining) for one in told if one.account != "ann"] == [
            ("people", "plan for (1.0, 0.000001)", "4.0"),
            ("people: choice=0.1", "questions", "1.0"),
            ("people: epsilon=0.1", "questions", "2.0"),
            ("people: rho=0.005", "questions", "1.0"),
        ]
        token = service.admit(secret, "people")

        def ask(**query: Any) -> Any:
            return service.answer(token, "people", json.dumps(query).encode())

        paid = ask(query="median", column="x", epsilon=0.1)
        assert paid.remaining["people: choice=0.1"] == "0.0"
        assert paid.rho == 0.00125
        assert ask(query="median", column="x", epsilon=0.1).reused
        assert ask(query="sum", column="x", rho=0.005).remaining["people"] == "2.0"
        for status, query in (
            (402, {"query": "sum", "column": "x", "rho": 0.004}),
            (400, {"query": "sum", "column": "x", "epsilon": 0.2}),
        ):
            with pytest.raises(Refusal) as refused:
                ask(**query)
            assert refused.value.status == status
        definition.open(ledger)  # served again
        with pytest.raises(sd.SudareError):
            Definition.from_toml(text.replace("epsilon = 1", "epsilon = 0.1"), tmp_path)
