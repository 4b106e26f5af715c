"""Regressions on held data: what they tell without noise, and how often their intervals hold."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import sudare as sd
from sudare.ledger import Cost
from sudare.release import Dataset, bound_of, epsilon_for, publish
from sudare.release.api.answers import Answer
from sudare.release.noise import Noise
from sudare.release.protection import NeighbourRelation
from sudare.release.queries.gram import Centred, pairs
from sudare.release.queries.lines import Line
from sudare.release.queries.logistic import (
    CHANCE,
    PART,
    UNIT,
    WEIGHT,
    Rounds,
    Rows,
    sensitivities,
)
from sudare.release.queries.regression import Linear
from sudare.release.queries.student import student
from tests.cases import cases

RELATIONS: tuple[Any, ...] = ("replace-one", "add-remove")
TRUE = np.array([20, 0.5, -0.2])
BOUNDS = {"x": (0, 100), "w": (0, 100), "y": (-60, 160)}


def people(n: int, seed: int = 0) -> dict[str, Any]:
    """Return a sample of a population with a known line, hardly any of it clamped."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 101, n)
    w = np.clip(np.rint(30 + 0.3 * x + rng.normal(0, 12, n)), 0, 100).astype(int)
    y = np.rint(TRUE @ np.array([np.ones(n), x, w]) + rng.normal(0, 12, n)).astype(int)
    return {"x": x, "w": w, "y": y, "g": np.where(x > 50, "a", "b")}


def least_squares(data: dict[str, Any], keep: Any = slice(None)) -> Any:
    by = np.column_stack([np.ones(data["x"][keep].size), data["x"][keep], data["w"][keep]])
    return np.linalg.lstsq(by, data["y"][keep], rcond=None)[0]


@cases("relation", RELATIONS)
def test_without_noise_it_is_least_squares(relation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Noise, "draw", lambda noise, rng: 0)
    data = people(5_000)
    db = Dataset(data, bounds=BOUNDS, neighbours=relation)
    for price in ({"epsilon": 10}, {"rho": 1}):
        found = db.linear("y", ["x", "w"], **price)
        assert list(found.value) == ["(intercept)", "x", "w"]
        assert list(found.value.values()) == pytest.approx(least_squares(data))
        some = db.where("g = a").linear("y", ["x", "w"], **price)
        keep = data["g"] == "a"
        assert list(some.value.values()) == pytest.approx(least_squares(data, keep))
    tight = db.linear("y", ["x", "w"], epsilon=10**5)
    half = [(high - low) / 2 for low, high in tight.intervals().values()]
    by = np.column_stack([np.ones(5_000), data["x"], data["w"]])
    rest = data["y"] - by @ least_squares(data)
    spread = rest @ rest / (5_000 - 3) * np.linalg.inv(by.T @ by)
    assert half == pytest.approx(1.959964 * np.sqrt(np.diag(spread)), rel=1e-3)


def held(relation: Any, price: dict[str, Any], n: int, tried: int, *levels: float) -> Any:
    """Return how often bounds and intervals hold, (levels, 2, coefficients), of those told."""
    inside, told = np.zeros((len(levels), 2, 3)), 0
    rng = sd.Entropy.seeded(f"{relation} {price} {n}".encode())
    for i in range(tried):
        data = people(n, i)
        found = Dataset(data, bounds=BOUNDS, neighbours=relation, rng=rng).linear(
            "y", ["x", "w"], **price
        )
        if math.isinf(found.bound()):
            continue
        told += 1
        off = np.abs(np.array(list(found.value.values())) - least_squares(data))
        for place, level in enumerate(levels):
            low, high = np.array(list(found.intervals(level).values())).T
            inside[place, 0] += off <= list(found.bounds(level).values())
            inside[place, 1] += (low <= TRUE) & (high >= TRUE)
    assert told > 0.9 * tried
    return inside / told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("price", "n", "relation"),
    [({"epsilon": 10}, 2_000, "replace-one"), ({"rho": 5}, 2_000, "add-remove")],
)
def test_bounds_and_intervals_hold_as_often_as_they_say(
    price: dict[str, Any], n: int, relation: Any
) -> None:
    """Of 400 samples at 90 %; false alarm below 1e-6 for each coefficient.

    At a true rate of 0.88, two points below what is said, fewer than 315 of 400 have probability
    6e-8. The control: what is said to hold half of the time does not hold so often.
    """
    most, half = held(relation, price, n, 400, 0.9, 0.5)
    assert most.min() >= 315 / 400, most
    assert half.max() < 315 / 400, half


