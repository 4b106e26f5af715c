"""The number of different values: the same in memory and in batches; floats are refused."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.errors import WrongTypeError
from sudare.release import Dataset

SIZE = 5_000
WORDS = [f"w{i % 37}" if i % 11 else None for i in range(SIZE)]
FRAME: dict[str, Any] = {
    "word": WORDS,
    "whole": np.arange(SIZE) % 123,
    "born": [date(2020, 1, 1) + timedelta(days=i % 45) for i in range(SIZE)],
    "paid": [Decimal(i % 77) / 100 for i in range(SIZE)],
    "long": [Decimal(10**20 + i % 19) for i in range(SIZE)],
    "ok": [True] * SIZE,
}
WANTED = {"word": 37, "whole": 123, "born": 45, "paid": 77, "long": 19, "ok": 1}


@pytest.mark.parametrize("name", list(WANTED))
def test_different_values_are_counted(name: str, tmp_path: Path) -> None:
    path = tmp_path / "frame.parquet"
    pq.write_table(pa.table(FRAME), path, row_group_size=700)
    for frame in (FRAME, str(path)):
        db = Dataset(frame)
        assert db.distinct(name, epsilon=1000).value == WANTED[name]
        kept = {one for one, i in zip(FRAME[name], range(SIZE), strict=True) if i % 123 < 2}
        few = db.where("whole < 2").distinct(name, epsilon=1000)
        assert few.value == len(kept - {None})


def test_floats_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="whole numbers"):
        Dataset({"x": [0.5, 1.5]}).distinct("x", epsilon=1)
