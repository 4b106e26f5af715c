"""Counts whose supports are not those of so many reports are refused, whatever the family."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.base import adds_up_to
from tests.cases import cases

GRID = sd.Grid(2, 3, 100.0, 120.0)
ONE_CELL_A_REPORT: list[Any] = [
    sd.GRR(3, 1.0),
    sd.JointRR([3, 2], gamma=3),
    sd.MarginalRR([3, 2], 2.0, "sample"),
    sd.MarginalRR([3, 2], 2.0),
    sd.Duchi(1.0),
    sd.SquareWave(1.0, bins=4),
    sd.GridExponential(GRID, 0.02),
    sd.RoadExponential([(0, 1, 200.0), (1, 2, 300.0)], 0.01),
    sd.PrivKV(2, 1.0),
    sd.PrivKVM(2, 2.0),
    sd.PCKVUE(2, 1.0),
]


@cases("m", ONE_CELL_A_REPORT)
def test_a_report_too_many_is_refused(m: Any) -> None:
    support = np.ones(m.shape, dtype=np.int64)
    with pytest.raises(sd.EstimationError, match="must sum to n"):
        m.check_counts(sd.Counts(support, int(support.sum()) + 1))


def test_a_cell_that_is_never_reported_has_no_report() -> None:
    m = sd.GridExponential(GRID, 0.02, weights=[0, 1, 1, 1, 1, 1])
    m.check_counts(sd.Counts([0, 1, 1, 1, 1, 1], 5))
    with pytest.raises(sd.EstimationError, match="must sum to n"):
        m.check_counts(sd.Counts([1, 0, 1, 1, 1, 1], 5))


def test_several_bits_of_a_report_may_support_several_cells() -> None:
    for m in (sd.OUE(3, 1.0), sd.SetUnary(3, 1.0)):
        m.check_counts(sd.Counts([3, 3, 3], 3))


def test_a_sum_that_wraps_around_is_no_sum() -> None:
    wrapped = np.array([*[2**62] * 4, 5])
    assert int(wrapped.sum()) == 5
    assert not adds_up_to(wrapped, 5)
