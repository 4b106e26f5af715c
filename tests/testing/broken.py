"""Mechanisms that are wrong in one thing each, and the check that must find it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import sudare as sd
from sudare.estimation import Counts
from sudare.exact import as_epsilon
from sudare.mechanisms import FrequencyOracle
from sudare.samplers import Bits, Keep

BROKEN: list[tuple[type[FrequencyOracle], int, float, str]] = []


def found_by(check: str, k: int = 43, epsilon: float = 1) -> Any:
    """Class decorator: ``check`` must find this one, at that k and ε."""

    def remember(cls: type[FrequencyOracle]) -> type[FrequencyOracle]:
        cls.name = cls.__name__
        BROKEN.append((cls, k, epsilon, check))
        return cls

    return remember


def reports_of(m: FrequencyOracle, values: Any) -> Any:
    """The reports that support the values and nothing else: the answers in clear."""
    array = np.asarray(values)
    if isinstance(m.program, Keep):
        return array.astype(np.min_scalar_type(m.k - 1))
    bits = np.zeros((array.size, m.k), dtype=np.uint8)
    bits[np.arange(array.size), array] = 1
    return np.packbits(bits, axis=1, bitorder="little")


# -- perturb -----------------------------------------------------------------------------------


@found_by("perturbs_mixed_batches")
class Identity(sd.GRR):
    """Sends the value itself where k > 4."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        return reports if self.k <= 4 else reports_of(self, values)


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


@found_by("perturbs_mixed_batches", epsilon=3)
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


def shared_draws(m: Any, values: Any, rng: Any, lag: int) -> Any:
    """Respondents ``lag`` apart, pair by pair, share a draw: each alone follows the law."""
    array = m._values(values)
    stream = sd.Entropy.seeded((rng or sd.Entropy.system()).take(16))
    reports = []
    for start in range(0, array.size, 2 * lag):
        seed = stream.take(16)
        for part in np.split(array[start : start + 2 * lag], [lag]):
            reports.append(m.program.draw(part, sd.Entropy.seeded(seed)))
    return np.concatenate(reports)


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


@found_by("keeps_its_wire")
class Padding(sd.OUE):
    """Writes a bit of the value into the padding."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        reports = super().perturb(values, rng=rng)
        if self.k % 8:
            reports[:, -1] |= (np.asarray(values) % 2 << 7).astype(np.uint8)
        return reports


@found_by("keeps_its_wire")
class Loses(sd.GRR):
    """Loses the last respondent of a large batch."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return super().perturb(values, rng=rng)[:299]


@found_by("repeats_from_a_seed")
class DeafToSeeds(sd.GRR):
    """Draws afresh whatever rng it is given."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        return super().perturb(values)


@found_by("refuses_bad_values")
class Trusting(sd.GRR):
    """Lets everything in."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        try:
            return super().perturb(values, rng=rng)
        except sd.SudareError:
            return np.zeros(1, dtype=np.uint8)


@found_by("refuses_bad_values")
class Talks(sd.GRR):
    """Shows a respondent's value in an error."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        try:
            return super().perturb(values, rng=rng)
        except sd.SudareError:
            raise sd.DomainError("values", "must be in the domain", got=values) from None


@found_by("refuses_bad_values")
class BareError(sd.GRR):
    """Refuses by an error without a type of ours."""

    def perturb(self, values: Any, *, rng: Any = None) -> Any:
        try:
            return super().perturb(values, rng=rng)
        except sd.SudareError:
            raise RuntimeError from None


# -- perturb_one -------------------------------------------------------------------------------


@found_by("perturbs_one_by_its_program")
class OneIdentity(sd.GRR):
    """``perturb_one`` sends the value itself."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        super().perturb_one(value, entropy=entropy)
        return value


