"""Releases: sensitivities by enumeration, the law of the noise, bounds, budgets, bad input."""

from __future__ import annotations

import copy
import itertools
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import sudare as sd
from sudare.exact.noise import discrete_laplace
from sudare.ledger import Cost, Ledger, check_events
from sudare.release import Dataset, bound_of, epsilon_for
from sudare.release.grid import Scale
from sudare.release.noise import Noise
from sudare.release.protection import NeighbourRelation
from sudare.release.queries.ranks import LossPieces
from tests.cases import cases

CANARY = 31337.25
SCORES = np.random.default_rng(0).integers(0, 101, 100_000)
FRAME = {
    "score": SCORES,
    "height": np.random.default_rng(1).normal(170, 10, 100_000),
    "sex": np.where(np.arange(100_000) % 3 == 0, "f", "m"),
}
BOUNDS = {"score": (0, 100), "height": (100.0, 220.0)}


def data(**options: Any) -> Dataset:
    options.setdefault("rng", sd.Entropy.seeded(b"release"))
    return Dataset(FRAME, bounds=BOUNDS, **options)


# -- what the issue names ------------------------------------------------------------------------


def test_the_mean_of_a_hundred_thousand_scores() -> None:
    """Sensitivity 0.001, bound at 95 % 2.9957e-2 within 1 %."""
    db = data()
    mean = db.mean("score", epsilon=0.1)
    assert mean.bound(0.95) == pytest.approx(2.9957e-2, rel=0.01)
    assert mean.bound(0.95) == 2996 / 100_000
    assert (mean.epsilon, mean.rho) == (0.1, pytest.approx(0.005))
    assert mean.neighbours.startswith("replace-one")
    assert mean.sampling_stderr == pytest.approx(50 / math.sqrt(100_000))
    assert db.n == 100_000
    assert bound_of("mean", epsilon=0.1, n=100_000, bounds=(0, 100)) == mean.bound(0.95)
    assert epsilon_for("mean", 0.02996, n=100_000, bounds=(0, 100)) == pytest.approx(0.1, rel=1e-3)


def test_its_coverage_over_a_hundred_thousand_trials() -> None:
    """The noise of the sum in bulk; then some thousand answers one by one, by the same law."""
    reach = 2996
    noise = discrete_laplace(100_000, Fraction(1000), sd.Entropy.seeded(b"coverage"))
    within = (np.abs(noise) <= reach).mean()
    assert within == pytest.approx(0.95, abs=0.002)
    db, true = data(), float(SCORES.mean())
    within = np.mean(
        [abs(db.mean("score", epsilon=0.1).value - true) <= reach / 100_000 for _ in range(3_000)]
    )
    assert within == pytest.approx(0.95, abs=5 * math.sqrt(0.95 * 0.05 / 3_000))


def test_the_bound_covers_what_it_says() -> None:
    noise = Noise.of(Cost.of(epsilon=0.1), 100)
    reach = noise.reach(0.05)
    q = math.exp(-1 / 1000)
    assert reach == 2996
    assert 2 * q ** (reach + 1) / (1 + q) <= 0.05 < 2 * q**reach / (1 + q)
    for cost in (Cost.of(epsilon=0.5), Cost.of(rho=0.02)):
        noise, rng = Noise.of(cost, 3), sd.Entropy.seeded(b"reach")
        drawn = np.array([noise.draw(rng) for _ in range(20_000)])
        for miss in (0.3, 0.05):
            seen = (np.abs(drawn) > noise.reach(miss)).mean()
            assert seen <= miss + 5 * math.sqrt(miss / 20_000)
            assert seen >= miss * 0.6
        assert drawn.std() == pytest.approx(noise.stderr, rel=0.05)


# -- sensitivities, by enumeration -----------------------------------------------------------------


def neighbours_of(rows: tuple[int, ...], values: range, protection: NeighbourRelation) -> Any:
    """Yield the data sets of one person's rows (all of them), under the relation."""
    if protection.neighbours == "add-remove":
        yield ()
        return
    least = 1 if protection.unit is None else 0
    for size in range(least, protection.rows + 1):
        yield from itertools.product(values, repeat=size)


