"""Prices and bounds before paying: what is told is what is paid, and the data are not touched."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pytest
from pyarrow import parquet

import sudare as sd
from sudare.exact import Entropy
from sudare.ledger import Cost, Ledger
from sudare.release import Dataset, DryRun, Quote, batch, publish
from sudare.release.queries import KINDS, Filtered, Query, Where
from tests.cases import cases
from tests.release.test_kinds import sample_of

PEOPLE = {"score": [60, 70, 80, 90] * 250, "sex": ["f", "m"] * 500, "who": list(range(500)) * 2,
          "height": [150, 160, 170, 180, 190] * 200,
          "passed": [True, False, True, True, False] * 200}  # fmt: skip
BOUNDS = {"score": (0, 100), "height": (100, 220)}
BUDGET = Cost.of(epsilon=1000, delta=0.1)
TYPICAL = ("correlation", "linear", "logistic")  # there is no widest one
WHERE = Where.of(("sex", "=", "f"))
ACCOUNTS: dict[str, dict[str, Any]] = {
    "epsilon": {"epsilon": 10, "keys": 1e-5},
    "rho": {"rho": 10, "keys": 1e-5},
    "promised": {"epsilon": 5, "delta": 1e-4, "keys": 1e-5},
    "planned": {
        "delta": 1e-4,
        "plan": "40 epsilon=0.01, 20 choice=0.01, 20 rho=0.001",
        "keys": 1e-5,
    },
}


def query_of(tag: str) -> Query:
    kind = KINDS[tag]
    return kind(**{name: one for name, one in sample_of(kind).items() if one is not None})


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_price_told_is_the_price_paid(neighbours: Any, tmp_path: Path) -> None:
    """Of every kind, in accounts of each way to keep one; also when it is on record."""
    with Ledger(tmp_path / "ledger.db") as ledger:
        for name, budget in ACCOUNTS.items():
            ledger.open(name, **budget)
        for place, tag in enumerate(KINDS):
            query = query_of(tag) if place % 2 else Filtered(query_of(tag), WHERE)
            prices = [Cost.of(epsilon=0.01)]
            if KINDS[tag].noisy and place % 3 == 0 and tag != "top":  # of ρ no plan has a price
                prices.append(Cost.of(rho=0.001))
            for cost in prices:
                payers = [name for name in ACCOUNTS if cost.unit == "epsilon" or name != "epsilon"]
                db = Dataset(
                    PEOPLE, bounds=BOUNDS, ledger=ledger, accounts=payers, neighbours=neighbours
                )
                before = {one.name: one.spent for one in ledger.accounts()}
                told = db.dry_run(rows=500).ask(query, cost)
                assert {one.name: one.spent for one in ledger.accounts()} == before
                paid = db.ask(query, cost)
                after = {one.name: one.spent for one in ledger.accounts()}
                spent = {name: after[name] - before[name] for name in after}
                assert dict(told.charged) == {name: one for name, one in spent.items() if one}
                assert told.remaining == paid.remaining
                assert (told.reused, told.query) == (False, paid.query)
                assert (told.cost, told.epsilon, told.rho) == (paid.cost, paid.epsilon, paid.rho)
                again = db.dry_run().ask(query, cost, reuse=True)
                assert (again.reused, dict(again.charged)) == (True, {})
                assert again.remaining == paid.remaining


def test_a_bound_told_holds_for_the_answer() -> None:
    """The widest that the data can make it; of noise on whole numbers it is the answer's own."""
    db = Dataset(PEOPLE, bounds=BOUNDS, budget=BUDGET, rng=Entropy.seeded(b"bounds"))
    for tag in KINDS:
        query, cost = query_of(tag), Cost.of(epsilon=0.5)
        told, answer = db.dry_run(rows=500).ask(query, cost), db.ask(query, cost)
        assert told.bound_in == answer.bound_in, tag
        for confidence in (0.5, 0.95):
            bound = told.bound(confidence)
            if tag in TYPICAL:
                continue
            assert bound is not None, tag
            assert bound >= answer.bound(confidence) * (1 - 1e-9), tag
            if tag in ("count", "sum", "histogram", "bins", "group_sum", "mean", "median", "mode"):
                assert bound == pytest.approx(answer.bound(confidence)), tag
        with pytest.raises(sd.DomainError):
            told.bound(1.5)


def test_a_private_number_of_rows_is_not_looked_at() -> None:
    """Two data sets of other rows are told the same; what depends on their number says so."""
    one, two = (
        Dataset(frame, bounds=BOUNDS, neighbours="add-remove", budget=BUDGET)
        for frame in (PEOPLE, {name: cells[:2] for name, cells in PEOPLE.items()})
    )
    for tag in KINDS:
        for query in (query_of(tag), Filtered(query_of(tag), WHERE)):
            for rows in (None, 300):
                said = [
                    (told.query, told.charged, told.unbounded, told.bound())
                    for told in (
                        db.dry_run(rows=rows).ask(query, Cost.of(epsilon=0.5)) for db in (one, two)
                    )
                ]
                assert said[0] == said[1]
    assert one.dry_run().held.rows == 0
    assert one.dry_run().mean("score", epsilon=0.5).bound() is None
    assert "number of rows, which is private" in one.dry_run().mean("score", epsilon=0.5).unbounded
    public = Dataset(PEOPLE, bounds=BOUNDS)
    mean = public.dry_run(rows=5).mean("score", epsilon=0.5)
    assert mean.bound() == public.mean("score", epsilon=0.5).bound(), "n is public"
    for private in (
        public.dry_run().where("sex = f").mean("score", epsilon=0.5),
        public.dry_run().group_by("sex", ["f"]).mean("score", epsilon=0.5),
        Dataset(PEOPLE, bounds=BOUNDS, missing="drop").dry_run().mean("score", epsilon=0.5),
        Dataset(PEOPLE, bounds=BOUNDS, unit=("who", 2)).dry_run().variance("score", epsilon=0.5),
    ):
        assert private.bound() is None


