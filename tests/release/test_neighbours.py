"""Every question on every small data set and its neighbours: the exact law, and all that is told.

Noise and choices are replaced by what they would be drawn from: the numbers before the noise with
its scales, or the weights of a choice. From these the largest log ratio of two neighbours' laws is
computed without sampling. What stands beside the answer must not differ between neighbours at all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sudare.errors import WrongTypeError
from sudare.ledger import Cost
from sudare.release import Ask, Dataset
from sudare.release.noise import Noise
from sudare.release.queries import KINDS, ranks

EPSILON, RHO = Cost.of(epsilon=1), Cost.of(rho=0.5)
VALUES, WITH_MISSING = (1, 4), (1, None, 4)  # without 0: a row that is gone is none of them
LETTERS = ("a", "b")
NOISY = [
    "count:g=a", "missing:x", "missing:g",
    "histogram:g=a,b", "histogram:g=a", "sum:x", "mean:x", "variance:x",
    "count@g=a,b", "sum:x@g=a,b", "mean:x@g=a,b", "mean:x@g=b", "count:x=4",
]  # fmt: skip
CHOSEN = ["median:x", "quantile:x=0.9", "quantile:x=0", "max:x", "min:x", "mode:g=a,b,c"]

Rows = tuple[tuple[Any, str], ...]
People = tuple[Rows, ...]


def questions() -> list[tuple[str, Cost]]:
    return [(text, cost) for text in NOISY for cost in (EPSILON, RHO)] + [
        (text, EPSILON) for text in CHOSEN
    ]


def people(values: tuple[Any, ...], most: int) -> list[Rows]:
    """Return all that one person may have: 1 to ``most`` rows."""
    rows = list(itertools.product(values, LETTERS))
    return [
        own
        for size in range(1, most + 1)
        for own in itertools.combinations_with_replacement(rows, size)
    ]


def pairs(
    values: tuple[Any, ...], relation: str, unit: bool, persons: int
) -> Iterator[tuple[People, People]]:
    """Return data sets of so many persons with each of their neighbours; the last one differs."""
    everybody = people(values, 2 if unit else 1)
    for rest in itertools.combinations_with_replacement(everybody, persons - 1):
        if relation == "add-remove":
            yield from (((*rest, one), rest) for one in everybody)
        else:
            others = [*everybody, ()] if unit else everybody
            pair = itertools.combinations(others, 2)
            yield from (((*rest, one), (*rest, other)) for one, other in pair)


def opened(data: People, relation: Any, unit: bool, missing: Any) -> Dataset:
    """Return the data set of these people and one more, so that no column is ever empty."""
    everybody = (((4, "b"),), *data)
    rows = [(person, x, g) for person, own in enumerate(everybody) for x, g in own]
    return Dataset(
        {
            "p": [person for person, _, _ in rows],
            "x": [x for _, x, _ in rows],
            "g": [g for _, _, g in rows],
        },
        bounds={"x": (1, 4)},
        neighbours=relation,
        unit=("p", 2) if unit else None,
        missing=missing,
        grids={"x": 1},  # one entry a grid point below
    )


class Seen:
    """What a question draws from, and what it tells beside the answer."""

    def __init__(self, db: Dataset, text: str, cost: Cost, patch: pytest.MonkeyPatch) -> None:
        self.scales: list[Fraction] = []
        self.log_odds: Any = None
        patch.setattr(Noise, "draw", lambda noise, rng: self._added(noise, [0])[0])
        patch.setattr(Noise, "added", lambda noise, numbers, rng: self._added(noise, numbers))
        patch.setattr(ranks, "exponential", self._exponential)
        patch.setattr(ranks, "permute_and_flip", self._permute_and_flip)
        prepared = Ask.parse(text).of(db, cost)
        answer = prepared.bill.answer()
        self.numbers = _flat(answer)
        told = prepared.read(_fixed(answer))
        self.told = (
            repr({k: v for k, v in vars(told).items() if k != "_reach"}),
            told.bound(0.9),
            repr(db.columns),
            db.neighbours,
            db.n if db.size_is_public else None,
        )

    def _added(self, noise: Noise, numbers: list[int]) -> list[int]:
        self.scales += [noise.scale] * len(numbers)
        return numbers

    def _exponential(self, losses: Any, rate: Fraction, rng: Any, *, times: Any) -> int:
        spread = np.repeat(losses, times).astype(float)  # one entry a grid point, from the lowest
        log_odds = -float(rate) * spread
        self.log_odds = log_odds - math.log(np.exp(log_odds).sum())
        return 0

    def _permute_and_flip(self, losses: Any, rate: Fraction, rng: Any) -> int:
        odds = np.exp(-float(rate) * (losses - losses.min()))
        law = np.zeros(losses.size)
        for won in itertools.product((0, 1), repeat=losses.size):
            chance = math.prod(p if one else 1 - p for p, one in zip(odds, won, strict=True))
            if chance:
                law += chance * np.array(won) / sum(won)
        self.log_odds = np.log(law)
        return 0


def _flat(answer: Any) -> list[Any]:
    return [one for part in answer for one in _flat(part)] if isinstance(answer, list) else [answer]


def _fixed(answer: Any) -> Any:
    return [_fixed(one) for one in answer] if isinstance(answer, list) else 1


def loss(one: Seen, other: Seen, cost: Cost) -> float:
    """Return the privacy loss between two neighbours, in the unit of the cost."""
    if one.log_odds is not None:
        return float(np.abs(one.log_odds - other.log_odds).max())
    assert one.scales == other.scales, "the noise depends on the data"
    moves = [abs(a - b) for a, b in zip(one.numbers, other.numbers, strict=True)]
    if cost.unit == "rho":
        moves = [Fraction(move**2, 2) for move in moves]
    return float(sum(move / scale for move, scale in zip(moves, one.scales, strict=True)))


CASES = [
    pytest.param(
        relation, unit, missing, marks=[pytest.mark.slow] if missing == "drop" and unit else []
    )
    for relation in ("replace-one", "add-remove")
    for unit in (False, True)
    for missing in ("refuse", "drop")
]


@pytest.mark.parametrize(("relation", "unit", "missing"), CASES)
def test_no_question_tells_more_than_is_paid(
    relation: str, unit: bool, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = WITH_MISSING if missing == "drop" else VALUES
    tightest = dict.fromkeys(questions(), 0.0)
    cache: dict[Any, Seen] = {}

    def seen(data: People, text: str, cost: Cost) -> Seen:
        key = data, text, cost
        if key not in cache:
            cache[key] = Seen(opened(data, relation, unit, missing), text, cost, monkeypatch)
        return cache[key]

    for data, other in pairs(values, relation, unit, 1 if unit else 2):
        for text, cost in questions():
            mine, theirs = seen(data, text, cost), seen(other, text, cost)
            assert mine.told == theirs.told, (text, data, other)
            tightest[text, cost] = max(tightest[text, cost], loss(mine, theirs, cost))
    for (text, cost), worst in tightest.items():
        assert worst <= float(cost.amount) * (1 + 1e-9), (text, cost, worst)
    if not unit:  # nothing is paid in vain, or the enumeration would not see too little noise
        for text in ("count:g=a", "sum:x", "histogram:g=a,b", "sum:x@g=a,b"):
            assert tightest[text, EPSILON] == 1


@pytest.mark.parametrize(
    ("relation", "unit", "mine", "theirs"),
    [
        ("replace-one", None, [0, 10, 10, 10], [9999, 10, 10, 10]),
        ("add-remove", None, [10, 10], [10, 10, 9999]),
        ("replace-one", ("p", 2), [0, 0, 10, 10, 10, 10], [9999, 9999, 10, 10, 10, 10]),
        ("add-remove", ("p", 2), [10, 10, 10, 10], [10, 10, 10, 10, 9999, 9999]),
    ],
)
def test_a_median_spends_all_that_is_paid(
    relation: Any, unit: Any, mine: list[int], theirs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few points below 10, many above: the ones lose by what the others gain."""
    laws = []
    for values in (mine, theirs):
        people = [i // 2 for i in range(len(values))]
        db = Dataset(
            {"x": values, "p": people}, bounds={"x": (0, 9999)}, neighbours=relation, unit=unit
        )
        laws.append(Seen(db, "median:x", EPSILON, monkeypatch).log_odds)
    worst = np.abs(laws[0] - laws[1]).max()
    assert 0.99 < worst <= 1 + 1e-9


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_whether_a_number_is_missing_is_not_told(relation: Any) -> None:
    """Of a column of whole numbers a missing one makes fractions: neither grid nor n may follow."""
    bounds = {"x": (0, 100)}
    full, other = (
        Dataset({"x": [7, 8, nine]}, bounds=bounds, neighbours=relation, missing="drop")
        for nine in (9, None)
    )
    assert full.columns == other.columns
    mine, theirs = (Ask.parse("mean:x").of(one, EPSILON) for one in (full, other))
    assert mine.bill.query == theirs.bill.query
    assert len(mine.bill.answer()) == len(theirs.bill.answer()) == 2
    assert mine.read([5, 2]).notes == theirs.read([5, 2]).notes


def test_every_kind_is_enumerated() -> None:
    asked = {Ask.parse(text) for text, _ in questions()}
    assert {one.kind if one.by is None else f"group_{one.kind}" for one in asked} == set(KINDS)


def test_a_column_without_any_value_is_refused_at_once() -> None:
    """Later, that a category fits or not would tell whether one person has a value there."""
    with pytest.raises(WrongTypeError, match="hold a value"):
        Dataset({"x": [1, 2], "g": [None, None]})