@cases("relation", ["replace-one", "add-remove"])
@cases("rows, unit", [(1, None), (2, "person")])
def test_sensitivities_by_enumeration(relation: Any, rows: int, unit: str | None) -> None:
    protection = NeighbourRelation(relation, rows, unit)
    for low, high in ((-2, 3), (1, 4), (0, 3), (-4, -1)):
        values = range(low, high + 1)
        worst_sum = worst_count = worst_groups = worst_squares = 0
        for size in range(1, rows + 1):
            for own in itertools.product(values, repeat=size):
                for other in neighbours_of(own, values, protection):
                    worst_sum = max(worst_sum, abs(sum(own) - sum(other)))
                    apart = [own.count(v) - other.count(v) for v in values]
                    worst_count = max(worst_count, *map(abs, apart))
                    worst_groups = max(worst_groups, sum(map(abs, apart)))
                    worst_squares = max(worst_squares, sum(one * one for one in apart))
        assert worst_sum <= protection.of_sum(low, high)
        if unit is None or low <= 0 <= high:
            assert worst_sum == protection.of_sum(low, high)
        assert worst_count == protection.of_count
        assert worst_groups == protection.of_counts
        assert worst_squares == protection.of_counts_squared


@cases("relation", ["replace-one", "add-remove"])
def test_a_quantile_keeps_epsilon(relation: Any) -> None:
    """The exact law of the exponential mechanism on all small data sets and their neighbours."""
    scale, share, epsilon = Scale.of((0, 4), 1, None, "b"), Fraction(1, 4), Fraction(1)
    sensitivity = NeighbourRelation(relation).of_rank(share)

    def law(values: tuple[int, ...]) -> np.ndarray[Any, Any]:
        wanted = share * len(values)
        losses = []
        for x in range(5):
            low, high = sum(v < x for v in values), sum(v <= x for v in values)
            losses.append(float(max(low - wanted, wanted - high)))
        odds = np.exp(-float(epsilon / (2 * sensitivity)) * np.array(losses))
        return odds / odds.sum()

    for values in itertools.combinations_with_replacement(range(5), 3):
        others = (
            [values[:i] + values[i + 1 :] for i in range(3)]
            if relation == "add-remove"
            else [(*values[:i], new, *values[i + 1 :]) for i in range(3) for new in range(5)]
        )
        for other in others:
            assert np.abs(np.log(law(values) / law(other))).max() <= float(epsilon) + 1e-12
    db = Dataset({"x": [0, 1, 1]}, bounds={"x": (0, 4)}, rng=sd.Entropy.seeded(b"q"))
    pieces = LossPieces.of(np.array([0, 1]), np.array([1, 2]), scale, share * 3)
    drawn = [pieces.draw(epsilon / 2, db.held.entropy) for _ in range(6_000)]
    expected = law((0, 1, 1)) if relation == "replace-one" else None
    if expected is not None:
        seen = np.bincount(drawn, minlength=5).tolist()
        assert sd.testing.chi_square_pvalue(seen, expected.tolist()) > 1e-6


# -- every question --------------------------------------------------------------------------------


def within(released: Any, true: float) -> bool:
    return abs(released.value - true) <= released.bound(1 - 1e-9)


@cases("relation", ["replace-one", "add-remove"])
@cases("pay", [{"epsilon": 0.5}, {"rho": 0.05}])
def test_numbers_lie_within_their_bounds(relation: Any, pay: dict[str, float]) -> None:
    db = data(neighbours=relation)
    height = np.clip(FRAME["height"], 100, 220)
    assert within(db.sum("score", **pay), float(SCORES.sum()))
    assert within(db.mean("score", **pay), float(SCORES.mean()))
    assert within(db.mean("height", **pay), float(height.mean()))
    assert within(db.variance("score", **pay), float(SCORES.var()))
    assert within(db.variance("height", **pay), float(height.var()))
    assert within(db.count("sex", "f", **pay), 33_334)
    assert db.mean("score", **pay).bound(0.95) < 0.2
    histogram = db.histogram("sex", ["f", "m", "x"], **pay)
    assert list(histogram.value) == ["f", "m", "x", None]
    for key, true in (("f", 33_334), ("m", 66_666), ("x", 0), (None, 0)):
        assert abs(histogram.value[key] - true) <= histogram.bound(1 - 1e-9)
    groups = db.group_by("sex", ["f", "m"])
    for key in ("f", "m"):
        mine = FRAME["sex"] == key
        for released, true in (
            (groups.count(**pay), mine.sum()),
            (groups.sum("score", **pay), SCORES[mine].sum()),
            (groups.mean("score", **pay), SCORES[mine].mean()),
        ):
            assert abs(released.value[key] - true) <= released.bound(1 - 1e-9)


