"""How far fakes can have moved the share of people below a number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.estimation.distribution import Distribution
from sudare.poisoning.band_limits import linear_estimate
from sudare.poisoning.distributions import deciles_within, mean_of_bins
from sudare.poisoning.sampled_groups import SampledEstimate

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
        assert isinstance(found, SampledEstimate)
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
    assert isinstance(found, SampledEstimate)
    low, high, *_ = replace(found, drawn=True).band(0.02)
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
        low, high, moved, _ = found.band(40 / together.n)
        assert (low - 1e-9 <= before.clip(0, 1)).all()
        assert (before.clip(0, 1) <= high + 1e-9).all()
        assert np.abs(m.distribution(together).cumulated[1:-1] - before).max() <= moved + 1e-9


def quantile(d: Distribution, p: float) -> float:
    """Of the nearest distribution."""
    return d._reaches(d._nearest, p, "left")


@pytest.mark.parametrize(
    "m",
    [
        sd.HierarchicalHistogram.over([0, 1, 2, 5, 10, 20, 50, 80, 200], 1.0, 2, "GRR"),
        sd.HierarchicalHistogram(1.0, 0, 80, bins=8, branching=3, oracle="OUE"),
        sd.SquareWave(2.0, 0, 80, bins=8),
    ],
    ids=repr,
)
def test_mean_and_deciles_stay_within_their_bands_whatever_all_fakes_send(m: Any) -> None:
    counts = m.simulate(PEOPLE, rng=sd.Entropy.seeded(b"mean"))
    before = m.distribution(counts)
    mean = float(before.shares @ m.centres)
    reached = 0.0
    wires = [one for one in m.program.wires() if is_report(m, one)]
    for wire in wires:
        if isinstance(m, sd.SquareWave):
            fakes = m.aggregate(np.full(40, m.program.decode(wire)[0]))
        else:
            fakes = m.aggregate(np.tile(np.frombuffer(wire, np.uint8), (40, 1)))
        together = counts + fakes
        after, share = m.distribution(together), 40 / together.n
        found, about = mean_of_bins(m, together), linear_estimate(m, together)
        assert found is not None
        assert about is not None
        ends = found.band(share)
        now = float(after.shares @ m.centres)
        kept = min(max(mean, m.edges[0]), m.edges[-1])
        assert ends.low[0] - 1e-9 <= kept <= ends.high[0] + 1e-9
        assert abs(now - mean) <= ends.moved + 1e-9
        reached = max(reached, abs(now - mean) / ends.moved)
        for one in deciles_within(m, about.band(share)):
            assert one["low"] - 1e-6 <= quantile(before, one["p"]) <= one["high"] + 1e-6
    assert reached > 0.999


def test_alarms_have_the_bands_of_a_distribution() -> None:
    m = sd.HierarchicalHistogram(1.0, 0, 80, bins=8, branching=2)
    counts = m.simulate(np.array(PEOPLE) * 100, rng=sd.Entropy.seeded(b"bands"))
    median, mean = m.distribution(counts).median.value, m.estimate(counts).mean(m.centres).value
    widths = []
    for control in (False, True):
        for one in sd.poisoning.alarms(m, counts, index_control=control)["bands"]:
            assert [each["p"] for each in one["deciles"]] == [i / 10 for i in range(1, 10)]
            assert one["deciles"][4]["low"] <= median <= one["deciles"][4]["high"]
            assert one["mean"]["low"] <= mean <= one["mean"]["high"]
        widths.append(one["mean"]["moved"])
    assert widths[1] < widths[0]


def test_bands_hold_what_is_shown_of_few_answers_at_an_end_of_the_range() -> None:
    """All answer 24: the mean is shown as 24 where it is estimated beyond, and medians vary."""
    m = sd.HierarchicalHistogram(4 / 3, 0, 24, bins=32, branching=2)
    rng, beyond = sd.Entropy.seeded(b"few"), 0
    for _ in range(8):
        counts = m.aggregate(m.perturb(np.full(96, 24.0), rng=rng))
        mean, median = m.estimate(counts).mean(m.centres).value, m.distribution(counts).median.value
        beyond += mean > 24
        for one in sd.poisoning.alarms(m, counts)["bands"]:
            own, deciles = one["mean"], one["deciles"]
            assert own["low"] <= min(max(mean, 0), 24) <= own["high"]
            assert deciles[4]["low"] <= median <= deciles[4]["high"]
    assert beyond
