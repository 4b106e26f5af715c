"""Tables whose margins agree: the weighted least squares of a dense solver, with honest bounds."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.errors import SudareError
from sudare.ledger import Cost, Ledger
from sudare.release import Dataset, agreeing, consistent, publish, top_down
from sudare.release.errors_together import Together
from sudare.release.noise import Noise
from tests.cases import cases

RNG = np.random.default_rng(3)
SIZE = 2000
KEYS: dict[str, list[Any]] = {"a": [0, 1], "b": ["x", "y", "z"], "c": [True, False], "d": [7, 8, 9]}
FRAME = {
    "a": RNG.integers(0, 2, SIZE),
    "b": np.array(["x", "y", "z"])[RNG.integers(0, 3, SIZE)],
    "c": RNG.random(SIZE) < 0.3,
    "d": RNG.integers(7, 10, SIZE),
}
SETS = [
    ["ab", "bc"], ["ab", "ba"], ["abc", "b", "cd"], ["a", "b"], ["ab", "", "bcd", "da"],
    ["abcd", ""],
]  # fmt: skip


def data(seed: bytes = b"crosstabs", **options: Any) -> Dataset:
    return Dataset(FRAME, rng=sd.Entropy.seeded(seed), **options)


def asked(db: Dataset, names: str, **price: Any) -> Any:
    if not names:
        return db.count(**price)
    by = list(names) if len(names) > 1 else names
    keys = [KEYS[one] for one in names] if len(names) > 1 else KEYS[names]
    return db.group_by(by, keys).count(**price)


def margins(names: str) -> np.ndarray[Any, Any]:
    """Return which cells of the table of all columns each count of a table adds."""
    cells = list(itertools.product(*KEYS.values()))
    places = [list(KEYS).index(one) for one in names]
    groups = list(itertools.product(*(KEYS[one] for one in names)))
    return np.array([
        [all(cell[p] == key for p, key in zip(places, group, strict=True)) for cell in cells]
        for group in groups
    ], dtype=float)  # fmt: skip


@cases("gaussian", [False, True])
@cases("public", [False, True])
@cases("names", SETS)
def test_they_are_the_weighted_least_squares(
    names: list[str], public: bool, gaussian: bool
) -> None:
    """Against a dense solver, at unequal prices, of both laws: values, and variances of errors."""
    db = data(neighbours="replace-one" if public else "add-remove")
    names = [one for one in names if one or not public]
    prices = [
        {"rho": Fraction(1, 10 * i)} if i % 2 or gaussian else {"epsilon": Fraction(1, i)}
        for i in range(1, len(names) + 1)
    ]
    raw = [asked(db, one, **price) for one, price in zip(names, prices, strict=True)]
    found = agreeing(db, raw)
    design = np.vstack([margins(one) for one in names])
    values = [
        list(one.value.values()) if isinstance(one.value, dict) else [one.value] for one in raw
    ]
    variances = np.concatenate([
        np.full(len(some), one.noise[0]["stderr"] ** 2)
        for one, some in zip(raw, values, strict=True)
    ])  # fmt: skip
    weighted = design / np.sqrt(variances)[:, None]
    sums, known = np.ones((1, design.shape[1])), np.zeros(design.shape[1])
    if public:
        known += SIZE / design.shape[1]
        weighted = weighted - weighted @ sums.T @ sums / design.shape[1]
    solved = np.linalg.pinv(weighted, rcond=1e-10) / np.sqrt(variances)
    if public:
        solved = solved - sums.T @ (sums @ solved) / design.shape[1]
    y = np.concatenate(values)
    cells = known + solved @ (y - design @ known)
    start = 0
    for one, name, agreed in zip(raw, names, found, strict=True):
        own = margins(name)
        end = start + len(own)
        got = list(agreed.value.values()) if isinstance(agreed.value, dict) else [agreed.value]
        assert got == pytest.approx((own @ cells).tolist(), abs=1e-6)
        spread = ((own @ solved) ** 2 @ variances) ** 0.5
        bound = agreed.bound(0.95)
        assert (bound > 1.9 * spread - 1e-9).all()
        assert (bound < 4.2 * spread + 1e-6).all()
        if gaussian:  # the bound follows from the variance alone
            assert bound == pytest.approx(spread * math.sqrt(2 * math.log(40)), rel=0.003, abs=1e-6)
        assert agreed.raw is one
        start = end


def test_every_common_margin_is_the_same() -> None:
    db = data(neighbours="add-remove")
    raw = [asked(db, one, epsilon=0.1) for one in ("abc", "bcd", "ad")]
    abc, bcd, ad = agreeing(db, raw)
    for b, c in itertools.product(KEYS["b"], KEYS["c"]):
        left = sum(abc.value[a, b, c] for a in KEYS["a"])
        assert left == pytest.approx(sum(bcd.value[b, c, d] for d in KEYS["d"]))
    for d in KEYS["d"]:
        right = sum(bcd.value[b, c, d] for b in KEYS["b"] for c in KEYS["c"])
        assert right == pytest.approx(sum(ad.value[a, d] for a in KEYS["a"]))
    for a in KEYS["a"]:  # negative control: as they were drawn they do not
        left = sum(raw[0].value[a, b, c] for b in KEYS["b"] for c in KEYS["c"])
        assert abs(left - sum(raw[2].value[a, d] for d in KEYS["d"])) > 1e-3


def test_bounds_hold_and_are_not_much_wider_than_errors() -> None:
    """150 releases, three numbers of each that share little: at least 420 of 450 within bounds of
    95 % (expected above 435; a false alarm below 1e-3), and errors are less than as drawn.
    """
    db = data(b"bounds", neighbours="add-remove")
    within, raw_squares, squares = 0, 0.0, 0.0
    truth = {name: margins(name) @ _cells() for name in ("ab", "bc", "")}
    for _ in range(150):
        raw = [asked(db, name, epsilon=0.2) for name in truth]
        for one, true in zip(agreeing(db, raw), truth.values(), strict=True):
            values, drawn = _first(one), _first(one.raw)
            within += abs(values - true[0]) <= one.bound(0.95)
            squares += (values - true[0]) ** 2
            raw_squares += (drawn - true[0]) ** 2
    assert within >= 420
    assert squares < 0.9 * raw_squares


def _cells() -> Any:
    rows = zip(*(FRAME[one].tolist() for one in KEYS), strict=True)
    tally: dict[Any, int] = {}
    for row in rows:
        tally[row] = tally.get(row, 0) + 1
    return np.array([tally.get(cell, 0) for cell in itertools.product(*KEYS.values())])


def _first(answer: Any) -> float:
    value = answer.value
    return float(next(iter(value.values())) if isinstance(value, dict) else value)


def test_their_error_is_less_than_that_of_each() -> None:
    db = data(neighbours="add-remove")
    raw = [asked(db, one, rho=Fraction(1, 100)) for one in ("ab", "bc", "abc")]
    for one, agreed in zip(raw, agreeing(db, raw), strict=True):
        assert agreed.bound(0.95) < one.bound(0.95) * 1.45  # a bound by moments is at most so wide


@cases("epsilon", [Fraction(1, 20), Fraction(1), Fraction(3)])
@cases("weights", [(1,), (1, 1), (1, -1, 1, 1), (3, 1), (2,) * 12])
@cases("miss", [0.05, 0.001])
def test_a_bound_is_no_less_than_the_law_says(
    epsilon: Fraction, weights: tuple[int, ...], miss: float
) -> None:
    """Sums of discrete Laplace noises by convolution; of one it is about twice what it need be."""
    noise = Noise.of(Cost.of(epsilon=epsilon), 1)
    most = int(40 / epsilon) + 40
    x = np.arange(-most, most + 1)
    law = np.exp(-np.abs(x) * float(epsilon))
    law /= law.sum()
    whole = np.ones(1)
    for weight in weights:
        wide = np.zeros(2 * most * abs(weight) + 1)
        wide[:: abs(weight)] = law
        whole = np.convolve(whole, wide) if wide.size < 30_000 else whole
    middle = whole.size // 2
    ends = np.abs(np.arange(whole.size) - middle)
    squares = np.array(weights, dtype=float) ** 2 * noise.stderr**2
    together = Together(
        np.array([squares.sum()]), np.array([squares.max()]),
        np.array([float(max(map(abs, weights)))]), np.zeros(1),
    )  # fmt: skip
    (reach,) = together.reach(miss)
    assert whole[ends > reach].sum() <= miss
    exact = next(t for t in range(middle + 1) if whole[ends > t].sum() <= miss)
    assert reach <= (1.6 if len(weights) > 4 else 2.3) * exact + 3


def test_weights_are_taken_with_their_noises() -> None:
    db = data(neighbours="add-remove")
    laplace, gaussian = db.count(epsilon=Fraction(1, 2)), db.count(rho=Fraction(1, 8))
    weights = np.array([[3.0, -1.0], [0.0, 2.0]]), np.array([[1.0], [5.0]])
    found = Together.of([laplace, gaussian], weights, [np.array([2.0, 5.0]), np.ones(1)])
    v = laplace.noise[0]["stderr"] ** 2
    assert found.laplace.tolist() == pytest.approx([23 * v, 20 * v])
    assert found.most.tolist() == pytest.approx([9 * v, 4 * v])
    assert found.weight.tolist() == [3, 2]
    assert found.gaussian.tolist() == pytest.approx([4, 100])


def test_gaussian_noise_has_the_bound_of_its_variance() -> None:
    together = Together(np.zeros(1), np.zeros(1), np.zeros(1), np.full(1, 9.0))
    assert together.reach(0.05)[0] == pytest.approx(3 * math.sqrt(2 * math.log(40)), rel=1e-3)
    nothing = Together(np.zeros(2), np.zeros(2), np.zeros(2), np.array([0.0, 4.0]))
    assert nothing.reach(0.05)[0] == 0


def test_other_answers_stay_and_filters_are_apart() -> None:
    db = Dataset({**FRAME, "s": FRAME["d"]}, bounds={"s": (0, 10)}, neighbours="add-remove")
    mean = db.mean("s", epsilon=1)
    some = db.where("d > 7").group_by("a", [0, 1]).count(epsilon=1)
    table, other, same = agreeing(db, [asked(db, "ab", epsilon=1), mean, some])
    assert other is mean
    assert same.value == pytest.approx(some.value)
    assert table.raw is not None


def test_one_table_alone_stays_as_it_is_where_n_is_private() -> None:
    db = data(neighbours="add-remove")
    raw = asked(db, "bd", epsilon=1)
    (found,) = agreeing(db, [raw])
    assert found.value == pytest.approx(raw.value)


def test_bad_answers() -> None:
    db = data(neighbours="add-remove")
    good = asked(db, "ab", epsilon=1)
    fewer = db.group_by("a", [0]).count(epsilon=1)
    other = Dataset(FRAME, name="other", neighbours="add-remove").count(epsilon=1)
    done = agreeing(db, [good])
    for wrong in (None, good, [None], [good, fewer], [other], [good, *done]):
        with pytest.raises(SudareError):
            agreeing(db, wrong)
    with pytest.raises(SudareError):
        agreeing(None, [good])
    assert agreeing(db, []) == []


def test_they_are_published(tmp_path: Any) -> None:
    db = data()
    asks = ["count@a=0,1@b=x,y,z", "count@b=x,y,z@c=true,false"]
    done = publish(db, asks, Cost.of(epsilon=0.1), agree=True)
    by_b = [
        sum(row["value"] for row in done.records() if row["table"] == table and "x" in row["group"])
        for table in (1, 2)
    ]
    assert by_b[0] == pytest.approx(by_b[1])
    whole = sum(row["value"] for row in done.records() if row["table"] == 1)
    assert whole == pytest.approx(SIZE)


@cases("way", ["agreeing", "consistent", "top_down"])
def test_an_answer_that_is_given_twice_counts_once(way: str, tmp_path: Path) -> None:
    """It has one noise: an answer from the record is another object, and no other answer."""
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=9)
        for options in ({"budget": 9}, {"ledger": ledger}):
            db = data(**options)
            one = asked(db, "a", epsilon=0.5)
            again = asked(db, "a", epsilon=0.5, reuse=True) if one.event else one
            assert (again is one) == (not one.event)

            def made(some: list[Any], db: Dataset = db) -> list[Any]:
                if way == "top_down":
                    return top_down(db, some, {"a": KEYS["a"]})
                return agreeing(db, some) if way == "agreeing" else consistent(db, some)

            (alone,), many = made([one]), made([one, *[again] * 5])
            assert {each.bound() for each in many} == {alone.bound()}
            assert all(each.value == alone.value for each in many)
            assert [each.raw for each in many] == [one, *[again] * 5]
            other = asked(db, "a", epsilon=0.5)
            assert made([one, other])[0].bound() != alone.bound(), "another noise counts"