def test_bounds_hold_in_a_few_answers() -> None:
    (found,) = held("replace-one", {"rho": 5}, 2_000, 10, 0.999)
    assert found.min() >= 0.9


def test_the_noise_of_a_solution_is_of_first_order() -> None:
    """Against a simulation: a solved matrix with noise, many times; within 10 % at 4,000 draws."""
    rng = np.random.default_rng(2)
    matrix = np.array([[1_000.0, 100, -50], [100, 300, 80], [-50, 80, 350]])
    right, stderr = np.array([400.0, 200, -90]), 3.0
    exact = np.linalg.solve(matrix, right)
    drawn = rng.normal(0, stderr, (4_000, 3, 3))
    noise = np.triu(drawn) + np.triu(drawn, 1).transpose(0, 2, 1)
    sides = right + rng.normal(0, stderr, (4_000, 3))
    for known in (False, True):
        noise[:, 0, 0] *= not known
        off = np.linalg.solve(matrix + noise, sides[..., None])[..., 0] - exact
        line = Line.of(matrix, right, stderr, Cost.of(rho=1), known=known, residual=1.0)
        shift = 1 - 2 * stderr * math.sqrt(3) / np.linalg.eigvalsh(matrix)[0]
        said = np.sqrt(np.diag(line.noise)) * shift
        assert said == pytest.approx(off.std(axis=0), rel=0.1)


def test_where_the_noise_is_all_nothing_is_said(tmp_path: Path) -> None:
    alike = {"x": [5, 5, 5, 6] * 50, "y": [1, 2] * 100}
    db = Dataset(alike, bounds={"x": (0, 10), "y": (0, 3)}, neighbours="add-remove")
    for _ in range(20):
        found = db.linear("y", "x", epsilon=0.05)
        assert all(map(math.isfinite, found.value.values()))
        assert found.bound() == math.inf
        assert found.intervals()["x"] == (-math.inf, math.inf)
    done = publish(db, ["linear:y=x"], Cost.of(epsilon=0.05), tmp_path)
    assert [one["bound"] for one in done.records()] == [None, None]
    assert "Infinity" not in (tmp_path / "privacy.json").read_text()
    empty = db.where("x = 1").linear("y", "x", epsilon=0.05)
    assert all(map(math.isfinite, empty.value.values()))


def test_where_rounding_decides_nothing_is_said() -> None:
    """Columns that tell each other, at a price whose noise is hardly ever anything but 0."""
    twice = {"a": [0, 1] * 60, "b": [0, 1] * 60, "c": [1, 0] * 60, "e": [0, 0, 1, 1] * 30}
    for relation in RELATIONS:
        db = Dataset(
            twice,
            bounds=dict.fromkeys("abce", (0, 1)),
            types=dict.fromkeys("abce", "whole"),
            neighbours=relation,
        )
        for column, others in (("c", ["a", "b"]), ("e", ["a", "b"]), ("e", ["a", "b", "c"])):
            for epsilon in (1000, 10**6):
                found = db.linear(column, others, epsilon=epsilon)
                assert all(map(math.isfinite, found.value.values()))
                assert found.bound() == math.inf
                assert found.intervals()["a"] == (-math.inf, math.inf)
        sure = db.linear("c", "a", epsilon=1000)
        assert list(sure.value.values()) == pytest.approx([1, -1])
        assert max(abs(sure.value["a"] + 1), 1e-15) <= sure.bound() < 1e-6


def test_lines_far_from_0_have_bounds() -> None:
    """A variance in the columns' units is the difference of large numbers, and has a root."""
    for far in (10**9, 10**9 + 1, 123_456_789, 10**12):
        bounds = {"x": (far, far + 1), "y": (0, 2)}
        said = dict.fromkeys("xy", "whole")
        held = Dataset({"x": [far], "y": [0]}, bounds=bounds, types=said).held
        of = Centred.of(held, "y", "x")
        noise = np.outer([2.0 * far + 1, 1.0], [2.0 * far + 1, 1.0])
        line = Line(np.zeros(2), noise, noise, "rho").shown(of, target=True)
        assert line.reaches(0.05)[0] > 0
        assert line.intervals(0.05)[0][1] > 0


