"""How far fakes can have moved tables of sampled pairs and attributes, and what betrays them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sudare as sd
from sudare.poisoning.band_limits import linear_estimate
from sudare.poisoning.feasible import honest_rates
from sudare.poisoning.sampled_groups import SampledEstimate
from tests.cases import cases

SIZES = (3, 2, 2)


def honest(
    m: sd.SampledPairs | sd.MarginalRR, n: int, label: bytes
) -> tuple[sd.Counts, np.ndarray]:
    rng = sd.Entropy.seeded(label)
    rows = np.stack([rng.generator().integers(k, size=n) for k in SIZES], axis=1)
    return m.aggregate(reports := m.perturb(rows, rng=rng)), reports


def shown(m: sd.SampledPairs, counts: sd.Counts) -> np.ndarray:
    tables = m.tables(counts)
    axes = [*m.pairs, *((axis,) for axis in range(len(SIZES)))]
    return np.concatenate([tables.table(one).shares.ravel() for one in axes])


def is_report(m: sd.SampledPairs, wire: bytes) -> bool:
    try:
        m.program.check_wire(wire)
    except sd.ReportError:
        return False
    return True


@pytest.mark.parametrize("oracle", ["SubsetSelection", "GRR", "OUE"])
def test_every_fake_of_pairs_stays_within_the_band_and_the_worst_reaches_it(oracle: str) -> None:
    m = sd.SampledPairs(SIZES, 1.0, oracle)
    counts, _ = honest(m, 6000, b"band")
    tables = [*(part.k for part in m.parts), *SIZES]
    before = shown(m, counts)
    reached = 0.0
    for wire in filter(lambda one: is_report(m, one), m.program.wires()):  # all fakes send it
        fakes = m.aggregate(np.tile(np.frombuffer(wire, np.uint8), (300, 1)))
        together = counts + fakes
        estimate = linear_estimate(m, together)
        assert isinstance(estimate, SampledEstimate)
        ends = estimate.band(300 / together.n)
        assert estimate.parts.sum(axis=1) == pytest.approx(
            estimate.value - np.repeat([1 / k for k in tables], tables)
        )
        assert (ends.low - 1e-9 <= before).all()
        assert (before <= ends.high + 1e-9).all()
        after = estimate.value
        assert after == pytest.approx(shown(m, together))
        moved = np.where(after > before, (after - before) / (after - ends.low), 0)
        reached = max(reached, float(moved[ends.low > 0].max(initial=0)))
    assert reached > 0.999


def test_where_the_collector_draws_the_pairs_fakes_are_spread() -> None:
    m = sd.SampledPairs(SIZES, 1.0, "GRR")
    counts, _ = honest(m, 6000, b"drawn")
    free = sd.poisoning.alarms(m, counts)["bands"]
    drawn = sd.poisoning.alarms(m, counts, index_control=True)["bands"]
    assert len(free[0]["low"]) == (6 + 6 + 4) + (3 + 2 + 2)
    for one, other in zip(free, drawn, strict=True):
        assert other["moved"] < one["moved"]
    found = linear_estimate(m, counts)
    assert isinstance(found, SampledEstimate)
    low, high, *_ = replace(found, drawn=True).band(0.02)
    assert (low <= found.value.clip(0, 1)).all()
    assert (found.value.clip(0, 1) <= high).all()


def test_a_group_that_may_be_all_fake_can_be_anything() -> None:
    m = sd.SampledPairs(SIZES, 1.0, "GRR")
    counts, _ = honest(m, 60, b"few")
    found = linear_estimate(m, counts)
    assert isinstance(found, SampledEstimate)
    low, high, moved, _ = found.band(0.6)
    assert (low.tolist(), high.tolist()) == ([0.0] * 23, [1.0] * 23)
    assert 0.5 <= moved < 10
    first = m.parts[0].k + 1
    support = np.zeros(m.shape, dtype=np.int64)
    support[:first] = counts.support[:first]
    assert linear_estimate(m, sd.Counts(support, int(support[0]))) is None


def test_the_band_of_a_sampled_attribute() -> None:
    m = sd.MarginalRR(SIZES, 1.0, "sample")
    counts, _ = honest(m, 6000, b"margins")
    before = np.concatenate([one.shares for one in m.estimate(counts)])
    for report in ([0, 0], [0, 2], [1, 1], [2, 0]):
        together = counts + m.aggregate(np.array([report] * 300))
        found = linear_estimate(m, together)
        assert isinstance(found, SampledEstimate)
        after = np.concatenate([one.shares for one in m.estimate(together)])
        assert found.value == pytest.approx(after)
        low, high, *_ = found.band(300 / together.n)
        assert (low - 1e-9 <= before).all()
        assert (before <= high + 1e-9).all()
        at = [0, 3, 5][report[0]] + report[1]
        assert low[at] == pytest.approx(before[at])
    assert linear_estimate(sd.MarginalRR(SIZES, 1.0), counts) is None
    assert honest_rates(sd.MarginalRR(SIZES, 1.0)) is None
    empty = counts.support.copy()
    empty[:3] = 0
    assert linear_estimate(m, sd.Counts(empty, int(empty.sum()))) is None


@cases("mechanism", [
    sd.SampledPairs(SIZES, 2.0), sd.MarginalRR(SIZES, 2.0, "sample")])  # fmt: skip
def test_alarms_name_what_cannot_be_honest(mechanism: sd.SampledPairs | sd.MarginalRR) -> None:
    counts, reports = honest(mechanism, 4000, b"alarm")
    quiet = sd.poisoning.alarms(mechanism, counts)
    assert (quiet["tested"], quiet["raised"], quiet["above"]) == (True, False, [])
    rates = honest_rates(mechanism)
    assert rates is not None
    assert rates.low.shape == rates.high.shape == counts.support.shape
    mean = counts.support / counts.n
    assert (rates.low - 0.03 <= mean).all()
    assert (mean <= rates.high + 0.03).all()
    fakes = mechanism.aggregate(np.repeat(reports[:1], 3000, axis=0))
    found = sd.poisoning.alarms(mechanism, counts + fakes)
    assert found["raised"]
    assert found["above"]
    assert found["recovered"] is None
    for name in ("low", "high"):
        assert len(found["bands"][0][name]) == len(found["bands"][1][name])
