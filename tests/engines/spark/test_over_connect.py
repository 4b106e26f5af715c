"""Spark Connect, whose sessions have no SparkContext: the same counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sudare as sd
from sudare.engines.spark import plans
from tests.engines.spark import people
from tests.engines.spark.sources import MECHANISMS, one_thread, planned

pytestmark = pytest.mark.spark


def test_equals_one_thread(connected: Any, tmp_path: Path) -> None:
    todo = planned(tmp_path, "GRR")
    (expected,) = one_thread(todo)
    frame = connected.read.parquet(str(tmp_path))
    assert sd.spark.counts(frame, MECHANISMS["GRR"]) == expected
    assert plans.count_plan(todo, connected) == (expected,)


def test_releases(connected: Any, tmp_path: Path) -> None:
    people.write(tmp_path)
    here, there = (people.opened(tmp_path, one, unit=("name", 2)) for one in (None, connected))
    assert there.held.power_sums("paid", 2) == here.held.power_sums("paid", 2)
