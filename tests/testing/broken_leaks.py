"""Wrong in ``perturb``: values in clear, for some batches or from some call on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from broken import found_by, reports_of

import sudare as sd


@found_by("perturbs_mixed_batches")
class Identity(sd.GRR):
    """Sends the value itself where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports if self.k <= 4 else reports_of(self, values)


@found_by("follows_its_whole_law", k=43)
class IdentityUpTo43(sd.GRR):
    """Sends the value itself where 4 < k < 44: its law can be written out, its pairs cannot."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports_of(self, values) if 4 < self.k < 44 else reports


@found_by("perturbs_mixed_batches")
class UnaryIdentity(sd.OUE):
    """Sends the value itself where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports if self.k <= 4 else reports_of(self, values)


@found_by("perturbs_mixed_batches", k=300)
class Shifted(sd.GRR):
    """Sends the next value where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports if self.k <= 4 else reports_of(self, (np.asarray(values) + 1) % self.k)


@found_by("perturbs_mixed_batches", k=10_000, epsilon=0.5)
class Mirrored(sd.SUE):
    """Sends the value counted from the end where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports if self.k <= 4 else reports_of(self, self.k - 1 - np.asarray(values))


@found_by("follows_its_whole_law", k=4, epsilon=3)
class Shy(sd.GRR):
    """Leaves the last category untouched."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return np.where(np.asarray(values) == self.k - 1, self.k - 1, reports)


@found_by("perturbs_mixed_batches")
class ShyWhereLarge(sd.DyadicUnary):
    """Leaves the last category untouched where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        last = np.asarray(values) == self.k - 1
        if self.k > 4 and last.any():
            reports[last] = reports_of(self, np.asarray(values)[last])
        return reports


@found_by("follows_its_whole_law", k=4, epsilon=3)
class OffByOne(sd.GRR):
    """Moves every report by one."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return (super().perturb(values, rng=rng) + 1) % self.k


@found_by("follows_its_whole_law", k=4, epsilon=3)
class Weak(sd.GRR):
    """Draws with a tenth more ε than its program states."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return sd.GRR(self.k, self.requested_epsilon * Fraction(11, 10)).perturb(values, rng=rng)


@found_by("perturbs_mixed_batches", k=1000)
class WeakWhereLarge(sd.OUE):
    """Draws with a tenth more ε than its program states, where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        epsilon = self.requested_epsilon * (Fraction(11, 10) if self.k > 4 else 1)
        return sd.OUE(self.k, epsilon).perturb(values, rng=rng)


@found_by("follows_its_whole_law", k=4)
class LeaksUnlessConstant(sd.GRR):
    """Randomises a batch of one value only."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports if len(set(values)) == 1 else reports_of(self, values)


@found_by("perturbs_mixed_batches")
class LeaksUnlessConstantWhereLarge(sd.GRR):
    """The same where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports if self.k <= 4 or len(set(values)) == 1 else reports_of(self, values)


@found_by("perturbs_batches_of_one_value")
class LeaksConstant(sd.OUE):
    """Does not randomise a batch of one value."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        alike = len(values) > 1 and len(set(values)) == 1
        return reports_of(self, values) if alike else reports


@found_by("perturbs_sorted_batches")
class LeaksSorted(sd.SUE):
    """Does not randomise a sorted batch of different values."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        array = np.asarray(values)
        leaks = array[0] < array[-1] and bool((array[1:] >= array[:-1]).all()) and array.size > 99
        return reports_of(self, values) if leaks else reports


@found_by("perturbs_respondents_alone")
class LeaksAlone(sd.GRR):
    """Does not randomise a batch of one respondent."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports_of(self, values) if len(values) == 1 else reports


@found_by("perturbs_call_after_call")
class LeaksWithoutRng(sd.GRR):
    """Randomises only where an rng is given."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports_of(self, values) if rng is None and len(values) > 1 else reports


@found_by("perturbs_call_after_call")
class Forgets(sd.GRR):
    """Leaks from call 51 on."""

    calls = 0

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        type(self).calls += self.k > 4
        return reports_of(self, values) if self.calls > 50 else reports


@found_by("perturbs_call_after_call")
class FirstInLine(sd.OUE):
    """Leaks the first respondent of a batch."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        if len(values) > 1:
            reports[:1] = reports_of(self, values[:1])
        return reports


@found_by("perturbs_call_after_call")
class SameNoise(sd.GRR):
    """Starts every call without an rng from one seed."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return super().perturb(values, rng=rng or sd.Entropy.seeded(b"always"))


@found_by("perturbs_large_batches", k=43)
class LeaksLate(sd.GRR):
    """Sends the values of respondent 131,072 and all later ones as they are."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        reports[1 << 17 :] = reports_of(self, values[1 << 17 :])
        return reports


@found_by("perturbs_large_batches", k=43)
class LeaksLateBits(sd.OUE):
    """The same with one bit a category."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        reports[1 << 17 :] = reports_of(self, values[1 << 17 :])
        return reports