@cases("stderr", [0.0, 1e-300, 1.0, 1e300])
def test_no_numbers_that_are_drawn_raise_an_error(stderr: float) -> None:
    rng = np.random.default_rng(0)
    for size in (0.0, 1e-300, 1e-9, 1.0, 1e160, 1e300, math.inf, math.nan):
        for of in (np.zeros((3, 3)), np.ones((3, 3)), np.eye(3), rng.normal(size=(3, 3))):
            for right in (np.zeros(3), np.ones(3) * 1e300, np.array([1.0, math.nan, -3])):
                with np.errstate(all="ignore"):
                    matrix = size * (of + of.T)
                line = Line.of(matrix, right, stderr, Cost.of(epsilon=1), known=False, residual=1.0)
                for one in (line, line.stepped(np.eye(3), np.full(3, -32.0), 32)):
                    assert np.isfinite(one.found).all()
                    assert not any(map(math.isnan, one.reaches(0.05)))
                    assert len(one.intervals(0.05)) == 3


def test_rounds_lead_on_from_whatever_is_drawn() -> None:
    """Rounds of 15 columns that lead from one corner to the other, a step of exp(1,000)."""
    rng, columns = np.random.default_rng(0), 15
    for epsilon in (1, 10**6):
        rounds = Rounds.of(Cost.of(epsilon=epsilon), NeighbourRelation("replace-one"), columns)
        size, b = rounds.size, [-31 * PART] * rounds.size
        unit = 10**9 * 4 * WEIGHT * UNIT * UNIT
        turns = [unit * (i == j) for i, j in pairs(columns)]
        slopes = [-62 * 10**9 * CHANCE * UNIT] * size
        line = rounds.line(3, [*slopes, *turns], b)
        assert line.found == pytest.approx([31] * size)
        assert line.reaches(0.05) == [math.inf] * size
        for _ in range(20):
            sums = [int(one) << 90 for one in rng.integers(-2, 3, size + len(turns))]
            assert np.isfinite(rounds.line(0, sums, b).found).all()


def test_intervals_of_few_rows_are_students() -> None:
    """Without noise: of 1,000 samples of 5 rows at 90 % 900 hold, by the normal law 801.

    At a true rate of 0.9 fewer than 852 have probability 6e-7; at 0.801 852 or more 2e-5.
    """
    for freedom, said in ((1, 12.7062), (3, 3.18245), (30, 2.04227), (10**5, 1.95999)):
        assert student(0.05, freedom) == pytest.approx(said, rel=1e-5)
    x, cost = np.array([0, 25, 50, 75, 100]), Cost.of(epsilon=10**6)
    db = Dataset({"x": x, "y": x}, bounds={"x": (0, 100), "y": (0, 1_500)})
    of, gram = Linear("y", ["x"]).gram(db.held, cost)
    rng, inside = np.random.default_rng(5), 0
    for _ in range(1_000):
        y = np.rint(500 + 3 * x + rng.normal(0, 50, 5)).astype(int)
        u = [np.ones(5, dtype=int), 2 * y - 1_500, 2 * x - 100]
        sums = [int(u[i] @ u[j]) for i, j in gram.drawn_pairs]
        low, high = Linear.line(of, gram, cost, sums).intervals(0.1)[1]
        inside += low <= 3 <= high
    assert 852 <= inside <= 945, inside


def test_as_many_rows_as_coefficients_tell_no_population() -> None:
    few = {"x": [0, 50, 100], "w": [0, 90, 10], "y": [3, 40, 20]}
    db = Dataset(few, bounds=BOUNDS)
    found = db.linear("y", ["x", "w"], epsilon=10**6)
    assert found.bound() < 1
    assert set(found.intervals().values()) == {(-math.inf, math.inf)}
    assert math.isfinite(db.linear("y", "x", epsilon=10**6).intervals()["x"][1])


def test_bounds_before_an_answer() -> None:
    rng = np.random.default_rng(0)
    data = {name: rng.integers(0, 101, 50_000) for name in "abc"}
    for relation in RELATIONS:
        db = Dataset(data, bounds=dict.fromkeys("abc", (0, 100)), neighbours=relation)
        said = bound_of(
            "linear", epsilon=1, n=50_000, bounds=(0, 100), columns=3, neighbours=relation
        )
        bounds = db.linear("a", ["b", "c"], epsilon=1).bounds()
        assert max(bounds["b"], bounds["c"]) == pytest.approx(said, rel=0.1)
    options: dict[str, Any] = {"n": 50_000, "bounds": (0, 100), "columns": 3}
    assert bound_of("linear", epsilon=epsilon_for("linear", 0.05, **options), **options) <= 0.05
    with pytest.raises(sd.PrivacyError, match="noise may be all"):
        bound_of("linear", epsilon=0.001, n=100, bounds=(0, 100))
    told = Dataset(data, bounds=dict.fromkeys("abc", (0, 100))).dry_run()
    assert "noise may be all" in told.linear("a", ["b"], epsilon=1e-4).unbounded


