"""Made-up rows: the exact law of what is measured, the tree, the ledger, cells of every kind."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import sudare as sd
from sudare.cli import main
from sudare.ledger import Cost, Ledger, check_events
from sudare.release import Dataset
from sudare.release.noise import Noise
from sudare.release.protection import NeighbourRelation
from sudare.release.queries import Filtered, Where
from sudare.release.synthetic import Synthetic, measure
from sudare.release.synthetic.plan import Plan
from sudare.release.synthetic.tree import Measured, Tree
from tests.cases import cases

CELLS = {"g": ["a", "b"], "h": ["x", "y", "z"], "x": [0, 2, 4, 9]}
PEOPLE = {
    "g": ["a", "b"] * 1000,
    "h": ["x", "y"] * 990 + ["z"] * 20,
    "x": [1, 3, 1, 7] * 500,
}


def data(**options: Any) -> Dataset:
    options.setdefault("rng", sd.Entropy.seeded(b"rows"))
    return Dataset(PEOPLE, **options)


# -- what is measured: the exact law, over random neighbours ---------------------------------------


class Seen:
    """The numbers before the noise with its scales, and the law of each choice.

    All numbers with noise come out as ``given``, so that what follows is the same for neighbours.
    """

    def __init__(self, db: Dataset, query: Any, cost: Cost, given: list[int], pick: int) -> None:
        self.scales: list[Fraction] = []
        self.numbers: list[int] = []
        self.log_odds: list[Any] = []
        self._given, self._pick = given, pick
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Noise, "added", lambda noise, numbers, rng: self._added(noise, numbers))
            patch.setattr(measure, "exponential", self._exponential)
            prepared = query.prepare(db.held, cost)
            answer = prepared.bill.answer()
        self.told = prepared.bill.query, {k: v for k, v in answer.items() if k != "seed"}

    def _added(self, noise: Noise, numbers: list[int]) -> list[int]:
        self.scales += [noise.scale] * len(numbers)
        self.numbers += numbers
        return [self._given[i % len(self._given)] for i in range(len(numbers))]

    def _exponential(self, losses: Any, rate: Fraction, rng: Any) -> int:
        log_odds = -float(rate) * losses
        top = log_odds.max()
        self.log_odds.append(log_odds - top - np.log(np.exp(log_odds - top).sum()))
        return self._pick % losses.size


def loss(one: Seen, other: Seen, cost: Cost) -> float:
    """Return the privacy loss of all steps together; in ρ each choice by the range of its loss."""
    assert one.told == other.told
    assert one.scales == other.scales
    moves = [abs(a - b) for a, b in zip(one.numbers, other.numbers, strict=True)]
    chosen = [a - b for a, b in zip(one.log_odds, other.log_odds, strict=True)]
    if cost.unit == "rho":
        noise = sum(Fraction(m * m, 2) / s for m, s in zip(moves, one.scales, strict=True))
        return float(noise) + sum(float(np.ptp(a)) ** 2 / 8 for a in chosen)
    noise = sum(Fraction(m) / s for m, s in zip(moves, one.scales, strict=True))
    return float(noise) + sum(float(abs(a).max()) for a in chosen)


def random_pair(rng: random.Random) -> tuple[Dataset, Dataset, Any]:
    """Return a data set, a neighbour, and the question."""
    relation: Any = rng.choice(["replace-one", "add-remove"])
    most = rng.choice([None, 1, 2, 3])
    filtered = rng.random() < 0.3

    def person() -> list[tuple[Any, ...]]:
        alike = rng.random() < 0.6
        row = (rng.choice("abc"), rng.choice("xyz"), rng.choice([0, 3, 5, 9, 99]))
        other = (rng.choice("abc"), rng.choice("xyz"), rng.choice([0, 3, 5, 9, 99]))
        size = 1 if most is None else rng.randint(1, most + 1)
        return [row if alike else rng.choice([row, other]) for _ in range(size)]

    rest = [[("a", "x", 0)], *(person() for _ in range(rng.randint(0, 6)))]
    mine, other = [person()], [] if relation == "add-remove" else [person()]
    both = []
    for own in (mine, other):
        rows = [(who, *row) for who, rows in enumerate([*rest, *own]) for row in rows]
        frame = {name: [row[i] for row in rows] for i, name in enumerate("pghx")}
        unit = None if most is None else ("p", most)
        both.append(Dataset(frame, neighbours=relation, unit=unit))
    names = rng.sample("ghx", rng.choice([1, 2, 3, 3]))
    query: Any = Synthetic({name: CELLS[name] for name in names})
    return both[0], both[1], Filtered(query, Where.of("g = a")) if filtered else query


def worst(seed: int, tried: int) -> dict[str, float]:
    """Return the largest share of its price that was lost between random neighbours."""
    rng, found = random.Random(seed), {"epsilon": 0.0, "rho": 0.0}
    for _ in range(tried):
        mine, theirs, query = random_pair(rng)
        for cost in (Cost.of(epsilon=rng.choice([0.1, 1, 40])), Cost.of(rho=rng.choice([0.1, 9]))):
            given = rng.choice([[0], [1], [900, 0], [3, 700, 50], [-5, 2, 400]])
            pick = rng.randrange(4)
            seen = [Seen(one, query, cost, given, pick) for one in (mine, theirs)]
            lost = loss(*seen, cost) / float(cost.amount)
            found[cost.unit] = max(found[cost.unit], lost)
    return found


@pytest.mark.parametrize(
    ("seed", "tried"),
    [(1, 50), *(pytest.param(seed, 1_250, marks=pytest.mark.slow) for seed in range(2, 6))],
)
def test_no_random_pair_loses_more_than_is_paid(seed: int, tried: int) -> None:
    found = worst(seed, tried)
    assert max(found.values()) <= 1 + 1e-9, found
    assert found["epsilon"] > 0.9, "the search sees most of the price"
    assert found["rho"] > 0.85


def _twice_as_sharp(of: Any) -> Any:
    def changed(*args: Any) -> Any:
        plan = of(*args)
        return plan if plan.rate is None else replace(plan, rate=4 * plan.rate)

    return changed


FAULTS: list[tuple[Any, str, Callable[[Any], Any]]] = [
    (NeighbourRelation, "of_counts", lambda _: property(lambda one: one.rows)),
    (NeighbourRelation, "of_counts_squared", lambda _: property(lambda one: one.rows**2)),
    (NeighbourRelation, "of_count", lambda _: property(lambda one: 1)),
    (Plan, "of", _twice_as_sharp),
    (Plan, "of_pair", lambda _: lambda plan, chosen: plan.pairs or plan.single),
]


@pytest.mark.slow
@pytest.mark.parametrize(("owner", "name", "fault"), FAULTS, ids=[one[1] for one in FAULTS])
def test_the_search_finds_faults(
    owner: Any, name: str, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, fault(getattr(owner, name)))
    assert max(worst(3, 150).values()) > 1.02


@cases("cost", [Cost.of(epsilon=0.7), Cost.of(rho=0.013)])
@cases("columns", [1, 2, 3, 14])
@cases("relation", ["replace-one", "add-remove"])
def test_the_parts_are_the_price(cost: Cost, columns: int, relation: Any) -> None:
    plan = Plan.of(columns, cost, NeighbourRelation(relation, 3))
    parts = plan.single.amount * columns
    if plan.pairs is not None:
        parts += plan.of_pair(columns - 1).amount * (columns - 1)
        assert plan.rate is not None
        each = plan.rate * 3 * (2 if relation == "replace-one" else 1)
        parts += (each if cost.unit == "epsilon" else each**2 / 8) * plan.steps
    assert 1 - Fraction(1, 10**9) < parts / cost.amount <= 1
    if cost.unit == "epsilon":
        assert parts == cost.amount


# -- the tree --------------------------------------------------------------------------------------


def joint_of(tree: Tree, sizes: list[int]) -> np.ndarray:
    """Return the law over all combinations."""
    out = np.zeros(sizes)
    for cell in np.ndindex(*sizes):
        p = 1.0
        for (column, parent), law in zip(tree.parents, tree.laws, strict=True):
            of = 0 if parent < 0 else cell[parent]
            whole = law[of].sum()
            p *= 0 if whole == 0 else law[of, cell[column]] / whole
        out[cell] = p
    return out


def test_tables_that_agree_are_kept() -> None:
    rng = np.random.default_rng(1)
    sizes = [3, 2, 4, 2, 3]
    edges = [(0, 1), (1, 2), (0, 3)]  # and a column alone
    joint = rng.dirichlet(np.ones(3 * 2)).reshape(3, 2)
    hung = rng.dirichlet(np.ones(4), 2), rng.dirichlet(np.ones(2), 3)
    alone = rng.dirichlet(np.ones(3))
    true = np.einsum("ab,bc,ad,e->abcde", joint, *hung, alone)
    measured = []
    for pair in edges:
        rest = tuple(axis for axis in range(5) if axis not in pair)
        measured.append(Measured(pair, 1000 * true.sum(rest), 2.0))
    measured += [
        Measured((i,), 1000 * true.sum(tuple(a for a in range(5) if a != i)), 9.0) for i in range(5)
    ]
    found = joint_of(Tree.fitted(sizes, measured, 1000), sizes)
    assert np.abs(found - true).sum() < 2e-3


@cases("seed", range(3))
def test_the_nearest_law_is_found(seed: int) -> None:
    """Against a general solver, over all laws of a chain of three columns of two cells."""
    rng = np.random.default_rng(seed)
    tables = [((0, 1), 1.0), ((1, 2), 4.0), ((0,), 2.0), ((2,), 1.0)]
    true = rng.dirichlet(np.ones(8) * 0.5).reshape(2, 2, 2) * 100
    measured = []
    for columns, variance in tables:
        rest = tuple(axis for axis in range(3) if axis not in columns)
        table = true.sum(rest) + rng.normal(0, 12, (2,) * len(columns))
        measured.append(Measured(columns, table, variance))

    def far(law: np.ndarray) -> float:
        out = 0.0
        for one in measured:
            rest = tuple(axis for axis in range(3) if axis not in one.columns)
            off = 100 * law.reshape(2, 2, 2).sum(rest) - one.counts
            out += float((off**2).sum()) / one.variance
        return out

    best = optimize.minimize(
        far, np.full(8, 1 / 8), bounds=[(0, 1)] * 8, method="SLSQP", tol=1e-12,
        constraints={"type": "eq", "fun": lambda law: law.sum() - 1},
    )  # fmt: skip
    found = joint_of(Tree.fitted([2, 2, 2], measured, 100), [2, 2, 2])
    assert abs(found.sum() - 1) < 1e-9
    assert far(found) <= best.fun * 1.002 + 1e-3


def test_rows_have_the_tables_of_the_law() -> None:
    measured = [Measured((0, 1), np.array([[30.0, 10], [0, 60]]), 1.0)]
    measured += [Measured((0,), np.array([40.0, 60]), 1.0)]
    tree = Tree.fitted([2, 2], measured, 100)
    a, b = tree.rows(1000, np.random.default_rng(0))
    table = np.bincount(a * 2 + b, minlength=4)
    assert np.abs(table - [300, 100, 0, 600]).max() <= 4
    assert tree.rows(1, np.random.default_rng(0))[0].shape == (1,)


# -- the question ----------------------------------------------------------------------------------


def test_tables_lie_near() -> None:
    made = data().synthetic(CELLS, epsilon=40).value
    rows = list(zip(*made.columns.values(), strict=True))
    true = list(zip(*PEOPLE.values(), strict=True))
    assert made.rows == len(rows) == 2000
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for pair in {(one[i], one[j]) for one in true}:
            cell = [one for one in CELLS["x"] if one <= pair[1]][-1] if j == 2 else pair[1]
            low, high = (cell, {0: 1, 2: 3, 4: 9}[cell]) if j == 2 else (cell, cell)
            mine = sum(
                one[i] == pair[0] and one[j] is not None and low <= one[j] <= high for one in rows
            )
            assert abs(mine - sum((one[i], one[j]) == pair for one in true)) < 40, pair


def test_the_report_says_what_was_measured() -> None:
    answer = data().synthetic(CELLS, epsilon=4)
    report = answer.value.report()
    names = [one["table"] for one in report]
    assert names[:3] == ["g", "h", "x"]
    assert len(names) == 5
    assert all(" × " in one for one in names[3:])
    prices = [Fraction(one["price"]) for one in report]
    assert sum(prices) == 4 * Fraction(9, 10)  # a tenth is for the choices
    assert all(0 <= one["distance"] < 0.05 for one in report)
    assert answer.bound(0.95) == max(
        Noise.of(Cost.of(epsilon=one), 2).reach(0.05) for one in prices
    )
    assert {one["law"] for one in answer.noise} == {"discrete Laplace", "exponential"}
    laws = {one["law"] for one in data().synthetic(CELLS, rho=1).noise}
    assert laws == {"discrete Gaussian", "exponential"}


def test_independent_columns_are_left_apart() -> None:
    """None has the score 0: a pair that noise would spoil more than it tells has less."""
    plan = replace(
        Plan.of(3, Cost.of(epsilon=1), NeighbourRelation("replace-one")), rate=Fraction(9)
    )
    own = [np.array([600, 400]), np.array([500, 500]), np.array([600, 400])]
    tables = {(a, b): own[a][:, None] * own[b] // 1000 for a, b in ((0, 1), (1, 2))}
    tables[0, 2] = np.array([[600, 0], [0, 400]])
    rng = sd.Entropy.seeded(b"apart")
    assert measure._chosen(plan, tables, own, 1000, rng) == [(0, 2)]
    worse = replace(plan, pairs=Cost.of(epsilon=0.01))
    assert measure._chosen(worse, tables, own, 1000, rng) == []


def test_one_charge_on_record_and_fetched_by_key(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=1)
        db = Dataset(PEOPLE, ledger=ledger)
        first = db.once("monday").synthetic(CELLS, epsilon=0.6)
        again = db.once("monday").synthetic(CELLS, epsilon=0.6)
        other = db.synthetic(CELLS, epsilon=0.6, rows=10, reuse=True)
        assert again.reused
        assert other.reused
        assert again.value.columns == first.value.columns
        assert [one.distance for one in again.value.tables] == [
            one.distance for one in first.value.tables
        ]
        assert (first.value.rows, other.value.rows) == (2000, 10)
        assert ledger.account("data").spent == Fraction(3, 5)
        with pytest.raises(sd.BudgetExceeded):
            db.synthetic(CELLS, epsilon=0.6)
        with pytest.raises(sd.DomainError, match="paid for another query"):
            db.once("monday").synthetic({"g": ["a"]}, epsilon=0.1)
        events = ledger.events()
        check_events(events)
        assert sum(one["kind"] == "query" for one in events) == 1


def test_an_account_of_rho_and_a_plan(tmp_path: Path) -> None:
    """It is neither Gaussian noise nor a choice alone: pure ε costs ε²/2, and no plan has its ρ."""
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", rho=1)
        db = Dataset(PEOPLE, ledger=ledger)
        db.synthetic(CELLS, epsilon=1)
        assert ledger.account("data").spent == Fraction(1, 2)
        db.synthetic(CELLS, rho=0.25)
        assert ledger.account("data").spent == Fraction(3, 4)
        ledger.open("plan", delta=1e-6, plan="1 rho=0.005")
        with pytest.raises(sd.SudareError):
            Dataset(PEOPLE, ledger=ledger, name="plan").synthetic(CELLS, rho=0.005)


def test_refused_before_anything_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure.Tables, "of", lambda held, cells: pytest.fail("looked at the data"))
    db = data(budget=1)
    with pytest.raises(sd.SudareError):
        db.synthetic({"g": ["a"], "nothing": ["b"]}, epsilon=0.1)
    assert db.spent == 0


def test_cells_of_every_kind() -> None:
    frame = {
        "sex": ["f", "m", None, "other"] * 50,
        "yes": [True, False] * 100,
        "age": [-5, 17, 40, 130] * 50,
        "height": [1.5, None, 1.75, 2.5] * 50,
        "born": [date(1990, 1, 1), date(2001, 5, 5)] * 100,
        "seen": list(map(datetime.fromisoformat, ("2020-01-01T12:00", "2020-06-01"))) * 100,
        "code": [1, 2] * 100,
    }
    db = Dataset(
        frame,
        bounds={"age": (0, 100), "born": ("1980-01-01", "2010-12-31")},
        categories={"sex": ["f", "m"], "code": [1, 2, 3]},
        types={"age": "whole"},
        rng=sd.Entropy.seeded(b"kinds"),
    )
    edges = {
        "sex": None,
        "yes": [True, False],
        "age": None,
        "height": [1, 1.6, 2],
        "born": ["1980-01-01", "2000-01-01", "2010-12-31"],
        "seen": ["2020-01-01", "2020-02-01", "2020-12-31T23:59"],
        "code": None,
    }
    made = db.synthetic(edges, epsilon=500, rows=400).value
    columns = made.columns
    assert list(columns) == list(edges)
    assert set(columns["sex"]) == {"f", "m", None}
    assert abs(columns["sex"].count(None) - 200) < 20
    assert set(columns["yes"]) == {True, False}
    assert {type(one) for one in columns["age"]} == {int}
    assert min(columns["age"]) in range(5)
    assert max(columns["age"]) in range(95, 101)
    assert abs(columns["height"].count(None) - 100) < 20
    assert all(one is None or 1 <= one <= 2 for one in columns["height"])
    assert all(isinstance(one, date) for one in columns["born"])
    assert abs(sum(one < date(2000, 1, 1) for one in columns["born"]) - 200) < 20
    assert all(one.year == 2020 for one in columns["seen"])
    assert set(columns["code"]) == {1, 2}
    default = db.synthetic(epsilon=100).value
    assert list(default.columns) == ["sex", "age", "born", "code"]
    assert default.frame("pyarrow").shape == (200, 4)
    assert made.records()[0].keys() == edges.keys()


def test_each_whole_number_of_few_has_a_cell() -> None:
    db = Dataset({"x": np.array([1, 5] * 100)}, bounds={"x": (1, 5)}, rng=sd.Entropy.seeded(b"few"))
    made = db.synthetic(epsilon=50).value
    assert set(made.columns["x"]) == {1, 5}
    assert made.tables[0].cells == 3  # those that noise hides are one


def test_private_sizes_and_filters() -> None:
    db = data(neighbours="add-remove")
    made = db.synthetic(CELLS, epsilon=10).value
    assert 1900 < made.rows < 2100
    some = db.where("g = a").synthetic({"h": CELLS["h"]}, rho=10).value
    assert 900 < some.rows < 1100
    assert data().where("g = a").synthetic({"h": CELLS["h"]}, epsilon=9).sampling_stderr is None


def test_a_dry_run_tells_price_and_bound() -> None:
    db = data(budget=1)
    told = db.dry_run().synthetic(CELLS, epsilon=0.5)
    assert (told.bound_in, told.charged, db.spent) == ("rows", {"budget": Fraction(1, 2)}, 0)
    answer = db.synthetic(CELLS, epsilon=0.5)
    assert told.query == answer.query
    assert told.bound(0.9) == answer.bound(0.9)  # of a whole tree, as is chosen here


def test_stored_data_gives_the_same(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table(PEOPLE), tmp_path / "people.parquet", row_group_size=300)
    stored = Dataset(tmp_path / "people.parquet", rng=sd.Entropy.seeded(b"rows"))
    mine, theirs = (one.synthetic(CELLS, epsilon=1).value for one in (stored, data()))
    assert mine.columns == theirs.columns


@cases("price", [{"epsilon": 1e-15}, {"rho": 1e-15}, {"epsilon": 1e6}])
def test_any_price_makes_rows(price: dict[str, float]) -> None:
    for neighbours in ("replace-one", "add-remove"):
        made = data(neighbours=neighbours).synthetic(CELLS, rows=5, **price).value
        assert all(len(one) == 5 for one in made.columns.values())


@cases(
    "columns, words",
    [
        ({}, "1 to 60"),
        (None, "1 to 60"),
        ("g", "must be a mapping"),
        (["g"], "must have the categories of g"),
        ({"x": None}, "must have the edges of x"),
        ({"nothing": ["a"]}, "column must be"),
        (["nothing"], "column must be"),
        ({"g": ["a", "a"]}, "twice"),
        ({"g": [1, 2]}, "of the column's kind"),
        ({"x": [3, 2]}, "ascend"),
        ({"x": [3]}, "2 to 10,000 edges"),
        ({"x": ["a", "b"]}, "edges of x of its kind"),
        ({"x": [0, 1e300]}, "2\\*\\*53"),
        ({"g": [str(i) for i in range(20_000)]}, "at most 10,000"),
        ({"g": [str(i) for i in range(999)], "x": range(999)}, "300,000 cells"),
        ({"p": [1, 2]}, "column of persons"),
    ],
)
def test_bad_cells_are_refused(columns: Any, words: str) -> None:
    db = Dataset({**PEOPLE, "p": list(range(2000))}, unit=("p", 2), budget=1)
    with pytest.raises(sd.SudareError, match=words):
        db.synthetic(columns, epsilon=0.1)
    assert db.spent == 0


@cases(
    "options, edges",
    [
        ({}, [0, 1e-10, 1e12]),
        ({"bounds": {"x": (0, 1)}}, [0, 1, 2**50]),
        ({}, [0, 1e-9, 2**62 / 10**12]),
    ],
)
def test_edges_that_no_made_up_row_could_be_counted_to_cost_nothing(
    options: dict[str, Any], edges: list[float]
) -> None:
    db = Dataset({"x": [0.5, 1.5, 3.0] * 100}, budget=10, **options)
    with pytest.raises(sd.DomainError, match=r"finest steps from 0.*coarser grid"):
        db.synthetic({"x": edges}, epsilon=1)
    assert db.spent == 0
    made = db.synthetic({"x": [0, 1e-9, 1000]}, epsilon=1).value
    assert all(0 <= one <= 1000 for one in made.columns["x"] if one is not None)


@cases("rows", [0, -1, 1.5, "7", 10**8])
def test_bad_numbers_of_rows_are_refused(rows: Any) -> None:
    with pytest.raises(sd.SudareError, match="rows"):
        data().synthetic(CELLS, epsilon=0.1, rows=rows)


# -- files and the command -------------------------------------------------------------------------


def test_the_command_writes_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        "g,h,x,ok",
        *(f"{i % 2},h{i % 3},{i % 50},{str(i % 2 == 0).lower()}" for i in range(999)),
    ]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    asked = ["release", str(tmp_path / "people.csv"), "--epsilon", "5", "--seed", "a"]
    cells = ["--synthetic", "h=h0,h1,h2", "--synthetic", "x", "--bounds", "x=0,50"]
    out = tmp_path / "out"
    assert main([*asked, *cells, "--out", str(out), "--rows", "120", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"] == 120
    assert [Path(one).name for one in told["files"]] == [
        "synthetic.csv", "synthetic.parquet", "tables.csv", "privacy.json",
    ]  # fmt: skip
    rows = list(csv.DictReader((out / "synthetic.csv").read_text().splitlines()))
    assert len(rows) == 120
    assert set(rows[0]) == {"h", "x"}
    statement = json.loads((out / "privacy.json").read_text())
    assert statement["cost"]["amount"] == "5.0"
    assert statement["simulated"]
    assert main([*asked, *cells, "--out", str(out), "--force"]) == 0
    assert "made-up rows" in capsys.readouterr().out
    for wrong in (
        cells,
        [*cells, "--force", "--out", str(out), "--rows", "x"],
        [*cells, "--force", "--out", str(out), "--split", "1"],
        [*cells, "--force", "--out", str(out), "--dry-run"],
        ["--synthetic", "=a", "--force", "--out", str(out)],
        ["--ask", "mean:x", "--bounds", "x=0,50", "--rows", "5"],
    ):
        assert main([*asked, *wrong]) != 0
        assert "Traceback" not in capsys.readouterr().err


def test_the_command_takes_a_definition(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sex,age\n" + "f,30\nm,40\n" * 200)
    (tmp_path / "people.toml").write_text(
        'name = "people"\nfile = "people.csv"\n[budget]\nepsilon = 2\n'
        '[bounds]\nage = [0, 100]\n[categories]\nsex = ["f", "m"]\n'
    )
    asked = ["release", str(tmp_path / "people.toml"), "--ledger", str(tmp_path / "l.db")]
    out = tmp_path / "out"
    assert main([*asked, "--synthetic", "all", "--epsilon", "2", "--out", str(out)]) == 0
    header = (out / "synthetic.csv").read_text().splitlines()[0]
    assert header == "sex,age"
    assert main([*asked, "--synthetic", "all", "--epsilon", "2", "--out", str(out)]) != 0


def test_only_made_up_rows_are_written(tmp_path: Path) -> None:
    db = data()
    with pytest.raises(sd.WrongTypeError, match="made-up rows"):
        sd.release.write_synthetic(db, db.count("g", "a", epsilon=1), tmp_path)
    (tmp_path / "taken").write_text("")
    with pytest.raises(sd.StorageError):
        sd.release.write_synthetic(db, db.synthetic(CELLS, epsilon=1), tmp_path / "taken")
