"""The checks of frequency oracles: one of k categories from each respondent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.mechanisms import FrequencyOracle
from sudare.testing import core
from sudare.testing.core import resized, value
from sudare.testing.core.batches import SAMPLED, follows_its_whole_law
from sudare.testing.core.simulations import SAMPLED as SIMULATED
from sudare.testing.family import Exact, Family, Sampled
from sudare.testing.frequency import accuracy, estimates, guarantee
from sudare.testing.frequency.batches import (
    MOST_CATEGORIES,
    Supports,
    SupportTallies,
    perturbs_mixed_batches,
)
from sudare.testing.law import Law
from sudare.testing.suite import BrokenRuleError, demand

_SMALL = 4
_DENSE = 12  # k up to which every mechanism must give its channel


class Frequency(Family[FrequencyOracle]):
    """One of k categories. Beyond the whole law at small k, what reports support at any k."""

    most: ClassVar[int] = 1 << 12
    exact: ClassVar[tuple[Exact, ...]] = (
        *core.VALUE,
        *core.SPENT,
        value.spends_all_of_it,
        guarantee.builds_what_is_asked,
        guarantee.supports_the_true_value,
        *core.LAW,
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
        guarantee.builds_what_is_asked,
        guarantee.supports_the_true_value,
    )
    sampled: ClassVar[tuple[Sampled, ...]] = (
        follows_its_whole_law,
        perturbs_mixed_batches,
        *SAMPLED,
        *SIMULATED,
    )

    def subjects(self, m: FrequencyOracle) -> tuple[FrequencyOracle, ...]:
        """Return the sibling at ``min(k, 4)``, and m where that is another one."""
        if m.k > MOST_CATEGORIES:
            rule = f"must have k <= {MOST_CATEGORIES}"
            raise DomainError("mechanism", rule, "check it at a smaller k", got=m.k)
        k = min(m.k, _SMALL)
        try:
            small = resized(m, k=k) if m.studies_only else type(m)(k, m.requested_epsilon)
        except Exception as error:
            rule = f"must exist at k = {k} too, by {type(error).__name__}"
            raise BrokenRuleError(rule) from error
        return (small,) if m.k <= _SMALL else (small, m)

    def answers(self, m: FrequencyOracle) -> Sequence[Any]:
        """Return all categories."""
        return range(m.k)

    def bad_answers(self, m: FrequencyOracle) -> Iterable[Any]:
        """Return what is no category."""
        return (*super().bad_answers(m), m.k)

    def channels(self, m: FrequencyOracle, law: Law) -> Iterator[tuple[Floats, Floats]]:
        """Yield the channel, where it is written out, and the law; it shows the same ε."""
        try:
            channel = m.channel
        except DomainError:
            demand(m.k > _DENSE, f"must have a channel at k <= {_DENSE}")
            return
        demand(channel.shape == law.table.shape, "must have the channel of its program")
        same = channel.epsilon == m.epsilon or abs(channel.epsilon - m.epsilon) < 1e-12
        demand(same, "must have a channel of the same ε")
        yield channel.dense(), law.table

    def look(self, m: FrequencyOracle) -> Supports:
        """Return what reports support."""
        return Supports(m)

    def tallies(self, m: FrequencyOracle) -> SupportTallies:
        """Return the laws of supports."""
        return SupportTallies(m)


FAMILY = Frequency()