def test_ranks_and_modes() -> None:
    db = data()
    middle = db.median("score", epsilon=1)
    assert abs((middle.value >= SCORES).mean() - 0.5) < 0.02
    assert middle.bound(0.95) < 30
    top, bottom = db.max("height", epsilon=1), db.min("height", epsilon=1)
    assert (FRAME["height"] > top.value).sum() < 200
    assert (FRAME["height"] < bottom.value).sum() < 200
    assert "Laplace" in top.notes[0]
    assert "minimum" in bottom.notes[0]
    assert db.mode("sex", ["f", "m"], epsilon=0.5).value == "m"
    assert db.quantile("score", 0.9, epsilon=1).value == pytest.approx(90, abs=3)
    with pytest.raises(TypeError):
        db.median("score", rho=1)


def test_a_person_with_several_rows() -> None:
    frame = {"who": [1, 1, 1, 2, 3, 3], "score": [10, 20, 90, 50, 5, 5]}
    db = Dataset(frame, bounds={"score": (0, 100)}, unit=("who", 2), rng=sd.Entropy.seeded(b"u"))
    total = db.sum("score", epsilon=900)
    assert total.value == pytest.approx(10 + 20 + 50 + 5 + 5, abs=3)  # the first two rows of each
    assert total.bound(0.5) < 2
    assert "up to 2 rows of one who" in db.neighbours
    with pytest.raises(sd.DomainError, match="private"):
        _ = db.n
    assert db.count(epsilon=900).value == pytest.approx(5, abs=1)
    for unit in (("who", 0), ("none", 2), "who", ("who", True), ("who", 1.5)):
        with pytest.raises(sd.SudareError):
            Dataset(frame, unit=unit)


def test_missing_numbers_and_numbers_outside() -> None:
    frame = {"x": [1.0, math.nan, 3.0, 99.0]}
    bounds = {"x": (0, 10)}
    with pytest.raises(sd.DomainError, match="missing"):
        Dataset(frame, bounds=bounds)
    with pytest.raises(sd.DomainError, match="within"):
        Dataset(frame, bounds=bounds, missing="drop", outside="refuse")
    db = Dataset(frame, bounds=bounds, missing="drop", rng=sd.Entropy.seeded(b"m"))
    assert db.sum("x", epsilon=1000).value == pytest.approx(14, abs=0.1)  # 1 + 3 + 10
    mean = db.mean("x", epsilon=1000)
    assert mean.value == pytest.approx(14 / 3, abs=0.1)
    assert any("private" in note for note in mean.notes)
    assert any("clamped" in note for note in mean.notes)


def test_frames_say_by_many_values_what_is_missing() -> None:
    frame = pd.DataFrame(
        {
            "x": pd.array([1, None, 3], dtype="Int64"),
            "g": pd.array(["a", None, "a"], dtype="string"),
            "t": pd.to_datetime(["2026-01-01", None, "2026-01-02"]),
        }
    )
    db = Dataset(frame, bounds={"x": (0, 10)}, missing="drop", grids={"x": 1})
    assert db.sum("x", epsilon=10**6).value == 4
    assert db.count("g", "a", epsilon=10**6).value == 2
    assert [kind for _, kind, _ in db.columns] == ["number", "text", "datetime"]


def test_numbers_beyond_all_floats_are_clamped() -> None:
    db = Dataset({"x": [10**400, -(10**400), 1]}, bounds={"x": (0, 10)}, grids={"x": 1})
    assert db.sum("x", epsilon=10**6).value == 11


