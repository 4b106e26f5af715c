"""A folder of rows of people with several each, and every question to them."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import sudare as sd
from sudare.release import Dataset

FILES, ROWS, GROUP = 3, 400, 100
BOUNDS: dict[str, Any] = {"age": (0, 110), "score": (0, 100), "paid": (0, 500)}
ASKS = (
    "count:region=north",
    "missing:score",
    "present:score",
    "histogram:region=north,south",
    "bins:born=1950-01-01,1980-01-01,2000-01-01",
    "sum:paid",
    "mean:age",
    "variance:score",
    "count@region=north,south",
    "sum:paid@region=north,south@old=true,false",
    "mean:score@region=north,south",
    "quantile:score=0.9",
    "median:age",
    "min:age",
    "max:age",
    "mode:region=north,south,west",
    "quantile:age=0.1@region=north,south",
    "median:age@region=north,south",
    "capped:paid=400",
    "over_sum:paid=400",
    "over_rows:paid=2",
    "over_groups:region=1",
    "persons@region=north,south",
    "covariance:age=score",
    "correlation:age=score",
    "linear:age=score",
    "bounds:age",
    "top:region=2,north,south,west",
    "discover:region=1e-6",
    "mean:score where age >= 40 and region in north,west",
    "median:paid@region=north,south where old = true",
)
REFUSED = ("distinct:region", "logistic:old=age")


def write(folder: Path) -> Path:
    """Write the files: ids of 20 digits beside short ones, gaps, decimals, dates, text."""
    rng = np.random.default_rng(8)
    for file in range(FILES):
        who = rng.integers(0, 500, ROWS)
        age = rng.integers(0, 120, ROWS)
        born = [date(1940, 1, 1) + timedelta(int(one)) for one in rng.integers(0, 25_000, ROWS)]
        paid = [Decimal(int(one)) / 100 for one in rng.integers(0, 60_000, ROWS)]
        long = [Decimal(int(one) * (10**17 if one % 2 else 1)) for one in who]
        score = [None if one % 7 == 0 else one / 8 for one in rng.integers(0, 800, ROWS).tolist()]
        table = pa.table(
            {
                "person": pa.array(long, pa.decimal128(20, 0)),
                "name": [f"person {one}" if one % 3 else f"人{one}" for one in who],
                "age": age.astype(np.int16),
                "score": pa.array(score, pa.float64()),
                "paid": pa.array(paid, pa.decimal128(8, 2)),
                "born": born,
                "region": pa.array(np.array(["north", "south", "west"])[rng.integers(0, 3, ROWS)]),
                "old": age > 60,
            }
        ).replace_schema_metadata({"file": str(file)})
        parquet.write_table(table, folder / f"{file}.parquet", row_group_size=GROUP)
    return folder


def opened(folder: Path, engine: Any = None, **more: Any) -> Dataset:
    """Open them, with noise that repeats itself."""
    how = {"bounds": BOUNDS, "grids": {"score": 0.125}, "missing": "drop"} | more
    return Dataset(folder, engine=engine, rng=sd.Entropy.seeded(b"people"), **how)
