"""Figures are drawn for every estimate, also where a share lies outside its interval."""

from __future__ import annotations

from pathlib import Path

import pytest

import sudare as sd


def test_few_reports_can_be_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from sudare.plots import compare_shares

    estimate = sd.GRR(k=3, epsilon=2.0).estimate(sd.Counts((12, 2, 0), 14))
    low, _ = estimate.interval(0.95)
    assert estimate.shares[2] < low[2]
    drawn = compare_shares(tmp_path / "few.svg", ["a", "b", "c"], estimate, [0.8, 0.1, 0.1])
    assert "95 % interval" in drawn.read_text(encoding="utf-8")