class Untouched(Entropy):
    """Randomness that nobody may draw."""

    def take(self, size: int) -> NoReturn:
        raise AssertionError(f"{size} bytes were drawn")


def test_neither_rows_nor_randomness_are_touched(tmp_path: Path) -> None:
    """The file is gone once it was opened: asking fails, and a dry run tells all the same."""
    file = tmp_path / "people.parquet"
    parquet.write_table(pa.table(PEOPLE), file)
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=10, keys=1e-3)
        db = Dataset(file, bounds=BOUNDS, ledger=ledger, rng=Untouched.seeded(b"nobody"))
        told = {tag: db.dry_run(rows=9).ask(query_of(tag), Cost.of(epsilon=0.5)) for tag in KINDS}
        file.unlink()
        events = ledger.events()
        for tag, before in told.items():
            query = query_of(tag)
            now = db.dry_run(rows=9).ask(query, Cost.of(epsilon=0.5))
            assert (now.query, now.charged, now.bound()) == (
                before.query, before.charged, before.bound()
            )  # fmt: skip
            with pytest.raises((sd.StorageError, AssertionError)):
                db.ask(query, Cost.of(epsilon=0.5))
        assert ledger.events() == events
        dry = db.dry_run()
        assert {one.size for one in dry.held.columns.values()} == {0}
        assert dry.held.stored is None


def told_and_paid(db: Dataset, ask: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return what a dry run says and what asking does: a value, or the error."""
    said = []
    for one in (db.dry_run(), db):
        try:
            said.append(ask(one))
        except sd.SudareError as error:
            said.append((type(error), str(error)))
    return said[0], said[1]


@cases(
    "ask",
    [
        lambda db: db.mean("score", epsilon=2),
        lambda db: db.mean("nothing", epsilon=0.1),
        lambda db: db.mean("sex", epsilon=0.1),
        lambda db: db.mean("score", epsilon=0),
        lambda db: db.mean("score", rho=0.1),
        lambda db: db.median("score", epsilon=0.1, reuse=True),
        lambda db: db.histogram("sex", [], epsilon=0.1),
        lambda db: db.where("age > 3"),
        lambda db: db.group_by("sex", ["f", "f"]).count(epsilon=0.1),
        lambda db: db.sql("SELECT score FROM data", epsilon=0.1),
        lambda db: batch(db, ["mean:score", "sum:nothing"], Cost.of(epsilon=1)),
        lambda db: batch(db, ["mean:score", "sum:score"], Cost.of(epsilon=1), split=[1]),
        lambda db: batch(db, ["mean:score", "sum:score"], Cost.of(epsilon=1.5)),
    ],
)
def test_what_asking_refuses_a_dry_run_refuses(ask: Callable[[Any], Any]) -> None:
    told, paid = told_and_paid(Dataset(PEOPLE, bounds=BOUNDS, budget=1), ask)
    assert told == paid
    assert issubclass(told[0], sd.SudareError)


def test_several_questions_and_sql() -> None:
    db = Dataset(PEOPLE, bounds=BOUNDS, budget=1, categories={"sex": ["f", "m"]})
    asks = ["mean:score", "median:score", "histogram:sex=f,m"]
    told = batch(db.dry_run(), asks, Cost.of(epsilon=0.6), split=[1, 1, 2])
    assert [one.charged["budget"] for one in told] == [
        Fraction(3, 20), Fraction(3, 20), Fraction(3, 10)
    ]  # fmt: skip
    assert {one.remaining["budget"] for one in told} == {Fraction(2, 5)}
    assert db.spent == 0
    paid = batch(db, asks, Cost.of(epsilon=0.6), split=[1, 1, 2])
    assert [one.query for one in paid] == [one.query for one in told]
    assert db.remaining == told[0].remaining["budget"]
    select = "SELECT sex, AVG(score) AS mean, COUNT(*) AS n FROM data GROUP BY sex"
    quotes = db.dry_run(rows=500).sql(select, epsilon=0.4)
    assert list(quotes) == ["mean", "n"]
    assert db.remaining == Fraction(2, 5)
    answers = db.sql(select, epsilon=0.4).answers
    assert {name: one.query for name, one in answers.items()} == {
        name: one.query for name, one in quotes.items()
    }


def test_a_key_that_has_paid_is_told(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", epsilon=1)
        db = Dataset(PEOPLE, bounds=BOUNDS, ledger=ledger).once("monday")
        assert db.dry_run().mean("score", epsilon=0.1).reused is False
        db.mean("score", epsilon=0.1)
        assert db.dry_run().mean("score", epsilon=0.1).reused is True
        with pytest.raises(sd.DomainError, match="has paid for another query"):
            db.dry_run().sum("score", epsilon=0.1)


def test_a_dry_run_is_no_data_set() -> None:
    """Whatever pays, publishes or reads rows does not take it for one."""
    dry = Dataset(PEOPLE, bounds=BOUNDS).dry_run()
    assert isinstance(dry, DryRun)
    assert not isinstance(dry, Dataset)
    assert isinstance(dry.mean("score", epsilon=1), Quote)
    with pytest.raises(sd.WrongTypeError):
        publish(dry, ["mean:score"], Cost.of(epsilon=1))
    for wrong in (0, -1, 1.5, "x", True, 1 << 61):
        with pytest.raises(sd.SudareError):
            Dataset(PEOPLE).dry_run(rows=wrong)
