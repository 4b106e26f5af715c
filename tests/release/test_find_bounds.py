"""Bounds that nobody knows: powers of two around the numbers, whatever holds them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sudare as sd
from sudare.ledger import Cost
from sudare.release import Ask, Dataset, bound_of
from sudare.release.queries.scales import BINS, _counts
from tests.cases import cases

EXACT = 10_000  # a noise of 0 but for a chance of exp(-5000)


def found(values: Any, **options: Any) -> dict[str, float]:
    db = Dataset({"x": values}, **options)
    told: dict[str, float] = db.find_bounds("x", epsilon=EXACT).value
    return told


@cases(
    "values, low, high",
    [
        ([0, 0, 5], 0, 8),
        ([8, 100, None], 8, 128),
        ([-1, -8, -5], -16, -1),
        ([-3.5, 0.0, 1e-9], -4, 2.0**-20),
        ([-1e-9, 0.3], -(2.0**-20), 0.5),
        ([Decimal("1.5"), Decimal("63.99")], 1, 64),
        ([10**30, 3], 2, 2.0**63),
        ([-(10**30), 3], -(2.0**63), 4),
        ([2**62 - 1, 2**61], 2.0**61, 2.0**62),
        (np.array([2**63, 1], dtype=np.uint64), 1, 2.0**63),
        ([float("inf"), 4.0], 4, 2.0**63),
    ],
)
def test_each_number_lies_within(values: Any, low: float, high: float) -> None:
    assert found(values) == {"low": low, "high": high}


def test_bins_are_half_open_and_hold_every_row_once() -> None:
    held = Dataset({"x": [-4.0, -2.0, -1.5, -0.0, 0.0, 1.0, 1.999, 2.0, None]}).held
    counts = _counts(held.column("x"))
    assert (counts.size, counts.sum(), counts.max()) == (BINS, 8, 2)
    assert np.count_nonzero(counts) == 6


def test_few_numbers_far_out_are_left_outside(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.uniform(100, 900, 5000), [10.0**12, -(10.0**9)]])
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": values}), path, row_group_size=700)
    for frame in ({"x": values}, str(path)):
        db = Dataset(frame, bounds={"x": (0, 1)}, rng=sd.Entropy.seeded(b"bounds"))
        answer = db.find_bounds("x", epsilon=0.5)
        assert answer.value == {"low": 64, "high": 1024}, "bounds of the column are not used"
        assert answer.bound(0.95) == bound_of("bounds", epsilon=0.5)
        assert 70 < answer.bound() < 80
        assert db.where("x > 200").find_bounds("x", rho=0.5).value["low"] == 128
    none = Dataset({"x": [7.0] * 30}, rng=sd.Entropy.seeded(b"none")).find_bounds("x", epsilon=0.1)
    assert (none.value, none.bounds()) == ({}, {})


@cases("cost", [Cost.of(epsilon=0.3), Cost.of(rho=0.02)])
def test_an_empty_bin_seldom_counts(cost: Cost) -> None:
    """At 99.9 % for all bins, by the law of the noise; a lower threshold is found."""
    held = Dataset({"x": [1]}).held
    query: Any = Ask.parse("bounds:x").query(held)
    noise, _ = query.noise(held, cost)
    x = np.arange(-3000, 3001)
    scale = float(noise.scale)
    weights = np.exp(-(x**2) / (2 * scale) if cost.unit == "rho" else -np.abs(x) / scale)
    tails = np.cumsum((weights / weights.sum())[::-1])[::-1]
    chance = dict(zip(x.tolist(), tails.tolist(), strict=True))
    least = query.least(noise)
    assert BINS * chance[least] <= 1e-3 < BINS * chance[least - 3]


def test_what_is_refused() -> None:
    for frame, options in (({"x": ["a", "b"]}, {}), ({"x": [True, False]}, {})):
        with pytest.raises(sd.WrongTypeError, match="must hold numbers"):
            found(frame["x"], **options)
    with pytest.raises(sd.SudareError):
        Dataset({"x": [1]}).sql("SELECT BOUNDS(x) FROM data", epsilon=1)
