"""Wrong in what is said: errors, ε, the law, the tally."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from broken import found_by

import sudare as sd
from sudare.estimation import Counts
from sudare.estimation.support import PairLaw, SingleLaw
from sudare.samplers import Bits, Keep


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
        bars = super().estimate(counts, method, "respondents").stderr
        return replace(super().estimate(counts, method, target), stderr=bars)


@found_by("states_its_covariance")
class Uncorrelated(sd.GRR):
    """Takes its categories for independent."""

    @property
    def law(self) -> SingleLaw:
        p, q = super().law.p, super().law.q
        return SingleLaw(p, q, p * q, q * q)


@found_by("states_its_covariance")
class Correlated(sd.OUE):
    """Takes its categories for those of GRR."""

    @property
    def law(self) -> PairLaw:
        return replace(super().law, with_own=Fraction(0), without=Fraction(0))


@found_by("perturbs_mixed_batches", epsilon=3)
class CorrelatedWhereLarge(sd.OUE):
    """The same where k > 4."""

    @property
    def law(self) -> PairLaw:
        law = super().law
        return law if self.k <= 4 else replace(law, without=Fraction(0))


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
    def law(self) -> PairLaw:
        return PairLaw.independent(super().law.p * Fraction(99, 100), super().law.q)


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


@found_by("tallies_each_report")
class DropsOneOfMany(sd.GRR):
    """Does not tally the last report of some hundred."""

    def aggregate(self, reports: Any) -> Counts:
        counts = super().aggregate(reports)
        if counts.n < 100:
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


@found_by("spends_what_it_says")
class Overspends(sd.GRR):
    """Spends a tenth more than it is asked for."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        return sd.GRR._compile(k, epsilon * Fraction(11, 10))


@found_by("spends_all_of_it")
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


@found_by("shows_its_program")
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


@found_by("spends_all_of_it", epsilon=2)
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


