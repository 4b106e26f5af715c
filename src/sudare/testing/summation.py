"""The checks of oracles whose reports are numbers: by the whole law of a small sibling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from sudare.arrays import Floats
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core import Checked, resized, value
from sudare.testing.family import Exact
from sudare.testing.law import Law

_SMALL = 2


class Summation(Checked[FrequencyOracle]):
    """One of k categories, a number a category."""

    most: ClassVar[int] = 1 << 16
    exact: ClassVar[tuple[Exact, ...]] = (*Checked.exact, value.spends_all_of_it)

    def subjects(self, m: FrequencyOracle) -> tuple[FrequencyOracle, ...]:
        """Return the sibling of two categories, and m where that is another one."""
        return (resized(m, k=_SMALL), m) if m.k > _SMALL else (m,)

    def answers(self, m: FrequencyOracle) -> Sequence[Any]:
        """Return all categories."""
        return range(m.k)

    def bad_answers(self, m: FrequencyOracle) -> Iterable[Any]:
        """Return what is no category."""
        return (*super().bad_answers(m), m.k)

    def channels(self, m: FrequencyOracle, law: Law) -> Iterator[tuple[Floats, Floats]]:
        """Yield the channel; it shows the same ε."""
        yield m.channel.dense(), law.table

    def truth(self, m: FrequencyOracle, answers: Sequence[Any], weights: Floats) -> Floats:
        """Return the shares."""
        return weights

    def tallies(self, m: FrequencyOracle) -> None:
        """Sums of numbers are no counts of events: their simulation is tested by itself."""


FAMILY = Summation()