@cases("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_frames_of_all_kinds(make: Any, tmp_path: Path) -> None:
    columns = {"score": [1, 2, 3, None], "name": ["a", "b", None, "a"]}
    db = Dataset(
        make(columns), bounds={"score": (0, 5)}, missing="drop", rng=sd.Entropy.seeded(b"f")
    )
    assert db.sum("score", epsilon=900).value == pytest.approx(6, abs=0.1)
    assert db.count("name", "a", epsilon=900).value == pytest.approx(2, abs=1)


def test_files_and_databases(tmp_path: Path) -> None:
    pq.write_table(pa.table({"score": [1, 2, 3]}), tmp_path / "t.parquet")
    options: dict[str, Any] = {"bounds": {"score": (0, 5)}, "rng": sd.Entropy.seeded(b"f")}
    assert Dataset(tmp_path / "t.parquet", **options).n == 3
    url = f"sqlite:///{tmp_path / 'people.db'}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE people (score INTEGER, name TEXT)"))
        connection.execute(sa.text("INSERT INTO people VALUES (1, 'a'), (4, 'b')"))
    engine.dispose()
    assert Dataset.from_sql(url, "people", **options).sum("score", epsilon=900).value == 5
    for bad in (
        (url, "none"),
        ("sqlite:////no/canary/x.db", "t"),
        (3, "t"),
        ("what://canary", "t"),
    ):
        with pytest.raises(sd.SudareError) as caught:
            Dataset.from_sql(*bad)
        assert "canary" not in str(caught.value)
    for path in (tmp_path / "none.parquet", Path(__file__)):
        with pytest.raises(sd.StorageError):
            Dataset(path, **options)


# -- budgets ---------------------------------------------------------------------------------------


def test_a_budget_in_memory() -> None:
    db = data(budget=1)
    for _ in range(10):
        db.mean("score", epsilon=0.1)
    assert (db.spent, db.remaining) == (1, 0)
    with pytest.raises(sd.BudgetExceeded, match="short by"):
        db.mean("score", epsilon=0.1)
    nine = data(budget=1)
    for _ in range(9):
        nine.mean("score", epsilon=0.1)
    with pytest.raises(sd.BudgetExceeded):
        nine.mean("score", epsilon=0.2)
    assert nine.mean("score", epsilon=0.1).epsilon == 0.1
    free = data()
    free.mean("score", epsilon=0.1)
    free.mean("score", rho=0.1)
    assert free.spent == Fraction(1, 10) + Fraction(1, 200)
    assert free.remaining is None
    with pytest.raises(sd.DomainError, match="ledger"):
        free.mean("score", epsilon=0.1, reuse=True)
    with pytest.raises(sd.PrivacyError):
        db.mean("score", rho=0.001)


def test_threads_cannot_overspend_a_budget_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    db = data(budget=0.4, rng=None)
    asked = threading.Barrier(8)
    monkeypatch.setattr(Noise, "draw", lambda *_: time.sleep(0.02) or 0)

    def ask(_: int) -> bool:
        asked.wait(30)
        try:
            return db.count("sex", "f", epsilon=0.1).value == 33_334
        except sd.BudgetExceeded:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(ask, range(8))) == 4
    assert (db.spent, db.remaining) == (Fraction(4, 10), 0)
    with pytest.raises(sd.SudareError, match="spend twice"):
        copy.deepcopy(db._payer)


def test_bounds_of_any_confidence() -> None:
    """An answer that is paid for must be told, whatever confidence is asked for beside it."""
    db = data()
    for confidence in (1 - 2**-53, 1e-15, 0.5):
        for pay in ({"epsilon": 1}, {"rho": 1}):
            assert 0 <= db.mean("score", **pay).bound(confidence) < math.inf
            assert 0 <= db.variance("score", **pay).bound(confidence) < math.inf


def test_an_answer_on_record_is_of_the_same_policy(tmp_path: Path) -> None:
    """Where rows may be missing their number is drawn too: another answer than without."""
    frame, bounds = {"x": [1.0, 2.0, 3.0] * 100}, {"x": (0, 10)}
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=100)
        first = Dataset(frame, bounds=bounds, ledger=ledger).mean("x", epsilon=10, reuse=True)
        other = Dataset(frame, bounds=bounds, ledger=ledger, missing="drop")
        second = other.mean("x", epsilon=10, reuse=True)
        assert (first.reused, second.reused) == (False, False)
        assert second.value == pytest.approx(2, abs=0.5)