@found_by("states_its_largest_ratio", first="supports_the_true_value")
class LiesInItsProgram(sd.GRR):
    """Hides weights of ε = 2 behind a ratio of ε = 1."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        own = sd.GRR._compile(k, 2 * epsilon)
        return LyingKeep(k=k, width=own.width, keep=own.keep, step=own.step)


@found_by("supports_the_true_value")
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


@found_by("states_its_largest_ratio")
class LiesALittle(sd.OUE):
    """Hides weights of ε = 1.3 behind a ratio of ε = 1: p / q alone would allow it."""

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Any:
        own = sd.OUE._compile(k, epsilon * Fraction(13, 10))
        return LyingBits(k=k, width=own.width, own=own.own, other=own.other)


@dataclass(frozen=True, slots=True)
class HeavyKeep(Keep):
    """A law whose columns sum to 2."""

    def laws(self, values: Any) -> list[list[Fraction]]:
        return [[2 * cell for cell in own] for own in Keep.laws(self, values)]


@dataclass(frozen=True, slots=True)
class SilentKeep(Keep):
    """A law that never sends the last report for the first value."""

    def laws(self, values: Any) -> list[list[Fraction]]:
        law = Keep.laws(self, values)
        law[0][0] += law[0][-1]
        law[0][-1] = Fraction(0)
        return law


@dataclass(frozen=True, slots=True)
class ShortKeep(Keep):
    """A law without its last report."""

    def laws(self, values: Any) -> list[list[Fraction]]:
        return [own[:-1] for own in Keep.laws(self, values)]


def of_program(kind: type[Keep]) -> Any:
    def compiled(cls: type[sd.GRR], k: int, epsilon: Fraction) -> Any:
        own = sd.GRR._compile(k, epsilon)
        return kind(k=k, width=own.width, keep=own.keep, step=own.step)

    return classmethod(compiled)


@found_by("has_an_exact_law")
class Heavy(sd.GRR):
    """Its columns sum to 2."""

    _compile = of_program(HeavyKeep)


@found_by("states_its_largest_ratio")
class Silent(sd.GRR):
    """A report tells that a value is not there."""

    _compile = of_program(SilentKeep)


@found_by("has_an_exact_law")
class Short(sd.GRR):
    """Writes out less than its law."""

    _compile = of_program(ShortKeep)


@found_by("supports_the_true_value")
class Upside(sd.GRR):
    """Takes p for q and q for p."""

    @property
    def law(self) -> SingleLaw:
        return SingleLaw(super().law.q, super().law.p)


@found_by("has_a_channel")
class NoChannel(sd.GRR):
    """Has no channel, small as it is."""

    @property
    def channel(self) -> Any:
        raise sd.DomainError("channel", "is not written out")


@found_by("has_a_channel")
class OtherEpsilon(sd.OUE):
    """Has a channel that is right up to its ε."""

    @property
    def channel(self) -> Any:
        return Renamed(super().channel)


class Renamed:
    """A channel of another ε."""

    epsilon = 0.5

    def __init__(self, channel: Any) -> None:
        self.shape, self.dense = channel.shape, channel.dense


@found_by("estimates_without_bias")
class Mislabelled(sd.GRR):
    """Names the other target."""

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        return replace(super().estimate(counts, method, target), target="population")


@found_by("states_its_variance")
class NotUniform(sd.OUE):
    """Expects another error where no shares are given."""

    def expected_mse(self, n: int, shares: Any = None, target: Any = "population") -> float:
        return super().expected_mse(n, shares, target) * (1.1 if shares is None else 1)


class Apart:
    def __init__(self, stderr: Any) -> None:
        self.stderr = stderr

    def variance(self, weights: Any) -> float:
        return float(((weights * self.stderr) ** 2).sum())


@found_by("states_its_covariance")
class FarApart(sd.GRR):
    """Leaves the covariance out of the error of a difference."""

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        right = super().estimate(counts, method, target)
        return replace(right, _law=Apart(right.stderr))


@found_by("estimates_at_every_n", k=43)
class Shrunk(sd.GRR):
    """Shrinks its estimates as if 10,000 reports more had said nothing."""

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        right = super().estimate(counts, method, target)
        return replace(right, shares=right.shares * (counts.n / (counts.n + 10_000)))


@found_by("estimates_at_every_n")
class SureOfFew(sd.OUE):
    """States half of its standard errors where there are few reports."""

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        right = super().estimate(counts, method, target)
        return replace(right, stderr=right.stderr / (2 if counts.n < 100 else 1))


class OtherMethod:
    """Gives nonsense for one method."""

    wrong = ""

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        right = super().estimate(counts, method, target)
        return replace(right, shares=right.shares[::-1]) if method == self.wrong else right


@found_by("estimates_by_each_method", k=43)
class ProjectsNonsense(OtherMethod, sd.OUE):
    """Its ``"projected"`` is wrong."""

    wrong = "projected"


@found_by("estimates_by_each_method", k=43)
class ClipsNonsense(OtherMethod, sd.GRR):
    """Its ``"clipped"`` is wrong."""

    wrong = "clipped"


@found_by("estimates_by_each_method", k=43)
class LikeliestNonsense(OtherMethod, sd.GRR):
    """Its ``"mle"`` is wrong."""

    wrong = "mle"


@dataclass(frozen=True)
class Narrow:
    """A law whose intervals of some kinds are a hundredth as wide."""

    law: Any
    kinds: tuple[str, ...]
    simultaneous: bool

    def __getattr__(self, name: str) -> Any:
        return getattr(self.law, name)

    def interval(self, miss: float, kind: Any, simultaneous: bool) -> Any:
        low, high = self.law.interval(miss, kind, simultaneous)
        if kind not in self.kinds or simultaneous < self.simultaneous:
            return low, high
        return (51 * low + 49 * high) / 100, (49 * low + 51 * high) / 100


class Overconfident:
    """Has intervals that are too short."""

    kinds: tuple[str, ...] = ("auto", "normal", "score")
    simultaneous = False

    def estimate(self, counts: Any, method: str = "unbiased", target: Any = "population") -> Any:
        right = super().estimate(counts, method, target)
        if right._law is None:
            return right
        return replace(right, _law=Narrow(right._law, self.kinds, self.simultaneous))


@found_by("states_its_intervals", k=43)
class ShortIntervals(Overconfident, sd.GRR):
    """All of them."""


@found_by("states_its_intervals", k=43)
class ShortScores(Overconfident, sd.OUE):
    """Those of the score test."""

    kinds = ("score",)


@found_by("states_its_intervals")
class ShortByDefault(Overconfident, sd.OUE):
    """Those that nobody has asked to be of a kind."""

    kinds = ("auto",)


@found_by("states_its_intervals", k=43)
class NoneShared(Overconfident, sd.GRR):
    """Those of all categories at once."""

    simultaneous = True
