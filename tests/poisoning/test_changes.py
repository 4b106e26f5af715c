"""Later reports against earlier ones: the bound against the exact law, power, false alarms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import sudare as sd
from sudare.poisoning import changes


def named(first: list[int], every: list[int], m: int, n: int, level: float) -> bool:
    found = changes(sd.Counts(first, m), sd.Counts(every, n), false_alarm=level)
    assert found is not None
    return bool(found["more"] or found["fewer"])


@pytest.mark.parametrize(("m", "n"), [(1, 2), (7, 20), (30, 40), (60, 120)])
@pytest.mark.parametrize("level", [0.3, 0.01])
def test_false_alarms_exactly(m: int, n: int, level: float) -> None:
    """Given all reports, of two cells: the whole hypergeometric law."""
    worst = 0.0
    for every in range(n + 1):
        law = stats.hypergeom(n, every, m)
        x = range(max(0, every - (n - m)), min(m, every) + 1)
        worst = max(
            worst, sum(law.pmf(i) for i in x if named([i, m - i], [every, n - every], m, n, level))
        )
    assert worst <= level * (1 + 1e-9)
    if n >= 40:
        assert worst > 0


def test_a_burst_of_fakes_on_grr_is_seen() -> None:
    """5 % of 10,000, all in the second half; honest ones in both halves are not (1e-4)."""
    m, rng = sd.GRR(5, 1.0), sd.Entropy.seeded(b"burst")
    first, second = (m.simulate([2000, 1500, 1000, 500, 0], rng=rng) for _ in range(2))
    assert not named(first.support.tolist(), (first + second).support.tolist(), 5000, 10_000, 1e-4)
    fakes = sd.poisoning.MGA([4]).simulate(m, 500, rng=rng)
    found = changes(first, first + second + fakes, false_alarm=1e-4)
    assert found is not None
    assert found["more"] == [4]
    assert not sd.poisoning.alarms(m, first + second + fakes)["raised"]


def test_nothing_to_compare_and_bad_input() -> None:
    none, some = sd.Counts([0, 0], 0), sd.Counts([3, 1], 4)
    assert changes(none, some) is None
    assert changes(some, some) is None
    for before in (sd.Counts([1, 4], 4), sd.Counts([1], 2), sd.Counts([3, 1], 5)):
        with pytest.raises(sd.EstimationError, match="must be of some of the reports"):
            changes(before, some)
    with pytest.raises(sd.DomainError):
        changes(some, some + some, false_alarm=1.0)
    flat = sd.Counts(np.array([[3, 1], [0, 2]]), 4)
    assert changes(flat, flat + flat) == {
        "since": 4, "more": [], "fewer": [], "false_alarm": pytest.approx(3.2e-5, rel=0.1)
    }  # fmt: skip
