"""Quantiles of groups: each as it alone would be, all for one price."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.errors import SudareError
from sudare.ledger import Cost, Ledger
from sudare.release import Ask, Dataset, bound_of
from sudare.release.private_data import MOST_COUNTED
from tests.cases import cases

RNG = np.random.default_rng(4)
SIZE = 20_000
PEOPLE: dict[str, Any] = {
    "place": np.array(["north", "south", "else"])[RNG.integers(0, 3, SIZE)],
    "ok": RNG.random(SIZE) < 0.3,
    "score": RNG.integers(0, 101, SIZE),
    "height": RNG.normal(170, 10, SIZE),
}
BOUNDS = {"score": (0, 100), "height": (100, 250)}


def test_each_group_has_its_own_quantile(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table(PEOPLE), path, row_group_size=3_000)
    for frame in (PEOPLE, str(path)):
        db = Dataset(frame, bounds=BOUNDS)
        for column in BOUNDS:
            for rows, keep in ((db, np.ones(SIZE, bool)), (db.where("ok = true"), PEOPLE["ok"])):
                by = rows.group_by("place", ["south", "north", "nowhere"])
                found = by.quantile(column, 0.9, epsilon=2000).value
                for place in ("north", "south"):
                    mine = PEOPLE[column][(PEOPLE["place"] == place) & keep]
                    assert abs(found[place] - np.quantile(mine, 0.9)) <= 1.01
        both = db.group_by(["place", "ok"], [["north"], [True, False]]).median("score", epsilon=900)
        assert set(both.value) == {("north", True), ("north", False)}


@cases("column", ["score", "height"])
def test_tallies_of_groups_are_those_of_each(column: str) -> None:
    held = Dataset(PEOPLE, bounds=BOUNDS, grids={"height": 1e-5}).held
    scale = held.numbers(column).scale
    assert (3 * (scale.last - scale.first + 1) <= MOST_COUNTED) == (column == "score")
    keys = ["else", "nowhere", "north"]
    for key, (values, times) in zip(keys, held.group_tallies("place", keys, column), strict=True):
        own = held.numbers(column).values[PEOPLE["place"] == key]
        wanted = np.unique(own, return_counts=True)
        assert values.tolist() == wanted[0].tolist()
        assert times.tolist() == wanted[1].tolist()


def test_what_they_cost_and_how_far_they_reach(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open("data", rho=1)
        db = Dataset(PEOPLE, bounds=BOUNDS, ledger=ledger)
        by = db.group_by("place", ["south", "north"])
        found = by.median("score", epsilon=0.4)
        assert ledger.account("data").spent * 8 == found.cost.amount**2  # as of one choice
        assert found.bound() == db.median("score", epsilon=0.4).bound()
        high = by.quantile("score", 0.9, epsilon=0.4)
        assert found.bound() < high.bound() < 2 * found.bound()
        assert high.bound() == bound_of("group_quantile", epsilon=0.4, bounds=(0, 100), share=0.9)
        assert (high.bound_in, set(high.bounds())) == ("ranks", {"south", "north"})
        text = Ask.parse("quantile:score=0.9@place=south,north").to(
            db, Cost.of(epsilon=0.4), reuse=True
        )
        assert (text.reused, text.value) == (True, high.value)
        with pytest.raises(SudareError):
            Ask.parse("median:score@place=north").to(db, Cost.of(rho=0.1))