def test_a_ledger_pays(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.open("scores", epsilon=1)
        ledger.open("ann", epsilon=0.3)
        db = data(ledger=ledger, accounts=["scores", "ann"], name="scores-2026")
        first = db.mean("score", epsilon=0.1, reuse=True)
        again = db.mean("score", epsilon=0.1, reuse=True)
        assert (again.value, again.reused, again.event) == (first.value, True, first.event)
        assert db.mean("score", epsilon=0.1).value != first.value
        histogram = db.histogram("sex", ["f", "m"], epsilon=0.1, reuse=True)
        assert db.histogram("sex", ["f", "m"], epsilon=0.1, reuse=True).value == histogram.value
        with pytest.raises(sd.BudgetExceeded, match="ann"):
            db.median("score", epsilon=0.1)
        assert ledger.account("scores").spent == Fraction(3, 10)
        events = ledger.events()
        assert check_events(events)["ann"] == Fraction(3, 10)
        assert events[2]["body"]["query"]["query"] == "mean"
        with pytest.raises(sd.DomainError):
            _ = db.spent
        with pytest.raises(sd.DomainError):
            data(ledger=ledger, budget=1)


# -- bad input -------------------------------------------------------------------------------------


@cases("epsilon", [0, -1, math.nan, math.inf, "x", None, True, 1e300])
def test_bad_epsilons_spend_nothing(epsilon: Any) -> None:
    db = data(budget=1)
    for ask in (db.mean, db.sum, db.variance, db.median, db.max):
        with pytest.raises(sd.SudareError):
            ask("score", epsilon=epsilon)
    with pytest.raises(sd.SudareError):
        db.count("sex", "f", epsilon=epsilon)
    assert db.spent == 0


def test_bad_questions_spend_nothing() -> None:
    db = data(budget=1)
    for ask in (
        lambda: db.mean("none", epsilon=0.1),
        lambda: db.mean("sex", epsilon=0.1),
        lambda: db.mean(None, epsilon=0.1),
        lambda: db.quantile("score", 1.5, epsilon=0.1),
        lambda: db.quantile("score", math.nan, epsilon=0.1),
        lambda: db.quantile("score", "half", epsilon=0.1),
        lambda: db.quantile("score", Fraction(1, 10**9 + 7), epsilon=0.1),
        lambda: db.histogram("sex", [], epsilon=0.1),
        lambda: db.histogram("sex", ["f", "f"], epsilon=0.1),
        lambda: db.histogram("sex", "fm", epsilon=0.1),
        lambda: db.histogram("sex", [math.nan], epsilon=0.1),
        lambda: db.histogram("sex", [["f"]], epsilon=0.1),
        lambda: db.mode("none", ["f"], epsilon=0.1),
        lambda: db.group_by("none", ["f"]),
        lambda: db.count(epsilon=0.1),
        lambda: db.count("sex", ["f"], epsilon=0.1),
        lambda: db.mean("score", epsilon=0.1, rho=0.1),
        lambda: db.mean("score"),
        lambda: db.mean("score", epsilon=0.1).bound(1.5),
    ):
        with pytest.raises(sd.SudareError):
            ask()
    assert db.spent in (0, Fraction(1, 10))


@cases(
    "frame, options",
    [
        ({}, {}), (None, {}), (3, {}), ({"x": []}, {}), ({"x": [1], "y": [1, 2]}, {}),
        ({"x": [[1], [2]]}, {}), ({3: [1]}, {}), ({"x": np.ma.masked_array([1.0])}, {}),
        ({"x": [1]}, {"bounds": {"x": (1, 1)}}), ({"x": [1]}, {"bounds": {"x": (2, 1)}}),
        ({"x": [1]}, {"bounds": {"x": (math.nan, 1)}}), ({"x": [1]}, {"bounds": {"x": 5}}),
        ({"x": [1]}, {"bounds": {"y": (0, 1)}}), ({"x": ["a"]}, {"bounds": {"x": (0, 1)}}),
        ({"x": [1]}, {"bounds": {"x": (0, 1e300)}}), ({"x": [1]}, {"bounds": 3}),
        ({"x": [1]}, {"bounds": {"x": (0, 1)}, "grids": {"x": 0}}),
        ({"x": [1]}, {"bounds": {"x": (0, 1)}, "grids": {"x": 1e-14}}),
        ({"x": [1]}, {"grids": {"x": 1}}), ({"x": [1]}, {"neighbours": "next"}),
        ({"x": [1]}, {"missing": "ignore"}), ({"x": [1]}, {"outside": None}),
        ({"x": [1]}, {"budget": -1}), ({"x": [1]}, {"ledger": 3}), ({"x": [1]}, {"name": ""}),
        ({"x": [1]}, {"accounts": ["a"]}),
        ({"x": [1, 2], "p": np.array([{1}, {2}])}, {"unit": ("p", 1)}),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}),
    ])  # fmt: skip
