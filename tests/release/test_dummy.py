"""Dummy data: the definition's columns and types, and nothing of the data."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import sudare as sd
from sudare.exact import Entropy
from sudare.ledger import Cost, Ledger
from sudare.release import Dataset, Definition, batch
from tests.cases import cases

TOLD = """
name = "clinic"
file = "nowhere.csv"
unit = ["person", 2]
[budget]
epsilon = 1
[bounds]
age = [0, 120]
height = [100.0, 220]
weight = [30, 200]
born = [1900-01-01, 2020-12-31]
seen = ["2020-01-01T00:00", "2020-12-31T23:00"]
woken = [06:00:00, 09:00:00]
[grids]
weight = 0.5
[categories]
sex = ["f", "m"]
ward = [1, 2, 3]
smokes = [true, false]
[columns]
note = "text"
vip = "truth"
visits = "whole"
left = "date"
"""
TYPES = {
    "person": str, "age": int, "height": float, "weight": float, "born": date, "seen": str,
    "woken": time, "sex": str, "ward": int, "smokes": bool, "note": str, "vip": bool,
    "visits": int, "left": date,
}  # fmt: skip


def test_columns_and_types_are_the_definitions() -> None:
    """The file that it names is not there: nothing of it is needed."""
    told = Definition.from_toml(TOLD)
    table = told.dummy(500)
    assert {name: {type(one) for one in cells} for name, cells in table.items()} == {
        name: {of} for name, of in TYPES.items()
    }
    assert {len(cells) for cells in table.values()} == {500}
    assert table == told.dummy(500), "the same ones each time"
    assert table != told.dummy(500, Entropy.seeded(b"other"))
    for name, (low, high) in told.options["bounds"].items():
        assert all(low <= one <= high for one in table[name]), name
        assert len(set(table[name])) > 50, name
    assert {one % 0.5 for one in table["weight"]} == {0.0}
    assert set(table["ward"]) == {1, 2, 3}
    assert max(table["person"].count(one) for one in table["person"]) == 2
    datetime.fromisoformat(table["seen"][0])


def test_a_program_runs_on_it() -> None:
    """Whatever the definition lets one ask: bounds, groups, filters, dates, SQL."""
    told = Definition.from_toml(TOLD)
    assert told.options["types"] == told.columns
    db = Dataset(told.dummy(400), **told.options, categories=told.categories, budget=told.budget)
    asks = [
        "mean:age", "median:height", "sum:weight@sex=f,m", "histogram:ward=1,2,3", "mean:born",
        "median:seen", "mean:woken", "count:smokes=true", "mean:age where vip = true",
        "bins:left=2020-01-01,2020-12-31,month",
    ]  # fmt: skip
    assert len(batch(db, asks, Cost.of(epsilon=0.5))) == len(asks)
    assert (
        len(db.sql("SELECT sex, AVG(age) AS a FROM data GROUP BY sex", epsilon=0.5).records()) == 2
    )


def test_types_are_what_the_data_hold(tmp_path: Path) -> None:
    """A definition that says another type than there is, or another column, is refused."""
    canary = "kanarienvogel"
    parquet.write_table(pa.table({"score": [1, 2], "sex": ["f", canary]}), tmp_path / "p.parquet")
    text = """
name = "people"
file = "p.parquet"
[budget]
epsilon = 1
[bounds]
score = [0, 100]
[columns]
"""
    with Ledger(tmp_path / "ledger.db") as ledger:
        for wrong in ('sex = "date"\nscore = "truth"', 'score = "text"', 'other = "text"'):
            with pytest.raises(sd.DomainError, match="columns") as error:
                Definition.from_toml(text + wrong, tmp_path).open(ledger)
            assert canary not in str(error.value)
        assert ledger.accounts() == []
        right = Definition.from_toml(text + 'sex = "text"\nscore = "whole"', tmp_path)
        assert right.open(ledger).n == 2
    with pytest.raises(sd.DomainError, match=r"columns\.sex"):
        Definition.from_toml(text + 'sex = "colour"')
    with pytest.raises(sd.SudareError):
        Definition.from_toml(text + "sex = 5")


def test_bad_input() -> None:
    told = Definition.from_toml(TOLD)
    for wrong in (0, -1, 1.5, True, "x", None, 1_000_001):
        with pytest.raises(sd.SudareError):
            told.dummy(wrong)
    bare = Definition.from_toml('name = "x"\nfile = "x.csv"\n[budget]\nepsilon = 1')
    with pytest.raises(sd.DomainError, match="columns"):
        bare.dummy()


@cases(
    "wrong, rule",
    [
        ('unit = ["p", 0]', "unit"),
        ("bounds.x = [0]", "must be (low, high)"),
        ("bounds.x = [1, 1]", "low < high"),
        ("bounds.x = [0, 1]\ngrids.x = 0", "at most 2**40 steps"),
        ("bounds.x = [0, 1]\ngrids.x = -1", "at most 2**40 steps"),
        ("bounds.x = [2020-01-01T00:00:00, 2021-01-01T00:00:00Z]", "with a zone"),
        ('bounds.x = [0, 1]\ncolumns.x = "truth"', "bounds are for numbers"),
        ('bounds.x = [0, 1]\ncolumns.x = "text"', "bounds are for numbers"),
        ('bounds.x = [0, 1]\ncolumns.x = "date"', "as columns say"),
        ("categories.x = []", "1 to"),
    ],
)
def test_what_no_data_could_be_opened_with_is_refused(wrong: str, rule: str) -> None:
    with pytest.raises(sd.SudareError, match=re.escape(rule)):
        Definition.from_toml(f'name = "a"\nfile = "b.csv"\n{wrong}\nbudget.epsilon = 1').dummy()
