"""The checks of frequency oracles: one of k categories from each respondent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing import core
from sudare.testing.core import value
from sudare.testing.core.batches import follows_its_whole_law
from sudare.testing.family import Exact, Family, Sampled
from sudare.testing.frequency import (
    accuracy,
    batches,
    estimates,
    guarantee,
    simulations,
    values,
)
from sudare.testing.frequency.subjects import subjects


class Frequency(Family[FrequencyOracle]):
    """One of k categories. Beyond the whole law at small k, what reports support at any k."""

    most: ClassVar[int] = 1 << 12
    exact: ClassVar[tuple[Exact, ...]] = (
        *core.VALUE,
        *core.SPENT,
        value.spends_all_of_it,
        values.builds_what_is_asked,
        guarantee.supports_the_true_value,
        *core.LAW,
        guarantee.has_a_channel,
        guarantee.supports_as_stated,
        accuracy.estimates_without_bias,
        accuracy.states_its_variance,
        accuracy.states_its_covariance,
        *core.BORDERS,
        estimates.estimates_at_every_n,
        estimates.estimates_by_each_method,
        estimates.states_its_intervals,
    )
    guarantee: ClassVar[tuple[Exact, ...]] = (
        values.builds_what_is_asked,
        guarantee.supports_the_true_value,
    )
    sampled: ClassVar[tuple[Sampled, ...]] = (
        follows_its_whole_law,
        batches.perturbs_mixed_batches,
        batches.perturbs_sorted_batches,
        batches.perturbs_batches_of_one_value,
        batches.perturbs_large_batches,
        batches.perturbs_call_after_call,
        batches.perturbs_respondents_alone,
        batches.perturbs_one_at_a_time,
        simulations.simulates_concentrated_answers,
        simulations.simulates_spread_answers,
    )

    def subjects(self, m: FrequencyOracle) -> tuple[FrequencyOracle, ...]:
        """Return the sibling at ``min(k, 4)``, and m."""
        return subjects(m)

    def answers(self, m: FrequencyOracle) -> Sequence[Any]:
        """Return all categories."""
        return range(m.k)

    def bad_answers(self, m: FrequencyOracle) -> Iterable[Any]:
        """Return what is no category."""
        return (*super().bad_answers(m), m.k)

    def truth(self, m: FrequencyOracle, answers: Sequence[Any], weights: Floats) -> Floats:
        """Return the shares of the categories."""
        return np.asarray(np.bincount(np.array(answers), weights, m.k), dtype=np.float64)

    def estimated(self, m: FrequencyOracle, estimate: Any) -> tuple[Floats, Floats]:
        """Return the shares."""
        return estimate.shares, estimate.stderr

    def simulate(
        self, m: FrequencyOracle, answers: Sequence[Any], truth: Any, rng: Entropy
    ) -> Counts:
        """Simulate true counts."""
        return m.simulate(truth, rng=rng)


FAMILY = Frequency()
