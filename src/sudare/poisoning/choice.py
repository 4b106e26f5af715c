"""One of k categories, as fake respondents see it, and its attacks: MGA, RPA and RIA."""

from __future__ import annotations

from math import floor
from typing import Any, ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.errors import WrongTypeError
from sudare.estimation import Counts
from sudare.exact.entropy import Entropy
from sudare.mechanisms import GRR, LGRR, SHE, DBitFlipPM, NegativeSurvey
from sudare.mechanisms.frequency.unary import Unary
from sudare.mechanisms.values import as_shares
from sudare.poisoning.attack import Attack
from sudare.poisoning.laws import Categories
from sudare.poisoning.positions import Bits
from sudare.poisoning.surface import Fakes, Population, Surface, refuse, register

NO_BITS = np.zeros(0, dtype=np.intp)


class CategoriesSurface(Surface):
    """What frequency oracles share. Must implement: ``fakes``."""

    usual: ClassVar[str] = "GRR"
    ends: ClassVar[tuple[float, ...]] = (0.0,)
    instead: ClassVar[str] = "it is for key-value data"

    @property
    def support(self) -> tuple[float, float]:
        """``(p, q)`` of the mechanism."""
        p, q = self.mechanism.support_probabilities
        return float(p), float(q)

    def supports(self, targets: list[int]) -> Floats:
        """Return (r, k) supports of honest reports of each target."""
        p, q = self.support
        out = np.full((len(targets), self.size), q)
        out[np.arange(len(targets)), targets] = p
        return out

    def truth(self, frequency: object, mean: object) -> Population:
        """Return the shares; there is no mean."""
        if mean is not None:
            raise WrongTypeError("mean", "must be left out", "categories have no values")
        labels = getattr(self.mechanism, "labels", None)
        return as_shares(frequency, self.size, argument="frequency", labels=labels), np.zeros(0)

    def honest(self, truth: Population) -> Floats:
        """``q + (p - q) f``."""
        p, q = self.support
        return q + (p - q) * truth[0]

    def draw(self, truth: Population, people: int, rng: Entropy) -> Counts:
        """Draw the true counts, and what they report."""
        f, _ = truth
        drawn = rng.generator().multinomial(people, f / f.sum())
        counts: Counts = self.mechanism.simulate(drawn, rng=rng)
        return counts

    def found(self, estimate: Any, targets: list[int]) -> Floats:
        """Return the targets' shares: (1, r)."""
        shares: Floats = estimate.shares[None, targets]
        return shares


refuse(SHE, "a report of SHE is numbers without a bound: one fake moves any estimate to any value")
refuse(DBitFlipPM, "DBitFlipPM is there to be compared with, and no device runs it: attack LSUE")
refuse(NegativeSurvey, "NegativeSurvey gives no local privacy guarantee: attack GRR")


@register(GRR, LGRR)
class OneCategorySurface(CategoriesSurface):
    """A report is a category."""

    together: ClassVar[bool] = True

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return a random target; a random category; an honest report of a random target."""
        cells = np.zeros(self.size)
        cells[targets] = 1 / len(targets)
        laws = (cells, np.full(self.size, 1 / self.size), self.supports(targets).mean(axis=0))
        return Fakes(*map(Categories, laws))


@register(Unary)
class BitsSurface(CategoriesSurface):
    """A report is a bit for each category."""

    together: ClassVar[bool] = False

    def fakes(self, targets: list[int], index_control: bool) -> Fakes:
        """Return all targets' bits with so many others as usual; any bits; an honest report."""
        p, q = self.support
        bits = np.zeros((1, self.size))
        bits[0, targets] = 1
        others = np.flatnonzero(bits[0] == 0)
        ones = floor(p + (self.size - 1) * q) - len(targets)
        return Fakes(
            Bits(bits, others, min(max(ones, 0), others.size)),
            Bits(np.full((1, self.size), 0.5), NO_BITS, 0),
            Bits(self.supports(targets), NO_BITS, 0),
        )


class ChoiceAttack(Attack):
    """What attacks on one of k categories share.

    GRR, unary encodings, subset selection, local hashing, Hadamard response, projective geometry,
    bins, sampled tables; of what is asked in rounds, one report.
    """

    victims: ClassVar[type[Surface]] = CategoriesSurface
    by_label: ClassVar[bool] = True


class MGA(ChoiceAttack):
    """The maximal gain attack: every fake report supports as many targets as it can.

    ::

        GRR      a random target
        unary    the targets' r bits are 1, and floor(p + (k - 1) q - r) others, drawn at random, so
                 that a fake report has about as many ones as an honest one
        number   (hashing, Hadamard response, projective geometry) one of the reports that support
                 as many targets as any

    Of numbers all reports are looked at, but of families with more than 2^25 hashes of targets a
    part, from which the best are improved digit by digit: then more targets may be within reach.

    Source: Cao, Jia, Gong 2021 (data poisoning attacks to local differential privacy protocols).

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.MGA(targets=[2]).reports(sd.GRR(k=4, epsilon=1.0), 3).tolist()
        [2, 2, 2]
    """

    way = "maximal"


class RPA(ChoiceAttack):
    """The random perturbed-value attack: any report, without regard to the targets.

    ::

        GRR      a random category
        unary    every bit 1 with 1/2
        number   any number

    Source: Cao, Jia, Gong 2021.

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.RPA([0]).law(sd.OUE(k=3, epsilon=1.0)).rates.tolist()
        [0.5, 0.5, 0.5]
    """

    way = "random"


class RIA(ChoiceAttack):
    """The random item attack: claim a random target, and report honestly.

    Source: Cao, Jia, Gong 2021.

    Examples:
        >>> import sudare as sd
        >>> sd.poisoning.RIA([0]).law(sd.SUE(k=3, epsilon=2.0)).rates.round(3).tolist()
        [0.731, 0.269, 0.269]
    """

    way = "honest"