def test_bad_data_sets(frame: Any, options: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        Dataset(frame, **options)


def test_the_record_of_other_rows_is_not_read(tmp_path: Path) -> None:
    """A sum of 400 rows, read as one of 100, would be a mean four times as far from the middle."""
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=1)
        ledger.open("there or not", epsilon=1)

        def mean(n: int, **options: Any) -> Any:
            rows = {"score": [90] * n}
            db = Dataset(rows, bounds={"score": (0, 100)}, ledger=ledger, **options)
            return db.mean("score", epsilon=0.25, reuse=True)

        assert not mean(400).reused
        assert mean(400).reused
        other = mean(100)
        assert (other.reused, other.query["rows"]) == (False, 100)
        private = mean(100, neighbours="add-remove", accounts=["there or not"])
        assert "rows" not in private.query


def test_missing_bounds_say_why() -> None:
    with pytest.raises(sd.DomainError, match="one person could be anything"):
        Dataset({"x": [1, 2]}).mean("x", epsilon=1)


def test_no_error_shows_a_value(caplog: pytest.LogCaptureFixture) -> None:
    frame = {"x": [CANARY, 1.0], "t": ["canary", "b"], "n": [math.nan, CANARY]}
    texts = []
    for make in (
        lambda: Dataset(frame, bounds={"x": (0, 1)}, outside="refuse"),
        lambda: Dataset(frame, bounds={"t": (0, 1)}),
        lambda: Dataset(frame, bounds={"n": (0, 1)}),
        lambda: Dataset({"x": [CANARY, "canary"]}, bounds={"x": (0, 1)}),
        lambda: Dataset({"x": [CANARY, [1]]}, bounds={"x": (0, 1)}),
        lambda: Dataset({"x": [{CANARY}, {2}]}).histogram("x", ["a"], epsilon=1),
        lambda: Dataset(frame).mean("x", epsilon=1),
        lambda: Dataset(frame, unit=("n", 1)),
    ):
        with pytest.raises(sd.SudareError) as caught:
            make()
        texts.append(str(caught.value))
    assert not any("canary" in text or "31337" in text for text in [*texts, caplog.text])


@cases(
    "options",
    [
        {"query": "median"}, {"query": 3}, {"query": "mean"}, {"query": "sum"},
        {"query": "mean", "n": 0, "bounds": (0, 1)}, {"query": "count", "neighbours": "x"},
        {"query": "count", "rows": 0}, {"query": "count", "confidence": 2},
        {"query": "mode"}, {"query": "quantile", "bounds": (0, 1)},
        {"query": "mode", "categories": 0}, {"query": "variance", "bounds": (0, 1)},
        {"query": "count", "missing": "keep"},
    ])  # fmt: skip
def test_bad_plans(options: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        bound_of(**{"epsilon": 0.1, **options})
    with pytest.raises(sd.SudareError):
        epsilon_for(bound=1.0, **options)


def test_from_a_bound_to_epsilon_and_back() -> None:
    for options in (
        {"query": "count"},
        {"query": "count", "neighbours": "add-remove", "rows": 3},
        {"query": "sum", "bounds": (-5, 20)},
        {"query": "mean", "bounds": (0, 1), "step": Fraction(1, 1000), "n": 500},
    ):
        epsilon = epsilon_for(bound=50.0 if options["query"] != "mean" else 0.05, **options)
        assert bound_of(epsilon=epsilon, **options) <= (50 if options["query"] != "mean" else 0.05)
        assert bound_of(epsilon=epsilon * 0.99, **options) >= bound_of(epsilon=epsilon, **options)
    for bound in (0, -1, math.nan, "x", None):
        with pytest.raises(sd.SudareError):
            epsilon_for("mean", bound, n=10, bounds=(0, 1))
