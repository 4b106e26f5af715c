"""Wrong in ``perturb`` in a way that few counts show: shared draws, single bits, single calls."""

from __future__ import annotations

from typing import Any

import numpy as np
from broken import found_by, reports_of

import sudare as sd


def shared_draws(m: Any, values: Any, rng: Any, lag: int) -> Any:
    """Respondents ``lag`` apart, pair by pair, share a draw: each alone follows the law."""
    array, seed = m._values(values), (rng or sd.Entropy.system()).take(16)
    first = np.arange(array.size) // lag % 2 == 0
    reports: Any = np.empty_like(m.program.draw(array, sd.Entropy.seeded(seed)))
    for part in (first, ~first):  # the same words for the first, second, ... of both parts
        reports[part] = m.program.draw(array[part], sd.Entropy.seeded(seed))
    return reports


@found_by("follows_its_whole_law", k=5)
class Neighbours(sd.GRR):
    """Two neighbours share a draw."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return shared_draws(self, values, rng, 1)


@found_by("perturbs_mixed_batches")
class NeighboursWhereLarge(sd.GRR):
    """Two neighbours share a draw where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        if self.k <= 4:
            return super().perturb(values, rng=rng)
        return shared_draws(self, values, rng, 1)


@found_by("perturbs_mixed_batches")
class UnaryNeighbours(sd.OUE):
    """Two neighbours share a draw where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        if self.k <= 4:
            return super().perturb(values, rng=rng)
        return shared_draws(self, values, rng, 1)


@found_by("perturbs_mixed_batches")
class Tiles(sd.DyadicUnary):
    """Uses its noise again 64 respondents later."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        if self.k <= 4:
            return super().perturb(values, rng=rng)
        return shared_draws(self, values, rng, 64)


@found_by("perturbs_mixed_batches")
class OneCoin(sd.OUE):
    """All other bits of a report share one draw, where k > 4: each alone is right."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        if self.k <= 4:
            return reports
        bits = np.unpackbits(reports, axis=1, bitorder="little", count=self.k)
        rows, array = np.arange(len(bits)), np.asarray(values)
        own = bits[rows, array]
        bits[:] = bits[rows, (array + 1) % self.k][:, None]
        bits[rows, array] = own
        return np.packbits(bits, axis=1, bitorder="little")


@found_by("perturbs_mixed_batches", k=64)
class SameBytes(sd.OUE):
    """Bits eight apart share a draw, where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        if self.k > 4:
            byte = np.asarray(values) >> 3
            other = reports[np.arange(len(byte)), (byte + 1) % reports.shape[1]]
            for column in range(reports.shape[1]):
                reports[byte != column, column] = other[byte != column]
        return reports


def bits_of(m: Any, reports: Any) -> Any:
    return np.unpackbits(reports, axis=1, bitorder="little", count=m.k)


def packed(bits: Any) -> Any:
    return np.packbits(bits, axis=1, bitorder="little")


@found_by("perturbs_mixed_batches", k=10_000)
class LeaksAThird(sd.OUE):
    """Sets the true bit in a third of the reports, where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        chosen = np.random.default_rng(1).random(len(reports)) < 1 / 3
        if self.k > 4:
            reports[chosen] |= reports_of(self, values)[chosen]
        return reports


@found_by("perturbs_mixed_batches", k=1000)
class LeaksTheNext(sd.OUE):
    """Sets the bit after the true one in an eighth of the reports, where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        chosen = np.random.default_rng(1).random(len(reports)) < 1 / 8
        if self.k > 4:
            reports[chosen] |= reports_of(self, (np.asarray(values) + 1) % self.k)[chosen]
        return reports


@found_by("perturbs_mixed_batches", k=300)
class Favours(sd.OUE):
    """Sets the bit of one category too often, where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        bits = bits_of(self, super().perturb(values, rng=rng))
        if self.k > 4:
            bits[:, 7] |= np.random.default_rng(1).random(len(bits)) < 1 / 8
        return packed(bits)


@found_by("perturbs_mixed_batches")
class NeighboursButForTheirOwn(sd.OUE):
    """Two neighbours share all bits but the true ones, where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        if self.k <= 4:
            return super().perturb(values, rng=rng)
        bits = bits_of(self, shared_draws(self, values, rng, 1))
        rows, array = np.arange(len(bits)), np.asarray(values)
        bits[rows, array] = bits_of(self, super().perturb(values, rng=rng))[rows, array]
        return packed(bits)


@found_by("perturbs_mixed_batches")
class TrueBitShows(sd.OUE):
    """The next bit depends on the true one, where k > 4: each alone is right (p is 1/2)."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        bits = bits_of(self, super().perturb(values, rng=rng))
        if self.k > 4:
            rows, array = np.arange(len(bits)), np.asarray(values)
            chance = float(self.support_probabilities[1]) + 0.2 * (2.0 * bits[rows, array] - 1)
            following = np.random.default_rng(1).random(len(bits)) < chance
            bits[rows, (array + 1) % self.k] = following
        return packed(bits)


@found_by("perturbs_call_after_call")
class LeaksOnce(sd.GRR):
    """Leaks in the hundredth call without an rng alone."""

    calls = 0

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        type(self).calls += rng is None and self.k > 4 and len(values) > 1
        return reports_of(self, values) if self.calls == 100 else reports


@found_by("perturbs_call_after_call")
class TwoCalls(sd.OUE):
    """Two calls without an rng share their draws, where k > 4."""

    calls = 0

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        if rng is None and self.k > 4:
            rng = sd.Entropy.seeded(b"%d" % (self.calls // 2))
            type(self).calls += 1
        return super().perturb(values, rng=rng)


@found_by("perturbs_mixed_batches", k=43, first="follows_its_whole_law")
class ThreeLater(sd.GRR):
    """Uses its noise again three respondents later, where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        if self.k <= 4:
            return super().perturb(values, rng=rng)
        return shared_draws(self, values, rng, 3)


@found_by("perturbs_mixed_batches", k=43)
class FiveFurther(sd.OUE):
    """The bit of every tenth category is that of the fifth one further, where k > 8."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        bits = bits_of(self, super().perturb(values, rng=rng))
        if self.k <= 8:
            return packed(bits)
        array = np.asarray(values)
        for i in range(0, self.k - 5, 10):
            others = (array != i) & (array != i + 5)
            bits[others, i + 5] = bits[others, i]
        return packed(bits)


@found_by("perturbs_batches_of_one_value", k=43)
class ThreeLaterButForTheirOwn(sd.OUE):
    """Respondents three apart share all bits but the true ones, where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        if self.k <= 4:
            return super().perturb(values, rng=rng)
        bits = bits_of(self, shared_draws(self, values, rng, 3))
        rows, array = np.arange(len(bits)), np.asarray(values)
        bits[rows, array] = bits_of(self, super().perturb(values, rng=rng))[rows, array]
        return packed(bits)