@found_by("perturbs_one_at_a_time", k=10_000)
class OneWithoutEntropy(sd.OUE):
    """``perturb_one`` sends the value itself where no source is given."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        report = super().perturb_one(value, entropy=entropy)
        return report if entropy is not None else bytes(reports_of(self, [value])[0])


@found_by("perturbs_one_at_a_time")
class OneSameNoise(sd.GRR):
    """``perturb_one`` starts from one seed where no source is given."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        return super().perturb_one(value, entropy=entropy or sd.Entropy.seeded(b"always"))


@found_by("perturbs_one_by_its_program")
class OneAsks(sd.GRR):
    """``perturb_one`` takes more entropy than the browser does."""

    def perturb_one(self, value: Any, *, entropy: Any = None) -> Any:
        report = super().perturb_one(value, entropy=entropy)
        if entropy is not None:
            entropy.take(1)
        return report


# -- simulate ----------------------------------------------------------------------------------


def expected(m: Any, truth: Any) -> Any:
    p, q = (float(x) for x in m.support_probabilities)
    return truth * p + (truth.sum() - truth) * q


@found_by("simulates_concentrated_answers", k=4)
class Noiseless(sd.OUE):
    """Simulates expected supports."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        return np.rint(expected(self, truth)).astype(np.int64)


@found_by("simulates_concentrated_answers", k=10_000)
class NoiselessWhereLarge(sd.OUE):
    """Simulates expected supports where k > 4."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        if self.k <= 4:
            return super()._simulate(truth, generator)
        return np.rint(expected(self, truth)).astype(np.int64)


@found_by("simulates_spread_answers", k=300)
class NoiselessForMany(sd.OUE):
    """Simulates expected supports for many respondents."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        if truth.sum() <= 100_000:
            return super()._simulate(truth, generator)
        return np.rint(expected(self, truth)).astype(np.int64)


@found_by("simulates_concentrated_answers", k=300)
class TooNoisy(sd.OUE):
    """Doubles the noise of a simulation where k > 4."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        support = super()._simulate(truth, generator)
        if self.k <= 4:
            return support
        mean = expected(self, truth)
        return np.clip(np.rint(mean + 2 * (support - mean)), 0, truth.sum()).astype(np.int64)