def test_intervals_are_of_regressions() -> None:
    db = Dataset(people(100), bounds=BOUNDS)
    with pytest.raises(sd.SudareError, match="are of regressions"):
        db.covariance("x", "y", epsilon=1).intervals()
    with pytest.raises(sd.SudareError):
        db.linear("x", "y", epsilon=1).intervals(2)


# -- logistic regression --------------------------------------------------------------------------

ODDS = np.array([-1, 0.03, -0.01])
WIDE = {"x": (0, 100), "w": (0, 100)}


def voters(n: int, seed: int = 0, odds: Any = ODDS) -> tuple[dict[str, Any], Any]:
    """Return a sample whose odds are known, and the likeliest coefficients for it."""
    data = people(n, seed)
    by = np.column_stack([np.ones(n), data["x"], data["w"]])
    chance = 1 / (1 + np.exp(-by @ odds))
    data["t"] = np.random.default_rng(seed + 10**6).random(n) < chance
    b = np.zeros(3)
    for _ in range(25):
        chance = 1 / (1 + np.exp(-by @ b))
        weighted = by * (chance * (1 - chance))[:, None]
        b = b + np.linalg.solve(weighted.T @ by, by.T @ (data["t"] - chance))
    return data, b


@cases("relation", RELATIONS)
def test_without_noise_it_is_the_likeliest(relation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Noise, "draw", lambda noise, rng: 0)
    data, likeliest = voters(5_000)
    as_numbers = {**data, "t": data["t"].astype(int)}
    db = Dataset(data, bounds=WIDE, neighbours=relation)
    numbers = Dataset(as_numbers, bounds={**WIDE, "t": (0, 1)}, neighbours=relation)
    for price in ({"epsilon": 50}, {"rho": 20}):
        found = db.logistic("t", ["x", "w"], **price)
        assert list(found.value.values()) == pytest.approx(likeliest, rel=1e-3)
        assert found.value == numbers.logistic("t", ["x", "w"], **price).value
    gaps = {**data, "t": [None, *map(bool, data["t"][1:])]}
    some = Dataset(gaps, bounds=WIDE).logistic("t", ["x", "w"], epsilon=50)
    assert some.value != found.value
    assert list(some.value.values()) == pytest.approx(likeliest, rel=0.02)
    steep, likeliest = voters(5_000, odds=np.array([-10, 0.2, 0]))  # four rounds do not suffice
    found = Dataset(steep, bounds=WIDE).logistic("t", ["x", "w"], epsilon=50)
    off = np.abs(np.array(list(found.value.values())) - likeliest)
    assert off.max() > 0.5
    assert (off < list(found.bounds().values())).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("price", "relation"), [({"epsilon": 40}, "replace-one"), ({"rho": 20}, "add-remove")]
)
def test_intervals_of_odds_hold_as_often_as_they_say(price: dict[str, Any], relation: Any) -> None:
    """As of lines: of 400 samples at 90 %, at least 315; false alarm below 1e-6 for each.

    The control: half as wide ones hold less often. The noise is about a third of what sampling is.
    """
    inside, narrow, told = np.zeros((2, 3)), np.zeros((2, 3)), 0
    rng = sd.Entropy.seeded(f"{price} {relation}".encode())
    for i in range(400):
        data, likeliest = voters(1_500, i)
        db = Dataset(data, bounds=WIDE, neighbours=relation, rng=rng)
        found = db.logistic("t", ["x", "w"], **price)
        if math.isinf(found.bound()):
            continue
        told += 1
        value = np.array(list(found.value.values()))
        low, high = np.array(list(found.intervals(0.9).values())).T
        for tally, wide in ((inside, 1.0), (narrow, 0.4)):
            tally[0] += abs(value - likeliest) <= wide * np.array(list(found.bounds(0.9).values()))
            tally[1] += abs(value - ODDS) <= wide * (high - low) / 2
    assert told > 380
    assert inside.min() / told >= 315 / 400, inside / told
    assert narrow.max() / told < 315 / 400, narrow / told


