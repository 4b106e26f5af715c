"""How far fakes can have moved sums of cells and the mean of a scale: every fake, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.collection import Collection
from sudare.errors import DomainError
from sudare.poisoning.band_limits import LinearEstimate
from sudare.poisoning.sums import scale_mean, smaller_tables, with_tables
from tests.cases import cases

HONEST, FAKE = 3000, 30
BETA = FAKE / (HONEST + FAKE)
ORACLES = [sd.SubsetSelection, sd.OUE, sd.SUE, sd.GRR]


def every_report(m: Any) -> list[sd.Counts]:
    """Return the counts of as many equal fakes, for each report that there is."""
    if isinstance(m, sd.JointRR):  # each supports one cell
        return [
            sd.Counts(FAKE * one.reshape(m.shape), FAKE)
            for one in np.eye(int(np.prod(m.shape)), dtype=int)
        ]
    supports = set()
    for wire in m.program.wires():
        try:
            m.program.check_wire(wire)
        except sd.ReportError:
            continue
        reports = m.program.decode(wire)
        supports.add(tuple(m.aggregate(reports).support.ravel().tolist()))
    shape = (-1, *m.shape)
    return [sd.Counts(FAKE * one, FAKE) for one in np.array(sorted(supports)).reshape(shape)]


def tables(shares: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """Return cells, pairs and margins, flat."""
    some, table = [shares.ravel()], shares.reshape(sizes)
    for kept in smaller_tables(len(sizes)):
        others = tuple(axis for axis in range(len(sizes)) if axis not in kept)
        some.append(table.sum(axis=others).ravel())
    return np.concatenate(some)


@cases("sizes", [(2, 3), (2, 2, 2)])
@cases("kind", [*ORACLES, sd.JointRR])
def test_no_fake_passes_the_band_of_a_sum_and_the_worst_reaches_it(
    kind: Any, sizes: tuple[int, ...]
) -> None:
    k = int(np.prod(sizes))
    m = sd.JointRR(sizes, epsilon=[0.5] * len(sizes)) if kind is sd.JointRR else kind(k, 0.5)
    honest = m.simulate(np.full(m.shape, HONEST // k), rng=sd.Entropy.seeded(b"sums"))
    before = tables(m.estimate(honest).shares, sizes)
    assert before.size == {2: 6 + 5, 3: 8 + 12 + 6}[len(sizes)]
    highest, lowest = np.zeros((2, before.size), dtype=bool)
    for fakes in every_report(m):
        found = with_tables(m, honest + fakes, sizes)
        assert isinstance(found, LinearEstimate)
        assert found.value == pytest.approx(tables(m.estimate(honest + fakes).shares, sizes))
        low, high = ((found.value - BETA * w) / (1 - BETA) for w in (found.most, found.least))
        assert (low - 1e-9 <= before).all()
        assert (before <= high + 1e-9).all()
        highest |= abs(before - high) < 1e-9
        lowest |= abs(before - low) < 1e-9
        assert found.band(BETA).moved == pytest.approx(
            max(*(found.value - low), *(high - found.value))
        )
    assert highest.all()
    assert lowest.all()


@cases("scores", [[1, 2, 3, 4], [1, 2, 5, None], [-1, None, 1, None]])
@cases("kind", ORACLES)
def test_no_fake_passes_the_band_of_a_mean_and_the_worst_reaches_it(
    kind: Any, scores: list[int | None]
) -> None:
    m = kind(4, 0.5)
    honest = m.simulate([600, 900, 900, 600], rng=sd.Entropy.seeded(b"mean"))
    before = m.estimate(honest).mean(scores).value
    distance = []
    for fakes in every_report(m):
        found = scale_mean(m, honest + fakes, scores)
        assert found is not None
        ends = found.band(BETA)
        assert ends is not None
        (low,), (high,) = ends.low, ends.high
        assert low - 1e-9 <= before <= high + 1e-9
        now = m.estimate(honest + fakes).mean(scores).value
        within = min(s for s in scores if s) < low and high < max(s for s in scores if s)
        moved = pytest.approx(max(now - low, high - now))
        assert ends.moved == moved if within else ends.moved >= moved.expected - 1e-9
        distance.append((before - low, high - before))
    assert np.min(distance, axis=0) == pytest.approx([0, 0], abs=1e-9)


def test_a_mean_that_may_be_of_nobody_has_no_band() -> None:
    m = sd.OUE(3, 0.5)
    counts = m.simulate([10, 10, 80], rng=sd.Entropy.seeded(b"nobody"))
    told = sd.poisoning.alarms(m, counts, scores=[1, 2, None])["bands"]
    assert told[-1]["mean"] is None
    assert "mean" not in sd.poisoning.alarms(m, counts)["bands"][0]
    assert (
        scale_mean(sd.JointRR((2, 2), epsilon=[1.0, 1.0]), sd.Counts(np.full((2, 2), 5), 20), [1])
        is None
    )


def test_sums_move_further_than_cells() -> None:
    """The margin that twelve named cells of 32 move by 39 points, 1 % of fakes."""
    m = sd.SubsetSelection(32, 0.5)
    counts = m.simulate([300] * 32, rng=sd.Entropy.seeded(b"margin"))
    before = m.estimate(counts).shares.reshape(4, 2, 4).sum(axis=(1, 2))
    assert m.program.size == 12
    fakes = sd.Counts(np.array([96] * 12 + [0] * 20), 96)
    after = m.estimate(counts + fakes).shares.reshape(4, 2, 4).sum(axis=(1, 2))
    cells = sd.poisoning.alarms(m, counts + fakes)["bands"][0]
    found = sd.poisoning.alarms(m, counts + fakes, sizes=(4, 2, 4))["bands"][0]
    assert after[0] - before[0] > 0.35 > 0.1 > cells["moved"]
    assert found["moved"] >= after[0] - before[0]
    assert found["low"][:32] == cells["low"]
    assert found["low"][-10] <= before[0] + 1e-6
    with pytest.raises(DomainError, match="sizes"):
        sd.poisoning.alarms(m, counts, sizes=(4, 4))
    with pytest.raises(DomainError, match="scores"):
        sd.poisoning.alarms(m, counts, scores=[None] * 32)


SURVEY = """
[collection]
name = "sums"
epsilon = 1.0
languages = ["en"]
title = { en = "Sums" }

[[question]]
id = "both"
type = "crosstab"
wanted = "cells"
text = { en = "Both" }
[[question.attributes]]
id = "one"
text = { en = "One" }
choices = ["a", "b", "c"]
[[question.attributes]]
id = "other"
text = { en = "Other" }
choices = ["a", "b", "c"]
prefer_not_to_say = false

[[question]]
id = "much"
type = "choice"
text = { en = "How much?" }
choices = ["none", "some", "much"]
scores = [0, 1, 2]
"""


def test_what_a_question_shows_has_its_band() -> None:
    both, much = Collection.from_toml(SURVEY).questions
    assert both.summed == {"sizes": (4, 3)}
    counts = sd.Counts(np.full(12, 300), 900)
    band = sd.poisoning.alarms(both.mechanism, counts, **both.summed)["bands"][0]
    assert len(band["low"]) == len(band["high"]) == 12 + 4 + 3
    few = much.mechanism.simulate([900] * 4, rng=sd.Entropy.seeded(b"scale"))
    mean = sd.poisoning.alarms(much.mechanism, few, **much.summed)["bands"][0]["mean"]
    assert 0 <= mean["low"] < mean["high"] <= 2
    assert mean["moved"] > 0