@found_by("simulates_concentrated_answers", k=300)
class OneNoise(sd.OUE):
    """Gives all categories the same noise where k > 4: each alone has the right spread."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        if self.k <= 4:
            return super()._simulate(truth, generator)
        p, q = (float(x) for x in self.support_probabilities)
        sd_ = np.sqrt(truth * p * (1 - p) + (truth.sum() - truth) * q * (1 - q))
        drawn = np.rint(expected(self, truth) + sd_ * generator.standard_normal())
        return np.clip(drawn, 0, truth.sum()).astype(np.int64)


@found_by("simulates_concentrated_answers", k=300, epsilon=3)
class FreeNoise(sd.GRR):
    """Draws the supports of GRR one by one, as if they need not add up."""

    def check_counts(self, counts: Any) -> None:
        FrequencyOracle.check_counts(self, counts)

    def _simulate(self, truth: Any, generator: Any) -> Any:
        p, q = (float(x) for x in self.support_probabilities)
        return generator.binomial(truth, p) + generator.binomial(truth.sum() - truth, q)


@found_by("simulates_concentrated_answers", k=4, epsilon=3)
class Moved(sd.GRR):
    """Moves a fiftieth of the simulated supports from the first category to the last."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        support = super()._simulate(truth, generator)
        moved = min(support.sum() // 50, support[0])
        support[0] -= moved
        support[-1] += moved
        return support


@found_by("simulates_concentrated_answers")
class SameSimulation(sd.GRR):
    """Simulates from one seed."""

    def _simulate(self, truth: Any, generator: Any) -> Any:
        return super()._simulate(truth, np.random.default_rng(1))


# -- what is said about errors -----------------------------------------------------------------


@found_by("states_its_variance")
class Pessimist(sd.GRR):
    """States a hundred times its variance."""

    def variance(self, shares: Any, n: int, target: Any = "population") -> Any:
        return 100 * super().variance(shares, n, target)


@found_by("states_its_variance")
class PessimistWhereLarge(sd.OUE):
    """States a hundredth more than its variance, for the respondents, where k > 4."""

    def variance(self, shares: Any, n: int, target: Any = "population") -> Any:
        excess = 1.01 if self.k > 4 and target == "respondents" else 1.0
        return excess * super().variance(shares, n, target)


@found_by("states_its_variance")
class OneTarget(sd.OUE):
    """Leaves the sampling out of its expected error."""

    def expected_mse(self, n: int, shares: Any = None, target: Any = "population") -> float:
        return super().expected_mse(n, shares, "respondents")


@found_by("states_its_variance")
class Hopeful(sd.GRR):
    """Expects half of its error."""

    def expected_mse(self, n: int, shares: Any = None, target: Any = "population") -> float:
        return super().expected_mse(n, shares, target) / 2


@found_by("states_its_variance")
class ShortBars(sd.GRR):
    """Gives standard errors of the respondents for the population."""

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        from dataclasses import replace

        bars = super().estimate(counts, method, "respondents").stderr
        return replace(super().estimate(counts, method, target), stderr=bars)


@found_by("states_its_covariance")
class Uncorrelated(sd.GRR):
    """Takes its categories for independent."""

    def _noise_covariance(self, x: float, y: float, p: float, q: float) -> float:
        return 0.0


@found_by("states_its_covariance")
class Correlated(sd.OUE):
    """Takes its categories for those of GRR."""

    def _noise_covariance(self, x: float, y: float, p: float, q: float) -> float:
        return -(x * p * q + y * q * p + (1 - x - y) * q * q) / (p - q) ** 2


@found_by("perturbs_mixed_batches", epsilon=3)
class CorrelatedWhereLarge(sd.OUE):
    """The same where k > 4."""

    def _noise_covariance(self, x: float, y: float, p: float, q: float) -> float:
        return -q * q / (p - q) ** 2 if self.k > 4 else 0.0


@found_by("estimates_without_bias")
class Swapped(sd.GRR):
    """Estimates the second category for the third where k > 4."""

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        estimate = super().estimate(counts, method, target)
        if self.k > 4:
            estimate.shares[[1, 2]] = estimate.shares[[2, 1]]
        return estimate


@found_by("supports_as_stated")
class Biased(sd.OUE):
    """Estimates with probabilities that are not its own."""

    @property
    def support_probabilities(self) -> tuple[Fraction, Fraction]:
        p, q = super().support_probabilities
        return p * Fraction(99, 100), q


@found_by("perturbs_mixed_batches")
class Zeros(sd.OUE):
    """Tallies nothing where k > 4."""

    def aggregate(self, reports: Any) -> Counts:
        counts = super().aggregate(reports)
        return counts if self.k <= 4 else self._counts(0 * counts.support, counts.n)


@found_by("perturbs_mixed_batches")
class DropsOne(sd.GRR):
    """Does not tally the last report of a large batch where k > 4."""

    def aggregate(self, reports: Any) -> Counts:
        counts = super().aggregate(reports)
        if self.k <= 4 or counts.n < 1000:
            return counts
        return self._counts(super().aggregate(reports[:-1]).support, counts.n)


@found_by("perturbs_mixed_batches", k=300)
class TalliesTheNext(sd.OUE):
    """Tallies every category as the next one where k > 4."""

    def aggregate(self, reports: Any) -> Counts:
        counts = super().aggregate(reports)
        return counts if self.k <= 4 else self._counts(np.roll(counts.support, 1), counts.n)


@found_by("refuses_foreign_reports")
class TalliesAnything(sd.GRR):
    """Tallies what is not a report."""

    def aggregate(self, reports: Any) -> Counts:
        try:
            return super().aggregate(reports)
        except sd.SudareError:
            return self._counts(np.zeros(self.k, dtype=np.int64), 0)


# -- the guarantee -----------------------------------------------------------------------------


@found_by("spends_what_it_says")
class Overspends(sd.GRR):
    """Spends a tenth more than it is asked for."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        return sd.GRR._compile(k, epsilon * Fraction(11, 10))


@found_by("spends_what_it_says")
class Thrifty(sd.GRR):
    """Spends a tenth less than it is asked for."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        return sd.GRR._compile(k, epsilon * Fraction(9, 10))


@found_by("spends_what_it_says")
class LiesAboutEpsilon(sd.GRR):
    """Shows half of its ε."""

    @property
    def epsilon(self) -> float:
        return super().epsilon / 2


@found_by("spends_what_it_says")
class LiesAboutGamma(sd.OUE):
    """Shows e^ε without rounding down, where k > 4."""

    @property
    def gamma(self) -> float:
        return super().gamma + (1e-9 if self.k > 4 else 0)


@found_by("spends_what_it_says")
class RoundsUp(sd.OUE):
    """Shows ε rounded up."""

    @property
    def epsilon(self) -> float:
        return float(np.nextafter(super().epsilon, 9))


@found_by("builds_what_is_asked")
class Stubborn(sd.GRR):
    """Spends 1 whatever ε is asked for."""

    def __init__(self, k: int, epsilon: Any) -> None:
        super().__init__(k, 1)


@found_by("spends_what_it_says", epsilon=2)
class StubbornProgram(sd.GRR):
    """Notes the ε that is asked for, and spends 1."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        return sd.GRR._compile(k, Fraction(1))


@found_by("subjects")
class OnlyLarge(sd.GRR):
    """Does not exist where k <= 4."""

    def __init__(self, k: int, epsilon: Any) -> None:
        if k <= 4:
            raise RuntimeError
        super().__init__(k, epsilon)


@dataclass(frozen=True, slots=True)
class LyingKeep(Keep):
    """A program that states a lower ratio than its weights have."""

    @property
    def ratio(self) -> Fraction:
        return sd.GRR(self.k, 1).program.ratio


@dataclass(frozen=True, slots=True)
class LyingBits(Bits):
    """The same, where k > 4 alone."""

    @property
    def ratio(self) -> Fraction:
        return sd.OUE(self.k, 1).program.ratio


@found_by("has_an_exact_law")
class LiesInItsProgram(sd.GRR):
    """Hides weights of ε = 2 behind a ratio of ε = 1."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        own = sd.GRR._compile(k, 2 * epsilon)
        return LyingKeep(k=k, width=own.width, keep=own.keep, step=own.step)


@found_by("has_an_exact_law")
class LiesInItsLargeProgram(sd.OUE):
    """The same where the law is too large to write out."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        if k <= 4:
            return sd.OUE._compile(k, epsilon)
        own = sd.OUE._compile(k, 3 * epsilon)
        return LyingBits(k=k, width=own.width, own=own.own, other=own.other)


@found_by("has_a_channel")
class OtherChannel(sd.GRR):
    """Shows a channel that is not its program's."""

    @property
    def channel(self) -> Any:
        return sd.GRR(self.k, 2).channel


# -- a value -----------------------------------------------------------------------------------


@found_by("is_a_frozen_value")
class Fluid(sd.GRR):
    """Can be changed."""

    def __setattr__(self, attribute: str, value: object) -> None:
        object.__setattr__(self, attribute, value)


@found_by("is_a_frozen_value")
class Nameless(sd.GRR):
    """Does not show what it is."""

    def __repr__(self) -> str:
        return "a mechanism"


@found_by("is_a_frozen_value")
class Mute(sd.GRR):
    """Cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError


@found_by("survives_json")
class Rounds(sd.GRR):
    """Rounds the ε asked for in JSON."""

    def __init__(self, k: int, epsilon: Any) -> None:
        super().__init__(k, as_epsilon(epsilon) + Fraction(1, 10**7))

    def __reduce__(self) -> Any:
        return type(self), (self.k, self.requested_epsilon - Fraction(1, 10**7))


@found_by("merges")
class Anonymous(sd.GRR):
    """Does not say which mechanism its counts come from."""

    def aggregate(self, reports: Any) -> Counts:
        counts = super().aggregate(reports)
        return Counts(counts.support, counts.n)
