"""What executors of releases send, and which bucket a row goes to, without Spark."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sudare.errors import EngineError, EstimationError
from sudare.release.arrow_columns import from_arrow
from sudare.release.spark.rows import buckets
from sudare.release.spark.sums import Sum, added


@pytest.mark.parametrize(
    "value",
    [
        0,
        -(3**99),
        np.int64(7),
        np.array([[0, 5], [-1, 1 << 62]]),
        np.array([10**40, 0, -2], dtype=object),
        np.zeros(0, dtype=np.int64),
        Counter({"北": 3, "": 1}),
    ],
)
def test_sums_travel_exactly(value: Any) -> None:
    text = Sum(value).to_json()
    found = Sum.from_json(text).value
    assert np.array_equal(found, value)
    exactly = value.astype(object) if isinstance(value, np.ndarray) else value
    assert np.array_equal(added([found, Sum.from_json(text).value]), exactly + exactly)


@pytest.mark.parametrize("value", [0.5, np.array([0.5]), "text"])
def test_no_other_sums_travel(value: Any) -> None:
    with pytest.raises(EngineError, match="must be of whole numbers"):
        Sum(value).to_json()


@pytest.mark.parametrize("text", ["", "[1]", '{"shape": [2], "at": [5], "numbers": [1]}'])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(EstimationError, match="must be sums by executors"):
        Sum.from_json(text)


IDS: dict[str, tuple[list[Any], Any]] = {
    "text": (["a1", "東", "a1", "", None, "x" * 99], pa.string()),
    "codes": (["a1", "東", "a1", "b"], pa.dictionary(pa.int8(), pa.string())),
    "small": ([1, 2, 120, -7, None], pa.int8()),
    "unsigned": ([2**64 - 1, 5, 2**63], pa.uint64()),
    "decimals": ([Decimal(10**19), Decimal(7), None, Decimal(-(10**30))], pa.decimal128(38, 0)),
    "floats": ([1.0, -0.0, 0.0, None, 2.0**60], pa.float64()),
    "truth": ([True, False, None], pa.bool_()),
    "days": ([0, 20_000, None], pa.date32()),
    "nothing": ([None, None], pa.null()),
}


@pytest.mark.parametrize("name", IDS)
def test_a_person_is_in_one_bucket_whoever_stands_beside(name: str) -> None:
    """Alone, the column may have another form: codes, or numbers that fit 63 bits."""
    values, kind = IDS[name]
    together = buckets(from_arrow("id", pa.array(values, kind)), 97)
    alone = [buckets(from_arrow("id", pa.array([one], kind)), 97)[0] for one in values]
    assert together.tolist() == alone
    assert ((together >= 0) & (together < 97)).all()


def test_buckets_share_the_persons() -> None:
    for ids in (np.arange(8_000) * 8, [f"person-{i}" for i in range(8_000)]):
        sizes = np.bincount(buckets(from_arrow("id", pa.array(ids)), 16), minlength=16)
        assert sizes.min() > 350