def test_slopes_and_turns_move_no_more_than_they_say() -> None:
    """Every two rows of a few, about coefficients that part them: near the bounds, never above."""
    rng, largest = np.random.default_rng(0), np.zeros((2, 4))
    points = [0, 7, 80, 93, 100]
    for k in (1, 2):
        for b in ([0] * (k + 1), [-29 * PART, *rng.integers(0, 2, k - 1), 32 * PART],
                  [32 * PART] * (k + 1), [-30 * PART, 0, 32 * PART][: k + 1]):  # fmt: skip
            rows, parts = [], []
            for x, y in ((x, y) for x in points for y in (points if k == 2 else [0])):
                for t in (False, True):
                    db = Dataset(
                        {"t": [t], "x": [x], "y": [y]}, bounds={"x": (0, 100), "y": (0, 100)}
                    )
                    found = Rows.read(db.held, "t", ["x", "y"][:k])
                    sums = found.sums(db.held, b)
                    size = np.array([CHANCE * UNIT] * (k + 1) + [WEIGHT * UNIT**2] * len(pairs(k)))
                    rows.append(np.array(sums, dtype=float) / size)
            parts = [np.array(rows)[:, : k + 1], np.array(rows)[:, k + 1 :]]
            for place, relation in enumerate(RELATIONS):
                said = sensitivities(NeighbourRelation(relation), k)
                for at, (part, (most, squared)) in enumerate(zip(parts, said, strict=True)):
                    move = part[:, None] - part[None] if relation == "replace-one" else part
                    move = np.abs(move)
                    shares = [move.sum(-1).max() / most, (move**2).sum(-1).max() / float(squared)]
                    assert max(shares) <= 1 + 1e-9
                    largest[place, 2 * at : 2 * at + 2] = np.maximum(
                        largest[place, 2 * at : 2 * at + 2], shares
                    )
    assert (largest[1] > 0.9).all(), largest  # add-remove
    assert (largest[0] > 0.5).all(), largest


def test_a_row_adds_the_same_wherever_it_stands() -> None:
    """Whole numbers alone: sums of rows are the sums of each row's own."""
    data, _ = voters(500)
    b = [700, -3_000, 1_234]
    frame = {name: list(map(one.item().__class__, data[name])) for name in "txw"
             for one in data[name][:1]}  # fmt: skip

    def sums(some: slice) -> Any:
        db = Dataset({name: own[some] for name, own in frame.items()}, bounds=WIDE)
        return np.array(Rows.read(db.held, "t", ["x", "w"]).sums(db.held, b), dtype=object)

    whole, parts = sums(slice(None)), sum(sums(slice(i, i + 7)) for i in range(0, 500, 7))
    assert (whole == parts).all()


def test_odds_of_few_rows_and_separated_ones() -> None:
    apart = {"x": [1, 2, 8, 9] * 50, "t": [False, False, True, True] * 50}
    db = Dataset(apart, bounds={"x": (0, 10)}, neighbours="add-remove")
    for epsilon in (0.1, 1000):
        for _ in range(5):
            found = db.logistic("t", "x", epsilon=epsilon)
            assert all(map(math.isfinite, found.value.values()))
            assert max(map(abs, found.value.values())) < 64
    assert db.logistic("t", "x", epsilon=0.1).bound() == math.inf
    sent = Answer.of(db.logistic("t", "x", epsilon=0.1), 0.95)
    assert json_of(sent)["groups"][1]["bound"] is None
    data, _ = voters(3_000)
    found = Dataset(data, bounds=WIDE).logistic("t", ["x", "w"], rho=50)
    group = json_of(Answer.of(found, 0.95))["groups"][1]
    assert group["group"] == "x"
    assert tuple(group["interval"]) == found.intervals()["x"]
    assert group["bound"] == found.bounds()["x"]


def json_of(sent: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(sent))


def test_what_odds_are_refused() -> None:
    data, _ = voters(100)
    db = Dataset({**data, "n": [1, 2] * 50}, bounds={**WIDE, "n": (0, 2)}, budget=9)
    for column, others, text in (
        ("g", ["x"], "truth values"), ("n", ["x"], "truth values"), ("t", [], "list of 1 to 15"),
        ("t", ["t"], "column that is told"), ("t", ["x", "x"], "twice"),
        ("q", ["x"], "a column of"),
        ("t", ["g"], "bounds must be given for g"),
    ):  # fmt: skip
        with pytest.raises(sd.SudareError, match=text):
            db.logistic(column, others, epsilon=1)
    assert db.spent == 0
    said = bound_of("logistic", epsilon=2, n=50_000, bounds=(0, 100), columns=3)
    assert bound_of("logistic", epsilon=1, n=50_000, bounds=(0, 100), columns=3) > said > 0


def test_an_answer_on_record_is_read_again(tmp_path: Path) -> None:
    data, _ = voters(2_000)
    with sd.ledger.Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=100)
        db = Dataset(data, bounds=WIDE, ledger=ledger)
        first = db.logistic("t", ["x", "w"], epsilon=50)
        again = db.logistic("t", ["x", "w"], epsilon=50, reuse=True)
    assert again.reused
    assert (again.value, again.intervals()) == (first.value, first.intervals())
