"""How far fakes can have moved the share of people below a number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.poisoning.drawn import DrawnEstimate
from sudare.poisoning.ends import linear_estimate

PEOPLE = [900, 300, 200, 100, 50, 20, 10, 20]


def is_report(m: Any, wire: bytes) -> bool:
    try:
        m.program.check_wire(wire)
    except sd.ReportError:
        return False
    return True


@pytest.mark.parametrize("oracle", ["SubsetSelection", "GRR", "OUE"])
@pytest.mark.parametrize("branching", [2, 3, 8])
def test_every_fake_of_levels_stays_within_the_band_and_the_worst_reaches_it(
    oracle: str, branching: int
) -> None:
    m = sd.HierarchicalHistogram(1.0, bins=8, branching=branching, oracle=oracle)
    counts = m.simulate(PEOPLE, rng=sd.Entropy.seeded(b"levels"))
    before = m.distribution(counts).cumulated[1:-1]
    reached = np.zeros(7)
    for wire in filter(lambda one: is_report(m, one), m.program.wires()):  # all fakes send it
        together = counts + m.aggregate(np.tile(np.frombuffer(wire, np.uint8), (40, 1)))
        found = linear_estimate(m, together)
        assert isinstance(found, DrawnEstimate)
        after = m.distribution(together).cumulated[1:-1]
        assert found.value == pytest.approx(after)
        ends = found.band(40 / together.n)
        inside = before.clip(0, 1)
        assert (ends.low - 1e-9 <= inside).all()
        assert (inside <= ends.high + 1e-9).all()
        open_ = (ends.low > 0) & (after > before)
        reached = np.maximum(reached, np.where(open_, (after - before) / (after - ends.low), 0))
    assert reached.max() > 0.999


def test_where_the_collector_draws_the_levels_fakes_are_spread() -> None:
    m = sd.HierarchicalHistogram(1.0, bins=8, branching=2)
    counts = m.simulate(PEOPLE, rng=sd.Entropy.seeded(b"drawn"))
    free = sd.poisoning.alarms(m, counts)["bands"]
    drawn = sd.poisoning.alarms(m, counts, index_control=True)["bands"]
    assert [len(one["low"]) for one in free] == [7] * 4
    assert all(other["moved"] < one["moved"] for one, other in zip(free, drawn, strict=True))
    found = linear_estimate(m, counts)
    assert isinstance(found, DrawnEstimate)
    low, high, _ = replace(found, drawn=True).band(0.02)
    assert (low <= found.value.clip(0, 1)).all()
    assert (found.value.clip(0, 1) <= high).all()


def test_every_fake_of_a_square_wave_stays_within_the_band() -> None:
    m = sd.SquareWave(2.0, bins=8)
    counts = m.simulate(PEOPLE, rng=sd.Entropy.seeded(b"wave"))
    before = m.distribution(counts).cumulated[1:-1]
    for report in range(m.program.outputs):
        together = counts + m.aggregate([report] * 40)
        found = linear_estimate(m, together)
        assert found is not None
        low, high, moved = found.band(40 / together.n)
        assert (low - 1e-9 <= before.clip(0, 1)).all()
        assert (before.clip(0, 1) <= high + 1e-9).all()
        assert np.abs(m.distribution(together).cumulated[1:-1] - before).max() <= moved + 1e-9
